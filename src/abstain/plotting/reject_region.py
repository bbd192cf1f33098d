"""Where does a classifier decline to answer, seen in a plane?"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import check_names
from abstain.plotting._documentation import documented_display
from abstain.plotting._drawing import (
    FEW_AGREE,
    PlaneDisplay,
    axes_to_draw_on,
    codes_of,
    draw_classes,
    draw_samples,
    legend_beside,
    notes_on_regions,
    optional_array,
)
from abstain.plotting._evaluation import plain_answers, reject_option_of
from abstain.plotting._projection import Projection, behind_transformers, project
from abstain.plotting._texts import SHORT, Label, elided, fit_labels, outline, write_centred

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.contour import QuadContourSet

Array = NDArray[Any]
Mask = NDArray[np.bool_]

HATCH = "////"
# Up to this number of cells, there is room for their thresholds.
LABELLED = 16
# A part of a cell that takes a smaller share of the figure is too small for a label.
SMALLEST = 0.004
# Share of the figure from the middle of a star to its points.
STAR = 0.02


@documented_display("``scatter`` for the samples")
class RejectRegionDisplay(PlaneDisplay):
    """Cells of a reject option in a plane; regions where it declines to answer are hatched.

    Colours are the predicted classes, dark lines the borders of cells, each with its threshold. A
    rejected sample is hollow.

    Parameters
    ----------
    predictions : array-like of shape (n_rows, n_columns)
        The class that is predicted there, whether it is rejected or not.
    certainty : array-like of shape (n_rows, n_columns)
        How sure the classifier is there.
    cells : array-like of int of shape (n_rows, n_columns)
        Which threshold decides there.
    thresholds : array-like of shape (n_thresholds,)
        Certainties below which it declines, -inf for never, +inf for always.
    cell_names : sequence of str of length n_thresholds
        Names of the cells.
    outlier : array-like of bool of shape (n_rows, n_columns), default=None
        Where samples are rejected as outliers; None is nowhere.
    rejected_samples : array-like of bool of shape (n_samples,), default=None
        Which of the samples are rejected.
    agreement : float, default=1.0
        Share of the samples with the same class and the same decision to reject as their position
        in the plane; 1 with two features.

    Attributes
    ----------
    rejected : ndarray of bool of shape (n_rows, n_columns)
        Where the certainty is below the threshold of the cell, or samples are outliers.

    Examples
    --------
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
    >>> display.plot(label_cells=False).rejected.tolist()
    [[False, True, False], [False, True, True]]
    """

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
        outlier: ArrayLike | None = None,
        rejected_samples: ArrayLike | None = None,
        prototypes: ArrayLike | None = None,
        prototype_labels: ArrayLike | None = None,
        agreement: float = 1.0,
    ) -> None:
        super().__init__(grid, axis_names, classes, samples, labels, prototypes, prototype_labels)
        self.predictions: Array = np.asarray(predictions)
        self.certainty: NDArray[np.float64] = np.asarray(certainty, dtype=np.float64)
        self.cells: NDArray[np.int64] = np.asarray(cells)
        self.thresholds: NDArray[np.float64] = np.asarray(thresholds, dtype=np.float64)
        self.cell_names = [str(name) for name in cell_names]
        check_names("cell_names", self.cell_names, len(self.thresholds), "thresholds")
        self.rejected_samples = optional_array(rejected_samples)
        self.agreement = agreement
        self.rejected: Mask = self.certainty < self.thresholds[self.cells]
        if outlier is not None:
            self.rejected |= np.asarray(outlier, dtype=np.bool_)

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

        With more than two features, the figure shows a plane, and samples and prototypes are
        projected on it. A sample off the plane may be answered or rejected differently than its
        position, and where outliers are rejected is not drawn. The share of the samples for which
        the regions hold (``agreement``) is written below the figure; a warning is raised if it is
        less than half.

        Examples
        --------
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(X[:, 2:], y)
        >>> display = RejectRegionDisplay.from_estimator(clf, X[:, 2:], y, grid_resolution=50)
        >>> columns, rows = display.grid
        >>> bool(clf.reject([[columns[7], rows[30]]])[0] == display.rejected[30, 7])
        True
        """
        from abstain.certainty import MEASURES
        from abstain.certainty.cells import RULES

        _, clf = reject_option_of(estimator, "fit one around it")
        rules = MEASURES.name_of(clf.certainty), RULES.name_of(clf.cells)
        # A trust score was fitted to samples before the transformers, as were clusters.
        is_by_name = all(isinstance(rule, str) and rule != "trust" for rule in rules)
        steps, classifier = behind_transformers(estimator, is_by_name)
        projection = project(steps, classifier, X, axes, feature_names, grid_resolution)
        clf = projection.classifier
        outlier = None
        if projection.plane.lift_by.shape[0] == 2:  # a plane does not show what is unusual off it
            outlier = projection.evaluate_on_grid(lambda X: clf.decide(X).outlier)
        display = cls(
            **projection.shown(y),
            predictions=projection.evaluate_on_grid(partial(plain_answers, clf)),
            certainty=projection.evaluate_on_grid(clf.certainties),
            cells=projection.evaluate_on_grid(clf.apply),
            thresholds=clf.thresholds_,
            cell_names=_cell_names(clf, projection.prototype_labels),
            outlier=outlier,
            rejected_samples=clf.reject(projection.X),
            agreement=_agreement(projection),
        )
        if display.agreement < FEW_AGREE:
            remedy = "" if axes is None else "leave axes out, or "
            warnings.warn(
                f"the regions hold for {100 * display.agreement:.1f}% of the samples only: the "
                "classifier decides differently about samples off the plane that is drawn; "
                f"{remedy}use a model with two directions, such as GMLVQ(n_components=2)",
                UserWarning,
                stacklevel=2,
            )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        label_cells: bool | None = None,
        legend: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draw cells, reject regions, samples and prototypes.

        Parameters
        ----------
        label_cells : bool, default=None
            Whether each cell shows its name and threshold; None does so up to 16 cells.
        """
        ax = axes_to_draw_on(ax)
        self._draw_regions(ax)
        handles = []
        if self.samples is not None:
            handles += draw_samples(
                ax, self.samples, self.labels, self.classes, self.rejected_samples, **kwargs
            )
        cells = np.unique(self.cells).tolist()
        if label_cells is None:
            label_cells = len(cells) <= LABELLED
        handles += self._draw_prototypes(ax)
        if legend:
            legend_beside(ax, [*handles, *self._reject_handles(ax)])
        self._show_plane(ax, notes_on_regions(self.agreement))
        if label_cells:
            fit_labels(ax, [label for cell in cells for label in self._labels(ax, cell)])
        else:
            self._name_prototypes(ax)
        return self

    def _draw_regions(self, ax: Axes) -> None:
        codes = codes_of(self.predictions, self.classes)
        self.mesh_ = draw_classes(ax, self.grid, codes, self.classes)
        for parts, colour, width in ((codes, "0.45", 0.8), (self.cells, "0.1", 1.3)):
            # The borders of the last part are borders of the others.
            for part in np.unique(parts)[:-1]:
                style: dict[str, Any] = {"colors": colour, "linewidths": width, "zorder": 1.5}
                ax.contour(*self.grid, (parts == part).astype(float), levels=[0.5], **style)
        self.rejected_ = None
        if self.rejected.any():
            margins = self._margins()
            hatch: dict[str, Any] = {"colors": ["none"], "hatches": [HATCH], "zorder": 1.2}
            self.rejected_ = ax.contourf(*self.grid, margins, levels=[-1.1, 0.0], **hatch)
            self.rejected_.set_edgecolor("0.35")
            self.rejected_.set_linewidth(0)
            if not self.rejected.all():
                edge: dict[str, Any] = {"colors": "0.2", "linewidths": 0.7, "linestyles": "--"}
                ax.contour(*self.grid, margins, levels=[0.0], zorder=1.4, **edge)

    def _margins(self) -> NDArray[np.float64]:
        """Return how far the certainty is above the threshold, scaled into [-1, 1]."""
        with np.errstate(invalid="ignore"):
            margins = self.certainty - self.thresholds[self.cells]
        finite = np.abs(margins[np.isfinite(margins)])
        scale = max(finite.max(initial=0.0), np.finfo(float).tiny)
        margins = np.clip(np.nan_to_num(margins, nan=scale), -scale, scale) / scale
        # A certainty equal to its threshold is accepted.
        return np.asarray(
            np.where(self.rejected, np.minimum(margins, -1e-9), np.maximum(margins, 1e-9))
        )

    def _labels(self, ax: Axes, cell: int) -> Iterator[Label]:
        """Yield name and threshold of a cell, where each part of it has most room."""
        from scipy.ndimage import label

        columns, rows = self.grid
        parts, n_parts = label(self.cells == cell)
        for part in range(1, n_parts + 1):
            mask = parts == part
            if mask.mean() < SMALLEST:
                continue
            free = mask & ~self._near_prototypes
            row, column = _roomiest(free if free.any() else mask)
            text = write_centred(ax, columns[column], rows[row], "", zorder=4)
            outline(text)
            versions = _versions(self.cell_names[cell], self.thresholds[cell])
            yield Label(text, versions, _run(mask[row], column))

    @property
    def _near_prototypes(self) -> Mask:
        """Return which positions of the grid a star covers."""
        columns, rows = self.grid
        near = np.zeros(self.cells.shape, dtype=bool)
        for column, row in [] if self.prototypes is None else self.prototypes:
            beside = np.abs(columns - column) <= STAR * np.ptp(columns)
            near |= np.outer(np.abs(rows - row) <= STAR * np.ptp(rows), beside)
        return near

    def _reject_handles(self, ax: Axes) -> list[Any]:
        from matplotlib.patches import Patch

        patch = Patch(facecolor="white", edgecolor="0.35", hatch=HATCH, label="rejected")
        handles: list[Any] = [patch]
        if self.rejected_samples is not None:
            n_rejected, n_samples = int(self.rejected_samples.sum()), len(self.rejected_samples)
            style: dict[str, Any] = {"facecolors": "white", "edgecolors": "0.3", "s": 30}
            label = f"rejected samples:\n{n_rejected} of {n_samples}"
            handles.append(ax.scatter([], [], label=label, **style))
        return handles


def _agreement(projection: Projection) -> float:
    """Return the share of samples whose decision is that of their position in the figure."""
    clf, X, positions = projection.classifier, projection.X, projection.samples

    def is_unsure(samples: Any) -> Mask:
        return np.asarray(clf.certainties(samples) < clf.thresholds_[clf.apply(samples)])

    certainty, cells, rejected, predictions = (
        (projection.evaluate(function, positions), function(X))
        for function in (clf.certainties, clf.apply, is_unsure, partial(plain_answers, clf))
    )
    # Thresholds are certainties of samples: rounding on the way to the plane must not count.
    is_same = np.isclose(*certainty, rtol=1e-9, atol=1e-12) & np.equal(*cells)
    is_same |= np.equal(*rejected)
    return float(np.mean(is_same & (predictions[0] == predictions[1])))


def _roomiest(free: Mask) -> tuple[int, int]:
    """Return the row and column that are farthest from where a label must not be."""
    from scipy.ndimage import distance_transform_edt

    # Letters stand side by side: a label needs twice as much room to the left and right.
    room = distance_transform_edt(np.pad(free, 1), sampling=(1.0, 0.5))[1:-1, 1:-1]
    places = np.argwhere(room >= 0.95 * room.max())
    # Along a strip there are many such places; the one in their middle is best.
    row, column = places[((places - places.mean(axis=0)) ** 2).sum(axis=1).argmin()]
    return int(row), int(column)


def _versions(name: str, threshold: float) -> list[str]:
    """Return what the label of a cell may say, the longest first."""
    long, short = f"rejected below {threshold:.3g}", f"< {threshold:.2g}"
    if np.isinf(threshold):
        short = "all" if threshold > 0 else "none"
        long = f"{short} rejected"
    names = dict.fromkeys([name, elided(name, SHORT)])
    return [*(f"{each}\n{limit}" for limit in (long, short) for each in names), short]


def _run(line: Mask, at: int) -> float:
    """Return the share of a line that an unbroken run of it takes around a position."""
    outside = np.flatnonzero(~line)
    after = outside[outside > at]
    before = outside[outside < at]
    end = after[0] if len(after) else len(line)
    return float((end - (before[-1] if len(before) else -1) - 1) / len(line))


def _cell_names(clf: Any, prototype_labels: Array | None) -> list[str]:
    """Return the names of the cells of a reject option; the last one is shared by all others."""
    from abstain.certainty.cells import RULES

    rule = RULES.name_of(clf.cells)
    if isinstance(rule, str):
        rule = RULES.resolve(clf.estimator_, rule)
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
