"""What may an attribute of a fitted estimator be?

A *kind* describes a value in words and checks it. Shapes are written as letters: ``real("k d")`` is
a matrix with as many columns as every other ``d`` of the same estimator. The declared attributes of
an estimator are checked by the same code when it is saved and when it is loaded.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from abstain._core.checks import is_missing
from abstain._core.errors import InputError

Sizes = dict[str, int]
# Limits of the numbers of classes and of features, and of any count: more would take memory or time
# out of proportion to the file.
MAX_LABELS, MAX_SIZE, MAX_COUNT = 100_000, 10_000_000, 2**53
MAX_LABEL_LENGTH = 1000
MAX_NUMBER = float(np.finfo(np.float64).max)
POSITIVE = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Kind:
    """What a value must be, in words, and a function that checks it.

    ``fits`` may set the sizes of letters that have none yet.
    """

    words: str
    fits: Callable[[Any, Sizes], bool]
    is_optional: bool = False


def optional(kind: Kind) -> Kind:
    """Return the kind of an attribute that may be missing or None."""
    return Kind(
        f"{kind.words}, or None",
        lambda value, sizes: value is None or kind.fits(value, sizes),
        is_optional=True,
    )


def either(*kinds: Kind) -> Kind:
    """Return the kind of a value that is of one of the given kinds."""
    words = " or ".join(kind.words for kind in kinds)
    return Kind(words, lambda value, sizes: any(kind.fits(value, sizes) for kind in kinds))


def _has_shape(value: Any, letters: str, sizes: Sizes) -> bool:
    """Return whether an array has a shape; ``*`` is any size, a letter is 1 or more."""
    names = letters.split()
    if not isinstance(value, np.ndarray) or value.ndim != len(names):
        return False
    for name, length in zip(names, value.shape, strict=True):
        expected = int(name) if name.isdigit() else sizes.get(name, max(length, 1))
        if name != "*" and length != expected:
            return False
    sizes.update(
        (name, length) for name, length in zip(names, value.shape, strict=True) if name.isalpha()
    )
    return True


def real(letters: str, *, low: float = -np.inf, high: float = np.inf, nan: bool = False) -> Kind:
    """Return the kind of an array of finite numbers; NaN is allowed only if ``nan``."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if not _has_shape(value, letters, sizes) or value.dtype.kind != "f":
            return False
        present = value[~np.isnan(value)] if nan else value
        return bool(np.isfinite(present).all() and ((low <= present) & (present <= high)).all())

    return Kind(f"finite numbers of shape ({_words(letters)})", fits)


def whole(letters: str, *, low: int = 0, below: str | int | None = None) -> Kind:
    """Return the kind of an array of whole numbers in a range, whose end may be a letter."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if not _has_shape(value, letters, sizes) or value.dtype.kind not in "iu":
            return False
        end = sizes[below] if isinstance(below, str) else below
        return bool((value >= low).all() and (end is None or (value < end).all()))

    upper = "" if below is None else f" below {below}"
    return Kind(f"whole numbers from {low}{upper} of shape ({_words(letters)})", fits)


def _words(letters: str) -> str:
    return ", ".join(letters.split())


def labels(letter: str) -> Kind:
    """Return the kind of the classes of a classifier: distinct, ascending, none missing."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if not _has_shape(value, letter, sizes) or value.dtype.kind not in "biufUSO":
            return False
        if len(value) > MAX_LABELS or value.dtype.itemsize > 4 * MAX_LABEL_LENGTH:
            return False
        names = value.tolist()
        try:
            ascends = all(one < other for one, other in pairwise(names))
        except TypeError:
            return False
        return ascends and all(map(is_label, names))

    words = f"{letter} different labels in ascending order, of at most {MAX_LABEL_LENGTH} letters"
    return Kind(words, fits)


def is_label(value: Any) -> bool:
    """Return whether a value can be a class or a cell; long text would be repeated per sample."""
    if isinstance(value, str | bytes) and len(value) > MAX_LABEL_LENGTH:
        return False
    return isinstance(value, bool | int | float | str | bytes | np.generic) and not is_missing(
        value
    )


def strings(letter: str) -> Kind:
    """Return the kind of an array of text."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if not _has_shape(value, letter, sizes) or value.dtype.kind not in "UO":
            return False
        return len(value) <= MAX_SIZE and all(isinstance(name, str) for name in value.tolist())

    return Kind(f"{letter} names", fits)


def number(*, low: float = -MAX_NUMBER, high: float = MAX_NUMBER) -> Kind:
    """Return the kind of a real number, which is finite unless the range includes infinity."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, int | float | np.integer | np.floating) or type(value) is bool:
            return False
        return bool(low <= value <= high)

    return Kind(f"a number from {low:g} to {high:g}", fits)


def size(letter: str | None = None, *, low: int = 0) -> Kind:
    """Return the kind of a count, which may be the size of a letter."""

    def fits(value: Any, sizes: Sizes) -> bool:
        high = MAX_COUNT if letter is None else MAX_SIZE
        if not isinstance(value, int | np.integer) or type(value) is bool:
            return False
        if not low <= value <= high:
            return False
        return letter is None or sizes.setdefault(letter, int(value)) == value

    return Kind("a count" if letter is None else f"the count {letter}", fits)


def word(*words: str) -> Kind:
    """Return the kind of text that is one of the given words."""
    return Kind(
        f"one of {', '.join(words)}", lambda value, sizes: type(value) is str and value in words
    )


def listed(kind: Kind, letter: str | None = None) -> Kind:
    """Return the kind of a list, whose length may be a letter."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if type(value) is not list:
            return False
        is_long_enough = letter is None or sizes.setdefault(letter, len(value)) == len(value)
        return is_long_enough and all(kind.fits(each, sizes) for each in value)

    length = "" if letter is None else f"{letter} times "
    return Kind(f"a list of {length}{kind.words}", fits)


def instance(*types: type | str) -> Kind:
    """Return the kind of an object of exactly one of some classes, given by type or name."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return type(value) in types or type(value).__name__ in types

    names = [kind if isinstance(kind, str) else kind.__name__ for kind in types]
    return Kind(f"a {' or '.join(names)}", fits)


def both(kind: Kind, other: Kind) -> Kind:
    """Return the kind of a value that is of two kinds at once."""
    return Kind(
        f"{kind.words} ({other.words})",
        lambda value, sizes: kind.fits(value, sizes) and other.fits(value, sizes),
        kind.is_optional,
    )


FEATURES = {"n_features_in_": size("d", low=1), "feature_names_in_": optional(strings("d"))}
CLASSES = {"classes_": labels("k")}
nothing = Kind("None", lambda value, sizes: value is None)
one = Kind("1", lambda value, sizes: type(value) is int and value == 1)
int32 = Kind("int32", lambda value, sizes: value.dtype == np.int32)
float64 = Kind("float64", lambda value, sizes: value.dtype == np.float64)
in_c_order = Kind("in C order", lambda value, sizes: value.flags.c_contiguous)
shares = Kind("that add up to 1", lambda value, sizes: bool(abs(value.sum() - 1) < 1e-6))
function = Kind("a function", lambda value, sizes: callable(value) and not isinstance(value, type))
flag = Kind("a truth value", lambda value, sizes: isinstance(value, bool | np.bool_))
text = Kind("text", lambda value, sizes: type(value) is str)


def _plain_parts(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, dict):
        for key, held in value.items():
            yield from _plain_parts(key)
            yield from _plain_parts(held)
    elif isinstance(value, list | tuple):
        for held in value:
            yield from _plain_parts(held)
    elif isinstance(value, np.ndarray) and value.dtype.hasobject:
        for held in value.ravel().tolist():
            yield from _plain_parts(held)


_PLAIN: tuple[type, ...] = (bool, int, float, str, slice, list, tuple, dict, type(None))
_PLAIN += (np.generic, np.ndarray, np.dtype, np.random.RandomState)


def _is_plain(value: Any, sizes: Sizes) -> bool:
    return all(
        isinstance(part, _PLAIN)
        or (isinstance(part, type) and issubclass(part, np.generic | float))
        for part in _plain_parts(value)
    )


anything_plain = Kind("a number, text, an array or a list or dict of them", _is_plain)


estimator = Kind("an estimator", lambda value, sizes: is_object(value) and hasattr(value, "fit"))
splitter = Kind(
    "a number of folds, a splitter or a list of folds",
    lambda value, sizes: anything_plain.fits(value, sizes) or hasattr(type(value), "split"),
)


def is_object(value: Any) -> bool:
    """Return whether a value is an estimator, a target or a splitter."""
    if isinstance(value, type):
        return False
    is_splitter = type(value).__module__ == "sklearn.model_selection._split"
    return hasattr(value, "get_params") or is_splitter


def check_attributes(
    owner: str, values: Mapping[str, Any], kinds: Mapping[str, Kind], sizes: Sizes
) -> None:
    """Refuse attributes that are missing, not declared, or not of their kind."""
    for name in values:
        if name not in kinds:
            raise InputError(f"{owner} has the attribute {name!r}, which abstain does not know")
    for name, kind in kinds.items():
        if name not in values:
            if not kind.is_optional:
                raise InputError(f"{owner} lacks the attribute {name!r}")
        elif not kind.fits(values[name], sizes):
            raise InputError(
                f"{owner}.{name} must be {kind.words}{_known_sizes(kind.words, sizes)}, got "
                f"{describe(values[name])}"
            )


def _known_sizes(words: str, sizes: Sizes) -> str:
    known = [f"{name} = {length}" for name, length in sizes.items() if name in words.split()]
    return f" ({', '.join(known)})" if known else ""


def describe(value: Any) -> str:
    """Return what a value is, in a few words."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    if isinstance(value, bool | int | float | str | np.generic | None):
        return f"{value!r:.80}"
    if isinstance(value, list | tuple | dict):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"
