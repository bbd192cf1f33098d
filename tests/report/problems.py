"""Classifiers and samples that reports are made of."""

from copy import copy
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, RejectOptionClassifier

SCRIPT = "<script>window.harmed = 1</script>"
IMAGE = "</script><img src=x onerror='window.harmed = 1'>"
HOSTILE_CLASSES = [SCRIPT, "</script>", "<b>&amp; \u2028 \"'"]
HOSTILE_FEATURES = [SCRIPT, IMAGE, "<a href='javascript:window.harmed=1'>x</a>", "Größe %{x}"]


class Row:
    """The target that is one row of the front."""

    def __init__(self, row):
        self.row = row

    def choose(self, front):
        return self.row


def at_row(clf, row):
    """Return the classifier at a row; the one given stays where it was."""
    return copy(clf).retarget(Row(int(row)))


def noisy(n_samples, classes=("a", "b", "c"), seed=0):
    """Draw classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(classes), n_samples)
    X = rng.normal(size=(n_samples, 4)) + 1.6 * np.eye(len(classes), 4)[y]
    return X, np.array(classes)[y]


def fitted_gmlvq(classes=("a", "b", "c"), **settings):
    model = GMLVQ(n_prototypes_per_class=2, random_state=0)
    clf = RejectOptionClassifier(make_pipeline(StandardScaler(), model), **settings)
    return clf.fit(*noisy(400, classes))


def breast_tumours() -> tuple[Any, Any, Any]:
    """Return a classifier of breast tumours, and samples that it has not seen."""
    data = load_breast_cancer(as_frame=True)
    labels = data.target_names[data.target]
    X, X_new, y, y_new = train_test_split(data.data, labels, test_size=0.5, random_state=0)
    model = make_pipeline(StandardScaler(), GMLVQ(random_state=0))
    return RejectOptionClassifier(model, cv=5).fit(X, y), X_new, y_new


def in_stripes(estimator, X):
    """Return which of 50 stripes each sample lies in."""
    return np.digitize(X[:, 3], np.linspace(-2, 2, 49))


def fitted_stripes():
    """Return a classifier with 50 cells and thresholds of their own."""
    clf = RejectOptionClassifier(GaussianNB(), cells=in_stripes, min_cell_size=1)
    return clf.fit(*noisy(3000))


def confusion(clf, X, y, classes):
    """Count true classes (rows) by answers, and last by rejects, one sample after the other."""
    counts = np.zeros((len(classes), len(classes) + 1), dtype=int)
    place = {label: index for index, label in enumerate(classes)}
    answers = clf.estimator_.predict(X)
    for truth, answer, rejected in zip(y, answers, clf.reject(X), strict=True):
        counts[place[truth], len(classes) if rejected else place[answer]] += 1
    return counts
