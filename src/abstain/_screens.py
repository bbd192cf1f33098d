"""What does a person see at the terminal?

Words and labels come from data, so none of them is read as markup, and what cannot be printed is
written out: a cell called "[red]" or one with an escape sequence stays text.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from abstain._demo import Demo
from abstain._score_files import Choice

if TYPE_CHECKING:
    from abstain.study import Study

__all__ = ["demo_screen", "front_screen", "progress", "show", "sign_of_life", "study_screen"]

_CELLS_TO_SHOW = 10
_COUNTS = ("samples", "errors", "true_rejects", "false_rejects")
_WIDE = 70
_SMALL_CELL = 30

VERDICTS = ("holds", "differs", "inconclusive")

_WISHES = {
    "accuracy": "accuracy of at least {}, with the fewest rejects",
    "reject_rate": "reject rate of at most {}, as accurate as possible",
    "reject_cost": "least cost when an error costs 1 and a reject {}",
}


def show(screen: RenderableType) -> None:
    """Print a screen: in colour on a terminal that has it, as plain text elsewhere.

    Parameters
    ----------
    screen : rich renderable
        What to print.
    """
    Console(markup=False, emoji=False, highlight=False).print(screen)


@contextmanager
def sign_of_life(doing: str, quiet: bool = False) -> Iterator[None]:
    """Show what is being done while it takes its time, on a terminal only.

    Parameters
    ----------
    doing : str
        What is being done.
    quiet : bool, default=False
        Whether to show nothing at all.
    """
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield
        return
    with console.status(Text(f"{_printable(doing)} …")):
        yield


@contextmanager
def progress(doing: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show how much of long work is done, and how long the rest will take.

    Parameters
    ----------
    doing : str
        What is being done.
    quiet : bool, default=False
        Whether to show nothing at all.

    Yields
    ------
    watch : callable
        To be told how many tasks are done, and of how many.
    """
    console = Console(stderr=True)
    if quiet:
        yield lambda done, total: None
    elif console.is_terminal:
        columns = [
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        ]
        # Tasks take from milliseconds to many seconds: only the mean over minutes is of use.
        with Progress(*columns, console=console, speed_estimate_period=600) as bar:
            task = bar.add_task(doing, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        yield _tenths(console, doing)


def _tenths(console: Console, doing: str) -> Callable[[int, int], None]:
    """Return what prints a line whenever another tenth is done."""
    shown = -1

    def watch(done: int, total: int) -> None:
        nonlocal shown
        tenth = 10 * done // max(total, 1)
        if tenth > shown:
            shown = tenth
            console.print(f"{doing}: {done} of {total}", highlight=False)

    return watch


def study_screen(study: "Study") -> RenderableType:
    """Return what a study has found of the claims of the paper.

    Parameters
    ----------
    study : Study
        As `run_study` returns it.

    Returns
    -------
    screen : rich renderable
        Verdicts by data set, run time and files.
    """
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
        Text(f"{study.seconds / 60:.1f} minutes for {study.n_tasks} tasks"),
        Text(f"Written to {_printable(str(study.folder))}: {names}"),
    )


def front_screen(
    choice: Choice, scores: Path, files: tuple[Path, Path, Path] | None, *, by_default: bool
) -> RenderableType:
    """Return a summary of a front and its chosen row that fits a screen of 24 lines.

    Parameters
    ----------
    choice : Choice
        The chosen row and its front.
    scores : Path
        The score file.
    files : tuple of Path or None
        Where front, thresholds and document were written, if they were.
    by_default : bool
        Whether the target was nobody's choice.

    Returns
    -------
    screen : rich renderable
        The summary.
    """
    return Group(
        _heading(choice, scores),
        Text(),
        _chosen(choice, by_default=by_default),
        Text(),
        _Thresholds(choice.cells),
        *_more(choice.cells, files),
        *_doubts(choice),
        Text(),
        _written(files),
    )


def _heading(choice: Choice, scores: Path) -> Text:
    front = choice.front
    counts = (
        f"{_count(front.n_samples, 'sample')}, {_count(front.n_errors, 'error')}, "
        f"{_count(front.n_cells, 'cell')}; "
        f"{front.method} front of {_count(len(front), 'row')}"
    )
    return Text.assemble((_printable(scores.name), "bold"), "\n", counts)


def _chosen(choice: Choice, *, by_default: bool) -> Table:
    point = choice.point
    before = 1 - point.n_errors / point.n_samples
    facts = {
        "target": _wish(choice, by_default=by_default),
        "accuracy": Text.assemble(
            _percent(before), " → ", (_percent(point.accuracy), "bold green"), " on these samples"
        ),
        "rejected": Text.assemble(
            (_percent(point.reject_rate), "bold"),
            f" = {point.true_rejects:,} true + {_count(point.false_rejects, 'false reject')}",
        ),
        "errors left": Text(f"{point.errors_left:,} of {point.n_errors:,}"),
    }
    if choice.front.method != "exact":
        facts["gap"] = Text(f"at most {point.gap:,} of these false rejects could be spared")
    table = Table.grid(padding=(0, 2))
    for name, fact in facts.items():
        table.add_row(Text(name, "cyan"), fact)
    return table


def _wish(choice: Choice, *, by_default: bool) -> Text:
    wish = Text(_WISHES[choice.target].format(choice.value))
    return wish.append(" (the default)", "yellow") if by_default else wish


@dataclass(frozen=True, eq=False)
class _Thresholds:
    """The cells with most rejects; without their counts where the screen is narrow."""

    cells: pl.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rejects = pl.col("true_rejects") + pl.col("false_rejects")
        busiest = self.cells.sort(rejects, descending=True, maintain_order=True)
        counts = _COUNTS if options.max_width >= _WIDE else ()
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
        table.add_column("cell")
        for name in ("threshold", *counts):
            table.add_column(name.replace("_", " "), justify="right", no_wrap=True)
        for cell in busiest.head(_CELLS_TO_SHOW).iter_rows(named=True):
            table.add_row(
                # The one column that may wrap is the one that gives way; a line each, all the same.
                Text(_printable(cell["cell"]), no_wrap=True, overflow="ellipsis"),
                Text(_threshold(cell["threshold"]), "bold"),
                *(f"{cell[name]:,}" for name in counts),
            )
        yield table


def _threshold(value: float) -> str:
    """Return a threshold in few digits, unless they would make it 1; the files have all of them."""
    meaning = {float("-inf"): " (none)", float("inf"): " (all)"}.get(value, "")
    digits = f"{value:.6g}"
    return (repr(value) if float(digits) == 1 != value else digits) + meaning


def _more(cells: pl.DataFrame, files: tuple[Path, Path, Path] | None) -> list[Text]:
    hidden = cells.height - _CELLS_TO_SHOW
    if hidden <= 0:
        return []
    where = f" in {_printable(files[1].name)}" if files else ""
    return [Text(f"… and {hidden:,} more{where}", "dim")]


def _doubts(choice: Choice) -> list[Text]:
    """Return what makes the figures doubtful on new samples, if anything."""
    doubts = []
    if choice.looks_reversed:
        doubts.append("Wrong answers are surer than right ones: is this an uncertainty? Negate it.")
    size = choice.front.n_samples // choice.front.n_cells
    if choice.front.n_cells > 1 and size < _SMALL_CELL:
        doubts.append(f"Cells have {size} samples on average: expect less on new samples.")
    return [Text(doubt, "yellow") for doubt in doubts]


def _written(files: tuple[Path, Path, Path] | None) -> Text:
    if files is None:
        return Text("Nothing was written; --out front.csv keeps the front and exact thresholds.")
    return Text("Written: " + ", ".join(_printable(file) for file in files))


def demo_screen(demo: Demo) -> RenderableType:
    """Return what the demonstration found.

    Parameters
    ----------
    demo : Demo
        The numbers and the files.

    Returns
    -------
    screen : rich renderable
        The summary.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    table.add_column("on held-out digits")
    table.add_column("rejected", justify="right")
    table.add_column("accuracy on the rest", justify="right")
    table.add_row("always answer", _percent(0.0), _percent(demo.accuracy))
    for name, trial in [
        ("one threshold for all", demo.one_threshold),
        ("a threshold for each predicted digit", demo.per_digit),
    ]:
        table.add_row(name, _percent(trial.reject_rate), Text(_percent(trial.accuracy), "bold"))
    names = ", ".join(_printable(file.name) for file in demo.files)
    has_picture = any(file.suffix == ".png" for file in demo.files)
    return Group(
        Text(f"Naive Bayes reads {demo.n_samples:,} handwritten digits.", "bold"),
        Text(
            "Thresholds for a reject rate of 20 % are set on one half and tried on the other:\n"
            "means of 20 random halvings."
        ),
        Text(),
        table,
        Text("" if has_picture else "\nFor a picture as well: pip install 'abstain[plot]'\n"),
        Text(f"Written: {names}"),
    )


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _percent(share: float) -> str:
    """Return a share with as many digits as tell it from 100%."""
    if share != share:
        return "undefined (all rejected)"
    digits = next(d for d in range(2, 9) if share == 1 or round(100 * share, d) < 100)
    return f"{100 * share:.{digits}f}%"


def _printable(value: Any) -> str:
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
