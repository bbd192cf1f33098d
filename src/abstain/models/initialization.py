"""Where do the prototypes of a model start?"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError, shown
from abstain.models.scaling import has_missing, row_slices

Array = NDArray[Any]

INITS = ("kmeans", "random")


def initial_prototypes(
    samples: Array,
    labels: NDArray[np.int64],
    weights: Array,
    class_means: Array,
    counts: list[int],
    random_state: np.random.RandomState,
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


def _kmeans_centres(
    samples: Array, weights: Array, count: int, random_state: np.random.RandomState
) -> Array:
    from sklearn.cluster import KMeans

    # KMeans squares its input: values far from 1 would vanish or overflow.
    size = max(samples.max(), -samples.min()) or 1.0
    samples /= size
    clusters = KMeans(count, n_init=1, random_state=random_state, copy_x=False)
    return np.asarray(clusters.fit(samples, sample_weight=weights).cluster_centers_ * size)


def _random_samples(
    samples: Array, weights: Array, count: int, random_state: np.random.RandomState
) -> Array:
    """Draw without replacement, with probabilities proportional to the weights."""
    chances = weights / weights.sum(dtype=np.float64)
    return np.asarray(samples[random_state.choice(len(samples), count, replace=False, p=chances)])


def _checked_prototypes(init: ArrayLike, shape: tuple[int, int], dtype: Any) -> Array:
    try:
        prototypes = np.array(init, dtype=dtype)
    except (TypeError, ValueError):
        raise InputError(
            f"init must be one of {INITS} or an array of numbers of shape {shape}, one row per "
            f"prototype, got {shown(init)}"
        ) from None
    if prototypes.shape != shape:
        raise InputError(
            f"init must be one of {INITS} or an array of shape {shape}, one row per prototype, got "
            f"shape {prototypes.shape}"
        )
    if not np.isfinite(prototypes).all():
        raise InputError("init must hold finite prototypes, got NaN or infinity")
    return prototypes
