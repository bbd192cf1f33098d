"""In which units is a model fitted?

A model does not depend on where the origin of the data is, nor on the unit of all features
together, but arithmetic does: sums of squares far from the origin lose their digits, and a
tolerance that suits metres does not suit millimetres. So samples are moved to their mean and
divided by one number; the relative scale of the features, which a model does depend on, stays.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._checks import InputError

__all__ = [
    "Deviations",
    "Units",
    "class_sums",
    "deviations_from",
    "has_gaps",
    "means_of_present",
    "merge_deviations",
    "merge_ranges",
    "row_blocks",
    "units_of",
    "value_ranges",
]

Array = NDArray[Any]

# Rows that are looked at together: what is kept beyond the samples stays small.
ROWS = 4096


class Units(NamedTuple):
    """An origin in the space of the features, and a length."""

    origin: Array
    scale: float

    def apply(self, samples: Array) -> Array:
        """Return samples (or prototypes) in these units."""
        moved = samples - self.origin
        moved /= self.scale
        return moved

    def undo(self, samples: Array) -> Array:
        """Return samples (or prototypes) in the units of the data."""
        return samples * self.scale + self.origin


def row_blocks(n_rows: int, rows: int = ROWS) -> Iterator[slice]:
    """Yield slices that cover all rows."""
    for start in range(0, n_rows, rows):
        yield slice(start, min(start + rows, n_rows))


class Deviations(NamedTuple):
    """Squared deviations from an origin, in units of the largest; weight of what is present."""

    squares: float
    weight: float
    largest: float


def deviations_from(origin: Array, samples: Array, weights: Array) -> Deviations:
    """Return by how much samples deviate from an origin."""
    squares, weight, largest = 0.0, 0.0, 0.0
    for rows in row_blocks(len(samples)):
        sizes = samples[rows] - origin
        n_present: Array = np.full(len(sizes), sizes.shape[1], dtype=sizes.dtype)
        if has_gaps(sizes):
            n_present -= np.isnan(sizes).sum(axis=1, dtype=sizes.dtype)
            np.nan_to_num(sizes, copy=False)
        weight += float(weights[rows] @ n_present)
        # In units of the largest so far, since squares of what is given may overflow or vanish.
        before, largest = largest, max(largest, float(sizes.max()), -float(sizes.min()))
        if largest:
            sizes /= largest
            own = float(weights[rows] @ np.einsum("ij,ij->i", sizes, sizes))
            squares = squares * (before / largest) ** 2 + own
    return Deviations(squares, weight, largest)


def merge_deviations(parts: Sequence[Deviations]) -> Deviations:
    """Return how much the samples of all parts deviate."""
    largest = max(part.largest for part in parts)
    squares = sum(part.squares * (part.largest / (largest or 1.0)) ** 2 for part in parts)
    return Deviations(squares, sum(part.weight for part in parts), largest)


def units_of(origin: Array, deviations: Deviations) -> Units:
    """Return the given origin, and the root mean square of what samples deviate from it.

    That, unlike a mean of sizes, is the same whichever way the axes point.
    """
    squares, weight, largest = deviations
    scale = largest * (squares / weight) ** 0.5
    limits = np.finfo(origin.dtype)
    if scale and not limits.tiny**0.5 < scale < limits.max**0.5:
        raise InputError(
            f"X must hold values whose squares {origin.dtype} can hold, got deviations of "
            f"{scale:.1e} on average; scale the features"
        )
    return Units(origin, scale or 1.0)


def class_sums(
    samples: Array, labels: NDArray[np.int64], weights: Array, n_classes: int
) -> tuple[Array, Array]:
    """Return the weighted sum of each feature in each class, and the weight of what is present."""
    sums = np.zeros((n_classes, samples.shape[1]))
    totals = np.zeros_like(sums)
    for rows in row_blocks(len(samples)):
        values = samples[rows]
        member = np.zeros((n_classes, len(values)), dtype=samples.dtype)
        member[labels[rows], np.arange(len(values))] = weights[rows]
        if has_gaps(values):
            totals += member @ ~np.isnan(values)
            values = np.nan_to_num(values)
        else:
            totals += member.sum(axis=1, dtype=float, keepdims=True)
        sums += member @ values
    return sums, totals


def means_of_present(sums: Array, totals: Array) -> Array:
    """Return means; 0 where a feature is missing throughout."""
    means = np.zeros_like(sums)
    np.divide(sums, totals, out=means, where=totals > 0)
    return means


def value_ranges(samples: Array) -> tuple[Array, Array]:
    """Return the lowest and the highest value of each feature; NaN where all are missing."""
    lowest, highest = np.full((2, samples.shape[1]), np.nan, dtype=samples.dtype)
    for rows in row_blocks(len(samples)):
        # Unlike minimum and maximum, these pass over what is missing.
        np.fmin(lowest, np.fmin.reduce(samples[rows]), out=lowest)
        np.fmax(highest, np.fmax.reduce(samples[rows]), out=highest)
    return lowest, highest


def merge_ranges(parts: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return the lowest and the highest values of all parts."""
    lowest, highest = zip(*parts, strict=True)
    return np.fmin.reduce(lowest), np.fmax.reduce(highest)


def has_gaps(samples: Array) -> bool:
    """Tell whether a value is missing; infinities have been refused before."""
    with np.errstate(over="ignore", invalid="ignore"):
        # A sum is NaN if a value is; huge values of both signs may make it so too.
        return bool(np.isnan(samples.sum())) and bool(np.isnan(samples).any())
