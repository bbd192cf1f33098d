"""Overlapping classes, how they may be changed, and estimators fitted to them once."""

from functools import cache

import numpy as np
from scipy.stats import ortho_group
from sklearn.base import clone
from sklearn.datasets import make_blobs

CHANGES = ["shift", "scale", "rotation", "relabelling"]


def name_of(value):
    return type(value).__name__ if hasattr(value, "fit") else ""


@cache
def blobs(n_classes=3):
    """Overlapping classes: training and new data."""
    centers = np.array([[0, 0, 0], [3, 1, 0], [1, 3, 2], [-2, 3, 1]])[:n_classes]
    X, y = make_blobs(300 * n_classes, centers=centers, cluster_std=1.5, random_state=0)
    names = np.array(["sure", "likely", "maybe", "no"])
    return (
        X[: 60 * n_classes],
        names[y[: 60 * n_classes]],
        X[60 * n_classes :],
        names[y[60 * n_classes :]],
    )


ROTATION = ortho_group.rvs(3, random_state=0)
FACTOR = 3.0
SHIFT = np.array([5.0, -7.0, 20.0])


def changed(X, y, change):
    if change is None:
        return X, y
    if change == "shift":
        return X + SHIFT, y
    if change == "scale":
        return FACTOR * X, y
    if change == "rotation":
        return X @ ROTATION.T, y
    new_names = {"sure": "c", "likely": "b", "maybe": "a"}  # in another order, too
    return X, np.array([new_names[name] for name in y])


fits = {}


def fitted(estimator, n_classes=3, change=None):
    key = repr(estimator), n_classes, change
    if key not in fits:
        fits[key] = clone(estimator).fit(*changed(*blobs(n_classes)[:2], change))
    return fits[key]
