"""Which values of a column count as a certainty, a right answer, a class or a cell?

Text and typed columns obey the same rules, so that a table means the same as CSV and as Parquet.
Blanks around a text do not count, and empty text is a missing value. Rows are counted from 1,
the header apart.
"""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._checks import InputError

__all__ = ["compare_labels", "parse_cells", "parse_certainty", "parse_correct"]

# Beside numbers, what has a value or a name of its own: no lists, no bytes.
_PLAIN = (pl.Boolean, pl.String, pl.Categorical, pl.Enum, pl.Date, pl.Datetime, pl.Time, pl.Null)
_LONGEST_VALUE = 60
# From so many rows on, another value in each of them is an identifier given by mistake.
_TOO_MANY_CELLS = 100
# Beyond it, whole numbers that differ can be the same float.
_LARGEST_EXACT = 2.0**53


def parse_certainty(column: pl.Series) -> NDArray[np.float64]:
    """Return a column of numbers; ±inf is a value like any other.

    Parameters
    ----------
    column : polars.Series
        Numbers, or text that reads as such.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        The numbers.
    """
    column = _present("certainty", column)
    numbers = _as_numbers(column)
    if numbers.null_count():
        numbers = _with_decimal_commas(column, numbers)
    _refuse("certainty", column, numbers.is_null(), "hold numbers such as 0.97")
    return np.asarray(numbers.to_numpy(), dtype=np.float64)


def parse_correct(column: pl.Series) -> NDArray[np.bool_]:
    """Return a column of truth values: true and false in any case, 0 and 1 as any number.

    Parameters
    ----------
    column : polars.Series
        Booleans, numbers or text.

    Returns
    -------
    correct : ndarray of shape (n_samples,)
        Whether the classifier was right.
    """
    column = _present("correct", column)
    if column.dtype == pl.Boolean:
        return np.asarray(column.to_numpy(), dtype=np.bool_)
    words = _as_text(column).str.to_lowercase()
    numbers = words.cast(pl.Float64, strict=False)
    right = (words == "true") | (numbers == 1).fill_null(False)
    wrong = (words == "false") | (numbers == 0).fill_null(False)
    _refuse("correct", column, ~(right | wrong), "hold true and false, or 1 and 0")
    return np.asarray(right.to_numpy(), dtype=np.bool_)


def compare_labels(y_true: pl.Series, y_pred: pl.Series) -> NDArray[np.bool_]:
    """Tell where two columns name the same class: in the same words or as the same number.

    Parameters
    ----------
    y_true, y_pred : polars.Series
        Classes and predicted classes, perhaps of different types: 1, 1.0 and "1" are the same.

    Returns
    -------
    correct : ndarray of shape (n_samples,)
        Whether the prediction is right.
    """
    true = _canonical(_as_text(_present("y_true", y_true)))
    pred = _canonical(_as_text(_present("y_pred", y_pred)))
    correct = true == pred
    if {_are_numbers(true), _are_numbers(pred)} == {True, False}:
        # Names against numbers of classes: every answer would pass for wrong.
        raise InputError(
            f"y_true column {y_true.name!r} and y_pred column {y_pred.name!r} must name classes "
            f"alike, got {_shown(true[0])} and {_shown(pred[0])} in data row 1; "
            "write names in both or numbers in both"
        )
    return np.asarray(correct.to_numpy(), dtype=np.bool_)


def parse_cells(column: pl.Series) -> tuple[list[int] | list[str], NDArray[np.int64]]:
    """Return the ascending labels of the cells and, for every sample, the index of its label.

    Parameters
    ----------
    column : polars.Series
        Integers or names.

    Returns
    -------
    labels : list of int or list of str
        The distinct labels; integers if all of them are.
    codes : ndarray of shape (n_samples,)
        The index in ``labels`` of each sample's cell.
    """
    column = _present("cell", column)
    text = _as_text(column)
    distinct = text.unique(maintain_order=True)
    numbers = _as_numbers(distinct)
    fractions = distinct.filter(numbers.is_finite() & (numbers != numbers.floor()))
    # In a column of nothing but numbers, a fraction tells that it is no column of cells.
    if len(fractions) and not numbers.null_count():
        _refuse("cell", column, text == fractions[0], "hold integers or names")
    named = _as_integers(distinct)
    labels = named.unique().sort()
    if len(labels) == len(column) >= _TOO_MANY_CELLS:
        # A threshold for each sample rejects just the errors, and says nothing of new samples.
        raise InputError(
            f"cell column {column.name!r} must name regions of several samples, "
            f"got another value in each of {len(column)} rows; choose another column"
        )
    position = labels.search_sorted(named).to_numpy().astype(np.int64)
    return labels.to_list(), position[text.cast(pl.Enum(distinct)).to_physical().to_numpy()]


def _are_numbers(names: pl.Series) -> bool | None:
    """Tell whether all names are numbers (True), none is (False), or some are (None)."""
    n_names = names.cast(pl.Float64, strict=False).null_count()
    return {0: True, len(names): False}.get(n_names)


def _as_integers(names: pl.Series) -> pl.Series:
    """Return integers where all names are such; with a leading zero, 007 is a name."""
    whole = names.str.extract(r"^(-?(?:0|[1-9][0-9]*))(?:\.0*)?$").cast(pl.Int64, strict=False)
    return names if whole.null_count() else whole


def _canonical(names: pl.Series) -> pl.Series:
    """Write equal numbers alike, and leave all else as it is."""
    integers = names.cast(pl.Int64, strict=False)
    numbers = names.cast(pl.Float64, strict=False)
    is_whole = (numbers == numbers.floor()) & (numbers.abs() < _LARGEST_EXACT)
    whole = numbers.set(~is_whole, None).cast(pl.Int64, strict=False)
    written = [part.cast(pl.String) for part in (integers, whole, numbers)]
    return pl.select(pl.coalesce(*written, names)).to_series()


def _present(role: str, column: pl.Series) -> pl.Series:
    """Return a column without missing values: null, empty text, or NaN among numbers."""
    if not (column.dtype.is_numeric() or column.dtype in _PLAIN):
        raise InputError(
            f"{role} column {column.name!r} must hold numbers or text, "
            f"got values of type {column.dtype}; choose another column"
        )
    if not column.dtype.is_numeric() and column.dtype != pl.Boolean:
        column = column.cast(pl.String).str.strip_chars().replace("", None)
    missing, numbers = column.is_null(), _as_numbers(column)
    # In a column of names, "nan" may be one.
    if numbers.null_count() == column.null_count():
        missing |= numbers.is_nan().fill_null(False)
    _refuse(role, column, missing, "hold no missing value")
    return column


def _as_numbers(column: pl.Series) -> pl.Series:
    """Return numbers, null where a value is none; truth values are not."""
    if column.dtype == pl.Boolean:
        return column.clear(len(column)).cast(pl.Float64)
    return column.cast(pl.Float64, strict=False)


def _with_decimal_commas(column: pl.Series, numbers: pl.Series) -> pl.Series:
    """Read 0,97 as a number, as spreadsheets in many countries write it, if all then are."""
    if column.dtype != pl.String:
        return numbers
    pointed = column.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    return numbers if pointed.null_count() else pointed


def _as_text(column: pl.Series) -> pl.Series:
    return column.cast(pl.String)


def _refuse(role: str, column: pl.Series, strange: pl.Series, must: str) -> None:
    """Raise an error that names the first strange row."""
    if strange.any():
        row = strange.arg_max()
        assert row is not None
        raise InputError(
            f"{role} column {column.name!r} must {must}, "
            f"got {_shown(column[row])} in data row {row + 1}; mend the file"
        )


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    shown = repr(value)
    return shown if len(shown) <= _LONGEST_VALUE else shown[:_LONGEST_VALUE] + "…"
