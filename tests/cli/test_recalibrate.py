"""Laws of `abstain recalibrate`: a new model beside the old one, or one line and no file."""

import json
import shutil
from dataclasses import asdict

import numpy as np
import polars as pl
import pytest

from abstain import Accuracy, RejectRate, load, save
from abstain.tables import FitOptions, fit_table, open_table
from tests.cli.helpers import assert_one_line
from tests.tables.drifting import LABEL, make_month


@pytest.fixture(scope="module")
def _certified(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certified")
    make_month(800, 0.0, 0).write_csv(folder / "fit.csv")
    make_month(400, 1.0, 1).write_csv(folder / "recent.csv")
    target = Accuracy(0.97, confidence=0.9)
    # Without outliers, all of a few recent rows test.
    options = FitOptions(LABEL, model="logistic", target=target, outliers=None)
    save(fit_table(open_table(folder / "fit.csv"), options).clf, folder / "model.abstain")
    return folder


@pytest.fixture
def inside(_certified, tmp_path, monkeypatch):
    folder = shutil.copytree(_certified, tmp_path / "inside")
    monkeypatch.chdir(folder)
    return folder


ASKED = ["recalibrate", "model.abstain", "recent.csv", "--out", "new.abstain"]


def test_a_summary_has_both_thresholds(run, inside):
    code, shown, complaints = run(*ASKED)
    assert (code, complaints) == (0, "")
    assert shown.startswith("recent.csv\n400 rows with a known class in column 'finding'\n")
    for words in (
        "accuracy of at least 0.97",
        "→",
        "before",
        "after",
        "held-out rows,",
        "Written: new.abstain",
    ):
        assert words in shown
    assert max(map(len, shown.splitlines())) <= 80
    old, new = load("model.abstain"), load("new.abstain")
    assert not np.array_equal(old.thresholds_, new.thresholds_)
    assert new.operating_point_.guarantee.accuracy == 0.97


@pytest.mark.parametrize(("columns", "has_rejects"), [(40, False), (80, True)])
def test_a_narrow_screen_shows_cells_and_thresholds(run, inside, monkeypatch, columns, has_rejects):
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = run(*ASKED, "--reject-rate", 0.2)[1]
    for position, name in enumerate(("class =well", "class ill")):
        (line,) = [line for line in shown.splitlines() if line.startswith(name)]
        assert f"{load('new.abstain').thresholds_[position]:.4g}" in line
        assert (" of " in line) == has_rejects


def test_the_document_has_before_and_after(run, inside):
    code, shown, complaints = run(*ASKED, "--json")
    document = json.loads(shown)
    assert (code, complaints) == (0, "")
    assert list(document) == [
        *("abstain", "label", "n_rows", "n_left_out", "n_for_fit"),
        *("n_of_unknown_classes", "share_known"),
        *("target", "class_prior", "before", "after", "counted_on", "expected", "notes", "out"),
    ]
    new, X = load("new.abstain"), pl.read_csv("recent.csv").drop(LABEL)
    truth = pl.read_csv("recent.csv")[LABEL].to_numpy()
    rejected = new.reject(X)
    right = (new.predict(X) == truth) & ~rejected
    after = document["after"]
    assert (after["n_rejected"], after["n_right"]) == (rejected.sum(), right.sum())
    assert after["reject_rate"] == rejected.mean()
    assert after["accuracy"] == right.sum() / (~rejected).sum() > document["before"]["accuracy"]
    assert after["guarantees"][0]["accuracy"] == 0.97
    assert len(after["thresholds"]) == len(after["cell_names"]) == len(new.thresholds_)
    assert document["expected"] == json.loads(json.dumps(asdict(new.expected_)))
    assert run(*ASKED, "-q") == (0, "", "")


def test_rows_of_several_tables_set_the_thresholds_of_one_that_has_them_all(run, inside):
    frame = pl.read_csv("recent.csv")
    frame[:150].write_csv("early.csv")
    frame[150:].select(frame.columns[::-1]).write_csv("late.csv", separator=";")
    assert run(*ASKED, "-q") == (0, "", "")
    asked = ["recalibrate", "model.abstain", "early.csv", "late.csv", "--out", "joined.abstain"]
    shown = run(*asked)[1]
    assert shown.startswith("2 files, early.csv to late.csv\n400 rows with a known class")
    whole, joined = load("new.abstain"), load("joined.abstain")
    assert joined.thresholds_.tolist() == whole.thresholds_.tolist()
    assert joined.expected_ == whole.expected_
    frame.drop(LABEL).write_csv("late.csv")
    assert_one_line(run(*asked), "--label finding is not a column of late.csv")


def test_what_to_expect_on_new_rows_is_shown_where_it_can_be_known(run, inside):
    shown = run(*ASKED)[1]
    assert f"expected   {load('new.abstain').expected_.accuracy:.1%} right on new rows" in shown
    pl.read_csv("recent.csv")[:9].write_csv("recent.csv")
    shown = run(*ASKED, "--reject-rate", 0.1)[1]
    assert "expected   not estimated for new rows: too few rows tell" in shown


def test_another_target_can_be_named(run, inside):
    for more, target in (
        (["--reject-rate", 0.2], RejectRate(0.2)),
        (["--accuracy", 0.8, "--confidence", 0.9], Accuracy(0.8, confidence=0.9)),
    ):
        assert run(*ASKED, *more, "-q") == (0, "", "")
        assert load("new.abstain").target == target
    asked = ["--recall", "ill=0.6", "--precision", "=well=0.6", "--confidence", 0.8]
    assert run(*ASKED, *asked, "--test-size", 0.5, "-q") == (0, "", "")
    names = [each.name for each in load("new.abstain").operating_point_.guarantees]
    assert names == ["the recall of 'ill'", "the precision of '=well'"]
    prior = ["--recall", "ill=0.6", "--class-prior", "ill=0.1", "-q"]
    assert run(*ASKED, *prior) == (0, "", "")
    assert load("new.abstain").class_prior == {"ill": 0.1}


def test_a_target_that_cannot_be_met_writes_nothing(run, inside):
    make_month(150, 2.5, 2).write_csv("few.csv")
    asked = ["recalibrate", "model.abstain", "few.csv", "--out", "new.abstain"]
    assert_one_line(run(*asked), "--accuracy 0.97 with --confidence 0.9", "at most")
    assert not (inside / "new.abstain").exists()


def test_rows_of_the_fit_are_refused_and_unknown_classes_are_noted(run, inside):
    asked = ["recalibrate", "model.abstain", "fit.csv", "--out", "new.abstain"]
    words = "the model was fitted to 50% of the rows of fit.csv", "or --on-fit-rows to use"
    assert_one_line(run(*asked), *words)
    assert not (inside / "new.abstain").exists()
    asked = [*asked, "--on-fit-rows"]
    shown = " ".join(run(*asked)[1].split())
    assert "Note: the model was fitted to 50% of these rows" in shown
    frame = pl.read_csv("recent.csv")
    odd = [None] * 3 + ["other"] + frame[LABEL].to_list()[4:]
    frame.with_columns(pl.Series(LABEL, odd)).write_csv("recent.csv")
    shown = " ".join(run(*ASKED, "--reject-rate", 0.1)[1].split())
    assert "Note: 1 row is of a class that the model does not know" in shown
    assert "3 rows left out" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.abstain", "recent.csv"], "no.abstain does not exist; check the path"),
        (["model.abstain", "no.csv"], "does not exist"),
        (["model.abstain", "recent.csv", "--label", "kind"], "--label kind is not a column"),
        (["model.abstain", "recent.csv", "--recall", "sick=0.9"], "names class 'sick'"),
        (["model.abstain", "recent.csv", "--class-prior", "sick=0.9"], "names class 'sick'"),
        (["model.abstain", "recent.csv", "--confidence", "0.9"], "belongs to an accuracy"),
        (["model.abstain", "recent.csv", "--accuracy", "0.9", "--test-size", "0.5"], "belongs to"),
        (["model.abstain", "recent.csv", "--group-by", "site"], "--group-by belongs to"),
        (
            ["model.abstain", "recent.csv", "--accuracy", "0.9", "--group-by", "site"],
            "--group-by site is not a column",
        ),
        (["model.abstain", "recent.csv", "--out", "new.csv"], "a model is no .csv file"),
        (["model.abstain", "other.csv"], "must name classes of the model"),
    ],
)
def test_errors_of_recalibrate_take_one_line(run, inside, arguments, words):
    frame = pl.read_csv("recent.csv")
    frame.with_columns(pl.lit("x").alias(LABEL)).write_csv("other.csv")
    before = sorted(path.name for path in inside.iterdir())
    out = [] if "--out" in arguments else ["--out", "new.abstain"]
    assert_one_line(run("recalibrate", *arguments, *out), words)
    assert sorted(path.name for path in inside.iterdir()) == before
