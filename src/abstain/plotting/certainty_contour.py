"""How sure is a classifier where, seen in a plane?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import InputError
from abstain.plotting._matplotlib import axes_to_draw_on
from abstain.plotting._styles import MAX_DOTS, draw_prototypes, draw_samples
from abstain.plotting._view import View, check_labels, look_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure, SubFigure

__all__ = ["CertaintyContourDisplay"]

Array = NDArray[Any]

# What measures are called beside the colours.
NAMES = {
    "relsim": "relative similarity (RelSim)",
    "conf": "posterior of the answer (Conf)",
    "logit": "log-odds of the answer",
    "margin": "margin of posteriors",
    "entropy": "minus the entropy of posteriors",
    "boundary": "distance to the class border",
    "distance": "minus the distance to the closest prototype",
    "pairwise": "smallest pairwise margin",
    "decision": "margin of the decision function",
    "votes": "margin of votes",
    "trust": "trust score",
}
# The darkest grey, where a classifier is least sure; samples are to be seen on it.
DARKEST = 0.55


class CertaintyContourDisplay:
    """Contours of certainty in a plane, with samples and prototypes; dark is unsure.

    Use :meth:`from_estimator` to make one; :meth:`plot` draws it again.

    Parameters
    ----------
    grid : tuple of two array-like of shape (n_columns,) and (n_rows,)
        Horizontal and vertical positions at which the classifier was asked.
    certainty : array-like of shape (n_rows, n_columns)
        How sure it is there; higher is surer.
    axis_names : tuple of two str
        What the two directions are.
    certainty_name : str, default="certainty"
        What the measure is called.
    classes : array-like of shape (n_classes,), default=()
        All classes, in the order of their colours and markers.
    samples : array-like of shape (n_samples, 2), default=None
        Where samples lie in the plane.
    labels : array-like of shape (n_samples,), default=None
        Their classes; None draws them in grey.
    prototypes : array-like of shape (n_prototypes, 2), default=None
        Where the prototypes lie, if there are any.
    prototype_labels : array-like of shape (n_prototypes,), default=None
        Their classes.
    deviation : float, default=0.0
        By how much the certainty of samples differs from that of the place where they are drawn,
        their median; with two features, that is the same place.

    Examples
    --------
    >>> from abstain.plotting import CertaintyContourDisplay
    >>> display = CertaintyContourDisplay(
    ...     grid=([0, 1, 2], [0, 1]),
    ...     certainty=[[0.9, 0.1, 0.8], [0.9, 0.2, 0.7]],
    ...     axis_names=("height", "weight"),
    ... )
    >>> display.plot().ax_.get_xlabel()
    'height'
    """

    ax_: Axes
    figure_: Figure | SubFigure
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
        self.grid: tuple[Array, Array] = (np.asarray(grid[0]), np.asarray(grid[1]))
        self.certainty: NDArray[np.float64] = np.asarray(certainty, dtype=np.float64)
        self.axis_names = axis_names
        self.certainty_name = certainty_name
        self.classes: Array = np.asarray(classes)
        self.samples: Array | None = None if samples is None else np.asarray(samples)
        self.labels: Array | None = None if labels is None else np.asarray(labels)
        self.prototypes: Array | None = None if prototypes is None else np.asarray(prototypes)
        self.prototype_labels: Array | None = (
            None if prototype_labels is None else np.asarray(prototype_labels)
        )
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

        With two features, the picture is all there is to see. With more, it shows a plane, and
        samples and prototypes are projected onto it: a sample across it may be surer or less sure
        than the place where it is drawn, and below the picture stands by how much.

        Parameters
        ----------
        estimator : estimator
            Any fitted classifier, with a reject option or without, alone, at the end of a
            ``Pipeline``, or inside a search.
        X : array-like of shape (n_samples, n_features)
            Samples, as the estimator takes them.
        y : array-like of shape (n_samples,), default=None
            Their classes; None draws them in grey.
        certainty : str or callable, default=None
            Measure of certainty, as `RejectOptionClassifier` takes it; None is that of a reject
            option, else "auto".
        axes : "directions", "prototypes" or pair of features, default=None
            Which plane, as in `PrototypeDisplay`: through the mean of the prototypes or, for a
            model that has none, two features by name or number, the others held at their mean.
        feature_names : sequence of str, default=None
            Names of the features as they reach the model; None takes those that it was fitted
            with, or what the steps before it make of theirs.
        grid_resolution : int, default=200
            At how many positions the classifier is asked, along each direction.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : CertaintyContourDisplay
            The arrays, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain import GMLVQ
        >>> from abstain.plotting import CertaintyContourDisplay
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GMLVQ(n_components=2, random_state=0).fit(X, y)
        >>> display = CertaintyContourDisplay.from_estimator(model, X, y, grid_resolution=50)
        >>> display.certainty.shape, display.certainty_name
        ((50, 50), 'relative similarity (RelSim)')
        """
        measure = _measure_of(estimator, certainty)
        view = look_at(
            estimator,
            X,
            is_by_name=isinstance(measure, str),
            axes=axes,
            feature_names=feature_names,
            grid_resolution=grid_resolution,
        )
        return cls._from_view(view, y, measure).plot(ax=ax, **kwargs)

    @classmethod
    def _from_view(cls, view: View, y: ArrayLike | None, measure: Any) -> Self:
        from abstain.certainty import auto_measure, measure_certainty
        from abstain.classifier import RejectOptionClassifier

        # Of a reject option, the classifier inside is asked; others have an ``estimator_`` too.
        is_reject_option = isinstance(view.classifier, RejectOptionClassifier)
        answering = view.classifier.estimator_ if is_reject_option else view.classifier
        if isinstance(measure, str) and measure == "auto":
            measure = auto_measure(answering).name

        def question(points: Any) -> Array:
            return measure_certainty(answering, points, measure)

        classes = np.asarray(view.classifier.classes_)
        return cls(
            grid=view.grid,
            certainty=view.ask_on_grid(question),
            axis_names=view.plane.names,
            certainty_name=NAMES.get(measure, "certainty")
            if isinstance(measure, str)
            else "certainty",
            classes=classes,
            samples=view.samples,
            labels=None if y is None else check_labels(y, view.samples, classes),
            prototypes=view.prototypes,
            prototype_labels=view.prototype_labels,
            deviation=_deviation(question(view.X), view.ask(question, view.samples)),
        )

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

        Of more than 5000 samples, so many are drawn, chosen at random but always the same.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        levels : int or array-like, default=10
            About how many steps of certainty there are, or their borders.
        colorbar : bool, default=True
            Whether there is a bar that tells the certainty of the greys.
        legend : bool, default=True
            Whether there is a legend; one is enough for panels side by side.
        scatter_kwargs : dict, default=None
            Passed to matplotlib's ``scatter`` for the samples.
        **kwargs : dict
            Passed to matplotlib's ``contourf``.

        Returns
        -------
        display : CertaintyContourDisplay
            Itself, with ``ax_``, ``figure_``, ``contours_`` and ``prototypes_``.

        Examples
        --------
        >>> from abstain import GLVQ
        >>> from abstain.plotting import CertaintyContourDisplay
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GLVQ().fit(X[:, 2:], y)
        >>> display = CertaintyContourDisplay.from_estimator(model, X[:, 2:], y)
        >>> display.plot(levels=[0.0, 0.25, 0.5, 0.75, 1.0]).contours_.levels.tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
        """
        ax = axes_to_draw_on(ax)
        self._draw_contours(ax, levels, colorbar, **kwargs)
        handles, self.prototypes_ = [], None
        if self.samples is not None:
            handles += draw_samples(
                ax, self.samples, self.labels, self.classes, **(scatter_kwargs or {})
            )
        if self.prototypes is not None and self.prototype_labels is not None:
            self.prototypes_, handle = draw_prototypes(
                ax, self.prototypes, self.prototype_labels, self.classes, is_named=True
            )
            handles.append(handle)
        if handles and legend:
            ax.legend(
                handles=handles,
                loc="lower center",
                bbox_to_anchor=(0.5, 1.0),
                ncols=min(len(handles), 4),
                frameon=False,
                fontsize="small",
                columnspacing=0.9,
                handletextpad=0.2,
                handlelength=1.4,
                borderaxespad=0.2,
            )
        ax.set(
            xlabel="\n".join([self.axis_names[0], *self._notes()]),
            ylabel=self.axis_names[1],
            xlim=self.grid[0][[0, -1]],
            ylim=self.grid[1][[0, -1]],
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_contours(
        self, ax: Axes, levels: int | ArrayLike, colorbar: bool, **kwargs: Any
    ) -> None:
        from matplotlib import colormaps
        from matplotlib.colors import ListedColormap

        finite = self.certainty[np.isfinite(self.certainty)]
        if not finite.size:
            raise InputError("certainty must be finite somewhere in the plane, got none that is")
        shown = np.clip(self.certainty, finite.min(), finite.max())
        if np.ndim(levels) == 0 and np.ptp(finite) == 0:
            levels = finite[0] + np.array([-0.5, 0.5])
        greys = ListedColormap(colormaps["Greys_r"](np.linspace(1 - DARKEST, 1.0, 256)))
        style = {"cmap": greys, "levels": levels, **kwargs}
        self.contours_ = ax.contourf(*self.grid, shown, **style)
        borders = self.contours_.levels
        inner = [level for level in borders if finite.min() < level < finite.max()]
        if inner:
            ax.contour(*self.grid, shown, levels=inner, colors="0.35", linewidths=0.4, zorder=1.5)
        if colorbar:
            bar = ax.figure.colorbar(self.contours_, ax=ax)
            bar.set_label(self.certainty_name)

    def _notes(self) -> list[str]:
        """Return what a reader of the picture should know."""
        notes = []
        if self.deviation > 0:
            apart = f"{self.deviation:.2g} (median)"
            notes.append(f"certainty of samples off the plane differs by {apart}")
        if self.samples is not None and len(self.samples) > MAX_DOTS:
            notes.append(f"{MAX_DOTS} of {len(self.samples)} samples are drawn")
        return notes


def _deviation(truly: NDArray[np.float64], shown: NDArray[np.float64]) -> float:
    """Return the median by which certainties differ; 0 where that is rounding on the way."""
    is_known = np.isfinite(truly) & np.isfinite(shown)
    if not is_known.any():
        return 0.0
    apart = float(np.median(np.abs(truly[is_known] - shown[is_known])))
    return 0.0 if apart <= 1e-9 * np.abs(truly[is_known]).max() else apart


def _measure_of(estimator: Any, certainty: Any) -> Any:
    """Return the measure to draw: as given, that of a reject option, or "auto"."""
    from abstain._core.estimators import unwrap
    from abstain.certainty import MEASURES
    from abstain.classifier import RejectOptionClassifier

    if certainty is None:
        inner = unwrap(estimator, until=RejectOptionClassifier)[1]
        is_reject_option = isinstance(inner, RejectOptionClassifier)
        certainty = inner._rules.certainty if is_reject_option else "auto"
    MEASURES.check(certainty)
    return MEASURES.name_of(certainty)
