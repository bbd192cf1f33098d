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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.classifier import RejectOptionClassifier
from abstain.classifier.own_cells import OwnCells
from abstain.fronts import ParetoFront, PooledFront, pareto_front
from abstain.report.samples import Samples, json_numbers
from abstain.targets import OperatingPoint, RejectRate
from abstain.targets.guarantee import accuracy_bound

Content = dict[str, Any]

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


def rows_content(clf: RejectOptionClassifier, samples: Samples) -> Content:
    """Return the rows that can be chosen, with their thresholds and what these do to samples."""
    front, shown = clf.front_, choose_rows(clf.front_, clf.operating_point_)
    thresholds = OwnCells(clf.cells_[:-1]).thresholds(front, shown.rows)
    on_samples = _on_samples(samples, thresholds)
    return {
        "method": front.method,
        "is_nested": front.is_nested,
        "row": shown.rows.tolist(),
        "start": shown.start,
        "is_exactly_there": clf.operating_point_.row is not None,
        "n_useful": shown.n_useful,
        "n_rows": len(front),
        "thresholds": json_numbers(thresholds),
        "least_proba": _least_proba(front, thresholds),
        "rejected": _rejected_by_cell(samples, thresholds).tolist(),
        "on_calibration": _on_calibration(front, shown.rows),
        "on_samples": on_samples,
        "bounds": {str(level): _accuracy_bounds(on_samples, level) for level in CONFIDENCES},
        "one_for_all": _one_threshold(clf, samples, front.reject_rates[shown.rows]),
    }


def _one_threshold(
    clf: RejectOptionClassifier, samples: Samples, reject_rates: NDArray[np.float64]
) -> Content:
    """Return what one threshold for all cells does at the same reject rates.

    The threshold is set on the calibration data, if the classifier has them, else on the samples.
    """
    certainty, correct = samples.certainty, ~samples.wrong
    is_of_calibration = hasattr(clf, "calibration_")
    if is_of_calibration:
        certainty, correct = clf.calibration_.certainty, clf.calibration_.correct
    method = "pooled" if clf.front_.is_nested else "exact"
    front = pareto_front(certainty, correct, method=method)
    rows = np.array([RejectRate(rate).choose(front) for rate in reject_rates.tolist()])
    thresholds = np.array([front.thresholds_at(row)[0] for row in rows.tolist()])
    in_one_cell = samples._replace(position=np.zeros_like(samples.position))
    return {
        "threshold": json_numbers(thresholds),
        "is_of_calibration": is_of_calibration,
        "on_calibration": _on_calibration(front, rows),
        "on_samples": _on_samples(in_one_cell, thresholds[:, np.newaxis]),
    }


def _on_calibration(front: ParetoFront, rows: NDArray[np.int64]) -> Content:
    """Count the accepted calibration samples and the wrong ones among them, as the front does."""
    true_rejects, false_rejects = front.true_rejects[rows], front.false_rejects[rows]
    return {
        "accepted": (front.n_samples - (true_rejects + false_rejects)).tolist(),
        "errors": (front.n_errors - true_rejects).tolist(),
    }


def _on_samples(samples: Samples, thresholds: NDArray[np.float64]) -> Content:
    """Count the given samples, with one threshold per cell (columns) in each row."""
    wrong = samples.wrong
    only_wrong = samples._replace(
        **{name: getattr(samples, name)[wrong] for name in samples._fields[:4]}
    )
    accepted, errors = (
        len(some.certainty) - _rejected_by_cell(some, thresholds).sum(axis=1)
        for some in (samples, only_wrong)
    )
    return {"accepted": accepted.tolist(), "errors": errors.tolist()}


def _rejected_by_cell(samples: Samples, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of samples of each cell (columns) that each row of thresholds rejects."""
    rejected = np.zeros(thresholds.shape, dtype=np.int64)
    for cell in range(thresholds.shape[1]):
        certainty = np.sort(samples.certainty[samples.position == cell])
        rejected[:, cell] = np.searchsorted(certainty, thresholds[:, cell])
    return rejected


def _least_proba(front: ParetoFront, thresholds: NDArray[np.float64]) -> list[Any] | None:
    """Return the lowest probability of being right that each row accepts, by a pooled front.

    None stands for a row that accepts nothing, and for a front without estimates.
    """
    if not isinstance(front, PooledFront):
        return None
    own = thresholds[:, front.cells]
    columns = np.broadcast_to(np.arange(front.n_cells), own.shape)
    probability = front.probability_correct(own.ravel(), columns.ravel()).reshape(own.shape)
    least = np.where(own < np.inf, probability, np.inf).min(axis=1)
    return [round(value, 6) if np.isfinite(value) else None for value in least.tolist()]


def _accuracy_bounds(counts: Content, confidence: float) -> list[float]:
    """Return the lower bound (Clopper and Pearson) of the accuracy of each row."""
    pairs = zip(counts["accepted"], counts["errors"], strict=True)
    return [accuracy_bound(accepted, errors, 1 - confidence) for accepted, errors in pairs]
