"""How many right and wrong samples does each cell have, in bins of certainty?

The bins are common to all cells: bin b holds the certainties in [e_b, e_{b+1}), and the first one
also what lies below. Up to `MAX_BINS` distinct certainties are bins of their own, and the counts
then say all that the samples say. Of more, the edges are quantiles, closer together at both ends.

Counts add up over blocks of samples, so that a cluster has those of one machine. The edges must be
known before: they are those of at most `MAX_SAMPLE` samples, whose positions are drawn once and for
all, one from each of as many equal parts, wherever blocks begin. So with more samples than that,
their order may move an edge to a neighbouring certainty.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._checks import check_boolean_vector, check_real_vector, check_same_length
from abstain.fronts.encoding import encode_cells
from abstain.fronts.staircases import Staircases, sorted_by_cell

__all__ = ["BinCounts", "count_in_bins", "find_edges", "sample_positions"]

MAX_BINS = 1024
MAX_SAMPLE = 1 << 16
# Entries of a table of cells by bins: with many cells there are fewer bins.
MAX_ENTRIES = 1 << 15
MIN_BINS = 128
# With so many samples in a bin, those at both ends are cut: few rejects, and few answers, count.
FINE = 8


@dataclass(frozen=True, eq=False)
class BinCounts:
    """The samples of each cell (rows) in each bin (columns), right and wrong ones apart.

    ``is_lossless`` tells whether every distinct certainty is a bin of its own.
    """

    cells: NDArray[Any]
    edges: NDArray[np.float64]
    right: NDArray[np.int64]
    wrong: NDArray[np.int64]
    is_lossless: bool

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.right.sum() + self.wrong.sum())

    @property
    def n_rejectable(self) -> int:
        """Number of bins that some threshold rejects: a certainty of +inf is below none."""
        return len(self.edges) - int(self.edges[-1] == np.inf)

    def bins(self, certainty: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the bin of each certainty."""
        return np.maximum(np.searchsorted(self.edges, certainty, side="right") - 1, 0)

    def staircases(self) -> Staircases:
        """Return a step of every cell for every number of its lowest bins, which it rejects."""
        n_cells, n_steps = len(self.cells), self.n_rejectable + 1
        counts = np.zeros((2, n_cells, n_steps), dtype=np.int64)
        np.cumsum(self.wrong[:, : n_steps - 1], axis=1, out=counts[0, :, 1:])
        np.cumsum(self.right[:, : n_steps - 1], axis=1, out=counts[1, :, 1:])
        thresholds = np.concatenate([[-np.inf], self.edges[1:n_steps], [np.inf]])[:n_steps]
        return Staircases(
            cells=self.cells,
            starts=np.arange(n_cells + 1) * n_steps,
            true_rejects=counts[0].ravel(),
            false_rejects=counts[1].ravel(),
            thresholds=np.tile(thresholds, n_cells),
            n_samples=self.n_samples,
            n_errors=int(self.wrong.sum()),
        )

    def best_staircases(self) -> Staircases:
        """Return the steps that thresholds anywhere could have at best.

        Where a bin holds several certainties, all its wrong samples may lie below all right ones.
        """
        n = self.n_rejectable
        caught = np.cumsum(self.wrong[:, :n], axis=1)
        lost = np.cumsum(self.right[:, :n], axis=1)
        if not self.is_lossless:
            lost -= self.right[:, :n]
        is_step = self.wrong[:, :n] > 0
        sizes = is_step.sum(axis=1)
        starts = np.concatenate([[0], np.cumsum(sizes + 1)])
        inner = np.ones(int(starts[-1]), dtype=bool)
        inner[starts[:-1]] = False
        steps = np.zeros((2, len(inner)), dtype=np.int64)
        steps[0, inner], steps[1, inner] = caught[is_step], lost[is_step]
        return Staircases(
            cells=self.cells,
            starts=starts,
            true_rejects=steps[0],
            false_rejects=steps[1],
            thresholds=np.zeros(len(inner)),  # nobody runs at these
            n_samples=self.n_samples,
            n_errors=int(self.wrong.sum()),
        )


def sample_positions(n_samples: int) -> NDArray[np.int64]:
    """Return the positions of the samples that give the edges, ascending.

    Every k-th one would see a single phase of whatever has that period.
    """
    if n_samples <= MAX_SAMPLE:
        return np.arange(n_samples)
    places = np.arange(MAX_SAMPLE) + np.random.default_rng(0).random(MAX_SAMPLE)
    return np.asarray(np.floor(places * (n_samples / MAX_SAMPLE)), dtype=np.int64)


def find_edges(sample: NDArray[np.float64], n_cells: int) -> tuple[NDArray[np.float64], bool]:
    """Return the lower ends of the bins, and whether each certainty of the sample is one."""
    values = np.unique(sample + 0.0)  # −0 is 0
    n_bins = min(MAX_BINS, max(MIN_BINS, MAX_ENTRIES // n_cells))
    if len(values) <= n_bins:
        return values, True
    ranks = np.arange(n_bins) * len(sample) // n_bins
    if len(sample) > FINE * n_bins:
        ends = 2 ** np.arange(int(np.log2(len(sample) / n_bins)))
        ranks = np.concatenate([ranks, ends, len(sample) - ends])
    return np.unique(np.sort(sample)[ranks] + 0.0), False


def count_in_bins(certainty: ArrayLike, correct: ArrayLike, cells: ArrayLike | None) -> BinCounts:
    """Check the three aligned arrays and count their samples."""
    values = check_real_vector("certainty", certainty)
    right = check_boolean_vector("correct", correct)
    check_same_length(certainty=values, correct=right)
    labels, codes = encode_cells(cells, n_samples=len(values))
    positions = sample_positions(len(values))
    edges, is_lossless = find_edges(values[positions], len(labels))
    counts = count_block(values, right, codes, len(labels), edges)
    return BinCounts(labels, edges, *counts, is_lossless and len(positions) == len(values))


def count_block(
    certainty: NDArray[np.float64],
    correct: NDArray[np.bool_],
    codes: NDArray[np.unsignedinteger[Any]],
    n_cells: int,
    edges: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the right and the wrong samples of each cell (rows) in each bin (columns)."""
    # Looking up few edges in sorted certainties is faster than all certainties among the edges.
    below = np.zeros((2, n_cells, len(edges) + 1), dtype=np.int64)
    for cell, parts in enumerate(sorted_by_cell(certainty, correct, codes, n_cells)):
        for kind, values in enumerate(parts):
            below[kind, cell, 1:-1] = np.searchsorted(values, edges[1:])
            below[kind, cell, -1] = len(values)
    wrong, right = np.diff(below, axis=2)
    return right, wrong


def add_counts(parts: Sequence[BinCounts], labels: NDArray[Any]) -> BinCounts:
    """Return the counts of all blocks, whose cells are among the labels."""
    first = parts[0]
    right = np.zeros((len(labels), len(first.edges)), dtype=np.int64)
    wrong = np.zeros_like(right)
    for part in parts:
        rows = np.searchsorted(labels, part.cells)
        right[rows] += part.right
        wrong[rows] += part.wrong
    return BinCounts(labels, first.edges, right, wrong, first.is_lossless)
