"""Samples that belong together stay together, count once, and certify nothing that is false."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from abstain import (
    Accuracy,
    AllOf,
    InputError,
    Precision,
    Recall,
    RejectOptionClassifier,
    RejectRate,
    load,
    save,
)
from abstain.classifier.repeats import equal_samples, near_duplicates
from abstain.cli.common import in_options

TARGET = Accuracy(0.8, confidence=0.8)
ALL_TARGETS = [
    TARGET,
    Accuracy(0.7, confidence=0.7, groups=np.arange(1200) % 2),
    Recall(1, 0.7, confidence=0.7),
    Precision(1, 0.7, confidence=0.7),
    AllOf(Accuracy(0.7, confidence=0.7), Recall(1, 0.6, confidence=0.7)),
]
every_target = pytest.mark.parametrize("target", ALL_TARGETS, ids=lambda t: type(t).__name__)


def patients(n_patients=60, n_rows=20, seed=0, effect=1.5):
    """Return rows of patients who differ more from each other than their own rows do."""
    generator = np.random.default_rng(seed)
    ill = generator.integers(0, 2, n_patients)
    center = effect * generator.normal(size=(n_patients, 4))
    center[:, 0] += ill
    patient = np.repeat(np.arange(n_patients), n_rows)
    X = center[patient] + 0.3 * generator.normal(size=(len(patient), 4))
    return X, ill[patient], patient


@pytest.fixture(scope="module")
def easy():
    """Return samples of 300 groups of four that are easy to tell apart."""
    X, y = make_classification(
        1200, 6, n_informative=6, n_redundant=0, class_sep=1.5, random_state=3
    )
    return X, y, np.arange(1200) // 4


def held_out_rows(clf):
    return clf._test_calibration.rows


# ------------------------------------------------------------------------------ groups


@every_target
@pytest.mark.parametrize("prior", [None, {1: 0.4}], ids=["", "prior"])
def test_one_sample_of_each_held_out_group_tests(target, prior, easy):
    X, y, groups = easy
    clf = RejectOptionClassifier(GaussianNB(), target=target, class_prior=prior, random_state=0)
    clf.fit(X, y, groups=groups)
    tested, learned = held_out_rows(clf), clf.calibration_.rows
    assert len(tested) == len(np.unique(groups[tested])) == 150
    assert not set(groups[tested]) & set(groups[learned])
    assert len(learned) == 600
    for guarantee in clf.operating_point_.guarantees or [clf.operating_point_.guarantee]:
        assert guarantee.counted == "groups"
        assert guarantee.n_samples <= 150
        assert guarantee.n_left_out == 600 - 150
        passed = binom.cdf(guarantee.errors, guarantee.accepted, 1 - guarantee.accuracy)
        assert passed <= 1 - guarantee.confidence


# Where all groups could test one threshold, a fifth of them tells outliers.
@pytest.mark.parametrize(
    ("outliers", "test_size", "n_tested"),
    [(None, "auto", 250), (0.01, "auto", 200), (None, 0.6, 150), (0.01, 0.6, 150)],
)
def test_a_frozen_classifier_is_tested_by_one_sample_of_each_group(
    outliers, test_size, n_tested, easy
):
    X, y, groups = easy
    model = FrozenEstimator(GaussianNB().fit(X[:200], y[:200]))
    clf = RejectOptionClassifier(
        model, target=TARGET, test_size=test_size, outliers=outliers, random_state=0
    )
    clf.fit(X[200:], y[200:], groups=groups[200:])
    tested = held_out_rows(clf)
    assert len(tested) == len(np.unique(groups[200:][tested])) == n_tested
    n_outliers = 0
    if outliers is not None:
        n_outliers = (clf.outlier_p_values(X[200:][tested]) <= outliers).sum()
    assert clf.operating_point_.guarantee.n_samples == n_tested - n_outliers
    # Those that set one threshold are those that test it.
    assert len(clf.calibration_.rows) == (n_tested if test_size == "auto" else 400)


# Which sample of a group tests is drawn without a look: each is as likely.
def test_the_sample_of_a_group_is_drawn_at_random(easy):
    X, y, groups = easy
    places = [
        held_out_rows(
            RejectOptionClassifier(GaussianNB(), target=TARGET, cv=2, random_state=seed).fit(
                X, y, groups=groups
            )
        )
        % 4
        for seed in range(8)
    ]
    counts = np.bincount(np.concatenate(places), minlength=4)
    assert counts.sum() == 1200
    assert np.abs(counts - 300).max() < 5 * np.sqrt(300 * 0.75)


@every_target
def test_groups_of_one_sample_change_nothing(target, easy):
    X, y, _ = easy
    clf = RejectOptionClassifier(GaussianNB(), target=target, random_state=0).fit(X, y)
    names = np.random.default_rng(0).permutation(len(y)).astype(str)
    alone = RejectOptionClassifier(GaussianNB(), target=target, random_state=0)
    alone.fit(X, y, groups=names)
    assert np.array_equal(alone.thresholds_, clf.thresholds_)
    assert np.array_equal(held_out_rows(alone), held_out_rows(clf))
    assert np.array_equal(alone.calibration_.certainty, clf.calibration_.certainty)


@pytest.mark.parametrize("cv", [3, GroupKFold(3)], ids=["3", "GroupKFold"])
def test_a_group_stays_in_one_fold(cv):
    X, y, groups = (each[::7] for each in patients(n_patients=30, n_rows=35))
    order = np.random.default_rng(0).permutation(len(y))
    X, y, groups = X[order], y[order], groups[order]
    # Nearest neighbours are right on every sample of a group that they have seen.
    model = KNeighborsClassifier(1)
    kept = RejectOptionClassifier(model, cv=cv).fit(X, y, groups=groups)
    split = RejectOptionClassifier(model, cv=3).fit(X, y)
    assert split.calibration_.correct.mean() > 0.9
    assert kept.calibration_.correct.mean() < 0.85


def test_few_groups_lower_the_number_of_folds():
    X, y, groups = patients(n_patients=4, n_rows=10)
    y = np.arange(len(y)) % 2
    clf = RejectOptionClassifier(GaussianNB(), cv=5).fit(X, y, groups=groups)
    assert len(clf.calibration_.rows) == len(y)


def test_a_search_keeps_groups_together_by_a_splitter_that_takes_them(easy):
    X, y, groups = easy
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=GroupKFold(3))
    clf = RejectOptionClassifier(search, target=TARGET, random_state=0)
    assert clf.fit(X, y, groups=groups).operating_point_.guarantee.counted == "groups"


@pytest.mark.parametrize(("outliers", "n_tested"), [(None, 200), (0.01, 160)])
def test_recalibration_takes_groups(outliers, n_tested, easy):
    X, y, groups = easy
    clf = RejectOptionClassifier(GaussianNB(), target=TARGET, outliers=outliers, random_state=0)
    clf.fit(X[:400], y[:400], groups=groups[:400])
    clf.recalibrate(X[400:], y[400:], groups=groups[400:])
    tested = held_out_rows(clf)
    assert len(tested) == len(np.unique(groups[400:][tested])) == n_tested
    n_outliers = 0 if outliers is None else (clf.outlier_p_values(X[400:][tested]) <= 0.01).sum()
    assert clf.operating_point_.guarantee.n_samples == n_tested - n_outliers


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series, pd.Categorical])
def test_groups_are_labels_of_any_kind(kind, easy):
    X, y, groups = easy
    names = kind([f"P{group}" for group in groups])
    clf = RejectOptionClassifier(GaussianNB(), target=TARGET, random_state=0)
    same = RejectOptionClassifier(GaussianNB(), target=TARGET, random_state=0)
    thresholds = clf.fit(X, y, groups=names).thresholds_
    assert np.array_equal(thresholds, same.fit(X, y, groups=groups).thresholds_)


def test_too_few_groups_are_refused_with_the_number_it_takes():
    X, y, groups = patients()
    target = Accuracy(0.95, confidence=0.9)
    clf = RejectOptionClassifier(GaussianNB(), target=target, outliers=None, random_state=0)
    with pytest.raises(InputError, match=r"takes at least 45 groups that test it, .* got 30"):
        clf.fit(X, y, groups=groups)
    assert clf.reject(X).all()


# ------------------------------------------------------------------------------ contradictions


# Rows in the order of their patients are split by patient, if not shuffled, and held out by row.
@pytest.mark.filterwarnings("ignore:samples seem to come in groups")
def test_folds_that_contradict_held_out_samples_are_refused():
    X, y, _ = patients()
    clf = RejectOptionClassifier(
        RandomForestClassifier(20),
        cv=KFold(5),
        target=Accuracy(0.9, confidence=0.9),
        random_state=0,
    )
    with pytest.raises(InputError, match=r"of the answers out of fold .* not by chance") as refused:
        clf.fit(X, y)
    assert "\n" not in str(refused.value)
    said = in_options(refused.value.message)
    assert "by --group, or recalibrate on other samples" in said
    assert "Accuracy(" not in said
    assert clf.reject(X).all()
    assert not clf.retarget(RejectRate(0.1)).reject(X).all()
    with pytest.raises(InputError, match="needs samples that only test it"):
        clf.retarget(Accuracy(0.5, confidence=0.5))


def test_steep_learning_curves_are_no_contradiction():
    for seed in range(10):
        X, y = make_classification(400, 30, n_informative=4, random_state=seed)
        clf = RejectOptionClassifier(
            GaussianNB(), cv=2, target=Accuracy(0.5, confidence=0.5), random_state=seed
        )
        assert clf.fit(X, y).operating_point_.guarantee is not None


# ------------------------------------------------------------------------------ equal samples


KINDS = {
    "array": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "fortran": np.asfortranarray,
    "list": lambda X: X.tolist(),
    "sparse": csr_array,
    "pandas": lambda X: pd.DataFrame(X).add_prefix("x"),
    "polars": lambda X: pl.DataFrame(X, schema=["a", "b", "c"]),
    "text": lambda X: X.astype(str),
    "object": lambda X: X.astype(object),
    "categories": lambda X: pd.DataFrame(X.astype(str)).astype("category"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_equal_samples_are_found_in_data_of_every_kind(kind):
    X = np.array([[1.0, 0, 2], [0, 0, 1], [1, 0, 2], [1, 0, 2], [0, -0.0, 1], [3, 0, 0]])
    y = np.array(["a", "b", "a", "b", "b", "a"])
    numbers = equal_samples(KINDS[kind](X), y)
    if kind in ("text", "categories"):  # where "-0.0" is another text
        X[4, 1] = 0
        numbers = equal_samples(KINDS[kind](X), y)
    same = numbers[:, np.newaxis] == numbers
    expected = (X[:, np.newaxis] == X).all(axis=2) & (y[:, np.newaxis] == y)
    assert np.array_equal(same, expected)
    assert equal_samples(KINDS[kind](X[[0, 1, 5]]), y[[0, 1, 5]]) is None


def test_missing_values_are_equal_to_each_other():
    X = np.array([[np.nan, 1.0], [np.nan, 1.0], [2.0, 1.0]])
    y = np.zeros(3)
    for samples in (X, pd.DataFrame(X), pd.DataFrame({"a": ["x", None, None]})):
        assert len(np.unique(equal_samples(samples, y))) == 2


@pytest.mark.parametrize("times", [2, 5])
@every_target
def test_samples_that_are_repeated_test_once(times, target, easy):
    X, y, _ = easy
    n = 1200 // times
    copies = np.tile(np.arange(n), times)
    clf = RejectOptionClassifier(GaussianNB(), target=target, random_state=0)
    clf.fit(X[copies], y[copies])
    tested, learned = copies[held_out_rows(clf)], copies[clf.calibration_.rows]
    assert len(np.unique(tested)) == len(tested) == n // 2
    assert not set(tested) & set(learned)
    for guarantee in clf.operating_point_.guarantees or [clf.operating_point_.guarantee]:
        assert guarantee.counted == "distinct samples"
        assert guarantee.n_left_out == (times - 1) * n // 2


# A row must pass by each count: which of the two is right depends on where repeats come from.
def test_equal_samples_must_pass_counted_once_and_all():
    generator = np.random.default_rng(0)
    X = np.arange(400.0)[:, np.newaxis]
    y = (generator.random(400) < 0.5).astype(int)
    model = FrozenEstimator(KNeighborsClassifier(1).fit(X, y))  # right on all of these
    # One more sample, wrong, that makes up a third of the data.
    X_all = np.concatenate([X + 0.1, np.full((200, 1), 0.2)])
    y_all = np.concatenate([y, np.full(200, 1 - y[0])])
    target = Accuracy(0.9, confidence=0.95)
    # No sample tells outliers: all of them test.
    clf = RejectOptionClassifier(model, target=target, outliers=None, random_state=0)
    said = "cannot be certified: of 600 test samples|the classifier was fitted"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(InputError, match=said):
            clf.fit(X_all, y_all)
        once = clf.fit(X_all[:402], y_all[:402])
    assert once.operating_point_.guarantee.n_left_out == 1


def test_independent_rows_are_all_counted(easy):
    X, y, _ = easy
    copies = np.tile(np.arange(600), 2)
    clf = RejectOptionClassifier(
        GaussianNB(), target=TARGET, independent_rows=True, outliers=None, random_state=0
    ).fit(X[copies], y[copies])
    guarantee = clf.operating_point_.guarantee
    assert (guarantee.counted, guarantee.n_samples, guarantee.n_left_out) == ("samples", 600, 0)


def test_samples_that_differ_are_held_out_as_if_nobody_had_looked(easy):
    X, y, _ = easy
    settings = {"target": TARGET, "random_state": 0}
    clf = RejectOptionClassifier(GaussianNB(), **settings).fit(X, y)
    same = RejectOptionClassifier(GaussianNB(), independent_rows=True, **settings).fit(X, y)
    assert np.array_equal(clf.thresholds_, same.thresholds_)
    assert clf.operating_point_.guarantee == same.operating_point_.guarantee
    assert np.array_equal(clf.calibration_.rows, same.calibration_.rows)


# ------------------------------------------------------------------------------ near-duplicates


@pytest.mark.parametrize("noise", [1e-6, 1e-3])
def test_near_duplicates_are_pointed_out(noise):
    X, y = load_breast_cancer(return_X_y=True)
    generator = np.random.default_rng(0)
    nearly = X + noise * X.std(axis=0) * generator.normal(size=X.shape)
    X_all, y_all = np.concatenate([X, nearly]), np.concatenate([y, y])
    clf = RejectOptionClassifier(GaussianNB(), target=TARGET, random_state=0)
    with pytest.warns(UserWarning, match="at least 100% of the samples have a near-duplicate"):
        clf.fit(X_all, y_all)
    assert clf.fit(X, y).operating_point_.guarantee.counted == "samples"


@pytest.mark.parametrize("n_features", [1, 2, 5, 40])
def test_continuous_samples_have_no_near_duplicates(n_features):
    generator = np.random.default_rng(n_features)
    normal = generator.normal(size=(3000, n_features))
    for samples in (normal, np.exp(3 * normal), np.cumsum(normal, axis=0), normal.round(1)):
        assert near_duplicates(samples) == 0


# ------------------------------------------------------------------------------ saved models


def test_what_was_counted_survives_a_file(easy, tmp_path):
    X, y, groups = easy
    copies = np.tile(np.arange(600), 2)
    grouped = RejectOptionClassifier(GaussianNB(), target=TARGET, random_state=0)
    grouped.fit(X, y, groups=groups)
    repeated = RejectOptionClassifier(GaussianNB(), target=TARGET, random_state=0)
    repeated.fit(X[copies], y[copies])
    for clf in (grouped, repeated):
        save(clf, tmp_path / "model.abstain")
        loaded = load(tmp_path / "model.abstain")
        assert loaded.operating_point_.guarantee == clf.operating_point_.guarantee
        for target in (Accuracy(0.82, confidence=0.8), Recall(1, 0.7, confidence=0.6)):
            with pytest.warns(UserWarning, match="targets have been tested on the same samples"):
                clf.retarget(target)
            with pytest.warns(UserWarning, match="targets have been tested on the same samples"):
                loaded.retarget(target)
            point = clf.operating_point_
            assert loaded.operating_point_.guarantee == point.guarantee
            assert loaded.operating_point_.guarantees == point.guarantees
        in_groups = Accuracy(0.5, confidence=0.5, groups=np.arange(1200) % 2)
        with pytest.warns(UserWarning, match="4 targets"):
            loaded.retarget(in_groups)
