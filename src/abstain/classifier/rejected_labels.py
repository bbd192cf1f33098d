"""Can a label that stands for a reject be returned among the classes?"""

from __future__ import annotations  # signatures then show the names of types

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import InputError, shown

__all__ = ["check_reject_label", "with_rejects"]


def check_reject_label(reject_label: Any, classes: NDArray[Any]) -> None:
    """Refuse a label that is a class already or that the type of the classes cannot hold."""
    if reject_label is None:
        return
    if not _fits(reject_label, classes.dtype):
        raise TypeError(
            f"reject_label must be of the type of the classes ({classes.dtype}), got "
            f"{shown(reject_label)}; {_REMEDIES.get(classes.dtype.kind, _REMEDY)}"
        )
    if any(label == reject_label for label in classes.tolist()):
        raise InputError(
            f"reject_label must differ from the classes, got {shown(reject_label)}, which is one"
        )


_REMEDIES = {
    "U": "use text, such as 'reject'",
    "S": "use bytes, such as b'reject'",
    "i": "use an integer that is no class, such as -1",
    "u": "use an integer from 0 on that is no class, or integer labels with a sign",
    "f": "use a number, such as nan",
    "b": "booleans leave no value for it: leave it None and call reject, or use integer labels",
}
_REMEDY = "leave it None and call reject"


def _fits(label: Any, dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "U":
        return isinstance(label, str)
    if dtype.kind == "S":
        return isinstance(label, bytes)
    if dtype.kind in "iu":
        is_integer = isinstance(label, numbers.Integral) and not isinstance(label, bool)
        return is_integer and np.iinfo(dtype).min <= label <= np.iinfo(dtype).max
    if dtype.kind == "f":
        is_number = isinstance(label, numbers.Real) and not isinstance(label, bool)
        with np.errstate(over="ignore"):
            return is_number and np.isinf(dtype.type(label)) == np.isinf(label)
    return dtype.kind == "O"


def with_rejects(
    labels: NDArray[Any], rejected: NDArray[np.bool_], reject_label: Any
) -> NDArray[Any]:
    """Return labels with those of rejected samples replaced; text grows as long as it must."""
    if labels.dtype.kind in "US":
        labels = labels.astype(np.result_type(labels.dtype, np.asarray(reject_label).dtype))
    else:
        labels = labels.copy()
    labels[rejected] = reject_label
    return labels
