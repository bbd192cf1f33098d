"""Is the accuracy of the answers still what was promised?

Answers whose truth becomes known are outcomes, an error is the event, and 1 − accuracy is its
highest probability: see `evidence`.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from math import exp, inf, log
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import (
    as_labels,
    as_vector,
    check_boolean_vector,
    check_fraction,
    check_same_length,
    is_missing,
)
from abstain._core.errors import InputError, shown
from abstain.classifier import Decisions, RejectOptionClassifier
from abstain.monitor.evidence import Evidence, add_outcomes, concatenate, no_evidence
from abstain.monitor.state import (
    SavedState,
    evidence_state,
    read_alarm,
    read_count,
    read_evidence,
)
from abstain.targets import Accuracy

# More would overflow.
LOG_MAX = 700.0


class RiskMonitor(SavedState):
    """Raise an alarm when the accuracy of the answers is no longer what was promised.

    The promise: given the past, each answer is wrong with a probability of at most
    1 − ``accuracy``. While it holds, an alarm is ever raised with a probability of at most
    1 − ``confidence``, however long the monitor runs and however often it is looked at. Only
    answers count, not rejected samples, and of these only those whose truth is known: a random
    share of them is enough, if it is chosen without a look at the truth. A long good past does not
    hide a bad present.

    Parameters
    ----------
    accuracy : float
        The least accuracy of the answers, in (0, 1).
    confidence : float, default=0.95
        One minus the highest probability of a false alarm, in (0, 1).

    Attributes
    ----------
    n_answers : int
        Answers so far.
    n_labelled : int
        Those of them whose truth is known.
    n_errors : int
        Those of these that are wrong.
    alarm_at : int or None
        Number of answers when the alarm was raised; None if there was none.

    See Also
    --------
    DriftMonitor : Watches samples without labels.

    Examples
    --------
    >>> import numpy as np
    >>> from abstain import RiskMonitor
    >>> monitor = RiskMonitor(accuracy=0.9)
    >>> right = np.random.default_rng(0).random(1000) < 0.95
    >>> print(monitor.update(right))
    no alarm after 1,000 answers: 48 of 1,000 checked ones are wrong, which does not contradict
    accuracy 0.9 (evidence 0.06, alarm at 20)
    >>> monitor.update(np.random.default_rng(1).random(1000) < 0.75).is_alarm
    True
    >>> print(monitor)
    alarm after 1,080 answers: accuracy 0.9 does not hold (evidence ..., alarm at 20); set the
    thresholds again on recent data with recalibrate
    """

    def __init__(self, accuracy: float, *, confidence: float = 0.95) -> None:
        self.accuracy = check_fraction("accuracy", accuracy)
        self.confidence = check_fraction("confidence", confidence)
        self.reset()

    @classmethod
    def from_classifier(cls, clf: RejectOptionClassifier, *, confidence: float = 0.95) -> Self:
        """Return a monitor of the accuracy that a classifier was certified for, or set to.

        Parameters
        ----------
        clf : RejectOptionClassifier
            A fitted classifier with an `Accuracy` as its target.
        confidence : float, default=0.95
            One minus the highest probability of a false alarm, in (0, 1).

        Returns
        -------
        monitor : RiskMonitor
            A monitor that has seen nothing yet.

        Examples
        --------
        >>> from abstain import GMLVQ, Accuracy, RejectOptionClassifier, RiskMonitor
        >>> from sklearn.datasets import load_iris
        >>> clf = RejectOptionClassifier(GMLVQ(), target=Accuracy(0.98))
        >>> RiskMonitor.from_classifier(clf.fit(*load_iris(return_X_y=True))).accuracy
        0.98
        """
        return cls(promised_accuracy(clf), confidence=confidence)

    def reset(self) -> Self:
        """Forget all answers and the alarm, after the classifier has changed.

        Returns
        -------
        self : object
            The monitor itself. What it promises starts again.

        Examples
        --------
        >>> from abstain import RiskMonitor
        >>> RiskMonitor(0.9).update([False] * 20).reset().is_alarm
        False
        """
        self.n_answers = 0
        self.alarm_at: int | None = None
        self._evidence: Evidence = no_evidence(1 - self.accuracy)
        return self

    @property
    def n_labelled(self) -> int:
        """Answers whose truth is known."""
        return self._evidence.n

    @property
    def n_errors(self) -> int:
        """Answers that are known to be wrong."""
        return int(self._evidence.n_events)

    @property
    def evidence(self) -> float:
        """Evidence against the accuracy: 1 at the start; 1 / (1 − confidence) raises the alarm."""
        return exp(min(float(self._evidence.log_value()), LOG_MAX))

    @property
    def is_alarm(self) -> bool:
        """Whether the alarm has been raised; it stays until `reset`."""
        return self.alarm_at is not None

    def update(self, correct: Any) -> Self:
        """Add answers.

        Parameters
        ----------
        correct : bool or array-like of shape (n_answers,)
            Whether each answer is right; NaN or None where the truth is not known.

        Returns
        -------
        self : object
            The monitor itself.

        Examples
        --------
        >>> from abstain import RiskMonitor
        >>> monitor = RiskMonitor(0.9).update(True).update([True, False, None])
        >>> monitor.n_answers, monitor.n_labelled, monitor.n_errors
        (4, 3, 1)
        """
        is_known, is_right = known_answers(correct)
        self._evidence, path = self._add(is_right)
        reached = path >= -log(1 - self.confidence)
        if self.alarm_at is None and reached.any():
            self.alarm_at = self.n_answers + int(np.flatnonzero(is_known)[reached.argmax()]) + 1
        self.n_answers += len(is_known)
        return self

    def _add(self, is_right: NDArray[np.bool_]) -> tuple[Evidence, NDArray[np.float64]]:
        """Return the evidence with more answers, and its logarithm after each of them."""
        target = inf if self.is_alarm else -log(1 - self.confidence)
        return add_outcomes(self._evidence, ~is_right, log_target=target)

    def update_from_classifier(self, clf: RejectOptionClassifier, X: Any, y: Any) -> Self:
        """Add the answers of a classifier to samples; rejected samples are left out.

        Parameters
        ----------
        clf : RejectOptionClassifier
            The classifier that answers.
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes; NaN or None where they are not known.

        Returns
        -------
        self : object
            The monitor itself.

        Examples
        --------
        >>> from abstain import GMLVQ, Accuracy, RejectOptionClassifier, RiskMonitor
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GMLVQ(), target=Accuracy(0.98)).fit(X, y)
        >>> monitor = RiskMonitor.from_classifier(clf).update_from_classifier(clf, X, y)
        >>> bool(monitor.n_answers == (~clf.reject(X)).sum())
        True
        """
        return self.update(correct_answers(clf, X, y))

    def merge(self, other: RiskMonitor) -> Self:
        """Add the answers of another monitor, as if they came after those of this one.

        Workers that share a stream of answers can each have a monitor, and one merges them. Count
        each answer once: `reset` the other one, or drop it. An alarm of either stays. If each of k
        workers may raise an alarm by itself, each can be false: for all of them together, use
        ``confidence = 1 − δ / k``.

        Near the alarm, the evidence can be a little below that of one monitor of all answers, which
        makes each bet no larger than needed.

        Parameters
        ----------
        other : RiskMonitor
            A monitor of the same accuracy and confidence, which is not changed.

        Returns
        -------
        self : object
            The monitor itself.

        Examples
        --------
        >>> from abstain import RiskMonitor
        >>> one, other = RiskMonitor(0.9).update([True] * 5), RiskMonitor(0.9).update([False] * 2)
        >>> both = RiskMonitor(0.9).update([True] * 5 + [False] * 2)
        >>> round(one.merge(other).evidence / both.evidence, 9)
        1.0
        """
        for name in ("accuracy", "confidence"):
            own, value = getattr(self, name), getattr(other, name, None)
            if own != value:
                raise InputError(
                    argument="other", value=value, requirement=f"must have {name}={own!r}"
                )
        alarm_at = self.alarm_at
        if alarm_at is None and other.alarm_at is not None:
            alarm_at = self.n_answers + other.alarm_at
        self._evidence = concatenate(self._evidence, other._evidence)
        self.n_answers += other.n_answers
        if alarm_at is None and self._evidence.log_value() >= -log(1 - self.confidence):
            alarm_at = self.n_answers
        self.alarm_at = alarm_at
        return self

    def __repr__(self) -> str:
        return (
            f"RiskMonitor(accuracy={self.accuracy!r}, confidence={self.confidence!r}, "
            f"n_answers={self.n_answers}, evidence={self.evidence:.3g}, alarm_at={self.alarm_at})"
        )

    def __str__(self) -> str:
        remedy = "; set the thresholds again on recent data with recalibrate"
        return risk_in_words(self) + remedy * self.is_alarm

    def _state(self) -> dict[str, Any]:
        return {
            "accuracy": self.accuracy,
            "confidence": self.confidence,
            "n_answers": self.n_answers,
            "alarm_at": self.alarm_at,
            "evidence": evidence_state(self._evidence),
        }

    @classmethod
    def _from_state(cls, state: Mapping[str, Any]) -> Self:
        monitor = cls(state.get("accuracy"), confidence=state.get("confidence"))  # type: ignore[arg-type]
        monitor.n_answers = read_count(state, "n_answers")
        monitor.alarm_at = read_alarm(state, monitor.n_answers)
        monitor._evidence = read_evidence(1 - monitor.accuracy, state.get("evidence"))
        read_count({"n": monitor.n_labelled}, "n", most=monitor.n_answers)
        return monitor


def risk_in_words(monitor: RiskMonitor) -> str:
    """Return whether there is an alarm, without the remedy."""
    evidence = f"evidence {monitor.evidence:.2g}, alarm at {1 / (1 - monitor.confidence):.4g}"
    if monitor.alarm_at is None:
        return (
            f"no alarm after {monitor.n_answers:,} answers: {monitor.n_errors:,} of "
            f"{monitor.n_labelled:,} checked ones are wrong, which does not contradict accuracy "
            f"{monitor.accuracy:g} ({evidence})"
        )
    return (
        f"alarm after {monitor.alarm_at:,} answers: accuracy {monitor.accuracy:g} does not hold "
        f"({evidence})"
    )


def risk_path(correct: Any, monitor: RiskMonitor) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the evidence after each answer of known truth that a monitor would be given next.

    With it, the number of answers up to each; the monitor is not changed.
    """
    is_known, is_right = known_answers(correct)
    log_evidence = monitor._add(is_right)[1]
    answers = monitor.n_answers + np.flatnonzero(is_known) + 1
    return answers, np.exp(np.minimum(log_evidence, LOG_MAX))


def promised_accuracy(clf: Any) -> float:
    """Return the accuracy that a classifier is certified for, or else its target."""
    point = check_classifier(clf).operating_point_
    for guarantee in (point.guarantee, *point.guarantees):
        if guarantee is not None and guarantee.name == "the accuracy":
            return float(guarantee.accuracy)
    if isinstance(clf.target, Accuracy):
        return float(clf.target.accuracy)
    raise InputError(
        argument="clf",
        value=clf.target,
        requirement="must have an Accuracy as its target",
        remedy="name the accuracy yourself: RiskMonitor(accuracy)",
    )


def check_classifier(clf: Any) -> RejectOptionClassifier:
    """Refuse anything but a fitted reject option."""
    if not isinstance(clf, RejectOptionClassifier) or not hasattr(clf, "operating_point_"):
        raise InputError(
            argument="clf",
            requirement="must be a fitted RejectOptionClassifier",
            got=f"a {type(clf).__name__}",
        )
    return clf


def known_answers(correct: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the answers whose truth is known, and which of these are right."""
    if is_scalar := np.ndim(correct) == 0:
        correct = [correct]
    if not is_scalar and not len(correct):  # nothing was answered
        return np.zeros(0, np.bool_), np.zeros(0, np.bool_)
    values = as_vector("correct", correct)
    is_known = ~_is_missing(values)
    if not is_known.any():
        return is_known, np.zeros(0, np.bool_)
    # With all of them, an error names the right index.
    filled = np.where(is_known, values, True)
    return is_known, check_boolean_vector("correct", filled)[is_known]


def correct_answers(clf: Any, X: Any, y: Any) -> NDArray[Any]:
    """Return whether each answer is right, without those to rejected samples; None if unknown."""
    decisions = check_classifier(clf).decide(X)
    truth = as_labels("y", y)
    check_same_length(X=decisions.rejected, y=truth)
    return correct_decisions(clf, decisions, truth)


def correct_decisions(clf: Any, decisions: Decisions, truth: NDArray[Any]) -> NDArray[Any]:
    """Return whether each answer is right, without those to rejected samples; None if unknown."""
    is_known = ~_is_missing(truth)
    check_kind(truth[is_known], clf.classes_)
    correct = np.full(len(truth), None, dtype=object)
    correct[is_known] = clf.classes_[decisions.class_indices][is_known] == truth[is_known]
    return correct[~decisions.rejected]


def check_kind(truth: NDArray[Any], classes: NDArray[Any]) -> None:
    """Refuse text where the classes are numbers, and numbers where they are text."""
    is_text = isinstance(classes.tolist()[0], str)
    for label in truth.tolist() if truth.dtype.kind == "O" else truth[:1].tolist():
        if isinstance(label, str) != is_text:
            raise InputError(
                argument="y",
                value=label,
                requirement=f"must hold labels like the classes, such as "
                f"{shown(classes.tolist()[0])}",
            )


def _is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "O":
        return np.fromiter(map(is_missing, values.tolist()), np.bool_, len(values))
    return np.asarray(values != values)
