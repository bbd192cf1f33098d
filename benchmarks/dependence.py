"""Do certificates hold for samples that belong together, and what do the remedies cost?

Fits to data of populations that are known, with an accuracy of 0.9 and a confidence of 0.9:

- *patients*: several rows of each patient, who differ more from each other than their own rows do.
  New rows are of new patients;
- *copies*: every row of a sample two or five times, in random order;
- *repeats by nature*: rows drawn with replacement from tables of few whole numbers, which are the
  population;
- *several looks*: ten seeds on the same data, the first one that certifies; five targets on the
  same held-out samples, one after the other.

A certificate is false if the accuracy of the answers in the population is below its level. What is
refused certifies nothing. Two more tables are about what is noticed without names of groups: in
how many samples of patients, and of sets whose rows are taken for independent, rows seem to come in
groups; and how often folds and held-out samples that are independent contradict each other by
chance, over five classifiers, five populations and three ways to make folds.

``python benchmarks/dependence.py`` prints the tables and writes
``docs/benchmarks/dependence.json``, in about 20 minutes on one core. A row that is done is kept in
``build/``: a run that was stopped goes on with the next one. ``--quick`` takes 5 fits of each and
writes nothing.
"""

import argparse
import os
import warnings
from collections.abc import Callable
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from keeping import KeptRows
from measuring import show, write_record
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from abstain import Accuracy, InputError, RejectOptionClassifier
from abstain.classifier.contradiction import ErrorRate, contradicts, growth
from abstain.classifier.hidden_groups import size_of_hidden_groups
from abstain.classifier.repeats import equal_samples
from abstain.datasets import load_haberman, load_segment, load_wisconsin

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "benchmarks" / "dependence"
DATA = Path(os.environ.get("ABSTAIN_DATA_HOME", ROOT.parent / "shared" / "data"))
PACKAGES = ["numpy", "scipy", "scikit-learn"]
LEVEL, DELTA = 0.9, 0.1
TARGET = Accuracy(LEVEL, confidence=1 - DELTA)
N_RUNS, QUICK_RUNS = 300, 5
N_CHANCE, QUICK_CHANCE = 1500, 50
N_NEW = 4000
# Labels that are wrong, whatever the certainty: a bit more than may be.
FLIPPED = 0.105
# Between the two classes, in each of three features.
SHIFT = 1.4

Array = NDArray[Any]
Row = dict[str, Any]
# The accuracy of a classifier's answers in a population, and the share that it answers.
Truth = Callable[[Any], tuple[float, float]]


def outcome(clf: Any, X: Array, right: Callable[[Array], Array]) -> tuple[float, float]:
    """Return the accuracy of the answers to samples, and the share that is answered."""
    accepted = ~clf.reject(X)
    if not accepted.any():
        return 1.0, 0.0
    return float(right(clf.predict(X))[accepted].mean()), float(accepted.mean())


# --- populations ----------------------------------------------------------------------------------


def patients(
    n_patients: int, n_rows: int, generator: Generator, n_features: int = 4
) -> tuple[Array, Array, Array]:
    """Return rows of patients, ill or well, in the order of the patients."""
    ill = generator.integers(0, 2, n_patients)
    center = generator.normal(size=(n_patients, n_features))
    center[:, 0] += 2.8 * ill
    patient = np.repeat(np.arange(n_patients), n_rows)
    X = center[patient] + 0.3 * generator.normal(size=(len(patient), n_features))
    return X, ill[patient], patient


def truth_of_patients(seed: int) -> Truth:
    X, y, _ = patients(N_NEW, 1, default_rng([seed, 1]))
    return lambda clf: outcome(clf, X, lambda answers: answers == y)


def gaussian(n: int, generator: Generator) -> tuple[Array, Array]:
    """Return samples of two classes that overlap."""
    y = generator.integers(0, 2, n)
    return generator.normal(size=(n, 3)) + SHIFT * y[:, np.newaxis], y


def truth_of_gaussian(seed: int) -> Truth:
    X, _ = gaussian(N_NEW, default_rng([seed, 1]))
    ill = 1 / (1 + np.exp(-SHIFT * (X - SHIFT / 2).sum(axis=1)))

    def truth(clf: Any) -> tuple[float, float]:
        return outcome(clf, X, lambda answers: np.where(answers == 1, ill, 1 - ill))

    return truth


TABLES = ("wisconsin", "haberman", "segment")


@cache
def table(name: str) -> tuple[Array, Array]:
    load = {"wisconsin": load_wisconsin, "haberman": load_haberman, "segment": load_segment}[name]
    X, y = load(return_X_y=True, data_home=DATA)
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    is_complete = np.isfinite(X).all(axis=1)
    return X[is_complete], y[is_complete]


# --- fits -----------------------------------------------------------------------------------------


def certify(
    X: Array, y: Array, truth: Truth, seed: int = 0, groups: Array | None = None, **settings: Any
) -> tuple[float, float, str]:
    """Return what is certified: accuracy in the population, coverage, and why it was refused."""
    model = settings.pop("model", KNeighborsClassifier(10))
    given: Any = {"target": TARGET, "random_state": seed} | settings
    clf = RejectOptionClassifier(model, **given)
    try:
        clf.fit(X, y, groups=groups)
    except InputError as error:
        return np.nan, 0.0, "contradiction" if "not by chance" in str(error) else "refused"
    return *truth(clf), ""


def of_patients(n_patients: int, n_rows: int, way: str, seed: int) -> tuple[float, float, str]:
    X, y, groups = patients(n_patients, n_rows, default_rng(seed))
    truth = truth_of_patients(seed)
    if way == "groups":
        return certify(X, y, truth, seed, groups)
    if way == "rows, in any order":
        order = default_rng([seed, 2]).permutation(len(y))
        return certify(X[order], y[order], truth, seed, independent_rows=True)
    return certify(X, y, truth, seed, independent_rows=True, cv=KFold(5))


def of_copies(times: int, way: str, seed: int) -> tuple[float, float, str]:
    X, y = gaussian(600, default_rng(seed))
    order = default_rng([seed, 2]).permutation(np.tile(np.arange(600), times))
    is_independent = way == "all counted"
    return certify(
        X[order], y[order], truth_of_gaussian(seed), seed, independent_rows=is_independent
    )


def of_table(name: str, way: str, seed: int) -> tuple[float, float, str]:
    X_all, y_all = table(name)
    rows = default_rng(seed).integers(0, len(y_all), 600)
    X, y = X_all[rows], y_all[rows]
    level = {"wisconsin": 0.97, "haberman": 0.78, "segment": 0.9}[name]

    def truth(clf: Any) -> tuple[float, float]:
        accuracy, coverage = outcome(clf, X_all, lambda answers: answers == y_all)
        return accuracy - level + LEVEL, coverage

    target = Accuracy(level, confidence=1 - DELTA)
    settings: Row = {"target": target, "independent_rows": way == "all counted"}
    return certify(X, y, truth, seed, model=GaussianNB(), **settings)


def of_seeds(n_seeds: int, seed: int) -> tuple[float, float, str]:
    """Return what the first of several seeds certifies on the same data; all of it is false.

    The classes are far apart, and 10.5% of the labels are wrong, whatever the certainty.
    """
    generator = default_rng(seed)
    y = generator.integers(0, 2, 600)
    X = generator.normal(size=(600, 1)) + 8 * y[:, np.newaxis]
    y = np.where(generator.random(600) < FLIPPED, 1 - y, y)
    model = LogisticRegression()

    def truth(clf: Any) -> tuple[float, float]:
        rejected = clf.reject(X)
        return 1 - FLIPPED, float(1 - rejected.mean())

    for other in range(n_seeds):
        accuracy, coverage, why = certify(X, y, truth, 100 * seed + other, model=model)
        if not why:
            break
    return accuracy, coverage, why


def of_targets(seed: int) -> tuple[float, float, str]:
    """Return the worst of five certificates on the same held-out samples, for one classifier."""
    X, y = gaussian(600, default_rng(seed))
    truth = truth_of_gaussian(seed)
    clf = RejectOptionClassifier(
        GaussianNB(), target=Accuracy(0.85, confidence=1 - DELTA / 5), random_state=seed
    )
    worst, coverage = np.nan, 0.0
    for level in (0.85, 0.87, 0.89, 0.91, 0.93):
        target = Accuracy(level, confidence=1 - DELTA / 5)
        try:
            clf = clf.retarget(target) if hasattr(clf, "thresholds_") else clf.fit(X, y)
        except InputError:
            continue
        accuracy, coverage = truth(clf)
        worst = np.fmin(worst, accuracy - level + LEVEL)
    return float(worst), coverage, "refused" if np.isnan(worst) else ""


# What is fitted, by the data and the way.
Cases = dict[tuple[str, str], Callable[[int], tuple[float, float, str]]]
CASES: Cases = {
    **{
        (f"{n} patients × {k} rows", way): partial(of_patients, n, k, way)
        for n, k in ((60, 20), (300, 4))
        for way in ("rows, in any order", "rows, in the order of patients", "groups")
    },
    **{
        (f"600 rows, {times} times each", way): partial(of_copies, times, way)
        for times in (2, 5)
        for way in ("all counted", "equal ones once")
    },
    **{
        (f"600 rows of {name}", way): partial(of_table, name, way)
        for name in ("wisconsin", "haberman", "segment")
        for way in ("all counted", "equal ones once")
    },
    ("600 rows, 10.5% of labels wrong", "one seed"): partial(of_seeds, 1),
    ("600 rows, 10.5% of labels wrong", "the first of ten seeds"): partial(of_seeds, 10),
    ("600 rows", "five targets, each with δ = 0.02"): of_targets,
}


def simulate(case: tuple[str, str], n_runs: int) -> Row:
    """Return how often what is certified is false, and how much is answered."""
    outcomes = [CASES[case](seed) for seed in range(n_runs)]
    accuracies, coverages = np.array([each[:2] for each in outcomes]).T
    reasons = [each[2] for each in outcomes]
    return {
        "data": case[0],
        "way": case[1],
        "runs": n_runs,
        "missed": float((accuracies < LEVEL).mean()),
        "coverage": float(coverages.mean()),
        "refused": reasons.count("refused") / n_runs,
        "contradiction": reasons.count("contradiction") / n_runs,
    }


# --- groups that nobody has named -----------------------------------------------------------------


def nine_tenths(name: str, generator: Generator) -> tuple[Array, Array]:
    """Return rows of a set, without some of them."""
    X, y = table(name) if name in TABLES else getattr(datasets, f"load_{name}")(return_X_y=True)
    rows = generator.choice(len(y), round(0.9 * len(y)), replace=False)
    return X[rows], y[rows]


def patients_without_names(
    n_patients: int, n_rows: int, n_features: int, generator: Generator
) -> tuple[Array, Array]:
    X, y, _ = patients(n_patients, n_rows, generator, n_features)
    return X, y


NAMELESS: dict[str, Callable[[Generator], tuple[Array, Array]]] = {
    **{
        f"{n} patients × {k} rows, {d} features": partial(patients_without_names, n, k, d)
        for n, k, d in ((60, 20, 4), (60, 20, 10), (300, 4, 4), (300, 4, 10))
    },
    **{
        name: partial(nine_tenths, name)
        for name in ("wisconsin", "haberman", "segment", "iris", "wine", "breast_cancer", "digits")
    },
    "two classes that overlap": partial(gaussian, 1200),
}


def seem_grouped(name: str, n_runs: int) -> Row:
    """Return in how many samples rows seem to come in groups, and of what size."""
    sizes = [size_of_hidden_groups(*NAMELESS[name](default_rng(seed))) for seed in range(n_runs)]
    found = [size for size in sizes if size]
    median = float(np.median(found)) if found else None
    return {"data": name, "runs": n_runs, "noticed": len(found) / n_runs, "size": median}


# --- contradictions by chance ---------------------------------------------------------------------

MODELS = {
    "logistic": LogisticRegression(max_iter=200),
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "one neighbour": KNeighborsClassifier(1),
    "discriminant": LinearDiscriminantAnalysis(),
}
FOLDS = {"5": StratifiedKFold(5), "2": StratifiedKFold(2), "in time": TimeSeriesSplit(5)}


def separated(n: int, d: int, by: float, generator: Generator) -> tuple[Array, Array]:
    y = generator.integers(0, 2, n)
    X = generator.normal(size=(n, d))
    X[:, :5] += by * y[:, np.newaxis]
    return X, y


def many_classes(n: int, generator: Generator) -> tuple[Array, Array]:
    y = generator.integers(0, 8, n)
    return generator.normal(size=(n, 10)) + 2.5 * np.eye(8, 10)[y], y


POPULATIONS: dict[str, Any] = {
    "easy": partial(separated, d=5, by=2.0),
    "overlapping": partial(separated, d=5, by=0.7),
    "many features": partial(separated, d=40, by=0.7),
    "nearly noise": partial(separated, d=30, by=0.1),
    "eight classes": many_classes,
}


def has_contradiction(seed: int, n_samples: int) -> bool | None:
    """Return whether independent samples contradict each other; None if a fold is too small."""
    generator = default_rng(seed)
    model = clone(MODELS[generator.choice(list(MODELS))])
    splitter = FOLDS[generator.choice(list(FOLDS), p=[0.6, 0.2, 0.2])]
    X, y = POPULATIONS[generator.choice(list(POPULATIONS))](n_samples, generator=generator)
    n_learn = n_samples // 2
    X_learn, y_learn = X[:n_learn], y[:n_learn]
    if np.unique(y_learn, return_counts=True)[1].max() < 5:
        return None
    folds = list(splitter.split(X_learn, y_learn))
    smallest = min((train for train, _ in folds), key=len)
    if len(np.unique(y_learn[smallest])) < 2 or len(smallest) <= 8:
        return None
    correct = [
        model.fit(X_learn[train], y_learn[train]).predict(X_learn[test]) == y_learn[test]
        for train, test in folds
    ]
    held_out = model.fit(X_learn, y_learn).predict(X[n_learn:]) == y[n_learn:]
    rates = ErrorRate.of(np.concatenate(correct)), ErrorRate.of(held_out)
    return contradicts(*rates, growth(folds, n_learn))


def by_chance(n_samples: int, n_runs: int) -> Row:
    """Return how often independent samples are taken for dependent ones."""
    seeds = range(n_samples * 100_000, n_samples * 100_000 + n_runs)
    results = [has_contradiction(seed, n_samples) for seed in seeds]
    known = [each for each in results if each is not None]
    return {"samples": n_samples, "runs": len(known), "contradiction": float(np.mean(known))}


# --- the record -----------------------------------------------------------------------------------


def repeats() -> list[Row]:
    """Return how many rows of the tables are different."""
    rows = []
    for name in TABLES:
        X, y = table(name)
        numbers = equal_samples(X, y)
        distinct = len(y) if numbers is None else int(numbers.max()) + 1
        rows.append({"table": name, "rows": len(y), "distinct": distinct})
    return rows


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    package = ROOT / "src" / "abstain"
    folders = ("certainty", "fronts", "targets", "classifier")
    return [Path(__file__), *(path for each in folders for path in package.glob(f"{each}/*.py"))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--fresh", action="store_true", help="simulate everything again")
    parser.add_argument("--quick", action="store_true", help="5 fits of each, nothing is written")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # which the tables count
    n_runs = QUICK_RUNS if options.quick else N_RUNS
    n_chance = QUICK_CHANCE if options.quick else N_CHANCE
    kept = KeptRows(CACHE, code, options.fresh)
    fits = [
        kept.row(" ".join(case), str(n_runs), partial(simulate, case, n_runs)) for case in CASES
    ]
    chance = [
        kept.row(f"by chance {n}", str(n_chance), partial(by_chance, n, n_chance))
        for n in (60, 120, 400, 1500)
    ]
    nameless = [
        kept.row(f"noticed {name}", str(n_runs), partial(seem_grouped, name, n_runs))
        for name in NAMELESS
    ]
    show("fits", fits)
    show("groups without names", nameless)
    show("by chance", chance)
    if not options.quick:
        allowed = DELTA + 3 * sqrt(DELTA * (1 - DELTA) / n_runs)
        record = {"fits": fits, "nameless": nameless, "by_chance": chance, "repeats": repeats()}
        write_record(
            "dependence.json", PACKAGES, level=LEVEL, delta=DELTA, allowed=allowed, **record
        )


if __name__ == "__main__":
    main()
