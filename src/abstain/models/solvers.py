"""How is the cost of a model minimised?

**L-BFGS** looks at all samples in every iteration. All parameters are packed into one vector for
scipy's L-BFGS-B.

**Adam** takes mini-batches, for data of which one pass is too expensive for a single step. A cycle
of passes lowers the step size from its first value to 0; each cycle is twice as long as the one
before. The last cycle is the first that hardly lowers the cost, measured on the same batches after
each cycle. So the number of passes follows from the data, and is less than twice that of the last
cycle.

At first L-BFGS moves only the prototypes: a metric that adapts while prototypes are still close
together can get stuck.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from abstain.models.costs import Blocks, Cost, LabelledBlock
from abstain.models.distances import AdaptiveDistance, FixedMetric
from abstain.models.scaling import Scaling

Array = NDArray[Any]
# Called after each iteration with their number so far, the cost and the parameters.
Callback = Callable[[int, float, list[Array]], None]

# Iterations of L-BFGS that move only the prototypes before the metric adapts, and their largest
# share of all iterations.
WARM_UP, WARM_UP_SHARE = 10, 0.25
# Steps that L-BFGS remembers: twice scipy's default, which saves soft losses a tenth of theirs.
MEMORY = 20
# Iterations in a row with little gain that end L-BFGS: a single step may be short by chance.
PATIENCE = 2

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


class FitResult(NamedTuple):
    """The end of a minimisation."""

    parameters: list[Array]
    cost: float
    n_iter: int
    converged: bool


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
    prototypes, *metric = problem.start
    n_warm_up = 0

    def after_iteration(n_iter: int, value: float, parameters: list[Array]) -> None:
        callback(n_warm_up + n_iter, value, [*parameters, *problem.start[len(parameters) :]])

    warm_up = min(WARM_UP, int(WARM_UP_SHARE * max_iter))
    if metric and warm_up and not problem.is_warm:
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


def fit_lbfgs(
    cost: Cost,
    blocks: Blocks,
    start: list[Array],
    *,
    max_iter: int,
    tol: float,
    callback: Callback | None = None,
) -> FitResult:
    """Minimise a cost over all samples at once.

    It ends when two iterations in a row each lower the cost by no more than ``tol``, relative to
    max(cost, 1), when the line search finds no lower cost, or after ``max_iter`` iterations, which
    counts as not converged.
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
        if callback is not None:
            callback(len(costs), cost, unpack(intermediate_result.x.copy()))
        gains = [before - after for before, after in pairwise(costs[-1 - PATIENCE :])]
        if len(gains) == PATIENCE and max(gains) <= tol * max(abs(cost), 1):
            raise StopIteration

    result = minimize(
        evaluate,
        np.concatenate([parameter.ravel() for parameter in start]).astype(np.float64),
        jac=True,
        method="L-BFGS-B",
        callback=after_iteration,
        options={"maxiter": max_iter, "gtol": 1e-3 * tol, "ftol": 0.0, "maxcor": MEMORY},
    )
    return FitResult(unpack(result.x), float(result.fun), int(result.nit), result.nit < max_iter)


def _split(vector: Array, like: list[Array]) -> Iterator[Array]:
    """Yield the parts of a vector in the shapes of other arrays."""
    start = 0
    for array in like:
        yield vector[start : start + array.size].reshape(array.shape)
        start += array.size


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
