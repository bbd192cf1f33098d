"""How do several tables become one, whose rows are those of all of them?

The columns are those that all tables have, in the order of the first: a column that one table lacks
cannot be told for its rows, and is left out. Tables may differ in their separator, in their decimal
mark and in their kind of file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from abstain.tables.labels import CASE, USE, may_set_thresholds
from abstain.tables.reading import TableFile, read_table
from abstain.tables.values import as_categories, as_numbers, without_missing


class JoinedTable(NamedTuple):
    """The rows of tables; ``table`` is the first, with the columns that all have.

    ``is_free`` says of each row whether it may set thresholds, as the columns of `expert_labels`
    do. ``left_out`` says of each other column which table lacks it, and ``sizes`` how many rows
    each table has.
    """

    table: TableFile
    frame: pl.DataFrame
    is_free: pl.Series
    left_out: dict[str, str]
    sizes: list[int]


def join_tables(
    tables: Sequence[TableFile], watch: Callable[[int, int], None] = lambda done, total: None
) -> JoinedTable:
    """Read tables, and return the rows of all; ``watch`` is told of the blocks of each."""
    first, frames = tables[0], [read_table(table, watch) for table in tables]
    if len(tables) == 1:
        (frame,) = frames
        return JoinedTable(first, frame, may_set_thresholds(frame), {}, [frame.height])
    names = [name for name in first.names if all(name in table.names for table in tables)]
    left_out = {
        name: f"is not in {next(each for each in tables if name not in each.names).path.name}"
        for table in tables
        for name in table.names
        if name not in (*names, CASE, USE)
    }
    marks = [table.decimal for table in tables]
    joined = [_join([frame[name] for frame in frames], marks, first.missing) for name in names]
    free = pl.concat([may_set_thresholds(frame) for frame in frames])
    sizes = [frame.height for frame in frames]
    return JoinedTable(replace(first, names=names), pl.DataFrame(joined), free, left_out, sizes)


def _join(columns: Sequence[pl.Series], marks: Sequence[str], missing: Sequence[str]) -> pl.Series:
    """Return the values of columns: numbers if those of one are, or if decimal marks differ."""
    kinds = {column.dtype for column in columns}
    if len(kinds) == 1 and (len({*marks}) == 1 or kinds != {pl.String}):
        return pl.concat(columns)
    numbers = []
    for column, mark in zip(columns, marks, strict=True):
        own = as_numbers(column, mark, missing)
        if own.null_count() > without_missing(column, missing).null_count():
            return pl.concat([as_categories(each) for each in columns])
        numbers.append(own)
    return pl.concat(numbers)
