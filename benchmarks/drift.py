"""What do outliers, a monitor, recalibration and a new fit do while data drift?

A classifier is fitted and certified on the first rows of a set in time order, and then answers the
rest, step by step. The truth of a random share of the rows becomes known after each step.

- as fitted: no outliers are rejected, nothing is watched;
- outliers: the default;
- recalibrated: when the monitor of the promised accuracy raises its alarm, the thresholds are set
  again on the latest rows of known truth (`recalibrate`);
- fitted again: when it raises its alarm, everything is fitted again on such rows, more of them;
- newest calibrate: likewise, but the thresholds are set on rows newer than those of the fit.

If the accuracy cannot be certified on these rows, nothing is answered until it can; that is tried
again whenever `N_MORE` more rows are known.

``python benchmarks/drift.py`` prints the tables and writes ``docs/benchmarks/drift.json``, in about
five minutes on one core.
"""

import argparse
import os
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from measuring import show, write_record
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import Accuracy, InputError, RejectOptionClassifier, RiskMonitor

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ABSTAIN_DATA_HOME", ROOT.parent / "shared" / "data"))
PACKAGES = ["abstain", "scikit-learn", "numpy"]
ARMS = ("as fitted", "outliers", "recalibrated", "fitted again", "newest calibrate")
SEEDS = range(5)
MONITOR_CONFIDENCE = 0.95
N_MORE = 50

Row = dict[str, Any]
# Answered rows, wrong answers and outliers.
Counts = NDArray[np.int64]


class Stream(NamedTuple):
    """Rows in time order; chunks begin at ``starts``, the first of them after the fit."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    starts: list[int]
    names: list[str]
    model: Any
    target: Accuracy
    known_share: float
    # Latest rows of known truth on which thresholds are set again, and all is fitted again.
    n_recent: int
    n_fit: int


def streams() -> Iterator[Stream]:
    """Yield the sets."""
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    gas = read("gas_drift")
    batch = gas["batch"].to_numpy()
    later = [number for number in np.unique(batch).tolist() if number > 2]
    # Within a batch, the file is mostly in the order of the classes.
    rng = np.random.default_rng(0)
    order = np.concatenate(
        [rng.permutation(np.flatnonzero(batch == number)) for number in (2, *later)]
    )
    sizes = [int((batch == number).sum()) for number in (2, *later)]
    X, y = samples(gas.drop("batch"))
    yield Stream(
        "gas_drift",
        X[order],
        y[order],
        np.cumsum(sizes).tolist(),
        [f"batch {number}" for number in later],
        linear,
        Accuracy(0.95, confidence=0.9),
        0.5,
        200,
        400,
    )
    boosting = HistGradientBoostingClassifier(random_state=0)
    for name, n_fit, chunk, model in (
        ("electricity", 4_000, 2_000, boosting),
        ("weather", 2_000, 1_000, boosting),
    ):
        X, y = samples(read(name))
        starts = list(range(n_fit, len(X) - chunk // 2, chunk))
        names = [f"rows from {start:,}" for start in starts]
        target = Accuracy(0.85, confidence=0.9)
        yield Stream(name, X, y, [*starts, len(X)], names, model, target, 0.2, 400, 1_000)


def read(name: str) -> pl.DataFrame:
    (file,) = DATA.glob(f"{name}.csv*")
    return pl.read_csv(file, infer_schema_length=None)


def samples(frame: pl.DataFrame) -> tuple[NDArray[np.float64], NDArray[Any]]:
    labels = frame["target"].cast(pl.String).to_numpy()
    return frame.drop("target").cast(pl.Float64).to_numpy(), labels


class Arm:
    """A classifier in use, and what is done about it."""

    def __init__(self, stream: Stream, name: str, seed: int) -> None:
        self.name, self.stream = name, stream
        self.unfitted = RejectOptionClassifier(
            stream.model,
            target=stream.target,
            outliers=None if name == "as fitted" else 0.01,
            random_state=seed,
        )
        first = slice(stream.starts[0])
        self.clf = clone(self.unfitted).fit(stream.X[first], stream.y[first])
        self.monitor = RiskMonitor.from_classifier(self.clf, confidence=MONITOR_CONFIDENCE)
        self.is_known = np.random.default_rng(seed).random(len(stream.X)) < stream.known_share
        self.is_known[first] = True
        self.is_answering, self.tried_at = True, 0
        self.alarms: list[int] = []
        self.restarts: list[int] = []

    def answer(self, rows: slice) -> Counts:
        """Answer the rows; then their truth becomes known."""
        decisions = self.clf.decide(self.stream.X[rows])
        right = self.clf.classes_[decisions.class_indices] == self.stream.y[rows]
        answered = ~decisions.rejected & self.is_answering
        if self.name not in ARMS[:2]:
            known = np.where(self.is_known[rows], right, None)
            self.react(known[answered], rows.stop)
        return np.array([answered.sum(), (answered & ~right).sum(), decisions.outlier.sum()])

    def react(self, outcomes: NDArray[Any], now: int) -> None:
        """Watch the outcomes; after an alarm, answer nothing until it is certified again."""
        n_known = int(self.is_known[:now].sum())
        if self.is_answering:
            self.monitor.update(outcomes)
            if not self.monitor.is_alarm:
                return
            self.alarms.append(now)
            self.is_answering, self.tried_at = False, n_known - N_MORE
        if n_known >= self.tried_at + N_MORE:
            self.tried_at = n_known
            self.is_answering = self.is_mended(np.flatnonzero(self.is_known[:now]))
            if self.is_answering:
                self.restarts.append(now)
                self.monitor.reset()

    def is_mended(self, known: NDArray[np.int64]) -> bool:
        """Recalibrate or fit again; return whether the accuracy could be certified."""
        is_new = known >= self.stream.starts[0]
        n_recent, n_fit = self.stream.n_recent, self.stream.n_fit
        try:
            if self.name == "recalibrated":  # on rows that the classifier was not fitted on
                self.clf.recalibrate(*self.at(known[is_new][-n_recent:]))
            elif self.name == "fitted again":
                self.clf = clone(self.unfitted).fit(*self.at(known[-n_fit:]))
            else:
                older, newest = known[-n_fit - n_recent : -n_recent], known[-n_recent:]
                fitted = clone(self.unfitted).fit(*self.at(older))
                self.clf = fitted.recalibrate(*self.at(newest))
        except InputError:
            return False
        return True

    def at(self, rows: NDArray[np.int64]) -> tuple[Any, Any]:
        """Return samples and their classes."""
        return self.stream.X[rows], self.stream.y[rows]


def run(stream: Stream, name: str, seed: int) -> Row:
    """Return what happens in each chunk."""
    arm, chunks = Arm(stream, name, seed), []
    for start, stop in pairwise(stream.starts):
        step = max(50, (stop - start) // 20)
        steps = (slice(begin, min(begin + step, stop)) for begin in range(start, stop, step))
        counts = np.sum([arm.answer(rows) for rows in steps], axis=0)
        answered, wrong, outliers = (counts / (stop - start)).tolist()
        chunks.append(
            {
                "rows": stop - start,
                "answered": answered,
                "wrong": wrong,
                "outliers": outliers,
            }
        )
    return {"chunks": chunks, "alarms": arm.alarms, "restarts": arm.restarts}


def summary(stream: Stream, arm: str, runs: list[Row]) -> Row:
    """Return the means over the seeds: by chunk, and over all rows."""
    sizes = np.array([chunk["rows"] for chunk in runs[0]["chunks"]])
    answered, wrong, outliers = (
        np.array([[chunk[name] for chunk in each["chunks"]] for each in runs]).mean(axis=0)
        for name in ("answered", "wrong", "outliers")
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        accuracy = 1 - wrong / answered
    shares = sizes / sizes.sum()
    return {
        "set": stream.name,
        "arm": arm,
        "promised": stream.target.accuracy,
        "accuracy": float(1 - (shares @ wrong) / (shares @ answered)),
        "answered": float(shares @ answered),
        "outliers": float(shares @ outliers),
        "chunks_below": int((accuracy < stream.target.accuracy).sum()),
        "chunks": len(sizes),
        "alarms": [each["alarms"] for each in runs],
        "restarts": [each["restarts"] for each in runs],
        "by_chunk": {
            "name": stream.names,
            "start": stream.starts[:-1],
            "end": stream.starts[1:],
            "accuracy": [None if np.isnan(value) else value for value in accuracy.tolist()],
            "answered": answered.tolist(),
            "outliers": outliers.tolist(),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one seed, nothing is written")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for stream in streams():
        for arm in ARMS:
            seeds = SEEDS[:1] if options.quick else SEEDS
            rows.append(summary(stream, arm, [run(stream, arm, seed) for seed in seeds]))
            print(stream.name, arm, flush=True)
    show("drift", [{k: v for k, v in row.items() if k != "by_chunk"} for row in rows])
    if not options.quick:
        write_record(
            "drift.json", PACKAGES, seeds=len(SEEDS), confidence=MONITOR_CONFIDENCE, rows=rows
        )


if __name__ == "__main__":
    main()
