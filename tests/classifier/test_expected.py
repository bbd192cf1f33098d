"""Laws of what a reject option expects on new data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

import abstain
from abstain import (
    Accuracy,
    AllOf,
    ExpectedCost,
    InputError,
    Recall,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    operating_point,
    pareto_front,
)
from abstain.targets.expectation import (
    WEIGHT_AT_RATE,
    Tried,
    effective_size,
    expect,
    folds_of,
    share_interval,
)


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(tumours):
    """A classifier without outliers, whose front holds all samples."""
    return RejectOptionClassifier(GaussianNB(), method="exact", outliers=None).fit(*tumours)


@pytest.mark.parametrize("target", [RejectRate(0.1), Accuracy(0.98), RejectCost(0.2)], ids=repr)
def test_it_is_what_others_thresholds_do_to_each_sample(fitted, target):
    fitted.retarget(target)
    known = fitted.calibration_
    certainty, correct, cells = known[:3]
    rate = RejectRate(fitted.operating_point_.reject_rate)
    accepted, wrong = np.zeros(2), np.zeros(2)
    (folds,) = folds_of(len(correct), None, seed=0)
    for fold in folds:
        front = pareto_front(certainty[~fold], correct[~fold], cells[~fold])
        for at, chosen in enumerate([target, rate]):
            point = operating_point(front, chosen)
            kept = ~point.reject(certainty[fold], cells[fold])
            accepted[at] += kept.sum()
            wrong[at] += (kept & ~correct[fold]).sum()
    weight = WEIGHT_AT_RATE / accepted[1]
    error = (wrong[0] + weight * wrong[1]) / (accepted[0] + weight * accepted[1])
    expected = fitted.expected_
    assert expected.accuracy == pytest.approx(1 - error)
    assert expected.coverage == pytest.approx(accepted[1] / len(correct))
    low, high = expected.accuracy_interval
    assert low < expected.accuracy < high
    assert (expected.n_samples, expected.basis) == (len(correct), "cross-fit")


def test_it_is_not_too_high_where_the_accuracy_that_was_chosen_is():
    """The mean of many draws of a hundred samples, in standard errors of this mean."""
    told, expected = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(5_100, 2))
        y = (x[:, 0] + rng.normal(size=len(x)) > 0).astype(int)
        model = FrozenEstimator(GaussianNB().fit(x[:1000], x[:1000, 0] > 0))
        model.classes_ = model.estimator.classes_ = np.array([0, 1])
        clf = RejectOptionClassifier(model, target=Accuracy(0.9), method="exact", outliers=None)
        try:
            clf.fit(x[-100:], y[-100:])
        except InputError:
            continue
        accepted = ~clf.reject(x[1000:-100])
        if clf.expected_ is None or not accepted.any():
            continue
        new = (clf.predict(x[1000:-100]) == y[1000:-100])[accepted].mean()
        told.append(clf.operating_point_.accuracy - new)
        expected.append(clf.expected_.accuracy - new)
    assert len(told) > 35

    def in_errors(differences):
        return np.mean(differences) / (np.std(differences) / np.sqrt(len(differences)))

    assert in_errors(told) > 3
    assert in_errors(expected) < 2


@pytest.mark.parametrize(
    "target",
    [
        Recall(0, 0.97),
        AllOf(Accuracy(0.96), Recall(0, 0.96)),
        ExpectedCost({(0, 1): 9, (1, 0): 1}, reject=0.5),
    ],
    ids=["recall", "both", "costs"],
)
def test_targets_about_classes_are_expected_to_reject_as_they_do(tumours, target):
    clf = RejectOptionClassifier(GaussianNB(), target=target).fit(*tumours)
    low, high = clf.expected_.reject_rate_interval
    assert low < clf.operating_point_.reject_rate < high
    assert abs(clf.expected_.accuracy - clf.operating_point_.accuracy) < 0.02


def test_held_out_samples_tell_what_they_do_themselves(tumours):
    target = Accuracy(0.93, confidence=0.9)
    clf = RejectOptionClassifier(GaussianNB(), target=target, random_state=0).fit(*tumours)
    sure, tested = clf.operating_point_.guarantee, clf._test_calibration
    assert clf.expected_.basis == "held out"
    assert clf.expected_.accuracy == pytest.approx(1 - sure.errors / sure.accepted)
    assert clf.expected_.coverage == pytest.approx(sure.accepted / len(tested.correct))
    clf.retarget(RejectRate(0.2))  # which they had no part in
    rejected = tested.rejected(clf.thresholds_, clf._own_cells)
    assert clf.expected_.reject_rate == pytest.approx(rejected.mean())
    assert clf.expected_.accuracy == pytest.approx(tested.correct[~rejected].mean())


def test_samples_that_test_and_set_one_threshold_are_cross_fitted_without_a_certificate(tumours):
    X, y = tumours
    model = FrozenEstimator(GaussianNB().fit(X[:200], y[:200]))
    clf = RejectOptionClassifier(model, target=Accuracy(0.93, confidence=0.9), random_state=0)
    assert clf.fit(X[200:], y[200:]).expected_.basis == "held out"
    assert clf.retarget(RejectRate(0.2)).expected_.basis == "cross-fit"


def test_held_out_samples_that_repeat_count_as_often_as_they_do(tumours):
    X, y = (np.repeat(each, 2, axis=0) for each in tumours)
    target = Accuracy(0.93, confidence=0.9)
    clf = RejectOptionClassifier(GaussianNB(), target=target, random_state=0).fit(X, y)
    repeats, tested = clf._tested_groups.repeats, clf._test_calibration
    accepted = ~tested.rejected(clf.thresholds_, clf._own_cells)
    right = np.average(tested.correct[accepted], weights=repeats[accepted])
    assert clf.expected_.accuracy == pytest.approx(right)
    # A certificate counts distinct samples, and says how many more there are.
    sure = clf.operating_point_.guarantee
    assert clf.expected_.n_samples == sure.n_samples + sure.n_outliers + sure.n_left_out
    assert clf.expected_.n_samples == repeats.sum() > len(tested.correct)


def test_a_class_prior_weights_it(tumours):
    X, y = tumours
    clf = RejectOptionClassifier(GaussianNB(), class_prior={0: 0.05}, target=Accuracy(0.97))
    low, high = clf.fit(X, y).expected_.reject_rate_interval
    assert low < clf.operating_point_.reject_rate < high
    certified = RejectOptionClassifier(
        GaussianNB(),
        class_prior={0: 0.2},
        target=Accuracy(0.9, confidence=0.9),
        random_state=0,
    ).fit(X, y)
    sure = certified.operating_point_.guarantee
    assert certified.expected_.accuracy == pytest.approx(1 - sure.errors / sure.accepted)


def test_groups_stay_in_one_fold_and_widen_intervals(tumours):
    X, y = tumours
    order = np.argsort(y, kind="stable")  # groups of one class
    X, y, patient = X[order], y[order], np.arange(len(y)) // 4
    single = RejectOptionClassifier(GaussianNB()).fit(X, y).expected_
    clf = RejectOptionClassifier(GaussianNB()).fit(X, y, groups=patient)
    assert (clf.calibration_.groups == patient[clf.calibration_.rows]).all()
    for repeat in folds_of(len(y), clf.calibration_.groups, seed=0):
        assert (np.sum(repeat, axis=0) == 1).all()
        for fold in repeat:
            assert set(clf.calibration_.groups[fold]).isdisjoint(clf.calibration_.groups[~fold])

    def width(expected):
        return np.diff(expected.reject_rate_interval)[0]

    assert width(clf.expected_) > 1.8 * width(single)


def test_a_file_expects_the_same(tumours, tmp_path):
    patient = np.arange(len(tumours[1])) // 2
    clf = RejectOptionClassifier(
        GaussianNB(), method="exact", target=Accuracy(0.97), random_state=3
    )
    clf.fit(*tumours, groups=patient)
    abstain.save(clf, tmp_path / "m.abstain")
    assert abstain.load(tmp_path / "m.abstain").expected_ == clf.expected_


def test_thresholds_of_a_row_are_expected_to_do_as_their_rate_does(fitted):
    by_rate = fitted.retarget(RejectRate(0.2)).expected_
    thresholds = fitted.thresholds_
    fitted.retarget(Accuracy(0.98))
    assert fitted.set_thresholds(thresholds).expected_.coverage == pytest.approx(
        by_rate.coverage, abs=0.01
    )
    assert fitted.set_thresholds(thresholds + 1e-9).expected_ is None  # of no row
    assert fitted.set_thresholds(np.full_like(thresholds, np.inf)).expected_ is None


def test_nothing_is_expected_where_nothing_can_tell(tumours):
    X, y = load_digits(return_X_y=True)
    on_training = RejectOptionClassifier(GaussianNB(), cv="training").fit(*tumours)
    assert on_training.expected_ is None
    few = RejectOptionClassifier(GaussianNB(), cv=2).fit(X[:9], y[:9] % 2)
    assert few.expected_ is None
    clf = RejectOptionClassifier(GaussianNB(), target=Accuracy(0.999999, confidence=0.9))
    with pytest.raises(InputError):
        clf.fit(*tumours)
    assert clf.expected_ is None


# --- the estimate ---------------------------------------------------------------------------------


@given(st.integers(0, 40), st.integers(1, 40))
def test_intervals_are_those_of_clopper_and_pearson(count, others):
    size = count + others
    exact = binomtest(count, size).proportion_ci(0.95)
    assert share_interval(count / size, size) == pytest.approx((exact.low, exact.high))


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=20), st.integers(1, 5))
def test_copies_of_samples_tell_no_more_if_they_are_groups(weights, n_copies):
    weights = np.array(weights)
    copies = np.tile(weights, n_copies)
    groups = np.tile(np.arange(len(weights)), n_copies)
    assert effective_size(copies, groups) == pytest.approx(effective_size(weights, None))
    assert effective_size(weights, None) <= len(weights) * (1 + 1e-9)


def test_nothing_accepted_is_no_accuracy():
    nothing = np.zeros((1, 20), dtype=bool)
    assert expect(Tried(nothing, nothing), np.ones(20, dtype=bool), "cross-fit") is None


def test_it_is_printed_in_one_line(fitted):
    text = str(fitted.retarget(RejectRate(0.1)).expected_)
    assert "\n" not in text
    assert f"{fitted.expected_.accuracy:.1%} right (95% interval " in text
