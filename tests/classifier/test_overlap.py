"""A classifier that is calibrated on samples of its own fit is warned about, where that shows."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from abstain import GMLVQ, RejectOptionClassifier

X, Y = load_digits(return_X_y=True)
FITTED, OTHERS = (X[:600], Y[:600]), (X[600:1200], Y[600:1200])


def told(estimator, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        RejectOptionClassifier(estimator).fit(X, y)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize(
    ("estimator", "said"),
    [
        (KNeighborsClassifier(), "was fitted on at least 600 of these 600 samples"),
        (make_pipeline(StandardScaler(), SVC()), "of these 600 samples"),
        (MLPClassifier(random_state=0), "is right on all 600 calibration samples"),
        (RandomForestClassifier(30, random_state=0), "at least 600 of these 600 samples"),
        (RandomForestClassifier(9, min_samples_leaf=2, random_state=0), "600 of these 600"),
        (DecisionTreeClassifier(max_depth=6, random_state=0), "600 of these 600 samples"),
        (make_pipeline(StandardScaler(), GMLVQ(tol=0.1)), "600 of these 600 samples"),
        (make_pipeline(PCA(10), LogisticRegression(max_iter=5000)), "600 of these 600 samples"),
        (GaussianNB(), "600 of these 600 samples"),
    ],
)
def test_samples_of_the_fit_are_noticed(estimator, said):
    (message,) = told(FrozenEstimator(estimator.fit(*FITTED)), *FITTED)
    assert said in message
    assert "calibrate it on" in message
    assert "\n" not in message
    # Others than those of the fit, and folds, are as they should be.
    assert told(FrozenEstimator(estimator), *OTHERS) == []
    assert told(estimator, *FITTED) == []


# Neighbours may be kept less precisely than the samples are given, or sparse.
def test_kept_samples_are_compared_as_they_are_kept():
    X, y = FITTED[0] / 3, FITTED[1]
    model = KNeighborsClassifier().fit(X.astype(np.float32), y)
    assert "at least 600" in told(FrozenEstimator(model), X, y)[0]
    model = KNeighborsClassifier().fit(csr_matrix(X), y)
    assert "at least 600" in told(FrozenEstimator(model), csr_matrix(X), y)[0]


def test_some_samples_in_common_are_no_news():
    model = KNeighborsClassifier().fit(*FITTED)
    X, y = (np.concatenate([new, known[:50]]) for new, known in zip(OTHERS, FITTED, strict=True))
    assert told(FrozenEstimator(model), X, y) == []


def test_training_data_without_an_error_are_reported():
    model = RejectOptionClassifier(LogisticRegression(max_iter=5000), cv="training")
    with pytest.warns(UserWarning, match="cv='training' finds no error"):
        model.fit(*FITTED)
