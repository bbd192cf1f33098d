"""Which front rejects the answers that are most probably wrong first?

By Chow's rule, the best answers to accept are those that are most probably right. Cells only help
to estimate that probability: `curves` does so, with the curves of the cells shrunk towards a common
curve. A limit on the probability gives one threshold per cell, and as the limit rises, no threshold
falls: the rows are *nested*, from rejecting nothing to rejecting everything.

On the calibration data the exact front has fewer false rejects, since it is optimal there. On new
data its thresholds overfit the calibration data; those of the pooled front do so less.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import check_real_vector
from abstain.fronts.bins import BinCounts
from abstain.fronts.curves import Curves, fit_curves
from abstain.fronts.front import ParetoFront
from abstain.fronts.hull import build_envelope

# Neighbouring rows are merged if there are more.
MAX_ROWS = 2048
# Log odds are rounded to multiples of this, so that rounding errors make no difference.
RESOLUTION = 1e-8


@dataclass(frozen=True, eq=False)
class LevelBacktrace:
    """A row rejects the bins whose rank of log odds is at least its level."""

    ranks: NDArray[np.int64]  # of each cell (rows) in each bin, strictly decreasing
    levels: NDArray[np.int64]

    def steps_at(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the step of every cell (columns) for each of the rows."""
        n_cells, n_bins = self.ranks.shape
        steps = self.bins_rejected(rows, np.arange(n_cells))
        return np.asarray(steps + np.arange(n_cells) * (n_bins + 1))

    def bins_rejected(self, rows: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many of their lowest bins the cells (columns) reject in each row."""
        sought = -self.levels[rows]
        return np.column_stack(
            [np.searchsorted(-self.ranks[cell], sought, side="right") for cell in cells.tolist()]
        )


@dataclass(frozen=True, eq=False, repr=False)
class PooledFront(ParetoFront):
    """A front whose rows are limits on the probability of being right.

    Parameters
    ----------
    true_rejects, false_rejects, gap, method, staircases, backtrace
        See `ParetoFront`.
    curves : Curves
        The estimated probabilities.
    expected_errors : ndarray of shape (n_rows,)
        Expected number of wrong samples among those that each row accepts.
    shared : LevelBacktrace
        The backtrace of a cell that has not been seen.

    Examples
    --------
    >>> from abstain import pareto_front
    >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True], method="pooled")
    >>> front.thresholds[:, 0].tolist()
    [-inf, 0.2, 0.3, 0.4, inf]
    >>> front.is_nested
    True
    """

    curves: Curves
    expected_errors: NDArray[np.float64]
    shared: LevelBacktrace

    @property
    def is_nested(self) -> bool:
        """Whether no threshold is lower in a row that rejects more: always True."""
        return True

    @cached_property
    def expected_accuracies(self) -> NDArray[np.float64]:
        """Expected share of correct samples among the accepted ones."""
        accepted = self.n_samples - self.true_rejects - self.false_rejects
        wrong = np.full(len(self), np.nan)
        np.divide(self.expected_errors, accepted, out=wrong, where=accepted > 0)
        return 1.0 - wrong

    @cached_property
    def expected_losses(self) -> NDArray[np.float64]:
        """Expected weight of the accepted wrong and the rejected right samples."""
        right, wrong = _expected_weights(self.curves)
        return np.asarray(self.sums_accepted(wrong) + right.sum() - self.sums_accepted(right))

    @cached_property
    def leave_one_out_accuracies(self) -> NDArray[np.float64]:
        """Share of correct samples among those accepted by curves fitted without them.

        It is never above ``accuracies`` and closer to the accuracy on new samples: the more cells
        there are, the more the thresholds overfit.
        """
        counts, n_bins = self.curves.counts, self.curves.counts.n_rejectable
        ratios = log_weight_ratios(counts)[:-1]
        right, wrong = (
            n.sum() - _rejected_at(self.shared.levels, _ranks(log_odds[:, :n_bins]), n[:, :n_bins])
            for log_odds, n in zip(
                (log_odds + ratios for log_odds in self.curves.log_odds_left_out()),
                counts.weights,
                strict=True,
            )
        )
        accuracies = np.full(len(self), np.nan)
        np.divide(right, right + wrong, out=accuracies, where=right + wrong > 0)
        return accuracies

    @cached_property
    def one_threshold(self) -> PooledFront:
        """The front of one threshold for all cells, with errors expected by the cells' curves."""
        if self.n_cells == 1:
            return self
        counts = self.curves.counts
        front = pooled_front(counts.without_cells())
        (rejected,) = front.backtrace.steps_at(np.arange(len(front))).T
        expected = _expected_weights(self.curves)[1].sum(axis=0)
        left = expected.sum() - np.append(0.0, np.cumsum(expected))
        return replace(front, expected_errors=left[rejected])

    def sums_accepted(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of values over the bins that each row accepts, given one per bin and cell.

        Parameters
        ----------
        values : ndarray of shape (n_cells, n_bins)
            Numbers of some samples, say.

        Returns
        -------
        sums : ndarray of shape (n_rows,)
            One for each row.

        Examples
        --------
        >>> from abstain import pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3], [False, True, True], method="pooled")
        >>> front.sums_accepted(front.curves.counts.right).tolist()
        [2, 2, 1, 0]
        """
        assert isinstance(self.backtrace, LevelBacktrace)
        n_bins = self.curves.counts.n_rejectable
        rejected = _rejected_at(self.shared.levels, self.backtrace.ranks, values[:, :n_bins])
        return np.asarray(values.sum() - rejected)

    def shared_thresholds(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the threshold of a cell that has not been seen, in each of the rows.

        Parameters
        ----------
        rows : ndarray of shape (n,)
            Indices of rows.

        Returns
        -------
        thresholds : ndarray of shape (n,)
            From the curve that is common to all cells.

        Examples
        --------
        >>> import numpy as np
        >>> from abstain import pareto_front
        >>> certainty, correct = [0.1, 0.2, 0.3, 0.4] * 20, [False, False, True, True] * 20
        >>> cells = ["a"] * 40 + ["b"] * 40
        >>> front = pareto_front(certainty, correct, cells, method="pooled")
        >>> front.shared_thresholds(np.arange(len(front))).tolist()
        [-inf, 0.2, 0.3, 0.4, inf]
        """
        (steps,) = self.shared.bins_rejected(rows, np.zeros(1, dtype=np.int64)).T
        return np.asarray(self.staircases.thresholds[steps])

    def probability_correct(
        self, certainty: ArrayLike, columns: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the estimated probability that each answer is right.

        Parameters
        ----------
        certainty : array-like of shape (n_samples,)
            How certain the classifier is of each sample.
        columns : ndarray of shape (n_samples,), default=None
            Position of each sample's cell in ``cells``, or -1 for a cell that has not been seen.
            None is the first cell.

        Returns
        -------
        probability : ndarray of shape (n_samples,)
            Within a cell, it does not decrease with the certainty. With weights, it is that of
            samples which occur as often as their weights say.

        Examples
        --------
        >>> from abstain import pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, False, True, True], method="pooled")
        >>> low, high = front.probability_correct([0.1, 0.4])
        >>> bool(low < 0.5 < high)
        True
        """
        values = check_real_vector("certainty", certainty)
        if columns is None:
            columns = np.zeros(len(values), dtype=np.int64)
        return self.curves.probability_correct(
            values, columns, log_weight_ratios(self.curves.counts)
        )


def pooled_front(counts: BinCounts, strength: float | None = None) -> PooledFront:
    """Return the front of limits on the probability of being right.

    A strength in [0, inf] fixes how much cells differ; None estimates it.
    """
    curves = fit_curves(counts, strength)
    # An answer is rejected if the weight of the error is larger than that of the right answer, each
    # times its probability.
    return front_of_scores(curves, curves.log_odds + log_weight_ratios(counts))


def front_of_scores(curves: Curves, scores: NDArray[np.float64]) -> PooledFront:
    """Return the front of limits on a score of each cell (rows) in each bin, which never rises.

    The last row of the scores is that of cells that have not been seen.
    """
    counts = curves.counts
    _, expected_wrong = _expected_weights(curves)
    n_bins = counts.n_rejectable
    ranks = _ranks(scores[:, :n_bins])
    right, wrong = (weight[:, :n_bins] for weight in counts.weights)
    has_samples = (right + wrong) > 0
    own = ranks[:-1][has_samples]
    order = np.argsort(-own)
    own, right, wrong = own[order], right[has_samples][order], wrong[has_samples][order]
    expected = expected_wrong[:, :n_bins][has_samples][order]
    last = _row_ends(own, right + wrong)

    def rejected(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.append(0, np.cumsum(values)[last])

    true_rejects, false_rejects = rejected(wrong), rejected(right)
    # Half way to the first accepted bin, so that similar curves get similar thresholds.
    accepted = np.append(own[1:], np.iinfo(np.int64).min)  # the last row also rejects empty bins
    levels = np.append(np.iinfo(np.int64).max, (own[last] // 2 + accepted[last] // 2) + 1)
    # Bins that no threshold can reject are always accepted.
    left = float(expected_wrong[:, n_bins:].sum())
    expected_errors = np.append(0.0, np.cumsum(expected)[last])
    return PooledFront(
        true_rejects=true_rejects,
        false_rejects=false_rejects,
        gap=false_rejects
        - build_envelope(counts.best_staircases()).fewest_false_rejects(true_rejects),
        method="pooled",
        staircases=counts.staircases(),
        backtrace=LevelBacktrace(ranks[:-1], levels),
        curves=curves,
        expected_errors=left + expected_errors[-1] - expected_errors,
        shared=LevelBacktrace(ranks[-1:], levels),
    )


def log_weight_ratios(counts: BinCounts) -> NDArray[np.float64]:
    """Return log (mean weight of wrong samples / that of right ones), a row per cell."""
    right, wrong = counts.mean_weights()
    return np.asarray(np.log(wrong) - np.log(right))[:, np.newaxis]


def _expected_weights(curves: Curves) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights of right and wrong samples that are expected in each bin of each cell."""
    counts, probability = curves.counts, curves.probability_wrong()
    size = counts.right + counts.wrong
    right, wrong = (mean[:-1, np.newaxis] for mean in counts.mean_weights())
    return size * (1 - probability) * right, size * probability * wrong


def _ranks(log_odds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return log odds as integers, which decrease strictly in each row."""
    ranks = np.rint(log_odds / RESOLUTION).astype(np.int64)
    # On a flat part of a curve, less certain samples are rejected first.
    return np.asarray(ranks - np.arange(log_odds.shape[1]))


def _rejected_at(
    levels: NDArray[np.int64], ranks: NDArray[np.int64], sizes: NDArray[Any]
) -> NDArray[Any]:
    """Return how many samples each level rejects, given the ranks and sizes of bins."""
    order = np.argsort(-ranks, axis=None)
    rejected = np.append(0, np.cumsum(sizes.ravel()[order]))
    return np.asarray(rejected[np.searchsorted(-ranks.ravel()[order], -levels, side="right")])


def _row_ends(ranks: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the last entry of each row; equal ranks and small steps are merged."""
    ends = np.flatnonzero(np.append(ranks[1:] != ranks[:-1], True)[: len(ranks)])
    if len(ends) <= MAX_ROWS:
        return ends
    rejected = np.cumsum(sizes)[ends]
    row = (rejected - 1) * MAX_ROWS // rejected[-1]
    return np.asarray(ends[np.append(row[1:] != row[:-1], True)])
