"""Which samples are equal, and are many of them nearly so?

*Equal* samples have equal features and the same class. They are found by a hash of each sample.

*Near-duplicates* have a neighbour that is far closer than a continuous distribution lets expect.
With d₁ and d₁₀ the distances of a sample to its nearest and its tenth neighbour, standardized and
without equal ones, P(d₁ / d₁₀ ≤ r) is about 9 rᵈ in d dimensions, which the neighbours from the
tenth to the twentieth tell: E log(d₂₀ / d₁₀) = (ψ(20) − ψ(10)) / d. So a share of `MANY` samples
with a ratio that has probability `CHANCE` is not by chance. Measurements that are rounded are
equal, or a step apart, and steps are no small part of d₁₀.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from scipy.special import digamma

from abstain._core.checks import is_missing

Array = NDArray[Any]

# A tenth neighbour leaves room for nine near copies of a sample.
NEIGHBOURS, CHANCE = 10, 0.005
# Ratios of distances that are small, in one dimension and in many.
CLOSEST, CLOSE = 1e-3, 0.03
MANY, LEAST = 0.05, 5
_GROWTH = float(digamma(2 * NEIGHBOURS) - digamma(NEIGHBOURS))
# Samples that are compared with all others, and numbers of the comparison at most.
N_COMPARED, LEAST_COMPARED, MAX_NUMBERS = 200, 40, 4_000_000
# Dimensions of a random projection, in which neighbours are compared.
MAX_DIMENSIONS = 4


def equal_samples(X: Any, y: Array) -> NDArray[np.int64] | None:
    """Return a number of each sample that equal ones share; None if all differ.

    Samples of unknown kinds count as different.
    """
    keys = _keys(X)
    if keys is None or len(keys) != len(y):
        return None
    ordered = np.sort(keys)
    if (ordered[1:] != ordered[:-1]).all():
        return None
    _, codes = np.unique(keys, return_inverse=True)
    _, classes = np.unique(y, return_inverse=True)
    pairs = codes.astype(np.int64) * (int(classes.max()) + 1) + classes
    _, numbers = np.unique(pairs, return_inverse=True)
    return None if int(numbers.max()) + 1 == len(y) else numbers.astype(np.int64)


def _keys(X: Any) -> NDArray[np.int64] | None:
    """Return a hash of each sample, of 64 bits."""
    try:
        if issparse(X):
            return _hashed(_sparse_rows(X))
        columns = _columns(X)
        if columns is not None:
            parts = [_column_keys(column) for column in columns]
            return _hashed(_byte_rows(np.column_stack(parts))) if parts else None
        values = np.asarray(X)
    except (TypeError, ValueError):  # what cannot be hashed, or lists of different lengths
        return None
    if values.ndim == 0:
        return None
    if values.dtype.kind in "OUS":
        rows = values.reshape(len(values), -1)
        parts = [_column_keys(rows[:, at]) for at in range(rows.shape[1])]
        return _hashed(_byte_rows(np.column_stack(parts)))
    return _hashed(_byte_rows(values))


def _columns(X: Any) -> list[Array] | None:
    """Return the columns of a frame of pandas or polars; None of anything else."""
    if not hasattr(X, "columns") or not hasattr(X, "__getitem__"):
        return None
    at = getattr(X, "iloc", None)  # names may occur twice in pandas
    n_columns = len(X.columns)
    columns = X.iter_columns() if at is None else (at[:, number] for number in range(n_columns))
    return [np.asarray(column.to_numpy()) for column in columns]


def _column_keys(column: Array) -> NDArray[np.float64]:
    """Return numbers that differ where the values of a column do; all missing ones are alike."""
    if column.dtype.kind in "biuf":
        return np.asarray(column, dtype=np.float64)
    number: dict[Any, int] = {}
    keys = [
        number.setdefault(None if is_missing(value) else (type(value), value), len(number))
        for value in column.tolist()
    ]
    return np.asarray(keys, dtype=np.float64)


def _byte_rows(values: Array) -> Iterable[bytes]:
    """Return the bytes of each sample; −0 is 0."""
    rows = np.ascontiguousarray(values.reshape(len(values), -1))
    if rows.dtype.kind == "f":
        rows = rows + np.zeros(1, rows.dtype)
    data, width = rows.tobytes(), rows.dtype.itemsize * rows.shape[1]
    return (data[start : start + width] for start in range(0, len(data), max(width, 1)))


def _sparse_rows(X: Any) -> Iterable[bytes]:
    rows = X.tocsr().copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        yield rows.indices[start:stop].tobytes() + rows.data[start:stop].tobytes()


def _hashed(rows: Iterable[bytes]) -> NDArray[np.int64]:
    return np.fromiter(map(hash, rows), dtype=np.int64)


# --- near-duplicates ------------------------------------------------------------------------------


def near_duplicates(X: Any) -> float:
    """Return the share of samples with a near-duplicate, estimated; 0 if they may be by chance."""
    samples = standardized(X)
    if samples is None:
        return 0.0
    # A generator of its own: the seed of a classifier decides nothing here.
    generator = np.random.default_rng(0)
    n_samples, n_features = samples.shape
    if n_features > MAX_DIMENSIONS:
        samples = samples @ generator.normal(size=(n_features, MAX_DIMENSIONS))
    n_compared = min(n_samples, N_COMPARED, max(LEAST_COMPARED, MAX_NUMBERS // samples.size))
    some = generator.choice(n_samples, n_compared, replace=False)
    nearest = np.concatenate(
        [
            _distances_of_neighbours(samples[part], samples)
            for part in np.array_split(some, max(1, n_compared * n_samples // 4_000_000))
        ]
    )
    first, tenth, twentieth = nearest[np.isfinite(nearest[:, 2])].T
    grows = np.log(twentieth / tenth).mean() if len(tenth) else 0.0
    # CHANCE = 9 rᵈ, with d = (ψ(20) − ψ(10)) / grows.
    close = (CHANCE / (NEIGHBOURS - 1)) ** (grows / _GROWTH)
    n_close = int((first < np.clip(close, CLOSEST, CLOSE) * tenth).sum())
    share = n_close / n_compared
    return share if share > MANY and n_close >= LEAST else 0.0


def _distances_of_neighbours(some: Array, samples: Array) -> Array:
    """Return the distances to the first, the tenth and the twentieth sample that is not equal."""
    distances = cdist(some, samples)
    distances[distances == 0] = np.inf
    which = np.array([1, NEIGHBOURS, 2 * NEIGHBOURS]) - 1
    return np.asarray(np.partition(distances, which, axis=1)[:, which])


def standardized(X: Any) -> NDArray[np.float64] | None:
    """Return the columns of numbers, of mean 0 and deviation 1; None if there are none.

    A missing value is the mean.
    """
    if issparse(X):
        return None
    columns = _columns(X)
    if columns is not None:
        columns = [column for column in columns if column.dtype.kind in "iuf"]
        values = np.column_stack(columns) if columns else None
    else:
        try:
            values = np.asarray(X)
        except ValueError:
            return None
    if values is None or values.ndim != 2 or values.dtype.kind not in "iuf":
        return None
    values = values.astype(np.float64)
    is_known = np.isfinite(values)
    means = np.where(is_known, values, 0.0).sum(axis=0) / np.maximum(is_known.sum(axis=0), 1)
    values = np.where(is_known, values - means, 0.0)
    deviations = values.std(axis=0)
    values = values[:, deviations > 0] / deviations[deviations > 0]
    return values if values.size and len(values) > 2 * NEIGHBOURS else None
