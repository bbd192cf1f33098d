"""How does L-BFGS minimise a cost of all samples?

All parameters are one vector. An iteration is *search × descent*: the last steps and the changes of
the gradient along them give a direction, a line search the length of the step. scipy's L-BFGS-B
takes as many iterations, but up to a third more time where there are many parameters.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.models.costs import Blocks, Cost

Array = NDArray[Any]
# Called after each iteration with their number so far, the cost and the parameters.
Callback = Callable[[int, float, list[Array]], None]

# Steps that L-BFGS remembers.
MEMORY = 20
# The length of its first step, and how often a line search evaluates the cost.
FIRST_STEP, MAX_TRIALS = 1.0, 20
# Wolfe's conditions: the share of the promised decrease, and the largest share of the slope left.
SUFFICIENT_DECREASE, SLOPE_LEFT = 1e-4, 0.9
# Iterations in a row with little gain that end L-BFGS: a single step may be short by chance.
PATIENCE = 2


class FitResult(NamedTuple):
    """The end of a minimisation."""

    parameters: list[Array]
    cost: float
    n_iter: int
    converged: bool


class Point(NamedTuple):
    """Parameters as one vector, the cost there, and its gradient; the parameters themselves."""

    vector: Array
    cost: float
    gradient: Array
    parameters: list[Array]


def fit_lbfgs(
    cost: Cost,
    blocks: Blocks,
    start: list[Array],
    *,
    max_iter: int,
    tol: float,
    fixed: int = 0,
    spread: Array | None = None,
    callback: Callback | None = None,
) -> FitResult:
    """Minimise a cost over all samples at once; the last so many parameters stay fixed.

    With a root L of the covariance of samples, their ``spread``, the vector holds ΩL in place of
    the metric Ω, the last parameter: that measures samples which spread alike in all directions, so
    that none of its entries matters far more than others.

    It ends when two iterations in a row each lower the cost by no more than ``tol``, relative to
    max(cost, 1), when the line search finds no lower cost, or after ``max_iter`` iterations, which
    counts as not converged.
    """
    to_metric = None if spread is None else np.linalg.inv(spread).astype(start[-1].dtype)

    def evaluate(vector: Array) -> Point:
        parameters = list(_split(vector, start))
        if to_metric is not None:
            parameters[-1] = parameters[-1] @ to_metric
        value, gradients = cost(blocks, *parameters)
        for gradient in gradients[len(start) - fixed :]:
            gradient[...] = 0  # what has no gradient never moves
        if to_metric is not None:
            gradients[-1] = gradients[-1].astype(to_metric.dtype, copy=False) @ to_metric.T
        gradient = np.concatenate([part.ravel() for part in gradients])
        return Point(vector, value, gradient, parameters)

    parts = start if spread is None else [*start[:-1], start[-1] @ spread]
    point = evaluate(np.concatenate([part.ravel() for part in parts]).astype(np.float64))
    memory, gains, n_iter = Memory(point.vector.size), [np.inf] * PATIENCE, 0
    while n_iter < max_iter and np.abs(point.gradient).max() > 1e-3 * tol:
        before, point = point, descend(evaluate, point, memory)
        if point is before:
            break
        n_iter += 1
        if callback is not None:
            callback(n_iter, point.cost, point.parameters)
        gains = [*gains[1:], before.cost - point.cost]
        if max(gains) <= tol * max(abs(point.cost), 1):
            break
    return FitResult(point.parameters, point.cost, n_iter, n_iter < max_iter)


def descend(evaluate: Callable[[Array], Point], point: Point, memory: Memory) -> Point:
    """Take one step of L-BFGS, or of steepest descent if that fails; return the end of the step."""
    for _ in range(2):
        direction = memory.direction(point.gradient)
        # Without any memory, nothing is known about the length of a step.
        length = 1.0 if len(memory) else FIRST_STEP / np.sqrt(direction @ direction)
        end = search(evaluate, point, direction, length)
        if end is not point:
            memory.add(end.vector - point.vector, end.gradient - point.gradient)
            return end
        memory.clear()
    return point


def search(
    evaluate: Callable[[Array], Point], start: Point, direction: Array, length: float
) -> Point:
    """Return a point along a direction that meets Wolfe's conditions, or the start.

    The cost must fall by a share of what the slope promises, and most of the slope must be gone.
    Lengths that are too short and too long enclose the next one, the minimum of a cubic.
    """
    slope = float(direction @ start.gradient)
    short, long = (0.0, start.cost, slope), None
    for _ in range(MAX_TRIALS if slope < 0 else 0):
        end = evaluate(start.vector + length * direction)
        trial = length, end.cost, float(direction @ end.gradient)
        if not end.cost <= start.cost + SUFFICIENT_DECREASE * length * slope:
            long = trial
        elif trial[2] < SLOPE_LEFT * slope:
            short = trial
        else:
            return end
        length = 2 * length if long is None else _between(short, long)
    return start


def _between(low: tuple[float, float, float], high: tuple[float, float, float]) -> float:
    """Return the minimum of the cubic with the values and slopes of two ends, not close to one."""
    (a, value_a, slope_a), (b, value_b, slope_b) = low, high
    mean = slope_a + slope_b - 3 * (value_b - value_a) / (b - a)
    root = np.sqrt(max(mean**2 - slope_a * slope_b, 0.0))
    share = (slope_b + root - mean) / (slope_b - slope_a + 2 * root)
    return float(b - (b - a) * (np.clip(share, 0.1, 0.9) if np.isfinite(share) else 0.5))


class Memory:
    """The last steps s and the changes y of the gradient along them.

    With S and Y as columns, R the upper triangle of SᵀY, D its diagonal, and γ = sᵀy / yᵀy of the
    last step, L-BFGS approximates the inverse Hessian by (Byrd, Nocedal and Schnabel 1994)

        H = γ I + S R⁻ᵀ (D + γ YᵀY) R⁻¹ Sᵀ − γ S R⁻ᵀ Yᵀ − γ Y R⁻¹ Sᵀ.
    """

    def __init__(self, n_parameters: int) -> None:
        # Steps and changes, the oldest first; rows before and after those known are unused.
        self._pairs, self._end = np.empty((2, 2 * MEMORY, n_parameters)), 0
        self.clear()

    def clear(self) -> None:
        """Forget all steps."""
        # R⁻¹ and YᵀY.
        self._inverse = self._squares = np.empty((0, 0))

    def __len__(self) -> int:
        return len(self._inverse)

    def add(self, step: Array, change: Array) -> None:
        """Remember a step, if the cost is convex along it; forget the oldest of too many."""
        curvature = step @ change
        if curvature <= np.finfo(np.float64).eps * (change @ change):
            return
        if len(self) == MEMORY:
            self._inverse, self._squares = self._inverse[1:, 1:], self._squares[1:, 1:]
        known = len(self)
        if self._end == 2 * MEMORY:
            self._pairs[:, :known] = self._pairs[:, self._end - known :]
            self._end = known
        self._pairs[:, self._end] = step, change
        self._end += 1
        by_steps, by_changes = self._pairs[:, self._end - known - 1 : self._end] @ change
        self._inverse = _bordered(self._inverse)
        self._inverse[:, -1] = -self._inverse @ by_steps / curvature
        self._inverse[-1, -1] = 1 / curvature
        self._squares = _bordered(self._squares)
        self._squares[-1] = self._squares[:, -1] = by_changes

    def direction(self, gradient: Array) -> Array:
        """Return −H times the gradient."""
        if not len(self):
            return -gradient
        steps, changes = self._pairs[:, self._end - len(self) : self._end]
        curvatures = 1 / self._inverse.diagonal()
        scale = curvatures[-1] / self._squares[-1, -1]
        inner = self._inverse @ (steps @ gradient)
        outer = curvatures * inner + scale * (self._squares @ inner - changes @ gradient)
        along = scale * (inner @ changes - gradient) - (outer @ self._inverse) @ steps
        return np.asarray(along)


def _bordered(matrix: Array) -> Array:
    """Return a square matrix with another row and column of zeros."""
    larger = np.zeros((len(matrix) + 1, len(matrix) + 1))
    larger[:-1, :-1] = matrix
    return larger


def _split(vector: Array, like: list[Array]) -> Iterator[Array]:
    """Yield the parts of a vector in the shapes and types of other arrays."""
    start = 0
    for array in like:
        part = vector[start : start + array.size].reshape(array.shape)
        yield part.astype(array.dtype, copy=False)
        start += array.size
