"""Which front does the paper's greedy search (its Algorithm 2) find, once it is corrected?

Let E_j(n) be the most true rejects that cell j has with at most n false rejects. The search holds
a budget I_j of false rejects for each cell, n = Σ_j I_j in total, and begins with I = 0. In each
round it

1. compares the *local* gain, the best max_j E_j(I_j + 1) − E_j(I_j), with the *global* gain, where
   a single cell gets all n + 1 false rejects and the others none; if the global gain leads to more
   true rejects, it takes that;
2. else raises the budget of the cell with the largest local gain, if that is positive and unique;
3. else, on a tie, widens the step o = 2, 3, … until some cell's gain E_j(I_j + o) − E_j(I_j) is
   unique and larger than the tied gain, and takes that.

It departs from the printed algorithm in five points, without which it can loop forever or report
rejects that its thresholds do not realise:

- equal certainties are one step, and a row reports the rejects that its thresholds really have,
  which may be fewer than the budget;
- the global branch gives the cell n + 1 false rejects, not n;
- a cell whose errors are all rejected is left out;
- a tie is broken only by a larger gain; a tie that nothing breaks goes, at the smallest step with
  any gain, to the first of the cells with the largest gain, in an order by their staircases;
- a gain of zero is a tie: it is no progress.

The search for the end of a tie goes from one change of gains to the next, not from one false reject
to the next. On data so regular that ties never break, it still tries all of them for each row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.front import ParetoFront
from abstain.fronts.hull import build_envelope
from abstain.fronts.staircases import Staircases

Ints = NDArray[np.int64]


class Move(NamedTuple):
    """One cell moves to a step; in a global move, all others first return to their free step."""

    cell: int
    step: int
    is_global: bool


@dataclass(frozen=True, eq=False)
class GreedyBacktrace:
    """The moves of the search.

    The first row takes ``first_steps``. If some errors can be rejected without false rejects, the
    second row takes ``free_steps``. Each further row is one move.
    """

    first_steps: Ints
    free_steps: Ints
    moves: tuple[Move, ...]
    n_rows: int

    def steps_at(self, rows: Ints) -> Ints:
        """Return the step of every cell (columns) for each of the rows, by repeating the moves."""
        steps = np.empty((len(rows), len(self.first_steps)), dtype=np.int64)
        n_moves = np.maximum(rows + 1 - (self.n_rows - len(self.moves)), 0)
        state, done = self.free_steps.copy(), 0
        for index in np.argsort(rows, kind="stable").tolist():
            for move in self.moves[done : n_moves[index]]:
                if move.is_global:
                    state[:] = self.free_steps
                state[move.cell] = move.step
            done = n_moves[index]
            steps[index] = state if rows[index] > 0 else self.first_steps
        return steps


@dataclass(frozen=True, eq=False)
class _Budgets:
    """E_j(n) of every cell: the last step that each number of false rejects allows."""

    steps: Ints
    starts: Ints
    true_rejects: Ints
    false_rejects: Ints
    last: Ints
    rank: Ints

    @classmethod
    def of(cls, staircases: Staircases) -> "_Budgets":
        false_rejects = staircases.false_rejects
        is_last = np.append(false_rejects[1:] != false_rejects[:-1], True)
        is_last[staircases.last_steps] = True
        steps = np.flatnonzero(is_last)
        return cls(
            steps=steps,
            starts=np.searchsorted(steps, staircases.first_steps),
            true_rejects=staircases.true_rejects[steps],
            false_rejects=false_rejects[steps],
            last=false_rejects[staircases.last_steps],
            rank=staircases.content_rank,
        )

    @cached_property
    def _keys(self) -> Ints:
        """False rejects of all cells in one ascending array, shifted by cell."""
        sizes = np.diff(self.starts, append=len(self.steps))
        return self.false_rejects + np.repeat(self._key_offsets, sizes)

    @cached_property
    def _key_offsets(self) -> Ints:
        return np.arange(len(self.last)) * (int(self.last.max()) + 1)

    def first_of(self, cells: Ints) -> int:
        """Return the cell that wins a tie; it does not depend on the names of cells."""
        return int(cells[self.rank[cells].argmin()])

    def allowed(self, budgets: Ints) -> Ints:
        """Return the index of the furthest step of each cell within its budget."""
        keys = np.minimum(budgets, self.last) + self._key_offsets
        return np.searchsorted(self._keys, keys, side="right") - 1

    def gains(self, budgets: Ints, widths: Ints) -> Ints:
        """Return E_j(I_j + w) − E_j(I_j) by width (rows) and cell, −1 beyond its last step."""
        raised = budgets + widths[:, np.newaxis]
        gained = self.true_rejects[self.allowed(raised)] - self.true_rejects[self.allowed(budgets)]
        return np.where(raised <= self.last, gained, -1)

    def widths(self, budgets: Ints) -> Iterator[Ints]:
        """Yield 1 and all larger widths at which some gain changes, in growing batches.

        A batch covers the next few steps of every cell, as far as all of these reach.
        """
        following = self.allowed(budgets)[:, np.newaxis] + 1
        ends = np.append(self.starts[1:], len(self.steps))[:, np.newaxis]
        # Beyond its last step, a cell is left out.
        left_out = self.last[:, np.newaxis] + 1
        done, size = 0, 4
        while True:
            index = following + np.arange(size)
            false_rejects = self.false_rejects[np.minimum(index, len(self.steps) - 1)]
            changes = np.where(index < ends, false_rejects, left_out) - budgets[:, np.newaxis]
            has_more = index[:, -1:] < ends
            horizon = int(changes[:, -1:][has_more].min(initial=np.iinfo(np.int64).max))
            batch = np.unique(np.append(changes[(changes > done) & (changes <= horizon)], 1))
            if len(batch := batch[batch > done]):
                yield batch
                done = int(batch[-1])
            if not has_more.any():
                return
            size *= 4


def greedy_front(staircases: Staircases) -> ParetoFront:
    """Return the front that the corrected greedy search finds."""
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
    free = n_caught = int(table.true_rejects[at].sum())
    n_all = int(table.true_rejects[table.allowed(table.last)].sum())
    while n_caught < n_all:
        (alone,) = table.gains(nothing, np.array([n + 1]))
        is_global = bool(alone.max() > table.gains(budgets, np.array([1])).max() + n_caught - free)
        if is_global:
            cell, width = table.first_of(np.flatnonzero(alone == alone.max())), 1
            budgets[:], at[:] = 0, table.starts
            budgets[cell] = n + 1
        else:
            cell, width = _local_choice(table, budgets)
            budgets[cell] += width
        n += width
        at[cell] = table.allowed(budgets)[cell]
        n_caught = int(table.true_rejects[at].sum())
        move = Move(cell, int(table.steps[at[cell]]), is_global)
        yield move, n_caught, int(table.false_rejects[at].sum())


def _local_choice(table: _Budgets, budgets: Ints) -> tuple[int, int]:
    """Return the cell to raise and by how much, widening the step while cells tie."""
    tied = 0
    unbroken: tuple[int, int] | None = None
    for widths in table.widths(budgets):
        gains = table.gains(budgets, widths)
        best = gains.max(axis=1)
        is_unique = (gains == best[:, np.newaxis]).sum(axis=1) == 1
        if widths[0] == 1 and not is_unique[0]:
            tied = int(best[0])
        for index in np.flatnonzero(is_unique & (best > tied))[:1]:
            return int(gains[index].argmax()), int(widths[index])
        for index in np.flatnonzero(best > 0)[:1]:
            winners = np.flatnonzero(gains[index] == best[index])
            unbroken = unbroken or (table.first_of(winners), int(widths[index]))
    assert unbroken is not None, "some cell still has errors to reject"
    return unbroken
