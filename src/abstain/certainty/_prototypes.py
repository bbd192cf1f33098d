"""What do the prototypes inside an estimator see of its samples?"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from abstain._estimators import pass_through, unwrap

__all__ = ["Rivals", "View", "as_numbers", "has_prototypes", "rivals", "view"]

Array = NDArray[Any]


class View(NamedTuple):
    """A prototype model, the samples as it sees them, and their squared distances to it."""

    model: Any
    samples: Any
    distances: Array


class Rivals(NamedTuple):
    """For each sample, the prototype that wins and the closest one of another class."""

    winner: NDArray[np.int64]
    rival: NDArray[np.int64]
    closest: Array
    second: Array


def has_prototypes(model: Any) -> bool:
    """Tell whether a fitted model classifies by prototypes, in a metric that it can tell."""
    return all(hasattr(model, name) for name in ("distances", "metric_roots", "prototype_labels_"))


def as_numbers(samples: Any) -> Array:
    """Return samples that a model has measured as floats; a missing value of any kind is NaN."""
    return np.asarray(check_array(samples, dtype=np.float64, ensure_all_finite="allow-nan"))


def view(estimator: Any, X: Any) -> View:
    """Return what the model inside an estimator sees of samples."""
    steps, model = unwrap(estimator)
    samples = pass_through(steps, X)
    return View(model, samples, model.distances(samples))


def rivals(distances: Array, labels: Array) -> Rivals:
    """Return the two prototypes between which each sample is decided."""
    rows = np.arange(len(distances))
    winner = distances.argmin(axis=1)
    # Infinity lies beyond every rival, and each sample has one: no model knows one class only.
    others = np.where(labels == labels[winner][:, np.newaxis], np.inf, distances)
    rival = others.argmin(axis=1)
    return Rivals(winner, rival, distances[rows, winner], others[rows, rival])
