"""How do samples that lie in chunks, wherever they are, answer what a fit asks of them?

Each answer is a function of one chunk and a way to merge the answers of several. A first pass
checks the samples and summarises them: classes, their sizes, weights and sums, and the range of
each feature. From merged summaries follow the classes of all chunks and the mean of the samples; a
second pass measures how far the samples of each chunk are from it, and a third makes labelled
blocks of them, scaled.

Several prototypes of a class, or such that are drawn, start from samples. Of a class with no more
than `TO_START_FROM` of them, these are all, as on one machine; of a larger one so many, drawn
without replacement: each sample gets a random key, and those with the least keys stay, chunk by
chunk and then of the chunks together.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets

from abstain._core.checks import InputError, check_real_vector, check_same_length, merge_labels
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

__all__ = [
    "TO_START_FROM",
    "Coding",
    "Drawn",
    "Summary",
    "batched",
    "deviations",
    "draw",
    "labelled",
    "merge_drawn",
    "merge_summaries",
    "n_batches",
    "summarise",
]

Array = NDArray[Any]

# Samples of a class among which its prototypes are found: k-means centres of more hardly differ.
TO_START_FROM = 20_000


class Summary(NamedTuple):
    """What is known of the samples of some chunks, class by class and feature by feature.

    Samples that weigh nothing count in ``labels`` and ``has_value`` alone.
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
    """The classes of all chunks, what their weights are multiplied by, and the precision."""

    classes: Array
    factors: Array
    dtype: Any


class Drawn(NamedTuple):
    """Samples with their random keys."""

    rows: Rows
    keys: NDArray[np.float64]


def summarise(n_features: int, X: Any, y: Any, sample_weight: Any = None) -> Summary:
    """Check a chunk, and return what is known of it."""
    check_same_length(X=X, y=y, sample_weight=sample_weight)
    if not len(X):
        nothing, of_class = np.zeros(0), np.zeros((0, n_features))
        ranges = np.full(n_features, np.nan), np.full(n_features, np.nan)
        is_there = np.zeros(n_features, dtype=bool)
        sizes = np.zeros(0, dtype=np.int64)
        return Summary(nothing, sizes, nothing, of_class, of_class, is_there, ranges, [0], None)
    samples = _samples(X)
    labels, codes = np.unique(_checked_targets(y), return_inverse=True)
    has_value = present_columns(samples)
    weights = _weights(sample_weight, samples)
    totals: Array = np.bincount(codes, weights, len(labels))
    samples, codes, weights = _with_weight(samples, codes, weights)
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
    strange = ~(np.isfinite(weights) & (weights >= 0))
    if strange.any():
        where = int(strange.argmax())
        raise InputError(
            f"sample_weight must hold finite numbers that are not negative, got {weights[where]} "
            f"at index {where}"
        )
    return weights.astype(samples.dtype)


def _with_weight(samples: Array, labels: NDArray[np.int64], weights: Array) -> Rows:
    """Return samples without those that weigh nothing."""
    if weights.all():
        return Rows(samples, labels, weights)
    has_weight = weights > 0
    return Rows(samples[has_weight], labels[has_weight], weights[has_weight])


def merge_summaries(parts: Sequence[Summary]) -> Summary:
    """Return what is known of the samples of all chunks."""
    chunk_sizes = [size for part in parts for size in part.chunk_sizes]
    # One without samples does not tell what kind of labels there are.
    parts = [part for part in parts if len(part.labels)] or parts[:1]
    labels = merge_labels("y", [part.labels for part in parts])
    found = Summary(
        labels,
        np.zeros(len(labels), dtype=np.int64),
        np.zeros(len(labels)),
        np.zeros((len(labels), parts[0].sums.shape[1])),
        np.zeros((len(labels), parts[0].sums.shape[1])),
        np.logical_or.reduce([part.has_value for part in parts]),
        merge_ranges([part.ranges for part in parts]),
        chunk_sizes,
        None if parts[0].dtype is None else np.result_type(*(part.dtype for part in parts)),
    )
    for part in parts:
        own = np.searchsorted(labels, part.labels)
        found.sizes[own] += part.sizes
        found.weights[own] += part.weights
        found.sums[own] += part.sums
        found.present[own] += part.present
    return found


def _rows(coding: Coding, X: Any, y: Any, sample_weight: Any) -> Rows:
    """Return a chunk that has been checked before, its classes by number."""
    if not len(X):
        nothing = np.zeros(0, dtype=coding.dtype)
        return Rows(np.zeros((0, X.shape[1]), coding.dtype), nothing.astype(np.int64), nothing)
    samples = _samples(X).astype(coding.dtype, copy=False)
    labels = np.searchsorted(coding.classes, _targets(y))
    weights = _weights(sample_weight, samples) * coding.factors[labels]
    return _with_weight(samples, labels, weights.astype(coding.dtype))


def deviations(
    coding: Coding, origin: Array, X: Any, y: Any, sample_weight: Any = None
) -> Deviations:
    """Return by how much the samples of a chunk deviate from an origin."""
    samples, _, weights = _rows(coding, X, y, sample_weight)
    return deviations_from(origin, samples, weights)


def draw(
    coding: Coding,
    limits: dict[int, int],
    seed: list[int],
    X: Any,
    y: Any,
    sample_weight: Any = None,
) -> Drawn:
    """Draw at most so many samples of some classes from a chunk."""
    rows = _rows(coding, X, y, sample_weight)
    keys = np.random.default_rng(seed).random(len(rows.labels))
    return _with_least_keys(limits, Drawn(rows, keys))


def merge_drawn(limits: dict[int, int], parts: Sequence[Drawn]) -> Drawn:
    """Return those of the samples that would have been drawn from all chunks at once."""
    each = zip(*(part.rows for part in parts), strict=True)
    rows = Rows(*(np.concatenate(column) for column in each))
    return _with_least_keys(limits, Drawn(rows, np.concatenate([part.keys for part in parts])))


def _with_least_keys(limits: dict[int, int], drawn: Drawn) -> Drawn:
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
    """Return how many batches, of at most so many rows, a chunk has."""
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
    weights = weights / mean_weight  # single precision holds no 1e39
    order = np.random.default_rng(seed).permutation(len(samples))
    parts = np.array_split(order, n_batches(len(samples), rows)) if len(samples) else []
    return [
        labelled_blocks(samples[part], labels[part], weights[part], scaling, dtype=PRECISION)
        for part in parts
    ]
