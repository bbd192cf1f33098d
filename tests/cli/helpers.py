"""What tests of several commands share."""

import os
import subprocess
import sys
from pathlib import Path

import abstain

LABEL = "Befund lang"
# Lines with paths and commands, which are not wrapped so that they can be copied.
NOT_WRAPPED = ("Written: ", "Next: ")
ROLES = ["--certainty", "c", "--correct", "ok", "--cell", "region"]


def assert_one_line(result, *said, code=2):
    """Assert that a command ended with one line that says what is wrong, and nothing else."""
    actual, shown, complaint = result
    assert (actual, shown) == (code, "")
    assert complaint.startswith("error: ")
    assert complaint.endswith("\n")
    assert complaint.count("\n") == 1
    for part in said:
        assert part in complaint


def python(*arguments, variables=None, **options):
    """Run Python on this copy of the package: its exit code, standard output and standard error."""
    source = str(Path(abstain.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": source} | (variables or {}),
        **options,
    )
    return done.returncode, done.stdout, done.stderr
