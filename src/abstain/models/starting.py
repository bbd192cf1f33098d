"""Where do the prototypes of a model start?"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._checks import InputError, shown
from abstain.models.units import has_gaps, row_blocks

__all__ = ["INITS", "start_prototypes"]

Array = NDArray[Any]

# Ways to start, by name: means or centres of clusters, and samples drawn at random.
INITS = ("kmeans", "random")


def start_prototypes(
    samples: Array,
    labels: NDArray[np.int64],
    weights: Array,
    class_means: Array,
    counts: list[int],
    random_state: np.random.RandomState,
    init: str | ArrayLike = "kmeans",
) -> tuple[Array, NDArray[np.int64]]:
    """Return prototypes to begin with, and their classes.

    By ``"kmeans"``, one prototype of a class is its mean and several are the centres of a
    k-means within it; by ``"random"`` they are samples of the class. A missing value stands for
    the mean of the class. An array holds the prototypes themselves, in the order of the classes.
    """
    owners = np.repeat(np.arange(len(counts)), counts)
    if not isinstance(init, str):
        return _given(init, (len(owners), samples.shape[1]), samples.dtype), owners
    prototypes = []
    for label, (mean, count) in enumerate(zip(class_means, counts, strict=True)):
        if count == 1 and init == "kmeans":
            prototypes.append(mean[np.newaxis])
            continue
        own = np.flatnonzero(labels == label)
        distinct, total = _distinct(_as_bytes(samples[own]), weights[own])
        distinct = _filled(distinct, mean)
        if len(distinct) <= count:
            prototypes.append(np.resize(distinct, (count, distinct.shape[1])))
        else:
            draw = _centres if init == "kmeans" else _members
            prototypes.append(draw(distinct, total, count, random_state))
    return np.concatenate(prototypes).astype(samples.dtype), owners


def _as_bytes(samples: Array) -> Array:
    """Return samples, a copy that is changed, in which equal values have equal bytes."""
    for rows in row_blocks(len(samples)):
        some = samples[rows]
        some += 0.0  # as a number, −0 is 0
        if has_gaps(some):
            some[np.isnan(some)] = np.nan  # there are many of them
    return samples


def _filled(samples: Array, mean: Array) -> Array:
    """Return samples, a copy that is changed, with means for missing values.

    Only after like samples were found: the means of weighted and of repeated rows differ by their
    rounding.
    """
    for rows in row_blocks(len(samples)):
        some = samples[rows]
        if has_gaps(some):
            missing = np.isnan(some)
            some[missing] = np.broadcast_to(mean, some.shape)[missing]
    return samples


def _distinct(samples: Array, weights: Array) -> tuple[Array, Array]:
    """Return distinct samples with the weight of all that are alike.

    What is drawn of them then cannot depend on whether a sample was weighted or repeated. Rows are
    sorted as bytes, by their index: np.unique would make three copies.
    """
    rows = np.ascontiguousarray(samples).view(f"V{samples.itemsize * samples.shape[1]}").ravel()
    order = rows.argsort(kind="stable")
    is_first = np.ones(len(rows), dtype=bool)
    for block in row_blocks(len(rows) - 1):
        ahead = slice(block.start + 1, block.stop + 1)
        is_first[ahead] = rows[order[ahead]] != rows[order[block]]
    total = np.add.reduceat(weights[order].astype(np.float64), np.flatnonzero(is_first))
    return samples[order[is_first]], total.astype(samples.dtype)


def _centres(
    samples: Array, weights: Array, count: int, random_state: np.random.RandomState
) -> Array:
    from sklearn.cluster import KMeans

    # KMeans squares what it is given: values far from 1 would vanish or overflow in it.
    size = max(samples.max(), -samples.min()) or 1.0
    samples /= size
    clusters = KMeans(count, n_init=1, random_state=random_state, copy_x=False)
    return np.asarray(clusters.fit(samples, sample_weight=weights).cluster_centers_ * size)


def _members(
    samples: Array, weights: Array, count: int, random_state: np.random.RandomState
) -> Array:
    """Draw different samples, with chances in proportion to their weights."""
    chances = weights / weights.sum(dtype=np.float64)
    return np.asarray(samples[random_state.choice(len(samples), count, replace=False, p=chances)])


def _given(init: ArrayLike, shape: tuple[int, int], dtype: Any) -> Array:
    try:
        prototypes = np.array(init, dtype=dtype)
    except (TypeError, ValueError):
        raise InputError(
            f"init must be one of {INITS} or an array of numbers of shape {shape}, one row a "
            f"prototype, got {shown(init)}"
        ) from None
    if prototypes.shape != shape:
        raise InputError(
            f"init must be one of {INITS} or an array of shape {shape}, one row a prototype, got "
            f"shape {prototypes.shape}"
        )
    if not np.isfinite(prototypes).all():
        raise InputError("init must hold finite prototypes, got NaN or infinity")
    return prototypes
