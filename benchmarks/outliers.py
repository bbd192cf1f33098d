"""Which score tells outliers best, how many false alarms are there, and what does it cost?

- detection: the share of samples with a fault that are found, by each score and on each set; of
  faults of a single value, among the samples in which it leaves the range of the known ones. Of a
  class that was never seen, the share of its samples. All scores may have 1% of false alarms;
- a price: with how many false alarms nine in ten values × 0.45 would be found, or all of them;
- false alarms of a `RejectOptionClassifier` on new samples of each set;
- cost: how much longer `predict` with a reject label takes with outliers than without.

``OMP_NUM_THREADS=1 python benchmarks/outliers.py`` prints the tables and writes
``docs/benchmarks/outliers.json``, in about twenty minutes. Sets that are done are kept in
``build/``: a run that was stopped goes on where it was. With ``--quick`` there is one draw, and
nothing is written.
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
from outlying.detection import DISTANCES, N_KNOWN, RATE, UNSEEN, detection, draw
from outlying.faults import FAULTS
from outlying.price import FAULT, FOUND, price
from outlying.scores import OURS, SCORES
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

N_DRAWS = 5
# Samples with a fault, in all draws, of which a share is told.
FEWEST = 10
# Rows, and calls of each kind, of which the medians are compared.
ROUNDS = {1: 500, 100_000: 15}
N_FITTED, N_FEATURES = 4_000, 20
CLASSIFIERS = {
    "LogisticRegression after StandardScaler": make_pipeline(
        StandardScaler(), LogisticRegression()
    ),
    "GMLVQ after StandardScaler": make_pipeline(StandardScaler(), GMLVQ(1, random_state=0)),
    "RandomForestClassifier": RandomForestClassifier(100, random_state=0),
    "HistGradientBoostingClassifier": HistGradientBoostingClassifier(random_state=0),
}

Row = dict[str, Any]
Floats = NDArray[np.float64]


# What is recorded of each set.
KEPT = ("set", OURS, "by distance")
# Scores that depend on the code of abstain, and others.
OF_DETECTOR = [OURS, "range", "residual"]
OTHERS = [score for score in SCORES if score not in OF_DETECTOR]


def measuring_code() -> list[Path]:
    """Return the code that measures how many outliers are found."""
    return list(HERE.glob("outlying/*.py"))


def all_code() -> list[Path]:
    """Return the code that is measured and the code that measures it."""
    detector = (ROOT / "src" / "abstain" / "certainty").glob("outlier*.py")
    return [Path(__file__), *measuring_code(), *detector]


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
    """Return the time on the processor: other processes hardly disturb it."""
    start = time.process_time()
    call()
    return time.process_time() - start


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


def shares(counts: dict[str, list[int]]) -> dict[str, float]:
    """Return the share that is found of each fault, of which there are enough samples."""
    return {fault: n_found / n_all for fault, (n_found, n_all) in counts.items() if n_all >= FEWEST}


def by_score(sets: list[Row], names: list[str]) -> list[Row]:
    """Return the mean shares of each score over some of the sets."""
    means: list[Row] = []
    for score in SCORES:
        own = [shares(row[score]) for row in sets if row["set"] in names]
        mean: Row = {"score": score}
        for fault in ("false alarms", *FAULTS, UNSEEN):
            mean[fault] = float(np.mean([row[fault] for row in own if fault in row]))
        means.append(mean)
    return means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one draw, nothing is written")
    parser.add_argument("--fresh", action="store_true", help="measure all rows anew")
    options = parser.parse_args()
    n_draws = 1 if options.quick else N_DRAWS
    kept = KeptRows(CACHE, all_code, options.fresh)
    kept_others = KeptRows(CACHE, measuring_code, options.fresh)
    sets: list[Row] = []
    alarms: list[Row] = []
    for name in (*CHOSEN_ON, *CONFIRMING):
        own, other = (
            partial(detection, name, DATA, each, n_draws) for each in (OF_DETECTOR, OTHERS)
        )
        title, size = f"detection {name}", str(n_draws)
        others = kept_others.row(f"{title} by other scores", size, other)
        sets.append({"set": name, **others, **kept.row(title, size, own)})
        make = partial(false_alarms, name, n_draws)
        alarms.append({"set": name, **kept.row(f"false alarms {name}", size, make)})
    prices = [
        {"set": name, **kept.row(f"price {name}", size, partial(price, name, DATA, n_draws))}
        for name in (*CHOSEN_ON, *CONFIRMING)
    ]
    chosen, confirming = by_score(sets, CHOSEN_ON), by_score(sets, CONFIRMING)
    show("sets that had a part in the choice", chosen)
    show("other sets", confirming)
    for row in sets:
        ours = {fault: f"{share:.3f}" for fault, share in shares(row[OURS]).items()}
        print(row["set"], ours)
    show(f"false alarms where {FOUND:.0%} of {FAULT} are found", prices)
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
            fewest=FEWEST,
            distances=DISTANCES[:-1],
            by_set=[{name: row[name] for name in KEPT} for row in sets],
            price=prices,
            false_alarms=alarms,
            cost=costs,
        )


if __name__ == "__main__":
    main()
