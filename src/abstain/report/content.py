"""What does a report hold, in numbers and names that the page reads?

The page shows nothing that does not follow from its content:

- for every row that can be chosen, its thresholds, the number of samples of each cell that they
  reject, and the numbers of accepted and wrong samples, on the calibration data and on the given
  samples, with one threshold per cell and with one for all;
- ``pairs``, the true and the predicted class of every sample, as one number, ordered by cell and
  within a cell by certainty: a row rejects the first samples of each cell, and the rest make its
  confusion matrix.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import column_or_1d

from abstain._core.estimators import has_prototypes, unwrap
from abstain.certainty.cells import RULES, auto_rule
from abstain.classifier import RejectOptionClassifier
from abstain.classifier.cell_names import cell_names
from abstain.classifier.own_cells import OwnCells
from abstain.classifier.thresholds import FORMAT
from abstain.fronts import ParetoFront, PooledFront, pareto_front
from abstain.monitor.certificates import share_of_fit
from abstain.report.plane import choose_drawn, scatter_of
from abstain.report.promises import find_promises
from abstain.report.samples import (
    Samples,
    choose_explained,
    evaluate_samples,
    explain_samples,
    feature_names_of,
    json_numbers,
    names_of_samples,
    rows_of_samples,
    values_of_samples,
)
from abstain.tables.groups import compare_groups
from abstain.tables.writing import group_rows
from abstain.targets import ExpectedCost, OperatingPoint, RejectRate
from abstain.targets.guarantee import accuracy_bound

Content = dict[str, Any]

# The steps that take time: predictions, rows, explanations, positions in the plane.
N_STEPS = 4
# The slider has about this number of positions.
MAX_ROWS = 501
CONFIDENCES = (0.8, 0.9, 0.95, 0.99)
# Number of features that can be read in a chart.
MAX_FEATURES = 20
CELL_KINDS = {"prototype": "prototype", "class": "predicted class", "leaf": "leaf"}


def find_content(
    clf: RejectOptionClassifier,
    X: Any,
    y: Any,
    feature_names: Any,
    sample_names: Any,
    watch: Callable[[int], None] = lambda done: None,
    groups: Any = None,
    sample_rows: Any = None,
) -> Content:
    """Return the content of a report as lists and numbers; ``watch`` is called after each step."""
    names = names_of_samples(X, sample_names)
    features = feature_names_of(clf, feature_names)
    samples = evaluate_samples(clf, X, y)
    share_known = share_of_fit(clf, X)
    watch(1)
    rows = _rows(clf, samples)
    watch(2)
    explained, drawn = choose_explained(samples), choose_drawn(samples)
    details = _some(samples, explained, names) | explain_samples(clf, X, explained, samples)
    details["n_wrong"] = int((samples.wrong & ~samples.rejected)[explained].sum())
    details["row"] = rows_of_samples(X, sample_rows, explained)
    details["values"] = values_of_samples(X, explained, features, _by_relevance(clf))
    watch(3)
    scatter = scatter_of(clf, X, drawn, features, samples)
    watch(N_STEPS)
    return {
        "format": FORMAT,
        "classes": [str(label) for label in samples.classes],
        "features": features,
        "rows": rows,
        "cells": _cells(clf, samples),
        "pairs": _pairs(samples).tolist(),
        "calibration": _calibration(clf),
        "proportions": _proportions(clf),
        "samples": {
            "n": len(samples.wrong),
            "errors": int(samples.wrong.sum()),
            "outliers": int(samples.outlier.sum()),
        },
        "is_calibration": _is_calibration(clf, samples),
        "share_known": share_known,
        "is_out_of_fold": not (
            isinstance(clf.cv, str) or isinstance(clf.estimator, FrozenEstimator)
        ),
        "has_prototypes": has_prototypes(unwrap(clf.estimator_)[1]),
        "details": details,
        "scatter": None if scatter is None else scatter | _some(samples, drawn, names),
        "relevances": _relevances(clf, features),
        "has_costs": isinstance(clf.target, ExpectedCost),
        **find_promises(clf, X, column_or_1d(y), share_known, groups),
        "groups": None if groups is None else _groups(clf, samples, groups),
    }


def _calibration(clf: RejectOptionClassifier) -> Content:
    """Return how many calibration samples there are, outliers included, and how many are wrong."""
    front, known, point = clf.front_, getattr(clf, "calibration_", None), clf.operating_point_
    if known is None:
        return {"n": point.n_samples, "errors": point.n_errors}
    sizes = {"n": _sizes(front, front.n_samples), "errors": _sizes(front, front.n_errors)}
    if known.outlier is None:
        return sizes
    weights = np.ones(len(known.correct), np.int64) if known.weights is None else known.weights
    wrong = known.outlier & ~known.correct
    sizes["n"] += weights[known.outlier].sum().item()
    sizes["errors"] += weights[wrong].sum().item()
    return sizes


def _proportions(clf: RejectOptionClassifier) -> Content | None:
    """Return the share of each class in the data that the thresholds were set for."""
    if clf._proportions is None:
        return None
    classes, shares, _ = clf._proportions
    return dict(zip(map(str, classes.tolist()), shares.tolist(), strict=True))


def _is_calibration(clf: RejectOptionClassifier, samples: Samples) -> bool:
    """Return whether the given samples are those that the thresholds were set on."""
    calibration = getattr(clf, "calibration_", None)
    return (
        calibration is not None
        and np.array_equal(calibration.certainty, samples.certainty)
        and np.array_equal(calibration.correct, ~samples.wrong)
    )


def _cells(clf: RejectOptionClassifier, samples: Samples) -> Content:
    own_cells = clf._own_cells
    n_cells = own_cells.shared + 1
    calibrated = None
    if hasattr(clf, "calibration_"):
        positions = own_cells.positions(clf.calibration_.inliers.cells)
        calibrated = np.bincount(positions, minlength=n_cells).tolist()
    sizes = np.bincount(samples.position, minlength=n_cells)
    return {
        "several": clf.front_.n_cells > 1,
        "kind": CELL_KINDS.get(_rule(clf), "cell"),
        "labels": [None if cell is None else str(cell) for cell in clf.cells_.tolist()],
        "names": cell_names(clf, "all samples"),  # as the command line writes them
        # The shared threshold is not shown if no sample falls under it.
        "is_shown": [
            *[True] * own_cells.shared,
            bool(own_cells.shared in clf.front_.cells or sizes[own_cells.shared]),
        ],
        "calibrated": calibrated,
        "sizes": sizes.tolist(),
        "errors": np.bincount(samples.position[samples.wrong], minlength=n_cells).tolist(),
    }


def _rule(clf: RejectOptionClassifier) -> str:
    rule = RULES.name_of(clf.cells)
    return auto_rule(clf.estimator_).name if rule == "auto" else str(rule)


def _pairs(samples: Samples) -> NDArray[np.int64]:
    order = np.lexsort((samples.rank, samples.position))
    return (samples.truth * len(samples.classes) + samples.answer)[order]


def _some(samples: Samples, places: NDArray[np.int64], names: list[str] | None) -> Content:
    return {
        "name": None if names is None else [names[place] for place in places.tolist()],
        "place": places.tolist(),
        "truth": samples.truth[places].tolist(),
        "answer": samples.answer[places].tolist(),
        "cell": samples.position[places].tolist(),
        "certainty": json_numbers(samples.certainty[places]),
        "outlier": samples.outlier[places].astype(int).tolist(),
    }


def _relevances(clf: RejectOptionClassifier, features: list[str] | None) -> Content | None:
    """Return the most relevant features of the model; None if it has no relevances."""
    model = unwrap(clf.estimator_)[1]
    ranked = _by_relevance(clf)
    if ranked is None or features is None:
        return None
    values = np.atleast_2d(np.asarray(model.relevances_, dtype=np.float64))
    order, mean = ranked[:MAX_FEATURES], values.mean(axis=0)
    labels = [str(label) for label in model.prototype_labels_.tolist()]
    return {
        "features": order,
        "values": values[:, order].round(6).tolist(),
        "columns": [f"{number} ({label})" for number, label in enumerate(labels)],
        "n_features": len(mean),
        "left_out": float(mean.sum() - mean[order].sum()),
    }


def _by_relevance(clf: RejectOptionClassifier) -> list[int] | None:
    """Return the features that reach the model, the most relevant one first, if it knows."""
    relevances = getattr(unwrap(clf.estimator_)[1], "relevances_", None)
    if relevances is None:
        return None
    mean = np.atleast_2d(np.asarray(relevances, dtype=np.float64)).mean(axis=0)
    ranked: list[int] = np.argsort(-mean, kind="stable").tolist()
    return ranked


def _groups(clf: RejectOptionClassifier, samples: Samples, groups: Any) -> Content:
    """Return what each group gets at the thresholds of the classifier."""
    truth, answers = samples.truth, samples.answer
    decided_by = samples.certainty, samples.position, samples.outlier
    comparison = compare_groups(clf, truth, answers, *decided_by, groups)
    name = getattr(groups, "name", None)
    return {
        "name": None if name is None else str(name),
        "rows": group_rows(comparison),
        "confidence": comparison.confidence,
        "is_compared": comparison.without is not None,
    }


# --- rows -----------------------------------------------------------------------------------------


class ShownRows(NamedTuple):
    """Rows of a front in the order of the slider, and the number of useful ones.

    ``start`` is the row at which the classifier runs; if its thresholds are those of no row, the
    position before which they are inserted.
    """

    rows: NDArray[np.int64]
    n_useful: int
    start: int


def choose_rows(front: ParetoFront, point: OperatingPoint, max_rows: int = MAX_ROWS) -> ShownRows:
    """Return the useful rows, thinned to about ``max_rows``.

    A row is useless if another one rejects no more samples and leaves no more errors: no target
    chooses it, except as one of several equally good rows. The useful rows ascend in rejects and in
    rejected errors, the order of the slider. All rows of a nested front are useful: they are limits
    on the probability of being right.

    A slider has no more positions than a screen has pixels, so some rows of a large front are left
    out: half of the kept rows are spread evenly over the rejected errors, which is dense where few
    rejects find an error, and half over the rejects, which is dense where it takes many. All
    numbers of the kept rows are exact.

    The slider starts at the row that the classifier runs at, which is always kept. Thresholds that
    are those of no row get a position after the last row that rejects no more.
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
        most = front.n_samples - _accepted(point) / front.unit
        start = int(np.flatnonzero(rejects[kept] <= most)[-1]) + 1
    return ShownRows(kept, len(useful), start)


def _accepted(point: OperatingPoint) -> float:
    """Return how many calibration samples are accepted, or their weight."""
    counts = point.weighted or point
    return counts.n_samples - counts.true_rejects - counts.false_rejects


def _rows(clf: RejectOptionClassifier, samples: Samples) -> Content:
    """Return the rows that can be chosen, with their thresholds and what these do to samples."""
    front, point = clf.front_, clf.operating_point_
    shown = choose_rows(front, point)
    thresholds = OwnCells(clf.cells_[:-1]).thresholds(front, shown.rows)
    rows, on_calibration = shown.rows.tolist(), _on_calibration(front, shown.rows)
    reject_rates = front.reject_rates[shown.rows]
    if point.row is None:
        # What was made for a class, for groups or for costs, or was given, is a point of its own.
        counts, accepted = point.weighted or point, _accepted(point)
        thresholds = np.insert(thresholds, shown.start, clf.thresholds_, axis=0)
        reject_rate = 1 - accepted / (front.n_samples * front.unit)
        reject_rates = np.insert(reject_rates, shown.start, reject_rate)
        rows.insert(shown.start, None)
        on_calibration["accepted"].insert(shown.start, accepted)
        on_calibration["errors"].insert(shown.start, counts.n_errors - counts.true_rejects)
    on_samples = _on_samples(samples, thresholds)
    return {
        "method": front.method,
        "is_nested": front.is_nested,
        "row": rows,
        "start": shown.start,
        "n_useful": shown.n_useful,
        "n_rows": len(front),
        "thresholds": json_numbers(thresholds),
        "least_proba": _least_proba(front, thresholds),
        "rejected": _rejected_by_cell(samples, thresholds).tolist(),
        "on_calibration": on_calibration,
        "on_samples": on_samples,
        "bounds": {str(level): _accuracy_bounds(on_samples, level) for level in CONFIDENCES},
        "one_for_all": _one_threshold(clf, samples, reject_rates),
    }


def _one_threshold(
    clf: RejectOptionClassifier, samples: Samples, reject_rates: NDArray[np.float64]
) -> Content:
    """Return what one threshold for all cells does at the same reject rates.

    The threshold is set on the calibration data, if the classifier has them, else on the samples.
    """
    certainty, correct, weights = samples.certainty, ~samples.wrong, None
    is_of_calibration = hasattr(clf, "calibration_")
    if is_of_calibration:
        known = clf.calibration_.inliers
        certainty, correct, weights = known.certainty, known.correct, known.weights
    method = "exact" if weights is None else "hull"  # weights may have no common unit
    method = "pooled" if clf.front_.is_nested else method
    front = pareto_front(certainty, correct, method=method, weights=weights)
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
        "accepted": _sizes(front, front.n_samples - (true_rejects + false_rejects)),
        "errors": _sizes(front, front.n_errors - true_rejects),
    }


def _sizes(front: ParetoFront, counts: Any) -> Any:
    """Return counts of a front as numbers of samples, or as sums of their weights."""
    return np.asarray(counts if front.unit == 1 else counts * front.unit).tolist()


def _on_samples(samples: Samples, thresholds: NDArray[np.float64]) -> Content:
    """Count the given samples, with one threshold per cell (columns) in each row."""
    only_wrong = samples.take(samples.wrong)
    accepted, errors = (
        len(some.certainty) - _rejected_by_cell(some, thresholds).sum(axis=1)
        for some in (samples, only_wrong)
    )
    return {"accepted": accepted.tolist(), "errors": errors.tolist()}


def _rejected_by_cell(samples: Samples, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of samples of each cell (columns) that each row of thresholds rejects."""
    rejected = np.zeros(thresholds.shape, dtype=np.int64)
    for cell in range(thresholds.shape[1]):
        own = samples.position == cell
        below = np.searchsorted(np.sort(samples.rank[own]), thresholds[:, cell])
        rejected[:, cell] = np.maximum(below, np.count_nonzero(samples.outlier[own]))
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
