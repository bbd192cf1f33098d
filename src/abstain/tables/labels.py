"""Which class is a row of, by the column that names it?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable

import polars as pl

from abstain._core.checks import InputError, shown
from abstain.tables.features import ID_SHARE, check_kind
from abstain.tables.values import MISSING, as_categories, as_numbers

__all__ = [
    "lost_labels",
    "read_labels",
]

# More different numbers than this in a label are measurements, unless each occurs many times.
MANY_CLASSES, ROWS_A_CLASS = 20, 10


def read_labels(column: pl.Series, decimal: str = ".", missing: Iterable[str] = ()) -> pl.Series:
    """Return the class that each row is of, null where it is missing.

    Parameters
    ----------
    column : polars.Series
        The label column.
    decimal : {".", ","}, default="."
        What stands before the fraction of a number in text.
    missing : iterable of str, default=()
        Texts that stand for a missing value, beside the usual ones.

    Returns
    -------
    labels : polars.Series
        Names of classes as text.

    Raises
    ------
    InputError
        If the column names rows or holds measurements instead of classes.

    Examples
    --------
    >>> read_labels(pl.Series("ill", [1, 0, None, 1])).to_list()
    ['1', '0', None, '1']
    """
    check_kind(column, "give as --label a column of text, numbers or truth values")
    labels = as_categories(column, missing)
    present = labels.drop_nulls()
    n_classes = present.n_unique()
    if len(present) > 2 and n_classes == len(present):
        raise InputError(
            f"label column {shown(column.name)} has another value in each of {len(present):,} rows "
            f"({shown(present[0])}, {shown(present[1])}, …), as an identifier has; give as --label "
            "the column that names the class"
        )
    if n_classes < 2:
        got = f"only {shown(present[0])}" if n_classes else "no value at all"
        lost = lost_labels(column, missing)
        remedy = lost[0] if lost else "give rows of another class, or another --label"
        raise InputError(
            f"label column {shown(column.name)} must name at least two classes, got {got}; {remedy}"
        )
    many = n_classes > MANY_CLASSES and len(present) < ROWS_A_CLASS * n_classes
    numbers = as_numbers(present, decimal)
    if many and numbers.null_count() == 0:
        raise InputError(
            f"label column {shown(column.name)} holds {n_classes:,} different numbers in "
            f"{len(present):,} rows, as a measurement does; put them into classes first, such as "
            "low and high, or give another --label"
        )
    if many and n_classes > ID_SHARE * len(present):
        raise InputError(
            f"label column {shown(column.name)} has {n_classes:,} different values in "
            f"{len(present):,} rows, as an identifier has; give as --label the column that names "
            "the class"
        )
    return labels


def lost_labels(column: pl.Series, missing: Iterable[str] = (), least: float = 0.0) -> list[str]:
    """Return which texts for a missing value may be meant as classes, in a line each.

    Parameters
    ----------
    column : polars.Series
        The label column.
    missing : iterable of str, default=()
        Texts that were named as standing for a missing value: these are meant so.
    least : float, default=0
        The share of the rows that a text must have.

    Returns
    -------
    lines : list of str
        The most frequent first.

    Examples
    --------
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
