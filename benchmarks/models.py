"""How accurate are the models, and how long do they take to fit, beside other LVQ libraries?

One prototype a class, ten folds, one thread. Every library is run in a process, and if need be an
environment, of its own, on the same folds. A peer is tried with a few settings: what counts is the
fastest of those within 0.01 of its best accuracy. Right after it our model fits the same folds, by
its defaults and in other settings, so that every figure is a ratio of two times measured side by
side: ``ratio`` for our defaults, ``matched_ratio`` for our fastest setting that is no less
accurate than the peer. A setting that has used up its budget of processor time begins no further
fold.

``python benchmarks/models.py`` prints the tables and writes ``docs/benchmarks/models.json``. Rows
that are done are kept in ``build/``: a run that was stopped goes on where it was. With fewer
``--folds`` nothing is written.
"""

import argparse
import json
import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any

from environments import PeerError
from keeping import KeptRows
from peers.folds import N_FOLDS, SETS, write_folds
from peers.running import Task, describe, measure, measure_settings, python_of
from peers.tables import show

from abstain._core.files import atomic_files

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "models.json"
DATA = ROOT.parent / "shared" / "data"
CACHE = ROOT / "build" / "benchmarks" / "models"

PEERS = ["sklvq", "sklearn_lvq", "prosemble", "prototorch"]
PEER_SETS = ["segment", "breast cancer", "digits"]
ACCURACY_SLACK = 0.01

# The least accuracy that each model is held to.
ACCURACY_BARS = {
    ("segment", "GMLVQ"): 0.93,
    ("segment", "LGMLVQ"): 0.955,
    ("segment", "RSLVQ"): 0.93,
    ("breast cancer", "GMLVQ"): 0.96,
    ("breast cancer", "LGMLVQ"): 0.965,
    ("digits", "GMLVQ"): 0.96,
    ("digits", "LGMLVQ"): 0.975,
    ("coil20", "LGMLVQ"): 0.99,
}
# How many times as long as ours the fastest peer shall take.
SPEED_BARS = {"GLVQ": 2.0, "GMLVQ": 5.0, "LGMLVQ": 5.0, "RSLVQ": 5.0}

Row = dict[str, Any]


def mean_of(folds: list[Row], name: str) -> float:
    return fmean(fold[name] for fold in folds)


def summary(folds: list[Row]) -> Row:
    """Return the figures of some folds."""
    seconds = [fold["seconds"] for fold in folds]
    return {
        "folds": len(folds),
        "accuracy": mean_of(folds, "accuracy"),
        "accuracy_deviation": pstdev(fold["accuracy"] for fold in folds),
        "seconds": fmean(seconds),
        "least_seconds": min(seconds),
        "median_seconds": median(seconds),
        "processor_seconds": mean_of(folds, "processor_seconds"),
        # The very first also imports; the median leaves that out, but not what each one compiles.
        "first_fit_seconds": median(fold["first_fit_seconds"] for fold in folds),
        "not_converged": sum(not fold["converged"] for fold in folds),
    }


def accuracy_row(task: Task) -> Row:
    """Return how one of the models at hand does on a data set."""
    bar = ACCURACY_BARS.get((task.folds.stem, task.model))
    try:
        row = summary(measure(task))
    except PeerError as error:
        return {"failure": str(error), "bar": bar}
    return row | {"bar": bar}


def try_setting(task: Task) -> tuple[Row, list[Row]]:
    """Return the figures of one setting of a peer, and its folds; none if it failed."""
    try:
        folds = measure(task)
    except PeerError as error:
        return {"setting": task.setting, "failure": str(error)}, []
    return {"setting": task.setting, **summary(folds)}, folds


def choose(tried: dict[str, list[Row]]) -> str:
    """Return the fastest setting that is not far from the most accurate, on the folds of all."""
    shared = min(len(folds) for folds in tried.values())
    accuracy = {name: mean_of(folds[:shared], "accuracy") for name, folds in tried.items()}
    good = [name for name in tried if accuracy[name] >= max(accuracy.values()) - ACCURACY_SLACK]
    return min(good, key=lambda name: mean_of(tried[name][:shared], "processor_seconds"))


def peer_row(task: Task, settings: list[str]) -> Row:
    """Return how a peer's model does in its best setting, and ours on the same folds."""
    trials = [try_setting(task._replace(setting=name)) for name in settings]
    rows = [row for row, _ in trials]
    tried = {row["setting"]: folds for row, folds in trials if folds}
    if not tried:
        return {"failure": rows[0]["failure"], "settings": rows}
    setting = choose(tried)
    peer = summary(tried[setting])
    own_task = Task("abstain", task.model, "defaults", task.folds, peer["folds"])
    settings = describe("abstain")["settings"][task.model]
    own = {name: summary(rows) for name, rows in measure_settings(own_task, settings).items()}
    ours = own["defaults"]
    return {
        "setting": setting,
        **peer,
        "our_accuracy": ours["accuracy"],
        "our_seconds": ours["seconds"],
        "our_processor_seconds": ours["processor_seconds"],
        "our_first_fit_seconds": ours["first_fit_seconds"],
        "ratio": peer["processor_seconds"] / ours["processor_seconds"],
        "wall_ratio": peer["seconds"] / ours["seconds"],
        "first_fit_ratio": peer["first_fit_seconds"] / ours["first_fit_seconds"],
        **matched(peer, own),
        "settings": rows,
        "our_settings": [{"setting": name, **row} for name, row in own.items()],
    }


def matched(peer: Row, own: dict[str, Row]) -> Row:
    """Return our fastest setting that is no less accurate than the peer; None if none is."""
    good = [name for name, row in own.items() if row["accuracy"] >= peer["accuracy"]]
    if not good:
        return dict.fromkeys(["matched_setting", "matched_accuracy", "matched_ratio"])
    fastest = min(good, key=lambda name: own[name]["processor_seconds"])
    return {
        "matched_setting": fastest,
        "matched_accuracy": own[fastest]["accuracy"],
        "matched_ratio": peer["processor_seconds"] / own[fastest]["processor_seconds"],
    }


def verdicts(rows: list[Row]) -> list[Row]:
    """Return, for each data set and model, whether the claim holds against the fastest peer."""
    claims = []
    for data_set in PEER_SETS:
        for model, bar in SPEED_BARS.items():
            known = [row for row in rows if (row["set"], row["model"]) == (data_set, model)]
            working = [row for row in known if "failure" not in row]
            if not working:
                continue
            fastest = min(working, key=lambda row: row["processor_seconds"])
            hardest = min(working, key=lambda row: row["matched_ratio"] or 0.0)
            claims.append(
                {
                    "set": data_set,
                    "model": model,
                    "fastest_peer": fastest["library"],
                    "its_accuracy": fastest["accuracy"],
                    "our_accuracy": fastest["our_accuracy"],
                    "ratio": fastest["ratio"],
                    "first_fit_ratio": min(row["first_fit_ratio"] for row in working),
                    "hardest_peer": hardest["library"],
                    "matched_setting": hardest["matched_setting"],
                    "matched_ratio": hardest["matched_ratio"],
                    "ratio_bar": bar,
                    "holds": (hardest["matched_ratio"] or 0.0) >= bar,
                }
            )
    return claims


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    here, package = Path(__file__).parent, ROOT / "src" / "abstain"
    files = [Path(__file__), here / "environments.py", *here.glob("peers/**/*.*")]
    return [*files, *package.glob("models/*.py"), *package.glob("_*.py")]


class Run:
    """The rows of one run."""

    def __init__(self, kept: KeptRows, data: Path, n_folds: int, budget: float) -> None:
        self.kept, self.data, self.n_folds, self.budget = kept, data, n_folds, budget

    def row(self, library: str, model: str, data_set: str, make: Callable[[Task], Row]) -> Row:
        """Return the row of a combination."""
        folds = self.kept.samples(data_set, lambda draft: write_folds(data_set, self.data, draft))
        task = Task(library, model, "defaults", folds, self.n_folds, self.budget)
        title, size = f"{library} {model} on {data_set}", f"{self.n_folds}-{self.budget:g}"
        row = self.kept.row(title, size, lambda: make(task))
        return {"library": library, "model": model, "set": data_set, **row}

    def accuracies(self) -> list[Row]:
        """Return the rows of our models and of scikit-learn's, with no limit of time."""
        return [
            self.row(library, model, data_set, lambda task: accuracy_row(_unlimited(task)))
            for data_set in SETS
            for library in ("abstain", "sklearn")
            for model in describe(library)["models"]
        ]

    def comparisons(self, library: str) -> list[Row]:
        """Return the rows of a peer; a single one, with the reason, if it cannot be run."""
        try:
            known = describe(library)
        except PeerError as error:
            return [{"library": library, "model": "all", "set": "all", "failure": str(error)}]
        return [
            self.row(
                library, model, data_set, lambda task: peer_row(task, known["settings"][task.model])
            )
            for data_set in PEER_SETS
            for model in known["models"]
            if model in SPEED_BARS
        ]


def _unlimited(task: Task) -> Task:
    return task._replace(budget=float("inf"))


def versions(library: str) -> Row:
    try:
        known: Row = describe(library)["versions"]
    except PeerError as error:
        return {"failure": str(error)}
    return known


def collect(run: Run) -> Row:
    """Measure everything."""
    peers = [row for library in PEERS for row in run.comparisons(library)]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "versions": {name: versions(name) for name in ["abstain", *PEERS]},
        "folds": run.n_folds,
        "budget_seconds": run.budget,
        "accuracies": run.accuracies(),
        "peers": peers,
        "verdicts": verdicts(peers),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--prepare", action="store_true", help="only make the environments")
    parser.add_argument("--fresh", action="store_true", help="measure all rows again")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="fit so many of the ten folds")
    parser.add_argument(
        "--budget", type=float, default=60.0, help="processor seconds for each setting"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of segment.csv, coil20.npz")
    arguments = parser.parse_args()
    if arguments.prepare:
        for library in PEERS:
            python_of(library)
        return
    if not (arguments.data / "segment.csv").exists():
        parser.error(f"no segment.csv in {arguments.data}: name its folder with --data")
    kept = KeptRows(CACHE, code, arguments.fresh)
    try:
        results = collect(Run(kept, arguments.data, arguments.folds, arguments.budget))
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    show(results)
    if arguments.folds == N_FOLDS:
        with atomic_files(RESULTS) as (draft,):
            draft.write_text(json.dumps(results, indent=2) + "\n")
        print(f"written to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
