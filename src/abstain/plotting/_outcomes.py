"""What becomes of the samples, row by row: right or wrong, accepted or rejected?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.estimators import pass_through, unwrap
from abstain.fronts import ParetoFront
from abstain.fronts.held_out import HeldOut, HeldOutCounts
from abstain.metrics._samples import check_samples, rank_samples

__all__ = ["Outcomes", "best_rows", "of_estimator", "of_front", "of_predictions", "runs_at"]

Floats = NDArray[np.float64]


class Outcomes(NamedTuple):
    """How many samples, or what weight of them, is of each kind in each row.

    ``rows`` holds the row of the front behind each entry, if there is one. Entries ascend in the
    share of rejected samples.
    """

    right: Floats
    wrong: Floats
    truly_rejected: Floats
    falsely_rejected: Floats
    rows: NDArray[np.int64] | None = None

    @property
    def total(self) -> float:
        """Return the weight of all samples, which is the same in each row."""
        return float(sum(kind[0] for kind in self[:4]))

    @property
    def reject_rates(self) -> Floats:
        """Return the share of rejected samples."""
        return np.asarray((self.truly_rejected + self.falsely_rejected) / self.total)

    @property
    def shares(self) -> list[Floats]:
        """Return the shares of the four kinds."""
        return [np.asarray(kind / self.total) for kind in self[:4]]

    def curve(self) -> tuple[Floats, Floats, NDArray[np.int64] | None]:
        """Return accuracies, reject rates and rows where any sample is accepted."""
        accepted = self.right + self.wrong
        some = accepted > 0
        rows = None if self.rows is None else self.rows[some]
        return self.right[some] / accepted[some], self.reject_rates[some], rows


def best_rows(front: ParetoFront) -> NDArray[np.int64]:
    """Return the rows with the best accuracy within each reject budget, by reject rate."""
    order = np.lexsort((-front.accuracies, front.reject_rates))
    accuracies = front.accuracies[order]
    best_before = np.fmax.accumulate(np.append(-np.inf, accuracies[:-1]))
    return np.asarray(order[accuracies > best_before])


def of_front(front: ParetoFront) -> Outcomes:
    """Count the calibration samples at the best row of each reject budget."""
    rows = best_rows(front)
    true, false = (kind[rows].astype(float) for kind in (front.true_rejects, front.false_rejects))
    n_right = front.n_samples - front.n_errors
    return Outcomes(n_right - false, front.n_errors - true, true, false, rows)


def of_predictions(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    certainty: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> Outcomes:
    """Weigh samples at each threshold on their certainty, from rejecting none to all."""
    ranked = rank_samples(y_true, y_pred, certainty, sample_weight)
    right, wrong = (
        np.append(ranked.accepted_weight(kind)[::-1], 0.0)
        for kind in (ranked.correct, ~ranked.correct)
    )
    return Outcomes(right, wrong, wrong[0] - wrong, right[0] - right)


def of_estimator(estimator: Any, X: Any, y: ArrayLike, certainty: Any = None) -> Outcomes:
    """Count samples at the thresholds of a fitted classifier.

    Those of a reject option are the best rows of its front; one threshold on a certainty takes all
    values. ``certainty=None`` is the former where there is a reject option.
    """
    from abstain.certainty import measure_certainty
    from abstain.classifier import RejectOptionClassifier

    steps, inner = unwrap(estimator, until=RejectOptionClassifier)
    if not isinstance(inner, RejectOptionClassifier):
        measured = measure_certainty(estimator, X, "auto" if certainty is None else certainty)
        return of_predictions(y, estimator.predict(X), measured)
    seen = pass_through(steps, X)
    if certainty is not None:
        measured = measure_certainty(inner.estimator_, seen, certainty)
        return of_predictions(y, inner.estimator_.predict(seen), measured)
    return _of_reject_option(inner, seen, y)


def _of_reject_option(clf: Any, X: Any, y: ArrayLike) -> Outcomes:
    known = _asked(clf, X, y)
    columns = clf._regions.columns(known.cells, clf.front_)
    held_out = HeldOut(known.certainty, known.correct, columns)
    rows = best_rows(clf.front_)
    counts = np.array(list(HeldOutCounts(clf.front_, held_out).of(rows)), dtype=float)
    # New samples need not be rejected in the order of the rows.
    order = np.argsort(-counts[:, 1], kind="stable")
    accepted, wrong = counts[order, 1:].T
    n_errors = float((~known.correct).sum())
    right, n_right = accepted - wrong, len(known.correct) - n_errors
    return Outcomes(right, wrong, n_errors - wrong, n_right - right, rows[order])


def runs_at(estimator: Any, X: Any, y: ArrayLike) -> tuple[float, float] | None:
    """Return reject rate and accuracy of a reject option as it is set; None where it has none."""
    from abstain.classifier import RejectOptionClassifier

    steps, clf = unwrap(estimator, until=RejectOptionClassifier)
    if not isinstance(clf, RejectOptionClassifier):
        return None
    known = _asked(clf, pass_through(steps, X), y)
    accepted = known.certainty >= clf.thresholds_[clf._regions.positions(known.cells)]
    if not accepted.any():
        return None
    return float(1 - accepted.mean()), float(known.correct[accepted].mean())


def _asked(clf: Any, X: Any, y: ArrayLike) -> Any:
    from abstain.classifier.calibrate import calibrate

    labels, _, _ = check_samples(y, clf.estimator_.predict(X), None)
    return calibrate(clf.estimator_, X, labels, clf._rules)
