"""A static and an incremental model answer together."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

import abstain
from abstain import GLVQ, GMLVQ, InputError
from abstain.classifier import OfflineOnlineClassifier
from abstain.classifier.offline_online import probability_of_right


@parametrize_with_checks(
    [
        OfflineOnlineClassifier(GLVQ(1), GLVQ()),
        OfflineOnlineClassifier(LogisticRegression(), GaussianNB()),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def regions(n_samples, seed, share_new):
    """Return samples of two regions; in the new one, the classes are the other way round."""
    random = np.random.default_rng(seed)
    labels, is_new = random.integers(2, size=n_samples), random.random(n_samples) < share_new
    X = random.normal(size=(n_samples, 2))
    X[:, 0] += 4 * labels
    X[:, 1] += 12 * is_new
    return X, np.where(is_new, 1 - labels, labels), is_new


def learn(model, X, y, rows=50):
    for start in range(0, len(y), rows):
        model.partial_fit(X[start : start + rows], y[start : start + rows])
    return model


@pytest.fixture(scope="module")
def model():
    X, y, _ = regions(500, 0, 0.0)
    return learn(OfflineOnlineClassifier(GMLVQ(1), GLVQ()).fit(X, y), *regions(800, 1, 0.5)[:2])


def test_it_is_as_good_as_the_better_model_in_each_region(model):
    X, y, is_new = regions(1000, 2, 0.5)
    for region in (is_new, ~is_new):
        single = [each.score(X[region], y[region]) for each in (model.offline_, model.online_)]
        assert model.score(X[region], y[region]) >= max(single) - 0.03
    assert model.answers_online(X[is_new]).mean() > 0.9


def test_each_answer_is_that_of_the_model_named(model):
    X, _, _ = regions(300, 3, 0.5)
    is_online = model.answers_online(X)
    expected = np.where(is_online, model.online_.predict(X), model.offline_.predict(X))
    assert model.predict(X).tolist() == expected.tolist()


def test_the_offline_model_answers_before_the_stream_and_is_never_changed():
    X, y, _ = regions(300, 0, 0.0)
    offline = GLVQ(1).fit(X, y)
    prototypes = offline.prototypes_.copy()
    model = OfflineOnlineClassifier(FrozenEstimator(offline), SGDClassifier(random_state=0))
    model.fit(X, y)
    assert not model.answers_online(X).any()
    learn(model, *regions(600, 1, 1.0)[:2])
    assert np.array_equal(offline.prototypes_, prototypes)
    assert len(model.right_) == len(model.certainties_) == 500


def test_a_resumed_stream_changes_no_answer(tmp_path):
    X, y, _ = regions(400, 0, 0.5)
    names = np.array(["left", "right"])[y]
    first = learn(OfflineOnlineClassifier(GMLVQ(1), GLVQ()).fit(X, names), X, names)
    abstain.save(first, tmp_path / "model.abstain")
    again = abstain.load(tmp_path / "model.abstain")
    for each in (first, again):
        learn(each, X, names, 33)
    assert again.predict(X).tolist() == first.predict(X).tolist()
    assert np.array_equal(again.certainties_, first.certainties_)


def test_a_class_that_only_the_online_model_knows_is_answered():
    X, y, _ = regions(400, 0, 0.0)
    model = OfflineOnlineClassifier(GLVQ(1), GLVQ()).fit(X, y)
    far = X + np.array([0, 30])
    learn(model, np.concatenate([X, far]), np.concatenate([y, np.full(len(y), 2)]))
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.predict(far) == 2).mean() > 0.9


def test_probabilities_rise_with_certainty_and_are_never_taken_for_sure():
    random = np.random.default_rng(0)
    certainties = random.random(400)
    right = random.random(400) < certainties
    asked = np.linspace(-1, 2, 50)
    probabilities = probability_of_right(certainties, right, asked)
    assert (np.diff(probabilities) >= 0).all()
    assert abs(np.interp(0.5, asked, probabilities) - 0.5) < 0.15
    few = probability_of_right(np.array([0.3, 0.4]), np.array([True, True]), asked)
    assert few.max() < 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"online": LogisticRegression()}, "online must have partial_fit"),
        ({"online": GLVQ(), "window": 5}, "window must be a number of samples, at least 30"),
    ],
)
def test_bad_parameters_are_refused(arguments, says):
    X, y, _ = regions(50, 0, 0.0)
    with pytest.raises(InputError, match=says):
        OfflineOnlineClassifier(GLVQ(), **arguments).fit(X, y)
