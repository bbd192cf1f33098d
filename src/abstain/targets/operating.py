"""What does running at a row of a front mean, on the calibration data and for new samples?"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import (
    as_labels,
    check_boolean_vector,
    check_real_vector,
    check_same_length,
)
from abstain._core.errors import InputError
from abstain.fronts import ParetoFront
from abstain.fronts.held_out import HeldOut
from abstain.targets.base import Target, certifies, check_target
from abstain.targets.guarantee import Guarantee


class SampleCounts(NamedTuple):
    """Numbers of samples, or sums of their weights."""

    n_samples: float
    n_errors: float
    true_rejects: float
    false_rejects: float


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoint:
    """One row of a front, with all that it means on the calibration data.

    Parameters
    ----------
    row : int or None
        Index of the row in its front; None for thresholds that were given and are of no row.
    n_samples, n_errors : int
        Size of the calibration data, and the wrong samples among it.
    true_rejects, false_rejects : int
        Wrong and correct samples that are rejected.
    gap : int
        At most how many false rejects fewer would do for the same true rejects.
    cells : ndarray of shape (n_thresholds,)
        Label of the cell of each threshold. Of a `RejectOptionClassifier`, the last is None: its
        threshold is that of all cells without one of their own.
    thresholds : ndarray of shape (n_thresholds,)
        A sample is rejected iff its certainty is below the threshold of its cell.
    guarantee : Guarantee, default=None
        What is certified for new data, if that was asked for.
    shared_threshold : float, default=None
        The threshold of cells that the front has not seen; without one, they are refused.
    guarantees : tuple of Guarantee, default=()
        All that is certified: recalls, precisions and accuracies of groups too.
    weighted : SampleCounts, default=None
        The counts of a `RejectOptionClassifier` that weights its calibration samples, by these
        weights; ``reject_rate``, ``coverage`` and ``accuracy`` then follow from them. Without,
        counts and weights are the same.

    Examples
    --------
    >>> from abstain import Accuracy, operating_point, pareto_front
    >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    >>> point = operating_point(front, Accuracy(0.6))
    >>> point
    OperatingPoint(accuracy=0.6667, coverage=0.75, true_rejects=1, false_rejects=0, n_thresholds=1)
    >>> point.errors_left, point.thresholds.tolist()
    (1, [0.2])
    >>> point.reject([0.15, 0.25]).tolist()
    [True, False]
    """

    row: int | None
    n_samples: int
    n_errors: int
    true_rejects: int
    false_rejects: int
    gap: int
    cells: NDArray[Any]
    thresholds: NDArray[np.float64]
    guarantee: Guarantee | None = None
    shared_threshold: float | None = None
    guarantees: tuple[Guarantee, ...] = ()
    weighted: SampleCounts | None = None

    def __repr__(self) -> str:
        certified = self.guarantee and (
            f", certified_accuracy={self.guarantee.accuracy:g}, "
            f"confidence={self.guarantee.confidence:g}"
        )
        if self.guarantee is not None and self.guarantee.counted != "samples":
            certified = f"{certified}, counted={self.guarantee.counted!r}"
        return (
            f"OperatingPoint(accuracy={self.accuracy:.4g}, coverage={self.coverage:.4g}, "
            f"true_rejects={self.true_rejects}, false_rejects={self.false_rejects}, "
            f"n_thresholds={len(self.thresholds)}{certified or ''})"
        )

    @property
    def reject_rate(self) -> float:
        """Share of the samples that are rejected."""
        counts = self.weighted or self
        return (counts.true_rejects + counts.false_rejects) / counts.n_samples

    @property
    def coverage(self) -> float:
        """Share of the samples that are accepted."""
        return 1.0 - self.reject_rate

    @property
    def accuracy_without_rejects(self) -> float:
        """Share of correct samples among all."""
        counts = self.weighted or self
        return 1.0 - counts.n_errors / counts.n_samples

    @property
    def errors_left(self) -> int:
        """Wrong samples that are accepted."""
        return self.n_errors - self.true_rejects

    @property
    def accuracy(self) -> float:
        """Share of correct samples among those accepted; NaN if none is."""
        counts = self.weighted or self
        accepted = counts.n_samples - counts.true_rejects - counts.false_rejects
        if self.true_rejects + self.false_rejects == self.n_samples:
            return float("nan")
        return (accepted - (counts.n_errors - counts.true_rejects)) / accepted

    def reject(self, certainty: ArrayLike, cells: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Return which of some new samples are rejected.

        Parameters
        ----------
        certainty : array-like of shape (n_samples,)
            How sure the classifier is of each sample.
        cells : array-like of shape (n_samples,), default=None
            The cell that each sample falls in; None if there is one cell for all.

        Returns
        -------
        rejected : ndarray of bool of shape (n_samples,)
            Whether ``certainty < threshold`` of the cell.

        Examples
        --------
        >>> from abstain import RejectRate, operating_point, pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3], [False, True, True], cells=["a", "a", "b"])
        >>> point = operating_point(front, RejectRate(0.5))
        >>> point.reject([0.15, 0.15], cells=["a", "b"]).tolist()
        [True, False]
        """
        certainty = check_real_vector("certainty", certainty)
        if cells is None:
            n_cells = len(self.cells) - (self.cells[-1] is None)
            if n_cells > 1:
                raise InputError(f"cells must name one of {n_cells} cells per sample, got None")
            return np.asarray(certainty < self.thresholds[0])
        columns = _columns(self.cells, cells, self.shared_threshold is not None)
        check_same_length(certainty=certainty, cells=columns)
        # The last threshold is that of column -1.
        thresholds = np.append(self.thresholds, self.shared_threshold or 0.0)
        return np.asarray(certainty < thresholds[columns])


def _columns(known: NDArray[Any], cells: ArrayLike, takes_unknown: bool) -> NDArray[np.int64]:
    """Return the index of each label among those known; unknown ones belong to None, else to -1."""
    column = {label: index for index, label in enumerate(known.tolist())}
    labels = as_labels("cells", cells).tolist()
    if None in column or takes_unknown:
        return np.array([column.get(label, column.get(None, -1)) for label in labels], np.int64)
    try:
        return np.array([column[label] for label in labels], np.int64)
    except KeyError as error:
        names = ", ".join(map(repr, list(column)[:8])) + ", …" * (len(column) > 8)
        raise InputError(
            f"cells must be among those of the calibration data ({names}), got {error}"
        ) from None


def operating_point(
    front: ParetoFront, target: Target, held_out: tuple[ArrayLike, ...] | None = None
) -> OperatingPoint:
    """Return the point of a front that serves a target best.

    Parameters
    ----------
    front : ParetoFront
        Any front, of any method.
    target : Target
        Such as :class:`RejectRate`, :class:`Accuracy` or :class:`RejectCost`.
    held_out : tuple of array-likes, default=None
        Certainty, correctness and, if there are several, cells of samples that had no part in the
        front: a target with ``confidence`` is tested on them.

    Returns
    -------
    point : OperatingPoint
        Its counts and thresholds.

    Examples
    --------
    >>> from abstain import RejectRate, operating_point, pareto_front
    >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    >>> operating_point(front, RejectRate(0.25)).true_rejects
    1
    """
    check_target(target)
    return choose_point(front, target, None if held_out is None else _held_out(front, *held_out))


def _held_out(
    front: ParetoFront, certainty: ArrayLike, correct: ArrayLike, cells: ArrayLike | None = None
) -> HeldOut:
    values, right = (
        check_real_vector("certainty", certainty),
        check_boolean_vector("correct", correct),
    )
    if cells is None and front.n_cells > 1:
        raise InputError(f"held_out must name one of {front.n_cells} cells per sample, got None")
    columns = np.zeros(len(values), np.int64)
    if cells is not None:
        columns = _columns(front.cells, cells, front.is_nested)
    check_same_length(certainty=values, correct=right, cells=columns)
    return HeldOut(values, right, columns)


def choose_point(front: ParetoFront, target: Target, held_out: HeldOut | None) -> OperatingPoint:
    """Return the point that serves a target best, certified on held-out samples if it asks so."""
    guarantee = None
    if held_out is not None and certifies(target):
        row, guarantee = target.certify(front, held_out)
    else:
        row = target.choose(front)
    return OperatingPoint(
        row=row,
        n_samples=front.n_samples,
        n_errors=front.n_errors,
        true_rejects=int(front.true_rejects[row]),
        false_rejects=int(front.false_rejects[row]),
        gap=int(front.gap[row]),
        cells=front.cells,
        thresholds=front.thresholds_at(row),
        guarantee=guarantee,
        shared_threshold=float(front.shared_thresholds(np.array([row]))[0])
        if front.is_nested
        else None,
    )


def everything_rejected(front: ParetoFront) -> OperatingPoint:
    """Return the point at which nothing is answered: that of a target which cannot be met."""
    n_right = front.n_samples - front.n_errors
    return OperatingPoint(
        row=None,
        n_samples=front.n_samples,
        n_errors=front.n_errors,
        true_rejects=front.n_errors,
        false_rejects=n_right,
        gap=n_right,
        cells=front.cells,
        thresholds=np.full(front.n_cells, np.inf),
    )
