"""What is left of samples when the directions that a model found are projected out of them?

Samples are kept as coordinates along an orthonormal basis of what is left of the feature space.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_array

from abstain._core.errors import InputError
from abstain._core.estimators import names_of_features
from abstain._core.sklearn_private import take_rows
from abstain.models.relevances.stability import mean_relevance_matrix

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Part(NamedTuple):
    """What is left of the samples that a model is fitted to, and of those that it predicts."""

    X: Floats
    y: Array
    X_test: Floats | None
    basis: Floats  # orthonormal rows; X are coordinates along them


class Step(NamedTuple):
    """What one iteration finds, answers and leaves."""

    directions: Floats
    eigenvalues: Floats
    answers: Array | None
    left: Part


def prepare(
    before: Any, X: Any, y: Array, train: Ints, test: Ints | None
) -> tuple[Part, list[str]]:
    """Return transformed samples, as coordinates in their span, and the names of the features."""
    fitted = clone(before).fit(take_rows(X, train), y[train])
    samples = _transformed(fitted, take_rows(X, train))
    basis = _span(samples)
    to_predict = None if test is None else _transformed(fitted, take_rows(X, test)) @ basis.T
    names = list(map(str, names_of_features([fitted], None)))
    return Part(samples @ basis.T, y[train], to_predict, basis), names


def _transformed(before: Any, X: Any) -> Floats:
    values = check_array(before.transform(X), dtype=np.float64, ensure_all_finite="allow-nan")
    if np.isnan(values).any():
        raise InputError(
            argument="X",
            requirement="must have no missing value where it reaches the model",
            got="NaN",
            remedy="put an imputer in front of the model: NaN has no projection",
        )
    return np.asarray(values)


def _span(samples: Floats) -> Floats:
    """Return a basis of the span of the samples around their mean: the features, if it is all."""
    moved = samples - samples.mean(axis=0)
    _, sizes, axes = np.linalg.svd(moved, full_matrices=False)
    rounding = sizes.max() * max(moved.shape) * np.finfo(np.float64).eps
    rank = int((sizes > rounding).sum())
    if not rank:
        raise InputError(
            argument="X", requirement="must vary among the samples of each fold", got="equal rows"
        )
    return np.eye(samples.shape[1]) if rank == samples.shape[1] else np.asarray(axes[:rank])


def iterate(model: Any, part: Part, k: int) -> Step:
    """Fit the model, and project its leading directions out."""
    fitted = clone(model).set_params(**_fitting(model, part.basis)).fit(part.X, part.y)
    answers = None if part.X_test is None else fitted.predict(part.X_test)
    eigenvalues, vectors = np.linalg.eigh(mean_relevance_matrix(fitted))
    leading, others = vectors[:, ::-1][:, :k].T, vectors[:, ::-1][:, k:].T
    to_predict = None if part.X_test is None else part.X_test @ others.T
    left = Part(part.X @ others.T, part.y, to_predict, others @ part.basis)
    return Step(_signed(leading @ part.basis), eigenvalues[::-1][:k], answers, left)


def _fitting(model: Any, basis: Floats) -> dict[str, Any]:
    """Return the parameters that depend on the space of the samples."""
    rank, init = model.n_components, model.init
    return {
        "n_components": None if rank is None else min(rank, len(basis)),
        "init": init if isinstance(init, str) else np.asarray(init) @ basis.T,
    }


def _signed(directions: Floats) -> Floats:
    """Return directions whose largest entry is positive."""
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return np.asarray(directions * signs[:, np.newaxis])
