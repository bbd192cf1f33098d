"""Laws of ``abstain study``: the library's results, one line for each error, Ctrl-C included."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from abstain import cli, study
from abstain.cli import terminal
from abstain.cli.study import VERDICTS
from abstain.study.experiments import CLASSIFIERS, PROBLEMS
from tests.study.conftest import SMALL, contents, put_back

QUICKEST = ["--quick", "--only", "pearl", "--models", "bayes", "--jobs", "1"]


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in this process: its exit code, standard output and standard error."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["abstain", "study", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        return caught.value.code or 0, *capsys.readouterr()

    return call


def test_the_command_gives_what_the_library_gives(run, tmp_path, finished):
    code, shown, progress = run(*SMALL, "--jobs", "1", "--out", tmp_path / "study")
    assert code == 0
    assert contents(tmp_path / "study") == finished
    claims = pl.read_csv(tmp_path / "study" / "claims.csv")
    counts = [claims["verdict"].to_list().count(verdict) for verdict in VERDICTS]
    totals = next(line for line in shown.splitlines() if "all" in line)
    assert [int(word) for word in totals.split() if word.isdigit()] == counts
    for name in ("claims.csv", "summary.csv", "artificial.png"):
        assert name in " ".join(shown.split())
    # A line at every tenth of 30 tasks.
    tenths = range(0, 31, 3)
    assert progress.splitlines() == [f"running the study: {done} of 30" for done in tenths]


def test_the_study_for_scripts(run, tmp_path, quickest):
    code, shown, _ = run(*QUICKEST, "--json", "--out", tmp_path / "study")
    results = json.loads(shown)
    assert code == 0
    assert contents(tmp_path / "study") == quickest
    assert results["folder"] == str(tmp_path / "study")
    assert {"claims.csv", "curves.parquet"} <= set(results["files"])


def test_quiet_prints_nothing(run, tmp_path, quickest):
    assert run(*QUICKEST, "-q", "--out", tmp_path / "study") == (0, "", "")
    assert contents(tmp_path / "study") == quickest


@pytest.fixture
def asked(monkeypatch):
    """What the library is asked for, and would run."""
    calls = []

    def remember(plan, folder, n_jobs, watch, version):
        calls.append((plan, folder, n_jobs))
        raise KeyboardInterrupt

    monkeypatch.setattr(study, "run_study", remember)
    return calls


def test_names_may_come_in_any_order_and_with_spaces(run, asked):
    for only in ("gaussian,pearl", "pearl, gaussian", " pearl,gaussian,pearl ", "pearl,gaussian,"):
        run("--only", only, "--models", "svm, bayes", "--seed", "3")
    assert len(set(asked)) == 1
    wanted = study.make_plan(only=["gaussian", "pearl"], models=["svm", "bayes"], seed=3)
    assert asked[0][0] == wanted


def test_without_options_all_is_run_as_in_the_paper(run, asked):
    assert run() == (130, "", "interrupted: the same command resumes the study\n")
    assert asked == [(study.make_plan(), Path("abstain-study"), -1)]


def test_folder_and_number_of_jobs_are_handed_on(run, asked):
    run("--quick", "--jobs", "3", "--out", "there")
    assert asked == [(study.make_plan(quick=True), Path("there"), 3)]


def test_help_tells_the_options(run):
    code, shown, _ = run("--help")
    assert code == 0
    for option in ("--quick", "--only", "--models", "--jobs", "--out", "--seed"):
        assert option in shown


# --- errors -------------------------------------------------------------------------------------


def assert_one_line(result, *said):
    code, shown, complaint = result
    assert (code, shown) == (2, "")
    assert complaint.startswith("error: ")
    assert complaint.count("\n") == 1
    for part in said:
        assert part in complaint


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--only", "iris"], ["--only", *PROBLEMS, "got iris"]),
        (["--only", "pearl,iris,wine"], [*PROBLEMS, "got iris, wine"]),
        (["--models", "perceptron"], ["--models", *CLASSIFIERS, "got perceptron"]),
        (["--only", ""], ["--only", "got nothing"]),
        (["--models", ","], ["--models"]),
        (["--jobs", "0"], ["--jobs", "got 0"]),
        (["--jobs", "-2"], ["--jobs", "got -2"]),
        (["--jobs", "many"], ["--jobs"]),
        (["--seed", "-1"], ["--seed"]),
        (["--only", "steroid", "--models", "bayes"], ["--models bayes has no part", "steroid"]),
    ],
)
def test_bad_options(run, tmp_path, options, said):
    assert_one_line(run("--quick", *options, "--out", tmp_path / "study"), *said)
    assert not (tmp_path / "study").exists()


def test_bad_folders(run, tmp_path):
    (tmp_path / "letters.txt").write_text("dear")
    assert_one_line(
        run(*QUICKEST, "--out", tmp_path),
        str(tmp_path),
        f"--out {tmp_path} holds other files than a study",
    )
    assert_one_line(run(*QUICKEST, "--out", tmp_path / "letters.txt"), "letters.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_another_configuration(run, tmp_path, quickest):
    folder = tmp_path / "study"
    put_back(quickest, folder)
    assert_one_line(run(*QUICKEST, "--seed", "1", "--out", folder), "seed is 0 there, 1 here")
    assert contents(folder) == quickest


def test_ctrl_c_is_reported_in_one_line(run, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(study.Plan, "run", interrupt)
    code, shown, complaints = run(*QUICKEST, "--out", tmp_path / "study")
    assert (code, shown) == (130, "")
    assert complaints.endswith("interrupted: the same command resumes the study\n")


# --- how far it is ------------------------------------------------------------------------------


def watched(monkeypatch, is_terminal, quiet, calls):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=is_terminal, width=100)
    monkeypatch.setattr(terminal, "Console", lambda **_: console)
    with terminal.progress("running the study", quiet) as watch:
        for done, total in calls:
            watch(done, total)
    return stream.getvalue()


def test_a_bar_on_terminals_and_a_line_a_tenth_elsewhere(monkeypatch):
    calls = [(done, 1000) for done in range(300, 1001)]  # of which 300 were done before
    bar = watched(monkeypatch, True, False, calls)
    assert "running the study" in bar
    assert "1000/1000" in bar
    assert "0:00:00" in bar
    lines = watched(monkeypatch, False, False, calls).splitlines()
    assert lines == [f"running the study: {done} of 1000" for done in range(300, 1001, 100)]
    assert watched(monkeypatch, True, True, calls) == ""


# --- what it costs others -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    ["import abstain", "import abstain.cli", "from abstain import cli; cli.app(['--help'])"],
    ids=["package", "command", "help"],
)
def test_nobody_else_waits_for_what_a_study_needs(code):
    heavy = "{'matplotlib', 'joblib', 'libsvm', 'sklearn', 'polars', 'abstain.study'}"
    report = f"import atexit, sys\natexit.register(lambda: print({heavy} & set(sys.modules)))\n"
    done = subprocess.run(
        [sys.executable, "-c", report + code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[2])},
    )
    assert done.stdout.endswith("set()\n")
