"""Relevances of resamples: who is drawn, what is fitted, and what is said of the fits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import InputError, RejectOptionClassifier, RejectRate
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ
from abstain.models.relevances import RelevanceStability, relevance_stability
from abstain.models.relevances.stability import _resamples
from tests.reference.relevances import share_among_first

WEIGHING = [GRLVQ, GMLVQ, LGMLVQ, MRSLVQ, LMRSLVQ]


@pytest.fixture(scope="module")
def iris():
    data = load_iris()
    return data.data, data.target_names[data.target]


def few(estimator, X, y, **options):
    options = {"n_resamples": 6, "random_state": 0, **options}
    return relevance_stability(estimator, X, y, **options)


# --- resamples ------------------------------------------------------------------------------------


def drawn(sizes, resampling, groups=None, n_resamples=20):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    numbers = np.arange(len(codes)) if groups is None else np.asarray(groups)
    random = np.random.RandomState(0)
    classes = np.arange(len(sizes))
    return codes, _resamples(codes, classes, numbers, n_resamples, resampling, random)


@given(st.lists(st.integers(2, 30), min_size=2, max_size=5))
def test_halves_come_in_pairs_that_complete_each_other_and_keep_the_classes(sizes):
    codes, resamples = drawn(sizes, "half")
    for one, other in zip(resamples[::2], resamples[1::2], strict=True):
        assert np.sort(np.concatenate([one, other])).tolist() == list(range(len(codes)))
        for half in (one, other):
            counts = np.bincount(codes[half], minlength=len(sizes))
            assert (np.abs(counts - np.array(sizes) / 2) <= 0.5).all()


@given(st.lists(st.integers(1, 30), min_size=2, max_size=5))
def test_a_bootstrap_sample_has_as_many_samples_of_each_class(sizes):
    codes, resamples = drawn(sizes, "bootstrap")
    for rows in resamples:
        assert np.bincount(codes[rows]).tolist() == sizes


@pytest.mark.parametrize("resampling", ["half", "bootstrap"])
def test_groups_are_drawn_whole(resampling):
    groups = np.repeat(np.arange(20), np.tile([1, 2, 3, 4], 5))
    _, resamples = drawn([25, 25], resampling, groups)
    sizes = np.bincount(groups)
    for rows in resamples:
        counts = np.bincount(groups[rows], minlength=20)
        assert (counts % sizes == 0).all()
    assert len({tuple(rows) for rows in resamples}) == len(resamples)


def test_samples_of_their_own_group_are_drawn_as_without_groups(iris):
    X, y = iris
    alone = few(GRLVQ(), X, y, groups=[f"patient {number:03}" for number in range(150)])
    assert np.array_equal(alone.relevances, few(GRLVQ(), X, y).relevances)


# --- fits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", WEIGHING)
@pytest.mark.parametrize("resampling", ["half", "bootstrap"])
def test_every_model_with_a_metric_is_served(model, resampling, iris):
    stability = few(model(max_iter=30, tol=1e-3), *iris, resampling=resampling)
    assert stability.relevances.shape == (6, 4)
    assert stability.relevances.sum(axis=1) == pytest.approx(np.ones(6))
    diagonals = np.diagonal(stability.matrices, axis1=1, axis2=2)
    if model in (LGMLVQ, LMRSLVQ):  # each prototype counts alike, whatever the size of its metric
        assert diagonals.sum(axis=1) == pytest.approx(np.ones(6))
    assert diagonals == pytest.approx(stability.relevances)
    assert (np.linalg.eigvalsh(stability.matrices) > -1e-12).all()


def test_all_samples_twice_in_two_groups_are_the_fit_itself(iris):
    X, y = iris
    twice, labels = np.concatenate([X, X]), np.concatenate([y, y])
    # The halves of two equal groups of each class have all samples once.
    groups = np.concatenate([y, y]) + np.repeat([" 1", " 2"], len(y)).astype(object)
    stability = few(GMLVQ(), twice, labels, groups=groups)
    alone = GMLVQ().fit(X, y)
    assert stability.relevances == pytest.approx(np.tile(alone.relevances_, (6, 1)))
    assert stability.interval(1.0) == pytest.approx(np.tile(alone.relevances_, (2, 1)))


def test_the_same_seed_gives_the_same_fits_with_any_number_of_jobs(iris):
    model = GMLVQ(2, init="random", n_components=2, tol=1e-3)
    one, two = few(model, *iris), few(model, *iris, n_jobs=2)
    assert np.allclose(one.relevances, two.relevances, rtol=0, atol=1e-10)
    assert np.allclose(one.matrices, two.matrices, rtol=0, atol=1e-10)
    other = few(model, *iris, random_state=1)
    assert not np.allclose(one.relevances, other.relevances)


def test_permuted_features_permute_the_result(iris):
    X, y = iris
    order = np.array([2, 0, 3, 1])
    stability, permuted = few(GMLVQ(), X, y), few(GMLVQ(), X[:, order], y)
    assert permuted.relevances == pytest.approx(stability.relevances[:, order], abs=1e-6)
    expected = stability.matrices[:, order][:, :, order]
    assert np.allclose(permuted.matrices, expected, atol=1e-6)


# The copies share the relevance of the feature, in each fit alike.
def test_two_copies_of_an_informative_feature_are_both_first():
    random = np.random.RandomState(0)
    y = np.arange(80) % 2
    signal = 3 * y + random.normal(size=80)
    X = np.column_stack([random.normal(size=80), signal, random.normal(size=80), signal])
    stability = few(make_pipeline(StandardScaler(), GMLVQ()), X, y)
    assert stability.selection_frequency(2).tolist() == [0, 1, 0, 1]
    assert (stability.ranks[:, [1, 3]] == 1).all()


# A scaler in a pipeline is fitted again to each resample, so that units do not matter.
def test_a_pipeline_is_fitted_as_a_whole(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), GMLVQ())
    metres, millimetres = few(pipeline, X, y), few(pipeline, X * [1, 1000, 1, 0.1], y)
    assert millimetres.relevances == pytest.approx(metres.relevances, abs=1e-6)
    bare = few(GMLVQ(), StandardScaler().fit_transform(X), y)
    assert not np.allclose(bare.relevances, metres.relevances, atol=1e-6)


def test_only_the_parameters_of_the_estimator_count_and_it_stays_as_it_is(iris):
    X, y = iris
    plain = make_pipeline(StandardScaler(), GMLVQ(beta=3.0))
    expected = few(plain, X, y).relevances
    assert not hasattr(plain[-1], "prototypes_")
    fitted = make_pipeline(StandardScaler(), GMLVQ(beta=3.0)).fit(X[:100], y[:100])
    search = GridSearchCV(
        make_pipeline(StandardScaler(), GMLVQ()), {"gmlvq__beta": [3.0]}, cv=2
    ).fit(X, y)
    for estimator in (
        fitted,
        FrozenEstimator(fitted),
        search,
        RejectOptionClassifier(fitted, target=RejectRate(0.1)),
    ):
        assert np.array_equal(few(estimator, X, y).relevances, expected)


def test_names_are_those_of_the_features(iris):
    frame = load_iris(as_frame=True).data
    pipeline = make_pipeline(StandardScaler(), GRLVQ())
    assert few(pipeline, frame, iris[1]).feature_names == list(frame.columns)
    assert few(GRLVQ(), *iris).feature_names == [f"feature {number}" for number in range(4)]


def test_missing_values_need_no_imputation(iris):
    X, y = iris[0].copy(), iris[1]
    X[::7, 2] = np.nan
    assert np.isfinite(few(GMLVQ(), X, y).relevances).all()


# --- what is said of the fits ---------------------------------------------------------------------

FITS = arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.integers(0, 9))


@given(FITS, st.integers(1, 6))
def test_a_selection_frequency_counts_fits_with_fewer_larger_ones(fits, n_first):
    stability = RelevanceStability(fits, None, [], "half")
    frequency = stability.selection_frequency(n_first)
    for feature in range(fits.shape[1]):
        assert frequency[feature] == pytest.approx(share_among_first(fits, feature, n_first))


@given(FITS)
def test_a_wider_interval_holds_the_narrower_one_and_all_fits_at_level_1(fits):
    stability = RelevanceStability(fits, None, [], "half")
    low, high = stability.interval(1.0)
    assert np.array_equal(low, fits.min(axis=0))
    assert np.array_equal(high, fits.max(axis=0))
    narrow = stability.interval(0.5)
    assert (low <= narrow[0]).all()
    assert (narrow[1] <= high).all()


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (GLVQ(), {}, "estimator must be GRLVQ.* got a GLVQ"),
        (LogisticRegression(), {}, "got a LogisticRegression"),
        (GMLVQ(), {"n_resamples": 0}, "n_resamples must be a positive integer, got 0"),
        (GMLVQ(), {"resampling": "third"}, "resampling must be one of"),
        (GMLVQ(), {"groups": [1, 2]}, "same samples"),
        (make_pipeline(SelectKBest(k=2), GMLVQ()), {"n_resamples": 20}, "same features|select"),
    ],
)
def test_what_cannot_be_resampled_is_refused(estimator, options, message, iris):
    X = iris[0] if "SelectKBest" not in str(estimator) else np.random.RandomState(0).rand(150, 6)
    with pytest.raises(InputError, match=message):
        few(estimator, X, iris[1], **options)


def test_a_class_that_is_not_in_each_half_is_refused_and_can_be_bootstrapped():
    X, y = np.random.RandomState(0).rand(9, 2), ["a"] * 4 + ["b"] * 4 + ["c"]
    with pytest.raises(InputError, match=r"none of class 'c'.*bootstrap"):
        few(GRLVQ(), X, y)
    assert few(GRLVQ(), X, y, resampling="bootstrap").relevances.shape == (6, 2)


def test_halves_of_too_few_groups_are_refused(iris):
    with pytest.raises(InputError, match="groups must name at least two groups"):
        few(GRLVQ(), *iris, groups=[1] * 150)
    with pytest.raises(InputError, match="each resample must hold samples of each class"):
        few(GRLVQ(), *iris, groups=iris[1])


def test_matrices_are_kept_only_if_asked_for(iris):
    stability = few(GRLVQ(), *iris, matrices=False)
    assert stability.matrices is None
    with pytest.raises(InputError, match="matrices=True"):
        stability.matrix_interval()


@pytest.mark.parametrize("level", [0, 1.5, 90])
def test_a_level_is_a_share(level):
    with pytest.raises(InputError, match="level must be a number in"):
        RelevanceStability(np.ones((2, 2)), None, [], "half").interval(level)
