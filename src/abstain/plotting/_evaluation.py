"""Which estimators are drawn, and how many samples do they answer rightly or wrongly, or reject?

An estimator is given, or those of a cross-validation are, each with its test samples.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import as_labels, check_same_length
from abstain._core.errors import InputError
from abstain._core.estimators import n_samples_of, names_of_features, pass_through, unwrap
from abstain.fronts import ParetoFront
from abstain.fronts.held_out import HeldOut, HeldOutCounts
from abstain.metrics._samples import check_samples, rank_samples

Floats = NDArray[np.float64]

# --- estimators -----------------------------------------------------------------------------------


def reject_option_of(estimator: Any, remedy: str) -> tuple[list[Any], Any]:
    """Return the reject option of a fitted estimator, and the transformers before it."""
    from abstain.classifier import RejectOptionClassifier

    steps, clf = unwrap(estimator, until=RejectOptionClassifier)
    if not isinstance(clf, RejectOptionClassifier):
        raise InputError(
            f"estimator must be a fitted RejectOptionClassifier, got a {type(clf).__name__}; "
            f"{remedy}"
        )
    return steps, clf


class Fold(NamedTuple):
    """A fitted estimator, and the samples that it is tested on."""

    estimator: Any
    X: Any
    y: NDArray[Any]
    test: NDArray[np.int64]  # their indices among all samples


def folds_of(
    cv_results: Any, X: Any, y: ArrayLike | None, argument: str = "cv_results"
) -> list[Fold]:
    """Return the estimator of each fold with its test samples."""
    from abstain._core.sklearn_private import take_rows  # which imports half of scikit-learn

    _check_cv_results(cv_results, argument, "estimator", "indices")
    if X is None or y is None:
        raise InputError("X and y must be those given to cross_validate, got None")
    labels = as_labels("y", y)
    check_same_length(X=range(n_samples_of(X)), y=labels)
    return [
        Fold(estimator, take_rows(X, test), labels[test], test)
        for estimator, test in zip(
            cv_results["estimator"], cv_results["indices"]["test"], strict=True
        )
    ]


def models_of(
    cv_results: Any, feature_names: Sequence[str] | None
) -> tuple[list[Any], Sequence[str]]:
    """Return the models of all folds, and the names of the features, which all folds share."""
    _check_cv_results(cv_results, "cv_results", "estimator")
    names: list[list[str]] = []
    models = []
    for estimator in cv_results["estimator"]:
        steps, model = unwrap(estimator)
        models.append(model)
        names.append([str(name) for name in names_of_features(steps, model, feature_names)])
        if names[-1] != names[0] or model.n_features_in_ != models[0].n_features_in_:
            raise InputError(
                "cv_results must hold models of the same features, got others in fold "
                f"{len(names) - 1} than in fold 0; select features before cross_validate"
            )
    return models, names[0]


def _check_cv_results(cv_results: Any, argument: str, *keys: str) -> None:
    if not isinstance(cv_results, Mapping):
        raise InputError(
            f"{argument} must be what cross_validate returns, got a {type(cv_results).__name__}"
        )
    for key in keys:
        if key not in cv_results:
            raise InputError(
                f"{argument} must have been made with return_{key}=True by cross_validate, got no "
                f"{key!r}"
            )
    if not len(cv_results["estimator"]):
        raise InputError(f"{argument} must hold at least one fold, got none")


# --- outcomes -------------------------------------------------------------------------------------


class Outcomes(NamedTuple):
    """Number or weight of the samples of each kind, one entry per threshold or row of a front.

    Entries ascend in the share of rejected samples; ``rows`` are those of the front, if any.
    """

    right: Floats
    wrong: Floats
    truly_rejected: Floats
    falsely_rejected: Floats
    rows: NDArray[np.int64] | None = None

    @property
    def total(self) -> float:
        """Return the weight of all samples, which is the same in each entry."""
        return float(sum(kind[0] for kind in self[:4]))

    @property
    def reject_rates(self) -> Floats:
        """Return the share of rejected samples."""
        return np.asarray((self.truly_rejected + self.falsely_rejected) / self.total)

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

    With a reject option and ``certainty=None``, these are the best rows of its front and the one
    that it runs at; otherwise all values of one threshold on the certainty.
    """
    from abstain.certainty import measure_certainty
    from abstain.classifier import RejectOptionClassifier

    steps, inner = unwrap(estimator, until=RejectOptionClassifier)
    if not isinstance(inner, RejectOptionClassifier):
        measured = measure_certainty(estimator, X, "auto" if certainty is None else certainty)
        return of_predictions(y, estimator.predict(X), measured)
    X = pass_through(steps, X)
    if certainty is not None:
        measured = measure_certainty(inner.estimator_, X, certainty)
        return of_predictions(y, plain_answers(inner, X), measured)
    return _of_reject_option(inner, X, y)


def _of_reject_option(clf: Any, X: Any, y: ArrayLike) -> Outcomes:
    from abstain.classifier.own_cells import OwnCells

    decisions = clf.decide(X)
    kept = ~decisions.outlier  # outliers are rejected in every row
    labels, predictions, _ = check_samples(y, clf.classes_[decisions.class_indices], None)
    correct = np.asarray(labels == predictions)
    columns = OwnCells(clf.cells_[:-1]).columns_of(decisions.positions, clf.front_)
    held_out = HeldOut(decisions.certainty[kept], correct[kept], columns[kept])
    # At the row that it runs at, another one may be as accurate with fewer rejects.
    own = clf.operating_point_.row
    rows = np.union1d(best_rows(clf.front_), [] if own is None else [own]).astype(np.int64)
    counts = np.array(list(HeldOutCounts(clf.front_, held_out).of(rows)), dtype=float)
    # New samples need not be rejected in the order of the rows.
    order = np.argsort(-counts[:, 1], kind="stable")
    accepted, wrong = counts[order, 1:].T
    n_errors = float((~correct).sum())
    right, n_right = accepted - wrong, len(correct) - n_errors
    return Outcomes(right, wrong, n_errors - wrong, n_right - right, rows[order])


def operating_point_on(estimator: Any, X: Any, y: ArrayLike) -> tuple[float, float] | None:
    """Return reject rate and accuracy of a reject option as it is set; None where it has none."""
    from abstain.classifier import RejectOptionClassifier

    steps, clf = unwrap(estimator, until=RejectOptionClassifier)
    if not isinstance(clf, RejectOptionClassifier):
        return None
    X = pass_through(steps, X)
    accepted = ~clf.reject(X)
    if not accepted.any():
        return None
    return float(1 - accepted.mean()), float(_is_correct(clf, X, y)[accepted].mean())


def plain_answers(clf: Any, X: Any) -> NDArray[Any]:
    """Return what a reject option answers, of rejected samples too."""
    return np.asarray(clf.classes_[clf.decide(X).class_indices])


def _is_correct(clf: Any, X: Any, y: ArrayLike) -> NDArray[np.bool_]:
    labels, predictions, _ = check_samples(y, plain_answers(clf, X), None)
    return np.asarray(labels == predictions)


def pooled(parts: Sequence[Outcomes]) -> Outcomes:
    """Return the outcomes of all samples if each part of them is rejected at the same rate.

    The rates are those of any part, up to the highest that all parts reach. Between two of its
    rates, a part is interpolated, as if the rate were chosen by a coin; rows with the same rate
    count as one, their mean.
    """
    last = min(float(part.reject_rates[-1]) for part in parts)
    rates = np.unique(np.concatenate([part.reject_rates for part in parts]))
    rates = rates[rates <= last]
    counts = []
    for part in parts:
        known, group = np.unique(part.reject_rates, return_inverse=True)
        sizes = np.bincount(group)
        counts.append(
            [np.interp(rates, known, np.bincount(group, weights=kind) / sizes) for kind in part[:4]]
        )
    right, wrong, truly, falsely = np.sum(counts, axis=0)
    return Outcomes(right, wrong, truly, falsely)
