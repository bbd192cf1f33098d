"""How does the accuracy of the answers depend on the reject rate?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.fronts import ParetoFront
from abstain.metrics import accuracy_reject_curve, average_curves
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import (
    Display,
    axes_to_draw_on,
    draw_curve,
    optional_array,
    show_percent,
)
from abstain.plotting._evaluation import best_rows, folds_of, of_estimator, operating_point_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection, PathCollection
    from matplotlib.lines import Line2D

# Reject rates at which curves of several runs are averaged.
GRID = np.linspace(0.0, 1.0, 201)
OPERATING_POINT = "where the classifier runs"


@documented_display("``plot``")
class AccuracyRejectCurveDisplay(Display):
    """Accuracy-reject curve: accuracy of the answers against the reject rate.

    Curves in one axes differ in colour and in dashes.

    Parameters
    ----------
    accuracies : array-like of shape (n_points,)
        Accuracy of the answers that are given.
    reject_rates : array-like of shape (n_points,)
        Share of the samples that are rejected, ascending.
    std : array-like of shape (n_points,), default=None
        Standard deviation of the accuracy over several runs, drawn as a band.
    operating_point : (float, float), default=None
        Reject rate and accuracy at which a classifier runs, drawn as a dot.

    Examples
    --------
    >>> display = AccuracyRejectCurveDisplay(accuracies=[0.8, 1.0], reject_rates=[0.0, 0.5])
    >>> display.plot(name="mine").line_.get_label()
    'mine'
    """

    line_: Line2D
    band_: FillBetweenPolyCollection | None
    point_: PathCollection | None

    def __init__(
        self,
        *,
        accuracies: ArrayLike,
        reject_rates: ArrayLike,
        name: str | None = None,
        std: ArrayLike | None = None,
        rows: ArrayLike | None = None,
        operating_point: tuple[float, float] | None = None,
    ) -> None:
        self.accuracies: NDArray[np.float64] = np.asarray(accuracies, dtype=np.float64)
        self.reject_rates: NDArray[np.float64] = np.asarray(reject_rates, dtype=np.float64)
        self.name = name
        self.std = None if std is None else np.asarray(std, dtype=np.float64)
        self.rows = optional_array(rows)
        self.operating_point = operating_point

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        certainty: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier on samples.

        With a reject option, the points are the rows of its front that are the most accurate
        within some reject budget on the calibration data, and the one that it runs at, which a dot
        shows. The samples should be others than it was calibrated on. Any other classifier has one
        threshold on its certainty, at all its values.

        Parameters
        ----------
        estimator : estimator
            A fitted `RejectOptionClassifier`, alone, at the end of a ``Pipeline`` or inside a
            search, or any other fitted classifier.

        Examples
        --------
        >>> X, y = load_digits(return_X_y=True)
        >>> clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.1)).fit(X[::2], y[::2])
        >>> display = AccuracyRejectCurveDisplay.from_estimator(clf, X[1::2], y[1::2])
        >>> bool(display.reject_rates[0] == clf.decide(X[1::2]).outlier.mean())
        True
        >>> one = AccuracyRejectCurveDisplay.from_estimator(
        ...     clf, X[1::2], y[1::2], certainty="conf", name="one threshold", ax=display.ax_
        ... )
        """
        accuracies, reject_rates, rows = of_estimator(estimator, X, y, certainty).curve()
        display = cls(
            accuracies=accuracies,
            reject_rates=reject_rates,
            name=name,
            rows=rows,
            operating_point=operating_point_on(estimator, X, y) if certainty is None else None,
        )
        return display.plot(ax=ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        curves: Mapping[str, Any] | Iterable[Sequence[ArrayLike]],
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        certainty: Any = None,
        grid: ArrayLike | None = None,
        min_share: float = 0.8,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the mean curve of several runs, with a band of one standard deviation.

        Parameters
        ----------
        curves : sequence of (accuracies, reject_rates, ...) or dict
            One curve per run, as `average_curves` takes them; or the results of scikit-learn's
            ``cross_validate`` with ``return_estimator=True`` and ``return_indices=True``, for the
            curve of each fold's classifier on its test samples.
        X : array-like of shape (n_samples, n_features), default=None
            The samples that were given to ``cross_validate``.
        grid : array-like of shape (n_points,), default=None
            Reject rates at which to average; None uses 201 of them from 0 to 1.
        min_share : float, default=0.8
            Share of the runs that must have a value at a reject rate; the mean is NaN otherwise.

        Examples
        --------
        >>> runs = [([0.8, 1.0], [0.0, 0.5]), ([0.6, 0.9], [0.0, 0.5])]
        >>> display = AccuracyRejectCurveDisplay.from_cv_results(runs, grid=[0.0, 0.5])
        >>> display.accuracies.round(2).tolist(), display.std.round(2).tolist()
        ([0.7, 0.95], [0.1, 0.05])
        """
        runs = curves
        if isinstance(curves, Mapping):
            runs = list(_curves_of_folds(curves, X, y, certainty))
        averaged = average_curves(runs, GRID if grid is None else grid, min_share)
        display = cls(
            accuracies=averaged.mean, reject_rates=averaged.grid, name=name, std=averaged.std
        )
        return display.plot(ax=ax, **kwargs)

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

        Examples
        --------
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
        """Draw the best accuracy of a front within each reject budget.

        Examples
        --------
        >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
        >>> display = AccuracyRejectCurveDisplay.from_front(front, name="one threshold")
        >>> display.reject_rates.tolist(), display.accuracies.round(2).tolist()
        ([0.0, 0.25, 0.75], [0.5, 0.67, 1.0])
        """
        rows = best_rows(front)
        display = cls(
            accuracies=front.accuracies[rows],
            reject_rates=front.reject_rates[rows],
            name=name,
            rows=rows,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve."""
        ax = axes_to_draw_on(ax)
        from matplotlib.colors import to_rgba

        label = self.name if name is None else name
        # A point is reached from its reject rate on, up to the next point. Means of curves were
        # taken along the lines between their points.
        steps = "steps-post" if self.std is None else "default"
        style = {"drawstyle": steps, "label": label}
        if len(self.reject_rates) == 1:  # a line without length is not seen
            style["marker"] = "o"
        self.line_ = draw_curve(ax, self.reject_rates, self.accuracies, kwargs, **style)
        colour = self.line_.get_color()
        self.band_ = self.point_ = None
        if self.std is not None:
            low, high = self.accuracies - self.std, np.minimum(self.accuracies + self.std, 1.0)
            band: dict[str, Any] = {"facecolor": to_rgba(colour, 0.15), "linewidth": 0.6}
            edge = to_rgba(colour, 0.5)
            self.band_ = ax.fill_between(self.reject_rates, low, high, edgecolor=edge, **band)
        if self.operating_point is not None:
            dot: dict[str, Any] = {"s": 45, "edgecolors": "black", "zorder": 3}
            if OPERATING_POINT not in ax.get_legend_handles_labels()[1]:
                dot["label"] = OPERATING_POINT
            self.point_ = ax.scatter(*self.operating_point, color=colour, **dot)
        ax.set(xlabel="reject rate", ylabel="accuracy of the answers")
        show_percent(ax)
        if ax.get_legend_handles_labels()[1]:
            ax.legend(loc="lower right", handlelength=3.5)
        return self._drawn_on(ax)


def _curves_of_folds(
    cv_results: Mapping[str, Any], X: Any, y: ArrayLike | None, certainty: Any
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the curve of each fold's classifier on its test samples."""
    for fold in folds_of(cv_results, X, y, argument="curves"):
        accuracies, rates, _ = of_estimator(fold.estimator, fold.X, fold.y, certainty).curve()
        # Rows that reject the same share of the test samples count as one, their mean.
        rates, group = np.unique(rates, return_inverse=True)
        yield np.bincount(group, weights=accuracies) / np.bincount(group), rates
