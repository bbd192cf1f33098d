"""The command line: one module per command.

A command reads its options, calls the library and prints the result; how that looks is below it in
the same module. Heavy packages are imported inside the commands, so that `abstain --help` is fast.
"""

import sys
import warnings
from typing import Annotated, Any

import typer

from abstain import __version__
from abstain.cli import demo, fit, front, monitor, predict, recalibrate, report, review, study
from abstain.cli.common import OneLineErrors, print_error

__all__ = ["app", "main"]

app = typer.Typer(
    cls=OneLineErrors,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Classifiers that know when not to answer.",
)
for command in (
    *(front.front, fit.fit, predict.predict, report.report),
    *(review.review, monitor.monitor, recalibrate.recalibrate, demo.demo, study.study),
):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"abstain {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Take the options that come before a command."""


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning in one line, without the code that it comes from."""
    print_error(f"warning: {' '.join(str(message).split())}")


def main() -> None:
    """Run the command line, as a process of its own."""
    warnings.showwarning = _print_warning
    for stream in (sys.stdout, sys.stderr):
        # Characters that the terminal cannot encode are replaced instead of raising an error.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    app(prog_name="abstain")
