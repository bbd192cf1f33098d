"""What does a person see at the terminal?

Words and labels come from data, so none of them is read as markup, and what cannot be printed is
written out: a cell called "[red]" or one with an escape sequence stays text.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
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

from abstain._checks import shown
from abstain._score_files import Choice
from abstain._text import printable
from abstain.fronts import ParetoFront, PooledFront

if TYPE_CHECKING:
    from abstain._demo import Demo
    from abstain.study import Study
    from abstain.tables import Answered, Fitted
    from abstain.tables.several import AnsweredTables

__all__ = [
    "counted",
    "demo_screen",
    "fit_screen",
    "front_screen",
    "predict_many_screen",
    "predict_screen",
    "progress",
    "show",
    "stages",
    "study_screen",
]

# To be told how many tasks are done, and of how many.
Watch = Callable[[int, int], None]

_CELLS_TO_SHOW = 10
_COUNTS = ("samples", "errors", "true_rejects", "false_rejects")
_WIDE = 70
# Letters that the bar of some work takes, and the numbers beside it.
_BAR, _NUMBERS = 20, 28
_SMALL_CELL = 30
# Of many new rows, some are always beyond the old ones: this share of them is no chance.
_MANY_STRANGERS, _NOTES_TO_SHOW = 0.05, 5

VERDICTS = ("holds", "differs", "inconclusive")

_WISHES = {
    "accuracy": "accuracy of at least {}, with the fewest rejects",
    "reject_rate": "reject rate of at most {}, as accurate as possible",
    "reject_cost": "least cost when an error costs 1 and a reject {}",
}


# Along nested rows, the order of the rejects is given: only how many there are is chosen.
_WISHES_ALONG_A_PATH = {
    "accuracy": "accuracy of at least {}, the least probable answers go first",
    "reject_rate": "reject rate of at most {}, the least probable first",
}


def _wish_in_words(target: str, value: float, front: ParetoFront) -> str:
    words = _WISHES | (_WISHES_ALONG_A_PATH if front.is_nested else {})
    return words[target].format(value)


def show(screen: RenderableType) -> None:
    """Print a screen: in colour on a terminal that has it, as plain text elsewhere.

    Parameters
    ----------
    screen : rich renderable
        What to print.
    """
    _console().print(screen)


def _console(stderr: bool = False) -> Console:
    """Return a console that takes nothing in a text for markup."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


@contextmanager
def stages(quiet: bool = False) -> Iterator[Callable[[str], Watch]]:
    """Show the stages of some work, each with its own bar, on a terminal only.

    Parameters
    ----------
    quiet : bool, default=False
        Whether to show nothing at all.

    Yields
    ------
    begin : callable
        To be told what is being done from now on, by which the stage before is over. It returns
        what may be told how many parts of the stage are done, and of how many.
    """
    console = _console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda doing: lambda done, total: None
        return
    columns = [
        SpinnerColumn(finished_text="✓"),
        *_doing(console),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    ]
    # What is left of it when all is done would only push the summary down.
    with Progress(*columns, console=console, transient=True) as bars:
        yield _stages_of(bars)


def _doing(console: Console) -> list[ProgressColumn]:
    """Return what is being done, and a bar if there is room; numbers cut short would mislead."""
    bar: list[ProgressColumn] = [BarColumn(_BAR)] if console.width >= _WIDE else []
    room = console.width - _NUMBERS - len(bar) * (_BAR + 1)
    words = Column(no_wrap=True, overflow="ellipsis", max_width=max(room, 1))
    return [TextColumn("{task.description}", markup=False, table_column=words), *bar]


def _stages_of(bars: Progress) -> Callable[[str], Watch]:
    """Return what adds a stage to bars; the bar of one that cannot be counted only moves."""

    def begin(doing: str) -> Watch:
        for stage in bars.tasks:
            bars.update(stage.id, total=stage.total or 1, completed=stage.total or 1)
        added = bars.add_task(printable(doing), total=None)
        return lambda done, total: bars.update(added, completed=done, total=total)

    return begin


@contextmanager
def progress(doing: str, quiet: bool = False, lines: bool = True) -> Iterator[Watch]:
    """Show how much of long work is done, and how long the rest will take.

    Parameters
    ----------
    doing : str
        What is being done.
    quiet : bool, default=False
        Whether to show nothing at all.
    lines : bool, default=True
        Whether to print a line at every tenth where there is no terminal.

    Yields
    ------
    watch : callable
        To be told how many tasks are done, and of how many.
    """
    console, doing = _console(stderr=True), printable(doing)
    if quiet or not (lines or console.is_terminal):
        yield lambda done, total: None
    elif console.is_terminal:
        columns = [
            *_doing(console),
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


def _tenths(console: Console, doing: str) -> Watch:
    """Return what prints a line whenever another tenth is done."""
    shown = -1

    def watch(done: int, total: int) -> None:
        nonlocal shown
        tenth = 10 * done // max(total, 1)
        if tenth > shown:
            shown = tenth
            console.print(f"{doing}: {done} of {total}")

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
        Text(f"{study.seconds / 60:.1f} minutes for {counted(study.n_tasks, 'task')}"),
        Text(f"Written to {printable(str(study.folder))}: {names}"),
    )


def front_screen(
    choice: Choice,
    scores: Path | list[Path],
    files: tuple[Path, Path, Path] | None,
    *,
    by_default: bool,
) -> RenderableType:
    """Return a summary of a front and its chosen row that fits a screen of 24 lines.

    Parameters
    ----------
    choice : Choice
        The chosen row and its front.
    scores : Path or list of Path
        The score file, or several.
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


def _heading(choice: Choice, scores: Path | list[Path]) -> Text:
    front = choice.front
    counts = (
        f"{counted(front.n_samples, 'sample')}, {counted(front.n_errors, 'error')}, "
        f"{counted(front.n_cells, 'cell')}; "
        f"{front.method} front of {counted(len(front), 'row')}"
    )
    return Text.assemble((_title(scores), "bold"), "\n", counts)


def _title(files: Path | list[Path]) -> str:
    if isinstance(files, Path) or len(files) == 1:
        return printable((files if isinstance(files, Path) else files[0]).name)
    first, last = printable(files[0].name), printable(files[-1].name)
    return f"{len(files):,} files, {first} to {last}"


def _chosen(choice: Choice, *, by_default: bool) -> Table:
    point = choice.point
    before = 1 - point.n_errors / point.n_samples
    facts = {
        "target": _wish(choice, by_default=by_default),
        "accuracy": Text.assemble(
            _percent(before),
            " → ",
            (_percent(point.accuracy), "bold green"),
            f" on these samples{_estimated(choice)}",
        ),
        "rejected": Text.assemble(
            (_percent(point.reject_rate), "bold"),
            f" = {point.true_rejects:,} true + {counted(point.false_rejects, 'false reject')}",
        ),
        "errors left": Text(f"{point.errors_left:,} of {point.n_errors:,}"),
    }
    if choice.front.method != "exact":
        facts["gap"] = Text(
            f"at most {point.gap:,} of these false rejects could be spared on these samples"
        )
    table = Table.grid(padding=(0, 2))
    for name, fact in facts.items():
        table.add_row(Text(name, "cyan"), fact)
    return table


def _estimated(choice: Choice) -> str:
    """Return the accuracy of the chosen row by the estimated probabilities, if there are some."""
    front, row = choice.front, choice.point.row
    if not isinstance(front, PooledFront) or np.isnan(front.expected_accuracies[row]):
        return ""
    return f", {_percent(float(front.expected_accuracies[row]))} estimated"


def _wish(choice: Choice, *, by_default: bool) -> Text:
    wish = Text(_wish_in_words(choice.target, choice.value, choice.front))
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
                Text(printable(cell["cell"]), no_wrap=True, overflow="ellipsis"),
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
    where = f" in {printable(files[1].name)}" if files else ""
    return [Text(f"… and {hidden:,} more{where}", "dim")]


def _doubts(choice: Choice) -> list[Text]:
    """Return what makes the figures doubtful on new samples, if anything."""
    doubts = []
    if choice.looks_reversed:
        doubts.append("Wrong answers are surer than right ones: is this an uncertainty? Negate it.")
    size = choice.front.n_samples // choice.front.n_cells
    is_pooled = isinstance(choice.front, PooledFront)
    if choice.front.n_cells > 1 and size < _SMALL_CELL and not is_pooled:
        doubts.append(
            f"Cells have about {counted(size, 'sample')}: expect less on new ones, or try "
            "--method pooled."
        )
    return [Text(doubt, "yellow") for doubt in doubts]


def _written(files: tuple[Path, Path, Path] | None) -> Text:
    if files is None:
        return Text("Nothing was written; --out front.csv keeps the front and exact thresholds.")
    return Text("Written: " + ", ".join(printable(file) for file in files))


_TARGETS_IN_WORDS = {
    "Accuracy": ("accuracy", "accuracy"),
    "RejectRate": ("reject_rate", "rate"),
    "RejectCost": ("reject_cost", "cost"),
}
_CLASSES_TO_SHOW = 8
_NOTES_TO_SHOW = 5
_FEW_VALUES = 30
_TABLES_TO_SHOW = 10
_NAMES_TO_SHOW = 6


def fit_screen(fitted: "Fitted", table: Path, out: Path) -> RenderableType:
    """Return what came of a fit, on one screen.

    Parameters
    ----------
    fitted : Fitted
        As `fit_table` returns it.
    table : Path
        The table.
    out : Path
        Where the model was written.

    Returns
    -------
    screen : rich renderable
        Accuracy, rejects, guarantee, thresholds, and what was left out.
    """
    parts: list[RenderableType] = [
        Text.assemble(
            (printable(table.name), "bold"),
            f"\n{counted(fitted.n_rows, 'row')} of {counted(len(fitted.class_counts), 'class')}"
            f" in column {shown(fitted.label)}",
        ),
        Text(),
        _fit_facts(fitted),
        Text(),
        _fit_thresholds(fitted),
        *_spared(fitted),
        *_written_like(fitted),
        *_left_out(fitted),
        *_notes(fitted.notes),
        Text(),
        Text(f"Written: {printable(out)}"),
        Text(f"Next: abstain predict {printable(out)} new.csv --out answers.csv", "dim"),
    ]
    return Group(*parts)


def _notes(notes: Sequence[str]) -> list[Text]:
    shown = [Text(printable(f"Note: {note}"), "yellow") for note in notes[:_NOTES_TO_SHOW]]
    n_hidden = len(notes) - len(shown)
    return shown + [Text(f"… and {n_hidden:,} more; --json has all", "dim")] * (n_hidden > 0)


def _fit_facts(fitted: "Fitted") -> Table:
    clf, point = fitted.clf, fitted.clf.operating_point_
    name, value = _TARGETS_IN_WORDS[type(clf.target).__name__]
    before = 1 - point.n_errors / point.n_samples
    where = "on the rows it was fitted on" if clf.cv == "training" else "out of fold"
    largest, n_largest = max(fitted.class_counts.items(), key=lambda count: count[1])
    sure = point.guarantee
    if sure is not None:
        where += f", on {counted(point.n_samples, 'row')} that set the thresholds"
    n_answered = round(point.coverage * point.n_samples)
    if n_answered < _SMALL_CELL:
        where += f", of only {counted(n_answered, 'answer')}"
    facts = {
        "model": Text(f"{fitted.learner.name}: {fitted.learner.title}"),
        "target": Text(_wish_in_words(name, getattr(clf.target, value), clf.front_)),
        "accuracy": Text.assemble(
            _percent(before), " → ", (_percent(point.accuracy), "bold green"), f" {where}"
        ),
        "to compare": Text(
            f"{_percent(n_largest / fitted.n_rows)} if it always said {printable(largest)}"
        ),
        "answered": Text.assemble(
            (_percent(point.coverage), "bold"),
            f" of {'these ' if sure else ''}{counted(point.n_samples, 'row')}; rejected: "
            f"{point.true_rejects:,} wrong and {point.false_rejects:,} right",
        ),
    }
    if sure is not None:
        facts["guarantee"] = Text.assemble(
            (f"at least {sure.accuracy:g} on new rows", "bold green"),
            f", with confidence {sure.confidence:g}:\n"
            f"of {counted(sure.n_samples, 'other row')}, held out, {sure.accepted:,} were "
            f"answered, {sure.errors:,} of them wrong:\n"
            f"accuracy {_percent(1 - sure.errors / sure.accepted)}",
        )
    n_features = len(fitted.features.numeric) + len(fitted.features.categorical)
    facts["columns"] = Text(
        f"{n_features:,}: {len(fitted.features.numeric):,} numeric, "
        f"{len(fitted.features.categorical):,} categorical"
    )
    grid = Table.grid(padding=(0, 2))
    for name, fact in facts.items():
        grid.add_row(Text(name, "cyan"), fact)
    return grid


def _fit_thresholds(fitted: "Fitted") -> Table:
    from abstain.classifier.regions import Regions
    from abstain.tables import cell_names

    clf = fitted.clf
    certainty, cells = (
        clf.calibration_.certainty,
        Regions(clf.cells_).positions(clf.calibration_.cells),
    )
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    table.add_column("answers of")
    for name in ("threshold", "rows", "rejected"):
        table.add_column(name, justify="right", no_wrap=True)
    names = cell_names(clf)
    for at, (name, threshold) in enumerate(zip(names, clf.thresholds_.tolist(), strict=True)):
        own = cells == at
        if not own.any() and at == len(names) - 1:
            continue  # nothing shares a threshold
        if table.row_count == _CLASSES_TO_SHOW:
            table.add_row(Text(f"… and {len(names) - at:,} more", "dim"))
            break
        rejected = int((certainty[own] < threshold).sum())
        table.add_row(
            Text(printable(name), no_wrap=True, overflow="ellipsis"),
            Text(_threshold(threshold), "bold"),
            f"{int(own.sum()):,}",
            f"{rejected:,}",
        )
    return table


def _spared(fitted: "Fitted") -> list[Text]:
    """Return why far less is rejected than was allowed, and which reject rate would be of use."""
    clf, point = fitted.clf, fitted.clf.operating_point_
    rate = getattr(clf.target, "rate", 0.0)
    if not point.errors_left or point.reject_rate >= rate / 2:
        return []
    n_values = len(np.unique(clf.calibration_.certainty))
    few = f": certainty takes only {counted(n_values, 'value')}"
    told = f"Fewer are rejected than may be{few if n_values <= _FEW_VALUES else ''};"
    rates, accuracies = clf.front_.reject_rates, clf.front_.accuracies
    useful = rates[(rates > rate) & (accuracies > point.accuracy)]  # not NaN, of no answers
    if len(useful):
        told += f" the next reject rate of use is {np.ceil(1000 * useful.min()) / 1000:g}"
    else:
        told += " with more rejects it would be no more accurate"
    return [Text(), Text(told, "yellow")]


def _written_like(fitted: "Fitted") -> list[Text]:
    """Return how numbers were read that carry more than digits."""
    lines = []
    for name, notation in list(fitted.features.written.items())[:_NAMES_TO_SHOW]:
        number = notation.numbers(pl.Series([notation.example])).item()
        lines.append(f"{name}: numbers written like {notation.example}, taken as {number:.15g}")
    if len(fitted.features.written) > _NAMES_TO_SHOW:
        more = len(fitted.features.written) - _NAMES_TO_SHOW
        lines.append(f"… and {counted(more, 'more such column')}; --json names all")
    return [Text(), *(Text(printable(line)) for line in lines)] if lines else []


def _left_out(fitted: "Fitted") -> list[Text]:
    """Return which rows and columns were not used, and why."""
    lines = []
    if fitted.n_unlabelled:
        lines.append(f"{counted(fitted.n_unlabelled, 'row')} without a label left out")
    if fitted.n_empty:
        lines.append(f"{counted(fitted.n_empty, 'row')} with nothing but a label left out")
    left_out = list(fitted.features.left_out.items())
    for name, why in left_out[:_NAMES_TO_SHOW]:
        because = f", {why}" if why == "as asked" else f": it {why}"
        lines.append(f"column {shown(name)} left out{because}")
    if len(left_out) > _NAMES_TO_SHOW:
        more = counted(len(left_out) - _NAMES_TO_SHOW, "more column")
        lines.append(f"… and {more}; --json names all")
    texts = [Text(printable(line), "yellow") for line in lines]
    return [Text(), *texts] if texts else []


def _strangers(answered: "Answered") -> list[RenderableType]:
    """Return notes on columns in which many values are new to the model."""
    frequent = sorted(answered.strangers.items(), key=lambda item: -item[1])
    many = [name for name, count in frequent if count >= _MANY_STRANGERS * answered.n_rows]
    notes = [f"Note: {_strange(answered, name)}" for name in many[:_NOTES_TO_SHOW]]
    if len(many) > _NOTES_TO_SHOW:
        more = counted(len(many) - _NOTES_TO_SHOW, "more such column")
        notes.append(f"… and {more}; --json names all")
    return [Text(), *(Text(printable(note), "yellow") for note in notes)] if notes else []


def _strange(answered: "Answered", name: str) -> str:
    """Return what a column holds that the model has not seen."""
    example = answered.examples.get(name)
    if isinstance(example, str):
        what = f"a kind that the model has not seen, such as {shown(example)}"
    elif example is not None:
        what = f"a number beyond all of the fit, such as {example:g}"
    else:
        what = "what the model has not seen"
    return f"in {counted(answered.strangers[name], 'row')} column {shown(name)} holds {what}"


def predict_screen(answered: "Answered", table: Path, out: Path | None) -> RenderableType:
    """Return what came of a table.

    Parameters
    ----------
    answered : Answered
        As `answer_table` returns it.
    table : Path
        The table.
    out : Path or None
        Where the answers were written, if they were.

    Returns
    -------
    screen : rich renderable
        How many rows were answered with which class, and how many rejected.
    """
    if out is None:
        end = "Nothing was written; --out answers.csv keeps the answers."
    else:
        end = f"Written: {printable(out)}, with {_columns(answered)}"
    return Group(*_answers(answered, table), Text(), Text(end))


def predict_many_screen(answered: "AnsweredTables", out: Path | None) -> RenderableType:
    """Return what came of several tables.

    Parameters
    ----------
    answered : AnsweredTables
        As `answer_tables` returns it.
    out : Path or None
        The folder in which the answers were written, if they were.

    Returns
    -------
    screen : rich renderable
        How many rows were answered with which class, and how many rejected, in all and by table.
    """
    examples = {name: one for each in answered.each[::-1] for name, one in each.examples.items()}
    total, first = replace(answered.total, examples=examples), answered.tables[:_TABLES_TO_SHOW]
    by_table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    by_table.add_column("table")
    for name in ("rows", "rejected"):
        by_table.add_column(name, justify="right", no_wrap=True)
    for path, each in zip(first, answered.each, strict=False):
        title = Text(printable(path.name), no_wrap=True, overflow="ellipsis")
        by_table.add_row(title, f"{each.n_rows:,}", f"{each.n_rejected:,}")
    n_hidden = len(answered.tables) - len(first)
    if n_hidden:
        by_table.add_row(Text(f"… and {n_hidden:,} more; --json names all", "dim"))
    if out is None:
        end = "Nothing was written; --out answers keeps the answers in that folder."
    else:
        n_files = counted(len(answered.tables), "file")
        end = f"Written to {printable(out)}: {n_files}, with {_columns(total)}"
    parts = _answers(total, answered.tables)
    return Group(*parts, Text(), by_table, Text(), Text(end))


def _columns(answered: "Answered") -> str:
    *some, last = map(shown, answered.columns)
    return f"the columns {', '.join(some)} and {last}"


def _answers(answered: "Answered", table: Path | list[Path]) -> list[RenderableType]:
    """Return how many rows were answered with which class, and what is to be noted of them."""
    share = answered.n_rejected / answered.n_rows
    counts = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    counts.add_column("answer")
    counts.add_column("rows", justify="right", no_wrap=True)
    frequent = sorted(answered.class_counts.items(), key=lambda item: -item[1])
    for name, count in frequent[:_CLASSES_TO_SHOW]:
        label = Text(printable(name), no_wrap=True, overflow="ellipsis")
        counts.add_row(label, f"{count:,}")
    if len(frequent) > _CLASSES_TO_SHOW:
        rest = sum(count for _, count in frequent[_CLASSES_TO_SHOW:])
        counts.add_row(Text(f"{len(frequent) - _CLASSES_TO_SHOW:,} more", "dim"), f"{rest:,}")
    counts.add_row(Text("none: rejected", "bold"), Text(f"{answered.n_rejected:,}", "bold"))
    heading = Text.assemble(
        (_title(table), "bold"),
        f"\n{counted(answered.n_rows, 'row')}, ",
        (f"{_percent(1 - share)} answered", "bold green"),
        f", {_percent(share)} rejected",
    )
    parts: list[RenderableType] = [heading, Text(), counts]
    if answered.n_empty:
        empty = f"{counted(answered.n_empty, 'row')} rejected because all needed columns are empty"
        parts += [Text(), Text(empty, "yellow")]
    return [*parts, *_strangers(answered)]


def demo_screen(demo: "Demo") -> RenderableType:
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
    tumours, necklace, digits = demo.tumours, demo.necklace, demo.digits
    names = ", ".join(printable(file.name) for file in demo.files)
    extras = [
        f"For {what} as well: pip install 'abstain[{extra}]'"
        for what, extra, is_there in [
            ("the report", "report", tumours.report is not None),
            ("a picture", "plot", any(file.suffix == ".png" for file in demo.files)),
        ]
        if not is_there
    ]
    return Group(
        Text("A certified accuracy", "bold"),
        Text(
            f"GMLVQ gets {tumours.n_known} breast tumours: it learns from one half, and the other "
            f"certifies. At least {tumours.asked:.0%} of its answers about new ones shall be "
            f"right, with {tumours.confidence:.0%} confidence. Of {tumours.n_new} others:"
        ),
        _rows(
            ("right, if it must always answer", _percent(tumours.accuracy)),
            ("answered", _percent(tumours.coverage)),
            ("right among these", _percent(tumours.accuracy_of_answers)),
        ),
        Text("\nA threshold for each prototype", "bold"),
        Text(
            f"GMLVQ on the pearl necklace, whose pearls differ: {necklace.n_new:,} new samples. 5% "
            "are to be rejected, the answers that are least probably right."
        ),
        _rejects(
            "always answer",
            necklace.accuracy,
            ("one threshold for all", necklace.one_threshold),
            ("a threshold for each prototype", necklace.per_prototype),
        ),
        Text("\nA threshold for each predicted class", "bold"),
        Text(
            f"Naive Bayes on {digits.n_samples:,} handwritten digits: thresholds for 20% rejects "
            "in the same way, set on one half and tried on the other, means of 20 random halvings."
        ),
        _rejects(
            "always answer",
            digits.accuracy,
            ("one threshold for all", digits.one_threshold),
            ("a threshold for each predicted digit", digits.per_digit),
        ),
        Text("\n" + "\n".join([f"Written: {names}", *extras])),
    )


def _rows(*rows: tuple[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    table.add_column()
    table.add_column(justify="right", style="bold")
    for row in rows:
        table.add_row(*row)
    return table


def _rejects(plain: str, accuracy: float, *ways: tuple[str, Any]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 2), header_style="cyan")
    table.add_column("")
    table.add_column("rejected", justify="right")
    table.add_column("right among the rest", justify="right")
    table.add_row(plain, _percent(0.0), _percent(accuracy))
    for name, way in ways:
        table.add_row(name, _percent(way.reject_rate), Text(_percent(way.accuracy), "bold"))
    return table


def counted(number: int, thing: str) -> str:
    """Return how many there are of a thing, in words that agree.

    Parameters
    ----------
    number : int
        How many.
    thing : str
        What one of them is called.

    Returns
    -------
    words : str
        Such as "1 row" or "2 classes".

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "class")
    ('1 row', '2,000 classes')
    """
    ending = "" if number == 1 else "es" if thing.endswith("s") else "s"
    return f"{number:,} {thing}{ending}"


def _percent(share: float) -> str:
    """Return a share with as many digits as tell it from 100%."""
    if share != share:
        return "undefined (all rejected)"
    digits = next(d for d in range(2, 9) if share == 1 or round(100 * share, d) < 100)
    return f"{100 * share:.{digits}f}%"
