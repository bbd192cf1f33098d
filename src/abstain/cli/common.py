"""What the commands share: options, checks of what they name, errors in one line and exit codes."""

import inspect
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from abstain import InputError, __version__
from abstain._core.errors import Argument, Message
from abstain._core.text import one_line
from abstain.cli.targets import NOT_FOR_SCORES

# Newer versions of typer include click: this is the base class in either case.
_UsageError: Any = typer.BadParameter.__mro__[1]
# Arguments of the library with other names than their options.
_OTHER_NAMES = {
    "rate": "reject_rate",
    "cost": "reject_cost",
    "costs": "cost",
    "reject": "reject_cost",
    "groups": "group_by",
    "fit.groups": "group",
    "folder": "out",
    "n_jobs": "jobs",
}
# Letters of a value that is suggested after an option, and values that need no quotes there.
_LONGEST_VALUE, _NEEDS_NO_QUOTES = 80, re.compile(r"[\w.,:/+-]+", re.ASCII)


# --- errors and exit codes ----------------------------------------------------------------------


def print_error(message: str) -> None:
    """Print one line on standard error."""
    typer.echo(one_line(message), err=True)


def fail(message: str, code: int) -> NoReturn:
    """End the command with one line on standard error."""
    print_error(message)
    raise typer.Exit(code) from None


def in_options(message: str) -> str:
    """Return a message of the library with options in place of arguments.

    >>> in_options(Message(Argument("reject_rate", 2), " is too high"))
    '--reject-rate 2 is too high'
    """
    return message.render(_write_option) if isinstance(message, Message) else message


def _write_option(argument: Argument) -> str:
    name = f"{argument.of}.{argument.name}" if argument.of else argument.name
    option = _options().get(_OTHER_NAMES.get(name, argument.name))
    if option is None:
        return str(argument)
    if argument.value is ...:
        return option
    value = 0 if argument == Argument("cv", "training") else argument.value
    values = value if isinstance(value, list | tuple) else [value]
    return " ".join(f"{option} {quote_for_shell(each)}" for each in values)


@cache
def _options() -> dict[str, str]:
    """Return the options of all commands, by the names of their parameters."""
    from abstain.cli import app

    group: Any = typer.main.get_command(app)
    parameters = [each for command in group.commands.values() for each in command.params]
    return {each.name: each.opts[0] for each in parameters if each.param_type_name == "option"}


def quote_for_shell(value: Any, longest: int | None = _LONGEST_VALUE) -> str:
    r"""Return a value as it is typed after an option; a very long one is cut.

    Characters that a terminal would obey are escaped, in quotes that shells decode.

    >>> print(quote_for_shell("it's"), quote_for_shell("\x1b[2J"), quote_for_shell(0.5))
    'it'\''s' $'\x1b[2J' 0.5
    """
    text = "tab" if value == "\t" else str(value)
    if longest is not None and len(text) > longest:
        text = f"{text[:longest]}…"
    if _NEEDS_NO_QUOTES.fullmatch(text):
        return text
    if text.isprintable():
        return "'" + text.replace("'", "'\\''") + "'"
    return "$'" + "".join(map(_escaped, text)) + "'"


def _escaped(letter: str) -> str:
    if letter in "\\'":
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    code = ord(letter)  # \x would be a byte, not a letter, from 0x80 on
    return f"\\x{code:02x}" if code < 0x80 else f"\\U{code:08x}"


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Report unusable input, Ctrl-C and failed output in one line, with the exit code of each."""
    try:
        yield
    except InputError as error:
        fail(f"error: {in_options(error.message)}", 2)
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        message = " ".join(_usage(error).split())
        command = "abstain" if error.ctx is None else error.ctx.command_path
        remedy = "" if ";" in message or "--help" in message else f"; see {command} --help"
        fail(f"error: {message.removesuffix('.')}{remedy}", 2)
    except KeyboardInterrupt:
        fail("interrupted", 130)
    except BrokenPipeError:  # the reader closed the pipe
        raise
    except OSError as error:
        if type(error).__module__.startswith("distributed"):
            fail(f"error: the connection to the cluster was lost: {error}; start again", 2)
        if error.filename is not None:
            fail(f"error: {error.filename}: {error.strerror}; check the path", 2)
        with suppress(OSError):  # discard what is still in the buffer
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        fail(f"error: cannot print the result: {error.strerror or error}; print it elsewhere", 1)


def _usage(error: Any) -> str:
    """Return what is wrong with a command line."""
    option = getattr(error, "option_name", None)
    if option in NOT_FOR_SCORES and error.ctx is not None and error.ctx.info_name == "front":
        return (
            f"No such option: {option}; score files take only --accuracy, --reject-rate and "
            "--reject-cost, see abstain front --help"
        )
    return str(error.format_message())


@contextmanager
def model_errors_in_one_line(model: Path, code: int = 1) -> Iterator[None]:
    """Report any failure of a loaded model in one line: its file may hold inconsistent parts."""
    try:
        yield
    except (InputError, OSError, typer.Exit, _UsageError):
        raise
    except Exception as error:
        reason = one_line(f"{model} cannot answer these rows ({type(error).__name__}: {error})")
        fail(f"error: {reason}; fit and save it again", code)


class OneLineErrors(TyperGroup):
    """A command line whose errors are one line each, and whose help is as wide as the terminal."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, with the lines of each paragraph of its help joined."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and command.help:
            paragraphs = inspect.cleandoc(command.help).split("\n\n")
            command.help = "\n\n".join(" ".join(each.split()) for each in paragraphs)
        return command

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Parse the command line."""
        with _errors_in_one_line():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _errors_in_one_line():
            return super().invoke(ctx)


def print_json(document: dict[str, Any]) -> None:
    """Print a JSON document; JSON escapes all control characters but this one."""
    text = json.dumps({"abstain": __version__, **document}, indent=2, allow_nan=False)
    typer.echo(text.replace("\x7f", "\\u007f"))


# --- options that several commands take ---------------------------------------------------------

# One per panel of `--help`.
column_option: Any = partial(typer.Option, rich_help_panel="Columns")
format_option: Any = partial(typer.Option, rich_help_panel="Text format (detected if not given)")
fitting_option: Any = partial(typer.Option, rich_help_panel="Fitting")
output_option: Any = partial(typer.Option, rich_help_panel="Output")
worklist_option: Any = partial(typer.Option, rich_help_panel="A list for a person")


Method = StrEnum("Method", "pooled exact hull greedy")
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Compute on a Dask cluster: the address of its scheduler, such as "
        "tcp://10.0.0.1:8786, or local for worker processes on this machine. Anyone who can reach "
        "a scheduler can run code on its workers and on this machine: use only one that you trust, "
        "on a network that you trust.",
    ),
]
Separator = Annotated[str | None, format_option(help="Between fields: , ; tab or |")]
Decimal = Annotated[str | None, format_option(help="Decimal mark: . or ,")]
Encoding = Annotated[str | None, format_option(help="Such as utf-8 or cp1252.")]
Missing = Annotated[
    list[str] | None,
    format_option(help="Text that marks a missing value, as NA and ? do; may be repeated."),
]
Sheet = Annotated[
    str | None,
    format_option(help="The sheet of an Excel workbook (.xlsx); the first if not given."),
]
LabelOption = Annotated[
    str | None,
    typer.Option(help="The column that names the class; that of the fit if not given."),
]
AsJson = Annotated[bool, output_option("--json", help="Print the JSON document only.")]
Quiet = Annotated[bool, output_option("--quiet", "-q", help="Print no summary.")]


# --- a cluster ----------------------------------------------------------------------------------


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Compute on a Dask cluster, whose errors name the option; yield its client."""
    from abstain._scale.cluster import open_cluster
    from abstain._scale.workers import ClusterError

    try:
        with open_cluster(address) as client:
            yield client
    except ClusterError as error:
        raise InputError(f"--cluster {address}: {error}") from None
