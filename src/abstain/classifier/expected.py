"""What is expected of the thresholds of a fitted reject option on new data?

`targets.expectation` has the estimate. Samples that had no part in the thresholds give it, if some
were held out. Else the calibration samples do, each with thresholds that others chose in the same
way: with the same method, the same target, and cells of their own.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from bisect import bisect_right
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain.classifier.calibrate import Calibration
from abstain.classifier.own_cells import OwnCells, find_own_cells
from abstain.fronts import ParetoFront
from abstain.targets.base import Target
from abstain.targets.choosing import ROUNDING, RejectRate
from abstain.targets.expectation import Expectation, Tried, expect, folds_of
from abstain.targets.outcomes import needs_outcomes
from abstain.targets.shares import with_group_labels

# Fewer samples, or groups of them, tell nothing.
LEAST_UNITS = 10


class Procedure(NamedTuple):
    """How thresholds are found on calibration samples."""

    method: str
    min_cell_size: int
    has_one_threshold: bool
    classes: NDArray[Any]

    def front(self, known: Calibration) -> tuple[OwnCells, ParetoFront]:
        """Return the cells with thresholds of their own, and the front."""
        own_cells = find_own_cells(known.inliers.cells, self.min_cell_size)
        if self.has_one_threshold:
            own_cells = OwnCells(own_cells.labels[:0])
        return own_cells, known.front(own_cells, self.method)

    def choose(
        self, target: Target, known: Calibration, own_cells: OwnCells, front: ParetoFront
    ) -> tuple[ParetoFront, int]:
        """Return the row that a target chooses, and its front; raise an InputError if none does."""
        if needs_outcomes(target):
            choice = target._solve(known.outcomes(own_cells, self.classes), self.method)
            return choice.front, choice.row
        return front, _among_inliers(target, known).choose(front)


def expectation_of(clf: Any) -> Expectation | None:
    """Return what is expected of a fitted classifier; None if its samples cannot tell."""
    point, tested = clf.operating_point_, clf._test_calibration
    known: Calibration | None = vars(clf).get("calibration_")
    is_certified = bool(point.guarantee or point.guarantees)
    if tested is not None and (is_certified or not _are_same(known, tested)):
        return _on_held_out(clf, tested)
    if known is None or clf._sets_on_training():
        return None
    procedure = Procedure(clf.method, clf._min_cell_size(), not clf._own_cells.shared, clf.classes_)
    target = _target_in_use(clf, known, procedure)
    if target is None and point.row is None:  # thresholds from elsewhere
        return None
    seed = clf.random_state if isinstance(clf.random_state, int | np.integer) else 0
    return _cross_fitted(known, procedure, target, RejectRate(point.reject_rate), int(seed))


def _are_same(known: Calibration | None, tested: Calibration) -> bool:
    if known is None or known.rows is None or tested.rows is None:
        return False
    return np.array_equal(known.rows, tested.rows)


def _on_held_out(clf: Any, tested: Calibration) -> Expectation | None:
    """Return what samples tell that had no part in the front."""
    accepted = ~tested.rejected(clf.thresholds_, clf._own_cells)
    correct, groups = tested.correct, clf._tested_groups
    if tested.drawn is not None:  # -1 is a sample that was lacking
        is_missing = tested.drawn < 0
        accepted = accepted[tested.drawn] | is_missing
        correct = correct[tested.drawn] & ~is_missing
    repeats = None if groups is None else groups.repeats
    tried = Tried(accepted[np.newaxis], accepted[np.newaxis])
    expected = expect(tried, correct, "held out", repeats)
    if expected is None or repeats is None:
        return expected
    return replace(expected, n_samples=int(repeats.sum()))  # as new data have them, equal ones too


def _target_in_use(clf: Any, known: Calibration, procedure: Procedure) -> Target | None:
    """Return the target if it has chosen the thresholds in use, with the labels of its groups."""
    target = clf._labelled_target or clf._target()
    own_cells = clf._own_cells
    try:
        if needs_outcomes(target):
            target = with_group_labels(target, None, clf._n_fitted(target))
        front, row = procedure.choose(target, known, own_cells, clf.front_)
    except InputError:
        return None
    (thresholds,) = own_cells.thresholds(front, np.array([row]))
    return target if np.array_equal(thresholds, clf.thresholds_) else None


def _cross_fitted(
    known: Calibration, procedure: Procedure, target: Target | None, rate: RejectRate, seed: int
) -> Expectation | None:
    """Return what calibration samples tell, each by thresholds that others chose."""
    n_samples, groups = len(known.correct), known.groups
    n_units = n_samples if groups is None else len(np.unique(groups))
    if n_units < LEAST_UNITS:
        return None
    repeats = folds_of(n_samples, groups, seed, needs_outcomes(target))
    tried = Tried(*np.zeros((2, len(repeats), n_samples), dtype=bool))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were given when all samples set the thresholds
        for repeat, folds in enumerate(repeats):
            for fold in folds:
                accepted = _accepted(known.take(~fold), known.take(fold), procedure, target, rate)
                tried.by_target[repeat, fold], tried.at_rate[repeat, fold] = accepted
    return expect(tried, known.correct, "cross-fit", known.weights, groups)


def _accepted(
    learn: Calibration,
    other: Calibration,
    procedure: Procedure,
    target: Target | None,
    rate: RejectRate,
) -> list[NDArray[np.bool_]]:
    """Return which other samples are accepted by the row of the target, and by that of the rate.

    Where the target cannot be met on these samples, it is the row of the rate, too.
    """
    own_cells, front = procedure.front(learn)
    row, is_of_target = None, False
    if target is not None and target != rate:
        try:
            of_target, row = procedure.choose(target, learn, own_cells, front)
            front, is_of_target = of_target, of_target is not front
        except InputError:
            pass
    if is_of_target:  # such a front may count other things than samples
        at_rate = _row_at_rate(rate.rate, learn, own_cells, front)
    else:
        at_rate = _among_inliers(rate, learn).choose(front)
    rows = np.array([at_rate if row is None else row, at_rate])
    return [~other.rejected(each, own_cells) for each in own_cells.thresholds(front, rows)]


def _row_at_rate(rate: float, known: Calibration, own_cells: OwnCells, front: ParetoFront) -> int:
    """Return the last row that rejects at most this share of the samples."""

    def reject_rate(row: int) -> float:
        (thresholds,) = own_cells.thresholds(front, np.array([row]))
        return float(np.average(known.rejected(thresholds, own_cells), weights=known.weights))

    return max(0, bisect_right(range(len(front)), rate + ROUNDING, key=reject_rate) - 1)


def _among_inliers(target: Any, known: Calibration) -> Any:
    """Return the target for samples that are no outliers."""
    has_both = hasattr(target, "among_inliers")
    return target.among_inliers(known.share_of_outliers) if has_both else target
