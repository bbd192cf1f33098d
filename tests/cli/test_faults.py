"""Laws of the commands if a write, a move or a removal fails, whichever it is.

A command is run again and again. In the first run its first touch of the disk fails, in the second
one its second, until a run has fewer of them. Whatever fails: inputs are as they were, outputs are
the old or the new ones and whole, no draft is left, and one line says what is wrong.
"""

import errno
import itertools
import os
import re
import shlex
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from abstain import load
from abstain.report import page
from abstain.saving import persisting
from tests.cli.helpers import python

# All that commands change a disk with.
TOUCHES = [
    *((os, name) for name in ("open", "chmod", "mkdir", "rmdir", "unlink", "replace", "fsync")),
    *((Path, name) for name in ("write_text", "write_bytes")),
    *((pl.DataFrame, name) for name in ("write_csv", "write_parquet")),
    (pl.LazyFrame, "sink_parquet"),
    (persisting, "write"),
]
# What is raised, whether the disk was touched all the same, and whether there were outputs before.
FAULTS = {
    "no room": (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), False, True),
    "broken disk": (OSError(errno.EIO, os.strerror(errno.EIO)), False, False),
    "Ctrl-C before": (KeyboardInterrupt(), False, False),
    "Ctrl-C after": (KeyboardInterrupt(), True, True),
}
COMMANDS = {
    "fit": (
        "fit patients.csv --label 'Befund lang' --model naive-bayes --cv 2 --out out.abstain",
        ["out.abstain"],
    ),
    "predict": ("predict model.abstain new.csv --out out.csv", ["out.csv"]),
    "predict to Parquet": ("predict model.abstain new.csv --out out.parquet", ["out.parquet"]),
    "predict several": (
        "predict model.abstain new.csv more.csv --out answers",
        ["answers/new.csv", "answers/more.csv"],
    ),
    "report": ("report model.abstain new.csv --out out.html", ["out.html"]),
    "monitor": (
        "monitor model.abstain new.csv --accuracy 0.5 --state out.json",
        ["out.json"],
    ),
    "monitor with a picture": (
        "monitor model.abstain new.csv --accuracy 0.5 --out out.png",
        ["out.png"],
    ),
    "recalibrate": (
        "recalibrate model.abstain new.csv --out out.abstain",
        ["out.abstain"],
    ),
    "front": (
        "front scores.csv --certainty c --correct ok --out out.csv",
        ["out.csv", "out.thresholds.csv", "out.json"],
    ),
    "front as Parquet": (
        "front scores.csv --certainty c --correct ok --out out.pq",
        ["out.pq", "out.thresholds.pq", "out.json"],
    ),
}


@pytest.fixture
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(page, "render_report", lambda *_, **__: "<html>" * 1000)
    return folder


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class Fault:
    """One of the touches of the disk, counted from 1, fails."""

    def __init__(self, folder, place, error, is_after):
        self.folder, self.place, self.error, self.is_after = folder, place, error, is_after
        self.n_touches, self.failed = 0, None

    def in_place_of(self, name, function):
        def touch(*arguments, **options):
            if name != "fsync" and not any(map(self.is_inside, arguments)):
                return function(*arguments, **options)
            self.n_touches += 1
            if self.n_touches != self.place:
                return function(*arguments, **options)
            self.failed = name
            if self.is_after:
                with suppress(OSError):  # such as of what need not be removed
                    function(*arguments, **options)
            raise self.error

        return touch

    def is_inside(self, argument):
        named = getattr(argument, "name", "") if hasattr(argument, "write") else argument
        is_path = isinstance(named, str | os.PathLike) and os.fspath(named)
        return is_path and Path(self.folder, named).is_relative_to(self.folder)


def put(old, folder):
    for name in contents(folder).keys() - old.keys():
        Path(folder, name).unlink()
    for name, content in old.items():
        Path(folder, name).parent.mkdir(exist_ok=True)
        Path(folder, name).write_bytes(content)


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("title", COMMANDS)
def test_whatever_fails_nothing_is_lost(run, inside, monkeypatch, title, kind):
    folder, (command, outputs) = inside, COMMANDS[title]
    command = [*shlex.split(command), "--quiet"]
    error, is_after, were_there = FAULTS[kind]
    inputs = contents(folder)
    assert run(*command) == (0, "", "")
    new = contents(folder)
    assert new.keys() == {*inputs, *outputs}
    old = inputs | dict.fromkeys(outputs if were_there else (), b"old")
    for place in itertools.count(1):
        put(old, folder)
        fault = Fault(folder, place, error, is_after)
        with monkeypatch.context() as patched:
            for owner, name in TOUCHES:
                patched.setattr(owner, name, fault.in_place_of(name, getattr(owner, name)))
            code, shown, complaints = run(*command)
        if fault.failed is None:
            break
        left = contents(folder)
        assert not [name for name in left if ".abstain-" in name], (place, fault.failed)
        assert left.keys() <= old.keys() | set(outputs)
        for name in old.keys() | left.keys():
            is_whole = left.get(name) == old.get(name) or is_new(name, left[name], new)
            assert is_whole, (place, fault.failed, name)
        assert inputs.items() <= left.items()
        assert shown == ""
        if "Ctrl-C" in kind:
            assert (code, complaints) == (130, "interrupted\n")
        elif code == 0:  # what failed was done at the second attempt
            assert complaints == ""
            assert all(is_new(name, left[name], new) for name in outputs)
        else:
            assert code == 2
            assert complaints.startswith("error: ")
            assert re.search("cannot (write|load)", complaints)
            assert complaints.count("\n") == 1
    assert place > 5  # there were some
    assert contents(folder).keys() == new.keys()


def is_new(name, content, new):
    """Tell whether a file is as it should be; no two models are the same bytes."""
    return content == new[name] or (name.endswith(".abstain") and load(name) is not None)


# Of the processes that a study starts, the first ones look after what the others share.
FORKS = """
import errno, os, sys, _posixsubprocess
fork, place, n_forks = _posixsubprocess.fork_exec, int(sys.argv.pop(1)), 0

def fail_in_place(*arguments):
    global n_forks
    # Some versions of libraries start other programs, such as ldconfig, and do without them.
    n_forks += arguments[0][0] in (sys.executable, os.fsencode(sys.executable))
    if n_forks == place:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return fork(*arguments)

_posixsubprocess.fork_exec = fail_in_place
from abstain.__main__ import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="forks of POSIX: run this on Linux or macOS")
@pytest.mark.parametrize("place", [1, 3, 4])
def test_a_process_that_cannot_be_started_is_reported_in_a_line(tmp_path, place):
    command = "study --quick --only pearl --models bayes --jobs 2 --quiet --out study"
    code, shown, complaints = python("-c", FORKS, place, *command.split(), cwd=tmp_path)
    said = "the processes of --jobs 2 cannot be started: Resource temporarily unavailable"
    assert complaints == f"error: {said}; reduce --jobs\n"
    assert (code, shown) == (2, "")
    assert not list(tmp_path.rglob(".abstain-*"))
