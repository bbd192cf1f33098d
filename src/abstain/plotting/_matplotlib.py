"""Where is a Display drawn, and what if matplotlib is not installed?"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axes_to_draw_on"]


def axes_to_draw_on(ax: "Axes | None") -> "Axes":
    """Return ``ax``, or the axes of a new figure; matplotlib is only imported here."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError(
            "pictures need matplotlib, which is not installed: pip install 'abstain[plot]'"
        ) from None
    return plt.subplots(layout="constrained")[1] if ax is None else ax
