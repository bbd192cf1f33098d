"""A guarantee is stated with its evidence, and its evidence had no part in anything else."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import (
    GMLVQ,
    Accuracy,
    Guarantee,
    InputError,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
)
from abstain.certainty.outliers import fit_outlier_detector

TARGET = Accuracy(0.9, confidence=0.95)
# All samples then test or calibrate; certificates with outliers are in test_outliers.py.
by_certainty = partial(RejectOptionClassifier, outliers=None)


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


class Remembering(GaussianNB):
    """A classifier that remembers what it was fitted on."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = X[:, -1].astype(int)  # the last column is the number of the row
        super().fit(X[:, :-1], y, sample_weight)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        self.n_features_in_ = X.shape[1] - 1
        return super().predict_proba(X[:, :-1])


@pytest.fixture(scope="module")
def numbered(digits):
    X, y = digits
    return np.column_stack([X, np.arange(len(X))]), y


@pytest.mark.parametrize("cv", ["training", 4])
@pytest.mark.parametrize("test_size", [0.5, 0.3])
def test_samples_that_certify_neither_fit_nor_calibrate(cv, test_size, numbered):
    X, y = numbered
    clf = by_certainty(
        Remembering(), target=TARGET, cv=cv, test_size=test_size, random_state=0
    ).fit(X, y)
    held_out = np.setdiff1d(np.arange(len(y)), clf.estimator_.seen_)
    assert len(held_out) == round(test_size * len(y))
    assert clf.operating_point_.n_samples == len(y) - len(held_out)
    accepted = ~clf.reject(X[held_out])
    errors = np.count_nonzero((clf.predict(X[held_out]) != y[held_out]) & accepted)
    guarantee = clf.operating_point_.guarantee
    assert (guarantee.accuracy, guarantee.confidence) == (0.9, 0.95)
    assert guarantee.n_samples == len(held_out)
    assert (guarantee.accepted, guarantee.errors) == (np.count_nonzero(accepted), errors)
    # The test that it has passed, and the bound that goes with it.
    assert binom.cdf(errors, guarantee.accepted, 0.1) <= 0.05
    assert guarantee.bound >= 0.9
    assert binom.cdf(errors, guarantee.accepted, 1 - guarantee.bound) == pytest.approx(0.05)


@pytest.fixture(scope="module")
def frozen(digits):
    X, y = digits
    X_fit, X, y_fit, y = train_test_split(X, y, test_size=1000, random_state=0)
    return FrozenEstimator(GaussianNB().fit(X_fit, y_fit)), X, y


# One threshold is the order of the certainties, whatever the answers: all samples test it.
def test_few_samples_of_a_frozen_classifier_all_test_one_threshold(frozen):
    model, X, y = frozen
    target = Accuracy(0.85, confidence=0.95)
    clf = by_certainty(model, target=target).fit(X, y)
    assert clf.operating_point_.n_samples == clf.operating_point_.guarantee.n_samples == 1000
    assert clf.cells_.tolist() == [None]
    assert len(clf.thresholds_) == 1
    same = by_certainty(model, target=target, cells="global").fit(X, y)
    assert same.thresholds_[0] == clf.thresholds_[0]


# A fifth tells outliers, whatever the answers; of the others, those that are none test.
def test_a_fifth_of_few_samples_tells_outliers_and_does_not_test(frozen):
    model, X, y = frozen
    target = Accuracy(0.85, confidence=0.95)
    clf = RejectOptionClassifier(model, target=target).fit(X, y)
    known, point = clf.calibration_, clf.operating_point_
    assert point.n_samples == len(known.rows) == len(np.unique(known.rows)) == 800
    assert point.guarantee.n_samples == 800 - known.outlier.sum()
    told = np.setdiff1d(np.arange(1000), known.rows)
    detector, _ = fit_outlier_detector(X[told], clf.outliers)
    assert np.array_equal(clf.outlier_p_values(X), detector.p_values(X))
    assert np.array_equal(known.outlier, detector.are_outliers(X[known.rows]))
    other = RejectOptionClassifier(model, target=target)
    with pytest.raises(InputError, match="cannot be certified: of 792 test samples"):
        other.fit(X, y[::-1])
    assert np.array_equal(other.calibration_.rows, known.rows)


# With enough samples, or if asked to, a share learns thresholds for each cell.
@pytest.mark.parametrize(("test_size", "n_tested"), [(0.6, 600), ("auto", 1600)])
def test_a_frozen_classifier_shares_its_calibration_data_out(test_size, n_tested, frozen):
    model, X, y = frozen
    if test_size == "auto":
        X, y = np.concatenate([X, X]), np.concatenate([y, y])
    settings = {"test_size": test_size, "independent_rows": True, "random_state": 0}
    clf = by_certainty(model, target=TARGET, **settings)
    point = clf.fit(X, y).operating_point_
    assert point.guarantee.n_samples == n_tested
    assert point.n_samples == len(y) - n_tested
    assert len(clf.cells_) == 11


def test_the_seed_decides_what_is_held_out(digits):
    def thresholds(seed):
        clf = RejectOptionClassifier(GaussianNB(), target=TARGET, cv=3, random_state=seed)
        return clf.fit(*digits).thresholds_

    assert np.array_equal(thresholds(0), thresholds(0))
    assert not np.array_equal(thresholds(0), thresholds(1))


def test_retargeting_tests_on_the_same_samples(digits):
    settings = {"cv": 3, "random_state": 0}
    clf = RejectOptionClassifier(GaussianNB(), target=TARGET, **settings).fit(*digits)
    for accuracy, n_targets, joint in ((0.85, 2, 0.85), (0.92, 3, 0.75), (0.85, 3, 0.75)):
        target = Accuracy(accuracy, confidence=0.9)
        fresh = RejectOptionClassifier(GaussianNB(), target=target, **settings).fit(*digits)
        said = f"{n_targets} targets have been tested .* all together with confidence {joint}"
        with pytest.warns(UserWarning, match=said):
            moved = clf.retarget(target)
        assert np.array_equal(moved.thresholds_, fresh.thresholds_)
        guarantee = moved.operating_point_.guarantee
        alone = replace(guarantee, n_targets=1, joint_confidence=None)
        assert alone == fresh.operating_point_.guarantee
        assert (guarantee.n_targets, guarantee.joint_confidence) == (n_targets, joint)
    # Other targets need no test, and have no guarantee.
    for target in (RejectRate(0.1), Accuracy(0.9), RejectCost(0.2)):
        assert clf.retarget(target).operating_point_.guarantee is None


@pytest.mark.filterwarnings("ignore:.* targets have been tested on the same samples")
# What is refused says what could be had, and that can be had without another fit.
@pytest.mark.parametrize("method", ["pooled", "exact"])
def test_a_refused_certificate_keeps_the_fitted_classifier(method, digits):
    X, y = digits
    clf = RejectOptionClassifier(
        GaussianNB(), target=Accuracy(0.98, confidence=0.95), method=method, random_state=0
    )
    with pytest.raises(InputError, match=r"they certify (0\.\d+) at most") as refused:
        clf.fit(X, y)
    assert clf.reject(X).all()
    assert clf.operating_point_.guarantee is None
    assert clf.operating_point_.coverage == 0
    estimator = clf.estimator_
    lower = float(re.search(r"they certify (0\.\d+) at most", str(refused.value))[1])
    clf.retarget(Accuracy(lower, confidence=0.95))
    assert clf.operating_point_.guarantee.accuracy == lower
    assert not clf.reject(X).all()
    assert clf.estimator_ is estimator


@pytest.mark.filterwarnings("ignore:.* targets have been tested on the same samples")
def test_so_does_one_that_takes_more_samples(digits):
    X, y = digits
    clf = by_certainty(GaussianNB(), target=Accuracy(0.9999, confidence=0.95), random_state=0)
    said = r"takes at least 29,956 samples that test it, none of them wrong, got 898; they certify"
    with pytest.raises(InputError, match=said):
        clf.fit(X, y)
    assert clf.reject(X).all()
    assert clf.retarget(Accuracy(0.8, confidence=0.9)).operating_point_.guarantee is not None


def test_an_accuracy_that_cannot_be_reached_keeps_the_fitted_classifier(digits):
    X, y = digits
    clf = by_certainty(
        GaussianNB(), certainty=lambda model, X: np.zeros(len(X)), target=Accuracy(0.999)
    )
    with pytest.raises(InputError, match="cannot be reached"):
        clf.fit(X, y)
    assert clf.reject(X).all()
    assert not clf.retarget(RejectRate(0.0)).reject(X).any()


def test_retargeting_to_a_certificate_needs_samples_that_test(digits):
    clf = RejectOptionClassifier(GaussianNB(), target=Accuracy(0.9)).fit(*digits)
    with pytest.raises(InputError, match="needs samples that only test it"):
        clf.retarget(TARGET)


def test_without_confidence_nothing_is_promised(digits):
    clf = RejectOptionClassifier(GaussianNB(), target=Accuracy(0.9)).fit(*digits)
    assert clf.operating_point_.guarantee is None
    assert clf.operating_point_.n_samples == len(digits[1])


def test_a_guarantee_takes_frames_as_well():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), GMLVQ())
    target = Accuracy(0.95, confidence=0.95)
    clf = RejectOptionClassifier(model, target=target, random_state=0).fit(X, y)
    assert clf.operating_point_.guarantee.bound >= 0.95
    assert clf.feature_names_in_.tolist() == X.columns.tolist()


class Unsure(RejectRate):
    """A target of somebody else: its rate is certified if no test sample is wrong."""

    def min_test_samples(self):
        return 20

    def certify(self, front, held_out):
        row = self.choose(front)
        return row, Guarantee(0.5, 0.5, held_out.n_samples, 0, 0, 0.5, 1)


@pytest.mark.filterwarnings("ignore:.* targets have been tested on the same samples")
def test_a_target_of_ones_own_is_held_out_and_certified_like_ours(digits):
    X, y = digits
    clf = by_certainty(GaussianNB(), target=Unsure(0.2), random_state=0).fit(X, y)
    n_test = round(len(y) / 2)
    assert clf.operating_point_.guarantee.n_samples == n_test
    assert clf.operating_point_.n_samples == len(y) - n_test
    assert clf.retarget(Unsure(0.4)).operating_point_.guarantee is not None
    plain = by_certainty(GaussianNB()).fit(X, y)
    with pytest.raises(InputError, match="needs samples that only test it"):
        plain.retarget(Unsure(0.4))
