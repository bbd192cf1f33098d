"""`abstain study`: the experiments of the paper, and a check of every claim in its text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from abstain import InputError, __version__
from abstain._core.signals import exit_advice
from abstain._core.text import printable
from abstain.cli import terminal
from abstain.cli.common import AsJson, fail, print_json

if TYPE_CHECKING:
    from abstain.study import Study

VERDICTS = ("holds", "differs", "inconclusive")
_HOW_TO_RESUME = "the same command resumes the study"


def study(
    quick: Annotated[bool, typer.Option("--quick", help="One repeat instead of ten.")] = False,
    only: Annotated[
        str | None, typer.Option(help="Some of the data sets, separated by commas.")
    ] = None,
    models: Annotated[
        str | None, typer.Option(help="Some of the classifiers, separated by commas.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Tasks that run at once; -1: one per core.")] = -1,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("abstain-study"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 0,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Run the experiments of the paper again, and check every claim in its text.

    Ten-fold cross-validation, repeated ten times, of RSLVQ, GMLVQ, LGMLVQ, an
    SVM and, on artificial data, the Bayes rule, with global and local
    thresholds; 1,000 random splits of medical data. claims.csv lists which
    claims hold here. If stopped, the same command resumes the study.
    """
    from abstain.study import make_plan, run_study

    if jobs == 0 or jobs < -1:
        raise InputError(f"--jobs must be a number of tasks, or -1 for one per core, got {jobs}")
    plan = make_plan(only=_names(only), models=_names(models), quick=quick, seed=seed)
    try:
        with exit_advice(_HOW_TO_RESUME), terminal.progress("running the study", quiet) as watch:
            results = run_study(plan, out, jobs, watch, __version__)
    except KeyboardInterrupt:
        fail(f"interrupted: {_HOW_TO_RESUME}", 130)
    if as_json:
        print_json(results.as_dict())
    elif not quiet:
        terminal.show(study_screen(results))


def _names(text: str | None) -> list[str] | None:
    """Return the names in a list separated by commas; a comma at its end adds none."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def study_screen(study: Study) -> RenderableType:
    """Return how many claims of the paper hold, by data set."""
    import polars as pl

    claims = pl.read_csv(study.folder / "claims.csv")
    table = Table("set", *VERDICTS, title="What the paper claims", title_justify="left")
    for name in claims["dataset"].unique(maintain_order=True):
        verdicts = claims.filter(pl.col("dataset") == name)["verdict"].to_list()
        table.add_row(name, *(str(verdicts.count(each) or "") for each in VERDICTS))
    total = [str(claims["verdict"].to_list().count(each)) for each in VERDICTS]
    table.add_section()
    table.add_row("all", *total)
    names = ", ".join(file.name for file in study.files)
    return Group(
        table,
        Text(f"{study.seconds / 60:.1f} minutes for {terminal.counted(study.n_tasks, 'task')}"),
        Text(f"Written to {printable(str(study.folder))}: {names}"),
    )
