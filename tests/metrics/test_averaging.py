import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import InputError
from abstain.metrics import accuracy_reject_curve, average_curves, precision_reject_curve
from tests.metrics.strategies import law, samples
from tests.reference import metrics as reference

NAN = np.nan


def long_runs(n):
    return [([0.5, 1.0], [0.0, 0.9])] * n


def short_runs(n):
    return [([0.5, 0.75], [0.0, 0.5])] * n


@st.composite
def runs(draw):
    several = draw(st.lists(samples(min_size=2), min_size=1, max_size=6))
    # Precisions are missing from some reject rate on.
    return [
        draw(st.sampled_from([accuracy_reject_curve, positive_precisions]))(
            s.y_true, s.y_pred, s.certainty
        )
        for s in several
    ]


def positive_precisions(y_true, y_pred, certainty):
    return precision_reject_curve(y_true, y_pred, certainty, pos_label=y_true[0])


GRIDS = st.lists(st.integers(0, 24).map(lambda k: k / 24), min_size=1, max_size=8)
SHARES = st.sampled_from([0.2, 0.5, 0.8, 1])


@law
@given(curves=runs(), grid=GRIDS, min_share=SHARES)
def test_equals_point_by_point_averaging(curves, grid, min_share):
    averaged = average_curves(curves, grid, min_share)
    mean, std, share = zip(*reference.average_curves(curves, grid, min_share), strict=True)
    np.testing.assert_array_equal(averaged.grid, grid)
    np.testing.assert_allclose(averaged.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(averaged.std, std, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(averaged.share, share)


@law
@given(curves=runs(), grid=GRIDS, min_share=SHARES)
def test_the_order_of_the_runs_changes_nothing(curves, grid, min_share):
    one, other = (average_curves(order, grid, min_share) for order in (curves, curves[::-1]))
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_mean_and_deviation_of_a_small_example():
    # At 0.25 the long run is at 0.5 + 0.5 * 0.25/0.9, the short one at 0.5 + 0.25 * 0.25/0.5.
    averaged = average_curves([*long_runs(1), *short_runs(1)], [0, 0.25])
    first, second = 0.5 + 0.125 / 0.9, 0.625
    np.testing.assert_allclose(averaged.mean, [0.5, (first + second) / 2])
    np.testing.assert_allclose(averaged.std, [0, abs(first - second) / 2], atol=1e-15)


@pytest.mark.parametrize("fifths", range(1, 21))
def test_four_fifths_of_the_runs_are_just_enough(fifths):
    enough = average_curves(long_runs(4 * fifths) + short_runs(fifths), [0.9])
    assert enough.mean.tolist() == [1.0]
    assert enough.share.tolist() == [0.8]
    too_few = average_curves(long_runs(4 * fifths - 1) + short_runs(fifths + 1), [0.9])
    assert np.isnan([too_few.mean, too_few.std]).all()
    assert too_few.share < 0.8


@pytest.mark.parametrize("percent", range(1, 101))
def test_any_share_is_reached_by_exactly_so_many_runs(percent):
    curves = long_runs(percent) + short_runs(100 - percent)
    assert average_curves(curves, [0.9], percent / 100).mean.tolist() == [1.0]


def test_a_run_is_not_drawn_beyond_its_ends():
    averaged = average_curves([([0.5, 0.6, 0.7], [0.2, 0.4, 0.6])], [0.1, 0.2, 0.5, 0.6, 0.7])
    np.testing.assert_allclose(averaged.mean, [NAN, 0.5, 0.65, 0.7, NAN])
    assert averaged.share.tolist() == [0, 1, 1, 1, 0]


def test_a_run_is_not_drawn_across_a_missing_value():
    averaged = average_curves([([1.0, NAN, 0.0], [0.0, 0.5, 1.0])], [0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_array_equal(averaged.mean, [1, NAN, NAN, NAN, 0])


def test_a_grid_point_may_miss_a_row_by_a_rounding_error():
    grid = np.linspace(0, 1, 11)
    assert grid[3] > 3 / 10  # beyond the end, or next to the missing value, if taken literally
    ending = average_curves([([0.5, 1.0], [0.0, 3 / 10])], grid)
    missing = average_curves([([0.5, 1.0, NAN], [0.0, 3 / 10, 0.5])], grid)
    assert ending.mean[3] == missing.mean[3] == 1.0
    assert np.isnan([ending.mean[4:], missing.mean[4:]]).all()


def test_a_single_row_counts_at_its_own_rate():
    averaged = average_curves([([0.5], [0.0])], [0.0, 0.1])
    np.testing.assert_array_equal(averaged.mean, [0.5, NAN])


def test_runs_may_come_from_a_generator():
    assert average_curves((run for run in long_runs(3)), [0]).mean.tolist() == [0.5]


@pytest.mark.parametrize(
    ("curves", "grid", "min_share", "message"),
    [
        ([], [0], 0.8, "curves must hold at least one run, got 0"),
        (long_runs(1), [0], 0, r"min_share must be .* \(0, 1\], got 0"),
        (long_runs(1), [0], 1.1, r"min_share must be .* \(0, 1\], got 1.1"),
        (long_runs(1), [0, 5], 0.8, r"grid must lie in \[0, 1\], got 5.0 at index 1"),
        (long_runs(1), [NAN], 0.8, "grid must hold no missing value, got nan at index 0"),
        (long_runs(1), 0.5, 0.8, r"grid must be a list or an array, got a float"),
        ([([1.0],)], [0], 0.8, r"curves\[0\] must be \(values, reject_rates, ...\), got \(\[1.0\]"),
        ([0.5], [0], 0.8, r"curves\[0\] must be \(values, reject_rates, ...\), got 0.5"),
        # One curve in place of a list of curves.
        (long_runs(1)[0], [0], 0.8, r"values of curves\[0\] must be a list or an array"),
        (
            [*long_runs(2), ([1.0, 1.0], [0.0])],
            [0],
            0.8,
            r"values of curves\[2\] has 2, reject_rates of curves\[2\] has 1",
        ),
        (
            [([1, 1, 1, 1], [0, 0.2, 0.2, 0.3])],
            [0],
            0.8,
            r"reject_rates of curves\[0\] must ascend strictly, got 0.2 before 0.2 at index 1",
        ),
        (
            [([1, 1], [0.3, 0.1])],
            [0],
            0.8,
            r"reject_rates of curves\[0\] must ascend strictly, got 0.3 before 0.1 at index 0",
        ),
        ([([1, 1], [0, 50])], [0], 0.8, r"reject_rates of curves\[0\] must lie in .* got 50.0"),
        ([(["x"], [0])], [0], 0.8, r"values of curves\[0\] must be numbers or NaN, got \['x'\]"),
        ([([np.inf], [0])], [0], 0.8, r"values of curves\[0\] must be finite or NaN, got inf"),
    ],
)
def test_unusable_input_is_named(curves, grid, min_share, message):
    with pytest.raises(InputError, match=message):
        average_curves(curves, grid, min_share)
