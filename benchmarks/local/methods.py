"""How accurate is a method on new samples, at each coverage of these?

A method sees calibration samples and gives, for new samples, *points* (answered, right): how many
it answers at one of its settings, and how many of these are right. Between two points, right
answers are interpolated: that is what tossing a coin between the two settings has on average.

**Scores** (one threshold, isotonic, logistic) rank the new samples, with ties broken by certainty,
and have a point after each group of ties.

**Fronts** (pooled, exact, hull) are read row by row, as they would run: for each coverage from 40
to 100%, the row with the closest coverage *on the calibration samples*, of equals the one with
most true rejects, is tried on the new samples, and its point is what comes out there. The rows of
the exact and the hull front are not nested, so that no ranking says the same. These two have no
rows beyond the last calibration error. There they are continued, which is more than they do: of
what their last row answers, the least certain is rejected first.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from abstain import ParetoFront, pareto_front
from abstain.classifier.own_cells import OwnCells, find_own_cells
from abstain.fronts.held_out import HeldOut, HeldOutCounts
from local.answers import Answers
from local.logistic import log_odds_of_wrong

__all__ = ["COVERAGES", "METHODS", "REFERENCE", "LocalFront", "accuracies_at", "fit_front"]

COVERAGES = np.arange(50, 100) / 100
TRIED = np.arange(40, 101) / 100
# A cell with fewer calibration samples has the isotonic regression of all.
MIN_ISOTONIC = 10


class Points(NamedTuple):
    """How many new samples are answered, ascending, and how many of these are right."""

    answered: NDArray[np.float64]
    right: NDArray[np.float64]


def accuracies_at(points: Points, n_samples: int) -> NDArray[np.float64]:
    """Return the accuracy at each of the coverages."""
    answered = COVERAGES * n_samples
    return np.asarray(np.interp(answered, points.answered, points.right) / answered)


class LocalFront(NamedTuple):
    """A front, and which cells have thresholds of their own in it."""

    front: ParetoFront
    own_cells: OwnCells

    def counts(self, new: Answers, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many new samples each row answers, and how many of these are right."""
        columns = self.own_cells.columns(new.cells, self.front)
        held_out = HeldOutCounts(self.front, HeldOut(new.certainty, new.correct, columns))
        return np.array([[n, n - errors] for _, n, errors in held_out.of(rows)])


def fit_front(calibration: Answers, method: str, min_cell_size: int) -> LocalFront:
    """Return a front of the library; smaller cells share a threshold."""
    own_cells = find_own_cells(calibration.cells, min_cell_size)
    positions = own_cells.positions(calibration.cells)
    front = pareto_front(calibration.certainty, calibration.correct, positions, method=method)
    return LocalFront(front, own_cells)


def front_points(calibration: Answers, new: Answers, method: str, min_cell_size: int) -> Points:
    """Return the points of a front."""
    local = fit_front(calibration, method, min_cell_size)
    coverages = local.front.coverages
    closest = [int(np.abs(coverages[::-1] - coverage).argmin()) for coverage in TRIED]
    rows = np.unique(len(coverages) - 1 - np.array(closest))
    counts = local.counts(new, rows)
    order = np.argsort(counts[:, 0], kind="stable")
    rest = _continued(local, int(rows[order[0]]), new)
    return Points(*np.concatenate([rest, counts[order].T], axis=1))


def _continued(local: LocalFront, row: int, new: Answers) -> Points:
    """Return the points of rejecting ever more of what a row answers, by certainty."""
    thresholds = local.own_cells.thresholds(local.front, np.array([row]))[0]
    accepted = new.certainty >= thresholds[local.own_cells.positions(new.cells)]
    certainty, correct = new.certainty[accepted], new.correct[accepted]
    return Points(*(part[:-1] for part in ranked_points(certainty, certainty, correct)))


def ranked_points(
    score: NDArray[np.float64], certainty: NDArray[np.float64], correct: NDArray[np.bool_]
) -> Points:
    """Return the points of answering the samples of highest score."""
    order = np.lexsort((certainty, score))[::-1]
    score, certainty = score[order], certainty[order]
    is_last = np.append((np.diff(score) != 0) | (np.diff(certainty) != 0), True)[: len(order)]
    last = np.flatnonzero(is_last)
    right = np.cumsum(correct[order])[last]
    return Points(np.append(0.0, last + 1.0), np.append(0.0, right))


def one_threshold(calibration: Answers, new: Answers) -> Points:
    """Answer what is most certain, wherever it lies."""
    return ranked_points(new.certainty, new.certainty, new.correct)


def isotonic(calibration: Answers, new: Answers) -> Points:
    """Answer where an isotonic regression of each cell is highest."""
    score = _isotonic(calibration, new.certainty)
    for cell in np.unique(new.cells).tolist():
        known = calibration.take(np.flatnonzero(calibration.cells == cell))
        if len(known.correct) >= MIN_ISOTONIC:
            members = new.cells == cell
            score[members] = _isotonic(known, new.certainty[members])
    return ranked_points(score, new.certainty, new.correct)


def _isotonic(known: Answers, certainty: NDArray[np.float64]) -> NDArray[np.float64]:
    regression = IsotonicRegression(out_of_bounds="clip").fit(known.certainty, known.correct)
    return np.asarray(regression.predict(certainty))


def logistic(calibration: Answers, new: Answers) -> Points:
    """Answer where the logistic model of `local.logistic` is highest."""
    score = -log_odds_of_wrong(calibration, new.certainty, new.cells)
    return ranked_points(score, new.certainty, new.correct)


def _front(method: str, min_cell_size: int) -> Callable[[Answers, Answers], Points]:
    return lambda calibration, new: front_points(calibration, new, method, min_cell_size)


REFERENCE = "one threshold"
METHODS: dict[str, Callable[[Answers, Answers], Points]] = {
    REFERENCE: one_threshold,
    "pooled": _front("pooled", 1),
    "exact": _front("exact", 1),
    "exact, cells of 10": _front("exact", 10),
    "hull": _front("hull", 1),
    "hull, cells of 10": _front("hull", 10),
    "isotonic per cell": isotonic,
    "logistic, τ by folds": logistic,
}
