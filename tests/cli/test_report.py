"""Laws of `abstain report`: it counts as `abstain predict` does, and says what the rows are."""

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import abstain
from abstain import tables
from abstain.cli.report import promises, summary
from abstain.metrics import ClassReport, GroupReport, class_report
from abstain.tables.evaluation import LabelledSamples, Outcomes, Results
from abstain.targets import Guarantee
from abstain.targets.contradiction import check_guarantees
from tests.cli.helpers import LABEL
from tests.tables.conftest import make_patients


def test_a_report_is_written_of_the_rows_whose_class_is_known(run, folder, model):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    frame = pl.read_csv(folder / "new.csv")
    blank = pl.Series([None, None, *frame[LABEL][2:]], dtype=pl.String)
    frame.with_columns(blank.alias(LABEL)).write_csv(folder / "some.csv")
    out = folder / "report.html"
    code, shown, complaints = run(
        "report", model, folder / "some.csv", "--out", out, "--title", "Some <rows>"
    )
    assert (code, complaints) == (0, "")
    assert shown.startswith("48 rows with a known class: ")
    assert shown.endswith(f"\nOpen {out} in a browser.\n")
    page = out.read_text(encoding="utf-8")
    assert "Some &lt;rows&gt;" in page
    assert run("report", model, folder / "some.csv", "--out", out, "-q") == (0, "", "")


def test_a_report_of_known_rows_says_so(run, folder, model):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    out = folder / "report.html"
    code, shown, _ = run("report", model, folder / "patients.csv", "--out", out)
    assert code == 0
    assert "The model was fitted to 100% of these rows: on others it will do worse." in shown
    page = out.read_text(encoding="utf-8")
    assert 'id="known"><strong>All of these samples are among those' in page
    code, shown, _ = run("report", model, folder / "new.csv", "--out", out, "--json")
    document = json.loads(shown)
    assert (document["n_of_unknown_classes"], document["share_known"]) == (0, 0.0)
    assert (document["abstain"], document["out"]) == (abstain.__version__, str(out))
    assert 'id="known"' not in out.read_text(encoding="utf-8")


def test_classes_that_the_model_does_not_know_are_counted(run, folder, model):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    frame = pl.read_csv(folder / "new.csv")
    odd = pl.Series(LABEL, ["unbekannt"] * 3 + frame[LABEL].to_list()[3:])
    frame.with_columns(odd).write_csv(folder / "odd.csv")
    out = folder / "report.html"
    _, shown, _ = run("report", model, folder / "odd.csv", "--out", out)
    assert "3 of the rows are of classes that the model does not know: any answer" in shown


def test_a_report_counts_as_predict_does(run, folder, model):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    answers = folder / "answers.csv"
    run("predict", model, folder / "new.csv", "--out", answers)
    rows = pl.read_csv(answers).select("answer", LABEL)
    n_rejected = rows.filter(pl.col("answer") == "rejected").height
    n_right = rows.filter(pl.col("answer") == pl.col(LABEL)).height
    n_answered, n_wrong = 50 - n_rejected, 50 - n_rejected - n_right
    asked = ["report", model, folder / "new.csv", "--out", folder / "report.html"]
    document = json.loads(run(*asked, "--json")[1])
    expected = {"n_rows": 50, "n_answered": n_answered, "n_right": n_right, "n_wrong": n_wrong}
    expected |= {"n_rejected": n_rejected, "accuracy": n_right / n_answered}
    assert {name: document[name] for name in expected} == expected
    shown = run(*asked)[1]
    assert f": {n_answered} answered, {n_rejected} rejected.\n" in shown
    assert f"Of the answers {n_right} are right and {n_wrong} wrong: accuracy " in shown


@pytest.fixture
def grouped(run, folder):
    """A model whose accuracy holds in each group of a column."""
    out = folder / "grouped.abstain"
    asked = ["--accuracy", 0.8, "--group-by", "Organ", "--model", "naive-bayes", "--out", out, "-q"]
    assert run("fit", folder / "patients.csv", "--label", LABEL, *asked) == (0, "", "")
    return out


def decided(answers):
    """Return the rows of a table of answers: whether they are rejected, and answered rightly."""
    rows = pl.read_csv(answers).with_columns(pl.col("Organ").fill_null("missing"))
    return rows.with_columns(
        rejected=pl.col("answer") == "rejected", right=pl.col("answer") == pl.col(LABEL)
    )


def test_a_report_has_what_each_class_and_each_group_gets(run, folder, grouped):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    answers, out = folder / "answers.csv", folder / "report.html"
    run("predict", grouped, folder / "new.csv", "--out", answers)
    rows = decided(answers)
    document = json.loads(run("report", grouped, folder / "new.csv", "--out", out, "--json")[1])
    assert document["by_class_counted_on"] == "rows of the table"
    assert document["by_group_counted_on"] == "rows of the table"
    assert document["by_group_confidence"] == 0.95
    assert list(document["by_group"]) == ["Organ"]
    of_groups = document["by_group"]["Organ"]
    for name, column, of_each in [
        ("class", LABEL, document["by_class"]),
        ("group", "Organ", of_groups),
    ]:
        assert [each[name] for each in of_each] == sorted(rows[column].unique())
        for each in of_each:
            own = rows.filter(pl.col(column) == each[name])
            expected = own.height, own["rejected"].sum(), own["right"].sum()
            assert (each["samples"], each["rejected"], each["right"]) == expected
            assert each["answered"] == each["right"] + each["wrong"]
    for each in document["by_class"]:
        assert list(each) == ["class", *ClassReport._fields[1:]]
        assert each["recall_rejects_missed"] == each["right"] / each["samples"]
        assert each["recall_with_rejects"] == pytest.approx(1 - each["wrong"] / each["samples"])
        assert each["recall_low"] <= each["recall"] <= each["recall_high"]
        assert each["precision_low"] <= each["precision"] <= each["precision_high"]
    for each in document["by_group"]["Organ"]:
        assert list(each) == ["group", *GroupReport._fields[1:], "without_groups"]
        assert each["without_groups"]["samples"] == each["samples"]
        assert each["without_groups"]["accuracy_bound"] <= each["without_groups"]["accuracy"]
    assert 'id="by-group"' in out.read_text(encoding="utf-8")


def test_groups_of_a_report_are_those_of_the_fit_or_of_a_column(run, folder, model, grouped):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    out, new = folder / "report.html", folder / "new.csv"
    pl.read_csv(new).with_columns(site=pl.Series(["n", "s"] * 25)).write_csv(folder / "sites.csv")
    asked = [folder / "sites.csv", "--out", out, "--group-by", "site", "--json"]
    for fitted, has_both in ((grouped, True), (model, False)):
        document = json.loads(run("report", fitted, *asked)[1])
        both = [each["without_groups"] is not None for each in document["by_group"]["site"]]
        assert both == [has_both] * 2
    document = json.loads(run("report", model, new, "--out", out, "--json")[1])
    assert (document["by_group"], document["by_group_counted_on"]) == ({}, None)
    assert 'id="by-group"' not in out.read_text(encoding="utf-8")


def test_a_report_without_the_groups_of_the_fit_says_so(run, folder, grouped):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    pl.read_csv(folder / "new.csv").drop("Organ").write_csv(folder / "less.csv")
    code, shown, _ = run("report", grouped, folder / "less.csv", "--out", folder / "r.html")
    assert code == 0
    assert "The table has no column 'Organ', which names the groups of the fit" in shown


def test_a_report_warns_of_answers_that_say_nothing(run, folder, model):
    pytest.importorskip("plotly", reason="pip install '.[report]' to test reports")
    frame, out = pl.read_csv(folder / "new.csv"), folder / "report.html"
    ill = frame[LABEL].str.contains("krank").to_list()
    frame.filter(ill).write_csv(folder / "ill.csv")
    document = json.loads(run("report", model, folder / "ill.csv", "--out", out, "--json")[1])
    assert [alarm for alarm in document["alarms"] if "no better than always naming" in alarm]
    shown = run("report", model, folder / "ill.csv", "--out", out)[1]
    assert all(f"Warning: {alarm}" in shown for alarm in document["alarms"])


def test_words_agree_with_one():
    samples = LabelledSamples(None, ["a"], [], 0.0, 1)
    message = "\n".join(summary(samples, Outcomes(0, 0, 1), Path("r.html")))
    assert message == (
        "1 row with a known class: 0 answered, 1 rejected.\n1 of the rows is of a class that the "
        "model does not know: any answer to such a row is wrong.\nOpen r.html in a browser."
    )
    samples = LabelledSamples(None, ["a"] * 20_001, [], 0.0, 0)
    message = "\n".join(summary(samples, Outcomes(20_000, 1, 0), Path("r.html")))
    assert "accuracy 99.995%" in message  # and not 100%


def test_what_is_contradicted_is_struck_out_and_names_the_remedy():
    sure = [Guarantee(0.9, 0.95, 200, 150, 5, 0.93, 7, f"the recall of {n!r}") for n in range(12)]
    counts = {each.name: (100, 40 if at == 0 else 2) for at, each in enumerate(sure)}
    tests = check_guarantees(sure, counts, {sure[2].name: "it is so"})
    answers = np.array(["a"] * 320)
    report = class_report(answers, answers, np.arange(320) < 20)
    command = "abstain recalibrate m.abstain t.csv --out r.abstain"
    lines = promises(Results(report, None, [], tests), command)
    first, second, third, *_, hidden, remedy = lines
    struck = [first.plain[span.start : span.end] for span in first.spans if span.style == "strike"]
    assert struck == ["the recall of 0 is at least 0.9, confidence 0.95"]
    assert first.plain.startswith("Contradicted by these 320 rows: the recall of 0 ")
    assert "of 100 answers that count, 40 are wrong (p = " in first.plain
    assert "Not contradicted by these 320 rows: of 100 answers that count, 2" in second.plain
    assert third.plain.endswith("Not tested: it is so.")
    assert hidden.plain == "… and 4 more certificates; --json has all"
    assert remedy.plain == f"Set the thresholds again on recent rows: {command}"


def test_rows_are_called_by_a_column_or_by_their_place(model, folder):
    clf = abstain.load(model)
    table = tables.open_table(folder / "new.csv")
    frame = pl.read_csv(folder / "new.csv", infer_schema=False)
    named = tables.labelled_samples(clf, table, "Patient")
    assert named.names == frame["Patient"].to_list()
    assert tables.labelled_samples(clf, table).names == [f"row {row}" for row in range(2, 52)]
    assert named.y.tolist() == frame[LABEL].to_list()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.abstain", "new.csv"], "no.abstain does not exist; check the path"),
        (["model.abstain", "no.csv"], "does not exist"),
        (["model.abstain", "less.csv"], f"--label {LABEL!r} is not a column"),
        (["model.abstain", "new.csv", "--names", "Name"], "--names Name is not a column"),
        (["model.abstain", "new.csv", "--group-by", "Ort"], "--group-by Ort is not a column"),
        (["model.abstain", "new.csv", "--out", "no/report.html"], "there is no folder"),
        (["model.abstain", "new.csv", "--out", "new.txt"], "give it a name with .html"),
        (["model.html", "new.csv", "--out", "model.html"], "it is the model itself"),
    ],
)
def test_errors_of_report_take_one_line(run, folder, model, monkeypatch, arguments, words):
    monkeypatch.chdir(folder)
    make_patients(5).drop(LABEL).write_csv("less.csv")
    shutil.copy(model, "model.html")
    before = sorted(path.name for path in folder.iterdir())
    code, shown, complaints = run("report", *arguments)
    assert (code, shown) == (2, "")
    assert complaints.startswith("error: ")
    assert complaints.count("\n") == 1
    assert words in complaints
    assert sorted(path.name for path in folder.iterdir()) == before
