"""How far are values from their range, and how unusual are combinations of values?

Two scores of the features x, as the classifier sees them, tell samples unlike the known ones:

- *Range.* With m_i the median of feature i among the known samples, and [a_i, b_i] their range,

      r(x) = max_i max( (x_i − m_i) / (b_i − m_i), (m_i − x_i) / (m_i − a_i) )

  is above 1 if a value lies outside the range. It finds wrong units and codes such as -999.
- *Distance.* d²(x) = zᵀ C⁻¹ z, the Mahalanobis distance of the standardized features z, with the
  covariance C of a probabilistic principal component analysis: the largest `N_COMPONENTS`
  eigenvalues, and one variance σ² for all other directions. It finds unusual combinations and
  noise. A missing value is taken as the mean.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

N_COMPONENTS = 16
# Of more features, no matrix of covariances is made.
MAX_COVARIANCE = 512
# A component has so many samples at least.
SAMPLES_PER_COMPONENT = 5
# The least variance of a direction, relative to the mean over all directions.
LEAST_VARIANCE = 0.05
# A smaller deviation has no reciprocal.
LEAST_SCALE = 1e-300
# Standardized features that vary less are constant but for rounding.
LEAST_TOTAL = 1e-12
# The largest excess of a value over its range, which may be a single point.
FAR = 1e9
# The squares of larger values, and their sums, are not finite.
TOO_LARGE = 1e150
# Values that are compared at once: they fit into a fast cache.
BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of the features.

    ``below`` and ``above`` are the distances from the median to the ends of the range.
    ``components`` are directions u_k of standardized features, one per column, with
    d²(x) = ‖z‖² / σ² − Σ_k (u_kᵀ z)².
    """

    center: Floats
    below: Floats
    above: Floats
    mean: Floats
    scale: Floats
    components: Floats
    variance: float

    def scores(self, samples: Floats) -> tuple[Floats, Floats]:
        """Return r and d of each sample."""
        squares = np.empty(len(samples))
        for rows, z in self.standardized(samples):
            squares[rows] = self.squared_distances(z)
        return self.excess(samples).max(axis=1), np.sqrt(np.maximum(squares, 0.0))

    def excess(self, samples: Floats) -> Floats:
        """Return the excess of each value: above 1 outside the range, 0 if it is missing."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            away = samples - self.center
            excess = np.where(away > 0, away / self.above, -away / self.below)
        excess[(away == 0) | np.isnan(samples)] = 0.0
        return np.minimum(excess, FAR)

    def standardized(self, samples: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield rows, and their standardized features."""
        n_rows = max(1, BLOCK // samples.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(samples), n_rows):
                rows = slice(start, start + n_rows)
                z = samples[rows] - self.mean
                z *= self.factor
                yield rows, z

    @cached_property
    def factor(self) -> Floats:
        """What centred features are multiplied by: products are faster than quotients."""
        return 1 / self.scale

    def squared_distances(self, z: Floats) -> Floats:
        """Return d² from standardized features, in which missing values are NaN."""
        squares = np.einsum("ij,ij->i", z, z)
        if not np.isfinite(squares).all():
            z = _filled(z)
            squares = np.einsum("ij,ij->i", z, z)
        projected = z @ self.components
        squares /= self.variance
        squares -= np.einsum("ij,ij->i", projected, projected)
        return np.asarray(squares)

    def distance_parts(self, samples: Floats) -> Floats:
        """Return z_i (C⁻¹ z)_i, the part of each feature in d²."""
        z = _filled((samples - self.mean) * self.factor)
        weighted = z / self.variance - (z @ self.components) @ self.components.T
        return np.asarray(z * weighted)


def fit_known(samples: Floats) -> Known:
    """Return the range and the covariance of samples, by values that can be squared."""
    finite = np.where(np.abs(samples) < TOO_LARGE, samples, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a column without any value
        statistics = [
            np.nan_to_num(of(finite, axis=0))
            for of in (np.nanmedian, np.nanmin, np.nanmax, np.nanmean, np.nanstd)
        ]
    center, lowest, highest, mean, scale = statistics
    below, above = center - lowest, highest - center
    is_constant = (below == 0) & (above == 0)
    below, above = np.where(is_constant, 1.0, below), np.where(is_constant, 1.0, above)
    # Of a constant column, mean and deviation may be rounded.
    mean = np.where(is_constant, center, mean)
    scale = np.where(is_constant | (scale < LEAST_SCALE), 1.0, scale)
    components, variance = _components(_filled((finite - mean) / scale))
    return Known(center, below, above, mean, scale, components, variance)


def _components(z: Floats) -> tuple[Floats, float]:
    """Return the u_k and σ² of standardized features; see `Known`."""
    from sklearn.decomposition import PCA

    n_samples, n_features = z.shape
    total = float(z.var(axis=0).sum())
    if total < LEAST_TOTAL:  # nothing varies
        return np.zeros((n_features, 1)), 1.0
    n_components = min(N_COMPONENTS, n_features, max(1, n_samples // SAMPLES_PER_COMPONENT))
    solver = "covariance_eigh" if n_features <= MAX_COVARIANCE else "randomized"
    pca = PCA(n_components, svd_solver=solver, random_state=0).fit(z)
    variances = pca.explained_variance_ * (n_samples - 1) / n_samples
    rest = float(variances.min())
    if n_components < n_features:
        rest = (total - float(variances.sum())) / (n_features - n_components)
    variance = max(rest, LEAST_VARIANCE * total / n_features)
    weights = np.sqrt(1 / variance - 1 / np.maximum(variances, variance))
    return (pca.components_ * weights[:, np.newaxis]).T, variance


def _filled(z: Floats) -> Floats:
    """Return standardized features with the mean in place of missing values."""
    return np.clip(np.nan_to_num(z, nan=0.0), -TOO_LARGE, TOO_LARGE)
