"""What is drawn is what `RiskMonitor` collects."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import Accuracy, InputError, RejectOptionClassifier, RejectRate, RiskMonitor
from abstain.plotting import RiskMonitorDisplay

pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")

ANSWERS = [True] * 30 + [False, None, True] * 20


def test_the_curve_is_the_evidence_of_a_monitor_after_each_checked_answer():
    display = RiskMonitorDisplay.from_predictions(ANSWERS, accuracy=0.9, confidence=0.9)
    monitor = RiskMonitor(0.9, confidence=0.9)
    for end, answer in enumerate(ANSWERS, start=1):
        monitor.update(answer)
        if answer is not None:
            assert display.evidence[display.answers == end] == pytest.approx(monitor.evidence)
    assert display.alarm_at == monitor.alarm_at
    assert display.alarm == pytest.approx(10)
    x, y = display.line_.get_data()
    assert (x[0], y[0]) == (0, 1)
    np.testing.assert_allclose(y[1:], np.minimum(display.evidence, 1000))


def test_an_estimator_is_drawn_with_the_accuracy_it_promised():
    X, y = load_digits(return_X_y=True)
    clf = RejectOptionClassifier(GaussianNB(), target=Accuracy(0.9)).fit(X[:900], y[:900])
    truth = np.where(np.arange(897) % 2, y[900:].astype(float), np.nan)
    display = RiskMonitorDisplay.from_estimator(clf, X[900:], truth)
    monitor = RiskMonitor.from_classifier(clf).update_from_classifier(clf, X[900:], truth)
    assert display.accuracy == 0.9
    assert display.evidence[-1] == pytest.approx(monitor.evidence)
    assert display.alarm_at == monitor.alarm_at
    pipeline = make_pipeline(StandardScaler(), RejectOptionClassifier(GaussianNB()))
    pipeline.fit(X[:900], y[:900])
    RiskMonitorDisplay.from_estimator(pipeline, X[900:], y[900:], accuracy=0.5)


@pytest.mark.parametrize("right", [[True], [False] * 3000, [None], []])
def test_few_and_many_errors_can_be_drawn(right):
    display = RiskMonitorDisplay.from_predictions(right, accuracy=0.9)
    display.figure_.canvas.draw()
    assert (display.alarm_at is None) == (len(right) < 3)


def test_curves_in_one_axes_are_all_seen():
    display = RiskMonitorDisplay.from_predictions([True] * 300, accuracy=0.9, name="a")
    RiskMonitorDisplay.from_predictions([True] * 50, accuracy=0.9, name="b", ax=display.ax_)
    low, high = display.ax_.get_ylim()
    assert low < display.evidence.min() < 20 < high
    assert display.ax_.get_xlim()[1] >= 300


def test_bad_input_is_refused_in_one_line():
    with pytest.raises(InputError, match=r"accuracy must be a number in \(0, 1\), got 2"):
        RiskMonitorDisplay.from_predictions([True], accuracy=2)
    X, y = load_digits(return_X_y=True)
    clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.1)).fit(X, y)
    with pytest.raises(InputError, match="must have an Accuracy as its target"):
        RiskMonitorDisplay.from_estimator(clf, X, y)
