"""The cost of a model is its formula, its gradient is right, and minimising it is worth it."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import ConvergenceWarning

from abstain import GMLVQ
from abstain.models.costs import Cost, labelled_blocks, within_class_covariance
from abstain.models.data import initial_prototypes
from abstain.models.distances import (
    Diagonal,
    Euclidean,
    GlobalMatrix,
    LocalMatrices,
    normalise,
)
from abstain.models.glvq import relative_distance
from abstain.models.lbfgs import _split, fit_lbfgs
from abstain.models.rslvq import LikelihoodRatio
from abstain.models.scaling import Scaling, class_sums, means_of_present
from tests.reference import models as reference
from tests.reference.models import finite_differences, glvq_loss, rslvq_loss

N_FEATURES = 3
WIDTHS = np.array([0.5, 0.4, 0.7, 0.6])
AS_GIVEN = Scaling(np.zeros(1, dtype=np.float32), 1.0)

geometries = pytest.mark.parametrize(
    "distance",
    [Euclidean(), Diagonal(), GlobalMatrix(), GlobalMatrix(2), LocalMatrices(), LocalMatrices(1)],
    ids=str,
)
losses = pytest.mark.parametrize("loss", ["glvq", "sigmoid", "rslvq"])
gaps = pytest.mark.parametrize("missing", [0.0, 0.2])


def draw(missing=0.0, seed=0, n_samples=40):
    rng = np.random.default_rng(seed)
    labels = np.arange(n_samples) % 3
    samples = rng.normal(size=(n_samples, N_FEATURES)) + labels[:, np.newaxis]
    samples[rng.random(samples.shape) < missing] = np.nan
    return samples, labels, rng.uniform(0.5, 2.0, n_samples)


def initialize(samples, labels, weights, counts, random_state, init="kmeans"):
    means = means_of_present(*class_sums(samples, labels, weights, len(counts)))
    return initial_prototypes(samples, labels, weights, means, counts, random_state, init)


def loss_function(name, n_prototypes):
    if name == "rslvq":
        return LikelihoodRatio(WIDTHS[:n_prototypes])
    return partial(relative_distance, beta=4.0 if name == "sigmoid" else None)


def make_cost(distance, loss, missing=0.0, counts=(1, 2, 1), regularization=0.1, rows=7):
    samples, labels, weights = draw(missing)
    random_state = np.random.RandomState(0)
    prototypes, prototype_classes = initialize(samples, labels, weights, list(counts), random_state)
    loss = loss_function(loss, len(prototypes))
    cost = Cost(prototype_classes, distance, loss, regularization)
    blocks = labelled_blocks(samples, labels, weights, AS_GIVEN, rows)
    metric = distance.initial_metric(prototypes.shape, random_state)
    jitter = np.random.default_rng(1)
    start = [p + 0.1 * jitter.normal(size=p.shape) for p in (prototypes, *metric)]
    return cost, blocks, start


@geometries
@losses
@gaps
def test_the_gradient_of_the_cost_equals_finite_differences(distance, loss, missing):
    cost, blocks, parameters = make_cost(distance, loss, missing)
    value_of, gradients = cost(blocks, *parameters)
    assert value_of == pytest.approx(cost.value(blocks, *parameters))
    for index, gradient in enumerate(gradients):

        def value(moved, index=index):
            return cost.value(blocks, *parameters[:index], moved, *parameters[index + 1 :])

        assert gradient == pytest.approx(
            finite_differences(value, parameters[index]), rel=1e-5, abs=1e-6
        )


# The cost, written sample by sample from the formulas of the paper.
@geometries
@losses
@gaps
def test_the_cost_is_the_weighted_mean_of_the_losses(distance, loss, missing):
    cost, blocks, (prototypes, *metric) = make_cost(distance, loss, missing, regularization=0.0)
    samples, labels, weights = draw(missing)
    omegas = [np.eye(N_FEATURES)] * len(prototypes)
    if metric:
        unit = normalise(metric[0])[0]
        omegas = {1: [np.diag(unit)] * 4 if unit.ndim == 1 else None, 2: [unit] * 4, 3: unit}[
            unit.ndim
        ]
    values = []
    for x, label in zip(samples, labels, strict=True):
        d = [reference.distance(x, w, omega) for w, omega in zip(prototypes, omegas, strict=True)]
        if loss == "rslvq":
            n_present = (~np.isnan(x)).sum()
            values.append(rslvq_loss(d, cost.prototype_classes, label, WIDTHS, n_present))
        else:
            beta = 4.0 if loss == "sigmoid" else None
            values.append(glvq_loss(d, cost.prototype_classes, label, beta))
    assert cost(blocks, prototypes, *metric)[0] == pytest.approx(
        np.average(values, weights=weights)
    )


@geometries
def test_an_integer_weight_equals_repeating_the_row(distance):
    samples, labels, _ = draw(0.2)
    weights = np.arange(len(labels)) % 3 + 1.0
    repeated = np.repeat(np.arange(len(labels)), weights.astype(int))
    ends = []
    for x, y, w in [
        (samples, labels, weights),
        (samples[repeated], labels[repeated], np.ones(len(repeated))),
    ]:
        prototypes, prototype_classes = initialize(x, y, w, [1, 1, 1], np.random.RandomState(0))
        cost = Cost(prototype_classes, distance, loss_function("sigmoid", 3), 0.01)
        blocks = labelled_blocks(x, y, w, AS_GIVEN)
        metric = distance.initial_metric((3, N_FEATURES), np.random.RandomState(0))
        ends.append(fit_lbfgs(cost, blocks, [prototypes, *metric], max_iter=20, tol=1e-6))
    assert ends[0].cost == pytest.approx(ends[1].cost)
    assert ends[0].parameters[0] == pytest.approx(ends[1].parameters[0], abs=1e-5)


# Blocks are a matter of memory, not of results.
@geometries
@gaps
def test_the_size_of_blocks_changes_nothing(distance, missing):
    cost, small, parameters = make_cost(distance, "glvq", missing, rows=1)
    _, large, _ = make_cost(distance, "glvq", missing, rows=1000)
    for ours, theirs in zip(cost(small, *parameters)[1], cost(large, *parameters)[1], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)


# The penalty is least where all directions weigh the same, and has no other way down.
@pytest.mark.parametrize("rows", [7, 100])
def test_the_covariance_is_that_around_the_mean_prototype_of_the_class(rows):
    samples, labels, weights = draw(missing=0.2)
    prototypes, classes = np.random.default_rng(1).normal(size=(4, samples.shape[1])), [0, 1, 1, 2]
    blocks = labelled_blocks(samples, labels, weights, AS_GIVEN, rows)
    centres = [prototypes[0], prototypes[1:3].mean(axis=0), prototypes[3]]
    expected = sum(
        weight * np.outer(deviation, deviation)
        for sample, label, weight in zip(samples, labels, weights, strict=True)
        for deviation in [np.nan_to_num(sample - centres[label])]
    )
    covariance = within_class_covariance(blocks, np.array(classes), prototypes)
    assert covariance == pytest.approx(expected / weights.sum())


@pytest.mark.parametrize("distance", [Diagonal(), GlobalMatrix(), GlobalMatrix(2), LocalMatrices()])
def test_the_penalty_is_bounded_from_below(distance):
    start = distance.initial_metric((2, N_FEATURES), np.random.RandomState(0))[0]
    least, gradient = distance.penalty(start)
    rank = start.shape[-2] if start.ndim > 1 else len(start)
    assert least == pytest.approx(np.log(rank))
    # Along the sphere of unit norm, the gradient vanishes there.
    assert normalise(start)[1](gradient)[0] == pytest.approx(0, abs=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(100):
        assert distance.penalty(normalise(rng.normal(size=start.shape))[0])[0] >= least


# From the same start, a search that knows no derivatives ends at the same cost.
@pytest.mark.parametrize(
    ("distance", "loss"),
    list(product([Euclidean(), Diagonal(), GlobalMatrix(), LocalMatrices()], ["sigmoid", "rslvq"])),
    ids=str,
)
def test_lbfgs_ends_where_a_search_without_derivatives_does(distance, loss):
    samples, labels, weights = draw(n_samples=60)
    samples, two = samples[:, :2], np.minimum(labels, 1)
    prototypes, prototype_classes = initialize(
        samples, two, weights, [1, 1], np.random.RandomState(0)
    )
    cost = Cost(prototype_classes, distance, loss_function(loss, 2), 0.1)
    blocks = labelled_blocks(samples, two, weights, AS_GIVEN)
    start = [prototypes, *distance.initial_metric((2, 2), np.random.RandomState(0))]
    fit = fit_lbfgs(cost, blocks, start, max_iter=2000, tol=1e-12)
    assert fit.converged
    result = minimize(
        lambda vector: cost.value(blocks, *_split(vector, start)),
        np.concatenate([part.ravel() for part in start]),
        method="Powell",
        options={"xtol": 1e-9, "ftol": 1e-13},
    )
    assert result.fun == pytest.approx(fit.cost, abs=1e-6)


# Of one matrix for each prototype, only the common scale says nothing.
@losses
def test_matrices_of_prototypes_have_scales_of_their_own(loss):
    cost, blocks, (prototypes, omegas) = make_cost(LocalMatrices(), loss, 0.0)
    value = cost.value(blocks, prototypes, omegas)
    assert cost.value(blocks, prototypes, 3 * omegas) == pytest.approx(value)
    one_wider = omegas * np.array([3.0, *np.ones(len(omegas) - 1)])[:, np.newaxis, np.newaxis]
    assert abs(cost.value(blocks, prototypes, one_wider) - value) > 1e-3
    assert (normalise(one_wider)[0] ** 2).sum() == pytest.approx(len(omegas))


# The step of a single iteration may be short by chance: here it is that of the 25th, with the cost
# still to fall by a third.
def test_one_short_step_does_not_end_a_fit():
    X, y = make_classification(1500, 300, n_informative=30, n_classes=3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="still falling after max_iter=40"):
        assert GMLVQ(max_iter=40).fit(X, y).n_iter_ == 40


# A line search may end on a matrix without full rank: expensive, but it recovers.
def test_the_penalty_of_a_matrix_without_full_rank_is_finite():
    omega = normalise(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))[0]
    value, gradient = GlobalMatrix().penalty(omega)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert value > GlobalMatrix().penalty(np.eye(3) / 3**0.5)[0]
    nearly = omega + 1e-9 * np.diag([0, 0, 1])
    assert value > GlobalMatrix().penalty(nearly)[0]


@geometries
def test_fitting_lowers_the_cost_to_the_value_it_returns(distance):
    cost, blocks, start = make_cost(distance, "sigmoid")
    fit = fit_lbfgs(cost, blocks, start, max_iter=100, tol=1e-5)
    assert fit.cost < cost.value(blocks, *start)
    assert cost.value(blocks, *fit.parameters) == pytest.approx(fit.cost)


def test_initial_prototypes_are_means_or_centres_of_k_means():
    samples, labels, weights = draw(0.2)
    samples[labels == 0, 1] = np.nan
    random_state = np.random.RandomState(0)
    prototypes, prototype_classes = initialize(samples, labels, weights, [1, 2, 1], random_state)
    assert prototype_classes.tolist() == [0, 1, 1, 2]
    assert prototypes[0, 1] == 0  # missing in all samples of the class
    own = labels == 2
    present = ~np.isnan(samples[own, 0])
    expected = np.average(samples[own, 0][present], weights=weights[own][present])
    assert prototypes[3, 0] == pytest.approx(expected)
    again, _ = initialize(samples, labels, weights, [1, 2, 1], np.random.RandomState(0))
    assert np.array_equal(again, prototypes)


# Float32 data is fitted in float32, to the accuracy that allows.
def test_float32_stays_float32():
    X, y = load_breast_cancer(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)
    weights = np.ones(len(y), dtype=np.float32)
    prototypes, prototype_classes = initialize(X, y, weights, [1, 1], np.random.RandomState(0))
    cost = Cost(prototype_classes, GlobalMatrix(), loss_function("sigmoid", 2), 0.01)
    blocks = labelled_blocks(X, y, weights, AS_GIVEN)
    (metric,) = GlobalMatrix().initial_metric((2, X.shape[1]), np.random.RandomState(0))
    fit = fit_lbfgs(cost, blocks, [prototypes, metric.astype(np.float32)], max_iter=50, tol=1e-4)
    assert {parameter.dtype for parameter in fit.parameters} == {np.dtype(np.float32)}
    distances, _ = GlobalMatrix().measure(blocks[0].block, *fit.parameters)
    assert (distances.argmin(axis=0) == np.sort(y)).mean() > 0.9
