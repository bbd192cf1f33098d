"""The display holds the curve that the metrics compute, and draws just that."""

import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import (
    GMLVQ,
    RejectOptionClassifier,
    RejectRate,
    operating_point,
    pareto_front,
)
from abstain.certainty import measure_certainty
from abstain.metrics import accuracy_reject_curve, average_curves
from abstain.plotting import AccuracyRejectCurveDisplay
from tests.fronts.strategies import synthetic

matplotlib = pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")


def test_from_predictions_draws_the_curve_of_the_metric():
    y_true, y_pred, certainty = [1, 0, 1, 1, 0], [1, 0, 0, 1, 1], [0.9, 0.8, 0.7, 0.5, 0.3]
    display = AccuracyRejectCurveDisplay.from_predictions(y_true, y_pred, certainty, name="SVM")
    accuracies, reject_rates, _ = accuracy_reject_curve(y_true, y_pred, certainty)
    assert display.line_.get_xdata().tolist() == reject_rates.tolist()
    assert display.line_.get_ydata().tolist() == accuracies.tolist()
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["SVM"]


# What the curve shows at a reject rate is what the target of that rate gets.
@pytest.mark.parametrize("decimals", [None, 1])
def test_from_front_shows_the_best_accuracy_within_each_budget(decimals):
    front = pareto_front(*synthetic(400, 3, decimals=decimals))
    display = AccuracyRejectCurveDisplay.from_front(front)
    assert (np.diff(display.reject_rates) > 0).all()
    for budget in (0.0, 0.1, 0.35, 0.8):
        shown = display.accuracies[display.reject_rates <= budget][-1]
        assert shown == operating_point(front, RejectRate(budget)).accuracy
    assert display.ax_.get_legend() is None


def test_rejecting_everything_is_not_drawn():
    display = AccuracyRejectCurveDisplay.from_front(pareto_front([0.1, 0.2], [False, False]))
    assert display.accuracies.tolist() == [0.0]


def test_two_curves_share_an_axes_and_a_display_can_be_drawn_again():
    front = pareto_front(*synthetic(100, 2))
    first = AccuracyRejectCurveDisplay.from_front(front, name="first", color="black")
    second = first.plot(ax=first.ax_, name="second")
    assert second.figure_ is first.figure_
    assert [t.get_text() for t in first.ax_.get_legend().get_texts()] == ["first", "second"]


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install '.\[plot\]'"):
        AccuracyRejectCurveDisplay(accuracies=[1.0], reject_rates=[0.0]).plot()


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def clf(digits):
    X, y, _, _ = digits
    return RejectOptionClassifier(
        GaussianNB(), target=RejectRate(0.15), cv="training", outliers=None
    ).fit(X, y)


# A row of the stored front is run by retargeting to its reject rate.
@pytest.mark.parametrize("cells", ["class", "global"])
def test_from_estimator_is_what_retargeting_does_to_new_samples(digits, cells):
    X, y, X_new, y_new = digits
    clf = RejectOptionClassifier(GaussianNB(), cells=cells, outliers=None).fit(X, y)
    display = AccuracyRejectCurveDisplay.from_estimator(clf, X_new, y_new)
    assert len(display.rows) > 50
    assert (np.diff(display.reject_rates) >= 0).all()
    right = clf.predict(X_new) == y_new
    for entry in range(0, len(display.rows), 9):
        clf.retarget(RejectRate(clf.front_.reject_rates[display.rows[entry]]))
        rejected = clf.reject(X_new)
        assert display.reject_rates[entry] == pytest.approx(rejected.mean())
        assert display.accuracies[entry] == pytest.approx(right[~rejected].mean())


# On its own calibration data, a classifier does what its front says.
def test_from_estimator_on_the_calibration_data_is_the_front(digits, clf):
    X, y, _, _ = digits
    display = AccuracyRejectCurveDisplay.from_estimator(clf, X, y)
    expected = AccuracyRejectCurveDisplay.from_front(clf.front_)
    assert set(display.rows.tolist()) == {*expected.rows.tolist(), clf.operating_point_.row}
    best = np.isin(display.rows, expected.rows)
    assert display.reject_rates[best] == pytest.approx(expected.reject_rates)
    assert display.accuracies[best] == pytest.approx(expected.accuracies)
    point = clf.operating_point_
    assert display.operating_point == pytest.approx((point.reject_rate, point.accuracy))


def test_the_dot_is_where_the_classifier_runs(digits, clf):
    _, _, X_new, y_new = digits
    display = AccuracyRejectCurveDisplay.from_estimator(clf, X_new, y_new)
    rejected = clf.reject(X_new)
    right = clf.predict(X_new)[~rejected] == y_new[~rejected]
    assert display.operating_point == pytest.approx((rejected.mean(), right.mean()))
    assert display.point_.get_offsets().tolist() == [pytest.approx(display.operating_point)]
    # It lies on the curve, also where another row is as accurate with fewer rejects.
    (entry,) = np.flatnonzero(display.rows == clf.operating_point_.row)
    on_curve = display.reject_rates[entry], display.accuracies[entry]
    assert on_curve == pytest.approx(display.operating_point)
    assert len(display.ax_.lines) == 1


def test_any_classifier_has_one_threshold_on_a_certainty(digits, clf):
    _, _, X_new, y_new = digits
    model = clf.estimator_
    certainty = measure_certainty(model, X_new, "margin")
    expected, rates, _ = accuracy_reject_curve(y_new, model.predict(X_new), certainty)
    for estimator in (model, clf):
        display = AccuracyRejectCurveDisplay.from_estimator(
            estimator, X_new, y_new, certainty="margin"
        )
        assert display.accuracies == pytest.approx(expected)
        assert display.reject_rates == pytest.approx(rates)
        assert display.rows is None
        assert display.point_ is None


def test_a_reject_option_is_found_behind_transformers(digits):
    X, y, X_new, y_new = digits
    pipeline = make_pipeline(StandardScaler(), RejectOptionClassifier(GMLVQ(max_iter=20)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        pipeline.fit(X, y)
    display = AccuracyRejectCurveDisplay.from_estimator(pipeline, X_new, y_new)
    seen = pipeline[0].transform(X_new)
    expected = AccuracyRejectCurveDisplay.from_estimator(pipeline[-1], seen, y_new)
    assert display.accuracies.tolist() == expected.accuracies.tolist()


RUNS = [([0.5, 0.8, 1.0], [0.0, 0.4, 0.8]), ([0.7, 0.8], [0.0, 0.4]), ([0.9, 1.0], [0.0, 0.4])]


def test_from_cv_results_averages_as_the_metric_does():
    grid = [0.0, 0.2, 0.4, 0.6]
    display = AccuracyRejectCurveDisplay.from_cv_results(RUNS, grid=grid, name="mean")
    expected = average_curves(RUNS, grid)
    assert display.accuracies.tolist()[:3] == expected.mean.tolist()[:3]
    assert np.isnan(display.accuracies[3])
    assert display.std.tolist()[:3] == expected.std.tolist()[:3]
    ends = display.band_.get_paths()[0].vertices[:, 1]
    assert ends.min() == pytest.approx((expected.mean - expected.std)[0])
    assert ends.max() <= 1


@pytest.mark.parametrize("certainty", [None, "margin"])
@pytest.mark.parametrize("has_reject_option", [True, False])
def test_from_cv_results_takes_what_cross_validate_returns(digits, certainty, has_reject_option):
    X, y, _, _ = digits
    estimator = GaussianNB()
    if has_reject_option:
        estimator = RejectOptionClassifier(estimator, outliers=None)
    results = cross_validate(estimator, X, y, cv=4, return_estimator=True, return_indices=True)
    display = AccuracyRejectCurveDisplay.from_cv_results(results, X, y, certainty=certainty)
    accuracies = []
    for fitted, test in zip(results["estimator"], results["indices"]["test"], strict=True):
        one = AccuracyRejectCurveDisplay.from_estimator(
            fitted, X[test], y[test], certainty=certainty
        )
        accuracies.append(one.accuracies[one.reject_rates == 0].mean())
    assert display.accuracies[0] == pytest.approx(np.mean(accuracies))
    assert display.std[0] == pytest.approx(np.std(accuracies))
    assert np.isfinite(display.accuracies[:10]).all()


# Nobody can tell curves apart by colour alone.
def test_curves_in_one_axes_differ_in_dashes_and_in_colour():
    from matplotlib import pyplot as plt

    _, ax = plt.subplots()
    display = AccuracyRejectCurveDisplay(accuracies=[0.8, 1.0], reject_rates=[0.0, 0.5])
    lines = [display.plot(ax=ax, name=str(number)).line_ for number in range(42)]
    looks = [(line.get_color(), str(line._dash_pattern)) for line in lines]
    assert len(set(looks)) == 42
    assert len({dashes for _, dashes in looks[:7]}) == 7
    assert len({colour for colour, _ in looks[:6]}) == 6


def test_what_the_caller_says_of_a_curve_holds():
    display = AccuracyRejectCurveDisplay(accuracies=[0.8, 1.0], reject_rates=[0.0, 0.5])
    line = display.plot(c="red", ls=":", drawstyle="default").line_
    assert (line.get_color(), line.get_linestyle(), line.get_drawstyle()) == ("red", ":", "default")
