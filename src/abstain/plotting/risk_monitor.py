"""How did the evidence against a promised accuracy grow, answer by answer?"""

from __future__ import annotations  # signatures then show the names of types

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.estimators import pass_through
from abstain.monitor import RiskMonitor
from abstain.monitor.risk import correct_answers, promised_accuracy, risk_path
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import Display, axes_to_draw_on, draw_curve, percent_tick
from abstain.plotting._evaluation import reject_option_of
from abstain.plotting._texts import outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D


@documented_display("``plot``")
class RiskMonitorDisplay(Display):
    """Evidence against the accuracy of the answers, as `RiskMonitor` collects it over time.

    The alarm is raised where a curve reaches the dotted line; far above it, the curve is cut off.

    Parameters
    ----------
    answers : array-like of shape (n_labelled,)
        Number of answers up to each one whose truth is known.
    evidence : array-like of shape (n_labelled,)
        Evidence after it.
    accuracy : float
        The accuracy that was promised.
    alarm : float
        The evidence that raises the alarm.

    See Also
    --------
    abstain.RiskMonitor : Keeps no history, and so can run for any time.

    Examples
    --------
    >>> right = [True] * 50 + [False, True, True] * 20
    >>> display = RiskMonitorDisplay.from_predictions(right, accuracy=0.9)
    >>> display.alarm_at
    102
    >>> display.plot(name="ward 3").line_.get_label()
    'ward 3: alarm after 102 answers'
    """

    line_: Line2D
    alarm_line_: LineCollection

    def __init__(
        self,
        *,
        answers: ArrayLike,
        evidence: ArrayLike,
        accuracy: float,
        alarm: float,
        name: str | None = None,
    ) -> None:
        self.answers: NDArray[np.int64] = np.asarray(answers, np.int64)
        self.evidence: NDArray[np.float64] = np.asarray(evidence, np.float64)
        self.accuracy = accuracy
        self.alarm = alarm
        self.name = name

    @property
    def alarm_at(self) -> int | None:
        """Number of answers when the alarm was raised; None if there was none."""
        reached = self.evidence >= self.alarm
        return int(self.answers[reached.argmax()]) if reached.any() else None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        accuracy: float | None = None,
        confidence: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the evidence of the answers to samples in the order of time.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Their classes; NaN or None where they are not known.
        accuracy : float, default=None
            The least accuracy of the answers; None is what the classifier is certified for, or its
            target.
        confidence : float, default=0.95
            One minus the highest probability of a false alarm.

        Examples
        --------
        >>> X, y = load_digits(return_X_y=True)
        >>> clf = RejectOptionClassifier(GaussianNB()).fit(X[:900], y[:900])
        >>> display = RiskMonitorDisplay.from_estimator(clf, X[900:], y[900:], accuracy=0.7)
        >>> display.alarm_at is None
        True
        """
        steps, clf = reject_option_of(estimator, "use from_predictions with your answers")
        correct = correct_answers(clf, pass_through(steps, X), y)
        return cls.from_predictions(
            correct,
            accuracy=promised_accuracy(clf) if accuracy is None else accuracy,
            confidence=confidence,
            name=name,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        correct: ArrayLike,
        *,
        accuracy: float,
        confidence: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the evidence of answers in the order of time.

        Parameters
        ----------
        correct : array-like of bool of shape (n_answers,)
            Whether each answer is right; NaN or None where the truth is not known.
        accuracy : float
            The least accuracy of the answers.
        confidence : float, default=0.95
            One minus the highest probability of a false alarm.

        Examples
        --------
        >>> display = RiskMonitorDisplay.from_predictions([True, None, False], accuracy=0.9)
        >>> display.answers.tolist(), display.evidence.round(2).tolist()
        ([1, 3], [0.92, 1.58])
        """
        monitor = RiskMonitor(accuracy, confidence=confidence)
        answers, evidence = risk_path(correct, monitor)
        display = cls(
            answers=answers,
            evidence=evidence,
            accuracy=monitor.accuracy,
            alarm=1 / (1 - monitor.confidence),
            name=name,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve."""
        ax = axes_to_draw_on(ax)
        name = self.name if name is None else name
        alarm_at = self.alarm_at
        end = "no alarm" if alarm_at is None else f"alarm after {alarm_at:,} answers"
        label = end if name is None else f"{name}: {end}"
        seen = np.minimum(self.evidence, 100 * self.alarm)  # matplotlib would overflow
        self.line_ = draw_curve(
            ax, np.append(0, self.answers), np.append(1.0, seen), kwargs, label=label
        )
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter("{x:g}")
        look: dict[str, Any] = {"colors": "0.4", "linestyles": ":", "linewidths": 1.2, "zorder": 1}
        end_of_line = max(1, int(self.answers[-1]) if len(self.answers) else 1, ax.get_xlim()[1])
        self.alarm_line_ = ax.hlines(self.alarm, 0, end_of_line, **look)
        if not ax.texts:  # one for all curves
            place: dict[str, Any] = {"xytext": (-4, 3), "textcoords": "offset points"}
            place |= {"xycoords": ax.get_yaxis_transform(), "horizontalalignment": "right"}
            outline(ax.annotate(f"alarm at {self.alarm:.4g}", (1.0, self.alarm), **place))
        if alarm_at is not None:
            ax.scatter([alarm_at], [self.alarm], color=self.line_.get_color(), zorder=3)
        lowest = min(0.5, *(np.min(np.asarray(line.get_ydata(), float)) for line in ax.lines)) / 2
        ax.set(
            xlabel="answers",
            ylabel=f"evidence against an accuracy of {percent_tick(self.accuracy)}",
            ylim=(lowest, 10 * self.alarm),
            xlim=(0, end_of_line),
        )
        above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
        ax.legend(**above, frameon=False, handlelength=3.5)
        return self._drawn_on(ax)
