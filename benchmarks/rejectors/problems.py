"""On which samples, and with which classifiers, are thresholds chosen?

A fifth of the samples trains the classifier, two fifths set the thresholds, two fifths test them,
drawn at random for each seed. Where thresholds are chosen out of fold, no samples need to be set
aside: the classifier has the first three fifths. Features are z-scored inside the classifier.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

__all__ = ["CLASSIFIERS", "Part", "Problems", "make_classifier"]

TRAINING_SHARE = 0.2
CALIBRATION_SHARE = 0.4
CLASSIFIERS: dict[str, Callable[[int], Any]] = {
    "LogisticRegression": lambda seed: LogisticRegression(max_iter=1000),
    "RandomForest": lambda seed: RandomForestClassifier(n_estimators=50, random_state=seed),
}


class Part(NamedTuple):
    """Samples and their classes."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]

    def joined_with(self, other: "Part") -> "Part":
        """Return the samples of both."""
        return Part(np.concatenate([self.X, other.X]), np.concatenate([self.y, other.y]))


class Problems:
    """A data set, drawn apart by seeds."""

    def __init__(self, file: Path) -> None:
        with np.load(file) as arrays:
            self.samples, self.labels = arrays["samples"], arrays["labels"]

    def parts(self, seed: int) -> tuple[Part, Part, Part]:
        """Return the samples that train, that calibrate and that test."""
        n_samples = len(self.labels)
        order = np.random.default_rng(seed).permutation(n_samples)
        ends = np.round(np.cumsum([TRAINING_SHARE, CALIBRATION_SHARE]) * n_samples).astype(int)
        train, calibrate, test = (
            Part(self.samples[rows], self.labels[rows]) for rows in np.split(order, ends)
        )
        return train, calibrate, test


def make_classifier(name: str, seed: int) -> Any:
    """Return a classifier that is not fitted yet."""
    return make_pipeline(StandardScaler(), CLASSIFIERS[name](seed))
