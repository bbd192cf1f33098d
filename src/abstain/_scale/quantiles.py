"""Which values have given ranks among samples in several blocks?

Three passes, each a sum or a union over the blocks, find them exactly for any division into blocks:

1. Evenly spaced values of each sorted block are its sketch; evenly spaced values of all sketches
   are the *pivots*, with −inf and +inf.
2. How many samples are below each pivot, and how many are at most the pivot? A rank is then either
   at a pivot or in a known gap between two pivots.
3. Only the values in the gaps that contain a rank are collected: with r ranks and p pivots, about a
   share r / p of all samples, and never samples that are tied at a pivot.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._scale.computing import reduce_blocks
from abstain._scale.graphs import map_blocks

Values = NDArray[np.float64]
Ranks = NDArray[np.int64]

MAX_PIVOTS = 1 << 16
# Values in the sketches of all blocks together.
MAX_SKETCHES = 1 << 20


class Sketch(NamedTuple):
    """Values, and the number of samples that each represents."""

    values: Values
    weights: Ranks


def sketch_size(blocks: Sequence[Any]) -> int:
    """Return how many values the sketch of each block has."""
    return max(1, MAX_SKETCHES // len(blocks))


def values_at_ranks(blocks: Sequence[tuple[Any]], known: Sketch, ranks: Ranks) -> Values:
    """Return the values at ascending ranks, given the sketch of all blocks."""
    pivots = choose_pivots(known)
    counts = reduce_blocks(sum, map_blocks(count_at, blocks, pivots))
    pivot, is_inside = gaps_with_ranks(counts, ranks)
    gaps, collected = np.unique(pivot[is_inside]), np.zeros(0)
    if len(gaps):
        collected = reduce_blocks(_union, map_blocks(collect, blocks, pivots, gaps))
    return pick(collected, pivots, counts, ranks)


def _union(parts: Sequence[Values]) -> Values:
    return np.sort(np.concatenate(parts))


def sketch(block: Values, most: int) -> Sketch:
    """Return about that many evenly spaced values of a sorted block, denser at both ends.

    Without the ends, all blocks would leave out the same lowest and highest samples.
    """
    step = max(1, -(-len(block) // most))
    ends = 2 ** np.arange(step.bit_length())
    places = np.concatenate([np.arange(0, len(block), step), ends, len(block) - ends])
    places = np.unique(places[(places >= 0) & (places < len(block))])
    return Sketch(block[places], np.diff(places, append=len(block)))


def merge_sketches(sketches: Sequence[Sketch]) -> Sketch:
    """Return the sketch of all blocks, sorted."""
    values = np.concatenate([each.values for each in sketches])
    order = np.argsort(values)
    return Sketch(values[order], np.concatenate([each.weights for each in sketches])[order])


def choose_pivots(known: Sketch) -> Values:
    """Return distinct values that divide the samples into gaps of about equal size."""
    n_samples = int(known.weights.sum())
    ranks = np.arange(MAX_PIVOTS) * n_samples // MAX_PIVOTS
    chosen = np.unique(np.searchsorted(np.cumsum(known.weights), ranks, side="right"))
    return np.unique(np.concatenate([[-np.inf], known.values[chosen], [np.inf]]))


def count_at(pivots: Values, block: Any) -> Ranks:
    """Return how many samples of a block are below each pivot, and how many at most it."""
    values = np.sort(np.asarray(block, dtype=np.float64))
    return np.array([np.searchsorted(values, pivots, side) for side in ("left", "right")])


def gaps_with_ranks(counts: Ranks, ranks: Ranks) -> tuple[Ranks, NDArray[np.bool_]]:
    """Return the last pivot that is not beyond each rank, and whether the rank is in the gap after.

    Elsewhere the rank is at the pivot itself.
    """
    below, up_to = counts
    pivot = np.searchsorted(below, ranks, side="right") - 1
    return pivot, ranks >= up_to[pivot]


def collect(pivots: Values, gaps: Ranks, block: Any) -> Values:
    """Return the values of a block that lie in the gaps after the given pivots."""
    values = np.sort(np.asarray(block, dtype=np.float64))
    first = np.searchsorted(values, pivots[gaps], side="right")
    last = np.searchsorted(values, pivots[gaps + 1], side="left")
    return np.concatenate([values[start:end] for start, end in zip(first, last, strict=True)])


def pick(collected: Values, pivots: Values, counts: Ranks, ranks: Ranks) -> Values:
    """Return the values at the ranks, given all values in the gaps that contain one, sorted."""
    below, up_to = counts
    pivot, is_inside = gaps_with_ranks(counts, ranks)
    values = pivots[pivot]
    gaps = np.unique(pivot[is_inside])
    sizes = below[gaps + 1] - up_to[gaps]
    starts = np.cumsum(sizes) - sizes
    inside = pivot[is_inside]
    position = starts[np.searchsorted(gaps, inside)] + ranks[is_inside] - up_to[inside]
    values[is_inside] = collected[position]
    return np.asarray(values)
