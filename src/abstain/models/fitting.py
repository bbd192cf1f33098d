"""Which parameters make the cost smallest, with all samples looked at in every step?

All parameters are packed into one vector for scipy's L-BFGS-B.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.models.costs import Blocks, Cost

__all__ = ["Fit", "Watch", "fit_lbfgs"]

Array = NDArray[Any]
# Told the number of iterations so far, the cost and the parameters, after each iteration.
Watch = Callable[[int, float, list[Array]], None]


# Steps that L-BFGS remembers: twice scipy's, which saves the soft losses a tenth of theirs.
MEMORY = 20
# Iterations in a row that must gain little: the step of one alone may be short by chance.
PATIENCE = 2


class Fit(NamedTuple):
    """Where a minimisation ended."""

    parameters: list[Array]
    cost: float
    n_iter: int
    converged: bool


def fit_lbfgs(
    cost: Cost,
    blocks: Blocks,
    start: list[Array],
    *,
    max_iter: int,
    tol: float,
    watch: Watch | None = None,
) -> Fit:
    """Minimise a cost over all its samples at once, from the given parameters.

    It ends when two iterations in a row have lowered the cost by no more than ``tol`` each, as a
    share of it (or of 1, if that is more), when no lower cost is found along the line, or after
    ``max_iter`` of them, which is the one end that has not converged.
    """
    from scipy.optimize import OptimizeResult, minimize

    dtype = start[0].dtype
    costs: list[float] = []

    def unpack(vector: Array) -> list[Array]:
        return [part.astype(dtype, copy=False) for part in _split(vector, start)]

    def evaluate(vector: Array) -> tuple[float, Array]:
        value, gradients = cost(blocks, *unpack(vector))
        return value, np.concatenate([gradient.ravel() for gradient in gradients])

    def after_iteration(intermediate_result: OptimizeResult) -> None:
        cost = float(intermediate_result.fun)
        costs.append(cost)
        if watch is not None:
            watch(len(costs), cost, unpack(intermediate_result.x.copy()))
        gains = [before - after for before, after in pairwise(costs[-1 - PATIENCE :])]
        if len(gains) == PATIENCE and max(gains) <= tol * max(abs(cost), 1):
            raise StopIteration

    found = minimize(
        evaluate,
        np.concatenate([parameter.ravel() for parameter in start]).astype(np.float64),
        jac=True,
        method="L-BFGS-B",
        callback=after_iteration,
        options={"maxiter": max_iter, "gtol": 1e-3 * tol, "ftol": 0.0, "maxcor": MEMORY},
    )
    return Fit(unpack(found.x), float(found.fun), int(found.nit), found.nit < max_iter)


def _split(vector: Array, like: list[Array]) -> Iterator[Array]:
    start = 0
    for model in like:
        yield vector[start : start + model.size].reshape(model.shape)
        start += model.size
