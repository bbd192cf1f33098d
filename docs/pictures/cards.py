"""The small pictures beside the entries of an index: one function draws one picture."""

from collections.abc import Callable
from pathlib import Path

import necklace
import numpy as np
from matplotlib import colormaps
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch, Rectangle

BLUE, YELLOW, GREEN, PINK, SKY = necklace.COLOURS
RED, GREY, LIGHT = necklace.LOCAL, necklace.GLOBAL, "#dddddd"
TWO_CLASSES = np.random.default_rng(3).normal(size=(2, 70, 2)) * 0.55 + [[[-0.9, 0]], [[0.9, 0]]]
PROTOTYPES = np.array([[-1.2, 0.4], [0, -0.6], [1.3, 0.5], [0.2, 0.9]])


def draw_cards(folder: Path) -> None:
    """Draw all cards as PNG files of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for draw in CARDS:
        figure, ax = plt.subplots(figsize=(3.2, 1.6))
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        draw(ax)
        figure.subplots_adjust(0.03, 0.05, 0.97, 0.95)
        figure.savefig(folder / f"{draw.__name__}.png", dpi=200)
        plt.close(figure)


def reject_option(ax: Axes) -> None:
    """Draw two classes, and the band between them that is not answered."""
    ax.axvspan(-0.4, 0.4, color=LIGHT)
    for samples, colour in zip(TWO_CLASSES, (BLUE, YELLOW), strict=True):
        ax.scatter(*samples.T, s=14, color=colour, linewidths=0)
    ax.text(0, 1.35, "?", ha="center", va="center", fontsize=20, color=GREY)
    ax.set(xlim=(-3, 3), ylim=(-1.7, 1.7))


def models(ax: Axes) -> None:
    """Draw samples and prototypes."""
    reject_option(ax)
    ax.patches[0].remove()
    ax.texts[0].remove()
    for x, colour in ((-0.9, BLUE), (0.9, YELLOW)):
        ax.scatter(x, 0, s=420, marker="*", color=colour, edgecolors="black", zorder=3)


def certainty(ax: Axes) -> None:
    """Draw how sure a model is in a plane."""
    x, y = np.meshgrid(np.linspace(-3, 3, 200), np.linspace(-1.5, 1.5, 100))
    near, far = (np.hypot(x - place, y) for place in (-0.9, 0.9))
    ax.contourf(x, y, np.abs(near - far) / (near + far), 12, cmap="cividis")


def cells(ax: Axes) -> None:
    """Draw the regions of four prototypes."""
    x, y = np.meshgrid(np.linspace(-3, 3, 400), np.linspace(-1.5, 1.5, 200))
    winner = np.argmin([np.hypot(x - a, y - b) for a, b in PROTOTYPES], axis=0)
    for cell, colour in enumerate((BLUE, YELLOW, GREEN, PINK)):
        ax.contourf(x, y, winner == cell, [0.5, 1.5], colors=[colour], alpha=0.5)
    ax.scatter(*PROTOTYPES.T, s=120, marker="*", color="white", edgecolors="black")


def _axes(ax: Axes) -> None:
    """Show the lower and the left axis."""
    ax.spines[["left", "bottom"]].set_visible(True)
    ax.margins(0.06, 0.1)


def fronts(ax: Axes) -> None:
    """Draw a front, and thresholds that are no part of it."""
    generator = np.random.default_rng(0)
    errors = generator.uniform(0.05, 1, 160)
    lost = errors**3 + generator.exponential(0.25, 160)
    ax.scatter(errors, lost.clip(max=1.3), s=9, color="#bbbbbb", linewidths=0)
    steps = np.linspace(0, 1, 16)
    ax.step(steps, steps**3, where="post", color=RED, linewidth=2.5)
    _axes(ax)


def _curve() -> tuple[np.ndarray, np.ndarray]:
    rates = np.linspace(0, 1, 100)
    return rates, 1 - 0.45 * np.exp(-4 * rates)


def targets(ax: Axes) -> None:
    """Draw a point of the accuracy-reject curve."""
    rates, accuracies = _curve()
    ax.plot(rates, accuracies, color=BLUE, linewidth=2.5)
    ax.hlines(0.9, 0, rates[38], color=GREY, linestyle="--")
    ax.vlines(rates[38], 0.52, 0.9, color=GREY, linestyle="--")
    ax.scatter(rates[38], 0.9, s=90, color=RED, zorder=3)
    _axes(ax)
    ax.set_ylim(0.52, 1.03)


def guarantees(ax: Axes) -> None:
    """Draw accuracies on new data, nearly all above the one that was asked for."""
    x = np.linspace(-3, 3, 200)
    density = np.exp(-(x**2) / 1.2)
    ax.fill_between(x, density, where=x >= -1.4, color=BLUE, alpha=0.75, linewidth=0)
    ax.fill_between(x, density, where=x <= -1.35, color=RED, linewidth=0)
    ax.axvline(-1.4, color="black", linestyle="--")
    _axes(ax)


def outliers(ax: Axes) -> None:
    """Draw a sample unlike all others."""
    ax.scatter(*(TWO_CLASSES[0] + [-0.6, -0.2]).T, s=14, color=BLUE, linewidths=0)
    ax.scatter(2.1, 0.7, s=110, marker="X", color=RED)
    ax.scatter(2.1, 0.7, s=750, facecolors="none", edgecolors=RED, linewidths=1.5)
    ax.set(xlim=(-3.4, 3), ylim=(-1.7, 1.7))


def monitor(ax: Axes) -> None:
    """Draw evidence that grows until an alarm."""
    days = np.arange(60)
    wiggle = 0.25 * np.random.default_rng(1).normal(size=60).cumsum()
    ax.plot(days, wiggle - 0.03 * days + 0.28 * (days - 35).clip(0), color=BLUE, linewidth=2)
    ax.axhline(3.2, color=RED, linestyle="--")
    _axes(ax)


def streams(ax: Axes) -> None:
    """Draw certainties whose level changes, and a threshold that follows it."""
    times, rng = np.arange(240), np.random.default_rng(1)
    level = np.where(times < 120, 1.0, 0.1)
    ax.scatter(times, level + 0.35 * rng.normal(size=240), s=9, color=BLUE, linewidths=0)
    follows = np.where(times < 120, 0.75, -0.15 + 0.9 * np.exp(-(times - 120) / 18))
    ax.plot(times, follows, color=RED, linewidth=2.5)


def local_or_global(ax: Axes) -> None:
    """Draw two cells, each with a threshold of its own, and one for both."""
    x = np.linspace(0, 10, 300)
    for row, (middle, width, own) in enumerate(((3, 1, 1.6), (6.5, 1.6, 4.4))):
        density = np.exp(-(((x - middle) / width) ** 2))
        ax.fill_between(x, 1.2 * row, 1.2 * row + density, color=(BLUE, GREEN)[row], alpha=0.6)
        ax.vlines(own, 1.2 * row, 1.2 * row + 1, color=RED, linewidth=2.5)
    ax.axvline(3.1, color=GREY, linestyle="--")


def _grid(ax: Axes, colours: np.ndarray) -> None:
    """Draw a table by the colours of its entries."""
    for (row, column), colour in np.ndenumerate(colours):
        ax.add_patch(Rectangle((column, -row), 0.92, 0.86, color=colour))
    n_rows, n_columns = colours.shape
    ax.set(xlim=(-0.5, n_columns + 0.4), ylim=(-n_rows + 0.8, 1.1))


def missing_values(ax: Axes) -> None:
    """Draw a table with holes."""
    is_there = np.random.default_rng(2).random((5, 9)) > 0.25
    _grid(ax, np.where(is_there, SKY, "#eeeeee"))


def tables(ax: Axes) -> None:
    """Draw a table whose last column is answered."""
    colours = np.full((5, 8), "#cccccc")
    colours[:, -1] = [GREEN, BLUE, GREEN, RED, BLUE]
    colours[0, :-1] = "#888888"
    _grid(ax, colours)


def _text(ax: Axes, text: str, size: int = 13, colour: str = "black", x: float = 0.5) -> None:
    style = {"ha": "center", "va": "center", "fontsize": size, "color": colour}
    ax.text(x, 0.5, text, family="monospace", transform=ax.transAxes, **style)


def saving(ax: Axes) -> None:
    """Draw a file."""
    ax.add_patch(FancyBboxPatch((0.36, 0.14), 0.28, 0.72, "round,pad=0.02", fc="white", ec=GREY))
    for height in (0.72, 0.6, 0.48):
        ax.hlines(height, 0.4, 0.6, color=SKY, linewidth=4)
    ax.text(0.5, 0.26, ".abstain", ha="center", family="monospace", fontsize=11)
    ax.set(xlim=(0, 1), ylim=(0, 1))


def command_line(ax: Axes) -> None:
    """Draw a terminal."""
    ax.add_patch(Rectangle((0, 0), 1, 1, color="#24292f", transform=ax.transAxes))
    lines = [("$ abstain fit known.csv", "white"), ("$ abstain predict new.csv", "white")]
    lines += [("  152 answered, 17 rejected", "#7ee787")]
    for row, (line, colour) in enumerate(lines):
        ax.text(0.05, 0.75 - 0.25 * row, line, family="monospace", color=colour, va="center")


def worklists(ax: Axes) -> None:
    """Draw a list of cases of which some have an answer."""
    for row in range(5):
        y = 0.84 - 0.18 * row
        ax.add_patch(Rectangle((0.08, y - 0.05), 0.56, 0.09, color=LIGHT))
        colour = (BLUE, YELLOW, BLUE)[row] if row < 3 else "white"
        box = Rectangle((0.72, y - 0.05), 0.2, 0.09, facecolor=colour, edgecolor=GREY)
        ax.add_patch(box)
    ax.set(xlim=(0, 1), ylim=(0, 1))


def scale(ax: Axes) -> None:
    """Draw blocks of data on several workers."""
    for worker in range(3):
        for block in range(4):
            box = Rectangle((block * 0.9, worker), 0.8, 0.7, color=(BLUE, GREEN, YELLOW)[worker])
            ax.add_patch(box)
        ax.annotate("", (5.4, 1.35), (3.8, worker + 0.35), arrowprops={"arrowstyle": "->"})
    ax.scatter(5.8, 1.35, s=420, color=RED)
    ax.set(xlim=(-0.4, 6.6), ylim=(-0.3, 3))


def coming_from(ax: Axes) -> None:
    """Draw one term for another."""
    _text(ax, "coverage", 13, GREY, 0.24)
    _text(ax, "→", 22, RED)
    _text(ax, "1 − reject\nrate", 13, BLUE, 0.78)


def metrics(ax: Axes) -> None:
    """Draw the area under a curve."""
    rates, accuracies = _curve()
    ax.fill_between(rates, 1 - accuracies, color=SKY, alpha=0.6)
    ax.plot(rates, 1 - accuracies, color=BLUE, linewidth=2.5)
    _axes(ax)


def plotting(ax: Axes) -> None:
    """Draw a confusion matrix with a column of rejects."""
    shares = np.array([[8, 1, 0, 0, 3], [1, 7, 1, 0, 4], [0, 1, 9, 0, 2], [1, 0, 0, 8, 3]])
    blues = colormaps["Blues"]
    _grid(ax, np.vectorize(lambda share: to_hex(blues(0.12 + share / 11)))(shares))


def report(ax: Axes) -> None:
    """Draw a page with tiles, a curve and a slider."""
    for tile, colour in enumerate((BLUE, GREEN, RED, GREY)):
        ax.add_patch(Rectangle((0.05 + 0.235 * tile, 0.74), 0.2, 0.2, color=colour, alpha=0.8))
    rates, accuracies = _curve()
    ax.plot(0.05 + 0.9 * rates, accuracies * 0.85 - 0.22, color=BLUE, linewidth=2.5)
    ax.hlines(0.08, 0.05, 0.95, color=LIGHT, linewidth=5)
    ax.scatter(0.36, 0.08, s=110, color=RED, zorder=3)
    ax.set(xlim=(0, 1), ylim=(0, 1))


def datasets(ax: Axes) -> None:
    """Draw the pearl necklace."""
    pearls = np.random.default_rng(0)
    for place, width, colour in zip(
        range(5), (0.08, 0.4, 0.08, 0.3, 0.12), necklace.COLOURS, strict=True
    ):
        samples = pearls.normal([1.3 * place, 0], width, size=(60, 2))
        ax.scatter(*samples.T, s=10, color=colour, linewidths=0)
    ax.set(xlim=(-0.8, 6), ylim=(-1.3, 1.3))


def study(ax: Axes) -> None:
    """Draw curves with bands."""
    rates, accuracies = _curve()
    for shift, colour in ((0, BLUE), (-0.12, RED)):
        ax.fill_between(
            rates, accuracies + shift - 0.04, accuracies + shift + 0.04, color=colour, alpha=0.3
        )
        ax.plot(rates, accuracies + shift, color=colour, linewidth=2)
    _axes(ax)


def evidence(ax: Axes) -> None:
    """Draw differences with intervals."""
    for row, (value, width) in enumerate(((0.6, 0.2), (0.25, 0.3), (0.8, 0.15), (-0.05, 0.15))):
        ax.errorbar(value, -row, xerr=width, fmt="o", color=BLUE, capsize=4, linewidth=2)
    ax.axvline(0, color=GREY, linestyle="--")
    ax.set(xlim=(-0.6, 1.2), ylim=(-3.6, 0.6))


def quick_start(ax: Axes) -> None:
    """Draw two lines of code."""
    for height, code in ((0.68, "clf.fit(X, y)"), (0.32, "clf.reject(X_new)")):
        ax.text(0.08, height, code, family="monospace", fontsize=14, color=BLUE, va="center")


def examples(ax: Axes) -> None:
    """Draw many small pictures."""
    for tile in range(8):
        left, low = 0.06 + 0.23 * (tile % 4), 0.55 - 0.45 * (tile // 4)
        ax.add_patch(Rectangle((left, low), 0.19, 0.36, fc="white", ec="#aaaaaa"))
        x = np.linspace(0.03, 0.16, 30)
        line = 0.18 + 0.1 * np.sin((6 + 5 * tile) * x * 6 + tile)
        ax.plot(left + x, low + line, color=necklace.COLOURS[tile % 5], linewidth=1.8)
    ax.set(xlim=(0, 1), ylim=(0, 1))


CARDS: list[Callable[[Axes], None]] = [
    *(reject_option, models, certainty, cells, fronts, targets, guarantees, outliers, monitor),
    *(streams, local_or_global, missing_values, saving, command_line, worklists),
    *(scale, coming_from),
    *(metrics, plotting, report, tables, datasets, study, evidence, quick_start, examples),
]
