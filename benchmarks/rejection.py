"""How well, how fast and with how much code are thresholds chosen, beside other libraries?

The accuracy asked for is the same for all, and so are classifiers and draws of the data. Every
library is run in a process, and if need be an environment, of its own; on each draw the threshold
by hand is chosen in turn with it, so that ``ratio`` compares two times measured side by side: the
processor's, which others on the machine disturb less than the clock on the wall.

A method that refuses a draw, or answers nothing, has covered nothing of it. ``accuracy`` is that of
all answers to test samples. ``below_target`` is the share of draws whose answers fall short of what
was asked for; a test set of finite size may do so by chance, which ``clearly_below`` allows for:
the draws whose answers fall as short as one draw in twenty would, were the target just met.

Thresholds out of fold are then timed beside ``cross_val_predict`` with the same folds.

``python benchmarks/rejection.py`` prints the tables and writes ``docs/benchmarks/rejection.json``.
Rows that are done are kept in ``build/``: a run that was stopped goes on where it was. A method
that has used up its budget of seconds begins no further draw, however few it has had: ``seeds``
counts them. With ``--quick`` there are two draws and three rounds, and nothing is written.
"""

import argparse
import json
import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import numpy as np
from environments import PeerError
from keeping import KeptRows
from numpy.typing import NDArray
from peers.folds import load
from rejectors.out_of_fold import MODELS
from rejectors.problems import CALIBRATION_SHARE, CLASSIFIERS, N_SEEDS, TRAINING_SHARE
from rejectors.running import Task, describe, measure, python_of, time_out_of_fold
from rejectors.tables import show
from scipy.stats import binom

from abstain._files import whole_files

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "rejection.json"
DATA = ROOT.parent / "shared" / "data"
CACHE = ROOT / "build" / "benchmarks" / "rejection"

LIBRARIES = ["abstain", "scikit_fallback", "mapie", "sweep"]
# More than the classifiers reach unaided, and no more than the samples can certify.
TARGETS = {"digits": 0.98, "segment": 0.98, "breast cancer": 0.97}
CONFIDENCE = 0.9
N_SEEDS_OUT_OF_FOLD = 20
N_ROUNDS = 25
COST_BUDGET = 120.0
CHANCE = 0.05
# How many times as long as cross_val_predict thresholds out of fold may take.
COST_BAR = 1.1

Row = dict[str, Any]


class Size(NamedTuple):
    """How much is measured."""

    seeds: int
    seeds_out_of_fold: int
    rounds: int
    budget: float


def summary(draws: list[Row], target: float) -> Row:
    """Return the figures of a method over the draws of one data set."""
    answered = [draw for draw in draws if draw["answers"]]
    refusals = [draw["refusal"] for draw in draws if draw["refusal"]]
    return {
        "seeds": len(draws),
        "seconds": median(draw["seconds"] for draw in draws),
        "reference_seconds": median(draw["reference_seconds"] for draw in draws),
        "processor_seconds": median(draw["processor_seconds"] for draw in draws),
        "ratio": median(
            draw["processor_seconds"] / draw["reference_processor_seconds"] for draw in draws
        ),
        "wall_ratio": median(draw["seconds"] / draw["reference_seconds"] for draw in draws),
        "plain_accuracy": fmean(draw["plain_right"] / draw["n_test"] for draw in draws),
        **reached(draws, ""),
        **reached(draws, "reference_"),
        "below_target": fmean(draw["right"] < target * draw["answers"] for draw in draws),
        "clearly_below": sum(falls_short(draw, target) for draw in answered) / len(draws),
        "refused": len(refusals) / len(draws),
        "first_refusal": refusals[0] if refusals else None,
        "plain_right": [draw["plain_right"] for draw in draws],
    }


def reached(draws: list[Row], prefix: str) -> Row:
    """Return the mean coverage, and the accuracy of all answers."""
    answers = [draw[f"{prefix}answers"] for draw in draws]
    right = sum(draw[f"{prefix}right"] for draw in draws)
    coverages = [n / draw["n_test"] for n, draw in zip(answers, draws, strict=True)]
    return {
        f"{prefix}coverage": fmean(coverages),
        f"{prefix}accuracy": right / sum(answers) if any(answers) else None,
    }


def falls_short(draw: Row, target: float) -> bool:
    """Tell whether so few right answers would be rare, were the target met."""
    return bool(binom.cdf(draw["right"], draw["answers"], target) <= CHANCE)


def method_row(library: str, method: str, task: Task) -> Row:
    """Return how a method of a library does."""
    try:
        return summary(measure(library, method, task), task.target)
    except PeerError as error:
        return {"failure": str(error)}


def middle(values: NDArray[np.float64]) -> float:
    return float(np.median(values))


def cost_row(task: Task) -> Row:
    """Return what thresholds cost beside predictions out of fold."""
    try:
        rounds = time_out_of_fold(task)
    except PeerError as error:
        return {"failure": str(error)}
    wall, processor = (
        {name: np.array([each[name][clock] for each in rounds]) for name in rounds[0]}
        for clock in (0, 1)
    )
    choosing = processor["fit"] - processor["refit"]
    ratios = choosing / processor["predict"]
    ratio, low, high = np.quantile(ratios, [0.5, 0.25, 0.75])
    return {
        "rounds": len(rounds),
        "predict_seconds": middle(processor["predict"]),
        "scores_seconds": middle(processor["predict_scores"]),
        "fit_seconds": middle(processor["fit"]),
        "refit_seconds": middle(processor["refit"]),
        "ratio": float(ratio),
        "low": float(low),
        "high": float(high),
        "scores_ratio": middle(choosing / processor["predict_scores"]),
        "fit_ratio": middle(processor["fit"] / processor["predict"]),
        "wall_ratio": middle((wall["fit"] - wall["refit"]) / wall["predict"]),
        "bar": COST_BAR,
        "holds": bool(ratio <= COST_BAR),
    }


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    here, package = Path(__file__).parent, ROOT / "src" / "abstain"
    files = [Path(__file__), here / "environments.py", here / "peers" / "folds.py"]
    return [*files, *here.glob("rejectors/**/*.*"), *package.glob("**/*.py")]


class Run:
    """The rows of one run."""

    def __init__(self, kept: KeptRows, data: Path, size: Size) -> None:
        self.kept, self.data, self.size = kept, data, size

    def task(self, data_set: str, classifier: str, repeats: int, budget: float) -> Task:
        """Return what to measure."""
        samples = self.kept.samples(data_set, lambda draft: self.write(data_set, draft))
        return Task(classifier, samples, TARGETS[data_set], CONFIDENCE, repeats, budget)

    def write(self, data_set: str, draft: Path) -> None:
        """Write the samples of a data set."""
        X, y = load(data_set, self.data)
        np.savez(draft, samples=X, labels=np.unique(y, return_inverse=True)[1])

    def row(self, title: str, task: Task, make: Callable[[Task], Row]) -> Row:
        """Return a row."""
        return self.kept.row(title, f"{task.repeats}-{task.budget:g}", lambda: make(task))

    def costs(self) -> list[Row]:
        """Return the rows of thresholds out of fold."""
        return [
            {"set": data_set, "classifier": name, **self.cost(data_set, name)}
            for data_set in TARGETS
            for name in MODELS
        ]

    def cost(self, data_set: str, name: str) -> Row:
        """Return the figures of thresholds out of fold for one classifier."""
        task = self.task(data_set, name, self.size.rounds, COST_BUDGET)
        return self.row(f"out of fold: {name} on {data_set}", task, cost_row)

    def thresholds(self, known: dict[str, Row]) -> list[Row]:
        """Return the rows of all methods; for a library that cannot be run, the reason."""
        found = []
        for data_set in TARGETS:
            for name in CLASSIFIERS:
                for library in LIBRARIES:
                    key = {"set": data_set, "classifier": name, "library": library}
                    if "failure" in known[library]:
                        found.append(key | {"method": "all", **known[library]})
                        continue
                    for method, about in known[library]["methods"].items():
                        row = self.method(data_set, name, library, method, about)
                        found.append(key | {"method": method, **about, **row})
        return found

    def method(self, data_set: str, name: str, library: str, method: str, about: Row) -> Row:
        """Return the figures of one method for one classifier."""
        seeds = self.size.seeds_out_of_fold if about["out_of_fold"] else self.size.seeds
        task = self.task(data_set, name, seeds, self.size.budget)
        title = f"{library}, {method}: {name} on {data_set}"
        return self.row(title, task, partial(method_row, library, method))


def check_classifiers(rows: list[Row]) -> None:
    """Take the plain answers out of the rows, and refuse results of classifiers that differ."""

    def kind(row: Row) -> tuple[Any, ...]:
        return row["set"], row["classifier"], row["out_of_fold"]

    working = sorted((row for row in rows if "failure" not in row), key=kind)
    for key, group in groupby(working, key=kind):
        counts = [row.pop("plain_right") for row in group]
        longest = max(counts, key=len)
        if any(each != longest[: len(each)] for each in counts):
            sys.exit(f"the libraries do not have the same classifiers: {key}")


def known_of(library: str) -> Row:
    try:
        return describe(library)
    except PeerError as error:
        return {"failure": str(error)}


def collect(run: Run) -> Row:
    """Measure everything."""
    known = {library: known_of(library) for library in LIBRARIES}
    costs = run.costs()
    rows = run.thresholds(known)
    check_classifiers(rows)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "versions": {name: about.get("versions", about) for name, about in known.items()},
        "confidence": CONFIDENCE,
        "shares": {
            "training": TRAINING_SHARE,
            "calibration": CALIBRATION_SHARE,
            "test": round(1 - TRAINING_SHARE - CALIBRATION_SHARE, 3),
        },
        "chance": CHANCE,
        "budget_seconds": run.size.budget,
        "problems": [
            {"set": data_set, "classifier": name, "target": target}
            for data_set, target in TARGETS.items()
            for name in CLASSIFIERS
        ],
        "thresholds": rows,
        "out_of_fold": costs,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--prepare", action="store_true", help="only make the environments")
    parser.add_argument("--fresh", action="store_true", help="measure all rows again")
    parser.add_argument("--quick", action="store_true", help="two draws, nothing is written")
    parser.add_argument(
        "--budget", type=float, default=60.0, help="seconds of the processor for each method"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of segment.csv")
    arguments = parser.parse_args()
    if arguments.prepare:
        for library in LIBRARIES:
            python_of(library)
        return
    if not (arguments.data / "segment.csv").exists():
        parser.error(f"no segment.csv in {arguments.data}: name its folder with --data")
    kept = KeptRows(CACHE, code, arguments.fresh)
    counts = (2, 2, 3) if arguments.quick else (N_SEEDS, N_SEEDS_OUT_OF_FOLD, N_ROUNDS)
    try:
        results = collect(Run(kept, arguments.data, Size(*counts, arguments.budget)))
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    show(results)
    if not arguments.quick:
        with whole_files(RESULTS) as (draft,):
            draft.write_text(json.dumps(results, indent=2) + "\n")
        print(f"written to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
