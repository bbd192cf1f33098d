"""What may an attribute of a fitted estimator be?

A *kind* describes a value in words and checks it. Shapes are written as letters: ``real("k d")`` is
a matrix with as many columns as every other ``d`` of the same estimator. Two names follow from the
number k of classes: ``scores`` is 1 for two classes and k for more, ``pairs`` is k (k - 1) / 2.
"""

from __future__ import annotations  # signatures then show the names of types

import re
from collections.abc import Callable, Collection, Mapping
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

    def __or__(self, other: Kind) -> Kind:
        """Return the kind of a value that is of one kind or of the other."""
        return Kind(
            f"{self.words} or {other.words}",
            lambda value, sizes: self.fits(value, sizes) or other.fits(value, sizes),
        )

    def where(self, words: str, holds: Callable[[Any], Any]) -> Kind:
        """Return the kind of the values of this kind for which something else holds as well."""
        return Kind(
            f"{self.words}, {words}",
            lambda value, sizes: self.fits(value, sizes) and bool(holds(value)),
        )


def optional(kind: Kind) -> Kind:
    """Return the kind of an attribute that may be missing or None."""
    return Kind(
        f"{kind.words}, or None",
        lambda value, sizes: value is None or kind.fits(value, sizes),
        is_optional=True,
    )


# --- arrays -------------------------------------------------------------------------------------


def array(
    letters: str,
    types: str,
    words: str,
    holds: Callable[[Any, Sizes], Any] = lambda value, sizes: True,
    dtype: str = "",
) -> Kind:
    """Return the kind of an array of a shape, whose type is one of NumPy's letters."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return (
            isinstance(value, np.ndarray)
            and value.dtype.kind in types
            and (not dtype or value.dtype == dtype)
            and _has_shape(value.shape, letters.split(), sizes)
            and bool(holds(value, sizes))
        )

    exactly = dtype and f" ({dtype})"
    return Kind(f"{words}{exactly} of shape ({', '.join(letters.split())})", fits)


def _has_shape(shape: tuple[int, ...], names: list[str], sizes: Sizes) -> bool:
    """Return whether an array has a shape; letters stand for sizes of 1 or more."""
    new = dict(sizes)
    is_shape = len(shape) == len(names) and all(
        _is_size(length, name, new) and (length > 0 or name in sizes or not name.isalpha())
        for name, length in zip(names, shape, strict=True)
    )
    sizes.update(new if is_shape else {})
    return is_shape


def _is_size(length: int, name: str, sizes: Sizes) -> bool:
    """Return whether a length is the size of a name, which it becomes if there is none yet."""
    return name == "*" or length == sizes.setdefault(name, _size(name, sizes, length))


def _size(name: str, sizes: Sizes, default: int = 0) -> int:
    if name.isdigit():
        return int(name)
    if name == "scores":
        return 1 if sizes["k"] == 2 else sizes["k"]
    if name == "pairs":
        return sizes["k"] * (sizes["k"] - 1) // 2
    if name[1:] in ("+1", "-1"):
        return sizes[name[0]] + int(name[1:])
    return sizes.get(name, default)


def real(
    letters: str,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    nan: bool = False,
    infinite: bool = False,
    dtype: str = "",
) -> Kind:
    """Return the kind of an array of finite numbers; others are allowed only by name."""

    def holds(value: Any, sizes: Sizes) -> Any:
        present = value[~np.isnan(value)] if nan else value
        is_finite = infinite or np.isfinite(present).all()
        return is_finite and ((low <= present) & (present <= high)).all()

    return array(letters, "f", "numbers" if infinite else "finite numbers", holds, dtype)


def whole(letters: str, *, low: int = 0, below: str | int | None = None, dtype: str = "") -> Kind:
    """Return the kind of an array of whole numbers in a range, whose end may be a letter."""

    def holds(value: Any, sizes: Sizes) -> Any:
        end = _size(below, sizes) if isinstance(below, str) else below
        return (value >= low).all() and (end is None or (value < end).all())

    upper = "" if below is None else f" below {below}"
    return array(letters, "iu", f"whole numbers from {low}{upper}", holds, dtype)


def in_c_order(kind: Kind) -> Kind:
    """Return the kind of an array that compiled code reads row by row."""
    return kind.where("in C order", lambda value: value.flags.c_contiguous)


def rises(values: Any) -> bool:
    """Return whether each value is larger than the one before it."""
    return bool((values[1:] > values[:-1]).all())


def labels(letters: str) -> Kind:
    """Return the kind of an array of classes or cells, none of them missing."""

    def holds(value: Any, sizes: Sizes) -> bool:
        if value.dtype.kind == "O":
            return all(map(is_label, value.tolist()))
        is_short = value.dtype.itemsize <= 4 * MAX_LABEL_LENGTH
        return is_short and not (value.dtype.kind == "f" and np.isnan(value).any())

    words = f"labels of at most {MAX_LABEL_LENGTH} letters, none missing,"
    return array(letters, "biufUSO", words, holds)


def is_label(value: Any) -> bool:
    """Return whether a value can be a class or a cell; long text would be repeated per sample."""
    if isinstance(value, str | bytes) and len(value) > MAX_LABEL_LENGTH:
        return False
    return isinstance(value, bool | int | float | str | bytes | np.generic) and not is_missing(
        value
    )


def are_classes(value: Any) -> bool:
    """Return whether labels are different and in ascending order."""
    if len(value) > MAX_LABELS:
        return False
    names = value.tolist()
    try:
        return all(map(is_label, names)) and all(one < other for one, other in pairwise(names))
    except TypeError:
        return False


def strings(letters: str) -> Kind:
    """Return the kind of an array of text."""
    return array(
        letters,
        "UO",
        "names",
        lambda value, sizes: (
            len(value) <= MAX_SIZE and all(isinstance(name, str) for name in value.tolist())
        ),
    )


# --- numbers, text and containers ---------------------------------------------------------------


def number(*, low: float = -MAX_NUMBER, high: float = MAX_NUMBER) -> Kind:
    """Return the kind of a real number, which is finite unless the range includes infinity."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, int | float | np.integer | np.floating) or type(value) is bool:
            return False
        return bool(low <= value <= high)

    return Kind(f"a number from {low:g} to {high:g}", fits)


def size(letter: str = "*", *, low: int = 0, high: int = MAX_COUNT) -> Kind:
    """Return the kind of a count, which may be the size of a letter."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, int | np.integer) or type(value) is bool:
            return False
        return bool(low <= value <= high) and _is_size(int(value), letter, sizes)

    return Kind("a count" if letter == "*" else f"the count {letter}", fits)


def word(*words: str) -> Kind:
    """Return the kind of text that is one of the given words."""
    return Kind(
        f"one of {', '.join(words)}", lambda value, sizes: type(value) is str and value in words
    )


def listed(kind: Kind, letter: str = "*") -> Kind:
    """Return the kind of a list, whose length may be a letter."""

    def fits(value: Any, sizes: Sizes) -> bool:
        is_list = type(value) is list and _is_size(len(value), letter, sizes)
        return is_list and all(kind.fits(each, sizes) for each in value)

    length = "" if letter == "*" else f" (length {letter})"
    return Kind(f"a list of {kind.words}{length}", fits)


def sequence(*kinds: Kind) -> Kind:
    """Return the kind of a tuple or list with an element of each kind."""
    return Kind(
        ", ".join(kind.words for kind in kinds),
        lambda value, sizes: (
            type(value) in (tuple, list)
            and len(value) == len(kinds)
            and all(kind.fits(each, sizes) for kind, each in zip(kinds, value, strict=True))
        ),
    )


def by_key(key: Kind, kind: Kind) -> Kind:
    """Return the kind of a dict of keys and values of two kinds."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return type(value) is dict and all(
            key.fits(each, sizes) and kind.fits(held, sizes) for each, held in value.items()
        )

    return Kind(f"a dict of {key.words} and {kind.words}", fits)


def by_name(kind: Kind) -> Kind:
    """Return the kind of a dict of names and values of a kind."""
    return by_key(Kind("names", text.fits), kind)


def names_all_pairs(pairs: Collection[tuple[Any, Any]]) -> bool:
    """Return whether there are as many pairs as the different labels in them have, and some."""
    n_labels = len({label for pair in pairs for label in pair})
    return n_labels > 0 and n_labels * (n_labels - 1) <= len(pairs)


def parts(owner: str, kinds: Mapping[str, Kind]) -> Kind:
    """Return the kind of a dict of declared values, which share the sizes of their owner."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if type(value) is not dict:
            return False
        check_attributes(owner, value, kinds, sizes)
        return True

    return Kind(f"a dict of {', '.join(kinds)}", fits)


def instance(*types: type | str) -> Kind:
    """Return the kind of an object of exactly one of some classes, given by type or name."""

    def fits(value: Any, sizes: Sizes) -> bool:
        return type(value) in types or type(value).__name__ in types

    names = [kind if isinstance(kind, str) else kind.__name__ for kind in types]
    return Kind(f"a {' or '.join(names)}", fits)


_PLAIN: tuple[type, ...] = (bool, int, float, str, slice, type(None))
_PLAIN += (np.generic, np.ndarray, np.dtype, np.random.RandomState)


def _is_plain(value: Any, sizes: Sizes) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(part, sizes) for pair in value.items() for part in pair)
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        value = value.ravel().tolist()
    if isinstance(value, list | tuple):
        return all(_is_plain(part, sizes) for part in value)
    is_type = isinstance(value, type) and issubclass(value, np.generic | float)
    return is_type or isinstance(value, _PLAIN)


def is_object(value: Any) -> bool:
    """Return whether a value is an estimator, a target or a splitter."""
    if isinstance(value, type):
        return False
    is_splitter = type(value).__module__ == "sklearn.model_selection._split"
    return hasattr(value, "get_params") or is_splitter


nothing = Kind("None", lambda value, sizes: value is None)
flag = Kind("a truth value", lambda value, sizes: isinstance(value, bool | np.bool_))
text = Kind("text", lambda value, sizes: type(value) is str)
function = Kind("a function", lambda value, sizes: callable(value) and not isinstance(value, type))
anything_plain = Kind("a number, text, an array or a list or dict of them", _is_plain)
estimator = Kind("an estimator", lambda value, sizes: is_object(value) and hasattr(value, "fit"))
splitter = anything_plain | Kind("a splitter", lambda value, sizes: hasattr(type(value), "split"))
FEATURES = {
    "n_features_in_": size("d", low=1, high=MAX_SIZE),
    "feature_names_in_": optional(strings("d")),
}
CLASSES = {"classes_": labels("k").where("different and in ascending order", are_classes)}
CLASSIFIER = CLASSES | FEATURES


# --- attributes ---------------------------------------------------------------------------------


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
            letters = set(re.findall(r"\w+", kind.words)) & sizes.keys()
            known = ", ".join(f"{letter} = {sizes[letter]}" for letter in sorted(letters))
            raise InputError(
                f"{owner}.{name} must be {kind.words}{known and f' ({known})'}, got "
                f"{describe(values[name])}"
            )


def describe(value: Any) -> str:
    """Return what a value is, in a few words."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    if isinstance(value, bool | int | float | str | np.generic | None):
        return f"{value!r:.80}"
    if isinstance(value, list | tuple | dict):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"
