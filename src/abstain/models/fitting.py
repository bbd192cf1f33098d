"""What is minimised in a fit, and in which phases?"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain.models.adaptive_distances import AdaptiveDistance, FixedMetric
from abstain.models.costs import Blocks, Cost
from abstain.models.scaling import Scaling
from abstain.models.solvers import Batches, Callback, FitResult, fit_adam, fit_lbfgs

Array = NDArray[Any]

# Iterations of L-BFGS that move only the prototypes before the metric adapts, and their largest
# share of all iterations.
WARM_UP, WARM_UP_SHARE = 10, 0.25


@dataclass(frozen=True, eq=False)
class Problem:
    """What is minimised: scaled samples in blocks, the distance, and the initial parameters."""

    blocks: Blocks
    batches: Batches | None
    scaling: Scaling
    classes: Array
    prototype_classes: NDArray[np.int64]
    distance: AdaptiveDistance
    start: list[Array]
    is_warm: bool
    varies: NDArray[np.bool_]


def minimise(
    cost: Cost,
    problem: Problem,
    *,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
    callback: Callback,
) -> FitResult:
    """Minimise the cost of a problem: by Adam if it has batches, else by L-BFGS."""
    if problem.batches is not None:
        return fit_adam(
            cost,
            problem.batches,
            problem.start,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
        )
    prototypes, *metric = problem.start
    n_warm_up = 0

    def after_iteration(n_iter: int, value: float, parameters: list[Array]) -> None:
        callback(n_warm_up + n_iter, value, [*parameters, *problem.start[len(parameters) :]])

    warm_up = min(WARM_UP, int(WARM_UP_SHARE * max_iter))
    if metric and warm_up and not problem.is_warm:
        # A metric that adapts while prototypes are still close together can get stuck.
        fixed = FixedMetric(problem.distance, tuple(metric))
        (prototypes,), _, n_warm_up, _ = fit_lbfgs(
            Cost(cost.prototype_classes, fixed, cost.loss),
            problem.blocks,
            [prototypes],
            max_iter=warm_up,
            tol=tol,
            callback=after_iteration,
        )
    fit = fit_lbfgs(
        cost,
        problem.blocks,
        [prototypes, *metric],
        max_iter=max_iter - n_warm_up,
        tol=tol,
        callback=after_iteration,
    )
    return fit._replace(n_iter=n_warm_up + fit.n_iter)
