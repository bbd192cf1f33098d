"""What does a model cost on all samples, as a function of its parameters?

The cost of a model is the weighted mean of its losses plus the penalty of its metric; it is a sum
over samples, so it is evaluated in blocks that fit a cache. The samples of a block are sorted by
class, and either complete or with missing values. Blocks need not be here: whoever keeps them
elsewhere has sums taken there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abstain.models.distances import Block, Pullback, make_block
from abstain.models.geometry import Geometry, normalise
from abstain.models.units import Units, row_blocks

__all__ = [
    "Blocks",
    "Cost",
    "LabelledBlock",
    "Loss",
    "Spread",
    "Sums",
    "labelled_blocks",
    "mean_distances",
]

Array = NDArray[Any]
# Distances (prototypes, samples), which prototypes are of the class of the samples, and how many
# features each sample has → loss of each sample, and its gradient by the distances.
Loss = Callable[[Array, NDArray[np.bool_], Array], tuple[Array, Array]]

# Rows of a block: its values and projections stay in a second-level cache for tens of features.
BLOCK_ROWS = 2048


class LabelledBlock(NamedTuple):
    """Samples with their weights; each part, a slice of them, belongs to one class."""

    block: Block
    weights: Array
    n_present: Array
    parts: list[tuple[int, slice]]


# Numbers and arrays, each of which adds up over blocks.
Sums = list[Any]


@runtime_checkable
class Spread(Protocol):
    """Blocks that are somewhere else."""

    def total(self, sums: Callable[[Iterable[LabelledBlock]], Sums]) -> Sums:
        """Return what a function sums up over all blocks."""
        ...


Blocks = Iterable[LabelledBlock] | Spread


def _total(blocks: Blocks, sums: Callable[[Iterable[LabelledBlock]], Sums]) -> Sums:
    return blocks.total(sums) if isinstance(blocks, Spread) else sums(blocks)


def labelled_blocks(
    samples: Array,
    labels: NDArray[np.int64],
    weights: Array,
    units: Units,
    rows: int = BLOCK_ROWS,
    dtype: Any = None,
) -> list[LabelledBlock]:
    """Cut samples, in the given units, into blocks sorted by class, those with gaps apart."""
    dtype = samples.dtype if dtype is None else dtype
    # A sum is NaN iff a value is; infinities have been refused before.
    incomplete = np.isnan(samples.sum(axis=1))
    order = np.lexsort((labels, incomplete))
    n_complete = len(order) - np.count_nonzero(incomplete)
    blocks = []
    for members in (order[:n_complete], order[n_complete:]):
        # Equal blocks, not full ones and a rest, which would take as many calls.
        n_blocks = max(1, -(-len(members) // rows))
        for chosen in row_blocks(len(members), -(-len(members) // n_blocks) or 1):
            part = members[chosen]
            block = make_block(units.apply(samples[part]).astype(dtype, copy=False))
            n_present = np.broadcast_to(samples.shape[1], len(part))
            if block.present is not None:
                n_present = block.present.sum(axis=1)
            blocks.append(
                LabelledBlock(block, weights[part].astype(dtype), n_present, _runs(labels[part]))
            )
    return blocks


def _runs(labels: NDArray[np.int64]) -> list[tuple[int, slice]]:
    """Return each label of a sorted vector, and where it stands."""
    ends = [*(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
    starts = [0, *ends[:-1]]
    return [
        (int(labels[start]), slice(start, end)) for start, end in zip(starts, ends, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Cost:
    """The cost of a model as a function of prototypes and metric."""

    owners: NDArray[np.int64]
    geometry: Geometry
    loss: Loss
    regularization: float = 0.0

    def __call__(
        self,
        blocks: Blocks,
        prototypes: Array,
        *metric: Array,
        weight: float | None = None,
    ) -> tuple[float, list[Array]]:
        """Return the cost and its gradient by each parameter, the metric at any scale.

        Losses are divided by the weight of the samples, or by one that is given: the mean weight
        of batches, so that all batches together make up the cost of all samples.
        """
        units, backs = _normalised(metric)
        sums = _total(blocks, partial(self._sums, (prototypes, *units)))
        value, own_weight, *gradients = sums
        weight = own_weight if weight is None else weight
        value /= weight
        gradients = [gradient / weight for gradient in gradients]
        if units and self.regularization:
            penalty, by_metric = self.geometry.penalty(units[0])
            value += self.regularization * penalty
            gradients[1] += self.regularization * by_metric
        pulled = [back(g)[0] for back, g in zip(backs, gradients[1:], strict=True)]
        return value, [gradients[0], *pulled]

    def value(self, blocks: Blocks, prototypes: Array, *metric: Array) -> float:
        """Return the cost alone."""
        units, _ = _normalised(metric)
        value, weight = _total(blocks, partial(self._value_sums, (prototypes, *units)))
        paid = self.regularization * self.geometry.penalty(units[0])[0] if units else 0.0
        return float(value / weight + paid)

    def _sums(self, parameters: tuple[Array, ...], blocks: Iterable[LabelledBlock]) -> Sums:
        """Return the losses, the weight and the gradients of blocks."""
        value, weight = 0.0, 0.0
        gradients = [np.zeros(parameter.shape) for parameter in parameters]
        for block in blocks:
            losses, by_distance, pullback = self._losses(block, *parameters)
            value += float(block.weights @ losses)
            weight += float(block.weights.sum())
            by_distance *= block.weights
            for total, term in zip(gradients, pullback(by_distance), strict=True):
                total += term
        return [value, weight, *gradients]

    def _value_sums(self, parameters: tuple[Array, ...], blocks: Iterable[LabelledBlock]) -> Sums:
        value, weight = 0.0, 0.0
        for block in blocks:
            value += float(block.weights @ self._losses(block, *parameters)[0])
            weight += float(block.weights.sum())
        return [value, weight]

    def _losses(self, block: LabelledBlock, *parameters: Array) -> tuple[Array, Array, Pullback]:
        distances, pullback = self.geometry.measure(block.block, *parameters)
        losses, by_distance = np.empty_like(distances[0]), np.empty_like(distances)
        for label, part in block.parts:
            losses[part], by_distance[:, part] = self.loss(
                distances[:, part], self.owners == label, block.n_present[part]
            )
        return losses, by_distance, pullback


def _normalised(metric: tuple[Array, ...]) -> tuple[tuple[Array, ...], tuple[Pullback, ...]]:
    return tuple(zip(*map(normalise, metric), strict=True)) if metric else ((), ())  # type: ignore[return-value]


def mean_distances(
    blocks: Blocks,
    owners: NDArray[np.int64],
    geometry: Geometry,
    *parameters: Array,
) -> tuple[Array, Array]:
    """Return, for each prototype, the mean distance of the samples of its class that it wins.

    The second array holds the weight of these samples, which may be 0.
    """
    sums, weights = _total(blocks, partial(_distance_sums, owners, geometry, parameters))
    means = np.zeros_like(sums)
    np.divide(sums, weights, out=means, where=weights > 0)
    return means, weights


def _distance_sums(
    owners: NDArray[np.int64],
    geometry: Geometry,
    parameters: tuple[Array, ...],
    blocks: Iterable[LabelledBlock],
) -> Sums:
    sums, weights = np.zeros(len(owners)), np.zeros(len(owners))
    for block in blocks:
        distances = geometry.measure(block.block, *parameters)[0]
        for label, part in block.parts:
            own = np.flatnonzero(owners == label)
            winners = own[distances[own, part].argmin(axis=0)]
            closest = distances[own, part].min(axis=0)
            sums += np.bincount(winners, block.weights[part] * closest, len(owners))
            weights += np.bincount(winners, block.weights[part], len(owners))
    return [sums, weights]
