"""What did a cross-validation fit, and what was each of its classifiers not fitted on?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import InputError, as_labels, check_same_length
from abstain._core.estimators import names_of_features, unwrap
from abstain.plotting._outcomes import Outcomes

__all__ = ["Fold", "estimators_of", "folds_of", "models_of", "pooled"]


class Fold(NamedTuple):
    """A fitted estimator, and the samples that it was not fitted on."""

    estimator: Any
    X: Any
    y: NDArray[Any]
    test: NDArray[np.int64]  # where these samples stand among all


def estimators_of(found: Any, argument: str = "cv_results") -> Sequence[Any]:
    """Return the estimators of what scikit-learn's ``cross_validate`` has returned."""
    if not isinstance(found, Mapping):
        raise InputError(
            f"{argument} must be what cross_validate returns, got a {type(found).__name__}"
        )
    _check_has("estimator", found, argument)
    estimators: Sequence[Any] = found["estimator"]
    if not len(estimators):
        raise InputError(f"{argument} must hold at least one fold, got none")
    return estimators


def _check_has(key: str, found: Mapping[str, Any], argument: str) -> None:
    if key not in found:
        raise InputError(
            f"{argument} must have been made with return_{key}=True by cross_validate, got no "
            f"{key!r}"
        )


def folds_of(found: Any, X: Any, y: ArrayLike | None, argument: str = "cv_results") -> list[Fold]:
    """Return each fold's estimator with its test part of the samples."""
    from abstain._core.sklearn_private import take_rows  # which brings half of scikit-learn

    estimators = estimators_of(found, argument)
    _check_has("indices", found, argument)
    if X is None or y is None:
        raise InputError("X and y must be those given to cross_validate, got None")
    labels = as_labels("y", y)
    check_same_length(X=range(X.shape[0] if hasattr(X, "shape") else len(X)), y=labels)
    parts = found["indices"]["test"]
    return [
        Fold(estimator, take_rows(X, test), labels[test], test)
        for estimator, test in zip(estimators, parts, strict=True)
    ]


def models_of(found: Any, feature_names: Sequence[str] | None) -> tuple[list[Any], Sequence[str]]:
    """Return the models of all folds, and what the features are called that all of them see."""
    told: list[list[str]] = []
    models = []
    for estimator in estimators_of(found):
        steps, model = unwrap(estimator)
        models.append(model)
        told.append([str(name) for name in names_of_features(steps, model, feature_names)])
        if told[-1] != told[0] or model.n_features_in_ != models[0].n_features_in_:
            raise InputError(
                "cv_results must hold models of the same features, got others in fold "
                f"{len(told) - 1} than in fold 0; select features before cross_validate"
            )
    return models, told[0]


def pooled(parts: Sequence[Outcomes]) -> Outcomes:
    """Return what becomes of all samples if each part of them is rejected at the same rate.

    The rates are those of any part, as far as all of them go. Between two of its rates, a part does
    what tossing a coin between them would do; rows with the same rate count as one, their mean.
    """
    last = min(float(part.reject_rates[-1]) for part in parts)
    rates = np.unique(np.concatenate([part.reject_rates for part in parts]))
    rates = rates[rates <= last]
    counts = [np.stack(list(_at_rates(part, rates))) for part in parts]
    right, wrong, truly, falsely = np.sum(counts, axis=0)
    return Outcomes(right, wrong, truly, falsely)


def _at_rates(part: Outcomes, rates: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    known, group = np.unique(part.reject_rates, return_inverse=True)
    sizes = np.bincount(group)
    for kind in part[:4]:
        yield np.interp(rates, known, np.bincount(group, weights=kind) / sizes)
