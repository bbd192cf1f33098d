"""What does the row that serves a target mean, in all and cell by cell?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._score_files.reading import Scores
from abstain.fronts import ParetoFront, PooledFront
from abstain.targets import (
    Accuracy,
    OperatingPoint,
    RejectCost,
    RejectRate,
    operating_point,
)

__all__ = [
    "TARGETS",
    "Choice",
    "Wrong",
    "choose",
    "count_by_cell",
    "count_wins",
    "group_wrong",
    "make_choice",
    "merge_wrong",
]

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
        For each cell: cell, threshold, samples, errors, true_rejects, false_rejects. Of a pooled
        front, correct_proba after the threshold: the estimated probability that an answer of this
        certainty is right, null where the threshold is infinite.
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
    return make_choice(
        front,
        target,
        value,
        point,
        scores.labels,
        count_by_cell(point.thresholds, scores.certainty, scores.correct, scores.cells),
        count_wins(group_wrong(scores.certainty, scores.correct), scores.certainty, scores.correct),
    )


def make_choice(
    front: ParetoFront,
    target: str,
    value: float,
    point: OperatingPoint,
    labels: list[int] | list[str],
    counts: NDArray[np.int64],
    n_wins: int,
) -> Choice:
    """Return a choice, made of counts that are sums over any parts of the samples.

    Parameters
    ----------
    front, target, value, point
        As in `Choice`.
    labels : list of int or list of str
        The label of each cell.
    counts : ndarray of shape (4, n_cells)
        From :func:`count_by_cell`.
    n_wins : int
        From :func:`count_wins`.
    """
    cells = pl.DataFrame(
        {
            "cell": labels,
            "threshold": point.thresholds,
            **_correct_proba(front, point.thresholds),
            **dict(
                zip(("samples", "errors", "true_rejects", "false_rejects"), counts, strict=True)
            ),
        }
    )
    reversed_ = _looks_reversed(front.n_samples - front.n_errors, front.n_errors, n_wins)
    return Choice(front, target, value, point, cells, reversed_)


def _correct_proba(front: ParetoFront, thresholds: NDArray[np.float64]) -> dict[str, pl.Series]:
    """Return the estimated probability at the threshold of each cell, if there are estimates."""
    if not isinstance(front, PooledFront):
        return {}
    probability = front.probability_correct(thresholds, np.arange(front.n_cells))
    known = np.where(np.isfinite(thresholds), probability, np.nan)
    return {"correct_proba": pl.Series(known, nan_to_null=True)}


def count_by_cell(
    thresholds: NDArray[np.float64],
    certainty: NDArray[np.float64],
    correct: NDArray[np.bool_],
    cells: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the samples, errors, true rejects and false rejects of every cell."""
    rejected = certainty < thresholds[cells]

    def count(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(cells[mask], minlength=len(thresholds))

    samples = np.bincount(cells, minlength=len(thresholds))
    return np.stack(
        [samples, count(~correct), count(rejected & ~correct), count(rejected & correct)]
    )


class Wrong(NamedTuple):
    """The certainties of wrong samples, ascending, and how many have at most each of them."""

    certainties: NDArray[np.float64]
    up_to: NDArray[np.int64]


def group_wrong(certainty: NDArray[np.float64], correct: NDArray[np.bool_]) -> Wrong:
    """Return the certainties of the wrong samples."""
    certainties, counts = np.unique(certainty[~correct], return_counts=True)
    return Wrong(certainties, np.cumsum(counts))


def merge_wrong(parts: Sequence[Wrong]) -> Wrong:
    """Return the certainties of the wrong samples of all parts."""
    certainties, places = np.unique(
        np.concatenate([part.certainties for part in parts]), return_inverse=True
    )
    counts = np.zeros(len(certainties), dtype=np.int64)
    np.add.at(counts, places, np.concatenate([np.diff(part.up_to, prepend=0) for part in parts]))
    return Wrong(certainties, np.cumsum(counts))


def count_wins(wrong: Wrong, certainty: NDArray[np.float64], correct: NDArray[np.bool_]) -> int:
    """Return the pairs of a right and a wrong sample in which the right one is surer, twice.

    A tie counts once, so that sums over any parts of the right samples are exact.
    """
    right = np.sort(certainty[correct])  # neighbours are looked for in the same places
    up_to = np.append(0, wrong.up_to)
    below = up_to[np.searchsorted(wrong.certainties, right, side="left")]
    not_above = up_to[np.searchsorted(wrong.certainties, right, side="right")]
    return int(below.sum()) + int(not_above.sum())


def _looks_reversed(n_right: int, n_wrong: int, n_wins: int) -> bool:
    """Tell whether wrong answers are surer than right ones, beyond what chance makes of it.

    The AUROC, which is the share of pairs won, of a certainty that says nothing is 1/2, with a
    variance of at most (n + 1) / (12 · right · wrong).
    """
    if not n_right or not n_wrong:
        return False
    error = math.sqrt((n_right + n_wrong + 1) / (12 * n_right * n_wrong))
    return n_wins / (2 * n_right * n_wrong) < 0.5 - 3 * error
