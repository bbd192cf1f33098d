"""What is the best choice of one step per cell, by a dynamic programme over given steps?

T_j(m), the fewest false rejects with m true ones in the first j cells, is the (min,+) convolution
of T_{j−1} with the steps of cell j. Tables are kept to the entries that the wanted rows can use.

**Tilting.** Taking c·e + d_j from the cost l of every step (e, l) of cell j takes c·m + Σ_j d_j
from every total with m true rejects, whatever the choice: minima stay where they are. With c close
to the slope of the staircases, costs become small enough for 16-bit integers, of which a vector
register holds twice as many as of 32-bit ones.
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.convolution import COST_TYPES, Costs, Steps, Table, add_steps, unreached

__all__ = ["Programme", "chosen_steps", "fewest_false_rejects", "make_programme", "work"]

# Entries of the matrix that a backtrace looks through at once.
MATRIX = 1 << 20


class Programme(NamedTuple):
    """Some steps of each cell, those of cell j from starts[j] up to starts[j + 1], tilted."""

    true_rejects: NDArray[np.int64]
    costs: Costs
    starts: NDArray[np.int64]
    slope: int
    base: int

    def steps_of(self, cell: int) -> Steps:
        """Return the steps of one cell."""
        own = slice(self.starts[cell], self.starts[cell + 1])
        return Steps(self.true_rejects[own], self.costs[own])


def make_programme(
    true_rejects: NDArray[np.int64], false_rejects: NDArray[np.int64], starts: NDArray[np.int64]
) -> Programme:
    """Tilt the steps so that the smallest integers hold them."""
    firsts, lasts = starts[:-1], starts[1:] - 1
    rise = int((false_rejects[lasts] - false_rejects[firsts]).sum())
    run = int((true_rejects[lasts] - true_rejects[firsts]).sum())
    slope = round(rise / run) if run else 0
    tilted = false_rejects - slope * true_rejects
    least = np.minimum.reduceat(tilted, firsts)
    tilted -= np.repeat(least, np.diff(starts))
    most = int(np.maximum.reduceat(tilted, firsts).sum())
    dtype = next(candidate for candidate in COST_TYPES if most < unreached(candidate))
    return Programme(true_rejects, tilted.astype(dtype), starts, slope, int(least.sum()))


def fewest_false_rejects(
    programme: Programme, low: int, high: int, unknown: int
) -> NDArray[np.int64]:
    """Return the fewest false rejects for low to high true ones, ``unknown`` if there are none."""
    (last,) = deque(_stages(programme, low, high), maxlen=1)
    costs = last.table.window(low, high)
    totals = costs + (programme.slope * np.arange(low, high + 1) + programme.base)
    return np.where(costs < unreached(costs.dtype), totals, unknown)


def chosen_steps(
    programme: Programme, rows: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the index of the step of every cell (columns) for each number of true rejects.

    Cells are added in the order of the given sizes. Of choices that are equally good, the one taken
    depends on that order alone, and not on which other steps or rows there are.
    """
    stages = list(_stages(programme, int(rows.min()), int(rows.max()), sizes))
    steps = np.tile(programme.starts[:-1], (len(rows), 1))
    remaining = rows.copy()
    for stage, before in zip(stages[:0:-1], stages[-2::-1], strict=True):
        own = programme.steps_of(stage.cell)
        chosen = _last_choice(before.table, own, remaining)
        steps[:, stage.cell] += chosen
        remaining -= own.true_rejects[chosen]
    return steps


class _Plan(NamedTuple):
    """In which order cells with a choice are added, and which totals to keep after each."""

    cells: NDArray[np.int64]
    lowest: NDArray[np.int64]
    highest: NDArray[np.int64]
    start: int


def _plan(
    programme: Programme, low: int, high: int, sizes: NDArray[np.int64] | None = None
) -> _Plan:
    """Add small cells first: tables are then short until the last ones come."""
    firsts, lasts = programme.starts[:-1], programme.starts[1:] - 1
    cells = np.flatnonzero(firsts < lasts)
    cells = cells[np.argsort((lasts - firsts if sizes is None else sizes)[cells], kind="stable")]
    least = np.cumsum(programme.true_rejects[firsts[cells]])
    most = np.cumsum(programme.true_rejects[lasts[cells]])
    # Cells with a single step add to every total.
    start = int(programme.true_rejects[firsts].sum()) - int(least[-1:].sum())
    # Totals that the cells still to come can bring to low, and not beyond high.
    lowest = np.maximum(start + least, low - (most[-1:].sum() - most))
    highest = np.minimum(start + most, high - (least[-1:].sum() - least))
    # Steps too few to meet the rows at all leave an entry that is not reached.
    return _Plan(cells, lowest, np.maximum(lowest, highest), start)


def work(programme: Programme, low: int, high: int) -> int:
    """Return how many sums the rows low to high take."""
    plan = _plan(programme, low, high)
    sizes = np.diff(programme.starts)[plan.cells]
    return int((sizes * (plan.highest - plan.lowest + 1)).sum())


class _Stage(NamedTuple):
    """The table once a cell has been added."""

    cell: int
    table: Table


def _stages(
    programme: Programme, low: int, high: int, sizes: NDArray[np.int64] | None = None
) -> Iterator[_Stage]:
    """Yield the tables, first that of all cells with a single step, which is one entry."""
    plan = _plan(programme, low, high, sizes)
    # Tilted, a single step costs nothing.
    table = Table(plan.start, np.zeros(1, dtype=programme.costs.dtype))
    yield _Stage(-1, table)
    for cell, lowest, highest in zip(*(part.tolist() for part in plan[:3]), strict=True):
        table = add_steps(table, programme.steps_of(cell), lowest, highest)
        yield _Stage(cell, table)


def _last_choice(before: Table, steps: Steps, totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each total, the step that made it from the table before."""
    low = int(totals.min() - steps.true_rejects[-1])
    source = before.window(low, int(totals.max() - steps.true_rejects[0]))
    chosen = np.empty(len(totals), dtype=np.int64)
    at_once = max(MATRIX // len(steps.true_rejects), 1)
    for start in range(0, len(totals), at_once):
        part = slice(start, start + at_once)
        sources = source[totals[part, np.newaxis] - steps.true_rejects - low]
        chosen[part] = (sources + steps.costs).argmin(axis=1)
    # A row is only asked for where it is known to exist; better no thresholds than wrong ones.
    if (source[totals - steps.true_rejects[chosen] - low] >= unreached(source.dtype)).any():
        raise RuntimeError("no choice of steps leads to some row; please report this")
    return chosen
