"""Which rows should a person look at, in which order, and which answers are audited?

A worklist has every rejected row and, for an audit, a random share of the answered ones: each is
taken with this probability, by numbers that depend on a seed and on its place in the table alone.
With weight 1 for rejected rows and 1 / share for audited ones, the list stands for the whole table.

The most useful row comes first. The answer of a person is worth most where that of the model is
most probably wrong: outliers first, of which nothing is known, then the others by the probability
that the withheld answer is right, and rows without any value last. Audited rows are spread evenly
among them, so that those of any beginning of the list are a random sample, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.checks import check_fraction, list_columns
from abstain._core.errors import InputError
from abstain._core.files import check_can_write
from abstain._core.text import row_number, without_formula
from abstain.tables.answer_rows import Answers, answers_of, features_in_memory
from abstain.tables.columns import TableColumns, columns_of_model
from abstain.tables.reading import TableFile, find_column
from abstain.tables.reasons import REJECT_MARK, answer_texts
from abstain.tables.text_format import WORKBOOKS
from abstain.tables.values import as_categories
from abstain.tables.workbooks import check_can_write_workbooks, check_height, open_sheet
from abstain.tables.writing import check_suffix, last_named, new_column_names

# What is said of each row, after its identifier and its features.
ABOUT = (
    *("answer", "withheld", "rival", "correct_proba", "reason"),
    *("why_listed", "weight", "expert_answer"),
)
REJECTED, AUDIT = "rejected", "audit"
_SUFFIXES = (".csv", ".tsv", *WORKBOOKS)
# Bytes of a table that its own seed is made of.
_HEAD = 1 << 20
_DIGITS = 4
_WIDTHS = {"reason": 60, "expert_answer": 16}


@dataclass(frozen=True)
class WorklistOptions:
    """Where the list is written, and what is in it.

    Parameters
    ----------
    out : str or Path
        The file: .csv, .tsv or .xlsx.
    id : str, default=None
        The column of the table that identifies a row.
    audit : float, default=0
        The share of the answered rows that are listed, too.
    seed : int, default=None
        Chooses the audited rows; None makes a seed of the beginning of the table.

    Examples
    --------
    >>> from abstain.tables import WorklistOptions
    >>> WorklistOptions("todo.xlsx", id="patient", audit=0.05).audit
    0.05
    """

    out: Path
    id: str | None = None
    audit: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "out", Path(self.out))
        if self.audit:
            check_fraction("audit", self.audit)

    def check(self) -> None:
        """Raise an error if the list cannot be written, before long work is spent on it.

        Examples
        --------
        >>> from abstain.tables import WorklistOptions
        >>> WorklistOptions("todo.pdf").check()
        Traceback (most recent call last):
        ...
        abstain.InputError: cannot write todo.pdf: ...
        """
        check_suffix(self.out, _SUFFIXES)
        if self.out.name.lower().endswith(WORKBOOKS):
            check_can_write_workbooks(self.out)
        check_can_write(self.out)


class Worklist:
    """Collects the rows of a list, table by table and block by block; they are held in memory."""

    def __init__(
        self, clf: Any, options: WorklistOptions, reject_mark: str, *, are_several: bool = False
    ) -> None:
        self.options, self.columns = options, columns_of_model(clf)
        self.classes = [str(label) for label in clf.classes_.tolist()]
        self.reject_mark = reject_mark
        self.are_several, self.n_listed = are_several, 0
        self._given: list[pl.DataFrame] = []
        self._about: list[pl.DataFrame] = []

    def begin(self, table: TableFile, number: int = 0) -> TableRows:
        """Return what collects the rows of a table; ``number`` is its place among several."""
        if self.options.id is not None:
            find_column("id", self.options.id, table)
        seed = self.options.seed
        seeds = [seed_of(table)] if seed is None else [seed, number]
        return TableRows(self, table.path.name, seeds)

    def add(self, given: pl.DataFrame, about: pl.DataFrame) -> None:
        """Append rows: what was given, and what is said about each."""
        self._given.append(given)
        self._about.append(about)
        self.n_listed += len(about)
        if self.options.out.name.lower().endswith(WORKBOOKS):
            check_height(self.options.out, self.n_listed)

    def frame(self) -> pl.DataFrame:
        """Return the list, the most useful row first."""
        given = pl.concat(self._given, how="vertical_relaxed")
        about = pl.concat(self._about)
        order = _order(about)
        names = ["row", *(["table"] if self.are_several else []), *ABOUT]
        renamed = new_column_names(given.columns, names)
        about = about.select(names).rename(dict(zip(names, renamed, strict=True)))
        n_first = len(names) - len(ABOUT)
        columns = [*about[:, :n_first], *given, *about[:, n_first:]]
        return pl.DataFrame(columns)[order]

    def write(self, draft: Path, separator: str = ",", decimal: str = ".") -> None:
        """Write the list to the draft of its file; text is in the form of the table."""
        out = self.options.out
        rows = self.frame()
        if not out.name.lower().endswith(WORKBOOKS):
            is_tsv = out.name.lower().endswith(".tsv")
            _write_text(rows, draft, "\t" if is_tsv else separator, decimal)
            return
        with open_sheet(draft, out, rows.columns, "worklist") as sheet:
            for name, width in _WIDTHS.items():
                sheet.widen(str(last_named(name, rows.columns)), width)
            sheet.write(rows)
            sheet.offer(rows.columns[-1], self.classes)


@dataclass(eq=False)
class TableRows:
    """Adds the rows of one table to a list; ``seeds`` choose those that are audited."""

    worklist: Worklist
    name: str
    seeds: list[int]
    n_audited: int = 0

    def add(self, frame: pl.DataFrame, answers: Answers, start: int) -> None:
        """Add rows of a block that begins with this row of the table, counted from 0."""
        decisions, options = answers.decisions, self.worklist.options
        drawn = uniforms(self.seeds, start, frame.height)
        audited = np.flatnonzero(~decisions.rejected & (drawn < options.audit))
        rows = np.concatenate([answers.rejects.rows, audited])
        n_rejected, n_audited = len(answers.rejects.rows), len(audited)
        self.n_audited += n_audited
        nothing = pl.Series([None] * n_audited, dtype=pl.String)
        reasons = pl.Series(answers.rejects.sentences.each(), dtype=pl.String)
        # Audited rows come in random order, outliers before others, empty rows last.
        p_values = np.concatenate([answers.rejects.p_values, np.full(n_audited, np.nan)])
        positions, probability = decisions.positions[rows], decisions.correct_proba[rows]
        is_outlier = decisions.outlier[rows]
        kind = np.where(positions < 0, 2, np.where(is_outlier, 0, 1))
        surety = np.where(is_outlier, p_values, np.nan_to_num(probability, nan=0.0))
        surety[n_rejected:] = drawn[audited]
        names = pl.Series([*self.worklist.classes, self.worklist.reject_mark, ""])
        rivals = pl.Series([*self.worklist.classes, None], dtype=pl.String)
        no_rival = len(rivals) - 1
        rival = np.where(answers.rejects.rivals < 0, no_rival, answers.rejects.rivals)
        answer = np.where(decisions.rejected[rows], len(names) - 2, decisions.class_indices[rows])
        is_withheld = decisions.rejected[rows] & (positions >= 0)
        withheld = np.where(is_withheld, decisions.class_indices[rows], len(names) - 1)
        about = pl.DataFrame(
            {
                "row": row_number(0) + start + rows,
                "table": pl.Series([self.name] * len(rows), dtype=pl.String),
                "answer": names.gather(answer),
                "withheld": names.gather(withheld),
                "rival": rivals.gather(rival).append(nothing),
                "correct_proba": answers.rows["correct_proba"].gather(rows).round_sig_figs(_DIGITS),
                "reason": reasons.append(nothing),
                "why_listed": pl.Series(
                    [REJECTED] * n_rejected + [AUDIT] * n_audited, dtype=pl.String
                ),
                "weight": np.repeat([1.0, 1 / (options.audit or 1)], [n_rejected, n_audited]),
                "expert_answer": pl.Series([None] * len(rows), dtype=pl.String),
                "kind": kind,
                "surety": surety,
            }
        )
        id_column = [] if options.id is None else [options.id]
        given = list(dict.fromkeys([*id_column, *self.worklist.columns.needed]))
        self.worklist.add(frame.select(given)[rows], about)


def _order(about: pl.DataFrame) -> NDArray[np.int64]:
    """Return the order of the rows: rejected ones as they matter, audited ones spread evenly."""
    is_audit = (about["why_listed"] == AUDIT).to_numpy()
    order = np.lexsort((about["surety"].to_numpy(), np.where(is_audit, 0, about["kind"])))
    place = np.empty(len(about))
    for members in (order[~is_audit[order]], order[is_audit[order]]):
        place[members] = (np.arange(len(members)) + 0.5) / max(len(members), 1)
    if (~is_audit).any():  # the most useful row is the first, however many are audited
        place[order[~is_audit[order]][0]] = 0
    return np.lexsort((is_audit, place))


def seed_of(table: TableFile) -> int:
    """Return a seed that a table has by itself: a hash of its size and its beginning."""
    with table.open() as file:
        head = file.read(_HEAD)
    size = str(table.path.stat().st_size).encode()
    return int.from_bytes(blake2b(size + b":" + head, digest_size=8).digest(), "little")


def uniforms(seeds: Sequence[int], start: int, size: int) -> NDArray[np.float64]:
    """Return the numbers in [0, 1) of rows from ``start`` on: those of a row are its own.

    >>> bool((uniforms([7], 0, 9)[5:] == uniforms([7], 5, 4)).all())
    True
    """
    bits = np.random.Philox(np.random.SeedSequence(list(seeds)))
    bits.advance(start // 4)  # four numbers each
    return np.random.Generator(bits).random(start % 4 + size)[start % 4 :]


def _write_text(rows: pl.DataFrame, draft: Path, separator: str, decimal: str) -> None:
    columns = []
    for column in rows:
        if column.dtype == pl.String:
            known = [text for text in column.unique().to_list() if text]
            safe = {text: without_formula(text) for text in known}
            # A null is nothing between separators; an empty text would be quotes.
            texts = column.replace_strict(safe, default=None, return_dtype=pl.String)
        else:
            texts = as_categories(column)  # whole numbers without a fraction
            if decimal != "." and column.dtype.is_float():
                texts = texts.str.replace(".", decimal, literal=True)
        columns.append(texts.alias(column.name))
    # A spreadsheet needs the byte order mark to read UTF-8.
    pl.DataFrame(columns).write_csv(draft, separator=separator, include_bom=True)


def worklist_frame(
    clf: Any,
    frame: pl.DataFrame,
    *,
    id: str | None = None,  # noqa: A002
    audit: float = 0.0,
    seed: int = 0,
    reject_mark: str = REJECT_MARK,
) -> pl.DataFrame:
    """Return the rows of a frame that a person should look at, the most useful first.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    frame : polars.DataFrame
        The rows; it may have columns that the classifier does not need.
    id : str, default=None
        The column that identifies a row.
    audit : float, default=0
        The share of the answered rows that are listed, too.
    seed : int, default=0
        Chooses the audited rows.
    reject_mark : str, default="rejected"
        The answer of a rejected row.

    Returns
    -------
    worklist : polars.DataFrame
        ``row``, its number as a spreadsheet shows it; the identifier; the columns that the
        classifier needs; ``answer``; ``withheld``, the answer that a rejected row would have had,
        and its ``rival``; ``correct_proba``; ``reason``; ``why_listed``, "rejected" or "audit";
        ``weight``, of how many rows of the table the row is one; and an empty ``expert_answer``.

    Examples
    --------
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier, RejectRate
    >>> from abstain.tables import worklist_frame
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2, target=RejectRate(0.5))
    >>> clf = clf.fit(frame, ["a", "a", "b", "b"] * 5)
    >>> new = pl.DataFrame({"id": ["p", "q", "r"], "a": [0.5, 2.4, 90.0]})
    >>> worklist_frame(clf, new, id="id").select("row", "id", "withheld", "reason").rows()
    [(4, 'r', 'b', 'unlike anything seen: a 90'), (3, 'q', 'a', 'between a and b: a decides')]
    """
    options = WorklistOptions(Path("worklist.csv"), id, audit, seed)
    worklist = Worklist(clf, options, reject_mark)
    if id is not None and id not in frame.columns:
        raise InputError(
            argument="id",
            value=id,
            requirement="is not a column of the frame",
            remedy=list_columns(id, frame.columns),
        )
    columns: TableColumns = worklist.columns
    rows = features_in_memory(columns, frame)
    answers = answers_of(clf, columns, answer_texts(clf, reject_mark), rows)
    TableRows(worklist, "", [seed, 0]).add(rows, answers, 0)
    return worklist.frame()
