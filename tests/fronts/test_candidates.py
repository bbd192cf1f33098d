"""Candidates: every step that an optimal row near the envelope can contain, and few others.

By the rule of `exact`, these are the steps whose slack s_j(e; λ) is at most ρ(λ + 1) for some λ.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from abstain.fronts.candidates import Bounds
from abstain.fronts.hull import build_envelope
from abstain.fronts.staircases import build_staircases
from tests.examples import many_examples
from tests.fronts.strategies import synthetic
from tests.laws.test_backtrace import draw_cell, make_staircases


def slack_beyond_reach(staircases, slopes, reach):
    """Return the least s_j(e; λ) − ρ(λ + 1) of each step over some slopes λ."""
    least = np.empty(len(staircases.true_rejects))
    for own in staircases.cell_slices():
        tilted = staircases.false_rejects[own] - np.outer(slopes, staircases.true_rejects[own])
        slack = tilted - tilted.min(axis=1, keepdims=True)
        least[own] = (slack - reach * (slopes[:, np.newaxis] + 1)).min(axis=0)
    return least


@pytest.mark.parametrize("reach", [0.25, 2.0])
@pytest.mark.parametrize("rows", [(0, 20), (60, 61), (100, 150)])
def test_candidates_have_little_slack(rows, reach):
    staircases = build_staircases(*synthetic(2000, 4))
    envelope = build_envelope(staircases)
    steps, starts = Bounds(staircases, envelope).candidates(*rows, reach)
    cells = np.repeat(np.arange(4), np.diff(starts))
    assert (staircases.starts[cells] <= steps).all()
    assert (steps < staircases.starts[cells + 1]).all()
    assert 4 <= len(steps) < len(staircases.true_rejects) / 2
    assert (slack_beyond_reach(staircases, envelope.slopes, reach)[steps] < 1e-5).all()


def check_that_none_is_lost(staircases, low, high, reach):
    """Check all steps, also those that other cells cannot complete to one of the rows."""
    envelope = build_envelope(staircases)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Bounds, "_narrow", lambda _, first, last, *rows: (first, last))
        steps, _ = Bounds(staircases, envelope).candidates(low, high, reach)
    # Of the two slopes at a breakpoint, either will do.
    first, last = envelope.segment_at(np.array([low, high]) + reach + 1e-6)
    slack = slack_beyond_reach(staircases, envelope.slopes[first : last + 1], reach)
    assert set(np.flatnonzero(slack < 0)) <= set(steps.tolist())


@many_examples
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.25, 1.0, 7.5]), st.integers(1, 7))
def test_no_step_with_little_slack_is_lost(seed, reach, n_cells):
    rng = np.random.default_rng(seed)
    staircases = make_staircases([draw_cell(rng) for _ in range(n_cells)])
    assume(staircases.n_errors > 0)
    low, high = sorted(rng.integers(0, staircases.n_errors + 1, 2).tolist())
    check_that_none_is_lost(staircases, low, high, reach)


# The third step of the first cell is no vertex, but within reach of a row of slope 100.
def test_a_step_before_the_first_vertex_out_of_reach_is_not_lost():
    staircases = make_staircases([([1, 1, 1, 1], [1, 2, 122, 118]), ([1], [100])])
    check_that_none_is_lost(staircases, 2, 2, 0.25)
