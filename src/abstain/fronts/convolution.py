"""How is one more cell added to a table of least costs?

By a (min,+) convolution of a dense table T with a few steps (e, l),

    T'(m) = min over the steps of T(m − e) + l.

It is done in NumPy by gathering the shifted copies of the table as the rows of a matrix, a cache
full at a time, and taking the minimum of each column.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

__all__ = ["COST_TYPES", "Costs", "Steps", "Table", "add_steps", "unreached"]

Costs = NDArray[np.int16] | NDArray[np.int32] | NDArray[np.int64]
COST_TYPES: list[np.dtype[Any]] = [np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.int64)]

# Bytes of the gathered matrix that a second-level cache holds beside its sums.
CHUNK = 1 << 18


class Table(NamedTuple):
    """Least cost of each number of true rejects from ``offset`` on."""

    offset: int
    costs: Costs

    @property
    def end(self) -> int:
        """The largest number of true rejects in the table."""
        return self.offset + len(self.costs) - 1

    def window(self, low: int, high: int) -> Costs:
        """Return the entries from ``low`` to ``high``, unreached where the table has none."""
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
    """Some steps of one cell, ascending in true rejects."""

    true_rejects: NDArray[np.int64]
    costs: Costs

    def as_table(self) -> Table:
        """Return the steps as a dense table."""
        low, high = int(self.true_rejects[0]), int(self.true_rejects[-1])
        dtype = self.costs.dtype
        dense = np.full(high - low + 1, unreached(dtype), dtype)
        dense[self.true_rejects - low] = self.costs
        return Table(low, dense)


@cache
def unreached(dtype: np.dtype[Any]) -> int:
    """Return the cost that stands for "cannot be had": adding a real cost does not overflow."""
    return int(np.iinfo(dtype).max) // 2 + 1


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
    at_once = min(max(CHUNK // best.nbytes, 1), len(rows))
    sums = np.empty((at_once, len(best)), dtype=best.dtype)
    for start in range(0, len(rows), at_once):
        part = slice(start, start + at_once)
        gathered = shifted[rows[part]]
        # Not in place: NumPy adds in vector registers only where input and output are apart.
        np.add(gathered, costs[part, np.newaxis], out=sums[: len(gathered)])
        np.minimum(best, sums[: len(gathered)].min(axis=0), out=best)
    return Table(low, best)
