"""Which staircase do several small cells have together?

For two cells a and b, the fewest false rejects with m true rejects in both are

    l(m) = min { l_a(e) + l_b(m − e) : e },

a staircase with a step for every m that steps of a and b add up to. Joining cells changes no front.

The dynamic program adds one cell after the other; for a cell of few steps, calling NumPy takes
longer than its sums. Here all small cells of about the same size are joined in pairs at once, until
few are left, as dense tables of the false rejects of 0, 1, 2, … true rejects.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.dynamic_program import COST_TYPES, unreached
from abstain.fronts.staircases import Staircases

Costs = NDArray[np.signedinteger[Any]]

# Cells with fewer true rejects than this power of two are joined. It only affects speed.
LARGE = 256


def join_small_cells(staircases: Staircases) -> Staircases:
    """Return staircases with the same fronts, of few small cells; they have no thresholds."""
    sizes = staircases.true_rejects[staircases.last_steps]
    is_large = sizes >= LARGE
    if np.count_nonzero(sizes[~is_large]) < 2:
        return staircases
    tables = _join(staircases, sizes)
    cell = np.repeat(np.arange(len(sizes)), np.diff(staircases.starts))
    kept = np.flatnonzero(is_large[cell] & (staircases.true_rejects > 0))
    joined, true_rejects = np.nonzero(tables < _never(tables.dtype))
    joined, true_rejects = joined[true_rejects > 0], true_rejects[true_rejects > 0]
    n_large = np.count_nonzero(is_large)
    return Staircases.of_steps(
        np.arange(n_large + len(tables)),
        np.append((np.cumsum(is_large) - 1)[cell[kept]], n_large + joined),
        np.append(staircases.true_rejects[kept], true_rejects),
        np.append(staircases.false_rejects[kept], tables[joined, true_rejects]),
        np.full(len(kept) + len(joined), np.nan),
        staircases.n_samples,
        staircases.n_errors,
        staircases.unit,
    )


def _join(staircases: Staircases, sizes: NDArray[np.int64]) -> Costs:
    """Return the tables (rows) that all small cells with errors are joined to.

    Sizes double: pairs of cells with fewer than 2ᵏ true rejects have fewer than 2ᵏ⁺¹.
    """
    true_rejects, false_rejects = staircases.true_rejects, staircases.false_rejects
    cell = np.repeat(np.arange(len(sizes)), np.diff(staircases.starts))
    tables: Costs = np.zeros((0, 1), dtype=np.int64)
    width, most = 1, 0
    while width < LARGE:
        width *= 2
        is_own = (width // 2 <= sizes) & (sizes < width)
        steps = np.flatnonzero(is_own[cell])
        most = 2 * max(most, int(false_rejects[steps].max(initial=0)))
        dtype = next(each for each in COST_TYPES if most < _never(each))
        shape = len(tables) + np.count_nonzero(is_own), width
        padded: Costs = np.full(shape, _never(dtype), dtype)
        is_reached = tables < _never(tables.dtype)
        np.copyto(padded[: len(tables)], tables, where=is_reached, casting="unsafe")
        rows = len(tables) + np.cumsum(is_own) - 1
        padded[rows[cell[steps]], true_rejects[steps]] = false_rejects[steps]
        tables = _join_pairs(padded)
    return tables


def _never(dtype: np.dtype[Any]) -> int:
    """Return the entry of an impossible number of true rejects; two of them can be added."""
    return unreached(dtype) - 1


def _join_pairs(tables: Costs) -> Costs:
    """Return the tables of pairs of cells (rows), of which one is left over if they are odd."""
    (n_tables, width), never = tables.shape, _never(tables.dtype)
    n_pairs = n_tables // 2
    first, second = tables[:n_pairs], tables[n_pairs : 2 * n_pairs]
    joined = np.full((n_tables - n_pairs, 2 * width), never, tables.dtype)
    joined[n_pairs:, :width] = tables[2 * n_pairs :]
    sums = np.empty_like(second)
    for count in range(width):
        np.add(first[:, count, np.newaxis], second, out=sums)
        own = joined[:n_pairs, count : count + width]
        np.minimum(own, sums, out=own)
    return np.minimum(joined, never, out=joined)
