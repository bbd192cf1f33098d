"""What is fitted, and what is refused in one line."""

import re
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from abstain import InputError, models
from abstain.models import GLVQ, GMLVQ, LGMLVQ, RSLVQ

ALL = [getattr(models, name) for name in models.__all__]
every_model = pytest.mark.parametrize("model", ALL)


@pytest.fixture(autouse=True)
def _accept_too_few_iterations():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def memory_map(X, folder):
    stored = np.memmap(folder / "X", dtype=X.dtype, mode="w+", shape=X.shape)
    stored[:] = X
    stored.flush()
    return np.memmap(folder / "X", dtype=X.dtype, mode="r", shape=X.shape)


def read_only(X, folder):
    X = X.copy()
    X.flags.writeable = False
    return X


@every_model
@pytest.mark.parametrize(
    "form",
    [read_only, memory_map, lambda X, _: np.asfortranarray(X), lambda X, _: X.tolist()],
    ids=["read-only", "memory-mapped", "Fortran", "lists"],
)
def test_the_form_of_an_array_changes_nothing(model, form, iris, tmp_path):
    X, y = iris
    plain = model().fit(X, y)
    other = model().fit(form(X, tmp_path), y)
    # The order in memory is the order of sums: they may round differently.
    assert other.prototypes_ == pytest.approx(plain.prototypes_, rel=1e-4)
    assert np.array_equal(other.predict(form(X, tmp_path)), plain.predict(X))


@every_model
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_columns_are_kept_and_checked(model, frame, iris):
    X, y = iris
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    table = frame(dict(zip(names, X.T, strict=True)))
    fitted = model().fit(table, y)
    assert fitted.feature_names_in_.tolist() == names
    assert np.array_equal(fitted.predict(table), model().fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(table[names[::-1]])


@every_model
def test_float32_stays_float32(model, iris):
    X, y = iris
    X = X.astype(np.float32)
    fitted = model().fit(X, y)
    arrays = [fitted.prototypes_, fitted.distances(X), fitted.decision_function(X)]
    arrays += [
        getattr(fitted, name)
        for name in ("scales_", "omega_", "omegas_", "relevances_", "eigenvectors_")
        if hasattr(fitted, name)
    ]
    arrays += [
        getattr(fitted, name)(X) for name in ("transform", "predict_proba") if hasattr(fitted, name)
    ]
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}
    double = model().fit(X.astype(np.float64), y)
    assert (fitted.predict(X) == double.predict(X)).mean() > 0.95


@every_model
@pytest.mark.parametrize("factor", [1e15, 1e-15])
@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_the_unit_of_the_features_changes_no_prediction(model, factor, shift, iris):
    X, y = iris
    X = X + shift
    expected = model().fit(X, y).predict(X)
    assert (model().fit(factor * X, y).predict(factor * X) == expected).mean() > 0.98


# One feature may dwarf the others, too: then it alone counts.
@every_model
def test_one_huge_feature_leaves_a_defined_model(model, iris):
    X, y = iris
    X = X * np.array([1.0, 1.0, 1e15, 1.0])
    fitted = model().fit(X, y)
    assert np.isfinite(fitted.distances(X)).all()
    assert fitted.score(X, y) > 0.85  # petal length alone


@every_model
def test_constant_columns_and_a_class_of_one_sample_are_no_harm(model, iris):
    X, y = iris
    X = np.column_stack([X, np.full(len(X), 7.0)])
    chosen = [*np.flatnonzero(y != "setosa").tolist(), 0]
    fitted = model().fit(X[chosen], y[chosen])
    assert fitted.score(X, y) > 0.85
    with pytest.raises(InputError, match=r"from 1 to the 1 samples of class 'setosa', got 2"):
        model(n_prototypes_per_class=2).fit(X[chosen], y[chosen])


@every_model
def test_samples_that_are_all_alike_give_a_defined_model(model):
    with pytest.warns(UserWarning, match="no training sample is predicted as 1"):
        fitted = model().fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])
    assert fitted.predict(np.ones((1, 2)))[0] in (0, 1)


@every_model
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (lambda X: 1e-310 * X, r"X must hold values whose squares float64 can hold, got devi"),
        (lambda X: 1e200 * X, r"X must hold values whose squares .* scale the features"),
        (lambda X: np.where(X > 7.8, np.inf, X), "Input X contains infinity"),
    ],
    ids=["denormal", "huge", "infinite"],
)
def test_values_that_cannot_be_squared_are_refused(model, values, message, iris):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        model().fit(values(X), y)


# Just below the limit a model is fitted, and no number overflows (a warning is an error here).
@every_model
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_are_taken_up_to_the_limit_and_refused_beyond(model, dtype, iris):
    X, y = iris
    limit = (float(np.finfo(dtype).max) / X.shape[1]) ** 0.5 / 4
    X = (X / X.max() * limit * 0.999).astype(dtype)
    X[::2] *= -1
    assert np.isfinite(model(max_iter=5).fit(X, y).distances(X)).all()
    for value in (-1.1 * limit, float(np.finfo(dtype).max)):
        X[7, 2] = value
        message = f"got {value:.1e} in feature 2; scale the features"
        with pytest.raises(InputError, match=re.escape(message)):
            model().fit(X, y)
    X[7, 1] = np.nan
    with pytest.raises(InputError, match="in feature 'c'; scale"):
        model().fit(pd.DataFrame(X, columns=list("abcd")), y)
    weight = np.ones(len(X))
    weight[7] = 0  # what weighs nothing is not there
    model(max_iter=5).fit(X, y, sample_weight=weight)


@every_model
def test_new_samples_that_cannot_be_squared_are_refused(model, iris):
    X, y = iris
    fitted = model().fit(X, y)
    with pytest.raises(InputError, match=r"X must hold values .* got 1.0e\+200 in row 1; scale"):
        fitted.predict([X[0], 1e200 * np.ones(4)])
    with pytest.raises(InputError, match="only NaN in row 1; drop it"):
        fitted.predict([X[0], [np.nan] * 4])


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["a", None, "b", "a"], "None at index 1"),
        (["a", "b", float("nan"), "a"], "nan at index 2"),
        (np.array([0.0, 1.0, 1.0, np.nan]), "nan at index 3"),
        (np.array(["a", "b", None, "a"], dtype=object), "None at index 2"),
        (pd.Series(["a", "b", pd.NA, "a"]), r"<NA> at index 2|nan at index 2"),
        (pl.Series(["a", "b", None, "a"]), "None at index 2"),
    ],
)
def test_missing_labels_are_refused(labels, shown):
    with pytest.raises(InputError, match=f"y must hold no missing label, got ({shown}); drop"):
        GLVQ().fit(np.arange(8.0).reshape(4, 2), labels)


@pytest.mark.parametrize(
    ("model", "settings", "message"),
    [
        (GMLVQ, {"beta": 0}, "beta must be a positive number, or None for the identity, got 0"),
        (GMLVQ, {"beta": "5"}, "beta must be a positive number, .* got '5'"),
        (GMLVQ, {"n_components": 0}, "n_components must be a positive integer, .* got 0"),
        (LGMLVQ, {"n_components": 5}, "n_components must be at most the 4 features, got 5"),
        (GMLVQ, {"regularization": -1}, "regularization must be a number .*, got -1"),
        (GLVQ, {"max_iter": 0}, "max_iter must be a positive integer, got 0"),
        (GLVQ, {"max_iter": 2.5}, "max_iter must be a positive integer, got 2.5"),
        (GLVQ, {"tol": float("nan")}, "tol must be a number that is not negative, got nan"),
        (GLVQ, {"solver": "sgd"}, r"solver must be one of \('lbfgs', 'adam'\), got 'sgd'"),
        (GLVQ, {"verbose": -1}, "verbose must be .*, got -1"),
        (GLVQ, {"init": "k-means"}, r"init must be one of \('kmeans', 'random'\) or .*'k-means'"),
        (GLVQ, {"init": np.zeros((2, 4))}, r"init must be .* of shape \(3, 4\), .* \(2, 4\)"),
        (GLVQ, {"init": np.full((3, 4), np.nan)}, "init must hold finite prototypes"),
        (GLVQ, {"n_prototypes_per_class": {"rose": 1}}, "must name classes of y, got 'rose'"),
        (RSLVQ, {"sigma2": 0.0}, "sigma2 must be positive, or None to estimate it, got 0.0"),
        (RSLVQ, {"sigma2": "global"}, "sigma2 must be None, 'local', .* got 'global'"),
        (RSLVQ, {"sigma2": [1.0, 2.0]}, r"for each of the 3 prototypes, got shape \(2,\)"),
    ],
)
def test_impossible_settings_are_refused(model, settings, message, iris):
    with pytest.raises(InputError, match=message) as caught:
        model(**settings).fit(*iris)
    assert "\n" not in str(caught.value)
    assert [caught.value.argument] == list(settings)


def test_a_class_without_weight_is_refused(iris):
    X, y = iris
    with pytest.raises(InputError, match=r"sample_weight must leave .* samples of class 'setosa'"):
        GLVQ().fit(X, y, sample_weight=(y != "setosa").astype(float))


# With weights, as with repeated rows, a class counts for as much as any other.
def test_balanced_classes_respect_weights(iris):
    X, y = iris
    weights = np.arange(len(y)) % 3 + 1
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = GLVQ(class_weight="balanced").fit(X, y, sample_weight=weights)
    repeated = GLVQ(class_weight="balanced").fit(X[rows], y[rows])
    assert weighted.prototypes_ == pytest.approx(repeated.prototypes_, rel=1e-4)


# Wherever prototypes start: what is drawn must not depend on how often a row is written down.
@pytest.mark.parametrize("init", ["kmeans", "random"])
@every_model
def test_an_integer_weight_equals_repeating_the_row(model, init, iris):
    X, y = iris
    weights = np.arange(len(y)) % 3
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(len(y)), weights))
    settings = {"n_prototypes_per_class": 2, "init": init, "random_state": 0}
    weighted = model(**settings).fit(X, y, sample_weight=weights)
    repeated = model(**settings).fit(X[rows], y[rows])
    # Sums in another order round otherwise, and the steps of a fit part in the end.
    assert weighted.loss_ == pytest.approx(repeated.loss_, rel=1e-3, abs=1e-3)
    assert (weighted.predict(X) == repeated.predict(X)).mean() > 0.98


def test_as_many_prototypes_as_samples_are_these_samples():
    X, y = np.array([[0.0], [1.0], [1.0], [5.0], [6.0]]), [0, 0, 0, 1, 1]
    model = GLVQ({0: 3, 1: 2}, random_state=0, max_iter=1, tol=1.0).fit(X, y)
    assert len(model.prototypes_) == 5
    assert model.predict(X).tolist() == y


def test_prototypes_may_start_anywhere(iris):
    X, y = iris
    given = GLVQ(init=X[[0, 50, 100]], max_iter=1, tol=1.0).fit(X, y)
    drawn = GLVQ(init="random", random_state=0).fit(X, y)
    assert given.score(X, y) > 0.8
    assert drawn.score(X, y) > 0.9
    again = GLVQ(init="random", random_state=0).fit(X, y)
    assert np.array_equal(drawn.prototypes_, again.prototypes_)


def test_each_prototype_may_have_a_bandwidth_of_its_own(iris):
    X, y = iris
    common = RSLVQ().fit(X, y).sigma2_
    local = RSLVQ(sigma2="local").fit(X, y).sigma2_
    given = RSLVQ(sigma2=[0.1, 0.2, 0.3]).fit(X, y).sigma2_
    assert np.ptp(common) == 0
    assert common[0] == pytest.approx(local.mean())  # all classes have 50 samples
    assert len(set(local)) == 3
    assert given.tolist() == [0.1, 0.2, 0.3]


# Blocks of rows, not all pairs of samples and prototypes, are held beside the data; the search for
# a number of prototypes takes at most 20,000 samples, whatever their number.
@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
@pytest.mark.parametrize("model", [GLVQ, GMLVQ, LGMLVQ, RSLVQ])
def test_memory_beyond_the_input_is_bounded(model, solver):
    n_samples, n_features, n_prototypes = 40_000, 20, 4
    rng = np.random.default_rng(0)
    y = rng.integers(n_prototypes, size=n_samples)
    X = rng.normal(size=(n_samples, n_features)) + y[:, np.newaxis]
    model(max_iter=1, tol=1.0).fit(X[:100], y[:100])  # what is imported once does not count
    tracemalloc.start()
    try:
        model(1, solver=solver, max_iter=3, tol=1.0, random_state=0).fit(X, y).predict(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * 8 * n_samples * (n_features + n_prototypes)


@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_memory_of_starting_with_several_prototypes_is_bounded(init):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 10)), (rng.random(40_000) < 0.02).astype(int)
    settings = {"n_prototypes_per_class": 2, "init": init, "max_iter": 2, "random_state": 0}
    GLVQ(**settings).fit(X[:400], y[:400])
    tracemalloc.start()
    try:
        GLVQ(**settings).fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * 8 * len(X) * (10 + 4)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function", "distances"])
def test_memory_of_answers_is_bounded(method):
    rng = np.random.default_rng(0)
    y = np.arange(40_000) % 50
    X = rng.normal(size=(len(y), 2)) + y[:, np.newaxis]
    model = RSLVQ(max_iter=2).fit(X[:1000], y[:1000])
    getattr(model, method)(X[:100])
    tracemalloc.start()
    try:
        getattr(model, method)(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * 8 * len(X) * (2 + 50)


@pytest.mark.parametrize("model", [GLVQ, GMLVQ, RSLVQ])
@pytest.mark.parametrize("init", ["kmeans", "random"])
@pytest.mark.parametrize("seed", range(6))
def test_so_it_does_with_gaps_and_several_prototypes(model, init, seed, iris):
    X, y = iris
    rng = np.random.default_rng(0)
    X = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    X[np.isnan(X).all(axis=1), 0] = 0.0
    weights = np.arange(len(y)) % 3 + 1
    rows = rng.permutation(np.repeat(np.arange(len(y)), weights))
    settings = {"n_prototypes_per_class": 2, "init": init, "random_state": seed}
    weighted = model(max_iter=3, **settings)
    with pytest.warns(ConvergenceWarning):
        weighted.fit(X, y, sample_weight=weights)
    with pytest.warns(ConvergenceWarning):
        repeated = model(max_iter=3, **settings).fit(X[rows], y[rows])
    # Other draws lie whole units apart; rounding alone does not.
    assert weighted.prototypes_ == pytest.approx(repeated.prototypes_, abs=0.01)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"class_weight": {"rose": 2.0}},
            r"class_weight must name classes of y, got 'rose'; y has",
        ),
        (
            {"class_weight": "even"},
            r'class_weight must be "balanced", None or a dict .*got \'even\'',
        ),
        ({"class_weight": [1, 2, 3]}, r'class_weight must be "balanced", None or a dict'),
        ({"warm_start": "no"}, "warm_start must be True or False, got 'no'"),
    ],
)
def test_settings_that_mean_nothing_are_named(settings, said, iris):
    with pytest.raises(InputError, match=said):
        GLVQ(**settings).fit(*iris)


def test_an_infinite_sample_to_predict_is_reported_to_be_in_x(iris):
    model = GLVQ().fit(*iris)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        model.predict([[np.inf] * 4])


@pytest.mark.parametrize("weight", [0, -1.0, float("nan"), float("inf"), "heavy"])
def test_class_weights_must_be_positive(weight, iris):
    X, y = iris
    with pytest.raises(InputError, match=r"class_weight must hold positive numbers, got") as caught:
        GLVQ(class_weight={"setosa": weight}).fit(X, y)
    assert f"{weight!r} for class 'setosa'" in str(caught.value)


# What weighs nothing is not there, whatever its values.
@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
@every_model
def test_rows_without_weight_are_not_there(model, solver, iris):
    X, y = iris
    rng = np.random.default_rng(0)
    weights = (rng.random(len(y)) < 0.7).astype(float)
    strange = np.where(weights[:, np.newaxis] > 0, X, 1e150)
    settings = {"solver": solver, "random_state": 0, "max_iter": 50, "tol": 1e-3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        kept = model(**settings).fit(X[weights > 0], y[weights > 0])
        weighted = model(**settings).fit(strange, y, sample_weight=weights)
    assert np.array_equal(weighted.prototypes_, kept.prototypes_)
    assert weighted.loss_ == kept.loss_


# Batches of little weight must not count as much as others.
def test_adam_weighs_samples_and_not_batches():
    rng = np.random.default_rng(0)
    y = (rng.random(20_000) < 0.02).astype(int)
    X = rng.normal(size=(len(y), 2)) + 1.5 * y[:, np.newaxis]
    recalls = {}
    for solver in ("lbfgs", "adam"):
        model = GLVQ(class_weight="balanced", solver=solver, random_state=0).fit(X, y)
        recalls[solver] = [np.mean(model.predict(X[y == name]) == name) for name in (0, 1)]
    assert recalls["adam"] == pytest.approx(recalls["lbfgs"], abs=0.03)


def test_huge_weights_are_as_good_as_small_ones(iris):
    X, y = iris
    for solver in ("lbfgs", "adam"):
        model = GLVQ(solver=solver, random_state=0)
        plain = model.fit(X, y).prototypes_
        assert model.fit(X, y, sample_weight=np.full(len(y), 1e39)).prototypes_ == pytest.approx(
            plain, rel=1e-3, abs=1e-3
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"init": [["a", "b", "c", "d"]] * 3}, "init must be one of"),
        ({"init": [[1.0], [1.0, 2.0]]}, "init must be one of"),
    ],
)
def test_starts_that_are_no_numbers(settings, message, iris):
    with pytest.raises(InputError, match=message):
        GLVQ(**settings).fit(*iris)


def test_bandwidths_of_unequal_lengths(iris):
    with pytest.raises(InputError, match=r"sigma2 must be positive, .* got \[\[1\], \[1, 2\]\]"):
        RSLVQ(sigma2=[[1], [1, 2]]).fit(*iris)


@pytest.mark.parametrize(
    "y", [[[None], ["a"], ["b"], ["b"]], np.array(["NaT", "2020", "2021", "2021"], "M8[D]")]
)
def test_missing_labels_in_a_column_and_among_dates(y):
    with pytest.raises(InputError, match="y must hold no missing label, got"):
        GLVQ().fit([[0.0], [1.0], [2.0], [3.0]], y)


def test_a_fit_goes_on_with_the_same_rank_and_bandwidths_only(iris):
    X, y = iris
    model = GMLVQ(n_components=2, warm_start=True, random_state=0).fit(X, y)
    with pytest.raises(InputError, match=r"same rank of the metric, got n_components=4 after .* 2"):
        model.set_params(n_components=None).fit(X, y)
    soft = RSLVQ(warm_start=True).fit(X, y)
    common = soft.sigma2_.copy()
    assert np.array_equal(soft.fit(X, y).sigma2_, common)
    assert not np.array_equal(soft.set_params(sigma2="local").fit(X, y).sigma2_, common)
    with pytest.raises(InputError, match="sigma2 must be None, 'local'"):
        soft.set_params(sigma2="foo").fit(X, y)


# An interrupted fit that does not go on leaves the fitted model as it was.
def test_an_interrupted_fit_leaves_no_mixture(iris, monkeypatch):
    X, y = iris
    model = RSLVQ().fit(X, y)
    before = model.predict_proba(X)

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("abstain.models.solvers.fit_lbfgs", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(10 * X, y)
    assert np.array_equal(model.predict_proba(X), before)
