"""How do score files become the three aligned arrays: certainty, correct, cells?

Most of a file can be read without the others. The labels of the cells depend on all of them: 7 is a
number unless another file names a cell "north". Text and typed columns follow the same rules, so
that a table means the same as CSV and as Parquet. Blanks around a text are ignored, and empty text
is a missing value. Rows are numbered as a spreadsheet does: the header is row 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError, Message, shown
from abstain._core.files import name_file_if
from abstain._core.text import row_number
from abstain.tables.reading import TableFile, TextOptions, find_column, rows_counted_from
from abstain.tables.records import read_errors_in_one_line
from abstain.tables.values import as_numbers

_ANY_FORMAT = TextOptions()
# Types beside numbers whose values can be labels: no lists, no bytes.
_PLAIN = (pl.Boolean, pl.String, pl.Categorical, pl.Enum, pl.Date, pl.Datetime, pl.Time, pl.Null)
# From this number of rows on, a different value in each is an identifier given by mistake.
_TOO_MANY_CELLS = 100
_CELL = "hold integers or names"
# Above it, different integers can be the same float.
_LARGEST_EXACT = 2.0**53


@dataclass(frozen=True)
class ScoreColumns:
    """The columns of a score file: certainty, and ``correct`` or both ``y_true`` and ``y_pred``.

    Without ``cell``, all samples are in one cell.
    """

    certainty: str
    correct: str | None = None
    y_true: str | None = None
    y_pred: str | None = None
    cell: str | None = None

    def __post_init__(self) -> None:
        given = [role for role in ("correct", "y_true", "y_pred") if role in self.roles]
        if given not in (["correct"], ["y_true", "y_pred"]):
            got = " and ".join(given) or "none of them"
            if len(given) == 1:
                got = Message(Argument(given[0]))
            raise InputError(
                *("give either ", Argument("correct"), " or both ", Argument("y_true"), " and "),
                *(Argument("y_pred"), ", got ", got),
            )
        role_of: dict[str, str] = {}
        for role, column in self.roles.items():
            # Only the cell may be a column with another role, such as y_pred.
            if column in role_of and role != "cell":
                raise InputError(
                    *(Argument(role_of[column]), " and ", Argument(role)),
                    f" must be different columns, got {shown(column)} twice",
                )
            role_of[column] = role

    @property
    def roles(self) -> dict[str, str]:
        """The column of each role that has one."""
        return {role: column for role, column in vars(self).items() if column is not None}


@dataclass(frozen=True, eq=False)
class Scores:
    """The samples of score files; ``cells`` are indices of ``labels``, which ascend.

    Certainty, correct and cells are NumPy arrays or, on a cluster, Dask arrays.
    """

    certainty: Any
    correct: Any
    cells: Any
    labels: list[int] | list[str]

    @property
    def arrays(self) -> dict[str, Any]:
        """The three aligned arrays by name."""
        return {"certainty": self.certainty, "correct": self.correct, "cells": self.cells}


class FileSummary(NamedTuple):
    """What is needed from each file to label the cells of all: above all the names of its cells."""

    n_rows: int
    cell_names: pl.Series | None
    class_names: ClassNames | None


@dataclass(frozen=True, eq=False)
class FileScores:
    """The samples of one file; ``codes`` are indices of the names of its cells."""

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    codes: NDArray[Any]
    summary: FileSummary

    def first_row(self, code: int) -> int:
        """Return the first row, counted from 0, of a cell."""
        return int(np.argmax(self.codes == code))


def read_scores(
    paths: Sequence[Path],
    columns: ScoreColumns,
    options: TextOptions = _ANY_FORMAT,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Scores:
    """Read score files as if they were one; ``watch`` is called with files read and of all."""
    files = []
    for done, path in enumerate(paths, start=1):
        with name_file_if(len(paths) > 1, path):
            files.append(read_file(path, columns, options))
        watch(done, len(paths))
    labels, positions = merge_cells(
        paths,
        columns,
        [file.summary for file in files],
        lambda index, code: files[index].first_row(code),
    )
    return Scores(
        certainty=_concatenated([file.certainty for file in files]),
        correct=_concatenated([file.correct for file in files]),
        cells=_concatenated([own[file.codes] for own, file in zip(positions, files, strict=True)]),
        labels=labels,
    )


def _concatenated(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def read_file(path: Path, columns: ScoreColumns, options: TextOptions = _ANY_FORMAT) -> FileScores:
    """Read one score file, which may have no rows."""
    table = options.open(path, columns=list(columns.roles.values()))
    for role, column in columns.roles.items():
        find_column(role, column, table)
    frame = _read_columns(table, list(dict.fromkeys(columns.roles.values())))
    if columns.cell is None:
        cell_names, codes = None, np.zeros(frame.height, dtype=np.uint8)
    else:
        cell_names, codes = _find_cells(frame[columns.cell])
    certainty = _parse_certainty(frame[columns.certainty], options.decimal)
    if columns.correct is not None:
        correct, class_names = _parse_correct(frame[columns.correct]), None
    else:
        assert columns.y_true is not None
        assert columns.y_pred is not None
        correct, class_names = _compare_labels(frame[columns.y_true], frame[columns.y_pred])
    return FileScores(certainty, correct, codes, FileSummary(frame.height, cell_names, class_names))


def _read_columns(table: TableFile, columns: list[str]) -> pl.DataFrame:
    """Return some columns of a table, as text if it is a text table.

    Types guessed from the first lines would fail on integers that turn fractional a million rows
    later, and would hide the bad value.
    """
    if table.format is None:
        with read_errors_in_one_line(table.path):
            return pl.scan_parquet(table.path, glob=False).select(columns).collect()
    frames = [pl.DataFrame(schema=dict.fromkeys(columns, pl.String))]
    all_null = pl.all_horizontal(pl.all().is_null()).alias("is_empty")
    with rows_counted_from(lambda: sum(frame.height for frame in frames), table):
        for block in table.blocks():
            rows = block.frame(frozenset())
            frame = rows.select(columns)
            if frame.select(all_null.any()).item():
                # Spreadsheets leave rows of nothing but separators.
                frame = frame.filter(~rows.select(all_null).to_series())
            frames.append(frame)
    return pl.concat(frames)


def merge_cells(
    paths: Sequence[Path],
    columns: ScoreColumns,
    files: Sequence[FileSummary],
    first_row: Callable[[int, int], int],
) -> tuple[list[int] | list[str], list[NDArray[np.int64]]]:
    """Return the labels of the cells of all files and, for each file, the positions of its names.

    Errors that depend on all files are raised here; ``first_row(file, code)`` finds their row.
    """
    n_rows, are_several = sum(file.n_rows for file in files), len(paths) > 1
    if not n_rows:
        others = f", and neither have the {len(paths) - 1} others" if are_several else ""
        raise InputError(
            f"{paths[0]} has a header but no rows{others}; it must hold at least one sample"
        )
    labels: list[int] | list[str] = ["all"]
    positions = [np.zeros(1, dtype=np.int64) for _ in files]
    if columns.cell is not None:
        names = [file.cell_names for file in files if file.cell_names is not None]

        def refuse(file: int, code: int, must: str) -> NoReturn:
            row = first_row(file, code)
            with name_file_if(are_several, paths[file]):
                raise _bad_value("cell", columns.cell or "", must, names[file][code], row)

        labels, positions = _common_labels(columns.cell, names, n_rows, refuse)
    if columns.y_true is not None and columns.y_pred is not None:
        named = {
            path: file.class_names
            for path, file in zip(paths, files, strict=True)
            if file.class_names is not None
        }
        with name_file_if(are_several, next(iter(named))):
            _check_named_alike(columns.y_true, columns.y_pred, list(named.values()))
    return labels, positions


# --- values of columns --------------------------------------------------------------------------


def _parse_certainty(column: pl.Series, decimal: str | None) -> NDArray[np.float64]:
    """Return a column of numbers, which may be ±inf.

    Without a decimal mark, 0,97 is read as 0.97 if all values are numbers then.
    """
    column = _present("certainty", column)
    numbers = _as_numbers(column)
    if column.dtype == pl.String and decimal == ",":
        numbers = as_numbers(column, decimal)
    elif column.dtype == pl.String and decimal is None and numbers.null_count():
        pointed = _as_numbers(column.str.replace(",", ".", literal=True))
        numbers = numbers if pointed.null_count() else pointed
    _check("certainty", column, numbers.is_null(), "hold numbers such as 0.97")
    return np.asarray(numbers.to_numpy(), dtype=np.float64)


def _parse_correct(column: pl.Series) -> NDArray[np.bool_]:
    """Return a column of truth values: true and false in any case, 0 and 1 as any number."""
    column = _present("correct", column)
    if column.dtype == pl.Boolean:
        return np.asarray(column.to_numpy(), dtype=np.bool_)
    words = column.cast(pl.String).str.to_lowercase()
    numbers = words.cast(pl.Float64, strict=False)
    right = (words == "true") | (numbers == 1).fill_null(False)
    wrong = (words == "false") | (numbers == 0).fill_null(False)
    _check("correct", column, ~(right | wrong), "hold true and false, or 1 and 0")
    return np.asarray(right.to_numpy(), dtype=np.bool_)


class ClassNames(NamedTuple):
    """The first class in each of two columns, and how many classes are not numbers."""

    first_true: str
    first_pred: str
    n_true_names: int
    n_pred_names: int
    n_rows: int


def _compare_labels(
    y_true: pl.Series, y_pred: pl.Series
) -> tuple[NDArray[np.bool_], ClassNames | None]:
    """Return where two columns name the same class: by the same text or the same number."""
    true = _canonical(_present("y_true", y_true).cast(pl.String))
    pred = _canonical(_present("y_pred", y_pred).cast(pl.String))
    correct = np.asarray((true == pred).to_numpy(), dtype=np.bool_)
    if not len(true):
        return correct, None
    return correct, ClassNames(true[0], pred[0], _n_names(true), _n_names(pred), len(true))


def _n_names(labels: pl.Series) -> int:
    return labels.cast(pl.Float64, strict=False).null_count()


def _check_named_alike(y_true: str, y_pred: str, files: Sequence[ClassNames]) -> None:
    """Raise an error if one column has names and the other numbers: all answers would be wrong."""
    n_rows = sum(names.n_rows for names in files)
    n_names = {
        sum(names.n_true_names for names in files),
        sum(names.n_pred_names for names in files),
    }
    if n_rows and n_names == {0, n_rows}:
        raise InputError(
            f"y_true column {shown(y_true)} and y_pred column {shown(y_pred)} must name classes "
            f"alike, got {_shown(files[0].first_true)} and {_shown(files[0].first_pred)} in "
            "row 2; write names in both or numbers in both"
        )


def _find_cells(column: pl.Series) -> tuple[pl.Series, NDArray[Any]]:
    """Return the distinct names of cells and, for every sample, the index of its name."""
    text = _present("cell", column, with_nan=not column.dtype.is_numeric()).cast(pl.String)
    distinct = text.unique(maintain_order=True)
    if column.dtype.is_numeric():  # numbers are no names, whatever other files hold
        fractions = distinct.filter(_are_fractions(_as_numbers(distinct)))
        if len(fractions):
            _check("cell", column, text == fractions[0], _CELL)
    return distinct, text.cast(pl.Enum(distinct)).to_physical().to_numpy()


def _common_labels(
    column: str,
    files: Sequence[pl.Series],
    n_rows: int,
    refuse: Callable[[int, int, str], NoReturn],
) -> tuple[list[int] | list[str], list[NDArray[np.int64]]]:
    """Return the ascending labels of the cells of all files, and the position of each name.

    Labels are integers if all names in all files are. ``refuse`` raises the error about a name: in
    which file, and which of its names.
    """
    named = pl.concat(files)
    ends = np.cumsum([len(names) for names in files])
    numbers = _as_numbers(named)
    # In a column of numbers, "nan" is not a name, and a fraction is not a cell.
    bad = {"hold no missing value": numbers.is_nan(), _CELL: _are_fractions(numbers)}
    for must, is_bad in bad.items() if not numbers.null_count() else ():
        if is_bad.any():
            index = int(is_bad.to_numpy().argmax())
            file = int(np.searchsorted(ends, index, side="right"))
            refuse(file, index - int(ends[file]) + len(files[file]), must)
    named = _as_integers(named)
    labels = named.unique().sort()
    if len(labels) == n_rows >= _TOO_MANY_CELLS:
        # A threshold per sample rejects exactly the errors, and says nothing about new samples.
        raise InputError(
            f"cell column {shown(column)} must name cells of several samples, "
            f"got a different value in each of {n_rows} rows; choose another column"
        )
    positions = labels.search_sorted(named).to_numpy().astype(np.int64)
    return labels.to_list(), np.split(positions, ends[:-1])


def _are_fractions(numbers: pl.Series) -> pl.Series:
    return numbers.is_finite() & (numbers != numbers.floor())


def _as_integers(names: pl.Series) -> pl.Series:
    """Return integers if all names are; with a leading zero, 007 is a name."""
    whole = names.str.extract(r"^(-?(?:0|[1-9][0-9]*))(?:\.0*)?$").cast(pl.Int64, strict=False)
    return names if whole.null_count() else whole


def _canonical(names: pl.Series) -> pl.Series:
    """Write equal numbers alike, and leave other names unchanged."""
    integers = names.cast(pl.Int64, strict=False)
    numbers = names.cast(pl.Float64, strict=False)
    is_whole = (numbers == numbers.floor()) & (numbers.abs() < _LARGEST_EXACT)
    whole = numbers.set(~is_whole, None).cast(pl.Int64, strict=False)
    written = [part.cast(pl.String) for part in (integers, whole, numbers)]
    return pl.select(pl.coalesce(*written, names)).to_series()


def _present(role: str, column: pl.Series, with_nan: bool = False) -> pl.Series:
    """Return a column after checking that no value is null, empty or NaN.

    With ``with_nan``, "nan" may be a name.
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
    _check(role, column, missing, "hold no missing value")
    return column


def _as_numbers(column: pl.Series) -> pl.Series:
    """Return numbers, null where a value is not one; booleans are not."""
    if column.dtype == pl.Boolean:
        return column.clear(len(column)).cast(pl.Float64)
    return column.cast(pl.Float64, strict=False)


def _check(role: str, column: pl.Series, is_bad: pl.Series, must: str) -> None:
    """Raise an error that names the first bad row, if there is one."""
    if is_bad.any():
        row = is_bad.arg_max()
        assert row is not None
        raise _bad_value(role, column.name, must, column[row], row)


def _bad_value(role: str, column: str, must: str, value: Any, row: int) -> InputError:
    return InputError(
        f"{role} column {shown(column)} must {must}, "
        f"got {_shown(value)} in row {row_number(row)}; fix the file"
    )


def _shown(value: Any) -> str:
    return "nothing" if value is None else shown(value)
