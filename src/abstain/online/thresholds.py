"""Which thresholds follow from histograms and a target?

The curves are fitted to the labelled samples, and the front is that of all samples seen: see
`histograms`. Where every sample is labelled and no weight has decayed, it is the front of
`pareto_front`.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from abstain.fronts import ParetoFront
from abstain.fronts.bins import BinCounts
from abstain.fronts.curves import Curves, fit_curves
from abstain.fronts.pareto import FROM_STAIRCASES
from abstain.fronts.pooled import front_of_scores
from abstain.fronts.staircases import build_weighted_staircases
from abstain.fronts.weights import WeightedSamples
from abstain.online.histograms import Histograms, labelled_counts, seen_counts

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OnlineFront:
    """A front of samples of a stream, and the log odds of a wrong answer by cell and bin.

    The last row of ``log_odds`` is that of cells that have not been seen.
    """

    front: ParetoFront
    edges: Array
    log_odds: Array

    def thresholds(self, row: int) -> Array:
        """Return the threshold of each cell, and last that of a cell that has not been seen."""
        shared = self.front.shared_thresholds(np.array([row]))[0]
        thresholds = np.full(len(self.log_odds), shared)
        thresholds[self.front.cells] = self.front.thresholds_at(row)
        return thresholds

    def probability_wrong(self, certainty: Array, cells: NDArray[np.int64]) -> Array:
        """Return P(wrong | certainty, cell); cells that are no row have not been seen."""
        rows = np.minimum(cells, len(self.log_odds) - 1)
        bins = np.maximum(np.searchsorted(self.edges, certainty, side="right") - 1, 0)
        return np.asarray(expit(self.log_odds[rows, bins]))


def online_front(histograms: Histograms, method: str) -> OnlineFront | None:
    """Return the front of histograms; None if no sample is labelled."""
    learn, position = labelled_counts(histograms)
    if not len(learn.edges):
        return None
    curves = fit_curves(learn)
    log_odds = curves.log_odds[:, position]
    counts, kept = seen_counts(histograms, expit(log_odds[:-1]))
    if not len(counts.edges):
        return None
    if method == "pooled":
        own = _in_bins(curves, counts, position[kept])
        front: ParetoFront = front_of_scores(own, own.log_odds)
    else:
        front = FROM_STAIRCASES[method](build_weighted_staircases(_samples(counts)))
    return OnlineFront(front, histograms.edges, log_odds)


def _in_bins(curves: Curves, counts: BinCounts, position: NDArray[np.int64]) -> Curves:
    """Return the curves for other counts, given the bin of the curves for each of their bins."""
    mixture = replace(curves.mixture, scores=curves.mixture.scores[position])
    return replace(curves, counts=counts, log_odds=curves.log_odds[:, position], mixture=mixture)


def _samples(counts: BinCounts) -> WeightedSamples:
    """Return one wrong and one right sample for each cell and bin, which count as many."""
    sizes = np.stack([counts.wrong, counts.right])
    correct, cells, bins = np.nonzero(sizes)
    return WeightedSamples(
        counts.edges[bins], correct.astype(np.bool_), cells, sizes[correct, cells, bins], 1, False
    )
