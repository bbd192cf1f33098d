import math

import numpy as np
import pytest
from hypothesis import given

from abstain.metrics import classification_quality, rejection_quality
from tests.metrics.strategies import law, samples

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
