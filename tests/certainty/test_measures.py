"""Each measure is its formula, and the distance to the boundary is the length of a real step."""

import copy
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

from abstain import models
from abstain.certainty import (
    decision_margin,
    distance_to_boundary,
    max_posterior,
    pairwise_margin,
    posterior_margin,
    prototype_distance,
    relative_similarity,
)
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ, RSLVQ
from tests.reference import certainty as reference

ALL = [getattr(models, name) for name in models.__all__]
ONE_METRIC = [GLVQ, GRLVQ, GMLVQ, RSLVQ, MRSLVQ]
LOCAL_METRICS = [LGMLVQ, LMRSLVQ]
# Several prototypes in some classes, one in another; matrices of full and of low rank.
SEVERAL = {"n_prototypes_per_class": {"setosa": 2, "virginica": 3}}
CASES = [(model, ()) for model in ALL] + [
    (model, ("n_components",)) for model in (GMLVQ, LGMLVQ, MRSLVQ, LMRSLVQ)
]
every_case = pytest.mark.parametrize(("model", "low_rank"), CASES)
every_kind = pytest.mark.parametrize("kind", ["complete", "missing", "single"])


@cache
def iris(kind="complete"):
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    if kind == "missing":
        gaps = np.random.default_rng(0).random(X.shape) < 0.15
        gaps[gaps.all(axis=1)] = False
        X[gaps] = np.nan
    if kind == "single":
        X = X.astype(np.float32)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@cache
def fitted(model, kind="complete", low_rank=(), several=True):
    settings = dict.fromkeys(low_rank, 2) | (SEVERAL if several else {})
    return model(**settings, max_iter=5000, random_state=0).fit(*iris(kind))


def one_by_one(formula, model, X):
    parts = reference.parts_of(model)
    return np.array([formula(x, *parts) for x in X.astype(float)])


def tolerance(kind):
    return {"rel": 2e-3, "abs": 1e-4} if kind == "single" else {"rel": 1e-8, "abs": 1e-10}


@every_kind
@every_case
def test_relative_similarity_is_its_formula(model, low_rank, kind):
    it, X = fitted(model, kind, low_rank), iris(kind)[0][::3]
    expected = one_by_one(reference.relative_similarity, it, X)
    assert relative_similarity(it, X) == pytest.approx(expected, **tolerance(kind))


@every_kind
@every_case
def test_prototype_distance_is_its_formula(model, low_rank, kind):
    it, X = fitted(model, kind, low_rank), iris(kind)[0][::3]
    expected = one_by_one(reference.prototype_distance, it, X)
    assert prototype_distance(it, X) == pytest.approx(expected, **tolerance(kind))


@every_kind
@every_case
def test_distance_to_boundary_is_its_formula(model, low_rank, kind):
    it, X = fitted(model, kind, low_rank), iris(kind)[0][::3]
    local = model in LOCAL_METRICS
    formula = reference.boundary_in_local_metrics if local else reference.boundary_in_one_metric
    expected = one_by_one(formula, it, X)
    assert distance_to_boundary(it, X) == pytest.approx(expected, **tolerance(kind))


def test_equal_local_metrics_have_the_boundary_of_the_one_metric():
    one, local = fitted(GMLVQ), copy.deepcopy(fitted(LGMLVQ))
    local.prototypes_ = one.prototypes_
    local.omegas_ = np.stack([one.omega_] * len(one.prototypes_))
    X = iris("missing")[0]
    assert distance_to_boundary(local, X) == pytest.approx(distance_to_boundary(one, X), rel=1e-9)


@pytest.mark.parametrize("model", ALL)
def test_on_a_prototype_similarity_is_one_and_distance_zero(model):
    it = fitted(model)
    assert relative_similarity(it, it.prototypes_) == pytest.approx(1, abs=1e-12)
    assert prototype_distance(it, it.prototypes_) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("model", ALL)
def test_on_prototypes_of_two_classes_at_once_nothing_is_sure(model):
    it = copy.deepcopy(fitted(model, several=False))
    it.prototypes_ = np.repeat(it.prototypes_[:1], 3, axis=0)
    assert relative_similarity(it, it.prototypes_).tolist() == [0, 0, 0]
    assert distance_to_boundary(it, it.prototypes_).tolist() == [0, 0, 0]


# A step of the given length in the metric of the model: here is what "distance" means.


def root_of(model):
    """Ω of the common metric; linear models measure as the features do."""
    has_prototypes = hasattr(model, "prototypes_")
    return reference.parts_of(model)[2][0] if has_prototypes else np.eye(model.n_features_in_)


def at_unit_length(model, directions, X):
    """Directions of length 1 in the metric of the model, within the features that X has."""
    directions = np.where(np.isnan(X), 0.0, directions)
    return directions / np.linalg.norm(directions @ root_of(model).T, axis=-1, keepdims=True)


def step_that_leaves(model, X, directions, longest=1e3):
    """Bisect for the length of the step along a direction that ends in another class."""
    home = model.predict(X)
    low, high = np.zeros(len(X)), np.full(len(X), longest)
    for _ in range(60):
        middle = (low + high) / 2
        is_home = model.predict(X + middle[:, np.newaxis] * directions) == home
        low, high = np.where(is_home, middle, low), np.where(is_home, high, middle)
    return high


def towards_rivals(model):
    """For each class, the directions in which the borders to the others may be closest."""
    if hasattr(model, "prototypes_"):
        targets = model.prototypes_
    else:
        targets = model.coef_ if len(model.classes_) > 2 else [-model.coef_[0], model.coef_[0]]
    return {
        name: [targets[k] - targets[c] for k in range(len(targets)) if k != c]
        for c, name in enumerate(model.classes_)
    }


LINEAR = [
    LogisticRegression(max_iter=1000),
    LinearSVC(),
    RidgeClassifier(),
    LinearDiscriminantAnalysis(),
]
STEPS = [
    *[(model, kind) for model in ONE_METRIC for kind in ("complete", "missing")],
    *[(model, "complete") for model in LINEAR],
]


def fitted_once(model, kind):
    return fitted(model, kind, several=False) if isinstance(model, type) else model.fit(*iris(kind))


@pytest.mark.parametrize(("model", "kind"), STEPS)
def test_the_shortest_step_to_another_class_is_the_distance_to_the_boundary(model, kind):
    it, X = fitted_once(model, kind), iris(kind)[0][::7]
    ways = towards_rivals(it)
    home = it.predict(X)
    steps = []
    for number in range(len(it.classes_) - 1):
        directions = np.array([ways[name][number] for name in home])
        steps.append(step_that_leaves(it, X, at_unit_length(it, directions, X)))
    assert distance_to_boundary(it, X) == pytest.approx(np.min(steps, axis=0), rel=1e-6)


def keeps_its_class(model, X, lengths):
    home, rng = model.predict(X), np.random.default_rng(0)
    for _ in range(100):
        directions = at_unit_length(model, rng.normal(size=X.shape), X)
        if not np.array_equal(model.predict(X + lengths[:, np.newaxis] * directions), home):
            return False
    return True


@pytest.mark.parametrize(("model", "kind"), STEPS)
def test_no_smaller_step_leaves_the_class(model, kind):
    it, X = fitted_once(model, kind), iris(kind)[0][::7]
    assert keeps_its_class(it, X, 0.999 * distance_to_boundary(it, X))


# Posteriors of several prototypes add up, so this is not said of the RSLVQ family.
@pytest.mark.parametrize("kind", ["complete", "missing"])
@pytest.mark.parametrize("model", [GLVQ, GRLVQ, GMLVQ])
def test_with_several_prototypes_the_border_is_at_least_that_far(model, kind):
    it, X = fitted(model, kind), iris(kind)[0][::7]
    assert keeps_its_class(it, X, 0.999 * distance_to_boundary(it, X))


# Between metrics that differ, the formula is of first order: it is exact at the border itself.
@pytest.mark.parametrize("model", LOCAL_METRICS)
def test_a_small_step_away_from_the_border_of_local_metrics_is_as_far_from_it(model):
    it, (X, _) = fitted(model, several=False), iris()
    prototypes, _, omegas = reference.parts_of(it)
    metrics = [omega.T @ omega for omega in omegas]
    starts, ends = X[50:100:5], X[100:150:5]  # versicolor and virginica
    apart = it.predict(starts) != it.predict(ends)
    starts, ends = starts[apart], ends[apart]
    ways = ends - starts
    borders = starts + step_that_leaves(it, starts, ways, 1)[:, np.newaxis] * ways
    assert len(borders) >= 5
    assert distance_to_boundary(it, borders) == pytest.approx(0, abs=1e-9)
    for border in borders:
        winner, rival = it.distances([border])[0].argsort()[:2]
        pulls = [2 * metrics[j] @ (border - prototypes[j]) for j in (winner, rival)]
        away = np.linalg.solve(metrics[winner], pulls[1] - pulls[0])
        away /= np.sqrt(away @ metrics[winner] @ away)
        for length in (1e-5, 1e-4):
            assert distance_to_boundary(it, [border + length * away]) == pytest.approx(
                [length], rel=0.01
            )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", LINEAR)
def test_the_boundary_of_a_linear_model_is_its_formula(model, n_classes):
    X, y = iris()
    X, y = X[-50 * n_classes :], y[-50 * n_classes :]
    it = clone(model).fit(X, y)
    coefficients = np.atleast_2d(it.coef_)  # RidgeClassifier has a vector of two classes
    expected = [reference.boundary_of_linear(x, coefficients, it.intercept_) for x in X]
    assert distance_to_boundary(it, X) == pytest.approx(np.array(expected), rel=1e-6)


def test_the_boundary_of_a_linear_svc_of_two_classes_is_its_formula():
    X, y = iris()
    it = SVC(kernel="linear").fit(X[50:], y[50:])
    expected = [reference.boundary_of_linear(x, it.coef_, it.intercept_) for x in X]
    assert distance_to_boundary(it, X) == pytest.approx(np.array(expected), rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(max_iter=1000),
        LinearDiscriminantAnalysis(),
        GaussianNB(),
        KNeighborsClassifier(7),
        RSLVQ(2, random_state=0),
        MRSLVQ(),
        LMRSLVQ(),
    ],
)
def test_posterior_measures_are_their_formulas(model, n_classes):
    X, y = iris()
    X, y = X[-50 * n_classes :], y[-50 * n_classes :]
    it = clone(model).fit(X, y)
    posteriors = it.predict_proba(X)
    assert max_posterior(it, X).tolist() == [max(row) for row in posteriors.tolist()]
    expected = np.array([reference.margin(row) for row in posteriors])
    assert posterior_margin(it, X) == pytest.approx(expected, abs=1e-15)


def test_one_class_is_certain_and_ahead_of_none():
    it = GaussianNB().fit([[0.0], [1.0]], ["a", "a"])
    assert max_posterior(it, [[0.5]]).tolist() == [1]
    assert posterior_margin(it, [[0.5]]).tolist() == [0]


@pytest.mark.parametrize(
    "model", [*LINEAR, SVC(), NuSVC(nu=0.2), GLVQ(), GMLVQ(), RSLVQ(), LGMLVQ()]
)
def test_decision_margin_is_its_formula(model):
    X, y = iris()
    three = clone(model).fit(X, y)
    expected = np.array([reference.margin(row) for row in three.decision_function(X)])
    assert decision_margin(three, X) == pytest.approx(expected, abs=1e-12)
    two = clone(model).fit(X[50:], y[50:])
    assert decision_margin(two, X).tolist() == [abs(score) for score in two.decision_function(X)]


# Support vector classifiers: labels are text, out of the order in which they appear.


@cache
def overlapping(n_classes):
    X, y = make_blobs(60 * n_classes, 4, centers=n_classes, cluster_std=4, random_state=3)
    return X, np.array(["e", "b", "d", "a", "c"])[y]


def against_one_another(model, X):
    by_pairs = clone(model).set_params(decision_function_shape="ovo", break_ties=False)
    decisions = by_pairs.fit(*overlapping(len(model.classes_))).decision_function(X)
    if decisions.ndim == 1:  # one machine, positive for the second class
        decisions = -decisions[:, np.newaxis]
    return [reference.one_against_one(row, len(model.classes_)) for row in decisions]


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(
    "model",
    [SVC(), SVC(kernel="linear", C=0.1), SVC(decision_function_shape="ovo"), NuSVC(nu=0.2)],
)
def test_pairwise_margin_is_its_formula(model, n_classes):
    X, y = overlapping(n_classes)
    it = clone(model).fit(X, y)
    shape = it.decision_function_shape
    against = against_one_another(it, X)
    winners = [reference.winner_by_votes(row) for row in against]
    assert it.predict(X).tolist() == it.classes_[winners].tolist()
    expected = [reference.pairwise_margin(row, c) for row, c in zip(against, winners, strict=True)]
    assert pairwise_margin(it, X) == pytest.approx(np.array(expected), abs=1e-12)
    assert it.decision_function_shape == shape


def test_pairwise_margin_is_that_of_the_predicted_class_when_ties_are_broken():
    X, y = overlapping(5)
    far = X * 3
    it = SVC(break_ties=True).fit(X, y)
    winners = np.searchsorted(it.classes_, it.predict(far))
    against = against_one_another(it, far)
    by_votes = [reference.winner_by_votes(row) for row in against]
    assert winners.tolist() != by_votes
    expected = [reference.pairwise_margin(row, c) for row, c in zip(against, winners, strict=True)]
    assert pairwise_margin(it, far) == pytest.approx(np.array(expected), abs=1e-12)


def test_pairwise_margin_is_the_least_margin_of_machines_that_know_two_classes():
    X, y = overlapping(3)
    settings = {"gamma": 0.05, "tol": 1e-8}
    it = SVC(**settings).fit(X, y)
    home = it.predict(X)
    least = np.full(len(X), np.inf)
    for first, second in combinations(it.classes_, 2):
        known = (y == first) | (y == second)
        scores = SVC(**settings).fit(X[known], y[known]).decision_function(X)
        least = np.where(home == first, np.minimum(least, -scores), least)
        least = np.where(home == second, np.minimum(least, scores), least)
    assert pairwise_margin(it, X) == pytest.approx(least, abs=1e-6)


def test_pairwise_margin_is_negative_just_where_the_winner_has_lost_to_a_class():
    X, y = overlapping(5)
    far = X * 3
    it = SVC().fit(X, y)
    against = against_one_another(it, far)
    lost = [min(row[reference.winner_by_votes(row)]) < 0 for row in against]
    assert any(lost)
    assert (pairwise_margin(it, far) < 0).tolist() == lost
