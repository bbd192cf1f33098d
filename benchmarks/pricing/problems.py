"""On which samples, with which costs and classifiers, are decisions compared?

Class 1 is the one that must not be missed. Each draw of "fraud" is a new set of the generator, of
which one half fits classifier and thresholds and the other half tests. The other sets are drawn
apart at random: half of the rows, at most `MOST_FIT`, fit; the rest, at most `MOST_TESTED`, tests.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import hash as hash_of
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

__all__ = ["CLASSIFIERS", "PRICES", "Part", "Prices", "draw", "write"]

N_FRAUD = 50_000
MOST_FIT, MOST_TESTED = 5_000, 20_000


class Prices(NamedTuple):
    """What a missed sample of class 1, a false alarm and a reject cost."""

    missed: float
    false_alarm: float
    reject: float

    def of(self, y: NDArray[Any], labels: Any, accepted: Any) -> NDArray[np.float64]:
        """Return what each decision costs."""
        wrong = np.where(y == 1, self.missed, self.false_alarm)
        return np.where(accepted, np.where(labels == y, 0.0, wrong), self.reject)


PRICES = {
    "fraud": Prices(50, 1, 0.5),
    "electricity": Prices(3, 1, 0.3),
    "weather": Prices(5, 1, 0.4),
    "breast cancer": Prices(20, 1, 0.5),
    "wisconsin": Prices(20, 1, 0.5),
    "cleveland": Prices(5, 1, 0.4),
}
# The class of the files that is 1 here.
POSITIVE = {"electricity": 1, "weather": 1, "wisconsin": "malignant", "cleveland": "present"}


class Part(NamedTuple):
    """Samples and their classes."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]


def write(name: str, data: Path, file: Path) -> None:
    """Write the samples of a set that is not generated; rows with missing values are left out."""
    if name == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
        np.savez(file, samples=X, labels=(y == 0).astype(int))
        return
    import polars as pl

    (source,) = data.glob(f"{name}.csv*")
    table = pl.read_csv(source).drop_nulls()
    samples = table.drop("target").cast(pl.Float64).to_numpy()
    np.savez(
        file, samples=samples, labels=(table["target"] == POSITIVE[name]).to_numpy().astype(int)
    )


def draw(name: str, file: Path | None, seed: int) -> tuple[Part, Part]:
    """Return the samples that fit classifier and thresholds, and those that test."""
    if file is None:
        n_samples = n_fit = N_FRAUD
        X, y = make_classification(
            n_samples=2 * N_FRAUD,
            weights=[0.98],
            n_informative=8,
            n_clusters_per_class=3,
            flip_y=0.002,
            random_state=seed,
        )
        order = np.arange(2 * N_FRAUD)
    else:
        with np.load(file) as arrays:
            X, y = arrays["samples"], arrays["labels"]
        order = np.random.default_rng(seed).permutation(len(y))
        n_fit, n_samples = min(len(y) // 2, MOST_FIT), MOST_TESTED
    fit, test = order[:n_fit], order[n_fit : n_fit + n_samples]
    return Part(X[fit], y[fit]), Part(X[test], y[test])


# --- classifiers --------------------------------------------------------------------------------

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "LogisticRegression": lambda: make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=1000)
    ),
    "HistGradientBoosting": lambda: HistGradientBoostingClassifier(random_state=0),
}


class FittedOnce(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is fitted once to the same samples, however many methods ask for it."""

    known: ClassVar[dict[str, Any]] = {}

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Self:
        """Fit, or take what was fitted to these samples before."""
        key = hash_of((X, y))
        if key not in self.known:
            self.known[key] = clone(self.estimator).fit(X, y)
        self.estimator_ = self.known[key]
        self.latest_ = None, None
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return the classes predicted."""
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the posteriors, of the same array once."""
        asked, posteriors = self.latest_
        if asked is not X:
            posteriors = self.estimator_.predict_proba(X)
            self.latest_ = X, posteriors
        return posteriors
