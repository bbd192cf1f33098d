"""Which estimators did a cross-validation fit, and on which samples is each of them tested?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import as_labels, check_same_length
from abstain._core.errors import InputError
from abstain._core.estimators import n_samples_of, names_of_features, unwrap


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

    estimators = _estimators(cv_results, argument)
    _check_has("indices", cv_results, argument)
    if X is None or y is None:
        raise InputError("X and y must be those given to cross_validate, got None")
    labels = as_labels("y", y)
    check_same_length(X=range(n_samples_of(X)), y=labels)
    return [
        Fold(estimator, take_rows(X, test), labels[test], test)
        for estimator, test in zip(estimators, cv_results["indices"]["test"], strict=True)
    ]


def models_of(
    cv_results: Any, feature_names: Sequence[str] | None
) -> tuple[list[Any], Sequence[str]]:
    """Return the models of all folds, and the names of the features, which all folds share."""
    names: list[list[str]] = []
    models = []
    for estimator in _estimators(cv_results, "cv_results"):
        steps, model = unwrap(estimator)
        models.append(model)
        names.append([str(name) for name in names_of_features(steps, model, feature_names)])
        if names[-1] != names[0] or model.n_features_in_ != models[0].n_features_in_:
            raise InputError(
                "cv_results must hold models of the same features, got others in fold "
                f"{len(names) - 1} than in fold 0; select features before cross_validate"
            )
    return models, names[0]


def _estimators(cv_results: Any, argument: str) -> Sequence[Any]:
    if not isinstance(cv_results, Mapping):
        raise InputError(
            f"{argument} must be what cross_validate returns, got a {type(cv_results).__name__}"
        )
    _check_has("estimator", cv_results, argument)
    estimators: Sequence[Any] = cv_results["estimator"]
    if not len(estimators):
        raise InputError(f"{argument} must hold at least one fold, got none")
    return estimators


def _check_has(key: str, cv_results: Mapping[str, Any], argument: str) -> None:
    if key not in cv_results:
        raise InputError(
            f"{argument} must have been made with return_{key}=True by cross_validate, got no "
            f"{key!r}"
        )
