"""One look at the samples tells what four calls tell."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from abstain import RejectOptionClassifier, RejectRate, models

NAMES = np.array(["setosa", "versicolor", "virginica"])


def check(clf, X):
    found = clf.decide(X)
    np.testing.assert_array_equal(clf.classes_[found.answers], clf.estimator_.predict(X))
    np.testing.assert_array_equal(found.certainty, clf.certainties(X))
    np.testing.assert_array_equal(found.positions, clf.apply(X))
    np.testing.assert_array_equal(found.rejected, clf.reject(X))


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    X[::7, 1] = np.nan
    return X, NAMES[y]


@pytest.mark.parametrize("cells", ["auto", "global", "class", "prototype"])
@pytest.mark.parametrize("name", models.__all__)
def test_prototype_models(iris, name, cells):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), getattr(models, name)(2, max_iter=20, tol=1e-2))
    clf = RejectOptionClassifier(pipeline, cells=cells, cv=3, target=RejectRate(0.2))
    check(clf.fit(X, y), X)


@pytest.mark.parametrize("certainty", ["relsim", "boundary", "distance", "decision"])
def test_measures(iris, certainty):
    X, y = iris
    model = models.GLVQ()
    check(RejectOptionClassifier(model, certainty=certainty, cv=3).fit(X, y), X)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(max_iter=1000),
        SVC(),
        DecisionTreeClassifier(max_depth=3),
        RandomForestClassifier(10),
        make_pipeline(None, make_pipeline("passthrough", StandardScaler(), LogisticRegression())),
        GridSearchCV(make_pipeline(StandardScaler(), models.GLVQ()), {"glvq__tol": [1e-2]}, cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_classifiers(iris, model):
    X, y = iris
    X = np.nan_to_num(X)
    clf = RejectOptionClassifier(model, cv=3, target=RejectRate(0.2), random_state=0)
    check(clf.fit(X, y), X)


def test_rules_of_ones_own_and_frozen_models(iris):
    X, y = np.nan_to_num(iris[0]), iris[1]
    fitted = make_pipeline(StandardScaler(), models.GLVQ()).fit(X[::2], y[::2])
    for cells in (KMeans(3, random_state=0), lambda model, X: X[:, 0] > 5):
        clf = RejectOptionClassifier(
            FrozenEstimator(fitted),
            certainty=lambda model, X: np.abs(model.decision_function(X)).min(axis=1),
            cells=cells,
        )
        check(clf.fit(X[1::2], y[1::2]), X)


def test_cells_that_calibration_has_not_seen_share_a_threshold(iris):
    X, y = iris
    model = models.GLVQ(8, max_iter=10, tol=1e-2)
    clf = RejectOptionClassifier(model, method="exact", min_cell_size=12).fit(X, y)
    assert (clf.decide(X).positions == len(clf.cells_)).any()
    check(clf, X)
