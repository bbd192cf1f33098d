"""What is a front of rejects, and which thresholds realise each of its rows?"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain.fronts.staircases import Staircases


class Backtrace(Protocol):
    """What a method stores to find the steps of a row."""

    def steps_at(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of the step of every cell (columns) for each of the rows."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class ParetoFront:
    """The trade-off between true rejects and false rejects.

    Computed by :func:`pareto_front`. Each row is one choice of a threshold per cell; a sample is
    rejected iff ``certainty < threshold`` of its cell. Rows are in ascending order of
    ``true_rejects``, and the first row rejects nothing.

    Parameters
    ----------
    true_rejects : ndarray of shape (n_rows,)
        Number of wrong samples that each row rejects.
    false_rejects : ndarray of shape (n_rows,)
        Number of correct samples that each row rejects.
    gap : ndarray of shape (n_rows,)
        Upper bound of how many false rejects fewer are possible for the same true rejects.
    method : str
        The method that computed the front.
    staircases : Staircases
        The steps that each cell can take.
    backtrace : Backtrace
        What the method stores to find the thresholds of a row.

    Examples
    --------
    >>> from abstain import pareto_front
    >>> front = pareto_front(
    ...     certainty=[0.1, 0.4, 0.5, 0.2, 0.3, 0.9],
    ...     correct=[False, True, False, True, False, True],
    ...     cells=["left", "left", "left", "right", "right", "right"],
    ... )
    >>> front
    ParetoFront(4 rows, 6 samples, 3 errors, 2 cells, method='exact')
    >>> front.true_rejects.tolist(), front.false_rejects.tolist()
    ([0, 1, 2, 3], [0, 0, 1, 2])
    >>> front.thresholds_at(1).tolist()
    [0.4, -inf]
    """

    true_rejects: NDArray[np.int64]
    false_rejects: NDArray[np.int64]
    gap: NDArray[np.int64]
    method: str
    staircases: Staircases
    backtrace: Backtrace

    def __len__(self) -> int:
        return len(self.true_rejects)

    def __repr__(self) -> str:
        counts = f"{self.n_samples} samples, {self.n_errors} errors"
        if self.unit != 1:
            total, wrong = self.n_samples * self.unit, self.n_errors * self.unit
            counts = f"samples of weight {total:.6g}, errors of weight {wrong:.6g}"
        return (
            f"ParetoFront({len(self)} rows, {counts}, {self.n_cells} cells, method={self.method!r})"
        )

    @property
    def n_samples(self) -> int:
        """Number of calibration samples."""
        return self.staircases.n_samples

    @property
    def n_errors(self) -> int:
        """Number of wrong samples among them."""
        return self.staircases.n_errors

    @property
    def unit(self) -> float:
        """What a count stands for: 1 sample, or with weights, so much weight."""
        return self.staircases.unit

    @property
    def n_cells(self) -> int:
        """Number of cells, the columns of ``thresholds``."""
        return self.staircases.n_cells

    @property
    def cells(self) -> NDArray[Any]:
        """Label of each cell, in the order of the columns of ``thresholds``."""
        return self.staircases.cells

    @cached_property
    def reject_rates(self) -> NDArray[np.float64]:
        """Share of all samples that each row rejects."""
        return (self.true_rejects + self.false_rejects) / np.float64(self.n_samples)

    @cached_property
    def coverages(self) -> NDArray[np.float64]:
        """Share of all samples that each row accepts."""
        return 1.0 - self.reject_rates

    @cached_property
    def accuracies(self) -> NDArray[np.float64]:
        """Share of correct samples among the accepted ones; NaN where none is accepted."""
        accepted = self.n_samples - self.true_rejects - self.false_rejects
        right = self.n_samples - self.n_errors - self.false_rejects
        accuracies = np.full(len(self), np.nan)
        np.divide(right, accepted, out=accuracies, where=accepted > 0)
        return accuracies

    @cached_property
    def is_pareto(self) -> NDArray[np.bool_]:
        """Whether no other row has at least as many true rejects and at most as many false ones.

        These rows are the front of the paper. The other rows are useful for a reject budget and
        for the accuracy-reject curve.
        """
        fewest_from_here = np.minimum.accumulate(self.false_rejects[::-1])[::-1]
        catches_more = np.diff(self.true_rejects, prepend=-1) > 0
        return np.asarray(
            catches_more & np.append(self.false_rejects[:-1] < fewest_from_here[1:], True)
        )

    @property
    def is_nested(self) -> bool:
        """Whether it is known that no threshold is lower in a row that rejects more."""
        return False

    @property
    def expected_accuracies(self) -> NDArray[np.float64]:
        """Accuracies expected on new data, if the method estimates them."""
        return self.accuracies

    @property
    def leave_one_out_accuracies(self) -> NDArray[np.float64]:
        """Accuracies with each sample left out of its own threshold, if the method has them."""
        return self.accuracies

    @property
    def one_threshold(self) -> ParetoFront:
        """The front of one threshold for all cells, if the method can compare this front to it."""
        return self

    @cached_property
    def thresholds(self) -> NDArray[np.float64]:
        """Threshold of every cell (columns) in every row, computed on first use and cached.

        For a large front this is a large matrix; `thresholds_at` computes a single row.
        """
        rows = np.arange(len(self), dtype=np.int64)
        return self.staircases.thresholds[self.backtrace.steps_at(rows)]

    def shared_thresholds(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the threshold of a cell that the front has not seen, in each of the rows.

        Parameters
        ----------
        rows : ndarray of shape (n,)
            Indices of rows.

        Returns
        -------
        thresholds : ndarray of shape (n,)
            The largest threshold of all cells.

        Examples
        --------
        >>> import numpy as np
        >>> from abstain import pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3], [False, True, False], cells=[0, 0, 1])
        >>> front.shared_thresholds(np.array([0, 1])).tolist()
        [-inf, 0.2]
        """
        return np.asarray(self.staircases.thresholds[self.backtrace.steps_at(rows)].max(axis=1))

    def thresholds_at(self, row: int) -> NDArray[np.float64]:
        """Return the thresholds of one row, without computing the others.

        Parameters
        ----------
        row : int
            Index of the row; negative indices count from the end.

        Returns
        -------
        thresholds : ndarray of shape (n_cells,)
            Threshold of each cell: one of its certainties, -inf (rejects none) or +inf (all).

        Examples
        --------
        >>> from abstain import pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3], [False, True, False])
        >>> front.thresholds_at(-1).tolist()
        [inf]
        """
        if not isinstance(row, int | np.integer) or not -len(self) <= row < len(self):
            last = len(self) - 1
            raise InputError(f"row must be an integer in [{-len(self)}, {last}], got {row!r}")
        rows = np.array([row % len(self)], dtype=np.int64)
        (steps,) = self.backtrace.steps_at(rows)
        thresholds: NDArray[np.float64] = self.staircases.thresholds[steps]
        return thresholds
