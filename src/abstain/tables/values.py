"""Which texts in a table are missing values, which are numbers, and how are categories written?

Text and typed columns obey the same rules, so that a table means the same as CSV and as Parquet.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable

import polars as pl

__all__ = ["MISSING", "as_categories", "as_numbers", "without_missing"]

# An empty field is missing as well.
MISSING = (
    *("NA", "N/A", "n/a", "na", "#N/A", "#NA", "#NV", "NaN", "nan", "NAN", "-nan", "-NaN"),
    *("n.a.", "N.A.", "k.A.", "k. A."),
    *("null", "NULL", "Null", "<NA>", "?", "-", "."),
)
# Beyond it, whole numbers that differ can be the same float.
_LARGEST_EXACT = 2.0**53
# In a table with decimal commas, 1.234 may be a thousand or a fraction.
_AMBIGUOUS = r"^[+-]?[1-9]\d{0,2}(\.\d{3})+$"
_TRUTH = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_THOUSANDS = r"^[+-]?\d{1,3}(\.\d{3})+,\d+$"


def without_missing(column: pl.Series, also: Iterable[str] = ()) -> pl.Series:
    """Return text without blanks around it, null where a value stands for a missing one.

    Parameters
    ----------
    column : polars.Series
        Text, or any other type.
    also : iterable of str, default=()
        Further texts that stand for a missing value; if they are numbers, these do so too.

    Returns
    -------
    column : polars.Series
        Values or null.

    Examples
    --------
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
    """Return numbers, null where they are among those that stand for a missing value."""
    absent = pl.Series(list(also), dtype=pl.String).cast(pl.Float64, strict=False).drop_nulls()
    if not len(absent):
        return column
    return column.set(column.cast(pl.Float64).is_in(absent.to_list()).fill_null(False), None)


def as_numbers(column: pl.Series, decimal: str = ".", also: Iterable[str] = ()) -> pl.Series:
    """Return numbers, null where a value is missing or none.

    Parameters
    ----------
    column : polars.Series
        Numbers, or text.
    decimal : {".", ","}, default="."
        What stands before the fraction in text. With a comma, 1.234,5 has a point between its
        thousands; 1.234 is refused, since it can be read in two ways.
    also : iterable of str, default=()
        Further texts that stand for a missing value.

    Returns
    -------
    numbers : polars.Series
        Float64; NaN has become null.

    Examples
    --------
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

    Parameters
    ----------
    column : polars.Series
        Text, truth values, numbers, or dates.
    also : iterable of str, default=()
        Further texts that stand for a missing value.

    Returns
    -------
    names : polars.Series
        Text or null.

    Examples
    --------
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
    # Truth values are written alike, whether they were text or not.
    return names.replace(_TRUTH)
