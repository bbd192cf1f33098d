"""Where do prototypes, samples and class borders lie, seen in a plane?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import InputError
from abstain._core.estimators import names_of_features, unwrap
from abstain.plotting._matplotlib import axes_to_draw_on
from abstain.plotting._plane import Plane, find_plane
from abstain.plotting._styles import (
    MAX_DOTS,
    PROTOTYPE,
    RIM,
    UNCROWDED,
    class_colours,
    class_handle,
    class_marker,
    codes_of,
    draw_prototypes,
    give_shapes,
    legend_beside,
    lighter,
)
from abstain.plotting._view import BLOCK, check_labels, check_resolution, fill_missing, make_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.figure import Figure, SubFigure

__all__ = ["PrototypeDisplay"]

Array = NDArray[Any]

RIGHT: dict[str, Any] = {"marker": "o", "s": 16, "linewidths": 0.3, "edgecolors": RIM}
WRONG: dict[str, Any] = {"marker": "x", "s": 28, "linewidths": 1.3}


class PrototypeDisplay:
    """Samples, prototypes and class borders of a model, seen in a plane.

    Use :meth:`from_estimator` to make one; :meth:`plot` draws it again.

    Parameters
    ----------
    prototypes : array-like of shape (n_prototypes, 2)
        Where the prototypes lie in the plane.
    prototype_labels : array-like of shape (n_prototypes,)
        Their classes.
    samples : array-like of shape (n_samples, 2)
        Where the samples lie.
    labels : array-like of shape (n_samples,), default=None
        Their classes; None draws them in grey.
    predictions : array-like of shape (n_samples,), default=None
        What the model takes them for; a cross marks those that it gets wrong.
    grid : tuple of two array-like of shape (n_columns,) and (n_rows,)
        Horizontal and vertical positions at which the model was asked.
    scores : array-like of shape (n_rows, n_columns, n_classes)
        How much it is for each class there; the largest decides.
    classes : array-like of shape (n_classes,)
        All classes, in the order of their colours.
    axis_names : tuple of two str
        What the two directions are.
    agreement : float, default=1.0
        The share of samples for which the model answers the same where they are and where they
        are drawn; with two features, that is the same place.

    Attributes
    ----------
    regions : ndarray of shape (n_rows, n_columns)
        The class that the model answers at each position of the grid.

    Examples
    --------
    >>> from abstain.plotting import PrototypeDisplay
    >>> display = PrototypeDisplay(
    ...     prototypes=[[0, 0], [1, 1]],
    ...     prototype_labels=["ill", "well"],
    ...     samples=[[0.1, 0.2], [0.9, 0.7]],
    ...     labels=["ill", "well"],
    ...     grid=([0, 1], [0, 1]),
    ...     scores=[[[2, 0], [1, 1]], [[1, 1], [0, 2]]],
    ...     classes=["ill", "well"],
    ...     axis_names=("height", "weight"),
    ... )
    >>> display.plot().ax_.get_xlabel()
    'height'
    """

    ax_: Axes
    figure_: Figure | SubFigure
    mesh_: QuadMesh
    prototypes_: PathCollection

    def __init__(
        self,
        *,
        prototypes: ArrayLike,
        prototype_labels: ArrayLike,
        samples: ArrayLike,
        labels: ArrayLike | None = None,
        predictions: ArrayLike | None = None,
        grid: tuple[ArrayLike, ArrayLike],
        scores: ArrayLike,
        classes: ArrayLike,
        axis_names: tuple[str, str],
        agreement: float = 1.0,
    ) -> None:
        self.prototypes: Array = np.asarray(prototypes)
        self.prototype_labels: Array = np.asarray(prototype_labels)
        self.samples: Array = np.asarray(samples)
        self.labels: Array | None = None if labels is None else np.asarray(labels)
        self.predictions: Array | None = None if predictions is None else np.asarray(predictions)
        self.grid: tuple[Array, Array] = (np.asarray(grid[0]), np.asarray(grid[1]))
        self.scores: Array = np.asarray(scores)
        self.classes: Array = np.asarray(classes)
        self.regions: Array = self.classes[self.scores.argmax(axis=-1)]
        self.axis_names = axis_names
        self.agreement = agreement

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        axes: str | Sequence[int | str] | None = None,
        feature_names: Sequence[str] | None = None,
        grid_resolution: int = 200,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a fitted model and samples.

        With two features, the picture is the model. With more, it shows a plane through the mean
        of the prototypes, and samples and prototypes are projected onto it. The regions are what
        the model answers *on* that plane. A sample across it may be classified otherwise than the
        region suggests in which it is drawn, and a prototype may be drawn outside its own region;
        below the picture stands for how many samples the regions hold (``agreement``), and those
        that the model really gets wrong have a cross. Regions hold for all samples, wherever they
        lie, if none is missing a value and all prototypes share one metric (and one bandwidth)
        which

        - has at most two directions (``n_components=2``), in the default plane;
        - or is that of at most three prototypes, in the plane ``axes="prototypes"``.

        A missing value is taken from the closest prototype.

        Parameters
        ----------
        estimator : estimator
            A fitted prototype model, alone or at the end of a ``Pipeline``, inside a search or a
            ``FrozenEstimator``.
        X : array-like of shape (n_samples, n_features)
            Samples, as the estimator takes them.
        y : array-like of shape (n_samples,), default=None
            Their classes; None draws them in grey.
        axes : "directions", "prototypes" or pair of features, default=None
            Which plane: the two leading discriminative directions of a model that learns a metric,
            which are the first columns of its ``transform``; that along which the prototypes lie
            farthest apart, in the metric of the model; or two features by name or number. None is
            the features themselves if there are two, else "directions" if the model has any and
            decides along them nearly as often as it would in "prototypes", else that. What a plane
            lacks to have two directions is taken from the samples: the direction, at right angles
            to the first, along which they spread most; so it is with None if they would otherwise
            lie nearly on a line.
        feature_names : sequence of str, default=None
            Names of the features as they reach the model; None takes those that it was fitted
            with, or what the steps before it make of theirs.
        grid_resolution : int, default=200
            At how many positions the model is asked, along each direction.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``scatter`` for the samples.

        Returns
        -------
        display : PrototypeDisplay
            The arrays, and the figure in ``figure_``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from abstain.models import GMLVQ
        >>> from abstain.plotting import PrototypeDisplay
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GMLVQ(n_components=2, random_state=0).fit(X, y)
        >>> display = PrototypeDisplay.from_estimator(model, X, y, grid_resolution=50)
        >>> display.samples.shape, display.regions.shape
        ((150, 2), (50, 50))
        """
        from abstain.models.base import PrototypeClassifier  # as slow to import as scikit-learn

        check_resolution(grid_resolution)
        steps, model = unwrap(estimator)
        if not isinstance(model, PrototypeClassifier):
            raise InputError(
                f"estimator must be a model with prototypes, got a {type(model).__name__}; use one "
                "of abstain.models"
            )
        for step in steps:
            X = step.transform(X)
        samples = model._samples(X)
        names = list(names_of_features(steps, model, feature_names))
        # What is asked below has no names.
        model = copy(model)
        if hasattr(model, "feature_names_in_"):
            del model.feature_names_in_
        labels = None if y is None else check_labels(y, samples, model.classes_)
        filled = fill_missing(model, samples)
        plane = find_plane(model, filled, axes, names)
        shown = plane.project(filled)
        prototypes = plane.project(model.prototypes_)
        grid = make_grid(np.concatenate([shown, prototypes]), grid_resolution)
        predictions = model.predict(samples)
        here = model.classes_[_scores(model, plane, shown).argmax(axis=-1)]
        display = cls(
            prototypes=prototypes,
            prototype_labels=model.prototype_labels_,
            samples=shown,
            labels=labels,
            predictions=predictions,
            grid=grid,
            scores=_scores(model, plane, np.stack(np.meshgrid(*grid), axis=-1)),
            classes=model.classes_,
            axis_names=plane.names,
            agreement=float(np.mean(here == predictions)),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw regions, samples and prototypes.

        Of more than 5000 samples, so many are drawn, chosen at random but always the same.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to matplotlib's ``scatter`` for the samples.

        Returns
        -------
        display : PrototypeDisplay
            Itself, with ``ax_``, ``figure_``, ``mesh_`` and ``prototypes_``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from abstain.models import GLVQ
        >>> from abstain.plotting import PrototypeDisplay
        >>> X, y = load_iris(return_X_y=True)
        >>> display = PrototypeDisplay.from_estimator(GLVQ().fit(X, y), X, y, axes=(2, 3))
        >>> display.plot(s=5).ax_.get_ylabel()
        'feature 3'
        """
        ax = axes_to_draw_on(ax)
        colours = class_colours(len(self.classes))
        self._draw_regions(ax, colours)
        self._draw_samples(ax, colours, **kwargs)
        self.prototypes_, _ = draw_prototypes(
            ax, self.prototypes, self.prototype_labels, self.classes, is_named=True
        )
        self._draw_legend(ax, colours)
        ax.set(
            xlabel="\n".join([self.axis_names[0], *self._notes()]),
            ylabel=self.axis_names[1],
            xlim=self.grid[0][[0, -1]],
            ylim=self.grid[1][[0, -1]],
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _codes(self, labels: Array) -> NDArray[np.int64]:
        return codes_of(labels, self.classes)

    @property
    def _wrong(self) -> NDArray[np.bool_]:
        if self.labels is None or self.predictions is None:
            return np.zeros(len(self.samples), dtype=bool)
        return np.asarray(self.labels != self.predictions)

    def _notes(self) -> list[str]:
        """Return what a reader of the picture should know."""
        notes = []
        if self.agreement < 1:
            notes.append(f"regions hold for {100 * self.agreement:.1f} % of the samples")
        if len(self.samples) > MAX_DOTS:
            notes.append(f"{MAX_DOTS} of {len(self.samples)} samples are drawn")
        return notes

    def _draw_regions(self, ax: Axes, colours: Array) -> None:
        from matplotlib.colors import ListedColormap

        codes = self.scores.argmax(axis=-1)
        self.mesh_ = ax.pcolormesh(
            *self.grid,
            codes,
            cmap=ListedColormap(lighter(colours)),
            vmin=-0.5,
            vmax=len(colours) - 0.5,
            shading="nearest",
            rasterized=True,
        )
        for code in np.unique(codes)[:-1]:
            others = np.delete(self.scores, code, axis=-1).max(axis=-1)
            margins = self.scores[..., code] - others
            ax.contour(*self.grid, margins, levels=[0.0], colors="0.2", linewidths=0.8, zorder=2.5)

    def _draw_samples(self, ax: Axes, colours: Array, **kwargs: Any) -> None:
        # In an order of their own, so that no class covers the others.
        order = np.random.default_rng(0).permutation(len(self.samples))[:MAX_DOTS]
        crowding = max(1.0, len(order) / UNCROWDED)
        for chosen, marker in [
            (order[~self._wrong[order]], RIGHT),
            (order[self._wrong[order]], WRONG),
        ]:
            colour: Any = "0.45"
            if self.labels is not None:
                colour = colours[self._codes(self.labels[chosen])]
            size = marker["s"] / np.sqrt(crowding)
            style = {**marker, "s": size, "c": colour, "zorder": 2, **kwargs}
            dots = ax.scatter(*self.samples[chosen].T, **style)
            if self.labels is not None and marker is RIGHT and "marker" not in kwargs:
                give_shapes(dots, self._codes(self.labels[chosen]))

    def _draw_legend(self, ax: Axes, colours: Array) -> None:
        handles = []
        for code, (name, colour) in enumerate(zip(self.classes.tolist(), colours, strict=True)):
            marker = "o" if self.labels is None else class_marker(code)
            handles.append(class_handle(ax, str(name), colour, marker))
        handles.append(ax.scatter([], [], color="0.75", **PROTOTYPE, label="prototype"))
        if self._wrong.any():
            label = f"wrong: {self._wrong.sum()} of {len(self._wrong)}"
            handles.append(ax.scatter([], [], color="0.3", **WRONG, label=label))
        legend_beside(ax, handles)


def _scores(model: Any, plane: Plane, positions: Array) -> Array:
    """Return how much the model is for each class at positions of the plane."""
    from sklearn.utils import gen_batches

    flat = positions.reshape(-1, 2)
    blocks = gen_batches(len(flat), max(1, BLOCK // model.n_features_in_))
    scores = [_class_scores(model, plane.lift(flat[rows])) for rows in blocks]
    return np.concatenate(scores).reshape(*positions.shape[:-1], -1)


def _class_scores(model: Any, points: Array) -> Array:
    """Return scores of which the largest is that of the predicted class."""
    if hasattr(model, "predict_proba"):
        posteriors = model.predict_proba(points)
        return np.asarray(np.log(np.maximum(posteriors, np.finfo(posteriors.dtype).tiny)))
    scores = model.decision_function(points)
    return np.stack([-scores, scores], axis=-1) if scores.ndim == 1 else np.asarray(scores)
