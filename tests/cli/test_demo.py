"""The demonstration shows what it claims, and its files say the same."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from abstain import RejectRate, load, operating_point, pareto_front, tables
from abstain.cli.demo import run_demo
from tests.cli.helpers import assert_one_line


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return run_demo(tmp_path_factory.mktemp("a demo") / "made by it")


def test_a_threshold_for_each_digit_beats_one_for_all_on_new_samples(demo):
    digits = demo.digits
    assert digits.accuracy < 0.82
    assert digits.one_threshold.accuracy > digits.accuracy + 0.05
    assert digits.per_digit.accuracy > digits.one_threshold.accuracy + 0.02
    for trial in (digits.one_threshold, digits.per_digit):
        assert trial.reject_rate == pytest.approx(0.2, abs=0.02)


def test_so_does_one_for_each_prototype_of_the_necklace(demo):
    necklace = demo.necklace
    assert necklace.one_threshold.accuracy > necklace.accuracy + 0.01
    assert necklace.per_prototype.accuracy > necklace.one_threshold.accuracy + 0.01
    for answers in (necklace.one_threshold, necklace.per_prototype):
        assert answers.reject_rate == pytest.approx(0.05, abs=0.01)


def test_the_certified_accuracy_is_reached_on_new_tumours(demo):
    tumours = demo.tumours
    assert (tumours.n_known, tumours.n_new) == (400, 169)
    assert tumours.accuracy_of_answers >= max(tumours.asked, tumours.accuracy)
    assert 0.5 < tumours.coverage < 1


def test_the_commands_of_the_readme_say_the_same(demo):
    files = {path.name: path for path in demo.files}
    clf = load(files["model.abstain"])
    new = tables.labelled_samples(clf, tables.open_table(files["new-tumours.csv"]))
    accepted = ~clf.reject(new.X)
    assert accepted.mean() == pytest.approx(demo.tumours.coverage)
    assert np.mean((clf.predict(new.X) == new.y)[accepted]) == demo.tumours.accuracy_of_answers
    assert demo.tumours.report.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_files_hold_the_front_of_the_scores(demo):
    files = {path.name: path for path in demo.files}
    scores = pl.read_csv(files["scores.csv"])
    front = pareto_front(
        scores["certainty"],
        scores["digit"] == scores["predicted"],
        scores["predicted"],
        method="pooled",
    )
    assert (
        pl.read_csv(files["front.csv"])["false_rejects"].to_list() == front.false_rejects.tolist()
    )
    document = json.loads(files["front.json"].read_text())
    assert document["row"] == operating_point(front, RejectRate(0.2)).row


def test_the_picture_is_drawn(demo):
    assert demo.files[-1].name == "curve.png"
    assert demo.files[-1].read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def _without_extras(monkeypatch):
    monkeypatch.setattr("abstain.cli.demo_examples.find_spec", lambda name: None)


@pytest.mark.usefixtures("_without_extras")
def test_without_extras_there_is_everything_but_page_and_picture(tmp_path):
    files = run_demo(tmp_path).files
    assert [path.name for path in files] == [
        "tumours.csv",
        "new-tumours.csv",
        "model.abstain",
        "scores.csv",
        "front.csv",
        "front.thresholds.csv",
        "front.json",
    ]


@pytest.mark.usefixtures("_without_extras")
def test_without_extras_the_command_names_them(run, tmp_path):
    shown = run("demo", "--out", tmp_path)[1]
    for extra in ("plot", "report"):
        assert f"pip install '.[{extra}]'" in shown


def test_the_command_ends_with_where_the_results_are(run, tmp_path):
    code, shown, _ = run("demo", "--out", tmp_path)
    assert code == 0
    *_, opened, last = shown.splitlines()
    assert opened == f"Open {tmp_path / 'report.html'} in a browser."
    assert last == f"The results are in {tmp_path}"


def test_a_folder_that_cannot_be_made_is_reported(run, tmp_path):
    (tmp_path / "file").write_text("")
    assert_one_line(run("demo", "--out", tmp_path / "file"), "error: cannot create the folder")


def test_the_demo_for_scripts(run, tmp_path):
    code, shown, complaints = run("demo", "--out", tmp_path / "demo", "--json")
    assert (code, complaints) == (0, "")
    document = json.loads(shown)
    assert document["tumours"]["asked"] == 0.95
    assert document["necklace"]["per_prototype"]["accuracy"] > document["necklace"]["accuracy"]
    assert all(Path(file).exists() for file in document["files"])
    assert run("demo", "--out", tmp_path / "again", "--quiet") == (0, "", "")
