"""Which answers are worth their price, if errors cost different amounts?

Let C[k, j] be the cost of answering class j to a sample of class k, and R[k] the price of rejecting
it. A sample of class k that would be answered by j saves C[k, j] − R[k] if it is rejected: it is
*worth rejecting* if that is positive. With weights |C[k, j] − R[k]| and "worth answering" in place
of "correct", the cost of thresholds is

    Σ C[k, j] − weight of true rejects + weight of false rejects,

so that cells do not interact. The least cost on the calibration data is a row of the exact front
with these weights. The pooled front compares expectations (Chow's rule): a sample is rejected iff
its probability of being worth rejecting, times the mean weight of such samples in its cell, exceeds
the same of those worth answering.

**The answer of least cost.** Where the classifier has posteriors p, the answer is that class j for
which Σ_k p_k C[k, j] is least.

**Other class proportions.** If new data have samples of class k more often than the calibration
data, by a factor w[k], then all of this holds with w[k] C[k, j] and w[k] R[k].
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import as_labels, check_boolean_vector, check_same_length
from abstain._core.errors import InputError, shown
from abstain.fronts import ParetoFront, pareto_front
from abstain.fronts.weights import in_units
from abstain.targets.choosing import mean_of_seen_and_expected
from abstain.targets.outcomes import Choice, Outcomes, OutcomeTarget

ANSWERS = ("least_cost", "predicted")


class CostTable(NamedTuple):
    """Costs by true class (rows) and answer (columns), and the price of a reject by true class."""

    costs: NDArray[np.float64]
    reject: NDArray[np.float64]

    def savings(self, truth: NDArray[np.int64], answers: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what rejecting each sample saves; negative where it costs more than answering."""
        return np.asarray(self.costs[truth, answers] - self.reject[truth])


@dataclass
class ExpectedCost(OutcomeTarget):
    """Minimise the expected cost when errors cost different amounts.

    With ``method="exact"`` or "hull" the cost is least on the calibration data; with "pooled" it is
    least by the estimated probabilities, which is lower on new data. `retarget` moves to other
    costs, and from any other target to costs, without another fit.

    Parameters
    ----------
    costs : array-like of shape (n_classes, n_classes) or dict
        Cost of each answer: a row per true class, a column per answer, in the order of
        ``classes_``; or a dict of (true, answered) pairs, in which right answers that are not
        named cost 0.
    reject : float, array-like of shape (n_classes,) or dict
        Price of a reject: one number, or one per true class.
    answers : {"least_cost", "predicted"}, default="least_cost"
        What is answered if the classifier has posteriors: the class of least expected cost, or
        what it predicts. A classifier without posteriors answers what it predicts.

    Examples
    --------
    A missed fraud costs 50, a false alarm 1, a look by a person 0.5:

    >>> import numpy as np
    >>> from abstain import ExpectedCost, RejectOptionClassifier
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(2000, weights=[0.95], random_state=0)
    >>> target = ExpectedCost({(1, 0): 50, (0, 1): 1}, reject=0.5)
    >>> clf = RejectOptionClassifier(LogisticRegression(), target=target).fit(X, y)
    >>> bool(clf.reject(X).mean() > 0)
    True
    """

    costs: Any
    reject: Any
    answers: str = "least_cost"

    def _check(self) -> None:
        if self.answers not in ANSWERS:
            raise InputError(
                argument="answers",
                value=self.answers,
                requirement=f"must be one of {', '.join(map(repr, ANSWERS))}",
            )
        if isinstance(self.costs, Mapping):
            for pair, cost in self.costs.items():
                if not isinstance(pair, tuple) or len(pair) != 2:
                    raise InputError(
                        argument="costs",
                        value=pair,
                        requirement="must have pairs (true, answered) as keys",
                    )
                _check_price(f"costs[{pair!r}]", cost)
        else:
            matrix = _as_numbers("costs", self.costs)
            if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
                raise InputError(
                    argument="costs",
                    requirement="must be a dict, or a matrix of a row per true class and a column "
                    "per answer",
                    got=f"shape {matrix.shape}",
                )
            for (true, answered), cost in np.ndenumerate(matrix):
                _check_price(f"costs[{true}, {answered}]", float(cost))
        if isinstance(self.reject, Mapping):
            for label, price in self.reject.items():
                _check_price(f"reject[{label!r}]", price)
        else:
            prices = _as_numbers("reject", self.reject)
            if prices.ndim > 1:
                raise InputError(
                    argument="reject",
                    requirement="must be a number, or one per class",
                    got=f"shape {prices.shape}",
                )
            for price in prices.ravel().tolist():
                _check_price("reject", price)

    def table(self, classes: NDArray[Any]) -> CostTable:
        """Return costs and prices in the order of some classes.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            The classes of a classifier.

        Returns
        -------
        table : CostTable
            ``costs`` of shape (n_classes, n_classes) and ``reject`` of shape (n_classes,).

        Examples
        --------
        >>> import numpy as np
        >>> from abstain import ExpectedCost
        >>> target = ExpectedCost({("ill", "well"): 9, ("well", "ill"): 1}, reject=0.5)
        >>> target.table(np.array(["ill", "well"])).costs.tolist()
        [[0.0, 9.0], [1.0, 0.0]]
        """
        self._check()
        labels = classes.tolist()
        return CostTable(self._costs(labels), self._prices(labels))

    def costs_of(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        rejected: ArrayLike,
        classes: NDArray[Any] | None = None,
    ) -> NDArray[np.float64]:
        """Return what each decision costs.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True classes, and answers; those of rejected samples do not matter.
        rejected : array-like of bool of shape (n_samples,)
            Which samples are rejected.
        classes : ndarray of shape (n_classes,), default=None
            All classes, in the order of a matrix of costs; None is those that occur.

        Returns
        -------
        costs : ndarray of shape (n_samples,)
            One for each sample.

        Examples
        --------
        >>> from abstain import ExpectedCost
        >>> target = ExpectedCost({("ill", "well"): 9, ("well", "ill"): 1}, reject=0.5)
        >>> target.costs_of(["ill", "ill", "well"], ["well", "ill", "ill"], [0, 1, 0]).tolist()
        [9.0, 0.5, 1.0]
        """
        true, answers = as_labels("y_true", y_true), as_labels("y_pred", y_pred)
        is_rejected = check_boolean_vector("rejected", rejected)
        check_same_length(y_true=true, y_pred=answers, rejected=is_rejected)
        if classes is None:
            classes = np.unique(np.concatenate([true, answers]))
        for name, labels in (("y_true", true), ("y_pred", answers)):
            for label in np.setdiff1d(labels, classes).tolist()[:1]:
                _check_known(name, label, classes.tolist())
        costs, reject = self.table(classes)
        codes, answered = (np.searchsorted(classes, labels) for labels in (true, answers))
        return np.where(is_rejected, reject[codes], costs[codes, answered])

    def _costs(self, labels: list[Any]) -> NDArray[np.float64]:
        n = len(labels)
        if not isinstance(self.costs, Mapping):
            matrix = _as_numbers("costs", self.costs)
            if matrix.shape != (n, n):
                raise InputError(
                    argument="costs",
                    requirement=f"must have a row and a column for each of the classes "
                    f"{shown(labels)}",
                    got=f"shape {matrix.shape}",
                )
            return matrix
        for label in {label for pair in self.costs for label in pair}:
            _check_known("costs", label, labels)
        missing = [
            (true, answered)
            for true in labels
            for answered in labels
            if true != answered and (true, answered) not in self.costs
        ]
        if missing:
            raise InputError(
                argument="costs",
                requirement="must name every pair (true, answered) of different classes",
                got=f"none for {missing[0]!r}",
                remedy=f"add {missing[0]!r}" + f" and {len(missing) - 1} more" * (len(missing) > 1),
            )
        return np.array(
            [[float(self.costs.get((true, answer), 0.0)) for answer in labels] for true in labels]
        )

    def _prices(self, labels: list[Any]) -> NDArray[np.float64]:
        if isinstance(self.reject, Mapping):
            for label in self.reject:
                _check_known("reject", label, labels)
            for label in labels:
                if label not in self.reject:
                    raise InputError(
                        argument="reject",
                        requirement="must name every class, or be one number",
                        got=f"none for {label!r}",
                    )
            return np.array([float(self.reject[label]) for label in labels])
        prices = _as_numbers("reject", self.reject)
        if prices.ndim and len(prices) != len(labels):
            raise InputError(
                argument="reject",
                requirement=f"must be a number, or one for each of the classes {shown(labels)}",
                got=f"{len(prices)} numbers",
            )
        return np.broadcast_to(prices, (len(labels),)).copy()

    def _solve(self, learn: Outcomes, method: str, test: Outcomes | None = None) -> Choice:
        """Return the thresholds of least cost."""
        savings = self.table(learn.classes).savings(learn.truth, learn.answers)
        if not savings.any():  # all the same, whatever is rejected
            savings = np.full(len(learn), -1.0)
        weights = np.abs(savings)
        if learn.weights is not None:
            weights = weights * learn.weights
        if method == "exact" and in_units(weights)[2]:
            method = "hull"  # which has all rows of least cost, whatever the weights
        front = pareto_front(
            learn.certainty, savings <= 0, learn.cells, method=method, weights=weights
        )
        return Choice(front, _row_of_least_cost(front))


def _row_of_least_cost(front: ParetoFront) -> int:
    """Return the row of least cost, of a front whose weights are savings."""
    losses = front.n_errors - front.true_rejects + front.false_rejects
    costs = mean_of_seen_and_expected(front, losses, "expected_losses")
    return int(np.flatnonzero(costs <= costs.min() + 1e-9 * front.n_samples)[0])


def _as_numbers(name: str, values: Any) -> NDArray[np.float64]:
    try:
        numbers = np.asarray(values)
        if numbers.dtype.kind in "biufO":
            return numbers.astype(np.float64)
    except (TypeError, ValueError):  # ragged lists, and objects that are no numbers
        pass
    raise InputError(argument=name, value=values, requirement="must be numbers")


def _check_price(name: str, value: Any) -> None:
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if not is_number or isinstance(value, bool) or not np.isfinite(value) or value < 0:
        raise InputError(
            argument=name,
            value=value,
            requirement="must be a finite number from 0 on",
            remedy="give what it costs, not what it earns",
        )


def _check_known(name: str, label: Any, labels: list[Any]) -> None:
    if label not in labels:
        raise InputError(
            argument=name, value=label, requirement=f"must name classes, of {shown(labels)}"
        )
