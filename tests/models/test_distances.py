"""Distances equal their formulas, and pullbacks equal finite differences."""

import numpy as np
import pytest

from abstain.models.distances import (
    diagonal_metric,
    global_metric,
    local_metrics,
    make_block,
    squared_euclidean,
)
from tests.reference.models import distance, finite_differences

N_SAMPLES, N_FEATURES = 7, 4


# Prototypes are gone through one by one, with those samples alone that have a gradient.
def test_few_gradients_are_pulled_back_as_all_are():
    rng = np.random.default_rng(0)
    samples, prototypes = rng.normal(size=(30, 40)), rng.normal(size=(4, 40))
    omegas = rng.normal(size=(4, 40, 40))
    gradient = rng.normal(size=(4, 30)) * (rng.random((4, 30)) < 0.3)
    _, pull = local_metrics(make_block(samples), prototypes, omegas)
    by_prototype, by_omega = pull(gradient)
    for index, (prototype, omega) in enumerate(zip(prototypes, omegas, strict=True)):
        away = samples - prototype
        expected = -2 * (gradient[index] @ away) @ omega.T @ omega
        assert by_prototype[index] == pytest.approx(expected, rel=1e-9, abs=1e-9)
        expected = 2 * omega @ (away.T * gradient[index]) @ away
        assert by_omega[index] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def metric_of(name, rng, n_prototypes, rank):
    """Return the distance, its parameters after the prototypes, and Ω of each prototype."""
    if name == "euclidean":
        return squared_euclidean, [], [np.eye(N_FEATURES)] * n_prototypes
    if name == "diagonal":
        scales = rng.normal(size=N_FEATURES)
        return diagonal_metric, [scales], [np.diag(scales)] * n_prototypes
    if name == "global":
        omega = rng.normal(size=(rank, N_FEATURES))
        return global_metric, [omega], [omega] * n_prototypes
    omegas = rng.normal(size=(n_prototypes, rank, N_FEATURES))
    return local_metrics, [omegas], list(omegas)


cases = pytest.mark.parametrize("name", ["euclidean", "diagonal", "global", "local"])
ranks = pytest.mark.parametrize("rank", [1, 2, N_FEATURES])
sizes = pytest.mark.parametrize("n_prototypes", [2, 5])
gaps = pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])


def draw(n_prototypes, missing, seed=0):
    rng = np.random.default_rng(seed)
    samples = rng.normal(size=(N_SAMPLES, N_FEATURES))
    samples[rng.random(samples.shape) < missing] = np.nan
    return rng, samples, rng.normal(size=(n_prototypes, N_FEATURES))


@cases
@ranks
@sizes
@gaps
def test_distances_equal_the_formula(name, rank, n_prototypes, missing):
    rng, samples, prototypes = draw(n_prototypes, missing)
    function, parameters, omegas = metric_of(name, rng, n_prototypes, rank)
    distances, _ = function(make_block(samples), prototypes, *parameters)
    expected = [
        [distance(x, w, omega) for x in samples]
        for w, omega in zip(prototypes, omegas, strict=True)
    ]
    assert distances == pytest.approx(np.array(expected), abs=1e-12)


@cases
@ranks
@sizes
@gaps
def test_pullbacks_equal_finite_differences(name, rank, n_prototypes, missing):
    rng, samples, prototypes = draw(n_prototypes, missing)
    function, parameters, _ = metric_of(name, rng, n_prototypes, rank)
    arguments = [prototypes, *parameters]
    upstream = rng.normal(size=(n_prototypes, N_SAMPLES))
    upstream[:, ::3] = 0.0  # samples without a gradient are passed over
    block = make_block(samples)
    gradients = function(block, *arguments)[1](upstream)
    assert len(gradients) == len(arguments)
    for index, gradient in enumerate(gradients):

        def loss(moved, index=index):
            changed = [*arguments[:index], moved, *arguments[index + 1 :]]
            return float((function(block, *changed)[0] * upstream).sum())

        assert gradient == pytest.approx(finite_differences(loss, arguments[index]), abs=1e-7)


# A prototype may lie anywhere in a feature that a sample does not have.
@cases
def test_a_missing_feature_has_no_influence(name):
    rng, samples, prototypes = draw(3, 0.0)
    samples[:, 1] = np.nan
    function, parameters, _ = metric_of(name, rng, 3, N_FEATURES)
    block = make_block(samples)
    distances, pullback = function(block, prototypes, *parameters)
    moved = prototypes + 1e6 * np.eye(N_FEATURES)[1]
    assert function(block, moved, *parameters)[0] == pytest.approx(distances)
    assert (pullback(np.ones_like(distances))[0][:, 1] == 0).all()


@cases
@gaps
def test_float32_stays_float32(name, missing):
    rng, samples, prototypes = draw(3, missing)
    function, parameters, _ = metric_of(name, rng, 3, N_FEATURES)
    single = [array.astype(np.float32) for array in (prototypes, *parameters)]
    distances, pullback = function(make_block(samples.astype(np.float32)), *single)
    assert distances.dtype == np.float32
    assert {gradient.dtype for gradient in pullback(distances)} == {np.dtype(np.float32)}


@cases
def test_a_sample_on_its_prototype_is_at_distance_zero(name):
    rng, samples, _ = draw(N_SAMPLES, 0.0)
    function, parameters, _ = metric_of(name, rng, N_SAMPLES, N_FEATURES)
    distances, _ = function(make_block(samples + 100.0), samples + 100.0, *parameters)
    assert (distances >= 0).all()
    assert np.diag(distances) == pytest.approx(0, abs=1e-8)
