"""Laws of costs: the optimum, the scale, and what an invalid table is told."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from abstain import (
    ExpectedCost,
    ExpectedCostScorer,
    InputError,
    Precision,
    RejectCost,
    RejectOptionClassifier,
    pareto_front,
)
from abstain.targets.outcomes import Outcomes
from tests.examples import many_examples
from tests.fronts.strategies import synthetic

FRAUD = {(1, 0): 50, (0, 1): 1}


@st.composite
def priced_answers(draw):
    """Draw a few tied answers in two cells, and a table of whole and half costs."""
    size, n_classes = draw(st.integers(1, 9)), draw(st.integers(2, 3))
    codes = st.lists(st.integers(0, n_classes - 1), min_size=size, max_size=size)
    certainty = draw(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, np.inf]), min_size=size, max_size=size)
    )
    cells = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    outcomes = Outcomes(
        np.array(certainty),
        np.array(cells),
        np.array(draw(codes)),
        np.array(draw(codes)),
        np.arange(n_classes),
    )
    prices = st.integers(0, 8).map(lambda number: number / 2)
    costs = draw(st.lists(prices, min_size=n_classes**2, max_size=n_classes**2))
    reject = draw(st.lists(prices, min_size=n_classes, max_size=n_classes))
    return outcomes, np.reshape(costs, (n_classes, n_classes)), np.array(reject)


def cost_of(thresholds, outcomes, costs, reject):
    rejected = outcomes.certainty < np.asarray(thresholds)[outcomes.cells]
    answered = costs[outcomes.truth, outcomes.answers]
    return np.where(rejected, reject[outcomes.truth], answered).sum()


def thresholds_of(choice, n_cells=2):
    thresholds = np.full(n_cells, -np.inf)
    thresholds[choice.front.cells] = choice.front.thresholds_at(choice.row)
    return thresholds


@pytest.mark.parametrize("method", ["exact", "hull"])
@many_examples
@given(priced_answers())
def test_the_cost_is_the_least_of_all_thresholds(method, drawn):
    outcomes, costs, reject = drawn
    thresholds = thresholds_of(ExpectedCost(costs, reject)._solve(outcomes, method))
    values = [-np.inf, 0.25, 0.5, np.inf]
    least = min(cost_of(each, outcomes, costs, reject) for each in product(values, repeat=2))
    assert cost_of(thresholds, outcomes, costs, reject) == least


# Such costs have no common unit.
@given(priced_answers())
def test_the_cost_is_also_the_least_with_irrational_costs(drawn):
    outcomes, costs, reject = drawn[0], np.sqrt(drawn[1]), np.cbrt(drawn[2])
    thresholds = thresholds_of(ExpectedCost(costs, reject)._solve(outcomes, "exact"))
    values = [-np.inf, 0.25, 0.5, np.inf]
    least = min(cost_of(each, outcomes, costs, reject) for each in product(values, repeat=2))
    assert cost_of(thresholds, outcomes, costs, reject) == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("method", ["exact", "hull", "pooled"])
@many_examples
@given(priced_answers(), st.sampled_from([2, 10, 0.5]))
def test_the_scale_of_the_costs_changes_no_decision(method, drawn, scale):
    outcomes, costs, reject = drawn
    choices = (
        ExpectedCost(costs * factor, reject * factor)._solve(outcomes, method)
        for factor in (1, scale)
    )
    assert np.array_equal(*map(thresholds_of, choices))


# An error costs 1 whatever the classes: the plain target.
@pytest.mark.parametrize("cost", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("method", ["exact", "hull", "pooled"])
def test_equal_costs_are_a_reject_cost(method, cost):
    certainty, correct, cells = synthetic(500, 3)
    truth = np.zeros(500, dtype=np.int64)
    answers = np.where(correct, 0, 1)
    outcomes = Outcomes(certainty, cells, answers, truth, np.arange(2))
    choice = ExpectedCost(1 - np.eye(2), cost)._solve(outcomes, method)
    plain = pareto_front(certainty, correct, cells, method=method)
    row = RejectCost(cost).choose(plain)
    assert np.array_equal(thresholds_of(choice, 3), plain.thresholds_at(row))


def test_what_is_cheapest_is_answered_where_there_are_posteriors():
    X, y = make_classification(2000, weights=[0.9], flip_y=0.05, random_state=0)
    model = LogisticRegression()
    clf = RejectOptionClassifier(model, target=ExpectedCost(FRAUD, 0.5)).fit(X, y)
    posterior = clf.predict_proba(X)[:, 1]
    assert np.array_equal(clf.predict(X), (50 * posterior > 1 - posterior).astype(int))
    assert np.array_equal(clf.decide(X).class_indices, clf.predict(X))
    is_unsure = clf.certainties(X) < clf.thresholds_[clf.apply(X)]
    assert np.array_equal(clf.reject(X), is_unsure | clf.decide(X).outlier)
    plain = ExpectedCost(FRAUD, 0.5, answers="predicted")
    clf = RejectOptionClassifier(model, target=plain).fit(X, y)
    assert np.array_equal(clf.predict(X), clf.estimator_.predict(X))


def test_a_classifier_without_posteriors_answers_what_it_predicts():
    X, y = load_iris(return_X_y=True)
    target = ExpectedCost(5 * (1 - np.eye(3)), 0.5)
    clf = RejectOptionClassifier(LinearSVC(), target=target).fit(X, y)
    assert np.array_equal(clf.predict(X), clf.estimator_.predict(X))


def test_a_fold_without_a_class_is_priced_by_the_classes_it_knows():
    X, y = load_iris(return_X_y=True)
    y = np.where(np.arange(150) == 149, 3, y)  # in one fold only
    costs = 5 * (1 - np.eye(4))
    clf = RejectOptionClassifier(LogisticRegression(max_iter=500), target=ExpectedCost(costs, 0.5))
    assert clf.fit(X, y).predict(X).shape == (150,)


def test_a_reject_that_costs_more_than_every_error_is_told():
    X, y = load_iris(return_X_y=True)
    clf = RejectOptionClassifier(
        LogisticRegression(max_iter=500), target=ExpectedCost(1 - np.eye(3), 2)
    )
    with pytest.warns(
        UserWarning, match="reject=2 costs at least as much as every answer, so nothing"
    ):
        clf.fit(X, y)
    assert not clf.reject(X).any()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (ExpectedCost({(0, 1): 1, (1, 7): 2}, 0.5), r"costs must name classes, of \[0, 1\], got 7"),
        (ExpectedCost({(0, 1): 1}, 0.5), r"costs must name every pair .*, got none for \(1, 0\)"),
        (ExpectedCost({(0, 1): 1, (1, 0): -2}, 0.5), r"must be a finite number from 0 on, got -2"),
        (ExpectedCost({0: 1}, 0.5), r"costs must have pairs \(true, answered\) as keys, got 0"),
        (
            ExpectedCost([[0, 1, 2], [1, 0, 2]], 0.5),
            r"costs must be a dict, or a matrix .*\(2, 3\)",
        ),
        (
            ExpectedCost(np.ones((3, 3)), 0.5),
            r"costs must have a row .* \[0, 1\], got shape \(3, 3\)",
        ),
        (ExpectedCost([[0, np.nan], [1, 0]], 0.5), r"costs\[0, 1\] must be a finite number"),
        (ExpectedCost("free", 0.5), "costs must be numbers, got 'free'"),
        (ExpectedCost(1 - np.eye(2), "0.5"), "reject must be numbers, got '0.5'"),
        (ExpectedCost(1 - np.eye(2), -1), "reject must be a finite number from 0 on, got -1"),
        (ExpectedCost(1 - np.eye(2), [1, 2, 3]), r"reject must be a number, or one for each"),
        (ExpectedCost(1 - np.eye(2), {0: 1}), "reject must name every class, .* got none for 1"),
        (ExpectedCost(1 - np.eye(2), 1, answers="best"), "answers must be one of 'least_cost'"),
    ],
)
def test_an_invalid_table_is_refused_in_one_line(target, message):
    X, y = make_classification(200, random_state=0)
    with pytest.raises(InputError, match=message) as caught:
        RejectOptionClassifier(LogisticRegression(), target=target).fit(X, y)
    assert "\n" not in str(caught.value)


def test_scores_are_minus_the_mean_cost():
    X, y = make_classification(1000, weights=[0.8], flip_y=0.1, random_state=0)
    target = ExpectedCost(FRAUD, 0.5)
    clf = RejectOptionClassifier(LogisticRegression(), target=target).fit(X, y)
    rejected, answers = clf.reject(X), clf.predict(X)
    wrong = np.where(y == 1, 50, 1) * (answers != y)
    cost = np.where(rejected, 0.5, wrong)
    assert clf.score(X, y) == pytest.approx(-cost.mean())
    assert ExpectedCostScorer(FRAUD, 0.5)(clf, X, y) == pytest.approx(-cost.mean())
    assert np.array_equal(target.costs_of(y, answers, rejected), cost)


def test_a_target_that_cannot_be_met_leaves_the_answers_as_they_were():
    X, y = make_classification(300, random_state=0)
    clf = RejectOptionClassifier(LogisticRegression(), target=ExpectedCost(FRAUD, 0.5)).fit(X, y)
    answers, rejected = clf.predict(X), clf.reject(X)
    with pytest.raises(InputError, match="cannot reach"):
        clf.retarget(Precision(1, 0.99999))
    assert np.array_equal(clf.predict(X), answers)
    assert np.array_equal(clf.reject(X), rejected)
