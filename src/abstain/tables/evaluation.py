"""How does a classifier do on rows of a table whose class is known, and on each class?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError, shown
from abstain._core.text import first_of, row_number
from abstain.metrics import ClassReport, class_report
from abstain.monitor import CertificateTest, RiskMonitor
from abstain.monitor.certificates import certificate_tests, monitored_rows
from abstain.tables.columns import TableColumns, columns_of_model, find_empty_rows
from abstain.tables.groups import GroupComparison, compare_groups, group_labels
from abstain.tables.joining import join_tables
from abstain.tables.labels import FOR_FIT, USE
from abstain.tables.reading import TableFile, check_needed, find_column
from abstain.tables.values import as_categories, as_numbers, read_numbers
from abstain.targets import ExpectedCost

_CLASSES_TO_LIST = 5
_TABLES_TO_LIST = 3


class LabelledSamples(NamedTuple):
    """Rows of a table whose class is known: features, classes, names and groups.

    ``share_known`` of them were in the fit; ``n_unknown`` are of classes that were not.
    ``n_left_out`` rows of the table have no class, or nothing but a class, and ``n_for_fit`` were
    labelled by experts for a fit only.
    """

    X: pl.DataFrame
    y: NDArray[Any]
    names: list[str]
    share_known: float
    n_unknown: int
    groups: NDArray[Any] | None = None
    n_left_out: int = 0
    # Where each of them stands in the table, as a spreadsheet counts: the header is row 1.
    rows: NDArray[np.int64] | None = None
    n_for_fit: int = 0


class Outcomes(NamedTuple):
    """How many rows were answered right, answered wrong, and rejected."""

    n_right: int
    n_wrong: int
    n_rejected: int

    @property
    def n_answered(self) -> int:
        """Rows that were answered."""
        return self.n_right + self.n_wrong

    @property
    def accuracy(self) -> float | None:
        """Share of right answers; None if there are no answers."""
        return self.n_right / self.n_answered if self.n_answered else None


class Results(NamedTuple):
    """What a classifier does to rows whose class is known: to each class, and to each group.

    ``certificates`` says whether they contradict what is certified, and ``monitor`` what their
    order adds; see `monitor.certificates`.
    """

    by_class: ClassReport
    by_group: GroupComparison | None
    alarms: list[str]
    certificates: tuple[CertificateTest, ...] = ()
    monitor: RiskMonitor | None = None
    # Rows that are rejected as outliers.
    n_outliers: int = 0

    @property
    def outcomes(self) -> Outcomes:
        """Right answers, wrong answers and rejects; an answer to an unknown class is wrong."""
        counts = self.by_class.right, self.by_class.wrong, self.by_class.rejected
        return Outcomes(*(int(each.sum()) for each in counts))


def evaluate_samples(clf: Any, samples: LabelledSamples, groups_of: str | None = None) -> Results:
    """Evaluate a classifier at its own thresholds; ``groups_of`` names the column of groups."""
    decisions = clf.decide(samples.X)
    answers = clf.classes_[decisions.class_indices]
    by_class = class_report(samples.y, answers, decisions.rejected)
    by_group = None
    if samples.groups is not None:
        decided_by = decisions.certainty, decisions.positions, decisions.outlier
        by_group = compare_groups(clf, samples.y, answers, *decided_by, samples.groups)
    known = samples.share_known
    certificates = certificate_tests(
        *(clf, decisions, samples.y, samples.groups, groups_of), share_known=known
    )
    monitored = monitored_rows(clf, decisions, samples.y, known)
    return Results(
        *(by_class, by_group, alarms_of(clf, by_class), certificates),
        None if monitored is None else monitored[0],
        int(decisions.outlier.sum()),
    )


# --- calibration data -----------------------------------------------------------------------------


def is_calibration_rejected(clf: Any) -> NDArray[np.bool_]:
    """Return which calibration samples a classifier rejects."""
    return np.asarray(clf.calibration_.rejected(clf.thresholds_, clf._own_cells))


def report_calibration(clf: Any) -> ClassReport:
    """Return the class report of the calibration samples.

    With weights, precisions follow them; they have no exact limits then.
    """
    truth, answers, weights = (
        getattr(clf.calibration_, name) for name in ("truth", "answers", "weights")
    )
    rejected = is_calibration_rejected(clf)
    report = class_report(truth, answers, rejected)
    if weights is None:
        return report
    named, right = (
        np.array([weights[members & (answers == label)].sum() for label in report.classes])
        for members in (~rejected, ~rejected & (truth == answers))
    )
    nothing = np.full(len(named), np.nan)
    precision = np.divide(right, named, out=nothing.copy(), where=named > 0)
    return report._replace(precision=precision, precision_low=nothing, precision_high=nothing)


class CostPerRow(NamedTuple):
    """What a row costs on average: answered, answered or rejected, and always the same answer."""

    all_answered: float
    with_rejects: float
    constant: float
    constant_answer: str


def cost_of_calibration(clf: Any) -> CostPerRow | None:
    """Return what a calibration sample costs on average; None if the target has no costs."""
    if not isinstance(clf.target, ExpectedCost):
        return None
    truth, answers = clf.calibration_.truth, clf.calibration_.answers
    rejected = is_calibration_rejected(clf)
    answered = np.zeros_like(rejected)

    def mean(answers: Any, rejected: Any) -> float:
        costs = clf.target.costs_of(truth, answers, rejected, clf.classes_)
        return float(np.average(costs, weights=clf.calibration_.weights))

    constants = [mean(np.full_like(answers, label), answered) for label in clf.classes_]
    least = int(np.argmin(constants))
    return CostPerRow(
        mean(answers, answered), mean(answers, rejected), constants[least], str(clf.classes_[least])
    )


def alarms_of(clf: Any, report: ClassReport, weights: NDArray[np.float64] | float = 1) -> list[str]:
    """Return lines on classes that are never answered rightly, and on answers that say nothing."""
    # By costs, another answer than the most probable one may be the best.
    has_costs = isinstance(clf.target, ExpectedCost)
    return class_alarms(report) + ([] if has_costs else constant_alarm(report, weights))


def class_alarms(report: ClassReport) -> list[str]:
    """Return a line for each class of which no sample is answered rightly."""
    alarms = []
    for label, samples, answered, right in zip(*(c.tolist() for c in report[:4]), strict=True):
        if samples and not right:
            what = f"{answered:,} answered, all wrong" if answered else "all rejected"
            rows = "1 row" if samples == 1 else f"{samples:,} rows"
            alarms.append(f"class {shown(label)} is never answered rightly: {rows}, {what}")
    return alarms


def constant_alarm(report: ClassReport, weights: NDArray[np.float64] | float = 1) -> list[str]:
    """Return a line if the answers are no better than always naming the largest class.

    ``weights`` say how often new data have samples of each class, relative to these.
    """
    answered = weights * report.answered
    n_answered, largest = answered.sum(), int(answered.argmax())
    n_right, n_constant = (weights * report.right).sum(), answered[largest]
    if not n_answered or n_right > n_constant:
        return []
    return [
        f"the answers are no better than always naming {shown(report.classes[largest].item())}: "
        f"{n_right / n_answered:.2%} of them are right, and {n_constant / n_answered:.2%} would be"
    ]


# --- a table --------------------------------------------------------------------------------------


def labelled_samples(
    clf: Any,
    table: TableFile | Sequence[TableFile],
    names: str | None = None,
    label: str | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
    *,
    groups: str | None = None,
) -> LabelledSamples:
    """Return the rows of a table, or of several, by which a saved classifier can be evaluated.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    table : TableFile or sequence of TableFile
        From `open_table`; each must have the features and the label column of the fit.
    names : str, default=None
        The column that names the rows; None numbers them as a spreadsheet does: the first is row 2.
        Of several tables, the name of the file follows.
    label : str, default=None
        The column that names the classes; None is that of the fit.
    watch : callable, default=nothing
        Called with the number of blocks read and an estimate of all.
    groups : str, default=None
        The column that names the group of each row; None for no groups.

    Returns
    -------
    samples : LabelledSamples
        Features, classes, names and groups. Rows without a label, empty rows and those that
        `expert_labels` marks "fit only" are left out.

    Raises
    ------
    InputError
        If a column is missing, a value is not a number, or no row has a class of the model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain.tables import FitOptions, fit_table, labelled_samples, open_table
    >>> frame = pl.DataFrame({"a": [0.1, 0.2, 1.1, 1.2] * 10, "kind": ["x", "x", "y", "y"] * 10})
    >>> with TemporaryDirectory() as folder:
    ...     frame.write_csv(Path(folder, "t.csv"))
    ...     table = open_table(Path(folder, "t.csv"))
    ...     samples = labelled_samples(fit_table(table, FitOptions("kind")).clf, table)
    >>> samples.X.columns, samples.y[:3].tolist(), samples.names[:3]
    (['a'], ['x', 'x', 'y'], ['row 2', 'row 3', 'row 4'])
    """
    columns = columns_of_model(clf)
    label = columns.label if label is None else label
    if label is None:
        raise InputError(
            "the model does not know which column names the classes; give ", Argument("label")
        )
    tables = [table] if isinstance(table, TableFile) else table
    for each in tables:
        find_column("label", label, each)
        check_needed(columns.needed, each)
        for argument, column in {"names": names, "groups": groups}.items():
            if column is not None:
                find_column(argument, column, each)
    where = files_in_words(tables)
    table, frame, is_free, _, sizes = join_tables(tables, watch)
    missing = [*table.missing, *columns.missing]
    X = features_of(columns, table, frame)
    # The classes are known, so that a few rows, or rows of one class, are enough.
    labels = as_categories(frame[label], missing)
    if not is_free.any():
        raise InputError(
            f"{where}: all rows say {FOR_FIT!r} in column {shown(USE)}: they are harder than "
            "others, and say nothing of these; use them for a fit"
        )
    used = is_free & labels.is_not_null() & ~find_empty_rows(X, columns)
    y = _as_classes(labels.filter(used).to_list(), clf.classes_, f"{shown(label)} of {where}")
    rows = np.array([row_number(at) for size in sizes for at in range(size)], dtype=np.int64)
    row_names = [f"row {row}" for row in rows.tolist()]
    if len(tables) > 1:
        of_file = np.repeat([each.path.name for each in tables], sizes).tolist()
        row_names = [f"{row} of {file}" for row, file in zip(row_names, of_file, strict=True)]
    if names is not None:
        row_names = ["" if name is None else str(name) for name in frame[names].to_list()]
    used_names = pl.Series(row_names, dtype=pl.String).filter(used).to_list()
    X = X.filter(used)
    share_known = columns.share_known(X) if hasattr(columns, "known_rows_") else 0.0
    n_unknown = int(np.count_nonzero(~np.isin(y, clf.classes_)))
    of_rows = None if groups is None else group_labels(frame[groups], missing).filter(used)
    return LabelledSamples(
        *(X, y, used_names, share_known, n_unknown),
        None if of_rows is None else of_rows.to_numpy(),
        int(is_free.sum()) - len(X),
        rows[used.to_numpy()],
        int((~is_free).sum()),
    )


def files_in_words(tables: Sequence[TableFile]) -> str:
    """Return the paths of tables for a message; of many, those of the first."""
    return first_of([str(table.path) for table in tables], _TABLES_TO_LIST)


def features_of(columns: TableColumns, table: TableFile, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the features of a model from rows of a table."""
    missing = [*table.missing, *columns.missing]
    numbers = read_numbers(frame, columns.numeric, table.decimal, missing, columns.notations)
    return columns.transform(numbers)


def _as_classes(names: list[str], classes: Any, where: str) -> Any:
    """Return the names of classes in a table as classes of the model."""
    known = {str(label): label for label in classes.tolist()}
    must = f"label column {where} must name classes of the model ({_first(list(known))}), got "
    names = respelled(names, list(known))
    if not any(name in known for name in names):
        raise InputError(
            f"{must}{_first(list(dict.fromkeys(names))) or 'no label'}; check the file"
        )
    if classes.dtype.kind in "US":
        return np.array(names)
    for name in names:
        if name not in known:
            raise InputError(f"{must}{shown(name)}; leave such rows out")
    return np.array([known[name] for name in names], dtype=classes.dtype)


def _first(names: list[str]) -> str:
    return ", ".join(map(shown, names[:_CLASSES_TO_LIST]))


def respelled(names: list[str], known: list[str]) -> list[str]:
    """Return names as the model spells them: 1.0 is the class 1, unless both are classes."""
    known_as: dict[float, list[str]] = {}
    for number, name in zip(_numbers_of(known), known, strict=True):
        known_as.setdefault(number, []).append(name)
    others = list(set(names) - set(known))
    alike = zip(others, map(known_as.get, _numbers_of(others)), strict=True)
    spelling = {other: same[0] for other, same in alike if same is not None and len(same) == 1}
    return [spelling.get(name, name) for name in names]


def _numbers_of(names: list[str]) -> list[float]:
    """Return names as numbers; other names are nan, which equals nothing."""
    return as_numbers(pl.Series(names, dtype=pl.String)).fill_null(np.nan).to_list()
