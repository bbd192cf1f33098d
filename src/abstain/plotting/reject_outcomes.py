"""How many samples are right, wrong, truly and falsely rejected at each reject rate?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError
from abstain.fronts import ParetoFront
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import (
    Display,
    axes_to_draw_on,
    legend_beside,
    optional_array,
    percent_tick,
    show_percent,
)
from abstain.plotting._evaluation import (
    Outcomes,
    folds_of,
    of_estimator,
    of_front,
    of_predictions,
    pooled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection

# From the bottom up: what becomes of right answers, and of wrong ones.
PANELS: dict[str, dict[str, dict[str, Any]]] = {
    "right": {
        "right": {"label": "answered, right", "facecolor": "#bfe0f2"},
        "falsely_rejected": {
            "label": "right answers given up",
            "facecolor": "#e8e8e8",
            "hatch": "...",
        },
    },
    "wrong": {
        "wrong": {"label": "answered, wrong", "facecolor": "#d55e00", "hatch": "xxx"},
        "truly_rejected": {
            "label": "errors caught",
            "facecolor": "#f5cf80",
            "hatch": "///",
        },
    },
}
# From the bottom of a panel, which is 1 high, to that of the next; its title is in between.
DISTANCE = 1.2


@documented_display("``fill_between``")
class RejectOutcomesDisplay(Display):
    """Shares of right, wrong, truly and falsely rejected samples against the reject rate.

    One panel shows what becomes of right answers, another one of wrong answers, each with its own
    scale. The four shares sum to 1 at each reject rate. A sample is truly rejected if the answer
    would have been wrong, and falsely if it would have been right.

    Parameters
    ----------
    reject_rates : array-like of shape (n_points,)
        Share of the samples that are rejected, ascending.
    right, wrong : array-like of shape (n_points,)
        Shares of the samples that are answered rightly and wrongly.
    truly_rejected, falsely_rejected : array-like of shape (n_points,)
        Shares of the samples that are rejected and would have been wrong, or right.

    Examples
    --------
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
        self.rows = optional_array(rows)
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
        """Draw the outcomes of a fitted classifier on samples.

        With a reject option, the points are the rows of its front that are the most accurate
        within some reject budget on the calibration data. Any other classifier has one threshold
        on its certainty, at all its values.

        Parameters
        ----------
        estimator : estimator
            A fitted `RejectOptionClassifier`, alone, at the end of a ``Pipeline`` or inside a
            search, or any other fitted classifier.

        Examples
        --------
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
        """Draw the outcomes of the classifiers of a cross-validation on their test samples.

        At each reject rate, every classifier rejects that share of its test samples, and the
        samples of all folds are counted together. Between two of its reject rates, the counts of a
        classifier are interpolated. The figure ends at the highest rate that all of them reach.

        Examples
        --------
        >>> import numpy as np
        >>> X, y = load_iris(return_X_y=True)
        >>> results = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
        >>> display = RejectOutcomesDisplay.from_cv_results(results, X, y)
        >>> bool(np.isclose(display.right[0], results["test_score"].mean()))
        True
        """
        parts = [
            of_estimator(fold.estimator, fold.X, fold.y, certainty)
            for fold in folds_of(cv_results, X, y)
        ]
        return cls._from_outcomes(pooled(parts), ax, **kwargs)

    @classmethod
    def from_front(cls, front: ParetoFront, *, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the outcomes of the most accurate row of a front within each reject budget.

        Examples
        --------
        >>> front = pareto_front([0.1, 0.2, 0.3, 0.4], [False, True, False, True])
        >>> display = RejectOutcomesDisplay.from_front(front)
        >>> display.wrong.tolist(), display.falsely_rejected.tolist()
        ([0.5, 0.25, 0.0], [0.0, 0.0, 0.25])
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
        """Draw the outcomes of one threshold on the certainty, at all its values.

        Examples
        --------
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
        right, wrong, truly, falsely = (kind / outcomes.total for kind in outcomes[:4])
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
        """Draw two panels, each with its own scale: right answers, and wrong ones above them.

        So errors can be seen where there are few. As both panels lie in one axes, a vertical line
        marks a reject rate in both.
        """
        ax = axes_to_draw_on(ax)
        self.areas_ = []
        ticks: dict[float, str] = {}
        for number, (name, kinds) in enumerate(PANELS.items()):
            ticks |= self._draw_panel(ax, DISTANCE * number, name, kinds, kwargs)
        ax.set(xlabel="reject rate", ylabel="share of all samples", ylim=(0.0, 2 * DISTANCE))
        if self.reject_rates[-1] > self.reject_rates[0]:
            ax.set_xlim(self.reject_rates[0], self.reject_rates[-1])
        show_percent(ax)
        ax.set_yticks(list(ticks), list(ticks.values()))
        ax.spines[:].set_visible(False)
        legend_beside(ax, self.areas_[::-1])
        return self._drawn_on(ax)

    def _draw_panel(
        self, ax: Axes, bottom: float, name: str, kinds: dict[str, Any], kwargs: dict[str, Any]
    ) -> dict[float, str]:
        """Draw two shares on top of each other; return the ticks of their scale."""
        from matplotlib.ticker import MaxNLocator

        borders = np.cumsum([np.zeros_like(self.right), *(getattr(self, k) for k in kinds)], axis=0)
        total = float(borders.max())
        scale = total or 1.0
        for low, high, look in zip(borders, borders[1:], kinds.values(), strict=False):
            style = {"edgecolor": "0.25", "linewidth": 0.5, **look, **kwargs}
            edges = bottom + low / scale, bottom + high / scale
            self.areas_.append(ax.fill_between(self.reject_rates, *edges, **style))
        share = f"{100 * total:.3g}%" if total else "none"
        place: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "in_layout": False}
        # At the end, where lines that mark the reject rate of a classifier seldom are.
        ax.text(1.0, bottom + 1.03, f"{name} answers: {share}", ha="right", **place)
        steps = MaxNLocator(4).tick_values(0.0, scale)
        return {bottom + step / scale: percent_tick(step) for step in steps if step <= total}
