"""Groups that nobody has named are noticed where they are clearly apart, and clusters are not."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_classification,
    make_moons,
)
from sklearn.neighbors import KNeighborsClassifier

from abstain import Accuracy, InputError, RejectOptionClassifier
from abstain.classifier.hidden_groups import size_of_hidden_groups
from abstain.datasets import make_gaussian_clusters, make_pearl_necklace


def shuffled(n_patients, n_rows, seed, n_features=4):
    """Return rows of patients in any order, and whose they are."""
    generator = np.random.default_rng(seed)
    patient = generator.permutation(np.repeat(np.arange(n_patients), n_rows))
    ill = generator.integers(0, 2, n_patients)
    center = 1.5 * generator.normal(size=(n_patients, n_features))
    X = center[patient] + 0.3 * generator.normal(size=(len(patient), n_features))
    return X, ill[patient], patient


# 60 patients with 20 rows each were certified for 0.9, and half of the answers to new ones wrong.
def test_a_certificate_on_rows_of_patients_without_names_is_warned_about():
    X, y, patient = shuffled(60, 20, seed=0)
    target = Accuracy(0.9, confidence=0.9)
    clf = RejectOptionClassifier(KNeighborsClassifier(5), target=target, random_state=0)
    says = "^samples seem to come in groups of about (19|20|21|22), .* name it by groups, for a"
    with pytest.warns(UserWarning, match=says):
        clf.fit(X, y)
    assert clf.operating_point_.guarantee.accuracy == 0.9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.set_params(independent_rows=True).fit(X, y)
        with pytest.raises(InputError, match="groups"):
            clf.set_params(independent_rows=False).fit(X, y, groups=patient)


@pytest.mark.parametrize(
    ("n_patients", "n_rows", "n_features"), [(60, 20, 4), (100, 8, 4), (300, 4, 8), (30, 40, 4)]
)
def test_sizes_of_groups_are_about_right(n_patients, n_rows, n_features):
    for seed in range(3):
        X, y, patient = shuffled(n_patients, n_rows, seed, n_features)
        assert size_of_hidden_groups(X, y) == pytest.approx(n_rows, rel=0.2)
        # One row of each has no others.
        first = np.unique(patient, return_index=True)[1]
        assert size_of_hidden_groups(X[first], y[first]) is None


DATA = {
    "iris": lambda seed: load_iris(return_X_y=True),
    "wine": lambda seed: load_wine(return_X_y=True),
    "breast cancer": lambda seed: load_breast_cancer(return_X_y=True),
    "digits": lambda seed: load_digits(return_X_y=True),
    "clusters": lambda seed: make_gaussian_clusters(random_state=seed),
    "pearls": lambda seed: make_pearl_necklace(random_state=seed),
    "blobs": lambda seed: make_blobs(900, 5, centers=10, random_state=seed),
    "moons": lambda seed: make_moons(600, noise=0.1, random_state=seed),
    "many clusters": lambda seed: make_classification(
        1200, 8, n_informative=8, n_redundant=0, n_clusters_per_class=8, random_state=seed
    ),
    "one line": lambda seed: half(np.random.default_rng(seed).normal(size=(500, 1))),
    "heavy tails": lambda seed: half(np.random.default_rng(seed).standard_t(1.5, (800, 4))),
    "in time": lambda seed: half(np.random.default_rng(seed).normal(size=(800, 4)).cumsum(axis=0)),
    "rounded": lambda seed: half(np.random.default_rng(seed).normal(size=(800, 4)).round(1)),
    "categories": lambda seed: half(np.random.default_rng(seed).integers(0, 4, (800, 4))),
    "few": lambda seed: half(np.random.default_rng(seed).normal(size=(30, 2))),
    "constant": lambda seed: (np.ones((200, 3)), np.arange(200) % 2),
}


def half(X):
    return X, X[:, 0] > np.median(X[:, 0])


@pytest.mark.parametrize("name", DATA)
def test_samples_that_are_independent_have_no_groups(name):
    for seed in range(3):
        X, y = DATA[name](seed)[:2]
        assert size_of_hidden_groups(np.asarray(X), np.asarray(y)) is None


# Where all clusters have both classes, a cluster does not make samples alike that matter.
def test_clusters_of_mixed_classes_are_no_groups():
    X, _ = make_blobs(1200, 5, centers=40, random_state=0)
    y = np.random.default_rng(0).integers(0, 2, 1200)
    assert size_of_hidden_groups(X, y) is None
