"""What is a high quantile of values in blocks, exactly?

It lies between two order statistics, and follows from all values at or above the lower one. To find
these without sorting all values in one place, each block lists every k-th of its sorted values,
with the number of its values from that one up to the next listed one. If these counts are added
from the largest listed value downwards until they reach the number of values that are needed, at
least as many values are not below the last one. A second pass merges the values from there on,
hardly more than there are above the quantile.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._scale.computing import reduce_blocks
from abstain._scale.graphs import map_blocks

# Values that a block lists: with more of them, fewer are merged in the second pass.
LISTED = 1000


class _Listed(NamedTuple):
    values: NDArray[np.float64]
    counts: NDArray[np.int64]


def quantile_on_dask(blocks: Sequence[Any], n_values: int, share: float) -> float:
    """Return ``numpy.quantile`` of the values of all blocks, bit for bit."""
    ones = [(block,) for block in blocks]
    rank = (n_values - 1) * share
    n_needed = n_values - int(rank)  # from the lower of the two order statistics on
    listed: _Listed = reduce_blocks(_join, map_blocks(_list_values, ones))
    order = np.argsort(-listed.values)
    last = np.searchsorted(np.cumsum(listed.counts[order]), n_needed)
    lowest = float(listed.values[order][last])
    parts = map_blocks(_values_from, ones, lowest)
    highest = _highest(n_needed, [reduce_blocks(partial(_highest, n_needed), parts)])
    return float(np.quantile(np.sort(highest)[:2], rank - int(rank)))


def _list_values(values: NDArray[np.float64]) -> _Listed:
    step = -(-len(values) // LISTED) or 1
    starts = np.arange(0, len(values), step)
    return _Listed(np.sort(values)[starts], np.diff(np.append(starts, len(values))))


def _join(parts: Sequence[_Listed]) -> _Listed:
    return _Listed(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _values_from(lowest: float, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[values >= lowest]


def _highest(n_needed: int, parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    values = np.concatenate(parts)
    first = max(len(values) - n_needed, 0)
    return np.partition(values, first)[first:] if len(values) else values
