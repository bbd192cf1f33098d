"""How many samples of a stream did each cell have lately, in bins of certainty?

Three numbers for each cell and bin, all of them sums of weights 2^(−age / half_life): of the
samples *seen*, and of those whose label is known, the *right* and the *wrong* ones. The samples of
one block have one age: how many samples were seen after the block.

The bins are common to all cells, as in `fronts.bins`: up to `MAX_BINS` distinct certainties have
one bin each. With more, the edges are quantiles of the histograms and of the last certainties, and
they move when too many of the last certainties fall in one bin. What an old bin holds is then
divided among the new ones as the last certainties in it are.

Labels may be missing at random given certainty and cell, such as those of rejected samples. So the
unlabelled samples of a bin are taken to be wrong as often as the labelled ones:

    wrong of all = w · min(1, s / l) + max(s − l, 0) · (w + κ p) / (l + κ),     l = r + w,

s, r, w the samples seen, right and wrong, and p the probability that the curves estimate; it
decides where nothing is labelled.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.bins import MAX_RANKS, BinCounts, edge_ranks

Array = NDArray[np.float64]
MAX_BINS = 128
# The certainties that new edges are computed from, and how often these are compared with the edges.
MAX_RECENT, CHECK_EVERY = 2048, 256
# Of the last certainties, relative to the same number in each bin.
MOST_CROWDED = 4.0
# How many labels the estimate of the curves counts in a bin that has unlabelled samples: κ.
PRIOR_LABELS = 1.0


@dataclass(frozen=True, eq=False)
class Histograms:
    """Sums of weights by cell (rows) and bin (columns), and what the edges follow from.

    ``recent`` are the last certainties, of ``n_values`` in all. ``is_lossless`` is True while every
    distinct certainty has its own bin.
    """

    edges: Array
    seen: Array
    right: Array
    wrong: Array
    recent: Array
    n_values: int
    is_lossless: bool

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.seen)

    @property
    def labelled(self) -> Array:
        """Weight of the samples whose label is known."""
        return self.right + self.wrong

    def bins(self, certainty: Array) -> NDArray[np.int64]:
        """Return the bin of each certainty."""
        return _bins(self.edges, certainty)


def no_histograms() -> Histograms:
    """Return the histograms before the first sample."""
    empty = np.zeros((0, 0))
    return Histograms(np.zeros(0), empty, empty, empty, np.zeros(0), 0, True)


def _bins(edges: Array, certainty: Array) -> NDArray[np.int64]:
    return np.maximum(np.searchsorted(edges, certainty, side="right") - 1, 0)


# --- samples ------------------------------------------------------------------------------------


def scaled(histograms: Histograms, factors: float | Array) -> Histograms:
    """Return the histograms with all weights times one factor, or one for each cell."""
    by_row = np.broadcast_to(np.asarray(factors, np.float64), histograms.n_cells)[:, np.newaxis]
    return replace(
        histograms,
        seen=histograms.seen * by_row,
        right=histograms.right * by_row,
        wrong=histograms.wrong * by_row,
    )


def add_seen(histograms: Histograms, certainty: Array, cells: NDArray[np.int64]) -> Histograms:
    """Return the histograms with more samples seen; cells are rows, new ones included."""
    known = _grown(_with_edges_for(histograms, certainty), int(cells.max()) + 1)
    return replace(known, seen=known.seen + _sums(known, certainty, cells))


def add_labels(
    histograms: Histograms,
    certainty: Array,
    cells: NDArray[np.int64],
    correct: NDArray[np.bool_],
    weights: Array | None = None,
) -> Histograms:
    """Return the histograms with the labels of samples that were seen, now or earlier."""
    right, wrong = (
        _sums(histograms, certainty[one], cells[one], None if weights is None else weights[one])
        for one in (correct, ~correct)
    )
    return replace(histograms, right=histograms.right + right, wrong=histograms.wrong + wrong)


def _sums(
    histograms: Histograms,
    certainty: Array,
    cells: NDArray[np.int64],
    weights: Array | None = None,
) -> Array:
    place = cells * len(histograms.edges) + histograms.bins(certainty)
    sums = np.bincount(place, weights, minlength=histograms.seen.size)
    return np.asarray(sums, np.float64).reshape(histograms.seen.shape)


def _grown(histograms: Histograms, n_cells: int) -> Histograms:
    more = n_cells - histograms.n_cells
    if more <= 0:
        return histograms
    rows = np.zeros((more, len(histograms.edges)))
    seen, right, wrong = (
        np.vstack([known, rows]) for known in (histograms.seen, histograms.right, histograms.wrong)
    )
    return replace(histograms, seen=seen, right=right, wrong=wrong)


def take_cells(histograms: Histograms, rows: NDArray[np.int64]) -> Histograms:
    """Return the histograms of some cells, in this order; -1 is a cell without samples."""
    seen, right, wrong = (
        np.where(rows[:, np.newaxis] < 0, 0.0, np.vstack([known, np.zeros(known.shape[1])])[rows])
        for known in (histograms.seen, histograms.right, histograms.wrong)
    )
    return replace(histograms, seen=seen, right=right, wrong=wrong)


def merge_histograms(one: Histograms, other: Histograms) -> Histograms:
    """Return the sums of two histograms with the same cells."""
    recent = np.concatenate([one.recent, other.recent])[-MAX_RECENT:]
    edges, is_lossless = np.union1d(one.edges, other.edges), one.is_lossless and other.is_lossless
    one, other = _rebinned(one, edges), _rebinned(other, edges)
    both = Histograms(
        edges,
        one.seen + other.seen,
        one.right + other.right,
        one.wrong + other.wrong,
        recent,
        one.n_values + other.n_values,
        is_lossless and len(edges) <= MAX_BINS,
    )
    return both if both.is_lossless else _rebinned(both, _quantiles(both, recent))


# --- edges --------------------------------------------------------------------------------------


def _with_edges_for(histograms: Histograms, certainty: Array) -> Histograms:
    """Return the histograms with edges that suit more certainties, and these among the last."""
    recent = np.concatenate([histograms.recent, certainty])[-MAX_RECENT:]
    n_before, n_values = histograms.n_values, histograms.n_values + len(certainty)
    edges, is_lossless = histograms.edges, histograms.is_lossless
    if is_lossless:
        edges = np.union1d(edges, certainty + 0.0)  # −0 becomes 0
        if len(edges) > MAX_BINS:
            edges, is_lossless = _quantiles(histograms, recent), False
    elif n_before // CHECK_EVERY != n_values // CHECK_EVERY and _is_crowded(edges, recent):
        edges = _quantiles(histograms, recent)
    known = _rebinned(histograms, edges) if len(histograms.edges) else _empty(edges)
    return replace(known, recent=recent, n_values=n_values, is_lossless=is_lossless)


def _empty(edges: Array) -> Histograms:
    table = np.zeros((0, len(edges)))
    return replace(no_histograms(), edges=edges, seen=table, right=table, wrong=table)


def _is_crowded(edges: Array, recent: Array) -> bool:
    """Return whether one bin has too many certainties that a further edge could tell apart."""
    bins = _bins(edges, recent)
    inside = np.bincount(bins[recent != edges[bins]], minlength=len(edges))
    return bool(inside.max() > MOST_CROWDED * len(recent) / len(edges))


def _quantiles(histograms: Histograms, recent: Array) -> Array:
    """Return edges at quantiles; the histograms and the last certainties count the same."""
    seen = histograms.seen.sum(axis=0)
    points = np.concatenate([histograms.edges, recent + 0.0])
    weights = np.concatenate([seen / max(seen.sum(), 1.0), np.full(len(recent), 1 / len(recent))])
    order = np.argsort(points)
    ranks = np.cumsum(weights[order])
    sought = edge_ranks(MAX_RANKS, MAX_BINS) / MAX_RANKS * ranks[-1]
    first = np.minimum(np.searchsorted(ranks, sought, side="right"), len(points) - 1)
    return np.unique(points[order][first])


def _rebinned(histograms: Histograms, edges: Array) -> Histograms:
    """Return the histograms in other bins."""
    old = histograms.edges
    if np.array_equal(old, edges):
        return histograms
    shares = np.zeros((len(old), len(edges)))
    np.add.at(shares, (_bins(old, histograms.recent), _bins(edges, histograms.recent)), 1.0)
    # Bins without any of the last certainties go where their lower edge is.
    unknown = np.flatnonzero(shares.sum(axis=1) == 0)
    shares[unknown, _bins(edges, old[unknown])] = 1.0
    shares /= shares.sum(axis=1, keepdims=True)
    return replace(
        histograms,
        edges=edges,
        seen=histograms.seen @ shares,
        right=histograms.right @ shares,
        wrong=histograms.wrong @ shares,
    )


# --- counts -------------------------------------------------------------------------------------


def labelled_counts(histograms: Histograms) -> tuple[BinCounts, NDArray[np.int64]]:
    """Return whole numbers of right and wrong samples, without bins in which nothing is labelled.

    With them, the position of each bin among those that are left: the next one below, or the first.
    """
    counts, bins = _counts(histograms, histograms.right, histograms.wrong)
    is_left = np.isin(np.arange(len(histograms.edges)), bins)
    return counts, np.maximum(np.cumsum(is_left) - 1, 0)


def seen_counts(
    histograms: Histograms, probability_wrong: Array
) -> tuple[BinCounts, NDArray[np.int64]]:
    """Return whole numbers of all samples seen, without empty bins, and the bins that are left.

    Which of the unlabelled samples are wrong is estimated.
    """
    seen, labelled, wrong = histograms.seen, histograms.labelled, histograms.wrong
    rest = np.maximum(seen - labelled, 0.0)
    rate = (wrong + PRIOR_LABELS * probability_wrong) / (labelled + PRIOR_LABELS)
    share = np.divide(np.minimum(seen, labelled), labelled, where=labelled > 0, out=labelled * 0)
    return _counts(
        histograms, histograms.right * share + rest * (1 - rate), wrong * share + rest * rate
    )


def _counts(histograms: Histograms, right: Array, wrong: Array) -> tuple[BinCounts, NDArray[Any]]:
    of_right, of_wrong = _whole(right), _whole(wrong)
    bins = np.flatnonzero((of_right + of_wrong).sum(axis=0))
    cells = np.arange(histograms.n_cells)
    edges = histograms.edges[bins]
    counts = BinCounts(cells, edges, of_right[:, bins], of_wrong[:, bins], histograms.is_lossless)
    return counts, bins


def _whole(weights: Array) -> NDArray[np.int64]:
    """Return whole numbers whose sums from the first bin on are within one half of the weights'."""
    sums = np.rint(np.cumsum(weights, axis=1))
    return np.diff(sums, axis=1, prepend=0.0).astype(np.int64)
