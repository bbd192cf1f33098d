"""Does new data do what was expected of it?

A classifier with a reject option is fitted to some rows of a set, in five folds, and moved to
several targets. Beside each other: what `operating_point_` says of the rows that chose the point,
what `expected_` says, and what comes out on at most 5,000 other rows. With ``confidence``, half of
the rows are held out, and tell what to expect.

``python benchmarks/expected.py`` writes ``docs/benchmarks/expected.json``. What is done is kept in
``build/``: a run that was stopped goes on where it was. ``--quick`` takes two sets and one draw,
prints the record and writes nothing.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from environments import python_with
from joblib import Parallel, delayed
from keeping import KeptRows
from local.answers import CLASSIFIERS
from local.sets import KEEL, REQUIREMENTS, Table, load
from measuring import write_record
from threadpoolctl import threadpool_limits

from abstain import Accuracy, InputError, RejectCost, RejectOptionClassifier, RejectRate

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ABSTAIN_DATA_HOME", ROOT.parent / "shared" / "data"))
CACHE = ROOT / "build" / "benchmarks" / "expected"
# The estimate was chosen on answers to the first; the others had no part in it.
CHOSEN_ON = ["weather", "gas_drift", "magic", "letter", "mixture"]
CONFIRMING = ["electricity", "covtype", "banana", "marketing", "optdigits", "penbased", "phoneme"]
CONFIRMING += ["ring", "satimage", "spambase", "texture", "twonorm"]
ASKED = ["logistic regression", "naive Bayes", "GMLVQ"]
SIZES, N_NEW, LEAST_NEW, N_DRAWS = [100, 400, 2000], 5000, 1000, 4
# Targets by name; of accuracies, the share of the errors that they remove, and the confidence.
ACCURACIES = {"half of the errors": (0.5, None), "three quarters": (0.75, None)}
CERTIFIED = {"certified": (0.5, 0.9)}

Row = dict[str, Any]


def measured_code() -> Iterator[Path]:
    """Yield the files that the figures depend on."""
    package = ROOT / "src" / "abstain"
    yield package / "classifier" / "expected.py"
    yield package / "targets" / "expectation.py"
    for folder in ["certainty", "fronts", "models"]:
        yield from (package / folder).glob("*.py")
    yield Path(__file__)


def accuracy_target(base: float, removed: float, confidence: float | None) -> Accuracy:
    """Return the accuracy that removes a share of the errors."""
    return Accuracy(base + removed * (1 - base), confidence=confidence)


def compare(clf: RejectOptionClassifier, X: Any, y: Any) -> Row:
    """Return what was told and expected of an operating point, and what new rows do."""
    point, start = clf.operating_point_, time.perf_counter()
    expected = clf.expected_
    seconds = time.perf_counter() - start
    accepted = ~clf.reject(X)
    if expected is None or not accepted.any() or np.isnan(point.accuracy):
        return {}
    return {
        "told": [point.accuracy, point.coverage],
        "expected": [expected.accuracy, expected.coverage],
        "new": [float((clf.predict(X) == y)[accepted].mean()), float(accepted.mean())],
        "intervals": [expected.accuracy_interval, expected.coverage_interval],
        "seconds": seconds,
    }


def try_draw(name: str, table: Table, classifier: str, size: int, seed: int) -> Row:
    """Return what comes of all targets for one draw of rows."""
    order = np.random.default_rng(seed).permutation(len(table.y))
    known, new = order[:size], order[size : size + N_NEW]
    X, y, X_new, y_new = table.X[known], table.y[known], table.X[new], table.y[new]
    rows = []

    def add(title: str, clf: RejectOptionClassifier, seconds: float) -> None:
        about = {"set": name, "classifier": classifier, "size": size, "target": title}
        rows.append(about | {"draw": seed, "fit": seconds} | compare(clf, X_new, y_new))

    clf = RejectOptionClassifier(CLASSIFIERS[classifier], random_state=seed)
    start = time.perf_counter()
    clf.fit(X, y)
    seconds, base = time.perf_counter() - start, float((clf.predict(X_new) == y_new).mean())
    targets: Row = {"reject rate 0.1": RejectRate(0.1), "reject cost 0.2": RejectCost(0.2)}
    targets |= {name: accuracy_target(base, *asked) for name, asked in ACCURACIES.items()}
    for title, target in targets.items():
        try:
            add(title, clf.retarget(target), seconds)
        except InputError:
            rows.append({"size": size, "target": title, "set": name, "draw": seed})
    for title, asked in CERTIFIED.items():
        sure = RejectOptionClassifier(
            CLASSIFIERS[classifier],
            target=accuracy_target(base, *asked),
            independent_rows=True,
            random_state=seed,
        )
        try:
            start = time.perf_counter()
            add(title, sure.fit(X, y), time.perf_counter() - start)
        except InputError:
            rows.append({"size": size, "target": title, "set": name, "draw": seed})
    return {"rows": rows}


def measure_set(name: str, data: Path, n_draws: int, kept: KeptRows) -> list[Row]:
    """Return what all classifiers come to on a set."""
    warnings.filterwarnings("ignore")
    table = load(name, data)
    rows: list[Row] = []
    with threadpool_limits(1):
        for size in SIZES:
            if len(table.y) < size + LEAST_NEW:
                continue
            for seed in range(n_draws):
                for classifier in ASKED:
                    make = partial(try_draw, name, table, classifier, size, seed)
                    title = f"{name}, {classifier}, {size}"
                    row = kept.row(title, str(seed), make)
                    n_new = min(N_NEW, len(table.y) - size)
                    rows += [each | {"new_rows": n_new} for each in row["rows"]]
    return rows


def summaries(rows: list[Row]) -> list[Row]:
    """Return bias and coverage by size and target, in points."""
    figures = []
    for group, names in {"chosen on": CHOSEN_ON, "confirming": CONFIRMING}.items():
        for size in SIZES:
            for target in ["reject rate 0.1", "reject cost 0.2", *ACCURACIES, *CERTIFIED]:
                asked = [
                    row
                    for row in rows
                    if (row["size"], row["target"]) == (size, target) and row["set"] in names
                ]
                done = [row for row in asked if "new" in row]
                if len(done) >= len(names):
                    about = {"sets": group, "size": size, "target": target}
                    figures.append(about | {"tried": len(asked)} | summary(done))
    return figures


def summary(rows: list[Row]) -> Row:
    """Return how far what was told and what was expected are above what new rows do."""
    figures: Row = {"fits": len(rows)}
    for at, share in enumerate(["accuracy", "answered"]):
        for source in ["told", "expected"]:
            differences = [100 * (row[source][at] - row["new"][at]) for row in rows]
            figures[f"{share}_{source}"] = [mean(differences), standard_error(rows, differences)]
            figures[f"{share}_{source}_rmse"] = float(np.sqrt(np.mean(np.square(differences))))
        limits = [(*widened(row, at), row["new"][at]) for row in rows]
        figures[f"{share}_covered"] = mean(low <= new <= high for low, high, new in limits)
        figures[f"{share}_below"] = mean(new < low for low, _, new in limits)
    figures["seconds"] = mean(row["seconds"] for row in rows)
    figures["share_of_fit"] = mean(row["seconds"] for row in rows) / mean(r["fit"] for r in rows)
    return figures


def widened(row: Row, at: int) -> tuple[float, float]:
    """Return an interval for the share of some new rows, which has an error of its own.

    A share of m new rows differs from one of n known rows by sqrt(1 + n/m) times as much as the
    share of all new rows does.
    """
    middle, (low, high) = row["expected"][at], row["intervals"][at]
    factor = float(np.sqrt(1 + row["size"] / row["new_rows"]))
    return middle - factor * (middle - low) - 1e-9, middle + factor * (high - middle) + 1e-9


def standard_error(rows: list[Row], values: list[float]) -> float:
    """Return that of the mean; fits to the same rows of a set count as one."""
    by_draw: dict[tuple[str, int], list[float]] = {}
    for row, value in zip(rows, values, strict=True):
        by_draw.setdefault((row["set"], row["draw"]), []).append(value)
    means = [mean(each) for each in by_draw.values()]
    return float(np.std(means, ddof=1) / np.sqrt(len(means)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="two sets, write nothing")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of covtype.csv and others")
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="draws of rows per set")
    parser.add_argument("--jobs", type=int, default=1, help="sets that are measured at once")
    options = parser.parse_args()
    sets = CHOSEN_ON[:2] if options.quick else [*CHOSEN_ON, *CONFIRMING]
    n_draws = 1 if options.quick else options.draws
    kept = KeptRows(CACHE, measured_code)
    if set(sets) & set(KEEL):
        python_with(REQUIREMENTS)  # once, not by several jobs at the same time
    try:
        of_sets = Parallel(n_jobs=options.jobs)(
            delayed(measure_set)(name, options.data, n_draws, kept) for name in sets
        )
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    figures = summaries([row for rows in of_sets for row in rows])
    if options.quick:
        print(json.dumps(figures, indent=1))
        return
    settings = {"draws": n_draws, "sizes": SIZES, "new": N_NEW, "classifiers": ASKED}
    settings |= {"chosen_on": CHOSEN_ON, "confirming": CONFIRMING}
    write_record("expected.json", ["numpy", "scipy", "scikit-learn"], **settings, rows=figures)


if __name__ == "__main__":
    main()
