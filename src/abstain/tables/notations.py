"""In which notation are numbers with a sign, a unit or marks between thousands written?

In a column such as "$1,200", "1.234,50 €", "45 %" or "12 kg" all numbers have the same prefix and
suffix. All values together show what these are, and which mark is the decimal mark. If every number
can be read in two ways, the decimal mark of the table decides. If a column has another mark than
its table, and reads as thousands what may be a fraction, nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import polars as pl

from abstain.tables.values import without_missing

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
