"""Which parameters make the cost smallest, with all samples looked at in every step?

All parameters are packed into one vector for scipy's L-BFGS-B.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.models.costs import Cost, LabelledBlock

__all__ = ["Fit", "Watch", "fit_lbfgs"]

Array = NDArray[Any]
# Told the number of iterations so far, the cost and the parameters, after each iteration.
Watch = Callable[[int, float, list[Array]], None]


# Steps that L-BFGS remembers: twice scipy's, which saves the soft losses a tenth of theirs.
MEMORY = 20


class Fit(NamedTuple):
    """Where a minimisation ended."""

    parameters: list[Array]
    cost: float
    n_iter: int
    converged: bool


def fit_lbfgs(
    cost: Cost,
    blocks: list[LabelledBlock],
    start: list[Array],
    *,
    max_iter: int,
    tol: float,
    watch: Watch | None = None,
) -> Fit:
    """Minimise a cost over all its samples at once, from the given parameters."""
    from scipy.optimize import OptimizeResult, minimize

    dtype, n_iter = start[0].dtype, 0

    def unpack(vector: Array) -> list[Array]:
        return [part.astype(dtype, copy=False) for part in _split(vector, start)]

    def evaluate(vector: Array) -> tuple[float, Array]:
        value, gradients = cost(blocks, *unpack(vector))
        return value, np.concatenate([gradient.ravel() for gradient in gradients])

    def after_iteration(intermediate_result: OptimizeResult) -> None:
        nonlocal n_iter
        n_iter += 1
        if watch is not None:
            watch(n_iter, float(intermediate_result.fun), unpack(intermediate_result.x.copy()))

    found = minimize(
        evaluate,
        np.concatenate([parameter.ravel() for parameter in start]).astype(np.float64),
        jac=True,
        method="L-BFGS-B",
        callback=after_iteration,
        options={"maxiter": max_iter, "gtol": 1e-3 * tol, "ftol": tol, "maxcor": MEMORY},
    )
    return Fit(unpack(found.x), float(found.fun), int(found.nit), bool(found.success))


def _split(vector: Array, like: list[Array]) -> Iterator[Array]:
    ends = np.cumsum([part.size for part in like])
    for part, model in zip(np.split(vector, ends[:-1]), like, strict=True):
        yield part.reshape(model.shape)
