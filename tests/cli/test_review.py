"""Laws of `abstain predict --worklist` and `abstain review`: from a list and back."""

import json

import polars as pl
import pytest

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


def test_a_list_is_worked_off(run, listed, model):
    merged, labelled, state = (listed / name for name in ("m.csv", "labelled.csv", "state.json"))
    asked = ["--answers", listed / "answers.csv", "--out", merged, "--labelled", labelled]
    asked += ["--monitor", state, "--accuracy", "0.5"]
    code, shown, complaints = run("review", model, listed / "filled.csv", *asked)
    assert (code, complaints) == (0, "")
    said = " ".join(shown.split())
    assert "withheld answers are those of the expert: " in said
    assert "no alarm after" in said
    (command,) = [line.removeprefix("Next: ") for line in shown.splitlines() if "Next" in line]
    assert command == (
        f"abstain recalibrate {model} {labelled} --out {listed / 'model-recalibrated.abstain'} "
        f"--label '{LABEL}'"
    )
    out = ["--out", listed / "r.abstain", "--label", LABEL]
    assert run("recalibrate", model, labelled, *out)[0] == 0
    assert set(pl.read_csv(merged)["answered_by"]) == {"model", "expert"}
    assert json.loads(state.read_text())["kind"] == "abstain watch"
    again = run("review", model, listed / "filled.csv", "--monitor", state, "--accuracy", "0.5")
    assert_one_line(again, "the watch has already counted the rows of", "filled.csv")


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
    assert "New thresholds need an answer to " in shown
    document = json.loads(run("review", model, listed / "part.csv", "--json")[1])
    assert document["n_filled"] == 5
    assert document["n_sample_open"] > 0
    before = sorted(path.name for path in listed.iterdir())
    for option, name in (("--labelled", "l.csv"), ("--monitor", "s.json")):
        asked = ["review", model, listed / "part.csv", option, listed / name, "--accuracy", "0.5"]
        assert_one_line(run(*asked), "have no expert_answer")
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
    ],
)
def test_errors_take_one_line(run, folder, model, monkeypatch, arguments, words):
    monkeypatch.chdir(folder)
    before = sorted(path.name for path in folder.iterdir())
    assert_one_line(run(*arguments), words)
    assert sorted(path.name for path in folder.iterdir()) == before
