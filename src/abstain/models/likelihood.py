"""What do models with the likelihood ratio loss (the RSLVQ family) have in common?"""

from __future__ import annotations  # signatures then show the names of types

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._checks import InputError
from abstain.models.base import PrototypeClassifier
from abstain.models.fitting import Loss
from abstain.models.losses import likelihood_ratio, log_densities

__all__ = ["LikelihoodRatioClassifier"]

# The bandwidth, as a share of the mean distance to the own class at the start.
BANDWIDTH = 0.05


class LikelihoodRatioClassifier(PrototypeClassifier):
    """A prototype model that maximises the likelihood ratio of the classes."""

    sigma2: float | None

    def _loss(self, spread: float, owners: NDArray[np.int64], n_features: int) -> Loss:
        if self.sigma2 is not None and not self.sigma2 > 0:
            raise InputError(f"sigma2 must be positive or None, got {self.sigma2!r}")
        # All samples may lie on their prototypes: then any bandwidth will do.
        estimate = BANDWIDTH * spread or 1.0
        self.sigma2_ = estimate if self.sigma2 is None else float(self.sigma2)
        widths = np.full(len(owners), self.sigma2_)
        return partial(likelihood_ratio, sigma2=widths, n_features=n_features)

    def predict_proba(self, X: ArrayLike) -> NDArray[Any]:
        """Return the posterior of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.

        Returns
        -------
        posteriors : ndarray of shape (n_samples, n_classes)
            They sum to 1.
        """
        distances = self.distances(X)
        widths = np.full(distances.shape[1], self.sigma2_, dtype=distances.dtype)
        density = log_densities(distances.T, widths, self.n_features_in_)
        shares = np.exp(density - density.max(axis=0))
        shares /= shares.sum(axis=0)
        return np.stack(
            [shares[self.prototype_labels_ == name].sum(axis=0) for name in self.classes_], axis=1
        )

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of the largest posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted classes.
        """
        winners = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[winners])
