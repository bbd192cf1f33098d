"""Which whole numbers stand for the weights of samples?

Fronts count in integers: sums do not depend on the order of the samples, and ties are exact.
Weights that are multiples of a *unit*, such as 49.5 and 0.5, are counted in this unit. Others are
rounded to multiples of a unit so small that all weights together make about `RESOLUTION` units.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import (
    as_labels,
    check_boolean_vector,
    check_real_vector,
    check_same_length,
)
from abstain._core.errors import InputError

# Units that are tried are 1 and the smallest weight, divided by these.
DIVISORS = (1, 2, 4, 5, 8, 10, 20, 50, 100, 1000)
# Of a sum of weights in units: products of two sums must fit into 63 bits.
RESOLUTION = 1 << 30


# Of wrong samples: the exact front has a row for almost every sum up to this.
MOST_EXACT = 10_000_000


class WeightedSamples(NamedTuple):
    """Checked samples of positive weight, and these weights in units."""

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    cells: NDArray[Any] | None
    counts: NDArray[np.int64]
    unit: float
    is_rounded: bool


def weighted_samples(
    certainty: ArrayLike, correct: ArrayLike, cells: ArrayLike | None, weights: ArrayLike
) -> WeightedSamples:
    """Check four aligned arrays and leave out the samples of weight 0."""
    values, right = (
        check_real_vector("certainty", certainty),
        check_boolean_vector("correct", correct),
    )
    checked = check_weights(weights)
    labels = None if cells is None else as_labels("cells", cells)
    check_same_length(certainty=values, correct=right, cells=labels, weights=checked)
    counts, unit, is_rounded = in_units(checked)
    has_weight = counts > 0
    return WeightedSamples(
        values[has_weight],
        right[has_weight],
        None if labels is None else labels[has_weight],
        counts[has_weight],
        unit,
        is_rounded,
    )


def check_exact(samples: WeightedSamples) -> None:
    """Refuse weights for which the exact front would be rounded or too long."""
    errors = int(samples.counts[~samples.correct].sum())
    if samples.is_rounded or errors > MOST_EXACT:
        what = "weights without a unit" if samples.is_rounded else f"{errors:,} units of errors"
        raise InputError(
            argument="weights",
            requirement="must be multiples of a unit, such as 1 or 0.5, and those of wrong samples "
            f"at most {MOST_EXACT:,} units in all, for method='exact'",
            got=what,
            remedy="round them, or use 'hull' or 'pooled'",
        )


def check_weights(weights: ArrayLike) -> NDArray[np.float64]:
    """Return valid weights: finite, not negative, not all 0."""
    values = check_real_vector("weights", weights)
    invalid = ~np.isfinite(values) | (values < 0)
    if invalid.any():
        index = int(invalid.argmax())
        raise InputError(
            argument="weights",
            value=float(values[index]),
            requirement="must be finite and not negative",
            got=f"{values[index]:g} at index {index}",
        )
    if not values.any():
        raise InputError(argument="weights", value=0, requirement="must not all be 0")
    return values


def in_units(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], float, bool]:
    """Return weights as whole numbers of a unit, the unit, and whether they were rounded."""
    largest = float(weights.max())
    for base in (1.0, float(weights[weights > 0].min())):
        for divisor in DIVISORS:
            scaled = weights / base * divisor
            counts = np.rint(scaled)
            rounding = 1e-9 * largest / base * divisor
            if np.abs(scaled - counts).max() <= rounding and 0 < counts.sum() <= RESOLUTION:
                whole = counts.astype(np.int64)
                common = int(np.gcd.reduce(whole))
                return whole // common, base * common / divisor, False
    unit = float(weights.sum()) / RESOLUTION
    return np.rint(weights / unit).astype(np.int64), unit, True
