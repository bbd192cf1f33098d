"""How do Displays draw what they share: axes, curves, classes, samples, prototypes and numbers?

Curves and classes differ in colour and in dashes or markers, so that they do in grey as well.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.plotting._texts import SHORT, Label, elided, fit_labels, outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

Array = NDArray[Any]

# Number of samples that are drawn: more dots hide each other.
MAX_DOTS = 5000
# More dots than this are drawn smaller.
UNCROWDED = 700
# Regions that hold for a smaller share of the samples are misleading.
FEW_AGREE = 0.5
# Entries of a legend that fit below each other in a figure of matplotlib's default size: with
# letters of the usual size, and with small ones.
ROOMY, HIGH = 15, 32
# More prototypes than this have smaller stars.
NAMED = 20
# Letters of the name of a class that a legend has room for.
LONGEST = 24

# The colour-blind palette of Okabe and Ito, and three more colours from Paul Tol's.
COLOURS = [
    *["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"],
    *["#56b4e9", "#f0e442", "#882255", "#332288", "#999999"],
]
# Shapes that differ even if they are small: matplotlib's own, and stars with three, four and six
# points.
SHAPES: list[Any] = [
    *["o", "s", "^", "D", "v", "P", "<", ">", "d", "X", "p"],
    *[(4, 1, 0), (3, 1, 0), (6, 1, 0), (3, 1, 180), "h"],
]
# Of 32 classes, two have each shape, in colours that differ in lightness by a fifth at least.
SECOND = [15, 3, 1, 0, 4, 8, 5, 7, 2, 12, 9, 13, 11, 10, 14, 6]
CLASS_MARKERS = [*SHAPES, *(SHAPES[number] for number in SECOND)]
PROTOTYPE: dict[str, Any] = {"marker": "*", "s": 230, "edgecolors": "black", "linewidths": 1.2}
DOT = 18
# Edge of a dot, so that a pale one is seen on a pale background.
RIM = (0.0, 0.0, 0.0, 0.55)

# The lengths of these two lists have no common divisor: a pair repeats after 42 curves.
CURVE_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00"]
DASHES: list[Any] = ["-", "--", "-.", ":", (0, (7, 1.5, 1, 1.5, 1, 1.5)), (0, (10, 3)), (0, (3, 1))]


class Display:
    """Base class of all Displays: where it was drawn last."""

    ax_: Axes
    figure_: Figure | SubFigure

    def _drawn_on(self, ax: Axes) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self


def axes_to_draw_on(ax: Axes | None) -> Axes:
    """Return ``ax``, or the axes of a new figure; matplotlib is only imported here."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError(
            "Displays need matplotlib, which is not installed: pip install '.[plot]', in a copy "
            "of the project"
        ) from None
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def optional_array(values: ArrayLike | None) -> Array | None:
    """Return values as an array; None stays None."""
    return None if values is None else np.asarray(values)


# --- axes --------------------------------------------------------------------------------------


def show_percent(ax: Axes) -> None:
    """Show the values of both axes in percent."""
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(percent_tick)


def percent_tick(share: float, _: float = 0.0) -> str:
    """Return the text of a tick in percent, with the digits that it needs."""
    return f"{100 * share:g}%".replace("-", "−")


def draw_colorbar(ax: Axes, drawn: Any, label: str, tick: Any = None, **kwargs: Any) -> None:
    """Draw a colour bar without a frame."""
    bar = ax.figure.colorbar(drawn, ax=ax, format=tick, **kwargs)
    bar.outline.set_visible(False)
    bar.set_label(label)


def legend_beside(ax: Axes, handles: list[Any]) -> None:
    """Put a legend to the right of an axes, where it hides nothing."""
    is_crowded = len(handles) > ROOMY
    ax.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        ncols=-(-len(handles) // HIGH),
        fontsize="x-small" if is_crowded else "small",
        labelspacing=0.25 if is_crowded else 0.5,
    )


# --- curves and classes ---------------------------------------------------------------------------


def draw_curve(ax: Axes, x: Array, y: Array, kwargs: dict[str, Any], **style: Any) -> Line2D:
    """Draw a curve with a colour and dashes of its own, unless the caller's ``kwargs`` has them."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    number = len(ax.lines)
    colour, dashes = CURVE_COLOURS[number % len(CURVE_COLOURS)], DASHES[number % len(DASHES)]
    given = normalize_kwargs(kwargs, Line2D)
    (line,) = ax.plot(x, y, **{"color": colour, "linestyle": dashes, **style, **given})
    return line


def class_colours(n_classes: int) -> Array:
    """Return the colour of each class, as rows of red, green and blue.

    More classes than there are colours share them, and differ by `class_marker`.
    """
    from matplotlib.colors import to_rgb

    return np.array([to_rgb(COLOURS[code % len(COLOURS)]) for code in range(n_classes)])


def class_marker(code: int) -> Any:
    """Return the shape of the samples of a class."""
    return CLASS_MARKERS[code % len(CLASS_MARKERS)]


def class_handle(ax: Axes, name: str, colour: Any, marker: Any) -> PathCollection:
    """Return the entry of a class in a legend, with a thin rim for pale colours."""
    rim: dict[str, Any] = {"edgecolors": RIM, "linewidths": 0.5}
    label = elided(name, LONGEST)
    return ax.scatter([], [], color=[colour], marker=marker, s=30, label=label, **rim)


def give_shapes(dots: PathCollection, codes: NDArray[np.int64]) -> None:
    """Give each dot the shape of its class."""
    from matplotlib.markers import MarkerStyle

    styles = [MarkerStyle(class_marker(code)) for code in range(int(codes.max(initial=0)) + 1)]
    paths = [style.get_path().transformed(style.get_transform()) for style in styles]
    dots.set_paths([paths[code] for code in codes])


def codes_of(labels: Array, classes: Array) -> NDArray[np.int64]:
    """Return the position of labels among the classes."""
    return np.asarray((labels[..., np.newaxis] == classes).argmax(axis=-1))


# --- planes ---------------------------------------------------------------------------------------


def draw_classes(
    ax: Axes, grid: tuple[Array, Array], codes: NDArray[np.int64], classes: Array
) -> QuadMesh:
    """Fill each position of a grid with the pale colour of its class."""
    from matplotlib.colors import ListedColormap

    return ax.pcolormesh(
        *grid,
        codes,
        cmap=ListedColormap(1 - 0.22 * (1 - class_colours(len(classes)))),
        vmin=-0.5,
        vmax=len(classes) - 0.5,
        shading="nearest",
        rasterized=True,
    )


def draw_samples(
    ax: Axes,
    samples: Array,
    labels: Array | None,
    classes: Array,
    is_hollow: NDArray[np.bool_] | None = None,
    **kwargs: Any,
) -> list[Any]:
    """Draw samples, each class with a colour and a marker; return handles for a legend."""
    colours = class_colours(len(classes))
    chosen = np.sort(np.random.default_rng(0).permutation(len(samples))[:MAX_DOTS])
    size = DOT / np.sqrt(max(1.0, len(chosen) / UNCROWDED))
    codes = None if labels is None else codes_of(labels, classes)
    handles = []
    for code in [None] if codes is None else range(len(classes)):
        some = chosen if codes is None or code is None else chosen[codes[chosen] == code]
        colour: Any = (0.3, 0.3, 0.3) if code is None else colours[code]
        marker = "o" if code is None else class_marker(code)
        hollow = np.zeros(len(some), bool) if is_hollow is None else is_hollow[some]
        rim = hollow[:, np.newaxis]
        style = {
            "marker": marker,
            "s": size,
            "facecolors": np.where(rim, (1, 1, 1, 0.85), (*colour, 1.0)),
            "edgecolors": np.where(rim, (*colour, 1.0), RIM),
            "linewidths": np.where(hollow, 1.0, 0.3),
            "zorder": 2,
            **kwargs,
        }
        ax.scatter(*samples[some].T, **style)
        if code is not None:
            name = str(classes[code : code + 1].tolist()[0])
            handles.append(class_handle(ax, name, colour, marker))
    return handles


def notes_on_regions(agreement: float) -> list[str]:
    """Return for which share of the samples regions hold, if not for all."""
    if agreement >= 1:
        return []
    note = f"regions hold for {100 * agreement:.1f}% of the samples"
    return [note if agreement >= FEW_AGREE else f"{note} only: most lie off this plane"]


class PlaneDisplay(Display):
    """Base class of Displays of a plane, with samples and prototypes."""

    prototypes_: PathCollection | None

    def __init__(
        self,
        grid: tuple[ArrayLike, ArrayLike],
        axis_names: tuple[str, str],
        classes: ArrayLike,
        samples: ArrayLike | None,
        labels: ArrayLike | None,
        prototypes: ArrayLike | None,
        prototype_labels: ArrayLike | None,
    ) -> None:
        self.grid = (np.asarray(grid[0]), np.asarray(grid[1]))
        self.axis_names = axis_names
        self.classes: Array = np.asarray(classes)
        self.samples = optional_array(samples)
        self.labels = optional_array(labels)
        self.prototypes = optional_array(prototypes)
        self.prototype_labels = optional_array(prototype_labels)

    def _draw_prototypes(self, ax: Axes) -> list[Any]:
        """Draw prototypes as stars; return handles for a legend."""
        self.prototypes_ = None
        if self.prototypes is None or self.prototype_labels is None:
            return []
        columns, rows = self.prototypes.T
        codes = codes_of(self.prototype_labels, self.classes)
        colours = class_colours(len(self.classes))[codes]
        # Of many prototypes, small stars hide less.
        size = PROTOTYPE["s"] / max(1.0, len(columns) / NAMED)
        style = PROTOTYPE | {"s": size}
        self.prototypes_ = ax.scatter(columns, rows, c=colours, zorder=3, **style)
        small = PROTOTYPE | {"s": 90, "linewidths": 0.8}
        return [ax.scatter([], [], color="0.75", **small, label="prototype")]

    def _name_prototypes(self, ax: Axes) -> None:
        """Write above each star the name of its class, where there is room."""
        if self.prototypes is None or self.prototype_labels is None:
            return
        style: dict[str, Any] = {"xytext": (0, 9), "textcoords": "offset points", "zorder": 4}
        style |= {"horizontalalignment": "center", "verticalalignment": "bottom"}
        labels = []
        names = map(str, self.prototype_labels.tolist())
        for position, name in zip(self.prototypes, names, strict=True):
            text = ax.annotate(name, position, fontsize="small", **style)
            outline(text)
            labels.append(Label(text, [name, elided(name, SHORT)]))
        fit_labels(ax, labels)

    def _show_plane(self, ax: Axes, notes: list[str]) -> Self:
        """Show all of the grid; name the axes, with notes below."""
        if self.samples is not None and len(self.samples) > MAX_DOTS:
            notes = [*notes, f"{MAX_DOTS} of {len(self.samples)} samples are drawn"]
        if n_beyond := self._n_beyond():
            beyond = "1 sample lies" if n_beyond == 1 else f"{n_beyond} samples lie"
            notes = [*notes, f"{beyond} beyond this figure"]
        ax.set(
            xlabel="\n".join([self.axis_names[0], *notes]),
            ylabel=self.axis_names[1],
            xlim=self.grid[0][[0, -1]],
            ylim=self.grid[1][[0, -1]],
        )
        return self._drawn_on(ax)

    def _n_beyond(self) -> int:
        """Return the number of samples beyond the ends of the grid."""
        if self.samples is None:
            return 0
        ends = np.array([[positions.min(), positions.max()] for positions in self.grid]).T
        return int(((self.samples < ends[0]) | (self.samples > ends[1])).any(axis=1).sum())
