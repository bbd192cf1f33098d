"""Which array arguments are valid?

NumPy only: fronts, metrics and targets check their input here. Each message names the argument, the
requirement and the value received.
"""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError, shown

# A message that lists more columns of a table would be too long to read.
COLUMNS_TO_LIST = 8
_COLUMNS_TO_SUGGEST = 3
# Of the name of a column: it can have a million letters, and the time grows with their square. Two
# letters are contained in too many names.
_LETTERS_TO_COMPARE = 80
_LETTERS_TO_CONTAIN = 3


def list_columns(column: str, names: Sequence[str], kind: str = "columns") -> str:
    """Return which columns exist: those with similar names, and all if they are few.

    >>> list_columns("Agee", ["id", "age"])
    "did you mean 'age'? its columns are 'id', 'age'"
    """
    alike = _closest(column, names)
    guess = f"did you mean {' or '.join(shown(name, 40) for name in alike)}? " if alike else ""
    if len(names) <= COLUMNS_TO_LIST:
        return f"{guess}its {kind} are {quoted(names)}"
    if alike:
        return f"{guess}it has {len(names)} {kind}"
    return f"the first of its {len(names)} {kind} are {quoted(names[:COLUMNS_TO_LIST])}"


def _closest(column: str, names: Sequence[str]) -> list[str]:
    """Return at most three names that are similar, or contain the other: letters and digits count.

    >>> _closest("diagnosis", ["id", "Diagnosis (final)", "diagnose"])
    ['diagnose', 'Diagnosis (final)']
    """
    name_of = {_letters(name): name for name in reversed(names)}
    wanted, known = _letters(column), list(name_of)[::-1]
    alike = difflib.get_close_matches(wanted, known, n=_COLUMNS_TO_SUGGEST, cutoff=0.7)
    longer = [
        key
        for key in sorted(known, key=len)
        if min(len(key), len(wanted)) >= _LETTERS_TO_CONTAIN and (wanted in key or key in wanted)
    ]
    closest = list(dict.fromkeys([*alike, *longer]))[:_COLUMNS_TO_SUGGEST]
    return [name_of[key] for key in closest]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name[:_LETTERS_TO_COMPARE])).casefold()


def quoted(names: Iterable[Any]) -> str:
    """Return quoted names, separated by commas."""
    return ", ".join(shown(name, 40) for name in names)


def as_vector(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return ``values`` as a one-dimensional array with at least one element."""
    if np.ma.is_masked(values):
        raise InputError(
            argument=name, requirement="must hold no missing value", got="a masked array"
        )
    try:
        array = np.asarray(values)
    except ValueError as error:  # ragged nested lists
        raise InputError(
            argument=name, requirement="must be one-dimensional", got=f"nested lists ({error})"
        ) from None
    if array.ndim == 0:
        raise InputError(
            argument=name,
            value=values,
            requirement="must be a list or an array",
            got=f"a {type(values).__name__}",
        )
    if array.ndim > 1:
        raise InputError(
            argument=name, requirement="must be one-dimensional", got=f"shape {array.shape}"
        )
    if array.size == 0:
        raise InputError(argument=name, requirement="must hold at least one sample", got="0")
    return array


def as_labels(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return labels as a one-dimensional array; a list of mixed types as an array of objects.

    NumPy would convert a list such as ["a", nan] or ["1", 1] to text: a missing label would become
    the label "nan", and 1 would equal "1".
    """
    array = as_vector(name, values)
    if isinstance(values, list | tuple) and array.dtype.kind in "US":
        kind = str if array.dtype.kind == "U" else bytes
        if not all(isinstance(value, kind) for value in values):
            return np.asarray(values, dtype=object)
    return array


def merge_labels(name: str, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return the sorted distinct labels of all blocks, which must be of one kind.

    NumPy would convert text and numbers, or bytes and text, to text: 1 would equal "1". Blocks
    without samples are left out: their type says nothing.
    """
    parts = [part for part in parts if len(part)] or parts[:1]
    one_of = {_KINDS[part.dtype.kind]: part for part in parts if part.dtype.kind in _KINDS}
    if len(one_of) > 1:
        got = " and ".join(shown(part.tolist()[0]) for part in one_of.values())
        raise InputError(
            argument=name, requirement="must hold labels of one kind in all blocks", got=got
        )
    try:
        return np.unique(np.concatenate(parts))
    except TypeError as error:  # labels of kinds that have no common order
        raise InputError(
            argument=name, requirement="must hold labels of one kind", got=f"a mixture ({error})"
        ) from None


_KINDS = {"U": "text", "S": "bytes"} | dict.fromkeys("biuf", "numbers")


def check_real_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return ``values`` as float64; NaN is refused, ±inf is a value like any other."""
    array = as_vector(name, values)
    if array.dtype.kind not in "biufO":
        raise _not_numbers(name, array)
    try:
        array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):  # decimals are numbers, other objects are not
        raise _not_numbers(name, array) from None
    refuse_elements(name, array, np.isnan(array), "must hold no missing value")
    return array


def _not_numbers(name: str, array: NDArray[Any]) -> InputError:
    first, *others = array.tolist()
    # Of text that looks like numbers, the first.
    value = next((each for each in (first, *others) if not _is_number(each)), first)
    return InputError(argument=name, value=value, requirement="must be numbers")


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def check_boolean_vector(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    """Return ``values`` as booleans; 0 and 1 of any numeric type count as such."""
    array = as_vector(name, values)
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind in "iuf":
        invalid = (array != 0) & (array != 1)
    else:
        invalid = np.array([not _is_boolean(value) for value in array.tolist()])
    refuse_elements(name, array, invalid, "must be boolean (or 0 and 1)")
    return array.astype(np.bool_)


def _is_boolean(value: object) -> bool:
    number = isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating)
    return number and value in (0, 1)


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT or pandas.NA, which cannot be compared."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def check_none_missing(
    name: str,
    labels: NDArray[Any],
    requirement: str = "must hold no missing value",
    remedy: str = "",
) -> None:
    """Refuse missing labels."""
    if labels.dtype.kind == "O":
        missing = np.fromiter(map(is_missing, labels.tolist()), np.bool_, len(labels))
        refuse_elements(name, labels, missing, requirement, remedy)
    elif labels.dtype.kind in "fcmM":  # only NaN and NaT differ from themselves
        refuse_elements(name, labels, labels != labels, requirement, remedy)


def check_weights(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return weights, which must be finite and not negative."""
    weights = check_real_vector(name, values)
    is_valid = np.isfinite(weights) & (weights >= 0)
    refuse_elements(name, weights, ~is_valid, "must be finite and not negative")
    return weights


def refuse_elements(
    name: str, array: NDArray[Any], invalid: NDArray[np.bool_], requirement: str, remedy: str = ""
) -> None:
    """Refuse an array of which some elements are invalid, and name the first of them."""
    if invalid.any():
        index = int(invalid.argmax())
        value = array[index : index + 1].tolist()[0]
        text = str(array[index]) if value is None else shown(value)  # NaT, not None
        got = f"{text} at index {index}"
        raise InputError(
            argument=name, value=value, requirement=requirement, got=got, remedy=remedy
        )


def check_same_length(**arrays: Sequence[Any] | NDArray[Any] | None) -> None:
    """Refuse arrays of different lengths; None is ignored."""
    lengths = {name: len(array) for name, array in arrays.items() if array is not None}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InputError(f"all arrays must describe the same samples: {counts}")


def check_names(name: str, names: Sequence[str], n: int, what: str) -> None:
    """Refuse another number of names than there are things to name."""
    if len(names) != n:
        raise InputError(
            argument=name,
            requirement=f"must name each of the {n} {what}",
            got=f"{len(names)} names",
        )


def check_positive_integer(name: str, value: Any) -> None:
    """Refuse anything but an integer from 1 on."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise InputError(argument=name, value=value, requirement="must be a positive integer")


def check_fraction(
    name: str, value: float, *, low_open: bool = True, high_open: bool = True
) -> float:
    """Return ``value`` if it lies between 0 and 1, the ends counting unless open."""
    left, right = "(["[not low_open], ")]"[not high_open]
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(
        value, bool
    )
    inside = number and (
        0 < value < 1 or (value == 0 and not low_open) or (value == 1 and not high_open)
    )
    if not inside:
        # 2 is rarely meant as 2%.
        is_percentage = number and 5 <= value <= 100 and not (value == 100 and high_open)
        raise InputError(
            argument=name,
            value=value,
            requirement=f"must be a number in {left}0, 1{right}",
            remedy=f"{value:g}% is {value / 100:g}" if is_percentage else "",
        )
    return float(value)
