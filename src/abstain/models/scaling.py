"""How are samples scaled for a fit, and from which statistics?

A model does not depend on the origin of the data, nor on a common unit of all features, but
arithmetic does: sums of squares far from the origin lose digits, and a tolerance that suits metres
does not suit millimetres. So the mean is subtracted and all features are divided by one number;
their relative scales, which a model does depend on, stay.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError

Array = NDArray[Any]

# Rows that are processed together, so that temporary arrays stay small.
ROWS = 4096


class Scaling(NamedTuple):
    """A shift of the origin and a common scale of all features."""

    origin: Array
    scale: float

    def transform(self, samples: Array) -> Array:
        """Return scaled samples (or prototypes)."""
        moved = samples - self.origin
        moved /= self.scale
        return moved

    def inverse_transform(self, samples: Array) -> Array:
        """Return samples (or prototypes) in the units of the data."""
        return samples * self.scale + self.origin


def row_slices(n_rows: int, rows: int = ROWS) -> Iterator[slice]:
    """Yield slices that cover all rows."""
    for start in range(0, n_rows, rows):
        yield slice(start, min(start + rows, n_rows))


class Deviations(NamedTuple):
    """Squared deviations from an origin, relative to the largest; the weight of present values."""

    squares: float
    weight: float
    largest: float


def deviations_from(origin: Array, samples: Array, weights: Array) -> Deviations:
    """Return how far samples deviate from an origin."""
    squares, weight, largest = 0.0, 0.0, 0.0
    for rows in row_slices(len(samples)):
        sizes = samples[rows] - origin
        n_present: Array = np.full(len(sizes), sizes.shape[1], dtype=sizes.dtype)
        if has_missing(sizes):
            n_present -= np.isnan(sizes).sum(axis=1, dtype=sizes.dtype)
            np.nan_to_num(sizes, copy=False)
        weight += float(weights[rows] @ n_present)
        # Relative to the largest so far, since squares of the values may overflow or vanish.
        before, largest = largest, max(largest, float(sizes.max()), -float(sizes.min()))
        if largest:
            sizes /= largest
            own = float(weights[rows] @ np.einsum("ij,ij->i", sizes, sizes))
            squares = squares * (before / largest) ** 2 + own
    return Deviations(squares, weight, largest)


def merge_deviations(parts: Sequence[Deviations]) -> Deviations:
    """Return the deviations of the samples of all parts."""
    largest = max(part.largest for part in parts)
    squares = sum(part.squares * (part.largest / (largest or 1.0)) ** 2 for part in parts)
    return Deviations(squares, sum(part.weight for part in parts), largest)


def scaling_from(origin: Array, deviations: Deviations) -> Scaling:
    """Return the scaling by the root mean square of the deviations.

    Unlike a mean of absolute deviations, that does not depend on a rotation of the axes.
    """
    squares, weight, largest = deviations
    scale = largest * (squares / weight) ** 0.5
    limits = np.finfo(origin.dtype)
    if scale and not limits.tiny**0.5 < scale < limits.max**0.5:
        raise InputError(
            argument="X",
            requirement=f"must hold values whose squares {origin.dtype} can hold",
            got=f"deviations of {scale:.1e} on average",
            remedy="scale the features",
        )
    return Scaling(origin, scale or 1.0)


def class_sums(
    samples: Array, labels: NDArray[np.int64], weights: Array, n_classes: int
) -> tuple[Array, Array]:
    """Return the weighted sum of each feature in each class, and the weight of present values."""
    sums = np.zeros((n_classes, samples.shape[1]))
    totals = np.zeros_like(sums)
    for rows in row_slices(len(samples)):
        values = samples[rows]
        member = np.zeros((n_classes, len(values)), dtype=samples.dtype)
        member[labels[rows], np.arange(len(values))] = weights[rows]
        if has_missing(values):
            totals += member @ ~np.isnan(values)
            values = np.nan_to_num(values)
        else:
            totals += member.sum(axis=1, dtype=float, keepdims=True)
        sums += member @ values
    return sums, totals


def means_of_present(sums: Array, totals: Array) -> Array:
    """Return means; 0 where a feature is missing in all samples."""
    means = np.zeros_like(sums)
    np.divide(sums, totals, out=means, where=totals > 0)
    return means


def value_ranges(samples: Array) -> tuple[Array, Array]:
    """Return the minimum and the maximum of each feature; NaN where all values are missing."""
    lowest, highest = np.full((2, samples.shape[1]), np.nan, dtype=samples.dtype)
    for rows in row_slices(len(samples)):
        # Unlike minimum and maximum, these ignore NaN.
        np.fmin(lowest, np.fmin.reduce(samples[rows]), out=lowest)
        np.fmax(highest, np.fmax.reduce(samples[rows]), out=highest)
    return lowest, highest


def merge_ranges(parts: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return the minima and the maxima over all parts."""
    lowest, highest = zip(*parts, strict=True)
    return np.fmin.reduce(lowest), np.fmax.reduce(highest)


def has_missing(samples: Array) -> bool:
    """Tell whether a value is missing; infinities have been refused before."""
    with np.errstate(over="ignore", invalid="ignore"):
        # A sum is NaN if a value is; huge values of both signs may make it so too.
        return bool(np.isnan(samples.sum())) and bool(np.isnan(samples).any())
