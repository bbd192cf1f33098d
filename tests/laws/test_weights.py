"""Laws of fronts that count samples by their weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import InputError, pareto_front
from tests.examples import many_examples
from tests.fronts.strategies import half_tied, synthetic

METHODS = ["exact", "hull", "greedy", "pooled"]
COUNTED = ["exact", "hull", "greedy"]  # from counts alone: pooled also learns from their number


def weighted(data, weights, method):
    return pareto_front(*data, method=method, weights=weights)


def assert_same_front(front, other):
    assert np.array_equal(front.true_rejects, other.true_rejects)
    assert np.array_equal(front.false_rejects, other.false_rejects)
    assert np.array_equal(front.thresholds, other.thresholds)
    assert np.array_equal(front.gap, other.gap)


@st.composite
def weighted_data(draw, most=4):
    data = draw(half_tied(max_size=14))
    size = len(data.certainty)
    weights = np.array(draw(st.lists(st.integers(0, most), min_size=size, max_size=size)))
    weights[draw(st.integers(0, size - 1))] = 1  # so that the unit is 1
    return data, weights


@pytest.mark.parametrize("method", COUNTED)
@many_examples
@given(weighted_data())
def test_a_whole_weight_is_a_number_of_repetitions(method, drawn):
    data, weights = drawn
    repeated = [np.repeat(column, weights) for column in data]
    assert_same_front(weighted(data, weights, method), pareto_front(*repeated, method=method))


@pytest.mark.parametrize("method", METHODS)
@many_examples
@given(half_tied(max_size=20), st.sampled_from([1, 3, 0.5, 2.5, 1 / 3]))
def test_equal_weights_change_nothing(method, data, weight):
    front = weighted(data, np.full(len(data.certainty), weight), method)
    plain = pareto_front(*data, method=method)
    assert np.array_equal(front.thresholds, plain.thresholds)
    np.testing.assert_allclose(front.true_rejects * front.unit, plain.true_rejects * weight)
    np.testing.assert_allclose(front.accuracies, plain.accuracies, rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [2, 0.5, 10, 1000])
def test_the_scale_of_the_weights_changes_no_threshold(method, scale):
    data = synthetic(300, 3, decimals=2)
    weights = np.random.default_rng(0).integers(1, 9, 300)
    front, scaled = (weighted(data, weights * factor, method) for factor in (1, scale))
    assert np.array_equal(front.thresholds, scaled.thresholds)
    np.testing.assert_allclose(
        front.true_rejects * front.unit * scale, scaled.true_rejects * scaled.unit
    )


@pytest.mark.parametrize("method", METHODS)
@many_examples
@given(weighted_data(most=50))
def test_counts_are_the_weights_that_the_thresholds_reject(method, drawn):
    data, weights = drawn
    weights = weights / 2
    front = weighted(data, weights, method)
    has_weight = weights > 0
    columns = np.searchsorted(front.cells, data.cells[has_weight])
    for row, thresholds in enumerate(front.thresholds):
        rejected = data.certainty[has_weight] < thresholds[columns]
        correct, weight = data.correct[has_weight], weights[has_weight]
        assert front.true_rejects[row] * front.unit == weight[rejected & ~correct].sum()
        assert front.false_rejects[row] * front.unit == weight[rejected & correct].sum()


@many_examples
@given(half_tied(max_size=20), st.sampled_from([1, 3, 0.5]))
def test_equal_weights_change_no_probability(data, weight):
    front = weighted(data, np.full(len(data.certainty), weight), "pooled")
    plain = pareto_front(*data, method="pooled")
    columns = np.searchsorted(front.cells, data.cells)
    np.testing.assert_array_equal(
        front.probability_correct(data.certainty, columns),
        plain.probability_correct(data.certainty, columns),
    )


def test_probabilities_are_those_of_repeated_samples():
    data = synthetic(3000, 3, decimals=2)
    weights = np.where(data.correct, 1, 4)
    repeated = [np.repeat(column, weights) for column in data]
    columns = np.searchsorted(np.unique(data.cells), data.cells)
    front, other = weighted(data, weights, "pooled"), pareto_front(*repeated, method="pooled")
    probabilities = [each.probability_correct(data.certainty, columns) for each in (front, other)]
    # Repeated samples also let the curves bend more.
    assert np.abs(probabilities[0] - probabilities[1]).mean() < 0.02
    np.testing.assert_allclose(front.accuracies[0], other.accuracies[0])


def test_a_front_says_that_it_counts_weights():
    data = synthetic(200, 3)
    assert "200 samples" in repr(weighted(data, np.full(200, 1), "hull"))
    assert "samples of weight 100," in repr(weighted(data, np.full(200, 0.5), "hull"))


def test_weights_of_no_common_unit_are_rounded_to_a_billionth():
    data = synthetic(200, 3)
    weights = np.random.default_rng(0).random(200)
    front = weighted(data, weights, "hull")
    assert front.n_samples * front.unit == pytest.approx(weights.sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], "weights must be finite and not negative, got -1 at index 1"),
        ([1, np.inf, 1], "weights must be finite and not negative, got inf at index 1"),
        ([0, 0, 0], "weights must not all be 0"),
        ([1, 1], "all arrays must describe the same samples"),
        ([0.1234567, 0.7654321, 1], "weights must be multiples of a unit"),
        ([1e7, 2e7, 1], "weights must be multiples of a unit"),
    ],
)
def test_invalid_weights_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        pareto_front([0.1, 0.2, 0.3], [False, False, True], weights=weights)
