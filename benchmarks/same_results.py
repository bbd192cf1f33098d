"""Are the results equal to the bit to those of another version of the code?

Prints the SHA-256 of fronts, thresholds, fitted models, certainties, certificates and a quick
study, through public names alone, so that it runs on earlier versions too:

    python benchmarks/same_results.py > after.json
    PYTHONPATH=<earlier checkout>/src python benchmarks/same_results.py > before.json
    diff before.json after.json
"""

import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import abstain
from abstain import (
    Accuracy,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    operating_point,
    pareto_front,
)

MODELS = ("GLVQ", "GRLVQ", "GMLVQ", "LGMLVQ", "RSLVQ", "MRSLVQ", "LMRSLVQ")
FITTED = ("prototypes_", "omega_", "omegas_", "relevances_", "loss_", "n_iter_")


def main() -> None:
    warnings.simplefilter("ignore")
    records: dict[str, str] = {}
    for name, values in (*fronts(), *models(), *classifiers(), *quick_study()):
        records[name] = digest(values)
        print(name, file=sys.stderr)
    print(json.dumps(records, indent=1, sort_keys=True))


def digest(values: list[Any]) -> str:
    total = hashlib.sha256()
    for value in values:
        data = value if isinstance(value, bytes) else np.ascontiguousarray(value).tobytes()
        total.update(data)
    return total.hexdigest()[:16]


def fronts() -> Iterator[tuple[str, list[Any]]]:
    for n, n_cells, decimals in ((300, 1, 1), (2_000, 5, 2), (20_000, 20, 9)):
        rng = np.random.default_rng(n)
        cells = rng.integers(n_cells, size=n)
        certainty = rng.random(n).round(decimals)
        correct = rng.random(n) < certainty ** (0.1 + cells / n_cells)
        for method in ("exact", "greedy", "hull", "pooled"):
            front = pareto_front(certainty, correct, cells, method=method)
            rows = np.linspace(0, len(front) - 1, 50).astype(int)
            thresholds = [front.thresholds_at(row) for row in rows.tolist()]
            yield (
                f"front {method} {n}",
                [front.true_rejects, front.false_rejects, front.gap, *thresholds],
            )
            for target in (RejectRate(0.2), Accuracy(0.9), RejectCost(0.3)):
                point = operating_point(front, target)
                yield f"target {method} {n} {target}", [point.thresholds]


def models() -> Iterator[tuple[str, list[Any]]]:
    for load in (load_iris, load_wine, load_breast_cancer):
        X, y = load(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        missing = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
        for name in MODELS:
            for solver in ("lbfgs", "adam"):
                for data, kind in ((X, "whole"), (missing, "missing")):
                    model = getattr(abstain, name)(1, solver=solver, max_iter=30, random_state=0)
                    model.fit(data, y)
                    fitted = [getattr(model, key) for key in FITTED if hasattr(model, key)]
                    yield (
                        f"{name} {solver} {load.__name__} {kind}",
                        [*fitted, model.predict(data), model.distances(data)],
                    )


def classifiers() -> Iterator[tuple[str, list[Any]]]:
    X, y = load_digits(return_X_y=True)
    train, test = slice(0, 1200), slice(1200, None)
    estimators = (
        (LogisticRegression(max_iter=300), ("auto", "margin", "entropy")),
        (RandomForestClassifier(20, random_state=0), ("auto", "trust")),
        (GaussianNB(), ("auto", "conf")),
        (SVC(), ("auto", "pairwise")),
        (make_pipeline(StandardScaler(), abstain.GMLVQ(1, max_iter=20)), ("auto", "distance")),
    )
    targets = (RejectRate(0.1), Accuracy(0.97), Accuracy(0.9, confidence=0.9))
    for estimator, certainties in estimators:
        for certainty in certainties:
            for target in targets:
                clf = RejectOptionClassifier(
                    estimator, certainty=certainty, target=target, random_state=0
                )
                if hasattr(clf, "outliers"):  # earlier versions reject none
                    clf.set_params(outliers=None)
                try:
                    clf.fit(X[train], y[train])
                except abstain.InputError as error:
                    yield f"refused {estimator} {certainty} {target}", [str(error).encode()]
                    continue
                yield (
                    f"classifier {estimator} {certainty} {target}",
                    [
                        clf.predict(X[test]),
                        clf.certainties(X[test]),
                        clf.reject(X[test]),
                        clf.predict_correct_proba(X[test]),
                    ],
                )


def quick_study() -> Iterator[tuple[str, list[Any]]]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "study"
        command = [sys.executable, "-m", "abstain", "study", "--quick", "--only", "gaussian,pearl"]
        run([*command, "--quiet", "--out", str(out)], check=True)
        for path in sorted(out.glob("*.csv")):
            yield f"study {path.name}", [path.read_bytes()]


if __name__ == "__main__":
    main()
