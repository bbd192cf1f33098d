"""Models learn from streams: laws of partial_fit."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

import abstain
from abstain import InputError, models
from abstain.models import GLVQ, GMLVQ, LGMLVQ, RSLVQ
from abstain.models.incremental import BATCH, WINDOW

ALL = [getattr(models, name) for name in models.__all__]
every_model = pytest.mark.parametrize("model", ALL)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    names = np.array(["setosa", "versicolor", "virginica"])
    return StandardScaler().fit_transform(X)[order], names[y[order]]


def clusters(n_samples, seed=0, n_features=3):
    """Return samples of three classes, each of two clusters."""
    random = np.random.default_rng(seed)
    labels, cluster = random.integers(3, size=n_samples), random.integers(2, size=n_samples)
    centres = np.random.default_rng(1).normal(size=(3, 2, n_features)) * 3
    return centres[labels, cluster] + random.normal(size=(n_samples, n_features)), labels


def learn(model, X, y, rows, **kwargs):
    for start in range(0, len(y), rows):
        model.partial_fit(X[start : start + rows], y[start : start + rows], **kwargs)
    return model


def fitted_attributes(model):
    state = {name: value for name, value in vars(model).items() if name.endswith("_")}
    return state | {f"stream {name}": value for name, value in model._stream.state().items()}


def assert_same(one, other):
    first, second = fitted_attributes(one), fitted_attributes(other)
    assert first.keys() == second.keys()
    for name, value in first.items():
        if isinstance(value, list):
            assert all(map(np.array_equal, value, second[name])), name
        else:
            is_float = np.asarray(value).dtype.kind == "f"
            assert np.array_equal(value, second[name], equal_nan=is_float), name


@every_model
@pytest.mark.parametrize("n_prototypes", ["auto", 2])
def test_how_a_stream_is_cut_changes_no_bit(model, n_prototypes, iris):
    X, y = (np.concatenate([part] * 5) for part in iris)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    X[np.isnan(X).all(axis=1)] = 0
    whole = model(n_prototypes).partial_fit(X, y)
    for rows in (1, 7, 100):
        assert_same(learn(model(n_prototypes), X, y, rows), whole)


@every_model
@pytest.mark.parametrize("resumed", ["saved", "pickled"])
def test_a_resumed_stream_changes_no_bit(model, resumed, iris, tmp_path):
    X, y = (np.concatenate([part] * 3) for part in iris)
    first = model("auto").partial_fit(X[:203], y[:203])
    if resumed == "saved":
        abstain.save(first, tmp_path / "model.abstain")
        again = abstain.load(tmp_path / "model.abstain")
    else:
        again = pickle.loads(pickle.dumps(first))
    assert_same(again, first)
    assert_same(again.partial_fit(X[203:], y[203:]), first.partial_fit(X[203:], y[203:]))
