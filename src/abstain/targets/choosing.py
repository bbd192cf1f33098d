"""Which row of a front to run at?

A target states what its user wants; `choose` finds the row that serves it best on the calibration
data. Each row of the exact front has the fewest false rejects for its true rejects, so the best
row of the front is the best of all choices of thresholds.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import check_fraction
from abstain._core.errors import InputError, shown
from abstain.fronts import ParetoFront, PooledFront, pareto_front
from abstain.fronts.held_out import HeldOut
from abstain.targets.base import BaseTarget
from abstain.targets.guarantee import Guarantee, certify, needed_answers
from abstain.targets.outcomes import Choice, Outcomes
from abstain.targets.share_certificates import solve_shares
from abstain.targets.share_paths import Share, n_rejected
from abstain.targets.shares import accuracy_shares

# Of sums of probabilities.
ROUNDING = 1e-9
# With so many samples, errors that are expected count as much as errors that are seen.
MODEL_SAMPLES = 20_000


@dataclass
class RejectRate(BaseTarget):
    """Reject a given share of the samples, as accurately as possible.

    A front of nested rows ("pooled") rejects that share, up to ties, of the calibration data.
    Others reject at most as many, by the most accurate row, for they have no rows beyond the last
    calibration error; of equally accurate rows, the one that rejects least is chosen.

    Parameters
    ----------
    rate : float
        The largest share of samples to reject, in [0, 1].

    Examples
    --------
    >>> from abstain import RejectRate, pareto_front
    >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    >>> RejectRate(0.5).choose(front)
    1
    """

    rate: float

    def _check(self) -> None:
        check_fraction("rate", self.rate, low_open=False, high_open=False)

    def among_inliers(self, share_of_outliers: float) -> Self:
        """Return the rate among the samples that are not rejected as outliers already.

        Parameters
        ----------
        share_of_outliers : float
            The share of the samples that are rejected whatever the row of the front.

        Returns
        -------
        target : RejectRate
            With it, outliers and rejected samples together have the rate of this target.

        Examples
        --------
        >>> from abstain import RejectRate
        >>> round(RejectRate(0.1).among_inliers(0.02).rate, 3)
        0.082
        """
        left = max(float(self.rate) - share_of_outliers, 0.0)
        return replace(self, rate=left / (1 - share_of_outliers)) if share_of_outliers else self

    def _choose(self, front: ParetoFront) -> int:
        rows = np.flatnonzero(front.reject_rates <= self.rate)
        if front.is_nested:
            return int(rows[-1])
        # Rejecting everything has no accuracy; it never beats a row that answers.
        accuracies = np.nan_to_num(front.accuracies[rows], nan=-1.0)
        return _fewest_rejects(front, rows[accuracies == accuracies.max()])


@dataclass
class Accuracy(BaseTarget):
    """Reach a given accuracy on the accepted samples, rejecting as few as possible.

    Without ``confidence`` it is reached on the calibration data. A front that estimates
    probabilities ("pooled") must reach it by these and with each sample left out, as far as it can:
    of many rows, some reach it by chance alone on the calibration data. By these probabilities it
    must also be as accurate as one threshold for all cells that is chosen in the same way.

    With ``confidence``, the accuracy on new samples of the same kind is at least this high with
    that probability over the draw of the data: samples whose classes had no part in the thresholds
    test it; see `Guarantee`.

    Parameters
    ----------
    accuracy : float
        The least share of correct samples among those accepted, in (0, 1]; below 1 if it is to be
        certified.
    confidence : float, default=None
        How probable it shall be that the accuracy holds on new data, in (0, 1).
    groups : array-like of shape (n_samples,), str or callable, default=None
        The accuracy shall hold in every group, such as sex, site or age band: a label for each
        sample that is given to fit, the name of a column, or a function of X. Groups need not be
        features; thresholds do not depend on them.

    Examples
    --------
    >>> from abstain import Accuracy, pareto_front
    >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    >>> Accuracy(0.6).choose(front)
    1
    """

    accuracy: float
    confidence: float | None = None
    groups: Any = None

    @property
    def needs_outcomes(self) -> bool:
        """Whether the target needs more than a front: the groups of the samples."""
        return self.groups is not None

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f", groups={shown(self.groups, 40)}"
        return f"Accuracy(accuracy={self.accuracy!r}, confidence={self.confidence!r}{groups})"

    def _check(self) -> None:
        if self.confidence is None:
            check_fraction("accuracy", self.accuracy, high_open=False)
            return
        check_fraction("confidence", self.confidence)
        if self.accuracy == 1:
            raise InputError(
                argument="accuracy",
                value=self.accuracy,
                requirement="must be below 1 to be certified",
                remedy="no number of samples shows that there are no errors at all",
            )
        check_fraction("accuracy", self.accuracy)

    def _choose(self, front: ParetoFront) -> int:
        accuracy = float(self.accuracy)
        if self.groups is not None:
            raise InputError(
                "groups needs the samples of each group, which a front does not know: fit a "
                "RejectOptionClassifier with this target"
            )
        if self.confidence is not None:
            raise InputError(
                f"confidence={self.confidence} needs samples that had no part in the front: pass "
                "them to operating_point as held_out, or fit with this target"
            )
        row, is_reached = _first_reaching(front.one_threshold, accuracy)
        if front.one_threshold is not front:
            # With ties, one threshold is often above the accuracy asked for and so misses it less
            # often on new data. Thresholds per cell shall not miss it more often.
            expected = float(front.one_threshold.expected_accuracies[row])
            row, is_reached = _first_reaching(front, accuracy, expected)
        if is_reached:
            return row
        raise InputError(
            argument="accuracy",
            value=accuracy,
            requirement="cannot be reached: the most on these "
            f"{round(front.n_samples * front.unit)} samples is "
            f"{front.accuracies[row]:.6g}, with {front.reject_rates[row]:.1%} rejected",
            remedy="ask for less or use a surer classifier",
        )

    def min_test_samples(self) -> int:
        """Return the fewest samples that can certify the accuracy.

        Returns
        -------
        n_samples : int
            Number of samples that must be held out of the front; 0 if nothing is certified.

        Examples
        --------
        >>> from abstain import Accuracy
        >>> Accuracy(0.99, confidence=0.95).min_test_samples(), Accuracy(0.99).min_test_samples()
        (299, 0)
        """
        return 0 if self.confidence is None else needed_answers(self.accuracy, self.confidence)

    def _shares(self, outcomes: Outcomes) -> list[Share]:
        """Return which answers are good and bad."""
        self._check()
        return accuracy_shares(outcomes, float(self.accuracy), self.confidence, self.groups)

    def _solve(self, learn: Outcomes, method: str, test: Outcomes | None = None) -> Choice:
        """Return thresholds with the fewest rejects that reach all levels."""
        self._check()
        if self.groups is not None and test is not None:
            return solve_shares(self, learn, method, test)
        if self.groups is not None:
            # A condition on groups never lessens the rejects.
            of_all = replace(self, groups=None)._solve(learn, method)
            return solve_shares(self, learn, method, least=n_rejected(of_all, learn))
        front = pareto_front(
            learn.certainty, learn.correct, learn.cells, method=method, weights=learn.weights
        )
        if test is None or self.confidence is None:
            return Choice(front, self._choose(front))
        held_out = test.held_out(test.correct, front)
        if test.drawn is not None:
            held_out = held_out.take(test.drawn)
        row, guarantee = self.certify(front, held_out)
        return Choice(front, row, (guarantee,))

    def certify(self, front: ParetoFront, held_out: HeldOut) -> tuple[int, Guarantee]:
        """Return the row with the fewest rejects for which the accuracy is certified.

        Parameters
        ----------
        front : ParetoFront
            Any front, of any method.
        held_out : HeldOut
            Certainty, correctness and column of the front of samples that had no part in it.

        Returns
        -------
        row : int
            Index of the row.
        guarantee : Guarantee
            What is certified, and by which samples.

        Examples
        --------
        >>> from abstain import Accuracy, operating_point, pareto_front
        >>> certainty, correct = [0.1, 0.2, 0.8, 0.9] * 25, [False, True, True, True] * 25
        >>> front, target = pareto_front(certainty, correct), Accuracy(0.9, confidence=0.95)
        >>> operating_point(front, target, held_out=(certainty, correct)).guarantee.accuracy
        0.9
        """
        self._check()
        assert self.confidence is not None
        return certify(front, held_out, float(self.accuracy), self.confidence)


@dataclass
class RejectCost(BaseTarget):
    """Minimise the expected cost when an error costs 1 and a reject a given amount (Chow).

    The cost of a row is (errors left + cost · rejects) / samples; of equal costs, the row that
    rejects least is chosen. Of a front that estimates probabilities ("pooled"), the errors left are
    mostly those that these let expect: on new data that costs less.

    Parameters
    ----------
    cost : float
        The cost of a reject, in (0, 1): from 1 on, no answer costs more than a reject.

    Examples
    --------
    >>> from abstain import RejectCost, pareto_front
    >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    >>> RejectCost(0.2).choose(front)
    2
    """

    cost: float

    def _check(self) -> None:
        check_fraction("cost", self.cost)

    def _choose(self, front: ParetoFront) -> int:
        rejects = front.true_rejects + front.false_rejects
        errors_left = front.n_errors - front.true_rejects
        costs = mean_of_seen_and_expected(front, errors_left, "expected_errors")
        costs = costs + float(self.cost) * rejects
        # Equal costs can differ by rounding.
        rows = np.flatnonzero(costs <= costs.min() * (1 + 1e-12))
        return _fewest_rejects(front, rows)


def mean_of_seen_and_expected(
    front: ParetoFront, seen: NDArray[np.int64], expected: str
) -> NDArray[np.float64]:
    """Return the mean of what was seen and of an attribute of fronts that estimate probabilities.

    With few samples the probabilities know better; with many, they may not fit.
    """
    if not isinstance(front, PooledFront):
        return seen.astype(np.float64)
    trust = MODEL_SAMPLES / (MODEL_SAMPLES + front.curves.counts.n_samples)
    return np.asarray(trust * getattr(front, expected) + (1 - trust) * seen)


def _first_reaching(front: ParetoFront, accuracy: float, expected: float = 0.0) -> tuple[int, bool]:
    """Return the row with the fewest rejects that reaches an accuracy, or that which is nearest.

    The accuracy that is expected shall also be as high as ``expected``.
    """
    seen, left_out = front.accuracies, front.leave_one_out_accuracies
    probable = front.expected_accuracies + ROUNDING
    rejects = front.true_rejects + front.false_rejects
    rows = np.flatnonzero(probable >= min(expected, np.nanmax(probable)))
    # Few samples cannot tell that next to nothing goes wrong: then what was seen decides.
    for accuracies in (np.minimum(left_out, probable), left_out, seen):
        reached = np.nan_to_num(accuracies[rows], nan=-1.0)
        if reached.max() >= accuracy:
            return _fewest_rejects(front, rows[reached >= accuracy]), True
        # A stricter target never rejects less: each criterion begins where the one before ends.
        nearest = _fewest_rejects(front, rows[reached == reached.max()])
        rows = rows[rejects[rows] >= rejects[nearest]]
    return nearest, False


def _fewest_rejects(front: ParetoFront, rows: NDArray[np.int64]) -> int:
    rejects = front.true_rejects[rows] + front.false_rejects[rows]
    return int(rows[rejects.argmin()])
