"""Joined cells have the fronts of the cells that they are made of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import pareto_front
from abstain.fronts import joining
from abstain.fronts.dynamic_program import COST_TYPES
from abstain.fronts.exact import attainable_totals
from abstain.fronts.hull import build_envelope
from abstain.fronts.joining import join_small_cells
from tests.examples import many_examples
from tests.fronts.strategies import synthetic
from tests.laws.test_backtrace import draw_cell, make_staircases
from tests.laws.test_fronts import unpruned_convolution


@many_examples
@given(st.integers(0, 2**32 - 1), st.integers(1, 25), st.sampled_from([1, 2, 4, 16, 256]))
def test_joined_cells_have_the_same_rows_and_the_same_envelope(seed, n_cells, large):
    rng = np.random.default_rng(seed)
    staircases = make_staircases([draw_cell(rng) for _ in range(n_cells)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joining, "LARGE", large)
        joined = join_small_cells(staircases)
    assert unpruned_convolution(joined) == unpruned_convolution(staircases)
    rows = np.arange(staircases.n_errors + 1)
    assert np.array_equal(attainable_totals(joined), attainable_totals(staircases))
    bounds = [build_envelope(each).fewest_false_rejects(rows) for each in (joined, staircases)]
    assert np.array_equal(*bounds)


# Half of the small cells of each size remain, of twice the size.
def test_few_small_cells_remain():
    staircases = make_staircases([([1, 2], [3, 4])] * 5000 + [([], [])] * 50)
    joined = join_small_cells(staircases)
    sizes = joined.true_rejects[joined.last_steps]
    assert sizes.sum() == 15_000
    assert sizes[:-1].min() >= joining.LARGE


# Where costs are too large for an integer type, the next larger one takes over.
@pytest.mark.parametrize("dtype", COST_TYPES[:2])
@pytest.mark.parametrize("by", [-1, 0, 1])
def test_costs_near_the_limit_of_a_type_are_added_exactly(dtype, by):
    cost = np.iinfo(dtype).max // 4 + by
    staircases = make_staircases([([1, 1], [0, cost])] * 2)
    joined = join_small_cells(staircases)
    assert joined.true_rejects.tolist() == [0, 1, 2, 3, 4]
    assert joined.false_rejects.tolist() == [0, 0, 0, cost, 2 * cost]


@pytest.mark.parametrize("decimals", [None, 2])
def test_joining_changes_no_threshold(monkeypatch, decimals):
    data = synthetic(3000, 50, decimals=decimals)
    expected = pareto_front(*data)
    monkeypatch.setattr(joining, "LARGE", 1)
    front = pareto_front(*data)
    assert np.array_equal(front.false_rejects, expected.false_rejects)
    assert np.array_equal(front.thresholds, expected.thresholds)
