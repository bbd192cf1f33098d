"""Laws of `abstain monitor`: an alarm is exit code 1, and a daily run counts every row once."""

import json
import shlex
import shutil

import polars as pl
import pytest

from abstain import Accuracy, load, save
from abstain.tables import FitOptions, fit_table, open_table
from tests.cli.helpers import assert_one_line
from tests.tables.drifting import LABEL, make_month, write_months


@pytest.fixture(scope="module")
def _months(tmp_path_factory):
    folder = tmp_path_factory.mktemp("months")
    write_months(folder)
    target = Accuracy(0.97, confidence=0.9)
    # Without outliers, all of the 400 rows of a month test after recalibration.
    options = FitOptions(LABEL, model="logistic", target=target, outliers=None)
    save(fit_table(open_table(folder / "fit.csv"), options).clf, folder / "model.abstain")
    return folder


@pytest.fixture
def months(_months, tmp_path, monkeypatch):
    """A folder with fit.csv, month1.csv to month7.csv and a model that is certified for 0.97."""
    folder = shutil.copytree(_months, tmp_path / "months")
    monkeypatch.chdir(folder)
    return folder


# A certified 0.97 fell below 0.7 in seven drifting months, and the report said "certified".
def test_a_promise_that_the_months_break_is_seen(run, months):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    codes = [
        run("monitor", "model.abstain", f"month{month}.csv", "--state", "state.json")[0]
        for month in range(1, 8)
    ]
    assert codes == sorted(codes)
    assert (codes[0], codes[-1]) == (0, 1)
    first, last = (
        json.loads(run("report", "model.abstain", f"month{month}.csv", "--json")[1])
        for month in (1, 7)
    )
    assert last["accuracy"] < 0.7
    assert [each["guarantee"]["accuracy"] for each in last["certificates"]] == [0.97]
    assert [each["verdict"] for each in first["certificates"]] == ["not contradicted"]
    assert [each["verdict"] for each in last["certificates"]] == ["contradicted"]
    assert (first["monitor"]["alarm"], last["monitor"]["alarm"]) == (False, True)
    _, shown, _ = run("report", "model.abstain", "month7.csv", "--out", "last.html")
    assert "Contradicted by these 400 rows: the accuracy is at least 0.97, confidence 0.9" in shown
    page = (months / "last.html").read_text(encoding="utf-8")
    assert "<s>The accuracy: at least <strong>97%</strong>" in page
    _, shown, _ = run("report", "model.abstain", "month1.csv", "--out", "first.html")
    assert "Not contradicted by these 400 rows" in shown
    assert "<s>" not in (months / "first.html").read_text(encoding="utf-8")
    # What the alarm says can be done as it is, and the new promise starts a new watch.
    _, shown, _ = run("monitor", "model.abstain", "month6.csv")
    command = shlex.split(shown.splitlines()[0].rpartition("again: ")[2])
    assert command[:4] == ["abstain", "recalibrate", "model.abstain", "recent.csv"]
    pl.concat(pl.read_csv(f"month{month}.csv") for month in (5, 6)).write_csv("recent.csv")
    assert run(*command[1:])[0] == 0
    new = "model-recalibrated.abstain"
    assert_one_line(
        run("monitor", new, "month7.csv", "--state", "state.json"),
        "--state state.json is of another model, or of other thresholds; name another file",
    )
    assert run("monitor", new, "month7.csv", "--state", "new.json")[0] in (0, 1)
    assert load(new).operating_point_.guarantee.accuracy == 0.97


def test_the_document_has_what_the_line_says(run, months):
    code, shown, complaints = run("monitor", "model.abstain", "month7.csv", "--json")
    document = json.loads(shown)
    assert (code, complaints) == (1, "")
    assert list(document) == [
        *("abstain", "alarm", "alarm_at", "message", "accuracy", "confidence"),
        *("evidence", "alarm_evidence", "n_answers", "n_labelled", "n_errors"),
        *("rows", "drift", "recalibrate", "rows_to_certify", "notes", "state", "out"),
    ]
    assert document["alarm"] is True
    assert document["rows"]["answered_by"] == "the model"
    assert document["rows"]["n_rows"] == 400
    assert document["drift"]["hint"] is True
    code, line, _ = run("monitor", "model.abstain", "month7.csv")
    assert code == 1
    said, what_to_do, hint = line.splitlines()
    enough = document["rows_to_certify"]
    assert (enough["accuracy"], enough["confidence"]) == (0.97, 0.9)
    assert enough["least"] < enough["likely"] < 400
    assert f"about {enough['likely']} certify accuracy 0.97 with confidence 0.9 again" in what_to_do
    assert "as large a share and 1.5% of the answers are wrong" in what_to_do
    assert "a lower --accuracy with --confidence 0.9, or fit the model again" in what_to_do
    command = document["recalibrate"]
    assert said == f"{document['message']}; set the thresholds again: {command}"
    assert hint == f"hint: {document['drift']['message']}"
    calm = json.loads(run("monitor", "model.abstain", "month1.csv", "--json")[1])
    assert (calm["alarm"], calm["alarm_at"], calm["recalibrate"]) == (False, None, None)
    assert calm["evidence"] < calm["alarm_evidence"] == 20


def test_a_table_with_too_few_rows_to_certify_is_not_named(run, months):
    pl.read_csv("month7.csv").head(200).write_csv("few.csv")
    document = json.loads(run("monitor", "model.abstain", "few.csv", "--json")[1])
    assert document["alarm"]
    assert document["rows"]["n_labelled"] < document["rows_to_certify"]["likely"]
    assert shlex.split(document["recalibrate"])[3] == "recent.csv"


def test_a_hint_is_no_alarm(run, months):
    drifted = make_month(400, 0.9, 9).with_columns(pl.lit(None, pl.String).alias(LABEL))
    drifted.write_csv("blind.csv")
    code, shown, complaints = run("monitor", "model.abstain", "blind.csv")
    assert code == 0
    assert shown.splitlines()[1].startswith("hint: sign of drift after ")
    assert "note: no answer has a true class" in complaints


# A job of every night runs so: nothing to read while all is well, and no hint is lost.
def test_quiet_prints_alarms_and_hints_alone(run, months):
    assert run("monitor", "model.abstain", "month1.csv", "-q") == (0, "", "")
    code, shown, complaints = run("monitor", "model.abstain", "month7.csv", "-q")
    assert (code, shown) == (1, "")
    assert complaints.startswith("alarm after ")
    unlabelled = make_month(400, 0.9, 9).with_columns(pl.lit(None, pl.String).alias(LABEL))
    unlabelled.write_csv("blind.csv")
    code, shown, complaints = run("monitor", "model.abstain", "blind.csv", "-q")
    assert (code, shown) == (0, "")
    assert complaints.startswith("hint: sign of drift after ")
    assert complaints.count("\n") == 1


def test_answers_with_some_truth_are_enough(run, months):
    run("predict", "model.abstain", "month7.csv", "--out", "answers.csv", "-q")
    frame = pl.read_csv("answers.csv").select("answer", pl.col(LABEL).alias("truth"))
    audited = pl.int_range(pl.len()) % 5 == 0
    frame.with_columns(pl.when(audited).then("truth")).write_csv("audit.csv")
    asked = ["monitor", "model.abstain", "audit.csv", "--label", "truth"]
    code, shown, _ = run(*asked, "--json")
    document = json.loads(shown)
    assert code == 1
    assert document["rows"]["answered_by"] == "column answer"
    assert document["rows"]["n_labelled"] < 0.25 * document["rows"]["n_answered"]
    assert document["drift"] is None
    # Answers alone set no thresholds.
    assert document["recalibrate"] == (
        "abstain recalibrate model.abstain recent.csv --out model-recalibrated.abstain"
    )


def test_what_is_to_be_copied_has_all_that_the_table_needs(run, months):
    frame = make_month(800, 1.2, 8).with_columns(pl.col("age").cast(pl.String))
    german = frame.with_columns(pl.col("size", "weight").cast(pl.String)).with_columns(
        pl.col("size", "weight", "age").str.replace(".", ",", literal=True)
    )
    name = "a long way/" * 9 + "my rows.csv"
    path = months / name
    path.parent.mkdir(parents=True)
    german.rename({LABEL: "true class"}).write_csv(path, separator=";")
    asked = ["--label", "true class", "--separator", ";", "--decimal", ","]
    _, shown, _ = run("monitor", "model.abstain", name, *asked)
    command = shlex.split(shown.splitlines()[0].rpartition("again: ")[2])
    assert command == [
        *("abstain", "recalibrate", "model.abstain", name),
        *("--out", "model-recalibrated.abstain", *asked),
    ]
    assert run(*command[1:], "-q") == (0, "", "")


def test_a_model_without_a_promise_takes_an_accuracy(run, folder, model, monkeypatch):
    monkeypatch.chdir(folder)
    assert_one_line(
        run("monitor", model, "new.csv"),
        "the target of the model promises no accuracy to watch; give --accuracy 0.95 or another",
    )
    assert run("monitor", model, "new.csv", "--accuracy", 0.5, "--confidence", 0.9)[0] == 0
    assert run("monitor", model, "new.csv", "--accuracy", 0.9999, "-q")[0] == 1


def test_the_evidence_is_drawn(run, months):
    pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test pictures")
    for month in (1, 2):
        asked = ["--state", "s.json", "--out", "picture.svg", "-q"]
        assert run("monitor", "model.abstain", f"month{month}.csv", *asked) == (0, "", "")
    assert (months / "picture.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.abstain", "month1.csv"], "no.abstain does not exist; check the path"),
        (["model.abstain", "no.csv"], "does not exist"),
        (["model.abstain", "month1.csv", "--label", "kind"], "--label kind is not a column"),
        (["model.abstain", "month1.csv", "--answer", "kind"], "--answer kind is not a column"),
        (["model.abstain", "month1.csv", "--accuracy", "95"], "95% is 0.95"),
        (["model.abstain", "month1.csv", "--confidence", "1"], "--confidence must be a number"),
        (["model.abstain", "month1.csv", "--state", "no/s.json"], "there is no folder"),
        (["model.abstain", "month1.csv", "--out", "chart.html"], "give it a name with .png"),
        (["model.abstain", "month1.csv", "--state", "broken.json"], "it is no JSON"),
        (["model.abstain", "odd.csv"], "got 'odd'; give another --answer or --reject-mark"),
    ],
)
def test_errors_of_monitor_take_one_line(run, months, arguments, words):
    (months / "broken.json").write_text("{")
    pl.read_csv("month1.csv").with_columns(answer=pl.lit("odd")).write_csv("odd.csv")
    before = sorted(path.name for path in months.iterdir())
    assert_one_line(run("monitor", *arguments), words)
    assert sorted(path.name for path in months.iterdir()) == before


def test_a_state_that_cannot_be_used_stays_as_it_was(run, months):
    run("monitor", "model.abstain", "month1.csv", "--state", "s.json")
    before = (months / "s.json").read_bytes()
    for more in (["month1.csv"], ["month2.csv", "--accuracy", "0.9"], ["no.csv"]):
        assert run("monitor", "model.abstain", *more, "--state", "s.json")[0] == 2
        assert (months / "s.json").read_bytes() == before
