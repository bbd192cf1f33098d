"""How sure is a classifier where, seen in a plane?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError
from abstain._core.estimators import unwrap
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import (
    PlaneDisplay,
    axes_to_draw_on,
    draw_colorbar,
    draw_samples,
    legend_beside,
)
from abstain.plotting._projection import behind_transformers, project

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.contour import QuadContourSet

# The darkest grey, where a classifier is least sure; samples must be visible on it.
DARKEST = 0.55
# Deviations of a smaller share of the certainties in the plane are not written below it.
NOTABLE = 0.001


@documented_display("``contourf``")
class CertaintyContourDisplay(PlaneDisplay):
    """Contours of certainty in a plane, with samples and prototypes; dark is unsure.

    Parameters
    ----------
    certainty : array-like of shape (n_rows, n_columns)
        How sure the classifier is there; higher is surer.
    certainty_name : str, default="certainty"
        Name of the measure.
    deviation : float, default=0.0
        Median difference between the certainty of a sample and that of its position in the plane;
        0 with two features.

    Examples
    --------
    >>> display = CertaintyContourDisplay(
    ...     grid=([0, 1, 2], [0, 1]),
    ...     certainty=[[0.9, 0.1, 0.8], [0.9, 0.2, 0.7]],
    ...     axis_names=("height", "weight"),
    ... )
    >>> display.plot(levels=[0.0, 0.25, 0.5, 0.75, 1.0]).contours_.levels.tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """

    contours_: QuadContourSet
    prototypes_: PathCollection | None

    def __init__(
        self,
        *,
        grid: tuple[ArrayLike, ArrayLike],
        certainty: ArrayLike,
        axis_names: tuple[str, str],
        certainty_name: str = "certainty",
        classes: ArrayLike = (),
        samples: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        prototypes: ArrayLike | None = None,
        prototype_labels: ArrayLike | None = None,
        deviation: float = 0.0,
    ) -> None:
        super().__init__(grid, axis_names, classes, samples, labels, prototypes, prototype_labels)
        self.certainty: NDArray[np.float64] = np.asarray(certainty, dtype=np.float64)
        self.certainty_name = certainty_name
        self.deviation = deviation

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None = None,
        *,
        certainty: Any = None,
        axes: str | Sequence[int | str] | None = None,
        feature_names: Sequence[str] | None = None,
        grid_resolution: int = 200,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw how sure a fitted classifier is, and samples.

        With more than two features, the figure shows a plane, and samples and prototypes are
        projected on it. The certainty of a sample off the plane may differ from that of its
        position; the median difference is written below the figure.

        Parameters
        ----------
        estimator : estimator
            Any fitted classifier, with a reject option or without, alone, at the end of a
            ``Pipeline``, or inside a search.
        certainty : str or callable, default=None
            Measure of certainty, as `RejectOptionClassifier` takes it; None uses that of a reject
            option, else "auto".

        Examples
        --------
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GMLVQ(n_components=2, random_state=0).fit(X, y)
        >>> display = CertaintyContourDisplay.from_estimator(model, X, y, grid_resolution=50)
        >>> display.certainty.shape, display.certainty_name
        ((50, 50), 'relative similarity (RelSim)')
        """
        from abstain.certainty import MEASURES, auto_measure, measure_certainty
        from abstain.classifier import RejectOptionClassifier

        clf = unwrap(estimator, until=RejectOptionClassifier)[1]
        is_reject_option = isinstance(clf, RejectOptionClassifier)
        uses_own = is_reject_option and certainty is None
        measure = clf.certainty if uses_own else "auto" if certainty is None else certainty
        MEASURES.check(measure)
        measure = MEASURES.name_of(measure)
        # The trust score of a reject option was fitted to samples before the transformers.
        is_by_name = isinstance(measure, str) and not (uses_own and measure == "trust")
        steps, classifier = behind_transformers(estimator, is_by_name)
        projection = project(steps, classifier, X, axes, feature_names, grid_resolution)
        clf = projection.classifier
        classifier = clf.estimator_ if is_reject_option else clf
        if isinstance(measure, str) and measure == "auto":
            measure = auto_measure(classifier).name

        def certainty_at(points: Any) -> NDArray[np.float64]:
            if uses_own:
                return np.asarray(clf.certainties(points))
            return measure_certainty(classifier, points, measure)

        display = cls(
            **projection.shown(y),
            certainty=projection.evaluate_on_grid(certainty_at),
            certainty_name=MEASURES[measure].label if isinstance(measure, str) else "certainty",
            deviation=_deviation(
                certainty_at(projection.X), projection.evaluate(certainty_at, projection.samples)
            ),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        levels: int | ArrayLike = 10,
        colorbar: bool = True,
        legend: bool = True,
        scatter_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw contours, samples and prototypes.

        Parameters
        ----------
        levels : int or array-like, default=10
            Approximate number of levels of certainty, or their borders.
        scatter_kwargs : dict, default=None
            Passed to matplotlib's ``scatter`` for the samples.
        """
        ax = axes_to_draw_on(ax)
        self._draw_contours(ax, levels, colorbar, **kwargs)
        handles = []
        if self.samples is not None:
            handles += draw_samples(
                ax, self.samples, self.labels, self.classes, **(scatter_kwargs or {})
            )
        handles += self._draw_prototypes(ax)
        if handles and legend:
            legend_beside(ax, handles)
        median = f"{self.deviation:.2g} (median)"
        note = f"certainty of samples off the plane differs by {median}"
        least = NOTABLE * np.ptp(self.certainty[np.isfinite(self.certainty)])
        self._show_plane(ax, [note] if self.deviation > least else [])
        self._name_prototypes(ax)
        return self

    def _draw_contours(
        self, ax: Axes, levels: int | ArrayLike, colorbar: bool, **kwargs: Any
    ) -> None:
        from matplotlib import colormaps
        from matplotlib.colors import ListedColormap

        finite = self.certainty[np.isfinite(self.certainty)]
        if not finite.size:
            raise InputError("certainty must be finite somewhere in the plane, got no such value")
        values = np.clip(self.certainty, finite.min(), finite.max())
        if np.ndim(levels) == 0 and np.ptp(finite) == 0:
            levels = finite[0] + np.array([-0.5, 0.5])
        greys = ListedColormap(colormaps["Greys_r"](np.linspace(1 - DARKEST, 1.0, 256)))
        style = {"cmap": greys, "levels": levels, **kwargs}
        self.contours_ = ax.contourf(*self.grid, values, **style)
        borders = self.contours_.levels
        inner = [level for level in borders if finite.min() < level < finite.max()]
        if inner:
            ax.contour(*self.grid, values, levels=inner, colors="0.35", linewidths=0.4, zorder=1.5)
        if colorbar:
            below: dict[str, Any] = {"location": "bottom", "aspect": 40, "pad": 0.02}
            draw_colorbar(ax, self.contours_, self.certainty_name, **below)


def _deviation(certainty: NDArray[np.float64], in_plane: NDArray[np.float64]) -> float:
    """Return the median by which certainties differ; 0 if that is a rounding error."""
    is_finite = np.isfinite(certainty) & np.isfinite(in_plane)
    if not is_finite.any():
        return 0.0
    difference = float(np.median(np.abs(certainty[is_finite] - in_plane[is_finite])))
    return 0.0 if difference <= 1e-9 * np.abs(certainty[is_finite]).max() else difference
