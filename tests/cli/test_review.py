"""Laws of `abstain predict --worklist` and `abstain review`: from a list and back."""

import json
import re
import shlex

import polars as pl
import pytest
import xlsxwriter

from abstain import load
from tests.cli.helpers import LABEL, assert_one_line
from tests.tables.conftest import make_patients


@pytest.fixture
def listed(run, folder, model):
    """The folder, with the list that `abstain predict` has written and an expert has filled in."""
    frame = make_patients(300, seed=7)
    frame.drop(LABEL).write_csv(folder / "new.csv")
    asked = ["--out", folder / "answers.csv", "--worklist", folder / "todo.csv", "--id", "Patient"]
    code, shown, _ = run("predict", model, folder / "new.csv", *asked, "--audit", "0.2")
    assert code == 0
    assert "rejected rows and 57 answered for audit" in " ".join(shown.split())
    listed = pl.read_csv(folder / "todo.csv")
    experts = frame[LABEL].gather(listed["row"] - 2)
    listed.with_columns(expert_answer=experts).write_csv(folder / "filled.csv")
    listed.with_columns(expert_answer=pl.when(pl.int_range(pl.len()) < 5).then(experts)).write_csv(
        folder / "part.csv"
    )
    return folder


def test_the_json_of_predict_counts_what_is_listed(run, folder, model):
    asked = ["--worklist", folder / "todo.xlsx", "--audit", "0.5", "--audit-seed", "1", "--json"]
    document = json.loads(run("predict", model, folder / "new.csv", *asked)[1])
    listed = pl.read_excel(folder / "todo.xlsx")
    assert document["worklist"] == str(folder / "todo.xlsx")
    assert document["n_audited"] == (listed["why_listed"] == "audit").sum() > 0
    assert document["n_rejected"] == (listed["why_listed"] == "rejected").sum()


def commands_of(shown):
    """Return the commands that a screen offers, as the shell takes them apart."""
    found = [re.search(r"(?:^|: )(abstain [a-z]+ .*)", line) for line in shown.splitlines()]
    return [shlex.split(match[1])[1:] for match in found if match is not None]


def run_all(run, commands):
    for command in commands:
        code, shown, complaints = run(*command)
        assert (code, complaints) == (0, ""), command
        yield shown


def test_a_list_is_worked_off(run, listed, model, monkeypatch):
    monkeypatch.chdir(listed)
    merged, labelled, state = (listed / name for name in ("m.csv", "labelled.csv", "state.json"))
    asked = ["--answers", listed / "answers.csv", "--out", merged, "--labelled", labelled]
    asked += ["--monitor", state, "--accuracy", "0.5", "--fitted-to", listed / "patients.csv"]
    code, shown, complaints = run("review", model, listed / "filled.csv", *asked)
    assert (code, complaints) == (0, "")
    said = " ".join(shown.split())
    assert "withheld answers are those of the expert: " in said
    assert "no alarm after" in said
    commands = commands_of(shown)
    recalibrated, refitted = (
        listed / f"model-{what}.abstain" for what in ("recalibrated", "refitted")
    )
    assert commands == [
        shlex.split(f"recalibrate {model} {labelled} --out {recalibrated} --label '{LABEL}'"),
        shlex.split(
            f"fit {listed / 'patients.csv'} {labelled} --label '{LABEL}' --model gmlvq "
            f"--reject-rate 0.1 --out {refitted}"
        ),
    ]
    for shown in run_all(run, commands):
        assert list(run_all(run, commands_of(shown)))  # abstain predict
    n_free = int((pl.read_csv(labelled)["abstain_use"] == "thresholds and fit").sum())
    assert load(refitted).operating_point_.n_samples == 240 + n_free
    assert set(pl.read_csv(merged)["answered_by"]) == {"model", "expert"}
    assert json.loads(state.read_text())["kind"] == "abstain watch"
    again = run("review", model, listed / "filled.csv", "--monitor", state, "--accuracy", "0.5")
    assert_one_line(again, "the watch has already counted the rows of", "filled.csv")


# The sheet is that of the workbooks; a table of labels has none.
def test_a_table_of_the_fit_may_be_any_sheet_of_a_workbook(run, listed, model):
    book = listed / "all.xlsx"
    with xlsxwriter.Workbook(book) as workbook:
        pl.DataFrame({"note": ["none"]}).write_excel(workbook, worksheet="notes")
        pl.read_csv(listed / "patients.csv").write_excel(workbook, worksheet="my rows")
    asked = ["review", model, listed / "filled.csv", "--labelled", listed / "l.csv"]
    refit = commands_of(run(*asked, "--fitted-to", book)[1])[-1]
    assert refit[:3] == ["fit", str(book), str(listed / "l.csv")]
    assert refit[refit.index("--sheet") + 1] == "my rows"
    assert list(run_all(run, [refit]))
    without = listed / "patients.csv"
    assert_one_line(
        run("fit", without, listed / "l.csv", "--sheet", "x", "--label", LABEL, "--out", "m"),
        "--sheet x is for workbooks",
    )


def test_what_a_screen_offers_runs(run, listed, model, monkeypatch):
    monkeypatch.chdir(listed)
    (listed / "my list.csv").write_bytes((listed / "filled.csv").read_bytes())
    _, shown, _ = run("review", model, "my list.csv", "--missing", "no answer", "--separator", ",")
    (command,) = commands_of(shown)
    assert command[-2:] == ["--labelled", "labelled.csv"]
    (shown,) = run_all(run, [command])
    (recalibrate,) = commands_of(shown)
    assert "--fitted-to, the table of the fit" in shown
    assert list(run_all(run, [recalibrate]))


# A certificate takes more rows than a list has: they are collected, and nothing is offered before.
def test_too_few_labels_say_how_many_are_needed_and_gathered(run, listed, model):
    certified, labelled = listed / "certified.abstain", listed / "labelled.csv"
    make_patients(2000, seed=3).write_csv(listed / "many.csv")
    target = ["--accuracy", "0.8", "--confidence", "0.95", "--model", "naive-bayes", "--quiet"]
    assert run("fit", listed / "many.csv", "--label", LABEL, *target, "--out", certified)[0] == 0
    gathered = 0
    for day, size in enumerate((20, 20, 900)):
        frame = make_patients(size, seed=20 + day)
        frame.drop(LABEL).write_csv(listed / "day.csv")
        asked = ["--worklist", listed / "day-list.csv", "--audit", "0.5", "--quiet"]
        assert run("predict", certified, listed / "day.csv", *asked)[0] == 0
        todo = pl.read_csv(listed / "day-list.csv")
        experts = frame[LABEL].gather(todo["row"] - 2)
        todo.with_columns(expert_answer=experts).write_csv(listed / "day-list.csv")
        code, shown, _ = run("review", certified, listed / "day-list.csv", "--labelled", labelled)
        assert code == 0
        gathered += len(todo)
        rows = pl.read_csv(labelled)
        assert len(rows) == gathered
        n_free = (rows["abstain_use"] == "thresholds and fit").sum()
        if day < 2:
            (needed, known) = re.search(r"need about (\d+) rows .* which (\d+) are", shown).groups()
            assert int(known) == n_free < int(needed)
            assert commands_of(shown) == []
    assert n_free > int(needed)
    commands = commands_of(shown)
    assert [command[0] for command in commands] == ["recalibrate"]
    assert "certified" in next(run_all(run, commands))
    # A new fit that certifies leaves out what only a fit may use.
    asked = ["--fitted-to", listed / "many.csv"]
    _, shown, _ = run("review", certified, listed / "day-list.csv", "--labelled", labelled, *asked)
    refit = commands_of(shown)[-1]
    shown = "".join(run_all(run, [refit]))
    n_for_fit = gathered - n_free
    assert f"{n_for_fit} rows left out: they are labelled for a fit only" in " ".join(shown.split())


def test_an_alarm_is_the_exit_code(run, listed, model):
    wrong = pl.read_csv(listed / "filled.csv").with_columns(
        expert_answer=pl.when(pl.col("answer") == "gesund")
        .then(pl.lit("krank (übel)"))
        .otherwise(pl.lit("gesund"))
    )
    wrong.write_csv(listed / "wrong.csv")
    state = ["--monitor", listed / "state.json", "--accuracy", "0.9"]
    code, shown, _ = run("review", model, listed / "wrong.csv", *state)
    assert code == 1
    assert "alarm" in shown
    document = json.loads((listed / "state.json").read_text())
    assert document["risk"]["alarm_at"] is not None


def test_a_list_that_is_filled_in_in_part_says_what_is_left(run, listed, model):
    code, shown, _ = run("review", model, listed / "part.csv")
    assert code == 0
    assert "5 answered by the expert" in shown
    (command,) = commands_of(shown)
    shown = "".join(run_all(run, [[*command[:-1], str(listed / "l.csv")]]))
    assert re.search(r"Before this list may set thresholds, \d+ more cases of its random", shown)
    assert len(pl.read_csv(listed / "l.csv")) == 5
    document = json.loads(run("review", model, listed / "part.csv", "--json")[1])
    assert document["n_filled"] == 5
    assert document["n_sample_open"] > 0
    before = sorted(path.name for path in listed.iterdir())
    asked = ["--monitor", listed / "s.json", "--accuracy", "0.5"]
    assert_one_line(run("review", model, listed / "part.csv", *asked), "have no expert_answer")
    assert sorted(path.name for path in listed.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["predict", "model.abstain", "new.csv", "--audit", "0.1"], "give --worklist as well"),
        (["predict", "model.abstain", "new.csv", "--id", "Patient"], "give --worklist as well"),
        (
            ["predict", "model.abstain", "new.csv", "--worklist", "t.csv", "--audit-seed", "1"],
            "give --audit as well",
        ),
        (
            ["predict", "model.abstain", "new.csv", "--worklist", "t.csv", "--audit", "5"],
            "--audit must be",
        ),
        (["predict", "model.abstain", "new.csv", "--worklist", "new.csv"], "it is the table"),
        (["predict", "model.abstain", "new.csv", "--worklist", "t.pdf"], "must end with"),
        (["review", "model.abstain", "new.csv"], "it is no worklist of abstain predict"),
        (["review", "model.abstain", "new.csv", "--out", "m.csv"], "belong together"),
        (["review", "model.abstain", "new.csv", "--labelled", "l.xlsx"], "must end with .csv"),
        (["review", "model.abstain", "new.csv", "--labelled", "new.csv"], "it is the worklist"),
        (["review", "model.abstain", "new.csv", "--fitted-to", "t.csv"], "give --labelled as well"),
    ],
)
def test_errors_take_one_line(run, folder, model, monkeypatch, arguments, words):
    monkeypatch.chdir(folder)
    before = sorted(path.name for path in folder.iterdir())
    assert_one_line(run(*arguments), words)
    assert sorted(path.name for path in folder.iterdir()) == before
