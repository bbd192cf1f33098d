"""Which columns of a table are features, of which kind, and which classes does the label name?

Numbers are features, and so is text with few values. Columns that cannot help on new rows are left
out, with a reason: a constant, an identifier, a date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from abstain._core.errors import Argument, InputError, Message, shown, with_remedy
from abstain.tables.values import (
    MISSING,
    BadValueError,
    Notation,
    are_dates,
    as_categories,
    as_numbers,
    find_notation,
    is_ambiguous,
    remedy_for,
    without_missing,
)

# Text with more than this share and this number of distinct values identifies rows.
ID_SHARE, ID_VALUES = 0.5, 20
# A column with at least this share of numbers is one of numbers with mistakes in it.
MOSTLY_NUMBERS = 0.9
# A column of text with at least this share of numbers may have been meant as one of numbers.
HALF_NUMBERS = 0.5
# More distinct numbers than this in a label are measurements, unless each occurs many times.
MANY_CLASSES, ROWS_PER_CLASS = 20, 10
# Reasons for leaving a column out.
AS_ASKED, EMPTY = "as asked", "is empty"
# Columns of `abstain predict` that no other table has; with them, all of its columns are left out.
_OF_ANSWERS = {"withheld", "certainty", "threshold", "correct_proba"}
_WITH_ANSWERS = _OF_ANSWERS | {"row", "answer", "reason", "warning", "final_answer", "answered_by"}
_ANSWERS = "is of abstain predict, and new rows have none"
_ID = re.compile(r"(^|[\W_])(id|nr|no|number|nummer|key|index|row|uid|uuid)$|^unnamed \d+$", re.I)
_CODES = Message(", as its digits begin with 0; if they count something, write them without it")
_DATES = "holds dates or times; make numbers of them, such as days"


@dataclass(frozen=True)
class Features:
    """The columns that a model uses, and the reason for each other column."""

    numeric: list[str]
    categorical: list[str]
    left_out: dict[str, str] = field(default_factory=dict)
    # The notation of columns whose numbers are written with a sign, a unit or the like.
    written: dict[str, Notation] = field(default_factory=dict)
    notes: list[Message] = field(default_factory=list)


def choose_features(
    frame: pl.DataFrame,
    *,
    decimal: str = ".",
    missing: Sequence[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    categorical: Iterable[str] = (),
) -> Features:
    """Return which columns can tell classes apart on new rows, and of which kind they are."""
    features = Features([], [])
    drop, keep, categorical = set(drop), set(keep), set(categorical)
    answers = _WITH_ANSWERS if set(frame.columns) >= _OF_ANSWERS else set()
    for column in frame:
        if column.name in drop:
            features.left_out[column.name] = AS_ASKED
            continue
        if column.name in answers - keep - categorical:
            features.left_out[column.name] = _ANSWERS
            continue
        try:
            kind = _column_kind(column, decimal, missing, column.name in categorical)
        except InputError:
            _check_no_units(frame.drop(drop, strict=False), decimal, missing)
            raise
        if kind.problem and (column.name not in keep or kind.problem == EMPTY):
            reason = kind.problem if kind.doubt is None else Message(kind.problem, kind.doubt)
            features.left_out[column.name] = reason
            continue
        (features.numeric if kind.is_numeric else features.categorical).append(column.name)
        if kind.notation is not None:
            features.written[column.name] = kind.notation
        if kind.doubt is not None:
            n_categories = without_missing(column, missing).drop_nulls().n_unique()
            taken = f"{shown(column.name)} is taken as {n_categories:,} categories"
            features.notes.append(Message(taken, kind.doubt))
    if not features.numeric and not features.categorical:
        raise InputError("no column is left to learn from", _why_none(features.left_out))
    return features


def _why_none(left_out: dict[str, str]) -> Message:
    """Return why each column is left out, and what helps."""
    if not left_out:
        return Message("; give more columns")
    parts: list[str | Argument] = []
    for name, reason in list(left_out.items())[:5]:
        parts += ["; " if parts else ": ", f"{shown(name)} ", reason]
    is_asked = AS_ASKED in left_out.values()
    if is_asked:
        parts += ["; name fewer in ", Argument("drop")]
    if any(reason not in (AS_ASKED, EMPTY) for reason in left_out.values()):
        parts += [", or " if is_asked else "; ", "use one anyway by ", Argument("keep")]
    elif not is_asked:
        parts.append("; give more columns")
    return Message(*parts)


class _ColumnKind(NamedTuple):
    """Whether a column is numeric or categorical, and why it should be left out.

    ``doubt`` is a reason why a categorical column may have been meant as numbers.
    """

    is_numeric: bool
    problem: str = ""
    notation: Notation | None = None
    doubt: Message | None = None


def _column_kind(
    column: pl.Series, decimal: str, missing: Sequence[str], is_category: bool
) -> _ColumnKind:
    present = without_missing(column, missing).drop_nulls()
    if present.dtype.is_float():
        present = present.drop_nans()
    if not len(present):
        return _ColumnKind(False, EMPTY)
    if present.n_unique() == 1:
        value = shown(present[0])
        if _is_unusable(present.dtype):  # its values take lines
            value = f"the same {type(present.dtype).__name__.lower()}"
        return _ColumnKind(not as_numbers(present, decimal).null_count(), f"is {value} throughout")
    if column.dtype.is_temporal():
        return _ColumnKind(False, _DATES)
    check_type(column, Message("leave it out: ", Argument("drop", [column.name])))
    if is_category:
        return _ColumnKind(False)
    if _are_codes(present):
        return _ColumnKind(False, _problem_of_text(present), doubt=_CODES)
    numbers = as_numbers(present, decimal)
    if not numbers.null_count():
        return _ColumnKind(True, _problem_of_numbers(column.name, numbers))
    notation = find_notation(present, decimal)
    # In a table with decimal commas, no point is a decimal mark.
    if notation is not None and decimal == "." and is_ambiguous(notation, present):
        if _share(numbers.is_not_null()) < MOSTLY_NUMBERS:
            return _ColumnKind(False, _two_readings(notation))
        notation = None
    if notation is not None:
        read = notation.numbers(present)
        # A notation must read more numbers than plain parsing does.
        better = read.null_count() < numbers.null_count()
        numbers, notation = (read, notation) if better else (numbers, None)
    if not numbers.null_count():
        return _ColumnKind(True, _problem_of_numbers(column.name, numbers), notation)
    if _share(numbers.is_not_null()) >= MOSTLY_NUMBERS:
        raise _bad_value(column, decimal, missing, notation)
    return _ColumnKind(
        False, _problem_of_text(present), doubt=_doubt_about_numbers(present, numbers)
    )


def _check_no_units(frame: pl.DataFrame, decimal: str, missing: Sequence[str]) -> None:
    """Raise an error about a first row of text above several columns of numbers."""
    units = {}
    for column in frame:
        present = without_missing(column, missing)
        is_number = as_numbers(present, decimal).is_not_null()
        n_below = len(present[1:].drop_nulls())
        if not n_below or is_number[1:].sum() < MOSTLY_NUMBERS * n_below:
            continue
        if is_number[0] or present[0] == column.name:  # a repeated header
            return
        if present[0] is not None:
            units[column.name] = present[0]
    if len(units) > 1:
        examples = [f"{shown(unit)} of {shown(name)}" for name, unit in units.items()]
        raise InputError(f"row 2 seems to hold units ({', '.join(examples[:2])}); remove that line")


def check_type(column: pl.Series, remedy: Message) -> None:
    """Raise an error about values that are neither numbers nor text nor can be written so."""
    if _is_unusable(column.dtype):
        raise InputError(
            f"column {shown(column.name)} must hold numbers or text, got values of type "
            f"{column.dtype}; ",
            remedy,
        )


def _is_unusable(kind: pl.DataType) -> bool:
    return kind.is_nested() or kind in (pl.Binary, pl.Object) or kind == pl.Duration


def _problem_of_numbers(name: str, numbers: pl.Series) -> str:
    """Return why numbers cannot help on new rows: they are whole and identify rows."""
    if len(numbers) < ID_VALUES or not (numbers == numbers.floor()).all():
        return ""
    if _ID.search(name) is not None:
        is_id = numbers.n_unique() > ID_SHARE * len(numbers)
    else:
        is_id = bool((numbers.diff().drop_nulls() == 1).all())
    return "numbers the rows" if is_id else ""


def _problem_of_text(present: pl.Series) -> str:
    if present.dtype == pl.String and _share(are_dates(present)) > MOSTLY_NUMBERS:
        return _DATES
    n_values = present.n_unique()
    if n_values > ID_VALUES and n_values > ID_SHARE * len(present):
        return f"is text with {n_values:,} different values in {len(present):,} rows"
    return ""


def _two_readings(notation: Notation) -> str:
    return (
        f"holds numbers such as {shown(notation.example)}, whose point may separate "
        "thousands or a fraction; write them without points, or with points as decimal marks only"
    )


def _are_codes(present: pl.Series) -> bool:
    """Return whether digits are codes: all of one length, and some begin with 0."""
    if present.dtype != pl.String or not present.str.contains(r"^\d{2,}$").all():
        return False
    is_filled = present.str.starts_with("0")
    return present.str.len_chars().n_unique() == 1 and present.filter(is_filled).n_unique() > 1


def _doubt_about_numbers(present: pl.Series, numbers: pl.Series) -> Message | None:
    """Return why a column of text may be meant as numbers, if many values are numbers."""
    share = _share(numbers.is_not_null())
    if share < HALF_NUMBERS:
        return None
    other = present.filter(numbers.is_null()).mode().sort()[0]
    return Message(
        f", though {share:.0%} of its values are numbers; others are like {shown(other)}: ",
        remedy_for(other),
    )


def _share(mask: pl.Series) -> float:
    return int(mask.sum()) / len(mask)


def _bad_value(
    column: pl.Series, decimal: str, missing: Sequence[str], notation: Notation | None
) -> InputError:
    """Return an error about the first value that is not a number."""
    present = without_missing(column, missing)
    if notation is None:
        numbers, like = as_numbers(column, decimal, missing), ""
    else:
        numbers, like = notation.numbers(column, missing), notation.example
    row = (present.is_not_null() & numbers.is_null()).arg_max()
    assert row is not None
    error = BadValueError(column.name, row, column[row], like=like)
    if error.value == column.name:
        return error
    return with_remedy(
        error,
        *("; or that the column holds categories: ", Argument("categorical", [column.name])),
        *("; or leave it out: ", Argument("drop", [column.name])),
    )


# --- labels -------------------------------------------------------------------------------------


def read_labels(column: pl.Series, decimal: str = ".", missing: Iterable[str] = ()) -> pl.Series:
    """Return the class of each row as text, null where it is missing.

    >>> read_labels(pl.Series("ill", [1, 0, None, 1])).to_list()
    ['1', '0', None, '1']
    """
    label, name = Argument("label"), f"label column {shown(column.name)}"
    check_type(column, Message("give as ", label, " a column of text, numbers or booleans"))
    labels = as_categories(column, missing)
    present = labels.drop_nulls()
    n_rows, n_classes = len(present), present.n_unique()
    the_class = Message("give as ", label, " the column that names the class")
    if n_rows > 2 and n_classes == n_rows:
        raise InputError(
            f"{name} has another value in each of {n_rows:,} rows ({shown(present[0])}, "
            f"{shown(present[1])}, …), as an identifier has; ",
            the_class,
        )
    if n_classes < 2:
        got = f"only {shown(present[0])}" if n_classes else "no value at all"
        lost = lost_labels(column, missing)
        remedy = Message("give rows of another class, or another ", label)
        raise InputError(
            f"{name} must name at least two classes, got {got}; ", lost[0] if lost else remedy
        )
    is_many = n_classes > MANY_CLASSES and n_rows < ROWS_PER_CLASS * n_classes
    if is_many and as_numbers(present, decimal).null_count() == 0:
        raise InputError(
            f"{name} holds {n_classes:,} different numbers in {n_rows:,} rows, as a measurement "
            "does; put them into classes first, such as low and high, or give another ",
            label,
        )
    if is_many and n_classes > ID_SHARE * n_rows:
        raise InputError(
            f"{name} has {n_classes:,} different values in {n_rows:,} rows, as an identifier has; ",
            the_class,
        )
    return labels


def lost_labels(column: pl.Series, missing: Iterable[str] = (), least: float = 0.0) -> list[str]:
    """Return notes on texts for missing values that may be classes, the most frequent first.

    Texts in ``missing`` are meant so, and texts in less than a share of ``least`` rows are rare.

    >>> lost_labels(pl.Series(["+", "-", "-", None]))
    ["label '-' is taken as missing in 2 of 4 rows; write another text if it names a class"]
    """
    if column.dtype != pl.String:
        return []
    texts = column.str.strip_chars().alias("text")
    surprising = texts.is_in([*set(MISSING) - set(missing)]).fill_null(False)
    counts = texts.filter(surprising).value_counts().sort(["count", "text"], descending=True)
    return [
        f"label {shown(text)} is taken as missing in {count:,} of {len(column):,} rows; write "
        "another text if it names a class"
        for text, count in counts.rows()
        if count >= least * len(column)
    ]
