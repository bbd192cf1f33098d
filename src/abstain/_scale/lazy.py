"""How does a fitted estimator answer for samples in the blocks of a Dask collection?

Lazily: a decorated method returns, for a Dask array or frame, a Dask array of its results for each
block. The estimator goes to each worker once, as it is now: a later fit does not change results
that are yet to be computed.
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

from abstain._core.errors import InputError
from abstain._scale.blocks import aligned_blocks, check_samples, is_dask, row_chunks
from abstain._scale.graphs import map_blocks_to_array

Method = TypeVar("Method", bound=Callable[..., Any])


def lazy_on_dask(
    fitted: str, dtype: Callable[[Any], Any], columns: Callable[[Any], int | None] | None = None
) -> Callable[[Method], Method]:
    """Decorate a method of samples whose result for a sample depends on that sample alone.

    An estimator with the attribute `fitted` is fitted. `dtype` and `columns` are functions of the
    fitted estimator that return the type of the results and how many columns they have, None for a
    vector.
    """

    def decorate(method: Method) -> Method:
        @wraps(method)
        def answer(self: Any, X: Any) -> Any:
            if not is_dask(X):
                return method(self, X)
            check_is_fitted(self, fitted)
            n_columns = None if columns is None else columns(self)
            return _lazy_result(self, method.__name__, X, np.dtype(dtype(self)), n_columns)

        return cast(Method, answer)

    return decorate


def _lazy_result(
    estimator: Any, name: str, X: Any, dtype: np.dtype[Any], n_columns: int | None
) -> Any:
    check_samples(estimator, X)
    if name == "transform" and _returns_frame(estimator):
        raise InputError(
            "transform gives Dask arrays of Dask collections, and scikit-learn would compute them "
            "to make a frame of them: call set_output(transform='default')"
        )
    shape = () if n_columns is None else (n_columns,)
    snapshot = estimator._light() if hasattr(estimator, "_light") else copy(estimator)
    return map_blocks_to_array(
        _answer,
        aligned_blocks(X=X),
        snapshot,
        name,
        dtype,
        shape,
        chunks=row_chunks(X),
        dtype=dtype,
        n_columns=n_columns,
    )


def _returns_frame(estimator: Any) -> bool:
    """Return whether scikit-learn wraps the result of a transformer in a frame."""
    output = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    return bool((output or get_config()["transform_output"]) != "default")


def _answer(
    estimator: Any, method: str, dtype: np.dtype[Any], shape_of_one: tuple[int, ...], block: Any
) -> NDArray[Any]:
    shape = (block.shape[0], *shape_of_one)  # a sparse matrix has no length
    if not shape[0]:  # scikit-learn would ask for at least one sample
        return np.empty(shape, dtype=dtype)
    result = np.asarray(getattr(estimator, method)(block))
    if result.shape != shape or not np.can_cast(result.dtype, dtype, "safe"):
        raise InputError(
            f"{method} must give shape {shape} of {dtype}, got {result.shape} of "
            f"{result.dtype}; compute X first"
        )
    return result.astype(dtype, copy=False)
