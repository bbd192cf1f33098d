"""Where do prototypes, samples and class borders lie, seen in a plane?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError
from abstain._core.estimators import has_prototypes, unwrap
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import (
    MAX_DOTS,
    RIM,
    UNCROWDED,
    PlaneDisplay,
    axes_to_draw_on,
    class_colours,
    class_handle,
    class_marker,
    codes_of,
    draw_classes,
    give_shapes,
    legend_beside,
    notes_on_regions,
    optional_array,
)
from abstain.plotting._projection import project

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, QuadMesh

Array = NDArray[Any]

RIGHT: dict[str, Any] = {"marker": "o", "s": 16, "linewidths": 0.3, "edgecolors": RIM}
WRONG: dict[str, Any] = {"marker": "x", "s": 28, "linewidths": 1.3}


@documented_display("``scatter`` for the samples")
class PrototypeDisplay(PlaneDisplay):
    """Samples, prototypes and class borders of a model, seen in a plane.

    Parameters
    ----------
    prototypes : array-like of shape (n_prototypes, 2)
        Positions of the prototypes in the plane.
    predictions : array-like of shape (n_samples,), default=None
        Predicted classes of the samples; a cross marks the wrong ones.
    scores : array-like of shape (n_rows, n_columns, n_classes)
        Scores of the classes at the positions of the grid; the largest decides.
    agreement : float, default=1.0
        Share of the samples that are given the same class as their position in the plane; 1 with
        two features.

    Attributes
    ----------
    regions : ndarray of shape (n_rows, n_columns)
        The predicted class at each position of the grid.

    Examples
    --------
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
    >>> display.plot(s=5).ax_.get_xlabel()
    'height'
    """

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
        super().__init__(grid, axis_names, classes, samples, labels, prototypes, prototype_labels)
        self.samples: Array = np.asarray(samples)
        self.predictions = optional_array(predictions)
        self.scores: Array = np.asarray(scores)
        self.regions: Array = self.classes[self.scores.argmax(axis=-1)]
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

        With more than two features, the figure shows a plane through the mean of the prototypes,
        and samples and prototypes are projected on it. The regions are the classes that the model
        predicts *on* that plane. A sample off the plane may be classified differently than its
        position, and a prototype may be drawn outside its own region. The share of the samples for
        which the regions hold (``agreement``) is written below the figure. Samples that the model
        gets wrong have a cross. Regions hold for all samples if no value is missing and all
        prototypes share one metric (and one bandwidth) which

        - has at most two directions (``n_components=2``), in the default plane;
        - or is that of at most three prototypes, in the plane ``axes="prototypes"``.

        A missing value is taken from the closest prototype.

        Parameters
        ----------
        estimator : estimator
            A fitted prototype model, alone or at the end of a ``Pipeline``, inside a search or a
            ``FrozenEstimator``.
        axes : "directions", "prototypes" or pair of features, default=None
            The plane: the two leading discriminative directions of a model that learns a metric,
            which are the first columns of its ``transform``; the two directions along which the
            prototypes lie farthest apart, in the metric of the model; or two features by name or
            number. None uses the features if there are two. Otherwise it uses "directions" if the
            model has any and decides along them nearly as often as in "prototypes", else
            "prototypes". If a plane has only one direction, the second is orthogonal to it and the
            one along which the samples spread most; None does so, too, if the samples would nearly
            lie on a line.

        Examples
        --------
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GMLVQ(n_components=2, random_state=0).fit(X, y)
        >>> display = PrototypeDisplay.from_estimator(model, X, y, grid_resolution=50)
        >>> display.samples.shape, display.regions.shape
        ((150, 2), (50, 50))
        """
        steps, model = unwrap(estimator)
        if not has_prototypes(model):
            raise InputError(
                f"estimator must be a model with prototypes, got a {type(model).__name__}; use one "
                "of abstain.models"
            )
        projection = project(steps, model, X, axes, feature_names, grid_resolution)
        predictions = model.predict(projection.X)
        agreement = np.mean(projection.evaluate(model.predict, projection.samples) == predictions)
        display = cls(
            **projection.shown(y),
            predictions=predictions,
            scores=projection.evaluate_on_grid(lambda points: _class_scores(model, points)),
            agreement=float(agreement),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw regions, samples and prototypes."""
        ax = axes_to_draw_on(ax)
        colours = class_colours(len(self.classes))
        self._draw_regions(ax)
        is_wrong = np.zeros(len(self.samples), dtype=bool)
        if self.labels is not None and self.predictions is not None:
            is_wrong = self.labels != self.predictions
        self._draw_samples(ax, is_wrong, **kwargs)
        stars = self._draw_prototypes(ax)
        handles = [
            class_handle(ax, str(name), colour, "o" if self.labels is None else class_marker(code))
            for code, (name, colour) in enumerate(zip(self.classes.tolist(), colours, strict=True))
        ]
        handles += stars
        if is_wrong.any():
            label = f"wrong: {is_wrong.sum()} of {len(is_wrong)}"
            handles.append(ax.scatter([], [], color="0.3", **WRONG, label=label))
        legend_beside(ax, handles)
        self._show_plane(ax, notes_on_regions(self.agreement))
        self._name_prototypes(ax)
        return self

    def _draw_regions(self, ax: Axes) -> None:
        codes = self.scores.argmax(axis=-1)
        self.mesh_ = draw_classes(ax, self.grid, codes, self.classes)
        for code in np.unique(codes)[:-1]:
            others = np.delete(self.scores, code, axis=-1).max(axis=-1)
            margins = self.scores[..., code] - others
            ax.contour(*self.grid, margins, levels=[0.0], colors="0.2", linewidths=0.8, zorder=2.5)

    def _draw_samples(self, ax: Axes, is_wrong: NDArray[np.bool_], **kwargs: Any) -> None:
        # In random order, so that no class covers the others.
        order = np.random.default_rng(0).permutation(len(self.samples))[:MAX_DOTS]
        crowding = max(1.0, len(order) / UNCROWDED)
        colours = class_colours(len(self.classes))
        for chosen, marker in [(order[~is_wrong[order]], RIGHT), (order[is_wrong[order]], WRONG)]:
            size = marker["s"] / np.sqrt(crowding)
            colour: Any = "0.45"
            if self.labels is not None:
                codes = codes_of(self.labels[chosen], self.classes)
                colour = colours[codes]
            style = {**marker, "s": size, "c": colour, "zorder": 2, **kwargs}
            dots = ax.scatter(*self.samples[chosen].T, **style)
            if self.labels is not None and marker is RIGHT and "marker" not in kwargs:
                give_shapes(dots, codes)


def _class_scores(model: Any, points: Array) -> Array:
    """Return scores of which the largest is that of the predicted class."""
    if hasattr(model, "predict_proba"):
        posteriors = model.predict_proba(points)
        return np.asarray(np.log(np.maximum(posteriors, np.finfo(posteriors.dtype).tiny)))
    scores = model.decision_function(points)
    return np.stack([-scores, scores], axis=-1) if scores.ndim == 1 else np.asarray(scores)
