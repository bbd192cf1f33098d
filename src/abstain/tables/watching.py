"""What do the rows of a table add to the monitors of a model?

The rows are answers in the order of time, with the true class where it is known. Answers are those
of a column, as `answer_table` writes it, or else the model answers. Where the table has the columns
that the model needs, its certainty and its rejects are compared with the calibration data, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError, shown
from abstain._core.text import first_of, without_formula
from abstain.monitor import DriftMonitor, RiskMonitor
from abstain.monitor.risk import risk_path
from abstain.tables.columns import TableColumns, columns_of_model, find_empty_rows
from abstain.tables.evaluation import features_of, respelled
from abstain.tables.reading import (
    TableFile,
    check_needed,
    find_column,
    lacking_columns,
    rows_counted_from,
)
from abstain.tables.reasons import REJECT_MARK
from abstain.tables.values import as_categories
from abstain.tables.watch_state import Watch

# As `answer_table` names the column of the answers.
_ANSWER = "answer"
# What is kept of the past: the evidence after each table, and hashes of tables.
_MOST_POINTS, _MOST_TABLES = 2000, 1000
_CLASSES_TO_LIST = 5
# Of the rows, before a note says that the model answers otherwise.
_MANY_DIFFERENT = 0.01


@dataclass(frozen=True, eq=False)
class WatchedRows:
    """What the rows of one table were: answers, rejects, answers of known truth, and errors.

    ``answer`` is the column of the answers, None if the model has answered. ``correct`` has an
    entry for each answer; None is one of unknown truth. Of ``n_compared`` answers of the table, the
    model gives ``n_different`` otherwise. ``share_known`` of the rows were in the fit.
    """

    answer: str | None
    has_features: bool
    n_rows: int
    n_rejected: int
    correct: NDArray[Any]
    n_compared: int = 0
    n_different: int = 0
    share_known: float = 0.0
    # What had been seen before.
    before: RiskMonitor | None = None

    @property
    def n_answered(self) -> int:
        """Rows that were answered."""
        return len(self.correct)

    @property
    def n_labelled(self) -> int:
        """Answers of known truth."""
        return sum(each is not None for each in self.correct.tolist())

    @property
    def n_errors(self) -> int:
        """Answers that are known to be wrong."""
        return sum(each is False for each in self.correct.tolist())

    @property
    def path(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The number of answers up to each one of known truth, and the evidence after it."""
        if self.before is None:  # nothing was added
            return np.empty(0, np.int64), np.empty(0)
        return risk_path(self.correct, self.before)

    @property
    def notes(self) -> list[str]:
        """Lines on rows that may not be what they should be."""
        notes = []
        if self.share_known and self.answer is None:
            notes.append(
                f"the model was fitted to {self.share_known:.0%} of these rows, which say little "
                "about new ones; give rows that came later"
            )
        if self.n_different > _MANY_DIFFERENT * max(self.n_compared, 1):
            notes.append(
                f"the model answers {self.n_different:,} of {self.n_compared:,} rows otherwise "
                f"than column {shown(self.answer)}: give the model that has answered"
            )
        if self.n_answered and not self.n_labelled:
            notes.append("no answer has a true class, so that nothing is known of the accuracy")
        return notes


def watch_table(
    clf: Any,
    watch: Watch,
    table: TableFile,
    *,
    answer: str | None = None,
    label: str | None = None,
    reject_mark: str = REJECT_MARK,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> WatchedRows:
    r"""Add the rows of a table to a watch, in their order.

    Parameters
    ----------
    clf : RejectOptionClassifier
        The classifier that answers.
    watch : Watch
        From `new_watch` or `load_watch`.
    table : TableFile
        From `open_table`.
    answer : str, default=None
        The column of the answers; None is that of `answer_table`, or lets the classifier answer.
    label : str, default=None
        The column of the true classes, which may be missing; None is that of the fit.
    reject_mark : str, default="rejected"
        The answer of a rejected row; a row without an answer is rejected, too.
    progress : callable, default=nothing
        Called with the number of blocks read and an estimate of all.

    Returns
    -------
    rows : WatchedRows
        What was added.

    Raises
    ------
    InputError
        If the watch has counted the table, or the table has no answers and lacks columns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> from abstain.tables import new_watch, open_table, watch_table
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2).fit(frame, ["a", "a", "b", "b"] * 5)
    >>> watch = new_watch(clf, accuracy=0.9)
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("answer,kind\na,a\na,b\nb,\n")
    ...     rows = watch_table(clf, watch, open_table(Path(folder, "t.csv")), label="kind")
    >>> rows.n_answered, rows.n_labelled, watch.risk.n_errors
    (3, 2, 1)
    """
    digest = _digest(table.path)
    if digest in watch.tables:
        raise InputError(
            f"the watch has already counted the rows of {table.path}; give new rows only"
        )
    reader = _reader_of(clf, table, answer, label, reject_mark)
    blocks: list[WatchedRows] = []
    with rows_counted_from(lambda: sum(each.n_rows for each in blocks), table):
        for block in table.blocks():
            blocks.append(reader.read(block.frame(frozenset()), watch.drift))
            progress(len(blocks), max(len(blocks), table.n_blocks))
    rows = _sum(reader, blocks)
    if not rows.n_rows:
        return rows
    rows = replace(rows, before=copy(watch.risk))
    had_alarm = watch.risk.is_alarm
    watch.risk.update(rows.correct)
    watch.tables = [*watch.tables, digest][-_MOST_TABLES:]
    points = [(watch.risk.n_answers, watch.risk.evidence)]
    if watch.risk.alarm_at is not None and not had_alarm:
        answers, evidence = rows.path
        at = answers.searchsorted(watch.risk.alarm_at)
        points.insert(0, (int(answers[at]), float(evidence[at])))
    watch.history = [*watch.history, *points][-_MOST_POINTS:]
    return rows


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        digest = blake2b(digest_size=8)
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class _Reader:
    """Which columns of a table are the answers and the true classes, and how they are written."""

    clf: Any
    columns: TableColumns
    table: TableFile
    answer: str | None
    label: str
    has_features: bool
    reject_mark: str

    def read(self, frame: pl.DataFrame, drift: DriftMonitor | None) -> WatchedRows:
        """Return what the rows of a block are, and add them to the monitor of drift."""
        names = [str(each) for each in self.clf.classes_.tolist()]
        missing = [*self.table.missing, *self.columns.missing]
        truth = np.array(_respelled(as_categories(frame[self.label], missing), names), dtype=object)
        given, own, share_known = None, None, 0.0
        if self.answer is not None:
            given = self._given(as_categories(frame[self.answer], missing), names)
        if self.has_features:
            own, share_known = self._own(frame, names, drift)
        answers = own if given is None else given
        assert answers is not None
        answered = _is_there(answers)
        correct = np.where(_is_there(truth), answers == truth, None)[answered]
        both = answered & (False if own is None or given is None else _is_there(own))
        return WatchedRows(
            *(self.answer, self.has_features, len(answers), int((~answered).sum()), correct),
            *(int(both.sum()), int((answers != own)[both].sum()) if both.any() else 0),
            share_known,
        )

    def _given(self, column: pl.Series, names: list[str]) -> NDArray[Any]:
        """Return the answers of a column; None is a reject."""
        answers = _respelled(column, names)
        # In text, what a spreadsheet would compute is written after an apostrophe.
        class_of: dict[Any, Any] = {without_formula(name): name for name in names}
        class_of |= {name: name for name in names} | {self.reject_mark: None, None: None}
        for each in answers:
            if each not in class_of:
                listed = first_of(list(map(shown, names)), _CLASSES_TO_LIST)
                raise InputError(
                    f"column {shown(self.answer)} of {self.table.path} must hold classes of the "
                    f"model ({listed}) or the mark {shown(self.reject_mark)}, got {shown(each)}; ",
                    *("give another ", Argument("answer"), " or ", Argument("reject_mark")),
                )
        return np.array([class_of[each] for each in answers], dtype=object)

    def _own(
        self, frame: pl.DataFrame, names: list[str], drift: DriftMonitor | None
    ) -> tuple[NDArray[Any], float]:
        """Return what the model answers, None where it rejects, and how many rows it knows."""
        X = features_of(self.columns, self.table, frame)
        is_empty = find_empty_rows(X, self.columns).to_numpy()
        answers = np.full(len(X), None, dtype=object)
        rows = np.flatnonzero(~is_empty)
        share_known = 0.0
        if len(rows):
            samples = X[rows]
            decisions = self.clf.decide(samples)
            accepted = ~decisions.rejected
            answers[rows[accepted]] = np.array(names, dtype=object)[
                decisions.class_indices[accepted]
            ]
            if drift is not None:
                drift.update(decisions.certainty, decisions.positions, decisions.outlier)
            if hasattr(self.columns, "known_rows_"):
                share_known = self.columns.share_known(samples)
        return answers, share_known


def _is_there(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.array([each is not None for each in values.tolist()], dtype=bool)


def _respelled(column: pl.Series, names: list[str]) -> list[str | None]:
    """Return the texts of a column as the model spells its classes, and None for null."""
    texts = column.to_list()
    present = iter(respelled([each for each in texts if each is not None], names))
    return [None if each is None else next(present) for each in texts]


def _reader_of(
    clf: Any, table: TableFile, answer: str | None, label: str | None, reject_mark: str
) -> _Reader:
    """Return how a table is read; refuse one that has neither answers nor what they need."""
    columns = columns_of_model(clf)
    label = columns.label if label is None else label
    if label is None:
        raise InputError(
            "the model does not know which column names the classes; give ", Argument("label")
        )
    find_column("label", label, table)
    if answer is None:
        answer = _column_of_answers(table.names, [label, *columns.needed])
    else:
        find_column("answer", answer, table)
    has_features = lacking_columns(columns.needed, table.names, "") is None
    if answer is None and not has_features:
        if not set(columns.needed) & set(table.names):
            raise InputError(
                f"{table.path} has no column {shown(_ANSWER)}, and lacks the columns that "
                "the model needs to answer by itself; give as ",
                *(Argument("answer"), " the column of the answers"),
            )
        check_needed(columns.needed, table)
    return _Reader(clf, columns, table, answer, label, has_features, reject_mark)


def _column_of_answers(names: Sequence[str], others: Sequence[str]) -> str | None:
    """Return the column that `answer_table` has added last; None if there is none.

    >>> _column_of_answers(["age", "answer", "abstain_answer"], ["age"])
    'abstain_answer'
    >>> _column_of_answers(["age", "answer"], ["age", "answer"]) is None
    True
    """
    name, last = _ANSWER, None
    while name in names:
        if name not in others:
            last = name
        name = f"abstain_{name}"
    return last


def _sum(reader: _Reader, blocks: Sequence[WatchedRows]) -> WatchedRows:
    """Return all rows of a table, which may have none."""
    n_rows = sum(each.n_rows for each in blocks)
    correct = [each.correct for each in blocks] or [np.empty(0, dtype=object)]
    return WatchedRows(
        reader.answer,
        reader.has_features,
        n_rows,
        sum(each.n_rejected for each in blocks),
        np.concatenate(correct),
        sum(each.n_compared for each in blocks),
        sum(each.n_different for each in blocks),
        sum(each.share_known * each.n_rows for each in blocks) / max(n_rows, 1),
    )
