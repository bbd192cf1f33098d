"""Laws of files: no command replaces what it reads, waits for a pipe or leaves half a file."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.cli.helpers import LABEL, assert_one_line
from tests.tables.conftest import make_patients


@pytest.fixture
def inputs(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for name in ("model.txt", "t.txt"):
        (folder / name).write_text("kept")
    return folder


@pytest.mark.parametrize("how", ["name", "link", "hard link"])
@pytest.mark.parametrize(
    ("command", "replaced", "words"),
    [
        ("fit new.csv --label x --out OUT", "new.csv", "the table"),
        ("predict model.txt new.csv --out OUT", "model.txt", "the model"),
        ("predict model.txt new.csv --out OUT", "new.csv", "the table"),
        ("predict model.txt new.csv --thresholds t.txt --out OUT", "t.txt", "the thresholds file"),
        ("report model.txt new.csv --out OUT", "model.txt", "the model"),
        ("report model.txt new.csv --out OUT", "new.csv", "the table"),
        ("monitor model.txt new.csv --out OUT", "model.txt", "the model"),
        ("monitor model.txt new.csv --out OUT", "new.csv", "the table"),
        ("monitor model.txt new.csv --state OUT", "model.txt", "the model"),
        ("monitor model.txt new.csv --state OUT", "new.csv", "the table"),
        ("recalibrate model.txt new.csv --out OUT", "model.txt", "the model"),
        ("recalibrate model.txt new.csv --out OUT", "new.csv", "the table"),
        ("front new.csv --certainty a --correct b --out OUT", "new.csv", "the score file"),
    ],
)
def test_an_output_never_replaces_an_input(run, inputs, how, command, replaced, words):
    out = inputs / (replaced if how == "name" else "out.csv")
    if how != "name":
        (out.symlink_to if how == "link" else out.hardlink_to)(inputs / replaced)
    assert_refused_to_replace(run, inputs, command.replace("OUT", str(out)), out, words)


@pytest.mark.parametrize("others", ["more.csv", "--cluster local"])
@pytest.mark.parametrize(
    ("replaced", "words"), [("model.txt", "the model"), ("new.csv", "the table")]
)
def test_an_output_in_a_folder_never_replaces_an_input(run, inputs, others, replaced, words):
    (inputs / "out").mkdir()
    (inputs / "out" / "new.csv").symlink_to(inputs / replaced)
    command = f"predict model.txt new.csv {others} --out out"
    assert_refused_to_replace(run, inputs, command, "out/new.csv", words)


def assert_refused_to_replace(run, folder, command, out, words):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, shown, complaints = run(*command.split())
    assert (code, shown) == (2, "")
    assert complaints.startswith(f"error: cannot write {out}: it is {words} ")
    assert complaints.endswith("; choose another name\n")
    assert complaints.count("\n") == 1
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_state_of_a_watch_is_not_its_picture(run, inputs):
    command = "monitor model.txt new.csv --state out.png --out out.png"
    code, _, complaints = run(*command.split())
    assert code == 2
    assert complaints.startswith("error: cannot write out.png: it is another output,")


def test_a_model_does_not_replace_its_table(run, folder):
    path = folder / "patients.csv"
    code, _, complaints = run("fit", path, "--label", LABEL, "--out", path)
    assert code == 2
    assert "it is the table itself" in complaints
    assert pl.read_csv(path).height == 240


@pytest.fixture
def impatient():
    """Fail instead of waiting for ever."""

    def fail(*_):
        raise TimeoutError("a pipe was waited for")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("pipe", "is a pipe; write its content to a file, and name that"),
        ("loop", "cannot be read: Too many levels of symbolic links; check the path"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "fit x.csv --label x --out m.abstain",
        "predict x.csv new.csv",
        "predict model.txt x.csv",
        "predict model.txt x.csv more.csv",
        "predict model.txt new.csv --thresholds x.csv",
        "report x.csv new.csv",
        "report model.txt x.csv",
        "monitor x.csv new.csv",
        "monitor model.txt x.csv",
        "recalibrate x.csv new.csv --out m.abstain",
        "recalibrate model.txt x.csv --out m.abstain",
        "front x.csv --certainty a --correct b",
        "front x.csv more.csv --certainty a --correct b",
        "front x.csv --certainty a --correct b --cluster local",
    ],
)
def test_what_is_no_regular_file_is_not_waited_for(run, inputs, impatient, command, kind, said):
    if kind == "pipe":
        os.mkfifo("x.csv")
    else:
        Path("x.csv").symlink_to("x.csv")
    code, shown, complaints = run(*command.split())
    assert (code, shown) == (2, "")
    assert complaints.startswith("error: ")
    assert complaints.endswith(f"x.csv {said}\n")
    assert complaints.count("\n") == 1


@pytest.mark.parametrize("command", ["predict model.txt {}", "predict model.txt new.csv --out {}"])
def test_a_name_that_is_too_long_is_named(run, inputs, command):
    name = "n" * 300 + ".csv"
    code, _, complaints = run(*command.format(name).split())
    assert code == 2
    assert name in complaints
    assert "File name too long; " in complaints


def test_a_disk_that_is_full_leaves_no_answers(folder, model):
    resource = pytest.importorskip("resource", reason="only Unix limits the size of files")
    many = pl.concat([make_patients(50, seed=1)] * 40)
    many.write_csv(folder / "many.csv")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    out = folder / "answers.csv"
    command = [sys.executable, "-m", "abstain", "predict", model, folder / "many.csv", "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: cannot write {out}: ")
    assert done.stderr.count("\n") == 1
    assert not list(folder.glob("*answers*"))


# --- Excel ----------------------------------------------------------------------------------------


def test_every_command_takes_a_workbook(run, folder, model):
    pytest.importorskip("fastexcel", reason="pip install '.[excel]' to test Excel")
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="pip install '.[excel]'")
    for name in ("patients", "scores"):
        frame = pl.read_csv(folder / f"{name}.csv")
        with xlsxwriter.Workbook(folder / f"{name}.xlsx") as book:
            book.add_worksheet("notes").write(0, 0, "not this one")
            sheet = book.add_worksheet("rows")
            for at, row in enumerate([frame.columns, *frame.rows()]):
                sheet.write_row(at, 0, row)
    patients, sheet = folder / "patients.xlsx", ["--sheet", "rows", "--json"]
    fitted = ["--label", LABEL, "--model", "glvq", "--accuracy", "0.8", "--out"]
    code, shown, _ = run("fit", patients, *fitted, folder / "m.abstain", *sheet)
    assert code == 0
    same = run("fit", folder / "patients.csv", *fitted, folder / "n.abstain", "--json")[1]
    assert json.loads(shown)["thresholds"] == json.loads(same)["thresholds"]
    answers = ["--out", folder / "answers.xlsx"]
    assert run("predict", folder / "m.abstain", patients, *answers, *sheet)[0] == 0
    checked = run("monitor", folder / "m.abstain", folder / "answers.xlsx", "--json")
    assert json.loads(checked[1])["rows"]["answered_by"] == "column answer"
    again = ["--on-fit-rows", "--out", folder / "r.abstain", *sheet]
    assert run("recalibrate", folder / "m.abstain", patients, *again)[0] == 0
    front = ["front", folder / "scores.xlsx", "--certainty", "c", "--correct", "ok", *sheet]
    assert run(*front, "--reject-rate", "0.1", "--out", folder / "front.xlsx")[0] == 0
    assert pl.read_excel(folder / "front.xlsx").columns[0] == "true_rejects"
    wrong = run("predict", model, patients, "--sheet", "row")
    assert_one_line(wrong, "--sheet row is not a sheet of", "did you mean 'rows'?")
