"""Is a sample unlike those that are known?

A classifier may be sure of an answer to a sample that lies nowhere near its training samples. The
score s(x) = max(r(x) / r₀, e(x) / e₀) tells such samples, where r and e are those of
`outlier_scores`, and r₀ and e₀ are exceeded by the share of known samples that may be false alarms.

**Conformal p-values.** The scores s_1, …, s_n of known samples come from five folds, each scored by
what the others tell, or by what all tell if that is larger. For a new sample like them,

    p(x) = (1 + #{i : s_i ≥ s(x)}) / (n + 1)

is at most α with probability at most α, as far as scores of the folds are like those of all known
samples: these know a little more, so that false alarms are rather fewer. Beyond the largest score,
p falls as (max s / s(x))² / (n + 1), as it does for a score with finite variance; only there, with
fewer than 1/α − 1 known samples, is the rate of false alarms no theorem.

The folds, and the samples of a large set, are chosen by a hash of the features: the order of the
samples changes nothing. Equal samples are in different folds. Samples of one group, such as one
patient, are in the same fold, and of m in each group every m-th of the ordered scores counts: p(x)
is then that of a sample of a new group,

    (1 + Σ_g (share of the samples of group g with s_i ≥ s(x))) / (number of groups + 1),

or a little more, which is at most α with probability at most α if groups are like each other.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from abstain.certainty.outlier_scores import FAR, Floats, Known, fit_known
from abstain.certainty.outlier_screen import OutlierScreen

# The share of samples like the known ones that may be rejected, unless another is given.
DEFAULT_RATE = 0.01
N_FOLDS = 5
# Fewer samples know too little; of more, so many are taken.
MIN_KNOWN, MAX_KNOWN = 20, 20_000
# Of more features, no sparse matrix is made dense.
MAX_DENSE = 512
# Of fewer samples, none are screened.
FEWEST_SCREENED = 1_000
# Equal samples have equal scores, up to this share.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class OutlierDetector:
    """What is known of the features, the scores of known samples, and the rate of false alarms.

    ``columns`` are the numeric columns of a frame, None for an array. ``usual`` are r₀ and e₀;
    ``known_scores`` ascend.
    """

    known: Known
    rate: float
    columns: list[Any] | None
    usual: Floats
    known_scores: Floats

    def scores(self, samples: Floats) -> Floats:
        """Return s of each sample."""
        return _joint(self.known.scores(samples), self.usual)

    def p_values(self, X: Any) -> Floats:
        """Return the conformal p-value of each sample."""
        scores, n = self.scores(self._numbers(X)), len(self.known_scores)
        n_as_large = n - np.searchsorted(self.known_scores, scores * (1 - ROUNDING))
        beyond = (self.known_scores[-1] / np.maximum(scores, self.known_scores[-1])) ** 2
        return np.asarray(np.where(n_as_large, 1 + n_as_large, beyond) / (n + 1))

    def are_outliers(self, X: Any) -> NDArray[np.bool_]:
        """Return for which samples the p-value is at most the rate; faster than `p_values`."""
        if _is_sparse(X) and X.shape[0] > MAX_KNOWN:  # dense, it may not fit into memory
            rows, parts = X.tocsr(), range(0, X.shape[0], MAX_KNOWN)
            return np.concatenate([self.are_outliers(rows[at : at + MAX_KNOWN]) for at in parts])
        samples = self._numbers(X)
        if len(samples) < FEWEST_SCREENED:
            return self._decide(samples)
        is_outlier = self._screen.may_be_outliers(samples)
        is_outlier[is_outlier] = self._decide(samples[is_outlier])
        return is_outlier

    def _decide(self, samples: Floats) -> NDArray[np.bool_]:
        low, high, most = self._limits
        is_outside = (samples < low) | (samples > high)
        is_outside |= self.known.residuals(samples) > most
        return np.asarray(is_outside.any(axis=1))

    def unusual_features(self, X: Any) -> list[NDArray[np.int64]]:
        """Return which features make each sample unusual, the one that does most first.

        Those outside the range of the known samples; if there are none, those with residuals
        outside of it, or else the largest one.
        """
        samples = self._numbers(X)
        scores = self.known.excess(samples)
        is_inside = scores.max(axis=1) <= 1
        scores[is_inside] = np.nan_to_num(self.known.residuals(samples[is_inside]))
        order = np.argsort(-scores, axis=1, kind="stable")
        n_outside = np.maximum((scores > 1).sum(axis=1), 1)
        return [row[:n] for row, n in zip(order, n_outside, strict=True)]

    def _numbers(self, X: Any) -> Floats:
        return _as_numbers(X if self.columns is None else X[self.columns])

    @cached_property
    def _limits(self) -> tuple[Floats, Floats, float]:
        """Lowest and highest values, and largest residual, of samples with p > rate."""
        n, known = len(self.known_scores), self.known
        # p ≤ rate if fewer than rate (n + 1) of the known scores are as large.
        n_larger = int(self.rate * (n + 1) * (1 + 1e-12))
        limit = float(self.known_scores[n - max(n_larger, 1)])
        if not n_larger:
            limit /= np.sqrt(self.rate * (n + 1))
        limit /= 1 - ROUNDING
        reach, most = limit * self.usual
        low, high = known.center - reach * known.below, known.center + reach * known.above
        if reach >= FAR:  # no excess is larger
            low, high = np.full_like(low, -np.inf), np.full_like(high, np.inf)
        most = np.inf if most >= FAR else most
        # Values at the limit are none beyond it, however they are rounded.
        return low - 1e-12 * np.abs(low), high + 1e-12 * np.abs(high), most

    @cached_property
    def _screen(self) -> OutlierScreen:
        return OutlierScreen(self.known, *self._limits)


def fit_outlier_detector(
    X: Any, rate: float, groups: NDArray[np.int64] | None = None
) -> tuple[OutlierDetector | None, NDArray[np.bool_] | None]:
    """Return a detector of samples unlike X, and which of X are outliers, each by the others.

    Samples of a group, such as one patient, do not score each other. None if X are too few, or no
    numbers that can be compared.
    """
    samples, columns = numbers_of(X)
    if samples is None or len(samples) < MIN_KNOWN:
        return None, None
    # Equal samples follow each other, and come into different folds.
    order = np.argsort(_hash_rows(samples), kind="stable")
    n_known = min(len(samples), MAX_KNOWN)
    chosen = order[np.arange(n_known) * len(samples) // n_known]
    codes = np.arange(n_known) if groups is None else _numbered(groups[chosen])
    folds, raw = codes % N_FOLDS, np.empty((2, n_known))
    for fold in np.unique(folds):
        own = folds == fold
        raw[:, own] = fit_known(samples[chosen[~own]]).scores(samples[chosen[own]])
    known = fit_known(samples[chosen])
    # Equal samples that are frequent must not be outliers because the folds knew a little less.
    raw = np.fmax(raw, known.scores(samples[chosen]))
    usual = np.array([_usual(each[~np.isnan(each)], rate) for each in raw])
    scores = _joint(raw, usual)
    # One score per group: a new sample is compared with groups.
    ascending = np.sort(scores)[:: -max(1, round(n_known / (codes.max() + 1)))][::-1].copy()
    if not ascending[-1]:  # all known samples are the same
        return None, None
    detector = OutlierDetector(known, rate, columns, usual, ascending)
    n_as_large = len(ascending) - np.searchsorted(ascending, scores)
    is_outlier = np.zeros(len(samples), dtype=np.bool_)
    if len(samples) > len(chosen):
        is_outlier = detector.are_outliers(X)
    is_outlier[chosen] = n_as_large <= rate * len(ascending)
    return detector, is_outlier


def _usual(scores: Floats, rate: float) -> float:
    """Return what a share of the scores that are known exceed; 1 if there are none."""
    if not len(scores):
        return 1.0
    return max(float(np.quantile(np.minimum(scores, FAR / 2), 1 - rate)), 1e-9)


def _joint(scores: Sequence[Floats] | Floats, usual: Floats) -> Floats:
    """Return s from r and e, of which the latter may be unknown."""
    return np.asarray(np.fmax(scores[0] / usual[0], scores[1] / usual[1]))


def can_tell_outliers(X: Any) -> bool:
    """Return whether samples are numbers that can be compared."""
    return numbers_of(X)[0] is not None


def numbers_of(X: Any) -> tuple[Floats | None, list[Any] | None]:
    """Return the numbers in samples, if there are some, and the columns of a frame with numbers."""
    if _is_sparse(X) and X.shape[1] > MAX_DENSE:
        return None, None
    columns = _numeric_columns(X)
    try:
        return _as_numbers(X if columns is None else X[columns]), columns
    except (TypeError, ValueError):  # texts, images
        return None, None


def _numbered(groups: NDArray[Any]) -> NDArray[np.int64]:
    """Return groups as numbers, in the order of their first samples; of one alone, of samples."""
    _, first, codes = np.unique(groups, return_index=True, return_inverse=True)
    if len(first) == 1:  # which has no others that could score it
        return np.arange(len(groups))
    return np.asarray(np.argsort(np.argsort(first))[codes.ravel()])


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
