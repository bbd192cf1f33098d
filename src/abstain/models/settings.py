"""Which values may the parameters of a model take?"""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from abstain._checks import InputError, shown
from abstain.models.starting import INITS

__all__ = ["SOLVERS", "check_settings", "prototype_counts"]

SOLVERS = ("lbfgs", "adam")


def _is_integer(value: Any, least: int) -> bool:
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= least


def _is_number(value: Any) -> bool:
    # Not a number is no number.
    return not isinstance(value, bool) and isinstance(value, Real) and value == value


def _is_name(value: Any, name: str) -> bool:
    return isinstance(value, str) and value == name


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
    "warm_start": (
        # NumPy has truth values of its own.
        lambda value: isinstance(value, bool | np.bool_),
        "True or False",
    ),
    "verbose": (
        lambda value: isinstance(value, bool) or _is_integer(value, 0),
        "how many iterations lie between two lines, 0 for no line",
    ),
}


def check_settings(settings: dict[str, Any], n_features: int) -> None:
    """Refuse parameters with which no model can be fitted to so many features."""
    for name, (is_valid, wanted) in RULES.items():
        if name in settings and not is_valid(settings[name]):
            raise InputError(f"{name} must be {wanted}, got {shown(settings[name])}")
    rank = settings.get("n_components")
    if rank is not None and rank > n_features:
        raise InputError(f"n_components must be at most the {n_features} features, got {rank}")


def prototype_counts(asked: Any, classes: list[Any], sizes: list[int]) -> list[int]:
    """Return the number of prototypes of each class, at most one for each of its samples."""
    if isinstance(asked, dict) and (unknown := [name for name in asked if name not in classes]):
        raise InputError(
            f"n_prototypes_per_class must name classes of y, got {shown(unknown[0])}; y has "
            f"{classes}"
        )
    counts = [asked.get(name, 1) if isinstance(asked, dict) else asked for name in classes]
    for name, count, size in zip(classes, counts, sizes, strict=True):
        if not _is_integer(count, 1) or count > size:
            raise InputError(
                f"n_prototypes_per_class must be an integer from 1 to the {size} samples of "
                f"class {shown(name)}, got {shown(count)}"
            )
    return [int(count) for count in counts]
