"""Which values of a table has a model never seen: new categories, and numbers outside their range?

A column in another unit, or a code such as -999, would go unnoticed where the model answers all the
same. So such values are counted by column, and named in each row. A code that the model is fitted
to would widen the range: `codes_for_missing` points it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from abstain._core.errors import Argument, Message, shown
from abstain._core.text import printable
from abstain.classifier.missing_codes import missing_codes
from abstain.tables.values import as_categories, as_numbers, is_within

# For each column, its categories, or its lowest and its highest number.
ValuesOfFit = dict[str, list[Any]]

_DIGITS = 6
# Characters of a name or a category in a text.
_LONGEST = 80


class UnseenColumn(NamedTuple):
    """The unseen values of a column, and their rows; of numbers, the range of the fit."""

    values: pl.Series
    rows: pl.Series
    known: list[Any]

    @property
    def n_rows(self) -> int:
        """Rows with an unseen value."""
        return len(self.rows)

    @property
    def example(self) -> str | float:
        """The first of the unseen values."""
        first: str | float = self.values[0]
        return first

    def texts(self) -> pl.Series:
        """Return what is said of each of the values."""
        name = printable(self.values.name)[:_LONGEST]
        if self.values.dtype == pl.String:
            new = self.values.unique().to_list()
            said = {value: f"{name} {shown(value, _LONGEST)} (new)" for value in new}
            return self.values.replace_strict(said, return_dtype=pl.String)
        low, high = (f"{end:.{_DIGITS}g}" for end in self.known)
        value = pl.col("value").round_sig_figs(_DIGITS).cast(pl.String).str.strip_suffix(".0")
        text = pl.concat_str(pl.lit(f"{name} "), value, pl.lit(f" ({low} to {high})"))
        return self.values.alias("value").to_frame().select(text).to_series()


# By column, of those that have unseen values.
UnseenValues = dict[str, UnseenColumn]


def values_of_fit(columns: pl.DataFrame) -> ValuesOfFit:
    """Return the categories or the range of each column; of an empty one, nothing."""
    values: ValuesOfFit = {}
    for column in columns:
        present = column.drop_nulls()
        if len(present):
            is_number = present.dtype.is_numeric()
            ends = [present.min(), present.max()]
            values[column.name] = ends if is_number else present.unique().sort().to_list()
    return values


def find_unseen(
    of_fit: ValuesOfFit, frame: pl.DataFrame, missing: Sequence[str] = ()
) -> UnseenValues:
    """Return the values of each column that are not in the fit, of columns that have some."""
    unseen_values: UnseenValues = {}
    for name, known in of_fit.items():
        if isinstance(known[0], str):
            column = as_categories(frame[name], missing)
            is_unseen = ~column.is_in(known)
        else:
            is_plain = frame[name].dtype == pl.Float64 and not missing  # as nearly always
            column = frame[name] if is_plain else as_numbers(frame[name], also=missing)
            if is_within(column, *known):
                continue
            is_unseen = (column < known[0]) | (column > known[1])
        rows = is_unseen.arg_true()
        if len(rows):
            unseen_values[name] = UnseenColumn(column.gather(rows), rows, known)
    return unseen_values


def describe_rows(unseen: UnseenValues, n_rows: int) -> pl.Series:
    """Return the unseen values of each row as text, "" where there are none.

    >>> known = {"age": [29.0, 77.0], "sex": ["f", "m"]}
    >>> frame = pl.DataFrame({"age": [430.0, 40.0], "sex": ["x", "f"]})
    >>> describe_rows(find_unseen(known, frame), 2).to_list()
    ["not in the fit: age 430 (29 to 77); sex 'x' (new)", '']
    """
    said = pl.repeat("", n_rows, dtype=pl.String, eager=True)
    if not unseen:
        return said
    texts = pl.concat(
        pl.DataFrame({"row": column.rows, "text": column.texts()}) for column in unseen.values()
    )
    grouped = texts.group_by("row", maintain_order=True).agg(pl.col("text").str.join("; "))
    of_row = grouped.sort("row")  # earlier versions of polars set values in this order only
    return said.scatter(of_row["row"], "not in the fit: " + of_row["text"])


def codes_for_missing(frame: pl.DataFrame, missing: Sequence[str] = ()) -> list[Message]:
    """Return notes on columns whose lowest or highest number may mean a missing value.

    They are those of `classifier.missing_codes`.

    >>> ages = pl.DataFrame({"age": [29.0, 41.0, 77.0, -999.0, -999.0]})
    >>> [str(note) for note in codes_for_missing(ages)]
    ["'age' is -999 in 2 rows; if that means a missing value, give missing='-999'"]
    """
    return [
        Message(
            f"{shown(column.name)} is {each}; if that means a missing value, give ",
            Argument("missing", f"{each.code:g}"),
        )
        for column in frame
        for each in missing_codes(as_numbers(column, also=missing).drop_nulls().to_numpy())
    ]
