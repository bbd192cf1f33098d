"""Laws of signals: one line, the right exit code, and nothing is left behind."""

import os
import signal
import time
from contextlib import suppress

import pytest

from tests.cli.helpers import python
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


def interrupt(folder, command, number, moment, **options):
    arguments = [number, moment, *command.split(), "--quiet"]
    return python("-c", PROGRAM, *arguments, cwd=folder, timeout=120, **options)


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
def test_a_command_ends_in_one_line_whatever_it_does(folder, number, moment, out):
    before = sorted(folder.iterdir())
    code, said = SAID[number]
    command = f"predict model.abstain new.csv --out {out}"
    assert interrupt(folder, command, number, moment) == (code, "", f"{said}\n")
    assert sorted(folder.iterdir()) == before


def test_the_folder_for_answers_goes_too(folder):
    command = "predict model.abstain new.csv more.csv --out o"
    assert interrupt(folder, command, "SIGTERM", "writing") == (143, "", "terminated\n")
    assert not (folder / "o").exists()


@pytest.mark.parametrize(
    "command",
    [
        "monitor model.abstain new.csv --accuracy 0.5 --state s.json",
        "recalibrate model.abstain new.csv --out new.abstain",
    ],
)
def test_what_watches_and_recalibrates_leaves_nothing(folder, command):
    before = sorted(folder.iterdir())
    assert interrupt(folder, command, "SIGTERM", "writing") == (143, "", "terminated\n")
    assert sorted(folder.iterdir()) == before


def test_who_has_it_ignored_is_not_stopped(folder, tmp_path):
    command = f"predict model.abstain new.csv --out {tmp_path / 'out.csv'}"
    ignore = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # noqa: E731
    assert interrupt(folder, command, "SIGINT", "writing", preexec_fn=ignore) == (0, "", "")
    assert (tmp_path / "out.csv").exists()


# The program has said all when nobody is left that could write to its pipes.
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_workers_of_a_study_end_with_it(tmp_path, number):
    program = Program([*SMALL, "-q"], tmp_path / "study", "2")
    try:
        program.wait_for_parts(1)
        os.kill(program.process.pid, number)  # and none of its workers
        shown, complaints = program.process.communicate(timeout=60)
        code = program.process.returncode
        if number == signal.SIGTERM:
            said = "terminated: the same command resumes the study\n"
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
