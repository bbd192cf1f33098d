"""What do other procedures certify?

Written out from their descriptions, with the exact binomial tail throughout. All return a threshold
per cell, or None if nothing is certified.
"""

from math import ceil, log2
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import bdtr

from abstain import Accuracy
from abstain.fronts import PooledFront
from abstain.fronts.held_out import HeldOut, HeldOutCounts
from abstain.targets.guarantee import needed_answers
from certificates.library import Procedure, Rows, split
from certificates.pools import Answers, Array, Pool

N_GRID, N_STEPS = 100, 50
LEARNING_SHARE, CAUTION, FIRST_SHARE = 0.25, 1.4, 0.3


def chance(accepted: Any, errors: Any, accuracy: float) -> Any:
    """Return the p-value of each row; a row that accepts nothing has 1."""
    tail = bdtr(np.minimum(errors, accepted), np.maximum(accepted, 1), 1 - accuracy)
    return np.where(np.asarray(accepted) > 0, tail, 1.0)


def chance_above(thresholds: Array, drawn: Answers, accuracy: float) -> Array:
    """Return the p-value of each threshold for all cells."""
    order = np.argsort(drawn.certainty)
    begin = np.searchsorted(drawn.certainty[order], thresholds)
    right_below = np.append(0, np.cumsum(drawn.correct[order]))
    accepted = len(order) - begin
    errors = accepted - (right_below[-1] - right_below[begin])
    return np.asarray(chance(accepted, errors, accuracy))


def last_passed(chances: Array, level: float) -> int | None:
    """Return the last row that passes before the first that fails."""
    failures = np.flatnonzero(~(chances <= level))
    n_passed = int(failures[0]) if len(failures) else len(chances)
    return n_passed - 1 if n_passed else None


def counts_from(first: int, n_samples: int) -> Array:
    """Return how many samples the rows accept: small steps, then fiftieths of all."""
    counts, count = [], float(max(1, min(first, n_samples)))
    while count < n_samples:
        counts.append(count)
        count += max(1.0, min(n_samples / N_STEPS, 0.15 * count))
    return np.unique(np.round([*counts, n_samples]).astype(int))


def _level(target: Accuracy) -> float:
    return 1 - (target.confidence or 0.0)


def _needed(target: Accuracy) -> int:
    return needed_answers(target.accuracy, target.confidence or 0.0)


def _same_for_all(threshold: float, pool: Pool) -> Array:
    return np.full(pool.n_cells, threshold)


# --- one threshold for all cells ----------------------------------------------------------------


def by_hand(pool: Pool, drawn: Answers, target: Accuracy, generator: Generator) -> Array | None:
    """Test a fixed sequence on all samples, from 2 × `needed_answers` accepted ones on."""
    counts = counts_from(2 * _needed(target), len(drawn.correct))
    thresholds = np.unique(np.sort(drawn.certainty)[::-1][counts - 1])[::-1]
    row = last_passed(chance_above(thresholds, drawn, target.accuracy), _level(target))
    return None if row is None else _same_for_all(thresholds[row], pool)


def sgr(pool: Pool, drawn: Answers, target: Accuracy, generator: Generator) -> Array | None:
    """Search for a threshold by halving; the steps share δ (Geifman and El-Yaniv, 2017)."""
    values = np.sort(drawn.certainty)
    n_steps = ceil(log2(len(values)))
    low, high, best = 0, len(values) - 1, None
    for _ in range(n_steps):
        middle = (low + high + 1) // 2
        (chance,) = chance_above(values[[middle]], drawn, target.accuracy)
        if chance <= _level(target) / n_steps:
            best, high = values[middle], middle
        else:
            low = middle
    return None if best is None else _same_for_all(best, pool)


def bonferroni(pool: Pool, drawn: Answers, target: Accuracy, generator: Generator) -> Array | None:
    """Test a hundred quantiles of the certainty with δ / 100 each."""
    ranks = np.arange(N_GRID) * len(drawn.certainty) // N_GRID
    thresholds = np.sort(drawn.certainty)[ranks]
    chances = chance_above(thresholds, drawn, target.accuracy)
    passed = np.flatnonzero(chances <= _level(target) / N_GRID)
    return _same_for_all(thresholds[passed[0]], pool) if len(passed) else None


# --- the path of the pooled front, learned on a share -------------------------------------------


class _LearnedPath:
    """Rows of the pooled front, from few accepted samples to all, and how they test."""

    def __init__(self, pool: Pool, drawn: Answers, target: Accuracy, generator: Generator) -> None:
        learn, test = split(drawn, 1 - LEARNING_SHARE, generator)
        self.pool, self.rows, self.n_test = pool, Rows.of(learn), len(test.correct)
        front = self.rows.front
        assert isinstance(front, PooledFront)
        shares = counts_from(5, self.n_test) / self.n_test
        order = np.searchsorted(-front.coverages, 1e-9 - shares, side="right") - 1
        self.order = np.unique(np.maximum(order, 0))[::-1]
        accepted = np.round(front.coverages[self.order] * self.n_test)
        per_sample = CAUTION * front.expected_errors[self.order] / front.n_samples
        self.expected = chance(accepted, np.ceil(per_sample * self.n_test), target.accuracy)
        columns = self.rows.own_cells.columns(test.cells, front)
        counts = HeldOutCounts(front, HeldOut(test.certainty, test.correct, columns))
        _, accepted, errors = np.array(list(counts.of(self.order))).T
        self.chances = chance(accepted, errors, target.accuracy)

    def start(self, is_widest: bool, level: float) -> int:
        """Return where a pass is expected: the widest such row, or the surest pass."""
        hopeful = np.flatnonzero(self.expected <= level)
        if is_widest and len(hopeful):
            return int(hopeful[-1])
        return int(np.argmin(self.expected))

    def row_accepting(self, n_accepted: int) -> int:
        """Return the first row that is expected to accept so many test samples."""
        accepted = self.rows.front.coverages[self.order] * self.n_test
        return min(int(np.searchsorted(accepted, n_accepted)), len(self.order) - 1)

    def thresholds(self, position: int | None) -> Array | None:
        """Return the thresholds of a row of the path."""
        if position is None:
            return None
        return self.rows.thresholds(int(self.order[position]), self.pool.n_cells)


def pooled_share(is_widest: bool) -> Procedure:
    """Learn the path on a quarter, test on the rest from where a pass is expected."""

    def procedure(pool: Pool, drawn: Answers, target: Accuracy, generator: Generator) -> Any:
        path = _LearnedPath(pool, drawn, target, generator)
        start = path.start(is_widest, _level(target))
        passed = last_passed(path.chances[start:], _level(target))
        return path.thresholds(None if passed is None else start + passed)

    return procedure


def two_starts(pool: Pool, drawn: Answers, target: Accuracy, generator: Generator) -> Array | None:
    """Start with 0.3 δ at 2 × `needed_answers` and 0.7 δ there; a pass hands its δ on."""
    path = _LearnedPath(pool, drawn, target, generator)
    shares = np.zeros(len(path.order))
    shares[path.row_accepting(2 * _needed(target))] += FIRST_SHARE
    shares[path.start(True, _level(target))] += 1 - FIRST_SHARE
    best, level = None, 0.0
    for position, share in enumerate(shares.tolist()):
        level += share * _level(target)
        if level and path.chances[position] <= level:
            best = position
        else:
            level = 0.0
    return path.thresholds(best)


PROCEDURES: dict[str, Procedure] = {
    "one threshold, all samples, from 2 × needed": by_hand,
    "pooled path of 25%, widest start": pooled_share(is_widest=True),
    "pooled path of 25%, surest start": pooled_share(is_widest=False),
    "pooled path of 25%, two starts": two_starts,
    "SGR": sgr,
    "Bonferroni over 100": bonferroni,
}
