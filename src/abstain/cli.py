"""What can be done from the command line?

Commands hold no logic: each reads its options, calls the library and shows the result. Whatever
is heavy is imported inside them, so that `abstain --help` answers at once.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from abstain import InputError, __version__

__all__ = ["app", "main"]


# Newer versions of typer carry their own click: this is the base class in either case.
_UsageError: Any = typer.BadParameter.__mro__[1]


class _QuietErrors(TyperGroup):
    """Tell of unusable input in one line, and of Ctrl-C in none."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            typer.echo(f"error: {' '.join(str(error).splitlines())}", err=True)
            raise typer.Exit(2) from error
        except _UsageError as error:
            typer.echo(f"error: {' '.join(error.format_message().split())}", err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_QuietErrors,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Classifiers that know when not to answer.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"abstain {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that come before a command."""


class Method(StrEnum):
    """How a front is found."""

    exact = "exact"
    hull = "hull"
    greedy = "greedy"


_DEFAULT_TARGET = ("reject_rate", 0.1)


def _target(
    accuracy: float | None, reject_rate: float | None, reject_cost: float | None
) -> tuple[str, float]:
    """Return the one target that was given, checked before any long work, or the default."""
    from abstain._score_files import TARGETS

    asked = {"accuracy": accuracy, "reject_rate": reject_rate, "reject_cost": reject_cost}
    given = {name: value for name, value in asked.items() if value is not None}
    options = ["--" + name.replace("_", "-") for name in given]
    if len(given) > 1:
        raise InputError(f"only one target can be served, got {' and '.join(options)}; drop one")
    for name, value in given.items():
        try:
            TARGETS[name](value).check()
        except InputError as error:
            raise InputError(f"{options[0]}: {error}") from None
    return next(iter(given.items()), _DEFAULT_TARGET)


# The parts of a long list of options, in `abstain front --help`.
_COLUMNS, _TARGETS, _OUTPUT = "Columns", "Target (one of them; reject rate 0.1 if none)", "Output"


@app.command()
def front(
    scores: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet, one row per sample.")],
    certainty: Annotated[
        str, typer.Option(help="How sure it was; higher is surer.", rich_help_panel=_COLUMNS)
    ],
    correct: Annotated[
        str | None,
        typer.Option(help="Was it right: true/false or 1/0.", rich_help_panel=_COLUMNS),
    ] = None,
    y_true: Annotated[
        str | None,
        typer.Option(help="Instead of --correct: the class …", rich_help_panel=_COLUMNS),
    ] = None,
    y_pred: Annotated[
        str | None, typer.Option(help="… and the predicted class.", rich_help_panel=_COLUMNS)
    ] = None,
    cell: Annotated[
        str | None,
        typer.Option(help="Region with its own threshold.", rich_help_panel=_COLUMNS),
    ] = None,
    accuracy: Annotated[
        float | None,
        typer.Option(help="At least this, with fewest rejects.", rich_help_panel=_TARGETS),
    ] = None,
    reject_rate: Annotated[
        float | None,
        typer.Option(help="At most this, most accurately.", rich_help_panel=_TARGETS),
    ] = None,
    reject_cost: Annotated[
        float | None,
        typer.Option(help="Least cost, an error costing 1.", rich_help_panel=_TARGETS),
    ] = None,
    method: Annotated[Method, typer.Option(help="How the front is found.")] = Method.exact,
    out: Annotated[
        Path | None,
        typer.Option(help="front.csv, .tsv or .parquet.", rich_help_panel=_OUTPUT),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the JSON document only.", rich_help_panel=_OUTPUT),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print no summary.", rich_help_panel=_OUTPUT)
    ] = False,
) -> None:
    """Find the best reject thresholds for a file of scores.

    A sample is rejected if its certainty is below the threshold of its cell.
    For every number of errors caught, the front holds the fewest correct
    answers that are lost with them; the target chooses one of its rows.

    --out front.csv holds all rows: true rejects (errors caught), false rejects
    (right answers lost), reject rate, coverage, accuracy, gap (at most how many
    false rejects fewer would do) and is_pareto (no other row is better in both
    counts). front.thresholds.csv and front.json beside it hold the thresholds
    of the chosen row. In JSON, a threshold that rejects none of a cell is the
    string "-inf", one that rejects all of it (but samples of certainty inf)
    "inf".

    What is found holds on these samples; keep some back to see what the
    thresholds do on others.
    """
    target, value = _target(accuracy, reject_rate, reject_cost)
    from abstain import _score_files as score_files
    from abstain import _screens as screens
    from abstain import pareto_front

    columns = score_files.ScoreColumns(certainty, correct, y_true, y_pred, cell)
    files = score_files.output_files(out, scores) if out else None
    with screens.sign_of_life(f"reading {scores}", quiet):
        samples = score_files.read_scores(scores, columns)
    size = len(samples.certainty)
    with screens.sign_of_life(f"computing the {method} front of {size:,} samples", quiet):
        found = pareto_front(samples.certainty, samples.correct, samples.cells, method=method)
        choice = score_files.choose(samples, found, target, value)
    if files:
        with screens.sign_of_life(f"writing {out}", quiet):
            score_files.write_choice(choice, files, __version__)
    if as_json:
        typer.echo(score_files.choice_as_json(choice, __version__))
    elif not quiet:
        by_default = accuracy is reject_rate is reject_cost is None
        screens.show(screens.front_screen(choice, scores, files, by_default=by_default))


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("abstain-demo"),
) -> None:
    """Let a classifier of handwritten digits abstain, and show what that brings."""
    from abstain import _screens as screens
    from abstain._demo import run_demo

    with screens.sign_of_life("setting thresholds on random halves of the digits"):
        found = run_demo(out, __version__)
    screens.show(screens.demo_screen(found))
    typer.echo(f"The result lies in {out}")


def _names(text: str | None) -> list[str] | None:
    """Return the names in a list with commas between; a comma at its end names nothing."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@app.command()
def study(
    quick: Annotated[bool, typer.Option("--quick", help="One repeat instead of ten.")] = False,
    only: Annotated[
        str | None, typer.Option(help="Some of the data sets, with commas between.")
    ] = None,
    models: Annotated[
        str | None, typer.Option(help="Some of the classifiers, with commas between.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Tasks that run at once; -1: one a core.")] = -1,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("abstain-study"),
    seed: Annotated[int, typer.Option(min=0, help="Decides what is drawn at random.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Run the experiments of the paper again, and check every claim in its text.

    Ten-fold cross-validation, repeated ten times, of RSLVQ, GMLVQ, LGMLVQ, an
    SVM and, on artificial data, the Bayes rule, with global and local
    thresholds; 1,000 random splits of medical data. claims.csv tells which
    claims hold here. When stopped, the same command goes on from there.
    """
    from abstain import _screens as screens
    from abstain.study import make_plan, run_study

    if jobs == 0 or jobs < -1:
        raise InputError(f"--jobs must be a number of tasks, or -1 for one a core, got {jobs}")
    plan = make_plan(
        only=_names(only),
        models=_names(models),
        quick=quick,
        seed=seed,
    )
    try:
        with screens.progress("running the study", quiet) as watch:
            found = run_study(plan, out, jobs, watch, __version__)
    except KeyboardInterrupt:
        typer.echo("stopped: the same command goes on from here", err=True)
        raise typer.Exit(130) from None
    if not quiet:
        screens.show(screens.study_screen(found))


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A label or an arrow that the terminal cannot encode is no reason to fail.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    app(prog_name="abstain")
