"""Which defaults make a first ``GMLVQ().fit(X, y)`` a good model?

Fourteen data sets in alphabetical order are dealt out in turn: every other one is to choose on, the
rest are to report on and decide nothing. One prototype a class, stratified five-fold
cross-validation, z-scored in the fold, one thread. A setting is scored by its accuracy minus that
of the defaults before the study on the same folds, averaged over sets. A gain is *noticeable* if it
exceeds both two standard errors over sets and a tenth of a point. A setting is *good* for a model
if on the sets of choice no other is noticeably better.

1. Φ with regularization, or bandwidth and regularization one at a time: what was the default stays
   if it is good; else comes the good setting with the fewest changes, and of several the one that
   moves least.
2. With these, tol by the same rule, and one max_iter for all models: the smallest with which no
   model warns in more than one of twenty fits or is noticeably less accurate than with the largest.

``python benchmarks/defaults.py`` prints the tables of ``docs/defaults.md`` and writes
``docs/benchmarks/defaults.json``. Folds that are done are kept in ``build/``: a run that was
stopped goes on where it was. ``--quick`` takes four small sets and writes nothing.
"""

import argparse
import hashlib
import inspect
import json
import platform
import sys
import time
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from abstain import models
from abstain._files import whole_files
from abstain.datasets import make_gaussian_clusters, make_pearl_necklace
from abstain.metrics import aurc_score
from abstain.models import likelihood

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "defaults.json"
DATA = ROOT.parent / "shared" / "data"
CACHE = ROOT / "build" / "benchmarks" / "defaults"

BUNDLED: dict[str, Any] = {
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
}
ARTIFICIAL: dict[str, Any] = {
    "gaussian clusters": make_gaussian_clusters,
    "pearl necklace": make_pearl_necklace,
}
FILES = ["cleveland", "coil20", "covtype", "gastric_nmr", "haberman", "segment", "tecator"]
FILES += ["wisconsin"]
SETS = sorted([*BUNDLED, *ARTIFICIAL, *FILES])
QUICK_SETS = ["gaussian clusters", "haberman", "iris", "wine"]

# What the defaults were before, and what else is tried.
BEFORE = {"beta": 5.0, "regularization": 0.01, "bandwidth": 0.05, "max_iter": 200, "tol": 1e-5}
VALUES: dict[str, list[Any]] = {
    "beta": [None, 2.0, 5.0, 10.0, 20.0, 40.0],
    "regularization": [0.0, 1e-3, 1e-2, 1e-1],
    "bandwidth": [0.01, 0.03, 0.05, 0.1, 0.3],
    "max_iter": [50, 100, 200, 500, 1000],
    "tol": [1e-4, 1e-5, 1e-6],
}
FACTORS: dict[str, list[str]] = {
    "GLVQ": ["beta"],
    "GRLVQ": ["beta", "regularization"],
    "GMLVQ": ["beta", "regularization"],
    "LGMLVQ": ["beta", "regularization"],
    "RSLVQ": ["bandwidth"],
    "MRSLVQ": ["bandwidth", "regularization"],
    "LMRSLVQ": ["bandwidth", "regularization"],
}
FIT = ["max_iter", "tol"]

# Models with a matrix for each prototype take ten times as long: they get fewer rows and repeats.
LOCAL = ["LGMLVQ", "LMRSLVQ"]
N_FOLDS, N_COMPONENTS = 5, 30
MOST_ROWS, MOST_LOCAL_ROWS, FEW_ROWS = 2000, 1000, 500

# What counts as a difference, and how seldom a fit may warn.
N_ERRORS, LEAST_GAIN, MOST_WARNED = 2.0, 0.001, 0.05

Setting = dict[str, Any]
Factors = dict[str, list[str]]
Array = NDArray[Any]


class Fold(NamedTuple):
    """Scaled samples and labels, to train on and to test with."""

    train: Array
    train_labels: Array
    test: Array
    test_labels: Array


class Outcome(NamedTuple):
    """How one fit went; its time is a multiple of that with the defaults before the study."""

    accuracy: float
    time: float
    n_iter: int
    warned: bool


def load(name: str, data: Path) -> tuple[Array, Array]:
    """Return at most so many samples of a data set, and their labels; NaN is missing."""
    if name in BUNDLED:
        samples, labels = BUNDLED[name](return_X_y=True)
    elif name in ARTIFICIAL:
        samples, labels = ARTIFICIAL[name](1000, random_state=0)
    elif name == "coil20":
        with np.load(data / "coil20.npz") as file:
            samples = file["images"].reshape(len(file["images"]), -1).astype(float)
            labels = file["target"]
    else:
        import polars as pl

        (file,) = data.glob(f"{name}.csv*")
        table = pl.read_csv(file)
        samples = table.drop("target").cast(pl.Float64).to_numpy()
        labels = table["target"].to_numpy()
        # Concentrations are skewed; those who measured them take logarithms.
        samples = np.log10(samples) if name == "gastric_nmr" else samples
    return fewer(samples, np.unique(labels, return_inverse=True)[1], MOST_ROWS)


def fewer(samples: Array, labels: Array, most: int) -> tuple[Array, Array]:
    """Return at most so many samples, each class in proportion."""
    if len(labels) <= most:
        return samples, labels
    chosen, _ = train_test_split(
        np.arange(len(labels)), train_size=most, stratify=labels, random_state=0
    )
    return samples[chosen], labels[chosen]


def folds(name: str, data: Path, is_local: bool) -> Iterator[Fold]:
    """Yield the folds of a data set; small ones are split twice."""
    samples, labels = load(name, data)
    if is_local:
        samples, labels = fewer(samples, labels, MOST_LOCAL_ROWS)
    repeats = 2 if len(labels) < FEW_ROWS and not is_local else 1
    splitter = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=repeats, random_state=0)
    for train, test in splitter.split(samples, labels):
        steps = [PCA(N_COMPONENTS, random_state=0)] if name == "coil20" else []
        scaler = make_pipeline(*steps, StandardScaler()).fit(samples[train])
        train_and_test = scaler.transform(samples[train]), labels[train]
        yield Fold(*train_and_test, scaler.transform(samples[test]), labels[test])


def make(model: str, setting: Setting) -> Any:
    """Return a model, not yet fitted; the bandwidth is no parameter of it but of the module."""
    likelihood.BANDWIDTH = setting.get("bandwidth", BEFORE["bandwidth"])
    parameters = {name: value for name, value in setting.items() if name != "bandwidth"}
    return getattr(models, model)(**parameters, random_state=0)


def fit(model: str, setting: Setting, fold: Fold) -> Outcome:
    """Fit a model in one setting and test it; the time is in seconds yet."""
    estimator = make(model, setting)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        estimator.fit(fold.train, fold.train_labels)
        seconds = time.process_time() - start
    warned = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    accuracy = estimator.score(fold.test, fold.test_labels)
    return Outcome(accuracy, seconds, int(estimator.n_iter_), warned)


def area_under_risk(model: str, setting: Setting, fold: Fold) -> float:
    """Return how well certainty sorts right from wrong: error over all reject rates, averaged.

    The certainty is the posterior, or the relative similarity of models that have none.
    """
    estimator = make(model, setting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(fold.train, fold.train_labels)
    if hasattr(estimator, "predict_proba"):
        certainty = estimator.predict_proba(fold.test).max(axis=1)
    else:
        own, other = np.sort(estimator.distances(fold.test), axis=1)[:, :2].T
        certainty = (other - own) / (other + own)
    return float(aurc_score(fold.test_labels, estimator.predict(fold.test), certainty))


def fit_missing(
    model: str, settings: list[Setting], known: dict[str, Outcome], fold: Fold
) -> dict[str, Outcome]:
    """Return the outcomes of all settings, fitting those that are not known.

    Settings that differ in iterations that a fit did not need have the same outcome.
    """
    outcomes = dict(known)
    before = fit(model, {**part(BEFORE, FACTORS[model]), **part(BEFORE, FIT)}, fold)
    ended: dict[str, Outcome] = {}
    for setting in sorted(settings, key=lambda setting: int(setting["max_iter"])):
        name, path = key(setting), key({**setting, "max_iter": None})
        if name not in outcomes and path in ended:
            outcomes[name] = ended[path]
        elif name not in outcomes:
            outcome = fit(model, setting, fold)
            outcomes[name] = outcome._replace(time=outcome.time / before.time)
        if not outcomes[name].warned or outcomes[name].n_iter < setting["max_iter"]:
            ended[path] = outcomes[name]
    return outcomes


def key(setting: Setting) -> str:
    return json.dumps(setting, sort_keys=True)


def fingerprint() -> str:
    """Return what changes with the models and with how they are measured."""
    digest = hashlib.sha256()
    for file in sorted((ROOT / "src" / "abstain" / "models").glob("*.py")):
        digest.update(file.read_bytes())
    for function in (load, fewer, folds, make, fit, fit_missing, area_under_risk):
        digest.update(inspect.getsource(function).encode())
    digest.update(repr([N_FOLDS, N_COMPONENTS, MOST_ROWS, MOST_LOCAL_ROWS, FEW_ROWS]).encode())
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
        self, base: "Result", result: "Result", halves: dict[str, Array]
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

    def results(self, what: str, settings: dict[str, list[Setting]]) -> list["Result"]:
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
    with whole_files(file) as (draft,):
        draft.write_text(json.dumps(value))


class Result(NamedTuple):
    """How a model does in one setting: the outcomes of each fold of each set."""

    model: str
    setting: Setting
    outcomes: list[list[Outcome]]

    def each(self, field: str) -> list[Array]:
        """Return one field of the outcomes, an array for each set."""
        return [np.array([getattr(fit, field) for fit in fits]) for fits in self.outcomes]

    def mean(self, field: str) -> Array:
        """Return the mean of a field over the folds of each set."""
        return np.array([values.mean() for values in self.each(field)])

    def stuck(self) -> list[int]:
        """Return how many fits of each set warn although they have iterations left."""
        most = self.setting["max_iter"]
        return [sum(fit.warned and fit.n_iter < most for fit in fits) for fits in self.outcomes]


Table = dict[str, dict[str, Result]]


def tabulate(results: list[Result], factors: Factors) -> Table:
    """Return the results of each model by the values of the factors that are compared."""
    table: Table = {model: {} for model in FACTORS}
    for result in results:
        table[result.model][key(part(result.setting, factors[result.model]))] = result
    return table


def part(setting: Setting, names: list[str]) -> Setting:
    return {name: setting[name] for name in names}


def gain(result: Result, base: Result) -> Array:
    """Return by how much the accuracy on each set is higher."""
    return np.asarray(result.mean("accuracy") - base.mean("accuracy"))


def error(gains: Array) -> float:
    """Return the standard error of the mean over sets."""
    return float(gains.std(ddof=1) / np.sqrt(len(gains)))


def is_noticeable(gains: Array) -> bool:
    return bool(gains.mean() > max(N_ERRORS * error(gains), LEAST_GAIN))


def good(gains: dict[str, Array]) -> list[str]:
    """Return the settings that the best one is not noticeably better than."""
    best = max(gains.values(), key=lambda values: float(values.mean()))
    return [at for at, values in gains.items() if not is_noticeable(best - values)]


def distance(setting: Setting) -> tuple[int, int]:
    """Return how many defaults a setting changes, and by how many values they move in all."""
    moves = [
        abs(VALUES[name].index(value) - VALUES[name].index(BEFORE[name]))
        for name, value in setting.items()
    ]
    return sum(move > 0 for move in moves), sum(moves)


def good_for(table: Table, model: str, factors: list[str], rows: Array) -> list[Setting]:
    """Return the settings that are good for a model on some sets, the least changes first."""
    base = table[model][key(part(BEFORE, factors))]
    gains = {at: gain(result, base)[rows] for at, result in table[model].items()}
    first = sorted(
        good(gains), key=lambda at: (*distance(json.loads(at)), -float(gains[at].mean()))
    )
    return [json.loads(at) for at in first]


def choose(table: Table, factors: Factors, rows: Array) -> dict[str, Setting]:
    """Return what each model is given, judged by some sets."""
    return {model: good_for(table, model, names, rows)[0] for model, names in factors.items()}


def choose_one(table: Table, rows: Array) -> Setting | None:
    """Return the setting with the least changes that is good for all models, if there is one."""
    goods = {model: good_for(table, model, names, rows) for model, names in FACTORS.items()}
    names = sorted({name for of_model in FACTORS.values() for name in of_model})
    combinations = product(*(VALUES[name] for name in names))
    settings = sorted((dict(zip(names, at, strict=True)) for at in combinations), key=distance)
    for setting in settings:
        if all(part(setting, FACTORS[model]) in goods[model] for model in FACTORS):
            return setting
    return None


def choose_max_iter(table: Table, tols: dict[str, Setting], rows: Array) -> int:
    """Return the smallest max_iter with which models seldom warn and are as accurate."""
    most = VALUES["max_iter"][-1]

    def is_enough(model: str, max_iter: int) -> bool:
        at = {
            limit: table[model].get(key({"max_iter": limit, **tols[model]}))
            for limit in (max_iter, most)
        }
        result, longest = at[max_iter], at[most]
        if result is None or longest is None:
            return False
        warned = result.mean("warned")[rows].mean()
        return bool(warned <= MOST_WARNED) and not is_noticeable(gain(longest, result)[rows])

    enough = (limit for limit in VALUES["max_iter"] if all(is_enough(m, limit) for m in table))
    return int(next(enough, most))


def summary(result: Result, base: Result, rows: Array) -> dict[str, float]:
    """Return the figures of a setting over some sets, against those of another."""
    gains = gain(result, base)[rows]
    pairs = zip(result.each("time"), base.each("time"), strict=True)
    times = np.array([np.log(one / other).mean() for one, other in pairs])[rows]
    return {
        "accuracy": float(result.mean("accuracy")[rows].mean()),
        "gain": float(gains.mean()),
        "error": error(gains),
        "least_gain": float(gains.min()),
        "warned": float(result.mean("warned")[rows].mean()),
        "time": float(np.exp(times.mean())),
    }


def fold_errors(result: Result, base: Result) -> list[float]:
    """Return the standard error of the gain on each set, for folds that share what they train on.

    After Nadeau and Bengio: (1/k + test/train) in place of 1/k.
    """
    pairs = zip(result.each("accuracy"), base.each("accuracy"), strict=True)
    share = 1 / (N_FOLDS - 1)
    return [float(np.sqrt((1 / len(a) + share) * (a - b).var(ddof=1))) for a, b in pairs]


def record(result: Result, base: Result, halves: dict[str, Array]) -> dict[str, Any]:
    """Return one line of the results: a setting, over each half and on each set."""
    return {
        "model": result.model,
        **result.setting,
        **{half: summary(result, base, rows) for half, rows in halves.items()},
        "accuracies": result.mean("accuracy").tolist(),
        "fold_errors": fold_errors(result, base),
        "fits_warned": [int(fits.sum()) for fits in result.each("warned")],
        "fits_stuck": result.stuck(),
    }


def leave_one_out(table: Table) -> dict[str, Any]:
    """Return what is chosen without each set, and what each model gains on the set left out."""
    n_sets = len(table["GLVQ"][key(part(BEFORE, ["beta"]))].outcomes)
    chosen = [choose(table, FACTORS, np.delete(np.arange(n_sets), i)) for i in range(n_sets)]
    gains = {}
    for model, of_model in table.items():
        base = of_model[key(part(BEFORE, FACTORS[model]))]
        found = [gain(of_model[key(choice[model])], base) for choice in chosen]
        gains[model] = np.array(found).diagonal()
    return {
        "chosen": chosen,
        "gain": {model: float(values.mean()) for model, values in gains.items()},
        "error": {model: error(values) for model, values in gains.items()},
    }


def first_settings() -> dict[str, list[Setting]]:
    """Return what is tried in the cost: every Φ with every regularization, bandwidths apart."""
    settings: dict[str, list[Setting]] = {}
    for model, names in FACTORS.items():
        grid = product(*(VALUES[name] for name in names))
        tried = [dict(zip(names, values, strict=True)) for values in grid]
        if "bandwidth" in names:
            tried = [setting for setting in tried if distance(setting)[0] <= 1]
        settings[model] = [{**setting, **part(BEFORE, FIT)} for setting in tried]
    return settings


def second_settings(chosen: dict[str, Setting]) -> dict[str, list[Setting]]:
    """Return, around what was chosen, the grid of when a fit stops."""
    pairs = [
        {"max_iter": max_iter, "tol": tol}
        for max_iter, tol in product(VALUES["max_iter"], VALUES["tol"])
        if tol == BEFORE["tol"] or max_iter in (BEFORE["max_iter"], VALUES["max_iter"][-1])
    ]
    return {model: [{**own, **pair} for pair in pairs] for model, own in chosen.items()}


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


def written(results: dict[str, Any]) -> str:
    """Return the results as JSON, a record a line."""
    rounded = _rounded(results)
    lines = []
    for name, value in rounded.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            lines.append(f"  {json.dumps(name)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_rounded(entry) for entry in value]
    return round(value, 6) if isinstance(value, float) else value


def show(results: dict[str, Any]) -> None:
    """Print the tables of docs/defaults.md."""
    columns = ["half", "rows", "features", "classes", "missing"]
    sets = [[row["name"], *(f"{row[name]}" for name in columns)] for row in results["sets"]]
    print_table(["set", *columns], sets)
    show_costs(results["cost"])
    show_ends(results["end_of_fits"])
    show_outcome(results)


def show_costs(rows: list[dict[str, Any]]) -> None:
    """Print the gains on the two halves, with a column for each Φ, or for each single change."""
    hard: dict[str, dict[str, str]] = {}
    soft: dict[str, dict[str, str]] = {}
    for row in rows:
        cell = f"{points(row['choice'])}; {signed(row['report']['gain'])}"
        if "beta" in row:
            names = [row["model"], *(f"{row[name]:g}" for name in row if name == "regularization")]
            value = "identity" if row["beta"] is None else f"{row['beta']:g}"
            hard.setdefault(", ".join(names), {})[f"beta {value}"] = cell
        else:
            changed = [name for name in FACTORS[row["model"]] if row[name] != BEFORE[name]]
            for name in changed:
                soft.setdefault(row["model"], {})[f"{name} {row[name]:g}"] = cell
    for title, lines in [("model, regularization", hard), ("model, one change", soft)]:
        columns = list(dict.fromkeys(at for line in lines.values() for at in line))
        print_table(
            [title, *columns],
            [[name, *(line.get(at, "") for at in columns)] for name, line in lines.items()],
        )


def show_ends(rows: list[dict[str, Any]]) -> None:
    """Print, for all sets, the gain, the share of fits that warn and the time."""
    lines: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: (-row["tol"], row["max_iter"])):
        over = row["all"]
        cell = f"{signed(over['gain'])}; {100 * over['warned']:.0f} %; {over['time']:.2f}"
        lines.setdefault(f"{row['tol']:g}, {row['max_iter']}", []).append(cell)
    print_table(["tol, max_iter", *FACTORS], [[at, *line] for at, line in lines.items()])


def show_outcome(results: dict[str, Any]) -> None:
    """Print what was chosen and what it brings."""
    left_out, lines = results["leave_one_out"], []
    for row in results["outcome"]:
        model, report, risk = row["model"], row["report"], row["risk_all"]
        alone = {"gain": left_out["gain"][model], "error": left_out["error"][model]}
        changes = [
            f"{name} {BEFORE[name]:g} → {value:g}"
            for name, value in results["chosen"][model].items()
            if value != BEFORE[name]
        ]
        gains = [points(row["choice"]), points(report), points(alone)]
        risks = points({"gain": risk["change"], "error": risk["error"]})
        rare = [f"{100 * report['warned']:.0f} %", f"{report['time']:.2f}"]
        lines.append([model, ", ".join(changes), f"{report['accuracy']:.3f}", *gains, risks, *rare])
    columns = ["model", "change", "accuracy", "gain, choice", "gain, report", "gain, left out"]
    print_table([*columns, "AURC", "warned", "time"], lines)


def signed(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def points(figures: dict[str, float]) -> str:
    return f"{signed(figures['gain'])} ± {100 * figures['error']:.1f}"


def print_table(columns: list[str], rows: list[list[str]]) -> None:
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


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
    show(results)
    if not arguments.quick:
        with whole_files(RESULTS) as (draft,):
            draft.write_text(written(results))
        print(f"\nwritten to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
