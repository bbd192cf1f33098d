"""What is known of a classifier on the data that its thresholds are set on?

Three aligned arrays: how sure it was, whether it was right, and which cell each sample fell in.
They come from one fitted classifier, or from classifiers that were each fitted without the samples
that they are asked about.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from abstain._validation import take_rows, take_rows_of_params
from abstain.cells import are_leaves, find_cells, means_the_same
from abstain.certainty import measure_certainty

__all__ = ["Calibration", "Rules", "calibrate", "calibrate_out_of_fold"]


class Calibration(NamedTuple):
    """The three arrays, one entry for each sample."""

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    cells: NDArray[Any]


class Rules(NamedTuple):
    """How certainty is measured and which cells there are, as the user has set it."""

    certainty: Any
    cells: Any


def calibrate(estimator: Any, X: Any, y: NDArray[Any], rules: Rules) -> Calibration:
    """Ask a fitted classifier about samples whose classes are known."""
    return _ask(estimator, estimator, estimator, X, y, rules)


def calibrate_out_of_fold(
    estimator: Any,
    fitted: Any,
    X: Any,
    y: NDArray[Any],
    rules: Rules,
    folds: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]],
    n_jobs: int | None,
    fit_params: dict[str, Any],
) -> Calibration:
    """Ask, of each fold, a classifier that was fitted without it.

    Where the label of a cell means something to one classifier only, such as the number of a leaf,
    the cells are those of ``fitted``, the classifier that will decide. In a leaf all samples have
    the same certainty, so that there that too must be its own: another tree's would be compared
    with a threshold that was not made for it.
    """
    parts = Parallel(n_jobs=n_jobs)(
        delayed(_one_fold)(clone(estimator), fitted, X, y, rules, train, test, fit_params)
        for train, test in folds
    )
    return Calibration(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _one_fold(
    estimator: Any,
    fitted: Any,
    X: Any,
    y: NDArray[Any],
    rules: Rules,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    fit_params: dict[str, Any],
) -> Calibration:
    params = take_rows_of_params(X, fit_params, indices=train)
    estimator.fit(take_rows(X, train), y[train], **params)
    held_out = take_rows(X, test)
    decides = estimator if means_the_same(rules.cells, estimator, fitted) else fitted
    sure = fitted if are_leaves(rules.cells, estimator) else estimator
    return _ask(estimator, sure, decides, held_out, y[test], rules)


def _ask(
    estimator: Any, sure: Any, decides: Any, X: Any, y: NDArray[Any], rules: Rules
) -> Calibration:
    predicted = np.asarray(estimator.predict(X))
    return Calibration(
        measure_certainty(sure, X, rules.certainty),
        predicted == y,
        find_cells(decides, X, rules.cells, predicted if decides is estimator else None),
    )
