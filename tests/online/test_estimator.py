"""A classifier on a stream: tested, then trained, with thresholds that follow."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from abstain import (
    GMLVQ,
    Accuracy,
    ExpectedCost,
    InputError,
    OnlineRejectOption,
    Recall,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    RiskMonitor,
)


@parametrize_with_checks(
    [
        OnlineRejectOption(GMLVQ()),
        OnlineRejectOption(LogisticRegression()),
        OnlineRejectOption(DecisionTreeClassifier(random_state=0)),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    return 1.5 * y[:, np.newaxis] + rng.normal(size=(3000, 2)), y


def trained(X, y, size=300, **settings):
    clf = OnlineRejectOption(GaussianNB(), **settings)
    for start in range(0, len(y), size):
        clf.partial_fit(X[start : start + size], y[start : start + size], classes=[0, 1])
    return clf


@pytest.mark.parametrize("method", ["pooled", "exact"])
def test_each_target_is_reached_on_later_samples(samples, method):
    X, y = samples
    for target in (RejectRate(0.2), Accuracy(0.93), RejectCost(0.2)):
        clf = trained(X[:2000], y[:2000], target=target, method=method)
        rejected, correct = clf.reject(X[2000:]), clf.predict(X[2000:]) == y[2000:]
        if isinstance(target, RejectRate):
            assert rejected.mean() == pytest.approx(0.2, abs=0.06)
        if isinstance(target, Accuracy):
            assert correct[~rejected].mean() == pytest.approx(0.93, abs=0.03)
        if isinstance(target, RejectCost):
            assert (0.2 * rejected + (~correct & ~rejected)).mean() < (~correct).mean()


def test_a_classifier_is_tested_before_it_is_trained(samples):
    X, y = samples
    clf = trained(X[:600], y[:600])
    alone = GaussianNB().partial_fit(X[:300], y[:300], classes=[0, 1])
    decisions = clf.decide(X[600:900])
    expected = alone.partial_fit(X[300:600], y[300:600]).predict(X[600:900])
    assert decisions.labels.tolist() == expected.tolist()
    assert clf.n_seen_ == 600  # the first block only trains


def test_decide_and_update_are_partial_fit(samples):
    X, y = samples
    at_once, in_steps = (trained(X[:600], y[:600], target=Accuracy(0.9)) for _ in range(2))
    at_once.partial_fit(X[600:900], y[600:900])
    in_steps.update(in_steps.decide(X[600:900]), y[600:900], X=X[600:900])
    assert at_once.estimator_.theta_.tolist() == in_steps.estimator_.theta_.tolist()
    assert at_once.n_seen_ == in_steps.n_seen_
    assert at_once.monitor_.to_dict() == in_steps.monitor_.to_dict()


def test_labels_may_be_late_shuffled_or_missing(samples):
    X, y = samples
    rng = np.random.default_rng(1)
    model = FrozenEstimator(GaussianNB().fit(X[:500], y[:500]))
    clf = OnlineRejectOption(model, target=Accuracy(0.93)).fit(X[500:1000], y[500:1000])
    pending = []
    for start in range(1000, 3000, 100):
        rows = np.arange(start, start + 100)
        decisions = clf.decide(X[rows])
        is_asked = rng.random(100) < np.where(decisions.rejected, 0.1, 0.5)
        pending.append((decisions.take(is_asked), y[rows[is_asked]]))
        if len(pending) > 4:
            clf.update(*pending.pop(int(rng.integers(len(pending)))))
    rejected = clf.reject(X[2000:])
    assert (clf.predict(X[2000:]) == y[2000:])[~rejected].mean() == pytest.approx(0.93, abs=0.04)
    none = np.full(100, None)
    assert clf.update(clf.decide(X[:100]), none).n_seen_ == 2600


def test_labels_of_samples_that_were_never_seen_are_refused(samples):
    X, y = samples
    decisions = trained(X[:900], y[:900]).decide(X[900:])
    with pytest.raises(InputError, match="decisions must be of samples that were counted"):
        trained(X[:300], y[:300]).update(decisions, y[900:])


def test_reads_change_nothing(samples):
    X, y = samples
    clf = trained(X[:900], y[:900], target=Accuracy(0.93))
    before = clf.thresholds_.tolist(), clf.n_seen_
    clf.predict(X), clf.reject(X), clf.certainties(X), clf.predict_correct_proba(X)
    assert (clf.thresholds_.tolist(), clf.n_seen_) == before


def test_the_probability_of_being_right_is_calibrated_and_ordered(samples):
    X, y = samples
    clf = trained(X[:2000], y[:2000], target=RejectRate(0.3))
    probability = clf.predict_correct_proba(X[2000:])
    correct = clf.predict(X[2000:]) == y[2000:]
    assert probability.mean() == pytest.approx(correct.mean(), abs=0.04)
    in_cell = clf.predict(X[2000:]) == 1
    order = np.argsort(clf.certainties(X[2000:])[in_cell])
    assert (np.diff(probability[in_cell][order]) >= -1e-12).all()


def test_the_first_thresholds_come_from_answers_out_of_fold(samples):
    X, y = samples
    own = OnlineRejectOption(GaussianNB(), half_life=np.inf, target=RejectRate(0.2)).fit(X, y)
    fixed = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2), outliers=None).fit(X, y)
    assert own.reject(X).mean() == pytest.approx(fixed.reject(X).mean(), abs=0.02)
    assert own.n_seen_ == len(y)


def test_a_classifier_without_partial_fit_is_fitted_once(samples):
    X, y = samples
    clf = OnlineRejectOption(LogisticRegression()).partial_fit(X[:500], y[:500])
    coefficients = clf.estimator_.coef_.copy()
    clf.partial_fit(X[500:1000], y[500:1000])
    assert clf.estimator_.coef_.tolist() == coefficients.tolist()
    assert clf.n_seen_ == 1000


def test_new_classes_and_cells_may_appear(samples):
    X, y = samples
    model = FrozenEstimator(KMeans(3, random_state=0, n_init=1).fit(X))
    clf = OnlineRejectOption(
        FrozenEstimator(GaussianNB().fit(X, y)),
        cells=lambda estimator, X: np.where(X[:, 0] > 100, "far", "near"),
    )
    del model
    clf.fit(X, y).partial_fit(X + 200, y)
    assert clf.cells_.tolist() == ["near", "far", None]
    clf.partial_fit(X[:50], np.full(50, 9))  # a class that the classifier does not know
    assert clf.predict_correct_proba(X).min() >= 0


def test_weights_count_labels(samples):
    X, y = samples
    model = FrozenEstimator(GaussianNB().fit(X[:1000], y[:1000]))
    shares = []
    for weighs in (False, True):
        clf = OnlineRejectOption(model, half_life=np.inf).fit(X[:500], y[:500])
        decisions = clf.decide(X[1000:])
        wrong = decisions.labels != y[1000:]
        asked = wrong | (np.arange(2000) % 4 == 0)  # all errors, a quarter of the others
        weights = np.where(wrong, 1.0, 4.0)[asked] if weighs else None
        clf.update(decisions.take(asked), y[1000:][asked], weights)
        shares.append(clf.predict_correct_proba(X[1000:]).mean())
    right = 1 - wrong.mean()
    assert shares[1] == pytest.approx(right, abs=0.02)
    assert shares[0] < right - 0.03


def test_rejects_have_a_label_where_one_is_given(samples):
    X, y = samples
    clf = trained(X, y, reject_label=-1, target=RejectRate(0.2))
    assert ((clf.predict(X) == -1) == clf.reject(X)).all()


def test_the_monitor_hears_of_the_answers(samples):
    X, y = samples
    clf = trained(X[:1500], y[:1500], target=Accuracy(0.93))
    assert isinstance(clf.monitor_, RiskMonitor)
    before, accepted = clf.monitor_.n_answers, ~clf.reject(X[1500:1800])
    clf.partial_fit(X[1500:1800], y[1500:1800])
    assert clf.monitor_.n_answers == before + accepted.sum()
    assert trained(X[:600], y[:600]).monitor_ is None


def test_parameters_take_effect_at_the_next_block(samples):
    X, y = samples
    clf = trained(X[:1500], y[:1500], target=RejectRate(0.1))
    clf.set_params(target=RejectRate(0.5)).partial_fit(X[1500:1600], y[1500:1600])
    assert clf.reject(X).mean() == pytest.approx(0.5, abs=0.1)
    clf.set_params(target=Accuracy(0.9)).partial_fit(X[1600:1700], y[1600:1700])
    assert clf.monitor_.accuracy == 0.9
    clf.set_params(target__accuracy=0.95, method="exact").decide(X[1700:1800])
    assert clf.monitor_.accuracy == 0.95


def test_merged_workers_count_the_samples_of_both(samples):
    X, y = samples
    model = FrozenEstimator(GaussianNB().fit(X, y))
    one, other = (OnlineRejectOption(model).fit(X[k::2], y[k::2]) for k in range(2))
    assert one.merge(other).n_seen_ == len(y)
    with pytest.raises(InputError, match="must have half_life=1000"):
        one.merge(OnlineRejectOption(model, half_life=5).fit(X, y))
    with pytest.raises(InputError, match="must be a fitted OnlineRejectOption"):
        one.merge(GaussianNB())


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"target": Accuracy(0.9, confidence=0.95)}, "must have no confidence.*see monitor_"),
        ({"target": Recall(1, 0.9)}, "must be an Accuracy without groups"),
        ({"target": ExpectedCost([[0, 1], [5, 0]], reject=0.2)}, "must be an Accuracy without"),
        ({"target": 0.9}, "target must be an instance of"),
        ({"method": "best"}, "method must be one of"),
        ({"half_life": 0}, "half_life must be a positive number of samples, or inf, got 0"),
        ({"half_life": "long"}, "half_life must be a positive number"),
        ({"detect_drift": 1}, "detect_drift must be True or False"),
        ({"certainty": "sure"}, "certainty must be one of"),
        ({"cells": "room"}, "cells must be one of"),
        ({"cv": 1}, "cv must be a number of folds from 2 on"),
        ({"reject_label": 1}, "reject_label must differ from the classes"),
        ({"estimator": KMeans()}, "estimator must be a classifier"),
    ],
)
def test_invalid_parameters_are_refused(samples, settings, match):
    X, y = samples
    with pytest.raises(InputError, match=match) as caught:
        OnlineRejectOption(**{"estimator": GaussianNB(), **settings}).partial_fit(X, y)
    assert "\n" not in str(caught.value)


def test_nothing_answers_before_the_first_fit(samples):
    X, y = samples
    clf = OnlineRejectOption(SGDClassifier())
    for call in (clf.predict, clf.reject, clf.decide, clf.certainties):
        with pytest.raises(NotFittedError):
            call(X)
    assert clf.partial_fit(X[:100], y[:100]).reject(X).all()  # no label of an answer yet
