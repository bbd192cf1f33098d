"""What `abstain predict` prints: how many rows have which answer, and how many are rejected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from abstain._core.checks import shown
from abstain._core.text import printable
from abstain.cli.terminal import (
    CLASSES_TO_SHOW,
    NOTES_TO_SHOW,
    counted,
    label,
    percent,
    plain_table,
    title_of,
)

if TYPE_CHECKING:
    from abstain.tables import Answered
    from abstain.tables.several import AnsweredTables

# A share of unseen values below this is to be expected in new rows.
_MANY_UNSEEN = 0.05
_TABLES_TO_SHOW = 10


def predict_screen(answered: Answered, table: Path, out: Path | None) -> RenderableType:
    """Return the summary of the answers to one table."""
    if out is None:
        end = "Nothing was written; --out answers.csv keeps the answers."
    else:
        end = f"Written: {printable(out)}, with {_columns(answered)}"
    return Group(*_answers(answered, table), Text(), Text(end))


def predict_many_screen(answered: AnsweredTables, out: Path | None) -> RenderableType:
    """Return the summary of the answers to several tables, in all and by table."""
    examples = {name: one for each in answered.each[::-1] for name, one in each.examples.items()}
    total, first = replace(answered.total, examples=examples), answered.tables[:_TABLES_TO_SHOW]
    by_table = plain_table("table", ["rows", "rejected"])
    for path, each in zip(first, answered.each, strict=False):
        by_table.add_row(label(path.name), f"{each.n_rows:,}", f"{each.n_rejected:,}")
    n_hidden = len(answered.tables) - len(first)
    if n_hidden:
        by_table.add_row(Text(f"… and {n_hidden:,} more; --json names all", "dim"))
    if out is None:
        end = "Nothing was written; --out answers keeps the answers in that folder."
    else:
        n_files = counted(len(answered.tables), "file")
        end = f"Written to {printable(out)}: {n_files}, with {_columns(total)}"
    return Group(*_answers(total, answered.tables), Text(), by_table, Text(), Text(end))


def _columns(answered: Answered) -> str:
    *some, last = map(shown, answered.columns)
    return f"the columns {', '.join(some)} and {last}"


def _answers(answered: Answered, table: Path | list[Path]) -> list[RenderableType]:
    """Return how many rows have which answer, and notes on these rows."""
    share = answered.n_rejected / answered.n_rows
    heading = Text.assemble(
        (title_of(table), "bold"),
        f"\n{counted(answered.n_rows, 'row')}, ",
        (f"{percent(1 - share)} answered", "bold green"),
        f", {percent(share)} rejected",
    )
    counts = plain_table("answer", ["rows"])
    frequent = sorted(answered.class_counts.items(), key=lambda item: -item[1])
    for name, count in frequent[:CLASSES_TO_SHOW]:
        counts.add_row(label(name), f"{count:,}")
    if len(frequent) > CLASSES_TO_SHOW:
        rest = sum(count for _, count in frequent[CLASSES_TO_SHOW:])
        counts.add_row(Text(f"{len(frequent) - CLASSES_TO_SHOW:,} more", "dim"), f"{rest:,}")
    counts.add_row(Text("none: rejected", "bold"), Text(f"{answered.n_rejected:,}", "bold"))
    parts: list[RenderableType] = [heading, Text(), counts]
    if answered.n_empty:
        empty = f"{counted(answered.n_empty, 'row')} rejected because all needed columns are empty"
        parts += [Text(), Text(empty, "yellow")]
    return [*parts, *_unseen_values(answered)]


def _unseen_values(answered: Answered) -> list[RenderableType]:
    """Return notes on columns in which many values are new to the model."""
    frequent = sorted(answered.strangers.items(), key=lambda item: -item[1])
    many = [name for name, count in frequent if count >= _MANY_UNSEEN * answered.n_rows]
    notes = [f"Note: {_unseen_value(answered, name)}" for name in many[:NOTES_TO_SHOW]]
    if len(many) > NOTES_TO_SHOW:
        more = counted(len(many) - NOTES_TO_SHOW, "more such column")
        notes.append(f"… and {more}; --json names all")
    return [Text(), *(Text(printable(note), "yellow") for note in notes)] if notes else []


def _unseen_value(answered: Answered, name: str) -> str:
    example = answered.examples.get(name)
    if isinstance(example, str):
        what = f"a category that the model has not seen, such as {shown(example)}"
    elif example is not None:
        what = f"a number outside the range of the fit, such as {example:g}"
    else:
        what = "values that the model has not seen"
    return f"in {counted(answered.strangers[name], 'row')} column {shown(name)} holds {what}"
