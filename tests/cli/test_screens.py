"""Laws of the screen: it fits, it is plain where it must be, and labels stay text."""

import io
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.progress import Progress

from abstain import Accuracy, RejectRate, pareto_front, tables
from abstain.cli import terminal
from abstain.cli.fit_screen import _notes, fit_screen
from abstain.cli.front import front_screen
from abstain.cli.predict import predict_screen
from abstain.metrics import class_report, group_report
from abstain.tables.answering import AnswerCounts
from abstain.tables.groups import GroupComparison
from abstain.tables.score_fronts import choose, output_files
from abstain.tables.scores import ScoreColumns, read_scores
from abstain.tables.writing import class_rows, group_rows
from tests.cli.helpers import LABEL
from tests.tables.conftest import make_patients


def render(screen, width=80, terminal=False):
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(screen)
    return console.file.getvalue()


def screen(
    scores_path,
    labels,
    *,
    width,
    files=True,
    terminal=False,
    reject_rate=0.2,
    method="exact",
):
    """Render the summary of a table with four samples in each of the cells."""
    table = pl.DataFrame(
        {
            "c": np.arange(4 * len(labels)) / 1000,
            "ok": [False, True, False, True] * len(labels),
            "region": np.repeat(labels, 4).tolist(),
        }
    )
    table.write_parquet(scores_path)
    samples = read_scores([scores_path], ScoreColumns("c", "ok", cell="region"))
    front = pareto_front(samples.certainty, samples.correct, samples.cells, method=method)
    choice = choose(samples, front, RejectRate(reject_rate))
    written = output_files(Path("front.csv"), scores_path) if files else None
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
    console.print(front_screen(choice, scores_path, written, by_default=True))
    return console.file.getvalue()


@pytest.mark.parametrize("method", ["pooled", "exact"])
def test_it_fits_one_screen(tmp_path, method):
    cells = [f"cell {i:03d}" for i in range(52)]
    shown = screen(tmp_path / "s.parquet", cells, width=80, method=method)
    lines = shown.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert "… and 42 more in front.thresholds.csv" in shown


def test_labels_are_text(tmp_path):
    labels = ["[red]", "[/]", ":smile:", "\x1b[31m", "two\nlines", "größe"]
    shown = screen(tmp_path / "s.parquet", labels, width=80)
    for label in ("[red]", "[/]", ":smile:", r"\x1b[31m", r"two\nlines", "größe"):
        assert label in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("width", [1, 10, 20, 40])
def test_a_narrow_terminal_is_no_reason_to_fail(tmp_path, width):
    assert screen(tmp_path / "s.parquet", ["a" * 500, "b"], width=width)


def test_a_long_label_takes_one_line(tmp_path):
    shown = screen(tmp_path / "s.parquet", ["a" * 500, "b"], width=80)
    assert shown.count("aaa…") == 1
    assert "errors caught" in shown


def test_a_narrow_screen_shows_thresholds_in_full(tmp_path):
    shown = screen(tmp_path / "s.parquet", ["a" * 500, "b"], width=40)
    assert "0.001" in shown
    assert "errors caught" not in shown


def test_colour_is_for_terminals_that_want_it(tmp_path, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[36m" in screen(tmp_path / "s.parquet", ["a", "b"], width=80, terminal=True)
    assert "\x1b[" not in screen(tmp_path / "s.parquet", ["a", "b"], width=80)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[36m" not in screen(tmp_path / "s.parquet", ["a", "b"], width=80, terminal=True)


def test_thresholds_of_none_and_all_and_an_accuracy_of_nothing(tmp_path):
    path = tmp_path / "s.parquet"
    assert "-inf (none)" in screen(path, ["a"], width=80, reject_rate=0.0)
    point = screen(path, ["a"], width=80, files=False, reject_rate=1.0)
    assert "100.00%" in point


@pytest.mark.parametrize(
    ("share", "shown"),
    [(1.0, "100.00%"), (0.99999, "99.999%"), (0.5, "50.00%"), (float("nan"), "undefined")],
)
def test_what_is_not_quite_all_is_not_shown_as_all(share, shown):
    assert terminal.percent(share).startswith(shown)


@pytest.mark.parametrize(
    ("is_terminal", "quiet", "seen"),
    [(True, False, True), (True, True, False), (False, False, False)],
)
def test_stages_appear_on_terminals_only(monkeypatch, is_terminal, quiet, seen):
    stream = io.StringIO()
    monkeypatch.setattr(
        terminal, "Console", lambda **_: Console(file=stream, force_terminal=is_terminal, width=80)
    )
    with terminal.stages(quiet) as begin:
        begin("reading [red] file")
        begin("making the page")(1, 4)
    assert ("reading [red] file" in stream.getvalue()) == seen
    assert bool(stream.getvalue()) == seen


@pytest.mark.parametrize("width", [30, 40, 60, 70, 80, 120])
def test_numbers_of_progress_are_whole_however_narrow_the_terminal(monkeypatch, width):
    stream = io.StringIO()
    monkeypatch.setattr(
        terminal, "Console", lambda **_: Console(file=stream, force_terminal=True, width=width)
    )
    monkeypatch.setenv("NO_COLOR", "1")
    with terminal.progress("fitting gmlvq to " + 150 * "x") as watch:
        watch(3, 600)
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue()).splitlines()[-1]
    assert re.search(r"\b3/600 \d:\d\d:\d\d [-\d]:[-\d]{2}:[-\d]{2}", last)


def test_a_stage_is_over_when_the_next_begins():
    bars = Progress(console=Console(file=io.StringIO()))
    begin = terminal._stages_of(bars)
    begin("loading")
    begin("reading")(2, 5)
    assert [(task.completed, task.total) for task in bars.tasks] == [(1, 1), (2, 5)]
    begin("making")
    assert [(task.completed, task.total) for task in bars.tasks] == [(1, 1), (5, 5), (0, None)]


# A threshold that four digits would round to 1 would seem to reject all posteriors but 1.
def test_thresholds_just_below_one_differ_from_one():
    assert terminal.rounded_threshold(0.9999999) == "1 − 1e-07"
    assert terminal.rounded_threshold(1.0) == "1"
    assert terminal.rounded_threshold(0.123456789) == "0.1235"
    assert terminal.rounded_threshold(0.99996) == "1 − 4e-05"


def doubts(tmp_path, certainty, correct, cells, method="exact"):
    path = tmp_path / "s.parquet"
    pl.DataFrame({"c": certainty, "ok": correct, "region": cells}).write_parquet(path)
    columns = ScoreColumns("c", "ok", cell="region")
    samples = read_scores([path], columns)
    front = pareto_front(samples.certainty, samples.correct, samples.cells, method=method)
    choice = choose(samples, front, RejectRate(0.2))
    console = Console(file=io.StringIO(), width=200)
    console.print(front_screen(choice, path, None, by_default=False))
    return [word for word in ("uncertainty", "expect less") if word in console.file.getvalue()]


def test_a_fit_marks_an_accuracy_that_estimates_do_not_reach(tmp_path):
    make_patients().write_parquet(tmp_path / "t.parquet")
    table = tables.open_table(tmp_path / "t.parquet")
    marks = {}
    for accuracy in (0.8, 0.9999999):
        options = tables.FitOptions(LABEL, model="naive-bayes", target=Accuracy(accuracy))
        fitted = tables.fit_table(table, options)
        shown = render(fit_screen(fitted, tmp_path / "t.parquet", tmp_path / "m"), 200)
        marks[accuracy] = "probabilities do not reach the target" in shown
    assert marks == {0.8: False, 0.9999999: True}


# Small cells and scores of the wrong sign are worth a word; a useless certainty is not reversed.
def test_what_makes_figures_doubtful_is_said(tmp_path):
    certainty, correct = np.arange(100) / 100, np.arange(100) >= 30
    assert doubts(tmp_path, certainty, correct, ["a"] * 100) == []
    assert doubts(tmp_path, -certainty, correct, ["a"] * 100) == ["uncertainty"]
    assert doubts(tmp_path, np.zeros(100), correct, ["a"] * 100) == []
    rng = np.random.default_rng(0)
    by_chance = [doubts(tmp_path, rng.random(100), correct, ["a"] * 100) for _ in range(50)]
    assert by_chance == [[]] * 50
    assert doubts(tmp_path, certainty, [True] * 100, ["a"] * 100) == []
    assert doubts(tmp_path, certainty, correct, np.arange(100) % 10) == ["expect less"]
    # Pooled thresholds borrow from other cells.
    assert doubts(tmp_path, certainty, correct, np.arange(100) % 10, method="pooled") == []


@pytest.mark.parametrize(("n_notes", "message"), [(5, []), (6, ["… and 1 more; --json has all"])])
def test_of_many_notes_some_are_shown(n_notes, message):
    lines = [text.plain for text in _notes([f"mind {n}" for n in range(n_notes)])]
    assert lines == [*(f"Note: mind {n}" for n in range(5)), *message]


@pytest.mark.parametrize("width", [10, 40, 80, 200])
def test_screens_fit_and_labels_stay_text(tmp_path, width):
    frame = make_patients().with_columns(
        pl.col(LABEL).replace_strict({"gesund": "[red]", "krank (übel)": "\x1b[31m" + 90 * "x"})
    )
    frame.write_parquet(tmp_path / "t.parquet")
    table = tables.open_table(tmp_path / "t.parquet")
    fitted = tables.fit_table(table, tables.FitOptions(LABEL, model="glvq"))
    shown = render(fit_screen(fitted, tmp_path / "t.parquet", tmp_path / "m"), width)
    assert "\x1b" not in shown
    assert width < 40 or "[red]" in shown
    answered = tables.answer_table(fitted.clf, table, None)
    shown = render(predict_screen(answered, tmp_path / "t.parquet", None), width)
    assert "\x1b" not in shown
    assert width < 40 or "[red]" in shown


def test_many_classes_fit_one_screen():
    counts = {f"class {i}": i for i in range(50)}
    answered = AnswerCounts(1225 + 5, 5, 2, counts, ["answer", "certainty", "reason"])
    shown = render(predict_screen(answered, Path("new.csv"), Path("a.csv")))
    assert len(shown.splitlines()) < 24
    assert "42 more" in shown
    assert "2 rows rejected because all needed columns are empty" in shown


def test_colour_is_for_terminals(fitted_screen):
    assert "\x1b[" in render(fitted_screen, terminal=True)
    assert "\x1b[" not in render(fitted_screen)


@pytest.fixture
def fitted_screen():
    answered = AnswerCounts(3, 1, 0, {"a": 2}, ["answer", "certainty", "reason"])
    return predict_screen(answered, Path("t.csv"), None)


def test_of_many_columns_with_news_some_are_named():
    counts, values = {f"c{i}": 9 for i in range(7)}, {f"c{i}": "\x1b[31m" for i in range(7)}
    columns = ["answer", "reason", "warning"]
    answered = AnswerCounts(9, 0, 0, {"a": 9}, columns, unseen_values=counts, examples=values)
    message = render(predict_screen(answered, Path("t.csv"), None))
    assert message.count("Note: ") == 5
    assert "… and 2 more notes; --json names all" in message
    assert "\x1b" not in message


def class_rows_of(n_classes, label="class {}"):
    labels = [label.format(index) for index in range(n_classes)]
    report = class_report(labels * 40, labels * 40, [False] * (39 * n_classes) + [True] * n_classes)
    return class_rows(report)


@pytest.mark.parametrize("width", [1, 20, 50, 80, 200])
def test_the_table_of_classes_fits(width):
    shown = render(terminal.ClassTable(class_rows_of(3), "120 rows"), width)
    assert ("(120 rows)" in shown) == (width >= terminal.WIDE)
    assert max(map(len, shown.splitlines())) <= width
    if width >= 50:  # counts and shares, side by side or one below the other
        assert shown.count("class 1") == 1 + (width < terminal.VERY_WIDE)
        # Recall and precision; on wide screens also recall with rejects, and two upper limits.
        assert shown.count("100%") == 6 + 9 * (width >= terminal.WIDE)
        assert shown.count("97.50%") == 3  # rejects missed
    assert ("95% CI" in shown) == (width >= terminal.WIDE)
    assert ("with rejects" in shown) == (width >= terminal.WIDE)


# Precisions that follow weights have no limits.
@pytest.mark.parametrize("width", [80, 200])
def test_a_share_without_limits_has_no_heading_for_them(width):
    nothing = dict.fromkeys(["precision_low", "precision_high"])
    rows = class_rows_of(3)
    whole = render(terminal.ClassTable(rows), width)
    shown = render(terminal.ClassTable([row | nothing for row in rows]), width)
    assert whole.count("95% CI") - shown.count("95% CI") == 1


@pytest.mark.parametrize(("width", "n_tables"), [(80, 2), (terminal.VERY_WIDE, 1)])
def test_long_and_many_classes_take_one_line_each(width, n_tables):
    shown = render(terminal.ClassTable(class_rows_of(20, "[red] {} " + 90 * "a")), width)
    n_headings = n_tables + 1  # those of shares take two lines
    assert len(shown.splitlines()) == n_tables * (terminal.CLASSES_TO_SHOW + 1) + n_headings
    assert shown.count("… and 12 more") == n_tables
    assert "[red]" in shown


# Long names often differ at their ends.
@pytest.mark.parametrize("width", [50, 80, 130])
def test_long_classes_are_told_apart(width):
    rows = class_rows_of(3, "a carcinoma of the junction, and so on" * 9 + " (G{})")
    shown = render(terminal.ClassTable(rows), width)
    for index in range(3):
        assert f"(G{index})" in shown
    assert "a car" in shown


@pytest.mark.parametrize("width", [1, 2, 3, 9])
@pytest.mark.parametrize("text", ["", "ab", "abcdefghij", "组组组组组组", "e\u0301" * 9])
def test_a_label_takes_the_room_it_gets(width, text):
    (line,) = render(terminal.Label(text), width).splitlines()
    assert cell_len(line) <= width
    assert (text == line) == (cell_len(text) <= width)


# --- groups -------------------------------------------------------------------------------------


def group_rows_of(n_groups, is_compared=True, label="group {}"):
    groups = [label.format(index) for index in range(n_groups)] * 40
    some, none = [True] * n_groups + [False] * (39 * n_groups), [False] * len(groups)
    decided, without = (group_report(groups, groups, each, groups) for each in (some, none))
    comparison = GroupComparison(decided, without if is_compared else None, 0.95, "held-out rows")
    return group_rows(comparison)


@pytest.mark.parametrize("width", [1, 20, 50, 80, 200])
@pytest.mark.parametrize("is_compared", [True, False])
def test_the_table_of_groups_fits(width, is_compared):
    shown = render(terminal.GroupTable(group_rows_of(3, is_compared), "bound: a limit"), width)
    assert max(map(len, shown.splitlines())) <= width
    if width >= 50:
        assert shown.count("group 1") == 1
        assert shown.count("97.50%") == 3  # answered with the condition
        assert shown.count("100.00%") == 3 * is_compared  # and without it
        assert ("without" in shown) == is_compared
    assert ("bound: a limit" in shown) == (width >= terminal.WIDE)
    assert shown.count("≥ 92.") == 3 * (1 + is_compared) * (width >= terminal.WIDE)


def test_long_and_many_groups_take_one_line_each():
    shown = render(terminal.GroupTable(group_rows_of(20, label="[red] {} " + 90 * "a"), "bound"))
    assert len(shown.splitlines()) == terminal.CLASSES_TO_SHOW + 4
    assert "… and 12 more" in shown
    assert "[red]" in shown


def test_the_summary_of_a_fit_says_which_rows_are_counted(tmp_path):
    make_patients(600).write_parquet(tmp_path / "t.parquet")
    table = tables.open_table(tmp_path / "t.parquet")
    for confidence in (None, 0.8):
        target = Accuracy(0.7, confidence, groups="Organ")
        options = tables.FitOptions(
            LABEL, model="naive-bayes", target=target, independent_rows=True
        )
        fitted = tables.fit_table(table, options)
        shown = render(fit_screen(fitted, tmp_path / "t.parquet", tmp_path / "m"))
        n_calibration = fitted.clf.operating_point_.n_samples
        assert f"class ({n_calibration} calibration rows)" in shown
        n_held = 600 - n_calibration
        where = "600 calibration rows" if confidence is None else f"{n_held} held-out rows"
        assert f"Groups of 'Organ' on {where}, with and without --group-by:" in shown
        assert ("too high for new rows" in shown) == (confidence is None)


# Limits that are rounded to the nearest digit may not hold the share.
def test_limits_are_rounded_outwards():
    (row,) = class_rows(class_report(["a"] * 3000, ["a"] * 3000, [False] * 3000))
    shown = render(terminal.ClassTable([row]))
    low = 100 * row["recall_low"]
    assert f"100% {np.floor(10 * low) / 10:.1f}–100%" in shown
    nothing = row | dict.fromkeys(["recall", "recall_low", "recall_high"])
    assert re.search(r"a +– +100%", render(terminal.ClassTable([nothing])))
