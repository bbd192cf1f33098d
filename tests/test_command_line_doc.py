"""The page on the command line names commands and options that exist."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from abstain.cli import app

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "guide" / "command-line.md").read_text(encoding="utf-8")
QUICK_START = (DOCS / "quick-start.md").read_text(encoding="utf-8")
GROUP = typer.main.get_command(app)
LINES = re.findall(r"^    abstain (.+)$", PAGE + QUICK_START, re.MULTILINE)


def options_of(command):
    return {option for parameter in command.params for option in parameter.opts}


def test_every_command_is_on_the_page():
    assert set(re.findall(r"(?<![.\w])abstain ([a-z]+)", PAGE)) == set(GROUP.commands)


def test_every_option_on_the_page_is_one_of_some_command():
    known = {"--help"} | options_of(GROUP)
    known = known.union(*map(options_of, GROUP.commands.values()))
    assert set(re.findall(r"--[a-z][a-z-]+", PAGE)) <= known


@pytest.mark.parametrize("line", LINES)
def test_a_command_on_the_pages_takes_its_options(line):
    name, *arguments = shlex.split(line)
    given = {word for word in arguments if word.startswith("--")}
    assert given <= options_of(GROUP.commands[name])


def test_reports_are_made_of_other_rows_than_models():
    fitted = {shlex.split(line)[1] for line in LINES if line.startswith("fit ")}
    reported = {shlex.split(line)[2] for line in LINES if line.startswith("report ")}
    assert fitted
    assert reported
    assert fitted.isdisjoint(reported)
