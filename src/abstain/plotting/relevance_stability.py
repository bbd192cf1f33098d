"""How much does the weight of each feature depend on the samples that a model was fitted to?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError
from abstain.models.relevances import RelevanceStability, relevance_stability
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import axes_to_draw_on, percent_tick
from abstain.plotting.relevance import COLOUR, FRAME, READABLE, ROW, FeatureDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection

RESAMPLES = {"half": "random halves", "bootstrap": "bootstrap samples"}


@documented_display("``hlines``")
class RelevanceStabilityDisplay(FeatureDisplay):
    """Relevances of a model that was fitted to many resamples: a band for each feature.

    The dot is the mean, the thin line the interval with the middle 90% of the fits, the thick line
    that with the middle half; the vertical line is the weight of each feature if all were equal.
    The numbers on the right tell in which share of the fits a feature is among the most relevant.

    An interval is one of resamples, not a confidence interval for a true relevance: there is none.
    Features that are correlated share a relevance, and then have wide intervals.

    Parameters
    ----------
    relevances : array-like of shape (n_resamples, n_features)
        Relevances of each fit.
    resampling : {"half", "bootstrap"}
        What a resample is.

    Attributes
    ----------
    order : ndarray of shape (n_features,)
        Indices of the features, the most relevant first by the mean.

    Examples
    --------
    >>> fits = [[0.1, 0.7, 0.2], [0.2, 0.5, 0.3], [0.3, 0.6, 0.1]]
    >>> display = RelevanceStabilityDisplay(relevances=fits, feature_names=["a", "b", "c"])
    >>> [display.feature_names[feature] for feature in display.order]
    ['b', 'a', 'c']
    >>> len(display.plot(level=0.5, n_first=1).bands_.get_paths())
    3
    """

    bands_: LineCollection
    means_: PathCollection

    def __init__(
        self,
        *,
        relevances: ArrayLike,
        feature_names: Sequence[str],
        resampling: str = "half",
    ) -> None:
        self.relevances: NDArray[np.float64] = np.asarray(relevances, dtype=np.float64)
        if self.relevances.ndim != 2 or not self.relevances.size:
            raise InputError(
                f"relevances must be one row for each resample, got shape {self.relevances.shape}"
            )
        if resampling not in RESAMPLES:
            raise InputError(
                argument="resampling",
                value=resampling,
                requirement=f"must be one of {[*RESAMPLES]}",
            )
        self.resampling = resampling
        super().__init__(feature_names, self.relevances.mean(axis=0))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        n_resamples: int = 100,
        resampling: str = "half",
        groups: ArrayLike | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        feature_names: Sequence[str] | None = None,
        level: float = 0.9,
        n_first: int = 5,
        top: int | None = READABLE,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Fit a model to resamples, and draw its relevances.

        Parameters
        ----------
        estimator : estimator
            A GRLVQ, GMLVQ, LGMLVQ, MRSLVQ or LMRSLVQ, alone or at the end of a ``Pipeline``, inside
            a search or a reject option, fitted or not; its parameters are used, never its fit.
        n_resamples, resampling, groups, random_state, n_jobs : object
            As in `relevance_stability`.
        level : float, default=0.9
            Share of the resamples in the interval of a thin line.
        n_first : int, default=5
            Number of features that count as the most relevant ones of a fit.

        Examples
        --------
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> display = RelevanceStabilityDisplay.from_estimator(
        ...     GMLVQ(), X, y, n_resamples=20, n_first=2, random_state=0
        ... )
        >>> display.relevances.shape, sorted(display.feature_names[i] for i in display.order[:2])
        ((20, 4), ['petal length (cm)', 'petal width (cm)'])
        """
        stability = relevance_stability(
            estimator,
            X,
            y,
            n_resamples=n_resamples,
            resampling=resampling,
            matrices=False,
            groups=groups,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        return cls.from_stability(
            stability,
            feature_names=feature_names,
            level=level,
            n_first=n_first,
            top=top,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_stability(
        cls,
        stability: RelevanceStability,
        *,
        feature_names: Sequence[str] | None = None,
        level: float = 0.9,
        n_first: int = 5,
        top: int | None = READABLE,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what `relevance_stability` returned.

        Parameters
        ----------
        stability : RelevanceStability
            Relevances of the fits.
        level : float, default=0.9
            Share of the resamples in the interval of a thin line.
        n_first : int, default=5
            Number of features that count as the most relevant ones of a fit.

        Examples
        --------
        >>> from abstain.models.relevances import relevance_stability
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> stability = relevance_stability(GRLVQ(), X, y, n_resamples=10, random_state=0)
        >>> display = RelevanceStabilityDisplay.from_stability(stability, n_first=2)
        >>> bool((display.relevances == stability.relevances).all())
        True
        """
        display = cls(
            relevances=stability.relevances,
            feature_names=stability.feature_names if feature_names is None else feature_names,
            resampling=stability.resampling,
        )
        return display.plot(ax=ax, level=level, n_first=n_first, top=top, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        level: float = 0.9,
        n_first: int = 5,
        top: int | None = READABLE,
        **kwargs: Any,
    ) -> Self:
        """Draw the bands.

        Parameters
        ----------
        level : float, default=0.9
            Share of the resamples in the interval of a thin line.
        n_first : int, default=5
            Number of features that count as the most relevant ones of a fit.
        """
        fits = RelevanceStability(self.relevances, None, self.feature_names, self.resampling)
        intervals = [fits.interval(share) for share in (level, 0.5)]
        frequency = fits.selection_frequency(n_first)
        shown = self._shown(top)
        is_crowded = ax is None and len(shown) > READABLE
        ax = axes_to_draw_on(ax)
        if is_crowded:
            figure: Any = ax.figure
            figure.set_figheight(ROW * len(shown) + FRAME)
        rows = np.arange(len(shown))
        equal = 1 / len(self.order)
        ax.axvline(equal, color="0.15", linewidth=0.8, zorder=1.5)
        style = {"color": COLOUR, **kwargs}
        low, high = intervals[0][:, shown]
        self.bands_ = ax.hlines(rows, low, high, **{"linewidth": 1.4, **style})
        ax.hlines(rows, *intervals[1][:, shown], **{**style, "linewidth": 5})
        means = fits.mean[shown]
        self.means_ = ax.scatter(
            means, rows, s=22, color="white", edgecolors="black", linewidths=0.9, zorder=3
        )
        self._name_rows(ax, shown, longest=36)
        self._write_frequency(
            ax, [f"{100 * frequency[feature]:.0f}%" for feature in shown], n_first
        )
        above = ax.secondary_xaxis("top")
        above.set_xticks([equal], [f"all alike: {100 * equal:.1f}%"], color="0.3")
        above.tick_params(length=2, color="0.4")
        above.spines["top"].set_visible(False)
        ax.set_xlim(0, 1.05 * max(float(high.max()), equal))
        ax.xaxis.set_major_formatter(percent_tick)
        ax.set_xlabel(self._label(level, shown), loc="right")
        ax.spines[["top", "right"]].set_visible(False)
        return self._drawn_on(ax)

    def _write_frequency(self, ax: Axes, numbers: list[str], n_first: int) -> None:
        """Write the share of fits in which each feature is one of the first, on the right."""
        beside = ax.secondary_yaxis("right")
        beside.set_yticks(range(len(numbers)), numbers)
        beside.tick_params(length=0)
        beside.spines["right"].set_visible(False)
        first = "first" if n_first == 1 else f"among the first {n_first}"
        beside.set_ylabel(f"share of the fits in which it is {first}")

    def _label(self, level: float, shown: NDArray[np.int64]) -> str:
        fits = f"{len(self.relevances)} {RESAMPLES[self.resampling]}"
        label = f"relevance: mean, middle half and {100 * level:g}% of {fits}"
        n_hidden = len(self.order) - len(shown)
        if n_hidden:
            label += f"\n{n_hidden} more feature{'s are' if n_hidden > 1 else ' is'} not shown"
        return label
