"""How close are the models to what their matrix products take, and how do they grow?

Every time is the least processor time of a few rounds that take turns, on one BLAS thread, and
every figure a ratio of two times of the same run. ``python benchmarks/model_limits.py`` prints the
tables and writes ``docs/benchmarks/model_limits.json``; ``--quick`` leaves out the million rows and
writes nothing.
"""

import argparse
import json
import platform
import subprocess
import sys
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import sklearn
from measuring import best_times, growth_of_process, show
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from threadpoolctl import threadpool_limits

from abstain import models
from abstain.models.costs import Cost, labelled_blocks
from abstain.models.distances import AdaptiveDistance, GlobalMatrix, LocalMatrices
from abstain.models.glvq import relative_distance
from abstain.models.scaling import Scaling

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "model_limits.json"
N_FEATURES = 50
N_CLASSES = 10
DISTANCES: dict[str, AdaptiveDistance] = {"GMLVQ": GlobalMatrix(), "LGMLVQ": LocalMatrices()}


class Data(NamedTuple):
    """Samples and their classes."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]


def make_data(n_samples: int, n_classes: int = N_CLASSES) -> Data:
    """Draw standardised classes that overlap."""
    X, y = make_classification(
        n_samples,
        N_FEATURES,
        n_informative=20,
        n_redundant=10,
        n_classes=n_classes,
        n_clusters_per_class=1,
        random_state=0,
    )
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    return Data(X, y)


def evaluation(name: str, data: Data) -> Callable[[], object]:
    """Return one evaluation of cost and gradient, at the start of a fit."""
    X, y = data
    prototypes = np.stack([X[y == label].mean(axis=0) for label in range(N_CLASSES)])
    metric = DISTANCES[name].initial_metric((N_CLASSES, N_FEATURES), np.random.RandomState(0))
    blocks = labelled_blocks(X, y, np.ones(len(X)), Scaling(np.zeros(N_FEATURES), 1.0))
    loss = partial(relative_distance, beta=5.0)
    return partial(
        Cost(np.arange(N_CLASSES), DISTANCES[name], loss, 0.01), blocks, prototypes, *metric
    )


def against_products(name: str, data: Data, rounds: int) -> dict[str, Any]:
    """Return times in units of the matrix products that they cannot do without."""
    n_samples, forward = len(data.X), N_CLASSES if name == "LGMLVQ" else 1
    matrix, out = np.eye(N_FEATURES), np.empty_like(data.X)
    # One metric for all takes Ωx and, for each prototype, xᵀΛw.
    wide = np.eye(N_FEATURES, N_FEATURES + N_CLASSES if forward == 1 else N_FEATURES)
    wide_out = np.empty((n_samples, wide.shape[1]))
    model = getattr(models, name)(1, max_iter=4).fit(*(part[:2000] for part in data))
    product, wide_product, evaluated, predicted, measured = best_times(
        rounds,
        lambda: np.matmul(data.X, matrix, out=out),
        lambda: np.matmul(data.X, wide, out=wide_out),
        evaluation(name, data),
        lambda: model.predict(data.X),
        lambda: model.distances(data.X),
        clock=process_time,
    )
    backward = 2 if name == "LGMLVQ" else 1
    return {
        "model": name,
        "samples": n_samples,
        "product_seconds": product,
        "products": forward + backward,
        "evaluation_over_products": evaluated / product / (forward + backward),
        "products_of_predict": forward * wide.shape[1] / N_FEATURES,
        "predict_over_products": predicted / wide_product / forward,
        "distances_over_products": measured / wide_product / forward,
    }


def growth(name: str, sizes: list[int], rounds: int) -> list[dict[str, Any]]:
    """Return by how much a fit of ten iterations takes longer at ten times the samples.

    The line search may take more evaluations of the cost with other samples; these are counted.
    """
    seconds, evaluations = [], []
    for n_samples in sizes:
        fit = ten_iterations(name, n_samples)
        seconds += best_times(rounds if n_samples < 10**6 else 1, fit, clock=process_time)
        evaluations.append(count_evaluations(fit))
    return [
        {
            "model": name,
            "from": small,
            "to": large,
            "times_as_long": after / before,
            "times_as_many_evaluations": n_after / n_before,
        }
        for (small, large), (before, after), (n_before, n_after) in zip(
            pairwise(sizes), pairwise(seconds), pairwise(evaluations), strict=True
        )
    ]


def ten_iterations(name: str, n_samples: int) -> Callable[[], object]:
    """Return a fit of ten iterations."""
    model = getattr(models, name)(1, max_iter=10, tol=0.0)
    return partial(model.fit, *make_data(n_samples))


def count_evaluations(fit: Callable[[], object]) -> int:
    """Return how often a fit evaluates its cost."""
    with patch.object(Cost, "__call__", autospec=True, side_effect=Cost.__call__) as evaluate:
        fit()
    return evaluate.call_count


def against_sgd(n_samples: int, n_classes: int) -> dict[str, Any]:
    """Return how GMLVQ in mini-batches does beside ten epochs of scikit-learn's linear SGD."""
    data = make_data(n_samples, n_classes)
    sgd = SGDClassifier(max_iter=10, tol=None, random_state=0)
    gmlvq = models.GMLVQ(1, solver="adam", random_state=0)
    fits = partial(sgd.fit, *data), partial(gmlvq.fit, *data)
    sgd_seconds, gmlvq_seconds = best_times(2, *fits, clock=process_time)
    return {
        "samples": n_samples,
        "classes": n_classes,
        "sgd_seconds": sgd_seconds,
        "gmlvq_over_sgd": gmlvq_seconds / sgd_seconds,
        "passes": gmlvq.n_iter_,
        "gmlvq_accuracy": gmlvq.score(*data),
        "sgd_accuracy": sgd.score(*data),
    }


def peak_share(name: str, solver: str, n_samples: int) -> dict[str, Any]:
    """Return by how much a fresh process grows in fit and predict, as a share of N × (M + ξ)."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "data.npz"
        np.savez(file, **make_data(n_samples)._asdict())
        command = [sys.executable, __file__, "--peak", name, solver, str(file)]
        grown = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {
        "model": name,
        "solver": solver,
        "samples": n_samples,
        "peak_over_samples_times_features_and_prototypes": grown
        / (8 * n_samples * (N_FEATURES + N_CLASSES)),
    }


def print_peak(name: str, solver: str, file: Path) -> None:
    """Print the growth at its peak, as Linux counts the pages of this process."""
    small = make_data(500)
    model = getattr(models, name)(1, solver=solver, max_iter=4, random_state=0)
    model.fit(*small)  # imports what is imported on first use
    with np.load(file) as arrays:
        data = Data(**arrays)
    print(growth_of_process(lambda: model.fit(*data).predict(data.X)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no million rows, write nothing")
    parser.add_argument("--peak", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # few iterations are the point here
    if arguments.peak:
        name, solver, file = arguments.peak
        print_peak(name, solver, Path(file))
        return
    quick = arguments.quick
    sizes = [10**4, 10**5] if quick else [10**4, 10**5, 10**6]
    data = make_data(10**5)
    products = [against_products(name, data, rounds=15) for name in DISTANCES]
    show("Against the matrix products they cannot do without (100,000 × 50)", products)
    grown = [row for name in DISTANCES for row in growth(name, sizes, rounds=3)]
    show("Ten times the samples take so many times as long", grown)
    peaks = [
        peak_share(name, solver, sizes[-1]) for name in DISTANCES for solver in ("lbfgs", "adam")
    ]
    show("Memory beyond the input", peaks)
    sgd = [against_sgd(sizes[-1], n_classes) for n_classes in (2, N_CLASSES)]
    show("Mini-batches beside ten epochs of SGDClassifier", sgd)
    if not quick:
        results = {
            "date": datetime.now(UTC).date().isoformat(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
            "products": products,
            "growth": grown,
            "memory": peaks,
            "sgd": sgd,
        }
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        written = RESULTS.with_suffix(".tmp")
        written.write_text(json.dumps(results, indent=2) + "\n")
        written.replace(RESULTS)
        print(f"\nwritten to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
