"""Which samples are judged: whether their labels can be compared, and what each one weighs."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._checks import (
    InputError,
    as_labels,
    check_real_vector,
    check_same_length,
    is_missing,
    shown,
)

__all__ = ["check_samples"]

_KINDS_OF_LABELS = {
    **dict.fromkeys("biufc", "numbers"),
    **dict.fromkeys("UT", "text"),
    "S": "bytes",
    "M": "dates",
}


def check_samples(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    sample_weight: ArrayLike | None,
    **aligned: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return labels, predictions and weights; ``aligned`` is only compared in length."""
    labels, predictions = _check_labels("y_true", y_true), _check_labels("y_pred", y_pred)
    weights = None if sample_weight is None else _check_weights(sample_weight)
    check_same_length(y_true=labels, y_pred=predictions, **aligned, sample_weight=weights)
    _check_comparable(labels, predictions)
    return labels, predictions, np.ones(len(labels)) if weights is None else weights


def _check_labels(name: str, values: ArrayLike) -> NDArray[Any]:
    array = as_labels(name, values)
    missing = _is_missing(array)
    if missing.any():
        where = int(missing.argmax())
        raise InputError(f"{name} must hold no missing value, got {array[where]} at index {where}")
    return array


def _is_missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    if array.dtype.kind == "O":
        return np.fromiter(map(is_missing, array), dtype=np.bool_, count=len(array))
    # NaN and NaT alone differ from themselves.
    return np.asarray(array != array, dtype=np.bool_)


def _check_comparable(labels: NDArray[Any], predictions: NDArray[Any]) -> None:
    """Refuse labels of two kinds: they are never equal, so all answers would pass for wrong."""
    kinds = [_KINDS_OF_LABELS.get(array.dtype.kind) for array in (labels, predictions)]
    if None not in kinds and kinds[0] != kinds[1]:
        raise InputError(
            "y_true and y_pred must hold labels of one kind, "
            f"got {kinds[0]} ({shown(labels[:1].tolist()[0])}) and {kinds[1]} "
            f"({shown(predictions[:1].tolist()[0])})"
        )


def _check_weights(sample_weight: ArrayLike) -> NDArray[np.float64]:
    weights = check_real_vector("sample_weight", sample_weight)
    strange = ~(np.isfinite(weights) & (weights >= 0))
    if strange.any():
        where = int(strange.argmax())
        raise InputError(
            "sample_weight must be finite and not negative, "
            f"got {float(weights[where])} at index {where}"
        )
    heaviest = weights.max()
    if heaviest == 0:
        raise InputError("sample_weight must hold at least one positive weight, got only zeros")
    # Only ratios of weights matter. Dividing by a power of two is exact, and keeps sums of huge
    # weights finite and products of tiny ones above zero.
    return np.asarray(np.ldexp(weights, -np.frexp(heaviest)[1]), dtype=np.float64)
