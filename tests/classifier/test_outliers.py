"""A classifier rejects samples unlike the known ones, however sure it is, and all methods agree."""

import warnings
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from abstain import (
    GMLVQ,
    Accuracy,
    InputError,
    RejectCost,
    RejectOptionClassifier,
    RejectRate,
    load,
    save,
)
from abstain.certainty.outliers import fit_outlier_detector

METHODS = ["pooled", "exact", "hull", "greedy"]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def strange(iris):
    """Samples of iris, and the same with the petals in other units."""
    X = iris[0][::5]
    return np.concatenate([X, X * [1, 1, 12, 1] + [0, 0, 20, 0]])


MODELS = [
    GMLVQ(),
    make_pipeline(StandardScaler(), LogisticRegression()),
    HistGradientBoostingClassifier(max_iter=5),
    SVC(),
]


def normal_classes(n_samples, rng):
    """Draw two normal distributions."""
    y = rng.integers(0, 2, size=n_samples)
    return rng.normal(size=(n_samples, 2)) + 1.5 * y[:, np.newaxis], y


# ------------------------------------------------------------------------- decisions


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("method", ["pooled", "exact"])
def test_all_methods_agree_about_outliers(model, method, iris, strange):
    clf = RejectOptionClassifier(model, method=method, reject_label=-1, cv=3).fit(*iris)
    p_values = clf.outlier_p_values(strange)
    outlier = p_values <= 0.01
    is_unsure = clf.certainties(strange) < clf.thresholds_[clf.apply(strange)]
    rejected = clf.reject(strange)
    assert outlier[30:].all()
    assert outlier[:30].mean() < 0.1
    np.testing.assert_array_equal(rejected, is_unsure | outlier)
    decisions = clf.decide(strange)
    np.testing.assert_array_equal(decisions.outlier, outlier)
    np.testing.assert_array_equal(decisions.rejected, rejected)
    np.testing.assert_array_equal(clf.predict(strange) == -1, rejected)
    np.testing.assert_array_equal(np.isnan(decisions.correct_proba), outlier)
    np.testing.assert_array_equal(clf.predict_correct_proba(strange), decisions.correct_proba)
    table = clf.explain(strange)
    assert table["rejected"].to_list() == rejected.tolist()
    assert table["outlier_p_value"].to_list() == p_values.tolist()
    expected = np.where(outlier, "outlier", np.where(is_unsure, "ambiguous", ""))
    assert table["kind"].fill_null("").to_list() == expected.tolist()
    # Outliers are answered by none, and cost what a reject costs.
    labels = clf.classes_[decisions.class_indices]
    wrong = labels != np.resize(iris[1][::5], 60)
    cost = (0.5 * rejected + (wrong & ~rejected)).mean()
    assert clf.score(strange, np.resize(iris[1][::5], 60)) == pytest.approx(1 - cost)


def test_none_rejects_no_outliers(iris, strange):
    clf = RejectOptionClassifier(GMLVQ(), outliers=None).fit(*iris)
    assert np.isnan(clf.outlier_p_values(strange)).all()
    assert clf.calibration_.outlier is None
    assert clf.calibration_.inliers is clf.calibration_
    is_unsure = clf.certainties(strange) < clf.thresholds_[clf.apply(strange)]
    np.testing.assert_array_equal(clf.reject(strange), is_unsure)
    assert not clf.decide(strange).outlier.any()
    assert np.isfinite(clf.predict_correct_proba(strange)).all()
    assert clf.explain(strange)["kind"].drop_nulls().is_in(["ambiguous"]).all()


def test_a_target_that_rejects_nothing_rejects_outliers(iris, strange):
    clf = RejectOptionClassifier(GMLVQ(), target=RejectRate(0)).fit(*iris)
    np.testing.assert_array_equal(clf.reject(strange), clf.outlier_p_values(strange) <= 0.01)
    for thresholds in ("-inf", "inf"):
        clf.set_thresholds([thresholds] * len(clf.thresholds_))
        rejected = clf.reject(strange)
        assert rejected[30:].all()
        assert rejected[:30].all() == (thresholds == "inf")


# ------------------------------------------------------------------------- calibration


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cv", ["training", 3])
def test_the_operating_point_counts_all_and_the_front_inliers(method, cv, iris):
    X, y = iris
    X = np.concatenate([X, X[::15] * [1, 12, 1, 1]])
    y = np.concatenate([y, y[::15]])
    clf = RejectOptionClassifier(
        GaussianNB(), method=method, cv=cv, target=RejectRate(0.2), outliers=0.05
    ).fit(X, y)
    known = clf.calibration_
    outlier = known.outlier
    assert 0 < outlier.sum() <= 0.05 * len(y)
    assert clf.front_.n_samples == (~outlier).sum() == len(known.inliers.certainty)
    at = np.searchsorted(clf.cells_[:-1].astype(int), known.cells)
    rejected = (known.certainty < clf.thresholds_[at]) | outlier
    point = clf.operating_point_
    assert point.n_samples == len(y)
    assert point.true_rejects == (rejected & ~known.correct).sum()
    assert point.false_rejects == (rejected & known.correct).sum()
    assert point.reject_rate == pytest.approx(rejected.mean())
    # The target is about all rejects.
    assert point.reject_rate <= 0.2
    assert point.reject_rate >= 0.1
    if cv == "training":
        np.testing.assert_array_equal(rejected, clf.reject(X))


@pytest.mark.parametrize("rate", [0.01, 0.1])
def test_the_rate_is_about_samples_like_the_known_ones(rate):
    rng = np.random.default_rng(0)
    clf = RejectOptionClassifier(
        LogisticRegression(), target=RejectRate(0), outliers=rate, cv="training"
    )
    rates = [
        clf.fit(*normal_classes(1000, rng)).reject(normal_classes(5000, rng)[0]).mean()
        for _ in range(30)
    ]
    error = np.std(rates) / np.sqrt(30)
    assert 0.7 * rate < np.mean(rates) <= rate + 3 * error


def test_the_rate_of_all_rejects_is_kept_on_new_samples():
    rng = np.random.default_rng(0)
    clf = RejectOptionClassifier(LogisticRegression(), target=RejectRate(0.2), outliers=0.05)
    clf.fit(*normal_classes(4000, rng))
    assert clf.reject(normal_classes(50_000, rng)[0]).mean() == pytest.approx(0.2, abs=0.02)


# ------------------------------------------------------------------------- certificates


def test_certificates_are_of_what_is_accepted(iris):
    X, y = normal_classes(1500, np.random.default_rng(0))
    clf = RejectOptionClassifier(
        LogisticRegression(), target=Accuracy(0.9, confidence=0.9), outliers=0.05, random_state=0
    ).fit(X, y)
    test, guarantee = clf._test_calibration, clf.operating_point_.guarantee
    outlier = clf.outlier_p_values(X[test.rows]) <= 0.05
    assert outlier.any()
    np.testing.assert_array_equal(test.outlier, outlier)
    assert guarantee.n_samples == (~outlier).sum()
    assert guarantee.n_outliers == outlier.sum()
    accepted = ~clf.reject(X[test.rows])
    wrong = clf.predict(X[test.rows]) != y[test.rows]
    assert (guarantee.accepted, guarantee.errors) == (accepted.sum(), (accepted & wrong).sum())


def test_misses_of_certificates_are_as_rare_as_the_confidence_says():
    rng = np.random.default_rng(0)
    frozen = FrozenEstimator(LogisticRegression().fit(*normal_classes(300, rng)))
    X, y = normal_classes(100_000, rng)
    n_trials, n_misses, n_certified = 120, 0, 0
    clf = RejectOptionClassifier(
        frozen, target=Accuracy(0.9, confidence=0.8), outliers=0.1, test_size=0.5
    )
    for seed in range(n_trials):
        try:
            clf.set_params(random_state=seed).fit(*normal_classes(400, rng))
        except InputError:
            continue
        accepted = ~clf.reject(X)
        n_certified += 1
        n_misses += (clf.predict(X) == y)[accepted].mean() < 0.9
    assert n_certified > n_trials / 2
    assert n_misses / n_trials <= 0.2 + 3 * np.sqrt(0.2 * 0.8 / n_trials)


@pytest.fixture(scope="module")
def certified():
    """A certified classifier that it takes 7 samples without an error to test, and new samples."""
    target = Accuracy(0.7, confidence=0.9)
    clf = RejectOptionClassifier(LogisticRegression(), target=target, random_state=0)
    clf.fit(*normal_classes(2000, np.random.default_rng(0)))
    return clf, *normal_classes(1000, np.random.default_rng(1))


# Of 15 samples, 12 would be left to test; of 90, 18 would know too little to tell outliers.
@pytest.mark.filterwarnings("ignore:.* samples are outliers")
@pytest.mark.parametrize("n_samples", [15, 90])
def test_a_certified_classifier_keeps_its_detector_where_all_samples_test(n_samples, certified):
    clf, X, y = deepcopy(certified)
    far = np.concatenate([X, 12 * X])
    before = clf.outlier_p_values(far)
    assert (before <= 0.01).sum() > 500
    few = X[:n_samples], y[:n_samples]
    clf.recalibrate(*few)
    assert clf.calibration_.rows.tolist() == list(range(n_samples))
    n_outliers = (before[:n_samples] <= 0.01).sum()
    assert clf.operating_point_.guarantee.n_samples == n_samples - n_outliers
    assert clf.cells_.tolist() == [None]
    np.testing.assert_array_equal(clf.outlier_p_values(far), before)
    assert clf.reject(far)[before <= 0.01].all()
    # Without a detector, all samples test, and none may make one.
    frozen = FrozenEstimator(clf.estimator_)
    alone = RejectOptionClassifier(frozen, target=clf.target)
    with pytest.warns(UserWarning, match="no outliers are detected"):
        alone.fit(*few)
    assert alone.operating_point_.guarantee.n_samples == n_samples
    assert np.isnan(alone.outlier_p_values(far)).all()


@pytest.mark.filterwarnings("ignore:.* samples are outliers")
def test_with_more_samples_a_fifth_of_the_recent_ones_tells_outliers(certified):
    clf, X, y = deepcopy(certified)
    moved = X[:300] + 1000
    assert (clf.outlier_p_values(moved) <= 0.01).all()
    clf.recalibrate(moved, y[:300])
    known = clf.calibration_
    assert len(known.rows) == len(np.unique(known.rows)) == 240
    told = np.setdiff1d(np.arange(300), known.rows)
    detector, _ = fit_outlier_detector(moved[told], 0.01)
    np.testing.assert_array_equal(clf.outlier_p_values(moved), detector.p_values(moved))
    n_outliers = detector.are_outliers(moved[known.rows]).sum()
    assert n_outliers < 0.1 * 240
    assert clf.operating_point_.guarantee.n_samples == 240 - n_outliers
    assert (clf.outlier_p_values(X) <= 0.01).all()


@pytest.mark.filterwarnings("ignore:.* samples are outliers")
def test_recalibration_knows_the_new_samples(iris):
    X, y = iris
    clf = RejectOptionClassifier(GaussianNB()).fit(X[::2], y[::2])
    inches = X[1::2] / 2.54
    assert (clf.outlier_p_values(inches) <= 0.01).mean() > 0.3
    clf.recalibrate(inches, y[1::2])
    assert (clf.outlier_p_values(inches) <= 0.01).mean() <= 0.02
    assert (clf.outlier_p_values(X) <= 0.01).mean() > 0.3


@pytest.mark.filterwarnings("ignore:.* samples are outliers")
@pytest.mark.parametrize("n_samples", [15, 90])
def test_only_outliers_to_calibrate_with_are_refused(n_samples, certified):
    clf, X, y = deepcopy(certified)
    before = clf.outlier_p_values(X)
    with pytest.raises(InputError, match="outliers must leave some samples to set thresholds on"):
        clf.recalibrate(X[:n_samples] + 1000, y[:n_samples])
    np.testing.assert_array_equal(clf.outlier_p_values(X), before)


# ------------------------------------------------------------------------- groups


CERTIFIED = Accuracy(0.6, confidence=0.8)


# Half of the groups test what is certified, or a fifth tells outliers and the others test.
@pytest.mark.parametrize(
    ("is_frozen", "target", "n_known"),
    [(False, None, 300), (True, None, 300), (False, CERTIFIED, 150), (True, CERTIFIED, 60)],
)
def test_rows_of_a_group_do_not_score_each_other(is_frozen, target, n_known):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(300), 4)
    X, y = normal_classes(300, rng)
    X, y = X[groups] + 0.01 * rng.normal(size=(1200, 2)), y[groups]
    model = LogisticRegression()
    if is_frozen:
        model = FrozenEstimator(model.fit(*normal_classes(300, rng)))
    clf = RejectOptionClassifier(model, target=target, random_state=0)
    clf.fit(X, y, groups=np.array([f"patient {group}" for group in groups]))
    # One score per group that tells outliers.
    assert len(clf._outlier_detector.known_scores) == n_known
    assert clf.reject(X + 1000).all()


# ------------------------------------------------------------------------- saving, tools


@pytest.mark.parametrize("target", [RejectCost(0.2), Accuracy(0.9, confidence=0.8)], ids=repr)
@pytest.mark.parametrize("as_frame", [False, True])
def test_saved_files_hold_the_detector_bit_by_bit(target, as_frame, strange, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=as_frame)
    clf = RejectOptionClassifier(GMLVQ(), target=target, outliers=0.05, random_state=0).fit(X, y)
    new = pd.DataFrame(strange, columns=X.columns) if as_frame else strange
    save(clf, tmp_path / "model.abstain")
    loaded = load(tmp_path / "model.abstain")
    np.testing.assert_array_equal(loaded.outlier_p_values(new), clf.outlier_p_values(new))
    for mine, other in zip(loaded.decide(new), clf.decide(new), strict=True):
        np.testing.assert_array_equal(mine, other)
    assert loaded.explain(new).equals(clf.explain(new))
    assert repr(loaded.operating_point_) == repr(clf.operating_point_)
    np.testing.assert_array_equal(loaded.calibration_.outlier, clf.calibration_.outlier)
    assert loaded.outliers == 0.05
    loaded.retarget(RejectRate(0.3)), clf.retarget(RejectRate(0.3))
    np.testing.assert_array_equal(loaded.thresholds_, clf.thresholds_)


def test_a_classifier_without_a_detector_is_saved(strange, iris, tmp_path):
    clf = RejectOptionClassifier(GMLVQ(), outliers=None).fit(*iris)
    save(clf, tmp_path / "model.abstain")
    loaded = load(tmp_path / "model.abstain")
    assert np.isnan(loaded.outlier_p_values(strange)).all()
    np.testing.assert_array_equal(loaded.reject(strange), clf.reject(strange))


@pytest.mark.parametrize("value", [0, 1, -1, 1.5, np.nan, np.inf, "x", True, [0.1]])
def test_a_rate_that_is_none_is_refused_in_one_line(value, iris):
    with pytest.raises(InputError, match="outliers must be") as refused:
        RejectOptionClassifier(GaussianNB(), outliers=value).fit(*iris)
    assert "\n" not in str(refused.value)


def test_the_rate_is_a_parameter_like_any_other(iris):
    clf = RejectOptionClassifier(GaussianNB())
    assert clf.outliers == 0.01
    assert clone(clf.set_params(outliers=0.1)).get_params()["outliers"] == 0.1
    search = GridSearchCV(clf, {"outliers": [None, 0.01, 0.2]}, cv=3).fit(*iris)
    assert search.best_params_["outliers"] in (None, 0.01, 0.2)


def test_matrices_of_kernels_and_few_samples_have_no_detector(iris):
    X, y = iris
    kernels = RejectOptionClassifier(SVC(kernel="precomputed"), cv=3).fit(X @ X.T, y)
    assert np.isnan(kernels.outlier_p_values(X @ X.T)).all()
    few = RejectOptionClassifier(GaussianNB(), cv=2).fit(X[40:59], y[40:59])
    assert np.isnan(few.outlier_p_values(X)).all()


def test_dask_samples_are_answered_like_those_of_one_machine(iris, strange):
    array = pytest.importorskip("dask.array", reason="install abstain[dask]")
    clf = RejectOptionClassifier(GaussianNB(), reject_label=-1).fit(*iris)
    lazy = array.from_array(strange, chunks=(13, 4))
    for name in ("predict", "reject", "outlier_p_values", "predict_correct_proba"):
        answer = getattr(clf, name)
        np.testing.assert_array_equal(answer(lazy).compute(), answer(strange))


def test_calibration_on_dask_detects_the_same_outliers(iris, strange):
    array = pytest.importorskip("dask.array", reason="install abstain[dask]")
    X, y = iris
    frozen = FrozenEstimator(GaussianNB().fit(X[::2], y[::2]))
    clf = RejectOptionClassifier(frozen).fit(
        array.from_array(X[1::2], chunks=(25, 4)), array.from_array(y[1::2], chunks=25)
    )
    here = RejectOptionClassifier(frozen).fit(X[1::2], y[1::2])
    np.testing.assert_allclose(clf.outlier_p_values(strange), here.outlier_p_values(strange))
    np.testing.assert_array_equal(clf.reject(strange), here.reject(strange))
    without = clf.set_params(outliers=None).fit(
        array.from_array(X[1::2], chunks=(25, 4)), array.from_array(y[1::2], chunks=25)
    )
    assert not without.detects_outliers_


UNDETECTED = {
    "few": (GaussianNB(), {"cv": 2}, slice(40, 59)),
    "kernels": (SVC(kernel="precomputed"), {"cv": 2}, None),
    "all test": (None, {"target": Accuracy(0.6, confidence=0.9)}, slice(40, 60)),
}


@pytest.mark.parametrize("name", UNDETECTED)
def test_a_rate_that_cannot_be_kept_is_said_and_the_default_is_beside_a_certificate(name, iris):
    (X, y), (model, settings, rows) = iris, UNDETECTED[name]
    X, y = (X @ X.T, y) if rows is None else (X[rows], y[rows])
    if model is None:
        model = FrozenEstimator(GaussianNB().fit(*iris))
    with pytest.warns(UserWarning, match=r"^no outliers are detected: outliers=0.05 takes at"):
        clf = RejectOptionClassifier(model, outliers=0.05, **settings).fit(X, y)
    assert not clf.detects_outliers_
    for rate in (0.01, None):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            clf = RejectOptionClassifier(model, outliers=rate, **settings).fit(X, y)
        is_said = any("no outliers are detected" in str(each.message) for each in said)
        assert is_said == (name == "all test" and rate is not None)  # which is certified
        assert not clf.detects_outliers_


# Faulty samples would become the usual ones without a word.
def test_recalibrating_on_outliers_warns(certified):
    clf, X, y = certified
    with pytest.warns(UserWarning, match=r"^295 of these 300 samples are outliers.*another unit"):
        deepcopy(clf).set_params(target=None).recalibrate(12 * X[:300], y[:300])
