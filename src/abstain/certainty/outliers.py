"""Is a sample unlike those that are known?

A classifier may be sure of an answer to a sample that lies nowhere near its training samples. Two
scores of the features x, as the classifier sees them, tell such samples:

- *Range.* With m_i the median of feature i among the known samples, and [a_i, b_i] their range,

      r(x) = max_i max( (x_i − m_i) / (b_i − m_i), (m_i − x_i) / (m_i − a_i) )

  is above 1 if a value lies outside the range. It finds wrong units and codes such as -999.
- *Distance.* d²(x) = zᵀ C⁻¹ z, the Mahalanobis distance of the standardized features z, with the
  covariance C of a probabilistic principal component analysis: the largest `N_COMPONENTS`
  eigenvalues, and one variance σ² for all other directions. It finds unusual combinations and
  noise. A missing value is taken as the mean.

The score is s(x) = max(r(x) / r₀, d(x) / d₀), where r₀ and d₀ are exceeded by the share of known
samples that may be false alarms.

**Conformal p-values.** The scores s_1, …, s_n of known samples come from five folds, each scored by
what the others tell, or by what all tell if that is larger. For a new sample like them,

    p(x) = (1 + #{i : s_i ≥ s(x)}) / (n + 1)

is at most α with probability at most α, as far as scores of the folds are like those of all known
samples: these know a little more, so that false alarms are rather fewer. Beyond the largest score,
p falls as (max s / s(x))² / (n + 1), as it does for a score with finite variance; only there, with
fewer than 1/α − 1 known samples, is the rate of false alarms no theorem.

The folds, and the samples of a large set, are chosen by a hash of the features: the order of the
samples changes nothing. Equal samples are in different folds.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

Floats = NDArray[np.float64]

N_COMPONENTS = 16
N_FOLDS = 5
# Fewer samples know too little; of more, so many are taken.
MIN_KNOWN, MAX_KNOWN = 20, 20_000
# Of more features, no matrix of covariances is made.
MAX_COVARIANCE = 512
# Of more features, no sparse matrix is made dense.
MAX_DENSE = 512
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
# Equal samples have equal scores, up to this share.
ROUNDING = 1e-9
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


@dataclass(frozen=True, eq=False)
class OutlierDetector:
    """What is known of the features, the scores of known samples, and the rate of false alarms.

    ``columns`` are the numeric columns of a frame, None for an array. ``usual`` are r₀ and d₀;
    ``known_scores`` ascend.
    """

    known: Known
    rate: float
    columns: list[Any] | None
    usual: Floats
    known_scores: Floats

    def p_values(self, X: Any) -> Floats:
        """Return the conformal p-value of each sample."""
        r, d = self.known.scores(self._numbers(X))
        scores, n = np.maximum(r / self.usual[0], d / self.usual[1]), len(self.known_scores)
        n_as_large = n - np.searchsorted(self.known_scores, scores * (1 - ROUNDING))
        beyond = (self.known_scores[-1] / np.maximum(scores, self.known_scores[-1])) ** 2
        return np.asarray(np.where(n_as_large, 1 + n_as_large, beyond) / (n + 1))

    def are_outliers(self, X: Any) -> NDArray[np.bool_]:
        """Return for which samples the p-value is at most the rate; faster than `p_values`."""
        if _is_sparse(X) and X.shape[0] > MAX_KNOWN:  # dense, it may not fit into memory
            rows, parts = X.tocsr(), range(0, X.shape[0], MAX_KNOWN)
            return np.concatenate([self.are_outliers(rows[at : at + MAX_KNOWN]) for at in parts])
        samples = self._numbers(X)
        low, high, most = self._limits
        is_outlier = np.empty(len(samples), dtype=np.bool_)
        for rows, z in self.known.standardized(samples):
            is_outside = z < low
            is_outside |= z > high
            is_outlier[rows] = is_outside.any(axis=1) | (self.known.squared_distances(z) > most)
        return is_outlier

    def unusual_features(self, X: Any) -> list[NDArray[np.int64]]:
        """Return which features make each sample unusual, the one that does most first.

        Those outside the range of the known samples; if there are none, those with a part in the
        distance, as long as all others together have a larger one.
        """
        samples = self._numbers(X)
        excess, parts = self.known.excess(samples), self.known.distance_parts(samples)
        chosen = []
        for own_excess, own_parts in zip(excess, parts, strict=True):
            n_outside = int((own_excess > 1).sum())
            order = np.argsort(-(own_excess if n_outside else own_parts), kind="stable")
            sums = np.cumsum(own_parts[order])
            chosen.append(order[: n_outside or 1 + int((sums < sums[-1] / 2).sum())])
        return chosen

    def _numbers(self, X: Any) -> Floats:
        return _as_numbers(X if self.columns is None else X[self.columns])

    @cached_property
    def _limits(self) -> tuple[Floats, Floats, float]:
        """Lowest and highest standardized features, and largest d², of samples with p > rate."""
        n, known = len(self.known_scores), self.known
        # p ≤ rate if fewer than rate (n + 1) of the known scores are as large.
        n_larger = int(self.rate * (n + 1) * (1 + 1e-12))
        limit = float(self.known_scores[n - max(n_larger, 1)])
        if not n_larger:
            limit /= np.sqrt(self.rate * (n + 1))
        limit /= 1 - ROUNDING
        reach, distance = limit * self.usual
        low, high = known.center - reach * known.below, known.center + reach * known.above
        if reach >= FAR:  # no excess is larger
            low, high = np.full_like(low, -np.inf), np.full_like(high, np.inf)
        # Values at the limit are none beyond it, however they are rounded.
        low, high = low - 1e-12 * np.abs(low), high + 1e-12 * np.abs(high)
        low, high = ((end - known.mean) * known.factor for end in (low, high))
        return low, high, distance**2


def fit_outlier_detector(
    X: Any, rate: float
) -> tuple[OutlierDetector | None, NDArray[np.bool_] | None]:
    """Return a detector of samples unlike X, and which of X are outliers, each by the others.

    None if X are too few, or no numbers that can be compared.
    """
    samples, columns = _numbers_of(X)
    if samples is None or len(samples) < MIN_KNOWN:
        return None, None
    # Equal samples follow each other, and come into different folds.
    order = np.argsort(_hash_rows(samples), kind="stable")
    n_known = min(len(samples), MAX_KNOWN)
    chosen = order[np.arange(n_known) * len(samples) // n_known]
    folds, raw = np.arange(n_known) % N_FOLDS, np.empty((2, n_known))
    for fold in range(N_FOLDS):
        own = folds == fold
        raw[:, own] = _known(samples[chosen[~own]]).scores(samples[chosen[own]])
    known = _known(samples[chosen])
    # Equal samples that are frequent must not be outliers because the folds knew a little less.
    raw = np.maximum(raw, known.scores(samples[chosen]))
    quantiles = [np.quantile(np.minimum(each, FAR / 2), 1 - rate) for each in raw]
    usual = np.maximum(quantiles, 1e-9)
    scores = (raw / usual[:, np.newaxis]).max(axis=0)
    ascending = np.sort(scores)
    if not ascending[-1]:  # all known samples are the same
        return None, None
    detector = OutlierDetector(known, rate, columns, usual, ascending)
    n_as_large = len(scores) - np.searchsorted(ascending, scores)
    is_outlier = np.zeros(len(samples), dtype=np.bool_)
    if len(samples) > len(chosen):
        is_outlier = detector.are_outliers(X)
    is_outlier[chosen] = n_as_large <= rate * len(scores)
    return detector, is_outlier


def can_tell_outliers(X: Any) -> bool:
    """Return whether samples are numbers that can be compared."""
    return _numbers_of(X)[0] is not None


def _numbers_of(X: Any) -> tuple[Floats | None, list[Any] | None]:
    """Return the numbers in samples, if there are some, and the columns of a frame with numbers."""
    if _is_sparse(X) and X.shape[1] > MAX_DENSE:
        return None, None
    columns = _numeric_columns(X)
    try:
        return _as_numbers(X if columns is None else X[columns]), columns
    except (TypeError, ValueError):  # texts, images
        return None, None


def _known(samples: Floats) -> Known:
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
    n_components = min(N_COMPONENTS, n_features, max(1, n_samples // N_FOLDS))
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


def _numeric_columns(X: Any) -> list[Any] | None:
    """Return the columns of a frame that hold numbers; None for an array."""
    if hasattr(X, "select_dtypes"):  # pandas
        return list(X.select_dtypes("number", exclude="timedelta").columns)
    if hasattr(X, "schema"):  # polars
        return [name for name, kind in X.schema.items() if kind.is_numeric()]
    return None


def _is_sparse(X: Any) -> bool:
    return bool(issparse(X))


def _as_numbers(X: Any) -> Floats:
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf" and X.shape[1]:
        return np.asarray(X, dtype=np.float64)
    X = X.toarray() if hasattr(X, "toarray") else X  # of a sparse matrix
    return np.asarray(check_array(X, dtype=np.float64, ensure_all_finite=False))


def _hash_rows(samples: Floats) -> NDArray[np.uint64]:
    """Return a number for each sample that depends on all of its features, in single precision."""
    with np.errstate(over="ignore"):
        rounded = samples.astype(np.float32)
    # −0 becomes 0, and every NaN the same.
    words = np.where(np.isnan(rounded), np.float32(np.nan), rounded + np.float32(0))
    words = words.view(np.uint32).astype(np.uint64)
    rng = np.random.default_rng(0)
    odd = 2 * rng.integers(1 << 63, size=words.shape[1] + 1, dtype=np.uint64) + np.uint64(1)
    sums = np.asarray((words * odd[:-1]).sum(axis=1, dtype=np.uint64))
    return np.asarray((sums ^ (sums >> np.uint64(32))) * odd[-1:] >> np.uint64(16))
