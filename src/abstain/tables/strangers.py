"""How many rows hold values that a model has never seen the like of?

A kind that no row of the fit had, or a number beyond all of theirs: the model answers all the same,
and a column in another unit goes unnoticed. So rows are counted, column by column, and one such
value of each is kept: a kind as text, a number as such.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import Any

import polars as pl

from abstain.tables.values import as_categories, as_numbers

__all__ = ["Known", "Strangers", "find_strangers", "known_values"]

# What is known of a column: its kinds, or its lowest and its highest number.
Known = dict[str, list[Any]]
# In how many rows a column holds what is not known, and one such value.
Strangers = dict[str, tuple[int, str | float]]


def known_values(columns: pl.DataFrame) -> Known:
    """Return what is to be kept of the columns of a fit; of an empty one, nothing."""
    known: Known = {}
    for column in columns:
        present = column.drop_nulls()
        if len(present):
            is_number = present.dtype.is_numeric()
            ends = [present.min(), present.max()]
            known[column.name] = ends if is_number else present.unique().sort().to_list()
    return known


def find_strangers(known: Known, frame: pl.DataFrame, missing: Sequence[str] = ()) -> Strangers:
    """Return in how many rows each column holds what is not known; columns without are left out.

    ``missing`` are texts that stand for a missing value, beside the usual ones.
    """
    found: Strangers = {}
    for name, values in known.items():
        if isinstance(values[0], str):
            present = as_categories(frame[name], missing).drop_nulls()
            strange = present.filter(~present.is_in(values))
        else:
            column = frame[name]
            is_plain = column.dtype == pl.Float64  # as nearly always: nothing is to be looked for
            strange = _beyond(column if is_plain else as_numbers(column, also=missing), *values)
        if len(strange):
            found[name] = len(strange), strange[0]
    return found


def _beyond(column: pl.Series, low: Any, high: Any) -> pl.Series:
    least: Any = column.min()
    greatest: Any = column.max()
    if least is None or (least >= low and greatest <= high):
        return column.clear()
    return column.filter((column < low) | (column > high))
