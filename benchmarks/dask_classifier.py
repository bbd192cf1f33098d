"""What do calibration and answers on a cluster cost beyond what the classifier itself takes?

Four million samples of 20 features are drawn block by block where they are needed, by two worker
processes. A fitted GMLVQ model is calibrated on them. The time is compared with that of
the distances of all samples, block by block, in the same run; both include drawing, and so do lazy
answers. What travels between workers, and how much the client grows, is compared with the size of
the samples.

``python benchmarks/dask_classifier.py`` prints the table and writes
``docs/benchmarks/dask_classifier.json``.
"""

import argparse
from typing import Any

import dask.array as da
import distributed
import numpy as np
from dask_fronts import bytes_between_workers, peak, timed
from measuring import show, write_record
from sklearn.frozen import FrozenEstimator

from abstain import GMLVQ, RejectOptionClassifier

N_SAMPLES, N_FEATURES, N_CLASSES, BLOCK, WORKERS = 4_000_000, 20, 5, 100_000, 2
CENTRES = np.random.default_rng(0).normal(size=(N_CLASSES, N_FEATURES))

Row = dict[str, Any]


def draw_labels(numbers: Any) -> Any:
    rng = np.random.default_rng([1, int(numbers[0])])
    return rng.integers(N_CLASSES, size=len(numbers))


def draw_samples(numbers: Any) -> Any:
    rng = np.random.default_rng([2, int(numbers[0])])
    noise = rng.standard_normal((len(numbers), N_FEATURES))
    noise += CENTRES[draw_labels(numbers)]
    return noise


def lazy_samples(n_samples: int) -> tuple[Any, Any]:
    numbers = da.arange(n_samples, chunks=BLOCK)
    X = numbers.map_blocks(
        draw_samples, dtype=float, new_axis=1, chunks=(numbers.chunks[0], (N_FEATURES,))
    )
    return X, numbers.map_blocks(draw_labels, dtype=np.int64)


def measure(n_samples: int) -> Row:
    numbers = np.arange(20_000)
    model = GMLVQ(1, random_state=0).fit(draw_samples(numbers), draw_labels(numbers))
    make_cluster: Any = distributed.LocalCluster
    connect: Any = distributed.Client
    with (
        make_cluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        connect(cluster) as client,
    ):
        X, y = lazy_samples(n_samples)
        X.map_blocks(np.max, axis=1, drop_axis=1, dtype=float).max().compute()  # to warm up
        asking, _ = timed(lambda: model.distances(X).min(axis=1).max().compute())
        before, moved = peak(), bytes_between_workers(client)
        clf = RejectOptionClassifier(FrozenEstimator(model), cells="prototype", outliers=None)
        fitting, _ = timed(lambda: clf.fit(X, y))
        moved = bytes_between_workers(client) - moved
        client_grew = peak() - before
        answering, _ = timed(lambda: clf.reject(X).sum().compute())
        workers = list(client.run(peak).values())
    return {
        "samples": n_samples,
        "errors": clf.front_.n_errors,
        "cells": len(clf.cells_) - 1,
        "distances_seconds": asking,
        "fit_seconds": fitting,
        "reject_seconds": answering,
        "fit_over_distances": fitting / asking,
        "reject_over_distances": answering / asking,
        "megabytes_of_samples": n_samples * N_FEATURES * 8 / 1e6,
        "megabytes_between_workers": moved / 1e6,
        "client_grew_megabytes": client_grew,
        "worker_megabytes": max(workers),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--samples", type=int, default=N_SAMPLES, help="with fewer, nothing is written"
    )
    arguments = parser.parse_args()
    row = measure(arguments.samples)
    show("calibration on two workers", [{"what": name, "figure": row[name]} for name in row])
    if arguments.samples < N_SAMPLES:
        return
    write_record(
        "dask_classifier.json",
        ["dask", "numpy"],
        workers=WORKERS,
        classifier=row,
    )


if __name__ == "__main__":
    main()
