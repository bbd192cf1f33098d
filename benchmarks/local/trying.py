"""How accurate are thresholds on test data, at one coverage after another?

Thresholds, one for each cell (local) or one for all (global), are set on the training data, on
out-of-fold answers (``cv=5``) or on a held-out calibration set.

A curve is made of rejects at one reject rate after another: at each rate where the front gets more
accurate, ``retarget(RejectRate(rate))``, then accepted and right test samples are counted. At a
given *test* coverage the counts are interpolated between the last point above it and the first
one at or below it, which is what a toss between the two choices of thresholds would give. Where no
error is left on the calibration data there is nothing more to choose; the last point of a curve is
to reject everything, so that from there on the accuracy stays as it is.

Every classifier is fitted once for all thresholds: its certainties, cells and answers are kept as
a table, and a `RejectOptionClassifier` is calibrated on the columns of that table. That this gives
the thresholds that a fit with the data gives is checked at every fit.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from abstain import GMLVQ, RejectOptionClassifier, RejectRate
from abstain.cells import find_cells
from abstain.classifier import Calibration
from local.samples import N_FOLDS, Array, Repeat

CLASSIFIERS: dict[str, Any] = {
    "GMLVQ": make_pipeline(StandardScaler(), GMLVQ(random_state=0)),
    "GMLVQ, 3 a class": make_pipeline(
        StandardScaler(), GMLVQ(n_prototypes_per_class=3, random_state=0)
    ),
    "logistic": make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=1000)),
    "tree, leaves of 5": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    "tree, full": DecisionTreeClassifier(random_state=0),
}
# The reference run of the pearl necklace had the identity for Φ.
NECKLACES: dict[str, Any] = {
    "GMLVQ": CLASSIFIERS["GMLVQ"],
    "GMLVQ, identity": make_pipeline(StandardScaler(), GMLVQ(beta=None, random_state=0)),
}
SOURCES = ["training", "cv", "held out"]
SIZES, DEFAULT_SIZE = [1, 5, 10, 20, 50], 10
# Where as many samples can be had as are asked for, fewer of those held out are tried as well.
SWEEP = [100, 300, 1000, 3000]
COVERAGES = np.linspace(1.0, 0.5, 101)
RATE = 0.1
MOST_POINTS, LARGEST_RATE = 50, 0.8

Record = dict[str, Any]


class Curve(NamedTuple):
    """Accuracy on the test data at each of COVERAGES, and single figures.

    ``end`` is the least coverage at which there is something to choose; ``n_cells`` and
    ``n_errors`` are cells with a threshold of their own and errors of the calibration data. At
    RejectRate(RATE) there are the accuracy ``promised`` by the calibration data and that
    ``delivered`` on the test data.
    """

    accuracies: list[float]
    end: float
    n_cells: int
    n_errors: int
    promised: float
    delivered: float


class Recorded(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose answers are a column of its samples."""

    def fit(self, X: Array, y: Array) -> "Recorded":
        """Learn nothing."""
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X: Array) -> Array:
        """Return 1 where the answer was right."""
        return np.asarray(X[:, 2], dtype=np.int64)


def recorded_certainty(estimator: Any, X: Array) -> Array:
    return np.asarray(X[:, 0])


def recorded_cells(estimator: Any, X: Array) -> Array:
    return np.asarray(X[:, 1], dtype=np.int64)


def table(answers: Calibration) -> Array:
    return np.column_stack([answers.certainty, answers.cells, answers.correct])


def curves(estimator: Any, repeat: Repeat, sizes: list[int], sweep: list[int]) -> list[Record]:
    """Return the curves of all ways to set thresholds, on one repeat; local ones by their size."""
    records = []
    for source in SOURCES:
        if source == "held out" and repeat.held_out is None:
            continue
        own = fitted(source, estimator, repeat, "auto")
        known = known_to_one = recorded(own, DEFAULT_SIZE)
        if isinstance(estimator, DecisionTreeClassifier):
            # Out of fold, leaves have the certainty of the tree that decides, one cell for all has
            # that of the tree of each fold.
            known_to_one = recorded(fitted(source, estimator, repeat, "global"), None)
        X, y = repeat.test
        cells = find_cells(own.estimator_, X)
        test = table(Calibration(own.certainties(X), own.estimator_.predict(X) == y, cells))
        for n in [None, *(sweep if source == "held out" else [])]:
            base = {"source": source, "n": n}
            one = try_out(calibrated(known_to_one[:n], None), test)
            records.append({**base, "size": None, **one._asdict()})
            of_cells: dict[int, Curve] = {}
            for size in sizes:
                local = calibrated(known[:n], size)
                n_cells = len(local.cells_)
                if n_cells not in of_cells:  # as many cells are the same cells
                    of_cells[n_cells] = try_out(local, test)
                records.append({**base, "size": size, **of_cells[n_cells]._asdict()})
    return records


def fitted(source: str, estimator: Any, repeat: Repeat, cells: str) -> RejectOptionClassifier:
    """Return the classifier with thresholds from one source, fitted with its data."""
    if source == "training":
        return RejectOptionClassifier(estimator, cells=cells).fit(*repeat.train)
    if source == "cv":
        return RejectOptionClassifier(estimator, cells=cells, cv=N_FOLDS).fit(*repeat.train)
    if repeat.held_out is None:
        raise ValueError("this set is too small to hold samples out")
    to_fit, calibration = repeat.held_out
    frozen = FrozenEstimator(clone(estimator).fit(*to_fit))
    return RejectOptionClassifier(frozen, cells=cells).fit(*calibration)


def recorded(clf: RejectOptionClassifier, min_cell_size: int | None) -> Array:
    """Return the answers that thresholds were set on; they must give the same thresholds again."""
    answers = table(clf.calibration_)
    again = calibrated(answers, min_cell_size)
    same = np.array_equal(again.cells_, clf.cells_)
    if not (same and np.array_equal(again.thresholds_, clf.thresholds_)):
        raise RuntimeError("thresholds set on recorded answers differ from those set on the data")
    return answers


def calibrated(answers: Array, min_cell_size: int | None) -> RejectOptionClassifier:
    """Return a classifier with thresholds set on recorded answers; None makes one for all."""
    cells: Any = "global" if min_cell_size is None else recorded_cells
    ones = np.ones(len(answers), dtype=np.int64)
    return RejectOptionClassifier(
        FrozenEstimator(Recorded().fit(answers, ones)),
        certainty=recorded_certainty,
        cells=cells,
        min_cell_size=min_cell_size or DEFAULT_SIZE,
    ).fit(answers, ones)


def try_out(clf: RejectOptionClassifier, test: Array) -> Curve:
    """Move a classifier along its front, and count on the test data."""
    certainty, position, right = clf.certainties(test), clf.apply(test), test[:, 2] == 1
    n_accepted, n_right = [], []
    for rate in rates_of(clf):
        clf.retarget(RejectRate(float(rate)))
        accepted = ~(certainty < clf.thresholds_[position])
        n_accepted.append(accepted.sum())
        n_right.append((accepted & right).sum())
        if n_accepted[-1] < COVERAGES[-1] * len(test):
            break
    accuracies = interpolate(np.array([*n_accepted, 0]), np.array([*n_right, 0]), len(test))
    clf.retarget(RejectRate(RATE))
    accepted = ~(certainty < clf.thresholds_[position])
    return Curve(
        accuracies.tolist(),
        min(n_accepted) / len(test),
        len(clf.cells_),
        int(clf.front_.n_errors),
        float(clf.operating_point_.accuracy),
        float(right[accepted].mean()) if accepted.any() else float("nan"),
    )


def rates_of(clf: RejectOptionClassifier) -> Array:
    """Return the reject rates at which the front gets more accurate, thinned out if many."""
    front = clf.front_
    order = np.lexsort((-front.accuracies, front.reject_rates))
    rates, accuracies = front.reject_rates[order], front.accuracies[order]
    before = np.fmax.accumulate(np.append(-np.inf, accuracies[:-1]))
    rates = rates[(accuracies > before) & (rates <= LARGEST_RATE)]
    if len(rates) > MOST_POINTS:
        grid = np.linspace(0, rates[-1], MOST_POINTS)
        rates = np.unique(rates[np.searchsorted(rates, grid, side="right") - 1])
    return rates


def interpolate(n_accepted: Array, n_right: Array, n_samples: int) -> Array:
    """Return the accuracy at each of COVERAGES, where the curve first comes down to it."""
    lowest = np.minimum.accumulate(n_accepted / n_samples)
    accuracies = np.full(len(COVERAGES), np.nan)
    for number, coverage in enumerate(COVERAGES):
        at = int(np.searchsorted(-lowest, -coverage - 1e-12))
        if at == 0:
            accuracies[number] = n_right[0] / n_accepted[0]
        else:
            above, below = n_accepted[at - 1], n_accepted[at]
            share = (above - coverage * n_samples) / (above - below)
            right = (1 - share) * n_right[at - 1] + share * n_right[at]
            accuracies[number] = right / (coverage * n_samples)
    return accuracies
