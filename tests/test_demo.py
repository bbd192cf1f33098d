"""The demonstration shows what it claims, and its files say the same."""

import json
import sys

import polars as pl
import pytest

from abstain import RejectRate, __version__, cli, operating_point, pareto_front
from abstain._demo import run_demo


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return run_demo(tmp_path_factory.mktemp("a demo") / "made by it", __version__)


def test_a_threshold_for_each_digit_beats_one_for_all_on_new_samples(demo):
    assert demo.accuracy < 0.82
    assert demo.one_threshold.accuracy > demo.accuracy + 0.05
    assert demo.per_digit.accuracy > demo.one_threshold.accuracy + 0.02
    for trial in (demo.one_threshold, demo.per_digit):
        assert trial.reject_rate == pytest.approx(0.2, abs=0.02)


def test_the_files_hold_the_front_of_the_scores(demo):
    files = {path.name: path for path in demo.files}
    scores = pl.read_csv(files["scores.csv"])
    front = pareto_front(
        scores["certainty"], scores["digit"] == scores["predicted"], scores["predicted"]
    )
    assert (
        pl.read_csv(files["front.csv"])["false_rejects"].to_list() == front.false_rejects.tolist()
    )
    document = json.loads(files["front.json"].read_text())
    assert document["row"] == operating_point(front, RejectRate(0.2)).row


def test_the_picture_is_drawn(demo):
    assert demo.files[-1].name == "curve.png"
    assert demo.files[-1].read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_there_is_everything_but_the_picture(tmp_path, monkeypatch):
    monkeypatch.setattr("abstain._demo.find_spec", lambda name: None)
    files = run_demo(tmp_path, __version__).files
    assert [path.name for path in files] == [
        "scores.csv",
        "front.csv",
        "front.thresholds.csv",
        "front.json",
    ]


def test_without_matplotlib_the_command_names_the_extra(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("abstain._demo.find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["abstain", "demo", "--out", str(tmp_path)])
    with pytest.raises(SystemExit):
        cli.main()
    assert "pip install 'abstain[plot]'" in capsys.readouterr().out


def test_the_command_ends_with_where_the_result_lies(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["abstain", "demo", "--out", str(tmp_path)])
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert not caught.value.code
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.strip() == f"The result lies in {tmp_path}"


def test_a_folder_that_cannot_be_made_is_told(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(sys, "argv", ["abstain", "demo", "--out", str(tmp_path / "file")])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("error: cannot make the folder")
