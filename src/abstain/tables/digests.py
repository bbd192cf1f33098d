"""Has a model been fitted to a row before?

Of every row the model keeps a digest of 64 bits; of many, only those with the smallest digests.
That is a fair sample: which rows it holds does not depend on what they say. A table then tells by
its own smallest digests how many of its rows are known.

Rows of few features may be equal by chance. As many as repeat each other among those of the fit can
be expected of new ones too, so that a table is known only if clearly more of its rows are.
"""

from __future__ import annotations  # signatures then show the names of types

from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["Kept", "keep_digests", "row_digests", "share_known"]

Digests = NDArray[np.uint64]

MOST = 4096
# A tenth of all rows, and twice as many as repeat others: that is more than chance.
LEAST, CLEARLY = 0.1, 2.0
_MISSING = np.uint64(0x9E3779B97F4A7C15)


class Kept(NamedTuple):
    """The smallest digests of some rows, ascending, and the share of rows that repeat others."""

    digests: Digests
    share_repeated: float


def row_digests(frame: pl.DataFrame) -> Digests:
    """Return a digest of each row: equal for equal rows, and hardly ever for others."""
    digests = np.zeros(frame.height, dtype=np.uint64)
    for column in frame:
        digests = _mixed(digests ^ _words(column))
    return digests


def _words(column: pl.Series) -> Digests:
    """Return 64 bits for each value."""
    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64).to_numpy() + 0.0  # −0 is 0
        words = np.ascontiguousarray(numbers).view(np.uint64)
        return np.where(np.isnan(numbers), _MISSING, words)
    distinct = column.unique().to_list()
    words_of = {value: _word(value) for value in distinct}
    return np.array([words_of[value] for value in column.to_list()], dtype=np.uint64)


def _word(value: object) -> int:
    if value is None:
        return int(_MISSING)
    return int.from_bytes(blake2b(str(value).encode(), digest_size=8).digest(), "little")


def _mixed(words: Digests) -> Digests:
    """Return words in which every bit depends on all bits, one to one (SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def keep_digests(frame: pl.DataFrame) -> Kept:
    """Return what is kept of the rows that a model is fitted to."""
    distinct = np.unique(row_digests(frame))
    return Kept(distinct[:MOST], 1 - len(distinct) / max(frame.height, 1))


def share_known(kept: Kept, frame: pl.DataFrame) -> float:
    """Return the share of rows that are known, or 0 if they may be so by chance.

    Exact while all were kept; else as the rows tell whose digests are small enough.
    """
    digests = row_digests(frame)
    if len(kept.digests) == MOST:
        digests = digests[digests <= kept.digests[-1]]
    share = float(np.isin(digests, kept.digests).mean()) if len(digests) else 0.0
    return share if share > LEAST + CLEARLY * kept.share_repeated else 0.0
