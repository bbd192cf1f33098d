"""What does a fit compute from one chunk of its samples, and how are the results merged?

A first pass checks the samples and summarises them: classes, their sizes, weights and sums, and the
range of each feature. The merged summaries give the classes of all chunks and the mean of the
samples; a second pass measures how far the samples of each chunk are from it, and a third makes
labelled blocks of them, scaled.

Several prototypes per class, and prototypes that are drawn, are initialized from samples: from all
samples of a class with at most `MAX_START_SAMPLES`, as on one machine, and from that many of a
larger one, drawn without replacement. For that each sample gets a random key, and those with the
smallest keys are kept, first of each chunk and then of all chunks.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets

from abstain._core.checks import check_real_vector, check_same_length, merge_labels
from abstain._core.errors import InputError
from abstain.models.costs import LabelledBlock, labelled_blocks
from abstain.models.data import Rows
from abstain.models.scaling import (
    Deviations,
    Scaling,
    class_sums,
    deviations_from,
    merge_ranges,
    value_ranges,
)
from abstain.models.solvers import PRECISION
from abstain.models.validation import check_labels, check_magnitude, present_columns

Array = NDArray[Any]

# Samples of a class from which its prototypes are initialized: k-means centres of more hardly
# differ.
MAX_START_SAMPLES = 20_000


class Summary(NamedTuple):
    """The samples of some chunks, summed by class and by feature.

    Samples of weight zero count in ``labels`` and ``has_value`` only.
    """

    labels: Array
    sizes: NDArray[np.int64]
    weights: NDArray[np.float64]
    sums: Array
    present: Array
    has_value: NDArray[np.bool_]
    ranges: tuple[Array, Array]
    chunk_sizes: list[int]
    dtype: Any


class Coding(NamedTuple):
    """The classes of all chunks, the factors of their weights, and the floating-point type."""

    classes: Array
    factors: Array
    dtype: Any


class Drawn(NamedTuple):
    """Samples with their random keys."""

    rows: Rows
    keys: NDArray[np.float64]


def summarise(n_features: int, X: Any, y: Any, sample_weight: Any = None) -> Summary:
    """Check a chunk, and summarise it."""
    check_same_length(X=X, y=y, sample_weight=sample_weight)
    if not len(X):
        empty, sums, missing = np.zeros(0), np.zeros((0, n_features)), np.full(n_features, np.nan)
        sizes, has_value = np.zeros(0, dtype=np.int64), np.zeros(n_features, dtype=bool)
        ranges = missing, missing
        return Summary(empty, sizes, empty, sums, sums, has_value, ranges, [0], None)
    samples = _samples(X)
    labels, codes = np.unique(_checked_targets(y), return_inverse=True)
    has_value = present_columns(samples)
    weights = _weights(sample_weight, samples)
    totals: Array = np.bincount(codes, weights, len(labels))
    samples, codes, weights = Rows(samples, codes, weights).with_weight()
    ranges = value_ranges(samples)
    check_magnitude(ranges, samples.dtype, getattr(X, "columns", None))
    return Summary(
        labels,
        np.bincount(codes, minlength=len(labels)),
        totals,
        *class_sums(samples, codes, weights, len(labels)),
        has_value,
        ranges,
        [len(samples)],
        samples.dtype,
    )


def _samples(X: Any) -> Array:
    return np.asarray(
        check_array(
            X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", input_name="X"
        )
    )


def _targets(y: Any) -> Array:
    targets = np.asarray(y)
    return targets.ravel() if targets.ndim == 2 and targets.shape[1] == 1 else targets


def _checked_targets(y: Any) -> Array:
    check_labels(y)
    targets = _targets(y)
    if targets.ndim != 1:
        raise InputError(f"y must be one-dimensional, got shape {targets.shape}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # many classes for one chunk may be few for all
        check_classification_targets(targets)
    return targets


def _weights(sample_weight: Any, samples: Array) -> Array:
    if sample_weight is None:
        return np.ones(len(samples), dtype=samples.dtype)
    weights = check_real_vector("sample_weight", sample_weight)
    is_valid = np.isfinite(weights) & (weights >= 0)
    if not is_valid.all():
        where = int(is_valid.argmin())
        raise InputError(
            f"sample_weight must hold finite numbers that are not negative, got {weights[where]} "
            f"at index {where}"
        )
    return weights.astype(samples.dtype)


def merge_summaries(parts: Sequence[Summary]) -> Summary:
    """Return the summary of the samples of all chunks."""
    chunk_sizes = [size for part in parts for size in part.chunk_sizes]
    parts = [part for part in parts if len(part.labels)] or parts[:1]
    labels = merge_labels("y", [part.labels for part in parts])
    shape = len(labels), parts[0].sums.shape[1]
    total = Summary(
        labels,
        np.zeros(len(labels), dtype=np.int64),
        np.zeros(len(labels)),
        np.zeros(shape),
        np.zeros(shape),
        np.logical_or.reduce([part.has_value for part in parts]),
        merge_ranges([part.ranges for part in parts]),
        chunk_sizes,
        None if parts[0].dtype is None else np.result_type(*(part.dtype for part in parts)),
    )
    for part in parts:
        own = np.searchsorted(labels, part.labels)
        total.sizes[own] += part.sizes
        total.weights[own] += part.weights
        total.sums[own] += part.sums
        total.present[own] += part.present
    return total


def _rows(coding: Coding, X: Any, y: Any, sample_weight: Any) -> Rows:
    """Return a chunk that has been checked before, with the codes of its classes."""
    if not len(X):
        empty = np.zeros(0, dtype=coding.dtype)
        return Rows(np.zeros((0, X.shape[1]), coding.dtype), empty.astype(np.int64), empty)
    samples = _samples(X).astype(coding.dtype, copy=False)
    labels = np.searchsorted(coding.classes, _targets(y))
    weights = _weights(sample_weight, samples) * coding.factors[labels]
    return Rows(samples, labels, weights.astype(coding.dtype)).with_weight()


def deviations(
    coding: Coding, origin: Array, X: Any, y: Any, sample_weight: Any = None
) -> Deviations:
    """Return how far the samples of a chunk deviate from an origin."""
    samples, _, weights = _rows(coding, X, y, sample_weight)
    return deviations_from(origin, samples, weights)


def draw(
    coding: Coding,
    limits: dict[int, int],
    seed: int,
    number: int,
    X: Any,
    y: Any,
    sample_weight: Any = None,
) -> Drawn:
    """Draw samples of some classes from a chunk, up to the limit of each class."""
    rows = _rows(coding, X, y, sample_weight)
    keys = np.random.default_rng([seed, number]).random(len(rows.labels))
    return _smallest_keys(limits, Drawn(rows, keys))


def merge_drawn(limits: dict[int, int], parts: Sequence[Drawn]) -> Drawn:
    """Return the samples that would have been drawn from all chunks at once."""
    each = zip(*(part.rows for part in parts), strict=True)
    rows = Rows(*(np.concatenate(column) for column in each))
    return _smallest_keys(limits, Drawn(rows, np.concatenate([part.keys for part in parts])))


def _smallest_keys(limits: dict[int, int], drawn: Drawn) -> Drawn:
    rows, keys = drawn
    chosen = []
    for label, limit in limits.items():
        own = np.flatnonzero(rows.labels == label)
        if len(own) > limit:
            own = np.sort(own[np.argpartition(keys[own], limit)[:limit]])
        chosen.append(own)
    index = np.concatenate(chosen)
    return Drawn(Rows(*(part[index] for part in rows)), keys[index])


def labelled(
    coding: Coding, scaling: Scaling, X: Any, y: Any, sample_weight: Any = None
) -> list[list[LabelledBlock]]:
    """Return the samples of a chunk as one batch of blocks."""
    return [labelled_blocks(*_rows(coding, X, y, sample_weight), scaling)]


def n_batches(size: int, rows: int) -> int:
    """Return how many batches of at most the given rows a chunk has."""
    return -(-size // rows)


def batched(
    coding: Coding,
    scaling: Scaling,
    mean_weight: float,
    rows: int,
    seed: int,
    X: Any,
    y: Any,
    sample_weight: Any = None,
) -> list[list[LabelledBlock]]:
    """Return the samples of a chunk in mini-batches of equal size, drawn from the chunk alone."""
    samples, labels, weights = _rows(coding, X, y, sample_weight)
    weights = weights / mean_weight  # 1e39 overflows single precision
    order = np.random.default_rng(seed).permutation(len(samples))
    parts = np.array_split(order, n_batches(len(samples), rows)) if len(samples) else []
    return [
        labelled_blocks(samples[part], labels[part], weights[part], scaling, dtype=PRECISION)
        for part in parts
    ]
