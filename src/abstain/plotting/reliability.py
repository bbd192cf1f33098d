"""Of the answers that are right with a probability of 80 %, how many are right?"""

from __future__ import annotations  # signatures then show the names of types

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import InputError
from abstain._core.estimators import pass_through, unwrap
from abstain.metrics import reliability_curve
from abstain.metrics._samples import check_samples
from abstain.plotting._matplotlib import axes_to_draw_on
from abstain.plotting._styles import curve_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["ReliabilityDisplay"]

DIAGONAL = "perfectly calibrated"


class ReliabilityDisplay:
    """Reliability diagram: the share of right answers against their estimated probability.

    Use :meth:`from_estimator` or :meth:`from_predictions` to make one; :meth:`plot` draws it again.
    A probability that is what it says lies on the diagonal; below, it promises too much. Curves in
    one axes differ in colour and in dashes.

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
        Mean squared difference of probability and outcome, shown in the legend.
    log_loss : float, default=None
        Mean negative log likelihood of the outcomes, shown in the legend.
    name : str, default=None
        What the legend calls the curve.

    See Also
    --------
    sklearn.calibration.CalibrationDisplay : The same for the probability of a class.

    Examples
    --------
    >>> from abstain.plotting import ReliabilityDisplay
    >>> correct, probability = [False, True, True, True], [0.4, 0.6, 0.8, 0.9]
    >>> display = ReliabilityDisplay.from_predictions(correct, probability, n_bins=2)
    >>> display.mean_probabilities.round(2).tolist(), display.accuracies.tolist()
    ([0.5, 0.85], [0.5, 1.0])
    """

    ax_: Axes
    figure_: Figure | SubFigure
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
        """Draw how far the estimated probability of being right holds on samples.

        Parameters
        ----------
        estimator : estimator
            A fitted `RejectOptionClassifier`, alone, at the end of a ``Pipeline`` or inside a
            search. Its ``predict_correct_proba`` is compared with its plain answers, also to the
            samples that it rejects.
        X : array-like of shape (n_samples, n_features)
            Samples, which should be others than it was fitted and calibrated on.
        y : array-like of shape (n_samples,)
            Their classes.
        n_bins : int, default=10
            Number of bins of the probability.
        strategy : {"quantile", "uniform"}, default="quantile"
            Whether the bins hold about as many samples each, or are of equal width.
        confidence : float, default=0.95
            Confidence of the interval of each bin.
        name : str, default=None
            What the legend calls the curve.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``plot``.

        Returns
        -------
        display : ReliabilityDisplay
            The arrays, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain import RejectOptionClassifier
        >>> from abstain.plotting import ReliabilityDisplay
        >>> from sklearn.datasets import load_digits
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_digits(return_X_y=True)
        >>> clf = RejectOptionClassifier(GaussianNB()).fit(X[::2], y[::2])
        >>> display = ReliabilityDisplay.from_estimator(clf, X[1::2], y[1::2])
        >>> round(display.brier_score, 2)
        0.1
        >>> posterior = clf.predict_proba(X[1::2]).max(axis=1)
        >>> raw = ReliabilityDisplay.from_predictions(
        ...     clf.predict(X[1::2]) == y[1::2], posterior, name="posterior", ax=display.ax_
        ... )
        >>> round(raw.brier_score, 2)
        0.21
        """
        correct, probability = _asked(estimator, X, y)
        return cls.from_predictions(
            correct,
            probability,
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
        n_bins : int, default=10
            Number of bins of the probability.
        strategy : {"quantile", "uniform"}, default="quantile"
            Whether the bins hold about as many samples each, or are of equal width.
        confidence : float, default=0.95
            Confidence of the interval of each bin.
        name : str, default=None
            What the legend calls the curve.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``plot``.

        Returns
        -------
        display : ReliabilityDisplay
            The arrays, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain.plotting import ReliabilityDisplay
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
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            What the legend calls the curve; None is the name of the display.
        **kwargs : dict
            Passed to matplotlib's ``plot``.

        Returns
        -------
        display : ReliabilityDisplay
            Itself, with ``ax_``, ``figure_``, ``line_`` and ``intervals_``.

        Examples
        --------
        >>> from abstain.plotting import ReliabilityDisplay
        >>> display = ReliabilityDisplay.from_predictions([True, False], [0.9, 0.4], n_bins=1)
        >>> display.plot(name="mine").line_.get_label()
        'mine (Brier 0.085, log loss 0.308)'
        """
        ax = axes_to_draw_on(ax)
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.collections import LineCollection
        from matplotlib.lines import Line2D
        from matplotlib.ticker import PercentFormatter

        label = self._label(self.name if name is None else name)
        given = normalize_kwargs(kwargs, Line2D)
        style = {**curve_style(ax), "marker": "o", "markersize": 5, "label": label, **given}
        (self.line_,) = ax.plot(self.mean_probabilities, self.accuracies, **style)
        self.intervals_ = ax.vlines(
            self.mean_probabilities,
            self.lower,
            self.upper,
            color=self.line_.get_color(),
            linewidth=1.0,
        )
        if DIAGONAL not in ax.get_legend_handles_labels()[1]:
            # A collection: lines are counted to tell curves apart. It does not widen the view.
            line = LineCollection(
                [[(0.0, 0.0), (1.0, 1.0)]],
                colors="0.4",
                linestyles=":",
                linewidths=1.0,
                zorder=1,
                label=DIAGONAL,
            )
            ax.add_collection(line, autolim=False)
        ax.set(xlabel="estimated probability of being right", ylabel="share that is right")
        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.legend(loc="best", frameon=False, handlelength=3.5)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _label(self, name: str | None) -> str:
        scores = [
            f"{title} {score:.3f}"
            for title, score in (("Brier", self.brier_score), ("log loss", self.log_loss))
            if score is not None
        ]
        told = ", ".join(scores)
        if name is None:
            return told or "estimate"
        return f"{name} ({told})" if told else name


def _asked(estimator: Any, X: Any, y: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which plain answers are right, and the estimated probability of that."""
    from abstain.classifier import RejectOptionClassifier

    steps, clf = unwrap(estimator, until=RejectOptionClassifier)
    if not isinstance(clf, RejectOptionClassifier):
        raise InputError(
            f"estimator must be a fitted RejectOptionClassifier, got a {type(clf).__name__}; "
            "use from_predictions with probabilities of your own"
        )
    seen = pass_through(steps, X)
    labels, answers, _ = check_samples(y, clf.estimator_.predict(seen), None)
    return np.asarray(labels == answers), clf.predict_correct_proba(seen)
