"""A pipeline of river uses a reject option as one of its classifiers."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from abstain import OnlineRejectOption, RejectRate
from abstain.online.river import RiverRejectOption


def samples(n):
    rng = np.random.default_rng(0)
    for _ in range(n):
        y = int(rng.integers(0, 2))
        yield {"b": 2.0 * y + rng.normal(), "a": rng.normal()}, y


@pytest.fixture
def model():
    sgd = SGDClassifier(loss="log_loss", random_state=0)
    return RiverRejectOption(OnlineRejectOption(sgd, target=RejectRate(0.2), reject_label=-1))


def test_it_learns_one_sample_at_a_time(model):
    x, y = next(samples(1))
    assert model.predict_one(x) is None
    assert model.predict_proba_one(x) == {}
    model.learn_one(x, y, classes=[0, 1])
    answers = []
    for x, y in samples(300):
        answers.append((model.reject_one(x), model.predict_one(x), y))
        model.learn_one(x, y)
    assert all((answer == -1) == rejected for rejected, answer, _ in answers)
    later = answers[100:]
    assert np.mean([rejected for rejected, *_ in later]) == pytest.approx(0.2, abs=0.1)
    assert np.mean([answer == y for rejected, answer, y in later if not rejected]) > 0.8
    assert model.classifier.n_seen_ == 300
    assert sum(model.predict_proba_one(x).values()) == pytest.approx(1)


def test_features_are_found_by_name(model):
    model.learn_one({"b": 1.0, "a": 0.0}, 1, classes=[0, 1])
    model.learn_one({"b": -1.0, "a": 0.5}, 0)
    one = model.predict_proba_one({"a": 0.25, "b": 2.0})
    assert one == model.predict_proba_one({"b": 2.0, "c": 7.0, "a": 0.25})


def test_river_takes_it_for_a_classifier(model):
    pytest.importorskip("river")
    from river import base, compose, metrics, preprocessing

    assert isinstance(model, base.Classifier)
    model.learn_one({"b": 0.0, "a": 0.0}, 0, classes=[0, 1])
    pipeline = compose.Pipeline(preprocessing.StandardScaler(), model)
    accuracy = metrics.Accuracy()
    for x, y in samples(200):
        answer = pipeline.predict_one(x)
        pipeline.learn_one(x, y)
        if answer != -1:
            accuracy.update(y, answer)
    assert accuracy.get() > 0.8


def test_river_is_not_imported_by_the_package():
    code = "import sys, abstain; abstain.OnlineRejectOption; print('river' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
