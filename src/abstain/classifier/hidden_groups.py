"""Do samples come in groups that nobody has named, such as several of each patient?

With r_k the distance of a sample to its k-th nearest neighbour, in d dimensions and where the
density is about constant, E log(r_n / r_k) = (ψ(n) − ψ(k)) / d. So samples tell a dimension for
each range of neighbours. If they come in groups of m that are closer to each other than to others,
r_k jumps at k = m: about m, the dimension is smaller than below and above.

Clusters may be of the population, and samples independent nevertheless. So the classes count, too:
neighbours of the same group are of the same class far more often than those just beyond. And there
must be many groups: clusters of a class are few.

This finds groups that are clearly apart, and no others: where features that have nothing to do with
a subject prevail, or subjects overlap, no distance tells them.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import digamma

from abstain._core.sklearn_private import take_rows
from abstain.classifier.repeats import standardized

Floats = NDArray[np.float64]

# Sizes of groups that are looked for, and how many groups there must be at least, of all and of
# each class.
LEAST_SIZE, MOST_SIZE, MIN_GROUPS, MIN_GROUPS_OF_CLASS = 4, 100, 16, 3
# Neighbours about m are those from m / WINDOW to m · WINDOW.
WINDOW = 1.2
# The dimension about m is at most so many times that below and that above, and neighbours in the
# group are of another class less than so many times as often as those beyond.
JUMP, OTHER_CLASS = 0.7, 0.5
# Of features with fewer different values, distances are no distances of a density.
MIN_VALUES = 100
# Of more samples or features, so many at random; so many samples are compared with all of these.
MAX_SAMPLES, MAX_FEATURES, N_COMPARED, LEAST_COMPARED = 20_000, 100, 300, 30
# Numbers that are compared at once.
_BLOCK = 4_000_000


def size_of_hidden_groups(X: Any, y: NDArray[Any]) -> int | None:
    """Return about how many samples each group has; None if there seem to be no groups."""
    generator = np.random.default_rng(0)  # of its own: no seed of a classifier decides
    if len(y) > MAX_SAMPLES:
        rows = generator.choice(len(y), MAX_SAMPLES, replace=False)
        X, y = take_rows(X, rows), y[rows]
    samples = standardized(X)
    if samples is None:
        return None
    if samples.shape[1] > MAX_FEATURES:
        samples = samples[:, generator.choice(samples.shape[1], MAX_FEATURES, replace=False)]
    least_values = min(MIN_VALUES, len(samples) / 10)
    samples = samples[:, [len(np.unique(values)) > least_values for values in samples.T]]
    n_groups = max(MIN_GROUPS, MIN_GROUPS_OF_CLASS * len(np.unique(y)))
    largest = min(MOST_SIZE, len(samples) // n_groups)
    if not samples.shape[1] or largest < LEAST_SIZE:
        return None
    chosen = generator.choice(len(samples), min(len(samples), N_COMPARED), replace=False)
    log_distances, is_other = _neighbours(samples, y, chosen, 4 * largest)
    if len(log_distances) < LEAST_COMPARED:
        return None
    log_distances, other_class = log_distances.mean(axis=0), is_other.mean(axis=0)
    jumps = {
        size: _jump(log_distances, size)
        for size in range(LEAST_SIZE, largest + 1)
        if other_class[: size - 1].mean() < OTHER_CLASS * other_class[size : 2 * size].mean()
    }
    size = min(jumps, key=jumps.__getitem__, default=0)
    return size if size and jumps[size] <= JUMP else None


def _neighbours(
    samples: Floats, y: NDArray[Any], chosen: NDArray[np.int64], n: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the log distances of the nearest neighbours, and which of them are of another class.

    Equal samples are no neighbours; those chosen that have too few others are left out.
    """
    parts = []
    for rows in np.array_split(chosen, len(chosen) * len(samples) // _BLOCK + 1):
        distances = cdist(samples[rows], samples)
        distances[distances == 0] = np.inf
        nearest = np.argpartition(distances, n - 1, axis=1)[:, :n]
        own = np.take_along_axis(distances, nearest, axis=1)
        order = np.argsort(own, axis=1)
        own = np.take_along_axis(own, order, axis=1)
        is_other = y[np.take_along_axis(nearest, order, axis=1)] != y[rows, np.newaxis]
        has_all = np.isfinite(own[:, -1])
        parts.append((np.log(own[has_all]), is_other[has_all]))
    log_distances, is_other = zip(*parts, strict=True)
    return np.concatenate(log_distances), np.concatenate(is_other)


def _jump(log_distances: Floats, size: int) -> float:
    """Return the dimension about the size of groups, as a multiple of that below and above."""
    about = _dimension(log_distances, round(size / WINDOW), round(size * WINDOW))
    below = _dimension(log_distances, round(size / 4), round(size / 2)) if size > 4 else np.inf
    return about / min(below, _dimension(log_distances, 2 * size, 4 * size))


def _dimension(log_distances: Floats, k: int, n: int) -> float:
    grows = log_distances[n - 1] - log_distances[k - 1]
    return float((digamma(n) - digamma(k)) / max(grows, 1e-9))
