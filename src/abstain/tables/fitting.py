"""How does a labelled table become a classifier with a reject option, and what came of it?"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from abstain._core.checks import InputError, shown
from abstain._core.text import one_line
from abstain.classifier import RejectOptionClassifier
from abstain.tables.columns import check_needed, find_column
from abstain.tables.doubts import points_in_doubt, telling_columns, worse_than_guessing
from abstain.tables.features import Features, choose_features
from abstain.tables.labels import lost_labels, read_labels
from abstain.tables.learners import Learner, learner_named, make_pipeline_for
from abstain.tables.needs import needs_of
from abstain.tables.reading import Table, read_table, told_of_separator
from abstain.tables.values import as_categories, as_numbers, without_missing
from abstain.tables.wording import in_options
from abstain.targets import RejectRate, Target

__all__ = ["Fitted", "Wishes", "fit_table", "labelled_samples"]

_CLASSES_TO_LIST = 5
# From so many rows on, some models take minutes where these take seconds.
_MANY_ROWS, _FAST = 50_000, ("logistic", "naive-bayes", "lda", "tree", "boosting")
# A text for a missing label that so many rows have may be the name of a class.
MANY_LOST = 0.05


@dataclass(frozen=True)
class Wishes:
    """What a fit shall be like.

    Parameters
    ----------
    label : str
        The column that names the classes.
    model : str, default="gmlvq"
        One of `LEARNERS`.
    target : Target, default=RejectRate(0.1)
        Which point of the front to run at.
    cells : {"auto", "global", "class", "prototype", "leaf"}, default="auto"
        Which rows share a threshold.
    certainty : str, default="auto"
        How sure the classifier is.
    method : {"pooled", "exact", "hull", "greedy"}, default="pooled"
        How thresholds are found.
    cv : int, default=5
        Folds, so that thresholds are set on answers to rows that had not been seen; 0 sets them on
        the rows that the classifier was fitted on.
    test_size : float, default=None
        The share of the rows that only test a certified accuracy; None chooses it.
    seed : int, default=0
        Decides what is drawn at random.
    drop, keep, categorical : sequence of str, default=()
        Columns to leave out, to take though they seem of no use, and whose numbers name kinds.

    Examples
    --------
    >>> Wishes("diagnosis", model="forest").cv
    5
    """

    label: str
    model: str = "gmlvq"
    target: Target = field(default_factory=lambda: RejectRate(0.1))
    cells: str = "auto"
    certainty: str = "auto"
    method: str = "pooled"
    cv: int = 5
    test_size: float | None = None
    seed: int = 0
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    categorical: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted classifier, and what it was fitted with.

    Attributes
    ----------
    clf : RejectOptionClassifier
        The classifier, its pipeline included.
    learner : Learner
        What is inside.
    label : str
        The column that names the classes.
    features : Features
        The columns that the classifier looks at, and why the others are left out.
    class_counts : dict of str to int
        Rows of each class.
    n_unlabelled, n_empty : int
        Rows left out because they have no label, or nothing but that.
    notes : list of str
        What the fit had to say.
    """

    clf: RejectOptionClassifier
    learner: Learner
    label: str
    features: Features
    class_counts: dict[str, int]
    n_unlabelled: int = 0
    n_empty: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def n_rows(self) -> int:
        """Rows that were used."""
        return sum(self.class_counts.values())


def fit_table(
    table: Table,
    wishes: Wishes,
    watch: Callable[[int, int], None] = lambda done, total: None,
    tell: Callable[[str], None] = lambda said: None,
) -> Fitted:
    """Fit a classifier with a reject option to a table.

    Parameters
    ----------
    table : Table
        From `open_table`.
    wishes : Wishes
        The label, the model and the target.
    watch : callable, default=nothing
        Told how many fits are done, and of how many.
    tell : callable, default=nothing
        Told in one line, before the fit, if that may take long.

    Returns
    -------
    fitted : Fitted
        The classifier, and what was left out.

    Raises
    ------
    InputError
        If the table cannot be learnt from, or the target not be met.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from abstain.tables import open_table
    >>> iris = load_iris()
    >>> frame = pl.DataFrame(iris.data, schema=["a", "b", "c", "d"])
    >>> frame = frame.with_columns(kind=iris.target_names[iris.target])
    >>> with TemporaryDirectory() as folder:
    ...     frame.write_csv(Path(folder, "iris.csv"))
    ...     fitted = fit_table(open_table(Path(folder, "iris.csv")), Wishes("kind"))
    >>> fitted.class_counts
    {'setosa': 50, 'versicolor': 50, 'virginica': 50}
    >>> fitted.clf.operating_point_.reject_rate <= 0.1
    True
    """
    learner = learner_named(wishes.model)
    _check_folds(wishes.cv)
    with told_of_separator(table):
        _check_named_columns(table, wishes)
    frame = read_table(table)
    decimal = "." if table.format is None else table.format.decimal
    labels = read_labels(frame[wishes.label], decimal, table.missing)
    features = choose_features(
        frame.drop(wishes.label),
        decimal=decimal,
        missing=table.missing,
        drop=wishes.drop,
        keep=wishes.keep,
        categorical=wishes.categorical,
    )
    pipeline = make_pipeline_for(learner, features, wishes.label, table.missing)
    samples = _typed(frame, features, decimal, table)
    is_empty = _empty_rows(samples, features, table.missing)
    used = labels.is_not_null() & ~is_empty
    counts = _class_counts(labels.filter(used), wishes)
    clf = RejectOptionClassifier(
        pipeline,
        target=wishes.target,
        cells=wishes.cells,
        certainty=wishes.certainty,
        method=wishes.method,
        cv=_WatchedFolds(wishes.cv, watch) if wishes.cv else "training",
        test_size="auto" if wishes.test_size is None else wishes.test_size,
        random_state=wishes.seed,
    )
    n_fits = wishes.cv + 1
    if learner.is_slow_on_many and sum(counts.values()) > _MANY_ROWS:
        tell(_may_take_long(learner, sum(counts.values())))
    watch(0, n_fits)
    with _noted(wishes.model) as notes, _refused_by(learner, sum(counts.values())):
        clf.fit(samples.filter(used), np.array(labels.filter(used).to_list()))
    clf.cv = wishes.cv or "training"  # which is saved with it
    watch(n_fits, n_fits)
    point = clf.operating_point_
    notes[:0] = [
        *lost_labels(frame[wishes.label], table.missing, MANY_LOST),
        *telling_columns(samples.filter(used), labels.filter(used)),
        *worse_than_guessing(point.n_errors, point.n_samples, counts),
        *_spelled_alike(list(counts)),
        *features.notes,
        *points_in_doubt(frame, features, table.format, table.missing),
    ]
    n_unlabelled = labels.null_count()
    n_empty = int((labels.is_not_null() & is_empty).sum())
    return Fitted(clf, learner, wishes.label, features, counts, n_unlabelled, n_empty, notes)


def _may_take_long(learner: Learner, n_rows: int) -> str:
    return (
        f"--model {learner.name} may take long: its time grows faster than the rows, here "
        f"{n_rows:,}; {', '.join(_FAST[:-1])} and {_FAST[-1]} are faster"
    )


class _WatchedFolds:
    """The folds that a number stands for; the caller is told when each of them begins."""

    def __init__(self, n_splits: int, watch: Callable[[int, int], None]) -> None:
        self.folds, self.watch = StratifiedKFold(n_splits), watch

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Any]:
        for done, fold in enumerate(self.folds.split(X, y), start=1):
            self.watch(done, self.get_n_splits() + 1)
            yield fold

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return int(self.folds.get_n_splits())


def _check_folds(cv: int) -> None:
    if cv < 0 or cv == 1:
        raise InputError(f"--cv must be at least 2 folds, or 0 for none, got {cv}")


def _check_named_columns(table: Table, wishes: Wishes) -> None:
    find_column("--label", wishes.label, table.names, table.path)
    for option in ("drop", "keep", "categorical"):
        for name in getattr(wishes, option):
            find_column(f"--{option}", name, table.names, table.path)
    for name in wishes.drop:
        if name in wishes.keep:
            raise InputError(
                f"column {shown(name)} is in both --drop and --keep; take it out of one"
            )
    for option in ("drop", "keep", "categorical"):
        if wishes.label in getattr(wishes, option):
            raise InputError(
                f"column {shown(wishes.label)} is both --label and in --{option}; the label is no "
                "feature: take it out there"
            )


def _typed(frame: pl.DataFrame, features: Features, decimal: str, table: Table) -> pl.DataFrame:
    """Return the features, numbers as such; the pipeline itself knows no decimal commas."""
    return frame.select(
        [
            features.written[name].numbers(frame[name], table.missing)
            if name in features.written and frame[name].dtype == pl.String
            else as_numbers(frame[name], decimal, table.missing)
            for name in features.numeric
        ]
        + [frame[name] for name in features.categorical]
    )


def _empty_rows(
    samples: pl.DataFrame, features: Features, missing: Sequence[str] = ()
) -> pl.Series:
    """Tell which rows say nothing: all that the model needs is missing."""
    is_missing = [samples[name].is_null() for name in features.numeric]
    is_missing += [
        without_missing(samples[name], missing).is_null() for name in features.categorical
    ]
    return pl.DataFrame(is_missing).select(pl.all_horizontal(pl.all())).to_series()


def _class_counts(labels: pl.Series, wishes: Wishes) -> dict[str, int]:
    """Return the size of each class, or say which are too small."""
    counted = labels.alias("label").value_counts().sort("label")
    counts = dict(zip(counted["label"], counted["count"], strict=True))
    if len(counts) < 2:
        raise InputError(
            f"label column {shown(labels.name)} names {len(counts)} class in rows that say "
            "anything else; give rows of another class"
        )
    least = max(wishes.cv, 2)
    small = {name: count for name, count in counts.items() if count < least}
    if small:
        told = [f"{shown(name)} ({count})" for name, count in small.items()]
        more = f" and {len(told) - _CLASSES_TO_LIST} more" if len(told) > _CLASSES_TO_LIST else ""
        enough = wishes.cv > 2 and min(small.values()) >= 2
        fewer = f", or take fewer folds (--cv is {wishes.cv})" if enough else ""
        raise InputError(
            f"label column {shown(labels.name)}: each class must have at least {least} rows, got "
            f"{', '.join(told[:_CLASSES_TO_LIST])}{more}; add rows, merge such classes or remove "
            f"them{fewer}"
        )
    return counts


def _spelled_alike(classes: list[str]) -> list[str]:
    """Return a note if classes differ in nothing but capitals and blanks."""
    spellings: dict[str, list[str]] = {}
    for name in classes:
        spellings.setdefault("".join(name.casefold().split()), []).append(name)
    alike = [names for names in spellings.values() if len(names) > 1]
    if not alike:
        return []
    told = " and ".join(", ".join(map(repr, names)) for names in alike[:_CLASSES_TO_LIST])
    return [f"classes differ only in capitals or blanks: {told}; write those that are meant alike"]


@contextmanager
def _noted(model: str) -> Iterator[list[str]]:
    """Keep warnings as notes of one line each; the same in every fold is said once."""
    notes: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # What one library says of another's calls, no user can change.
            warnings.simplefilter("ignore", DeprecationWarning)
            yield notes
    except InputError as error:
        raise InputError(in_options(str(error), model)) from None
    for warning in caught:
        note = in_options(_one_line(warning.message), model)
        if note not in notes:
            notes.append(note)


@contextmanager
def _refused_by(learner: Learner, n_rows: int) -> Iterator[None]:
    """Tell in one line what a model has against a table: which rows it takes, only it knows."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        raise InputError(
            f"--model {learner.name} cannot be fitted to these {n_rows:,} rows: "
            f"{_one_line(error)}; add rows, or take another --model"
        ) from error


def _one_line(message: Any) -> str:
    first = str(message).strip().splitlines()[0] if str(message).strip() else "no reason given"
    return one_line(" ".join(first.split()).rstrip("."), 300)


class LabelledSamples(NamedTuple):
    """Rows of a table whose class is known.

    Attributes
    ----------
    X : polars.DataFrame
        The features, as the classifier takes them.
    y : ndarray of shape (n_samples,)
        Names of classes.
    names : list of str
        What the rows are called.
    share_known : float
        The share of them that the classifier was fitted to.
    n_unknown : int
        How many are of classes that it does not know.
    """

    X: pl.DataFrame
    y: NDArray[Any]
    names: list[str]
    share_known: float
    n_unknown: int


def labelled_samples(
    clf: Any,
    table: Table,
    naming: str | None = None,
    label: str | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> LabelledSamples:
    """Return the rows of a table that a saved classifier can be judged by, and their classes.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    table : Table
        From `open_table`; it must have the features and the label column of the fit.
    naming : str, default=None
        The column that names the rows; None counts them from 1, as they stand in the file.
    label : str, default=None
        The column that names the classes; None is that of the fit.
    watch : callable, default=nothing
        Told how many blocks of the table are read, and of about how many.

    Returns
    -------
    samples : LabelledSamples
        Features, classes and names. Rows without a label, and rows that say nothing, are left out.

    Raises
    ------
    InputError
        If a column is missing, a value is no number, or no row has a class that the model knows.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from abstain.tables import Wishes, fit_table, labelled_samples, open_table
    >>> frame = pl.DataFrame({"a": [0.1, 0.2, 1.1, 1.2] * 10, "kind": ["x", "x", "y", "y"] * 10})
    >>> with TemporaryDirectory() as folder:
    ...     frame.write_csv(Path(folder, "t.csv"))
    ...     table = open_table(Path(folder, "t.csv"))
    ...     found = labelled_samples(fit_table(table, Wishes("kind")).clf, table)
    >>> found.X.columns, found.y[:3].tolist(), found.names[:3]
    (['a'], ['x', 'x', 'y'], ['row 1', 'row 2', 'row 3'])
    """
    needs = needs_of(clf)
    label = needs.label if label is None else label
    if label is None:
        raise InputError(
            "the model does not know which column names the classes; name it: --label COLUMN"
        )
    with told_of_separator(table):
        find_column("--label", label, table.names, table.path)
        check_needed(needs.needed, table.names, table.path)
        if naming is not None:
            find_column("--names", naming, table.names, table.path)
    frame = read_table(table, watch)
    decimal = "." if table.format is None else table.format.decimal
    features = Features(list(needs.numeric), list(needs.categorical), written=needs.notations)
    samples = needs.transform(_typed_or_text(frame, features, decimal, table))
    # Which classes there are is known: a few rows, or rows of one class, will do.
    labels = as_categories(frame[label], [*table.missing, *needs.missing])
    used = labels.is_not_null() & ~_empty_rows(samples, features)
    y = _as_known(labels.filter(used).to_list(), clf.classes_, f"{shown(label)} of {table.path}")
    names = [f"row {row}" for row in range(1, len(frame) + 1)]
    if naming is not None:
        names = ["" if name is None else str(name) for name in frame[naming].to_list()]
    kept = [name for name, is_used in zip(names, used.to_list(), strict=True) if is_used]
    found = samples.filter(used)
    share_known = needs.share_known(found) if hasattr(needs, "known_rows_") else 0.0
    n_unknown = int(np.count_nonzero(~np.isin(y, clf.classes_)))
    return LabelledSamples(found, y, kept, share_known, n_unknown)


def _as_known(names: list[str], classes: Any, where: str) -> Any:
    """Return classes that are named in a table as the model knows them."""
    known = {str(label): label for label in classes.tolist()}
    told = ", ".join(map(shown, list(known)[:_CLASSES_TO_LIST]))
    names = _as_spelled(names, list(known))
    if not any(name in known for name in names):
        found = ", ".join(map(shown, list(dict.fromkeys(names))[:_CLASSES_TO_LIST]))
        raise InputError(
            f"label column {where} must name classes of the model ({told}), got "
            f"{found or 'no label'}; check the file"
        )
    if classes.dtype.kind in "US":
        return np.array(names)
    for name in names:
        if name not in known:
            raise InputError(
                f"label column {where} must name classes of the model ({told}), got {shown(name)}; "
                "leave such rows out"
            )
    return np.array([known[name] for name in names], dtype=classes.dtype)


def _as_spelled(names: list[str], known: list[str]) -> list[str]:
    """Return names as a model spells them: numbers that are equal name the same class.

    Whoever writes whole numbers with gaps among them may write 1.0 for 1.
    """
    spelled: dict[float, list[str]] = {}
    for number, name in zip(_numbers_of(known), known, strict=True):
        spelled.setdefault(number, []).append(name)
    others = list(set(names) - set(known))
    alike = zip(others, map(spelled.get, _numbers_of(others)), strict=True)
    # Where 1 and 1.0 are two classes, 1.00 is none of them.
    instead = {other: same[0] for other, same in alike if same is not None and len(same) == 1}
    return [instead.get(name, name) for name in names]


def _numbers_of(names: list[str]) -> list[float]:
    """Return names as numbers; one that is no number is nan, which equals nothing."""
    return as_numbers(pl.Series(names, dtype=pl.String)).fill_null(np.nan).to_list()


def _typed_or_text(
    frame: pl.DataFrame, features: Features, decimal: str, table: Table
) -> pl.DataFrame:
    """Return the features, a column of numbers as text where a value in it is none."""
    typed = _typed(frame, features, decimal, table)
    for name in features.numeric:
        present = without_missing(frame[name], table.missing)
        if typed[name].null_count() > present.null_count():
            typed = typed.with_columns(frame[name])
    return typed
