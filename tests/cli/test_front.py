"""Laws of `abstain front`: the library's numbers, one line for each error, nothing half done."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import typer

from abstain import Accuracy, RejectCost, RejectRate, __version__, operating_point, pareto_front
from abstain.cli import app
from abstain.cli.common import Method
from abstain.cli.targets import NOT_FOR_SCORES
from abstain.fronts import METHODS
from tests.cli.helpers import ROLES, assert_one_line, python


@pytest.fixture
def table():
    rng = np.random.default_rng(7)
    certainty = rng.random(400).round(3)
    return pl.DataFrame(
        {
            "c": certainty,
            "ok": rng.random(400) < 0.5 + certainty / 2,
            "region": rng.choice(["north", "south", "east"], 400),
        }
    )


@pytest.fixture
def scores(tmp_path, table):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    path = tmp_path / "in" / "scores.csv"
    table.write_csv(path)
    return path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out" / "front.csv"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_reversed_certainty_is_named_where_no_row_reaches_the_accuracy(run, tmp_path):
    correct = np.arange(200) < 100
    path = tmp_path / "reversed.csv"
    pl.DataFrame({"c": np.arange(200), "ok": correct}).write_csv(path)
    command = ["front", path, "--certainty", "c", "--correct", "ok", "--accuracy"]
    said = "if this is an uncertainty, negate it"
    assert_one_line(run(*command, 0.8), "cannot be reached", said)
    assert said not in run(*command, 1.8)[2]  # no accuracy at all
    pl.DataFrame({"c": np.zeros(200), "ok": correct}).write_csv(path)
    result = run(*command, 0.8)
    assert_one_line(result, "cannot be reached")
    assert said not in result[2]


def test_an_accuracy_that_estimates_do_not_reach_is_marked(run, scores):
    def is_marked(*options):
        code, shown, _ = run("front", scores, *ROLES, *options)
        assert code == 0
        return "The estimated probabilities do not reach the target" in shown

    assert is_marked("--accuracy", 0.999999)
    assert not is_marked("--accuracy", 0.8)
    assert not is_marked("--accuracy", 0.999999, "--method", "exact")
    assert not is_marked("--reject-rate", 0.2)


@pytest.mark.parametrize(
    ("separator", "decimal", "encoding", "options"),
    [
        ("|", ".", "utf-8", []),
        (";", ",", "utf-8", []),
        (",", ".", "cp1252", []),
        ("|", ",", "cp1252", []),
        ("|", ".", "utf-16le", ["--separator", "|", "--encoding", "utf-16le"]),
    ],
)
def test_the_format_of_the_text_does_not_matter(
    run, scores, table, separator, decimal, encoding, options
):
    table = table.with_columns(pl.col("region").replace("south", "süd"))
    table.write_csv(scores)
    expected = run("front", scores, *ROLES, "--json")
    assert expected[0] == 0
    certainty = pl.col("c").cast(pl.String).str.replace(".", decimal, literal=True)
    text = table.with_columns(certainty).write_csv(separator=separator)
    scores.write_bytes(text.encode(encoding))
    assert run("front", scores, *ROLES, "--json", *options) == expected


def test_a_decimal_mark_that_is_given_is_the_only_one(run, scores):
    scores.write_text("c;ok\n1.234,5;1\n0,5;0\n")
    command = ["front", scores, "--certainty", "c", "--correct", "ok", "--json"]
    code, shown, _ = run(*command, "--decimal", ",", "--reject-rate", 0.5, "--method", "exact")
    assert code == 0
    assert json.loads(shown)["cells"][0]["threshold"] == 1234.5
    scores.write_text("c;ok\n0,7;1\n0,5;0\n")
    assert run(*command)[0] == 0
    assert_one_line(run(*command, "--decimal", "."), "certainty", "got '0,7' in row 2")


@pytest.mark.parametrize(
    ("option", "target"),
    [
        (["--accuracy", "0.9"], Accuracy(0.9)),
        (["--reject-rate", "0.25"], RejectRate(0.25)),
        (["--reject-cost", "0.2"], RejectCost(0.2)),
        ([], RejectRate(0.1)),
    ],
)
@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_chosen_row_is_the_librarys_own(run, scores, out, table, option, target, method):
    code, shown, complaints = run(
        "front", scores, *ROLES, *option, "--method", method, "--out", out
    )
    assert (code, complaints) == (0, "")
    front = pareto_front(table["c"], table["ok"], table["region"].to_numpy(), method=method)
    point = operating_point(front, target)
    document = json.loads(out.with_suffix(".json").read_text())
    for name in ("row", "n_samples", "n_errors", "true_rejects", "false_rejects", "gap"):
        assert document[name] == getattr(point, name)
    assert document["accuracy"] == point.accuracy
    assert [float(cell["threshold"]) for cell in document["cells"]] == point.thresholds.tolist()
    assert [cell["cell"] for cell in document["cells"]] == point.cells.tolist()
    assert pl.read_csv(out)["true_rejects"].to_list() == front.true_rejects.tolist()
    assert ("(default)" in shown) == (not option)
    assert ("gap" in shown) == (method != "exact")
    assert ("estimated" in shown) == (method == "pooled")


# Rows of the front that is the default are nested: each rejects what the one before does.
def test_by_default_the_front_is_pooled(run, scores, out, table):
    run("front", scores, *ROLES, "--accuracy", "0.9", "--out", out)
    rows, document = pl.read_csv(out), json.loads(out.with_suffix(".json").read_text())
    assert document["method"] == "pooled"
    for name in ("true_rejects", "false_rejects"):
        assert (np.diff(rows[name]) >= 0).all()
    front = pareto_front(table["c"], table["ok"], table["region"].to_numpy(), method="pooled")
    row = document["row"]
    assert document["expected_accuracy"] == front.expected_accuracies[row] >= 0.9
    expected = rows["expected_accuracy"].to_numpy()
    np.testing.assert_allclose(expected, front.expected_accuracies, equal_nan=True)
    for column, cell in enumerate(document["cells"]):
        at = float(cell["threshold"])
        (probability,) = front.probability_correct([at], np.array([column]))
        assert cell["correct_proba"] == (probability if np.isfinite(at) else None)


def test_every_format_gives_the_same(run, tmp_path, scores, table):
    table.write_parquet(tmp_path / "in" / "scores.parquet")
    table.write_csv(tmp_path / "in" / "scores.tsv", separator="\t")
    documents = {
        run("front", tmp_path / "in" / f"scores.{suffix}", *ROLES, "--json")[1]
        for suffix in ("csv", "tsv", "parquet")
    }
    assert len(documents) == 1


def test_classes_instead_of_correct(run, tmp_path, scores, table):
    labelled = table.with_columns(
        t=pl.lit(1), p=pl.when("ok").then(pl.lit("1")).otherwise(pl.lit("2"))
    )
    labelled.write_parquet(tmp_path / "in" / "labelled.parquet")
    roles = ["--certainty", "c", "--y-true", "t", "--y-pred", "p", "--cell", "region"]
    by_class = run("front", tmp_path / "in" / "labelled.parquet", *roles, "--json")
    assert by_class == run("front", scores, *ROLES, "--json")


def test_json_is_all_there_is_on_standard_output(run, scores):
    code, shown, complaints = run("front", scores, *ROLES, "--json")
    assert (code, complaints) == (0, "")
    assert json.loads(shown)["abstain"] == __version__


def test_quiet_prints_nothing(run, scores, out):
    assert run("front", scores, *ROLES, "--out", out, "-q") == (0, "", "")
    assert names(out.parent) == ["front.csv", "front.json", "front.thresholds.csv"]


def test_without_out_nothing_is_written(run, tmp_path, scores, monkeypatch):
    monkeypatch.chdir(tmp_path / "out")
    code, shown, _ = run("front", scores, *ROLES)
    assert code == 0
    assert "Nothing was written" in shown
    assert names(tmp_path / "out") == []


def test_methods_are_the_librarys():
    assert set(Method) == set(METHODS)


def test_the_cells_with_most_rejects_come_first(run, scores, out):
    _, shown, _ = run("front", scores, *ROLES, "--out", out)
    cells = pl.read_csv(out.with_suffix(".thresholds.csv"))
    busiest = cells.sort(pl.col("true_rejects") + pl.col("false_rejects"), descending=True)
    places = [shown.index(f"\n{label} ") for label in busiest["cell"]]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--accuracy", "0.9", "--reject-cost", "0.2"], ["--accuracy and --reject-cost"]),
        (["--accuracy", "1.5"], ["--accuracy", "(0, 1]", "1.5"]),
        (["--reject-rate", "-0.1"], ["--reject-rate", "[0, 1]", "-0.1"]),
        (["--reject-cost", "nan"], ["--reject-cost", "(0, 1)", "nan"]),
        (["--correct", "nope"], ["--correct nope", "'c', 'ok', 'region'"]),
        (["--y-true", "c"], ["--correct", "--y-true"]),
        (["--cell", "c"], ["cell column 'c'", "integers or names"]),
    ],
)
def test_bad_options(run, scores, out, options, said):
    assert_one_line(run("front", scores, *ROLES, *options, "--out", out), *said)
    assert names(out.parent) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["scores.csv", "empty"]),
        ("c,ok,region\n", ["no rows"]),
        ("c,ok,region\n0.5,true,a\nhigh,true,a\n", ["'c'", "'high'", "row 3"]),
        ("c,ok,region\n0.5,true,a\n,true,a\n", ["'c'", "row 3"]),
        ("c,ok,region\n0.5,maybe,a\n", ["'ok'", "'maybe'", "row 2"]),
        ("c,ok,region\n0.5,true,\n", ["'region'", "row 2"]),
        ('c,ok,region\n0.5,true,"a\n', ["has a quote without its pair"]),
        ('c,ok,region\n"x\ny\x1b[31m",true,a\n', [r"'x\ny\x1b[31m'"]),
    ],
)
def test_bad_score_files(run, scores, out, text, said):
    scores.write_text(text)
    assert_one_line(run("front", scores, *ROLES, "--out", out), *said)
    assert names(out.parent) == []


def test_missing_and_unknown_score_files(run, tmp_path, scores, out):
    for path in (tmp_path / "missing.csv", tmp_path, tmp_path / "scores.xlsx"):
        assert_one_line(run("front", path, *ROLES, "--out", out), str(path))
    assert names(out.parent) == []


def test_unreachable_accuracy(run, scores, out):
    scores.write_text("c,ok,region\ninf,0,a\n0.5,1,a\n")
    assert_one_line(
        run("front", scores, *ROLES, "--accuracy", "0.9", "--out", out),
        "--accuracy 0.9 ",
        "reached",
    )
    assert names(out.parent) == []


def test_bad_outputs_are_reported_before_the_work(run, tmp_path, scores, monkeypatch):
    monkeypatch.setattr("abstain.tables.scores.read_scores", None)
    for path in (tmp_path / "no" / "front.csv", tmp_path / "front.doc", tmp_path / "in", scores):
        assert_one_line(run("front", scores, *ROLES, "--out", path), f"cannot write {path}")
    assert names(tmp_path / "in") == ["scores.csv"]


@pytest.mark.parametrize(
    ("failure", "expected"),
    [(OSError(28, "No space left on device"), 2), (KeyboardInterrupt(), 130)],
)
@pytest.mark.parametrize("previous", [None, "precious"])
def test_an_interrupted_write_leaves_all_as_it_was(
    run, scores, out, monkeypatch, failure, expected, previous
):
    def fail(self, path, **options):
        Path(path).write_text("half")
        raise failure

    if previous:
        out.write_text(previous)
    monkeypatch.setattr(pl.DataFrame, "write_csv", fail)
    code, shown, complaint = run("front", scores, *ROLES, "--out", out)
    assert (code, shown) == (expected, "")
    assert complaint.count("\n") == 1
    assert names(out.parent) == (["front.csv"] if previous else [])
    assert not previous or out.read_text() == previous


def test_ctrl_c_while_reading_is_reported_in_a_word(run, scores, out, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("abstain.tables.scores.read_scores", interrupt)
    assert run("front", scores, *ROLES, "--out", out) == (130, "", "interrupted\n")
    assert names(out.parent) == []


def test_it_runs_as_a_program_from_a_path_with_a_space(tmp_path, table):
    folder = tmp_path / "my scores"
    folder.mkdir()
    table.write_csv(folder / "the scores.csv")
    command = ["front", "the scores.csv", *ROLES, "--out", "the front.csv"]
    code, shown, complaints = python("-m", "abstain", *command, cwd=folder)
    assert (code, complaints) == (0, "")
    assert "Written: the front.csv, the front.thresholds.csv, the front.json" in shown
    assert len(names(folder)) == 4


def test_a_terminal_that_knows_ascii_only_is_no_reason_to_fail(tmp_path, table):
    table.with_columns(region=pl.lit("größe")).write_csv(tmp_path / "s.csv")
    command, variables = ["front", "s.csv", *ROLES], {"PYTHONIOENCODING": "ascii"}
    code, shown, complaints = python("-m", "abstain", *command, variables=variables, cwd=tmp_path)
    assert (code, complaints) == (0, "")
    assert "gr??e" in shown


def test_a_warning_is_one_line_of_the_program(tmp_path, table):
    table.write_csv(tmp_path / "scores.csv")
    code = (
        "import sys, abstain.cli, abstain.fronts.exact as exact; exact.MANY_SUMS = 0;"
        f"sys.argv = ['abstain', 'front', 'scores.csv', *{ROLES}, '--method', 'exact', '-q'];"
        "abstain.cli.main()"
    )
    exit_code, _, complaints = python("-c", code, cwd=tmp_path)
    assert exit_code == 0
    (line,) = complaints.splitlines()
    assert line.startswith("warning: method='exact' will take half a minute or far more for these ")


@pytest.mark.parametrize("option", sorted(NOT_FOR_SCORES))
def test_targets_about_classes_are_refused(run, folder, option):
    asked = ["front", folder / "scores.csv", "--certainty", "c", "--correct", "ok"]
    remedy = (
        "; score files take only --accuracy, --reject-rate and --reject-cost, see abstain front"
    )
    assert_one_line(run(*asked, option, "a=0.9"), f"No such option: {option}{remedy} --help")


def test_options_that_score_files_do_not_take_are_options_of_tables():
    commands = typer.main.get_command(app).commands
    fit, front = (
        {option for parameter in commands[name].params for option in parameter.opts}
        for name in ("fit", "front")
    )
    assert fit - front >= NOT_FOR_SCORES
    assert {"--accuracy", "--reject-rate", "--reject-cost"} <= front
