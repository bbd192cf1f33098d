"""Where does a classifier decline to answer, seen in a plane?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import InputError
from abstain._core.estimators import unwrap
from abstain.plotting._matplotlib import axes_to_draw_on
from abstain.plotting._styles import (
    MAX_DOTS,
    class_colours,
    codes_of,
    draw_prototypes,
    draw_samples,
    legend_beside,
    lighter,
    outline,
)
from abstain.plotting._view import View, check_labels, look_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure, SubFigure

__all__ = ["RejectRegionDisplay"]

Array = NDArray[Any]

HATCH = "////"
# So many cells leave room for their thresholds.
LABELLED = 16
# A part of a cell that takes a smaller share of the picture is too small for a label.
SMALLEST = 0.004
# Share of the picture from the middle of a star to its points.
STAR = 0.02
# Share of the picture that a small letter takes, in a figure of matplotlib's own size.
CHARACTER = 0.0145


class RejectRegionDisplay:
    """Cells of a reject option in a plane; where it declines to answer is hatched.

    Use :meth:`from_estimator` to make one; :meth:`plot` draws it again. Colours are the classes
    that would be answered, dark lines the borders of cells, each with its threshold. A rejected
    sample is hollow.

    Parameters
    ----------
    grid : tuple of two array-like of shape (n_columns,) and (n_rows,)
        Horizontal and vertical positions at which the classifier was asked.
    predictions : array-like of shape (n_rows, n_columns)
        The class that it answers there, or would.
    certainty : array-like of shape (n_rows, n_columns)
        How sure it is.
    cells : array-like of int of shape (n_rows, n_columns)
        Which threshold decides.
    thresholds : array-like of shape (n_thresholds,)
        Certainties below which it declines, -inf for never, +inf for always.
    cell_names : sequence of str of length n_thresholds
        What the cells are called.
    classes : array-like of shape (n_classes,)
        All classes, in the order of their colours and markers.
    axis_names : tuple of two str
        What the two directions are.
    samples : array-like of shape (n_samples, 2), default=None
        Where samples lie in the plane.
    labels : array-like of shape (n_samples,), default=None
        Their classes; None draws them in grey.
    rejected_samples : array-like of bool of shape (n_samples,), default=None
        Which of them are rejected.
    prototypes : array-like of shape (n_prototypes, 2), default=None
        Where the prototypes lie, if there are any.
    prototype_labels : array-like of shape (n_prototypes,), default=None
        Their classes.
    agreement : float, default=1.0
        The share of samples for which class and rejection are the same where they are and where
        they are drawn; with two features, that is the same place.

    Attributes
    ----------
    rejected : ndarray of bool of shape (n_rows, n_columns)
        Where the certainty is below the threshold of the cell.

    Examples
    --------
    >>> from abstain.plotting import RejectRegionDisplay
    >>> display = RejectRegionDisplay(
    ...     grid=([0, 1, 2], [0, 1]),
    ...     predictions=[["ill", "ill", "well"], ["ill", "ill", "well"]],
    ...     certainty=[[0.9, 0.1, 0.8], [0.9, 0.2, 0.7]],
    ...     cells=[[0, 0, 1], [0, 0, 1]],
    ...     thresholds=[0.5, 0.75],
    ...     cell_names=["ill", "well"],
    ...     classes=["ill", "well"],
    ...     axis_names=("height", "weight"),
    ... )
    >>> display.rejected.tolist()
    [[False, True, False], [False, True, True]]
    """

    ax_: Axes
    figure_: Figure | SubFigure
    mesh_: QuadMesh
    rejected_: QuadContourSet | None
    prototypes_: PathCollection | None

    def __init__(
        self,
        *,
        grid: tuple[ArrayLike, ArrayLike],
        predictions: ArrayLike,
        certainty: ArrayLike,
        cells: ArrayLike,
        thresholds: ArrayLike,
        cell_names: Sequence[str],
        classes: ArrayLike,
        axis_names: tuple[str, str],
        samples: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        rejected_samples: ArrayLike | None = None,
        prototypes: ArrayLike | None = None,
        prototype_labels: ArrayLike | None = None,
        agreement: float = 1.0,
    ) -> None:
        self.grid: tuple[Array, Array] = (np.asarray(grid[0]), np.asarray(grid[1]))
        self.predictions: Array = np.asarray(predictions)
        self.certainty: NDArray[np.float64] = np.asarray(certainty, dtype=np.float64)
        self.cells: NDArray[np.int64] = np.asarray(cells)
        self.thresholds: NDArray[np.float64] = np.asarray(thresholds, dtype=np.float64)
        self.cell_names = [str(name) for name in cell_names]
        if len(self.cell_names) != len(self.thresholds):
            raise InputError(
                f"cell_names must name each of the {len(self.thresholds)} thresholds, got "
                f"{len(self.cell_names)} names"
            )
        self.classes: Array = np.asarray(classes)
        self.axis_names = axis_names
        self.samples: Array | None = _array(samples)
        self.labels: Array | None = _array(labels)
        self.rejected_samples: Array | None = _array(rejected_samples)
        self.prototypes: Array | None = _array(prototypes)
        self.prototype_labels: Array | None = _array(prototype_labels)
        self.agreement = agreement
        self.rejected: NDArray[np.bool_] = self.certainty < self.thresholds[self.cells]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None = None,
        *,
        axes: str | Sequence[int | str] | None = None,
        feature_names: Sequence[str] | None = None,
        grid_resolution: int = 300,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the cells and the reject regions of a fitted reject option, and samples.

        With two features, the picture is all there is to see. With more, it shows a plane, and
        samples and prototypes are projected onto it: a sample across it may be answered or
        rejected otherwise than the place where it is drawn, and below the picture stands for how
        many samples the regions hold.

        Parameters
        ----------
        estimator : estimator
            A fitted `RejectOptionClassifier`, alone, at the end of a ``Pipeline`` or inside a
            search.
        X : array-like of shape (n_samples, n_features)
            Samples, as the estimator takes them.
        y : array-like of shape (n_samples,), default=None
            Their classes; None draws them in grey.
        axes : "directions", "prototypes" or pair of features, default=None
            Which plane, as in `PrototypeDisplay`: through the mean of the prototypes or, for a
            model that has none, two features by name or number, the others held at their mean.
        feature_names : sequence of str, default=None
            Names of the features as they reach the model; None takes those that it was fitted
            with, or what the steps before it make of theirs.
        grid_resolution : int, default=300
            At how many positions the classifier is asked, along each direction.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : RejectRegionDisplay
            The arrays, and the figure in ``figure_``.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> from abstain.plotting import RejectRegionDisplay
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(X[:, 2:], y)
        >>> display = RejectRegionDisplay.from_estimator(clf, X[:, 2:], y, grid_resolution=50)
        >>> columns, rows = display.grid
        >>> bool(clf.reject([[columns[7], rows[30]]])[0] == display.rejected[30, 7])
        True
        """
        from abstain.classifier import RejectOptionClassifier

        clf = unwrap(estimator, until=RejectOptionClassifier)[1]
        if not isinstance(clf, RejectOptionClassifier):
            raise InputError(
                f"estimator must be a fitted RejectOptionClassifier, got a {type(clf).__name__}; "
                "fit one around it"
            )
        view = look_at(
            estimator,
            X,
            is_by_name=all(isinstance(rule, str) for rule in clf._rules),
            axes=axes,
            feature_names=feature_names,
            grid_resolution=grid_resolution,
        )
        return cls._from_view(view, y).plot(ax=ax, **kwargs)

    @classmethod
    def _from_view(cls, view: View, y: ArrayLike | None) -> Self:
        clf = view.classifier
        predict = clf.estimator_.predict
        return cls(
            grid=view.grid,
            predictions=view.ask_on_grid(predict),
            certainty=view.ask_on_grid(clf.certainties),
            cells=view.ask_on_grid(clf.apply),
            thresholds=clf.thresholds_,
            cell_names=_cell_names(clf, view.prototype_labels),
            classes=clf.classes_,
            axis_names=view.plane.names,
            samples=view.samples,
            labels=None if y is None else check_labels(y, view.samples, clf.classes_),
            rejected_samples=clf.reject(view.X),
            prototypes=view.prototypes,
            prototype_labels=view.prototype_labels,
            agreement=_agreement(view),
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        label_cells: bool | None = None,
        legend: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draw cells, reject regions, samples and prototypes.

        Of more than 5000 samples, so many are drawn, chosen at random but always the same.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        label_cells : bool, default=None
            Whether each cell bears its name and threshold; None is up to 16 cells.
        legend : bool, default=True
            Whether there is a legend; one is enough for panels side by side.
        **kwargs : dict
            Passed to matplotlib's ``scatter`` for the samples.

        Returns
        -------
        display : RejectRegionDisplay
            Itself, with ``ax_``, ``figure_``, ``mesh_``, ``rejected_`` and ``prototypes_``.

        Examples
        --------
        >>> from abstain import GLVQ, RejectOptionClassifier
        >>> from abstain.plotting import RejectRegionDisplay
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GLVQ()).fit(X[:, 2:], y)
        >>> display = RejectRegionDisplay.from_estimator(clf, X[:, 2:], y, grid_resolution=50)
        >>> display.plot(label_cells=False, s=4).ax_.get_ylabel()
        'feature 1'
        """
        ax = axes_to_draw_on(ax)
        self._draw_regions(ax)
        handles, self.prototypes_ = [], None
        if self.samples is not None:
            handles += draw_samples(
                ax, self.samples, self.labels, self.classes, self.rejected_samples, **kwargs
            )
        has_labels = label_cells
        shown = np.unique(self.cells)
        if has_labels is None:
            has_labels = len(shown) <= LABELLED
        if self.prototypes is not None and self.prototype_labels is not None:
            self.prototypes_, handle = draw_prototypes(
                ax, self.prototypes, self.prototype_labels, self.classes, is_named=not has_labels
            )
            handles.append(handle)
        if has_labels:
            for cell in shown.tolist():
                self._label_cell(ax, cell)
        if legend:
            legend_beside(ax, [*handles, *self._handles_of_rejects(ax)])
        ax.set(
            xlabel="\n".join([self.axis_names[0], *self._notes()]),
            ylabel=self.axis_names[1],
            xlim=self.grid[0][[0, -1]],
            ylim=self.grid[1][[0, -1]],
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_regions(self, ax: Axes) -> None:
        from matplotlib.colors import ListedColormap

        colours = lighter(class_colours(len(self.classes)))
        codes = codes_of(self.predictions, self.classes)
        self.mesh_ = ax.pcolormesh(
            *self.grid,
            codes,
            cmap=ListedColormap(colours),
            vmin=-0.5,
            vmax=len(colours) - 0.5,
            shading="nearest",
            rasterized=True,
        )
        for parts, line in ((codes, ("0.45", 0.8)), (self.cells, ("0.1", 1.3))):
            # The last part has the borders of all others.
            for part in np.unique(parts)[:-1]:
                colour, width = line
                style: dict[str, Any] = {"colors": colour, "linewidths": width, "zorder": 1.5}
                ax.contour(*self.grid, (parts == part).astype(float), levels=[0.5], **style)
        self.rejected_ = None
        if self.rejected.any():
            margins = self._margins()
            self.rejected_ = ax.contourf(
                *self.grid,
                margins,
                levels=[-1.1, 0.0],
                colors=["none"],
                hatches=[HATCH],
                zorder=1.2,
            )
            self.rejected_.set_edgecolor("0.35")
            self.rejected_.set_linewidth(0)
            if not self.rejected.all():
                edge: dict[str, Any] = {"colors": "0.2", "linewidths": 0.7, "linestyles": "--"}
                ax.contour(*self.grid, margins, levels=[0.0], zorder=1.4, **edge)

    def _margins(self) -> NDArray[np.float64]:
        """Return how far above the threshold the certainty is, scaled into [-1, 1]."""
        with np.errstate(invalid="ignore"):
            margins = self.certainty - self.thresholds[self.cells]
        finite = np.abs(margins[np.isfinite(margins)])
        scale = max(finite.max(initial=0.0), np.finfo(float).tiny)
        margins = np.clip(np.nan_to_num(margins, nan=scale), -scale, scale) / scale
        # What just reaches its threshold is accepted.
        return np.asarray(
            np.where(self.rejected, np.minimum(margins, -1e-9), np.maximum(margins, 1e-9))
        )

    def _label_cell(self, ax: Axes, cell: int) -> None:
        """Write name and threshold where each part of a cell has most room."""
        from scipy.ndimage import label

        columns, rows = self.grid
        parts, n_parts = label(self.cells == cell)
        for part in range(1, n_parts + 1):
            mask = parts == part
            if mask.mean() < SMALLEST:
                continue
            free = mask & ~self._near_prototypes
            free = free if free.any() else mask
            at_row, at_column = _roomiest(free)
            name, limit = self.cell_names[cell], self.thresholds[cell]
            text, rotation = _fitting(mask, at_row, at_column, name, limit)
            if rotation:
                at_column, at_row = _roomiest(free.T)
            outline(
                ax.text(
                    columns[at_column],
                    rows[at_row],
                    text,
                    rotation=rotation,
                    fontsize="small",
                    horizontalalignment="center",
                    verticalalignment="center",
                    zorder=4,
                )
            )

    @property
    def _near_prototypes(self) -> NDArray[np.bool_]:
        """Return which positions of the grid a star covers."""
        columns, rows = self.grid
        near = np.zeros(self.cells.shape, dtype=bool)
        for column, row in [] if self.prototypes is None else self.prototypes:
            beside = np.abs(columns - column) <= STAR * np.ptp(columns)
            near |= np.outer(np.abs(rows - row) <= STAR * np.ptp(rows), beside)
        return near

    def _handles_of_rejects(self, ax: Axes) -> list[Any]:
        from matplotlib.patches import Patch

        patch = Patch(facecolor="white", edgecolor="0.35", hatch=HATCH, label="rejected")
        handles: list[Any] = [patch]
        if self.rejected_samples is not None:
            n_rejected, n_samples = int(self.rejected_samples.sum()), len(self.rejected_samples)
            style: dict[str, Any] = {"facecolors": "white", "edgecolors": "0.3", "s": 30}
            label = f"rejected samples:\n{n_rejected} of {n_samples}"
            handles.append(ax.scatter([], [], label=label, **style))
        return handles

    def _notes(self) -> list[str]:
        """Return what a reader of the picture should know."""
        notes = []
        if self.agreement < 1:
            notes.append(f"regions hold for {100 * self.agreement:.1f} % of the samples")
        if self.samples is not None and len(self.samples) > MAX_DOTS:
            notes.append(f"{MAX_DOTS} of {len(self.samples)} samples are drawn")
        return notes


def _agreement(view: View) -> float:
    """Return the share of samples that fare alike where they are and where they are drawn."""
    clf = view.classifier
    truly = clf.certainties(view.X)
    # Thresholds are certainties of samples: rounding on the way to the plane must not count.
    is_same = np.isclose(view.ask(clf.certainties, view.samples), truly, rtol=1e-9, atol=1e-12)
    is_same &= view.ask(clf.apply, view.samples) == clf.apply(view.X)
    is_same |= view.ask(clf.reject, view.samples) == clf.reject(view.X)
    predict = clf.estimator_.predict
    return float(np.mean(is_same & (view.ask(predict, view.samples) == predict(view.X))))


def _array(values: ArrayLike | None) -> Array | None:
    return None if values is None else np.asarray(values)


def _told(threshold: float) -> str:
    """Return a threshold in words."""
    if np.isinf(threshold):
        return "all rejected" if threshold > 0 else "none rejected"
    return f"rejected below {threshold:.3g}"


def _told_shortly(threshold: float) -> str:
    if np.isinf(threshold):
        return "all" if threshold > 0 else "none"
    return f"< {threshold:.2g}"


def _roomiest(free: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the row and column that are farthest from all that a label must keep off."""
    from scipy.ndimage import distance_transform_edt

    # Letters stand side by side, so that room to the left and right is needed twice.
    room = distance_transform_edt(np.pad(free, 1), sampling=(1.0, 0.5))[1:-1, 1:-1]
    places = np.argwhere(room >= 0.95 * room.max())
    # Along a strip there are many such places; the one in their middle is best.
    at_row, at_column = places[((places - places.mean(axis=0)) ** 2).sum(axis=1).argmin()]
    return int(at_row), int(at_column)


def _fitting(
    mask: NDArray[np.bool_], at_row: int, at_column: int, name: str, threshold: float
) -> tuple[str, int]:
    """Return the longest label that a cell has room for, and by how much it is turned."""
    width, height = _run(mask[at_row], at_column), _run(mask[:, at_column], at_row)
    longest = CHARACTER * max(len(name), len(_told(threshold)))
    if width >= longest:
        return f"{name}\n{_told(threshold)}", 0
    if height >= longest and height > 1.5 * width and width >= 5 * CHARACTER:
        return f"{name}\n{_told(threshold)}", 90
    if width >= 0.5 * longest:
        return f"{name}\n{_told_shortly(threshold)}", 0
    return _told_shortly(threshold), 0


def _run(line: NDArray[np.bool_], at: int) -> float:
    """Return the share of a line that an unbroken run of it takes around a position."""
    outside = np.flatnonzero(~line)
    after = outside[outside > at]
    before = outside[outside < at]
    end = after[0] if len(after) else len(line)
    return float((end - (before[-1] if len(before) else -1) - 1) / len(line))


def _cell_names(clf: Any, prototype_labels: Array | None) -> list[str]:
    """Return what the cells of a reject option are called, and last those that share one."""
    from abstain.certainty.cells import auto_rule

    rule = clf._rules.cells
    if isinstance(rule, str) and rule == "auto":
        rule = auto_rule(clf.estimator_).name
    cells = clf.cells_.tolist()[:-1]
    if rule == "global":
        names = ["all samples" for _ in cells]
    elif rule == "class":
        names = [str(cell) for cell in cells]
    elif rule == "prototype" and prototype_labels is not None:
        labels = prototype_labels.tolist()
        is_alone = len(set(labels)) == len(labels)
        names = [str(labels[cell]) + ("" if is_alone else f" ({cell})") for cell in cells]
    else:
        names = [f"{'leaf' if rule == 'leaf' else 'cell'} {cell}" for cell in cells]
    return [*names, "other cells"]
