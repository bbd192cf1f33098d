"""Which values, and which rows, has a model not seen in its fit?

A model answers rows with a category that it has never seen, or a number outside the range of its
fit; a column in another unit would go unnoticed. So such rows are counted by column.

Of every row of the fit, the model keeps a hash of 64 bits; of many rows, those with the smallest
hashes, which are a random sample of the rows. The smallest hashes of a table then show how many of
its rows were in the fit. Rows with few features may be equal by chance: rows count as known only if
clearly more of them are than repeat each other in the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain.tables.values import as_categories, as_numbers

# For each column, its categories, or its lowest and its highest number.
ValuesOfFit = dict[str, list[Any]]
# For each column, the number of rows with unseen values, and one such value.
UnseenValues = dict[str, tuple[int, str | float]]
Hashes = NDArray[np.uint64]

MOST_HASHES = 4096
# A tenth of all rows, and twice as many as repeat others: that is more than chance.
_LEAST_SHARE, _TIMES_REPEATED = 0.1, 2.0
_MISSING = np.uint64(0x9E3779B97F4A7C15)


def values_of_fit(columns: pl.DataFrame) -> ValuesOfFit:
    """Return the categories or the range of each column; of an empty one, nothing."""
    values: ValuesOfFit = {}
    for column in columns:
        present = column.drop_nulls()
        if len(present):
            is_number = present.dtype.is_numeric()
            ends = [present.min(), present.max()]
            values[column.name] = ends if is_number else present.unique().sort().to_list()
    return values


def find_unseen(
    of_fit: ValuesOfFit, frame: pl.DataFrame, missing: Sequence[str] = ()
) -> UnseenValues:
    """Return in how many rows each column holds a value that is not in the fit, if any does."""
    unseen_values: UnseenValues = {}
    for name, values in of_fit.items():
        if isinstance(values[0], str):
            present = as_categories(frame[name], missing).drop_nulls()
            unseen = present.filter(~present.is_in(values))
        else:
            column = frame[name]
            is_plain = column.dtype == pl.Float64  # as nearly always
            unseen = _outside(column if is_plain else as_numbers(column, also=missing), *values)
        if len(unseen):
            unseen_values[name] = len(unseen), unseen[0]
    return unseen_values


def _outside(column: pl.Series, low: Any, high: Any) -> pl.Series:
    least: Any = column.min()
    greatest: Any = column.max()
    if least is None or (least >= low and greatest <= high):
        return column.clear()
    return column.filter((column < low) | (column > high))


class RowsOfFit(NamedTuple):
    """The smallest hashes of the rows of a fit, ascending, and the share that repeats others."""

    hashes: Hashes
    share_repeated: float


def rows_of_fit(frame: pl.DataFrame) -> RowsOfFit:
    """Return what a model keeps of the rows that it is fitted to."""
    distinct = np.unique(hash_rows(frame))
    return RowsOfFit(distinct[:MOST_HASHES], 1 - len(distinct) / max(frame.height, 1))


def share_known(of_fit: RowsOfFit, frame: pl.DataFrame) -> float:
    """Return the share of rows that were in the fit, or 0 if they may be equal by chance.

    Exact if the fit had at most ``MOST_HASHES`` rows, else estimated from the smallest hashes.
    """
    hashes = hash_rows(frame)
    if len(of_fit.hashes) == MOST_HASHES:
        hashes = hashes[hashes <= of_fit.hashes[-1]]
    share = float(np.isin(hashes, of_fit.hashes).mean()) if len(hashes) else 0.0
    return share if share > _LEAST_SHARE + _TIMES_REPEATED * of_fit.share_repeated else 0.0


def hash_rows(frame: pl.DataFrame) -> Hashes:
    """Return a hash of each row."""
    hashes = np.zeros(frame.height, dtype=np.uint64)
    for column in frame:
        hashes = _mix(hashes ^ _hash_values(column))
    return hashes


def _hash_values(column: pl.Series) -> Hashes:
    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64).to_numpy() + 0.0  # −0 is 0
        words = np.ascontiguousarray(numbers).view(np.uint64)
        return np.where(np.isnan(numbers), _MISSING, words)
    hash_of = {value: _hash_value(value) for value in column.unique().to_list()}
    return np.array([hash_of[value] for value in column.to_list()], dtype=np.uint64)


def _hash_value(value: object) -> int:
    if value is None:
        return int(_MISSING)
    return int.from_bytes(blake2b(str(value).encode(), digest_size=8).digest(), "little")


def _mix(words: Hashes) -> Hashes:
    """Return words in which every bit depends on all bits, one to one (SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
