"""What does the row that serves a target mean, in all and cell by cell?"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._score_files.reading import Scores
from abstain.fronts import ParetoFront
from abstain.metrics import augrc_score
from abstain.targets import (
    Accuracy,
    OperatingPoint,
    RejectCost,
    RejectRate,
    Target,
    operating_point,
)

__all__ = ["TARGETS", "Choice", "choose"]

TARGETS: dict[str, Callable[[float], Target]] = {
    "accuracy": Accuracy,
    "reject_rate": RejectRate,
    "reject_cost": RejectCost,
}


@dataclass(frozen=True, eq=False)
class Choice:
    """A row of a front, and why it was chosen.

    Attributes
    ----------
    front : ParetoFront
        All rows.
    target : str
        What was asked for, one of the names in ``TARGETS``.
    value : float
        How much of it.
    point : OperatingPoint
        The chosen row.
    cells : polars.DataFrame
        For each cell: cell, threshold, samples, errors, true_rejects, false_rejects.
    looks_reversed : bool
        Whether a wrong answer is surer than a right one more often than not.
    """

    front: ParetoFront
    target: str
    value: float
    point: OperatingPoint
    cells: pl.DataFrame
    looks_reversed: bool


def choose(scores: Scores, front: ParetoFront, target: str, value: float) -> Choice:
    """Find the row of a front that serves a target best.

    Parameters
    ----------
    scores : Scores
        The samples that the front was made of.
    front : ParetoFront
        Their front.
    target : {"accuracy", "reject_rate", "reject_cost"}
        What is asked for.
    value : float
        How much of it.

    Returns
    -------
    choice : Choice
        The chosen row, with its thresholds.

    Raises
    ------
    InputError
        If no row serves the target.
    """
    point = operating_point(front, TARGETS[target](value))
    return Choice(
        front, target, value, point, _cell_by_cell(scores, point), _looks_reversed(scores)
    )


def _looks_reversed(scores: Scores) -> bool:
    """Tell by AUGRC = (1 − AUROC)·a·(1 − a) + (1 − a)²/2 whether the AUROC is below 1/2."""
    accuracy = float(scores.correct.mean())
    by_chance = accuracy * (1 - accuracy) / 2 + (1 - accuracy) ** 2 / 2
    always_right = np.ones_like(scores.correct)
    # Rounding must not turn a certainty that says nothing at all into a reversed one.
    return augrc_score(scores.correct, always_right, scores.certainty) > by_chance + 1e-9


def _cell_by_cell(scores: Scores, point: OperatingPoint) -> pl.DataFrame:
    rejected = scores.certainty < point.thresholds[scores.cells]

    def count(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(scores.cells[mask], minlength=len(scores.labels))

    return pl.DataFrame(
        {
            "cell": scores.labels,
            "threshold": point.thresholds,
            "samples": np.bincount(scores.cells, minlength=len(scores.labels)),
            "errors": count(~scores.correct),
            "true_rejects": count(rejected & ~scores.correct),
            "false_rejects": count(rejected & scores.correct),
        }
    )
