"""Learn-then-test by hand: one row after the other, one sample after the other."""

from math import comb
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

from abstain import Accuracy, RejectOptionClassifier


def tail(n, k, p):
    """P(Bin(n, p) ≤ k), term by term."""
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def counts(front, row, held_out):
    """How many samples are accepted, and how many of these are wrong?"""
    thresholds = front.thresholds_at(row).tolist()
    shared = front.shared_thresholds(np.array([row]))[0] if front.is_nested else max(thresholds)
    accepted = errors = 0
    for sureness, right, column in zip(*held_out[:3], strict=True):
        if sureness >= (thresholds[column] if column >= 0 else shared):
            accepted += 1
            errors += not right
    return accepted, errors


def rejects(front):
    return (front.true_rejects + front.false_rejects).tolist()


def order_of_rows(front, accuracy):
    """The row that is easiest to certify on the front's own samples, then ever fewer rejects."""
    chances = [
        tail(front.n_samples - rejected, front.n_errors - int(caught), 1 - accuracy)
        for rejected, caught in zip(rejects(front), front.true_rejects, strict=True)
    ]
    rows = range(len(front))
    least = min(chances) * (1 + 1e-9)  # equal but for rounding
    easiest = [row for row in rows if chances[row] <= least]
    first = min(easiest, key=lambda row: (rejects(front)[row], row))
    rest = [row for row in rows if row != first and rejects(front)[row] <= rejects(front)[first]]
    return [first, *sorted(rest, key=lambda row: (-rejects(front)[row], row))]


def order_of_nested_rows(front, n_samples, accuracy, level):
    """From the row that accepts √(needed / n) of the samples to all of them, in percents."""
    needed = next(n for n in range(1, 10_000) if accuracy**n <= level)

    def row_covering(share):
        return max(row for row in range(len(front)) if front.coverages[row] >= share - 1e-9)

    first = row_covering(min(1.0, (needed / n_samples) ** 0.5))
    shares = [percent / 100 for percent in range(101)]
    later = [row_covering(share) for share in shares if share > front.coverages[first]]
    return list(dict.fromkeys([first, *later, 0]))


def certify(front, held_out, accuracy, level):
    """The certified row with the fewest rejects, its counts, and how many were tested; or None."""
    best, n_tested = None, 0
    if front.is_nested:
        order = order_of_nested_rows(front, held_out.n_samples, accuracy, level)
    else:
        order = order_of_rows(front, accuracy)
    for row in order:
        n_tested += 1
        accepted, errors = counts(front, row, held_out)
        if tail(accepted, errors, 1 - accuracy) > level:
            break
        if best is None or rejects(front)[row] <= rejects(front)[best[0]]:
            best = row, accepted, errors
    return best, n_tested


def population(kind: str, n: int = 200_000) -> Any:
    """Samples whose truth is known, as they are all there is: certainty, correctness, cells.

    "smooth": eight cells, in each of which certainty means something else. "ties": the same, with
    eleven distinct certainties. "many cells": the same with fifty. "flat": certainty means nothing,
    and the accuracy is just below 0.9 whatever is rejected: each certificate for 0.9 is a miss.
    "not rising": in the middle, the surer the more often wrong. "dips": the accuracy of the answers
    that are accepted falls below 0.9, rises above it and falls below it again.
    """
    generator = np.random.default_rng(1)
    n_cells = 50 if kind == "many cells" else 8
    cells = generator.integers(n_cells, size=n)
    certainty, luck = generator.random(n), generator.random(n)
    if kind == "flat":
        return certainty, luck < 0.899, cells
    if kind == "dips":
        parts = np.searchsorted([0.1, 0.25, 0.45], 1 - certainty)
        return certainty, luck < np.array([0.99, 0.83, 0.96, 0.8])[parts], cells
    if kind == "not rising":
        return certainty, luck < 0.85 + 0.13 * np.cos(9 * certainty), cells
    offset, slope = np.linspace(-0.5, 3.0, n_cells)[cells], np.linspace(6, 2, n_cells)[cells]
    correct = luck < 1 / (1 + np.exp(-offset - slope * (certainty - 0.2)))
    return np.round(certainty, 1) if kind == "ties" else certainty, correct, cells


def certify_plainly(front: Any, held_out: Any, accuracy: float, level: float) -> Any:
    """The same test with the rows in the plainest order: the surest on the front's samples first.

    Returns the thresholds, or None.
    """
    from scipy.stats import binom

    certainty, correct, cells = held_out
    kept = front.n_samples - front.true_rejects - front.false_rejects
    left = front.n_errors - front.true_rejects
    best = None
    for row in np.argsort(binom.cdf(left, kept, 1 - accuracy), kind="stable"):
        accepted = certainty >= front.thresholds[row][cells]
        errors = np.count_nonzero(~correct[accepted])
        if binom.cdf(errors, np.count_nonzero(accepted), 1 - accuracy) > level:
            break
        if best is None or rejects(front)[row] < rejects(front)[best]:
            best = row
    return None if best is None else front.thresholds[best]


class Told(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose certainty, cell and correctness are the columns of its samples.

    Correctness is no number: a detector of outliers does not see it.
    """

    classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        return X["correct"].to_numpy().astype(int)


def told(certainty: Any, correct: Any, cells: Any) -> Any:
    """Samples for `Told`."""
    return pd.DataFrame({"certainty": certainty, "cell": cells, "correct": np.asarray(correct)})


def fit(drawn: Any, **settings: Any) -> Any:
    """A classifier whose accuracy of 0.9 is certified, with confidence 0.9, on the draw."""
    clf = RejectOptionClassifier(
        FrozenEstimator(Told()),
        certainty=lambda model, X: X["certainty"].to_numpy(),
        cells=lambda model, X: X["cell"].to_numpy(),
        target=Accuracy(0.9, confidence=0.9),
        independent_rows=True,  # equal ones are drawn independently, too
        random_state=0,
        **settings,
    )
    # All are of class 1, which those in the wrong are not given.
    return clf.fit(told(*drawn), np.ones(len(drawn[0]), int))


def accepted_by(clf: Any, certainty: Any, correct: Any, cells: Any) -> Any:
    """Which samples a classifier of `fit` answers."""
    positions = {cell: position for position, cell in enumerate(clf.cells_.tolist()[:-1])}
    known = np.full(max(cells) + 1, len(clf.cells_) - 1)
    known[list(positions)] = list(positions.values())
    accepted = certainty >= clf.thresholds_[known[cells]]
    if clf.outliers is not None:
        accepted &= ~(clf.outlier_p_values(told(certainty, correct, cells)) <= clf.outliers)
    return accepted
