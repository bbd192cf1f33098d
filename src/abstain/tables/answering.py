"""How do the rows of a table, however many, pass through a saved classifier?

Block by block: two threads read, decide and form what is written, and the blocks leave in the order
in which they came. No more than a few of them are in memory at once.
"""

from __future__ import annotations  # signatures then show the names of types

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from abstain._core.checks import InputError
from abstain.classifier import Decisions
from abstain.tables.ahead import ReadAhead
from abstain.tables.columns import TableColumns, check_needed
from abstain.tables.mistakes import BadValueError
from abstain.tables.needs import needs_of
from abstain.tables.reading import Block, RaggedRowError, Table, told_of_separator
from abstain.tables.reasons import REJECT_MARK, Words, words_for
from abstain.tables.strangers import Strangers, find_strangers
from abstain.tables.values import as_categories, as_numbers, without_missing
from abstain.tables.writing import (
    Sink,
    decimal_for,
    names_of_new_columns,
    open_sink,
    separator_for,
)

__all__ = ["Answered", "answer_frame", "answer_table"]

# Blocks that are decided and not yet written.
DECIDED_AHEAD = 3


@dataclass(frozen=True)
class Answered:
    """What came of a table.

    Attributes
    ----------
    n_rows, n_rejected, n_empty : int
        All rows; those rejected; and those among them that said nothing.
    class_counts : dict of str to int
        How often each class was answered.
    columns : list of str
        What the new columns are called.
    strangers : dict of str to int
        For columns that the model needs, in how many rows they hold a kind that it has not seen,
        or a number beyond all that it has.
    examples : dict of str to str or float
        For the same columns, the first such value: a kind as text, a number as such.
    """

    n_rows: int
    n_rejected: int
    n_empty: int
    class_counts: dict[str, int]
    columns: list[str]
    strangers: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str | float] = field(default_factory=dict)


class _Formed(NamedTuple):
    content: Any
    counts: NDArray[np.int64]
    n_empty: int
    n_rows: int
    strangers: Strangers


def answer_table(
    clf: Any,
    ahead: ReadAhead,
    out: Path | None,
    *,
    mark: str = REJECT_MARK,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Answered:
    """Answer every row of a table, or say why not.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    ahead : ReadAhead
        The table, which is being read.
    out : Path or None
        Where the answers shall lie: all columns as they were, and ``answer``, ``certainty``,
        ``correct_proba`` (the estimated probability that the answer is right, of rejected rows
        too) and ``reason``. None only counts.
    mark : str, default="rejected"
        What stands where no answer is given.
    watch : callable, default=nothing
        Told how many blocks are done, and of about how many.

    Returns
    -------
    answered : Answered
        How many rows were answered with which class, and how many rejected.

    Raises
    ------
    InputError
        If a column is not there, a value is no number, or the file cannot be written; then there
        is no file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from abstain.tables import ReadAhead, Wishes, fit_table, open_table
    >>> frame = pl.DataFrame({"a": [0.1, 0.2, 1.1, 1.2] * 10, "kind": ["x", "x", "y", "y"] * 10})
    >>> with TemporaryDirectory() as folder:
    ...     frame.write_csv(Path(folder, "t.csv"))
    ...     table = open_table(Path(folder, "t.csv"))
    ...     clf = fit_table(table, Wishes("kind")).clf
    ...     with ReadAhead(table) as ahead:
    ...         answered = answer_table(clf, ahead, Path(folder, "answers.csv"))
    ...     pl.read_csv(Path(folder, "answers.csv")).columns
    ['a', 'kind', 'answer', 'certainty', 'correct_proba', 'reason']
    >>> answered.n_rows, answered.class_counts
    (40, {'x': 20, 'y': 20})
    """
    needs, table = needs_of(clf), ahead.table
    _ = clf.front_  # of a loaded classifier, which is computed once and not in each thread
    with told_of_separator(table):
        check_needed(needs.needed, table.names, table.path)
    written = (None, ".") if out is None else (separator_for(out, table), decimal_for(out, table))
    words = words_for(clf, mark, *written)
    counts = np.zeros(len(words.answers), dtype=np.int64)
    n_rows = n_empty = 0
    strangers: Counter[str] = Counter()
    examples: dict[str, str | float] = {}
    with (
        threadpool_limits(1, user_api="blas"),  # blocks run side by side, not what is in them
        nullcontext() if out is None else open_sink(out, table, list(needs.numeric)) as sink,
    ):
        formed = _in_order(ahead, partial(_form, clf, needs, words, sink))
        for done, found in enumerate(formed, start=1):
            if sink is not None:
                sink.write(found.content)
            counts += found.counts
            n_rows, n_empty = n_rows + found.n_rows, n_empty + found.n_empty
            for name, (count, example) in found.strangers.items():
                strangers[name] += count
                examples.setdefault(name, example)
            watch(done, max(done, table.n_blocks))
        if not n_rows:
            raise InputError(f"{table.path} has a header but no rows; give at least one")
    *answered, n_rejected = counts.tolist()
    names = [str(label) for label in clf.classes_.tolist()]
    class_counts = dict(zip(names, answered, strict=True))
    columns = names_of_new_columns(table.names)
    return Answered(n_rows, n_rejected, n_empty, class_counts, columns, dict(strangers), examples)


def _in_order(
    ahead: ReadAhead, form: Callable[[Block, Future[pl.DataFrame]], _Formed]
) -> Iterator[_Formed]:
    """Yield what came of each block in the order of the blocks, some of them being ahead."""
    waiting: deque[Future[_Formed]] = deque()
    n_rows = 0

    def next_formed() -> _Formed:
        nonlocal n_rows
        with _counted_from(n_rows, ahead.table):
            found = waiting.popleft().result()
        n_rows += found.n_rows
        return found

    for block, frame in ahead:
        waiting.append(ahead.pool.submit(form, block, frame))
        if len(waiting) > DECIDED_AHEAD:
            yield next_formed()
    while waiting:
        yield next_formed()


@contextmanager
def _counted_from(n_rows: int, table: Table) -> Iterator[None]:
    """Name the row of the table where a block names one of its own."""
    try:
        yield
    except RaggedRowError as error:
        raise error.told(table, n_rows) from None
    except BadValueError as error:
        place = f" of {table.path}"
        row = n_rows + error.row
        raise BadValueError(error.column, row, error.value, place, like=error.like) from None


def _form(
    clf: Any,
    needs: TableColumns,
    words: Words,
    sink: Sink | None,
    block: Block,
    frame: Future[pl.DataFrame],
) -> _Formed:
    """Decide about the rows of a block, and return what is to be written of them."""
    rows = _as_needed(needs, block, frame.result())
    answers, codes, n_empty = _answers(clf, needs, words, rows)
    counts = np.bincount(codes, minlength=len(words.answers))
    content = None if sink is None else sink.form(block, rows, answers)
    strangers = find_strangers(getattr(needs, "known_values_", {}), rows, needs.missing)
    return _Formed(content, counts, n_empty, rows.height, strangers)


def _as_needed(needs: TableColumns, block: Block, rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with the kinds of columns that the model knows, not those of the first rows."""
    if needs.written:
        rows = _as_written(needs, block, rows)
    as_text = [rows[name] for name in needs.numeric if rows[name].dtype == pl.String]
    if as_text:
        rows = rows.with_columns(
            block.table.as_numbers(column)
            for column in as_text
            if column.name not in (needs.written or ())
        )
    names = [name for name in needs.categorical if rows[name].dtype == pl.Float64]
    if names and block.table.format is not None:  # 007 is a name
        rows = rows.with_columns(block.frame(frozenset()).select(names))
    return rows


def _as_written(needs: TableColumns, block: Block, rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with numbers where they are written as in the fit, whatever the table's marks."""
    if block.table.format is not None:
        rows = rows.with_columns(block.frame(frozenset()).select(list(needs.written or ())))
    return _with_numbers(needs, rows, block.table.missing)


def _with_numbers(
    needs: TableColumns, rows: pl.DataFrame, missing: Sequence[str] = ()
) -> pl.DataFrame:
    """Return rows with numbers for text in those columns in which all text can be read so."""
    missing = [*needs.missing, *missing]
    for name, notation in needs.notations.items():
        if name in rows.columns and rows[name].dtype == pl.String:
            numbers = notation.numbers(rows[name], missing)
            if numbers.null_count() == without_missing(rows[name], missing).null_count():
                rows = rows.with_columns(numbers)
    return rows


def answer_frame(clf: Any, frame: pl.DataFrame, *, mark: str = REJECT_MARK) -> pl.DataFrame:
    """Answer every row of a frame in memory.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    frame : polars.DataFrame
        The rows; columns that the classifier does not need may be there.
    mark : str, default="rejected"
        What stands where no answer is given.

    Returns
    -------
    answers : polars.DataFrame
        The columns ``answer``, ``certainty``, ``correct_proba``, the estimated probability that
        the answer is right (both null where a row says nothing), and ``reason``.

    Examples
    --------
    >>> from abstain import GLVQ, RejectOptionClassifier, RejectRate
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2).fit(frame, ["a", "a", "b", "b"] * 5)
    >>> answer_frame(clf, pl.DataFrame({"a": [0.5, None]}))["reason"].to_list()
    ['', 'all columns that the model needs are empty']
    """
    return _answers(clf, needs_of(clf), words_for(clf, mark), frame)[0]


def _answers(
    clf: Any, needs: TableColumns, words: Words, frame: pl.DataFrame
) -> tuple[pl.DataFrame, NDArray[np.int64], int]:
    """Return the four new columns, which answer each row has, and how many rows say nothing."""
    if needs.written:
        frame = _with_numbers(needs, frame)
    has_own_columns = needs is getattr(clf.estimator_, "steps", [(None, None)])[0][1]
    samples = frame if has_own_columns else needs.transform(frame)
    is_empty = _empty_rows(frame, needs)
    n_empty = 0 if is_empty is None else int(is_empty.sum())
    if is_empty is None or not n_empty:
        found = clf.decide(samples) if samples.height else _NOTHING
    else:
        found = _spread(clf, samples, np.asarray(is_empty.to_numpy()))
    reasons = words.reasons(found.certainty, found.positions, found.rejected)
    codes = np.where(found.rejected, len(words.answers) - 1, found.class_indices)
    numbers = [
        pl.Series(name, getattr(found, name), nan_to_null=True)
        for name in ("certainty", "correct_proba")
    ]
    return pl.DataFrame([words.answers.gather(codes), *numbers, reasons]), codes, n_empty


_NOTHING = Decisions(
    np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0)
)


def _empty_rows(frame: pl.DataFrame, needs: TableColumns) -> pl.Series | None:
    """Tell which rows say nothing, if any may: all that the model needs is missing."""
    found: pl.Series | None = None
    for name in needs.needed:
        column = frame[name]
        if name in needs.categorical:
            is_missing = as_categories(column, needs.missing).is_null()
        else:
            is_missing = as_numbers(column, also=needs.missing).is_null()
        found = is_missing if found is None else found & is_missing
        if not found.any():
            return None
    return found


def _spread(clf: Any, samples: pl.DataFrame, is_empty: NDArray[np.bool_]) -> Decisions:
    """Return decisions about all rows, those that say nothing being rejected unasked."""
    rows = np.flatnonzero(~is_empty)
    size = len(is_empty)
    spread = Decisions(
        np.zeros(size, np.int64),
        np.full(size, np.nan),
        np.full(size, -1),
        is_empty.copy(),
        np.full(size, np.nan),
    )
    if len(rows):
        for values, own in zip(spread, clf.decide(samples[rows]), strict=True):
            values[rows] = own
    return spread
