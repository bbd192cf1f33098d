"""The true model holds the Bayes posteriors of its own samples.

scikit-learn's ``check_estimator`` is not for it: those checks fit data of their own, with other
numbers of features and other classes, and expect that to change the model. This one knows its
density beforehand and refuses data that cannot have come from it; what a caller relies on of the
conventions is tested below.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import check_is_fitted

from abstain import InputError
from abstain.datasets import TrueMixture, make_gaussian_clusters, make_pearl_necklace
from abstain.models import RSLVQ
from tests.reference.datasets import GAUSSIAN_CLUSTERS, PEARL_NECKLACE, noise_box, posteriors

# Chance alone passes so many standard errors once in two million times.
STANDARD_ERRORS = 5
NOISE = 0.2


def _gaussian(n_samples=4, noise=NOISE):
    return make_gaussian_clusters(n_samples, noise=noise, random_state=0, return_model=True)


def _pearl(n_samples=4):
    return make_pearl_necklace(n_samples, random_state=0, return_model=True)


every_set = pytest.mark.parametrize("make", [_gaussian, _pearl])
coordinates = st.tuples(st.floats(-60, 200), st.floats(-60, 60))
# Farther out, both densities of the oracle are 0 and their ratio is nothing.
near_coordinates = st.tuples(st.floats(-60, 150), st.floats(-60, 60))


@given(x=near_coordinates, noise=st.floats(0, 0.99))
def test_posteriors_of_noisy_clusters_follow_bayes_rule(x, noise):
    *_, model = _gaussian(noise=noise)
    expected = posteriors(x, GAUSSIAN_CLUSTERS, noise)
    assert model.predict_proba([x])[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(x=coordinates)
def test_posteriors_of_the_necklace_follow_bayes_rule(x):
    *_, model = _pearl()
    posterior = model.predict_proba([x])[0]
    assert posterior == pytest.approx(posteriors(x, PEARL_NECKLACE), rel=1e-9, abs=1e-12)
    assert model.predict([x])[0] == posterior.argmax()


@pytest.mark.parametrize("outwards", [-1, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_noise_ends_at_the_faces_of_its_box(axis, outwards):
    *_, noisy = _gaussian()
    *_, clean = _gaussian(noise=0)
    face = np.mean(noise_box(GAUSSIAN_CLUSTERS), axis=1)
    face[axis] = noise_box(GAUSSIAN_CLUSTERS)[axis][(outwards + 1) // 2]
    step = np.eye(2)[axis] * outwards * 1e-9
    outside, inside = [face + step], [face - step]
    assert noisy.predict_proba(outside) == pytest.approx(clean.predict_proba(outside))
    assert noisy.predict_proba(inside).max() < clean.predict_proba(inside).max() - 0.05


# Far out, the cluster that is widest in that direction remains.
@pytest.mark.parametrize("distance", [1e4, 1e8, 1e99, 1e101, 1e200, 1.7e308])
@pytest.mark.parametrize(
    ("make", "direction", "winner"),
    [
        (_gaussian, (1, 0), 1),
        (_gaussian, (-1, 0), 1),
        (_gaussian, (0, 1), 0),
        (_gaussian, (0.001, -1), 0),
        (_pearl, (1, 0), 1),
        (_pearl, (-1, 1), 1),
        (_pearl, (0.1, -1), 1),
    ],
)
def test_posteriors_stay_finite_however_far(make, direction, winner, distance):
    *_, model = make()
    expected = np.eye(len(model.classes_))[[winner]]
    assert model.predict_proba(np.array([direction]) * distance) == pytest.approx(expected)


@every_set
def test_asking_leaves_the_samples_as_they_are(make):
    *_, model = make()
    X = np.full((1, 2), 1e200)
    model.predict_proba(X)
    assert (X == 1e200).all()


# The law of a calibrated model: each sample is right with the probability that it was given.
@every_set
def test_accuracy_is_the_mean_of_the_largest_posterior(make):
    X, y, model = make(200_000)
    certainty = model.predict_proba(X).max(axis=1)
    standard_error = np.sqrt(np.sum(certainty * (1 - certainty))) / len(y)
    assert abs(model.score(X, y) - certainty.mean()) < STANDARD_ERRORS * standard_error


@every_set
def test_each_posterior_is_the_frequency_of_its_class(make):
    X, y, model = make(200_000)
    for label, posterior in enumerate(model.predict_proba(X).T):
        bins = (posterior * 20).astype(int)
        surplus = np.bincount(bins, (y == label) - posterior)
        spread = np.sqrt(np.bincount(bins, posterior * (1 - posterior)))
        assert (abs(surplus) <= STANDARD_ERRORS * np.maximum(spread, 1)).all()


@every_set
@pytest.mark.parametrize("rival", [KNeighborsClassifier(25), GaussianNB(), RSLVQ()], ids=str)
def test_no_classifier_errs_less(make, rival):
    X, y, model = make(50_000)
    rival.fit(X[:2000], y[:2000])
    X, y = X[2000:], y[2000:]
    ahead = np.sum((model.predict(X) == y) * 1 - (rival.predict(X) == y) * 1)
    disagreements = np.sum(model.predict(X) != rival.predict(X))
    assert ahead > -STANDARD_ERRORS * np.sqrt(disagreements)


@every_set
def test_nothing_that_is_done_to_it_changes_its_answers(make):
    X, y, model = make(60)
    expected = model.predict_proba(X)
    check_is_fitted(model)
    assert is_classifier(model)
    for same in [
        clone(model),
        clone(model).fit(X[:7], y[:7]),
        FrozenEstimator(model).fit(X[:7], y[:7]),
        pickle.loads(pickle.dumps(model)),
    ]:
        assert same.n_features_in_ == 2
        assert same.classes_.tolist() == model.classes_.tolist()
        assert np.array_equal(same.predict_proba(X), expected)
    folds = cross_val_predict(model, X, y, cv=3, method="predict_proba")
    assert np.array_equal(folds, expected)


def test_a_table_with_names_is_as_good_as_an_array():
    X, y, model = _gaussian(20)
    frame = pd.DataFrame(X, columns=["width", "height"])
    assert np.array_equal(model.fit(frame, y).predict_proba(frame), model.predict_proba(X))


def test_parameters_can_be_set():
    X, _, model = _gaussian(20)
    *_, clean = _gaussian(noise=0)
    assert np.array_equal(model.set_params(noise=0).predict_proba(X), clean.predict_proba(X))


def test_any_number_of_features_will_do():
    model = TrueMixture(means=np.diag([9, 9, 9]), stds=np.ones((3, 3)), noise=0.1)
    X, y = model.sample(300, random_state=0)
    assert X.shape == (300, 3)
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"means": [1, 2]}, r"means must be finite numbers, one row .*, got \[1, 2\]"),
        ({"means": [["a"]]}, r"means must be finite numbers, .*, got \[\['a'\]\]"),
        ({"means": []}, r"means must be finite numbers, .*, got \[\]"),
        ({"means": [[0, 1], [2]]}, "means must be finite numbers, "),
        ({"stds": [[1, np.inf]]}, "stds must be finite numbers, "),
        ({"stds": [[1, 0]]}, "stds must be positive, got 0.0"),
        ({"stds": [[1]]}, r"one shape, got \(1, 2\) and \(1, 1\)"),
        ({"noise": 1.0}, r"noise must be a number in \[0, 1\), got 1.0"),
    ],
)
def test_a_description_of_no_mixture_is_refused(parameters, message):
    model = TrueMixture(**{"means": [[0, 0]], "stds": [[1, 1]], **parameters})
    with pytest.raises(InputError, match=message):
        model.predict_proba([[0, 0]])
    with pytest.raises(InputError, match=message):
        model.sample(3)


@pytest.mark.parametrize("y", [[0, 2], [0, -1], ["0", "1"], [0, 0.5], [0, None]])
def test_classes_of_another_mixture_are_refused(y):
    *_, model = _gaussian()
    with pytest.raises(InputError, match=r"y must hold classes of the mixture, \[0, 1\], got "):
        model.fit([[0, 0], [1, 1]], y)


def test_samples_of_another_mixture_are_refused():
    *_, model = _gaussian()
    for ask in (model.predict, model.predict_proba, lambda X: model.fit(X, [0])):
        with pytest.raises(InputError, match="X must have the 2 features of the mixture, got 3"):
            ask([[0, 0, 0]])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit([[0, 0]], [0, 1])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.predict([[0, np.nan]])
