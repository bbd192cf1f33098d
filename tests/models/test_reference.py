"""Each fitted model is what its formulas say, sample by sample."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from abstain import models
from tests.reference.models import distance, glvq_loss, log_det_penalty, posteriors, rslvq_loss

ALL = [getattr(models, name) for name in models.__all__]
every_model = pytest.mark.parametrize("model", ALL)
gaps = pytest.mark.parametrize("missing", [0.0, 0.1])
BETA = 3.0


def draw(missing):
    X, y = load_iris(return_X_y=True)
    X = 10 * X + 300  # neither centred nor scaled: the formulas know nothing of units
    X[np.random.default_rng(0).random(X.shape) < missing] = np.nan
    return X[::3], np.array(["setosa", "versicolor", "virginica"])[y[::3]]


def fitted(model, X, y, **settings):
    settings |= {"beta": BETA} if "beta" in model().get_params() else {"sigma2": "local"}
    return model({"setosa": 2}, random_state=0, max_iter=30, tol=0.01, **settings).fit(X, y)


def omegas_of(model):
    if hasattr(model, "scales_"):
        return [np.diag(model.scales_)] * len(model.prototypes_)
    if hasattr(model, "omega_"):
        return [model.omega_] * len(model.prototypes_)
    return getattr(model, "omegas_", [np.eye(model.n_features_in_)] * len(model.prototypes_))


def distances_of(model, X):
    pairs = list(zip(model.prototypes_, omegas_of(model), strict=True))
    return np.array([[distance(x, w, omega) for w, omega in pairs] for x in X])


@every_model
@gaps
def test_distances_and_winners(model, missing):
    X, y = draw(missing)
    model = fitted(model, X, y)
    expected = distances_of(model, X)
    assert model.distances(X) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert model.apply(X).tolist() == expected.argmin(axis=1).tolist()
    assert model.prototype_labels_.tolist() == ["setosa", "setosa", "versicolor", "virginica"]


@pytest.mark.parametrize("model", [m for m in ALL if "beta" in m().get_params()])
@gaps
def test_the_closest_prototype_decides(model, missing):
    X, y = draw(missing)
    model = fitted(model, X, y)
    winners = distances_of(model, X).argmin(axis=1)
    assert model.predict(X).tolist() == model.prototype_labels_[winners].tolist()
    scores = model.decision_function(X)
    assert model.classes_[scores.argmax(axis=1)].tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("model", [m for m in ALL if "sigma2" in m().get_params()])
@gaps
def test_posteriors(model, missing):
    X, y = draw(missing)
    model = fitted(model, X, y)
    n_present = (~np.isnan(X)).sum(axis=1)
    expected = [
        posteriors(d, model.prototype_labels_, model.sigma2_, m)
        for d, m in zip(distances_of(model, X), n_present, strict=True)
    ]
    assert model.predict_proba(X) == pytest.approx(np.array(expected), abs=1e-9)
    assert model.predict(X).tolist() == model.classes_[np.argmax(expected, axis=1)].tolist()


# The cost that was minimised, from nothing but public attributes.
@every_model
@gaps
def test_the_loss_is_the_mean_of_the_formulas_plus_the_penalty(model, missing):
    X, y = draw(missing)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    model = fitted(model, X, y)
    model = fitted(type(model), X, y, class_weight={"setosa": 2.0}, init="random")
    model.set_params(warm_start=True, max_iter=1, class_weight=None)
    with pytest.warns(Warning, match="max_iter=1"):
        model.set_params(tol=0.0).fit(X, y, sample_weight=weights)
    losses = []
    for x, label, d in zip(X, y, distances_of(model, X), strict=True):
        if hasattr(model, "beta"):
            losses.append(glvq_loss(d, model.prototype_labels_, label, BETA))
        else:
            present = (~np.isnan(x)).sum()
            losses.append(rslvq_loss(d, model.prototype_labels_, label, model.sigma2_, present))
    penalty = 0.0
    if hasattr(model, "relevances_"):
        penalty = 0.01 * np.mean([log_det_penalty(omega) for omega in omegas_of(model)])
    expected = np.average(losses, weights=weights) + penalty
    assert model.loss_ == pytest.approx(expected, rel=1e-6)
