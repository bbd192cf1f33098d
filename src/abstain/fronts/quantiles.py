"""Which values stand at given ranks, of samples that lie in several sorted parts?

Every k-th value of each part, its *sketch*, tells about where a rank lies. The values of all parts
in a bracket around it are then collected, with how many lie below: that gives the value at the rank
exactly, in whatever parts the samples lie. A bracket that misses its rank is widened.

With k_p the distance in part p, a part is wrong about a rank by less than k_p, and by k_p² / 12 on
average of squares. So the brackets are four times √(Σ k_p² / 12) wide on both sides.
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
    """Some values of some parts, ascending, and how many samples each stands for."""

    values: Values
    weights: Ranks
    variance: float  # Σ k_p² / 12
    shift: float  # how many more samples there are up to a value than the weights say, on average

    @property
    def n_samples(self) -> int:
        """Number of samples of all parts."""
        return int(self.weights.sum())


class Brackets(NamedTuple):
    """Disjoint closed intervals, ascending, and the one in which each rank should lie."""

    low: Values
    high: Values
    of_rank: Ranks


class Inside(NamedTuple):
    """How many samples lie below each bracket, how many in it, and the values of these."""

    below: Ranks
    sizes: Ranks
    values: Values


def sketch(part: Values, step: int) -> Sketch:
    """Return the middle one of every so many values of a sorted part."""
    starts = np.arange(0, len(part), step)
    weights = np.diff(starts, append=len(part))
    shift = (2 * (step // 2) + 1 - step) / 2
    return Sketch(part[starts + weights // 2], weights, (step**2 - 1) / 12, shift)


def merge_sketches(sketches: Sequence[Sketch]) -> Sketch:
    """Return the sketch of all parts."""
    values = np.concatenate([each.values for each in sketches])
    order = np.argsort(values)
    weights = np.concatenate([each.weights for each in sketches])
    variance, shift = (
        sum(each.variance for each in sketches),
        sum(each.shift for each in sketches),
    )
    return Sketch(values[order], weights[order], variance, shift)


def brackets(known: Sketch, ranks: Ranks, width: float = WIDTH) -> Brackets:
    """Return where ascending ranks should lie; brackets that meet are one."""
    ends = np.cumsum(known.weights).astype(np.float64)
    slack = width * np.sqrt(known.variance)
    if slack > 0:  # a value stands for samples on both of its sides
        slack += 2 * known.weights.max()
        ends += known.shift
    values = np.concatenate([[-np.inf], known.values, [np.inf]])
    low = values[np.searchsorted(ends, ranks - slack, side="right") + int(slack == 0)]
    high = values[np.minimum(np.searchsorted(ends, ranks + slack, side="right") + 1, len(ends) + 1)]
    is_first = np.append(True, low[1:] > np.maximum.accumulate(high)[:-1])
    firsts = np.flatnonzero(is_first)
    return Brackets(low[firsts], np.maximum.reduceat(high, firsts), np.cumsum(is_first) - 1)


def collect_inside(parts: Sequence[Values], within: Brackets) -> Inside:
    """Return what some sorted parts have in the brackets."""
    first = np.array([np.searchsorted(part, within.low, side="left") for part in parts])
    last = np.array([np.searchsorted(part, within.high, side="right") for part in parts])
    starts = first + np.cumsum([0, *map(len, parts[:-1])])[:, np.newaxis]
    sizes = (last - first).ravel()
    begins = np.cumsum(sizes) - sizes
    picked = np.repeat(starts.ravel() - begins, sizes) + np.arange(sizes.sum())
    values = np.sort(np.concatenate(parts)[picked])
    return Inside(first.sum(axis=0), (last - first).sum(axis=0), values)


def merge_inside(collected: Sequence[Inside]) -> Inside:
    """Return what all parts have in the brackets."""
    below, sizes, values = zip(*collected, strict=True)
    return Inside(np.sum(below, axis=0), np.sum(sizes, axis=0), np.sort(np.concatenate(values)))


def pick(collected: Inside, within: Brackets, ranks: Ranks) -> Values | None:
    """Return the values at the ranks; None if one of them lies outside its bracket."""
    place = ranks - collected.below[within.of_rank]
    sizes = collected.sizes[within.of_rank]
    if (place < 0).any() or (place >= sizes).any():
        return None
    starts = np.cumsum(collected.sizes) - collected.sizes
    return np.asarray(collected.values[starts[within.of_rank] + place])


def values_at_ranks(parts: Sequence[Values], known: Sketch, ranks: Ranks) -> Values:
    """Return the values at ascending ranks among all samples of sorted parts."""
    width = WIDTH
    while True:
        within = brackets(known, ranks, width)
        values = pick(collect_inside(parts, within), within, ranks)
        if values is not None:
            return values
        width *= 4
