"""Along which directions does a model separate the classes?

A metric Λ = ΩᵀΩ weights the directions of the space by its eigenvalues. The rows of a fitted Ω are
its eigenvectors times the roots of its eigenvalues, in descending order. So the columns of X Ωᵀ are
the leading discriminative directions, and Euclidean distances between its rows are those of the
model.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags

from abstain.models.base import PrototypeClassifier, answers_in_blocks
from abstain.models.costs import Loss
from abstain.models.distances import normalise
from abstain.models.lbfgs import FitResult
from abstain.models.solvers import Problem

Array = NDArray[Any]


class ProjectionMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):  # type: ignore[misc]
    """The transformer of a model that learns a metric."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _store(self, problem: Problem, loss: Loss, fit: FitResult) -> None:
        super()._store(problem, loss, fit)
        metric = canonical(normalise(fit.parameters[1])[0])
        setattr(self, self._metric_name, metric)
        self.relevances_ = relevances(metric, problem.varies)

    @property
    def eigenvalues_(self: Any) -> Array:
        """Eigenvalues of Λ, descending; with local metrics, one row per prototype."""
        return np.asarray((self._directions() ** 2).sum(axis=-1))

    @property
    def eigenvectors_(self: Any) -> Array:
        """Eigenvectors of Λ as rows, in the order of ``eigenvalues_``; 0 where these are 0."""
        directions = self._directions()
        sizes = np.sqrt((directions**2).sum(axis=-1, keepdims=True))
        return np.asarray(np.divide(directions, sizes, where=sizes > 0, out=directions.copy()))

    def _directions(self: Any) -> Array:
        """Return √λ_i v_iᵀ as rows, in descending order of λ_i."""
        (metric,) = self._metric()
        if metric.ndim > 1:
            return np.asarray(metric)
        order = np.argsort(-metric, kind="stable")
        return np.asarray(np.diag(metric)[order])

    @property
    def _n_features_out(self: Any) -> int:
        return len(self._projection())

    def _projection(self: Any) -> Array:
        """Return one Ω for all prototypes; with local metrics, a root of their mean Λ."""
        (metric,) = self._metric()
        if metric.ndim < 3:
            return np.asarray(self._directions())
        # The stacked matrices have the sum of all Λ_j as their Gram matrix.
        stacked = metric.reshape(-1, metric.shape[-1]) / len(metric) ** 0.5
        return canonical(stacked)[: metric.shape[-1]]

    @answers_in_blocks(lambda model: model.prototypes_.dtype, lambda model: model._n_features_out)
    def transform(self: PrototypeClassifier, X: ArrayLike) -> Array:
        """Project samples on the leading discriminative directions, X Ωᵀ.

        Squared Euclidean distances between the rows are distances of the model. If each
        prototype has its own metric, they are means over these metrics. A missing value is
        taken from the closest prototype, which does not change the distance to that prototype.

        Returns
        -------
        projected : ndarray of shape (n_samples, n_components)
            In descending order of importance.

        Examples
        --------
        >>> from abstain.models import GMLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> model = GMLVQ().fit(X, y)
        >>> model.transform(X).shape, model.get_feature_names_out().tolist()
        ((4, 2), ['gmlvq0', 'gmlvq1'])
        """
        samples = self._samples(X)
        missing = np.isnan(samples)
        if missing.any():
            samples = np.where(missing, self.prototypes_[self.apply(X)], samples)
        return np.asarray(samples @ self._projection().T)


def canonical(metric: Array) -> Array:
    """Return the same metric with its directions in order, the heaviest first.

    Ω and QΩ give the same distances if Q is orthogonal. The rows of the returned matrix are
    √λ_i v_iᵀ, with the eigenvalues λ_i of Λ = ΩᵀΩ descending and the signs of its eigenvectors v_i
    chosen so that their largest entry is positive.
    """
    if metric.ndim == 1:
        return np.abs(metric)
    if metric.ndim == 3:
        return np.stack([canonical(omega) for omega in metric])
    _, sizes, axes = np.linalg.svd(metric.astype(np.float64), full_matrices=False)
    # Directions without any gradient keep their equal weights. Every basis of their span is right,
    # but rounding must not choose it.
    for members in _equal_runs(sizes, max(1e-8, 16 * float(np.finfo(metric.dtype).eps))):
        sizes[members] = sizes[members].mean()
        axes[members] = _basis_of_span(axes[members])
    largest = np.abs(axes).argmax(axis=1)
    signs = np.sign(axes[np.arange(len(axes)), largest])
    return np.asarray((sizes * signs)[:, np.newaxis] * axes, dtype=metric.dtype)


def _equal_runs(sizes: Array, tolerance: float) -> list[slice]:
    """Return runs of descending sizes that equal their first up to a relative tolerance."""
    runs, start = [], 0
    for stop in range(1, len(sizes) + 1):
        if stop == len(sizes) or sizes[stop] < (1 - tolerance) * sizes[start]:
            if stop - start > 1:
                runs.append(slice(start, stop))
            start = stop
    return runs


def _basis_of_span(axes: Array) -> Array:
    """Return an orthonormal basis that depends only on the span of the given orthonormal rows.

    A pivoted QR decomposition of the features projected into that space, ordered by the position
    of the largest entry.
    """
    from scipy.linalg import qr

    basis = qr(axes.T @ axes, pivoting=True)[0][:, : len(axes)].T
    return np.asarray(basis[np.argsort(np.abs(basis).argmax(axis=1), kind="stable")])


def relevances(metric: Array, varies: NDArray[np.bool_]) -> Array:
    """Return the weight of each feature: the diagonal of Λ = ΩᵀΩ, with a sum of 1.

    A constant feature separates no classes, so its weight is 0, whatever its initial value.
    """
    squares = metric**2 if metric.ndim == 1 else (metric**2).sum(axis=-2)
    seen = squares * varies if varies.any() else squares
    return np.asarray(seen / seen.sum(axis=-1, keepdims=True))
