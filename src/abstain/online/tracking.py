"""How do thresholds follow a stream of certainties, cells and labels?

The histograms forget by half-lives, and a cell that has changed forgets at once (`drift`). From
time to time the front of the histograms is computed again; after each block the target chooses a
row of it. What the target limits, the share of errors or that of rejects, is shifted by feedback,

    limit used = σ(logit(limit) − s),     s ← 2^(−n / H) s + g Σ (event − limit) / variance,

with a sum over the answers of known truth (an event is an error), or over all samples (a reject),
and variance = limit (1 − limit).
With g H / log 2 < 1 the loop is stable for any delay of the labels. The shift covers changes that
are faster than the histograms; it is forgotten, so that rejects without labels do not last.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from abstain._core.errors import InputError
from abstain.online.drift import add_block, have_drifted, no_drift
from abstain.online.histograms import (
    Histograms,
    add_labels,
    add_seen,
    merge_histograms,
    no_histograms,
    scaled,
    take_cells,
)
from abstain.online.thresholds import OnlineFront, online_front
from abstain.targets import Accuracy, RejectRate, Target

Array = NDArray[np.float64]
# The front is computed again when so large a share of its weight is new.
NEW_SHARE = 0.05
# Cells of less weight are dropped.
LEAST_WEIGHT = 0.01
# g and H: samples.
GAIN, FEEDBACK_HALF_LIFE, MOST_SHIFT = 1 / 300, 200.0, 3.0
# Weight that is left to a cell that has changed.
WEIGHT_LEFT = 200.0


class ThresholdTracker:
    """Thresholds that follow a stream: one for each cell, and one for cells that are new.

    Parameters
    ----------
    target : Target
        What chooses a row of the front.
    method : str
        The method of the front.
    half_life : float
        Samples after which a sample counts half; inf forgets nothing.
    detects_drift : bool
        Whether a cell that has changed forgets at once.
    """

    def __init__(
        self, target: Target, method: str, half_life: float, detects_drift: bool = True
    ) -> None:
        self.target, self.method = target, method
        self.half_life, self.detects_drift = half_life, detects_drift
        self.cells: list[Any] = []
        self.histograms = no_histograms()
        self.fitted: Histograms | None = None  # what the front was computed from
        self.n_new = 0.0
        self.shift = 0.0
        self.drift = np.stack([no_drift(0), no_drift(0)])  # of errors, and of certainty
        self.n_drifts = 0
        self.thresholds = np.array([np.inf])
        self._front: OnlineFront | None = None
        self.index_cells()

    def index_cells(self) -> None:
        """Prepare to find cells."""
        self._position = {cell: row for row, cell in enumerate(self.cells)}

    # --- asking ---------------------------------------------------------------------------------

    def positions(self, cells: Iterable[Any]) -> NDArray[np.int64]:
        """Return the position of the threshold of each cell; that of new cells is the last."""
        known, shared = self._position, len(self.cells)
        return np.array([known.get(cell, shared) for cell in cells], np.int64)

    def rejects(self, certainty: Array, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which samples are rejected."""
        return np.asarray(certainty < self.thresholds_of(positions))

    def thresholds_of(self, positions: NDArray[np.int64]) -> Array:
        """Return the threshold at each position; cells newer than the front have the last."""
        return self.thresholds[np.minimum(positions, len(self.thresholds) - 1)]

    def probability_correct(self, certainty: Array, positions: NDArray[np.int64]) -> Array:
        """Return the probability that each answer is right; NaN before the first label."""
        if self.front is None:
            return np.full(len(certainty), np.nan)
        return 1 - self.front.probability_wrong(certainty, self._rows(positions))

    @property
    def front(self) -> OnlineFront | None:
        """The front that the thresholds are of; None before the first label."""
        if self._front is None and self.fitted is not None:
            self._front = online_front(self.fitted, self.method)
        return self._front

    def _rows(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of the front; cells without one, -1."""
        assert self.fitted is not None
        return np.where(positions < self.fitted.n_cells, positions, self.fitted.n_cells)

    # --- learning -------------------------------------------------------------------------------

    def see(
        self, certainty: Array, cells: Iterable[Any], rejected: NDArray[np.bool_] | None = None
    ) -> None:
        """Count samples, whose labels may come now, later or never."""
        positions = self._learn_cells(cells)
        n = len(positions)
        if self.detects_drift:
            self._watch_certainty(certainty, positions)
        if np.isfinite(self.half_life):
            self.histograms = scaled(self.histograms, 0.5 ** (n / self.half_life))
        self.histograms = add_seen(self.histograms, certainty, positions)
        self.shift *= 0.5 ** (n / FEEDBACK_HALF_LIFE)
        if isinstance(self.target, RejectRate) and rejected is not None:
            self._feed_back(rejected, self.target.rate, n)
        self.n_new += n

    def learn(
        self,
        certainty: Array,
        cells: Iterable[Any],
        correct: NDArray[np.bool_],
        rejected: NDArray[np.bool_],
        weights: Array | None = None,
    ) -> None:
        """Count labels of samples that were seen, in any order, and set the thresholds."""
        positions = self._learn_cells(cells)
        if self.detects_drift:
            self._watch_errors(certainty, positions, correct)
        self.histograms = add_labels(self.histograms, certainty, positions, correct, weights)
        if isinstance(self.target, Accuracy):
            self._feed_back(~correct[~rejected], 1 - self.target.accuracy, len(correct))
        self.n_new += len(positions)
        self.set_thresholds()

    def set_thresholds(self, refit: bool = False) -> None:
        """Choose a row of the front, which is computed again if enough is new."""
        weight = self.histograms.seen.sum() + self.histograms.labelled.sum()
        if refit or self.fitted is None or self.n_new >= NEW_SHARE * weight:
            self._refit()
        if self.front is not None:
            self.thresholds = self._chosen(self.front)

    def _chosen(self, front: OnlineFront) -> Array:
        """Return the thresholds of the target; if feedback asks for too much, without it."""
        for target in (self._target(), self.target):
            try:
                return front.thresholds(target.choose(front.front))
            except InputError:  # no row reaches the target
                pass
        return np.array([np.inf])

    def retarget(self, target: Target, method: str) -> None:
        """Move to another target or method, without feedback of the one before."""
        self.target, self.shift = target, 0.0
        if method != self.method:
            self.method, self._front = method, None
        self.set_thresholds()

    def _refit(self) -> None:
        """Compute the front again, without the cells that are almost forgotten."""
        left = np.flatnonzero(self.histograms.seen.sum(axis=1) >= LEAST_WEIGHT)
        histograms = take_cells(self.histograms, left)
        front = online_front(histograms, self.method)
        if front is None and self.fitted is not None:  # all labels are forgotten
            return
        self.cells = [self.cells[row] for row in left.tolist()]
        self.index_cells()
        self.drift = self.drift[:, :, np.append(0, left + 1)]
        self.histograms = histograms
        if front is not None:
            self.fitted, self._front, self.n_new = histograms, front, 0.0

    def _learn_cells(self, cells: Iterable[Any]) -> NDArray[np.int64]:
        """Return the row of each cell, of new ones too."""
        labels = list(cells)
        new = [cell for cell in dict.fromkeys(labels) if cell not in self._position]
        if new:
            self.cells += new
            self.index_cells()
            rows = np.append(np.arange(self.histograms.n_cells), np.full(len(new), -1))
            self.histograms = take_cells(self.histograms, rows)
            more = np.full((2, 2, len(new), self.drift.shape[-1]), -np.inf)
            self.drift = np.concatenate([self.drift, more], axis=2)
        return self.positions(labels)

    # --- feedback and drift ---------------------------------------------------------------------

    def _feed_back(self, events: NDArray[np.bool_], limit: float, n: int) -> None:
        """Shift the limit by events among n samples, which count as if they came one by one."""
        if 0 < limit < 1 and self.fitted is not None:
            age = n * np.log(2) / FEEDBACK_HALF_LIFE
            excess = (events.sum() - limit * len(events)) / (limit * (1 - limit))
            shift = self.shift + GAIN * excess * -np.expm1(-age) / age
            self.shift = float(np.clip(shift, -MOST_SHIFT, MOST_SHIFT))

    def _target(self) -> Target:
        """Return the target with its limit shifted."""
        target = self.target
        if isinstance(target, Accuracy) and target.accuracy < 1:
            return replace(target, accuracy=float(expit(logit(target.accuracy) + self.shift)))
        if isinstance(target, RejectRate) and 0 < target.rate < 1:
            return replace(target, rate=float(expit(logit(target.rate) - self.shift)))
        return target

    def _watch_errors(
        self, certainty: Array, positions: NDArray[np.int64], correct: NDArray[np.bool_]
    ) -> None:
        if self.front is None:
            return
        expected = self.front.probability_wrong(certainty, self._rows(positions))
        weight = np.maximum(self.histograms.labelled.sum(axis=1), 1.0)[positions]
        self.drift[0] = add_block(self.drift[0], positions, ~correct, expected, weight)
        self._forget(0)

    def _watch_certainty(self, certainty: Array, positions: NDArray[np.int64]) -> None:
        seen = self.histograms.seen
        weight = seen.sum(axis=1)
        if not weight.any():
            return
        below = np.cumsum(seen, axis=1)
        middle = np.minimum((below < weight[:, np.newaxis] / 2).sum(axis=1), seen.shape[1] - 1)
        share = below[np.arange(len(seen)), middle] / np.maximum(weight, 1.0)
        is_known = weight[positions] > 1.0
        if not is_known.any():
            return
        rows = positions[is_known]
        is_below = self.histograms.bins(certainty[is_known]) <= middle[rows]
        self.drift[1] = add_block(self.drift[1], rows, is_below, share[rows], weight[rows])
        self._forget(1)

    def _forget(self, kind: int) -> None:
        """Scale down what is known of the cells that have changed."""
        alarms = have_drifted(self.drift[kind])
        if not alarms.any():
            return
        changed = np.ones_like(alarms[1:]) if alarms[0] else alarms[1:]
        weight = np.maximum(self.histograms.seen.sum(axis=1), 1.0)
        factors = np.where(changed, np.minimum(WEIGHT_LEFT / weight, 1.0), 1.0)
        self.histograms = scaled(self.histograms, factors)
        self.drift[:, :, np.append(True, changed)] = -np.inf
        self.n_drifts += 1

    # --- workers --------------------------------------------------------------------------------

    def merge(self, other: ThresholdTracker) -> Self:
        """Add what another tracker knows, as if it came from the same stream."""
        labels = [*self.cells, *(cell for cell in other.cells if cell not in self._position)]
        own, others = (
            take_cells(each.histograms, np.array([each._position.get(c, -1) for c in labels], int))
            for each in (self, other)
        )
        weights = [each.histograms.labelled.sum() for each in (self, other)]
        if sum(weights):
            self.shift = float(np.average([self.shift, other.shift], weights=weights))
        self.cells, self.histograms = labels, merge_histograms(own, others)
        self.index_cells()
        self.drift = np.stack([no_drift(len(labels))] * 2)
        self.n_drifts += other.n_drifts
        if labels:
            self.set_thresholds(refit=True)
        return self
