"""What does a fit need to know of its samples, in memory or elsewhere?

Sums and ranges over the samples, some of them for the initial prototypes, and all of them in
blocks.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from abstain.models.costs import Blocks, labelled_blocks
from abstain.models.scaling import (
    Deviations,
    Scaling,
    class_sums,
    deviations_from,
    row_slices,
    value_ranges,
)
from abstain.models.solvers import PRECISION, ArrayBatches, Batches, batch_rows

Array = NDArray[Any]


class Rows(NamedTuple):
    """Samples, the codes of their classes, and their weights."""

    samples: Array
    labels: NDArray[np.int64]
    weights: Array


class Data(Protocol):
    """Samples of some classes, with weights that are not 0."""

    @property
    def classes(self) -> Array:
        """The classes, sorted."""
        ...

    @property
    def n_features(self) -> int:
        """Number of features."""
        ...

    @property
    def dtype(self) -> Any:
        """The floating-point type of the samples."""
        ...

    def class_sizes(self) -> list[int]:
        """Return the number of samples of each class."""
        ...

    def class_sums(self) -> tuple[Array, Array]:
        """Return the weighted sum of each feature in each class, and the weight of its values."""
        ...

    def deviations(self, origin: Array) -> Deviations:
        """Return how far the samples deviate from an origin."""
        ...

    def ranges(self) -> tuple[Array, Array]:
        """Return the minimum and the maximum of each feature."""
        ...

    def initialization_rows(self, counts: list[int], init: Any, random_state: Any) -> Rows:
        """Return samples from which to initialize the given number of prototypes per class."""
        ...

    def blocks(self, scaling: Scaling) -> Blocks:
        """Return all samples, scaled, in blocks."""
        ...

    def batches(self, scaling: Scaling, random_state: np.random.RandomState) -> Batches:
        """Return all samples, scaled, in mini-batches."""
        ...


class ArrayData(NamedTuple):
    """Samples in memory."""

    classes: Array
    rows: Rows

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.rows.samples.shape[1])

    @property
    def dtype(self) -> Any:
        """The floating-point type of the samples."""
        return self.rows.samples.dtype

    def class_sizes(self) -> list[int]:
        """Return the number of samples of each class."""
        sizes: list[int] = np.bincount(self.rows.labels, minlength=len(self.classes)).tolist()
        return sizes

    def class_sums(self) -> tuple[Array, Array]:
        """Return the weighted sum of each feature in each class, and the weight of its values."""
        return class_sums(*self.rows, len(self.classes))

    def deviations(self, origin: Array) -> Deviations:
        """Return how far the samples deviate from an origin."""
        return deviations_from(origin, self.rows.samples, self.rows.weights)

    def ranges(self) -> tuple[Array, Array]:
        """Return the minimum and the maximum of each feature."""
        return value_ranges(self.rows.samples)

    def initialization_rows(self, counts: list[int], init: Any, random_state: Any) -> Rows:
        """Return all samples."""
        return self.rows

    def blocks(self, scaling: Scaling) -> Blocks:
        """Return all samples, scaled, in blocks."""
        return labelled_blocks(*self.rows, scaling)

    def batches(self, scaling: Scaling, random_state: np.random.RandomState) -> Batches:
        """Return all samples, scaled, in mini-batches of random samples."""
        samples, labels, weights = self.rows
        order = random_state.permutation(len(samples))
        parts = [order[rows] for rows in row_slices(len(samples), batch_rows(len(samples)))]
        weights = weights / weights.mean(dtype=np.float64)  # 1e39 overflows single precision
        return ArrayBatches(
            [
                labelled_blocks(samples[i], labels[i], weights[i], scaling, dtype=PRECISION)
                for i in parts
            ]
        )
