"""Which texts are missing values, numbers, categories or dates, and what to do about the others?

Text and typed columns follow the same rules, so that a table means the same as CSV and as Parquet.

In a column such as "$1,200", "1.234,50 €", "45 %" or "12 kg" all numbers have the same prefix and
suffix. All values together show what these are, and which mark is the decimal mark. If every number
can be read in two ways, the decimal mark of the table decides. If a column has another mark than
its table, and reads as thousands what may be a fraction, nothing is guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl

from abstain._core.errors import Argument, InputError, Message, shown
from abstain._core.text import row_number

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


# --- numbers with a sign, a unit or marks between thousands ---------------------------------------

# The share of values that a notation must read as numbers.
_LEAST_SHARE = 0.9
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|BRL|SEK|NOK|DKK|PLN|CZK|HUF|TRY|MXN|KRW|ZAR"
_MONEY = rf"(?:(?:US|CA|AU|R)?\p{{Sc}}|{_CODES})"
_UNITS = (
    "kg|g|mg|µg|ug|t|lbs?|oz|km|m|cm|mm|µm|nm|mi|ft|in|l|dl|cl|ml|h|min|s|ms|d|K|Hz|kHz|MHz|GHz|"
    "W|kW|MW|kWh|V|mV|A|mA|Pa|hPa|kPa|bar|mbar|mmHg|bpm|rpm|px|k?[bB]|MB|GB|TB|km/h|mph|m/s"
)
# After a blank, any word can be a unit; right after the digits it may be part of a name: 4wd.
_SUFFIX = rf"%|‰|°[CFK]?|{_MONEY}|(?:{_UNITS})|\s[^\s\d.,+-][^\s\d]{{0,11}}"
_PARTS = rf"^([+-]?)({_MONEY}|)\s?([+-]?)(\d[\d.,' ]*?)({_SUFFIX}|)$"
_IN_BRACKETS = r"^\(([^()]*\d[^()]*)\)$", "-${1}"
_BLANKS = "[\u00a0\u2007\u2009\u202f]"


@dataclass(frozen=True)
class Notation:
    """The prefix, suffix, mark between thousands and decimal mark of the numbers of a column.

    >>> euro = Notation(suffix="€", group=".", decimal=",")
    >>> euro.numbers(pl.Series(["1.234,50 €", "-7€", "12", "12 $"])).to_list()
    [1234.5, -7.0, 12.0, None]
    """

    prefix: str = ""
    suffix: str = ""
    group: str = ","
    decimal: str = "."
    example: str = ""

    def numbers(self, column: pl.Series, missing: Iterable[str] = ()) -> pl.Series:
        """Return text as numbers, null where it is missing or in another notation.

        The prefix and the suffix are optional.

        >>> Notation("$").numbers(pl.Series(["$1,200", "(3)", "?", "5 €"])).to_list()
        [1200.0, -3.0, None, None]
        """
        prefix, suffix = re.escape(self.prefix), re.escape(self.suffix)
        group, decimal = re.escape(self.group), re.escape(self.decimal)
        digits = rf"(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d+)(?:{decimal}\d+)?"
        pattern = rf"^([+-]?)(?:{prefix}\s?)?([+-]?{digits})(?:\s?{suffix})?$"
        # polars may take the name of the column for a pattern.
        text = _with_plain_marks(without_missing(column, missing)).alias("text").to_frame()
        parts = pl.col("text").str.extract_groups(pattern)
        number = (
            pl.concat_str(parts.struct.field("1"), parts.struct.field("2"))
            .str.replace_all(self.group, "", literal=True)
            .str.replace(self.decimal, ".", literal=True)
            .cast(pl.Float64, strict=False)
        )
        return text.select(number).to_series().alias(column.name)

    @property
    def is_money(self) -> bool:
        """Whether it has the sign or the code of a currency."""
        affixes = pl.Series([self.prefix, self.suffix])
        return bool(affixes.str.contains(f"^{_MONEY}$").any())


def _with_plain_marks(text: pl.Series) -> pl.Series:
    """Return text with ASCII marks; (5) is -5 in accounting."""
    for marks, plain in ((_BLANKS, " "), ("\u2019", "'"), ("\u2212", "-"), _IN_BRACKETS):
        text = text.str.replace_all(marks, plain)
    return text


def find_notation(present: pl.Series, decimal: str = ".") -> Notation | None:
    """Return the notation of the numbers of a column; None if it does not hold numbers.

    >>> find_notation(pl.Series(["$1,200", "$900"]))
    Notation(prefix='$', suffix='', group=',', decimal='.', example='$1,200')
    >>> find_notation(pl.Series(["4wd", "2wd"])) is None
    True
    """
    if present.dtype != pl.String or not len(present):
        return None
    texts = present.unique(maintain_order=True).str.strip_chars()
    values = _with_plain_marks(texts)
    affixes = _affixes(values)
    if affixes is None:
        return None
    other = "," if decimal == "." else "."
    # The decimal mark of the table comes first, and is preferred.
    marks = [(decimal, group) for group in (other, " ", "'")]
    marks += [(other, group) for group in (decimal, " ", "'")]
    possible = [Notation(*affixes, group, mark) for mark, group in marks]
    shares = [1 - each.numbers(values).null_count() / len(values) for each in possible]
    if max(shares) < _LEAST_SHARE:
        return None
    best = [each for each, share in zip(possible, shares, strict=True) if share == max(shares)]
    # Money has no thousandths: $1,200 is more than a thousand, whatever the decimal mark.
    notation = next((each for each in best if not _in_thousandths(each, values)), best[0])
    notation = notation if notation.is_money else best[0]
    if _are_identifiers(notation, values):
        return None
    return replace(notation, example=_example(notation, texts))


def _affixes(values: pl.Series) -> tuple[str, str] | None:
    """Return the prefix and the suffix of most values, if most have the same."""
    parts = values.str.extract_groups(_PARTS).struct.unnest()
    common = parts.drop_nulls("4").group_by("2", "5", maintain_order=True).len()
    if common.is_empty():
        return None
    prefix, suffix, count = common.sort("len", descending=True, maintain_order=True).row(0)
    return (prefix, suffix.strip()) if count >= len(values) / 2 else None


def _in_thousandths(notation: Notation, values: pl.Series) -> bool:
    """Return whether there are fractions, and all of them of three digits."""
    fractions = values.str.extract(rf"{re.escape(notation.decimal)}(\d+)\D*$").drop_nulls()
    return bool(len(fractions) and (fractions.str.len_chars() == 3).all())


def _are_identifiers(notation: Notation, values: pl.Series) -> bool:
    """Return whether numbers may be telephone numbers and the like: many groups, one length."""
    if notation.prefix or notation.suffix or notation.group == ",":
        return False
    n_groups = values.str.count_matches(notation.group, literal=True)
    return bool((n_groups > 1).all() and values.str.len_chars().n_unique() == 1)


def _example(notation: Notation, texts: pl.Series) -> str:
    """Return the value with most of the marks, unchanged."""
    read = texts.filter(notation.numbers(texts).is_not_null())
    values = _with_plain_marks(read)
    n_marks = values.str.contains(r"[^\d.,' +-]").cast(pl.Int64)
    for mark in (notation.group, notation.decimal):
        n_marks += values.str.contains(mark, literal=True).cast(pl.Int64)
    return str(read[n_marks.arg_max() or 0])


def is_ambiguous(notation: Notation, present: pl.Series) -> bool:
    """Return whether a point between thousands may be a decimal mark.

    >>> is_ambiguous(Notation(group=".", decimal=","), pl.Series(["1.200", "900"]))
    True
    >>> is_ambiguous(Notation(group=".", decimal=","), pl.Series(["1.200", "1.200,5"]))
    False
    """
    if notation.group != "." or notation.is_money:
        return False
    with_points = present.filter(present.str.contains(".", literal=True))
    is_proven = with_points.str.contains(r"\..*[.,]").any()
    return bool(len(with_points) and not is_proven)


def is_within(column: pl.Series, low: Any, high: Any) -> bool:
    """Return whether all numbers are; False if NaN is the lowest or the highest."""
    least: Any = column.min()
    greatest: Any = column.max()
    return least is None or (least >= low and greatest <= high)


def read_numbers(
    frame: pl.DataFrame,
    names: Iterable[str],
    decimal: str = ".",
    missing: Sequence[str] = (),
    notations: Mapping[str, Notation] | None = None,
) -> pl.DataFrame:
    """Return a frame with numbers in the named columns of text in which all values are numbers.

    >>> frame = pl.DataFrame({"a": ["1,5", "?"], "b": ["1,5", "high"]})
    >>> read_numbers(frame, ["a", "b"], decimal=",").to_dict(as_series=False)
    {'a': [1.5, None], 'b': ['1,5', 'high']}
    """
    as_text = {name for name, kind in frame.schema.items() if kind == pl.String}
    columns = []
    for name in names:
        if name in as_text:
            present = without_missing(frame[name], missing)
            notation = (notations or {}).get(name)
            numbers = (
                as_numbers(present, decimal) if notation is None else notation.numbers(present)
            )
            if numbers.null_count() == present.null_count():
                columns.append(numbers)
    return frame.with_columns(columns)


# --- errors about values --------------------------------------------------------------------------


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
            f"column {shown(column)} must hold numbers{written}, got {shown(value)} in row "
            f"{row_number(row)}{place}; ",
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
