"""What do thresholds that follow a stream cost, and how near do they keep an accuracy?

Three questions, each answered by figures of one run:

- How much longer does ``partial_fit`` of an ``OnlineRejectOption`` take than the classifier alone,
  which is asked for its posteriors and then trained, in blocks of 1,000? Processor time.
- How far is the accuracy of the answers from the target, over windows of 1,000 samples that arrive
  in blocks of 100? Beside thresholds that are set once, on the samples before the first window; the
  target leaves half of the errors that the classifier makes on these.
- By how much does the process grow over a stream of ten million samples?

``python benchmarks/online.py`` prints the figures and writes ``docs/benchmarks/online.json``.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measuring import growth_of_process, show, write_record
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from abstain import Accuracy, OnlineRejectOption
from abstain.online.tracking import ThresholdTracker

AT_MOST = 20.0  # microseconds
BLOCK, N_TIMED, ROUNDS = 1000, 40_000, 3
WINDOW, TRACKED_BLOCK, LEAST_ANSWERS = 1000, 100, 30
N_LONG, LONG_BLOCK = 10_000_000, 10_000
# Of the samples that thresholds are set on once: wrong answers that the target leaves.
SHARE_LEFT = 0.5
DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
SETS = ("electricity", "weather", "gas_drift", "noise", "stationary")
DRIFTING = tuple(name for name in SETS if name != "stationary")


def gaussian(n: int, n_classes: int, noise: Any = 1.0, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(n_classes, 5)) * 1.2
    y = rng.integers(0, n_classes, n)
    return means[y] + np.reshape(noise, (-1, 1)) * rng.normal(size=(n, 5)), y


def read_stream(name: str, folder: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    if name == "stationary":
        return gaussian(40_000, 3)
    if name == "noise":  # whose level changes three times
        return gaussian(40_000, 2, np.repeat([0.8, 1.4, 0.8, 1.8], 10_000))
    table = pd.read_csv(folder / f"{name}.csv.gz")
    y = np.unique(table.pop("target"), return_inverse=True)[1]
    X = table.drop(columns="batch", errors="ignore").to_numpy(np.float64)
    known = X[:WINDOW]
    return (X - known.mean(axis=0)) / (known.std(axis=0) + 1e-9), y


def seconds_alone(X: Any, y: Any, estimator: Any) -> float:
    start = time.process_time()
    for at in range(0, len(y), BLOCK):
        block = slice(at, at + BLOCK)
        if at:
            estimator.predict_proba(X[block])
        estimator.partial_fit(X[block], y[block], classes=np.unique(y))
    return time.process_time() - start


def seconds_with_thresholds(X: Any, y: Any, estimator: Any) -> float:
    clf = OnlineRejectOption(estimator, target=Accuracy(0.9))
    start = time.process_time()
    for at in range(0, len(y), BLOCK):
        block = slice(at, at + BLOCK)
        clf.partial_fit(X[block], y[block], classes=np.unique(y))
    return time.process_time() - start


def time_blocks() -> list[dict[str, Any]]:
    rows = []
    for n_cells in (2, 10, 50):
        X, y = gaussian(N_TIMED, n_cells)
        own, alone = (
            min(measure(X, y, GaussianNB()) for _ in range(ROUNDS))
            for measure in (seconds_with_thresholds, seconds_alone)
        )
        rows.append(
            {
                "n_cells": n_cells,
                "classifier_us": 1e6 * alone / N_TIMED,
                "over_us": 1e6 * (own - alone) / N_TIMED,
                "ratio": own / alone,
            }
        )
    return rows


class WindowTree:
    """A tree that is fitted again to the last samples after each block."""

    def __init__(self) -> None:
        self.X, self.y = np.empty((0, 0)), np.empty(0, int)

    def partial_fit(self, X: Any, y: Any) -> None:
        """Fit a tree to the last samples."""
        self.X = np.vstack([self.X, X])[-WINDOW:] if len(self.X) else X
        self.y = np.append(self.y, y)[-WINDOW:]
        self.tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
        self.tree.fit(self.X, self.y)

    def posteriors(self, X: Any) -> Any:
        """Return posteriors, and the classes of their columns."""
        return self.tree.predict_proba(X), self.tree.classes_


class Learner:
    """A classifier of scikit-learn, trained on each block or on the first samples alone."""

    def __init__(self, estimator: Any, classes: Any, n_samples: float = np.inf) -> None:
        self.estimator, self.classes, self.left = estimator, classes, n_samples

    def partial_fit(self, X: Any, y: Any) -> None:
        """Train the classifier, unless it has had its samples."""
        if self.left > 0:
            self.estimator.partial_fit(X, y, classes=self.classes)
            self.left -= len(y)

    def posteriors(self, X: Any) -> Any:
        """Return posteriors, and the classes of their columns."""
        return self.estimator.predict_proba(X), self.estimator.classes_


def learners(y: NDArray[Any]) -> dict[str, Any]:
    classes = np.unique(y)
    sgd = SGDClassifier(
        loss="log_loss", alpha=1e-3, learning_rate="constant", eta0=0.02, random_state=0
    )
    bayes = GaussianNB(var_smoothing=1e-3)
    return {
        "SGD, trained": Learner(sgd, classes),
        "tree, window": WindowTree(),
        "GaussianNB, fixed": Learner(bayes, classes, max(500, len(y) // 20)),
    }


def answers_of(learner: Any, X: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return certainty, predicted class and correctness, tested block by block, then trained."""
    parts = []
    for at in range(0, len(y), TRACKED_BLOCK):
        block = slice(at, at + TRACKED_BLOCK)
        if at:
            posteriors, classes = learner.posteriors(X[block])
            top = np.clip(posteriors.max(axis=1), 1e-12, 1 - 1e-12)
            labels = classes[posteriors.argmax(axis=1)]
            parts.append((np.log(top) - np.log1p(-top), labels, labels == y[block]))
        learner.partial_fit(X[block], y[block])
    certainty, labels, correct = (np.concatenate(each) for each in zip(*parts, strict=True))
    return certainty, labels, correct


def fixed_rejects(
    certainty: Any, cells: Any, correct: Any, target: float, n_first: int
) -> NDArray[np.bool_]:
    tracker = ThresholdTracker(Accuracy(target), "pooled", np.inf)
    names = cells[:n_first].tolist()
    tracker.see(certainty[:n_first], names)
    tracker.learn(certainty[:n_first], names, correct[:n_first], np.ones(n_first, np.bool_))
    return tracker.rejects(certainty, tracker.positions(cells.tolist()))


def following_rejects(certainty: Any, cells: Any, correct: Any, target: float) -> Any:
    tracker = ThresholdTracker(Accuracy(target), "pooled", 1000.0)
    rejected = np.empty(len(cells), np.bool_)
    for at in range(0, len(cells), TRACKED_BLOCK):
        block = slice(at, at + TRACKED_BLOCK)
        names = cells[block].tolist()
        own = rejected[block] = tracker.rejects(certainty[block], tracker.positions(names))
        tracker.see(certainty[block], names, own)
        tracker.learn(certainty[block], names, correct[block], own)
    return rejected


def distances(rejected: Any, correct: Any, target: float, first: int) -> dict[str, Any]:
    """Return the mean distance from the target over windows with enough answers, and coverage."""
    found, coverages = [], []
    for at in range(first, len(correct) - WINDOW + 1, WINDOW):
        accepted = ~rejected[at : at + WINDOW]
        coverages.append(accepted.mean())
        if accepted.sum() >= LEAST_ANSWERS:
            found.append(abs(correct[at : at + WINDOW][accepted].mean() - target))
    return {
        "distance": float(np.mean(found)) if found else None,
        "coverage": float(np.mean(coverages)),
        "windows": len(found) / len(coverages),
    }


def track(folder: Path) -> list[dict[str, Any]]:
    rows = []
    for name in SETS:
        X, y = read_stream(name, folder)
        first = 2000 if len(y) > 10_000 else 1000
        for learner, model in learners(y).items():
            answers = answers_of(model, X, y)
            target = float(1 - SHARE_LEFT * (~answers[2][:first]).mean())
            fixed = distances(fixed_rejects(*answers, target, first), answers[2], target, first)
            own = distances(following_rejects(*answers, target), answers[2], target, first)
            rows.append(
                {
                    "set": name,
                    "learner": learner,
                    "target": target,
                    "accuracy": float(answers[2].mean()),
                    **{f"fixed_{key}": value for key, value in fixed.items()},
                    **own,
                    "ratio": _ratio(own["distance"], fixed["distance"]),
                }
            )
    return rows


def _ratio(own: float | None, fixed: float | None) -> float | None:
    """Return how the distances compare, if both kinds of thresholds answered."""
    return None if own is None or fixed is None else own / fixed


def grow() -> dict[str, Any]:
    X, y = gaussian(LONG_BLOCK, 3)
    clf = OnlineRejectOption(FrozenEstimator(GaussianNB().fit(X, y)), target=Accuracy(0.95))

    def follow(n_samples: int) -> None:
        rng = np.random.default_rng(1)
        for _ in range(n_samples // LONG_BLOCK):
            rows = rng.integers(0, len(y), LONG_BLOCK)
            clf.partial_fit(X[rows] + 0.1 * rng.normal(size=(LONG_BLOCK, 5)), y[rows])

    follow(N_LONG // 100)
    start = time.process_time()
    growth = growth_of_process(lambda: follow(N_LONG))
    seconds = time.process_time() - start
    return {"n_samples": N_LONG, "growth_bytes": growth, "us": 1e6 * seconds / N_LONG}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the data sets")
    folder = parser.parse_args().data
    memory = grow()  # first, while the process holds nothing else
    show("A long stream", [memory])
    times = time_blocks()
    show("Microseconds per sample", times)
    tracked = track(folder)
    show("Distance of the accuracy from the target, over windows", tracked)
    ratios = {
        name: [row["ratio"] for row in tracked if row["set"] == name and row["ratio"] is not None]
        for name in SETS
    }
    write_record(
        "online.json",
        ["abstain", "numpy", "scikit-learn"],
        at_most_us=AT_MOST,
        block=BLOCK,
        times=times,
        tracked_block=TRACKED_BLOCK,
        window=WINDOW,
        tracked=tracked,
        median_ratio_drifting=float(np.median([r for name in DRIFTING for r in ratios[name]])),
        most_ratio_stationary=max(ratios["stationary"]),
        memory=memory,
    )


if __name__ == "__main__":
    main()
