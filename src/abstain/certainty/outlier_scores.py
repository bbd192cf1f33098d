"""How far do values lie from their range, and from what the other values tell?

Two scores of the features x, as the classifier sees them, tell samples unlike the known ones:

- *Range.* With m_i the median of feature i among the known samples, and [a_i, b_i] their range,

      r(x) = max_i max( (x_i − m_i) / (b_i − m_i), (m_i − x_i) / (m_i − a_i) )

  is above 1 if a value lies outside the range. It finds wrong units and codes such as -999.
- *Residual.* With z the standardized features, C their covariance and P = (C + ε I)⁻¹, (P z)_j is,
  but for a factor of its own, the residual of feature j in a ridge regression on the others: the
  best test of a wrong value of feature j among normal samples. With ρ_j the largest |(P z)_j| of a
  known sample, each by the other samples,

      e(x) = max_j |(P z)_j| / ρ_j

  is above 1 if a value fits the others worse than any known one. It finds wrong values inside their
  range, unusual combinations and noise. The others are the features of the same block, of at most
  `MAX_TOGETHER` that follow each other. Where one is missing, the residuals of its block are
  unknown; features that are often missing, or constant, are left out.

Sample i has C without itself, but for the mean: P without it gives (P z_i) / (1 − z_iᵀ P z_i / n).
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Features of a block, which all residuals depend on: it bounds the cost per value.
MAX_TOGETHER = 32
# The variance ε that is added to each standardized feature.
RIDGE = 0.01
# A feature that more samples lack has no residual.
MAX_MISSING = 0.1
# A smaller deviation has no reciprocal.
LEAST_SCALE = 1e-300
# The largest excess of a value over its range, which may be a single point, and of a residual.
FAR = 1e9
# The squares of larger values, and their sums, are not finite.
TOO_LARGE = 1e150


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of the features.

    ``below`` and ``above`` are the distances from the median to the ends of the range. Row i of
    ``weights`` holds those of feature i in the residuals of its block, P_ij / ρ_j.
    """

    center: Floats
    below: Floats
    above: Floats
    mean: Floats
    scale: Floats
    weights: Floats

    def scores(self, samples: Floats) -> tuple[Floats, Floats]:
        """Return r and e of each sample; e is NaN where it is unknown."""
        residuals = np.fmax.reduce(self.residuals(samples), axis=1)
        return self.excess(samples).max(axis=1), residuals

    def excess(self, samples: Floats) -> Floats:
        """Return the excess of each value: above 1 outside the range, 0 if it is missing."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            away = samples - self.center
            excess = np.where(away > 0, away / self.above, -away / self.below)
        excess[(away == 0) | np.isnan(samples)] = 0.0
        return np.minimum(excess, FAR)

    @cached_property
    def factor(self) -> Floats:
        """What centred features are multiplied by: products are faster than quotients."""
        return 1 / self.scale

    @cached_property
    def left_out(self) -> NDArray[np.bool_]:
        """Which features have no residual."""
        return np.asarray(~self.weights.any(axis=1))

    @cached_property
    def blocks(self) -> list[slice]:
        """The features of each block."""
        return _blocks(len(self.weights))

    def residuals(self, samples: Floats) -> Floats:
        """Return |(P z)_j| / ρ_j of each value, NaN where it is unknown."""
        residuals = np.empty(samples.shape)
        with np.errstate(over="ignore", invalid="ignore"):
            z = (samples - self.mean) * self.factor
            if self.left_out.any():  # they may be missing
                z[:, self.left_out] = 0.0
            for own in self.blocks:
                weights = self.weights[own, : own.stop - own.start]
                np.matmul(z[:, own], weights, out=residuals[:, own])
        residuals[:, self.left_out] = np.nan
        return np.minimum(np.abs(residuals, out=residuals), FAR, out=residuals)


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
    z = (finite - mean) / scale
    z[:, is_constant | (np.isnan(z).mean(axis=0) > MAX_MISSING)] = 0.0
    weights = _residual_weights(z)
    return Known(center, below, above, mean, scale, weights)


def _blocks(n_features: int) -> list[slice]:
    """Return blocks of neighbouring features, of one size but for the last."""
    size = -(-n_features // -(-n_features // MAX_TOGETHER))
    starts = range(0, n_features, size)
    return [slice(start, min(start + size, n_features)) for start in starts]


def _residual_weights(z: Floats) -> Floats:
    """Return P_ij / ρ_j of each block, from standardized features; 0 of those that are all 0."""
    blocks = _blocks(z.shape[1])
    weights = np.zeros((z.shape[1], blocks[0].stop))
    for own in blocks:
        n_features, some = own.stop - own.start, z[:, own]
        filled = np.nan_to_num(some)
        inverse = np.linalg.inv(filled.T @ filled / len(z) + RIDGE * np.eye(n_features))
        residuals = some @ inverse
        leverages = np.einsum("ij,ij->i", residuals, some) / len(z)
        residuals /= 1 - leverages[:, np.newaxis]
        largest = np.nan_to_num(np.abs(residuals)).max(axis=0)
        largest[largest == 0] = np.inf  # also in a block without a complete sample
        weights[own, :n_features] = inverse / largest
    return weights
