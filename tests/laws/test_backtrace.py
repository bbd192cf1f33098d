"""Every row can be traced back, alone and with the others, on staircases of any shape.

Staircases are made directly: no data of a size that tests can afford has slopes of 10⁶.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain.fronts.exact import exact_front
from abstain.fronts.greedy import greedy_front
from abstain.fronts.hull import hull_front
from abstain.fronts.staircases import Staircases
from tests.examples import many_examples
from tests.laws.test_fronts import table, unpruned_convolution

SHAPES = ["even", "random", "cliff", "plateau", "steep", "flattening"]


def make_staircases(cells):
    """Return staircases from [(true rejects of each step, false rejects of each step), …]."""
    columns = [([0, *np.cumsum(true)], [0, *np.cumsum(false)]) for true, false in cells]
    true_rejects = np.concatenate([true for true, _ in columns])
    false_rejects = np.concatenate([false for _, false in columns])
    starts = np.cumsum([0, *(len(true) for true, _ in columns)])
    n_errors = int(true_rejects[starts[1:] - 1].sum())
    return Staircases(
        cells=np.arange(len(cells)),
        starts=starts,
        true_rejects=true_rejects,
        false_rejects=false_rejects,
        thresholds=np.arange(len(true_rejects), dtype=float),
        n_samples=n_errors + int(false_rejects[starts[1:] - 1].sum()),
        n_errors=n_errors,
    )


def draw_cell(rng):
    size = int(rng.choice([0, 1, 2, 5, 30]))
    true = rng.integers(1, rng.choice([2, 4]), size)
    shape = rng.choice(SHAPES)
    false = {
        "even": np.full(size, 3),
        "random": rng.integers(0, 50, size),
        "cliff": np.where(np.arange(size) == size // 2, 10**6, 1),
        "plateau": np.where(rng.random(size) < 0.1, 1000, 0),
        "steep": (10.0 ** np.linspace(0, 6, size)).astype(int),
        "flattening": (10.0 ** np.linspace(6, 0, size)).astype(int),
    }[shape]
    return true, false


def check_rows(front, staircases):
    """Follow each row back to its steps, by both ways, and add these up."""
    rows = np.arange(len(front))
    together = front.backtrace.steps_at(rows)
    alone = np.concatenate([front.backtrace.steps_at(rows[[row]]) for row in rows])
    # Thresholds that were tested with others must be those that run.
    assert np.array_equal(together, alone)
    some = rows[::3]
    assert np.array_equal(front.backtrace.steps_at(some), alone[::3])
    for steps in (together, alone):
        assert (steps >= staircases.first_steps).all()
        assert (steps <= staircases.last_steps).all()
        assert (staircases.true_rejects[steps].sum(axis=1) == front.true_rejects).all()
        assert (staircases.false_rejects[steps].sum(axis=1) == front.false_rejects).all()


# Narrow blocks, so that there are many; with and without a bound on the work of pruning; with no
# cell joined, the smallest or all.
@many_examples
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.05, 0.3, 1.0]),
    st.booleans(),
    st.integers(1, 7),
    st.sampled_from([1, 16, 256]),
)
def test_exact_rows_trace_back_to_steps(seed, block_width, boundless, n_cells, large):
    rng = np.random.default_rng(seed)
    staircases = make_staircases([draw_cell(rng) for _ in range(n_cells)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("abstain.fronts.exact.BLOCK_WIDTH", block_width)
        patch.setattr("abstain.fronts.joining.LARGE", large)
        if boundless:
            patch.setattr("abstain.fronts.exact.Budget.spend", lambda *_: True)
        front = exact_front(staircases)
        assert table(front) == unpruned_convolution(staircases)
        check_rows(front, staircases)


@many_examples
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.sampled_from([hull_front, greedy_front]))
def test_other_rows_trace_back_to_steps(seed, n_cells, method):
    rng = np.random.default_rng(seed)
    staircases = make_staircases([draw_cell(rng) for _ in range(n_cells)])
    front = method(staircases)
    check_rows(front, staircases)
    exact = unpruned_convolution(staircases)
    saved = front.false_rejects - [exact[m] for m in front.true_rejects]
    assert ((saved >= 0) & (saved <= front.gap)).all()


# Many free errors push steep steps far out, where places along a minorant are rounded coarsely and
# slopes of 10⁵ magnify that: a candidate at its very bound must not be lost.
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("n_free", [60_000, 1_000_000])
def test_steep_steps_behind_many_free_errors_trace_back(n_free, order):
    costs = [(126_159, 91_515), (140_311, 97_413), (128_604, 94_500)]
    cells = [(np.ones(n_free, int), np.zeros(n_free, int))]
    cells += [([1, 1], list(own)) for own in costs]
    staircases = make_staircases(cells[::order])
    front = exact_front(staircases)
    for row in range(n_free - 3, len(front)):
        (steps,) = front.backtrace.steps_at(np.array([row]))
        assert staircases.true_rejects[steps].sum() == front.true_rejects[row]
        assert staircases.false_rejects[steps].sum() == front.false_rejects[row]
