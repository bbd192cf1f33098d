"""L-BFGS equals its definition, and ends where scipy's does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen, rosen_der

from abstain.models.lbfgs import (
    MEMORY,
    SLOPE_LEFT,
    SUFFICIENT_DECREASE,
    Memory,
    Point,
    fit_lbfgs,
    search,
)
from tests.examples import examples
from tests.reference.models import two_loop_direction

seeds = st.integers(0, 10**6)


def quadratic(seed, n_parameters):
    """Return ½ xᵀAx − bᵀx and its gradient, A positive definite."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_parameters, n_parameters))
    matrix, vector = root @ root.T + 0.1 * np.eye(n_parameters), rng.normal(size=n_parameters)
    return lambda x: (0.5 * x @ matrix @ x - vector @ x, matrix @ x - vector)


def log_likelihood(seed, n_parameters):
    """Return the penalised loss of a logistic regression and its gradient."""
    rng = np.random.default_rng(seed)
    samples, signs = rng.normal(size=(40, n_parameters)), rng.choice([-1, 1], 40)

    def value(x):
        margins = signs * (samples @ x)
        slopes = -signs / (1 + np.exp(margins))
        return np.logaddexp(0, -margins).mean() + 0.05 * x @ x, samples.T @ slopes / 40 + 0.1 * x

    return value


def cost_of(function):
    """Return a cost of two arrays, as the models have."""

    def cost(blocks, one, other):
        value, gradient = function(np.concatenate([one.ravel(), other]))
        return value, [gradient[: one.size].reshape(one.shape), gradient[one.size :]]

    return cost


@examples(0.5)
@given(seeds, st.integers(3, 30), st.sampled_from([quadratic, log_likelihood]))
def test_a_convex_cost_ends_where_scipy_does(seed, n_parameters, make):
    function, start = make(seed, n_parameters), np.ones(n_parameters)
    parts = [start[:2].reshape(1, 2), start[2:]]
    fit = fit_lbfgs(cost_of(function), [], parts, max_iter=5000, tol=1e-9)
    assert fit.converged
    expected = minimize(function, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-15})
    assert fit.cost == pytest.approx(expected.fun, rel=1e-6, abs=1e-6)


def test_a_spread_changes_no_minimum():
    function = quadratic(0, 8)
    parts = [np.ones((1, 2)), np.ones((2, 3))]
    root = np.linalg.cholesky(np.diag([9.0, 1.0, 0.1]) + 0.5)

    def cost(blocks, one, other):
        value, gradient = function(np.concatenate([one.ravel(), other.ravel()]))
        return value, [gradient[:2].reshape(1, 2), gradient[2:].reshape(2, 3)]

    plain, spread = (
        fit_lbfgs(cost, [], parts, max_iter=5000, tol=1e-12, spread=given) for given in (None, root)
    )
    for reached, expected in zip(spread.parameters, plain.parameters, strict=True):
        assert reached == pytest.approx(expected, abs=1e-4)
    fixed = fit_lbfgs(cost, [], parts, max_iter=100, tol=1e-9, fixed=1, spread=root)
    assert fixed.parameters[1] == pytest.approx(np.ones((2, 3)))


def test_a_curved_valley_takes_no_more_iterations_than_scipy_by_far():
    start, function = np.zeros(20), lambda x: (rosen(x), rosen_der(x))
    parts = [start[:2].reshape(1, 2), start[2:]]
    fit = fit_lbfgs(cost_of(function), [], parts, max_iter=500, tol=1e-12)
    options = {"maxcor": MEMORY, "ftol": 0.0}
    expected = minimize(rosen, start, jac=rosen_der, method="L-BFGS-B", options=options)
    assert fit.cost == pytest.approx(0, abs=1e-9)
    assert fit.n_iter < 1.3 * expected.nit


# The compact form, with only the last steps kept, however many there were.
@examples(0.5)
@given(seeds, st.integers(1, 3 * MEMORY))
def test_the_direction_is_that_of_two_loops(seed, n_steps):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(8, 8))
    matrix, memory = root @ root.T + np.eye(8), Memory(8)
    steps = rng.normal(size=(n_steps, 8))
    for step in steps:
        memory.add(step, matrix @ step)
    gradient, last = rng.normal(size=8), steps[-MEMORY:]
    expected = two_loop_direction(gradient, last, last @ matrix)
    assert memory.direction(gradient) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_a_step_along_which_the_cost_is_not_convex_is_forgotten():
    memory, gradient = Memory(3), np.array([1.0, 2.0, 3.0])
    memory.add(np.ones(3), -np.ones(3))
    assert not len(memory)
    assert memory.direction(gradient).tolist() == [-1, -2, -3]


@examples(1)
@given(seeds, st.floats(-4, 4))
def test_a_search_ends_where_wolfe_wants(seed, magnitude):
    cubic, shift = np.random.default_rng(seed).normal(size=2)

    def evaluate(x):
        cost = np.log1p((x[0] - shift) ** 2) + 0.05 * x[0] ** 4 + cubic * np.sin(x[0])
        slope = 2 * (x[0] - shift) / (1 + (x[0] - shift) ** 2) + 0.2 * x[0] ** 3
        return Point(x, cost, np.array([slope + cubic * np.cos(x[0])]), [x])

    start = evaluate(np.array([2.0]))
    direction = -start.gradient
    end = search(evaluate, start, direction, 10.0**magnitude)
    promised = (end.vector - start.vector) @ start.gradient
    assert end.cost <= start.cost + SUFFICIENT_DECREASE * promised
    assert direction @ end.gradient >= SLOPE_LEFT * (direction @ start.gradient)


def test_a_search_that_finds_nothing_lower_returns_its_start():
    start = Point(np.zeros(2), 1.0, np.ones(2), [])
    assert search(lambda x: Point(x, 2.0, np.ones(2), []), start, -np.ones(2), 1.0) is start
    assert search(lambda x: Point(x, np.nan, np.ones(2), []), start, -np.ones(2), 1.0) is start
    uphill = np.ones(2)
    assert search(lambda x: Point(x, 0.0, np.ones(2), []), start, uphill, 1.0) is start


def test_fixed_parameters_stay():
    function = quadratic(0, 5)
    parts = [np.ones((1, 2)), np.ones(3)]
    fit = fit_lbfgs(cost_of(function), [], parts, max_iter=100, tol=1e-9, fixed=1)
    assert fit.parameters[1].tolist() == [1, 1, 1]
    gradient = function(np.concatenate([fit.parameters[0].ravel(), fit.parameters[1]]))[1]
    assert gradient[:2] == pytest.approx(0, abs=1e-4)
