import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import roc_auc_score

from abstain.metrics import (
    augrc_score,
    aurc_score,
    classification_quality,
    eaurc_score,
    rejection_quality,
)
from tests.metrics.strategies import law, samples

# Certainty 0.9: right; 0.8: one right, one wrong; 0.5: right; 0.3: wrong.
SMALL = [1, 0, 1, 1, 0], [1, 0, 0, 1, 1], [0.9, 0.8, 0.8, 0.5, 0.3]


def test_aurc_of_a_small_example():
    # Selective risks, sample by sample: 0/1, 1/3, 1/3, 1/4, 2/5.
    assert aurc_score(*SMALL) == pytest.approx((0 + 1 / 3 + 1 / 3 + 1 / 4 + 2 / 5) / 5)


def test_eaurc_of_a_small_example():
    # In the best order the two errors come last, with the risks 1/4 and 2/5.
    best = (1 / 4 + 2 / 5) / 5
    assert eaurc_score(*SMALL) == pytest.approx(aurc_score(*SMALL) - best)


def test_augrc_of_a_small_example():
    # (coverage, risk): (0, 0), (0.2, 0), (0.6, 0.2), (0.8, 0.2), (1, 0.4).
    # Trapezia: 0 + 0.4 * 0.1 + 0.2 * 0.2 + 0.2 * 0.3 = 0.14.
    assert augrc_score(*SMALL) == pytest.approx(0.14)


def test_weighted_scores_of_a_small_example():
    # Weights 1 (right, surest) and 3 (wrong): the risks are 0 and 3/4, with weights 1 and 3.
    weighted = [1, 1], [1, 0], [2, 1]
    assert aurc_score(*weighted, sample_weight=[1, 3]) == pytest.approx((1 * 0 + 3 * 3 / 4) / 4)
    # Coverage 1/4 to 1, generalised risk 0 to 3/4: a triangle.
    assert augrc_score(*weighted, sample_weight=[1, 3]) == pytest.approx(0.75 * 0.75 / 2)


@law
@given(s=samples())
def test_aurc_of_a_constant_certainty_is_the_error_rate(s):
    error_rate = np.average(s.y_true != s.y_pred, weights=s.weights)
    constant = np.full(len(s.y_true), 0.3)
    score = aurc_score(s.y_true, s.y_pred, constant, sample_weight=s.weights)
    assert score == pytest.approx(error_rate)


@law
@given(s=samples())
def test_augrc_is_a_function_of_accuracy_and_auroc(s):
    correct = s.y_true == s.y_pred
    accuracy = np.average(correct, weights=s.weights)
    auroc = 1.0  # there is none where all are right or all wrong, and its factor is 0
    if 0 < accuracy < 1:
        ranks = np.unique(s.certainty, return_inverse=True)[1]  # scikit-learn refuses infinities
        auroc = roc_auc_score(correct, ranks, sample_weight=s.weights)
    expected = (1 - auroc) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
    score = augrc_score(s.y_true, s.y_pred, s.certainty, sample_weight=s.weights)
    assert score == pytest.approx(expected, abs=1e-12)


def test_augrc_identity_holds_for_many_samples_with_any_weights():
    rng = np.random.default_rng(0)
    certainty = rng.normal(size=20_000).round(2)
    correct = rng.random(20_000) < 1 / (1 + np.exp(-2 - certainty))
    weights = rng.exponential(size=20_000)
    accuracy = np.average(correct, weights=weights)
    auroc = roc_auc_score(correct, certainty, sample_weight=weights)
    expected = (1 - auroc) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
    score = augrc_score(np.ones(20_000), correct, certainty, sample_weight=weights)
    assert score == pytest.approx(expected, rel=1e-10)


@law
@given(s=samples())
def test_no_order_is_better_than_the_best(s):
    # Not even by a rounding error, so that no caller meets -1e-17.
    assert 0 <= eaurc_score(s.y_true, s.y_pred, s.certainty) <= 1


@law
@given(s=samples())
def test_right_before_wrong_without_ties_has_no_excess(s):
    correct = s.y_true == s.y_pred
    perfect = np.where(correct, 1000, 0) + np.arange(len(correct))
    assert eaurc_score(s.y_true, s.y_pred, perfect) == 0


@law
@given(s=samples())
def test_scores_lie_in_their_ranges(s):
    arguments = s.y_true, s.y_pred, s.certainty
    assert 0 <= aurc_score(*arguments, sample_weight=s.weights) <= 1
    assert 0 <= augrc_score(*arguments, sample_weight=s.weights) <= 0.5


@pytest.mark.parametrize("score", [aurc_score, eaurc_score, augrc_score])
def test_all_right_scores_zero(score):
    assert score([1, 2, 3], [1, 2, 3], [0.1, 0.5, 0.5]) == 0


def test_all_wrong_scores_the_worst():
    wrong = [1, 2, 3], [0, 0, 0], [0.1, 0.5, 0.5]
    assert aurc_score(*wrong) == 1
    assert augrc_score(*wrong) == 0.5
    # No other order would be better.
    assert eaurc_score(*wrong) == 0


def test_excess_takes_no_weights():
    assert "sample_weight" not in inspect.signature(eaurc_score).parameters


@pytest.mark.parametrize("score", [aurc_score, eaurc_score, augrc_score])
def test_a_score_is_a_plain_float(score):
    assert type(score(*SMALL)) is float


# --- qualities ----------------------------------------------------------------------------------

# Right, right, wrong, right, wrong.
LABELS, PREDICTIONS = [1, 0, 1, 1, 0], [1, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("rejected", "handled_rightly", "odds_ratio"),
    [
        # 2 right accepted and 1 wrong rejected; (1/1) / (2/3).
        ([0, 0, 0, 1, 1], 3 / 5, 3 / 2),
        # Both errors and nothing else.
        ([0, 0, 1, 0, 1], 1, math.inf),
        # One right sample and nothing else: 2 right accepted.
        ([1, 0, 0, 0, 0], 2 / 5, 0),
        # Everything: as rich in errors as everything is.
        ([1, 1, 1, 1, 1], 2 / 5, 1),
        # Nothing: 0/0.
        ([0, 0, 0, 0, 0], 3 / 5, math.nan),
    ],
)
def test_qualities_of_a_small_example(rejected, handled_rightly, odds_ratio):
    quality = classification_quality(LABELS, PREDICTIONS, rejected)
    assert quality == pytest.approx(handled_rightly)
    quality = rejection_quality(LABELS, PREDICTIONS, rejected)
    assert quality == pytest.approx(odds_ratio, nan_ok=True)


def test_weighted_qualities_of_a_small_example():
    # Right: 1 + 2 + 4, of which 4 is rejected; wrong: 3 + 5, of which 5 is.
    arguments, weights = (LABELS, PREDICTIONS, [0, 0, 0, 1, 1]), [1, 2, 3, 4, 5]
    quality = classification_quality(*arguments, sample_weight=weights)
    assert quality == pytest.approx((1 + 2 + 5) / 15)
    quality = rejection_quality(*arguments, sample_weight=weights)
    assert quality == pytest.approx((5 / 4) / (8 / 7))


@pytest.mark.parametrize("rejected", [[True, False], [False, False], [True, True]])
def test_rejection_quality_needs_right_and_wrong_samples(rejected):
    assert math.isnan(rejection_quality([1, 1], [1, 1], rejected))
    assert math.isnan(rejection_quality([1, 1], [0, 0], rejected))


@law
@given(s=samples())
def test_without_rejects_quality_is_accuracy(s):
    accuracy = np.average(s.y_true == s.y_pred, weights=s.weights)
    nothing = np.zeros(len(s.y_true), dtype=bool)
    quality = classification_quality(s.y_true, s.y_pred, nothing, sample_weight=s.weights)
    assert quality == pytest.approx(accuracy)


@law
@given(s=samples())
def test_rejecting_the_others_instead_gets_the_rest_wrong(s):
    quality, opposite = (
        classification_quality(s.y_true, s.y_pred, rejected, sample_weight=s.weights)
        for rejected in (s.rejected, ~s.rejected)
    )
    assert quality + opposite == pytest.approx(1)


@law
@given(s=samples())
def test_rejecting_just_the_errors_handles_everything_rightly(s):
    errors = s.y_true != s.y_pred
    assert classification_quality(s.y_true, s.y_pred, errors, sample_weight=s.weights) == 1


@pytest.mark.parametrize("quality", [classification_quality, rejection_quality])
def test_a_quality_is_a_plain_float(quality):
    assert type(quality(LABELS, PREDICTIONS, [0, 0, 0, 1, 1])) is float
