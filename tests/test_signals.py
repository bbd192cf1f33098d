"""Laws of signals: one line, the right exit code, and nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from abstain import RejectRate, cli, save
from abstain.tables import Wishes, fit_table, open_table
from tests.study.conftest import SMALL
from tests.study.programs import Program

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="signals of POSIX: run this on Linux or macOS"
)

SAID = {"SIGINT": (130, "interrupted"), "SIGTERM": (143, "terminated")}
# The command sends itself a signal: when it looks for a module, or when it is to sync a draft.
PROGRAM = """
import hashlib, os, pathlib, signal, sys, threading
number, moment = getattr(signal, sys.argv.pop(1)), sys.argv.pop(1)

def tell(*_):
    os.kill(os.getpid(), number)

class Finder:
    def find_spec(self, name, path, target=None):
        if name == moment:
            tell()

def be_busy(*_):
    threading.Timer(0.2, tell).start()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 50_000_000)  # which looks at no signals
    print("came back")

sys.meta_path.insert(0, Finder())
os.fsync = {"writing": tell, "busy": be_busy}.get(moment, os.fsync)
if moment == "writing a part":
    pathlib.Path.write_bytes = tell
from abstain.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    frame = pl.DataFrame({"a": [0.1, 0.2, 1.1, 1.2] * 10, "kind": ["x", "x", "y", "y"] * 10})
    frame.write_csv(folder / "new.csv")
    wishes = Wishes("kind", model="glvq", target=RejectRate(0.1))
    save(fit_table(open_table(folder / "new.csv"), wishes).clf, folder / "model.abstain")
    return folder


def run(folder, command, number, moment, **options):
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, number, moment, *command.split(), "--quiet"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": str(Path(cli.__file__).parents[1])},
        **options,
    )
    return found.returncode, found.stdout, found.stderr


# NumPy is imported at the beginning, scikit-learn while other threads read the table.
@pytest.mark.parametrize(
    ("number", "moment", "out"),
    [
        ("SIGINT", "typer", "out.csv"),
        ("SIGTERM", "numpy", "out.csv"),
        ("SIGINT", "sklearn.base", "out.csv"),
        ("SIGTERM", "sklearn.base", "out.csv"),
        ("SIGINT", "writing", "out.csv"),
        ("SIGTERM", "writing", "out.csv"),
        ("SIGTERM", "writing a part", "out.parquet"),
        ("SIGTERM", "busy", "out.csv"),
    ],
)
def test_a_command_ends_in_one_line_whatever_it_does(made, number, moment, out):
    before = sorted(made.iterdir())
    code, said = SAID[number]
    command = f"predict model.abstain new.csv --out {out}"
    assert run(made, command, number, moment) == (code, "", f"{said}\n")
    assert sorted(made.iterdir()) == before


def test_the_folder_for_answers_goes_too(made):
    (made / "more.csv").write_bytes((made / "new.csv").read_bytes())
    found = run(made, "predict model.abstain new.csv more.csv --out o", "SIGTERM", "writing")
    assert found == (143, "", "terminated\n")
    assert not (made / "o").exists()


def test_who_has_it_ignored_is_not_stopped(made, tmp_path):
    command = f"predict model.abstain new.csv --out {tmp_path / 'out.csv'}"
    ignore = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # noqa: E731
    assert run(made, command, "SIGINT", "writing", preexec_fn=ignore) == (0, "", "")
    assert (tmp_path / "out.csv").exists()


# The program has said all when nobody is left that could write to its pipes.
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_workers_of_a_study_end_with_it(tmp_path, number):
    program = Program([*SMALL, "-q"], tmp_path / "study", "2")
    try:
        program.wait_for_parts(1)
        os.kill(program.process.pid, number)  # and none of its workers
        shown, complaints = program.process.communicate(timeout=60)
        code = program.process.returncode
        if number == signal.SIGTERM:
            said = "terminated: the same command goes on from here\n"
            assert (code, shown, complaints) == (143, "", said)
            assert not list(tmp_path.rglob(".abstain-*"))
        else:
            assert (code, shown, complaints) == (-signal.SIGKILL, "", "")
        until = time.monotonic() + 60
        with suppress(ProcessLookupError):
            while os.killpg(program.process.pid, 0) is None and time.monotonic() < until:
                time.sleep(0.05)
        with pytest.raises(ProcessLookupError):
            os.killpg(program.process.pid, 0)
    finally:
        program.end()
