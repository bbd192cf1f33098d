"""The display holds the curve that the metrics compute, and draws just that."""

import sys

import numpy as np
import pytest

from abstain import RejectRate, operating_point, pareto_front
from abstain.metrics import accuracy_reject_curve
from abstain.plotting import AccuracyRejectCurveDisplay
from tests.fronts.strategies import synthetic

matplotlib = pytest.importorskip(
    "matplotlib", reason="pip install 'abstain[plot]' to test pictures"
)


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
    with pytest.raises(ImportError, match=r"pip install 'abstain\[plot\]'"):
        AccuracyRejectCurveDisplay(accuracies=[1.0], reject_rates=[0.0]).plot()
