"""Which samples, labels and weights can a model be fitted to, or asked about?"""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import compute_class_weight

from abstain._checks import InputError, as_labels, is_missing, shown
from abstain.models.units import has_gaps, row_blocks

__all__ = [
    "check_columns_present",
    "check_finite",
    "check_labels",
    "check_magnitude",
    "check_present",
    "check_rows_present",
    "class_factors",
    "present_columns",
    "with_class_weights",
]

Array = NDArray[Any]


def check_labels(y: ArrayLike) -> None:
    """Refuse missing labels: scikit-learn's message for None is about types."""
    shape = np.shape(np.asarray(y))
    if len(shape) == 2 and shape[1] == 1:
        y = np.asarray(y).ravel()
    elif len(shape) != 1 or shape[0] == 0:
        return  # scikit-learn says what is wrong with the shape
    labels = as_labels("y", y)
    if labels.dtype.kind in "OfmM":
        for index, label in enumerate(labels.tolist()):
            if is_missing(label):
                raise InputError(
                    f"y must hold no missing label, got {label} at index {index}; drop the row"
                )


def with_class_weights(
    class_weight: Any, classes: Array, labels: NDArray[np.int64], weights: Array
) -> Array:
    """Return the weights of the samples times those of their classes."""
    factors = class_factors(class_weight, classes, np.bincount(labels, weights))
    return np.asarray((weights * factors[labels]).astype(weights.dtype))


def class_factors(class_weight: Any, classes: Array, totals: Array) -> Array:
    """Return by what the weights of the samples of each class are multiplied.

    ``totals`` are the weights of all samples of each class.
    """
    if not totals.all():
        raise InputError(
            "sample_weight must leave each class some weight, got 0 for all samples of class "
            f"{shown(classes.tolist()[int(totals.argmin())])}"
        )
    if isinstance(class_weight, dict):
        known = classes.tolist()
        if unknown := [name for name in class_weight if name not in known]:
            raise InputError(
                f"class_weight must name classes of y, got {shown(unknown[0])}; y has {known}"
            )
        for name, weight in class_weight.items():
            if not (isinstance(weight, Real) and 0 < float(weight) < np.inf):
                raise InputError(
                    f"class_weight must hold positive numbers, got {shown(weight)} for class "
                    f"{shown(name)}; leave out the samples of a class that shall not count"
                )
    if isinstance(class_weight, str) and class_weight == "balanced":
        # By weight, not by count, so that a weight of 2 is the same as a repeated row.
        return np.asarray(totals.sum() / (len(classes) * totals))
    return np.asarray(compute_class_weight(class_weight, classes=classes, y=classes))


def check_present(samples: Array) -> None:
    """Refuse rows and columns of which nothing is known."""
    check_columns_present(present_columns(samples))


def present_columns(samples: Array) -> NDArray[np.bool_]:
    """Tell which columns have some value, and refuse rows that have none."""
    anywhere = np.zeros(samples.shape[1], dtype=bool)
    for rows in row_blocks(len(samples)):
        if not has_gaps(samples[rows]):
            anywhere[:] = True
            continue
        present = ~np.isnan(samples[rows])
        check_rows_present(present, rows.start)
        anywhere |= present.any(axis=0)
    return anywhere


def check_columns_present(anywhere: NDArray[np.bool_]) -> None:
    """Refuse columns of which nothing is known."""
    if not anywhere.all():
        raise InputError(
            "X must hold some value in each column, got only NaN in column "
            f"{int(anywhere.argmin())}; drop it"
        )


def check_finite(distances: Array, samples: Array, first: int) -> None:
    """Refuse samples that are too far away to be measured; ``first`` is the number of their row."""
    far = ~np.isfinite(distances).all(axis=0)
    if far.any():
        row = int(far.argmax())
        raise InputError(
            f"X must hold values whose squares {distances.dtype} can hold, got "
            f"{np.nanmax(np.abs(samples[row])):.1e} in row {first + row}; scale the features"
        )


def check_magnitude(
    ranges: tuple[Array, Array], dtype: Any, names: NDArray[Any] | None = None
) -> None:
    """Refuse features with values that are too large for squared distances.

    With x and w up to some size from 0, |x − w|² = |x|² − 2 xᵀw + |w|², moved to the mean of the
    data, has terms that sum up to 16 times its square for each feature. So values may be at most
    √(largest number / number of features) / 4: of 10 features, 1e153 in double and 1.4e18 in single
    precision.
    """
    extremes = np.fmax(-ranges[0], ranges[1])
    limit = (float(np.finfo(dtype).max) / len(extremes)) ** 0.5 / 4
    if (extremes > limit).any():
        worst = int(np.nanargmax(extremes))
        name = f"feature {worst}" if names is None else f"feature {shown(names[worst])}"
        got = max(ranges[0][worst], ranges[1][worst], key=abs)
        raise InputError(
            f"X must hold values whose squares {np.dtype(dtype)} can hold, at most {limit:.1e}, "
            f"got {got:.1e} in {name}; scale the features"
        )


def check_rows_present(present: NDArray[np.bool_], first: int) -> None:
    """Refuse rows of which nothing is known; ``first`` is the number of the first."""
    known = present.any(axis=1)
    if not known.all():
        raise InputError(
            f"X must hold some value in each row, got only NaN in row "
            f"{first + int(known.argmin())}; drop it"
        )
