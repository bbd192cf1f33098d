"""How do the rows of a table, however many, pass through a saved classifier?

Block by block: threads read, decide and format rows, and blocks are written in their order. Only a
few of them are in memory at once.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from abstain._core.errors import Argument
from abstain.classifier import Decisions
from abstain.tables.columns import TableColumns, columns_of_model, find_empty_rows
from abstain.tables.reading import (
    ReadAhead,
    RowBlock,
    TableFile,
    check_needed,
    lacking_columns,
    no_rows,
    rows_counted_from,
)
from abstain.tables.reasons import (
    REJECT_MARK,
    AnswerTexts,
    RejectReasons,
    answer_texts,
    reject_reasons,
)
from abstain.tables.unseen_values import UnseenValues, describe_rows, find_unseen
from abstain.tables.values import read_numbers
from abstain.tables.writing import (
    AnswerWriter,
    new_column_names,
    open_writer,
    separator_for,
)

# Blocks that are decided and not yet written.
_N_DECIDED_AHEAD = 3


@dataclass(frozen=True)
class AnswerCounts:
    """How many rows of a table were answered with which class, and how many were rejected.

    ``n_empty`` of the rejected rows lack everything that the model needs, and ``n_outliers`` are
    unlike the rows of the fit. ``unseen_values`` counts, by column, rows with a category or beyond
    the range of numbers of the fit; ``examples`` has the first such value.
    """

    n_rows: int
    n_rejected: int
    n_empty: int
    class_counts: dict[str, int]
    # The names of the new columns.
    columns: list[str]
    n_outliers: int = 0
    unseen_values: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str | float] = field(default_factory=dict)

    @classmethod
    def sum(cls, parts: Sequence[AnswerCounts]) -> AnswerCounts:
        """Return the sums over blocks or tables; new columns are those of the first."""
        class_counts: Counter[str] = Counter()
        unseen_values: Counter[str] = Counter()
        for part in parts:
            class_counts.update(part.class_counts)
            unseen_values.update(part.unseen_values)
        return cls(
            n_rows=sum(part.n_rows for part in parts),
            n_rejected=sum(part.n_rejected for part in parts),
            n_empty=sum(part.n_empty for part in parts),
            n_outliers=sum(part.n_outliers for part in parts),
            class_counts=dict(class_counts),
            columns=parts[0].columns,
            unseen_values=dict(unseen_values),
            examples={name: one for part in parts[::-1] for name, one in part.examples.items()},
        )

    def as_dict(self, out: Path | None) -> dict[str, Any]:
        """Return the counts, and the file with the answers, for a JSON document."""
        return {**asdict(self), "out": None if out is None else str(out)}


class _AnsweredBlock(NamedTuple):
    content: Any
    counts: AnswerCounts


def answer_table(
    clf: Any,
    table: TableFile | ReadAhead,
    out: Path | None,
    *,
    reject_mark: str = REJECT_MARK,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> AnswerCounts:
    """Answer or reject every row of a table, and write the answers to a file.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    table : TableFile or ReadAhead
        From `open_table`; or such a table that is already being read.
    out : Path or None
        The file for the answers: all columns of the table, and those of `answer_frame`. None only
        counts.
    reject_mark : str, default="rejected"
        The answer of a rejected row.
    watch : callable, default=nothing
        Called with the number of blocks done and an estimate of all.

    Returns
    -------
    counts : AnswerCounts
        How many rows were answered with which class, and how many were rejected.

    Raises
    ------
    InputError
        If a column is missing, a value is not a number, or the file cannot be written. Then there
        is no file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain.tables import FitOptions, answer_table, fit_table, open_table
    >>> frame = pl.DataFrame({"a": [0.1, 0.2, 1.1, 1.2] * 10, "kind": ["x", "x", "y", "y"] * 10})
    >>> with TemporaryDirectory() as folder:
    ...     frame.write_csv(Path(folder, "t.csv"))
    ...     table = open_table(Path(folder, "t.csv"))
    ...     clf = fit_table(table, FitOptions("kind")).clf
    ...     counts = answer_table(clf, table, Path(folder, "answers.csv"))
    ...     pl.read_csv(Path(folder, "answers.csv")).columns[2:]
    ['answer', 'withheld', 'certainty', 'threshold', 'correct_proba', 'reason', 'warning']
    >>> counts.n_rows, counts.class_counts
    (40, {'x': 20, 'y': 20})
    """
    if isinstance(table, TableFile):
        with ReadAhead(table) as ahead:
            return answer_table(clf, ahead, out, reject_mark=reject_mark, watch=watch)
    ahead, source, columns = table, table.table, columns_of_model(clf)
    _ = clf.front_  # of a loaded classifier: computed once, not in each thread
    check_needed(columns.needed, source)
    separator = None if out is None else separator_for(out, source)
    texts = answer_texts(clf, reject_mark, separator)
    parts: list[AnswerCounts] = []
    with (
        threadpool_limits(1, user_api="blas"),  # blocks run in parallel
        nullcontext() if out is None else open_writer(out, source, list(columns.numeric)) as writer,
    ):
        answer = partial(_answer_block, clf, columns, texts, writer)
        for block in _in_order(ahead, answer):
            if writer is not None:
                writer.write(block.content)
            parts.append(block.counts)
            watch(len(parts), max(len(parts), source.n_blocks))
        if not parts:
            raise no_rows(source)
    return AnswerCounts.sum(parts)


def _in_order(
    ahead: ReadAhead, answer: Callable[[RowBlock, Future[pl.DataFrame]], _AnsweredBlock]
) -> Iterator[_AnsweredBlock]:
    """Yield the answered blocks in order, while later ones are computed."""
    waiting: deque[Future[_AnsweredBlock]] = deque()
    n_rows = 0

    def next_block() -> _AnsweredBlock:
        nonlocal n_rows
        with rows_counted_from(lambda: n_rows, ahead.table):
            block = waiting.popleft().result()
        n_rows += block.counts.n_rows
        return block

    for block, frame in ahead:
        waiting.append(ahead.pool.submit(answer, block, frame))
        if len(waiting) > _N_DECIDED_AHEAD:
            yield next_block()
    while waiting:
        yield next_block()


def _answer_block(
    clf: Any,
    columns: TableColumns,
    texts: AnswerTexts,
    writer: AnswerWriter | None,
    block: RowBlock,
    frame: Future[pl.DataFrame],
) -> _AnsweredBlock:
    """Decide on the rows of a block, and format them for the output."""
    rows = _with_types_of_model(columns, block, frame.result())
    unseen = find_unseen(getattr(columns, "known_values_", {}), rows, columns.missing)
    answers = _answers(clf, columns, texts, rows, unseen)
    content = None if writer is None else writer.format(block, rows, answers.rows)
    decisions, names = answers.decisions, list(map(str, clf.classes_.tolist()))
    answered = decisions.class_indices[~decisions.rejected]
    n_answered = np.bincount(answered, minlength=len(names)).tolist()
    counts = AnswerCounts(
        n_rows=rows.height,
        n_rejected=int(decisions.rejected.sum()),
        n_empty=int((decisions.positions < 0).sum()),
        n_outliers=int(decisions.outlier.sum()),
        class_counts=dict(zip(names, n_answered, strict=True)),
        columns=new_column_names(block.table.names),
        unseen_values={name: column.n_rows for name, column in unseen.items()},
        examples={name: column.example for name, column in unseen.items()},
    )
    return _AnsweredBlock(content, counts)


def _with_types_of_model(
    columns: TableColumns, block: RowBlock, rows: pl.DataFrame
) -> pl.DataFrame:
    """Return rows with numbers and text in the columns in which the model expects them."""
    table = block.table
    if table.format is not None:
        # As in the fit: numbers in a notation are read from the text, and 007 is a name.
        numbers = [name for name in columns.categorical if rows[name].dtype == pl.Float64]
        as_text = [*columns.notations, *numbers]
        if as_text:
            rows = rows.with_columns(block.frame(frozenset()).select(as_text))
    missing = [*columns.missing, *table.missing]
    return read_numbers(rows, columns.numeric, table.decimal, missing, columns.notations)


def answer_frame(clf: Any, frame: pl.DataFrame, *, reject_mark: str = REJECT_MARK) -> pl.DataFrame:
    """Answer or reject every row of a frame in memory.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    frame : polars.DataFrame
        The rows; it may have columns that the classifier does not need.
    reject_mark : str, default="rejected"
        The answer of a rejected row.

    Returns
    -------
    answers : polars.DataFrame
        The columns ``answer``; ``withheld``, the class that a rejected row would have been
        answered with; ``certainty`` and the ``threshold`` that decides; ``correct_proba``, the
        estimated probability that the answer is right (all three null where a row is empty, and
        the last in outliers); ``reason``, of rejected rows; and ``warning``.

    Examples
    --------
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> from abstain.tables import answer_frame
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2).fit(frame, ["a", "a", "b", "b"] * 5)
    >>> answer_frame(clf, pl.DataFrame({"a": [0.5, None]}))["reason"].to_list()
    ['', 'all columns that the model needs are empty']
    """
    columns = columns_of_model(clf)
    if error := lacking_columns(columns.needed, frame.columns, Argument("frame")):
        raise error
    frame = read_numbers(
        frame, columns.numeric, missing=columns.missing, notations=columns.notations
    )
    unseen = find_unseen(getattr(columns, "known_values_", {}), frame, columns.missing)
    return _answers(clf, columns, answer_texts(clf, reject_mark), frame, unseen).rows


class _Answers(NamedTuple):
    """The new columns, and what they are made of."""

    rows: pl.DataFrame
    decisions: Decisions
    rejects: RejectReasons


def _answers(
    clf: Any, columns: TableColumns, texts: AnswerTexts, frame: pl.DataFrame, unseen: UnseenValues
) -> _Answers:
    has_own_columns = columns is getattr(clf.estimator_, "steps", [(None, None)])[0][1]
    samples = frame if has_own_columns else columns.transform(frame)
    is_empty = find_empty_rows(frame, columns)
    n_empty = int(is_empty.sum())
    if n_empty or not frame.height:
        decisions = _decide_on_filled(clf, samples, np.asarray(is_empty.to_numpy()))
    else:
        decisions = clf.decide(samples)
    rejects = reject_reasons(clf, samples, decisions, texts)
    reasons = pl.repeat("", frame.height, dtype=pl.String, eager=True)
    if len(rejects.rows):
        reasons = reasons.scatter(rejects.rows, rejects.reasons)
    is_filled = decisions.positions >= 0
    numbers = {
        "certainty": decisions.certainty,
        "threshold": np.where(is_filled, clf.thresholds_[decisions.positions], np.nan),
        "correct_proba": decisions.correct_proba,
    }
    rows = pl.DataFrame(
        [
            texts.answers(decisions),
            texts.withheld(decisions),
            *(pl.Series(name, values, nan_to_null=True) for name, values in numbers.items()),
            texts.quoted(reasons).alias("reason"),
            texts.quoted(describe_rows(unseen, frame.height)).alias("warning"),
        ]
    )
    return _Answers(rows, decisions, rejects)


def _decide_on_filled(clf: Any, samples: pl.DataFrame, is_empty: NDArray[np.bool_]) -> Decisions:
    """Return decisions on all rows; empty rows are rejected without asking the classifier."""
    rows = np.flatnonzero(~is_empty)
    size = len(is_empty)
    decisions = Decisions(
        np.zeros(size, np.int64),
        np.full(size, np.nan),
        np.full(size, -1),
        is_empty.copy(),
        np.full(size, np.nan),
        np.zeros(size, np.bool_),
    )
    if len(rows):
        for values, own in zip(decisions, clf.decide(samples[rows]), strict=True):
            values[rows] = own
    return decisions
