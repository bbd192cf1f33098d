"""How do score files become the three aligned arrays: certainty, correct, cells?

Most of a file can be read without the others. The labels of the cells depend on all of them: 7 is a
number unless another file names a cell "north".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError, shown
from abstain._core.files import named_if
from abstain.tables.reading import TableFile, TextOptions, find_column, rows_counted_from
from abstain.tables.records import read_errors_in_one_line
from abstain.tables.score_columns import (
    BadCellError,
    ClassNames,
    check_named_alike,
    common_labels,
    compare_labels,
    find_cells,
    parse_certainty,
    parse_correct,
)

_ANY_FORMAT = TextOptions()


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
            raise InputError(
                *("give either ", Argument("correct"), " or both ", Argument("y_true"), " and "),
                *(Argument("y_pred"), f", got {' and '.join(given) or 'none of them'}"),
            )
        role_of: dict[str, str] = {}
        for role, column in self.roles.items():
            # Only the cell may be a column with another role, such as y_pred.
            if column in role_of and role != "cell":
                raise InputError(
                    f"{role_of[column]} and {role} must be different columns, got "
                    f"{shown(column)} twice"
                )
            role_of[column] = role

    @property
    def roles(self) -> dict[str, str]:
        """The column of each role that has one."""
        return {role: column for role, column in vars(self).items() if column is not None}


@dataclass(frozen=True, eq=False)
class Scores:
    """The samples of score files; ``cells`` are indices of ``labels``, which ascend."""

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    cells: NDArray[np.int64]
    labels: list[int] | list[str]


class FileSummary(NamedTuple):
    """What is needed from each file to label the cells of all: above all the names of its cells."""

    n_rows: int
    cell_names: pl.Series | None
    class_names: ClassNames | None


@dataclass(frozen=True, eq=False)
class FileScores:
    """The samples of one file; ``codes`` are indices of ``cell_names``."""

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    codes: NDArray[Any]
    cell_names: pl.Series | None
    class_names: ClassNames | None

    def first_row(self, code: int) -> int:
        """Return the first row, counted from 0, of a cell."""
        return int(np.argmax(self.codes == code))

    def summary(self) -> FileSummary:
        """Return what the labels of the cells depend on."""
        return FileSummary(len(self.certainty), self.cell_names, self.class_names)


def read_scores(
    paths: Sequence[Path],
    columns: ScoreColumns,
    options: TextOptions = _ANY_FORMAT,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Scores:
    """Read score files as if they were one; ``watch`` is called with files read and of all."""
    files = []
    for done, path in enumerate(paths, start=1):
        with named_if(len(paths) > 1, path):
            files.append(read_file(path, columns, options))
        watch(done, len(paths))
    labels, positions = merge_cells(
        paths,
        columns,
        [file.summary() for file in files],
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
        cell_names, codes = find_cells(frame[columns.cell])
    certainty = parse_certainty(frame[columns.certainty])
    if columns.correct is not None:
        correct, class_names = parse_correct(frame[columns.correct]), None
    else:
        assert columns.y_true is not None
        assert columns.y_pred is not None
        correct, class_names = compare_labels(frame[columns.y_true], frame[columns.y_pred])
    return FileScores(certainty, correct, codes, cell_names, class_names)


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
        try:
            labels, positions = common_labels(columns.cell, names, n_rows)
        except BadCellError as error:
            with named_if(are_several, paths[error.file]):
                raise error.located(first_row(error.file, error.code)) from None
    if columns.y_true is not None and columns.y_pred is not None:
        named = {
            path: file.class_names
            for path, file in zip(paths, files, strict=True)
            if file.class_names is not None
        }
        with named_if(are_several, next(iter(named))):
            check_named_alike(columns.y_true, columns.y_pred, list(named.values()))
    return labels, positions
