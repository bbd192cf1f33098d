"""Laws of setting thresholds again on recent samples."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import (
    GMLVQ,
    Accuracy,
    InputError,
    Recall,
    RejectOptionClassifier,
    RejectRate,
    load,
    save,
)


@pytest.fixture(scope="module")
def data():
    return make_classification(2400, n_features=6, n_informative=4, class_sep=2, random_state=0)


def halves(data):
    X, y = data
    return (X[:800], y[:800]), (X[800:], y[800:])


@pytest.mark.parametrize(
    "target", [RejectRate(0.2), Accuracy(0.95), Accuracy(0.9, confidence=0.9), Recall(1, 0.95)]
)
@pytest.mark.parametrize("estimator", [LogisticRegression(), GMLVQ()])
def test_thresholds_are_those_of_a_frozen_classifier(data, estimator, target):
    old, recent = halves(data)
    clf = RejectOptionClassifier(estimator, target=target, random_state=0).fit(*old)
    fitted, parameters = clf.estimator_, clf.get_params(deep=False)
    clf.recalibrate(*recent)
    direct = RejectOptionClassifier(FrozenEstimator(fitted), target=target, random_state=0)
    assert np.array_equal(clf.thresholds_, direct.fit(*recent).thresholds_)
    assert clf.operating_point_.guarantees == direct.operating_point_.guarantees
    assert clf.estimator_ is fitted
    assert all(clf.get_params(deep=False)[name] is value for name, value in parameters.items())
    assert np.array_equal(clf.reject(recent[0]), direct.reject(recent[0]))


def test_doing_it_twice_is_doing_it_once(data):
    old, recent = halves(data)
    clf = RejectOptionClassifier(LogisticRegression(), target=RejectRate(0.1)).fit(*old)
    once = clf.recalibrate(*recent).thresholds_
    assert np.array_equal(once, clf.recalibrate(*recent).thresholds_)


@pytest.mark.parametrize("target", [RejectRate(0.1), Accuracy(0.6, confidence=0.8)])
@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        GaussianNB(),
        RandomForestClassifier(20, random_state=0, bootstrap=False),
        KNeighborsClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_samples_of_the_fit_are_refused(data, model, target):
    old, recent = halves(data)
    clf = RejectOptionClassifier(model, target=target, outliers=None, random_state=0).fit(*old)
    before = clf.calibration_
    with pytest.raises(InputError, match=r"fitted on at least \d+ of these 800 .*on_fit_samples"):
        clf.recalibrate(*old)
    assert clf.calibration_ is before
    assert clf.recalibrate(*recent).calibration_ is not before


def test_samples_of_the_fit_are_used_if_asked_for(data):
    old, _ = halves(data)
    clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.1)).fit(*old)
    with pytest.warns(UserWarning, match="surer of samples that it was fitted on"):
        clf.recalibrate(*old, on_fit_samples=True)
    assert abs(clf.reject(old[0]).mean() - 0.1) < 0.01


def test_trust_scores_and_clusters_stay_those_of_the_fit(data):
    old, recent = halves(data)
    cells = KMeans(3, random_state=0)
    clf = RejectOptionClassifier(LogisticRegression(), certainty="trust", cells=cells).fit(*old)
    before = clf.certainties(recent[0]), clf.apply(recent[0])
    clf.recalibrate(*recent)
    assert np.array_equal(before[0], clf.certainties(recent[0]))
    assert np.array_equal(before[1], clf.apply(recent[0]))


def test_too_few_samples_leave_the_detector_of_outliers_as_it_is(data):
    old, (X, y) = halves(data)
    clf = RejectOptionClassifier(LogisticRegression(), target=Accuracy(0.5)).fit(*old)
    clf.recalibrate(X[:15], y[:15])
    assert clf.detects_outliers_
    assert clf.reject(1000 * X[15:]).all()
    clf.outliers = None
    assert not clf.recalibrate(X[:15], y[:15]).detects_outliers_


def test_it_survives_saving(data, tmp_path):
    old, recent = halves(data)
    clf = RejectOptionClassifier(LogisticRegression()).fit(*old).recalibrate(*recent)
    save(clf, tmp_path / "model.abstain")
    loaded = load(tmp_path / "model.abstain")
    assert np.array_equal(loaded.thresholds_, clf.thresholds_)
    assert np.array_equal(loaded.recalibrate(*old).thresholds_, clf.recalibrate(*old).thresholds_)


def test_a_target_that_cannot_be_met_changes_nothing(data):
    old, recent = halves(data)
    target = Accuracy(0.8, confidence=0.9)
    clf = RejectOptionClassifier(LogisticRegression(), target=target, random_state=0).fit(*old)
    before = clf.thresholds_
    with pytest.raises(InputError, match=r"accuracy=0\.8 with confidence=0\.9"):
        clf.recalibrate(recent[0], 1 - recent[1])
    assert clf.thresholds_ is before
    clf.predict(recent[0])


def test_classes_must_be_known(data):
    old, recent = halves(data)
    clf = RejectOptionClassifier(LogisticRegression()).fit(*old)
    with pytest.raises(InputError, match="y "):
        clf.recalibrate(recent[0], recent[1] + 5)


def test_recent_samples_tell_what_to_expect_though_the_fit_set_thresholds_on_its_own(
    data, tmp_path
):
    fit, recent = halves(data)
    clf = RejectOptionClassifier(GaussianNB(), cv="training").fit(*fit)
    assert clf.expected_ is None
    frozen = RejectOptionClassifier(FrozenEstimator(clf.estimator_)).fit(*recent)
    assert frozen.expected_ is not None
    assert clf.recalibrate(*recent).expected_ == frozen.expected_
    save(clf, tmp_path / "m.abstain")
    assert load(tmp_path / "m.abstain").expected_ == frozen.expected_
    assert clf.fit(*fit).expected_ is None
