"""Which features separate the classes, also after others were projected out?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import check_positive_integer
from abstain._core.errors import InputError
from abstain.models.relevances import IteratedRelevances, iterated_relevances
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import axes_to_draw_on, legend_beside, percent_tick
from abstain.plotting.relevance import FRAME, READABLE, ROW, FeatureDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer


@documented_display("``barh``")
class IteratedRelevancesDisplay(FeatureDisplay):
    """Relevances of an iterated analysis: one bar per feature, with a part for each iteration.

    A long part of a late iteration belongs to a feature that others hide: a single fit does
    without it. The legend tells how accurate the model of each iteration is on samples that it
    was not fitted to, and how accurate its answers would be by chance.

    Parameters
    ----------
    relevances : array-like of shape (n_iterations, n_features)
        Relevances of each iteration, which sum to 1.
    accuracies, chances : array-like of shape (n_iterations,)
        Accuracy of each iteration, and that of the same answers by chance. An iteration counts by
        its skill, (accuracy − chance) / (1 − chance).

    Attributes
    ----------
    order : ndarray of shape (n_features,)
        Indices of the features, the most relevant first in all iterations together.

    Examples
    --------
    >>> display = IteratedRelevancesDisplay(
    ...     relevances=[[0.9, 0.0, 0.1], [0.1, 0.9, 0.0]],
    ...     accuracies=[0.9, 0.8],
    ...     chances=[0.5, 0.5],
    ...     feature_names=["a", "copy of a", "b"],
    ... )
    >>> [display.feature_names[feature] for feature in display.order]
    ['a', 'copy of a', 'b']
    >>> len(display.plot().bars_)
    2
    """

    bars_: list[BarContainer]

    def __init__(
        self,
        *,
        relevances: ArrayLike,
        accuracies: ArrayLike,
        chances: ArrayLike,
        feature_names: Sequence[str],
    ) -> None:
        self.relevances: NDArray[np.float64] = np.asarray(relevances, dtype=np.float64)
        self.accuracies: NDArray[np.float64] = np.asarray(accuracies, dtype=np.float64)
        self.chances: NDArray[np.float64] = np.asarray(chances, dtype=np.float64)
        if self.relevances.ndim != 2 or not self.relevances.size:
            raise InputError(
                "relevances must be one row for each iteration, at least one, got shape "
                f"{self.relevances.shape}; without any, no direction predicts better than chance"
            )
        shapes = (self.relevances[:, 0].shape, self.accuracies.shape, self.chances.shape)
        if len(set(shapes)) > 1:
            raise InputError(
                "relevances, accuracies and chances must be of the same iterations, got shapes "
                f"{self.relevances.shape}, {shapes[1]} and {shapes[2]}"
            )
        super().__init__(feature_names, self._parts(None).sum(axis=0))

    def _parts(self, n_iterations: int | None) -> NDArray[np.float64]:
        """Return what each iteration adds to the relevances, which sum to 1."""
        skills = ((self.accuracies - self.chances) / (1 - self.chances))[:n_iterations]
        return np.asarray(self.relevances[:n_iterations] * (skills / skills.sum())[:, np.newaxis])

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        n_directions: int | None = None,
        max_iterations: int = 20,
        cv: int = 5,
        groups: ArrayLike | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        feature_names: Sequence[str] | None = None,
        n_iterations: int | None = None,
        top: int | None = READABLE,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Iterate fits of a model, and draw the relevances.

        Parameters
        ----------
        estimator : estimator
            A GMLVQ, LGMLVQ, MRSLVQ or LMRSLVQ, alone or at the end of a ``Pipeline``, inside a
            search or a reject option, fitted or not; its parameters are used, never its fit.
        n_directions, max_iterations, cv, groups, random_state, n_jobs : object
            As in `iterated_relevances`.
        n_iterations : int, default=None
            Number of iterations that are drawn, from the first on; None draws all.

        Examples
        --------
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> display = IteratedRelevancesDisplay.from_estimator(GMLVQ(), X, y, random_state=0)
        >>> len(display.bars_) == len(display.relevances)
        True
        """
        found = iterated_relevances(
            estimator,
            X,
            y,
            n_directions=n_directions,
            max_iterations=max_iterations,
            cv=cv,
            groups=groups,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        return cls.from_iterated_relevances(
            found, feature_names=feature_names, n_iterations=n_iterations, top=top, ax=ax, **kwargs
        )

    @classmethod
    def from_iterated_relevances(
        cls,
        found: IteratedRelevances,
        *,
        feature_names: Sequence[str] | None = None,
        n_iterations: int | None = None,
        top: int | None = READABLE,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what `iterated_relevances` returned.

        Parameters
        ----------
        found : IteratedRelevances
            Relevances of the iterations.
        n_iterations : int, default=None
            Number of iterations that are drawn, from the first on; None draws all.

        Examples
        --------
        >>> from abstain.models.relevances import iterated_relevances
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> found = iterated_relevances(GMLVQ(), X, y, random_state=0)
        >>> display = IteratedRelevancesDisplay.from_iterated_relevances(found, n_iterations=1)
        >>> len(display.bars_)
        1
        """
        display = cls(
            relevances=found.relevances,
            accuracies=found.accuracies[: found.n_iterations],
            chances=found.chances[: found.n_iterations],
            feature_names=found.feature_names if feature_names is None else feature_names,
        )
        return display.plot(ax=ax, n_iterations=n_iterations, top=top, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        n_iterations: int | None = None,
        top: int | None = READABLE,
        **kwargs: Any,
    ) -> Self:
        """Draw the bars.

        Parameters
        ----------
        n_iterations : int, default=None
            Number of iterations that are drawn, from the first on; None draws all.
        """
        if n_iterations is not None:
            check_positive_integer("n_iterations", n_iterations)
        parts = self._parts(n_iterations)
        self.order = np.argsort(-parts.sum(axis=0), kind="stable")
        shown = self._shown(top)
        is_crowded = ax is None and len(shown) > READABLE
        ax = axes_to_draw_on(ax)
        if is_crowded:
            figure: Any = ax.figure
            figure.set_figheight(ROW * len(shown) + FRAME)
        self.bars_ = self._draw_parts(ax, parts[:, shown], **kwargs)
        self._name_rows(ax, shown, longest=36)
        legend_beside(ax, list(self.bars_))
        legend: Any = ax.get_legend()
        legend.set_title("iteration: accuracy (chance)", {"size": "small"})
        ax.xaxis.set_major_formatter(percent_tick)
        n_hidden = len(self.order) - len(shown)
        hidden = f"; {n_hidden} more not shown" if n_hidden else ""
        ax.set_xlabel(f"relevance in these iterations together{hidden}", loc="right")
        ax.spines[["top", "right"]].set_visible(False)
        return self._drawn_on(ax)

    def _draw_parts(
        self, ax: Axes, parts: NDArray[np.float64], **kwargs: Any
    ) -> list[BarContainer]:
        """Draw the parts of all bars, one iteration after the other, the first in dark colours."""
        from matplotlib import colormaps

        colours = colormaps["cividis"](np.linspace(0, 1, max(len(parts), 2)))
        starts = parts.cumsum(axis=0) - parts
        labels = [
            f"{number}: {100 * accuracy:.0f}% ({100 * chance:.0f}%)"
            for number, (accuracy, chance) in enumerate(
                zip(self.accuracies, self.chances, strict=True)
            )
        ]
        return [
            ax.barh(
                np.arange(parts.shape[1]),
                part,
                left=start,
                label=label,
                **{
                    "height": 0.72,
                    "color": colour,
                    "edgecolor": "white",
                    "linewidth": 0.4,
                    **kwargs,
                },
            )
            for part, start, label, colour in zip(
                parts, starts, labels[: len(parts)], colours[: len(parts)], strict=True
            )
        ]
