"""The models are scikit-learn classifiers, good ones, and say what they cannot do."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from abstain import InputError, models
from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ, RSLVQ
from tests.reference.models import distance

ALL = [getattr(models, name) for name in models.__all__]
every_model = pytest.mark.parametrize("model", ALL)


@parametrize_with_checks(
    [
        *(model() for model in ALL),
        # Here the closest prototype is not always that of the answer.
        RSLVQ(sigma2="local"),
        *(model("auto") for model in ALL),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@every_model
def test_all_parameters_but_the_first_are_keywords_and_documented(model):
    first, *others = inspect.signature(model).parameters.values()
    assert first.name == "n_prototypes_per_class"
    assert {parameter.kind for parameter in others} == {inspect.Parameter.KEYWORD_ONLY}
    defaults = {parameter.name: parameter.default for parameter in (first, *others)}
    assert model().get_params() == vars(model()) == defaults
    assert all(f"\n{name} : " in model.__doc__ for name in defaults)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), np.array(["setosa", "versicolor", "virginica"])[y]


# Accuracy of untouched defaults, z-scored, five folds, a little below what was measured.
@pytest.mark.parametrize(
    ("model", "load", "least"),
    [
        (GMLVQ, load_breast_cancer, 0.955),
        (LGMLVQ, load_breast_cancer, 0.96),
        (RSLVQ, load_breast_cancer, 0.945),
        (GMLVQ, load_digits, 0.95),
        (RSLVQ, load_digits, 0.94),
    ],
)
def test_defaults_make_a_good_model(model, load, least):
    X, y = load(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert cross_val_score(make_pipeline(StandardScaler(), model()), X, y, cv=folds).mean() > least


@every_model
def test_distances_are_those_of_the_formula(model, iris):
    X, y = iris
    fitted = model(n_prototypes_per_class={"setosa": 2}, random_state=0).fit(X, y)
    omegas = [np.eye(4)] * 4
    if hasattr(fitted, "scales_"):
        omegas = [np.diag(fitted.scales_)] * 4
    elif hasattr(fitted, "omega_"):
        omegas = [fitted.omega_] * 4
    elif hasattr(fitted, "omegas_"):
        omegas = fitted.omegas_
    expected = [
        [distance(x, w, omega) for w, omega in zip(fitted.prototypes_, omegas, strict=True)]
        for x in X[::10]
    ]
    distances = fitted.distances(X[::10])
    assert distances == pytest.approx(np.array(expected), abs=1e-9)
    assert fitted.apply(X[::10]).tolist() == distances.argmin(axis=1).tolist()
    assert fitted.prototype_labels_.tolist() == ["setosa", "setosa", "versicolor", "virginica"]


@every_model
def test_missing_values_are_left_out(model, iris):
    X, y = iris
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    assert model().fit(X, y).score(X, y) > 0.85


@pytest.mark.parametrize("model", [GRLVQ, GMLVQ, MRSLVQ])
def test_relevances_sum_to_one(model, iris):
    relevances = model().fit(*iris).relevances_
    assert relevances.shape == (4,)
    assert relevances.sum() == pytest.approx(1)


@pytest.mark.parametrize("model", [GRLVQ, GMLVQ, LGMLVQ, MRSLVQ, LMRSLVQ])
def test_a_feature_that_never_varies_has_no_relevance(model, iris):
    X, y = iris
    with_constants = np.insert(X, [0, 2], [[3.0, 0.0]], axis=1)
    with_constants[::7, 0] = np.nan
    relevances = model(random_state=0).fit(with_constants, y).relevances_
    assert (relevances[..., [0, 3]] == 0).all()
    assert (relevances[..., [1, 2, 4, 5]] > 0).all()
    assert relevances.sum(axis=-1) == pytest.approx(1)


@pytest.mark.parametrize("model", [LGMLVQ, LMRSLVQ])
def test_local_relevances_sum_to_one_each(model, iris):
    relevances = model(n_components=2, random_state=0).fit(*iris).relevances_
    assert relevances.shape == (3, 4)
    assert relevances.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("model", [RSLVQ, MRSLVQ, LMRSLVQ])
def test_posteriors_stay_finite_far_from_every_prototype(model, iris):
    fitted = model().fit(*iris)
    far = np.full((1, 4), 1e8)
    assert fitted.predict_proba(far).sum() == pytest.approx(1)
    assert fitted.predict(far)[0] in fitted.classes_


@every_model
def test_several_prototypes_are_the_same_under_the_same_seed(model, iris):
    first, second = (
        model(n_prototypes_per_class=2, random_state=3).fit(*iris).prototypes_ for _ in range(2)
    )
    assert np.array_equal(first, second)


# Data far from the origin must not drown in rounding.
@every_model
def test_a_shift_of_all_data_changes_no_prediction(model, iris):
    X, y = iris
    assert (model().fit(X + 1e6, y).predict(X + 1e6) == model().fit(X, y).predict(X)).mean() > 0.98


def test_too_few_iterations_are_reported_with_what_to_change(iris):
    with pytest.warns(ConvergenceWarning, match=r"after max_iter=2 iterations; raise max_iter"):
        GMLVQ(max_iter=2).fit(*iris)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GLVQ().fit(*iris)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_prototypes_per_class": 0}, r"n_prototypes_per_class .* class 'setosa', got 0"),
        ({"n_prototypes_per_class": 51}, "from 1 to the 50 samples of class 'setosa', got 51"),
        ({"n_prototypes_per_class": {"virginica": 1.5}}, "class 'virginica', got 1.5"),
    ],
)
def test_impossible_numbers_of_prototypes_are_refused(parameters, message, iris):
    with pytest.raises(InputError, match=message):
        GLVQ(**parameters).fit(*iris)


def test_a_bandwidth_that_is_not_positive_is_refused(iris):
    with pytest.raises(InputError, match="sigma2 must be positive, or None to estimate it, got -1"):
        RSLVQ(sigma2=-1).fit(*iris)


@pytest.mark.parametrize(
    ("where", "message"), [((3, slice(None)), "NaN in row 3"), ((slice(None), 2), "in column 2")]
)
def test_rows_and_columns_without_any_value_are_refused(where, message, iris):
    X, y = iris
    X = X.copy()
    X[where] = np.nan
    with pytest.raises(InputError, match=message):
        GLVQ().fit(X, y)


def test_one_class_is_refused(iris):
    with pytest.raises(InputError, match="at least two classes, got one class: setosa"):
        GLVQ().fit(iris[0][:50], iris[1][:50])


# Where bandwidths differ, the class of the closest prototype need not be the answer.
@pytest.mark.parametrize("model", [RSLVQ, MRSLVQ, LMRSLVQ])
def test_scores_of_posteriors_agree_with_the_answer(model, iris):
    X, y = iris
    fitted = model(2, sigma2="local", random_state=0).fit(X, y)
    box = np.random.default_rng(0).uniform(X.min(axis=0), X.max(axis=0), (500, X.shape[1]))
    assert (fitted.predict(box) != fitted.prototype_labels_[fitted.apply(box)]).any()
    scores = fitted.decision_function(box)
    assert np.array_equal(fitted.classes_[scores.argmax(axis=1)], fitted.predict(box))
    assert np.exp(scores) == pytest.approx(fitted.predict_proba(box))
    two = y != "virginica"
    fitted.fit(X[two], y[two])
    odds = fitted.predict_proba(box)
    assert fitted.decision_function(box) == pytest.approx(
        np.log(odds[:, 1]) - np.log(odds[:, 0]), rel=1e-6, abs=1e-9
    )


# Nothing is known of a feature in one class: the prototype starts where the others are.
def test_a_feature_that_a_class_never_shows_does_not_depend_on_the_origin(iris):
    X, y = iris
    X = X.copy()
    X[y == "setosa", 1] = np.nan
    here, there = GLVQ().fit(X, y), GLVQ().fit(X + 1000, y)
    assert there.prototypes_ - 1000 == pytest.approx(here.prototypes_, abs=1e-3)


# The metric that is kept is the one that was found, in single precision too.
def test_float32_keeps_the_metric_that_was_found():
    X, y = make_classification(300, 60, n_informative=10, n_classes=3, random_state=0)
    X = X.astype(np.float32)
    model = GMLVQ().fit(X, y)
    sizes = np.linalg.norm(model.omega_, axis=1)
    assert len(np.unique(sizes.round(6))) > 30
    double = GMLVQ().fit(X.astype(np.float64), y)
    agree = model.predict(X) == double.predict(X.astype(np.float64))
    assert agree.mean() > 0.97


def test_a_fit_that_stops_for_want_of_digits_does_not_ask_for_more_iterations(recwarn):
    X, y = make_classification(1500, 300, n_informative=30, n_classes=3, random_state=0)
    model = RSLVQ().fit(X[:750].astype(np.float32), y[:750])
    assert model.n_iter_ < model.max_iter
    assert not [w for w in recwarn if w.category is ConvergenceWarning]
