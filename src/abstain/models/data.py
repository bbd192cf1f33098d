"""What does a fit need to know of samples in memory?

Sums and ranges over the samples, some of them for the initial prototypes, and all of them in
blocks. `on_dask.DaskData` has the same methods for samples of Dask collections.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError
from abstain._core.sklearn_private import check_sample_weight
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
from abstain.models.validation import check_columns_present, class_factors, present_columns

Array = NDArray[Any]


class Rows(NamedTuple):
    """Samples, the codes of their classes, and their weights."""

    samples: Array
    labels: NDArray[np.int64]
    weights: Array

    def with_weight(self) -> Rows:
        """Return the samples whose weight is not 0."""
        if self.weights.all():
            return self
        has_weight = self.weights > 0
        return Rows(*(part[has_weight] for part in self))


def read_arrays(
    samples: Array, targets: Array, sample_weight: ArrayLike | None, class_weight: Any
) -> ArrayData:
    """Return samples of at least two classes that each have some weight."""
    classes, labels = np.unique(targets, return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"y must hold at least two classes, got one class: {classes[0]}")
    check_columns_present(present_columns(samples))
    weights = check_sample_weight(
        sample_weight, samples, dtype=samples.dtype, ensure_non_negative=True
    )
    factors = class_factors(class_weight, classes, np.bincount(labels, weights))
    rows = Rows(samples, labels, (weights * factors[labels]).astype(weights.dtype))
    return ArrayData(classes, rows.with_weight())


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
