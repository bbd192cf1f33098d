"""An interval is Student's, of runs that share samples wider, and the test agrees with it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from abstain.study.curves import interval, p_value

accuracies = st.integers(-1000, 1000).map(lambda number: number / 1000)
keys = st.tuples(st.integers(0, 4), st.integers(0, 9))
runs = st.dictionaries(keys, accuracies, min_size=2, max_size=30)
either = st.booleans()


def spread(values):
    return np.ptp(list(values)) > 1e-9


@given(runs)
def test_folds_share_nine_tenths_of_their_samples(values):
    numbers = np.array(list(values.values()))
    n = len(numbers)
    reach = stats.t.ppf(0.975, n - 1) * np.sqrt((1 / n + 1 / 9) * numbers.var(ddof=1))
    computed = interval(values, independent_repeats=False)
    assert computed == pytest.approx(
        (numbers.mean(), numbers.mean() - reach, numbers.mean() + reach)
    )


@given(runs)
def test_repeats_of_new_samples_are_independent(values):
    repeats = {}
    for (repeat, _), value in values.items():
        repeats.setdefault(repeat, []).append(value)
    means = [np.mean(group) for group in repeats.values()]
    computed = interval(values, independent_repeats=True)
    assert computed.value == pytest.approx(np.mean(means), abs=1e-12)
    if len(means) < 2:  # the folds of one repeat have to do
        assert computed == interval(values, independent_repeats=False)
    elif spread(means):
        plain = stats.ttest_1samp(means, 0)
        assert computed[1:] == pytest.approx(tuple(plain.confidence_interval(0.95)))
        assert p_value(values, independent_repeats=True) == pytest.approx(plain.pvalue)


@given(runs, either)
def test_zero_is_outside_where_the_test_rejects_it(values, independent_repeats):
    computed = interval(values, independent_repeats=independent_repeats)
    p = p_value(values, independent_repeats=independent_repeats)
    if not np.isnan(p) and abs(p - 0.05) > 1e-6:
        assert (computed.low > 0 or computed.high < 0) == (p < 0.05)


@given(runs, either, st.randoms())
def test_neither_order_nor_runs_without_a_value_matter(values, independent_repeats, random):
    shuffled = list(values.items())
    random.shuffle(shuffled)
    gaps = {(repeat, split + 10): np.nan for repeat, split in values}
    expected = interval(values, independent_repeats=independent_repeats)
    assert interval(
        dict(shuffled) | gaps, independent_repeats=independent_repeats
    ) == pytest.approx(expected)


@given(runs, either, accuracies)
def test_an_interval_moves_with_its_values(values, independent_repeats, shift):
    ends = np.array(interval(values, independent_repeats=independent_repeats))
    moved = {key: value + shift for key, value in values.items()}
    assert np.allclose(interval(moved, independent_repeats=independent_repeats), ends + shift)
    turned = interval(
        {key: -value for key, value in values.items()}, independent_repeats=independent_repeats
    )
    assert np.allclose(turned, -ends[[0, 2, 1]])


@pytest.mark.parametrize("independent_repeats", [False, True])
def test_what_one_run_tells_is_not_sure_at_all(independent_repeats):
    assert interval({(0, 0): 0.3}, independent_repeats=independent_repeats) == (
        0.3,
        -np.inf,
        np.inf,
    )
    assert np.isnan(p_value({(0, 0): 0.3}, independent_repeats=independent_repeats))
    for none in ({}, {(0, 0): np.nan}):
        value, low, high = interval(none, independent_repeats=independent_repeats)
        assert np.isnan(value)
        assert (low, high) == (-np.inf, np.inf)
        assert np.isnan(p_value(none, independent_repeats=independent_repeats))


@pytest.mark.parametrize("independent_repeats", [False, True])
def test_runs_that_all_agree_leave_no_doubt(independent_repeats):
    values = {(repeat, split): 0.25 for repeat in range(3) for split in range(4)}
    assert interval(values, independent_repeats=independent_repeats) == (0.25, 0.25, 0.25)
    assert p_value(values, independent_repeats=independent_repeats) == 0
    assert p_value(dict.fromkeys(values, 0.0), independent_repeats=independent_repeats) == 1
