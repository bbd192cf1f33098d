"""What do the curves of a study look like?

One file per figure, in the style of the paper: contours of certainty on the artificial data, exact
and greedy thresholds, the accuracy-reject curves of the artificial, benchmark and medical sets, and
those of the variants of Tecator. Below each panel of curves, a strip shows their standard deviation
over the runs, or what exact thresholds are ahead of greedy ones. A dot is the accuracy without
rejects: where few training samples are misclassified, a curve whose thresholds are set on them is
short. Where hardly any are, thresholds are set out of fold, or a sentence says which curve there is
none of, and why.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.files import atomic_files
from abstain.certainty import measure_certainty
from abstain.models import GLVQ, RSLVQ
from abstain.plotting import CertaintyContourDisplay
from abstain.plotting._drawing import percent_tick
from abstain.study.curves import GRID, Curves, Setting
from abstain.study.experiments import CLASSIFIERS, PROBLEMS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Style = tuple[str, str, str]

BLUE, ORANGE, GREEN, BLACK = "#0072b2", "#d55e00", "#009e73", "#000000"
# Colour, line style and name of each curve in a panel.
GLOBAL, LOCAL = (ORANGE, "--", "global"), (BLUE, "-", "local")
SVM, BAYES = (GREEN, "-.", "SVM"), (BLACK, ":", "Bayes")
EXACT, GREEDY = (BLUE, "-", "exact"), (ORANGE, "--", "greedy")
# Inches: as wide as a page, so that letters are as large as those around the figure.
WIDTH, ROW = 7.5, 2.5
# A strip is a third as high as its panel.
HEIGHTS = [3, 1]
# The first reject rate above 0 at which curves are averaged.
SHORTEST = float(GRID[1])
# Contour levels of certainty.
LEVELS = np.linspace(0, 1, 11)


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
                figure.savefig(draft, dpi=160)
    return files


def _figure(n_rows: int, n_columns: int, row: float = ROW, **layout: Any) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, row * n_rows + 0.5), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, **layout)


def _panels(n_rows: int, n_columns: int, is_shared: bool) -> tuple[Figure, Any, Any]:
    """Return panels and the strips below them; those of a row may share their scales."""
    share = "row" if is_shared else "none"
    heights = {"height_ratios": HEIGHTS * n_rows}
    figure, axes = _figure(2 * n_rows, n_columns, ROW / 2, sharey=share, gridspec_kw=heights)
    panels, strips = axes[::2], axes[1::2]
    for panel, strip in zip(panels.flat, strips.flat, strict=True):
        strip.sharex(panel)
        panel.tick_params(labelbottom=False)
    for panel, first in zip(panels.flat, np.repeat(panels[:, 0], n_columns), strict=True):
        if is_shared and panel is not first:
            panel.sharex(first)
    return figure, panels, strips


def _names(kind: str) -> list[str]:
    return [n for n, problem in PROBLEMS.items() if problem.kind == kind and not problem.is_variant]


def _with_variants(name: str, sets: set[str]) -> list[str]:
    """Return a set and its variants, if any were run."""
    variants = [n for n, problem in PROBLEMS.items() if problem.is_variant and n.startswith(name)]
    return [name, *variants] if sets.intersection(variants) else []


def _curves(curves: Curves, names: list[str], is_medical: bool = False) -> Figure | None:
    """Draw a row for each set and a panel for each model; medical sets have one model."""
    models = ["gmlvq"] if is_medical else ["rslvq", "gmlvq", "lgmlvq"]
    shown = [(n, m) for n in names for m in models if curves.has(Setting(n, m))]
    if not shown:
        return None
    rows = list(dict.fromkeys(name for name, _ in shown))
    columns = [model for model in models if model in {other for _, other in shown}]
    places = {(n, m): (rows.index(n), columns.index(m)) for n, m in shown}
    if is_medical:  # two sets side by side
        places = {key: divmod(number, 2) for number, key in enumerate(shown)}
    n_rows, n_columns = (1 + max(place) for place in zip(*places.values(), strict=True))
    figure, panels, strips = _panels(n_rows, n_columns, is_shared=not is_medical)
    for (name, model), place in places.items():
        _draw_model(curves, Setting(name, model), panels[place], strips[place])
    unused = [ax for ax in [*panels.flat, *strips.flat] if not ax.lines]
    for ax in unused:
        ax.set_visible(False)
    _finish(figure, panels, strips, "std, points")
    return figure


def _draw_model(curves: Curves, setting: Setting, panel: Axes, strip: Axes) -> None:
    """Draw the curves of a model on a set, those of the SVM and, where it is known, of Bayes."""
    name, model = setting.set, setting.model
    out_of_fold = setting._replace(source="out of fold")
    # Where the training part is separated, thresholds set on it reject hardly anything.
    is_out_of_fold = PROBLEMS[name].is_separable and curves.has(out_of_fold)
    setting = out_of_fold if is_out_of_fold else setting
    local, svm = setting._replace(cells="local"), Setting(name, "svm", source=setting.source)
    lines = [
        (setting, GLOBAL),
        (local, LOCAL),
        (svm if curves.has(svm) else Setting(name, "svm"), SVM),
        (Setting(name, "bayes"), BAYES),
    ]
    for line, style in lines:
        if curves.has(line):
            _, mean, std, _ = curves.averaged(line)
            _draw(panel, mean, curves.at_no_rejects(line), style)
            strip.plot(GRID, 100 * std, color=style[0], linestyle=style[1], linewidth=1.2)
    how = ", out of fold" if is_out_of_fold else ""
    panel.set_title(f"{PROBLEMS[name].title}:\n{CLASSIFIERS[model].title}{how}", fontsize=9)
    drawn = {style[2]: line for line, style in lines if curves.has(line)}
    _explain(panel, curves, drawn)


def _draw(ax: Axes, mean: Floats, at_no_rejects: float, style: Style) -> None:
    colour, dashes, name = style
    ax.plot(GRID, mean, color=colour, linestyle=dashes, linewidth=1.6, label=name)
    ax.plot(GRID[0], at_no_rejects, "o", color=colour, markersize=4, clip_on=False)


def _explain(ax: Axes, curves: Curves, drawn: dict[str, Setting]) -> None:
    """Say of which lines there is no curve, and why."""
    shares = {
        name: curves.share_that_ends_before(setting, SHORTEST)
        for name, setting in drawn.items()
        if not _end(curves.averaged(setting).mean)
    }
    if not shares:
        return
    *names, last = shares
    named = f"{', '.join(names)} or {last}" if names else last
    least, most = (f"{100 * share:.0f}" for share in (min(shares.values()), max(shares.values())))
    how_many = least if least == most else f"{least} to {most}"
    _note(ax, f"no {named} curve:\nnothing is rejected\nin {how_many}% of the runs")


def _note(ax: Axes, text: str) -> None:
    """Write into the lower right corner of a panel."""
    place: dict[str, Any] = {"transform": ax.transAxes, "ha": "right", "in_layout": False}
    behind = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1.5}
    ax.text(0.98, 0.05, text, fontsize=7.5, color="0.3", bbox=behind, **place)


def _join_empty_strips(panels: Any, strips: Any) -> None:
    """Let panels have the room of their strips where no panel of a row has a curve."""
    for own, below in zip(panels, strips, strict=True):
        if any(_ends(ax) for ax in own):
            continue
        for panel, strip in zip(own, below, strict=True):
            rows, place = strip.get_subplotspec().rowspan, panel.get_subplotspec()
            grid = place.get_gridspec()
            panel.set_subplotspec(grid[place.rowspan.start : rows.stop, place.colspan.start])
            panel.tick_params(labelbottom=panel.get_visible())
            strip.set_visible(False)


def _ends(ax: Axes) -> list[float]:
    """Return the last reject rates of the curves in a panel, of those that have one."""
    means: list[Any] = [line.get_ydata() for line in ax.lines]
    return [end for mean in means if len(mean) == len(GRID) and (end := _end(mean))]


def _end(mean: Floats) -> float:
    """Return the last reject rate at which a curve has a value."""
    return float(GRID[~np.isnan(mean)].max(initial=0.0))


def _greedy(curves: Curves) -> Figure | None:
    """Draw the curves of exact and greedy thresholds on the training part."""
    models = ["gmlvq", "lgmlvq"]
    names = [n for n in PROBLEMS if curves.has(*(Setting(n, m, "local") for m in models))]
    names = [n for n in names if n in (*_names("artificial"), *_names("benchmark"))]
    if not names:
        return None
    figure, panels, strips = _panels(len(names), len(models), is_shared=True)
    for row, name in enumerate(names):
        for column, model in enumerate(models):
            panel, exact = panels[row, column], Setting(name, model, "local", part="training")
            means = []
            for setting, style in ((exact, EXACT), (exact._replace(method="greedy"), GREEDY)):
                means.append(curves.averaged(setting).mean)
                _draw(panel, means[-1], curves.at_no_rejects(setting), style)
            strips[row, column].plot(GRID, 100 * (means[0] - means[1]), color=BLUE, linewidth=1.2)
            panel.set_title(f"{PROBLEMS[name].title}: {CLASSIFIERS[model].title}", fontsize=9)
            drawn = {"exact": exact, "greedy": exact._replace(method="greedy")}
            _explain(panel, curves, drawn)
    _finish(figure, panels, strips, "lead, points")
    return figure


def _finish(figure: Figure, panels: Any, strips: Any, strip_label: str) -> None:
    for panel, strip in zip(panels.flat, strips.flat, strict=True):
        # Panels end where their curves do, so that short curves can be seen.
        ends = [end for ax in panel.get_shared_x_axes().get_siblings(panel) for end in _ends(ax)]
        panel.set_xlim(0, max([SHORTEST, *ends]))
        if not ends:
            panel.set_xticks([0])
        panel.yaxis.set_major_formatter(percent_tick)
        strip.xaxis.set_major_formatter(percent_tick)
        strip.set_ylim(bottom=0)
        for ax in (panel, strip):
            ax.grid(alpha=0.3)
            ax.tick_params(labelsize=8)
            if ends:
                ax.locator_params(axis="x", nbins=5)
            ax.locator_params(axis="y", nbins=5 if ax is panel else 2)
            ax.spines[["top", "right"]].set_visible(False)
    _join_empty_strips(panels, strips)
    for first, below in zip(panels[:, 0], strips[:, 0], strict=True):
        first.set_ylabel("accuracy of\nthe answers", fontsize=9)
        below.set_ylabel(strip_label, fontsize=8)
    figure.align_ylabels()
    figure.supxlabel("reject rate", fontsize=10)
    handles = {
        name: handle
        for ax in panels.flat
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside upper center",
        ncols=len(handles),
        frameon=False,
        fontsize=9,
        handlelength=3,
    )


def _contours(names: list[str]) -> Figure | None:
    """Draw the certainty of Bayes, Conf and RelSim on the plane."""
    if not names:
        return None
    figure, panels = _figure(len(names), 3)
    for row, name in zip(panels, names, strict=True):
        X, y, true_model = PROBLEMS[name].draw(0)
        models = {
            "Bayes": (true_model, "conf"),
            "Conf of RSLVQ": (RSLVQ(n_prototypes_per_class=1, random_state=0).fit(X, y), "conf"),
            "RelSim of GLVQ": (GLVQ(n_prototypes_per_class=1, random_state=0).fit(X, y), "relsim"),
        }
        edges = [np.quantile(column, [0.005, 0.995]) for column in X.T]
        margins = [0.1 * np.ptp(edge) for edge in edges]
        grid = [
            np.linspace(low - margin, high + margin, 200)
            for (low, high), margin in zip(edges, margins, strict=True)
        ]
        points = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 2)
        for ax, (title, (model, certainty)) in zip(row, models.items(), strict=True):
            display = CertaintyContourDisplay(
                grid=(grid[0], grid[1]),
                certainty=measure_certainty(model, points, certainty).reshape(200, 200),
                axis_names=("", ""),
                classes=np.unique(y),
                samples=X,
                labels=y,
                prototypes=getattr(model, "prototypes_", None),
                prototype_labels=getattr(model, "prototype_labels_", None),
            )
            display.plot(ax, levels=LEVELS, colorbar=False, legend=False, scatter_kwargs={"s": 6})
            ax.set_xlabel("")
            ax.set_title(f"{PROBLEMS[name].title}:\n{title}", fontsize=9)
            ax.tick_params(labelsize=7)
            _count_outside(ax, display.prototypes)
    figure.colorbar(display.contours_, ax=panels, location="bottom", shrink=0.6, label="certainty")
    return figure


def _count_outside(ax: Axes, prototypes: Floats | None) -> None:
    """Say how many prototypes lie beyond the edges of a panel."""
    if prototypes is None:
        return
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    n_outside = int(((prototypes < low) | (prototypes > high)).any(axis=1).sum())
    if n_outside:
        _note(ax, f"{n_outside} of {len(prototypes)} prototypes lie outside")
