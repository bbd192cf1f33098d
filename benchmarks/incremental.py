"""How well do models follow a stream, and how long does a sample take?

Blocks of 100 samples in time order are answered and then learned (prequential evaluation), scaled
by running means and deviations. Beside ``partial_fit`` of the models: a GMLVQ that is fitted again
every 1,024 samples to the last 1,024, scikit-learn's ``SGDClassifier``, and river's Hoeffding tree.

The constants of `abstain.models.incremental` were chosen on the sets marked so; the others confirm
them. A Gaussian set that does not change shows how close a stream comes to a fit of all samples,
one whose classes swap how soon it is as good as before.

``python benchmarks/incremental.py`` prints the tables and writes the record
``docs/benchmarks/incremental.json``, in about five minutes on one core. Parts that were measured
are kept in ``build/incremental``; names of parts as arguments measure these only.
"""

import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from environments import PeerError, ask, python_with
from measuring import show, write_record
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from abstain import models
from abstain.classifier import OfflineOnlineClassifier

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ABSTAIN_DATA_HOME", ROOT.parent / "shared" / "data"))
RIVER = Path(__file__).resolve().parent / "incremental_river.txt"
KEPT = ROOT / "build" / "incremental"
PACKAGES = ["abstain", "scikit-learn", "numpy"]
MODELS = models.__all__
# On sets; the other models differ from these in their metric or their loss.
FOLLOWING = ("GLVQ", "GMLVQ", "LGMLVQ", "RSLVQ")
BLOCK, REFIT = 100, 1024
SEEDS = range(2)

Row = dict[str, Any]
Array = NDArray[Any]


class Stream(NamedTuple):
    """Samples in time order; ``chosen`` tells whether constants were chosen on them."""

    name: str
    X: Array
    y: Array
    chosen: bool


def streams() -> Iterator[Stream]:
    """Yield the sets, unscaled."""
    X, y = read("electricity")
    yield Stream("electricity", X[:4_000], y[:4_000], True)
    yield Stream("electricity, later", X[20_000:24_000], y[20_000:24_000], False)
    X, y = read("weather")
    yield Stream("weather", X[:4_000], y[:4_000], False)
    yield Stream("gas_drift", *read("gas_drift"), True)
    X, y = read("covtype")
    yield Stream("covtype", X[:4_000], y[:4_000], True)
    yield Stream("covtype, later", X[20_000:24_000], y[20_000:24_000], False)
    yield Stream("Gaussian", *gaussian(4_000, 0), True)
    yield Stream("Gaussian, other centres", *gaussian(4_000, 10), False)


def read(name: str) -> tuple[Array, Array]:
    """Return a set; within a batch of gas_drift, the file is mostly in the order of the classes."""
    (file,) = DATA.glob(f"{name}.csv*")
    frame = pl.read_csv(file, infer_schema_length=None)
    if "batch" in frame.columns:
        random, batch = np.random.default_rng(0), frame["batch"].to_numpy()
        parts = [np.flatnonzero(batch == number) for number in np.unique(batch)]
        frame = frame[np.concatenate([random.permutation(part) for part in parts])].drop("batch")
    labels = frame["target"].cast(pl.String).to_numpy().astype(str)
    return frame.drop("target").cast(pl.Float64).to_numpy(), labels


def gaussian(n_samples: int, seed: int) -> tuple[Array, Array]:
    """Return three classes of two Gaussian clusters each, with six features."""
    random = np.random.default_rng(seed)
    labels, cluster = random.integers(3, size=n_samples), random.integers(2, size=n_samples)
    centres = random.normal(size=(3, 2, 6)) * 1.3
    return centres[labels, cluster] + random.normal(size=(n_samples, 6)), labels.astype(str)


def scaled(X: Array) -> Array:
    """Return the samples of each block scaled by all samples up to there."""
    scaler, parts = StandardScaler(), []
    for start in range(0, len(X), BLOCK):
        block = X[start : start + BLOCK]
        parts.append(scaler.partial_fit(block).transform(block))
    return np.concatenate(parts)


class Refitted:
    """A model that is fitted again to the last samples."""

    def __init__(self) -> None:
        self.model = models.GMLVQ(2, random_state=0)
        self.X: list[Array] = []
        self.y: list[Array] = []
        self.n_new = 0

    def partial_fit(self, X: Array, y: Array, classes: Array | None = None) -> None:
        """Keep the last samples, and fit when so many are new; at first after each block."""
        self.X, self.y = [*self.X, X][-REFIT // BLOCK :], [*self.y, y][-REFIT // BLOCK :]
        self.n_new += len(y)
        kept = np.concatenate(self.y)
        if self.n_new < REFIT and len(kept) < self.n_new and hasattr(self.model, "classes_"):
            return
        names, counts = np.unique(kept, return_counts=True)
        if len(names) > 1:
            self.n_new = 0
            self.model.n_prototypes_per_class = {
                name: min(2, count)
                for name, count in zip(names.tolist(), counts.tolist(), strict=True)
            }
            self.model.fit(np.concatenate(self.X), kept)

    def predict(self, X: Array) -> Array:
        """Return the answers of the last fit."""
        return self.model.predict(X)


def arms() -> Iterator[tuple[str, Any]]:
    """Yield what follows a stream."""
    for name in FOLLOWING:
        yield f"{name}.partial_fit", getattr(models, name)("auto")
    yield "GMLVQ.fit, every 1,024", Refitted()
    yield "SGDClassifier.partial_fit", SGDClassifier(random_state=0)


def follow(model: Any, X: Array, y: Array) -> Row:
    """Return the share of right answers before each block was learned, and the processor time."""
    classes, n_right, start = np.unique(y), 0, time.process_time()
    for first in range(0, len(y), BLOCK):
        rows = slice(first, first + BLOCK)
        if first:
            n_right += int(np.count_nonzero(model.predict(X[rows]) == y[rows]))
        model.partial_fit(X[rows], y[rows], classes=classes)
    seconds = time.process_time() - start
    return {
        "accuracy": n_right / (len(y) - BLOCK),
        "microseconds": seconds / len(y) * 1e6,
        "prototypes": len(getattr(model, "prototypes_", ())),
    }


def tree_of_river(X: Array, y: Array) -> Row:
    """Return the same for a Hoeffding tree."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.npz"
        np.savez(path, X=X, y=y)
        arguments = ["incremental_river", str(path), str(BLOCK)]
        (answer,) = ask(python_with(RIVER), arguments, None)
    return {**answer, "prototypes": 0}


def followed(stream: Stream) -> Iterator[Row]:
    """Yield what each arm reaches."""
    X, about = scaled(stream.X), {"set": stream.name, "chosen": stream.chosen}
    for name, model in arms():
        yield about | {"arm": name} | follow(model, X, stream.y)
    try:
        yield about | {"arm": "river HoeffdingTreeClassifier"} | tree_of_river(X, stream.y)
    except PeerError as error:
        print(f"river could not be measured: {error}", file=sys.stderr)


def stationary() -> Iterator[Row]:
    """Yield how far a stream of 5,000 samples stays behind a fit of them, on others."""
    for name in MODELS:
        for n_prototypes in (1, "auto") if name in ("GMLVQ", "RSLVQ") else (1,):
            behind, numbers = [], []
            for seed in SEEDS:
                X, y = gaussian(15_000, seed)
                learned, tested = slice(5_000), slice(5_000, None)
                streamed = getattr(models, name)(n_prototypes)
                for first in range(0, 5_000, BLOCK):
                    rows = slice(first, first + BLOCK)
                    streamed.partial_fit(X[rows], y[rows])
                fitted = getattr(models, name)(n_prototypes, random_state=0)
                fitted.fit(X[learned], y[learned])
                accuracies = [each.score(X[tested], y[tested]) for each in (fitted, streamed)]
                behind.append(accuracies[0] - accuracies[1])
                numbers.append([len(each.prototypes_) for each in (fitted, streamed)])
            yield {
                "model": name,
                "per class": str(n_prototypes),
                "behind": float(np.mean(behind)),
                "at most": max(behind),
                "prototypes of fits": float(np.mean(numbers, axis=0)[0]),
                "of streams": float(np.mean(numbers, axis=0)[1]),
            }


def swapped() -> Iterator[Row]:
    """Yield after how many samples of swapped classes a model is nearly as good as before."""
    for name in MODELS:
        needed = []
        for seed in SEEDS:
            X, y = gaussian(15_000, seed)
            codes = y.astype(int)
            other = ((codes + 1) % 3).astype(str)
            model, after = getattr(models, name)("auto"), 0
            for first in range(0, 5_000, BLOCK):
                model.partial_fit(X[first : first + BLOCK], y[first : first + BLOCK])
            tested = slice(10_000, None)
            before = model.score(X[tested], y[tested])
            while model.score(X[tested], other[tested]) < before - 0.05 and after < 5_000:
                rows = slice(5_000 + after, 5_000 + after + BLOCK)
                model.partial_fit(X[rows], other[rows])
                after += BLOCK
            needed.append(after)
        yield {"model": name, "samples": max(needed)}


def together() -> Iterator[Row]:
    """Yield the accuracy of a static and an incremental model, and of both together."""
    for stream in streams():
        X, y, n_first = scaled(stream.X), stream.y, 1_000
        offline = models.GMLVQ(2, random_state=0).fit(X[:n_first], y[:n_first])
        online = models.GMLVQ("auto")
        both = OfflineOnlineClassifier(FrozenEstimator(offline), models.GMLVQ("auto"))
        both.fit(X[:n_first], y[:n_first])
        known = np.isin(y, offline.classes_)
        row: Row = {"set": stream.name, "chosen": stream.chosen}
        row["offline"] = offline.score(X[n_first:], y[n_first:])
        row["online"] = follow(online, X[n_first:], y[n_first:])["accuracy"]
        row["both"] = follow(both, X[n_first:], y[n_first:])["accuracy"]
        row["new classes"] = float(np.mean(~known[n_first:]))
        yield row


def times() -> Iterator[Row]:
    """Yield processor time per sample in blocks of 1, 100 and 1,000, after 2,048 samples."""
    X, y = read("electricity")
    X = scaled(X[:4_048])
    every = [partial(getattr(models, name), "auto") for name in MODELS]
    for make in (*every, partial(SGDClassifier, random_state=0)):
        name = make.func.__name__
        row: Row = {"model": name}
        for block in (1, 100, 1_000):
            model: Any = make()
            model.partial_fit(X[:2_048], y[:2_048], classes=np.unique(y))
            best = np.inf
            for part in range(2_048, 4_048, 1_000):
                start = time.process_time()
                for first in range(part, part + 1_000, block):
                    model.partial_fit(X[first : first + block], y[first : first + block])
                best = min(best, time.process_time() - start)
            row[f"µs, blocks of {block:,}"] = best / 1_000 * 1e6
        yield row


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "stationary": stationary,
    "swapped": swapped,
    "together": together,
    "times": times,
}


def parts() -> dict[str, Callable[[], Iterator[Row]]]:
    """Return what is measured, by name."""
    every = {stream.name: partial(followed, stream) for stream in streams()}
    return {**every, **TABLES}


def main(chosen: list[str]) -> None:
    """Measure the chosen parts or all that are missing, print and keep them."""
    warnings.simplefilter("ignore")
    KEPT.mkdir(parents=True, exist_ok=True)
    every = parts()
    for name in chosen or every:
        path = KEPT / f"{name}.json"
        if not path.exists():
            rows = list(every[name]())
            path.write_text(json.dumps(rows))
            show(name, rows)
    if not chosen:
        kept = {name: json.loads((KEPT / f"{name}.json").read_text()) for name in every}
        tables = {name: kept.pop(name) for name in TABLES}
        write_record("incremental.json", PACKAGES, streams=list(chain(*kept.values())), **tables)


if __name__ == "__main__":
    main(sys.argv[1:])
