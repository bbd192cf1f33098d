"""How is a fitted estimator asked about samples that lie in the blocks of Dask?

Block by block and later: of a Dask array or frame, a method that is marked gives a lazy Dask array
of what it gives for each block. The estimator goes to each worker once, as it is now: what is made
of it afterwards does not change answers that are yet to come.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted

from abstain._core.checks import InputError, shown
from abstain._scale.blocks import (
    aligned_blocks,
    array_by_block,
    is_array_or_frame,
    is_dask,
    rows_of,
)

__all__ = ["by_block", "check_samples", "refuse_dask"]

Method = TypeVar("Method", bound=Callable[..., Any])


def by_block(
    fitted: str, dtype: Callable[[Any], Any], columns: Callable[[Any], int | None] | None = None
) -> Callable[[Method], Method]:
    """Mark a method of samples that answers for each of them alone.

    Parameters
    ----------
    fitted : str
        An attribute that the estimator has when it is fitted.
    dtype : callable
        Of the fitted estimator; returns the type of the answers.
    columns : callable, default=None
        Of the fitted estimator; returns how many columns the answers have, None for a vector.

    Returns
    -------
    mark : callable
        To be put on the method.
    """

    def mark(method: Method) -> Method:
        @wraps(method)
        def answer(self: Any, X: Any) -> Any:
            if not is_dask(X):
                return method(self, X)
            check_is_fitted(self, fitted)
            return _later(self, method.__name__, X, np.dtype(dtype(self)), columns)

        return cast(Method, answer)

    return mark


def _later(
    estimator: Any,
    name: str,
    X: Any,
    dtype: np.dtype[Any],
    columns: Callable[[Any], int | None] | None,
) -> Any:
    check_samples(estimator, X)
    if name == "transform" and _becomes_a_frame(estimator):
        raise InputError(
            "transform gives Dask arrays of Dask collections, and scikit-learn would compute them "
            "to make a frame of them: call set_output(transform='default')"
        )
    n_columns = None if columns is None else columns(estimator)
    shape = () if n_columns is None else (n_columns,)
    asked = estimator._light() if hasattr(estimator, "_light") else copy(estimator)
    return array_by_block(
        _ask,
        aligned_blocks(X=X),
        _Question(asked, name, dtype, shape),
        rows=rows_of(X),
        dtype=dtype,
        columns=n_columns,
    )


def _becomes_a_frame(estimator: Any) -> bool:
    """Tell whether scikit-learn has been asked to wrap what a transformer returns."""
    asked = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    return bool((asked or get_config()["transform_output"]) != "default")


class _Question:
    """What is asked, whom, and what the answer looks like."""

    def __init__(
        self, estimator: Any, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]
    ) -> None:
        self.estimator, self.name = estimator, name
        self.dtype, self.shape = dtype, shape


def _ask(question: _Question, block: Any) -> NDArray[Any]:
    n_samples = block.shape[0]  # a sparse matrix has no length
    if not n_samples:  # of which scikit-learn would say that it needs a sample
        return np.empty((0, *question.shape), dtype=question.dtype)
    found = np.asarray(getattr(question.estimator, question.name)(block))
    fits = found.shape == (n_samples, *question.shape)
    if not fits or not np.can_cast(found.dtype, question.dtype, "safe"):
        raise InputError(
            f"{question.name} must give shape {(n_samples, *question.shape)} of "
            f"{question.dtype}, got {found.shape} of {found.dtype}; compute X first"
        )
    return found.astype(question.dtype, copy=False)


def check_samples(estimator: Any, X: Any) -> None:
    """Refuse a Dask collection that cannot hold samples in rows, as far as it tells."""
    if not is_array_or_frame(X) or X.ndim != 2:
        got = shown(X) if is_dask(X) else f"a {type(X).__name__}"
        raise InputError(f"X must be a Dask array or frame with samples in rows, got {got}")
    n_features = X.shape[1]
    expected = getattr(estimator, "n_features_in_", n_features)
    if n_features == n_features and n_features != expected:  # NaN is a number that nobody knows
        raise InputError(f"X must have the {expected} features of the fit, got {n_features}")


def refuse_dask(what: str, remedy: str, *things: Any) -> None:
    """Refuse Dask collections where what is asked of them cannot be had lazily."""
    if is_dask(*things):
        raise InputError(f"{what} takes no Dask collection; {remedy}")
