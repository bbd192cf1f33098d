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

from abstain.models.adaptive_distances import canonical
from abstain.models.base import PrototypeClassifier, answers_in_blocks, number_type

Array = NDArray[Any]


class ProjectionMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):  # type: ignore[misc]
    """The transformer of a model that learns a metric."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

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

    @answers_in_blocks(number_type, lambda model: model._n_features_out)
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
