"""Searches choose cells, certainty, method and target by scorers that apply thresholds."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import (
    GLVQ,
    InputError,
    RejectCost,
    RejectCostScorer,
    RejectOptionClassifier,
    RejectRate,
    augrc_scorer,
    front_augrc_scorer,
)


class Overconfident(ClassifierMixin, BaseEstimator):
    """Answers 1 with certainty X[:, 0]; in region 1 it is right far more often than in region 0."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return np.ones(len(X), dtype=int)

    def predict_proba(self, X):
        return np.stack([1 - X[:, 0], X[:, 0]], axis=1)


def region(estimator, X):
    return X[:, 1].astype(int)


def noise(estimator, X):
    return (X[:, 0] * 1000 % 1 > 0.5).astype(int)


@pytest.fixture(scope="module")
def population():
    rng = np.random.default_rng(0)
    certainty, where = rng.random(4000), rng.integers(0, 2, 4000)
    right = rng.random(4000) < np.where(where == 1, 0.6 + 0.4 * certainty, 0.1 + 0.6 * certainty)
    return np.stack([certainty, where], axis=1), right.astype(int)


def reject_option(**settings):
    return RejectOptionClassifier(Overconfident(), certainty="conf", **settings)


def test_the_better_cells_win(population):
    X, y = population
    search = GridSearchCV(
        reject_option(), {"cells": [noise, "global", region]}, scoring=front_augrc_scorer
    ).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_params_ == {"cells": region}
    assert len(set(scores)) == 3
    assert scores[2] > scores[1] + 0.01


def test_scorers_of_the_certainty_alone_see_no_cells(population):
    X, y = population
    settings = {"cells": ["global", region]}
    search = GridSearchCV(reject_option(), settings, scoring=augrc_scorer).fit(X, y)
    assert len(set(search.cv_results_["mean_test_score"])) == 1


def test_the_better_certainty_wins(population):
    def distance_from_a_half(estimator, X):
        return -np.abs(X[:, 0] - 0.5)

    X, y = population
    search = GridSearchCV(
        RejectOptionClassifier(Overconfident(), cells="global"),
        {"certainty": ["conf", distance_from_a_half]},
        scoring=front_augrc_scorer,
    ).fit(X, y)
    assert search.best_params_ == {"certainty": "conf"}


def test_methods_are_reported_apart(population):
    X, y = population
    scores = [
        front_augrc_scorer(reject_option(cells=region, method=method).fit(X[::2], y[::2]), X, y)
        for method in ("exact", "hull")
    ]
    assert scores[0] != scores[1]


def test_the_target_does_not_matter_to_the_front(population):
    X, y = population
    clf = reject_option(cells=region).fit(X, y)
    before = front_augrc_scorer(clf, X, y)
    assert front_augrc_scorer(clf.retarget(RejectRate(0.4)), X, y) == before


def slow_front_score(clf, X, y):
    """Every row's thresholds, sample by sample."""
    certainty, right = clf.certainties(X), clf.estimator_.predict(X) == y
    positions = clf.apply(X)
    points = [(1.0, np.mean(~right))]
    for row in range(len(clf.front_)):
        (limits,) = clf._own_cells.thresholds(clf.front_, np.array([row]))
        accepted = certainty >= limits[positions]
        points.append((accepted.mean(), (accepted & ~right).mean()))
    points.append((0.0, 0.0))
    area = 0.0
    for (before, risk), (after, next_risk) in pairwise(points):
        area += (before - after) * (risk + next_risk) / 2
    return -area


@pytest.mark.parametrize("cells", ["global", "class", "prototype"])
def test_the_score_is_its_formula(cells):
    X, y = load_iris(return_X_y=True)
    clf = RejectOptionClassifier(GLVQ(2, random_state=0), cells=cells).fit(X[::2, :2], y[::2])
    score = front_augrc_scorer(clf, X[1::2, :2], y[1::2])
    assert score == pytest.approx(slow_front_score(clf, X[1::2, :2], y[1::2]), abs=1e-12)
    assert -0.5 <= score <= 0


def test_the_cost_of_rejects_is_counted(population):
    X, y = population
    clf = reject_option(cells=region, target=RejectCost(0.3), reject_cost=0.3).fit(X, y)
    assert RejectCostScorer(0.3)(clf, X, y) == pytest.approx(clf.score(X, y) - 1)
    weights = np.where(y == 1, 2.0, 0.0)
    expected = clf.score(X, y, sample_weight=weights) - 1
    assert RejectCostScorer(0.3)(clf, X, y, sample_weight=weights) == pytest.approx(expected)
    search = GridSearchCV(
        reject_option(target=RejectCost(0.3)),
        {"cells": ["global", region], "target__cost": [0.05, 0.3]},
        scoring=RejectCostScorer(0.3),
    ).fit(X, y)
    assert search.best_params_ == {"cells": region, "target__cost": 0.3}


@pytest.mark.parametrize("scorer", [RejectCostScorer(0.3), front_augrc_scorer])
def test_a_classifier_without_a_reject_option_is_refused(population, scorer):
    X, y = population
    with pytest.raises(InputError, match="needs a RejectOptionClassifier, got a GaussianNB"):
        scorer(GaussianNB().fit(X, y), X, y)
    inner = RejectOptionClassifier(GaussianNB())
    pipeline = make_pipeline(StandardScaler(), inner).fit(X, y)
    frozen = FrozenEstimator(pipeline)
    seen = pipeline[0].transform(X)
    assert scorer(pipeline, X, y) == scorer(frozen, X, y) == scorer(pipeline[-1], seen, y)
