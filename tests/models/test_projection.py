"""What a fitted metric says of directions and features."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ
from abstain.models.projection import canonical

one_metric = pytest.mark.parametrize("model", [GRLVQ, GMLVQ, MRSLVQ])
many_metrics = pytest.mark.parametrize("model", [LGMLVQ, LMRSLVQ])


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@one_metric
def test_distances_in_the_projection_are_those_of_the_model(model, wine):
    fitted = model().fit(*wine)
    projected, centres = fitted.transform(wine[0]), fitted.transform(fitted.prototypes_)
    squares = ((projected[:, np.newaxis] - centres) ** 2).sum(axis=2)
    assert squares == pytest.approx(fitted.distances(wine[0]), abs=1e-9)


@many_metrics
def test_distances_in_the_projection_are_the_mean_over_the_metrics(model, wine):
    X, y = wine
    fitted = model(n_components=2, random_state=0).fit(X, y)
    squares = ((fitted.transform(X) - fitted.transform(X[::-1])) ** 2).sum(axis=1)
    local = [(((X - X[::-1]) @ omega.T) ** 2).sum(axis=1) for omega in fitted.omegas_]
    assert squares == pytest.approx(np.mean(local, axis=0))


@one_metric
def test_directions_are_eigenvectors_the_heaviest_first(model, wine):
    fitted = model().fit(*wine)
    weights, directions = fitted.eigenvalues_, fitted.eigenvectors_
    metric = np.diag(fitted.scales_) if model is GRLVQ else fitted.omega_
    assert (np.diff(weights) <= 1e-12).all()
    assert weights.sum() == pytest.approx(1)
    assert directions @ directions.T == pytest.approx(np.eye(13), abs=1e-9)
    assert metric.T @ metric @ directions.T == pytest.approx(weights * directions.T, abs=1e-9)
    columns = (fitted.transform(wine[0]) ** 2).sum(axis=0)
    assert columns == pytest.approx(weights * ((wine[0] @ directions.T) ** 2).sum(axis=0))


@many_metrics
def test_each_prototype_has_directions_of_its_own(model, wine):
    fitted = model(n_components=2, random_state=0).fit(*wine)
    assert fitted.eigenvectors_.shape == (3, 2, 13)
    # One common norm: some neighbourhoods are wider than others.
    assert fitted.eigenvalues_.sum() == pytest.approx(3)
    assert np.ptp(fitted.eigenvalues_.sum(axis=1)) > 0.01


# The same metric, however it was turned before, and whatever weighs the same in it.
@pytest.mark.parametrize("weights", [[3, 2, 1], [2, 2, 1], [1, 1, 1], [2, 1, 0]])
def test_the_canonical_metric_depends_on_distances_alone(weights):
    rng = np.random.default_rng(0)
    axes, turn = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
    omega = np.diag(np.array(weights, dtype=float)) @ axes
    unique = canonical(omega)
    assert canonical(turn @ omega) == pytest.approx(unique, abs=1e-7)
    assert unique.T @ unique == pytest.approx(omega.T @ omega, abs=1e-7)


# Filling a gap from the winner changes nothing about how far away the winner is.
@one_metric
def test_missing_values_come_from_the_winner(model, wine):
    X, y = wine
    gappy = X.copy()
    gappy[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    fitted = model().fit(gappy, y)
    away = fitted.transform(gappy) - fitted.transform(fitted.prototypes_[fitted.apply(gappy)])
    assert (away**2).sum(axis=1) == pytest.approx(fitted.distances(gappy).min(axis=1), abs=1e-9)


def test_feature_names_stay_with_the_relevances():
    X, y = load_wine(return_X_y=True, as_frame=True)
    scaler = StandardScaler().set_output(transform="pandas")
    model = make_pipeline(scaler, GMLVQ()).fit(X, y)[-1]
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    assert len(model.relevances_) == len(model.feature_names_in_)
    frame = GMLVQ(n_components=2, random_state=0).fit(X, y).set_output(transform="pandas")
    assert frame.transform(X).columns.tolist() == ["gmlvq0", "gmlvq1"]


def test_models_without_a_metric_have_no_projection(wine):
    assert not hasattr(GLVQ().fit(*wine), "transform")
