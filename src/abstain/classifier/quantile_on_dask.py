"""What is a high quantile of values that lie in blocks, exactly?

It lies between two order statistics, and all values from the lower one on tell it. To find these
without sorting everything in one place, each block names every so-manieth of its sorted values,
with how many of its own there are from it up to the next that is named. All of these are at least
what was named: so if counts are added from the highest named value downwards until they reach the
number of values that is needed, the value named last is below as many or more. A second pass
merges the values from there on. They are few more than the quantile leaves above it.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._scale.blocks import block_by_block, gathered, merged

__all__ = ["quantile_on_dask"]

# Into how many parts a block is cut: more name more values, and leave fewer to be merged.
PARTS = 1000


class _Named(NamedTuple):
    values: NDArray[np.float64]
    counts: NDArray[np.int64]


def quantile_on_dask(blocks: Sequence[Any], n_values: int, share: float) -> float:
    """Return what ``numpy.quantile`` would of the values of all blocks, bit for bit."""
    ones = [(block,) for block in blocks]
    at = (n_values - 1) * share
    n_needed = n_values - int(at)  # from the lower of the two between which it lies
    named: _Named = gathered(merged(_join, block_by_block(_name, ones)))
    order = np.argsort(-named.values)
    last = np.searchsorted(np.cumsum(named.counts[order]), n_needed)
    least = float(named.values[order][last])
    highest = merged(partial(_highest, n_needed), block_by_block(_values_from, ones, least))
    two = np.sort(_highest(n_needed, [gathered(highest)]))[:2]
    return float(np.quantile(two, at - int(at)))


def _name(values: NDArray[np.float64]) -> _Named:
    step = -(-len(values) // PARTS) or 1
    starts = np.arange(0, len(values), step)
    return _Named(np.sort(values)[starts], np.diff(np.append(starts, len(values))))


def _join(parts: Sequence[_Named]) -> _Named:
    return _Named(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _values_from(least: float, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[values >= least]


def _highest(n_needed: int, parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    values = np.concatenate(parts)
    first = max(len(values) - n_needed, 0)
    return np.partition(values, first)[first:] if len(values) else values
