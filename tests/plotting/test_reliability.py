"""The display holds the curve that the metric computes, and draws just that."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import InputError, RejectOptionClassifier
from abstain.metrics import reliability_curve
from abstain.plotting import ReliabilityDisplay

matplotlib = pytest.importorskip("matplotlib", reason="pip install '.[plot]' to test figures")

CORRECT = np.array([False, True, False, True, True, True, True, True])
PROBABILITY = np.array([0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])


def names_in_legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def clf(digits):
    X, y, _, _ = digits
    return RejectOptionClassifier(GaussianNB()).fit(X, y)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_from_predictions_draws_the_curve_of_the_metric(strategy):
    options = {"n_bins": 4, "strategy": strategy, "confidence": 0.8}
    display = ReliabilityDisplay.from_predictions(CORRECT, PROBABILITY, **options)
    curve = reliability_curve(CORRECT, PROBABILITY, **options)
    assert display.line_.get_xdata().tolist() == curve.mean_probabilities.tolist()
    assert display.line_.get_ydata().tolist() == curve.accuracies.tolist()
    assert display.counts.tolist() == curve.counts.tolist()
    drawn = [segment[:, 1].tolist() for segment in display.intervals_.get_segments()]
    assert drawn == [list(ends) for ends in zip(curve.lower, curve.upper, strict=True)]


def test_the_legend_tells_the_scores():
    display = ReliabilityDisplay.from_predictions(CORRECT, PROBABILITY, n_bins=2, name="mine")
    scores = brier_score_loss(CORRECT, PROBABILITY), log_loss(CORRECT, PROBABILITY)
    assert (display.brier_score, display.log_loss) == scores
    assert names_in_legend(display) == [
        f"mine (Brier {scores[0]:.3f}, log loss {scores[1]:.3f})",
        "perfectly calibrated",
    ]
    plain = ReliabilityDisplay(
        mean_probabilities=[0.5], accuracies=[0.4], counts=[9], lower=[0.2], upper=[0.7]
    )
    assert names_in_legend(plain.plot(name="bare")) == ["bare", "perfectly calibrated"]


@pytest.mark.parametrize("is_right", [True, False])
def test_answers_that_are_all_alike_have_scores(is_right):
    display = ReliabilityDisplay.from_predictions([is_right] * 3, [0.0, 0.5, 1.0])
    assert display.brier_score == pytest.approx(1.25 / 3)
    assert np.isfinite(display.log_loss)


def test_two_curves_share_a_diagonal_and_differ_without_colour():
    first = ReliabilityDisplay.from_predictions(CORRECT, PROBABILITY, n_bins=2, name="first")
    second = ReliabilityDisplay.from_predictions(
        CORRECT, PROBABILITY**2, n_bins=2, name="second", ax=first.ax_
    )
    assert names_in_legend(second).count("perfectly calibrated") == 1
    assert len(first.ax_.lines) == 2
    assert first.line_.get_linestyle() != second.line_.get_linestyle()


def test_from_estimator_compares_plain_answers_with_their_probability(digits, clf):
    _, _, X_new, y_new = digits
    display = ReliabilityDisplay.from_estimator(clf, X_new, y_new, n_bins=5)
    probability = clf.predict_correct_proba(X_new)
    known = ~np.isnan(probability)  # outliers have none
    assert np.array_equal(~known, clf.decide(X_new).outlier)
    right = clf.predict(X_new) == y_new
    curve = reliability_curve(right[known], probability[known], n_bins=5)
    assert display.mean_probabilities.tolist() == curve.mean_probabilities.tolist()
    assert display.accuracies.tolist() == curve.accuracies.tolist()


# Rejected or not, the probability is that of the answer.
def test_a_reject_label_does_not_make_answers_wrong(digits, clf):
    X, y, X_new, y_new = digits
    labelled = RejectOptionClassifier(GaussianNB(), reject_label=-1).fit(X, y)
    display = ReliabilityDisplay.from_estimator(labelled, X_new, y_new)
    expected = ReliabilityDisplay.from_estimator(clf, X_new, y_new)
    assert display.accuracies.tolist() == expected.accuracies.tolist()


def test_a_reject_option_is_found_behind_transformers(digits):
    X, y, X_new, y_new = digits
    pipeline = make_pipeline(StandardScaler(), RejectOptionClassifier(GaussianNB()))
    pipeline.fit(X, y)
    display = ReliabilityDisplay.from_estimator(pipeline, X_new, y_new)
    seen = pipeline[0].transform(X_new)
    expected = ReliabilityDisplay.from_estimator(pipeline[-1], seen, y_new)
    assert display.accuracies.tolist() == expected.accuracies.tolist()


def test_another_classifier_is_sent_to_from_predictions(digits, clf):
    _, _, X_new, y_new = digits
    with pytest.raises(InputError, match=r"got a GaussianNB; use from_predictions"):
        ReliabilityDisplay.from_estimator(clf.estimator_, X_new, y_new)
