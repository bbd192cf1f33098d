"""A figure of a cross-validation shows what each classifier does to samples it has not seen."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import ShuffleSplit, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ, GRLVQ, LGMLVQ, InputError, RejectOptionClassifier, RejectRate
from abstain.plotting import (
    AccuracyRejectCurveDisplay,
    RejectConfusionDisplay,
    RejectOutcomesDisplay,
    RelevanceDisplay,
    RelevanceMatrixDisplay,
)

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")

KINDS = ["right", "wrong", "truly_rejected", "falsely_rejected"]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900], y[:900]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def validated(estimator, X, y, cv=4):
    return cross_validate(estimator, X, y, cv=cv, return_estimator=True, return_indices=True)


def one_fold():
    return ShuffleSplit(n_splits=1, test_size=0.4, random_state=0)


def parts(results):
    return list(zip(results["estimator"], results["indices"]["test"], strict=True))


def reject_option():
    return RejectOptionClassifier(GaussianNB(), target=RejectRate(0.15))


# --- what becomes of the samples -----------------------------------------------------------------


def shares(display):
    return np.array([getattr(display, kind) for kind in KINDS])


def test_one_fold_has_the_outcomes_of_its_predictions(digits):
    X, y = digits
    results = validated(GaussianNB(), X, y, cv=one_fold())
    ((fitted, test),) = parts(results)
    display = RejectOutcomesDisplay.from_cv_results(results, X, y, certainty="conf")
    certainty = fitted.predict_proba(X[test]).max(axis=1)
    expected = RejectOutcomesDisplay.from_predictions(y[test], fitted.predict(X[test]), certainty)
    assert display.reject_rates == pytest.approx(expected.reject_rates)
    assert shares(display) == pytest.approx(shares(expected))


# A sample is in one test part, so that all samples are counted once.
@pytest.mark.parametrize("estimator", [GaussianNB(), reject_option()], ids=["any", "front"])
def test_outcomes_of_folds_are_counted_together(estimator, digits):
    X, y = digits
    results = validated(estimator, X, y)
    display = RejectOutcomesDisplay.from_cv_results(results, X, y)
    assert shares(display).sum(axis=0) == pytest.approx(1)
    assert shares(display)[2:].sum(axis=0) == pytest.approx(display.reject_rates)
    assert np.ptp(display.wrong + display.truly_rejected) == pytest.approx(0)
    singles = [
        RejectOutcomesDisplay.from_estimator(fitted, X[test], y[test])
        for fitted, test in parts(results)
    ]
    sizes = [len(test) for _, test in parts(results)]
    # At no rejects, and where the first classifier can reject no more.
    assert display.right[0] * len(y) == pytest.approx(
        sum(size * one.right[0] for size, one in zip(sizes, singles, strict=True))
    )
    assert display.reject_rates[-1] == min(one.reject_rates[-1] for one in singles)
    middle = len(display.reject_rates) // 2
    rate = display.reject_rates[middle]
    if not hasattr(estimator, "target"):  # whose rates ascend without ties
        for kind in KINDS:
            counts = [
                size * np.interp(rate, one.reject_rates, getattr(one, kind))
                for size, one in zip(sizes, singles, strict=True)
            ]
            assert getattr(display, kind)[middle] * len(y) == pytest.approx(sum(counts))


def test_confusion_matrices_of_folds_add_up(digits):
    X, y = digits
    results = validated(make_pipeline(StandardScaler(), reject_option()), X, y)
    display = RejectConfusionDisplay.from_cv_results(results, X, y)
    single = [
        RejectConfusionDisplay.from_estimator(fitted, X[test], y[test]).confusion_matrix
        for fitted, test in parts(results)
    ]
    assert display.confusion_matrix.tolist() == sum(single).tolist()
    assert display.confusion_matrix.sum(axis=1).tolist() == np.bincount(y).tolist()
    assert display.display_labels.tolist() == list(range(10))


def test_weights_follow_their_samples_into_the_folds(digits):
    X, y = digits
    results = validated(reject_option(), X, y, cv=ShuffleSplit(3, test_size=0.5, random_state=0))
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    display = RejectConfusionDisplay.from_cv_results(results, X, y, sample_weight=weight)
    single = [
        RejectConfusionDisplay.from_estimator(
            fitted, X[test], y[test], sample_weight=weight[test]
        ).confusion_matrix
        for fitted, test in parts(results)
    ]
    assert display.confusion_matrix == pytest.approx(sum(single))
    with pytest.raises(InputError, match="sample_weight"):
        RejectConfusionDisplay.from_cv_results(results, X, y, sample_weight=weight[1:])


# --- what the models weigh -----------------------------------------------------------------------


@pytest.mark.parametrize("model", [GRLVQ, GMLVQ, LGMLVQ])
def test_relevances_are_the_mean_over_folds(model, iris):
    results = validated(model(random_state=0), *iris)
    display = RelevanceDisplay.from_cv_results(results)
    single = [np.atleast_2d(fitted.relevances_).mean(axis=0) for fitted in results["estimator"]]
    assert display.relevances == pytest.approx(np.mean(single, axis=0))
    assert display.std == pytest.approx(np.std(single, axis=0))
    assert display.feature_names == list(iris[0].columns)
    # A line reaches as far to both sides of each bar as the fits differ.
    segments = display.bars_.errorbar.lines[2][0].get_segments()
    shown = display.order
    ends = [[low, high] for (low, _), (high, _) in segments]
    mean, std = display.relevances[shown], display.std[shown]
    assert np.array(ends) == pytest.approx(np.stack([mean - std, mean + std], axis=1))
    assert "standard deviation" in display.ax_.get_xlabel()


def test_one_fold_has_the_relevances_of_its_model(iris):
    results = validated(GMLVQ(random_state=0), *iris, cv=one_fold())
    (fitted,) = results["estimator"]
    display, expected = (
        RelevanceDisplay.from_cv_results(results),
        RelevanceDisplay.from_estimator(fitted),
    )
    assert display.relevances.tolist() == pytest.approx(expected.relevances.tolist())
    assert display.std.tolist() == [0] * 4
    assert expected.std is None


@pytest.mark.parametrize("model", [GMLVQ, LGMLVQ])
def test_the_matrix_is_the_mean_over_folds(model, iris):
    results = validated(model(random_state=0), *iris)
    display = RelevanceMatrixDisplay.from_cv_results(results)
    single = [RelevanceMatrixDisplay.from_estimator(each).matrix for each in results["estimator"]]
    assert display.matrix == pytest.approx(np.mean(single, axis=0))
    assert display.matrix.diagonal() == pytest.approx(
        RelevanceDisplay.from_cv_results(results).relevances
    )


def test_folds_that_see_other_features_have_no_mean(iris):
    X, y = iris
    X, y = X.iloc[:, [0, 1]], y
    results = validated(make_pipeline(SelectKBest(k=1), GRLVQ()), X, y, cv=2)
    chosen = [fitted[0].get_support().tolist() for fitted in results["estimator"]]
    results["estimator"][1][0].scores_ = -results["estimator"][1][0].scores_
    assert chosen[0] != results["estimator"][1][0].get_support().tolist()
    for display in (RelevanceDisplay, RelevanceMatrixDisplay):
        with pytest.raises(InputError, match=r"same features, got others in fold 1"):
            display.from_cv_results(results)


# --- what cannot be drawn ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("display", "argument"),
    [
        (AccuracyRejectCurveDisplay, "curves"),
        (RejectOutcomesDisplay, "cv_results"),
        (RejectConfusionDisplay, "cv_results"),
    ],
)
def test_what_cross_validate_has_not_returned_is_asked_for(display, argument, digits):
    X, y = digits
    draw = display.from_cv_results
    with pytest.raises(InputError, match=rf"^{argument} must .* return_estimator=True"):
        draw({"test_score": [1.0]}, X, y)
    with pytest.raises(InputError, match=rf"^{argument} must .* return_indices=True"):
        draw({"estimator": [GaussianNB()]}, X, y)
    results = {"estimator": [GaussianNB()], "indices": {"test": [[0]]}}
    with pytest.raises(InputError, match=r"^X and y must be those given to cross_validate"):
        draw(results, None, None)
    with pytest.raises(InputError, match=r"same samples: X has 900, y has 899"):
        draw(results, X, y[1:])
    with pytest.raises(InputError, match=rf"^{argument} must hold at least one fold, got none"):
        draw({"estimator": [], "indices": {"test": []}}, X, y)


@pytest.mark.parametrize("display", [RelevanceDisplay, RelevanceMatrixDisplay])
def test_models_that_weigh_nothing_are_refused(display, iris):
    with pytest.raises(InputError, match=r"^estimator must be a model that .* got a GaussianNB"):
        display.from_cv_results(validated(GaussianNB(), *iris))
    with pytest.raises(InputError, match=r"^cv_results must be what cross_validate returns"):
        display.from_cv_results([GMLVQ()])


def test_a_deviation_belongs_to_one_row_of_relevances():
    with pytest.raises(InputError, match=r"^std must have the shape of relevances"):
        RelevanceDisplay(relevances=[0.4, 0.6], feature_names=["a", "b"], std=[0.1])
    with pytest.raises(InputError, match=r"^std must have the shape of relevances"):
        RelevanceDisplay(relevances=[[0.4, 0.6]], feature_names=["a", "b"], std=[[0.1, 0.1]])
