"""How many samples does each row of a front accept, and how many of these are wrong?"""

from __future__ import annotations  # signatures then show the names of types

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts import ParetoFront
from abstain.report.samples import Samples
from abstain.targets.guarantee import accuracy_bound

__all__ = [
    "CONFIDENCES",
    "Counts",
    "bounds",
    "counts_of_front",
    "counts_of_samples",
    "counts_with_one_threshold",
    "rejected_by_cell",
]

CONFIDENCES = (0.8, 0.9, 0.95, 0.99)


class Counts(NamedTuple):
    """For each row, the samples that are accepted and the wrong ones among them."""

    accepted: NDArray[np.int64]
    errors: NDArray[np.int64]


def counts_of_front(front: ParetoFront, rows: NDArray[np.int64]) -> Counts:
    """Count on the calibration data, by what the front knows of them."""
    rejects = front.true_rejects[rows] + front.false_rejects[rows]
    return Counts(front.n_samples - rejects, front.n_errors - front.true_rejects[rows])


def rejected_by_cell(samples: Samples, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many samples of each cell (columns) each row of thresholds rejects."""
    rejected = np.zeros(thresholds.shape, dtype=np.int64)
    for cell in range(thresholds.shape[1]):
        certainty = np.sort(samples.certainty[samples.position == cell])
        rejected[:, cell] = np.searchsorted(certainty, thresholds[:, cell])
    return rejected


def counts_of_samples(samples: Samples, thresholds: NDArray[np.float64]) -> Counts:
    """Count on the samples given, with a threshold for each cell (columns) in each row."""
    n_samples, wrong = len(samples.certainty), samples.wrong
    only_wrong = samples._replace(
        **{name: getattr(samples, name)[wrong] for name in samples._fields[:4]}
    )
    rejected = rejected_by_cell(samples, thresholds).sum(axis=1)
    caught = rejected_by_cell(only_wrong, thresholds).sum(axis=1)
    return Counts(n_samples - rejected, int(wrong.sum()) - caught)


def counts_with_one_threshold(samples: Samples, thresholds: NDArray[np.float64]) -> Counts:
    """Count on the samples given, with one threshold for all of them in each row."""
    in_one_cell = samples._replace(position=np.zeros_like(samples.position))
    return counts_of_samples(in_one_cell, thresholds[:, np.newaxis])


def bounds(counts: Counts, confidence: float) -> list[float]:
    """Return the lower bound of Clopper and Pearson for the accuracy of each row."""
    pairs = zip(counts.accepted.tolist(), counts.errors.tolist(), strict=True)
    return [accuracy_bound(accepted, errors, 1 - confidence) for accepted, errors in pairs]
