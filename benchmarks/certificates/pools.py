"""Whose answers are certified?

A classifier is fitted once, on at most 1,500 rows of a set. Its answers to the other rows are a
*pool*, which is taken as the whole population: calibration samples are drawn from it with
replacement, and the accuracy of thresholds is that on the whole pool. The answers out of fold to
the rows that fitted it come with the pool, for the procedures that use them.
"""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_classification, make_hastie_10_2
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, RejectOptionClassifier
from abstain.datasets import make_gaussian_clusters, make_pearl_necklace

Array = NDArray[Any]
Samples = tuple[Array, Array]

MOST_FITTED, MOST_ROWS, FEWEST_OF_CLASS, N_DRAWN = 1500, 30_000, 30, 20_000
REAL = ["covtype", "electricity", "weather", "gas_drift", "segment"]
# Drawn for this comparison: no constant of the procedure was chosen on these.
FRESH = ["gaussian clusters", "hastie", "nine classes", "two classes"]


class Answers(NamedTuple):
    """Certainty, correctness and cell of some samples."""

    certainty: Array
    correct: Array
    cells: Array

    def take(self, rows: Array) -> "Answers":
        """Return the answers to some of the samples."""
        return Answers(*(values[rows] for values in self))


class Pool(NamedTuple):
    """The answers of one classifier; cells are numbers from 0 on."""

    name: str
    is_fresh: bool
    everything: Answers
    out_of_fold: Answers
    n_cells: int

    @property
    def target(self) -> float:
        """The accuracy to certify: half of the errors must go."""
        return (1 + float(self.everything.correct.mean())) / 2

    def draw(self, n_samples: int, seed: int) -> Answers:
        """Return calibration samples."""
        return self.everything.take(self.rows(n_samples, seed))

    def rows(self, n_samples: int, seed: int) -> Array:
        """Return which samples of the pool are drawn."""
        generator = np.random.default_rng([seed, n_samples])
        return generator.integers(len(self.everything.correct), size=n_samples)

    def outcome(self, thresholds: Array | None) -> tuple[float, bool]:
        """Return the share of the pool that thresholds accept, and whether they miss the target."""
        if thresholds is None:
            return 0.0, False
        accepted = self.everything.certainty >= thresholds[self.everything.cells]
        if not accepted.any():
            return 0.0, False
        right = self.everything.correct[accepted].mean()
        return float(accepted.mean()), bool(right < self.target)

    def oracle(self) -> float:
        """Return the largest coverage that one threshold has at the target."""
        certainty, correct, _ = self.everything
        order = np.argsort(-certainty, kind="stable")
        accuracy = np.cumsum(correct[order]) / np.arange(1, len(order) + 1)
        is_last_of_ties = np.append(np.diff(certainty[order]) != 0, True)
        ends = np.flatnonzero(is_last_of_ties & (accuracy >= self.target))
        return (int(ends[-1]) + 1) / len(order) if len(ends) else 0.0


def _noisy_blobs() -> Samples:
    """Ten classes around their centres, the last five times as wide as the first."""
    generator = np.random.default_rng(0)
    centers, spreads = 2.2 * generator.normal(size=(10, 4)), np.linspace(0.4, 2.2, 10)
    y = generator.integers(10, size=N_DRAWN)
    return centers[y] + spreads[y, np.newaxis] * generator.normal(size=(N_DRAWN, 4)), y


def _mixture(n_classes: int, seed: int, flip: float, **settings: Any) -> Samples:
    samples: Samples = make_classification(
        N_DRAWN,
        20,
        n_informative=8,
        n_classes=n_classes,
        flip_y=flip,
        random_state=seed,
        **settings,
    )
    return samples


MADE: dict[str, Callable[[], Samples]] = {
    "digits": lambda: load_digits(return_X_y=True),
    "pearl necklace": lambda: make_pearl_necklace(N_DRAWN, random_state=0),
    "noisy blobs": _noisy_blobs,
    "five classes": lambda: _mixture(
        5, 0, 0.05, n_clusters_per_class=3, weights=[0.4, 0.3, 0.15, 0.1, 0.05]
    ),
    "gaussian clusters": lambda: make_gaussian_clusters(N_DRAWN, random_state=0),
    "hastie": lambda: make_hastie_10_2(N_DRAWN, random_state=0),
    "nine classes": lambda: _mixture(9, 1, 0.02, class_sep=1.5),
    "two classes": lambda: _mixture(2, 2, 0.05, n_clusters_per_class=4),
}
SETS = [*REAL, *MADE]


def load(name: str, data: Path) -> Samples:
    """Return the samples of a set in random order, without classes of a few rows."""
    if name in MADE:
        X, y = MADE[name]()
    else:
        import polars as pl

        (file,) = data.glob(f"{name}.csv*")
        table = pl.read_csv(file)
        X, y = table.drop("target").cast(pl.Float64).to_numpy(), table["target"].to_numpy()
    chosen = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    X, y = X[chosen], np.unique(y[chosen], return_inverse=True)[1]
    is_kept = np.bincount(y)[y] >= FEWEST_OF_CLASS
    return X[is_kept], np.unique(y[is_kept], return_inverse=True)[1]


def make_classifiers() -> dict[str, Any]:
    """Return the classifiers, not fitted yet."""
    return {
        "LogisticRegression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        "GMLVQ": make_pipeline(StandardScaler(), GMLVQ(1, random_state=0)),
        "RandomForest": RandomForestClassifier(60, random_state=0),
        "GaussianNB": GaussianNB(),
    }


def pools_of(name: str, data: Path, kept: Path) -> Iterator[Pool]:
    """Yield the pools of a set, which are kept in a folder."""
    kept.mkdir(parents=True, exist_ok=True)
    samples: Samples | None = None
    for label, classifier in make_classifiers().items():
        file = kept / f"{name}-{label}.npz"
        if not file.exists():
            samples = samples or load(name, data)
            _write(file, classifier, *samples)
        with np.load(file) as arrays:
            parts = [arrays[part] for part in arrays.files]
        n_cells = 1 + int(max(parts[2].max(), parts[5].max()))
        yield Pool(
            f"{name}, {label}", name in FRESH, Answers(*parts[:3]), Answers(*parts[3:]), n_cells
        )


def _write(file: Path, classifier: Any, X: Array, y: Array) -> None:
    n_fitted = min(MOST_FITTED, len(y) // 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = RejectOptionClassifier(classifier, outliers=None).fit(X[:n_fitted], y[:n_fitted])
        frozen = RejectOptionClassifier(FrozenEstimator(fitted.estimator_), outliers=None)
        frozen.fit(X[n_fitted:], y[n_fitted:])
    both = [frozen.calibration_, fitted.calibration_]
    cells = np.unique(np.concatenate([part.cells for part in both]))
    arrays = [values for part in both for values in (*part[:2], np.searchsorted(cells, part.cells))]
    names = [f"{part}_{what}" for part in ("pool", "folds") for what in Answers._fields]
    named: dict[str, Any] = dict(zip(names, arrays, strict=True))
    np.savez(file, **named)
