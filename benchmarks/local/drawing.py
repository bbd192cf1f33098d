"""How do the methods compare at a glance?

Colours differ in hue and every series has a marker of its own.
"""

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abstain._core.files import atomic_files
from local.summary import Record

__all__ = ["draw"]

STYLES: dict[str, Any] = {
    "pooled": {"color": "#0072b2", "marker": "o"},
    "logistic, τ by folds": {"color": "#009e73", "marker": "D"},
    "isotonic per cell": {"color": "#cc79a7", "marker": "^"},
    "hull, cells of 10": {"color": "0.45", "marker": "v"},
    "exact, cells of 10": {"color": "#d55e00", "marker": "s"},
}
DRAWN_SIZE = 600
GAIN = "gain over one threshold, points of test accuracy"


def draw(results: Record, folder: Path) -> None:
    """Draw the pictures of docs/local-thresholds.md."""
    folder.mkdir(exist_ok=True)
    rows = [row for row in results["by_method"] if row["sets"] == "all"]
    _draw_sizes(rows, folder / "local-sizes.png")
    _draw_sets(results["by_set"], folder / "local-sets.png")


def _draw_sizes(rows: list[Record], path: Path) -> None:
    """Draw mean gain and that of the worst pair, by the number of calibration samples."""
    figure = Figure(figsize=(8.4, 3.8), layout="constrained")
    mean, worst = figure.subplots(1, 2)
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    for name, style in STYLES.items():
        of_method = [row for row in rows if row["method"] == name]
        mean.plot(sizes, [row["gain"][0] for row in of_method], label=name, **style)
        worst.plot(sizes, [row["worst"]["gain"][0] for row in of_method], label=name, **style)
    for ax, title in [(mean, "mean of all pairs"), (worst, "worst pair")]:
        ax.axhline(0, color="0.5", linewidth=1)
        ax.set(title=title, xscale="log", xlabel="calibration samples")
        ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
        ax.minorticks_off()
        _tidy(ax)
    mean.set(ylabel="gain over one threshold, points")
    worst.legend(loc="lower right", frameon=False)
    _save(figure, path)


def _draw_sets(rows: list[Record], path: Path) -> None:
    """Draw the gain on each set, the mean of four classifiers."""
    rows = [row for row in rows if row["size"] == DRAWN_SIZE]
    rows = sorted(rows, key=lambda row: float(row["gains"]["pooled"][0]))
    figure = Figure(figsize=(8.4, 6.2), layout="constrained")
    ax = figure.subplots()
    ax.axvline(0, color="0.5", linewidth=1)
    names = ["pooled", "isotonic per cell", "exact, cells of 10"]
    for shift, name in zip([0.2, 0.0, -0.2], names, strict=True):
        gains = [row["gains"][name] for row in rows]
        ax.errorbar(
            [mean for mean, _ in gains],
            [place + shift for place in range(len(rows))],
            xerr=[2 * error for _, error in gains],
            linestyle="",
            linewidth=1,
            markersize=5,
            label=name,
            **STYLES[name],
        )
    ax.set_yticks(range(len(rows)), [row["set"] for row in rows])
    ax.set(xlabel=f"{GAIN}, ± 2 standard errors")
    ax.set(title=f"{DRAWN_SIZE} calibration samples, mean of four classifiers")
    ax.legend(loc="lower right", frameon=False)
    _tidy(ax)
    _save(figure, path)


def _tidy(ax: Axes) -> None:
    ax.grid(color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def _save(figure: Figure, path: Path) -> None:
    with atomic_files(path) as (draft,):
        figure.savefig(draft, dpi=160)
