"""How many false and true rejects can each cell have, and at which thresholds?

Within one cell, raising the threshold past the sorted certainties rejects more and more samples.
Only the thresholds just above a wrong sample matter: any other one rejects further correct samples
for nothing. So the *staircase* of cell j is the list of steps

    (true rejects e, false rejects l(e), threshold θ(e)),

one for every number e of wrong samples that a threshold can separate, with l(e) the number of
correct samples at or below the e-th smallest wrong certainty and θ(e) the next larger distinct
certainty of the cell (+inf if there is none). Samples of equal certainty fall together: a group of
tied wrong samples is one step, and correct samples tied with it are lost with it. The first step
of every cell rejects nothing: (0, 0, -inf).

A sample of certainty +inf is below no threshold and is never rejected.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import check_boolean_vector, check_real_vector, check_same_length
from abstain.fronts.encoding import encode_cells, smallest_unsigned

__all__ = ["Staircases", "build_staircases", "sorted_by_cell"]


@dataclass(frozen=True, eq=False)
class Staircases:
    """The staircases of all cells, one after the other.

    The steps of cell ``j`` are those from ``starts[j]`` up to ``starts[j + 1]``; in each cell
    ``true_rejects`` ascends strictly and ``false_rejects`` does not descend.
    """

    cells: NDArray[Any]
    starts: NDArray[np.int64]
    true_rejects: NDArray[np.int64]
    false_rejects: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    n_samples: int
    n_errors: int

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.cells)

    @property
    def first_steps(self) -> NDArray[np.int64]:
        """Position of each cell's step that rejects nothing."""
        return self.starts[:-1]

    @property
    def last_steps(self) -> NDArray[np.int64]:
        """Position of each cell's step that rejects every wrong sample it can."""
        return self.starts[1:] - 1

    @cached_property
    def content_rank(self) -> NDArray[np.int64]:
        """Rank of each cell by its steps alone: what breaks ties whatever cells are called."""
        bounds = pairwise(self.starts.tolist())
        contents = [
            (self.true_rejects[start:stop].tobytes(), self.false_rejects[start:stop].tobytes())
            for start, stop in bounds
        ]
        ranks = {content: rank for rank, content in enumerate(sorted(set(contents)))}
        return np.array([ranks[content] for content in contents])


def build_staircases(
    certainty: ArrayLike, correct: ArrayLike, cells: ArrayLike | None = None
) -> Staircases:
    """Check the three aligned arrays and turn them into one staircase per cell."""
    certainty = check_real_vector("certainty", certainty)
    correct = check_boolean_vector("correct", correct)
    check_same_length(certainty=certainty, correct=correct)
    labels, codes = encode_cells(cells, n_samples=len(certainty))

    steps = [
        _cell_steps(wrong, right)
        for wrong, right in sorted_by_cell(certainty, correct, codes, len(labels))
    ]
    true_rejects, false_rejects, thresholds = (
        np.concatenate(part) for part in zip(*steps, strict=True)
    )
    return Staircases(
        cells=labels,
        starts=np.cumsum([0, *(len(cell[0]) for cell in steps)]),
        true_rejects=true_rejects,
        false_rejects=false_rejects,
        thresholds=thresholds,
        n_samples=len(certainty),
        n_errors=len(correct) - int(np.count_nonzero(correct)),
    )


def sorted_by_cell(
    certainty: NDArray[np.float64],
    correct: NDArray[np.bool_],
    codes: NDArray[np.unsignedinteger[Any]],
    n_cells: int,
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the ascending certainties of the wrong and of the right samples of each cell in turn.

    One stable sort of small keys and a plain sort inside each part: together about as fast as one
    `argsort` of the certainties, because NumPy sorts integers of 16 bits by radix, and sorts values
    without their indices in vector registers.
    """
    keys = codes.astype(smallest_unsigned(2 * n_cells))
    keys *= 2
    keys += correct
    values = certainty[np.argsort(keys, kind="stable")]
    ends = np.cumsum(np.bincount(keys, minlength=2 * n_cells))
    parts = np.split(values, ends[:-1])
    for wrong, right in zip(parts[::2], parts[1::2], strict=True):
        wrong.sort()
        right.sort()
        yield wrong, right


def _cell_steps(
    wrong: NDArray[np.float64], right: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the steps of one cell from its ascending wrong and right certainties."""
    group_ends = np.flatnonzero(np.append(wrong[1:] != wrong[:-1], True)[: len(wrong)]) + 1
    values = wrong[group_ends - 1]
    next_wrong = np.append(values[1:], np.inf)[: len(values)]
    if len(values) and values[-1] == np.inf:  # below no threshold
        values, next_wrong, group_ends = values[:-1], next_wrong[:-1], group_ends[:-1]
    lost = np.searchsorted(right, values, side="right")
    next_right = np.append(right, np.inf)[lost]
    return (
        np.append(0, group_ends),
        np.append(0, lost),
        np.append(-np.inf, np.minimum(next_wrong, next_right)) + 0.0,  # −0 is 0
    )
