"""Iterated analysis: which directions it finds, when it stops, and what it says of features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.stats import ortho_group
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import InputError, RejectOptionClassifier
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ
from abstain.models.relevances import iterated_relevances
from abstain.models.relevances.iterated import independence_test
from tests.reference import relevances as reference

MATRIX_MODELS = [GMLVQ, LGMLVQ, MRSLVQ, LMRSLVQ]


@pytest.fixture(scope="module")
def wine():
    data = load_wine()
    return StandardScaler().fit_transform(data.data), data.target_names[data.target]


@pytest.fixture(scope="module")
def found(wine):
    return iterated_relevances(GMLVQ(1), *wine, random_state=0)


def hidden(n=200, seed=0, noise=0.5):
    """A signal, a copy of it with noise, and four features that tell nothing."""
    random = np.random.RandomState(seed)
    y = np.arange(n) % 2
    signal = 2.5 * y + random.normal(size=n)
    copy = signal + noise * random.normal(size=n)
    return np.column_stack([signal, copy, random.normal(size=(n, 4))]), y


# --- directions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MATRIX_MODELS)
def test_directions_are_orthonormal_and_fewer_than_there_are_features(model, wine):
    options = {"max_iterations": 4, "n_directions": 3, "random_state": 0}
    found = iterated_relevances(model(1, tol=1e-3), *wine, **options)
    gram = found.directions @ found.directions.T
    assert np.allclose(gram, np.eye(len(gram)), atol=1e-10)
    assert found.iterations.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3][: len(gram)]
    largest = np.abs(found.directions).argmax(axis=1)
    assert (found.directions[np.arange(len(gram)), largest] > 0).all()


def test_the_first_directions_are_those_of_a_fit_and_the_accuracy_is_out_of_fold(wine, found):
    X, y = wine
    model = GMLVQ(1).fit(X, y)
    ours = found.directions[found.iterations == 0]
    assert np.abs(ours @ model.eigenvectors_[:2].T) == pytest.approx(np.eye(2), abs=1e-6)
    assert found.eigenvalues[:2] == pytest.approx(model.eigenvalues_[:2])
    folds = StratifiedKFold(5, shuffle=True, random_state=np.random.RandomState(0))
    fixed = iterated_relevances(
        GMLVQ(1, random_state=0), X, y, random_state=np.random.RandomState(0), max_iterations=1
    )
    answers = cross_val_predict(GMLVQ(1, random_state=0), X, y, cv=folds)
    assert fixed.accuracies[0] == pytest.approx((answers == y).mean())


# The reference starts each fit from all samples, in another basis of what is left.
def test_directions_and_accuracies_equal_those_of_the_slow_reference(wine):
    X, y = wine
    seeded = GMLVQ(1, random_state=0)
    found = iterated_relevances(
        seeded, X, y, max_iterations=3, random_state=np.random.RandomState(3)
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=np.random.RandomState(3)).split(X, y)
    directions, accuracies = reference.iterated(
        lambda: GMLVQ(1, random_state=0), X, y, list(folds), n_directions=2, n_iterations=3
    )
    assert np.abs(found.directions @ directions.T) == pytest.approx(np.eye(6), abs=1e-4)
    assert found.accuracies == pytest.approx(accuracies)


def test_a_rotated_space_has_rotated_directions(wine, found):
    X, y = wine
    rotation = ortho_group.rvs(X.shape[1], random_state=0)
    rotated = iterated_relevances(GMLVQ(1), X @ rotation, y, random_state=0)
    assert rotated.accuracies[:3] == pytest.approx(found.accuracies[:3])
    both = np.abs(rotated.directions[:6] @ (found.directions[:6] @ rotation).T)
    assert both == pytest.approx(np.eye(6), abs=1e-4)


def test_permuted_features_permute_the_relevances(wine, found):
    X, y = wine
    order = np.random.RandomState(0).permutation(X.shape[1])
    permuted = iterated_relevances(GMLVQ(1), X[:, order], y, random_state=0)
    assert permuted.relevances[:3] == pytest.approx(found.relevances[:3, order], abs=1e-4)
    assert permuted.matrix(3) == pytest.approx(found.matrix(3)[np.ix_(order, order)], abs=1e-4)


def test_the_same_seed_gives_the_same_result_with_any_number_of_jobs(wine):
    model, options = GMLVQ(2, init="random", n_components=3), {"max_iterations": 3}
    with parallel_config(backend="threading"):
        one, two, other = (
            iterated_relevances(model, *wine, **options, random_state=seed, n_jobs=n_jobs)
            for seed, n_jobs in ((0, None), (0, 2), (1, None))
        )
    assert np.allclose(one.directions, two.directions, atol=1e-8)
    assert np.array_equal(one.accuracies, two.accuracies)
    assert not np.allclose(one.directions, other.directions)


# --- what is hidden -------------------------------------------------------------------------------


def test_two_copies_of_an_informative_feature_are_found_alike():
    X, y = hidden(noise=0)
    found = iterated_relevances(make_pipeline(StandardScaler(), GMLVQ(1)), X, y, random_state=0)
    assert found.relevances[:, 0] == pytest.approx(found.relevances[:, 1])
    assert set(np.argsort(-found.cumulative_relevances[-1])[:2]) == {0, 1}
    assert found.cumulative_relevances[0, :2].sum() > 0.8


# A single fit does without the noisier copy.
@pytest.mark.parametrize("seed", range(3))
def test_a_copy_that_a_fit_does_without_is_found_next(seed):
    X, y = hidden(seed=seed)
    assert GMLVQ(1).fit(X, y).relevances_[1] < 1 / 6
    found = iterated_relevances(GMLVQ(1), X, y, random_state=0)
    assert found.relevances[:2].argmax(axis=1).tolist() == [0, 1]
    assert found.relevances[1, 1] > 0.5
    assert found.accuracies[1] > 0.75
    assert set(np.argsort(-found.cumulative_relevances[-1])[:2]) == {0, 1}
    assert found.reached_chance


def test_noise_is_left_at_once():
    counts = []
    for seed in range(12):
        random = np.random.RandomState(seed)
        X, y = random.normal(size=(60, 3)), random.permutation(np.arange(60) % 2)
        found = iterated_relevances(GMLVQ(1), X, y, random_state=0)
        counts.append(found.n_iterations)
        if not counts[-1]:
            assert found.reached_chance
            assert found.relevances.shape == found.cumulative_relevances.shape == (0, 3)
            assert not found.matrix().any()
    assert sum(count > 0 for count in counts) <= 2
    assert max(counts) <= 1


def test_it_ends_where_nothing_is_left_and_at_the_limit():
    X, y = hidden()
    alone = iterated_relevances(GMLVQ(1), X[:, :1], y)
    assert (alone.n_iterations, alone.reached_chance) == (1, False)
    assert alone.relevances.tolist() == [[1.0]]
    limited = iterated_relevances(GMLVQ(1), X, y, max_iterations=1)
    assert (limited.n_iterations, limited.reached_chance) == (1, False)


def test_constant_features_have_no_relevance():
    X, y = hidden()
    found = iterated_relevances(GMLVQ(1), np.column_stack([X, np.ones(len(X))]), y, random_state=0)
    assert np.allclose(found.relevances[:, -1], 0)


# --- the test that stops it -----------------------------------------------------------------------

ANSWERS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 5)), min_size=2, max_size=20
)


@given(ANSWERS)
def test_the_p_value_equals_that_of_the_reference(samples):
    y, answers, groups = (np.array(column) for column in zip(*samples, strict=True))
    accuracy, chance, p_value = independence_test(y, answers, groups)
    assert accuracy == pytest.approx(np.mean(y == answers))
    assert chance == pytest.approx(np.mean(y[:, np.newaxis] == answers))
    assert p_value == pytest.approx(reference.independence_p_value(y, answers, groups), abs=1e-9)


def test_one_answer_to_all_is_as_accurate_as_chance_whatever_the_classes():
    y = np.repeat([0, 1], [95, 5])
    accuracy, chance, p_value = independence_test(y, np.zeros(100, int), np.arange(100))
    assert (accuracy, chance, p_value) == (0.95, 0.95, 1.0)


@given(ANSWERS, st.integers(2, 4))
def test_repeated_samples_of_one_group_are_no_more_evidence(samples, times):
    y, answers, _ = (np.array(column) for column in zip(*samples, strict=True))
    once = independence_test(y, answers, np.arange(len(y)))
    repeated = independence_test(*(np.repeat(each, times) for each in (y, answers, range(len(y)))))
    assert repeated == pytest.approx(once)


# Nearest class means of noise, out of fold: without the 2, far more than 5% would be rejected.
@pytest.mark.parametrize(("n", "n_features"), [(40, 2), (40, 20), (100, 5)])
def test_the_level_holds_for_answers_out_of_fold(n, n_features):
    random, rejected, n_sets = np.random.RandomState(0), 0, 300
    for _ in range(n_sets):
        X, y = random.normal(size=(n, n_features)), random.permutation(np.arange(n) % 2)
        answers = np.empty(n, dtype=int)
        for train, test in StratifiedKFold(5, shuffle=True, random_state=random).split(X, y):
            means = np.array([X[train][y[train] == code].mean(axis=0) for code in (0, 1)])
            answers[test] = ((X[test][:, np.newaxis] - means) ** 2).sum(axis=2).argmin(axis=1)
        rejected += independence_test(y, answers, np.arange(n)).p_value <= 0.05
    assert rejected / n_sets <= 0.06


# --- what is said of the iterations ---------------------------------------------------------------


def test_cumulative_relevances_are_the_diagonal_of_the_matrix(found):
    assert found.cumulative_relevances[0] == pytest.approx(found.relevances[0])
    assert found.relevances.sum(axis=1) == pytest.approx(np.ones(found.n_iterations))
    for number, cumulative in enumerate(found.cumulative_relevances, start=1):
        matrix = found.matrix(number)
        assert matrix.diagonal() == pytest.approx(cumulative)
        assert matrix.trace() == pytest.approx(1)
    assert found.matrix() == pytest.approx(matrix)
    # Λ of all iterations weighs the found directions and no other.
    assert np.linalg.matrix_rank(found.matrix()) == len(found.directions)


def test_tests_are_of_all_iterations_and_only_the_last_may_be_at_chance(found):
    assert len(found.accuracies) == len(found.chances) == len(found.p_values)
    assert (found.p_values[: found.n_iterations] <= found.alpha).all()
    assert len(found.p_values) == found.n_iterations + found.reached_chance
    assert (found.skills > 0).all()


# --- estimators and samples -----------------------------------------------------------------------


def test_the_folds_fit_the_transformers_of_a_pipeline():
    data = load_wine(as_frame=True)
    X, y = data.data.copy(), data.target
    X.iloc[::9, 0] = np.nan
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), GMLVQ(1))
    found = iterated_relevances(pipeline, X, y, max_iterations=2, random_state=0)
    assert found.feature_names == list(X.columns)
    scaled = iterated_relevances(pipeline, X * 1000, y, max_iterations=2, random_state=0)
    assert scaled.relevances == pytest.approx(found.relevances, abs=1e-6)
    rejecting = RejectOptionClassifier(pipeline)
    same = iterated_relevances(rejecting, X, y, max_iterations=2, random_state=0)
    assert np.array_equal(same.directions, found.directions)


def test_groups_stay_together_and_parameters_for_the_space_follow_it(wine):
    X, y = wine
    groups = np.arange(len(y)) // 2
    means = np.array([X[y == name].mean(axis=0) for name in np.unique(y)])
    model = GMLVQ({"class_0": 1}, n_components=2, init=means, random_state=0)
    options = {"max_iterations": 3, "random_state": np.random.RandomState(0)}
    found = iterated_relevances(model, X, y, groups=groups, n_directions=5, **options)
    # Of a metric of rank two, two directions have a weight.
    assert found.iterations.tolist() == [0, 0, 1, 1, 2, 2]
    folds = StratifiedGroupKFold(5, shuffle=True, random_state=np.random.RandomState(0))
    answers = cross_val_predict(model, X, y, cv=folds.split(X, y, groups))
    assert found.accuracies[0] == pytest.approx((answers == y).mean())


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (GRLVQ(1), {}, "estimator must be GMLVQ.* got a GRLVQ"),
        (GLVQ(1), {}, "got a GLVQ"),
        (GMLVQ(1), {"cv": 1}, "cv must be an integer from 2 to 48"),
        (GMLVQ(1), {"cv": 49}, "cv must be an integer from 2 to 48"),
        (GMLVQ(1), {"alpha": 5}, "alpha must be a number in .*5% is 0.05"),
        (GMLVQ(1), {"groups": ["a"] * 178}, "groups must name at least two groups"),
        (GMLVQ(1), {"n_directions": 0}, "n_directions must be a positive integer"),
        (GMLVQ(1), {"max_iterations": 0}, "max_iterations must be a positive integer"),
    ],
)
def test_what_cannot_be_iterated_is_refused(estimator, options, message, wine):
    with pytest.raises(InputError, match=message):
        iterated_relevances(estimator, *wine, **options)


def test_missing_values_and_one_class_are_refused(wine):
    X, y = wine
    missing = np.where(np.arange(X.size).reshape(X.shape) % 17 == 0, np.nan, X)
    with pytest.raises(InputError, match="put an imputer"):
        iterated_relevances(GMLVQ(1), missing, y)
    with pytest.raises(InputError, match="at least two classes"):
        iterated_relevances(GMLVQ(1), X, ["a"] * len(X))
    with pytest.raises(InputError, match="must vary"):
        iterated_relevances(GMLVQ(1), np.ones((len(X), 2)), y)
