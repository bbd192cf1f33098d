"""How do the rows of a table, however many, pass through a saved classifier?

Block by block: threads read, decide and format rows, and blocks are written in their order. Only a
few of them are in memory at once.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits

from abstain._core.files import atomic_files
from abstain.tables.answer_rows import Answers, answers_of
from abstain.tables.answer_warnings import answer_warnings
from abstain.tables.columns import TableColumns, columns_of_model
from abstain.tables.reading import (
    ReadAhead,
    RowBlock,
    TableFile,
    check_needed,
    no_rows,
    rows_counted_from,
)
from abstain.tables.reasons import REJECT_MARK, AnswerTexts, answer_texts
from abstain.tables.values import read_numbers
from abstain.tables.worklist import TableRows, Worklist, WorklistOptions
from abstain.tables.writing import (
    AnswerWriter,
    decimal_for,
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
    the range of numbers of the fit; ``examples`` has the first such value. ``warnings`` has a line
    for each count that is clearly higher than rows like those of the fit let expect.
    """

    n_rows: int
    n_rejected: int
    n_empty: int
    class_counts: dict[str, int]
    # The names of the new columns.
    columns: list[str]
    n_outliers: int = 0
    # Answered rows on a worklist, which has all rejected ones too.
    n_audited: int = 0
    unseen_values: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str | float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def sum(cls, parts: Sequence[AnswerCounts]) -> AnswerCounts:
        """Return the sums over blocks or tables, without warnings; columns are of the first."""
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
            n_audited=sum(part.n_audited for part in parts),
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
    # What a worklist takes rows from; None without one.
    listed: tuple[pl.DataFrame, Answers] | None


def answer_table(
    clf: Any,
    table: TableFile | ReadAhead,
    out: str | Path | None,
    *,
    reject_mark: str = REJECT_MARK,
    worklist: WorklistOptions | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> AnswerCounts:
    """Answer or reject every row of a table, and write the answers to a file.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    table : TableFile or ReadAhead
        From `open_table`; or such a table that is already being read.
    out : str, Path or None
        The file for the answers: all columns of the table, ``row``, its number as a spreadsheet
        shows it, and the columns of `answer_frame`. None only counts.
    reject_mark : str, default="rejected"
        The answer of a rejected row.
    worklist : WorklistOptions, default=None
        Which rows are listed for a person, and in which file; it appears together with the answers.
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
    ...     pl.read_csv(Path(folder, "answers.csv")).columns[2:6]
    ['row', 'answer', 'withheld', 'certainty']
    >>> counts.n_rows, counts.class_counts
    (40, {'x': 20, 'y': 20})
    """
    out = None if out is None else Path(out)
    rows = None if worklist is None else Worklist(clf, worklist, reject_mark)
    outs = [path for path in (out, None if worklist is None else worklist.out) if path is not None]
    with atomic_files(*outs) as drafts:
        source = table if isinstance(table, TableFile) else table.table
        own = None if rows is None else rows.begin(source)
        draft = None if out is None else drafts[0]
        counts = answer_to_draft(clf, table, out, draft, reject_mark, own, watch)
        if rows is not None:
            rows.write(drafts[-1], *text_form(rows.options.out, source))
    return counts


def text_form(out: Path, table: TableFile) -> tuple[str, str]:
    """Return the separator and the decimal mark of text that goes with the answers to a table."""
    separator = "," if table.sheet is not None else separator_for(out.with_suffix(".csv"), table)
    return separator or ",", decimal_for(out.with_suffix(".csv"), table)


def answer_to_draft(
    clf: Any,
    table: TableFile | ReadAhead,
    out: Path | None,
    draft: Path | None,
    reject_mark: str,
    rows: TableRows | None,
    watch: Callable[[int, int], None],
) -> AnswerCounts:
    """Answer the rows of a table, write the answers to the draft of a file, and collect rows."""
    if isinstance(table, TableFile):
        with ReadAhead(table) as ahead:
            return answer_to_draft(clf, ahead, out, draft, reject_mark, rows, watch)
    ahead, source, columns = table, table.table, columns_of_model(clf)
    _ = clf.front_  # of a loaded classifier: computed once, not in each thread
    check_needed(columns.needed, source)
    # Where rows are listed, texts are quoted when they are written.
    separator = None if out is None else separator_for(out, source)
    texts = answer_texts(clf, reject_mark, separator)
    numeric = columns.numeric
    parts: list[AnswerCounts] = []
    n_rows = 0
    with (
        threadpool_limits(1, user_api="blas"),  # blocks run in parallel
        nullcontext()
        if out is None or draft is None
        else open_writer(draft, out, source, numeric) as writer,
    ):
        answer = partial(_answer_block, clf, columns, texts, writer, rows)
        for block in _in_order(ahead, answer):
            if writer is not None:
                writer.write(block.content)
            if rows is not None and block.listed is not None:
                rows.add(*block.listed, n_rows)
            parts.append(block.counts)
            n_rows += block.counts.n_rows
            watch(len(parts), max(len(parts), source.n_blocks))
        if not parts:
            raise no_rows(source)
    counts = AnswerCounts.sum(parts)
    n_audited = 0 if rows is None else rows.n_audited
    return replace(counts, n_audited=n_audited, warnings=answer_warnings(clf, counts))


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
    listed: TableRows | None,
    block: RowBlock,
    frame: Future[pl.DataFrame],
) -> _AnsweredBlock:
    """Decide on the rows of a block, and format them for the output."""
    id_column = None if listed is None else listed.worklist.options.id
    rows = _with_types_of_model(columns, block, frame.result(), id_column)
    answers = answers_of(clf, columns, texts, rows)
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
        unseen_values={name: column.n_rows for name, column in answers.unseen.items()},
        examples={name: column.example for name, column in answers.unseen.items()},
    )
    return _AnsweredBlock(content, counts, None if listed is None else (rows, answers))


def _with_types_of_model(
    columns: TableColumns, block: RowBlock, rows: pl.DataFrame, id_column: str | None
) -> pl.DataFrame:
    """Return rows with numbers and text where the model expects them; identifiers are text."""
    table = block.table
    if table.format is not None:
        # As in the fit: numbers in a notation are read from the text, and 007 is a name.
        names = [*columns.categorical, *([] if id_column is None else [id_column])]
        numbers = [name for name in names if rows[name].dtype == pl.Float64]
        as_text = list(dict.fromkeys([*columns.notations, *numbers]))
        if as_text:
            rows = rows.with_columns(block.frame(frozenset()).select(as_text))
    missing = [*columns.missing, *table.missing]
    return read_numbers(rows, columns.numeric, table.decimal, missing, columns.notations)
