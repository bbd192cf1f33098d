"""How do the thresholds of a front perform on samples that were not used to compute it?

A sample is accepted iff its certainty c is at least the threshold of its cell, one of the steps
t₀ = −∞ < t₁ < … < t_k of the cell's staircase. With t(c) the largest step that is not above c,

    c ≥ t_i  ⇔  t(c) ≥ t_i.

So each certainty may be replaced by its step, and the right and the wrong samples at each step be
counted: every row accepts as many samples, and as many of these are wrong. The size of the counts
grows with the steps of the front, not with the samples. A cell that the front has not seen uses the
shared threshold of a row, which may be any step of any cell.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.front import ParetoFront

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Rows whose thresholds are looked up at once.
ROWS = 64


class HeldOut(NamedTuple):
    """Samples that were not used to compute the front.

    ``columns`` holds the position of each sample's cell in the front, or -1 for a cell that the
    front has not seen. ``counts`` is the number of samples of each entry; None is one each.
    ``repeats`` tells how often each sample occurs if equal ones are counted once, and ``counted``
    what one sample each stands for: "samples", "groups" or "distinct samples".
    """

    certainty: Floats
    correct: NDArray[np.bool_]
    columns: Ints
    counts: Ints | None = None
    repeats: Ints | None = None
    counted: str = "samples"

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.correct) if self.counts is None else int(self.counts.sum())

    def take(self, rows: Ints) -> HeldOut:
        """Return the samples at these positions; -1 is one that is accepted and wrong."""
        is_missing = rows < 0
        return HeldOut(
            # No threshold is above +inf.
            np.where(is_missing, np.inf, self.certainty[rows]),
            self.correct[rows] & ~is_missing,
            self.columns[rows],
            repeats=None if self.repeats is None else self.repeats[rows],
            counted=self.counted,
        )


class HeldOutCounts:
    """How many held-out samples does a row accept, and how many of these are wrong?"""

    def __init__(self, front: ParetoFront, held_out: HeldOut) -> None:
        self.front = front
        self.cells = []
        certainty, correct, columns, counts = held_out[:4]
        if counts is None:
            counts = np.ones(len(correct), dtype=np.int64)
        for column in range(-1, front.n_cells):
            members = np.flatnonzero(columns == column)
            if len(members):
                members = members[np.argsort(certainty[members])]
                sizes = counts[members]
                wrong = np.where(correct[members], 0, sizes)
                self.cells.append(
                    (column, certainty[members], _from_each(sizes), _from_each(wrong))
                )

    def of(self, rows: Ints) -> Iterator[tuple[int, int, int]]:
        """Yield each row with the numbers of accepted samples and of errors among them."""
        for start in range(0, len(rows), ROWS):
            some = rows[start : start + ROWS]
            thresholds = self.front.staircases.thresholds[self.front.backtrace.steps_at(some)]
            shared = self.front.shared_thresholds(some)
            accepted, errors = np.zeros(len(some), int), np.zeros(len(some), int)
            for column, certainty, samples_from, errors_from in self.cells:
                limits = shared if column < 0 else thresholds[:, column]
                begin = np.searchsorted(certainty, limits)
                accepted += samples_from[begin]
                errors += errors_from[begin]
            yield from zip(some.tolist(), accepted.tolist(), errors.tolist(), strict=True)


class CountsToTest:
    """The same for samples that may repeat: first of distinct samples, then of all."""

    def __init__(self, front: ParetoFront, held_out: HeldOut) -> None:
        ways = [held_out]
        if held_out.repeats is not None:
            ways.append(held_out._replace(counts=held_out.repeats))
        self.ways = [HeldOutCounts(front, way) for way in ways]

    def of(self, rows: Ints) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield each row with the accepted samples and the errors among them, in each way."""
        for row, *counted in zip(rows.tolist(), *(way.of(rows) for way in self.ways), strict=True):
            yield row, [(accepted, errors) for _, accepted, errors in counted]


def _from_each(counts: Ints) -> Ints:
    """Return the sum from each entry to the last, and 0 after the last."""
    return np.append(np.cumsum(counts[::-1])[::-1], 0)


class StepThresholds(NamedTuple):
    """The thresholds of the steps of each cell, sorted within each cell.

    Column ``j`` has the values from ``starts[j]`` up to ``starts[j + 1]``. After the last column
    come those of a cell that the front has not seen.
    """

    values: Floats
    starts: Ints

    @classmethod
    def of(cls, front: ParetoFront) -> StepThresholds:
        """Return all thresholds that rows of a front can have."""
        known = front.staircases
        values = np.concatenate([known.thresholds, np.unique(known.thresholds)])
        return cls(values, np.append(known.starts, len(values)))

    @property
    def n_cells(self) -> int:
        """Number of cells that the front has seen."""
        return len(self.starts) - 2


class StepCounts(NamedTuple):
    """How many right and how many wrong samples are at each step.

    ``keys`` are in ascending order: twice the position of the step among all, plus 1 for right
    samples.
    """

    keys: Ints
    counts: Ints

    def held_out(self, steps: StepThresholds) -> HeldOut:
        """Return held-out samples with one entry per key."""
        positions, correct = np.divmod(self.keys, 2)
        columns = np.searchsorted(steps.starts, positions, side="right") - 1
        columns[columns == steps.n_cells] = -1
        return HeldOut(steps.values[positions], correct.astype(np.bool_), columns, self.counts)


def count_by_step(steps: StepThresholds, held_out: HeldOut) -> StepCounts:
    """Return how many samples are at each step."""
    certainty, correct, columns = held_out[:3]
    positions = np.empty(len(columns), dtype=np.int64)
    for column in np.unique(columns).tolist():
        members = columns == column
        cell = steps.n_cells if column < 0 else column
        start, stop = steps.starts[cell : cell + 2].tolist()
        # The first step is −∞: no certainty is below it.
        step = np.searchsorted(steps.values[start:stop], certainty[members], side="right") - 1
        positions[members] = start + step
    return StepCounts(*np.unique(2 * positions + correct, return_counts=True))


def merge_step_counts(parts: Sequence[StepCounts]) -> StepCounts:
    """Return how many samples of all parts are at each step."""
    keys, own = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
    counts = np.zeros(len(keys), dtype=np.int64)
    np.add.at(counts, own, np.concatenate([part.counts for part in parts]))
    return StepCounts(keys, counts)
