"""Which parameters make a loss over some distance smallest?

The cost of a model is the weighted mean of its losses plus the penalty of its metric; it is a sum
over samples, so it is evaluated in blocks that fit a cache and hold samples of one class, complete
or with missing values. All parameters are packed into one vector for scipy's L-BFGS-B.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.models.distances import Block, make_block
from abstain.models.geometry import Geometry, normalise

__all__ = [
    "ClassBlock",
    "Cost",
    "Fit",
    "class_blocks",
    "fit_lbfgs",
    "mean_of_present",
    "start_prototypes",
]

Array = NDArray[Any]
Loss = Callable[[Array, NDArray[np.bool_]], tuple[Array, Array]]

# Rows of a block: its values and projections stay in a second-level cache for tens of features.
BLOCK_ROWS = 2048


class ClassBlock(NamedTuple):
    """Samples of one class, with their weights."""

    label: int
    block: Block
    weights: Array


def class_blocks(
    samples: Array, labels: NDArray[np.int64], weights: Array, rows: int = BLOCK_ROWS
) -> list[ClassBlock]:
    """Cut samples into blocks of one class each, those with missing values apart."""
    incomplete = np.isnan(samples).any(axis=1)
    group = 2 * labels + incomplete
    order = np.argsort(group, kind="stable")
    blocks = []
    for members in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        for start in range(0, len(members), rows):
            part = members[start : start + rows]
            blocks.append(
                ClassBlock(int(labels[part[0]]), make_block(samples[part]), weights[part])
            )
    return blocks


def start_prototypes(
    samples: Array,
    labels: NDArray[np.int64],
    weights: Array,
    counts: list[int],
    random_state: np.random.RandomState,
) -> tuple[Array, NDArray[np.int64]]:
    """Return prototypes to begin with, and their classes.

    One prototype of a class is its mean; several are the centres of a k-means within it, where
    a missing value stands for the mean of the class.
    """
    prototypes, owners = [], []
    for label, count in enumerate(counts):
        own = labels == label
        mean = mean_of_present(samples[own], weights[own])
        if count == 1:
            centres = mean[np.newaxis]
        else:
            from sklearn.cluster import KMeans

            filled = np.where(np.isnan(samples[own]), mean, samples[own])
            clusters = KMeans(count, n_init=1, random_state=random_state)
            centres = clusters.fit(filled, sample_weight=weights[own]).cluster_centers_
        prototypes.append(centres)
        owners += [label] * count
    return np.concatenate(prototypes).astype(samples.dtype), np.array(owners)


def mean_of_present(samples: Array, weights: Array) -> Array:
    """Return the weighted mean of what is present; 0 where a feature is missing throughout."""
    present = ~np.isnan(samples)
    total = weights @ present
    sums = weights @ np.where(present, samples, 0)
    means = np.zeros_like(sums)
    np.divide(sums, total, out=means, where=total > 0)
    return means


@dataclass(frozen=True, eq=False)
class Cost:
    """The cost of a model as a function of prototypes and metric."""

    blocks: list[ClassBlock]
    owners: NDArray[np.int64]
    geometry: Geometry
    loss: Loss
    regularization: float = 0.0

    def __call__(self, prototypes: Array, *metric: Array) -> tuple[float, list[Array]]:
        """Return the cost and its gradient by each parameter, the metric at any scale."""
        units, backs = zip(*map(normalise, metric), strict=True) if metric else ((), ())
        value, gradients = self._mean_loss(prototypes, *units)
        if metric and self.regularization:
            penalty, by_metric = self.geometry.penalty(units[0])
            value += self.regularization * penalty
            gradients[1] = gradients[1] + self.regularization * by_metric
        pulled = [back(g)[0] for back, g in zip(backs, gradients[1:], strict=True)]
        return value, [gradients[0], *pulled]

    def _mean_loss(self, *parameters: Array) -> tuple[float, list[Array]]:
        value, weight = 0.0, 0.0
        gradients = [np.zeros(parameter.shape) for parameter in parameters]
        for label, block, weights in self.blocks:
            distances, pullback = self.geometry.measure(block, *parameters)
            losses, by_distance = self.loss(distances, self.owners == label)
            value += float(weights @ losses)
            weight += float(weights.sum())
            for total, part in zip(gradients, pullback(by_distance * weights), strict=True):
                total += part
        return value / weight, [gradient / weight for gradient in gradients]


class Fit(NamedTuple):
    """Where a minimisation ended."""

    parameters: list[Array]
    cost: float
    n_iter: int
    converged: bool


def fit_lbfgs(cost: Cost, start: list[Array], *, max_iter: int, tol: float) -> Fit:
    """Minimise a cost over all its samples at once, from the given parameters."""
    from scipy.optimize import minimize

    shapes = [parameter.shape for parameter in start]
    dtype = start[0].dtype

    def evaluate(vector: Array) -> tuple[float, Array]:
        value, gradients = cost(
            *(part.astype(dtype, copy=False) for part in _unpack(vector, shapes))
        )
        return value, np.concatenate([gradient.ravel() for gradient in gradients])

    found = minimize(
        evaluate,
        np.concatenate([parameter.ravel() for parameter in start]).astype(np.float64),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "gtol": 1e-3 * tol, "ftol": tol},
    )
    prototypes, *metric = (part.astype(dtype) for part in _unpack(found.x, shapes))
    units = [normalise(part)[0] for part in metric]
    return Fit([prototypes, *units], float(found.fun), int(found.nit), bool(found.success))


def _unpack(vector: Array, shapes: list[tuple[int, ...]]) -> Iterator[Array]:
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    for part, shape in zip(np.split(vector, ends[:-1]), shapes, strict=True):
        yield part.reshape(shape)
