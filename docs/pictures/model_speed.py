"""How accurate is a model after how much time, in each library and setting?"""

import json
from pathlib import Path

import necklace
from matplotlib import pyplot as plt

ROOT = Path(necklace.__file__).resolve().parents[2]  # a build has no name of this file
RECORD = ROOT / "docs" / "benchmarks" / "models.json"
MODELS = ["GLVQ", "GMLVQ", "LGMLVQ", "RSLVQ"]
SETS = ["segment", "breast cancer", "digits"]
STYLES = {
    "abstain": ("C0", "o"),
    "prosemble": ("C1", "s"),
    "prototorch": ("C2", "^"),
    "sklearn_lvq": ("C4", "v"),
    "sklvq": ("C5", "D"),
}


def draw(axes, library, settings):
    """Draw the settings that worked, from the fastest to the slowest."""
    working = [row for row in settings if "failure" not in row]
    points = sorted((1000 * row["processor_seconds"], row["accuracy"]) for row in working)
    color, marker = STYLES[library]
    axes.semilogx(*zip(*points, strict=True), color=color, marker=marker, label=library, ms=4)


peers = json.loads(RECORD.read_text(encoding="utf-8"))["peers"]
figure, grid = plt.subplots(4, 3, figsize=(9, 10), sharex="col", sharey="col", layout="constrained")
for model, row in zip(MODELS, grid, strict=True):
    for data_set, axes in zip(SETS, row, strict=True):
        fits = [fit for fit in peers if (fit["model"], fit["set"]) == (model, data_set)]
        for fit in fits:
            if any("failure" not in setting for setting in fit["settings"]):
                draw(axes, fit["library"], fit["settings"])
        (ours,) = (fit["our_settings"] for fit in fits if fit["library"] == "prosemble")
        draw(axes, "abstain", ours)
        axes.set_title(f"{model}, {data_set}", fontsize="medium")
        axes.grid(alpha=0.3)
for axes in grid[:, 0]:
    axes.set_ylabel("accuracy")
for axes in grid[-1]:
    axes.set_xlabel("processor time of a fit, ms")
for axes, lowest in zip(grid[0], (0.75, 0.85, 0.85), strict=True):
    axes.set_ylim(bottom=lowest)
handles, names = grid[0, 0].get_legend_handles_labels()
figure.legend(handles, names, loc="outside lower center", ncols=len(STYLES))
