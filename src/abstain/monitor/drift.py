"""Do new samples still look like the calibration data, as far as can be seen without labels?

Five events are counted in each cell: a certainty below the lower quartile of the calibration data
in this cell, below or above their median, above the upper quartile, and a reject. The calibration
data bound how probable they are: of n independent certainties, let x be the (k + 1)-th lowest. Then
P(X < x), given the calibration data, is at most a random number with the distribution
Beta(k + 1, n − k); ties make it smaller. So, with probability 1 − α,

    P(X < x) ≤ the (1 − α)-quantile of Beta(k + 1, n − k).

The same holds from above. A threshold of the classifier may depend on the calibration data; its
bound holds for all k at once, with α/n in place of α. Certainties are also compared over all cells,
without rejects, whose bound would have to hold for all thresholds together. In their place outliers
are counted, as if there were a threshold of unlikeness. Of 5 bounds for each of m cells and 5 for
all cells together, each has α = δ/2 / (5m + 5), so that all hold with probability 1 − δ/2. If they
hold and new samples are like the calibration data, the evidence against them ever reaches 2/δ with
probability at most δ/2 (see `evidence`); it is a mean, with half of the weight on all cells
together and half on the single cells: with several cells, outliers have a tenth of it.

This needs calibration samples that are answered like new ones: those of a ``FrozenEstimator``, or
those that tested a certificate. Answers out of fold are given by other classifiers, which differ a
little from the one that answers; ``tolerance`` covers small differences.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator, Mapping
from math import exp, isfinite, log
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, logsumexp

from abstain._core.checks import (
    as_vector,
    check_boolean_vector,
    check_fraction,
    check_real_vector,
    check_same_length,
    refuse_elements,
)
from abstain._core.errors import InputError, shown
from abstain._core.text import printable
from abstain.classifier import RejectOptionClassifier
from abstain.monitor.evidence import Evidence, add_outcomes, concatenate, no_evidence
from abstain.monitor.risk import LOG_MAX, check_classifier
from abstain.monitor.state import (
    SavedState,
    evidence_state,
    read_alarm,
    read_count,
    read_evidence,
    read_number,
)

# What is counted: which share of the calibration data lies beyond the edge, and on which side.
SHARES = {"low": 0.25, "lower half": 0.5, "upper half": 0.5, "high": 0.25}
EVENTS = {
    "low": "certainty in the lowest quarter",
    "lower half": "certainty in the lower half",
    "upper half": "certainty in the upper half",
    "high": "certainty in the highest quarter",
    "rejected": "rejected",
}
FROM_ABOVE = ("upper half", "high")
OUTLIER = "outlier"  # over all cells, and not seen in the certainty
_IN_WORDS = EVENTS | {OUTLIER: "outliers"}
# An event that is so probable gives no evidence.
_CERTAIN = 0.99


class Event(NamedTuple):
    """What is counted: certainties of a cell beyond ``edge``, and the evidence of too many.

    The cell None stands for all cells.
    """

    cell: int | None
    kind: str
    edge: float
    evidence: Evidence
    log_value: float = 0.0  # of the evidence

    def occurs(self, certainty: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for which samples of the cell the event occurs."""
        return certainty > self.edge if self.kind in FROM_ABOVE else certainty < self.edge


class DriftMonitor(SavedState):
    """Hint at drift: certainty and rejects are not what they were in the calibration data.

    No labels are needed. An alarm shows that new samples differ from the calibration data; it does
    not show that answers are less accurate, and no alarm does not show that they are accurate:
    `RiskMonitor` watches the accuracy. If new samples are independent and distributed like the
    calibration data, an alarm is ever raised with a probability of at most 1 − ``confidence``.
    Samples that arrive sorted, such as one class after the other, are not independent.

    Parameters
    ----------
    certainty : array-like of shape (n_samples,)
        Certainty of each calibration sample.
    cells : array-like of int of shape (n_samples,), default=None
        Cell of each, from 0 on; None is one cell.
    thresholds : array-like of shape (n_cells,), default=None
        Threshold of each cell; None leaves rejects out.
    confidence : float, default=0.95
        One minus the highest probability of a false alarm, in (0, 1).
    tolerance : float, default=0.05
        Events may be more frequent by this much, in [0, 1), before they count as drift: answers
        out of fold differ a little from those to new samples.
    cell_names : sequence of str, default=None
        Names of the cells; None numbers them.
    outliers : array-like of bool of shape (n_samples,), default=None
        Whether each calibration sample is an outlier; None leaves outliers out.

    Attributes
    ----------
    n_samples : int
        Samples so far.
    n_unseen : int
        Those of them in cells with too few calibration samples to compare with.
    alarm_at : int or None
        Number of samples when the alarm was raised; None if there was none.

    See Also
    --------
    RiskMonitor : Watches the accuracy of answers whose truth is known.

    Examples
    --------
    >>> import numpy as np
    >>> from abstain import DriftMonitor
    >>> rng = np.random.default_rng(0)
    >>> monitor = DriftMonitor(rng.random(500))
    >>> monitor.update(rng.random(500)).is_alarm
    False
    >>> print(monitor.update(0.6 * rng.random(500)))
    sign of drift after 546 samples: certainty in the lower half more often than in the calibration
    data; label some answers to see whether accuracy suffers
    """

    def __init__(
        self,
        certainty: ArrayLike,
        cells: ArrayLike | None = None,
        thresholds: ArrayLike | None = None,
        *,
        confidence: float = 0.95,
        tolerance: float = 0.05,
        cell_names: Any = None,
        outliers: ArrayLike | None = None,
    ) -> None:
        self.confidence = check_fraction("confidence", confidence)
        self.tolerance = check_fraction("tolerance", tolerance, low_open=False)
        known = check_real_vector("certainty", certainty)
        codes = check_cells(cells, known)
        limits = None if thresholds is None else check_real_vector("thresholds", thresholds)
        n_cells = int(codes.max()) + 1 if limits is None else len(limits)
        refuse_elements("cells", codes, codes >= n_cells, f"must be below {n_cells}")
        names = range(n_cells) if cell_names is None else cell_names
        self.cell_names = [printable(str(name)) for name in names]
        check_same_length(cells=range(n_cells), cell_names=self.cell_names)
        level = (1 - self.confidence) / 2 / len(EVENTS) / (n_cells + 1)
        compared: list[tuple[int | None, NDArray[np.float64], float | None]] = [
            (cell, known[codes == cell], None if limits is None else limits[cell])
            for cell in range(n_cells)
        ]
        if n_cells > 1:
            compared.append((None, known, None))
        self._events = [
            Event(cell, kind, edge, no_evidence(limit + self.tolerance))
            for cell, values, threshold in compared
            for kind, edge, limit in cell_events(np.sort(values), threshold, level)
            if limit + self.tolerance < _CERTAIN
        ]
        if outliers is not None:
            n_outliers = int(check_outliers(outliers, known).sum())
            limit = upper_bound(n_outliers, len(known), level / len(known)) + self.tolerance
            if limit < _CERTAIN:
                cell = None if n_cells > 1 else 0
                self._events.append(Event(cell, OUTLIER, 0.0, no_evidence(limit)))
        if not self._events:
            raise InputError(
                argument="certainty",
                requirement="must have more values per cell to compare new samples with",
                got=f"{len(known)} in {n_cells} cell{'s' if n_cells > 1 else ''}",
            )
        self.reset()

    @classmethod
    def from_classifier(
        cls, clf: RejectOptionClassifier, *, confidence: float = 0.95, tolerance: float = 0.05
    ) -> Self:
        """Return a monitor of samples, compared with the calibration data of a classifier.

        Where a certificate was tested on held-out samples, these are the calibration data. With
        ``cv="training"`` the calibration data are what the classifier was fitted on: it is surer of
        them than of new samples, and drift is reported without any.

        Parameters
        ----------
        clf : RejectOptionClassifier
            A fitted classifier.
        confidence : float, default=0.95
            One minus the highest probability of a false alarm, in (0, 1).
        tolerance : float, default=0.05
            By how much more frequent than in the calibration data an event may be, in [0, 1).

        Returns
        -------
        monitor : DriftMonitor
            A monitor that has seen nothing yet.

        Examples
        --------
        >>> from abstain import GMLVQ, DriftMonitor, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(*load_iris(return_X_y=True))
        >>> DriftMonitor.from_classifier(clf).cell_names
        ['0', '1', '2', 'other cells']
        """
        tested = check_classifier(clf)._test_calibration
        known = getattr(clf, "calibration_", None) if tested is None else tested
        if known is None:
            raise InputError(
                "clf must have calibration_ to compare new samples with, which a classifier that "
                "was calibrated on Dask collections has not; calibrate on a sample in memory"
            )
        names = [*clf.cells_[:-1].tolist(), "other cells"]
        return cls(
            known.certainty,
            clf._own_cells.positions(known.cells),
            clf.thresholds_,
            confidence=confidence,
            tolerance=tolerance,
            cell_names=names,
            outliers=known.outlier,
        )

    def reset(self) -> Self:
        """Forget all new samples and the alarm.

        Returns
        -------
        self : object
            The monitor itself. What it promises starts again.

        Examples
        --------
        >>> from abstain import DriftMonitor
        >>> DriftMonitor(range(100)).update([0.5] * 50).reset().n_samples
        0
        """
        self.n_samples = 0
        self.n_unseen = 0
        self.alarm_at: int | None = None
        self._events = [
            event._replace(evidence=no_evidence(event.evidence.limit), log_value=0.0)
            for event in self._events
        ]
        return self

    @property
    def evidence(self) -> float:
        """Evidence of drift: 1 at the start; 2 / (1 − confidence) raises the alarm."""
        return exp(min(self._log_evidence, LOG_MAX))

    @property
    def is_alarm(self) -> bool:
        """Whether the alarm has been raised; it stays until `reset`."""
        return self.alarm_at is not None

    @property
    def _log_evidence(self) -> float:
        return float(
            logsumexp(np.array([event.log_value for event in self._events]) + self._log_weights)
        )

    @property
    def _log_weights(self) -> NDArray[np.float64]:
        """Logarithm of the weight of each event: half of it is on all cells together."""
        over_all = np.array([event.cell is None for event in self._events])
        n_all = int(over_all.sum())
        n_halves = 1 if n_all in (0, len(over_all)) else 2
        return np.asarray(-np.log(np.where(over_all, n_all, len(over_all) - n_all) * n_halves))

    @property
    def _log_alarm(self) -> float:
        return log(2 / (1 - self.confidence))

    def update(
        self,
        certainty: ArrayLike,
        cells: ArrayLike | None = None,
        outliers: ArrayLike | None = None,
    ) -> Self:
        """Add samples.

        Parameters
        ----------
        certainty : array-like of shape (n_samples,)
            Certainty of each new sample.
        cells : array-like of int of shape (n_samples,), default=None
            Cell of each, as ``apply`` of a classifier returns it; None is one cell.
        outliers : array-like of bool of shape (n_samples,), default=None
            Whether each is an outlier; None counts none of them, neither as outliers nor as others.

        Returns
        -------
        self : object
            The monitor itself.

        Examples
        --------
        >>> from abstain import DriftMonitor
        >>> DriftMonitor(range(100)).update([3, 50, 70]).n_samples
        3
        """
        values = check_real_vector("certainty", certainty)
        codes = check_cells(cells, values)
        is_outlier = None if outliers is None else check_outliers(outliers, values)
        n_cells = len(self.cell_names)
        refuse_elements("cells", codes, codes >= n_cells, f"must be below {n_cells}")
        total = np.full(len(values), -np.inf)  # log evidence after each sample
        for index, (event, log_weight) in enumerate(
            zip(self._events, self._log_weights, strict=True)
        ):
            occurs = is_outlier if event.kind == OUTLIER else event.occurs(values)
            if occurs is None:  # it is not known which are outliers
                total = np.logaddexp(total, event.log_value + log_weight)
                continue
            inside = np.flatnonzero(codes == event.cell if event.cell is not None else codes >= 0)
            evidence, path = add_outcomes(event.evidence, occurs[inside])
            # It stays what it was while samples are in other cells.
            path = np.append(event.log_value, path)
            n_before = np.searchsorted(inside, np.arange(len(values)), side="right")
            total = np.logaddexp(total, path[n_before] + log_weight)
            self._events[index] = event._replace(evidence=evidence, log_value=float(path[-1]))
        reached = total >= self._log_alarm
        if self.alarm_at is None and reached.any():
            self.alarm_at = self.n_samples + int(reached.argmax()) + 1
        self.n_samples += len(values)
        seen = [event.cell for event in self._events if event.cell is not None]
        self.n_unseen += int((~np.isin(codes, seen)).sum())
        return self

    def update_from_classifier(self, clf: RejectOptionClassifier, X: Any) -> Self:
        """Add samples that a classifier has answered or rejected.

        Parameters
        ----------
        clf : RejectOptionClassifier
            The classifier that this monitor was made from.
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        self : object
            The monitor itself.

        Examples
        --------
        >>> from abstain import GMLVQ, DriftMonitor, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.utils import shuffle
        >>> X, y = shuffle(*load_iris(return_X_y=True), random_state=0)
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(X, y)
        >>> monitor = DriftMonitor.from_classifier(clf)
        >>> monitor.update_from_classifier(clf, X).is_alarm
        False
        """
        decisions = check_classifier(clf).decide(X)
        return self.update(decisions.certainty, decisions.positions, decisions.outlier)

    def merge(self, other: DriftMonitor) -> Self:
        """Add the samples of another monitor, as if they came after those of this one.

        Count each sample once: `reset` the other one, or drop it. An alarm of either stays.

        Parameters
        ----------
        other : DriftMonitor
            A monitor with the same calibration data and parameters, which is not changed.

        Returns
        -------
        self : object
            The monitor itself.

        Examples
        --------
        >>> from abstain import DriftMonitor
        >>> one, other = DriftMonitor(range(99)).update([3]), DriftMonitor(range(99)).update([5])
        >>> one.merge(other).n_samples
        2
        """
        if not isinstance(other, DriftMonitor) or self._compared() != other._compared():
            raise InputError(
                argument="other",
                value=other,
                requirement="must have the same calibration data, confidence and tolerance",
            )
        alarm_at = self.alarm_at
        if alarm_at is None and other.alarm_at is not None:
            alarm_at = self.n_samples + other.alarm_at
        self._events = [
            _with_evidence(own, concatenate(own.evidence, its.evidence))
            for own, its in zip(self._events, other._events, strict=True)
        ]
        self.n_samples += other.n_samples
        self.n_unseen += other.n_unseen
        if alarm_at is None and self._log_evidence >= self._log_alarm:
            alarm_at = self.n_samples
        self.alarm_at = alarm_at
        return self

    def _compared(self) -> list[Any]:
        """Return what monitors must share to be merged."""
        edges = [(*event[:3], event.evidence.limit) for event in self._events]
        return [self.confidence, self.tolerance, self.cell_names, edges]

    def __repr__(self) -> str:
        return (
            f"DriftMonitor(n_cells={len(self.cell_names)}, confidence={self.confidence!r}, "
            f"n_samples={self.n_samples}, evidence={self.evidence:.3g}, alarm_at={self.alarm_at})"
        )

    def __str__(self) -> str:
        if self.alarm_at is None:
            return (
                f"no sign of drift after {self.n_samples:,} samples (evidence "
                f"{self.evidence:.2g}, alarm at {exp(self._log_alarm):.4g}); this says nothing "
                "about accuracy"
            )
        event = max(self._events, key=lambda event: event.log_value)
        where = "" if event.cell is None else f" in cell {shown(self.cell_names[event.cell], 40)}"
        return (
            f"sign of drift after {self.alarm_at:,} samples: {_IN_WORDS[event.kind]} more often "
            f"than in the calibration data{where if len(self.cell_names) > 1 else ''}; label some "
            "answers to see whether accuracy suffers"
        )

    def _state(self) -> dict[str, Any]:
        return {
            "confidence": self.confidence,
            "tolerance": self.tolerance,
            "cell_names": self.cell_names,
            "n_samples": self.n_samples,
            "n_unseen": self.n_unseen,
            "alarm_at": self.alarm_at,
            "events": [
                {"cell": event.cell, "event": event.kind, "edge": event.edge}
                | {"limit": event.evidence.limit, "evidence": evidence_state(event.evidence)}
                for event in self._events
            ],
        }

    @classmethod
    def _from_state(cls, state: Mapping[str, Any]) -> Self:
        monitor = cls.__new__(cls)
        monitor.confidence = check_fraction("confidence", state.get("confidence"))  # type: ignore[arg-type]
        monitor.tolerance = check_fraction("tolerance", state.get("tolerance"), low_open=False)  # type: ignore[arg-type]
        names = state.get("cell_names")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError(argument="cell_names", value=names, requirement="must be text")
        monitor.cell_names = [printable(name) for name in names]
        monitor.n_samples = read_count(state, "n_samples")
        monitor.n_unseen = read_count(state, "n_unseen", most=monitor.n_samples)
        monitor.alarm_at = read_alarm(state, monitor.n_samples)
        events = state.get("events")
        if not isinstance(events, list) or not events:
            raise InputError(argument="events", value=events, requirement="must be a list")
        monitor._events = [_read_event(each, len(names), monitor.n_samples) for each in events]
        return monitor


def _read_event(state: Any, n_cells: int, n_samples: int) -> Event:
    if not isinstance(state, Mapping) or state.get("event") not in [*_IN_WORDS]:
        raise InputError(argument="events", value=state, requirement="must be known events")
    limit = read_number(state, "limit")
    if not 0 < limit < 1:
        raise InputError(argument="limit", value=limit, requirement="must be in (0, 1)")
    evidence = read_evidence(limit, state.get("evidence"))
    read_count({"n": evidence.n}, "n", most=n_samples)
    cell = None if state.get("cell") is None else read_count(state, "cell", most=n_cells - 1)
    return _with_evidence(
        Event(cell, state["event"], read_number(state, "edge"), evidence), evidence
    )


def _with_evidence(event: Event, evidence: Evidence) -> Event:
    return event._replace(evidence=evidence, log_value=float(evidence.log_value()))


def cell_events(
    ordered: NDArray[np.float64], threshold: float | None, level: float
) -> Iterator[tuple[str, float, float]]:
    """Yield each event of a cell with its edge and the highest probability that is plausible."""
    n = len(ordered)
    if not n:
        return
    for kind, share in SHARES.items():
        beyond = int(share * n)
        edge = ordered[n - 1 - beyond if kind in FROM_ABOVE else beyond]
        if isfinite(edge):
            yield kind, float(edge), upper_bound(beyond, n, level)
    if threshold is not None and isfinite(threshold):
        below = int(np.searchsorted(ordered, threshold, side="left"))
        yield "rejected", float(threshold), upper_bound(below, n, level / n)


def upper_bound(k: int, n: int, level: float) -> float:
    """Return the (1 − level)-quantile of Beta(k + 1, n − k); 1 if k = n."""
    return 1.0 if k >= n else float(1 - betaincinv(n - k, k + 1, level))


def check_outliers(outliers: ArrayLike, samples: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each sample is an outlier."""
    flags = check_boolean_vector("outliers", outliers)
    check_same_length(certainty=samples, outliers=flags)
    return flags


def check_cells(cells: ArrayLike | None, samples: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the cell of each sample as an integer from 0 on."""
    if cells is None:
        return np.zeros(len(samples), np.int64)
    codes = as_vector("cells", cells)
    check_same_length(certainty=samples, cells=codes)
    if codes.dtype.kind not in "iu":
        raise InputError(
            argument="cells", value=codes.tolist()[0], requirement="must be integers from 0 on"
        )
    refuse_elements("cells", codes, codes < 0, "must be integers from 0 on")
    return codes.astype(np.int64, copy=False)
