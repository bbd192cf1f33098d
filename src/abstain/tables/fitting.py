"""How does a labelled table become a classifier with a reject option?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from abstain._core.errors import Argument, InputError, Message, shown
from abstain._core.text import first_of, one_line
from abstain.classifier import RejectOptionClassifier
from abstain.classifier.cell_names import cell_names
from abstain.classifier.dependence import Groups, given_groups, split_folds
from abstain.classifier.missing_codes import SAID_OF_CODES
from abstain.classifier.overlap import UNDETECTED, undetected_outliers
from abstain.classifier.subjects import SAID_OF_SUBJECTS, subject_notes
from abstain.metrics import ClassReport
from abstain.tables.columns import find_empty_rows
from abstain.tables.evaluation import (
    alarms_of,
    cost_of_calibration,
    report_calibration,
)
from abstain.tables.features import Features, choose_features, lost_labels, read_labels
from abstain.tables.groups import (
    GroupComparison,
    compare_fitted_groups,
    explain_no_group,
    group_labels,
)
from abstain.tables.joining import join_tables
from abstain.tables.labels import CASE, USE
from abstain.tables.models import ModelSpec, find_model, make_pipeline
from abstain.tables.reading import TableFile, find_column
from abstain.tables.subjects import row_groups, subject_columns
from abstain.tables.targets import (
    group_columns,
    prior_of_classes,
    target_as_dict,
    with_classes,
    with_groups,
)
from abstain.tables.unseen_values import codes_for_missing
from abstain.tables.values import as_categories, read_numbers, without_missing
from abstain.tables.writing import class_rows, group_rows, json_number, point_as_dict
from abstain.targets import ExpectedCost, RejectRate, Target
from abstain.targets.base import certifies

_CLASSES_TO_LIST = 5
_WHOLE, _GROUPED = r"^[+-]?\d{1,3}$", r"^[+-]?[1-9]\d{0,2}(\.\d{3})+$"
# Above this number of rows, some models take minutes, and these take seconds.
_MANY_ROWS, _FAST_MODELS = 50_000, ("logistic", "naive-bayes", "lda", "tree", "boosting")
# A text for a missing label in this share of the rows may be the name of a class.
_MANY_LOST = 0.05


@dataclass(frozen=True)
class FitOptions:
    """How a table is fitted.

    Parameters
    ----------
    label : str
        The column that names the classes.
    model : str, default="gmlvq"
        The name of a model, such as "gmlvq", "logistic" or "forest".
    target : Target, default=RejectRate(0.1)
        Which point of the front to run at. Classes are named as in the table; ``groups`` may name
        a column, which is then no feature unless ``keep`` or ``categorical`` names it too.
    cells : {"auto", "global", "class", "prototype", "leaf"}, default="auto"
        Which rows share a threshold.
    certainty : str, default="auto"
        The certainty measure.
    method : {"pooled", "exact", "hull", "greedy"}, default="pooled"
        How thresholds are found.
    class_prior : dict, default=None
        The share of classes in new rows, by name, if it differs from that in the table; classes
        that are not named share the rest. See `RejectOptionClassifier`.
    cv : int, default=5
        The number of folds, so that thresholds are set on answers to unseen rows; 0 sets them on
        the rows of the fit.
    outliers : float, default=0.01
        The share of rows like those of the fit that may be rejected as outliers; None rejects none.
    test_size : float, default=None
        The share of the rows that test a certified accuracy; None chooses it.
    seed : int, default=0
        Seed of the random numbers.
    group : str, default=None
        The column that names the subject of each row, such as a patient. Rows of one subject stay
        together, one of each tests what is certified, and the column is no feature.
    independent_rows : bool, default=False
        Whether rows are independent of each other though a column seems to name subjects, or though
        rows are equal. See `RejectOptionClassifier`.
    drop, keep, categorical : sequence of str, default=()
        Columns to leave out, to use though they would be left out, and whose numbers are
        categories.

    Examples
    --------
    >>> from abstain.tables import FitOptions
    >>> FitOptions("diagnosis", model="forest").cv
    5
    """

    label: str
    model: str = "gmlvq"
    target: Target = field(default_factory=lambda: RejectRate(0.1))
    cells: str = "auto"
    certainty: str = "auto"
    method: str = "pooled"
    class_prior: Mapping[Any, float] | None = None
    cv: int = 5
    outliers: float | None = 0.01
    test_size: float | None = None
    seed: int = 0
    group: str | None = None
    independent_rows: bool = False
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    categorical: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class FitResult:
    """A fitted classifier, its columns and classes, and notes on the data and the fit."""

    clf: RejectOptionClassifier
    model: ModelSpec
    label: str
    features: Features
    class_counts: dict[str, int]
    # Rows left out because they have no label, or nothing but a label.
    n_unlabelled: int = 0
    n_empty: int = 0
    notes: list[str] = field(default_factory=list)
    # The group of each row, by the column that the target names.
    groups: dict[str, NDArray[Any]] = field(default_factory=dict)
    # The column that names the subjects of the rows, and how many there are.
    group: str | None = None
    n_groups: int = 0
    # Rows of each class without those that are labelled for a fit only; None if there are none.
    usual_counts: dict[str, int] | None = None

    @property
    def n_rows(self) -> int:
        """Rows that were used."""
        return sum(self.class_counts.values())

    @property
    def n_outliers(self) -> int:
        """Rows that set the thresholds, and are rejected as outliers."""
        outlier = self.clf.calibration_.outlier
        return 0 if outlier is None else int(outlier.sum())

    @property
    def class_report(self) -> ClassReport:
        """Counts, recall and precision of each class, on the rows that set the thresholds."""
        return report_calibration(self.clf)

    @property
    def group_comparisons(self) -> dict[str, GroupComparison]:
        """What each group gets, with and without the condition of the target, by column."""
        return {
            name: compare_fitted_groups(self.clf, groups) for name, groups in self.groups.items()
        }

    @property
    def alarms(self) -> list[str]:
        """Lines on classes that are never answered rightly, and on answers that say nothing."""
        report, proportions = self.class_report, self.clf._proportions
        weights = 1.0 if proportions is None else proportions.weights_of(report.classes)
        return alarms_of(self.clf, report, weights)

    @property
    def class_shares(self) -> dict[str, float]:
        """The share of each class in the data that the numbers hold for."""
        return class_shares_of(self.clf, self.usual_counts or self.class_counts)

    def as_dict(self, write: Callable[[str], str] = str) -> dict[str, Any]:
        """Return the result for a JSON document; ``write`` renders messages.

        JSON has no infinite numbers: a threshold that rejects none of a cell is "-inf", one that
        rejects all of it "inf". An accuracy is None if everything is rejected. Cells are
        named twice: ``cells`` is what `set_thresholds` checks, ``cell_names`` what screens show.
        """
        clf, point = self.clf, self.clf.operating_point_
        cost, comparisons = cost_of_calibration(clf), self.group_comparisons
        return {
            "model": self.model.name,
            "label": self.label,
            "classes": self.class_counts,
            "n_rows": self.n_rows,
            "n_unlabelled": self.n_unlabelled,
            "n_empty": self.n_empty,
            "n_outliers": self.n_outliers,
            "group": self.group,
            "n_groups": self.n_groups,
            "numeric": self.features.numeric,
            "categorical": self.features.categorical,
            "left_out": {name: write(why) for name, why in self.features.left_out.items()},
            "written_like": {
                name: notation.example for name, notation in self.features.written.items()
            },
            "target": target_as_dict(clf.target),
            "class_prior": None if clf.class_prior is None else self.class_shares,
            **point_as_dict(point),
            "expected": None if clf.expected_ is None else asdict(clf.expected_),
            "guarantee": None if point.guarantee is None else asdict(point.guarantee),
            "guarantees": [asdict(each) for each in point.guarantees],
            "by_class": class_rows(self.class_report),
            "by_class_counted_on": "calibration rows",
            "by_group": {name: group_rows(each) for name, each in comparisons.items()},
            "by_group_counted_on": next((each.counted_on for each in comparisons.values()), None),
            "by_group_confidence": next((each.confidence for each in comparisons.values()), None),
            "cost_per_row": None if cost is None else cost.with_rejects,
            "cells": [None if cell is None else str(cell) for cell in clf.cells_.tolist()],
            "cell_names": cell_names(clf),
            "thresholds": list(map(json_number, clf.thresholds_.tolist())),
            "alarms": self.alarms,
            "notes": [write(note) for note in self.notes],
        }


def fit_table(
    table: TableFile | Sequence[TableFile],
    options: FitOptions,
    watch: Callable[[int, int], None] = lambda done, total: None,
    warn: Callable[[Message], None] = lambda note: None,
) -> FitResult:
    """Fit a classifier with a reject option to a table, or to the rows of several.

    Parameters
    ----------
    table : TableFile or sequence of TableFile
        From `open_table`. Of several, the columns that all have are used.
    options : FitOptions
        The label, the model and the target.
    watch : callable, default=nothing
        Called with the number of fits done and of all fits.
    warn : callable, default=nothing
        Called with one line before the fit, if that may take long.

    Returns
    -------
    result : FitResult
        The classifier, and what was left out.

    Raises
    ------
    InputError
        If the table cannot be learnt from, or the target cannot be met.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from sklearn.datasets import load_iris
    >>> from abstain.tables import FitOptions, fit_table, open_table
    >>> iris = load_iris()
    >>> frame = pl.DataFrame(iris.data, schema=["a", "b", "c", "d"])
    >>> frame = frame.with_columns(kind=iris.target_names[iris.target])
    >>> with TemporaryDirectory() as folder:
    ...     frame.write_csv(Path(folder, "iris.csv"))
    ...     result = fit_table(open_table(Path(folder, "iris.csv")), FitOptions("kind"))
    >>> result.class_counts
    {'setosa': 50, 'versicolor': 50, 'virginica': 50}
    >>> result.clf.operating_point_.reject_rate <= 0.1
    True
    """
    model = find_model(options.model)
    tables = [table] if isinstance(table, TableFile) else table
    _check_options(tables, options)
    table, frame, is_free, lacking, _ = join_tables(tables)
    frame = frame.drop(CASE, USE, strict=False)
    frame, is_free, for_fit = _without_rows_for_fit(frame, is_free, options)
    labels = read_labels(frame[options.label], table.decimal, table.missing)
    features = _features(frame, table, options)
    features.left_out.update(lacking)
    pipeline = make_pipeline(model, features, options.label, table.missing)
    samples = frame.select(features.numeric + features.categorical)
    samples = read_numbers(  # the pipeline does not read decimal commas
        samples, features.numeric, table.decimal, table.missing, features.written
    )
    is_empty = find_empty_rows(samples, pipeline.steps[0][1])
    used = labels.is_not_null() & ~is_empty
    X, y = samples.filter(used), labels.filter(used)
    counts = _class_counts(y, options)
    target = with_classes(options.target, list(counts), options.label)
    is_free = is_free.filter(used)
    usual = None if is_free.all() else _sizes(y.filter(is_free))
    clf = _classifier(pipeline, options, watch, is_free.to_numpy())
    clf.class_prior = prior_of_classes(options.class_prior, list(counts), options.label)
    groups = {
        name: group_labels(frame[name], table.missing).filter(used).to_numpy()
        for name in group_columns(target)
    }
    clf.target = with_groups(target, groups.__getitem__)
    about_subjects = _about_subjects(frame.filter(used), table, options)
    together = None
    if options.group is not None:
        together = row_groups(frame[options.group].filter(used), table.missing).to_numpy()
    n_fits = options.cv + 1
    if model.is_slow_on_many and len(y) > _MANY_ROWS:
        warn(_may_take_long(model, len(y)))
    watch(0, n_fits)
    in_one_line = _model_errors_in_one_line(model, len(y))
    with warnings_as_notes() as warned, in_one_line, explain_no_group(groups):
        warnings.filterwarnings("ignore", SAID_OF_SUBJECTS)  # which is said of the whole table
        warnings.filterwarnings("ignore", UNDETECTED)  # which is said at any rate
        clf.fit(X, np.array(y.to_list()), groups=together)
    clf.cv = options.cv or "training"  # which is saved with it
    if groups:  # a model holds the name of the column, not the groups of the rows
        clf.target = target
        clf._use_target()
    watch(n_fits, n_fits)
    notes = [
        *lost_labels(frame[options.label], table.missing, _MANY_LOST),
        *for_fit,
        *about_subjects,
        *_equal_rows(clf),
        *_undetected_outliers(clf),
        *_columns_that_tell_the_class(X, y),
        *_worse_than_constant(clf, usual or counts),
        *_classes_spelled_alike(list(counts)),
        *features.notes,
        *_ambiguous_points(frame, features, table),
        *codes_for_missing(X.select(features.numeric), table.missing),
        *warned,
    ]
    n_empty = int((labels.is_not_null() & is_empty).sum())
    return FitResult(
        *(clf, model, options.label, features, counts),
        *(labels.null_count(), n_empty, notes, groups, options.group),
        0 if together is None else len(np.unique(together)),
        usual,
    )


def _without_rows_for_fit(
    frame: pl.DataFrame, is_free: pl.Series, options: FitOptions
) -> tuple[pl.DataFrame, pl.Series, list[str]]:
    """Return the rows that may be used, which of them set thresholds, and a note on the others.

    Experts have labelled those for a fit only, and they are harder than rows to come: thresholds
    that they had set would reject too much, and what they tested would not be certified.
    """
    n_for_fit = int((~is_free).sum())
    if not n_for_fit:
        return frame, is_free, []
    if certifies(options.target) or options.class_prior is not None:
        why = "certify nothing of these" if certifies(options.target) else "tell no shares of these"
        note = (
            f"{n_for_fit:,} rows left out: they are labelled for a fit only, are harder than "
            f"others and {why}"
        )
        return frame.filter(is_free), is_free.filter(is_free), [note]
    if options.cv and is_free.any():
        note = (
            f"{n_for_fit:,} of the rows are labelled for a fit only: they teach the model, and as "
            "they are harder than others, they set no thresholds"
        )
        return frame, is_free, [note]
    note = (
        f"{n_for_fit:,} of the rows are labelled for a fit only: they are harder than others, "
        "so that new rows may do better than the figures of this fit"
    )
    return frame, is_free | True, [note]


def _features(frame: pl.DataFrame, table: TableFile, options: FitOptions) -> Features:
    """Choose the features; columns of groups are none unless they are asked for."""
    used_as_well = {*options.keep, *options.categorical}
    groups = {name for name in group_columns(options.target) if name not in used_as_well}
    if options.group is not None:
        groups.add(options.group)
    return choose_features(
        frame.drop(options.label, *groups),
        decimal=table.decimal,
        missing=table.missing,
        drop=options.drop,
        keep=options.keep,
        categorical=options.categorical,
    )


def _classifier(
    pipeline: Pipeline,
    options: FitOptions,
    watch: Callable[[int, int], None],
    is_free: NDArray[np.bool_],
) -> RejectOptionClassifier:
    return RejectOptionClassifier(
        pipeline,
        cells=options.cells,
        certainty=options.certainty,
        method=options.method,
        cv=_WatchedFolds(options.cv, watch, is_free) if options.cv else "training",
        outliers=options.outliers,
        test_size="auto" if options.test_size is None else options.test_size,
        independent_rows=options.independent_rows,
        random_state=options.seed,
    )


def _may_take_long(model: ModelSpec, n_rows: int) -> Message:
    return Message(
        Argument("model", model.name),
        f" may take long: its time grows faster than the rows, here {n_rows:,}; "
        f"{', '.join(_FAST_MODELS[:-1])} and {_FAST_MODELS[-1]} are faster",
    )


class _WatchedFolds:
    """Folds that call ``watch`` when each of them begins.

    Rows that are not ``is_free`` are fitted to, and never asked about.
    """

    def __init__(
        self, n_splits: int, watch: Callable[[int, int], None], is_free: NDArray[np.bool_]
    ) -> None:
        self.n_splits, self.watch, self.is_free = n_splits, watch, is_free

    def split_together(self, X: Any, y: Any, groups: Groups | None) -> Iterator[Any]:
        for done, fold in enumerate(split_folds(self.n_splits, X, y, {}, groups), start=1):
            self.watch(done, self.n_splits + 1)
            train, test = fold
            if not self.is_free.all():  # then nothing is held out, so that X has all rows
                test = test[self.is_free[test]]
            if len(test):
                yield train, test

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Any]:
        return self.split_together(X, y, given_groups(groups, len(y)))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.n_splits


def _check_options(tables: Sequence[TableFile], options: FitOptions) -> None:
    if options.cv < 0 or options.cv == 1:
        raise InputError(
            argument="cv", value=options.cv, requirement="must be at least 2 folds, or 0 for none"
        )
    for table in tables:
        find_column("label", options.label, table)
        if options.group is not None:
            find_column("group", options.group, table)
        for name in group_columns(options.target):
            find_column("groups", name, table)
    if options.group is not None:
        _check_group(options)
    for name in group_columns(options.target):
        if name == options.label:
            raise InputError(
                *(f"column {shown(name)} is both ", Argument("label"), " and ", Argument("groups")),
                "; give as groups another column",
            )
    lists = {name: getattr(options, name) for name in ("drop", "keep", "categorical")}
    for argument, columns in lists.items():
        for name in columns:
            find_column(argument, name, tables[0])
    for name in options.drop:
        if name in options.keep:
            raise InputError(
                *(f"column {shown(name)} is in both ", Argument("drop"), " and "),
                *(Argument("keep"), "; take it out of one"),
            )
    for argument, columns in lists.items():
        if options.label in columns:
            raise InputError(
                *(f"column {shown(options.label)} is both ", Argument("label"), " and in "),
                *(Argument(argument), "; the label is not a feature: take it out there"),
            )


def _check_group(options: FitOptions) -> None:
    group = Argument("groups", options.group, of="fit")
    if options.independent_rows:
        raise InputError(
            *(group, " says that rows belong together, and ", Argument("independent_rows")),
            " that they do not; drop one",
        )
    for argument in ("label", "drop", "keep", "categorical"):
        named = getattr(options, argument)
        if options.group in ([named] if isinstance(named, str) else named):
            raise InputError(
                *(f"column {shown(options.group)} is in both ", Argument("groups", of="fit")),
                *(" and ", Argument(argument), "; a column of groups is no feature: drop one"),
            )


def _about_subjects(frame: pl.DataFrame, table: TableFile, options: FitOptions) -> list[Message]:
    """Return notes on columns that seem to name subjects; without groups, certify nothing."""
    if options.group is not None:
        return []
    frame = frame.drop(options.label, *group_columns(options.target))
    columns = subject_columns(frame, table.missing)
    return subject_notes(
        columns,
        frame.height,
        options.target,
        is_independent=options.independent_rows,
        are_named=True,
    )


def _equal_rows(clf: RejectOptionClassifier) -> list[Message]:
    """Return a note if equal rows are counted once."""
    tested = clf._tested_groups
    if tested is None or tested.counted == "groups" or not tested.n_left_out:
        return []
    return [
        Message(
            f"held-out rows that are equal to others: {tested.n_left_out:,}; what is certified "
            "holds with equal rows counted once, and with all of them; if rows are equal by chance "
            "and not copied, give ",
            Argument("independent_rows"),
        )
    ]


def _undetected_outliers(clf: RejectOptionClassifier) -> list[Message]:
    """Return a note if no outliers are detected though they are asked for."""
    if clf.outliers is None or clf.detects_outliers_:
        return []
    return [undetected_outliers(clf.outliers)]


def _sizes(labels: pl.Series) -> dict[str, int]:
    counted = labels.alias("label").value_counts().sort("label")
    return dict(zip(counted["label"], counted["count"], strict=True))


def _class_counts(labels: pl.Series, options: FitOptions) -> dict[str, int]:
    """Return the size of each class; classes must have a row for each fold."""
    counts = _sizes(labels)
    if len(counts) < 2:
        raise InputError(
            f"label column {shown(labels.name)} names {len(counts)} class in rows that hold "
            "anything else; give rows of another class"
        )
    least = max(options.cv, 2)
    small = {name: count for name, count in counts.items() if count < least}
    if small:
        listed = [f"{shown(name)} ({count})" for name, count in small.items()]
        fewer = Message(", or use fewer folds than ", Argument("cv", options.cv))
        raise InputError(
            f"label column {shown(labels.name)}: each class must have at least {least} rows, got "
            f"{first_of(listed, _CLASSES_TO_LIST)}; add rows, merge such classes or remove them",
            fewer if options.cv > 2 and min(small.values()) >= 2 else "",
        )
    return counts


@contextmanager
def warnings_as_notes() -> Iterator[list[str]]:
    """Collect warnings as notes of one line each; the same one in every fold is kept once."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # A user cannot change how one library calls another.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.filterwarnings("ignore", SAID_OF_CODES)  # tables name an option instead
        yield notes
    for warning in caught:
        message = warning.message.args[0] if isinstance(warning.message, Warning) else ""
        note = message if isinstance(message, Message) else _first_line(warning.message)
        if note not in notes:
            notes.append(note)


@contextmanager
def _model_errors_in_one_line(model: ModelSpec, n_rows: int) -> Iterator[None]:
    """Report in one line why a model cannot be fitted to a table."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        raise InputError(
            argument="model",
            value=model.name,
            requirement=f"cannot be fitted to these {n_rows:,} rows: {_first_line(error)}",
            remedy=Message("add rows, or use another ", Argument("model")),
        ) from error


def _first_line(message: Any) -> str:
    first = str(message).strip().splitlines()[0] if str(message).strip() else "no reason given"
    return one_line(" ".join(first.split()).rstrip("."), 300)


# --- what in the table may have been meant otherwise than it was taken ----------------------------

# Nothing here is certainly wrong, so that it is a note of the fit and not an error.


def _ambiguous_points(frame: pl.DataFrame, features: Features, table: TableFile) -> list[Message]:
    """Return notes on columns whose points may separate thousands.

    Their numbers are whole below a thousand, and have three digits after the point above it.
    """
    if table.format is None or table.decimal != ".":
        return []
    remedy = Message("give ", Argument("decimal", ","))
    if table.format.separator == ",":  # no comma can be a decimal mark
        remedy = Message("write it without the point")
    notes = []
    for name in features.numeric:
        if name in features.written or frame[name].dtype != pl.String:
            continue
        present = without_missing(frame[name], table.missing).drop_nulls()
        grouped = present.str.contains(_GROUPED)
        is_whole = present.str.contains(_WHOLE)
        if grouped.any() and is_whole.any() and (grouped | is_whole).all():
            example = shown(present.filter(grouped)[0])
            taken = f"{shown(name)}: {example} is taken as a fraction; if it is thousands, "
            notes.append(Message(taken, remedy))
    return notes


def _columns_that_tell_the_class(samples: pl.DataFrame, labels: pl.Series) -> list[Message]:
    """Return notes on columns whose values correspond to the classes one to one."""
    n_classes = labels.n_unique()
    notes = []
    for column in samples:
        if column.n_unique() != n_classes:  # nearly always: pairs need not be compared
            continue
        pairs = pl.DataFrame([as_categories(column).alias("value"), labels.alias("class")])
        values = pairs["value"]
        if values.null_count() or values.n_unique() != n_classes or pairs.n_unique() != n_classes:
            continue
        notes.append(
            Message(
                f"column {shown(column.name)} tells the class in every row; if it is not known "
                "before the answer, leave it out: ",
                Argument("drop", [column.name]),
            )
        )
    return notes


def class_shares_of(clf: RejectOptionClassifier, class_counts: dict[str, int]) -> dict[str, float]:
    """Return the share of each class in new rows, or without a prior in the rows of the table."""
    if clf._proportions is not None:
        classes, shares, _ = clf._proportions
        return dict(zip(map(str, classes.tolist()), shares.tolist(), strict=True))
    n_rows = sum(class_counts.values())
    return {name: count / n_rows for name, count in class_counts.items()}


def _worse_than_constant(
    clf: RejectOptionClassifier, class_counts: dict[str, int]
) -> list[Message]:
    """Return a note if always answering the largest class is right more often than the model."""
    point = clf.operating_point_
    shares, right = class_shares_of(clf, class_counts), point.accuracy_without_rejects
    largest, share = max(shares.items(), key=lambda item: item[1])
    if right >= share or isinstance(clf.target, ExpectedCost):  # which asks for no accuracy
        return []
    return [
        Message(
            f"the model is right in {right:.2%} of the rows; always answering {shown(largest)} is "
            f"right in {share:.2%}: try another ",
            *(Argument("model"), ", or columns that tell more about the class"),
        )
    ]


def _classes_spelled_alike(classes: Sequence[str]) -> list[str]:
    """Return a note if classes differ only in capitals and blanks."""
    spellings: dict[str, list[str]] = {}
    for name in classes:
        spellings.setdefault("".join(name.casefold().split()), []).append(name)
    alike = [names for names in spellings.values() if len(names) > 1]
    if not alike:
        return []
    listed = " and ".join(", ".join(map(repr, names)) for names in alike[:_CLASSES_TO_LIST])
    return [f"classes differ only in capitals or blanks: {listed}; use one spelling per class"]
