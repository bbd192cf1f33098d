"""What does a fit on a cluster cost beyond its arithmetic?

Two worker processes on this machine hold 200,000 samples of 20 features in blocks of 10,000. One
evaluation of cost and gradient there is timed beside the same on one machine in the same run. What
Dask itself costs is the time of as many blocks of ten samples each; it does not grow with them. The
same for a pass of Adam, which visits the blocks one after the other, and for whole fits, whose
results are compared.

Dask has glibc give memory back to the system as soon as it can (``MALLOC_TRIM_THRESHOLD_``), and
that makes each array of more than 128 kB that NumPy needs for a moment a new mapping. Workers are
started both as they come and with ``MALLOC_MMAP_THRESHOLD_`` at 16 MB, which mends it.

``python benchmarks/dask_models.py`` prints the tables and writes
``docs/benchmarks/dask_models.json``.
"""

import argparse
import pickle
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import dask
import dask.array as da
import distributed
import numpy as np
from measuring import best_times, show, write_record
from sklearn.exceptions import ConvergenceWarning

from abstain import models
from abstain.models.base import PrototypeClassifier
from abstain.models.costs import Cost
from abstain.models.solvers import AdamState

N_SAMPLES, N_FEATURES, N_CLASSES, BLOCK, FEW = 200_000, 20, 5, 10_000, 10
N_FEW = FEW * N_SAMPLES // BLOCK
MODELS = ["GLVQ", "GMLVQ", "LGMLVQ", "MRSLVQ"]

Data = tuple[Any, Any]
Rows = list[dict[str, Any]]


def draw() -> Data:
    rng = np.random.default_rng(0)
    y = rng.integers(N_CLASSES, size=N_SAMPLES)
    return rng.normal(size=(N_SAMPLES, N_FEATURES)) + rng.normal(size=(N_CLASSES, N_FEATURES))[y], y


def spread(X: Any, y: Any, rows: int) -> Data:
    """Return blocks of so many rows in the memory of the workers."""
    cut: Any = da.from_array
    return cut(X, chunks=(rows, -1)).persist(), cut(y, chunks=rows).persist()


def evaluation(model: PrototypeClassifier, data: Data, *, is_pass: bool) -> Any:
    """Return an evaluation of the cost, or a pass of Adam, as a function without arguments."""
    random_state = np.random.RandomState(0)
    problem = model._problem(model._data(*data, None), random_state)
    loss = model._loss(problem)
    cost = Cost(problem.prototype_classes, problem.distance, loss, model.regularization)
    batches = problem.batches
    if batches is None or not is_pass:
        return partial(cost, problem.blocks, *problem.start)
    shares = [0.01] * len(batches)
    return lambda: batches.run_epoch(AdamState(problem.start), cost, shares, random_state)


def time_evaluations(here: Data, there: Data, rounds: int, *, is_pass: bool) -> Rows:
    few = spread(here[0][:N_FEW], here[1][:N_FEW], FEW)
    rows = []
    for name in MODELS:
        model = getattr(models, name)(1, solver="adam" if is_pass else "lbfgs")
        on_one = evaluation(model, here, is_pass=is_pass)
        on_two = evaluation(model, there, is_pass=is_pass)
        on_few = evaluation(model, few, is_pass=is_pass)
        one, two, empty = best_times(rounds, on_one, on_two, on_few)
        rows.append(
            {
                "model": name,
                "one_machine_ms": 1e3 * one,
                "two_workers_ms": 1e3 * two,
                "ratio": two / one,
                "dask_itself_ms": 1e3 * empty,
                # What each thread is sent, and each segment sends back.
                "parameters_kB": len(pickle.dumps(on_one.args[1:])) / 1e3 if not is_pass else 0.0,
            }
        )
    show("a pass of Adam" if is_pass else "an evaluation of cost and gradient", rows)
    return rows


def time_fits(here: Data, there: Data) -> Rows:
    rows = []
    for name in MODELS:
        for solver in ("lbfgs", "adam"):
            make = partial(getattr(models, name), 1, solver=solver, max_iter=50, random_state=0)
            one, two = make(), make()
            times = best_times(1, partial(one.fit, *here), partial(two.fit, *there))
            rows.append(
                {
                    "model": name,
                    "solver": solver,
                    "iterations": one.n_iter_,
                    "one_machine_s": times[0],
                    "two_workers_s": times[1],
                    "ratio": times[1] / times[0],
                    "difference_of_costs": abs(one.loss_ - two.loss_) / abs(one.loss_),
                }
            )
    show("whole fits", rows)
    return rows


@contextmanager
def two_workers(environment: dict[str, str]) -> Iterator[None]:
    """Start a cluster whose workers have more in their environment."""
    name = "distributed.nanny.pre-spawn-environ"
    make_cluster: Any = distributed.LocalCluster
    connect: Any = distributed.Client
    with (
        dask.config.set({name: dask.config.get(name) | environment}),
        make_cluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        connect(cluster),
    ):
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.filterwarnings("ignore", "(?s)Sending large graph")  # which happens once
    here = draw()
    print("workers as they come")
    with two_workers({}):
        as_they_come = time_evaluations(here, spread(*here, BLOCK), rounds, is_pass=False)
    print("\nworkers with MALLOC_MMAP_THRESHOLD_")
    with two_workers({"MALLOC_MMAP_THRESHOLD_": str(2**24)}):
        there = spread(*here, BLOCK)
        evaluations = time_evaluations(here, there, rounds, is_pass=False)
        passes = time_evaluations(here, there, max(1, rounds // 4), is_pass=True)
        fits = time_fits(here, there)
    write_record(
        "dask_models.json",
        ["dask", "numpy"],
        samples=N_SAMPLES,
        features=N_FEATURES,
        classes=N_CLASSES,
        workers_as_they_come=as_they_come,
        evaluations=evaluations,
        passes=passes,
        fits=fits,
    )


if __name__ == "__main__":
    main()
