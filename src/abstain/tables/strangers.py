"""How many rows hold values that a model has never seen the like of?

A kind that no row of the fit had, or a number beyond all of theirs: the model answers all the same,
and a column in another unit goes unnoticed. So rows are counted, column by column.
"""

from __future__ import annotations  # signatures then show the names of types

from collections import Counter
from typing import Any

import polars as pl

__all__ = ["Known", "count_strangers", "known_values"]

# What is known of a column: its kinds, or its lowest and its highest number.
Known = dict[str, list[Any]]


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


def count_strangers(known: Known, columns: pl.DataFrame) -> Counter[str]:
    """Return in how many rows each column holds what is not known; columns without are left out."""
    found: Counter[str] = Counter()
    for column in columns:
        if column.name not in known:
            continue
        values = known[column.name]
        if column.dtype.is_numeric():
            low, high = values
            least: Any = column.min()
            if least is None or (least >= low and column.max() <= high):
                continue
            count = int(((column < low) | (column > high)).sum())
        else:
            present = column.drop_nulls()
            count = len(present) - int(present.is_in(values).sum())
        if count:
            found[column.name] = count
    return found
