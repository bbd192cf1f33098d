"""Which numbers of true rejects can be had at all?

Tied wrong samples are rejected together or not at all, so some totals cannot be composed of one
step per cell.
"""

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.staircases import Staircases

__all__ = ["attainable_totals"]


def attainable_totals(staircases: Staircases) -> NDArray[np.bool_]:
    """Tell for each m from 0 to the most true rejects whether some choice of steps adds up to m.

    Sets of totals are the bits of Python integers, and adding a step to every total is a shift.
    """
    most = staircases.true_rejects[staircases.last_steps]
    totals = 1
    for start, stop in zip(staircases.starts[:-1], staircases.starts[1:], strict=True):
        totals = _add_cell(totals, staircases.true_rejects[start:stop])
    n_totals = int(most.sum()) + 1
    packed = np.frombuffer(totals.to_bytes(n_totals // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=n_totals, bitorder="little").astype(bool)


def _add_cell(totals: int, steps: NDArray[np.int64]) -> int:
    """Return the union of ``totals`` shifted by each step, a run of consecutive steps at a time."""
    breaks = np.flatnonzero(np.diff(steps) != 1) + 1
    reached = 0
    for run in np.split(steps, breaks):
        block, length = totals, 1
        while length < len(run):
            shift = min(length, len(run) - length)
            block |= block << shift
            length += shift
        reached |= block << int(run[0])
    return reached
