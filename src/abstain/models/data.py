"""What does a fit need of its samples?

Sums and ranges over all of them, initial prototypes, and all of them scaled, in blocks.
`on_dask.DaskData` has the same methods as `ArrayData`, for samples of Dask collections.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError
from abstain._core.sklearn_private import check_sample_weight
from abstain.models.costs import LabelledBlock, labelled_blocks
from abstain.models.scaling import (
    Deviations,
    Scaling,
    class_sums,
    deviations_from,
    has_missing,
    row_slices,
    value_ranges,
)
from abstain.models.solvers import PRECISION, ArrayBatches, Batches, batch_rows
from abstain.models.validation import (
    INITS,
    check_columns_present,
    class_factors,
    one_class,
    present_columns,
)

Array = NDArray[Any]


class Rows(NamedTuple):
    """Samples, the codes of their classes, and their weights."""

    samples: Array
    labels: NDArray[np.int64]
    weights: Array

    @classmethod
    def empty(cls, n_features: int, dtype: Any) -> Rows:
        """Return no samples."""
        weights = np.zeros(0, dtype)
        return cls(np.zeros((0, n_features), dtype), weights.astype(np.int64), weights)

    def with_weight(self) -> Rows:
        """Return the samples whose weight is not 0."""
        if self.weights.all():
            return self
        return self.where(self.weights > 0)

    def where(self, chosen: NDArray[Any]) -> Rows:
        """Return some of the samples, by a mask or by index."""
        return Rows(*(part[chosen] for part in self))


def read_arrays(
    samples: Array, targets: Array, sample_weight: ArrayLike | None, class_weight: Any
) -> ArrayData:
    """Return samples of at least two classes that each have some weight."""
    classes, labels = np.unique(targets, return_inverse=True)
    if len(classes) < 2:
        raise one_class(classes[0])
    check_columns_present(present_columns(samples))
    weights = check_sample_weight(
        sample_weight, samples, dtype=samples.dtype, ensure_non_negative=True
    )
    factors = class_factors(class_weight, classes, np.bincount(labels, weights))
    rows = Rows(samples, labels, (weights * factors[labels]).astype(weights.dtype))
    return ArrayData(classes, rows.with_weight())


class ArrayData(NamedTuple):
    """Samples in memory."""

    classes: Array
    rows: Rows

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.rows.samples.shape[1])

    @property
    def dtype(self) -> Any:
        """The floating-point type of the samples."""
        return self.rows.samples.dtype

    def class_sizes(self) -> list[int]:
        """Return the number of samples of each class."""
        sizes: list[int] = np.bincount(self.rows.labels, minlength=len(self.classes)).tolist()
        return sizes

    def class_sums(self) -> tuple[Array, Array]:
        """Return the weighted sum of each feature in each class, and the weight of its values."""
        return class_sums(*self.rows, len(self.classes))

    def deviations(self, origin: Array) -> Deviations:
        """Return how far the samples deviate from an origin."""
        return deviations_from(origin, self.rows.samples, self.rows.weights)

    def ranges(self) -> tuple[Array, Array]:
        """Return the minimum and the maximum of each feature."""
        return value_ranges(self.rows.samples)

    def initialization_rows(self, counts: list[int], init: Any, random_state: Any) -> Rows:
        """Return all samples."""
        return self.rows

    def some_rows(self, limits: dict[int, int], random_state: RandomState) -> Rows:
        """Return at most so many samples of each class, drawn at random."""
        rows = [np.flatnonzero(self.rows.labels == label) for label in limits]
        drawn = [
            own if len(own) <= limit else np.sort(random_state.permutation(own)[:limit])
            for own, limit in zip(rows, limits.values(), strict=True)
        ]
        return self.rows.where(np.concatenate(drawn))

    def blocks(self, scaling: Scaling) -> list[LabelledBlock]:
        """Return all samples, scaled, in blocks."""
        return labelled_blocks(*self.rows, scaling)

    def batches(self, scaling: Scaling, random_state: RandomState) -> Batches:
        """Return all samples, scaled, in mini-batches of random samples."""
        n_samples = len(self.rows.labels)
        order = random_state.permutation(n_samples)
        parts = [order[rows] for rows in row_slices(n_samples, batch_rows(n_samples))]
        mean_weight = self.rows.weights.mean(dtype=np.float64)
        return ArrayBatches(self.split(parts, scaling, mean_weight))

    def split(
        self, parts: list[NDArray[np.int64]], scaling: Scaling, mean_weight: float
    ) -> list[list[LabelledBlock]]:
        """Return the samples of each part as a batch, scaled, in single precision."""
        samples, labels, weights = self.rows
        weights = weights / mean_weight  # 1e39 overflows single precision
        return [
            labelled_blocks(samples[i], labels[i], weights[i], scaling, dtype=PRECISION)
            for i in parts
        ]


def initial_prototypes(
    samples: Array,
    labels: NDArray[np.int64],
    weights: Array,
    class_means: Array,
    counts: list[int],
    random_state: RandomState,
    init: str | ArrayLike = "kmeans",
) -> tuple[Array, NDArray[np.int64]]:
    """Return initial prototypes and the class of each.

    With ``"kmeans"``, a single prototype of a class is its mean and several are the centres of
    k-means within it; with ``"random"`` they are samples of the class, whose missing values are
    replaced by the mean of the class. An array holds the prototypes themselves, ordered by class.
    """
    prototype_classes = np.repeat(np.arange(len(counts)), counts)
    if not isinstance(init, str):
        shape = len(prototype_classes), samples.shape[1]
        return _checked_prototypes(init, shape, samples.dtype), prototype_classes
    prototypes = []
    for label, (mean, count) in enumerate(zip(class_means, counts, strict=True)):
        if count == 1 and init == "kmeans":
            prototypes.append(mean[np.newaxis])
            continue
        own = np.flatnonzero(labels == label)
        distinct, total = _distinct(_with_equal_bytes(samples[own]), weights[own])
        _fill_missing(distinct, mean)
        if len(distinct) <= count:
            prototypes.append(np.resize(distinct, (count, distinct.shape[1])))
        else:
            choose = _kmeans_centres if init == "kmeans" else _random_samples
            prototypes.append(choose(distinct, total, count, random_state))
    return np.concatenate(prototypes).astype(samples.dtype), prototype_classes


def distinct_rows(rows: Rows) -> Rows:
    """Return the distinct samples of each class, ordered by class, with their total weights."""
    parts = []
    for label in np.unique(rows.labels):
        own = rows.where(rows.labels == label)
        samples, weights = _distinct(_with_equal_bytes(own.samples), own.weights)
        parts.append(Rows(samples, np.full(len(weights), label), weights))
    return Rows(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _with_equal_bytes(samples: Array) -> Array:
    """Change samples in place so that equal values have equal bytes."""
    for rows in row_slices(len(samples)):
        some = samples[rows]
        some += 0.0  # −0 becomes 0
        if has_missing(some):
            some[np.isnan(some)] = np.nan  # NaN has many representations
    return samples


def _fill_missing(samples: Array, mean: Array) -> None:
    """Replace missing values by the mean, in place.

    Only after equal samples were merged: the means of weighted and of repeated rows differ by
    rounding.
    """
    for rows in row_slices(len(samples)):
        some = samples[rows]
        if has_missing(some):
            missing = np.isnan(some)
            some[missing] = np.broadcast_to(mean, some.shape)[missing]


def _distinct(samples: Array, weights: Array) -> tuple[Array, Array]:
    """Return distinct samples, each with the total weight of its copies.

    A draw from them then does not depend on whether a sample was weighted or repeated. Rows are
    sorted as bytes, by index: np.unique would make three copies.
    """
    rows = np.ascontiguousarray(samples).view(f"V{samples.itemsize * samples.shape[1]}").ravel()
    order = rows.argsort(kind="stable")
    is_first = np.ones(len(rows), dtype=bool)
    for block in row_slices(len(rows) - 1):
        ahead = slice(block.start + 1, block.stop + 1)
        is_first[ahead] = rows[order[ahead]] != rows[order[block]]
    total = np.add.reduceat(weights[order].astype(np.float64), np.flatnonzero(is_first))
    return samples[order[is_first]], total.astype(samples.dtype)


def _kmeans_centres(samples: Array, weights: Array, count: int, random_state: RandomState) -> Array:
    from sklearn.cluster import KMeans

    # KMeans squares its input: values far from 1 would vanish or overflow.
    size = max(samples.max(), -samples.min()) or 1.0
    samples /= size
    clusters = KMeans(count, n_init=1, random_state=random_state, copy_x=False)
    return np.asarray(clusters.fit(samples, sample_weight=weights).cluster_centers_ * size)


def _random_samples(samples: Array, weights: Array, count: int, random_state: RandomState) -> Array:
    """Draw without replacement, with probabilities proportional to the weights."""
    chances = weights / weights.sum(dtype=np.float64)
    return np.asarray(samples[random_state.choice(len(samples), count, replace=False, p=chances)])


def _checked_prototypes(init: ArrayLike, shape: tuple[int, int], dtype: Any) -> Array:
    try:
        prototypes = np.array(init, dtype=dtype)
    except (TypeError, ValueError):
        raise InputError(
            argument="init",
            value=init,
            requirement=f"must be one of {INITS} or an array of numbers of shape {shape}, one row "
            "per prototype",
        ) from None
    if prototypes.shape != shape:
        raise InputError(
            argument="init",
            requirement=f"must be one of {INITS} or an array of shape {shape}, one row per "
            "prototype",
            got=f"shape {prototypes.shape}",
        )
    if not np.isfinite(prototypes).all():
        raise InputError(
            argument="init", requirement="must hold finite prototypes", got="NaN or infinity"
        )
    return prototypes
