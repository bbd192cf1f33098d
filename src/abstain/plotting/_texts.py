"""How are texts in a figure written, shortened, turned and shrunk so that all can be read?"""

from __future__ import annotations  # signatures then show the names of types

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

# Letters of a name beside a prototype, or in its cell, if there is no room for all of it.
SHORT = 12
# Distance between two lines of text, in sizes of the font.
LINE = 1.2


def write_centred(ax: Axes, column: float, row: float, text: str, **kwargs: Any) -> Any:
    """Write text around a position."""
    centred: dict[str, Any] = {"horizontalalignment": "center", "verticalalignment": "center"}
    return ax.text(column, row, text, **{"fontsize": "small", **centred, **kwargs})


def outline(text: Any) -> None:
    """Put white around letters, so that they can be read on any background."""
    from matplotlib.patheffects import withStroke

    text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def elided(name: str, longest: int) -> str:
    """Leave out the middle of a long name: names often differ at their ends."""
    half = longest // 2
    return name if len(name) <= longest else f"{name[:half].rstrip()}…{name[-half:].lstrip()}"


# --- texts that are measured ----------------------------------------------------------------------


def lay_out(ax: Axes) -> None:
    """Let the layout of a figure move its axes, so that texts can be measured."""
    ax.figure.canvas.figure.draw_without_rendering()


def fit_names(ax: Axes) -> None:
    """Turn long names below an axes, and shrink names beside it, until none overlaps the next."""
    texts = ax.get_xticklabels()
    height = LINE * float(texts[0].get_fontsize()) * ax.figure.dpi / 72  # in pixels
    is_turned = False
    for angle, needed in ((0, np.inf), (30, 2 * height), (90, height)):
        gap = _gap(ax, "x")
        is_turned = _turn_wide(texts, angle, gap - 0.3 * height)
        if not is_turned or needed <= gap:
            break
    if is_turned:
        _shrink(ax, "x", texts, height)
    _shrink(ax, "y", ax.get_yticklabels(), height)


def _shrink(ax: Axes, axis: Literal["x", "y"], names: list[Text], height: float) -> None:
    """Shrink names of a height to the distance between the ticks of their axis."""
    share = _gap(ax, axis) / height
    if share < 1:
        ax.tick_params(axis=axis, labelsize=share * float(names[0].get_fontsize()))


def _turn_wide(texts: list[Text], angle: int, room: float) -> bool:
    """Turn the texts that are wider than the room, in pixels; return whether there are any."""
    is_wide = False
    for text in texts:
        text.set(rotation=0, rotation_mode="default", horizontalalignment="center")
        if text.get_window_extent().width > room:
            is_wide = True
            text.set_rotation(angle)
            if angle == 30:  # the end of the name stands below its tick
                text.set(horizontalalignment="right", rotation_mode="anchor")
    return is_wide


def _gap(ax: Axes, axis: Literal["x", "y"]) -> float:
    """Return the least distance between the ticks of an axis, in pixels."""
    lay_out(ax)
    ticks = ax.get_xticks() if axis == "x" else ax.get_yticks()
    places = ax.transData.transform(np.stack([ticks, ticks], axis=1))[:, "xy".index(axis)]
    return float(np.abs(np.diff(places)).min(initial=np.inf))


class Label(NamedTuple):
    """A text in a plane, what else it may say, and the share of the axes that it may take."""

    text: Text
    versions: list[str]
    width: float = 1.0


def fit_labels(ax: Axes, labels: list[Label]) -> None:
    """Give each text the first of its versions that fits; remove it if none does.

    A text fits if it stays within its width and within the axes, and overlaps no text before it.
    """
    if not labels:
        return
    lay_out(ax)
    frame = ax.get_window_extent()
    taken: list[Bbox] = []
    for text, versions, width in labels:
        for version in versions:
            text.set_text(version)
            box = text.get_window_extent()
            is_inside = frame.x0 <= box.x0 and box.x1 <= frame.x1
            is_inside &= frame.y0 <= box.y0 and box.y1 <= frame.y1
            is_inside &= box.width <= width * frame.width
            if is_inside and not box.count_overlaps(taken):
                taken.append(box)
                break
        else:
            text.remove()
