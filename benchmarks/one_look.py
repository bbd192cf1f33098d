"""How much longer does `predict` with a reject label take than the classifier itself?

`predict` of a fitted ``RejectOptionClassifier`` tells the answer, the certainty and the cell of
each sample; beside it, the classifier alone is asked for its posteriors, or, of GMLVQ, which has
none, for its classes. Both are called in turn, and the medians of the ratios are compared, for one
row and for many.

``python benchmarks/one_look.py`` prints the ratios and writes ``docs/benchmarks/one_look.json``.
"""

import json
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import sklearn
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator

import abstain
from abstain import GMLVQ, RejectOptionClassifier
from abstain._core.files import atomic_files

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "one_look.json"
N_FITTED, N_CALIBRATED, N_MANY, N_FEATURES, N_CLASSES = 4_000, 4_000, 100_000, 20, 3
# Pairs of calls, by the number of rows.
ROUNDS = {1: 500, N_MANY: 15}
AT_MOST = 1.2
CLASSIFIERS = {
    "RandomForestClassifier": (RandomForestClassifier(100, random_state=0), "predict_proba"),
    "HistGradientBoostingClassifier": (
        HistGradientBoostingClassifier(random_state=0),
        "predict_proba",
    ),
    "GMLVQ": (GMLVQ(1, random_state=0), "predict"),
}


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(estimator: Any, method: str) -> dict[str, dict[str, float]]:
    X, y = make_classification(
        N_FITTED + N_CALIBRATED + N_MANY,
        N_FEATURES,
        n_informative=10,
        n_classes=N_CLASSES,
        random_state=0,
    )
    known, new = N_FITTED + N_CALIBRATED, X[-N_MANY:]
    estimator.fit(X[:N_FITTED], y[:N_FITTED])
    clf = RejectOptionClassifier(FrozenEstimator(estimator), outliers=None, reject_label=-1)
    clf.fit(X[N_FITTED:known], y[N_FITTED:known])
    alone = getattr(estimator, method)
    times = {}
    for n_rows, rounds in ROUNDS.items():
        rows = np.ascontiguousarray(new[:n_rows])
        clf.predict(rows), alone(rows)  # the first calls import and allocate
        pairs = [
            (seconds(lambda: clf.predict(rows)), seconds(lambda: alone(rows)))  # noqa: B023
            for _ in range(rounds)
        ]
        times[str(n_rows)] = {
            "seconds": median(own for own, _ in pairs),
            f"{method}_seconds": median(other for _, other in pairs),
            "ratio": median(own for own, _ in pairs) / median(other for _, other in pairs),
        }
    return times


def main() -> None:
    figures = {}
    for name, (estimator, method) in CLASSIFIERS.items():
        figures[name] = compare(estimator, method)
        for n_rows, times in figures[name].items():
            print(
                f"{name}, {int(n_rows):,} row(s): {times['ratio']:.2f} times its {method} "
                f"(at most {AT_MOST})"
            )
    record = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "abstain": abstain.__version__,
        "scikit-learn": sklearn.__version__,
        "n_features": N_FEATURES,
        "n_classes": N_CLASSES,
        "at_most": AT_MOST,
        "classifiers": figures,
    }
    with atomic_files(RESULTS) as (draft,):
        draft.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
