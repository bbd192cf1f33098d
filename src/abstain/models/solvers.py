"""How is the cost of a model minimised?

**L-BFGS** (`lbfgs`) looks at all samples in every iteration.

**Adam** takes mini-batches, for data of which one pass is too expensive for a single step. A cycle
of passes lowers the step size from its first value to 0; each cycle is twice as long as the one
before. The last cycle is the first that hardly lowers the cost, measured on the same batches after
each cycle. So the number of passes follows from the data, and is less than twice that of the last
cycle.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from abstain.models.costs import Blocks, Cost, LabelledBlock, within_class_covariance
from abstain.models.distances import AdaptiveDistance
from abstain.models.lbfgs import Callback, FitResult, fit_lbfgs
from abstain.models.scaling import Scaling

Array = NDArray[Any]

# The largest share of all iterations that move only the prototypes.
WARM_UP_SHARE = 0.25
# L-BFGS takes the covariance of samples into account for at most so many features: with more, the
# products with its root would take a good part of the time.
MOST_FEATURES = 100
# The variance added in all directions, relative to the mean over directions.
RIDGE = 0.1
# Adam's steps are far noisier than the rounding of single precision, which is twice as fast.
PRECISION = np.float32
# Adam's first step size, relative to the size of a parameter.
STEP = 0.1
# Decay rates of Adam's running means of gradients and of their squares.
DECAY = (0.9, 0.99)
# Adam ends when a cycle lowers the cost by no more than this many times the tolerance.
GAIN = 100
# Batches on which Adam compares cycles: enough for differences of a thousandth.
COMPARED = 64


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
    # Iterations of L-BFGS that move only the prototypes before the metric adapts.
    warm_up: int = 0
    # Whether L-BFGS then takes the covariance of samples into account.
    by_covariance: bool = False


def minimise(
    cost: Cost,
    problem: Problem,
    *,
    max_iter: int,
    tol: float,
    random_state: RandomState,
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
    n_warm_up, fixed = 0, len(problem.start) - 1
    warm_up, start = min(problem.warm_up, int(WARM_UP_SHARE * max_iter)), problem.start
    if warm_up and fixed:
        start, _, n_warm_up, _ = fit_lbfgs(
            cost, problem.blocks, start, fixed=fixed, max_iter=warm_up, tol=tol, callback=callback
        )
    fit = fit_lbfgs(
        cost,
        problem.blocks,
        start,
        max_iter=max_iter - n_warm_up,
        tol=tol,
        spread=_spread(problem),
        callback=lambda n_iter, *reached: callback(n_warm_up + n_iter, *reached),
    )
    return fit._replace(n_iter=n_warm_up + fit.n_iter)


def _spread(problem: Problem) -> Array | None:
    """Return a root of the covariance of samples within classes, where L-BFGS is to have one."""
    prototypes, *metric = problem.start
    has_matrix = bool(metric) and metric[0].ndim > 1
    if not (problem.by_covariance and has_matrix and prototypes.shape[1] <= MOST_FEATURES):
        return None
    covariance = within_class_covariance(problem.blocks, problem.prototype_classes, prototypes)
    if not covariance.trace() > 0:
        return None
    covariance /= covariance.trace() / len(covariance)
    covariance[np.diag_indices_from(covariance)] += RIDGE
    return np.asarray(np.linalg.cholesky(covariance / (1 + RIDGE)))


def batch_rows(n_samples: int) -> int:
    """Return the number of rows per batch: hundreds of steps per pass, large enough to be fast."""
    return int(np.clip(n_samples // 256, 256, 4096))


class Batches(Protocol):
    """Mini-batches, in memory or elsewhere."""

    def blocks(self) -> Blocks:
        """Return the blocks of all batches."""
        ...

    def compared_blocks(self) -> Blocks:
        """Return the blocks on which cycles are compared."""
        ...

    def __len__(self) -> int:
        """Return the number of batches."""
        ...

    def run_epoch(
        self, state: AdamState, cost: Cost, shares: Sequence[float], random_state: RandomState
    ) -> AdamState:
        """Take one step per batch, in random order, of the given shares of the first step size."""
        ...


class ArrayBatches:
    """Mini-batches in memory."""

    def __init__(self, batches: list[list[LabelledBlock]]) -> None:
        self._batches = batches
        # Divided by its own weight, a batch of little weight would count as much as any other.
        total = sum(float(block.weights.sum()) for block in self.blocks())
        self._mean_weight = total / len(batches)

    def blocks(self) -> list[LabelledBlock]:
        """Return the blocks of all batches."""
        return list(chain.from_iterable(self._batches))

    def compared_blocks(self) -> list[LabelledBlock]:
        """Return the blocks of the first batches."""
        return list(chain.from_iterable(self._batches[:COMPARED]))

    def __len__(self) -> int:
        return len(self._batches)

    def run_epoch(
        self, state: AdamState, cost: Cost, shares: Sequence[float], random_state: RandomState
    ) -> AdamState:
        """Take one step per batch, in random order, of the given shares of the first step size."""
        order = random_state.permutation(len(self))
        for index, share in zip(order, shares, strict=True):
            state.step(cost, self._batches[index], share, self._mean_weight)
        return state


def fit_adam(
    cost: Cost,
    batches: Batches,
    start: list[Array],
    *,
    max_iter: int,
    tol: float,
    random_state: RandomState,
    callback: Callback | None = None,
) -> FitResult:
    """Minimise a cost in mini-batches; an iteration is a pass over all of them."""
    state, compared, n_batches = AdamState(start), batches.compared_blocks(), len(batches)
    value, n_iter, cycle = np.inf, 0, 1
    while n_iter < max_iter:
        before, cycle = value, min(cycle, max_iter - n_iter)
        for index in range(cycle):
            shares = [1 - (index + step / n_batches) / cycle for step in range(n_batches)]
            state.total_cost = 0.0
            state = batches.run_epoch(state, cost, shares, random_state)
            n_iter += 1
            if callback is not None:
                parameters = [parameter.copy() for parameter in state.parameters]
                callback(n_iter, state.total_cost / n_batches, parameters)
        value = cost.value(compared, *_rounded(state.parameters))
        if before - value <= GAIN * tol * max(abs(value), 1):
            return FitResult(state.parameters, value, n_iter, True)
        cycle *= 2
    return FitResult(state.parameters, value, n_iter, False)


class AdamState:
    """The parameters, what Adam remembers of their gradients, and the sum of the batch costs."""

    def __init__(self, start: list[Array]) -> None:
        self.parameters = [parameter.copy() for parameter in start]
        self.sizes = [STEP * float(np.sqrt(np.mean(part**2))) or STEP for part in self.parameters]
        self.moments = [Moments(parameter) for parameter in self.parameters]
        self.total_cost = 0.0

    def step(self, cost: Cost, batch: list[LabelledBlock], share: float, weight: float) -> None:
        """Update the parameters on one batch, whose losses are divided by the mean batch weight."""
        batch_cost, gradients = cost(batch, *_rounded(self.parameters), weight=weight)
        self.total_cost += batch_cost
        for parameter, size, moment, gradient in zip(
            self.parameters, self.sizes, self.moments, gradients, strict=True
        ):
            parameter -= size * share * moment.direction(gradient)


def _rounded(parameters: list[Array]) -> list[Array]:
    return [parameter.astype(PRECISION, copy=False) for parameter in parameters]


class Moments:
    """Running means of a gradient and of its square."""

    def __init__(self, like: Array) -> None:
        self.mean, self.square = np.zeros_like(like), np.zeros_like(like)
        self.weights = np.zeros(2)

    def direction(self, gradient: Array) -> Array:
        """Update the means with a gradient, and return the step in units of the step size."""
        rates = 1 - np.array(DECAY)
        self.mean += rates[0] * (gradient - self.mean)
        self.square += rates[1] * (gradient**2 - self.square)
        self.weights += rates * (1 - self.weights)
        size = np.sqrt(self.square / self.weights[1])
        # Parameters without any gradient so far stay.
        return np.asarray(self.mean / self.weights[0] / np.where(size > 0, size, 1))
