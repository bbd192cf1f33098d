"""How is one more cell added to a table of fewest false rejects?

By a (min,+) convolution of a dense table T with a few steps (e, l),

    T'(m) = min over the steps of T(m − e) + l.

It is done in NumPy by gathering the shifted copies of the table as the rows of a matrix, a cache
full at a time, and taking the minimum of each column.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

__all__ = ["Counts", "Steps", "Table", "add_steps", "unreached"]

Counts = NDArray[np.int32] | NDArray[np.int64]

# Elements of the gathered matrix: 256 KiB of 32-bit counts, which a second-level cache holds.
CHUNK = 1 << 16


class Table(NamedTuple):
    """Fewest false rejects for each number of true rejects from ``offset`` on."""

    offset: int
    false_rejects: Counts

    @property
    def end(self) -> int:
        """The largest number of true rejects in the table."""
        return self.offset + len(self.false_rejects) - 1

    def window(self, low: int, high: int) -> Counts:
        """Return the entries from ``low`` to ``high``, unreached where the table has none."""
        padded = np.full(
            high - low + 1, unreached(self.false_rejects.dtype), self.false_rejects.dtype
        )
        first, last = max(low, self.offset), min(high, self.end)
        if first <= last:
            padded[first - low : last - low + 1] = self.false_rejects[
                first - self.offset : last - self.offset + 1
            ]
        return padded

    def as_steps(self) -> "Steps":
        """Return the entries that are reached."""
        reached = np.flatnonzero(self.false_rejects < unreached(self.false_rejects.dtype))
        return Steps(reached + self.offset, self.false_rejects[reached])


class Steps(NamedTuple):
    """Some steps of one cell, ascending in true rejects."""

    true_rejects: NDArray[np.int64]
    false_rejects: Counts

    def as_table(self) -> Table:
        """Return the steps as a dense table."""
        low, high = int(self.true_rejects[0]), int(self.true_rejects[-1])
        dtype = self.false_rejects.dtype
        dense = np.full(high - low + 1, unreached(dtype), dtype)
        dense[self.true_rejects - low] = self.false_rejects
        return Table(low, dense)


@cache
def unreached(dtype: np.dtype[np.signedinteger]) -> int:
    """Return the count that stands for "cannot be had": adding a real count does not overflow."""
    return int(np.iinfo(dtype).max) // 2 + 1


def add_steps(table: Table, steps: Steps, low: int, high: int) -> Table:
    """Return the convolution of ``table`` and ``steps`` for low to high true rejects."""
    if len(table.false_rejects) < len(steps.true_rejects):
        table, steps = steps.as_table(), table.as_steps()
    shifts, costs = steps.true_rejects, steps.false_rejects
    best = np.full(high - low + 1, unreached(costs.dtype), costs.dtype)
    if not len(shifts):
        return Table(low, best)
    begin = low - int(shifts[-1])
    source = table.window(begin, high - int(shifts[0]))
    shifted = sliding_window_view(source, len(best))
    rows = low - begin - shifts
    at_once = min(max(CHUNK // len(best), 1), len(rows))
    sums = np.empty((at_once, len(best)), dtype=best.dtype)
    for start in range(0, len(rows), at_once):
        part = slice(start, start + at_once)
        gathered = shifted[rows[part]]
        # Not in place: NumPy adds in vector registers only where input and output are apart.
        np.add(gathered, costs[part, np.newaxis], out=sums[: len(gathered)])
        np.minimum(best, sums[: len(gathered)].min(axis=0), out=best)
    return Table(low, best)
