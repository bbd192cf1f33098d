"""Which rows of a front can be chosen in a report, and what does each of them do to samples?

A row is useless if another one rejects no more samples and leaves no more errors: no target chooses
it, except as one of several equally good rows. The useful rows ascend in rejects and in rejected
errors, the order of the slider. All rows of a nested front are useful: they are limits on the
probability of being right.

A slider has no more positions than a screen has pixels, so some rows of a large front are left out:
half of the kept rows are spread evenly over the rejected errors, which is dense where few rejects
find an error, and half over the rejects, which is dense where it takes many. The numbers of the
kept rows are exact.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts import ParetoFront
from abstain.report.samples import Samples
from abstain.targets import OperatingPoint, RejectRate
from abstain.targets.guarantee import accuracy_bound

MAX_ROWS = 501
CONFIDENCES = (0.8, 0.9, 0.95, 0.99)


class ShownRows(NamedTuple):
    """Rows of a front in the order of the slider, and the number of useful ones."""

    rows: NDArray[np.int64]
    n_useful: int
    start: int  # the first position of the slider


def choose_rows(front: ParetoFront, point: OperatingPoint, max_rows: int = MAX_ROWS) -> ShownRows:
    """Return the useful rows, thinned to about ``max_rows``.

    The slider starts at the row that the classifier runs at, which is always kept. If its
    thresholds are those of no row, the slider starts at the last row that rejects no more.
    """
    rejects = front.true_rejects + front.false_rejects
    fewest_from_here = np.minimum.accumulate(rejects[::-1])[::-1]
    useful = np.flatnonzero(np.append(rejects[:-1] < fewest_from_here[1:], True))
    kept = useful
    if len(useful) > max_rows:
        by_errors = np.linspace(0, len(useful) - 1, max_rows // 2).round().astype(np.int64)
        steps = np.linspace(rejects[useful[0]], rejects[useful[-1]], max_rows - max_rows // 2)
        by_rejects = np.searchsorted(rejects[useful], steps)
        kept = useful[np.unique(np.concatenate([by_errors, by_rejects]))]
    if point.row is not None:
        kept = np.union1d(kept, [point.row])
    order = np.lexsort((front.true_rejects[kept], rejects[kept]))
    kept = kept[order].astype(np.int64)
    if point.row is not None:
        start = int(np.flatnonzero(kept == point.row)[0])
    else:
        most = point.true_rejects + point.false_rejects
        start = int(np.flatnonzero(rejects[kept] <= most)[-1])
    return ShownRows(kept, len(useful), start)


def global_rows(
    one_cell: ParetoFront, front: ParetoFront, rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each row, the row of a front of one cell that has the same reject rate."""
    chosen = [RejectRate(rate).choose(one_cell) for rate in front.reject_rates[rows].tolist()]
    return np.array(chosen, dtype=np.int64)


class Counts(NamedTuple):
    """For each row, the number of accepted samples and of the wrong ones among them."""

    accepted: NDArray[np.int64]
    errors: NDArray[np.int64]


def counts_of_front(front: ParetoFront, rows: NDArray[np.int64]) -> Counts:
    """Count the calibration samples, as the front does."""
    rejects = front.true_rejects[rows] + front.false_rejects[rows]
    return Counts(front.n_samples - rejects, front.n_errors - front.true_rejects[rows])


def rejected_by_cell(samples: Samples, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of samples of each cell (columns) that each row of thresholds rejects."""
    rejected = np.zeros(thresholds.shape, dtype=np.int64)
    for cell in range(thresholds.shape[1]):
        certainty = np.sort(samples.certainty[samples.position == cell])
        rejected[:, cell] = np.searchsorted(certainty, thresholds[:, cell])
    return rejected


def counts_of_samples(samples: Samples, thresholds: NDArray[np.float64]) -> Counts:
    """Count the given samples, with one threshold per cell (columns) in each row."""
    n_samples, wrong = len(samples.certainty), samples.wrong
    only_wrong = samples._replace(
        **{name: getattr(samples, name)[wrong] for name in samples._fields[:4]}
    )
    rejected = rejected_by_cell(samples, thresholds).sum(axis=1)
    rejected_errors = rejected_by_cell(only_wrong, thresholds).sum(axis=1)
    return Counts(n_samples - rejected, int(wrong.sum()) - rejected_errors)


def counts_with_one_threshold(samples: Samples, thresholds: NDArray[np.float64]) -> Counts:
    """Count the given samples, with one threshold for all cells in each row."""
    in_one_cell = samples._replace(position=np.zeros_like(samples.position))
    return counts_of_samples(in_one_cell, thresholds[:, np.newaxis])


def accuracy_bounds(counts: Counts, confidence: float) -> list[float]:
    """Return the lower bound (Clopper and Pearson) of the accuracy of each row."""
    pairs = zip(counts.accepted.tolist(), counts.errors.tolist(), strict=True)
    return [accuracy_bound(accepted, errors, 1 - confidence) for accepted, errors in pairs]
