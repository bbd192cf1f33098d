"""What do the curves of a study look like?

One file per figure, in the style of the paper: contours of certainty on the artificial data, exact
and greedy thresholds, the accuracy-reject curves of the artificial, benchmark and medical sets with
bands of one standard deviation over the runs, and those of the variants of Tecator. A dot is the
accuracy without rejects: where few training samples are misclassified, a curve whose thresholds are
set on them is short. Where hardly any are, thresholds are set out of fold.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from abstain._core.files import atomic_files
from abstain.certainty import measure_certainty
from abstain.models import GLVQ, RSLVQ
from abstain.study.curves import Curves, Setting
from abstain.study.experiments import CLASSIFIERS, PROBLEMS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

BLUE, ORANGE, GREEN, BLACK = "#0072b2", "#d55e00", "#009e73", "#000000"
# Colour, line style and name of each curve in a panel.
GLOBAL, LOCAL = (ORANGE, "--", "global"), (BLUE, "-", "local")
SVM, BAYES = (GREEN, "-.", "SVM"), (BLACK, ":", "Bayes")
PANEL = 2.9
# Contour levels of certainty, and the markers of the classes.
LEVELS = np.linspace(0, 1, 11)
MARKERS = ["o", "^", "x", "+", "d"]


def draw_figures(curves: Curves, folder: Path) -> list[Path]:
    """Draw all figures that the records are enough for, and return their files."""
    sets = {setting.set for setting in curves.settings}
    makers: dict[str, Callable[[], Figure | None]] = {
        "contours.png": lambda: _contours([name for name in ("gaussian", "pearl") if name in sets]),
        "greedy.png": lambda: _greedy(curves),
        **{
            f"{kind}.png": partial(_curves, curves, _names(kind), kind == "medical")
            for kind in ("artificial", "benchmark", "medical")
        },
        "tecator.png": lambda: _curves(curves, _with_variants("tecator", sets)),
    }
    files = []
    for name, make in makers.items():
        figure = make()
        if figure is not None:
            files.append(folder / name)
            with atomic_files(files[-1]) as (draft,):
                figure.savefig(draft, dpi=130)
    return files


def _panels(
    n_rows: int, n_columns: int, share: Literal["none", "row"] = "none"
) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PANEL * n_columns + 0.4, 0.85 * PANEL * n_rows + 0.6))
    figure.set_layout_engine("constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, sharex=share, sharey=share)


def _names(kind: str) -> list[str]:
    return [n for n, problem in PROBLEMS.items() if problem.kind == kind and not problem.is_variant]


def _with_variants(name: str, sets: set[str]) -> list[str]:
    """Return a set and its variants, if any were run."""
    variants = [n for n, problem in PROBLEMS.items() if problem.is_variant and n.startswith(name)]
    return [name, *variants] if sets.intersection(variants) else []


def _curves(curves: Curves, names: list[str], is_medical: bool = False) -> Figure | None:
    """Draw a row for each set, a panel for each model."""
    models = ["gmlvq"] if is_medical else ["rslvq", "gmlvq", "lgmlvq"]
    shown = [(n, m) for n in names for m in models if curves.has(Setting(n, m))]
    if not shown:
        return None
    names = list(dict.fromkeys(name for name, _ in shown))
    models = [model for model in models if model in {other for _, other in shown}]
    if is_medical:  # one model: the sets stand side by side
        figure, panels = _panels(1, len(names))
        places = {(name, "gmlvq"): panels[0, column] for column, name in enumerate(names)}
    else:
        figure, panels = _panels(len(names), len(models), share="row")
        places = {
            (name, model): panels[row, column]
            for row, name in enumerate(names)
            for column, model in enumerate(models)
        }
    for (name, model), ax in places.items():
        setting = Setting(name, model)
        out_of_fold = setting._replace(source="out of fold")
        # Where the training part is separated, thresholds set on it reject hardly anything.
        is_out_of_fold = PROBLEMS[name].is_separable and curves.has(out_of_fold)
        setting = out_of_fold if is_out_of_fold else setting
        svm = Setting(name, "svm", source=setting.source)
        lines = [
            (setting, GLOBAL),
            (setting._replace(cells="local"), LOCAL),
            (svm if curves.has(svm) else Setting(name, "svm"), SVM),
            (Setting(name, "bayes"), BAYES),
        ]
        for line, style in lines:
            if curves.has(line):
                _draw(ax, curves, line, *style)
        how = ", out of fold" if is_out_of_fold else ""
        ax.set_title(f"{PROBLEMS[name].title}: {CLASSIFIERS[model].title}{how}", fontsize=9)
    _finish(figure, list(places.values()))
    return figure


def _draw(ax: Axes, curves: Curves, setting: Setting, colour: str, style: Any, label: str) -> None:
    grid, mean, std, _ = curves.averaged(setting)
    highest = np.minimum(mean + std, 1)
    ax.fill_between(grid, mean - std, highest, color=colour, alpha=0.12, linewidth=0)
    ax.plot(grid, mean, color=colour, linestyle=style, linewidth=1.6, label=label)
    ax.plot(grid[0], curves.at_no_rejects(setting), "o", color=colour, markersize=4, clip_on=False)


def _greedy(curves: Curves) -> Figure | None:
    """Draw the curves of exact and greedy thresholds on the training part."""
    models = ["gmlvq", "lgmlvq"]
    names = [n for n in PROBLEMS if curves.has(*(Setting(n, m, "local") for m in models))]
    names = [n for n in names if n in (*_names("artificial"), *_names("benchmark"))]
    if not names:
        return None
    figure, panels = _panels(len(models), len(names))
    for row, model in enumerate(models):
        for column, name in enumerate(names):
            ax, exact = panels[row, column], Setting(name, model, "local", part="training")
            _draw(ax, curves, exact, BLUE, "-", "exact")
            _draw(ax, curves, exact._replace(method="greedy"), ORANGE, "--", "greedy")
            ax.set_title(f"{PROBLEMS[name].title}: {CLASSIFIERS[model].title}", fontsize=9)
    _finish(figure, list(panels.flat), "accuracy, training part")
    return figure


def _finish(figure: Figure, panels: list[Axes], label: str = "accuracy") -> None:
    for ax in panels:
        # Panels end where their curves do, so that short curves can be seen.
        row = ax.get_shared_x_axes().get_siblings(ax)
        ax.set_xlim(0, max(0.1, *(_end(line) for other in row for line in other.lines)))
        ax.grid(alpha=0.3)
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("share of samples rejected", fontsize=10)
    figure.supylabel(label, fontsize=10)
    handles = {
        name: handle
        for ax in panels
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside upper center",
        ncols=len(handles),
        frameon=False,
        fontsize=9,
    )


def _end(line: Line2D) -> float:
    """Return the last reject rate at which a curve has a value."""
    x, y = (np.asarray(values, dtype=float) for values in line.get_data())
    return float(x[~np.isnan(y)].max(initial=0))


def _contours(names: list[str]) -> Figure | None:
    """Draw the certainty of Bayes, Conf and RelSim on the plane."""
    if not names:
        return None
    figure, panels = _panels(len(names), 3)
    for row, name in zip(panels, names, strict=True):
        X, y, true_model = PROBLEMS[name].draw(0)
        models = {
            "Bayes": (true_model, "conf"),
            "Conf of RSLVQ": (RSLVQ(random_state=0).fit(X, y), "conf"),
            "RelSim of GLVQ": (GLVQ(random_state=0).fit(X, y), "relsim"),
        }
        edges = [np.quantile(column, [0.005, 0.995]) for column in X.T]
        margins = [0.1 * np.ptp(edge) for edge in edges]
        axes = [
            np.linspace(low - margin, high + margin, 200)
            for (low, high), margin in zip(edges, margins, strict=True)
        ]
        points = np.stack(np.meshgrid(*axes), axis=-1)
        for ax, (title, (model, certainty)) in zip(row, models.items(), strict=True):
            values = measure_certainty(model, points.reshape(-1, 2), certainty)
            levels = ax.contourf(*axes, values.reshape(200, 200), LEVELS, cmap="Blues_r")
            for label, marker in zip(np.unique(y), MARKERS, strict=False):
                ax.plot(*X[y == label].T, marker, color="black", markersize=2, alpha=0.4)
            if hasattr(model, "prototypes_"):
                style = {"color": ORANGE, "markersize": 7, "markeredgecolor": "black"}
                ax.plot(*model.prototypes_.T, "s", **style)
            ax.set_title(f"{PROBLEMS[name].title}: {title}", fontsize=9)
            ax.set(xlim=axes[0][[0, -1]], ylim=axes[1][[0, -1]])
            ax.tick_params(labelsize=7)
    figure.colorbar(levels, ax=panels, shrink=0.6, label="certainty")
    return figure
