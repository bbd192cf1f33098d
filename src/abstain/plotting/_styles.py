"""How are curves, classes, samples and prototypes told apart, in colour and in grey?"""

from __future__ import annotations  # signatures then show the names of types

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

__all__ = [
    "CLASS_MARKERS",
    "COLOURS",
    "MAX_DOTS",
    "PROTOTYPE",
    "RIM",
    "UNCROWDED",
    "class_colours",
    "class_handle",
    "class_marker",
    "codes_of",
    "curve_style",
    "draw_prototypes",
    "draw_samples",
    "give_shapes",
    "legend_beside",
    "lighter",
    "outline",
]

Array = NDArray[Any]

# More dots than this hide each other.
MAX_DOTS = 5000
# More than this are drawn smaller.
UNCROWDED = 700
# So many prototypes leave room for their names.
NAMED = 20
# So many entries of a legend have room below each other in a figure of matplotlib's own size.
HIGH = 20

# Okabe and Ito's colours, which the colour-blind can tell apart, and three more from Paul Tol's.
COLOURS = [
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#f0e442",
    "#882255",
    "#332288",
    "#999999",
]
# Shapes that differ even if they are small: matplotlib's own, and stars with three, four and six
# points. Classes that have one in common lie far apart in the list, and so in lightness.
CLASS_MARKERS: list[Any] = [
    *["o", "s", "^", "D", "v", "P", "<", ">", "d", "X", "p"],
    *[(4, 1, 0), (3, 1, 0), (6, 1, 0), (3, 1, 180), "h"],
]
PROTOTYPE: dict[str, Any] = {"marker": "*", "s": 230, "edgecolors": "black", "linewidths": 1.2}
DOT = 18
# Around a dot, so that a pale one is seen on pale ground.
RIM = (0.0, 0.0, 0.0, 0.55)

# Curves differ in colour and, for those who do not see it, in dashes. As the two lists have no
# common divisor in length, it takes 42 curves until a pair comes again.
CURVE_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00"]
DASHES: list[Any] = [
    "-",
    "--",
    "-.",
    ":",
    (0, (7, 1.5, 1, 1.5, 1, 1.5)),
    (0, (10, 3)),
    (0, (3, 1)),
]


def curve_style(ax: Axes) -> dict[str, Any]:
    """Return the style of the next curve in an axes, which no curve there has yet."""
    number = len(ax.lines)
    return {
        "color": CURVE_COLOURS[number % len(CURVE_COLOURS)],
        "linestyle": DASHES[number % len(DASHES)],
    }


def class_colours(n_classes: int) -> Array:
    """Return one colour for each class, as rows of red, green and blue.

    More than there are in the palette ascend in lightness, so that they do in grey, too.
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_rgb

    if n_classes <= len(COLOURS):
        return np.array([to_rgb(colour) for colour in COLOURS[:n_classes]])
    return np.asarray(colormaps["viridis"](np.linspace(0.0, 0.9, n_classes))[:, :3])


def class_marker(code: int) -> Any:
    """Return the shape of the samples of a class."""
    return CLASS_MARKERS[code % len(CLASS_MARKERS)]


def class_handle(ax: Axes, name: str, colour: Any, marker: Any) -> PathCollection:
    """Return what stands for a class in a legend; a thin rim shows pale ones, too."""
    rim: dict[str, Any] = {"edgecolors": RIM, "linewidths": 0.5}
    return ax.scatter([], [], color=[colour], marker=marker, s=30, label=name, **rim)


def give_shapes(dots: PathCollection, codes: NDArray[np.int64]) -> None:
    """Give each dot the shape of its class, whatever the order in which they cover each other."""
    from matplotlib.markers import MarkerStyle

    styles = [MarkerStyle(class_marker(code)) for code in range(int(codes.max(initial=0)) + 1)]
    paths = [style.get_path().transformed(style.get_transform()) for style in styles]
    dots.set_paths([paths[code] for code in codes])


def lighter(colours: Array) -> Array:
    """Return colours pale enough to lie behind samples."""
    return np.asarray(1 - 0.22 * (1 - colours))


def codes_of(labels: Array, classes: Array) -> NDArray[np.int64]:
    """Return the position of labels among the classes."""
    return np.asarray((labels[..., np.newaxis] == classes).argmax(axis=-1))


def draw_samples(
    ax: Axes,
    samples: Array,
    labels: Array | None,
    classes: Array,
    is_hollow: NDArray[np.bool_] | None = None,
    **kwargs: Any,
) -> list[Any]:
    """Draw samples, each class with a colour and a marker; return handles for a legend.

    Of more than `MAX_DOTS`, so many are drawn, chosen at random but always the same.
    """
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


def draw_prototypes(
    ax: Axes, prototypes: Array, labels: Array, classes: Array, is_named: bool
) -> tuple[PathCollection, Any]:
    """Draw prototypes as stars, with the names of their classes if there is room; and a handle."""
    colours = class_colours(len(classes))
    columns, rows = prototypes.T
    chosen = colours[codes_of(labels, classes)]
    stars = ax.scatter(columns, rows, c=chosen, zorder=3, **PROTOTYPE)
    if is_named and len(prototypes) <= NAMED:
        for position, label in zip(prototypes, labels.tolist(), strict=True):
            text = ax.annotate(
                str(label),
                position,
                xytext=(0, 10),
                textcoords="offset points",
                horizontalalignment="center",
                verticalalignment="bottom",
                fontsize="small",
                zorder=4,
            )
            outline(text)
    return stars, ax.scatter([], [], color="0.75", **PROTOTYPE, label="prototype")


def outline(text: Any) -> None:
    """Put white around letters, so that they can be read on anything."""
    from matplotlib.patheffects import withStroke

    text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def legend_beside(ax: Axes, handles: list[Any]) -> None:
    """Put a legend to the right of an axes, where it hides nothing."""
    ax.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        ncols=-(-len(handles) // HIGH),
    )
