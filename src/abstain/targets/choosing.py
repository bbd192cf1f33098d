"""Which row of a front to run at?

A target states what its user wants; `choose` finds the row that serves it best on the calibration
data. Each row of the exact front has the fewest false rejects for its true rejects, so the best
row of the front is the best of all choices of thresholds.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import InputError, check_fraction
from abstain.fronts import ParetoFront
from abstain.targets.parameters import Parameters

__all__ = ["Accuracy", "RejectCost", "RejectRate", "Target"]

# Of sums of probabilities.
ROUNDING = 1e-9


class Target(Protocol):
    """Anything that can choose a row of a front.

    Examples
    --------
    >>> from abstain import operating_point, pareto_front
    >>> class EverythingFree:
    ...     def choose(self, front):
    ...         return int((front.false_rejects == 0).nonzero()[0][-1])
    >>> front = pareto_front([0.1, 0.2, 0.3], [False, False, True])
    >>> operating_point(front, EverythingFree()).true_rejects
    2
    """

    def choose(self, front: ParetoFront) -> int:
        """Return the row of the front to run at.

        Parameters
        ----------
        front : ParetoFront
            Any front, of any method.

        Returns
        -------
        row : int
            Index of the row.

        Examples
        --------
        >>> from abstain import Accuracy, pareto_front
        >>> Accuracy(0.9).choose(pareto_front([0.1, 0.2], [False, True]))
        1
        """
        ...


@dataclass
class RejectRate(Parameters):
    """Reject a given share of the samples, as accurately as possible.

    A front of nested rows ("pooled") rejects that share, up to ties, of the calibration data.
    Others reject at most as many: they have no rows beyond the last calibration error.

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

    def check(self) -> float:
        """Return the parameter, or say what is wrong with it.

        Returns
        -------
        rate : float
            The parameter.

        Examples
        --------
        >>> from abstain import RejectRate
        >>> RejectRate(0.1).check()
        0.1
        """
        return check_fraction("rate", self.rate, low_open=False, high_open=False)

    def choose(self, front: ParetoFront) -> int:
        """Return the row of the front to run at.

        Parameters
        ----------
        front : ParetoFront
            Any front, of any method.

        Returns
        -------
        row : int
            Of nested rows, the one that rejects most within the budget, up to ties. Of others, the
            most accurate one; of equals, the one that rejects least.

        Examples
        --------
        >>> from abstain import RejectRate, pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
        >>> RejectRate(0.5).choose(front)
        1
        """
        rate = self.check()
        rows = np.flatnonzero(front.reject_rates <= rate)
        if front.is_nested:
            return int(rows[-1])
        # Rejecting everything has no accuracy; it never beats a row that answers.
        accuracies = np.nan_to_num(front.accuracies[rows], nan=-1.0)
        return _fewest_rejects(front, rows[accuracies == accuracies.max()])


@dataclass
class Accuracy(Parameters):
    """Reach a given accuracy on the accepted samples, rejecting as few as possible.

    Without ``confidence`` it is reached on the calibration data. With it, the accuracy on new
    samples of the same kind is at least this high with that probability over the draw of the data:
    samples whose classes had no part in the thresholds test it; see `Guarantee`.

    Parameters
    ----------
    accuracy : float
        The least share of correct samples among those accepted, in (0, 1]; below 1 if it is to be
        certified.
    confidence : float, default=None
        How probable it shall be that the accuracy holds on new data, in (0, 1).

    Examples
    --------
    >>> from abstain import Accuracy, pareto_front
    >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    >>> Accuracy(0.6).choose(front)
    1
    """

    accuracy: float
    confidence: float | None = None

    def check(self) -> float:
        """Return the parameter, or say what is wrong with it.

        Returns
        -------
        accuracy : float
            The parameter.

        Examples
        --------
        >>> from abstain import Accuracy
        >>> Accuracy(0.99).check()
        0.99
        """
        if self.confidence is None:
            return check_fraction("accuracy", self.accuracy, high_open=False)
        check_fraction("confidence", self.confidence)
        if self.accuracy == 1:
            raise InputError(
                argument="accuracy",
                value=self.accuracy,
                requirement="must be below 1 to be certified",
                remedy="no number of samples shows that there are no errors at all",
            )
        return check_fraction("accuracy", self.accuracy)

    def choose(self, front: ParetoFront) -> int:
        """Return the row of the front to run at.

        Parameters
        ----------
        front : ParetoFront
            Any front, of any method.

        Returns
        -------
        row : int
            Index of the row with the fewest rejects among those that reach the accuracy. A front
            that estimates probabilities must reach it by these and with each sample left out, as
            far as it can: of many rows, some reach it by chance alone on the calibration data.

        Examples
        --------
        >>> from abstain import Accuracy, pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
        >>> Accuracy(0.6).choose(front)
        1
        """
        accuracy = self.check()
        if self.confidence is not None:
            raise InputError(
                f"confidence={self.confidence} needs samples that had no part in the front: pass "
                "them to operating_point as held_out, or fit with this target"
            )
        left_out = front.leave_one_out_accuracies >= accuracy
        expected = left_out & (front.expected_accuracies + ROUNDING >= accuracy)
        # Few samples cannot tell that next to nothing goes wrong: then what was seen decides.
        for reached in (expected, left_out, front.accuracies >= accuracy):
            if reached.any():
                return _fewest_rejects(front, np.flatnonzero(reached))
        raise InputError(_unreachable(accuracy, front))


def _unreachable(accuracy: float, front: ParetoFront) -> str:
    best = int(np.nanargmax(front.accuracies))
    return (
        f"accuracy={accuracy} cannot be reached: the most on these {front.n_samples} samples is "
        f"{front.accuracies[best]:.6g}, with {front.reject_rates[best]:.1%} rejected; "
        "ask for less or use a surer classifier"
    )


@dataclass
class RejectCost(Parameters):
    """Minimise the expected cost when an error costs 1 and a reject a given amount (Chow).

    The cost of a row is (errors left + cost · rejects) / samples.

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

    def check(self) -> float:
        """Return the parameter, or say what is wrong with it.

        Returns
        -------
        cost : float
            The parameter.

        Examples
        --------
        >>> from abstain import RejectCost
        >>> RejectCost(0.2).check()
        0.2
        """
        return check_fraction("cost", self.cost)

    def choose(self, front: ParetoFront) -> int:
        """Return the row of the front to run at.

        Parameters
        ----------
        front : ParetoFront
            Any front, of any method.

        Returns
        -------
        row : int
            Index of the row of least cost; of equals, the one that rejects least.

        Examples
        --------
        >>> from abstain import RejectCost, pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
        >>> RejectCost(0.2).choose(front)
        2
        """
        cost = self.check()
        rejects = front.true_rejects + front.false_rejects
        costs = (front.n_errors - front.true_rejects) + cost * rejects
        # Equal costs can differ by rounding.
        rows = np.flatnonzero(costs <= costs.min() * (1 + 1e-12))
        return _fewest_rejects(front, rows)


def _fewest_rejects(front: ParetoFront, rows: NDArray[np.int64]) -> int:
    rejects = front.true_rejects[rows] + front.false_rejects[rows]
    return int(rows[rejects.argmin()])
