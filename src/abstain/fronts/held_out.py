"""How do the thresholds of a front do on samples that had no part in it?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.front import ParetoFront

__all__ = ["HeldOut", "HeldOutCounts"]

# Rows whose thresholds are looked up at once.
ROWS = 64


class HeldOut(NamedTuple):
    """Samples that had no part in the front.

    ``columns`` holds the position of each sample's cell in the front, or -1 for one that the front
    has not seen.
    """

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    columns: NDArray[np.int64]


class HeldOutCounts:
    """How many held-out samples does a row accept, and how many of these are wrong?"""

    def __init__(self, front: ParetoFront, held_out: HeldOut) -> None:
        self.front = front
        self.cells = []
        for column in range(-1, front.n_cells):
            members = np.flatnonzero(held_out.columns == column)
            if len(members):
                members = members[np.argsort(held_out.certainty[members])]
                wrong = ~held_out.correct[members]
                # errors_from[i]: wrong ones among the samples from i on.
                errors_from = np.append(np.cumsum(wrong[::-1])[::-1], 0)
                self.cells.append((column, held_out.certainty[members], errors_from))

    def of(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
        """Yield row, accepted, errors; the thresholds of some rows are found at once."""
        for start in range(0, len(rows), ROWS):
            some = rows[start : start + ROWS]
            thresholds = self.front.staircases.thresholds[self.front.backtrace.steps_at(some)]
            accepted, errors = np.zeros(len(some), int), np.zeros(len(some), int)
            for column, certainty, errors_from in self.cells:
                # What has never been seen is trusted no more than the least trusted cell.
                limits = thresholds.max(axis=1) if column < 0 else thresholds[:, column]
                begin = np.searchsorted(certainty, limits)
                accepted += len(certainty) - begin
                errors += errors_from[begin]
            yield from zip(some.tolist(), accepted.tolist(), errors.tolist(), strict=True)
