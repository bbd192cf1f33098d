"""What does the row that serves a target mean, in all and cell by cell?"""

import math
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
    operating_point,
)

__all__ = ["TARGETS", "Choice", "choose"]

TARGETS: dict[str, type[Accuracy | RejectRate | RejectCost]] = {
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
    """Tell whether wrong answers are surer than right ones, beyond what chance makes of it.

    The AUROC of a certainty that says nothing is 1/2, with a variance of at most
    (n + 1) / (12 · right · wrong).
    """
    n_samples, right = len(scores.correct), int(scores.correct.sum())
    wrong = n_samples - right
    if not right or not wrong:
        return False
    error = math.sqrt((n_samples + 1) / (12 * right * wrong))
    return _auroc(scores) < 0.5 - 3 * error


def _auroc(scores: Scores) -> float:
    """Return how often a right answer is surer than a wrong one, by the identity with AUGRC."""
    accuracy = float(scores.correct.mean())
    # Read as labels, `correct` against a prediction of True tells the same errors.
    augrc = augrc_score(scores.correct, np.ones_like(scores.correct), scores.certainty)
    return 1 - (augrc - (1 - accuracy) ** 2 / 2) / (accuracy * (1 - accuracy))


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
