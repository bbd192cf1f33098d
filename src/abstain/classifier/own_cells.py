"""Which cells have a threshold of their own?

All others share one, and so do cells that calibration has never seen. The pooled front gives every
cell that it has seen a threshold of its own. Other methods fit the noise of few samples:
there, cells with fewer than ``min_cell_size`` calibration samples share a threshold.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain.fronts import ParetoFront
from abstain.fronts.staircases import encode_cells


@dataclass(frozen=True, eq=False)
class OwnCells:
    """The cells with a threshold of their own, in the order of their thresholds."""

    labels: NDArray[Any]

    @property
    def shared(self) -> int:
        """Position of the threshold that all other cells share: after all others."""
        return len(self.labels)

    @property
    def names(self) -> NDArray[Any]:
        """The cell of each threshold; None, last, stands for all other cells."""
        names = np.empty(len(self.labels) + 1, dtype=object)
        names[:-1] = self.labels.tolist()
        return names

    def positions(self, cells: NDArray[Any]) -> NDArray[np.int64]:
        """Return the position of the threshold that decides about each sample."""
        position, shared = self._position, self.shared
        return np.array([position.get(label, shared) for label in cells.tolist()], np.int64)

    @cached_property
    def _position(self) -> dict[Any, int]:
        return {label: index for index, label in enumerate(self.labels.tolist())}

    def columns(self, cells: NDArray[Any], front: ParetoFront) -> NDArray[np.int64]:
        """Return the column of the front for each sample; -1 for a cell that it has not seen."""
        return self.columns_of(self.positions(cells), front)

    def columns_of(self, positions: NDArray[np.int64], front: ParetoFront) -> NDArray[np.int64]:
        """Return the column of the front for each position; -1 where it has seen no sample."""
        column = np.full(len(self.labels) + 1, -1, dtype=np.int64)
        column[front.cells] = np.arange(front.n_cells)
        return np.asarray(column[positions])

    def thresholds(self, front: ParetoFront, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the threshold at each position (columns) in each of the rows of a front."""
        shared = front.shared_thresholds(rows)[:, np.newaxis]
        thresholds = np.repeat(shared, len(self.labels) + 1, axis=1)
        thresholds[:, front.cells] = front.staircases.thresholds[front.backtrace.steps_at(rows)]
        return thresholds


def find_own_cells(cells: NDArray[Any], min_cell_size: int) -> OwnCells:
    """Return the cells with enough samples to set a threshold."""
    labels, codes = encode_cells(cells, len(cells))
    return OwnCells(labels[np.bincount(codes) >= min_cell_size])
