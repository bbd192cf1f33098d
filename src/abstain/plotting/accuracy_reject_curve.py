"""What does the accuracy of the accepted samples look like against the share of rejected ones?"""

from __future__ import annotations  # signatures then show the names of types

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.fronts import ParetoFront
from abstain.metrics import accuracy_reject_curve
from abstain.plotting._matplotlib import axes_to_draw_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["AccuracyRejectCurveDisplay"]


class AccuracyRejectCurveDisplay:
    """Accuracy-reject curve: accuracy on the accepted samples against the reject rate.

    Use :meth:`from_predictions` or :meth:`from_front` to make one; :meth:`plot` draws it again.

    Parameters
    ----------
    accuracies : array-like of shape (n_points,)
        Accuracy of the accepted samples.
    reject_rates : array-like of shape (n_points,)
        Share of the samples that are rejected, ascending.
    name : str, default=None
        What the legend calls the curve.

    Examples
    --------
    >>> from abstain import pareto_front
    >>> from abstain.plotting import AccuracyRejectCurveDisplay
    >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    >>> display = AccuracyRejectCurveDisplay.from_front(front, name="one threshold")
    >>> display.reject_rates.tolist(), display.accuracies.round(2).tolist()
    ([0.0, 0.25, 0.75], [0.5, 0.67, 1.0])
    """

    ax_: Axes
    figure_: Figure | SubFigure
    line_: Line2D

    def __init__(
        self, *, accuracies: ArrayLike, reject_rates: ArrayLike, name: str | None = None
    ) -> None:
        self.accuracies: NDArray[np.float64] = np.asarray(accuracies, dtype=np.float64)
        self.reject_rates: NDArray[np.float64] = np.asarray(reject_rates, dtype=np.float64)
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        certainty: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of one threshold on the certainty, at all its values.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted labels.
        certainty : array-like of shape (n_samples,)
            How sure each prediction is; higher is surer.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.
        name : str, default=None
            What the legend calls the curve.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``plot``.

        Returns
        -------
        display : AccuracyRejectCurveDisplay
            The arrays, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain.plotting import AccuracyRejectCurveDisplay
        >>> display = AccuracyRejectCurveDisplay.from_predictions(
        ...     y_true=[0, 1, 1], y_pred=[0, 1, 0], certainty=[0.9, 0.8, 0.6]
        ... )
        >>> display.accuracies.round(2).tolist()
        [0.67, 1.0, 1.0]
        """
        accuracies, reject_rates, _ = accuracy_reject_curve(
            y_true, y_pred, certainty, sample_weight=sample_weight
        )
        display = cls(accuracies=accuracies, reject_rates=reject_rates, name=name)
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_front(
        cls,
        front: ParetoFront,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the best accuracy that a front has within each reject budget.

        Parameters
        ----------
        front : ParetoFront
            Any front; its curve is that on the calibration data.
        name : str, default=None
            What the legend calls the curve.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``plot``.

        Returns
        -------
        display : AccuracyRejectCurveDisplay
            The arrays, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain.plotting import AccuracyRejectCurveDisplay
        >>> from abstain import pareto_front
        >>> front = pareto_front([0.1, 0.2, 0.3], [False, True, True])
        >>> AccuracyRejectCurveDisplay.from_front(front).accuracies.round(2).tolist()
        [0.67, 1.0]
        """
        order = np.lexsort((-front.accuracies, front.reject_rates))
        accuracies = front.accuracies[order]
        best_before = np.fmax.accumulate(np.append(-np.inf, accuracies[:-1]))
        improves = accuracies > best_before
        display = cls(
            accuracies=accuracies[improves],
            reject_rates=front.reject_rates[order][improves],
            name=name,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve.

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
        display : AccuracyRejectCurveDisplay
            Itself, with ``ax_``, ``figure_`` and ``line_``.

        Examples
        --------
        >>> from abstain.plotting import AccuracyRejectCurveDisplay
        >>> display = AccuracyRejectCurveDisplay(accuracies=[0.8, 1.0], reject_rates=[0.0, 0.5])
        >>> display.plot(name="mine").line_.get_label()
        'mine'
        """
        ax = axes_to_draw_on(ax)
        from matplotlib.ticker import PercentFormatter

        label = self.name if name is None else name
        # A point of the curve is what can be had from its reject rate on, up to the next point.
        style = {"drawstyle": "steps-post", "label": label, **kwargs}
        (self.line_,) = ax.plot(self.reject_rates, self.accuracies, **style)
        ax.set(xlabel="rejected samples", ylabel="accuracy on the accepted samples")
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        if label is not None:
            ax.legend(loc="lower right", frameon=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self
