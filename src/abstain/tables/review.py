"""What does a worklist say that a person has filled in, and what may be done with its answers?

Rejected rows are selected: they say how often a person agrees with the withheld answers, and
nothing about the answers that were given. Audited rows are a random sample of these, and they alone
say how often these are right. A random sample of all rows is made of both: all audited rows, and of
the rejected ones the same share, 1 / weight of an audited row, chosen without a look at the
answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import binomtest

from abstain._core.checks import list_columns
from abstain._core.errors import Argument, InputError, reworded, shown
from abstain._core.files import atomic_files
from abstain._core.text import row_number, without_formula
from abstain.tables.columns import columns_of_model
from abstain.tables.evaluation import respelled
from abstain.tables.reading import TableFile, open_table, read_table, with_format_hint
from abstain.tables.text_format import quote_field
from abstain.tables.values import as_categories, as_numbers
from abstain.tables.watch_state import Watch
from abstain.tables.watching import WatchedRows, watch_table
from abstain.tables.worklist import ABOUT, AUDIT, REJECTED
from abstain.tables.writing import (
    check_output,
    last_named,
    open_writer,
    separator_for,
)

FINAL_COLUMNS = ("final_answer", "answered_by")
_CONFIDENCE = 0.95
_NEEDED = ("row", "answer", "withheld", "why_listed", "weight", "expert_answer")


class Share(NamedTuple):
    """So many of all, and a 95% confidence interval (Clopper and Pearson) for their share."""

    n_alike: int
    total: int

    @property
    def share(self) -> float | None:
        """The share; None of nothing."""
        return self.n_alike / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """The limits of the share."""
        if not self.total:
            return 0.0, 1.0
        interval = binomtest(self.n_alike, self.total).proportion_ci(_CONFIDENCE, method="exact")
        return float(interval.low), float(interval.high)

    def as_dict(self, name: str) -> dict[str, Any]:
        """Return counts, share and limits for a JSON document."""
        low, high = self.interval
        counts = {"cases": self.total, name: self.n_alike}
        return {**counts, "share": self.share, "low": low, "high": high}


@dataclass(frozen=True, eq=False)
class Review:
    """A worklist that was filled in.

    Made by `review_worklist`.

    Parameters
    ----------
    path : Path
        The file.
    rows : polars.DataFrame
        One row per listed case: ``line`` in the file, ``row`` in the table, perhaps the name of
        the ``table``, ``answer``, ``withheld``, ``why_listed``, ``weight`` and ``expert``, null
        where nothing was filled in. Answers are classes as the model spells them; that of a
        rejected row is null.
    given : polars.DataFrame
        The columns of the file, as text.
    classes : list of str
        The classes of the model.
    identifiers : list of str
        Columns of the file that are neither features nor about the case.
    decimal : str
        The decimal mark of the file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier, RejectRate
    >>> from abstain.tables import open_table, review_worklist, worklist_frame
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2, target=RejectRate(0.5))
    >>> clf = clf.fit(frame, ["a", "a", "b", "b"] * 5)
    >>> worklist = worklist_frame(clf, pl.DataFrame({"a": [0.5, 2.4, 2.6, 4.5]}))
    >>> with TemporaryDirectory() as folder:
    ...     worklist.with_columns(expert_answer=pl.lit("b")).write_csv(Path(folder, "list.csv"))
    ...     review = review_worklist(clf, open_table(Path(folder, "list.csv")))
    >>> review.agreement.interval[1] < 1, review.n_audited
    (True, 0)
    """

    path: Path
    rows: pl.DataFrame
    given: pl.DataFrame
    classes: list[str]
    identifiers: list[str]
    decimal: str = "."

    @property
    def filled(self) -> pl.DataFrame:
        """The cases that a person has answered."""
        return self.rows.filter(pl.col("expert").is_not_null())

    @property
    def agreement(self) -> Share:
        """How often the person agrees with the withheld answers."""
        return _agreement(self._withheld)

    @property
    def agreement_by_class(self) -> dict[str, Share]:
        """The same, by the withheld answer."""
        names = self._withheld["withheld"].unique().sort().to_list()
        return {
            name: _agreement(self._withheld.filter(pl.col("withheld") == name)) for name in names
        }

    @property
    def _withheld(self) -> pl.DataFrame:
        return self.filled.filter(pl.col("withheld").is_not_null())

    @property
    def audit(self) -> Share:
        """How often the person agrees with the answers that were given, of audited cases."""
        audited = self.filled.filter(pl.col("why_listed") == AUDIT)
        return Share(int((audited["expert"] == audited["answer"]).sum()), len(audited))

    @property
    def n_audited(self) -> int:
        """The audited cases, answered by the person or not."""
        return int((self.rows["why_listed"] == AUDIT).sum())

    @cached_property
    def sample(self) -> NDArray[np.bool_]:
        """Which cases are a random sample of the table: the audited ones and a share of the rest.

        Empty if no answer was audited. Rows without any value are in no sample.
        """
        is_audit = (self.rows["why_listed"] == AUDIT).to_numpy()
        if not is_audit.any():
            return is_audit
        share = 1 / float(self.rows["weight"].to_numpy()[is_audit][0])
        is_withheld = self.rows["withheld"].is_not_null().to_numpy()
        return np.asarray(is_audit | (is_withheld & (_drawn(self.rows) < share)))

    @property
    def n_sample_open(self) -> int:
        """Cases of the random sample that the person has not answered."""
        return int((self.rows["expert"].is_null().to_numpy() & self.sample).sum())

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for a JSON document.

        Returns
        -------
        counts : dict
            Listed and filled cases, the agreement, and what the audited cases say.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import polars as pl
        >>> from abstain import GLVQ, RejectOptionClassifier, RejectRate
        >>> from abstain.tables import open_table, review_worklist, worklist_frame
        >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
        >>> clf = RejectOptionClassifier(GLVQ(), cv=2, target=RejectRate(0.5))
        >>> clf = clf.fit(frame, ["a", "a", "b", "b"] * 5)
        >>> worklist = worklist_frame(clf, pl.DataFrame({"a": [0.5, 2.4, 2.6, 4.5]}))
        >>> with TemporaryDirectory() as folder:
        ...     worklist.with_columns(expert_answer=pl.lit("b")).write_csv(Path(folder, "list.csv"))
        ...     review = review_worklist(clf, open_table(Path(folder, "list.csv")))
        >>> review.as_dict()["agreement"]["agreed"]
        1
        """
        return {
            "n_listed": len(self.rows),
            "n_filled": len(self.filled),
            "agreement": self.agreement.as_dict("agreed"),
            "agreement_by_class": [
                {"class": name, **share.as_dict("agreed")}
                for name, share in self.agreement_by_class.items()
            ],
            "n_audited": self.n_audited,
            "audit": self.audit.as_dict("right"),
            "n_sample": int(self.sample.sum()),
            "n_sample_open": self.n_sample_open,
        }


def _agreement(cases: pl.DataFrame) -> Share:
    return Share(int((cases["expert"] == cases["withheld"]).sum()), len(cases))


def _drawn(rows: pl.DataFrame) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each case, by its place and by which cases are audited."""
    places = [f"{table}:{row}" for table, row in rows.select("table", "row").rows()]
    is_audit = (rows["why_listed"] == AUDIT).to_list()
    audited = sorted(place for place, own in zip(places, is_audit, strict=True) if own)
    salt = blake2b("\n".join(audited).encode(), digest_size=16).digest()
    digests = (blake2b(place.encode(), digest_size=8, key=salt).digest() for place in places)
    return np.array([int.from_bytes(digest, "little") / 2**64 for digest in digests])


# --- reading --------------------------------------------------------------------------------------


def review_worklist(clf: Any, table: TableFile) -> Review:
    """Read a worklist that a person has filled in.

    Parameters
    ----------
    clf : RejectOptionClassifier
        The classifier that has answered.
    table : TableFile
        The worklist, from `open_table`: rows and columns may be in another order, columns may be
        added, and ``expert_answer`` may be partly filled.

    Returns
    -------
    review : Review
        Its cases, the agreement, and what the audited cases say.

    Raises
    ------
    InputError
        If a column is missing, a row names no row of the table or one that another row names, or
        an answer is no class of the classifier.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier, RejectRate
    >>> from abstain.tables import open_table, review_worklist, worklist_frame
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2, target=RejectRate(0.5))
    >>> clf = clf.fit(frame, ["a", "a", "b", "b"] * 5)
    >>> worklist = worklist_frame(clf, pl.DataFrame({"a": [0.5, 2.4, 2.6, 4.5]}))
    >>> filled = worklist.with_columns(expert_answer=pl.lit("b"))
    >>> with TemporaryDirectory() as folder:
    ...     filled.write_csv(Path(folder, "worklist.csv"))
    ...     review = review_worklist(clf, open_table(Path(folder, "worklist.csv")))
    >>> review.agreement.n_alike, review.agreement.total
    (1, 2)
    """
    frame = read_table(table)
    columns = {name: _column(name, table, frame) for name in _NEEDED}
    in_table = last_named("table", table.names, columns_of_model(clf).needed)
    classes = [str(label) for label in clf.classes_.tolist()]
    why = as_categories(columns["why_listed"]).str.to_lowercase()
    is_audit = why == AUDIT
    _refuse(table, ~why.is_in([AUDIT, REJECTED]).fill_null(False), columns["why_listed"], _WHY)
    numbers = as_numbers(columns["row"], table.decimal)
    is_row = (numbers >= row_number(0)) & (numbers == numbers.floor())
    _refuse(table, ~is_row.fill_null(False), columns["row"], _ROW)
    weight = as_numbers(columns["weight"], table.decimal)
    _refuse(table, ~(weight >= 1).fill_null(False), columns["weight"], _WEIGHT)
    given = {
        name: _classes(columns[name], classes, table, where)
        for name, where in (
            ("answer", is_audit),
            ("withheld", ~is_audit),
            ("expert_answer", pl.repeat(True, len(frame), eager=True)),
        )
    }
    rows = pl.DataFrame(
        {
            "line": range(row_number(0), row_number(len(frame))),
            "row": numbers.cast(pl.Int64),
            "table": [""] * len(frame) if in_table is None else as_categories(frame[in_table]),
            "answer": given["answer"],
            "withheld": given["withheld"],
            "why_listed": why,
            "weight": weight,
            "expert": given["expert_answer"],
        }
    )
    _check_unique(table, rows)
    order = rows.select(pl.arg_sort_by("table", "row")).to_series()
    own = {last_named(name, table.names) for name in ("row", "table", *ABOUT)}
    needed = columns_of_model(clf).needed
    others = [name for name in table.names if name not in own and name not in needed]
    return Review(table.path, rows[order], frame[order], classes, others, table.decimal)


_ROW = "must be the number of a row of the table, 2 or more; give the rows that were listed"
_WEIGHT = "must be the weight that was listed, 1 or more"
_WHY = f"must be {REJECTED} or {AUDIT}; give the rows as they were listed"


def _column(name: str, table: TableFile, frame: pl.DataFrame) -> pl.Series:
    own = last_named(name, table.names)
    if own is None:
        error = InputError(
            f"{table.path} has no column {shown(name)}: it is no worklist of abstain predict; "
            f"{list_columns(name, table.names)}"
        )
        raise with_format_hint(table, error)
    return frame[own]


def _refuse(table: TableFile, is_wrong: pl.Series, column: pl.Series, must: str) -> None:
    """Raise an error about the first wrong value of a column."""
    if is_wrong.any():
        at = int(is_wrong.arg_max() or 0)
        got = "nothing" if column[at] is None else shown(column[at])
        what, _, remedy = must.partition("; ")
        raise InputError(
            f"column {shown(column.name)} of {table.path} {what}, got {got} in row "
            f"{row_number(at)}" + (f"; {remedy}" if remedy else "")
        )


def _check_unique(table: TableFile, rows: pl.DataFrame) -> None:
    is_repeated = rows.select("table", "row").is_duplicated()
    if is_repeated.any():
        first = rows.filter(is_repeated)["row"][0]
        lines = rows.filter(is_repeated & (rows["row"] == first))["line"].to_list()
        raise InputError(
            f"{table.path} lists row {first} twice, in its rows {lines[0]} and {lines[1]}; keep one"
        )


def _classes(
    column: pl.Series, classes: Sequence[str], table: TableFile, where: pl.Series
) -> pl.Series:
    """Return a column as classes, null where it is empty or not asked for."""
    texts = as_categories(column).set(~where, None)
    # In text, what a spreadsheet would compute is written after an apostrophe. Spreadsheets
    # like to begin with a capital letter.
    class_of = {without_formula(name): name for name in classes} | {name: name for name in classes}
    folded: dict[str, list[str]] = {}
    for name in classes:
        folded.setdefault(name.casefold(), []).append(name)
    values = texts.drop_nulls().unique().to_list()
    for value, spelled in zip(values, respelled(values, list(classes)), strict=True):
        alike = folded.get(value.casefold(), [])
        own = class_of.get(spelled, alike[0] if len(alike) == 1 else None)
        if own is None:
            line = row_number(int((texts == value).fill_null(False).arg_max() or 0))
            raise InputError(
                f"column {shown(column.name)} of {table.path} must name classes of the model, got "
                f"{shown(value)} in row {line}; {list_columns(value, classes, 'classes')}"
            )
        class_of[value] = own
    names = [None if text is None else class_of[text] for text in texts.to_list()]
    return pl.Series(column.name, names, dtype=pl.String)


# --- answers --------------------------------------------------------------------------------------


def merge_answers(review: Review, answers: TableFile, out: str | Path) -> dict[str, int]:
    """Write the answers to a table with those of the person in place of the model's.

    Parameters
    ----------
    review : Review
        From `review_worklist`.
    answers : TableFile
        The answers that were written together with the worklist.
    out : str or Path
        The file for all columns of the answers, ``final_answer``, empty where nobody has answered,
        and ``answered_by``, which is "model", "expert" or empty.

    Returns
    -------
    counts : dict of str to int
        The number of rows by ``answered_by``; "nobody" is the empty one.

    Raises
    ------
    InputError
        If a listed row is not in the answers, or was answered otherwise.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier, RejectRate
    >>> from abstain.tables import WorklistOptions, answer_table, open_table
    >>> from abstain.tables import merge_answers, review_worklist
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2, target=RejectRate(0.5))
    >>> clf = clf.fit(frame, ["a", "a", "b", "b"] * 5)
    >>> with TemporaryDirectory() as folder:
    ...     new, todo, out, merged = (Path(folder, f"{name}.csv") for name in "abcd")
    ...     pl.DataFrame({"a": [0.5, 2.4, 2.6, 4.5]}).write_csv(new)
    ...     _ = answer_table(clf, open_table(new), out, worklist=WorklistOptions(todo))
    ...     pl.read_csv(todo).with_columns(expert_answer=pl.lit("b")).write_csv(todo)
    ...     review = review_worklist(clf, open_table(todo))
    ...     counts = merge_answers(review, open_table(out), merged)
    ...     pl.read_csv(merged)["final_answer"].to_list()
    ['a', 'b', 'b', 'b']
    >>> counts
    {'model': 2, 'expert': 2, 'nobody': 0}
    """
    out = Path(out)
    check_output(out, answers)
    columns = {name: _answer_column(name, answers) for name in ("answer", "withheld")}
    cases, n_rows = _cases_of(review, answers), 0
    counts = dict.fromkeys(("model", "expert", "nobody"), 0)
    separator = separator_for(out, answers)
    with (
        atomic_files(out) as (draft,),
        open_writer(draft, out, answers, answers.numeric, FINAL_COLUMNS) as writer,
    ):
        for block in answers.blocks():
            frame = block.frame()
            texts = block.frame(frozenset())
            own = {name: _as_classes(texts[column], review) for name, column in columns.items()}
            end = n_rows + len(texts)
            within = cases.filter(pl.col("row").is_between(row_number(n_rows), row_number(end) - 1))
            _check_identifiers(review, answers, within, texts, n_rows)
            final = _merged(review, answers, within, own["answer"], own["withheld"], n_rows)
            n_rows = end
            for name, count in final["answered_by"].value_counts().rows():
                counts[name or "nobody"] += count
            writer.write(writer.format(block, frame, _as_fields(final, separator)))
        beyond = cases.filter(pl.col("row") >= row_number(n_rows))["line"].to_list()
        if beyond:
            raise InputError(
                f"row {beyond[0]} of {review.path} is of a row that {answers.path} does not have: "
                f"it ends with row {row_number(n_rows) - 1}; {_OTHER_ANSWERS}"
            )
    return counts


_OTHER_ANSWERS = "give the answers that were written together with this worklist"


def _answer_column(name: str, answers: TableFile) -> str:
    column = last_named(name, answers.names)
    if column is None:
        raise InputError(
            f"{answers.path} has no column {shown(name)}: it holds no answers of abstain predict; "
            f"{_OTHER_ANSWERS}"
        )
    return column


def _as_classes(column: pl.Series, review: Review) -> pl.Series:
    """Return answers as classes, null for a reject or nothing."""
    texts = as_categories(column)
    names = {without_formula(name): name for name in review.classes}
    names |= {name: name for name in review.classes}
    return texts.replace_strict(names, default=None, return_dtype=pl.String)


def _cases_of(review: Review, answers: TableFile) -> pl.DataFrame:
    """Return the cases of one table, of a worklist that may be of several."""
    names = review.rows["table"].unique().sort().to_list()
    if names == [""]:
        return review.rows
    cases = review.rows.filter(pl.col("table") == answers.path.name)
    if not len(cases):
        raise InputError(
            f"{review.path} lists no row of {answers.path.name}; "
            f"{list_columns(answers.path.name, names, 'tables')}"
        )
    return cases


def _check_identifiers(
    review: Review, answers: TableFile, cases: pl.DataFrame, texts: pl.DataFrame, start: int
) -> None:
    """Raise an error if a case has another identifier than its row of the answers."""
    lines = review.rows.select("line").with_row_index("at")
    listed = cases.join(lines, on="line", how="left", maintain_order="left")["at"]
    at = cases["row"] - row_number(start)
    for name in set(review.identifiers) & set(answers.names):
        both = review.given[name].gather(listed), texts[name].gather(at)
        names = [as_categories(each).map_elements(without_formula, pl.String) for each in both]
        # A spreadsheet turns 007 into 7.
        numbers = [as_numbers(each) for each in names]
        same = names[0].eq_missing(names[1]) | (numbers[0] == numbers[1]).fill_null(False)
        if not same.all():
            line, row = cases.filter(~same).select("line", "row").row(0)
            raise _not_the_row(review, line, answers, row, f"{shown(name)} differs")


def _not_the_row(review: Review, line: int, answers: TableFile, row: int, why: str) -> InputError:
    return InputError(
        f"row {line} of {review.path} is not row {row} of {answers.path}: {why}; {_OTHER_ANSWERS}"
    )


def _merged(
    review: Review,
    answers: TableFile,
    cases: pl.DataFrame,
    answer: pl.Series,
    withheld: pl.Series,
    start: int,
) -> pl.DataFrame:
    """Return the final answers of a block, and who has given them; cases must be its rows."""
    at = cases["row"] - row_number(start)
    same = answer.gather(at).eq_missing(cases["answer"])
    same &= withheld.gather(at).eq_missing(cases["withheld"])
    if not same.all():
        line, row = cases.filter(~same).select("line", "row").row(0)
        raise _not_the_row(review, line, answers, row, "the answers differ")
    by = pl.select(pl.when(answer.is_not_null()).then(pl.lit("model")).otherwise(pl.lit("")))
    filled = cases.with_columns(at=at).filter(pl.col("expert").is_not_null())
    final, answered_by = answer.fill_null(""), by.to_series()
    if len(filled):
        final = final.scatter(filled["at"], filled["expert"])
        answered_by = answered_by.scatter(filled["at"], "expert")
    return pl.DataFrame({"final_answer": final, "answered_by": answered_by})


def _as_fields(final: pl.DataFrame, separator: str | None) -> pl.DataFrame:
    """Return final answers as fields of the output, which is no text without a separator."""
    if separator is None:
        return final
    names = {
        name: quote_field(without_formula(name), separator)
        for name in final["final_answer"].unique().to_list()
    }
    return final.with_columns(pl.col("final_answer").replace_strict(names))


# --- what the answers of the person are good for --------------------------------------------------


def watch_audit(clf: Any, watch: Watch, review: Review) -> WatchedRows:
    """Add the audited cases to a watch; all of them must be filled in.

    Rejected cases are no answers, and were not chosen at random. An audited case without an answer
    of the person may be one that is hard, so that those that have one would be selected, too.

    Parameters
    ----------
    clf : RejectOptionClassifier
        The classifier that has answered.
    watch : Watch
        From `new_watch` or `load_watch`.
    review : Review
        From `review_worklist`.

    Returns
    -------
    rows : WatchedRows
        What was added.

    Raises
    ------
    InputError
        If there are no audited cases, if one is not filled in, or if the watch has counted them.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier, RejectRate
    >>> from abstain.tables import new_watch, open_table, review_worklist, watch_audit
    >>> from abstain.tables import worklist_frame
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2, target=RejectRate(0.5))
    >>> clf = clf.fit(frame, ["a", "a", "b", "b"] * 5)
    >>> listed = worklist_frame(clf, pl.DataFrame({"a": [0.5, 2.5, 4.5, 4.6]}), audit=0.9, seed=1)
    >>> watch = new_watch(clf, accuracy=0.9)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "worklist.csv")
    ...     listed.with_columns(expert_answer=pl.lit("b")).write_csv(path)
    ...     rows = watch_audit(clf, watch, review_worklist(clf, open_table(path)))
    >>> rows.n_answered, rows.n_errors
    (3, 1)
    """
    audited = review.rows.filter(pl.col("why_listed") == AUDIT).sort("table", "row")
    if not len(audited):
        raise InputError(
            f"{review.path} has no audited cases, and a monitor takes no others; make the worklist "
            "with ",
            Argument("audit", 0.05),
        )
    if n_open := audited["expert"].null_count():
        raise InputError(
            f"{n_open} of {len(audited)} audited cases in {review.path} have no expert_answer: "
            "those that have one may be easier than the others; fill in all, so that a monitor can "
            "count them, or give no ",
            Argument("monitor"),
        )
    # Without features: drift is about all rows, not about the audited ones.
    cases = audited.select("answer", truth="expert", case=pl.concat_str("table", "row"))
    needed = columns_of_model(clf).needed
    names = [f"abstain_{name}" if name in needed else name for name in cases.columns]
    with TemporaryDirectory() as folder:
        path = Path(folder, "audited.csv")
        cases.rename(dict(zip(cases.columns, names, strict=True))).write_csv(path)
        try:
            return watch_table(clf, watch, open_table(path), answer=names[0], label=names[1])
        except InputError as error:
            raise reworded(error, error.message.substitute(str(path), str(review.path))) from None
