"""Which columns of a table are features, and of which kind?

Numbers are features, and so is text with few values. What cannot help on new rows is left out, with
a word about it: a column with one value only, an identifier, a date.
"""

from __future__ import annotations  # signatures then show the names of types

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from abstain._core.checks import InputError, shown
from abstain.tables.dates import are_dates
from abstain.tables.mistakes import BadValueError, for_shell, to_mend
from abstain.tables.notations import Notation, find_notation, is_ambiguous
from abstain.tables.values import as_numbers, without_missing

__all__ = [
    "ID_SHARE",
    "Features",
    "check_kind",
    "choose_features",
]

# Text in which more than this share of the values differ, and of so many, names rows, not kinds.
ID_SHARE, ID_VALUES = 0.5, 20
# A column of numbers but for so few values holds mistakes; with more, it is text.
MOSTLY_NUMBERS = 0.9
# A column of text with so many numbers in it may have been meant as one of numbers.
HALF_NUMBERS = 0.5
# Why a column is left out.
AS_ASKED, EMPTY = "as asked", "is empty"
_ID = re.compile(r"(^|[\W_])(id|nr|no|number|nummer|key|index|row|uid|uuid)$|^unnamed \d+$", re.I)
_CODES = ", as its digits begin with 0; if they count something, write them without it"
_DATES = "holds dates or times; make numbers of them, such as days"


@dataclass(frozen=True)
class Features:
    """The columns that a model looks at.

    Attributes
    ----------
    numeric, categorical : list of str
        Columns of numbers, and of names of kinds.
    left_out : dict of str to str
        For each column that is not looked at, why.
    written : dict of str to Notation
        How numbers are written, for columns in which they carry a sign, a unit or the like.
    notes : list of str
        What may have been meant otherwise than it was taken.
    """

    numeric: list[str]
    categorical: list[str]
    left_out: dict[str, str] = field(default_factory=dict)
    written: dict[str, Notation] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def choose_features(
    frame: pl.DataFrame,
    *,
    decimal: str = ".",
    missing: Sequence[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    categorical: Iterable[str] = (),
) -> Features:
    """Tell which columns can help to tell classes apart on new rows, and of which kind they are.

    Parameters
    ----------
    frame : polars.DataFrame
        All columns but the label.
    decimal : {".", ","}, default="."
        What stands before the fraction of a number in text.
    missing : sequence of str, default=()
        Texts that stand for a missing value, beside the usual ones.
    drop, keep : iterable of str, default=()
        Columns to leave out, and to take though they seem of no use.
    categorical : iterable of str, default=()
        Columns whose numbers are names of kinds.

    Returns
    -------
    features : Features
        The columns of each kind, and why the others are left out.

    Raises
    ------
    InputError
        If a column of numbers holds a few other values, or no column is left.

    Examples
    --------
    >>> frame = pl.DataFrame({"id": range(60), "age": [30.5, 41, 52] * 20, "sex": ["f", "m"] * 30})
    >>> found = choose_features(frame.with_columns(price=pl.Series(["$1,200", "$900"] * 30)))
    >>> found.numeric, found.categorical, found.left_out
    (['age', 'price'], ['sex'], {'id': 'numbers the rows'})
    >>> found.written["price"].example
    '$1,200'
    """
    found = Features([], [])
    drop, keep, categorical = set(drop), set(keep), set(categorical)
    for column in frame:
        if column.name in drop:
            found.left_out[column.name] = AS_ASKED
            continue
        try:
            verdict = _judge(column, decimal, missing, column.name in categorical)
        except InputError:
            _check_no_units(frame.drop(drop, strict=False), decimal, missing)
            raise
        if verdict.why and (column.name not in keep or verdict.why == EMPTY):
            found.left_out[column.name] = verdict.why + verdict.doubt
            continue
        (found.numeric if verdict.kind == "numeric" else found.categorical).append(column.name)
        if verdict.notation is not None:
            found.written[column.name] = verdict.notation
        if verdict.doubt:
            n_kinds = without_missing(column, missing).drop_nulls().n_unique()
            found.notes.append(f"{shown(column.name)} is taken as {n_kinds:,} kinds{verdict.doubt}")
    if not found.numeric and not found.categorical:
        raise InputError(f"no column is left to learn from{_why_none(found.left_out)}")
    return found


def _why_none(left_out: dict[str, str]) -> str:
    """Return why each column is left out, and what helps: what was asked for can be unasked."""
    if not left_out:
        return "; give more columns"
    told = "; ".join(f"{shown(name)} {why}" for name, why in list(left_out.items())[:5])
    reasons = set(left_out.values())
    remedies = ["name fewer in --drop"] if AS_ASKED in reasons else []
    if reasons - {AS_ASKED, EMPTY}:
        remedies.append("take one all the same by --keep")
    return f": {told}; {', or '.join(remedies) or 'give more columns'}"


class _Verdict(NamedTuple):
    """Of which kind a column is, why it should be left out, and how its numbers are written.

    The doubt is what speaks against taking it as text.
    """

    kind: str
    why: str = ""
    notation: Notation | None = None
    doubt: str = ""


def _judge(column: pl.Series, decimal: str, missing: Sequence[str], is_category: bool) -> _Verdict:
    present = without_missing(column, missing).drop_nulls()
    if present.dtype.is_float():
        present = present.drop_nans()
    if not len(present):
        return _Verdict("categorical", EMPTY)
    if present.n_unique() == 1:
        kind = "categorical" if as_numbers(present, decimal).null_count() else "numeric"
        value = shown(present[0])
        if _is_strange(present.dtype):  # whose values take lines
            value = f"the same {type(present.dtype).__name__.lower()}"
        return _Verdict(kind, f"is {value} throughout")
    if column.dtype.is_temporal():
        return _Verdict("categorical", _DATES)
    check_kind(column, f"leave it out: --drop {for_shell(column.name)}")
    if is_category:
        return _Verdict("categorical")
    if _are_codes(present):
        return _Verdict("categorical", _doubts_about_text(present), doubt=_CODES)
    numbers = as_numbers(present, decimal)
    if not numbers.null_count():
        return _Verdict("numeric", _doubts_about_numbers(column.name, numbers))
    notation = find_notation(present, decimal)
    # In a table with decimal commas, no point stands before a fraction.
    if notation is not None and decimal == "." and is_ambiguous(notation, present):
        if _share(numbers.is_not_null()) < MOSTLY_NUMBERS:
            return _Verdict("categorical", _two_readings(notation))
        notation = None
    if notation is not None:
        read = notation.numbers(present)
        # One that makes no more of them numbers says nothing about those that are.
        better = read.null_count() < numbers.null_count()
        numbers, notation = (read, notation) if better else (numbers, None)
    if not numbers.null_count():
        return _Verdict("numeric", _doubts_about_numbers(column.name, numbers), notation)
    if _share(numbers.is_not_null()) >= MOSTLY_NUMBERS:
        _complain(column, decimal, missing, notation)
    return _Verdict("categorical", _doubts_about_text(present), doubt=_in_numbers(present, numbers))


def _check_no_units(frame: pl.DataFrame, decimal: str, missing: Sequence[str]) -> None:
    """Refuse a first row of text above columns of numbers; one such column proves nothing."""
    units = {}
    for column in frame:
        present = without_missing(column, missing)
        is_number = as_numbers(present, decimal).is_not_null()
        n_below = len(present[1:].drop_nulls())
        if not n_below or is_number[1:].sum() < MOSTLY_NUMBERS * n_below:
            continue
        if is_number[0] or present[0] == column.name:  # a header that comes again
            return
        if present[0] is not None:
            units[column.name] = present[0]
    if len(units) > 1:
        told = [f"{shown(unit)} of {shown(name)}" for name, unit in units.items()]
        raise InputError(
            f"data row 1 seems to hold units ({', '.join(told[:2])}); remove that line"
        )


def check_kind(column: pl.Series, remedy: str) -> None:
    """Refuse values that are neither numbers nor text nor anything that can be written so."""
    if _is_strange(column.dtype):
        raise InputError(
            f"column {shown(column.name)} must hold numbers or text, got values of type "
            f"{column.dtype}; {remedy}"
        )


def _is_strange(kind: pl.DataType) -> bool:
    return kind.is_nested() or kind in (pl.Binary, pl.Object) or kind == pl.Duration


def _numbers_rows(name: str, numbers: pl.Series) -> bool:
    """Tell whether numbers only tell rows apart.

    They are whole, and all different and in order; or most are different and they are so named.
    """
    if len(numbers) < ID_VALUES or not (numbers == numbers.floor()).all():
        return False
    if _ID.search(name) is not None:
        return numbers.n_unique() > ID_SHARE * len(numbers)
    return bool((numbers.diff().drop_nulls() == 1).all())


def _two_readings(notation: Notation) -> str:
    return (
        f"holds numbers such as {shown(notation.example)}, whose point may stand before thousands "
        "or a fraction; write all of them without points, or with points before fractions only"
    )


def _doubts_about_numbers(name: str, numbers: pl.Series) -> str:
    return "numbers the rows" if _numbers_rows(name, numbers) else ""


def _doubts_about_text(present: pl.Series) -> str:
    if present.dtype == pl.String and _share(are_dates(present)) > MOSTLY_NUMBERS:
        return _DATES
    n_values = present.n_unique()
    if n_values > ID_VALUES and n_values > ID_SHARE * len(present):
        return f"is text with {n_values:,} different values in {len(present):,} rows"
    return ""


def _are_codes(present: pl.Series) -> bool:
    """Tell whether digits are those of codes: of one length, which some begin with 0 to reach."""
    if present.dtype != pl.String or not present.str.contains(r"^\d{2,}$").all():
        return False
    is_filled = present.str.starts_with("0")
    return present.str.len_chars().n_unique() == 1 and present.filter(is_filled).n_unique() > 1


def _in_numbers(present: pl.Series, numbers: pl.Series) -> str:
    """Return what speaks for numbers in a column of text; nothing if few are."""
    share = _share(numbers.is_not_null())
    if share < HALF_NUMBERS:
        return ""
    other = present.filter(numbers.is_null()).mode().sort()[0]
    return (
        f", though {share:.0%} of its values are numbers; others are like {shown(other)}: "
        f"{to_mend(other)}"
    )


def _share(mask: pl.Series) -> float:
    return int(mask.sum()) / len(mask)


def _complain(
    column: pl.Series, decimal: str, missing: Sequence[str], notation: Notation | None
) -> None:
    """Raise an error about the first value that is no number."""
    present = without_missing(column, missing)
    if notation is None:
        numbers, like = as_numbers(column, decimal, missing), ""
    else:
        numbers, like = notation.numbers(column, missing), notation.example
    strange = present.is_not_null() & numbers.is_null()
    row = strange.arg_max()
    assert row is not None
    error = BadValueError(column.name, row, column[row], like=like)
    if error.value == column.name:
        raise error
    name = for_shell(column.name)
    raise InputError(
        f"{error}; or that the column names kinds: --categorical {name}; or leave it out: "
        f"--drop {name}"
    )
