"""Laws of all commands: help at once, one line for each wrong use, completion in shells."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from abstain import __version__, cli
from tests.cli.helpers import python


def test_version_and_help(run):
    assert run("--version") == (0, f"abstain {__version__}\n", "")
    assert "front" in run("--help")[1]
    assert "--certainty" in run("front", "--help")[1]


def test_usage_errors(run):
    code, shown, complaint = run("front")
    assert (code, shown) == (2, "")
    assert "Traceback" not in complaint


def test_help_does_not_wait_for_heavy_packages(tmp_path):
    code = "import sys, abstain.cli; print({'polars', 'sklearn', 'matplotlib'} & set(sys.modules))"
    assert python("-c", code) == (0, "set()\n", "")


def test_a_command_goes_through_imported_objects_neither_at_the_start_nor_at_the_end(folder, model):
    code = (
        "import atexit, gc, sys\n"
        "from abstain.__main__ import main\n"
        "n_collections = lambda: gc.get_stats()[2]['collections']\n"
        "atexit.register(lambda: print(before, n_collections(), gc.get_freeze_count()))\n"
        "before = n_collections()\n"
        "sys.argv = ['abstain', *sys.argv[1:]]\n"
        "main()"
    )
    done = python("-c", code, "predict", model, folder / "new.csv", "-q")
    assert done[::2] == (0, "")
    before, after, n_left_out = map(int, done[1].split())
    assert before == after
    assert n_left_out > 10_000


def test_after_the_first_collection_garbage_is_collected_as_usual():
    code = (
        "import gc\n"
        "from abstain.__main__ import postpone_collection\n"
        "usual = gc.get_threshold()\n"
        "postpone_collection()\n"
        "print(gc.get_threshold() == usual)\n"
        "gc.collect()\n"
        "print(gc.get_threshold() == usual, gc.get_freeze_count() > 0, len(gc.callbacks))"
    )
    assert python("-c", code) == (0, "False\nTrue True 0\n", "")


# Options that typer itself refuses are reported in one line, too.
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["front", "s.csv", "--certainty", "c", "--accuracy", "99%"], "--accuracy"),
        (["front", "s.csv", "--certainty", "c", "--method", "best"], "best"),
        (["front", "s.csv"], "--certainty"),
        (["front", "s.csv", "--certianty", "c"], "--certianty"),
        (["frnt"], "frnt"),
    ],
)
def test_misused_options_are_reported_in_one_line(run, arguments, named):
    code, shown, complaint = run(*arguments)
    assert (code, shown) == (2, "")
    assert complaint.startswith("error: ")
    assert complaint.count("\n") == 1
    assert named in complaint


@pytest.mark.parametrize("arguments", [["--nope"], ["predict"], ["nope"], ["fit", "--nope"]])
def test_wrong_use_takes_one_line(run, arguments):
    code, shown, complaints = run(*arguments)
    assert (code, shown) == (2, "")
    assert complaints.startswith("error: ")
    assert complaints.count("\n") == 1
    assert complaints.rstrip().endswith("--help")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_had(shell, monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    result = CliRunner().invoke(cli.app, ["--show-completion", shell], prog_name="abstain")
    assert result.exit_code == 0
    assert "_ABSTAIN_COMPLETE" in result.output


def test_models_are_completed(monkeypatch):
    environment = {
        "_ABSTAIN_COMPLETE": "complete_bash",
        "COMP_WORDS": "abstain fit t.csv --model lo",
        "COMP_CWORD": "4",
    }
    result = CliRunner().invoke(cli.app, [], prog_name="abstain", env=environment)
    assert result.output.split() == ["logistic"]


@pytest.mark.parametrize("command", ["fit", "predict", "report", "front", "study", "demo"])
def test_every_command_can_be_quiet_and_speak_json(command):
    message = CliRunner().invoke(cli.app, [command, "--help"], env={"COLUMNS": "200"}).output
    assert "--quiet" in message
    assert "--json" in message


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize(
    "command", ["front", "fit", "predict", "report", "monitor", "recalibrate", "demo", "study"]
)
def test_help_breaks_lines_where_the_terminal_does(command, width):
    message = CliRunner().invoke(cli.app, [command, "--help"], env={"COLUMNS": str(width)}).output
    prose = message[message.index("\n", message.index("Usage")) : message.index("╭")]
    lines = [line.strip() for line in prose.splitlines()]
    for line, after in itertools.pairwise(lines):
        # One more word would not have had room, beside a blank at each end; some versions of typer
        # set no blank line between paragraphs.
        ends = not (line and after) or line.endswith(".")
        assert ends or len(f"{line} {after.split()[0]}") > width - 2


def test_what_cannot_be_printed_is_reported_and_costs_a_one(folder, model):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full: run the tests on Linux")
    command = [sys.executable, "-m", "abstain", "predict", model, folder / "new.csv", "--json"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot print the result: No space left on device")
    assert done.stderr.count("\n") == 1
