"""How does a score file become the three aligned arrays: certainty, correct, cells?"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._checks import InputError
from abstain._score_files.columns import compare_labels, parse_cells, parse_certainty, parse_correct
from abstain._score_files.tables import read_columns

__all__ = ["ScoreColumns", "Scores", "read_scores"]


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
                    f"{role_of[column]} and {role} must be different columns, got {column!r} twice"
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
    table = read_columns(path, columns.roles)
    labels, cells = _cells(table, columns)
    return Scores(
        certainty=parse_certainty(table[columns.certainty]),
        correct=_correct(table, columns),
        cells=cells,
        labels=labels,
    )


def _correct(table: pl.DataFrame, columns: ScoreColumns) -> NDArray[np.bool_]:
    if columns.correct is not None:
        return parse_correct(table[columns.correct])
    assert columns.y_true is not None
    assert columns.y_pred is not None
    return compare_labels(table[columns.y_true], table[columns.y_pred])


def _cells(
    table: pl.DataFrame, columns: ScoreColumns
) -> tuple[list[int] | list[str], NDArray[np.int64]]:
    if columns.cell is None:
        return ["all"], np.zeros(table.height, dtype=np.int64)
    return parse_cells(table[columns.cell])
