"""Which score tells outliers best, how many false alarms are there, and what does it cost?

- detection: the share of samples with a fault that are found, by each score and on each set; of
  faults of a single value, among the samples in which it leaves the range of the known ones. Of a
  class that was never seen, the share of its samples. All scores may have 1% of false alarms;
- false alarms of a `RejectOptionClassifier` on new samples of each set;
- cost: how much longer `predict` with a reject label takes with outliers than without.

``python benchmarks/outliers.py`` prints the tables and writes ``docs/benchmarks/outliers.json``, in
about ten minutes on one core. Sets that are done are kept in ``build/``: a run that was stopped
goes on where it was. With ``--quick`` there is one draw, and nothing is written.
"""

import argparse
import os
import time
import warnings
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from keeping import KeptRows
from measuring import show, write_record
from numpy.typing import NDArray
from outlying.faults import FAULTS, faults
from outlying.scores import RANGE_AND_DISTANCE, SCORES, decide
from outlying.sets import CHOSEN_ON, CONFIRMING, load
from scipy.stats import binom
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, RejectOptionClassifier

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "benchmarks"
CACHE = ROOT / "build" / "benchmarks" / "outliers"
DATA = Path(os.environ.get("ABSTAIN_DATA_HOME", ROOT.parent / "shared" / "data"))
PACKAGES = ["abstain", "scikit-learn", "numpy", "scipy"]

RATE, N_DRAWS, N_KNOWN, N_NEW = 0.01, 5, 1_500, 1_000
UNSEEN = "a class never seen"
# Rows, and calls of each kind, of which the medians are compared.
ROUNDS = {1: 300, 100_000: 15}
N_FITTED, N_FEATURES = 4_000, 20
CLASSIFIERS = {
    "LogisticRegression after StandardScaler": make_pipeline(
        StandardScaler(), LogisticRegression()
    ),
    "GMLVQ after StandardScaler": make_pipeline(StandardScaler(), GMLVQ(random_state=0)),
    "RandomForestClassifier": RandomForestClassifier(100, random_state=0),
    "HistGradientBoostingClassifier": HistGradientBoostingClassifier(random_state=0),
}

Row = dict[str, Any]
Floats = NDArray[np.float64]


def code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    detector = ROOT / "src" / "abstain" / "certainty" / "outliers.py"
    return [Path(__file__), *HERE.glob("outlying/*.py"), detector]


# --- detection ------------------------------------------------------------------------------------


def draw(X: Floats, y: NDArray[Any], seed: int) -> tuple[Floats, Floats, NDArray[Any], Any]:
    """Return known and new samples, and their classes."""
    order = np.random.default_rng(seed).permutation(len(X))
    n_known = min(N_KNOWN, 2 * len(X) // 3)
    known, new = order[:n_known], order[n_known : n_known + N_NEW]
    return X[known], X[new], y[known], y[new]


def detection(name: str, n_draws: int) -> Row:
    """Return, by score, the shares of outliers found and of false alarms on a set."""
    X, y = load(name, DATA)
    found: dict[str, dict[str, list[float]]] = {score: {} for score in SCORES}
    for seed in range(n_draws):
        known, new, labels, new_labels = draw(X, y, seed)
        classes, sizes = np.unique(labels, return_counts=True)
        unseen = classes[np.argsort(sizes)[len(sizes) // 2]] if len(classes) > 2 else None
        made = list(faults(known, new, np.random.default_rng(seed)))
        for score, shares in found.items():
            is_outlier = decide(score, known, labels, RATE)
            shares.setdefault("false alarms", []).append(float(is_outlier(new).mean()))
            for fault in made:
                if fault.is_visible.sum() >= 10:
                    hits = is_outlier(fault.samples)[fault.is_visible]
                    shares.setdefault(fault.name, []).append(float(hits.mean()))
            if unseen is not None and (new_labels == unseen).sum() >= 10:
                is_seen = labels != unseen
                is_outlier = decide(score, known[is_seen], labels[is_seen], RATE)
                hits = is_outlier(new[new_labels == unseen])
                shares.setdefault(UNSEEN, []).append(float(hits.mean()))
    return {
        score: {fault: float(np.mean(each)) for fault, each in shares.items()}
        for score, shares in found.items()
    }


# --- false alarms ---------------------------------------------------------------------------------


def false_alarms(name: str, n_draws: int) -> Row:
    """Return how many new samples of a set a fitted classifier takes for outliers."""
    X, y = load(name, DATA)
    alarms = samples = 0
    for seed in range(n_draws):
        known, new, labels, _ = draw(X, y, seed)
        model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=500))
        clf = RejectOptionClassifier(model, cv=3, outliers=RATE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clf.fit(known, labels)
        alarms += int(clf.decide(new).outlier.sum())
        samples += len(new)
    low, high = binom.interval(0.95, samples, RATE)
    return {
        "samples": samples,
        "alarms": alarms,
        "share": alarms / samples,
        "low": low / samples,
        "high": high / samples,
    }


# --- cost -----------------------------------------------------------------------------------------


def seconds(call: Any) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def cost(name: str) -> list[Row]:
    """Return how much longer answers take with outliers than without."""
    n_many = max(ROUNDS)
    X, y = make_classification(
        2 * N_FITTED + n_many, N_FEATURES, n_informative=10, n_classes=3, random_state=0
    )
    fitted = CLASSIFIERS[name].fit(X[:N_FITTED], y[:N_FITTED])
    with_outliers, without = (
        RejectOptionClassifier(FrozenEstimator(fitted), outliers=rate, reject_label=-1).fit(
            X[N_FITTED : 2 * N_FITTED], y[N_FITTED : 2 * N_FITTED]
        )
        for rate in (RATE, None)
    )
    rows = []
    for n_rows, rounds in ROUNDS.items():
        new = np.ascontiguousarray(X[-n_many:][:n_rows])
        for method in ("predict", "decide"):
            calls = [partial(getattr(clf, method), new) for clf in (with_outliers, without)]
            pairs = [[seconds(call) for call in calls] for _ in range(rounds)]
            own, other = (median(times) for times in zip(*pairs, strict=True))
            rows.append(
                {
                    "classifier": name,
                    "method": method,
                    "rows": n_rows,
                    "seconds": own,
                    "without": other,
                    "ratio": own / other,
                }
            )
    return rows


# --- all of it ------------------------------------------------------------------------------------


def by_score(sets: list[Row], names: list[str]) -> list[Row]:
    """Return the mean shares of each score over some of the sets."""
    some = [row for row in sets if row["set"] in names]
    means: list[Row] = []
    for score in SCORES:
        shares = {
            fault: [row[score][fault] for row in some if fault in row[score]]
            for fault in ("false alarms", *FAULTS, UNSEEN)
        }
        mean: Row = {name: float(np.mean(each)) for name, each in shares.items()}
        means.append({"score": score, **mean})
    return means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one draw, nothing is written")
    parser.add_argument("--fresh", action="store_true", help="measure all rows anew")
    options = parser.parse_args()
    n_draws = 1 if options.quick else N_DRAWS
    kept = KeptRows(CACHE, code, options.fresh)
    sets, alarms = [], []
    for name in (*CHOSEN_ON, *CONFIRMING):
        row = kept.row(f"detection {name}", str(n_draws), partial(detection, name, n_draws))
        sets.append({"set": name} | row)
        make = partial(false_alarms, name, n_draws)
        alarms.append({"set": name} | kept.row(f"false alarms {name}", str(n_draws), make))
    chosen, confirming = by_score(sets, CHOSEN_ON), by_score(sets, CONFIRMING)
    show("sets that had a part in the choice", chosen)
    show("other sets", confirming)
    ours = [{"set": row["set"], **row[RANGE_AND_DISTANCE]} for row in sets]
    show("false alarms", alarms)
    costs = [row for name in CLASSIFIERS for row in cost(name)]
    show("cost", costs)
    if not options.quick:
        write_record(
            "outliers.json",
            PACKAGES,
            rate=RATE,
            draws=N_DRAWS,
            known=N_KNOWN,
            chosen_on=CHOSEN_ON,
            confirming=CONFIRMING,
            by_score={"chosen on": chosen, "confirming": confirming},
            by_set=ours,
            false_alarms=alarms,
            cost=costs,
        )


if __name__ == "__main__":
    main()
