"""Which choice of one step per cell has the fewest false rejects, for each number of true rejects?

T_j(m), the fewest false rejects with m true rejects in the first j cells, follows from T_{j−1} and
the steps (e, l) of cell j by a (min,+) convolution,

    T_j(m) = min over the steps of T_{j−1}(m − e) + l.

NumPy computes it by gathering shifted copies of the table as the rows of a matrix, one cache-sized
part at a time, and taking the minimum of each column. Tables are limited to the entries that the
requested rows can use.

**Tilting.** Subtracting c·e + d_j from the cost l of every step (e, l) of cell j subtracts
c·m + Σ_j d_j from every total with m true rejects, whatever the choice, so the minima do not move.
With c close to the slope of the staircases, costs are small enough for 16-bit integers, twice as
many of which fit a vector register as 32-bit integers.
"""

from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Costs = NDArray[np.int16] | NDArray[np.int32] | NDArray[np.int64]
COST_TYPES: list[np.dtype[Any]] = [np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.int64)]

# Bytes of the gathered matrix: it fits a second-level cache together with its sums.
GATHERED_BYTES = 1 << 18
# Entries of the matrix in which a backtrace searches at once.
BACKTRACE_ENTRIES = 1 << 20


@cache
def unreached(dtype: np.dtype[Any]) -> int:
    """Return the cost of an impossible total; adding a real cost to it does not overflow."""
    return int(np.iinfo(dtype).max) // 2 + 1


class Table(NamedTuple):
    """Least cost of each number of true rejects, starting at ``offset``."""

    offset: int
    costs: Costs

    @property
    def end(self) -> int:
        """The largest number of true rejects in the table."""
        return self.offset + len(self.costs) - 1

    def window(self, low: int, high: int) -> Costs:
        """Return the entries from ``low`` to ``high``, unreached outside of the table."""
        padded = np.full(high - low + 1, unreached(self.costs.dtype), self.costs.dtype)
        first, last = max(low, self.offset), min(high, self.end)
        if first <= last:
            padded[first - low : last - low + 1] = self.costs[
                first - self.offset : last - self.offset + 1
            ]
        return padded

    def as_steps(self) -> "Steps":
        """Return the entries that are reached."""
        reached = np.flatnonzero(self.costs < unreached(self.costs.dtype))
        return Steps(reached + self.offset, self.costs[reached])


class Steps(NamedTuple):
    """Some steps of one cell, in ascending order of true rejects."""

    true_rejects: Ints
    costs: Costs

    def as_table(self) -> Table:
        """Return the steps as a dense table."""
        low, high = int(self.true_rejects[0]), int(self.true_rejects[-1])
        dtype = self.costs.dtype
        dense = np.full(high - low + 1, unreached(dtype), dtype)
        dense[self.true_rejects - low] = self.costs
        return Table(low, dense)


def add_steps(table: Table, steps: Steps, low: int, high: int) -> Table:
    """Return the convolution of ``table`` and ``steps`` for low to high true rejects."""
    if len(table.costs) < len(steps.true_rejects):
        table, steps = steps.as_table(), table.as_steps()
    shifts, costs = steps.true_rejects, steps.costs
    best = np.full(high - low + 1, unreached(costs.dtype), costs.dtype)
    if not len(shifts):
        return Table(low, best)
    begin = low - int(shifts[-1])
    source = table.window(begin, high - int(shifts[0]))
    shifted = sliding_window_view(source, len(best))
    rows = low - begin - shifts
    at_once = min(max(GATHERED_BYTES // best.nbytes, 1), len(rows))
    sums = np.empty((at_once, len(best)), dtype=best.dtype)
    for start in range(0, len(rows), at_once):
        part = slice(start, start + at_once)
        gathered = shifted[rows[part]]
        # Not in place: NumPy uses vector instructions only if input and output do not overlap.
        np.add(gathered, costs[part, np.newaxis], out=sums[: len(gathered)])
        np.minimum(best, sums[: len(gathered)].min(axis=0), out=best)
    return Table(low, best)


class _Stage(NamedTuple):
    """A cell, and the table after it was added."""

    cell: int
    table: Table


class _Schedule(NamedTuple):
    """The order in which cells are added, and the totals to keep after each."""

    cells: Ints
    lowest: Ints
    highest: Ints
    start: int  # the true rejects of all cells with a single step


class DynamicProgram(NamedTuple):
    """Some steps of each cell with tilted costs; cell j has those from starts[j] to starts[j + 1].

    The false rejects of a choice with m true rejects are its costs plus ``slope * m + base``.
    """

    true_rejects: Ints
    costs: Costs
    starts: Ints
    slope: int
    base: int

    @classmethod
    def from_steps(
        cls,
        true_rejects: Ints,
        false_rejects: Ints,
        starts: Ints,
    ) -> "DynamicProgram":
        """Tilt the steps so that the smallest integer type can hold their costs."""
        firsts, lasts = starts[:-1], starts[1:] - 1
        rise = int((false_rejects[lasts] - false_rejects[firsts]).sum())
        run = int((true_rejects[lasts] - true_rejects[firsts]).sum())
        slope = round(rise / run) if run else 0
        tilted = false_rejects - slope * true_rejects
        least = np.minimum.reduceat(tilted, firsts)
        tilted -= np.repeat(least, np.diff(starts))
        most = int(np.maximum.reduceat(tilted, firsts).sum())
        dtype = next(candidate for candidate in COST_TYPES if most < unreached(candidate))
        return cls(true_rejects, tilted.astype(dtype), starts, slope, int(least.sum()))

    def n_sums(self, low: int, high: int) -> int:
        """Return how many sums the rows low to high take."""
        schedule = self._schedule(low, high)
        n_steps = np.diff(self.starts)[schedule.cells]
        return int((n_steps * (schedule.highest - schedule.lowest + 1)).sum())

    def fewest_false_rejects(self, low: int, high: int, unknown: int) -> Ints:
        """Return the fewest false rejects for low to high true rejects, or ``unknown``."""
        (last,) = deque(self._stages(low, high), maxlen=1)
        costs = last.table.window(low, high)
        totals = costs + (self.slope * np.arange(low, high + 1) + self.base)
        return np.where(costs < unreached(costs.dtype), totals, unknown)

    def chosen_steps(self, rows: Ints, sizes: Ints) -> Ints:
        """Return the index of the step of every cell (columns) for each number of true rejects.

        Cells are added in the order of the given sizes. The choice among equally good steps
        depends on that order alone, and not on which other steps or rows there are.
        """
        stages = list(self._stages(int(rows.min()), int(rows.max()), sizes))
        steps = np.tile(self.starts[:-1], (len(rows), 1))
        remaining = rows.copy()
        for stage, before in zip(stages[:0:-1], stages[-2::-1], strict=True):
            own = self._steps_of(stage.cell)
            chosen = _last_choice(before.table, own, remaining)
            steps[:, stage.cell] += chosen
            remaining -= own.true_rejects[chosen]
        return steps

    def _steps_of(self, cell: int) -> Steps:
        own = slice(self.starts[cell], self.starts[cell + 1])
        return Steps(self.true_rejects[own], self.costs[own])

    def _schedule(self, low: int, high: int, sizes: Ints | None = None) -> _Schedule:
        """Add small cells first, so that tables stay short for most cells."""
        firsts, lasts = self.starts[:-1], self.starts[1:] - 1
        cells = np.flatnonzero(firsts < lasts)
        sizes = lasts - firsts if sizes is None else sizes
        cells = cells[np.argsort(sizes[cells], kind="stable")]
        least = np.cumsum(self.true_rejects[firsts[cells]])
        most = np.cumsum(self.true_rejects[lasts[cells]])
        start = int(self.true_rejects[firsts].sum()) - int(least[-1:].sum())
        # Only totals that the remaining cells can raise to low without exceeding high.
        lowest = np.maximum(start + least, low - (most[-1:].sum() - most))
        highest = np.minimum(start + most, high - (least[-1:].sum() - least))
        # If no total can reach the rows, one unreached entry remains.
        return _Schedule(cells, lowest, np.maximum(lowest, highest), start)

    def _stages(self, low: int, high: int, sizes: Ints | None = None) -> Iterator[_Stage]:
        """Yield the table of all cells with a single step, then one table per added cell."""
        schedule = self._schedule(low, high, sizes)
        # The tilted cost of a single step is 0.
        table = Table(schedule.start, np.zeros(1, dtype=self.costs.dtype))
        yield _Stage(-1, table)
        for cell, lowest, highest in zip(*(part.tolist() for part in schedule[:3]), strict=True):
            table = add_steps(table, self._steps_of(cell), lowest, highest)
            yield _Stage(cell, table)


def _last_choice(before: Table, steps: Steps, totals: Ints) -> Ints:
    """Return the step that leads from the table before to each total."""
    low = int(totals.min() - steps.true_rejects[-1])
    source = before.window(low, int(totals.max() - steps.true_rejects[0]))
    chosen = np.empty(len(totals), dtype=np.int64)
    at_once = max(BACKTRACE_ENTRIES // len(steps.true_rejects), 1)
    for start in range(0, len(totals), at_once):
        part = slice(start, start + at_once)
        sources = source[totals[part, np.newaxis] - steps.true_rejects - low]
        chosen[part] = (sources + steps.costs).argmin(axis=1)
    # Rows are known to exist, so this is a bug: fail rather than return wrong thresholds.
    if (source[totals - steps.true_rejects[chosen] - low] >= unreached(source.dtype)).any():
        raise RuntimeError("no choice of steps leads to some row; please report this")
    return chosen
