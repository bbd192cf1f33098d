"""Which defaults make a first ``GMLVQ().fit(X, y)`` a good model?

Fourteen data sets in alphabetical order are dealt out in turn: every other one is to choose on, the
rest are to report on and decide nothing. One prototype a class, stratified five-fold
cross-validation, z-scored in the fold, one thread. A setting is scored by its accuracy minus that
of the defaults before the study on the same folds, averaged over sets. A gain is *significant* if
it exceeds both two standard errors over sets and a tenth of a point. A setting is *good* for a
model if on the sets of choice no other is significantly better.

1. Φ with regularization, or bandwidth and regularization one at a time: what was the default stays
   if it is good; else comes the good setting with the fewest changes, and of several the one that
   moves least.
2. With these, tol by the same rule, and one max_iter for all models: the smallest with which no
   model warns in more than one of twenty fits or is significantly less accurate than with the
   largest.

``python benchmarks/defaults.py`` writes ``docs/benchmarks/defaults.json``, from which ``make
numbers`` takes the tables of ``docs/defaults.md``. Folds that are done are kept in ``build/``: a
run that was stopped goes on where it was. ``--quick`` takes four small sets, prints the record and
writes nothing.
"""

import argparse
import hashlib
import json
import platform
import sys
import warnings
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from settings.choosing import (
    Result,
    choose,
    choose_max_iter,
    choose_one,
    error,
    leave_one_out,
    record,
    tabulate,
)
from settings.fitting import Outcome, area_under_risk, fit_missing
from settings.recording import written
from settings.samples import (
    FEW_ROWS,
    FILES,
    LOCAL,
    MOST_LOCAL_ROWS,
    N_COMPONENTS,
    N_FOLDS,
    QUICK_SETS,
    SETS,
    Array,
    folds,
    load,
)
from settings.tried import (
    BEFORE,
    FACTORS,
    FIT,
    VALUES,
    Setting,
    first_settings,
    key,
    part,
    second_settings,
)
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

from abstain import models
from abstain._core.files import atomic_files

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "defaults.json"
DATA = ROOT.parent / "shared" / "data"
CACHE = ROOT / "build" / "benchmarks" / "defaults"


def fingerprint() -> str:
    """Return what changes with the models and with how they are measured."""
    digest = hashlib.sha256()
    measuring = [Path(__file__).parent / "settings" / name for name in ("fitting.py", "samples.py")]
    for file in sorted([*(ROOT / "src" / "abstain" / "models").glob("*.py"), *measuring]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


class Run:
    """The fits of one run, kept in a folder while they are collected."""

    def __init__(self, folder: Path, data: Path, sets: list[str]) -> None:
        self.folder, self.data, self.sets = folder, data, sets
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folds = cache(lambda name, is_local: list(folds(name, data, is_local)))

    def fits(self, model: str, name: str, settings: list[Setting]) -> list[list[Outcome]]:
        """Return the outcomes of one model on one set, a list of settings for each fold."""
        file = self.folder / f"{name}-{model}.json"
        known: list[dict[str, Outcome]] = (
            [{at: Outcome(*row) for at, row in fold.items()} for fold in _read(file)]
            if file.exists()
            else [{} for _ in self.folds(name, model in LOCAL)]
        )
        wanted = [key(setting) for setting in settings]
        for number, outcomes in enumerate(known):
            if not outcomes.keys() >= set(wanted):
                fold = self.folds(name, model in LOCAL)[number]
                known[number] = fit_missing(model, settings, outcomes, fold)
                _keep(file, known)
        return [[outcomes[at] for at in wanted] for outcomes in known]

    def risks(self, model: str, name: str, settings: list[Setting]) -> list[float]:
        """Return the area under the risk curve of each setting, over the folds of a set."""
        file = self.folder / f"{name}-{model}-risks.json"
        known: dict[str, float] = _read(file) if file.exists() else {}
        for setting in settings:
            if key(setting) not in known:
                parts = self.folds(name, model in LOCAL)
                areas = [area_under_risk(model, setting, fold) for fold in parts]
                known[key(setting)] = float(np.mean(areas))
                _keep(file, known)
        return [known[key(setting)] for setting in settings]

    def compare_risks(
        self, base: Result, result: Result, halves: dict[str, Array]
    ) -> dict[str, Any]:
        """Return the areas under the risk curve of two settings, over each half."""
        print(f"risk: {result.model}", file=sys.stderr, flush=True)
        settings = [base.setting, result.setting]
        areas = np.array([self.risks(result.model, name, settings) for name in self.sets])
        return {
            f"risk_{half}": {
                "before": float(areas[rows, 0].mean()),
                "change": float((areas[rows, 1] - areas[rows, 0]).mean()),
                "error": error(areas[rows, 1] - areas[rows, 0]),
            }
            for half, rows in halves.items()
        }

    def describe(self, halves: dict[str, Array]) -> list[dict[str, Any]]:
        """Return what the sets are like as they are fitted."""
        described = []
        for number, name in enumerate(self.sets):
            samples, labels = load(name, self.data)
            described.append(
                {
                    "name": name,
                    "half": "choice" if number in halves["choice"] else "report",
                    "rows": len(labels),
                    "rows_local": min(len(labels), MOST_LOCAL_ROWS),
                    "features": N_COMPONENTS if name == "coil20" else samples.shape[1],
                    "classes": len(np.unique(labels)),
                    "missing": int(np.isnan(samples).sum()),
                    "splits": N_FOLDS * (2 if len(labels) < FEW_ROWS else 1),
                    "splits_local": N_FOLDS,
                }
            )
        return described

    def results(self, what: str, settings: dict[str, list[Setting]]) -> list[Result]:
        """Return the results of all models in all their settings on all sets."""
        collected: list[list[list[list[Outcome]]]] = []
        for number, name in enumerate(self.sets):
            collected.append([])
            for model in settings:
                progress = f"{what}: set {number + 1} of {len(self.sets)}, {name}: {model}"
                print(progress, file=sys.stderr, flush=True)
                collected[-1].append(self.fits(model, name, settings[model]))
            self.folds.cache_clear()
        return [
            Result(model, setting, [[fold[j] for fold in of_set[i]] for of_set in collected])
            for i, model in enumerate(settings)
            for j, setting in enumerate(settings[model])
        ]


def _read(file: Path) -> Any:
    return json.loads(file.read_text())


def _keep(file: Path, value: Any) -> None:
    with atomic_files(file) as (draft,):
        draft.write_text(json.dumps(value))


def collect(run: Run) -> dict[str, Any]:
    """Measure everything, and choose."""
    numbers = np.arange(len(run.sets))
    halves = {"choice": numbers[::2], "report": numbers[1::2], "all": numbers}
    first = tabulate(run.results("cost", first_settings()), FACTORS)
    before = {model: first[model][key(part(BEFORE, names))] for model, names in FACTORS.items()}
    chosen = choose(first, FACTORS, halves["choice"])

    fits = run.results("end of fits", second_settings(chosen))
    longest = [fit for fit in fits if fit.setting["max_iter"] == VALUES["max_iter"][-1]]
    only_tol = {model: ["tol"] for model in FACTORS}
    tols = choose(tabulate(longest, only_tol), only_tol, halves["choice"])
    second = tabulate(fits, dict.fromkeys(FACTORS, FIT))
    max_iter = choose_max_iter(second, tols, halves["choice"])
    after = {
        model: of_model[key({"max_iter": max_iter, **tols[model]})]
        for model, of_model in second.items()
    }

    def compare(results: dict[str, Result]) -> list[dict[str, Any]]:
        return [
            record(result, before[model], halves) | run.compare_risks(before[model], result, halves)
            for model, result in results.items()
        ]

    one = choose_one(first, halves["choice"])
    of_one = {model: first[model][key(part(one, names))] for model, names in FACTORS.items() if one}
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "fingerprint": run.folder.name,
        "sets": run.describe(halves),
        "before": BEFORE,
        "chosen": {model: result.setting for model, result in after.items()},
        "outcome": compare(after),
        "one_for_all": compare(of_one),
        "leave_one_out": leave_one_out(first),
        "cost": [
            record(result, before[model], halves)
            for model, of_model in first.items()
            for result in of_model.values()
        ],
        "end_of_fits": [
            record(result, second[model][key(part(BEFORE, FIT))], halves)
            for model, of_model in second.items()
            for result in of_model.values()
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="four small sets, write nothing")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of segment.csv and others")
    arguments = parser.parse_args()
    for name in FILES:
        if not list(arguments.data.glob(f"{name}.*")):
            parser.error(f"no {name}.csv or .npz in {arguments.data}: name its folder with --data")
    # The rarest class of covtype is in fewer than five rows of a thousand.
    warnings.filterwarnings("ignore", "The least populated class")
    sets = QUICK_SETS if arguments.quick else SETS
    models.GMLVQ().fit(*load_iris(return_X_y=True))  # imports what is imported on first use
    try:
        with threadpool_limits(1):
            results = collect(Run(CACHE / fingerprint(), arguments.data, sets))
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    if arguments.quick:
        print(written(results))
    else:
        with atomic_files(RESULTS) as (draft,):
            draft.write_text(written(results))
        print(f"\nwritten to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
