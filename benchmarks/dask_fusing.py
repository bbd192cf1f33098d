"""What does fusing the tasks of a block into one earn?

Fronts, calibration and a short fit run on two worker processes, with the tasks of each block fused
into one and without, in turn. Samples are drawn where they are needed, in large and in small
blocks. The table has the ratio of the best times, and what travels between workers.

``python benchmarks/dask_fusing.py`` prints the table.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any
from unittest.mock import patch

import dask_classifier
import dask_fronts
import distributed
import numpy as np
from dask_fronts import bytes_between_workers, timed
from measuring import show
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator

from abstain import GMLVQ, RejectOptionClassifier
from abstain.fronts.bins import count_in_bins_on_dask
from abstain.fronts.chunked import build_staircases_on_dask

Work = Callable[[], Any]


@contextmanager
def without_fusing() -> Iterator[None]:
    def same(parts: list[Any], **options: Any) -> list[Any]:
        return parts

    with patch("abstain._scale.computing.fuse_tasks", same):
        yield


def front_work(function: Callable[..., Any], n_samples: int, block: int) -> Work:
    dask_fronts.BLOCK = block
    return partial(function, *dask_fronts.lazy_samples(n_samples, dask_fronts.FEW_WRONG))


def classifier_work(n_samples: int, block: int) -> Work:
    numbers = np.arange(20_000)
    model = GMLVQ(1, random_state=0, max_iter=5)
    model.fit(dask_classifier.draw_samples(numbers), dask_classifier.draw_labels(numbers))
    dask_classifier.BLOCK = block
    clf = RejectOptionClassifier(FrozenEstimator(model), cells="prototype", outliers=None)
    return partial(clf.fit, *dask_classifier.lazy_samples(n_samples))


def fit_work(n_samples: int, block: int) -> Work:
    dask_classifier.BLOCK = block
    X, y = dask_classifier.lazy_samples(n_samples)
    return partial(GMLVQ(1, max_iter=3, random_state=0).fit, (X - X.mean(0)) / X.std(0), y)


def measure(client: Any, work: Work, rounds: int) -> dict[str, float]:
    seconds: dict[str, list[float]] = {"fused": [], "unfused": []}
    megabytes: dict[str, list[float]] = {"fused": [], "unfused": []}
    for _ in range(rounds):
        for name, way in (("fused", nullcontext), ("unfused", without_fusing)):
            before = bytes_between_workers(client)
            with way():
                seconds[name].append(timed(work)[0])
            megabytes[name].append((bytes_between_workers(client) - before) / 1e6)
    return {
        "fused_seconds": min(seconds["fused"]),
        "unfused_seconds": min(seconds["unfused"]),
        "unfused_over_fused": min(seconds["unfused"]) / min(seconds["fused"]),
        "fused_MB_moved": float(np.median(megabytes["fused"])),
        "unfused_MB_moved": float(np.median(megabytes["unfused"])),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.filterwarnings("ignore", "(?s)Sending large graph")
    steps, bins = (
        partial(front_work, function)
        for function in (build_staircases_on_dask, count_in_bins_on_dask)
    )
    works: list[tuple[str, Callable[[int, int], Work], int, int]] = [
        ("steps of a front", steps, 10_000_000, 1_000_000),
        ("steps of a front", steps, 4_000_000, 100_000),
        ("steps of a front", steps, 4_000_000, 20_000),
        ("bins of a front", bins, 10_000_000, 1_000_000),
        ("bins of a front", bins, 4_000_000, 100_000),
        ("bins of a front", bins, 4_000_000, 20_000),
        ("calibration", classifier_work, 800_000, 100_000),
        ("calibration", classifier_work, 400_000, 4_000),
        ("fit of GMLVQ", fit_work, 400_000, 50_000),
        ("fit of GMLVQ", fit_work, 400_000, 4_000),
    ]
    make_cluster: Any = distributed.LocalCluster
    connect: Any = distributed.Client
    with (
        make_cluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        connect(cluster) as client,
    ):
        rows = [
            {"work": name, "samples": n_samples, "rows_per_block": block}
            | measure(client, make(n_samples, block), rounds)
            for name, make, n_samples, block in works
        ]
    show("two workers, with and without fusing", rows)


if __name__ == "__main__":
    main()
