"""What do models with the likelihood ratio loss (the RSLVQ family) have in common?"""

from __future__ import annotations  # signatures then show the names of types

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._checks import InputError
from abstain.models.base import Problem, PrototypeClassifier
from abstain.models.costs import Loss, mean_distances
from abstain.models.losses import likelihood_ratio, log_densities

__all__ = ["LikelihoodRatioClassifier"]

Array = NDArray[Any]

# The bandwidth, as a share of the mean distance to the own class at the start.
BANDWIDTH = 0.05


class LikelihoodRatioClassifier(PrototypeClassifier):
    """A prototype model that maximises the likelihood ratio of the classes."""

    sigma2: float | str | ArrayLike | None
    sigma2_: Array

    def _loss(self, problem: Problem) -> Loss:
        # A fit that goes on keeps its bandwidths, else it would go on with another cost.
        if not (problem.is_warm and self._is_estimated):
            self.sigma2_ = self._bandwidths(problem)
        return partial(likelihood_ratio, sigma2=self.sigma2_ / problem.units.scale**2)

    @property
    def _is_estimated(self) -> bool:
        return self.sigma2 is None or isinstance(self.sigma2, str)

    def _bandwidths(self, problem: Problem) -> Array:
        """Return σ² of each prototype, in the units of the data."""
        n_prototypes = len(problem.owners)
        if not self._is_estimated:
            return _given(self.sigma2, n_prototypes)
        if self.sigma2 not in (None, "local"):
            raise InputError(
                "sigma2 must be None, 'local', a positive number or an array of them, got "
                f"{self.sigma2!r}"
            )
        means, weights = mean_distances(
            problem.blocks, problem.owners, problem.geometry, *problem.start
        )
        # All samples may lie on their prototypes: then any bandwidth will do.
        common = float(np.average(means, weights=weights)) or 1.0
        spread = np.where(means > 0, means, common) if self.sigma2 == "local" else common
        return np.full(n_prototypes, BANDWIDTH * problem.units.scale**2) * spread

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.

        Returns
        -------
        posteriors : ndarray of shape (n_samples, n_classes)
            They sum to 1.

        Examples
        --------
        >>> from abstain.models import RSLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> RSLVQ().fit(X, y).predict_proba([[2.0, 0.5]]).round(2).tolist()
        [[0.5, 0.5]]
        """
        samples = self._samples(X)
        distances = self._distances(samples)
        n_present = np.count_nonzero(~np.isnan(samples), axis=1)
        density = log_densities(distances.T, self.sigma2_.astype(distances.dtype), n_present)
        shares = np.exp(density - density.max(axis=0))
        shares /= shares.sum(axis=0)
        return np.stack(
            [shares[self.prototype_labels_ == name].sum(axis=0) for name in self.classes_], axis=1
        )

    def predict(self, X: ArrayLike) -> Array:
        """Return the class of the largest posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted classes.

        Examples
        --------
        >>> from abstain.models import RSLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> RSLVQ().fit(X, y).predict([[1.0, 0.5], [3.0, float("nan")]]).tolist()
        ['a', 'b']
        """
        winners = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[winners])


def _given(sigma2: Any, n_prototypes: int) -> Array:
    """Return bandwidths that the user has set, one for each prototype."""
    widths = np.asarray(sigma2)
    if widths.dtype.kind not in "iuf" or not (np.isfinite(widths) & (widths > 0)).all():
        raise InputError(f"sigma2 must be positive, or None to estimate it, got {sigma2!r}")
    if widths.shape not in ((), (n_prototypes,)):
        raise InputError(
            f"sigma2 must be one number or one for each of the {n_prototypes} prototypes, got "
            f"shape {widths.shape}"
        )
    return np.broadcast_to(widths.astype(np.float64), n_prototypes).copy()
