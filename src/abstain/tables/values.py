"""Which texts are missing values, numbers, categories or dates, and what to do about the others?

Text and typed columns follow the same rules, so that a table means the same as CSV and as Parquet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import partial
from typing import Any

import polars as pl

from abstain._core.errors import Argument, InputError, Message, shown

# An empty field is missing as well.
MISSING = (
    *("NA", "N/A", "n/a", "na", "#N/A", "#NA", "#NV", "NaN", "nan", "NAN", "-nan", "-NaN"),
    *("n.a.", "N.A.", "k.A.", "k. A."),
    *("null", "NULL", "Null", "<NA>", "?", "-", "."),
)
# Above it, different integers can be the same float.
_LARGEST_EXACT = 2.0**53
# With decimal commas, 1.234 may be a thousand or a fraction.
_AMBIGUOUS = r"^[+-]?[1-9]\d{0,2}(\.\d{3})+$"
_TRUTH = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_THOUSANDS = r"^[+-]?\d{1,3}(\.\d{3})+,\d+$"
# Features are squared and summed, by scaling and by distances, which must not overflow.
LARGEST = 1e150
_LIMIT = re.compile(r"[<>≤≥]=? *\d[\d.,]*")
_WITH_REMARK = re.compile(r"[~≈]? *\d[\d.,]* *[+*]?")
_DATE = (
    r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))"
    r"([ T]\d{1,2}:\d{2}.*)?$"
)
# English, German, French, Spanish and Italian.
_MONTH = (
    r"(jan(uary|uar|v|vier)?|ene(ro)?|gen(naio)?|feb(ruary|ruar|rero|braio)?|f[eé]vr?(ier)?"
    r"|mar(ch|s|zo)?|märz?|mrz|apr(il|ile)?|a[bv]r(il)?|may|mayo|mai|mag(gio)?"
    r"|jun[ei]?|junio|juin|giu(gno)?|jul[iy]?|julio|juil(let)?|lug(lio)?|aug(ust)?|ago(sto)?|ao[uû]t"
    r"|sept?(ember|embre|iembre|tembre)?|set(tembre)?|o[ck]t(ober|obre|ubre)?|ott(obre)?"
    r"|nov(ember|embre|iembre)?|de[cz](ember)?|d[eé]c(embre)?|dic(embre|iembre)?)\.?"
)
_TIME = r"([ T,]+\d{1,2}:\d{2}.*)?$"
# 3 May 2024, 3.-Mai-24; May 3rd, 2024; May 2024; 2024-May-3
_DATE_WITH_MONTH = (
    r"(?i)^([^\W\d]{2,10}\.?,? +)?("
    rf"\d{{1,2}}(st|nd|rd|th|\.)?[ ./-]*(de |of )?{_MONTH}[ .,/-]*(de )?(\d{{4}}|'?\d{{2}})"
    rf"|{_MONTH}[ .-]*\d{{1,2}}(st|nd|rd|th)?,?[ ,/-]+(\d{{4}}|'?\d{{2}})"
    rf"|{_MONTH}[ .,/-]*(\d{{4}}|'\d{{2}})"
    rf"|\d{{4}}[ ./-]*{_MONTH}([ ./-]*\d{{1,2}})?"
    rf"){_TIME}"
)


def without_missing(column: pl.Series, also: Iterable[str] = ()) -> pl.Series:
    """Return text without blanks around it, null where a value is missing.

    >>> without_missing(pl.Series([" a ", "?", "", "-9"]), also=["-9"]).to_list()
    ['a', None, None, None]
    """
    if column.dtype.is_numeric():
        return _without_numbers(column, also)
    if column.dtype != pl.String:
        return column
    stripped = column.str.strip_chars()
    absent = stripped.is_in(["", *MISSING, *also])
    if not absent.any():
        return stripped
    return stripped.set(absent.fill_null(False), None)


def _without_numbers(column: pl.Series, also: Iterable[str]) -> pl.Series:
    """Return numbers, null where one of them means a missing value."""
    absent = pl.Series(list(also), dtype=pl.String).cast(pl.Float64, strict=False).drop_nulls()
    if not len(absent):
        return column
    return column.set(column.cast(pl.Float64).is_in(absent.to_list()).fill_null(False), None)


def as_numbers(column: pl.Series, decimal: str = ".", also: Iterable[str] = ()) -> pl.Series:
    """Return numbers, null where a value is missing or not a number.

    >>> as_numbers(pl.Series(["1,5", "1.234,5", "1.234", "NA"]), decimal=",").to_list()
    [1.5, 1234.5, None, None]
    """
    if column.dtype == pl.Boolean or not (column.dtype.is_numeric() or column.dtype == pl.String):
        return pl.Series(column.name, [None] * len(column), dtype=pl.Float64)
    is_text = column.dtype == pl.String
    column = without_missing(column, also)
    if is_text and decimal == ",":
        column = _with_points(column)
    numbers = column.cast(pl.Float64, strict=False)
    return numbers.fill_nan(None) if numbers.is_nan().any() else numbers


def _with_points(column: pl.Series) -> pl.Series:
    text = pl.col("text")  # a column's own name may read as a pattern
    written = (
        pl.when(text.str.contains(_AMBIGUOUS))
        .then(None)
        .when(text.str.contains(_THOUSANDS))
        .then(text.str.replace_all(".", "", literal=True))
        .otherwise(text)
        .str.replace(",", ".", literal=True)
        .alias(column.name)
    )
    return column.alias("text").to_frame().select(written).to_series()


def as_categories(column: pl.Series, also: Iterable[str] = ()) -> pl.Series:
    """Return the names of categories as text; whole numbers have no fraction, missing is null.

    >>> as_categories(pl.Series([1.0, 2.5, None])).to_list()
    ['1', '2.5', None]
    >>> as_categories(pl.Series([True, False])).to_list()
    ['true', 'false']
    """
    column = without_missing(column, also)
    if column.dtype.is_float():
        numbers = column.cast(pl.Float64).fill_nan(None)
        is_whole = (numbers == numbers.floor()) & (numbers.abs() < _LARGEST_EXACT)
        whole = numbers.set(~is_whole.fill_null(False), None).cast(pl.Int64, strict=False)
        # Versions of polars differ on the sign of an exponent.
        others = numbers.cast(pl.String).str.replace(r"e(\d)", "e+$1")
        parts = [whole.cast(pl.String), others]
        return pl.select(pl.coalesce(*parts).alias(column.name)).to_series()
    names = column.cast(pl.String)
    return names.replace(_TRUTH)


def are_dates(text: pl.Series) -> pl.Series:
    """Return which texts are dates, perhaps with a time."""
    return text.str.contains(_DATE) | text.str.contains(_DATE_WITH_MONTH)


class BadValueError(InputError):
    """A value that is not a number, or too large; ``like`` is a valid one."""

    def __init__(
        self, column: str, row: int, value: Any, place: str = "", *, like: str = ""
    ) -> None:
        written = f" written like {shown(like)}" if like else ""
        remedy = remedy_for(value)
        if value == column:
            remedy = Message("the header seems to be repeated there: remove that line")
        elif _is_number(value):
            written = f" of at most {LARGEST:g}"
            remedy = Message("divide the column by a power of ten, or ", remedy)
        super().__init__(
            f"column {shown(column)} must hold numbers{written}, got {shown(value)} in data row "
            f"{row + 1}{place}; ",
            remedy,
        )
        self.requirement, self.remedy = f"must hold numbers{written}", remedy
        self.column, self.row, self.value, self.place, self.like = column, row, value, place, like

    def __reduce__(self) -> Any:
        make = partial(BadValueError, like=self.like)
        return make, (self.column, self.row, self.value, self.place)


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def remedy_for(value: Any) -> Message:
    """Return what to do about a value that is not a number."""
    instead = "fix the file"
    if _LIMIT.fullmatch(str(value)):
        instead = "write a number for such a limit, half of it for instance"
    elif _WITH_REMARK.fullmatch(str(value)):
        instead = "write the number alone"
    missing = Argument("missing", [str(value)])
    return Message(instead, ", or say that it means missing: ", missing)
