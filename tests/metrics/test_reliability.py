"""A reliability curve is what its definition says, and knows a calibrated probability."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.calibration import calibration_curve

from abstain import InputError
from abstain.metrics import reliability_curve
from tests.metrics.strategies import law
from tests.reference import metrics as reference

# Few values, so that most are tied; sums of these are exact.
PROBABILITIES = [0.0, 0.125, 0.5, 0.625, 0.75, 0.875, 1.0]
samples = st.lists(
    st.tuples(st.booleans(), st.sampled_from(PROBABILITIES)), min_size=1, max_size=20
)
n_bins = st.integers(1, 8)
strategies = st.sampled_from(["quantile", "uniform"])


def simulated(seed, n=4000, distortion=1.0):
    """Return answers that are right with a probability whose log-odds are given too large."""
    generator = np.random.default_rng(seed)
    log_odds = generator.normal(1.5, 1.0, size=n)
    correct = generator.random(n) < 1 / (1 + np.exp(-log_odds))
    return correct, 1 / (1 + np.exp(-distortion * log_odds))


# The quantile 2/3 of ten values is the seventh of them, which rounding must not miss.
@law
@example([(False, p) for p in [0.0] * 6 + [0.125] * 3 + [0.5]], 3, "quantile")
@given(samples, n_bins, strategies)
def test_curve_is_its_definition(rows, n_bins, strategy):
    correct, probability = zip(*rows, strict=True)
    curve = reliability_curve(correct, probability, n_bins=n_bins, strategy=strategy)
    expected = reference.reliability_curve(correct, probability, n_bins, strategy)
    assert len(curve.counts) == len(expected)
    for column, values in zip(curve[:3], zip(*expected, strict=True), strict=True):
        assert column == pytest.approx(values)


@law
@given(samples, st.floats(0.5, 0.999))
def test_interval_is_what_the_score_test_does_not_reject(rows, confidence):
    correct, probability = zip(*rows, strict=True)
    z = norm.ppf((1 + confidence) / 2)
    (_, (share,), (n,), (lower,), (upper,)) = reliability_curve(
        correct, probability, n_bins=1, confidence=confidence
    )
    assert 0 <= lower <= share <= upper <= 1
    for inside in (lower + 1e-9, upper - 1e-9):
        assert reference.is_in_wilson_interval(inside, sum(correct), n, z)
    for outside in (lower - 1e-9, upper + 1e-9):
        if 0 < outside < 1:
            assert not reference.is_in_wilson_interval(outside, sum(correct), n, z)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_bins_are_those_of_scikit_learn(strategy):
    correct, probability = simulated(0)
    curve = reliability_curve(correct, probability, n_bins=13, strategy=strategy)
    shares, means = calibration_curve(correct, probability, n_bins=13, strategy=strategy)
    assert curve.accuracies == pytest.approx(shares)
    assert curve.mean_probabilities == pytest.approx(means)


@law
@given(samples, n_bins, strategies)
def test_every_sample_is_counted_once(rows, n_bins, strategy):
    correct, probability = zip(*rows, strict=True)
    curve = reliability_curve(correct, probability, n_bins=n_bins, strategy=strategy)
    assert curve.counts.sum() == len(rows)
    assert (curve.counts > 0).all()
    assert curve.counts @ curve.accuracies == pytest.approx(sum(correct))
    assert curve.counts @ curve.mean_probabilities == pytest.approx(sum(probability))
    assert (np.diff(curve.mean_probabilities) > 0).all()


def test_shuffling_rows_changes_no_digit():
    correct, probability = simulated(1)
    probability = probability.round(2)  # with ties
    order = np.random.default_rng(0).permutation(len(correct))
    before = reliability_curve(correct, probability)
    after = reliability_curve(correct[order], probability[order])
    for one, other in zip(before, after, strict=True):
        assert one.tolist() == other.tolist()


# Of 1,000 intervals, 95% or a few more: probabilities within a bin differ, which makes the number
# of right answers vary less than a binomial does.
def test_a_calibrated_probability_lies_in_its_intervals():
    curves = [reliability_curve(*simulated(seed)) for seed in range(100)]
    inside = [
        (curve.lower <= curve.mean_probabilities) & (curve.mean_probabilities <= curve.upper)
        for curve in curves
    ]
    assert 0.93 <= np.mean(inside) <= 0.98


def test_a_probability_that_promises_too_much_lies_outside():
    curve = reliability_curve(*simulated(0, n=20_000, distortion=2.0))
    assert (curve.mean_probabilities > curve.upper)[-5:-1].all()
    assert (curve.mean_probabilities < curve.lower)[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"correct": [True, 2]}, r"correct must be boolean \(or 0 and 1\), got 2 at index 1"),
        ({"probability": [0.5, 1.5]}, r"probability must lie in \[0, 1\], got 1.5 at index 1"),
        ({"probability": [0.5, np.nan]}, "probability must hold no missing value"),
        ({"probability": [0.5]}, "correct has 2, probability has 1"),
        ({"n_bins": 0}, "n_bins must be a positive integer, got 0"),
        ({"n_bins": 2.5}, "n_bins must be a positive integer, got 2.5"),
        ({"strategy": "kmeans"}, "strategy must be 'quantile' or 'uniform', got 'kmeans'"),
        ({"confidence": 95}, r"confidence must be a number in \(0, 1\), got 95; 95% is 0.95"),
    ],
)
def test_what_cannot_be_used_is_named(options, message):
    with pytest.raises(InputError, match=message):
        reliability_curve(**{"correct": [True, False], "probability": [0.9, 0.4], **options})
