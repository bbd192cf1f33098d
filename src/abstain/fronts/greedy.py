"""Which front does the paper's greedy search (its Algorithm 2) find, mended where it fails?

Let E_j(n) be the most true rejects that cell j has with at most n false rejects. The search holds
a budget I_j of false rejects for each cell, n = Σ_j I_j in all, and begins with I = 0. In each
round it

1. compares the *local* gain, the best max_j E_j(I_j + 1) − E_j(I_j), with the *global* one, where
   a single cell gets all n + 1 false rejects and the others none; if the global one leads to more
   true rejects, it is taken;
2. else raises the budget of the cell with the largest local gain, if that is positive and unique;
3. else, on a tie, widens the step o = 2, 3, … until some cell's gain E_j(I_j + o) − E_j(I_j) is
   unique and larger than the tied one, and takes that.

It departs from the printed algorithm in five points, without which it can loop for ever or claim
rejects that its thresholds do not realise:

- equal certainties are one step, and a row reports the rejects that its thresholds really have,
  which may be fewer than the budget;
- the global branch gives the cell n + 1 false rejects, not n;
- a cell whose errors are all rejected takes no further part;
- a tie is broken only by a larger gain, and one that nothing breaks goes, at the smallest step that
  gains at all, to the first of the cells that gain most, in an order by their staircases;
- a gain of zero is a tie: it is no progress.

Looking for the end of a tie goes from one change of gains to the next, not from one false reject to
the next. On data so regular that ties never break, it still looks through all of them for each row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.envelope import build_envelope
from abstain.fronts.front import ParetoFront
from abstain.fronts.staircases import Staircases

__all__ = ["GreedyBacktrace", "greedy_front"]


class Move(NamedTuple):
    """One cell goes to a step; in a global move all others first fall back to their free step."""

    cell: int
    step: int
    is_global: bool


@dataclass(frozen=True, eq=False)
class GreedyBacktrace:
    """The path of the search.

    The first row takes ``first_steps``; where some errors cost nothing, the second one takes
    ``free_steps``; each row after these is one move further.
    """

    first_steps: NDArray[np.int64]
    free_steps: NDArray[np.int64]
    moves: tuple[Move, ...]
    n_rows: int

    def steps_at(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the step of every cell (columns) for each of the rows, by walking the path."""
        steps = np.empty((len(rows), len(self.first_steps)), dtype=np.int64)
        n_moves = np.maximum(rows + 1 - (self.n_rows - len(self.moves)), 0)
        state, walked = self.free_steps.copy(), 0
        for index in np.argsort(rows, kind="stable").tolist():
            for move in self.moves[walked : n_moves[index]]:
                if move.is_global:
                    state[:] = self.free_steps
                state[move.cell] = move.step
            walked = n_moves[index]
            steps[index] = state if rows[index] > 0 else self.first_steps
        return steps


@dataclass(frozen=True, eq=False)
class _Budgets:
    """E_j(n) of every cell as a table: the last step that each number of false rejects allows."""

    steps: NDArray[np.int64]
    starts: NDArray[np.int64]
    true_rejects: NDArray[np.int64]
    false_rejects: NDArray[np.int64]
    last: NDArray[np.int64]
    rank: NDArray[np.int64]

    @classmethod
    def of(cls, staircases: Staircases) -> "_Budgets":
        lost = staircases.false_rejects
        is_last = np.append(lost[1:] != lost[:-1], True)
        is_last[staircases.last_steps] = True
        steps = np.flatnonzero(is_last)
        return cls(
            steps=steps,
            starts=np.searchsorted(steps, staircases.first_steps),
            true_rejects=staircases.true_rejects[steps],
            false_rejects=lost[steps],
            last=lost[staircases.last_steps],
            rank=staircases.content_rank,
        )

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """False rejects of all cells in one ascending array, each cell in a range of its own."""
        sizes = np.diff(self.starts, append=len(self.steps))
        return self.false_rejects + np.repeat(self._key_offsets, sizes)

    @cached_property
    def _key_offsets(self) -> NDArray[np.int64]:
        return np.arange(len(self.last)) * (int(self.last.max()) + 1)

    def first_of(self, cells: NDArray[np.int64]) -> int:
        """Return the cell that ties go to, whatever cells are called."""
        return int(cells[self.rank[cells].argmin()])

    def allowed(self, budgets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the index of the furthest step of each cell within its budget."""
        keys = np.minimum(budgets, self.last) + self._key_offsets
        return np.searchsorted(self._keys, keys, side="right") - 1

    def gains(self, budgets: NDArray[np.int64], width: int) -> NDArray[np.int64]:
        """Return E_j(I_j + width) − E_j(I_j), or −1 beyond the last step of the cell."""
        gained = (
            self.true_rejects[self.allowed(budgets + width)]
            - self.true_rejects[self.allowed(budgets)]
        )
        return np.where(budgets + width <= self.last, gained, -1)

    def next_width(self, budgets: NDArray[np.int64], width: int) -> int | None:
        """Return the next larger width at which the gain of some cell changes, if any."""
        following = self.allowed(budgets + width) + 1
        exists = following < np.append(self.starts[1:], len(self.steps))
        changes = np.where(
            exists, self.false_rejects[np.where(exists, following, 0)], self.last + 1
        )
        widths = (changes - budgets)[changes - budgets > width]
        return int(widths.min()) if len(widths) else None


def greedy_front(staircases: Staircases) -> ParetoFront:
    """Return the front that the mended greedy search finds."""
    budgets = _Budgets.of(staircases)
    free_errors = int(budgets.true_rejects[budgets.starts].sum())
    rows = [(0, 0)] if free_errors == 0 else [(0, 0), (free_errors, 0)]
    moves = []
    for move, true, false in _search(budgets):
        moves.append(move)
        rows.append((true, false))
    true_rejects, false_rejects = np.array(rows, dtype=np.int64).T
    return ParetoFront(
        true_rejects=true_rejects,
        false_rejects=false_rejects,
        gap=false_rejects - build_envelope(staircases).fewest_false_rejects(true_rejects),
        method="greedy",
        staircases=staircases,
        backtrace=GreedyBacktrace(
            staircases.first_steps, budgets.steps[budgets.starts], tuple(moves), len(rows)
        ),
    )


def _search(table: _Budgets) -> Iterator[tuple[Move, int, int]]:
    """Yield the moves of the search, with the true and the false rejects that each leads to."""
    nothing = np.zeros_like(table.last)
    budgets, n = nothing.copy(), 0
    at = table.starts.copy()
    free = caught = int(table.true_rejects[at].sum())
    everything = int(table.true_rejects[table.allowed(table.last)].sum())
    while caught < everything:
        alone = table.gains(nothing, n + 1)
        is_global = bool(alone.max() > table.gains(budgets, 1).max() + caught - free)
        if is_global:
            cell, width = table.first_of(np.flatnonzero(alone == alone.max())), 1
            budgets[:], at[:] = 0, table.starts
            budgets[cell] = n + 1
        else:
            cell, width = _local_choice(table, budgets)
            budgets[cell] += width
        n += width
        at[cell] = table.allowed(budgets)[cell]
        caught = int(table.true_rejects[at].sum())
        move = Move(cell, int(table.steps[at[cell]]), is_global)
        yield move, caught, int(table.false_rejects[at].sum())


def _local_choice(table: _Budgets, budgets: NDArray[np.int64]) -> tuple[int, int]:
    """Return the cell to raise and by how much, widening the step while cells tie."""
    width: int | None = 1
    to_beat = 0
    unbroken: tuple[int, int] | None = None
    while width is not None:
        gains = table.gains(budgets, width)
        best = int(gains.max())
        winners = np.flatnonzero(gains == best)
        if best > to_beat and len(winners) == 1:
            return int(winners[0]), width
        if best > 0 and unbroken is None:
            unbroken = table.first_of(winners), width
        if width == 1:
            to_beat = best
        width = table.next_width(budgets, width)
    assert unbroken is not None, "some cell still has errors to reject"
    return unbroken
