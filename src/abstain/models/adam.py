"""Which parameters make the cost small, with a few samples looked at in every step?

Adam in mini-batches, for data of which one pass is too dear to be spent on a single step. A cycle
of passes lowers the step size from its first value to nothing; each cycle is twice as long as the
one before, and the last is the one that hardly lowers the cost any more. So the number of passes
follows from the data, and all of them are less than twice the last cycle. The cost is compared on
the same batches after each cycle.

A pass goes from batch to batch with a walker, who knows the parameters and all that Adam remembers:
where batches are elsewhere, the walker goes there.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abstain.models.costs import Blocks, Cost, LabelledBlock
from abstain.models.fitting import Fit, Watch

__all__ = ["PRECISION", "Batches", "BatchesHere", "Walker", "batch_rows", "fit_adam"]

Array = NDArray[Any]

# Steps are far noisier than the rounding of single precision, which is twice as fast.
PRECISION = np.float32
# The first step, as a share of the size of a parameter.
STEP = 0.1
# How fast Adam forgets gradients and their squares.
DECAY = (0.9, 0.99)
# A cycle must lower the cost by so many times the tolerance, for another one to be worth it.
GAIN = 100
# Batches on which cycles are compared: enough for differences of a thousandth.
COMPARED = 64


def batch_rows(n_samples: int) -> int:
    """Return how many rows a batch has: hundreds of steps a pass, of a size worth the call."""
    return int(np.clip(n_samples // 256, 256, 4096))


class Batches(Protocol):
    """Mini-batches, wherever they are."""

    def blocks(self) -> Blocks:
        """Return the blocks of all batches."""
        ...

    def compared(self) -> Blocks:
        """Return those on which cycles are compared."""
        ...

    def __len__(self) -> int:
        """Return how many batches there are."""
        ...

    def visit(
        self,
        walker: Walker,
        cost: Cost,
        shares: Sequence[float],
        random_state: np.random.RandomState,
    ) -> Walker:
        """Take a walker to all batches, in random order; each step has its share of the first."""
        ...


class BatchesHere:
    """Mini-batches in memory."""

    def __init__(self, batches: list[list[LabelledBlock]]) -> None:
        self._batches = batches
        # Divided by its own weight, a batch of little weight would count as much as any other.
        total = sum(float(block.weights.sum()) for block in self.blocks())
        self._mean_weight = total / len(batches)

    def blocks(self) -> list[LabelledBlock]:
        """Return the blocks of all batches."""
        return list(chain.from_iterable(self._batches))

    def compared(self) -> list[LabelledBlock]:
        """Return the blocks of the first batches."""
        return list(chain.from_iterable(self._batches[:COMPARED]))

    def __len__(self) -> int:
        return len(self._batches)

    def visit(
        self,
        walker: Walker,
        cost: Cost,
        shares: Sequence[float],
        random_state: np.random.RandomState,
    ) -> Walker:
        """Take a walker to all batches, in random order; each step has its share of the first."""
        order = random_state.permutation(len(self))
        return walker.walk(cost, (self._batches[i] for i in order), shares, self._mean_weight)


def fit_adam(
    cost: Cost,
    batches: Batches,
    start: list[Array],
    *,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
    watch: Watch | None = None,
) -> Fit:
    """Minimise a cost in mini-batches; an iteration is a pass over all of them."""
    walker, compared, n_batches = Walker(start), batches.compared(), len(batches)
    value, n_iter, cycle = np.inf, 0, 1
    while n_iter < max_iter:
        before, cycle = value, min(cycle, max_iter - n_iter)
        for index in range(cycle):
            shares = [1 - (index + step / n_batches) / cycle for step in range(n_batches)]
            walker.total = 0.0
            walker = batches.visit(walker, cost, shares, random_state)
            n_iter += 1
            if watch is not None:
                watch(n_iter, walker.total / n_batches, [part.copy() for part in walker.parameters])
        value = cost.value(compared, *_rounded(walker.parameters))
        if before - value <= GAIN * tol * max(abs(value), 1):
            return Fit(walker.parameters, value, n_iter, True)
        cycle *= 2
    return Fit(walker.parameters, value, n_iter, False)


class Walker:
    """Where Adam stands, what it remembers, and the costs that it has met on its way."""

    def __init__(self, start: list[Array]) -> None:
        self.parameters = [parameter.copy() for parameter in start]
        self.sizes = [STEP * float(np.sqrt(np.mean(part**2))) or STEP for part in self.parameters]
        self.moments = [Moments(parameter) for parameter in self.parameters]
        self.total = 0.0

    def walk(
        self,
        cost: Cost,
        batches: Iterable[list[LabelledBlock]],
        shares: Sequence[float],
        weight: float,
    ) -> Walker:
        """Go from batch to batch; the losses of each are divided by the weight of one on average.

        The walker itself has moved on then, and is returned.
        """
        for batch, share in zip(batches, shares, strict=True):
            of_batch, gradients = cost(batch, *_rounded(self.parameters), weight=weight)
            self.total += of_batch
            for parameter, size, moment, gradient in zip(
                self.parameters, self.sizes, self.moments, gradients, strict=True
            ):
                parameter -= size * share * moment.direction(gradient)
        return self


def _rounded(parameters: list[Array]) -> list[Array]:
    return [parameter.astype(PRECISION, copy=False) for parameter in parameters]


class Moments:
    """Running means of a gradient and of its square."""

    def __init__(self, like: Array) -> None:
        self.mean, self.square = np.zeros_like(like), np.zeros_like(like)
        self.weights = np.zeros(2)

    def direction(self, gradient: Array) -> Array:
        """Take a gradient in, and return where to go, in units of the step size."""
        news = 1 - np.array(DECAY)
        self.mean += news[0] * (gradient - self.mean)
        self.square += news[1] * (gradient**2 - self.square)
        self.weights += news * (1 - self.weights)
        size = np.sqrt(self.square / self.weights[1])
        # Where no gradient has ever been, there is nowhere to go.
        return np.asarray(self.mean / self.weights[0] / np.where(size > 0, size, 1))
