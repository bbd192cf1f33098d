"""What `abstain predict` prints: how many rows have which answer, and how many are rejected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from abstain._core.errors import shown
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
    from abstain.tables.answering import AnswerCounts
    from abstain.tables.batch import BatchCounts

# A share of unseen values below this is to be expected in new rows.
_MANY_UNSEEN = 0.05
_TABLES_TO_SHOW = 10


def predict_screen(counts: AnswerCounts, table: Path, out: Path | None) -> RenderableType:
    """Return the summary of the answers to one table."""
    if out is None:
        end = "Nothing was written; --out answers.csv keeps the answers."
    else:
        end = f"Written: {printable(out)}, with {_columns(counts)}"
    return Group(*_answers(counts, table), Text(), Text(end))


def predict_many_screen(batch: BatchCounts, out: Path | None) -> RenderableType:
    """Return the summary of the answers to several tables, in all and by table."""
    examples = {name: one for each in batch.each[::-1] for name, one in each.examples.items()}
    total, first = replace(batch.total, examples=examples), batch.tables[:_TABLES_TO_SHOW]
    by_table = plain_table("table", ["rows", "rejected"])
    for path, each in zip(first, batch.each, strict=False):
        by_table.add_row(label(path.name), f"{each.n_rows:,}", f"{each.n_rejected:,}")
    n_hidden = len(batch.tables) - len(first)
    if n_hidden:
        by_table.add_row(Text(f"… and {n_hidden:,} more; --json names all", "dim"))
    if out is None:
        end = "Nothing was written; --out answers keeps the answers in that folder."
    else:
        n_files = counted(len(batch.tables), "file")
        end = f"Written to {printable(out)}: {n_files}, with {_columns(total)}"
    return Group(*_answers(total, batch.tables), Text(), by_table, Text(), Text(end))


def _columns(counts: AnswerCounts) -> str:
    *some, last = map(shown, counts.columns)
    return f"the columns {', '.join(some)} and {last}"


def _answers(counts: AnswerCounts, table: Path | list[Path]) -> list[RenderableType]:
    """Return how many rows have which answer, and notes on these rows."""
    share = counts.n_rejected / counts.n_rows
    heading = Text.assemble(
        (title_of(table), "bold"),
        f"\n{counted(counts.n_rows, 'row')}, ",
        (f"{percent(1 - share)} answered", "bold green"),
        f", {percent(share)} rejected",
    )
    by_class = plain_table("answer", ["rows"])
    frequent = sorted(counts.class_counts.items(), key=lambda item: -item[1])
    for name, count in frequent[:CLASSES_TO_SHOW]:
        by_class.add_row(label(name), f"{count:,}")
    if len(frequent) > CLASSES_TO_SHOW:
        rest = sum(count for _, count in frequent[CLASSES_TO_SHOW:])
        by_class.add_row(Text(f"{len(frequent) - CLASSES_TO_SHOW:,} more", "dim"), f"{rest:,}")
    by_class.add_row(Text("none: rejected", "bold"), Text(f"{counts.n_rejected:,}", "bold"))
    parts: list[RenderableType] = [heading, Text(), by_class]
    if counts.n_empty:
        empty = f"{counted(counts.n_empty, 'row')} rejected because all needed columns are empty"
        parts += [Text(), Text(empty, "yellow")]
    return [*parts, *_unseen_values(counts)]


def _unseen_values(counts: AnswerCounts) -> list[RenderableType]:
    """Return notes on columns in which many values are new to the model."""
    frequent = sorted(counts.unseen_values.items(), key=lambda item: -item[1])
    many = [name for name, count in frequent if count >= _MANY_UNSEEN * counts.n_rows]
    notes = [f"Note: {_unseen_value(counts, name)}" for name in many[:NOTES_TO_SHOW]]
    if len(many) > NOTES_TO_SHOW:
        more = counted(len(many) - NOTES_TO_SHOW, "more such column")
        notes.append(f"… and {more}; --json names all")
    return [Text(), *(Text(printable(note), "yellow") for note in notes)] if notes else []


def _unseen_value(counts: AnswerCounts, name: str) -> str:
    example = counts.examples.get(name)
    if isinstance(example, str):
        what = f"a category that the model has not seen, such as {shown(example)}"
    elif example is not None:
        what = f"a number outside the range of the fit, such as {example:g}"
    else:
        what = "values that the model has not seen"
    return f"in {counted(counts.unseen_values[name], 'row')} column {shown(name)} holds {what}"
