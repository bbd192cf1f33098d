"""Which values have given ranks among samples in several sorted parts?

Every k-th value of each part, its *sketch*, shows approximately where a rank lies. All values in a
bracket around it are then collected, together with the number of values below the bracket: that
gives the value of the rank exactly, for any division into parts. A bracket that misses its rank is
widened.

With every k_p-th value of part p, the error of its rank is less than k_p, with variance k_p² / 12.
So the brackets extend four times √(Σ k_p² / 12) to both sides.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Ranks = NDArray[np.int64]

WIDTH = 4.0


class Sketch(NamedTuple):
    """Sorted values, and the number of samples that each represents."""

    values: Values
    weights: Ranks
    variance: float  # Σ k_p² / 12
    shift: float  # mean number of samples up to a value, minus the sum of weights up to it

    @property
    def n_samples(self) -> int:
        """Number of samples of all parts."""
        return int(self.weights.sum())


class Brackets(NamedTuple):
    """Disjoint closed intervals in ascending order, and the interval expected for each rank."""

    low: Values
    high: Values
    of_rank: Ranks


class Inside(NamedTuple):
    """The number of samples below each bracket, the number in it, and the values in all of them."""

    below: Ranks
    sizes: Ranks
    values: Values


def sketch(part: Values, step: int) -> Sketch:
    """Return the middle of every ``step`` values of a sorted part."""
    starts = np.arange(0, len(part), step)
    weights = np.diff(starts, append=len(part))
    shift = (2 * (step // 2) + 1 - step) / 2
    return Sketch(part[starts + weights // 2], weights, (step**2 - 1) / 12, shift)


def merge_sketches(sketches: Sequence[Sketch]) -> Sketch:
    """Return the sketch of all parts."""
    values = np.concatenate([each.values for each in sketches])
    order = np.argsort(values)
    weights = np.concatenate([each.weights for each in sketches])
    variance = sum(each.variance for each in sketches)
    shift = sum(each.shift for each in sketches)
    return Sketch(values[order], weights[order], variance, shift)


def brackets(known: Sketch, ranks: Ranks, width: float = WIDTH) -> Brackets:
    """Return where ascending ranks are expected; overlapping brackets are merged."""
    ends = np.cumsum(known.weights).astype(np.float64)
    slack = width * np.sqrt(known.variance)
    if slack > 0:  # a value represents samples on both of its sides
        slack += 2 * known.weights.max()
        ends += known.shift
    values = np.concatenate([[-np.inf], known.values, [np.inf]])
    low = values[np.searchsorted(ends, ranks - slack, side="right") + int(slack == 0)]
    high = values[np.minimum(np.searchsorted(ends, ranks + slack, side="right") + 1, len(ends) + 1)]
    is_first = np.append(True, low[1:] > np.maximum.accumulate(high)[:-1])
    firsts = np.flatnonzero(is_first)
    return Brackets(low[firsts], np.maximum.reduceat(high, firsts), np.cumsum(is_first) - 1)


def collect_inside(parts: Sequence[Values], within: Brackets) -> Inside:
    """Return the samples of some sorted parts in the brackets."""
    first = np.array([np.searchsorted(part, within.low, side="left") for part in parts])
    last = np.array([np.searchsorted(part, within.high, side="right") for part in parts])
    starts = first + np.cumsum([0, *map(len, parts[:-1])])[:, np.newaxis]
    sizes = (last - first).ravel()
    begins = np.cumsum(sizes) - sizes
    picked = np.repeat(starts.ravel() - begins, sizes) + np.arange(sizes.sum())
    values = np.sort(np.concatenate(parts)[picked])
    return Inside(first.sum(axis=0), (last - first).sum(axis=0), values)


def merge_inside(collected: Sequence[Inside]) -> Inside:
    """Return the samples of all parts in the brackets."""
    below, sizes, values = zip(*collected, strict=True)
    return Inside(np.sum(below, axis=0), np.sum(sizes, axis=0), np.sort(np.concatenate(values)))


def pick(collected: Inside, within: Brackets, ranks: Ranks) -> Values | None:
    """Return the values at the ranks; None if one of them is outside its bracket."""
    position = ranks - collected.below[within.of_rank]
    sizes = collected.sizes[within.of_rank]
    if (position < 0).any() or (position >= sizes).any():
        return None
    starts = np.cumsum(collected.sizes) - collected.sizes
    return np.asarray(collected.values[starts[within.of_rank] + position])


def values_at_ranks(parts: Sequence[Values], known: Sketch, ranks: Ranks) -> Values:
    """Return the values at ascending ranks among the samples of all sorted parts."""
    width = WIDTH
    while True:
        within = brackets(known, ranks, width)
        values = pick(collect_inside(parts, within), within, ranks)
        if values is not None:
            return values
        width *= 4
