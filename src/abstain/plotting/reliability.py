"""Of the answers that are right with a probability of 80%, how many are right?"""

from __future__ import annotations  # signatures then show the names of types

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.estimators import pass_through
from abstain.metrics import reliability_curve
from abstain.metrics._samples import check_samples
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import Display, axes_to_draw_on, draw_curve, show_percent
from abstain.plotting._evaluation import plain_answers, reject_option_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

DIAGONAL = "perfectly calibrated"


@documented_display("``plot``")
class ReliabilityDisplay(Display):
    """Reliability diagram: the share of right answers against their estimated probability.

    A calibrated probability lies on the diagonal; below, it is too high. Curves in one axes differ
    in colour and in dashes.

    Parameters
    ----------
    mean_probabilities : array-like of shape (n_bins,)
        Mean estimated probability of being right in each bin.
    accuracies : array-like of shape (n_bins,)
        Share of the samples of the bin that are right.
    counts : array-like of shape (n_bins,)
        Number of samples in each bin.
    lower, upper : array-like of shape (n_bins,)
        Confidence interval of each accuracy, drawn as a vertical line.
    brier_score : float, default=None
        Mean squared difference between probability and outcome, shown in the legend.
    log_loss : float, default=None
        Mean negative log likelihood of the outcomes, shown in the legend.

    See Also
    --------
    sklearn.calibration.CalibrationDisplay : The same for the probability of a class.

    Examples
    --------
    >>> correct, probability = [False, True, True, True], [0.4, 0.6, 0.8, 0.9]
    >>> display = ReliabilityDisplay.from_predictions(correct, probability, n_bins=2)
    >>> display.mean_probabilities.round(2).tolist(), display.accuracies.tolist()
    ([0.5, 0.85], [0.5, 1.0])
    >>> display.plot(name="mine").line_.get_label()
    'mine (Brier 0.093, log loss 0.338)'
    """

    line_: Line2D
    intervals_: LineCollection

    def __init__(
        self,
        *,
        mean_probabilities: ArrayLike,
        accuracies: ArrayLike,
        counts: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        brier_score: float | None = None,
        log_loss: float | None = None,
        name: str | None = None,
    ) -> None:
        self.mean_probabilities: NDArray[np.float64] = np.asarray(mean_probabilities, np.float64)
        self.accuracies: NDArray[np.float64] = np.asarray(accuracies, np.float64)
        self.counts: NDArray[np.int64] = np.asarray(counts, np.int64)
        self.lower: NDArray[np.float64] = np.asarray(lower, np.float64)
        self.upper: NDArray[np.float64] = np.asarray(upper, np.float64)
        self.brier_score = brier_score
        self.log_loss = log_loss
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        n_bins: int = 10,
        strategy: str = "quantile",
        confidence: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw how reliable the estimated probability of being right is on samples.

        ``predict_correct_proba`` of a reject option is compared with its predictions, those of
        rejected samples as well. Outliers, for which nothing is estimated, are left out.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, which should be others than it was fitted and calibrated on.

        Examples
        --------
        >>> X, y = load_digits(return_X_y=True)
        >>> clf = RejectOptionClassifier(GaussianNB()).fit(X[::2], y[::2])
        >>> display = ReliabilityDisplay.from_estimator(clf, X[1::2], y[1::2])
        >>> round(display.brier_score, 2)
        0.09
        >>> posterior = clf.predict_proba(X[1::2]).max(axis=1)
        >>> raw = ReliabilityDisplay.from_predictions(
        ...     clf.predict(X[1::2]) == y[1::2], posterior, name="posterior", ax=display.ax_
        ... )
        >>> round(raw.brier_score, 2)
        0.21
        """
        steps, clf = reject_option_of(estimator, "use from_predictions with your probabilities")
        X = pass_through(steps, X)
        labels, predictions, _ = check_samples(y, plain_answers(clf, X), None)
        probability = clf.predict_correct_proba(X)
        known = ~np.isnan(probability)
        return cls.from_predictions(
            (labels == predictions)[known],
            probability[known],
            n_bins=n_bins,
            strategy=strategy,
            confidence=confidence,
            name=name,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        correct: ArrayLike,
        probability: ArrayLike,
        *,
        n_bins: int = 10,
        strategy: str = "quantile",
        confidence: float = 0.95,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw any probability of being right against whether the answers are.

        Parameters
        ----------
        correct : array-like of bool of shape (n_samples,)
            Whether the answer to each sample is right.
        probability : array-like of shape (n_samples,)
            The estimated probability of that, in [0, 1].

        Examples
        --------
        >>> display = ReliabilityDisplay.from_predictions(
        ...     correct=[True, False, True, True], probability=[0.7, 0.5, 0.9, 0.9], n_bins=1
        ... )
        >>> round(display.brier_score, 3), round(display.log_loss, 3)
        (0.09, 0.315)
        """
        from sklearn.metrics import brier_score_loss, log_loss

        curve = reliability_curve(
            correct, probability, n_bins=n_bins, strategy=strategy, confidence=confidence
        )
        right, values = np.asarray(correct, dtype=bool), np.asarray(probability, np.float64)
        display = cls(
            **curve._asdict(),
            brier_score=float(brier_score_loss(right, values, pos_label=True)),
            log_loss=float(log_loss(right, values, labels=[False, True])),
            name=name,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the diagram."""
        ax = axes_to_draw_on(ax)
        from matplotlib.collections import LineCollection

        label = self._label(self.name if name is None else name)
        style = {"marker": "o", "markersize": 5, "label": label}
        self.line_ = draw_curve(ax, self.mean_probabilities, self.accuracies, kwargs, **style)
        self.intervals_ = ax.vlines(
            self.mean_probabilities,
            self.lower,
            self.upper,
            color=self.line_.get_color(),
            linewidth=1.0,
        )
        if DIAGONAL not in ax.get_legend_handles_labels()[1]:
            # A collection, as the style of a curve depends on the number of lines.
            look: dict[str, Any] = {"colors": "0.4", "linestyles": ":", "linewidths": 1.0}
            ends = [(0.0, 0.0), (1.0, 1.0)]
            line = LineCollection([ends], zorder=1, label=DIAGONAL, **look)
            ax.add_collection(line, autolim=False)
        ax.set(
            xlabel="estimated probability of being right",
            ylabel="share that is right, with interval",
        )
        show_percent(ax)
        above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
        ax.legend(**above, frameon=False, handlelength=3.5)
        return self._drawn_on(ax)

    def _label(self, name: str | None) -> str:
        scores = [
            f"{title} {score:.3f}"
            for title, score in (("Brier", self.brier_score), ("log loss", self.log_loss))
            if score is not None
        ]
        text = ", ".join(scores)
        if name is None:
            return text or "estimate"
        return f"{name} ({text})" if text else name
