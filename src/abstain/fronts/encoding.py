"""Which column of the front is which cell?

Cells are named by any integers or labels, sparse or huge; inside, they are small codes 0, 1, …
in the sorted order of the labels.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import InputError, as_labels, check_same_length, is_missing

__all__ = ["encode_cells", "smallest_unsigned"]


def encode_cells(
    cells: ArrayLike | None, n_samples: int
) -> tuple[NDArray[Any], NDArray[np.unsignedinteger[Any]]]:
    """Return the sorted distinct labels and, for every sample, the index of its label.

    ``None`` is one global cell, labelled 0.
    """
    if cells is None:
        return np.zeros(1, dtype=np.int64), np.zeros(n_samples, dtype=np.uint8)
    labels = as_labels("cells", cells)
    check_same_length(certainty=range(n_samples), cells=labels)
    labels = _whole_labels(labels)
    if labels.dtype.kind in "iu":
        narrow = _encode_narrow_integers(labels)
        if narrow is not None:
            return narrow
    try:
        distinct, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:  # labels of kinds that have no common order
        raise InputError(f"cells must be labels of one kind, got a mixture ({error})") from None
    return distinct, codes.astype(smallest_unsigned(len(distinct)))


def _encode_narrow_integers(
    labels: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[np.unsignedinteger[Any]]] | None:
    """Count instead of sort, where the integers span a range no wider than there are samples."""
    low, high = int(labels.min()), int(labels.max())
    span = high - low + 1
    if span > max(len(labels), 1 << 16):
        return None
    codes = (labels - labels.dtype.type(low)).astype(smallest_unsigned(span))
    used = np.flatnonzero(np.bincount(codes, minlength=span))
    if len(used) < span:
        rank = np.zeros(span, dtype=smallest_unsigned(len(used)))
        rank[used] = np.arange(len(used))
        codes = rank[codes]
    # Through Python integers, so that neither int8 nor uint64 labels wrap around.
    return np.array([low + code for code in used.tolist()], dtype=labels.dtype), codes


def smallest_unsigned(n_values: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest type for codes below ``n_values``: NumPy sorts 16 bits by radix."""
    if n_values <= 1 << 8:
        return np.uint8
    return np.uint16 if n_values <= 1 << 16 else np.uint32


def _whole_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Refuse missing and fractional labels; whole floats become integers."""
    if labels.dtype.kind == "f":
        fractional = ~np.isfinite(labels) | (labels != np.floor(labels))
        if fractional.any():
            where = int(fractional.argmax())
            value = float(labels[where])
            wrong = "hold no missing value" if np.isnan(value) else "be integers or labels"
            raise InputError(f"cells must {wrong}, got {value} at index {where}")
        if np.abs(labels).max() < 2.0**63:
            return labels.astype(np.int64)
    elif labels.dtype.kind == "O":
        for where, label in enumerate(labels.tolist()):
            if is_missing(label):
                raise InputError(f"cells must hold no missing value, got {label} at index {where}")
            if isinstance(label, float) and not label.is_integer():
                raise InputError(f"cells must be integers or labels, got {label} at index {where}")
    elif labels.dtype.kind not in "biuUS":
        raise InputError(f"cells must be integers or labels, got values of type {labels.dtype}")
    return labels
