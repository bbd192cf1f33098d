"""What becomes of all samples as more and more are rejected?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import InputError
from abstain.fronts import ParetoFront
from abstain.plotting._folds import folds_of, pooled
from abstain.plotting._matplotlib import axes_to_draw_on
from abstain.plotting._outcomes import Outcomes, of_estimator, of_front, of_predictions
from abstain.plotting._styles import legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.figure import Figure, SubFigure

__all__ = ["RejectOutcomesDisplay"]

# From the bottom up; errors lie together in the middle, a band of the same height everywhere.
STYLES: dict[str, dict[str, Any]] = {
    "right": {"facecolor": "#bfe0f2", "hatch": ""},
    "wrong": {"facecolor": "#d55e00", "hatch": "xxx"},
    "truly rejected": {"facecolor": "#f5cf80", "hatch": "///"},
    "falsely rejected": {"facecolor": "#e8e8e8", "hatch": "..."},
}
WHAT = {
    "right": "answered, right",
    "wrong": "answered, wrong",
    "truly rejected": "rejected, would be wrong",
    "falsely rejected": "rejected, would be right",
}


class RejectOutcomesDisplay:
    """Shares of right, wrong, truly and falsely rejected samples against the reject rate.

    Use :meth:`from_estimator`, :meth:`from_front`, :meth:`from_predictions` or, for all folds of a
    cross-validation, :meth:`from_cv_results` to make one; :meth:`plot` draws it again. The four
    shares sum to 1 at each reject rate. A sample is truly rejected if the answer would have been
    wrong, and falsely if it would have been right.

    Parameters
    ----------
    reject_rates : array-like of shape (n_points,)
        Share of the samples that are rejected, ascending.
    right, wrong : array-like of shape (n_points,)
        Shares of the samples that are answered rightly and wrongly.
    truly_rejected, falsely_rejected : array-like of shape (n_points,)
        Shares of the samples that are rejected and would have been wrong, or right.
    rows : array-like of shape (n_points,), default=None
        Row of a front behind each point, where there is one.

    Examples
    --------
    >>> from abstain import pareto_front
    >>> from abstain.plotting import RejectOutcomesDisplay
    >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
    >>> display = RejectOutcomesDisplay.from_front(front)
    >>> display.wrong.tolist(), display.falsely_rejected.tolist()
    ([0.5, 0.25, 0.0], [0.0, 0.0, 0.25])
    """

    ax_: Axes
    figure_: Figure | SubFigure
    areas_: list[FillBetweenPolyCollection]

    def __init__(
        self,
        *,
        reject_rates: ArrayLike,
        right: ArrayLike,
        wrong: ArrayLike,
        truly_rejected: ArrayLike,
        falsely_rejected: ArrayLike,
        rows: ArrayLike | None = None,
    ) -> None:
        self.reject_rates: NDArray[np.float64] = np.asarray(reject_rates, dtype=np.float64)
        self.right: NDArray[np.float64] = np.asarray(right, dtype=np.float64)
        self.wrong: NDArray[np.float64] = np.asarray(wrong, dtype=np.float64)
        self.truly_rejected: NDArray[np.float64] = np.asarray(truly_rejected, dtype=np.float64)
        self.falsely_rejected: NDArray[np.float64] = np.asarray(falsely_rejected, dtype=np.float64)
        self.rows = None if rows is None else np.asarray(rows)
        if len({part.shape for part in (self.reject_rates, *self._parts)}) > 1:
            raise InputError(
                "all shares must have the shape of reject_rates, got "
                f"{', '.join(str(part.shape) for part in (self.reject_rates, *self._parts))}"
            )

    @property
    def _parts(self) -> list[NDArray[np.float64]]:
        return [self.right, self.wrong, self.truly_rejected, self.falsely_rejected]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        certainty: Any = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what the thresholds of a fitted classifier do to samples.

        Of a classifier with a reject option, each row of its front that is the most accurate
        within some reject budget on the calibration data is tried on the samples. Any other
        classifier has one threshold on its certainty, at all its values.

        Parameters
        ----------
        estimator : estimator
            A fitted `RejectOptionClassifier`, alone, at the end of a ``Pipeline`` or inside a
            search, or any other fitted classifier.
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.
        certainty : str or callable, default=None
            Measure of certainty, as `RejectOptionClassifier` takes it, for one threshold, with a
            reject option too; None is the front of a reject option, else "auto".
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``fill_between``.

        Returns
        -------
        display : RejectOutcomesDisplay
            The arrays, ``rows`` of the front among them, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain.plotting import RejectOutcomesDisplay
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GaussianNB().fit(X, y)
        >>> display = RejectOutcomesDisplay.from_estimator(model, X, y, certainty="margin")
        >>> float(display.right[0]) == model.score(X, y)
        True
        """
        return cls._from_outcomes(of_estimator(estimator, X, y, certainty), ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        certainty: Any = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what the classifiers of a cross-validation do to the samples that each has not seen.

        At each reject rate, every classifier rejects that share of its test part, as
        :meth:`from_estimator` has it, and the samples of all parts are counted together. Between
        two reject rates of a classifier lies what tossing a coin between them would do; the picture
        ends where the first of them can reject no more.

        Parameters
        ----------
        cv_results : dict
            What scikit-learn's ``cross_validate`` returns with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            The samples that it was given.
        y : array-like of shape (n_samples,)
            Their classes.
        certainty : str or callable, default=None
            Measure of certainty, as :meth:`from_estimator` takes it.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``fill_between``.

        Returns
        -------
        display : RejectOutcomesDisplay
            The arrays, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain.plotting import RejectOutcomesDisplay
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_iris(return_X_y=True)
        >>> found = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
        >>> display = RejectOutcomesDisplay.from_cv_results(found, X, y)
        >>> bool(np.isclose(display.right[0], found["test_score"].mean()))
        True
        """
        parts = [
            of_estimator(fold.estimator, fold.X, fold.y, certainty)
            for fold in folds_of(cv_results, X, y)
        ]
        return cls._from_outcomes(pooled(parts), ax, **kwargs)

    @classmethod
    def from_front(cls, front: ParetoFront, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw what the most accurate row within each reject budget does to calibration samples.

        Parameters
        ----------
        front : ParetoFront
            Any front.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``fill_between``.

        Returns
        -------
        display : RejectOutcomesDisplay
            The arrays, ``rows`` of the front among them, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain import pareto_front
        >>> from abstain.plotting import RejectOutcomesDisplay
        >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, True, True])
        >>> RejectOutcomesDisplay.from_front(front).truly_rejected.tolist()
        [0.0, 0.25]
        """
        return cls._from_outcomes(of_front(front), ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        certainty: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what one threshold on the certainty does, at all its values.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted labels.
        certainty : array-like of shape (n_samples,)
            How sure each prediction is; higher is surer.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``fill_between``.

        Returns
        -------
        display : RejectOutcomesDisplay
            The arrays, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain.plotting import RejectOutcomesDisplay
        >>> display = RejectOutcomesDisplay.from_predictions(
        ...     y_true=[0, 1, 1, 0], y_pred=[0, 1, 0, 0], certainty=[0.9, 0.8, 0.6, 0.5]
        ... )
        >>> display.wrong.tolist(), display.reject_rates.tolist()
        ([0.25, 0.25, 0.0, 0.0, 0.0], [0.0, 0.25, 0.5, 0.75, 1.0])
        """
        outcomes = of_predictions(y_true, y_pred, certainty, sample_weight)
        return cls._from_outcomes(outcomes, ax, **kwargs)

    @classmethod
    def _from_outcomes(cls, outcomes: Outcomes, ax: Axes | None, **kwargs: Any) -> Self:
        right, wrong, truly, falsely = outcomes.shares
        display = cls(
            reject_rates=outcomes.reject_rates,
            right=right,
            wrong=wrong,
            truly_rejected=truly,
            falsely_rejected=falsely,
            rows=outcomes.rows,
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the shares on top of each other.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``fill_between``.

        Returns
        -------
        display : RejectOutcomesDisplay
            Itself, with ``ax_``, ``figure_`` and ``areas_``, from the bottom up.

        Examples
        --------
        >>> from abstain.plotting import RejectOutcomesDisplay
        >>> display = RejectOutcomesDisplay(
        ...     reject_rates=[0.0, 0.5],
        ...     right=[0.8, 0.5],
        ...     wrong=[0.2, 0.0],
        ...     truly_rejected=[0.0, 0.2],
        ...     falsely_rejected=[0.0, 0.3],
        ... )
        >>> len(display.plot().areas_)
        4
        """
        ax = axes_to_draw_on(ax)
        from matplotlib.ticker import PercentFormatter

        borders = np.cumsum([np.zeros_like(self.right), *self._parts], axis=0)
        self.areas_ = []
        for (kind, look), low, high in zip(STYLES.items(), borders[:-1], borders[1:], strict=True):
            # Between two points lies what tossing a coin between them would do.
            style = {
                "edgecolor": "0.25",
                "linewidth": 0.5,
                "label": WHAT[kind],
                **look,
                **kwargs,
            }
            self.areas_.append(ax.fill_between(self.reject_rates, low, high, **style))
        ax.set(xlabel="rejected samples", ylabel="all samples", ylim=(0.0, 1.0))
        if self.reject_rates[-1] > self.reject_rates[0]:
            ax.set_xlim(self.reject_rates[0], self.reject_rates[-1])
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(PercentFormatter(1.0))
        legend_beside(ax, self.areas_[::-1])
        self.ax_, self.figure_ = ax, ax.figure
        return self
