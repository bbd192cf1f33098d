"""How do the thresholds of a front do on samples that had no part in it?

A sample is accepted iff its certainty c is at least the threshold of its cell, one of the steps
t₀ = −∞ < t₁ < … < t_k of the cell's staircase. With t(c) the largest step that is not above c,

    c ≥ t_i  ⇔  t(c) ≥ t_i.

So each certainty may be replaced by its step, and samples of the same step be counted, right and
wrong ones apart: whatever the row, as many are accepted, and as many of these are wrong. What is
left grows with the steps of the front, not with the samples. A cell that the front has not seen is
held to the shared threshold of a row, and any step of any cell may be that one.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.front import ParetoFront

__all__ = ["HeldOut", "HeldOutCounts", "Steps", "Tally", "count_by_step", "merge_tallies"]

# Rows whose thresholds are looked up at once.
ROWS = 64


class HeldOut(NamedTuple):
    """Samples that had no part in the front.

    ``columns`` holds the position of each sample's cell in the front, or -1 for one that the front
    has not seen. ``counts`` tells how many samples each entry stands for; None is one.
    """

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    columns: NDArray[np.int64]
    counts: NDArray[np.int64] | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.correct) if self.counts is None else int(self.counts.sum())


class HeldOutCounts:
    """How many held-out samples does a row accept, and how many of these are wrong?"""

    def __init__(self, front: ParetoFront, held_out: HeldOut) -> None:
        self.front = front
        self.cells = []
        certainty, correct, columns, counts = held_out
        if counts is None:
            counts = np.ones(len(correct), dtype=np.int64)
        for column in range(-1, front.n_cells):
            members = np.flatnonzero(columns == column)
            if len(members):
                members = members[np.argsort(certainty[members])]
                sizes = counts[members]
                of_wrong = np.where(correct[members], 0, sizes)
                self.cells.append(
                    (column, certainty[members], _from_each(sizes), _from_each(of_wrong))
                )

    def of(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
        """Yield row, accepted, errors; the thresholds of some rows are found at once."""
        for start in range(0, len(rows), ROWS):
            some = rows[start : start + ROWS]
            thresholds = self.front.staircases.thresholds[self.front.backtrace.steps_at(some)]
            unseen = self.front.shared_thresholds(some)
            accepted, errors = np.zeros(len(some), int), np.zeros(len(some), int)
            for column, certainty, samples_from, errors_from in self.cells:
                limits = unseen if column < 0 else thresholds[:, column]
                begin = np.searchsorted(certainty, limits)
                accepted += samples_from[begin]
                errors += errors_from[begin]
            yield from zip(some.tolist(), accepted.tolist(), errors.tolist(), strict=True)


def _from_each(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many there are from each entry on, and that after the last there are none."""
    return np.append(np.cumsum(counts[::-1])[::-1], 0)


class Steps(NamedTuple):
    """The thresholds that each cell can have, ascending, one cell after the other.

    Those of column ``j`` are the values from ``starts[j]`` up to ``starts[j + 1]``. After the last
    column come those of a cell that the front has not seen.
    """

    values: NDArray[np.float64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, front: ParetoFront) -> Steps:
        """Return the thresholds among which those of all rows are."""
        known = front.staircases
        values = np.concatenate([known.thresholds, np.unique(known.thresholds)])
        return cls(values, np.append(known.starts, len(values)))

    @property
    def n_cells(self) -> int:
        """Number of cells that the front has seen."""
        return len(self.starts) - 2

    def of_column(self, column: int) -> slice:
        """Return where the steps of a cell are; -1 is one that the front has not seen."""
        cell = self.n_cells if column < 0 else column
        return slice(int(self.starts[cell]), int(self.starts[cell + 1]))


class Tally(NamedTuple):
    """How many samples have the same step and are right, or wrong, alike.

    ``keys`` ascend: twice the place of the step among all, and 1 more if the samples are right.
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]

    def held_out(self, steps: Steps) -> HeldOut:
        """Return an entry for each key, which counts as the samples themselves do."""
        places, correct = np.divmod(self.keys, 2)
        columns = np.searchsorted(steps.starts, places, side="right") - 1
        columns[columns == steps.n_cells] = -1
        return HeldOut(steps.values[places], correct.astype(np.bool_), columns, self.counts)


def count_by_step(steps: Steps, held_out: HeldOut) -> Tally:
    """Return how many samples there are at each step."""
    certainty, correct, columns, _ = held_out
    places = np.empty(len(columns), dtype=np.int64)
    for column in np.unique(columns).tolist():
        members = columns == column
        own = steps.of_column(column)
        # The first step is −∞: no certainty is below it.
        found = np.searchsorted(steps.values[own], certainty[members], side="right") - 1
        places[members] = own.start + found
    return Tally(*np.unique(2 * places + correct, return_counts=True))


def merge_tallies(parts: Sequence[Tally]) -> Tally:
    """Return how many samples of all parts there are at each step."""
    keys, own = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
    counts = np.zeros(len(keys), dtype=np.int64)
    np.add.at(counts, own, np.concatenate([part.counts for part in parts]))
    return Tally(keys, counts)
