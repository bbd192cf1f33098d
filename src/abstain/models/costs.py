"""What does a model cost on all samples, as a function of its parameters?

The cost of a model is the weighted mean of its losses plus the penalty of its metric; it is a sum
over samples, so it is evaluated in blocks that fit a cache. The samples of a block are sorted by
class, and either all complete or all with missing values. Blocks may be on other machines if sums
over them can be computed there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from abstain.models.distances import AdaptiveDistance, Pullback, SampleBlock, make_block, normalise
from abstain.models.scaling import Scaling, row_slices

Array = NDArray[Any]
# For the samples of each slice, the prototypes of their class.
Own = list[tuple[NDArray[np.int64], slice]]
# Distances (prototypes, samples), prototypes of the own class, the number of features present in
# each sample → the loss of each sample, its gradient by the distances.
Loss = Callable[[Array, Own, Array], tuple[Array, Array]]

# Rows of a block: so many that calls take little of the time.
BLOCK_ROWS = 4096


class LabelledBlock(NamedTuple):
    """Samples with their weights; each part is a class and the slice of its samples."""

    block: SampleBlock
    weights: Array
    n_present: Array
    parts: list[tuple[int, slice]]


# Numbers and arrays that add up over blocks.
Sums = list[Any]


@runtime_checkable
class RemoteBlocks(Protocol):
    """Blocks that are not in memory."""

    def total(self, sums: Callable[[Iterable[LabelledBlock]], Sums]) -> Sums:
        """Return the sums that a function computes over all blocks."""
        ...


Blocks = Iterable[LabelledBlock] | RemoteBlocks


def _total(blocks: Blocks, sums: Callable[[Iterable[LabelledBlock]], Sums]) -> Sums:
    # Many times faster than to check for the protocol.
    total = getattr(blocks, "total", None)
    return sums(blocks) if total is None else total(sums)  # type: ignore[arg-type]


def labelled_blocks(
    samples: Array,
    labels: NDArray[np.int64],
    weights: Array,
    scaling: Scaling,
    rows: int = BLOCK_ROWS,
    dtype: Any = None,
) -> list[LabelledBlock]:
    """Scale samples and cut them into blocks sorted by class, those with missing values apart."""
    dtype = samples.dtype if dtype is None else dtype
    # A sum is NaN iff a value is; infinities have been refused before.
    incomplete = np.isnan(samples.sum(axis=1))
    order = np.lexsort((labels, incomplete))
    n_complete = len(order) - np.count_nonzero(incomplete)
    blocks = []
    for members in (order[:n_complete], order[n_complete:]):
        # Equal blocks: full ones and a remainder would take as many calls.
        n_blocks = max(1, -(-len(members) // rows))
        for chosen in row_slices(len(members), -(-len(members) // n_blocks) or 1):
            part = members[chosen]
            block = make_block(scaling.transform(samples[part]).astype(dtype, copy=False))
            n_present = np.broadcast_to(samples.shape[1], len(part))
            if block.present is not None:
                n_present = block.present.sum(axis=1)
            blocks.append(
                LabelledBlock(block, weights[part].astype(dtype), n_present, _runs(labels[part]))
            )
    return blocks


def _runs(labels: NDArray[np.int64]) -> list[tuple[int, slice]]:
    """Return each label of a sorted vector, and the slice of its positions."""
    ends = [*(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
    starts = [0, *ends[:-1]]
    return [
        (int(labels[start]), slice(start, end)) for start, end in zip(starts, ends, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Cost:
    """The cost of a model as a function of prototypes and metric."""

    prototype_classes: NDArray[np.int64]
    distance: AdaptiveDistance
    loss: Loss
    regularization: float = 0.0

    def __call__(
        self, blocks: Blocks, prototypes: Array, *metric: Array, weight: float | None = None
    ) -> tuple[float, list[Array]]:
        """Return the cost and its gradient by each parameter; the metric may have any scale.

        Losses are divided by the weight of the samples, or by the given weight: with the mean
        weight of batches, the mean over batches is the cost of all samples.
        """
        normalised, pullbacks = _normalised(metric)
        sums = _total(blocks, partial(self._sums, (prototypes, *normalised)))
        value, own_weight, *gradients = sums
        weight = own_weight if weight is None else weight
        value /= weight
        gradients = [gradient / weight for gradient in gradients]
        if normalised and self.regularization:
            penalty, by_metric = self.distance.penalty(normalised[0])
            value += self.regularization * penalty
            gradients[1] += self.regularization * by_metric
        pulled = [
            pullback(gradient)[0]
            for pullback, gradient in zip(pullbacks, gradients[1:], strict=True)
        ]
        return value, [gradients[0], *pulled]

    def value(self, blocks: Blocks, prototypes: Array, *metric: Array) -> float:
        """Return the cost alone."""
        normalised, _ = _normalised(metric)
        value, weight = _total(blocks, partial(self._value_sums, (prototypes, *normalised)))
        value /= weight
        if normalised:
            value += self.regularization * self.distance.penalty(normalised[0])[0]
        return float(value)

    def _sums(self, parameters: tuple[Array, ...], blocks: Iterable[LabelledBlock]) -> Sums:
        """Return the sums of losses, weights and gradients over blocks."""
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
        distances, pullback = self.distance.measure(block.block, *parameters)
        own = [(self._members[label], part) for label, part in block.parts]
        return *self.loss(distances, own, block.n_present), pullback

    @cached_property
    def _members(self) -> list[NDArray[np.int64]]:
        """The prototypes of each class."""
        n_classes = int(self.prototype_classes.max()) + 1
        return [np.flatnonzero(self.prototype_classes == label) for label in range(n_classes)]


def _normalised(metric: tuple[Array, ...]) -> tuple[tuple[Array, ...], tuple[Pullback, ...]]:
    return tuple(zip(*map(normalise, metric), strict=True)) if metric else ((), ())  # type: ignore[return-value]


def mean_distances(
    blocks: Blocks,
    prototype_classes: NDArray[np.int64],
    distance: AdaptiveDistance,
    *parameters: Array,
) -> tuple[Array, Array]:
    """Return the mean distance of each prototype to the samples of its class closest to it.

    The second array holds the weights of these samples, which may be 0.
    """
    sums, weights = _total(blocks, partial(_distance_sums, prototype_classes, distance, parameters))
    means = np.zeros_like(sums)
    np.divide(sums, weights, out=means, where=weights > 0)
    return means, weights


def _distance_sums(
    prototype_classes: NDArray[np.int64],
    distance: AdaptiveDistance,
    parameters: tuple[Array, ...],
    blocks: Iterable[LabelledBlock],
) -> Sums:
    n_prototypes = len(prototype_classes)
    sums, weights = np.zeros(n_prototypes), np.zeros(n_prototypes)
    for block in blocks:
        distances = distance.measure(block.block, *parameters)[0]
        for label, part in block.parts:
            own = np.flatnonzero(prototype_classes == label)
            winners = own[distances[own, part].argmin(axis=0)]
            closest = distances[own, part].min(axis=0)
            sums += np.bincount(winners, block.weights[part] * closest, n_prototypes)
            weights += np.bincount(winners, block.weights[part], n_prototypes)
    return [sums, weights]


def within_class_covariance(
    blocks: Blocks, prototype_classes: NDArray[np.int64], prototypes: Array
) -> Array:
    """Return the covariance of samples around the mean prototype of their class.

    Missing values count as those of the prototype.
    """
    counts = np.bincount(prototype_classes)
    centres = np.zeros((len(counts), prototypes.shape[1]), dtype=prototypes.dtype)
    np.add.at(centres, prototype_classes, prototypes)
    centres /= counts.astype(prototypes.dtype)[:, np.newaxis]
    squares, weight = _total(blocks, partial(_square_sums, centres))
    return np.asarray(squares / weight)


def _square_sums(centres: Array, blocks: Iterable[LabelledBlock]) -> Sums:
    squares, weight = np.zeros((centres.shape[1], centres.shape[1])), 0.0
    for (values, present), weights, _, parts in blocks:
        deviations = values.copy()
        for label, part in parts:
            deviations[part] -= centres[label]
        if present is not None:
            deviations *= present
        squares += (deviations.T * weights) @ deviations
        weight += float(weights.sum())
    return [squares, weight]
