"""What does a fit ask of its samples, and how do arrays in memory answer?

A fit needs sums and ranges over samples, a few of them to start from, and all of them in blocks.
Whoever can give these can be fitted to, wherever the samples are.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from abstain.models.adam import PRECISION, Batches, BatchesHere, batch_rows
from abstain.models.costs import Blocks, labelled_blocks
from abstain.models.units import (
    Deviations,
    Units,
    class_sums,
    deviations_from,
    row_blocks,
    value_ranges,
)

__all__ = ["Arrays", "Data", "Rows"]

Array = NDArray[Any]


class Rows(NamedTuple):
    """Samples, the numbers of their classes, and their weights."""

    samples: Array
    labels: NDArray[np.int64]
    weights: Array


class Data(Protocol):
    """Samples of some classes, with weights that are not 0."""

    @property
    def classes(self) -> Array:
        """The classes, in order."""
        ...

    @property
    def n_features(self) -> int:
        """Number of features."""
        ...

    @property
    def dtype(self) -> Any:
        """The precision of the samples."""
        ...

    def class_sizes(self) -> list[int]:
        """Return how many samples each class has."""
        ...

    def class_sums(self) -> tuple[Array, Array]:
        """Return the weighted sum of each feature in each class, and the weight of all present."""
        ...

    def deviations(self, origin: Array) -> Deviations:
        """Return by how much the samples deviate from an origin."""
        ...

    def ranges(self) -> tuple[Array, Array]:
        """Return the lowest and the highest value of each feature."""
        ...

    def to_start_from(self, counts: list[int], init: Any, random_state: Any) -> Rows:
        """Return samples to find so many prototypes of each class among."""
        ...

    def blocks(self, units: Units) -> Blocks:
        """Return all samples, in the given units."""
        ...

    def batches(self, units: Units, random_state: np.random.RandomState) -> Batches:
        """Return all samples, in the given units, in mini-batches."""
        ...


class Arrays(NamedTuple):
    """Samples in memory."""

    classes: Array
    rows: Rows

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.rows.samples.shape[1])

    @property
    def dtype(self) -> Any:
        """The precision of the samples."""
        return self.rows.samples.dtype

    def class_sizes(self) -> list[int]:
        """Return how many samples each class has."""
        found: list[int] = np.bincount(self.rows.labels, minlength=len(self.classes)).tolist()
        return found

    def class_sums(self) -> tuple[Array, Array]:
        """Return the weighted sum of each feature in each class, and the weight of all present."""
        return class_sums(*self.rows, len(self.classes))

    def deviations(self, origin: Array) -> Deviations:
        """Return by how much the samples deviate from an origin."""
        return deviations_from(origin, self.rows.samples, self.rows.weights)

    def ranges(self) -> tuple[Array, Array]:
        """Return the lowest and the highest value of each feature."""
        return value_ranges(self.rows.samples)

    def to_start_from(self, counts: list[int], init: Any, random_state: Any) -> Rows:
        """Return all samples."""
        return self.rows

    def blocks(self, units: Units) -> Blocks:
        """Return all samples, in the given units."""
        return labelled_blocks(*self.rows, units)

    def batches(self, units: Units, random_state: np.random.RandomState) -> Batches:
        """Return all samples, in the given units, in mini-batches drawn from all."""
        samples, labels, weights = self.rows
        order = random_state.permutation(len(samples))
        parts = [order[rows] for rows in row_blocks(len(samples), batch_rows(len(samples)))]
        weights = weights / weights.mean(dtype=np.float64)  # single precision holds no 1e39
        return BatchesHere(
            [
                labelled_blocks(samples[part], labels[part], weights[part], units, dtype=PRECISION)
                for part in parts
            ]
        )
