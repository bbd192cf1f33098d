"""Certificates hold as often as they say for samples that belong together, or that are copies."""

from math import sqrt

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator

from abstain import Accuracy, InputError, RejectOptionClassifier

N_RUNS, DELTA = 100, 0.1
# A lucky draw has no error, and a fifth of a few subjects tells no outliers.
pytestmark = [
    pytest.mark.filterwarnings("ignore:the classifier is right on all"),
    pytest.mark.filterwarnings("ignore:no outliers are detected"),
]
# A classifier that always answers 1, on data of which 1 is right a bit too rarely.
ALWAYS_ONE = FrozenEstimator(
    DummyClassifier(strategy="constant", constant=1).fit([[0], [0]], [0, 1])
)
ACCURACY, TARGET = 0.897, Accuracy(0.9, confidence=1 - DELTA)


def share_certified(samples, **settings):
    """Return how often what is false is certified; ``samples`` draws X, y and groups."""
    n_certified = 0
    for seed in range(N_RUNS):
        X, y, groups = samples(np.random.default_rng(seed))
        clf = RejectOptionClassifier(
            ALWAYS_ONE,
            certainty=lambda model, X: np.asarray(X)[:, 0],
            cells="global",
            target=TARGET,
            random_state=seed,
            **settings,
        )
        try:
            clf.fit(X, y, groups=groups)
            n_certified += 1
        except InputError:
            pass
    return n_certified / N_RUNS


def subjects(generator, n_groups=60, n_rows=40):
    """Return samples of subjects who are all right or all wrong."""
    y = np.repeat((generator.random(n_groups) < ACCURACY).astype(int), n_rows)
    return generator.random((len(y), 1)), y, np.repeat(np.arange(n_groups), n_rows)


def copies(generator, n_samples=60, times=10):
    """Return samples of which each occurs several times."""
    X, y = generator.random((n_samples, 1)), (generator.random(n_samples) < ACCURACY).astype(int)
    return np.tile(X, (times, 1)), np.tile(y, times), None


def repeats(generator, n_samples=600):
    """Return samples of a feature with few values, which repeat by nature."""
    X = generator.integers(0, 300, (n_samples, 1))
    return X, (generator.random(n_samples) < ACCURACY).astype(int), None


def without_groups(samples):
    return lambda generator: (*samples(generator)[:2], None)


@pytest.mark.parametrize("test_size", ["auto", 0.6])
@pytest.mark.parametrize("samples", [subjects, copies, repeats])
def test_what_is_false_is_certified_no_more_often_than_allowed(samples, test_size):
    allowed = DELTA + 3 * sqrt(DELTA * (1 - DELTA) / N_RUNS)
    assert share_certified(samples, test_size=test_size) <= allowed


# The test has power: where dependence is not accounted for, it does not pass.
@pytest.mark.parametrize("samples", [without_groups(subjects), copies], ids=["subjects", "copies"])
def test_without_the_remedies_it_is_certified_too_often(samples):
    allowed = DELTA + 3 * sqrt(DELTA * (1 - DELTA) / N_RUNS)
    assert share_certified(samples, independent_rows=True) > allowed
