"""Which parameters, samples, labels and weights does a model accept?"""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from abstain._core.checks import as_labels, check_none_missing
from abstain._core.errors import InputError, shown
from abstain.models.scaling import has_missing, row_slices

Array = NDArray[Any]

INITS = ("kmeans", "random")
SOLVERS = ("lbfgs", "adam")
# A stream has no number of samples that limits the number of prototypes.
MOST_OF_CLASS = 2**31


def _is_integer(value: Any, least: int) -> bool:
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and value == value  # not NaN


def _is_name(value: Any, name: str) -> bool:
    return isinstance(value, str) and value == name


def is_auto(n_prototypes: Any) -> bool:
    """Tell whether the number of prototypes is to be found."""
    return _is_name(n_prototypes, "auto")


RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "beta": (
        lambda value: value is None or (_is_number(value) and 0 < value < float("inf")),
        "a positive number, or None for the identity",
    ),
    "class_weight": (
        lambda value: value is None or isinstance(value, dict) or _is_name(value, "balanced"),
        '"balanced", None or a dict of classes and weights',
    ),
    "init": (
        lambda value: not isinstance(value, str) or value in INITS,
        f"one of {INITS} or an array of prototypes",
    ),
    "max_iter": (lambda value: _is_integer(value, 1), "a positive integer"),
    "max_prototypes": (lambda value: _is_integer(value, 1), "a positive integer"),
    "n_components": (
        lambda value: value is None or _is_integer(value, 1),
        "a positive integer, or None for the number of features",
    ),
    "regularization": (
        lambda value: _is_number(value) and 0 <= value < float("inf"),
        "a number that is not negative",
    ),
    "solver": (lambda value: value in SOLVERS, f"one of {SOLVERS}"),
    "tol": (lambda value: _is_number(value) and value >= 0, "a number that is not negative"),
    "warm_start": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "verbose": (
        lambda value: isinstance(value, bool) or _is_integer(value, 0),
        "the number of iterations between two printed lines, or 0 to print none",
    ),
}


def check_parameters(parameters: dict[str, Any], n_features: int) -> None:
    """Refuse invalid parameters of a model for the given number of features."""
    for name, (is_valid, requirement) in RULES.items():
        if name in parameters and not is_valid(parameters[name]):
            raise InputError(
                argument=name, value=parameters[name], requirement=f"must be {requirement}"
            )
    rank = parameters.get("n_components")
    if rank is not None and rank > n_features:
        raise InputError(
            argument="n_components",
            value=rank,
            requirement=f"must be at most the {n_features} features",
        )


def prototype_counts(n_prototypes: Any, classes: list[Any], sizes: list[int]) -> list[int]:
    """Return the number of prototypes of each class, at most that of its samples."""
    counts = [n_prototypes] * len(classes)
    if isinstance(n_prototypes, dict):
        _check_names("n_prototypes_per_class", n_prototypes, classes)
        counts = [n_prototypes.get(name, 1) for name in classes]
    for name, count, size in zip(classes, counts, sizes, strict=True):
        if not _is_integer(count, 1) or count > size:
            raise InputError(
                argument="n_prototypes_per_class",
                value=count,
                requirement=f"must be an integer from 1 to the {size} samples of class "
                f"{shown(name)}",
            )
    return [int(count) for count in counts]


def _check_names(argument: str, given: dict[Any, Any], classes: list[Any]) -> None:
    """Refuse names that are no classes."""
    for name in given:
        if name not in classes:
            raise InputError(
                argument=argument,
                value=name,
                requirement="must name classes of y",
                got=f"{shown(name)}; y has {classes}",
            )


def check_warm_start(
    fitted: list[Array], fitted_labels: Array, initial: list[Array], labels: Array
) -> None:
    """Refuse to continue from fitted prototypes and metric of other shapes or classes."""
    (prototypes, *metric), (new_prototypes, *new_metric) = fitted, initial
    if prototypes.shape != new_prototypes.shape or not np.array_equal(labels, fitted_labels):
        raise InputError(
            argument="warm_start",
            value=True,
            requirement="must continue with the same prototypes and features",
            got=f"{new_prototypes.shape[0]} prototypes of {new_prototypes.shape[1]} features after "
            f"a fit with {prototypes.shape[0]} of {prototypes.shape[1]}",
            remedy="set warm_start=False",
        )
    for new, old in zip(new_metric, metric, strict=True):
        if new.shape != old.shape:
            raise InputError(
                argument="warm_start",
                value=True,
                requirement="must continue with the same rank of the metric",
                got=f"n_components={new.shape[-2]} after a fit with {old.shape[-2]}",
                remedy="set warm_start=False",
            )


def check_targets(targets: Array) -> None:
    """Refuse numbers that are no classes; a block of a stream may hold few samples of each."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(targets)


def known_classes(known: Array | None, announced: ArrayLike | None, targets: Array) -> Array:
    """Return all classes in ascending order: those known, announced, and met."""
    parts = [("y", targets)]
    if announced is not None:
        check_labels(announced)
        parts.append(("classes", np.asarray(announced)))
    names = parts[0][1] if known is None else known
    for argument, part in parts:
        if (part.dtype.kind in "USO") != (names.dtype.kind in "USO"):
            raise InputError(
                argument=argument,
                requirement=f"must hold labels like those of the stream so far, such as "
                f"{shown(names.tolist()[0])}",
                got=shown(part.tolist()[0]),
            )
        names = np.union1d(names, part)
    return names


def stream_counts(n_prototypes: Any, classes: list[Any]) -> list[int]:
    """Return the number of prototypes of each class met; a dict may name others."""
    if isinstance(n_prototypes, dict):
        n_prototypes = {name: n_prototypes.get(name, 1) for name in classes}
    return prototype_counts(n_prototypes, classes, [MOST_OF_CLASS] * len(classes))


def stream_factors(class_weight: Any, classes: Array, totals: Array) -> Array:
    """Return the factor for the sample weights of each class; 0 where a class has no samples."""
    factors, is_met = np.zeros(len(totals)), totals > 0
    if isinstance(class_weight, dict):
        class_weight = {name: class_weight.get(name, 1.0) for name in classes[is_met].tolist()}
    factors[is_met] = class_factors(class_weight, classes[is_met], totals[is_met])
    return factors


def one_class(label: Any) -> InputError:
    """Return the error that all samples have the same class."""
    return InputError(
        argument="y", requirement="must hold at least two classes", got=f"one class: {label}"
    )


def check_labels(y: ArrayLike) -> None:
    """Refuse missing labels: scikit-learn's message for None is about types."""
    shape = np.shape(np.asarray(y))
    if len(shape) == 2 and shape[1] == 1:
        y = np.asarray(y).ravel()
    elif len(shape) != 1 or shape[0] == 0:
        return  # scikit-learn says what is wrong with the shape
    check_none_missing("y", as_labels("y", y), "must hold no missing label", "drop the row")


def class_factors(class_weight: Any, classes: Array, totals: Array) -> Array:
    """Return the factor for the sample weights of each class, given their sums."""
    if not totals.all():
        raise InputError(
            argument="sample_weight",
            value=0,
            requirement="must leave each class some weight",
            got=f"0 for all samples of class {shown(classes.tolist()[int(totals.argmin())])}",
        )
    if isinstance(class_weight, dict):
        _check_names("class_weight", class_weight, classes.tolist())
        for name, weight in class_weight.items():
            if not (isinstance(weight, Real) and 0 < float(weight) < np.inf):
                raise InputError(
                    argument="class_weight",
                    value=weight,
                    requirement="must hold positive numbers",
                    got=f"{shown(weight)} for class {shown(name)}",
                    remedy="leave out the samples of a class to ignore it",
                )
    if isinstance(class_weight, str) and class_weight == "balanced":
        # By weight, not by count, so that a weight of 2 is the same as a repeated row.
        return np.asarray(totals.sum() / (len(classes) * totals))
    if class_weight is None:
        return np.ones(len(classes))
    return np.asarray(compute_class_weight(class_weight, classes=classes, y=classes))


def present_columns(samples: Array) -> NDArray[np.bool_]:
    """Tell which columns have some value; refuse rows without any value."""
    anywhere = np.zeros(samples.shape[1], dtype=bool)
    for rows in row_slices(len(samples)):
        if not has_missing(samples[rows]):
            anywhere[:] = True
            continue
        present = ~np.isnan(samples[rows])
        check_rows_present(present, rows.start)
        anywhere |= present.any(axis=0)
    return anywhere


def check_columns_present(anywhere: NDArray[np.bool_]) -> None:
    """Refuse columns without any value."""
    if not anywhere.all():
        raise InputError(
            argument="X",
            requirement="must hold some value in each column",
            got=f"only NaN in column {int(anywhere.argmin())}",
            remedy="drop it",
        )


def check_finite(distances: Array, samples: Array, first: int) -> None:
    """Refuse samples with infinite distances; ``first`` is the number of the first row."""
    far = ~np.isfinite(distances).all(axis=0)
    if far.any():
        row = int(far.argmax())
        largest = np.nanmax(np.abs(samples[row]))
        raise InputError(
            argument="X",
            value=float(largest),
            requirement=f"must hold values whose squares {distances.dtype} can hold",
            got=f"{largest:.1e} in row {first + row}",
            remedy="scale the features",
        )


def check_magnitude(
    ranges: tuple[Array, Array], dtype: Any, names: NDArray[Any] | None = None
) -> None:
    """Refuse features with values that are too large for squared distances.

    For values of x and w of size at most a, the terms of |x − w|² = |x|² − 2 xᵀw + |w|², after
    subtracting the mean of the data, sum to at most 16 a² per feature. So a may be at most
    √(largest number / n_features) / 4: for 10 features, 1e153 in double and 1.4e18 in single
    precision.
    """
    extremes = np.fmax(-ranges[0], ranges[1])
    limit = (float(np.finfo(dtype).max) / len(extremes)) ** 0.5 / 4
    if (extremes > limit).any():
        worst = int(np.nanargmax(extremes))
        name = f"feature {worst}" if names is None else f"feature {shown(names[worst])}"
        got = max(ranges[0][worst], ranges[1][worst], key=abs)
        raise InputError(
            argument="X",
            value=float(got),
            requirement=f"must hold values whose squares {np.dtype(dtype)} can hold, at most "
            f"{limit:.1e}",
            got=f"{got:.1e} in {name}",
            remedy="scale the features",
        )


def check_rows_present(present: NDArray[np.bool_], first: int) -> None:
    """Refuse rows without any value; ``first`` is the number of the first row."""
    known = present.any(axis=1)
    if not known.all():
        raise InputError(
            argument="X",
            requirement="must hold some value in each row",
            got=f"only NaN in row {first + int(known.argmin())}",
            remedy="drop it",
        )
