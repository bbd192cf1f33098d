"""How do recent rows of a table set the thresholds of a saved classifier again?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError, shown
from abstain.classifier import RejectOptionClassifier
from abstain.classifier.cell_names import cell_names
from abstain.monitor.certificates import certificates_of
from abstain.tables.columns import columns_of_model
from abstain.tables.evaluation import (
    LabelledSamples,
    Outcomes,
    files_in_words,
    labelled_samples,
)
from abstain.tables.fitting import warnings_as_notes
from abstain.tables.groups import explain_no_group
from abstain.tables.reading import TableFile
from abstain.tables.targets import (
    group_columns,
    prior_of_classes,
    target_as_dict,
    with_classes,
    with_groups,
)
from abstain.tables.writing import json_number
from abstain.targets import Guarantee, Target
from abstain.targets.guarantee import likely_answers, needed_answers


class CellThreshold(NamedTuple):
    """The threshold of a cell, and how many of the rows are in it and rejected."""

    name: str
    threshold: float
    n_rows: int
    n_rejected: int


@dataclass(frozen=True, eq=False)
class Thresholds:
    """What the thresholds of a classifier do to the rows, and what it is certified for."""

    outcomes: Outcomes
    cells: list[CellThreshold]
    guarantees: tuple[Guarantee, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return counts, thresholds and certificates for a JSON document."""
        counts = self.outcomes
        return {
            "n_answered": counts.n_answered,
            "n_right": counts.n_right,
            "n_wrong": counts.n_wrong,
            "n_rejected": counts.n_rejected,
            "accuracy": counts.accuracy,
            "reject_rate": counts.n_rejected / (counts.n_answered + counts.n_rejected),
            "cell_names": [each.name for each in self.cells],
            "thresholds": [json_number(each.threshold) for each in self.cells],
            "guarantees": [asdict(each) for each in self.guarantees],
        }


@dataclass(frozen=True, eq=False)
class Recalibration:
    """A classifier with new thresholds, and what the old and the new ones do to the same rows."""

    clf: RejectOptionClassifier
    label: str
    n_rows: int
    n_left_out: int
    n_unknown: int
    share_known: float
    before: Thresholds
    after: Thresholds
    notes: list[str] = field(default_factory=list)
    # Rows that `expert_labels` marks "fit only".
    n_for_fit: int = 0

    def as_dict(self, write: Callable[[str], str] = str) -> dict[str, Any]:
        """Return the result for a JSON document; ``write`` renders messages."""
        return {
            "label": self.label,
            "n_rows": self.n_rows,
            "n_left_out": self.n_left_out,
            "n_for_fit": self.n_for_fit,
            "n_of_unknown_classes": self.n_unknown,
            "share_known": self.share_known,
            "target": target_as_dict(self.clf.target),
            "class_prior": self.clf.class_prior,
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "counted_on": "rows of the table",
            "expected": None if self.clf.expected_ is None else asdict(self.clf.expected_),
            "notes": [write(note) for note in self.notes],
        }


def recalibrate_table(
    clf: RejectOptionClassifier,
    table: TableFile | Sequence[TableFile],
    target: Target | None = None,
    *,
    class_prior: Mapping[Any, float] | None = None,
    test_size: float | None = None,
    label: str | None = None,
    on_fit_rows: bool = False,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Recalibration:
    """Return a classifier with thresholds that are set again on the rows of a table, or of several.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded. It is not changed.
    table : TableFile or sequence of TableFile
        Recent rows whose class is known, others than those of the fit; rows without are left out,
        and so are those that `expert_labels` marks "fit only".
    target : Target, default=None
        Another target, which names classes as the table does; None keeps that of the classifier.
    class_prior : dict, default=None
        Other class proportions of new rows; None keeps those of the classifier.
    test_size : float, default=None
        The share of the rows that test a certificate; None keeps that of the classifier.
    label : str, default=None
        The column that names the classes; None is that of the fit.
    on_fit_rows : bool, default=False
        Use the rows though the classifier was fitted on some of them, which are refused otherwise.
    watch : callable, default=nothing
        Called with the number of blocks read and an estimate of all.

    Returns
    -------
    result : Recalibration
        The new classifier, and what both do to the rows.

    Raises
    ------
    InputError
        If the target cannot be met on these rows, or the classifier was fitted to some of them.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier, RejectRate
    >>> from abstain.tables import open_table, recalibrate_table
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2, target=RejectRate(0.25))
    >>> clf = clf.fit(frame, ["x", "x", "y", "y"] * 5)
    >>> recent = pl.DataFrame({"a": [0.2, 2.4, 2.6, 4.8] * 5, "kind": ["x", "x", "y", "y"] * 5})
    >>> with TemporaryDirectory() as folder:
    ...     recent.write_csv(Path(folder, "recent.csv"))
    ...     table = open_table(Path(folder, "recent.csv"))
    ...     result = recalibrate_table(clf, table, RejectRate(0.5), label="kind")
    >>> result.after.outcomes.n_rejected
    10
    """
    clf, old = copy(clf), clf
    label = columns_of_model(clf).label if label is None else label
    classes = {str(each): each for each in clf.classes_.tolist()}
    if target is not None:
        target = with_classes(target, classes, str(label))
    target = clf._target() if target is None else target
    if class_prior is not None:
        clf.class_prior = prior_of_classes(class_prior, classes, str(label))
    if test_size is not None:
        clf.test_size = test_size
    column = _column_of_groups(target)
    samples = labelled_samples(old, table, None, label, watch, groups=column)
    if samples.share_known and not on_fit_rows:
        where = files_in_words([table] if isinstance(table, TableFile) else table)
        raise InputError(
            f"the model was fitted to {samples.share_known:.0%} of the rows of {where}, and "
            "is surer of them than of new ones; give rows that came later, or ",
            Argument("on_fit_rows"),
            " to use these nevertheless, as where rows are equal by chance",
        )
    groups: dict[str, NDArray[Any]] = {}
    if column is not None and samples.groups is not None:
        groups[column] = samples.groups
    clf.target = with_groups(target, groups.__getitem__)
    with warnings_as_notes() as warned, explain_no_group(groups):
        clf.recalibrate(samples.X, samples.y, on_fit_samples=True)  # known to be none, or asked for
    clf.target = target  # a model holds the name of the column, not the groups of the rows
    clf._use_target()
    return Recalibration(
        clf,
        str(label),
        len(samples.y),
        samples.n_left_out,
        samples.n_unknown,
        samples.share_known,
        thresholds_on(old, samples),
        thresholds_on(clf, samples),
        [*_notes(samples, bool(certificates_of(clf))), *warned],
        samples.n_for_fit,
    )


class RowsToCertify(NamedTuple):
    """How many recent rows may certify again what was promised.

    ``likely`` are enough if as many are answered as ``n_answered`` of ``n_rows``, and half as many
    of these are wrong as the accuracy allows; ``least`` if no answer is wrong.
    """

    accuracy: float
    confidence: float
    likely: int
    least: int


def rows_to_certify(clf: Any, n_answered: int, n_rows: int) -> RowsToCertify | None:
    """Return how many rows may certify the accuracy again; None if none is certified.

    If no row was answered, the share is that of the rows that set the thresholds.
    """
    if not n_answered:
        n_rows = clf.operating_point_.n_samples
        n_answered = max(1, round(n_rows * clf.operating_point_.coverage))
    for each in certificates_of(clf):
        if each.name == Guarantee.name:
            promise = each.accuracy, each.confidence
            rows = [
                ceil(enough(*promise) * n_rows / n_answered)
                for enough in (likely_answers, needed_answers)
            ]
            return RowsToCertify(*promise, *rows)
    return None


def _column_of_groups(target: Any) -> str | None:
    columns = list(dict.fromkeys(group_columns(target)))
    if len(columns) > 1:
        raise InputError(
            f"the target must name the groups by one column, got {', '.join(map(shown, columns))}; "
            "give another target"
        )
    return columns[0] if columns else None


def thresholds_on(clf: Any, samples: LabelledSamples) -> Thresholds:
    """Return what the thresholds of a classifier do to samples."""
    decisions = clf.decide(samples.X)
    names, n_cells = cell_names(clf), len(clf.thresholds_)
    sizes = np.bincount(decisions.positions, minlength=n_cells).tolist()
    rejects = np.bincount(decisions.positions[decisions.rejected], minlength=n_cells).tolist()
    cells = map(CellThreshold, names, clf.thresholds_.tolist(), sizes, rejects)
    right = (clf.classes_[decisions.class_indices] == samples.y)[~decisions.rejected]
    n_right, n_answered = int(right.sum()), len(right)
    outcomes = Outcomes(n_right, n_answered - n_right, len(samples.y) - n_answered)
    return Thresholds(outcomes, list(cells), certificates_of(clf))


def _notes(samples: LabelledSamples, is_certified: bool) -> list[str]:
    notes = []
    if samples.share_known:
        promise = ", so that a certificate on them does not hold for new ones" * is_certified
        notes.append(
            f"the model was fitted to {samples.share_known:.0%} of these rows, and is surer of "
            f"them than of new ones{promise}; give rows that came later"
        )
    if samples.n_unknown:
        rows = "1 row is" if samples.n_unknown == 1 else f"{samples.n_unknown:,} rows are"
        notes.append(
            f"{rows} of a class that the model does not know: any answer to such a row is wrong, "
            "and counts as an error here"
        )
    return notes
