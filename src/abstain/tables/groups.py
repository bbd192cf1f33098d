"""What does each group of a table get, with a condition of the target on groups and without it?"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.errors import InputError, shown, with_remedy
from abstain.metrics import GroupReport, group_report
from abstain.tables.values import as_categories
from abstain.targets import AllOf

# The group of rows that name none.
NO_GROUP = "missing"
# Of bounds, if the target names none.
_CONFIDENCE = 0.95


def group_labels(column: pl.Series, missing: Sequence[str] = ()) -> pl.Series:
    """Return the group of each row as text."""
    return as_categories(column, missing).fill_null(NO_GROUP)


@contextmanager
def explain_no_group(groups: Mapping[str, NDArray[Any]]) -> Iterator[None]:
    """Say in errors about the group of rows that name none which rows these are."""
    try:
        yield
    except InputError as error:
        columns = [shown(name) for name, labels in groups.items() if NO_GROUP in labels]
        if not columns or f"group {NO_GROUP!r}" not in str(error):
            raise
        raise with_remedy(
            error,
            f"; group {NO_GROUP!r} holds the rows without a value in column "
            f"{' or '.join(columns)}: fill in the column for these rows, or leave these rows out",
        ) from error


def has_groups(target: Any) -> bool:
    """Return whether a target has a condition on groups.

    >>> from abstain import Accuracy
    >>> has_groups(AllOf(Accuracy(0.9), Accuracy(0.8)))
    False
    """
    if isinstance(target, AllOf):
        return any(map(has_groups, target.targets))
    return getattr(target, "groups", None) is not None


def without_groups(target: Any) -> Any:
    """Return the same target without its condition on groups.

    >>> from abstain import Accuracy
    >>> without_groups(Accuracy(0.9, groups="site")).groups is None
    True
    """
    if isinstance(target, AllOf):
        return AllOf(*map(without_groups, target.targets))
    return replace(target, groups=None) if has_groups(target) else target


class GroupComparison(NamedTuple):
    """What each group gets at the thresholds of a classifier, and without a condition on groups.

    ``without`` is None if the target has no such condition, or cannot be met without it. Bounds
    have this ``confidence``, each for itself.
    """

    decided: GroupReport
    without: GroupReport | None
    confidence: float
    # Rows of the calibration data, held-out rows, or rows of a table.
    counted_on: str

    @property
    def n_rows(self) -> int:
        """Rows that were counted."""
        return int(self.decided.samples.sum())


def compare_groups(
    clf: Any,
    y: Any,
    answers: Any,
    certainty: NDArray[Any],
    positions: NDArray[Any],
    outlier: NDArray[Any],
    groups: Any,
    counted_on: str = "rows of the table",
) -> GroupComparison:
    """Compare what groups of samples get; ``positions`` are those of their thresholds."""
    guarantees = clf.operating_point_.guarantees
    confidence = min([each.confidence for each in guarantees], default=_CONFIDENCE)

    def report(thresholds: NDArray[Any]) -> GroupReport:
        rejected = (certainty < thresholds[positions]) | outlier
        return group_report(y, answers, rejected, groups, confidence=confidence)

    other = _thresholds_without_groups(clf)
    without = None if other is None else report(other)
    return GroupComparison(report(clf.thresholds_), without, confidence, counted_on)


def compare_fitted_groups(clf: Any, groups: NDArray[Any]) -> GroupComparison:
    """Compare groups of the samples given to fit, on those held out of the thresholds if any."""
    is_certified = bool(clf.operating_point_.guarantees)
    known = clf._test_calibration if is_certified else clf.calibration_
    positions = clf._own_cells.positions(known.cells)
    counted_on = "held-out rows" if is_certified else "calibration rows"
    outlier = np.zeros(len(positions), np.bool_) if known.outlier is None else known.outlier
    arrays = known.truth, known.answers, known.certainty, positions, outlier, groups[known.rows]
    if known.drawn is not None:  # in the class proportions of new rows
        arrays = tuple(each[known.drawn[known.drawn >= 0]] for each in arrays)
    elif clf.class_prior is not None:
        counted_on += " in their own proportions"
    return compare_groups(clf, *arrays, counted_on)


def _thresholds_without_groups(clf: Any) -> NDArray[Any] | None:
    if not has_groups(clf.target):
        return None
    with warnings.catch_warnings():  # nothing is certified by this
        warnings.simplefilter("ignore", UserWarning)
        try:
            thresholds: NDArray[Any] = copy(clf).retarget(without_groups(clf.target)).thresholds_
        except InputError:
            return None
    return thresholds
