"""How well, how fast and with how much code are thresholds chosen, beside other libraries?

The accuracy asked for is the same for all, and so are classifiers and draws of the data. Every
library is run in a process, and if need be an environment, of its own. Times are the processor's,
which others on the machine disturb less than the clock on the wall.

A method that refuses a draw, or answers nothing, has covered nothing of it. ``accuracy`` is that of
all answers to test samples. ``below_target`` is the share of draws whose answers fall short of what
was asked for; a test set of finite size may do so by chance, which ``clearly_below`` allows for:
the draws whose answers fall as short as one draw in twenty would, were the target just met.

The defaults are compared draw by draw with what is written by hand. Thresholds out of fold are
timed beside ``cross_val_predict`` with the same folds.

``python benchmarks/rejection.py`` prints the tables and writes ``docs/benchmarks/rejection.json``.
Rows that are done are kept in ``build/``: a run that was stopped goes on where it was. A method
that has used up its budget of seconds begins no further draw, however few it has had: ``draws``
counts them. With ``--quick`` there are two draws and three rounds, and nothing is written.
"""

import argparse
import json
import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any, NamedTuple

import numpy as np
from environments import PeerError
from keeping import KeptRows
from peers.folds import load
from rejectors.out_of_fold import MODELS
from rejectors.problems import CALIBRATION_SHARE, CLASSIFIERS, TRAINING_SHARE
from rejectors.running import Task, describe, measure, python_of, time_out_of_fold
from rejectors.tables import show
from scipy.stats import binom

from abstain._core.files import atomic_files

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "rejection.json"
DATA = ROOT.parent / "shared" / "data"
CACHE = ROOT / "build" / "benchmarks" / "rejection"

LIBRARIES = ["abstain", "sweep", "scikit_fallback", "mapie"]
# More than the classifiers reach unaided, and no more than the samples can certify.
TARGETS = {"digits": 0.98, "segment": 0.98, "breast cancer": 0.97}
CONFIDENCE = 0.9
CHANCE = 0.05
# How many times as long as cross_val_predict thresholds out of fold may take.
COST_BAR = 1.1
# Methods of this package, and what one would write by hand in their place.
BY_HAND = {
    "default": "one threshold",
    "default, confidence": "fixed sequence, all test",
    "default, cv=5": "one threshold, cv=5",
    "default, confidence, cv=5": "fixed sequence, half held out",
}

Row = dict[str, Any]


class Size(NamedTuple):
    """How much is measured."""

    draws: int
    draws_out_of_fold: dict[str, int]
    rounds: int


FULL = Size(100, {"LogisticRegression": 40, "RandomForest": 12}, rounds=7)
QUICK = Size(2, dict.fromkeys(CLASSIFIERS, 2), rounds=3)


def coverages(draws: list[Row]) -> list[float]:
    return [draw["answers"] / draw["n_test"] for draw in draws]


def summary(draws: list[Row], target: float) -> Row:
    """Return the figures of a method over the draws of one data set."""
    answers, right = (sum(draw[name] for draw in draws) for name in ("answers", "right"))
    refusals = [draw["refusal"] for draw in draws if draw["refusal"]]
    return {
        "draws": len(draws),
        "seconds": median(draw["seconds"] for draw in draws),
        "coverage": fmean(coverages(draws)),
        "accuracy": right / answers if answers else None,
        "below_target": fmean(draw["right"] < target * draw["answers"] for draw in draws),
        "clearly_below": fmean(falls_short(draw, target) for draw in draws),
        "refused": len(refusals) / len(draws),
        "first_refusal": refusals[0] if refusals else None,
    }


def falls_short(draw: Row, target: float) -> bool:
    """Tell whether so few right answers would be rare, were the target met."""
    if not draw["answers"]:
        return False
    return bool(binom.cdf(draw["right"], draw["answers"], target) <= CHANCE)


def difference(ours: list[Row], by_hand: list[Row]) -> Row:
    """Return how much more is answered of the draws that both had, and its standard error."""
    pairs = zip(coverages(ours), coverages(by_hand), strict=False)
    gains = [more - less for more, less in pairs]
    error = stdev(gains) / sqrt(len(gains))
    return {"draws": len(gains), "gain": fmean(gains), "standard_error": error}


def cost(rounds: list[Row]) -> Row:
    """Return what thresholds cost beside predictions out of fold."""
    ratios = [(each["fit"] - each["refit"]) / each["predict"] for each in rounds]
    low, ratio, high = np.quantile(ratios, [0.25, 0.5, 0.75]).tolist()
    return {
        "rounds": len(rounds),
        **{f"{name}_seconds": median(each[name] for each in rounds) for name in rounds[0]},
        "ratio": ratio,
        "low": low,
        "high": high,
        "bar": COST_BAR,
        "holds": ratio <= COST_BAR,
    }


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    here, package = Path(__file__).parent, ROOT / "src" / "abstain"
    files = [Path(__file__), here / "environments.py", here / "peers" / "folds.py"]
    return [*files, *here.glob("rejectors/**/*.*"), *package.glob("**/*.py")]


class Run:
    """The rows of one run."""

    def __init__(self, kept: KeptRows, data: Path, size: Size, budget: float) -> None:
        self.kept, self.data, self.size, self.budget = kept, data, size, budget
        self.known = {library: or_failure(partial(describe, library)) for library in LIBRARIES}

    def task(self, data_set: str, classifier: str) -> Task:
        """Return what to measure."""
        samples = self.kept.samples(data_set, lambda draft: self.write(data_set, draft))
        return Task(classifier, samples, TARGETS[data_set])

    def write(self, data_set: str, draft: Path) -> None:
        """Write the samples of a data set."""
        X, y = load(data_set, self.data)
        np.savez(draft, samples=X, labels=np.unique(y, return_inverse=True)[1])

    def costs(self) -> list[Row]:
        """Return the rows of thresholds out of fold."""
        return [
            {"set": data_set, "classifier": name, **self.cost(data_set, name)}
            for data_set in TARGETS
            for name in MODELS
        ]

    def cost(self, data_set: str, name: str) -> Row:
        """Return the figures of thresholds out of fold for one classifier."""
        task, rounds = self.task(data_set, name), self.size.rounds
        return self.kept.row(
            f"out of fold: {name} on {data_set}",
            str(rounds),
            lambda: or_failure(lambda: cost(time_out_of_fold(task, rounds))),
        )

    def draws(self, data_set: str, name: str, library: str) -> Row:
        """Return all draws of a library, or why there are none."""
        if "failure" in self.known[library]:
            return self.known[library]
        task = self.task(data_set, name)
        limits = {
            "n_draws": self.size.draws,
            "n_draws_out_of_fold": self.size.draws_out_of_fold[name],
            "budget": self.budget,
        }
        return self.kept.row(
            f"{library}: {name} on {data_set}",
            "-".join(map(str, limits.values())),
            lambda: or_failure(
                lambda: {"draws": measure(library, task, confidence=CONFIDENCE, **limits)}
            ),
        )

    def problem(self, data_set: str, name: str) -> tuple[Row, list[Row], list[Row]]:
        """Return a data set with a classifier, its rows, and how the defaults compare."""
        target = TARGETS[data_set]
        key = {"set": data_set, "classifier": name}
        rows, draws_of = [], {}
        for library in LIBRARIES:
            drawn = self.draws(data_set, name, library)
            if "failure" in drawn:
                rows.append(key | {"library": library, "method": "all", **drawn})
                continue
            for method, about in self.known[library]["methods"].items():
                draws = [draw for draw in drawn["draws"] if draw["method"] == method]
                draws_of[library, method] = draws
                row = {"library": library, "method": method, **about, **summary(draws, target)}
                rows.append(key | row)
        compared = [
            key
            | {"method": ours, "by_hand": by_hand}
            | difference(draws_of["abstain", ours], draws_of["sweep", by_hand])
            for ours, by_hand in BY_HAND.items()
        ]
        plain_accuracy = plain_accuracy_of(key, draws_of)
        return key | {"target": target, "plain_accuracy": plain_accuracy}, rows, compared


def plain_accuracy_of(key: Row, draws_of: dict[tuple[str, str], list[Row]]) -> float:
    """Return the accuracy without rejects, and refuse results of classifiers that differ."""
    right = {draw["seed"]: set[int]() for draws in draws_of.values() for draw in draws}
    for draws in draws_of.values():
        for draw in draws:
            right[draw["seed"]].add(draw["plain_right"])
    if any(len(counts) > 1 for counts in right.values()):
        sys.exit(f"the libraries do not have the same classifiers: {key}")
    n_test = next(iter(draws_of.values()))[0]["n_test"]
    return fmean(max(counts) / n_test for counts in right.values())


def or_failure(make: Callable[[], Row]) -> Row:
    """Return a row, or why there is none."""
    try:
        return make()
    except PeerError as error:
        return {"failure": str(error)}


def collect(run: Run) -> Row:
    """Measure everything."""
    costs = run.costs()
    problems = [run.problem(data_set, name) for data_set in TARGETS for name in CLASSIFIERS]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "versions": {name: about.get("versions", about) for name, about in run.known.items()},
        "confidence": CONFIDENCE,
        "shares": {
            "training": TRAINING_SHARE,
            "calibration": CALIBRATION_SHARE,
            "test": round(1 - TRAINING_SHARE - CALIBRATION_SHARE, 3),
        },
        "chance": CHANCE,
        "budget_seconds": run.budget,
        "problems": [problem for problem, _, _ in problems],
        "by_hand": [row for _, _, compared in problems for row in compared],
        "thresholds": [row for _, rows, _ in problems for row in rows],
        "out_of_fold": costs,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--prepare", action="store_true", help="only make the environments")
    parser.add_argument("--fresh", action="store_true", help="measure all rows again")
    parser.add_argument("--quick", action="store_true", help="two draws, nothing is written")
    parser.add_argument(
        "--budget", type=float, default=6.0, help="seconds of the processor for each method"
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
    size = QUICK if arguments.quick else FULL
    try:
        results = collect(Run(kept, arguments.data, size, arguments.budget))
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    show(results)
    if not arguments.quick:
        with atomic_files(RESULTS) as (draft,):
            draft.write_text(json.dumps(results, indent=2) + "\n")
        print(f"written to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
