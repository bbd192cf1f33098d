"""What do outliers, a monitor and recalibration do while data drift?

A classifier is fitted and certified on the first rows of a set in time order, and then answers the
rest, chunk by chunk. The truth of a random share of the rows becomes known after each chunk.

- as fitted: no outliers are rejected, nothing is watched;
- outliers: the default;
- outliers and monitor: when the monitor of the promised accuracy raises its alarm, the thresholds
  are set again on the latest rows of known truth (`recalibrate`). If the accuracy cannot be
  certified on these, nothing is answered until it can.

``python benchmarks/drift.py`` prints the tables and writes ``docs/benchmarks/drift.json``, in about
three minutes on one core.
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
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import Accuracy, InputError, RejectOptionClassifier, RiskMonitor

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ABSTAIN_DATA_HOME", ROOT.parent / "shared" / "data"))
PACKAGES = ["abstain", "scikit-learn", "numpy"]
ARMS = ("as fitted", "outliers", "outliers and monitor")
SEEDS = range(5)
MONITOR_CONFIDENCE = 0.95

Row = dict[str, Any]


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
    # Latest rows of known truth on which thresholds are set again.
    n_recent: int


def streams() -> Iterator[Stream]:
    """Yield the sets."""
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    gas = read("gas_drift")
    batch = gas["batch"].to_numpy()
    later = [number for number in np.unique(batch).tolist() if number > 2]
    order = np.concatenate([np.flatnonzero(batch == number) for number in (2, *later)])
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
        yield Stream(name, X, y, [*starts, len(X)], names, model, target, 0.2, 400)


def read(name: str) -> pl.DataFrame:
    (file,) = DATA.glob(f"{name}.csv*")
    return pl.read_csv(file, infer_schema_length=None)


def samples(frame: pl.DataFrame) -> tuple[NDArray[np.float64], NDArray[Any]]:
    labels = frame["target"].cast(pl.String).to_numpy()
    return frame.drop("target").cast(pl.Float64).to_numpy(), labels


def run(stream: Stream, arm: str, seed: int) -> Row:
    """Return what happens in each chunk."""
    X, y, starts = stream.X, stream.y, stream.starts
    clf = RejectOptionClassifier(
        stream.model,
        target=stream.target,
        outliers=None if arm == ARMS[0] else 0.01,
        random_state=seed,
    ).fit(X[: starts[0]], y[: starts[0]])
    monitor = RiskMonitor.from_classifier(clf, confidence=MONITOR_CONFIDENCE)
    is_known = np.random.default_rng(seed).random(len(X)) < stream.known_share
    is_answering, alarms, chunks = True, [], []
    for start, stop in pairwise(starts):
        n_right = n_answered = n_outliers = 0
        step = max(50, (stop - start) // 20)
        for begin in range(start, stop, step):
            rows = slice(begin, min(begin + step, stop))
            decisions = clf.decide(X[rows])
            right = clf.classes_[decisions.class_indices] == y[rows]
            answered = ~decisions.rejected & is_answering
            n_right += int(right[answered].sum())
            n_answered += int(answered.sum())
            n_outliers += int(decisions.outlier.sum())
            if arm != ARMS[2]:
                continue
            if is_answering:
                monitor.update(np.where(is_known[rows], right, None)[answered])
            if monitor.is_alarm and is_answering:
                alarms.append(rows.stop)
                is_answering = False
            if not is_answering:
                known = np.flatnonzero(is_known[: rows.stop])[-stream.n_recent :]
                is_answering = has_new_thresholds(clf, X[known], y[known])
                if is_answering:
                    monitor.reset()
        n_rows = stop - start
        chunks.append(
            {
                "rows": n_rows,
                "accuracy": n_right / n_answered if n_answered else None,
                "answered": n_answered / n_rows,
                "wrong": (n_answered - n_right) / n_rows,
                "outliers": n_outliers / n_rows,
            }
        )
    return {"chunks": chunks, "alarms": alarms}


def has_new_thresholds(clf: RejectOptionClassifier, X: Any, y: Any) -> bool:
    """Set the thresholds again; return whether the accuracy could be certified."""
    try:
        clf.recalibrate(X, y)
    except InputError:
        return False
    return True


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
        "first_alarm": [each["alarms"][0] if each["alarms"] else None for each in runs],
        "alarms": float(np.mean([len(each["alarms"]) for each in runs])),
        "by_chunk": {
            "name": stream.names,
            "start": stream.starts[:-1],
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
