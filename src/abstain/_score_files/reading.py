"""How do score files become the three aligned arrays: certainty, correct, cells?

Most of a file can be read without the others. What cells are called is decided with all of them in
view: 7 is a number unless another file calls a cell "north".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.checks import InputError, shown
from abstain._core.files import named_if
from abstain._score_files.columns import (
    Naming,
    StrangeCellError,
    check_named_alike,
    common_labels,
    compare_labels,
    find_cells,
    parse_certainty,
    parse_correct,
)
from abstain._score_files.tables import read_columns

__all__ = [
    "Outline",
    "Part",
    "ScoreColumns",
    "Scores",
    "agree",
    "read_all_scores",
    "read_part",
    "read_scores",
]


@dataclass(frozen=True)
class ScoreColumns:
    """Which column of a score file is which.

    Parameters
    ----------
    certainty : str
        How sure the classifier was, higher is surer.
    correct : str, default=None
        Whether it was right.
    y_true, y_pred : str, default=None
        Instead of ``correct``: the class and the predicted class.
    cell : str, default=None
        The region that a sample fell in. None is one cell for all.

    Examples
    --------
    >>> ScoreColumns("c", correct="ok", cell="region").roles
    {'certainty': 'c', 'correct': 'ok', 'cell': 'region'}
    """

    certainty: str
    correct: str | None = None
    y_true: str | None = None
    y_pred: str | None = None
    cell: str | None = None

    def __post_init__(self) -> None:
        given = [
            name for name in ("correct", "y_true", "y_pred") if getattr(self, name) is not None
        ]
        if given not in (["correct"], ["y_true", "y_pred"]):
            raise InputError(
                "name either the column correct (--correct) or the two columns y_true and y_pred "
                "(--y-true, --y-pred), "
                f"got {' and '.join(given) or 'none of them'}"
            )
        self._check_distinct()

    @property
    def roles(self) -> dict[str, str]:
        """The column of each role that has one."""
        return {role: column for role, column in vars(self).items() if column is not None}

    def _check_distinct(self) -> None:
        """Refuse one column in two roles; only the cell may be another one, such as y_pred."""
        role_of: dict[str, str] = {}
        for role, column in self.roles.items():
            if column in role_of and role != "cell":
                raise InputError(
                    f"{role_of[column]} and {role} must be different columns, got "
                    f"{shown(column)} twice"
                )
            role_of[column] = role


@dataclass(frozen=True, eq=False)
class Scores:
    """What a score file says, in three aligned arrays.

    Attributes
    ----------
    certainty : ndarray of shape (n_samples,)
        How sure the classifier was.
    correct : ndarray of bool of shape (n_samples,)
        Whether it was right.
    cells : ndarray of int of shape (n_samples,)
        For each sample, the index of its cell in ``labels``.
    labels : list of int or list of str
        The label of each cell, ascending; "all" if there is one cell for all.
    """

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    cells: NDArray[np.int64]
    labels: list[int] | list[str]


@dataclass(frozen=True, eq=False)
class Part:
    """What one of several files says, as far as it can be told without the others.

    Attributes
    ----------
    certainty, correct : ndarray of shape (n_samples,)
        As in `Scores`.
    codes : ndarray of int of shape (n_samples,)
        For each sample, the index of its cell in ``names``.
    names : polars.Series or None
        The names of the cells in this file; None if there is one cell for all.
    naming : Naming or None
        How classes are named, if they were compared.
    """

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    codes: NDArray[Any]
    names: pl.Series | None
    naming: Naming | None

    def first_row(self, code: int) -> int:
        """Return the first row, counted from 0, in which a cell is named."""
        return int(np.argmax(self.codes == code))

    def outline(self) -> "Outline":
        """Return what the other files need to know."""
        return Outline(len(self.certainty), self.names, self.naming)


class Outline(NamedTuple):
    """What the other files need to know of one: what its cells are called above all."""

    n_rows: int
    names: pl.Series | None
    naming: Naming | None


def read_scores(path: Path, columns: ScoreColumns) -> Scores:
    """Read a score file of any classifier.

    Parameters
    ----------
    path : Path
        A CSV, TSV or Parquet file with one row per sample.
    columns : ScoreColumns
        Which column is which.

    Returns
    -------
    scores : Scores
        Its samples, in the order of the rows.

    Raises
    ------
    InputError
        If the file, a column or a value cannot be used, with its name, its row and the remedy.
    """
    return read_all_scores([path], columns)


def read_all_scores(
    paths: Sequence[Path],
    columns: ScoreColumns,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Scores:
    """Read several score files as if they were one, in their order.

    Parameters
    ----------
    paths : sequence of Path
        CSV, TSV or Parquet files with one row per sample.
    columns : ScoreColumns
        Which column is which, in all of them.
    watch : callable, default=nothing
        Told how many files are read, and of how many.

    Returns
    -------
    scores : Scores
        Their samples. Whether cells have names or numbers is decided with all files in view.

    Raises
    ------
    InputError
        If a file, a column or a value cannot be used, with its name, its row and the remedy.
    """
    parts = []
    for done, path in enumerate(paths, start=1):
        with named_if(len(paths) > 1, path):
            parts.append(read_part(path, columns))
        watch(done, len(paths))
    labels, positions = agree(
        paths,
        columns,
        [part.outline() for part in parts],
        lambda file, code: parts[file].first_row(code),
    )
    cells = [own[part.codes] for own, part in zip(positions, parts, strict=True)]
    return Scores(
        certainty=_together([part.certainty for part in parts]),
        correct=_together([part.correct for part in parts]),
        cells=_together(cells),
        labels=labels,
    )


def _together(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def read_part(path: Path, columns: ScoreColumns) -> Part:
    """Read one of several score files, which may be without rows."""
    table = read_columns(path, columns.roles)
    names, codes = _cells(table, columns)
    certainty = parse_certainty(table[columns.certainty])
    correct, naming = _correct(table, columns)
    return Part(certainty, correct, codes, names, naming)


def agree(
    paths: Sequence[Path],
    columns: ScoreColumns,
    outlines: Sequence[Outline],
    first_row: Callable[[int, int], int],
) -> tuple[list[int] | list[str], list[NDArray[np.int64]]]:
    """Return the labels of the cells of all files and, for each file, where its names are in them.

    What can be wrong only with all files in view is told here; ``first_row`` is then asked for the
    row of a file that first names a cell.
    """
    n_rows, is_several = sum(outline.n_rows for outline in outlines), len(paths) > 1
    if not n_rows:
        others = f", and neither have the {len(paths) - 1} others" if is_several else ""
        raise InputError(
            f"{paths[0]} has a header but no rows{others}; it must hold at least one sample"
        )
    try:
        labels, positions = _labels(columns, outlines, n_rows)
    except StrangeCellError as error:
        with named_if(is_several, paths[error.file]):
            raise error.told(first_row(error.file, error.code)) from None
        raise
    namings = {path: outline.naming for path, outline in zip(paths, outlines, strict=True)}
    found = {path: naming for path, naming in namings.items() if naming is not None}
    if columns.y_true is not None and columns.y_pred is not None:
        with named_if(is_several, next(iter(found))):
            check_named_alike(columns.y_true, columns.y_pred, list(found.values()))
    return labels, positions


def _labels(
    columns: ScoreColumns, outlines: Sequence[Outline], n_rows: int
) -> tuple[list[int] | list[str], list[NDArray[np.int64]]]:
    if columns.cell is None:
        return ["all"], [np.zeros(1, dtype=np.int64) for _ in outlines]
    names = [outline.names for outline in outlines if outline.names is not None]
    return common_labels(columns.cell, names, n_rows)


def _correct(table: pl.DataFrame, columns: ScoreColumns) -> tuple[NDArray[np.bool_], Naming | None]:
    if columns.correct is not None:
        return parse_correct(table[columns.correct]), None
    assert columns.y_true is not None
    assert columns.y_pred is not None
    return compare_labels(table[columns.y_true], table[columns.y_pred])


def _cells(table: pl.DataFrame, columns: ScoreColumns) -> tuple[pl.Series | None, NDArray[Any]]:
    if columns.cell is None:
        return None, np.zeros(table.height, dtype=np.uint8)
    return find_cells(table[columns.cell])
