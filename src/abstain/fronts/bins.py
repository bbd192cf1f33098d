"""How many right and wrong samples does each cell have, in bins of certainty?

The bins are common to all cells: bin b holds the certainties in [e_b, e_{b+1}), and the first bin
also everything below. Up to `MAX_BINS` distinct certainties have one bin each, so that the counts
lose nothing. With more, the edges are quantiles, closer together at both ends.

Counts add up over blocks of samples, and the quantiles are exact for any division into blocks (see
`_scale.quantiles`). So neither the order of the samples nor a cluster changes a count.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import (
    check_boolean_vector,
    check_real_vector,
    check_same_length,
    merge_labels,
)
from abstain._core.errors import InputError
from abstain._scale.blocks import aligned_blocks
from abstain._scale.computing import reduce_blocks
from abstain._scale.graphs import map_blocks
from abstain._scale.quantiles import Sketch, merge_sketches, sketch, sketch_size, values_at_ranks
from abstain.fronts.chunked import checked_chunk
from abstain.fronts.staircases import Staircases, codes_with_correctness, encode_cells
from abstain.fronts.weights import WeightedSamples

MAX_BINS = 1024
# Number of ranks that the ends of the bins divide.
MAX_RANKS = 1 << 16
# Entries of a table of cells by bins, which limits the number of bins for many cells.
MAX_ENTRIES = 1 << 15
MIN_BINS = 128
# With more samples per bin than this, the bins at both ends are divided, since the ends of a front
# depend on few samples.
FINE = 8


@dataclass(frozen=True, eq=False)
class BinCounts:
    """The number of right and of wrong samples of each cell (rows) in each bin (columns).

    ``is_lossless`` is True if every distinct certainty has its own bin. With weights,
    ``right_weight`` and ``wrong_weight`` are sums of weights in multiples of ``unit``.
    """

    cells: NDArray[Any]
    edges: NDArray[np.float64]
    right: NDArray[np.int64]
    wrong: NDArray[np.int64]
    is_lossless: bool
    right_weight: NDArray[np.int64] | None = None
    wrong_weight: NDArray[np.int64] | None = None
    unit: float = 1

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.right.sum() + self.wrong.sum())

    @property
    def weights(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The weights of right and of wrong samples; without weights, their numbers."""
        if self.right_weight is None or self.wrong_weight is None:
            return self.right, self.wrong
        return self.right_weight, self.wrong_weight

    def mean_weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mean weights of right and of wrong samples of each cell, and last of all.

        A cell without such samples has the mean of all cells.
        """
        right, wrong = (
            _mean_weights(weight, size)
            for weight, size in zip(self.weights, (self.right, self.wrong), strict=True)
        )
        return right, wrong

    @property
    def n_rejectable(self) -> int:
        """Number of bins that a threshold can reject: a certainty of +inf is below none."""
        return len(self.edges) - int(self.edges[-1] == np.inf)

    def bins(self, certainty: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the bin of each certainty."""
        return np.maximum(np.searchsorted(self.edges, certainty, side="right") - 1, 0)

    def without_cells(self) -> BinCounts:
        """Return the counts of all cells together."""
        return replace(
            self,
            cells=np.zeros(1, dtype=np.int64),
            right=self.right.sum(axis=0, keepdims=True),
            wrong=self.wrong.sum(axis=0, keepdims=True),
            right_weight=None
            if self.right_weight is None
            else self.right_weight.sum(axis=0, keepdims=True),
            wrong_weight=None
            if self.wrong_weight is None
            else self.wrong_weight.sum(axis=0, keepdims=True),
        )

    def staircases(self) -> Staircases:
        """Return staircases whose steps reject the lowest 0, 1, 2, … bins of a cell."""
        n_cells, n_steps = len(self.cells), self.n_rejectable + 1
        right, wrong = self.weights
        counts = np.zeros((2, n_cells, n_steps), dtype=np.int64)
        np.cumsum(wrong[:, : n_steps - 1], axis=1, out=counts[0, :, 1:])
        np.cumsum(right[:, : n_steps - 1], axis=1, out=counts[1, :, 1:])
        thresholds = np.concatenate([[-np.inf], self.edges[1:n_steps], [np.inf]])[:n_steps]
        return Staircases(
            cells=self.cells,
            starts=np.arange(n_cells + 1) * n_steps,
            true_rejects=counts[0].ravel(),
            false_rejects=counts[1].ravel(),
            thresholds=np.tile(thresholds, n_cells),
            n_samples=int(right.sum() + wrong.sum()),
            n_errors=int(wrong.sum()),
            unit=self.unit,
        )

    def best_staircases(self) -> Staircases:
        """Return the best steps that thresholds within bins could have.

        If a bin holds several certainties, all its wrong samples may lie below all its right ones.
        """
        n = self.n_rejectable
        right, wrong = self.weights
        true_rejects = np.cumsum(wrong[:, :n], axis=1)
        false_rejects = np.cumsum(right[:, :n], axis=1)
        if not self.is_lossless:
            false_rejects -= right[:, :n]
        cell, bins = np.nonzero(wrong[:, :n])
        return Staircases.of_steps(
            self.cells,
            cell,
            true_rejects[cell, bins],
            false_rejects[cell, bins],
            np.zeros(len(cell)),  # not used
            n_samples=int(right.sum() + wrong.sum()),
            n_errors=int(wrong.sum()),
            unit=self.unit,
        )


def _mean_weights(weight: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.float64]:
    n, total = (np.append(table.sum(axis=1), table.sum()) for table in (size, weight))
    of_all = total[-1] / n[-1] if n[-1] else 1.0
    return np.where(n > 0, total / np.maximum(n, 1), of_all)


def number_of_bins(n_cells: int) -> int:
    """Return the maximum number of bins, not counting the divided bins at both ends."""
    return min(MAX_BINS, max(MIN_BINS, MAX_ENTRIES // n_cells))


def edge_ranks(n_samples: int, n_bins: int) -> NDArray[np.int64]:
    """Return the ranks of the certainties at which bins begin, in ascending order."""
    n = min(n_samples, MAX_RANKS)
    ranks = np.arange(n_bins) * n // n_bins
    if n > FINE * n_bins:
        ends = 2 ** np.arange(int(np.log2(n / n_bins)))
        ranks = np.unique(np.concatenate([ranks, ends, n - ends]))
    return np.asarray(ranks * n_samples // n, dtype=np.int64)


def distinct_values(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distinct ones of sorted values, at most one more than bins are allowed."""
    is_new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return np.asarray(ordered[is_new][: MAX_BINS + 1])


def count_in_bins(
    certainty: ArrayLike,
    correct: ArrayLike,
    cells: ArrayLike | None,
    units: NDArray[np.int64] | None = None,
) -> BinCounts:
    """Check the three aligned arrays, count their samples in bins and add up whole weights.

    One `argsort` of the certainties puts the samples of each bin side by side; only small integers,
    the cell and the correctness of each sample, then follow that order.
    """
    values = check_real_vector("certainty", certainty)
    right = check_boolean_vector("correct", correct)
    check_same_length(certainty=values, correct=right)
    labels, codes = encode_cells(cells, n_samples=len(values))
    order, n_bins = np.argsort(values), number_of_bins(len(labels))
    edges, is_lossless = _edges(values, order, n_bins)
    keys = np.take(codes_with_correctness(codes, right, len(labels)), order)
    starts = np.searchsorted(values, edges[1:], sorter=order).tolist()
    counts = np.empty((len(edges), 2 * len(labels)), dtype=np.int64)
    for row, (start, end) in enumerate(pairwise([0, *starts, len(keys)])):
        counts[row] = np.bincount(keys[start:end], minlength=2 * len(labels))
    in_bins = BinCounts(
        labels, edges, counts[:, 1::2].T.copy(), counts[:, ::2].T.copy(), is_lossless
    )
    if units is None:
        return in_bins
    place = codes * np.int64(len(edges)) + in_bins.bins(values)
    right_weight, wrong_weight = (
        np.bincount(place[members], units[members], minlength=in_bins.right.size)
        .astype(np.int64)
        .reshape(in_bins.right.shape)
        for members in (right, ~right)
    )
    return replace(in_bins, right_weight=right_weight, wrong_weight=wrong_weight)


def count_weights_in_bins(samples: WeightedSamples) -> BinCounts:
    """Count samples in bins, and add up their weights."""
    counts = count_in_bins(samples.certainty, samples.correct, samples.cells, samples.counts)
    return replace(counts, unit=samples.unit)


def _edges(
    values: NDArray[np.float64], order: NDArray[np.int64], n_bins: int
) -> tuple[NDArray[np.float64], bool]:
    """Return the lower ends of the bins, and whether every distinct certainty is one of them."""
    if len(np.unique(values[: 4 * MAX_BINS])) <= n_bins:
        edges = distinct_values(values[order])
        if len(edges) <= n_bins:
            return edges + 0.0, True  # −0 becomes 0
    return np.unique(values[order[edge_ranks(len(values), n_bins)]]) + 0.0, False


def count_parts(
    by_cell: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]], edges: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of right and wrong samples of each cell (rows) in each bin (columns)."""
    # Searching the edges in sorted certainties is faster than each certainty among the edges.
    below = np.zeros((2, len(by_cell), len(edges) + 1), dtype=np.int64)
    for cell, parts in enumerate(by_cell):
        for kind, values in enumerate(parts):
            below[kind, cell, 1:-1] = np.searchsorted(values, edges[1:])
            below[kind, cell, -1] = len(values)
    wrong, right = np.diff(below, axis=2)
    return right, wrong


def add_counts(labels: NDArray[Any], parts: Sequence[BinCounts]) -> BinCounts:
    """Return the sums over all blocks; their cells are among the labels."""
    first = parts[0]
    right = np.zeros((len(labels), len(first.edges)), dtype=np.int64)
    wrong = np.zeros_like(right)
    for part in parts:
        rows = np.searchsorted(labels, part.cells)
        right[rows] += part.right
        wrong[rows] += part.wrong
    return BinCounts(labels, first.edges, right, wrong, first.is_lossless)


# --- Dask arrays --------------------------------------------------------------------------------


class _Contents(NamedTuple):
    """The cells of some blocks, a sketch of their certainties, and the distinct ones if few."""

    labels: NDArray[Any]
    sketch: Sketch
    distinct: NDArray[np.float64]


def count_in_bins_on_dask(certainty: Any, correct: Any, cells: Any = None) -> BinCounts:
    """Return the counts of Dask arrays with the same chunks: those of one machine."""
    blocks = aligned_blocks(certainty=certainty, correct=correct, cells=cells)
    contents: _Contents = reduce_blocks(
        _merge_contents, map_blocks(_contents, blocks, sketch_size(blocks))
    )
    n_samples = int(contents.sketch.weights.sum())
    if not n_samples:
        raise InputError("certainty must hold at least one sample, got 0")
    n_bins, edges = number_of_bins(len(contents.labels)), contents.distinct
    is_lossless = len(edges) <= n_bins
    if not is_lossless:
        ranks = edge_ranks(n_samples, n_bins)
        certainties = [block[:1] for block in blocks]
        edges = np.unique(values_at_ranks(certainties, contents.sketch, ranks)) + 0.0
    parts = map_blocks(_count, blocks, edges, is_lossless)
    counts: BinCounts = reduce_blocks(partial(add_counts, contents.labels), parts)
    return counts


def _contents(sketch_size: int, certainty: Any, correct: Any, cells: Any = None) -> _Contents:
    chunk = checked_chunk(certainty, correct, cells)
    values = np.sort(chunk.certainty) + 0.0
    return _Contents(chunk.labels, sketch(values, sketch_size), distinct_values(values))


def _merge_contents(parts: Sequence[_Contents]) -> _Contents:
    return _Contents(
        merge_labels("cells", [part.labels for part in parts]),
        merge_sketches([part.sketch for part in parts]),
        distinct_values(np.sort(np.concatenate([part.distinct for part in parts]))),
    )


def _count(
    edges: NDArray[np.float64], is_lossless: bool, certainty: Any, correct: Any, cells: Any = None
) -> BinCounts:
    chunk = checked_chunk(certainty, correct, cells)
    return BinCounts(chunk.labels, edges, *count_parts(chunk.by_cell(), edges), is_lossless)
