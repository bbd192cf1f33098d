"""How accurate are the answers while data drift, and how many rows are answered?"""

import json
from pathlib import Path

import necklace
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

ROOT = Path(necklace.__file__).resolve().parents[2]  # a build has no name of this file
RECORD = json.loads((ROOT / "docs" / "benchmarks" / "drift.json").read_text(encoding="utf-8"))
COLOURS = necklace.COLOURS
STYLES = {
    "as fitted": ("as fitted", necklace.GLOBAL, "--"),
    "outliers": ("outliers rejected", COLOURS[4], "-."),
    "recalibrated": ("… and recalibrated", COLOURS[1], "-"),
    "fitted again": ("… and fitted again", COLOURS[2], "-"),
    "newest calibrate": ("… and fitted again, newest rows calibrate", necklace.LOCAL, "-"),
}
# Of so few answers, no accuracy is shown.
LEAST_ANSWERED = 0.005

sets = {row["set"]: row["promised"] for row in RECORD["rows"]}
figure, axes = plt.subplots(
    2, len(sets), figsize=(11, 6), sharex="col", sharey="row", layout="constrained"
)
for (accuracy, coverage), (name, promised) in zip(axes.T, sets.items(), strict=True):
    rows = [row for row in RECORD["rows"] if row["set"] == name]
    for row in rows:
        title, colour, line = STYLES[row["arm"]]
        chunks = row["by_chunk"]
        middles = np.add(chunks["start"], chunks["end"]) / 2
        answered = np.array(chunks["answered"])
        shown = np.where(answered < LEAST_ANSWERED, np.nan, np.array(chunks["accuracy"], float))
        style = {"color": colour, "linestyle": line, "marker": ".", "linewidth": 1.3}
        accuracy.plot(middles, shown, **style)
        coverage.plot(middles, answered, label=title, **style)
    for alarms in rows[-1]["alarms"]:  # the first of each run, which these ways have in common
        accuracy.axvline(alarms[0] if alarms else -1, 0, 0.06, color="black", linewidth=1.2)
    accuracy.axhline(promised, color="black", linewidth=0.8, linestyle=":")
    accuracy.set(title=f"{name}, promised {promised:.0%}", xlim=(min(chunks["start"]), None))
    coverage.set_xlabel("rows")
    coverage.xaxis.set_major_locator(MaxNLocator(4))
    coverage.xaxis.set_major_formatter(FuncFormatter(lambda place, _: f"{place:,.0f}"))
axes[0, 0].set(ylabel="accuracy of the answers", ylim=(0.3, 1.01))
axes[1, 0].set(ylabel="answered rows", ylim=(-0.02, 1.02))
for ax in axes[:, 0]:
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
figure.legend(*axes[1, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
