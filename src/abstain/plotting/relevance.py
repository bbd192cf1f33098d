"""What is the weight of each feature in the metric of a model?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import check_names
from abstain._core.errors import InputError
from abstain._core.estimators import names_of_features, unwrap
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import (
    Display,
    axes_to_draw_on,
    draw_colorbar,
    optional_array,
    percent_tick,
)
from abstain.plotting._evaluation import models_of
from abstain.plotting._texts import elided, fit_names, write_centred

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.container import BarContainer

# Number of features that can be read in a figure of matplotlib's default size.
READABLE = 20
# Height in inches of a feature in a figure for more features, and of what stands around them.
ROW, FRAME = 0.21, 0.9
# Up to this number of columns, a heat map has room for a number in each cell.
LEGIBLE = 6
# Share of the width of a chart that the number at the end of a bar takes.
NUMBER_WIDTH = 0.14
COLOUR = "#0072b2"
# Black with caps, so that both halves are visible on the bar and on the background.
WHISKERS = {"ecolor": "black", "elinewidth": 1.2, "capsize": 3.0}


class FeatureDisplay(Display):
    """Base class of Displays of features, the most relevant first."""

    def __init__(self, feature_names: Sequence[str], relevances: NDArray[np.float64]) -> None:
        self.feature_names = [str(name) for name in feature_names]
        check_names("feature_names", self.feature_names, len(relevances), "features")
        self.order: NDArray[np.int64] = np.argsort(-relevances, kind="stable")

    def _shown(self, top: int | None) -> NDArray[np.int64]:
        """Return the features that are shown."""
        if top is not None and (isinstance(top, bool) or not isinstance(top, int) or top < 1):
            raise InputError(f"top must be a positive integer, or None to show all, got {top!r}")
        return self.order[:top]

    def _name_rows(self, ax: Axes, shown: NDArray[np.int64], longest: int) -> list[str]:
        """Name the feature of each row, and return the names, which have room for some letters."""
        names = [elided(self.feature_names[feature], longest) for feature in shown]
        ax.set_yticks(range(len(shown)), names)
        ax.set_ylim(len(shown) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        return names


@documented_display("``barh``, or to ``pcolormesh`` for several metrics")
class RelevanceDisplay(FeatureDisplay):
    """Relevances: the weight of each feature in the metric of a model, most relevant on top.

    One metric for all prototypes is drawn as bars, with a line at the weight of each if all were
    equal; one metric per prototype as a heat map with one column per prototype, under the name of
    its class. The relevances of a cross-validation are their mean over the folds.

    Parameters
    ----------
    relevances : array-like of shape (n_features,) or (n_prototypes, n_features)
        Diagonal of Λ, which sums to 1; one row per prototype if each has its own metric.
    prototype_labels : array-like of shape (n_prototypes,), default=None
        Classes of the prototypes, if there are several rows; None numbers them.
    std : array-like of shape (n_features,), default=None
        Standard deviation of the relevances over several fits, drawn as an error bar, if the
        relevances are one row, their mean.

    Attributes
    ----------
    order : ndarray of shape (n_features,)
        Indices of the features, the most relevant first; by the mean over the prototypes, if each
        has its own metric.

    Examples
    --------
    >>> display = RelevanceDisplay(relevances=[0.1, 0.7, 0.2], feature_names=["a", "b", "c"])
    >>> [display.feature_names[feature] for feature in display.order]
    ['b', 'c', 'a']
    >>> len(display.plot(top=2).bars_)
    2
    """

    bars_: BarContainer
    mesh_: QuadMesh

    def __init__(
        self,
        *,
        relevances: ArrayLike,
        feature_names: Sequence[str],
        prototype_labels: ArrayLike | None = None,
        std: ArrayLike | None = None,
    ) -> None:
        self.relevances: NDArray[np.float64] = np.asarray(relevances, dtype=np.float64)
        if self.relevances.ndim not in (1, 2):
            raise InputError(
                "relevances must be one row, or one for each prototype, got shape "
                f"{self.relevances.shape}"
            )
        super().__init__(feature_names, self._mean)
        self.prototype_labels = optional_array(prototype_labels)
        rows = self.relevances.shape[:-1]
        if self.prototype_labels is not None and self.prototype_labels.shape != rows:
            raise InputError(
                f"prototype_labels must have shape {rows}, one for each row of relevances, got "
                f"{self.prototype_labels.shape}"
            )
        self.std = None if std is None else np.asarray(std, dtype=np.float64)
        if self.std is not None and (rows or self.std.shape != self.relevances.shape):
            raise InputError(
                "std must have the shape of relevances, which must be one row, got "
                f"{self.std.shape} and {self.relevances.shape}"
            )

    @property
    def _mean(self) -> NDArray[np.float64]:
        return np.asarray(np.atleast_2d(self.relevances).mean(axis=0))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        top: int | None = READABLE,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the relevances of a fitted model.

        Parameters
        ----------
        estimator : estimator
            A fitted model with ``relevances_``: GRLVQ, GMLVQ, LGMLVQ, MRSLVQ or LMRSLVQ, alone or
            at the end of a ``Pipeline``, inside a search or a ``FrozenEstimator``.

        Examples
        --------
        >>> iris = load_iris()
        >>> model = GMLVQ().fit(iris.data, iris.target)
        >>> display = RelevanceDisplay.from_estimator(model, feature_names=iris.feature_names)
        >>> display.feature_names[display.order[0]]
        'petal width (cm)'
        """
        steps, model = unwrap(estimator)
        relevances = _relevances_of(model)
        display = cls(
            relevances=relevances,
            feature_names=names_of_features(steps, model, feature_names),
            prototype_labels=model.prototype_labels_ if relevances.ndim == 2 else None,
        )
        return display.plot(ax=ax, top=top, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        *,
        feature_names: Sequence[str] | None = None,
        top: int | None = READABLE,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the mean relevances of the models of a cross-validation, and how much they vary.

        If each prototype of a model has its own metric, the mean over the prototypes is taken
        first: prototypes of two fits need not correspond.

        Examples
        --------
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> results = cross_validate(GRLVQ(), X, y, return_estimator=True)
        >>> display = RelevanceDisplay.from_cv_results(results)
        >>> display.relevances.shape, display.std.shape, round(float(display.relevances.sum()), 6)
        ((4,), (4,), 1.0)
        """
        models, names = models_of(cv_results, feature_names)
        profiles = [np.atleast_2d(_relevances_of(model)).mean(axis=0) for model in models]
        display = cls(
            relevances=np.mean(profiles, axis=0),
            feature_names=names,
            std=np.std(profiles, axis=0),
        )
        return display.plot(ax=ax, top=top, **kwargs)

    def plot(self, ax: Axes | None = None, *, top: int | None = READABLE, **kwargs: Any) -> Self:
        """Draw the relevances.

        ``mesh_`` is set instead of ``bars_`` if each prototype has its own metric.
        """
        shown = self._shown(top)
        is_crowded = ax is None and len(shown) > READABLE
        ax = axes_to_draw_on(ax)
        figure: Any = ax.figure
        if is_crowded:
            figure.set_figheight(ROW * len(shown) + FRAME)
        if self.relevances.ndim == 1:
            self._draw_bars(ax, shown, **kwargs)
        else:
            self._draw_heat_map(ax, shown, **kwargs)
        self._name_rows(ax, shown, longest=36)
        if self.relevances.ndim == 2:
            fit_names(ax)
        return self._drawn_on(ax)

    def _draw_bars(self, ax: Axes, shown: NDArray[np.int64], **kwargs: Any) -> None:
        values = self.relevances[shown]
        equal = 1 / self.relevances.size
        ax.axvline(equal, color="0.15", linewidth=0.8, zorder=1.5)
        # A separate tick: a title leaves room for it.
        above = ax.secondary_xaxis("top")
        above.set_xticks([equal], [f"all alike: {_percent(equal)}"], color="0.3")
        above.tick_params(length=2, color="0.4")
        above.spines["top"].set_visible(False)
        style = {"height": 0.72, "color": COLOUR, **kwargs}
        around = np.zeros_like(values)
        if self.std is not None:
            around = self.std[shown]
            style = {"xerr": around, "error_kw": WHISKERS, **style}
        self.bars_ = ax.barh(np.arange(len(shown)), values, **style)
        end = 1.15 * max((values + around).max(), equal)
        for row, (value, reach) in enumerate(
            zip(values.tolist(), (values + around).tolist(), strict=True)
        ):
            # A number that the line would cross is written to the right of it.
            is_crossed = equal - NUMBER_WIDTH * end < reach < equal
            ax.annotate(
                _percent(value),
                (equal if is_crossed else reach, row),
                xytext=(3, 0),
                textcoords="offset points",
                fontsize="small",
                verticalalignment="center_baseline",
            )
        ax.set_xlim(0, end)
        ax.xaxis.set_major_formatter(percent_tick)
        name = "relevance" if self.std is None else "relevance, mean and standard deviation"
        ax.set_xlabel(name + self._note_on_hidden(shown), loc="right")
        ax.spines[["top", "right"]].set_visible(False)

    def _draw_heat_map(self, ax: Axes, shown: NDArray[np.int64], **kwargs: Any) -> None:
        values = self.relevances[:, shown].T
        style = {"cmap": "Blues", "vmin": 0.0, "edgecolors": "white", "linewidth": 0.5, **kwargs}
        rows, columns = (np.arange(size + 1) - 0.5 for size in values.shape)
        self.mesh_ = ax.pcolormesh(columns, rows, values, **style)
        if len(self.relevances) <= LEGIBLE:
            for row, column in np.ndindex(*values.shape):
                value = float(values[row, column])
                is_dark = value > 0.55 * values.max()
                colour = "white" if is_dark else "black"
                write_centred(ax, column, row, f"{100 * value:.1f}", color=colour)
        self._name_columns(ax)
        draw_colorbar(ax, self.mesh_, "relevance near the prototype", percent_tick)
        ax.set_xlabel("prototypes" + self._note_on_hidden(shown), loc="right")
        ax.spines[:].set_visible(False)

    def _name_columns(self, ax: Axes) -> None:
        """Write each class once, under the middle of its prototypes, with lines in between."""
        n_prototypes = len(self.relevances)
        labels = self.prototype_labels
        names = map(str, range(n_prototypes) if labels is None else labels.tolist())
        sizes = [(name, len(list(group))) for name, group in groupby(names)]
        ends = np.cumsum([size for _, size in sizes])
        middles = [end - (size + 1) / 2 for end, (_, size) in zip(ends, sizes, strict=True)]
        ax.set_xticks(middles, [elided(name, 24) for name, _ in sizes])
        ax.tick_params(axis="x", length=0)
        for end in ends[:-1]:
            ax.axvline(end - 0.5, color="black", linewidth=0.8)

    def _note_on_hidden(self, shown: NDArray[np.int64]) -> str:
        n_hidden = self.order.size - shown.size
        if not n_hidden:
            return ""
        share = _percent(self._mean.sum() - self._mean[shown].sum())
        features = "1 more feature is" if n_hidden == 1 else f"{n_hidden} more features are"
        on_average = ", on average" if self.relevances.ndim == 2 else ""
        return f"\n{features} not shown: together {share}{on_average}"


def _relevances_of(model: Any) -> NDArray[np.float64]:
    """Return the relevances of a model, or of each of its prototypes."""
    relevances = getattr(model, "relevances_", None)
    if relevances is None:
        raise InputError(
            f"estimator must be a model that weighs features, got a {type(model).__name__}; "
            "use GRLVQ, GMLVQ, LGMLVQ, MRSLVQ or LMRSLVQ"
        )
    return np.asarray(relevances, dtype=np.float64)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
