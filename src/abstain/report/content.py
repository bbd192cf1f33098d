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
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from abstain._core.estimators import has_prototypes, unwrap
from abstain.certainty.cells import RULES, auto_rule
from abstain.classifier import RejectOptionClassifier
from abstain.classifier.thresholds import FORMAT
from abstain.report.rows import Content, rows_content
from abstain.report.samples import (
    Samples,
    choose_drawn,
    choose_explained,
    evaluate_samples,
    explain_samples,
    feature_names_of,
    json_numbers,
    names_of_samples,
    scatter_of,
)

# The steps that take time: predictions, rows, explanations, positions in the plane.
N_STEPS = 4
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
) -> Content:
    """Return the content of a report as lists and numbers; ``watch`` is called after each step."""
    names = names_of_samples(X, sample_names)
    features = feature_names_of(clf, feature_names)
    samples = evaluate_samples(clf, X, y)
    watch(1)
    rows = rows_content(clf, samples)
    watch(2)
    explained, drawn = choose_explained(samples), choose_drawn(samples)
    details = _some(samples, explained, names) | explain_samples(clf, X, explained, samples)
    watch(3)
    scatter = scatter_of(clf, X, drawn, features, samples.certainty[drawn])
    watch(N_STEPS)
    return {
        "format": FORMAT,
        "classes": [str(label) for label in samples.classes],
        "features": features,
        "rows": rows,
        "cells": _cells(clf, samples),
        "pairs": _pairs(samples).tolist(),
        "calibration": {"n": clf.front_.n_samples, "errors": clf.front_.n_errors},
        "samples": {"n": len(samples.wrong), "errors": int(samples.wrong.sum())},
        "is_calibration": _is_calibration(clf, samples),
        "share_known": _share_known(clf, X),
        "is_out_of_fold": not (
            isinstance(clf.cv, str) or isinstance(clf.estimator, FrozenEstimator)
        ),
        "has_prototypes": has_prototypes(unwrap(clf.estimator_)[1]),
        "details": details,
        "scatter": None if scatter is None else scatter | _some(samples, drawn, names),
        "relevances": _relevances(clf, features),
        "guarantee": _guarantee(clf),
    }


def _is_calibration(clf: RejectOptionClassifier, samples: Samples) -> bool:
    """Return whether the given samples are those that the thresholds were set on."""
    calibration = getattr(clf, "calibration_", None)
    return (
        calibration is not None
        and np.array_equal(calibration.certainty, samples.certainty)
        and np.array_equal(calibration.correct, ~samples.wrong)
    )


def _share_known(clf: RejectOptionClassifier, X: Any) -> float:
    """Return the share of samples that the classifier was fitted to, if it is known."""
    first = getattr(clf.estimator_, "steps", [(None, None)])[0][1]
    return float(first.share_known(X)) if hasattr(first, "known_rows_") else 0.0


def _cells(clf: RejectOptionClassifier, samples: Samples) -> Content:
    own_cells = clf._own_cells
    n_cells = own_cells.shared + 1
    calibrated = None
    if hasattr(clf, "calibration_"):
        positions = own_cells.positions(clf.calibration_.cells)
        calibrated = np.bincount(positions, minlength=n_cells).tolist()
    sizes = np.bincount(samples.position, minlength=n_cells)
    return {
        "several": clf.front_.n_cells > 1,
        "kind": CELL_KINDS.get(_rule(clf), "cell"),
        "labels": [None if cell is None else str(cell) for cell in clf.cells_.tolist()],
        "names": [*_cell_names(clf), "all others" if own_cells.shared else "all samples"],
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


def _cell_names(clf: RejectOptionClassifier) -> list[str]:
    rule, labels = _rule(clf), clf.cells_.tolist()[:-1]
    if rule == "global":
        return ["all samples"] * len(labels)
    if rule == "prototype":
        classes = unwrap(clf.estimator_)[1].prototype_labels_.tolist()
        return [f"{label} ({classes[label]})" for label in labels]
    return [str(label) for label in labels]


def _pairs(samples: Samples) -> NDArray[np.int64]:
    order = np.lexsort((samples.certainty, samples.position))
    return (samples.truth * len(samples.classes) + samples.answer)[order]


def _some(samples: Samples, places: NDArray[np.int64], names: list[str] | None) -> Content:
    return {
        "name": None if names is None else [names[place] for place in places.tolist()],
        "place": places.tolist(),
        "truth": samples.truth[places].tolist(),
        "answer": samples.answer[places].tolist(),
        "cell": samples.position[places].tolist(),
        "certainty": json_numbers(samples.certainty[places]),
    }


def _relevances(clf: RejectOptionClassifier, features: list[str] | None) -> Content | None:
    """Return the most relevant features of the model; None if it has no relevances."""
    model = unwrap(clf.estimator_)[1]
    relevances = getattr(model, "relevances_", None)
    if relevances is None or features is None:
        return None
    values = np.atleast_2d(np.asarray(relevances, dtype=np.float64))
    mean = values.mean(axis=0)
    order = np.argsort(-mean, kind="stable")[:MAX_FEATURES]
    labels = [str(label) for label in model.prototype_labels_.tolist()]
    return {
        "features": order.tolist(),
        "values": values[:, order].round(6).tolist(),
        "columns": [f"{number} ({label})" for number, label in enumerate(labels)],
        "n_features": len(mean),
        "left_out": float(mean.sum() - mean[order].sum()),
    }


def _guarantee(clf: RejectOptionClassifier) -> Content | None:
    guarantee = clf.operating_point_.guarantee
    return None if guarantee is None else dict(vars(guarantee))
