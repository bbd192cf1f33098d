"""How do local and global thresholds compare at a glance?

Colours differ in hue and every series has a marker or a style of line of its own.
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, PercentFormatter, StrMethodFormatter

from abstain._files import whole_files
from local.comparing import N_ERRORS, NECKLACE_COVERAGE, on_new_samples, usual
from local.samples import N_CALIBRATION
from local.tables import LABELS
from local.trying import CLASSIFIERS, COVERAGES, SIZES, SWEEP, Record

BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"
MARKERS = ["o", "s", "^", "D", "v"]
GAIN = "local minus global, points"


def draw(results: Record, folder: Path) -> None:
    """Draw the pictures of docs/local-thresholds.md."""
    folder.mkdir(exist_ok=True)
    draw_necklaces(results["necklaces"], folder / "local-necklace.png")
    draw_sources(results["pairs"], folder / "local-cv.png")
    draw_errors(results["pairs"], folder / "local-errors.png")
    draw_sizes(results, folder / "local-min-cell-size.png")


def draw_necklaces(rows: list[Record], path: Path) -> None:
    """Draw the mean curves on the pearl necklaces with a band of one standard deviation."""
    figure = Figure(figsize=(8.4, 3.8), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    titles = {"GMLVQ": "GMLVQ()", "GMLVQ, identity": "GMLVQ(beta=None)"}
    for ax, classifier in zip(panels, titles, strict=True):
        (row,) = (r for r in rows if (r["classifier"], r["source"]) == (classifier, "cv"))
        one, own = row["curves"]
        for curve, name, colour, style in [
            (own, "a threshold for each prototype", BLUE, "-"),
            (one, "one threshold for all", ORANGE, "--"),
        ]:
            mean, sd = np.array(curve["mean"]), np.array(curve["sd"])
            ax.fill_between(COVERAGES, mean - sd, mean + sd, color=colour, alpha=0.15, linewidth=0)
            ax.plot(COVERAGES, mean, color=colour, linestyle=style, linewidth=2, label=name)
        ax.axvline(NECKLACE_COVERAGE, color="0.5", linewidth=1, linestyle=":")
        ax.set(title=titles[classifier], xlabel="test samples answered")
        ax.set(xlim=(1.0, 0.7), xticks=[1.0, 0.95, 0.9, 0.85, 0.8, 0.75])
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        tidy(ax)
    panels[0].set(ylabel="accuracy on those answered")
    panels[0].legend(loc="lower right", frameon=False)
    title = f"Pearl necklace, cv=5, mean ± standard deviation of {row['necklaces']} draws"
    figure.suptitle(title, fontsize=11)
    save(figure, path)


def draw_sources(rows: list[Record], path: Path) -> None:
    """Draw the gain on each set by where the thresholds come from."""
    classifiers = [name for name in CLASSIFIERS if name != "tree, full"]
    figure = Figure(figsize=(10.0, 5.4), layout="constrained")
    panels = figure.subplots(1, len(classifiers), sharey=True, sharex=True)
    names = list(dict.fromkeys(row["set"] for row in rows))[::-1]
    for ax, classifier in zip(panels, classifiers, strict=True):
        ax.axvline(0, color="0.5", linewidth=1)
        for source, colour, marker, shift in [
            ("training", ORANGE, "o", 0.24),
            ("cv", BLUE, "s", 0.0),
            ("held out", GREEN, "D", -0.24),
        ]:
            lines = [row for row in usual(rows, source) if row["classifier"] == classifier]
            ax.errorbar(
                [100 * row["area"][0] for row in lines],
                [names.index(row["set"]) + shift for row in lines],
                xerr=[100 * N_ERRORS * row["area"][1] for row in lines],
                fmt=marker,
                markersize=4.5,
                markerfacecolor="white" if source == "training" else colour,
                linewidth=1,
                color=colour,
                label=f"thresholds from {LABELS[source]}",
            )
        ax.set(title=classifier, yticks=range(len(names)), yticklabels=names, xlim=(-3.4, 4.6))
        tidy(ax)
    label = f"{GAIN} of test accuracy, mean over coverages of 0.5 to 1, ± 2 standard errors"
    figure.supxlabel(label, fontsize=10)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
    save(figure, path)


def draw_errors(rows: list[Record], path: Path) -> None:
    """Draw the gain by how many calibration errors there are for each threshold."""
    figure = Figure(figsize=(8.4, 4.4), layout="constrained")
    ax = figure.subplots()
    ax.axhline(0, color="0.5", linewidth=1)
    colours = {"pearl necklace": GREEN, "covtype": BLUE, "gaussian clusters": ORANGE}
    colours |= {"digits": "black", "other sets": "0.55"}
    for (name, colour), marker in zip(colours.items(), MARKERS, strict=True):
        line: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 6, "linestyle": ""}
        ax.plot([], [], label=name, **line)
        for row in on_new_samples(rows):
            if (row["set"] if row["set"] in colours else "other sets") == name:
                face = "none" if row["area_verdict"] == "level" else colour
                x, y = row["errors"] / row["cells"], 100 * row["area"][0]
                ax.plot(x, y, markerfacecolor=face, **line)
    ax.set(xscale="log", xlabel="errors among the calibration samples, per cell", ylabel=GAIN)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    ax.legend(loc="upper left", frameon=False, title="filled: noticeable")
    tidy(ax)
    save(figure, path)


def draw_sizes(results: Record, path: Path) -> None:
    """Draw the gain by calibration samples, and what is promised, by min_cell_size."""
    figure = Figure(figsize=(10.0, 4.0), layout="constrained")
    *panels, last = figure.subplots(1, 3)
    for ax, classifier in zip(panels, ["GMLVQ, 3 a class", "tree, leaves of 5"], strict=True):
        draw_sweep(results["pairs"], classifier, ax)
    panels[0].set(ylabel=GAIN)
    panels[0].legend(title="min_cell_size", loc="lower right", frameon=False)
    shades = [BLUE, BLUE, GREEN, ORANGE, ORANGE]
    for classifier, marker, colour in zip(CLASSIFIERS, MARKERS, shades, strict=True):
        too_much = [
            100 * row["promised_too_much"][1]
            for row in results["by_size"]
            if (row["source"], row["classifier"]) == ("cv", classifier)
        ]
        style = "--" if classifier in ("GMLVQ, 3 a class", "tree, full") else "-"
        line = {"color": colour, "linestyle": style, "marker": marker, "markersize": 5}
        last.plot(range(len(SIZES)), too_much, label=classifier, **line)
    last.set(title="all sets, cv=5", xlabel="min_cell_size", ylim=(0, None))
    last.set(ylabel="promised less delivered, points")
    last.set(xticks=range(len(SIZES)), xticklabels=SIZES)
    last.legend(loc="upper right", frameon=False)
    tidy(last)
    save(figure, path)


def draw_sweep(rows: list[Record], classifier: str, ax: Axes) -> None:
    """Draw the gain on covtype by calibration samples, a line for each min_cell_size."""
    ax.axhline(0, color="0.5", linewidth=1)
    colours = colormaps["viridis"](np.linspace(0, 0.8, len(SIZES)))
    for number, (size, colour) in enumerate(zip(SIZES, colours, strict=True)):
        lines = [
            (N_CALIBRATION if row["n"] is None else row["n"], *row["area"])
            for row in rows
            if (row["set"], row["classifier"], row["source"], row["size"])
            == ("covtype", classifier, "held out", size)
        ]
        n, mean, error = np.array(sorted(lines)).T
        ax.errorbar(
            n * 1.05 ** (number - len(SIZES) // 2),  # side by side
            100 * mean,
            yerr=100 * N_ERRORS * error,
            color=colour,
            marker=MARKERS[number],
            markersize=5,
            linewidth=1.3,
            elinewidth=0.8,
            label=f"{size}",
        )
    ax.set(title=f"covtype, {classifier}", xscale="log", xlabel="held-out calibration samples")
    ax.set(xticks=[*SWEEP, N_CALIBRATION])
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    tidy(ax)


def tidy(ax: Axes) -> None:
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)


def save(figure: Figure, path: Path) -> None:
    with whole_files(path) as (draft,):
        figure.savefig(draft, dpi=160)
