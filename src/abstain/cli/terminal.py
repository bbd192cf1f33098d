"""Printing on the terminal: progress bars, and the numbers and tables that all screens share.

Names and labels come from data: none is read as markup, and control characters are escaped. A cell
called "[red]", or one with an escape sequence, stays text.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table
from rich.text import Text

from abstain._core.text import printable

# Called with the number of tasks that are done, and of all tasks.
Watch = Callable[[int, int], None]

NOTES_TO_SHOW, CLASSES_TO_SHOW = 5, 8
# Figures from fewer samples are uncertain.
FEW_SAMPLES = 30
# Columns of a terminal with room for everything, and for counts beside shares.
WIDE, VERY_WIDE = 70, 130
# Characters of a progress bar, and of the numbers beside it.
_BAR, _NUMBERS = 20, 28


def show(screen: RenderableType, is_wrapped: bool = True) -> None:
    """Print a screen: in colour on a terminal that supports it, as plain text elsewhere."""
    _console().print(screen, soft_wrap=not is_wrapped, crop=False)


def _console(stderr: bool = False) -> Console:
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


# --- progress -----------------------------------------------------------------------------------


@contextmanager
def stages(quiet: bool = False) -> Iterator[Callable[[str], Watch]]:
    """Show the stages of a task, each with its own bar, on a terminal only.

    Yields a function that ends the current stage, begins the named one and returns its `Watch`.
    """
    console = _console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda name: lambda done, total: None
        return
    columns = [
        SpinnerColumn(finished_text="✓"),
        *_name_and_bar(console),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    ]
    # Finished bars would only push the summary down.
    with Progress(*columns, console=console, transient=True) as bars:
        yield _stages_of(bars)


def _stages_of(bars: Progress) -> Callable[[str], Watch]:
    """Return the function that adds a stage to bars."""

    def begin(name: str) -> Watch:
        for stage in bars.tasks:
            bars.update(stage.id, total=stage.total or 1, completed=stage.total or 1)
        added = bars.add_task(printable(name), total=None)
        return lambda done, total: bars.update(added, completed=done, total=total)

    return begin


def _name_and_bar(console: Console) -> list[ProgressColumn]:
    """Return the name of a task, cut where it is too long, and a bar if there is room for one."""
    bar: list[ProgressColumn] = [BarColumn(_BAR)] if console.width >= WIDE else []
    room = console.width - _NUMBERS - len(bar) * (_BAR + 1)
    column = Column(no_wrap=True, overflow="ellipsis", max_width=max(room, 1))
    return [TextColumn("{task.description}", markup=False, table_column=column), *bar]


@contextmanager
def progress(name: str, quiet: bool = False, lines: bool = True) -> Iterator[Watch]:
    """Show how much of a task is done and how long the rest will take.

    With ``lines``, print a line at every tenth where there is no terminal.
    """
    console, name = _console(stderr=True), printable(name)
    if quiet or not (lines or console.is_terminal):
        yield lambda done, total: None
    elif console.is_terminal:
        columns = [
            *_name_and_bar(console),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        ]
        # Tasks take from milliseconds to many seconds: average their speed over minutes.
        with Progress(*columns, console=console, speed_estimate_period=600) as bar:
            task = bar.add_task(name, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:
        yield _print_tenths(console, name)


def _print_tenths(console: Console, name: str) -> Watch:
    """Return what prints a line whenever another tenth is done."""
    printed = -1

    def watch(done: int, total: int) -> None:
        nonlocal printed
        tenth = 10 * done // max(total, 1)
        if tenth > printed:
            printed = tenth
            console.print(f"{name}: {done} of {total}")

    return watch


# --- parts of screens ---------------------------------------------------------------------------


def counted(number: int, thing: str) -> str:
    """Return a number and the singular or plural of what it counts.

    >>> counted(1, "row"), counted(2000, "class")
    ('1 row', '2,000 classes')
    """
    ending = "" if number == 1 else "es" if thing.endswith("s") else "s"
    return f"{number:,} {thing}{ending}"


def first_lines(lines: Sequence[str], most: int, thing: str) -> list[str]:
    """Return the first lines, and how many things the others are about.

    >>> first_lines(["a", "b", "c"], 1, "column")
    ['a', '… and 2 more columns; --json names all']
    """
    n_hidden = len(lines) - most
    more = [f"… and {counted(n_hidden, f'more {thing}')}; --json names all"]
    return [*lines[:most], *(more if n_hidden > 0 else [])]


def percent(share: float) -> str:
    """Return a share with two digits, or with as many as it takes to differ from 100%."""
    if share != share:
        return "undefined (all rejected)"
    digits = next(d for d in range(2, 9) if share == 1 or round(100 * share, d) < 100)
    return f"{100 * share:.{digits}f}%"


def rounded_threshold(value: float) -> str:
    """Return a threshold in four digits; if these read as 1, those of its distance to 1."""
    meaning = {float("-inf"): " (none)", float("inf"): " (all)"}.get(value, "")
    digits = f"{value:.4g}"
    if float(digits) == 1 != value:
        digits = f"1 {'−' if value < 1 else '+'} {abs(1 - value):.4g}"
    return digits + meaning


def title_of(files: Path | list[Path]) -> str:
    """Return the name of a file, or the number of several with the first and the last name."""
    if isinstance(files, Path) or len(files) == 1:
        return printable((files if isinstance(files, Path) else files[0]).name)
    first, last = printable(files[0].name), printable(files[-1].name)
    return f"{len(files):,} files, {first} to {last}"


def facts_table(facts: dict[str, Text]) -> Table:
    """Return names and values in two columns."""
    table = Table.grid(padding=(0, 2))
    for name, fact in facts.items():
        table.add_row(Text(name, "cyan"), fact)
    return table


def plain_table(first: str, numbers: Sequence[str]) -> Table:
    """Return a table without lines: a column of labels, and columns of numbers."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    table.add_column(first, vertical="bottom")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True, vertical="bottom")
    return table


@dataclass(frozen=True, eq=False)
class Label:
    """A label of data on one line: if it is too long, its middle is left out.

    Long names often differ at their ends.
    """

    text: str

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Return the least and the full width."""
        return Measurement(1, max(1, cell_len(self.text)))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the text."""
        text, room = self.text, options.max_width - 1
        if cell_len(text) > options.max_width:
            end = set_cell_size(text[::-1], room // 2)[::-1]
            text = f"{set_cell_size(text, room - room // 2)}…{end}"
        yield Text(text, no_wrap=True, overflow="ellipsis")


def label_text(value: object) -> Label:
    """Return a label of data, which stays text."""
    return Label(printable(value))


# Headings of the shares of a class report.
_SHARES = {
    "recall": "recall",
    "recall_rejects_missed": "recall,\nrejects missed",
    "recall_with_rejects": "recall\nwith rejects",
    "precision": "precision",
}


@dataclass(frozen=True, eq=False)
class ClassTable:
    """Counts and shares of each class, beside each other if the screen is very wide.

    A narrow screen has no limits and one recall less. ``counted_on`` says which rows are counted.
    """

    rows: list[dict[str, Any]]
    counted_on: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the tables."""
        is_wide = options.max_width >= WIDE
        counts = {name: name for name in ("answered", "right", "wrong", "rejected")}
        shares = {
            name: f"{heading}\n95% CI" if is_wide and _has_limits(self.rows, name) else heading
            for name, heading in _SHARES.items()
            if is_wide or name != "recall_with_rejects"
        }
        parts = [counts | shares] if options.max_width >= VERY_WIDE else [counts, shares]
        for columns in parts:
            where = f" ({self.counted_on})" if is_wide and columns is parts[0] else ""
            table = plain_table(f"class{where}", list(columns.values()))
            for row in self.rows[:CLASSES_TO_SHOW]:
                cells = (
                    _share(row, name, is_wide) if name in shares else f"{row[name]:,}"
                    for name in columns
                )
                table.add_row(label_text(row["class"]), *cells)
            yield table
            yield from _hidden(self.rows)


@dataclass(frozen=True, eq=False)
class GroupTable:
    """What each group gets: answered, accuracy and its bound, with a condition and without."""

    rows: list[dict[str, Any]]
    note_on_bounds: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table; a narrow screen has neither bounds nor sizes of groups."""
        is_wide = options.max_width >= WIDE
        names = ["answered", "accuracy"] + ["bound"] * is_wide
        has_both = self.rows[0]["without_groups"] is not None
        headings = [f"{when}\n{name}" for when in ("with", "without") for name in names]
        table = plain_table("group", ["rows"] * is_wide + (headings if has_both else names))
        for row in self.rows[:CLASSES_TO_SHOW]:
            kinds = [row, row["without_groups"]] if has_both else [row]
            cells = (cell for kind in kinds for cell in _group_shares(kind)[: len(names)])
            sizes = [f"{row['samples']:,}"] * is_wide
            table.add_row(label_text(row["group"]), *sizes, *cells)
        yield table
        yield from _hidden(self.rows)
        yield from [Text(self.note_on_bounds, "dim")] * is_wide


def _hidden(rows: Sequence[Any]) -> list[Text]:
    n_hidden = len(rows) - CLASSES_TO_SHOW
    return [Text(f"… and {n_hidden:,} more; --json has all", "dim")] * (n_hidden > 0)


def _group_shares(row: dict[str, Any]) -> tuple[Text, Text, Text]:
    bound = row["accuracy_bound"]
    return (
        Text(percent(row["answered"] / row["samples"])),
        _share(row, "accuracy", has_limits=False),
        Text("–" if bound is None else f"≥ {floor(1000 * bound) / 10:.1f}%"),
    )


def _has_limits(rows: Sequence[dict[str, Any]], name: str) -> bool:
    return any(row.get(f"{name}_low") is not None for row in rows)  # weighted shares have none


def interval(low: float, high: float) -> str:
    """Return the limits of a share, rounded outwards.

    >>> interval(0.9005, 0.9851), interval(0.97, 1)
    ('90.0–98.6%', '97.0–100%')
    """
    return f"{_limit(floor(1000 * low) / 10)}–{_limit(ceil(1000 * high) / 10)}%"


def _limit(percentage: float) -> str:
    return f"{percentage:.1f}" if 0 < percentage < 100 else f"{percentage:.0f}"


def _share(row: dict[str, Any], name: str, has_limits: bool) -> Text:
    """Return a share and, rounded outwards, its limits; a dash if it is a share of nothing."""
    if row[name] is None:
        return Text("–")
    limits = ""
    if has_limits and _has_limits([row], name):
        limits = f" {interval(row[f'{name}_low'], row[f'{name}_high'])}"
    return Text.assemble(("100%" if row[name] == 1 else percent(row[name]), "bold"), limits)
