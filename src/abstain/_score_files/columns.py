"""Which values of a column count as a certainty, a right answer, a class or a cell?

Text and typed columns obey the same rules, so that a table means the same as CSV and as Parquet.
Blanks around a text do not count, and empty text is a missing value. Rows are counted from 1,
the header apart.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.checks import InputError, shown

__all__ = [
    "Naming",
    "StrangeCellError",
    "check_named_alike",
    "common_labels",
    "compare_labels",
    "find_cells",
    "parse_certainty",
    "parse_correct",
]

# Beside numbers, what has a value or a name of its own: no lists, no bytes.
_PLAIN = (pl.Boolean, pl.String, pl.Categorical, pl.Enum, pl.Date, pl.Datetime, pl.Time, pl.Null)
# From so many rows on, another value in each of them is an identifier given by mistake.
_TOO_MANY_CELLS = 100
_CELL = "hold integers or names"
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


class Naming(NamedTuple):
    """How two columns name classes: the first of each, and how many of them are no numbers."""

    first_true: str
    first_pred: str
    n_true_names: int
    n_pred_names: int
    n_rows: int


def compare_labels(y_true: pl.Series, y_pred: pl.Series) -> tuple[NDArray[np.bool_], Naming | None]:
    """Tell where two columns name the same class: in the same words or as the same number.

    Parameters
    ----------
    y_true, y_pred : polars.Series
        Classes and predicted classes, perhaps of different types: 1, 1.0 and "1" are the same.

    Returns
    -------
    correct : ndarray of shape (n_samples,)
        Whether the prediction is right.
    naming : Naming or None
        For :func:`check_named_alike`; None where there is no row.
    """
    true = _canonical(_as_text(_present("y_true", y_true)))
    pred = _canonical(_as_text(_present("y_pred", y_pred)))
    correct = np.asarray((true == pred).to_numpy(), dtype=np.bool_)
    if not len(true):
        return correct, None
    return correct, Naming(true[0], pred[0], _n_names(true), _n_names(pred), len(true))


def _n_names(labels: pl.Series) -> int:
    return labels.cast(pl.Float64, strict=False).null_count()


def check_named_alike(y_true: str, y_pred: str, namings: Sequence[Naming]) -> None:
    """Refuse names against numbers of classes: every answer would pass for wrong.

    Parameters
    ----------
    y_true, y_pred : str
        What the columns are called.
    namings : sequence of Naming
        How they name classes, file by file.
    """
    n_rows = sum(naming.n_rows for naming in namings)
    n_names = {
        sum(naming.n_true_names for naming in namings),
        sum(naming.n_pred_names for naming in namings),
    }
    if n_rows and n_names == {0, n_rows}:
        raise InputError(
            f"y_true column {shown(y_true)} and y_pred column {shown(y_pred)} must name classes "
            f"alike, got {_shown(namings[0].first_true)} and {_shown(namings[0].first_pred)} in "
            "data row 1; write names in both or numbers in both"
        )


class StrangeCellError(Exception):
    """A name that no cell can have: in which file, and which of its names."""

    def __init__(self, column: str, file: int, code: int, name: str, must: str) -> None:
        super().__init__(column, file, code, name, must)
        self.column, self.file, self.code, self.name, self.must = column, file, code, name, must

    def told(self, row: int) -> InputError:
        """Return the error to show, given the row, counted from 0."""
        return _strange("cell", self.column, self.must, self.name, row)


def find_cells(column: pl.Series) -> tuple[pl.Series, NDArray[Any]]:
    """Return the distinct names of cells and, for every sample, the index of its name.

    Parameters
    ----------
    column : polars.Series
        Integers or names, of one file.

    Returns
    -------
    names : polars.Series
        The distinct names, in the order of the rows, as text.
    codes : ndarray of shape (n_samples,)
        The index in ``names`` of each sample's cell.
    """
    text = _as_text(_present("cell", column, with_nan=not column.dtype.is_numeric()))
    distinct = text.unique(maintain_order=True)
    if column.dtype.is_numeric():  # numbers are no names, whatever other files hold
        fractions = distinct.filter(_are_fractions(_as_numbers(distinct)))
        if len(fractions):
            _refuse("cell", column, text == fractions[0], _CELL)
    return distinct, text.cast(pl.Enum(distinct)).to_physical().to_numpy()


def common_labels(
    column: str, files: Sequence[pl.Series], n_rows: int
) -> tuple[list[int] | list[str], list[NDArray[np.int64]]]:
    """Return the ascending labels of the cells of all files.

    Whether names are integers is decided with the names of all files in view.

    Parameters
    ----------
    column : str
        What the column is called.
    files : sequence of polars.Series
        The names in each file, from :func:`find_cells`.
    n_rows : int
        How many rows all files have.

    Returns
    -------
    labels : list of int or list of str
        The distinct labels; integers if all of them are.
    positions : list of ndarray
        For each file, the index in ``labels`` of each of its names.

    Raises
    ------
    StrangeCellError
        If a name cannot be one.
    InputError
        If there are as many cells as rows.
    """
    named = pl.concat(files)
    numbers = _as_numbers(named)
    # In a column of nothing but numbers, "nan" is no name, and a fraction tells that it is no
    # column of cells.
    if not numbers.null_count():
        _check_names(column, files, numbers.is_nan(), "hold no missing value")
        _check_names(column, files, _are_fractions(numbers), _CELL)
    named = _as_integers(named)
    labels = named.unique().sort()
    if len(labels) == n_rows >= _TOO_MANY_CELLS:
        # A threshold for each sample rejects just the errors, and says nothing of new samples.
        raise InputError(
            f"cell column {shown(column)} must name regions of several samples, "
            f"got another value in each of {n_rows} rows; choose another column"
        )
    positions = labels.search_sorted(named).to_numpy().astype(np.int64)
    ends = np.cumsum([len(names) for names in files])
    return labels.to_list(), np.split(positions, ends[:-1])


def _are_fractions(numbers: pl.Series) -> pl.Series:
    return numbers.is_finite() & (numbers != numbers.floor())


def _check_names(column: str, files: Sequence[pl.Series], strange: pl.Series, must: str) -> None:
    if strange.any():
        code = strange.arg_max()
        assert code is not None
        for file, names in enumerate(files):
            if code < len(names):
                raise StrangeCellError(column, file, code, names[code], must)
            code -= len(names)


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


def _present(role: str, column: pl.Series, with_nan: bool = False) -> pl.Series:
    """Return a column without missing values: null, empty text, or NaN among numbers.

    With ``with_nan``, whether "nan" is a name is left open.
    """
    if not (column.dtype.is_numeric() or column.dtype in _PLAIN):
        raise InputError(
            f"{role} column {shown(column.name)} must hold numbers or text, "
            f"got values of type {column.dtype}; choose another column"
        )
    if not column.dtype.is_numeric() and column.dtype != pl.Boolean:
        column = column.cast(pl.String).str.strip_chars().replace("", None)
    missing, numbers = column.is_null(), _as_numbers(column)
    # In a column of names, "nan" may be one.
    if not with_nan and numbers.null_count() == column.null_count():
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
        raise _strange(role, column.name, must, column[row], row)


def _strange(role: str, column: str, must: str, value: Any, row: int) -> InputError:
    return InputError(
        f"{role} column {shown(column)} must {must}, "
        f"got {_shown(value)} in data row {row + 1}; mend the file"
    )


def _shown(value: Any) -> str:
    return "nothing" if value is None else shown(value)
