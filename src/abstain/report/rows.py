"""Which rows of a front can be picked in a report?

A row is of no use if another one rejects no more samples and leaves no more errors: whatever the
target, it never chooses such a row, unless it is one of several that serve it alike. The useful
rows ascend in rejects and in errors caught, the order of a slider. Of a nested front, whose rows
are limits on the probability of being right, all rows are useful.

A slider has no more places than a screen has pixels, so of a large front some rows are left out:
half of those kept are spread evenly over the errors caught, which is dense where errors are cheap
to catch, and half over the rejects, which is dense where they are dear. Rows are left out, never
changed: what is shown of a kept row is exact.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts import ParetoFront
from abstain.targets import OperatingPoint, RejectRate

__all__ = ["MAX_ROWS", "ShownRows", "choose_rows", "global_rows", "thresholds_of"]

MAX_ROWS = 501
# Rows whose thresholds are looked up at once.
AT_ONCE = 64


class ShownRows(NamedTuple):
    """Rows of a front in the order of the slider, and how many there are to pick from."""

    rows: NDArray[np.int64]
    n_useful: int
    start: int  # where the slider stands at first

    @property
    def n_shown(self) -> int:
        """Number of places of the slider."""
        return len(self.rows)


def choose_rows(front: ParetoFront, point: OperatingPoint, max_rows: int = MAX_ROWS) -> ShownRows:
    """Return the useful rows, thinned to about ``max_rows``.

    The slider begins at the row that the classifier runs at, which is always kept, or, if it runs
    at thresholds of no row, at the last one that rejects no more.
    """
    rejects = front.true_rejects + front.false_rejects
    fewest_from_here = np.minimum.accumulate(rejects[::-1])[::-1]
    useful = np.flatnonzero(np.append(rejects[:-1] < fewest_from_here[1:], True))
    kept = useful
    if len(useful) > max_rows:
        by_errors = np.linspace(0, len(useful) - 1, max_rows // 2).round().astype(np.int64)
        steps = np.linspace(rejects[useful[0]], rejects[useful[-1]], max_rows - max_rows // 2)
        by_rejects = np.searchsorted(rejects[useful], steps)
        kept = useful[np.unique(np.concatenate([by_errors, by_rejects]))]
    if point.row is not None:
        kept = np.union1d(kept, [point.row])
    order = np.lexsort((front.true_rejects[kept], rejects[kept]))
    kept = kept[order].astype(np.int64)
    if point.row is not None:
        start = int(np.flatnonzero(kept == point.row)[0])
    else:
        most = point.true_rejects + point.false_rejects
        start = int(np.flatnonzero(rejects[kept] <= most)[-1])
    return ShownRows(kept, len(useful), start)


def global_rows(
    shared: ParetoFront, front: ParetoFront, rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each row, that of another front which serves the same reject rate."""
    chosen = [RejectRate(rate).choose(shared) for rate in front.reject_rates[rows].tolist()]
    return np.array(chosen, dtype=np.int64)


def thresholds_of(front: ParetoFront, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the thresholds of some rows, a few at a time: a large front has many."""
    parts = [
        front.staircases.thresholds[front.backtrace.steps_at(rows[start : start + AT_ONCE])]
        for start in range(0, len(rows), AT_ONCE)
    ]
    return np.concatenate(parts)
