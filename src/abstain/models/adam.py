"""Which parameters make the cost small, with a few samples looked at in every step?

Adam in mini-batches, for data of which one pass is too dear to be spent on a single step. A cycle
of passes lowers the step size from its first value to nothing; each cycle is twice as long as the
one before, and the last is the one that hardly lowers the cost any more. So the number of passes
follows from the data, and all of them are less than twice the last cycle. The cost is compared on
the same batches after each cycle.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain.models.costs import Cost, LabelledBlock
from abstain.models.fitting import Fit, Watch

__all__ = ["PRECISION", "batch_rows", "fit_adam"]

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


def fit_adam(
    cost: Cost,
    batches: list[list[LabelledBlock]],
    start: list[Array],
    *,
    max_iter: int,
    tol: float,
    random_state: np.random.RandomState,
    watch: Watch | None = None,
) -> Fit:
    """Minimise a cost in mini-batches; an iteration is a pass over all of them."""
    parameters = [parameter.copy() for parameter in start]
    sizes = [STEP * float(np.sqrt(np.mean(parameter**2))) or STEP for parameter in parameters]
    moments = [Moments(parameter) for parameter in parameters]
    compared = [block for batch in batches[:COMPARED] for block in batch]
    # Divided by its own weight, a batch of little weight would count as much as any other.
    weight = sum(float(block.weights.sum()) for batch in batches for block in batch) / len(batches)
    value, n_iter, cycle = np.inf, 0, 1
    while n_iter < max_iter:
        before, cycle = value, min(cycle, max_iter - n_iter)
        for index in range(cycle):
            total = 0.0
            for step, chosen in enumerate(random_state.permutation(len(batches))):
                left = 1 - (index + step / len(batches)) / cycle
                of_batch, gradients = cost(batches[chosen], *_rounded(parameters), weight=weight)
                total += of_batch
                for parameter, size, moment, gradient in zip(
                    parameters, sizes, moments, gradients, strict=True
                ):
                    parameter -= size * left * moment.direction(gradient)
            n_iter += 1
            if watch is not None:
                watch(n_iter, total / len(batches), [part.copy() for part in parameters])
        value = cost.value(compared, *_rounded(parameters))
        if before - value <= GAIN * tol * max(abs(value), 1):
            return Fit(parameters, value, n_iter, True)
        cycle *= 2
    return Fit(parameters, value, n_iter, False)


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
