"""The dynamic program: its (min,+) convolution against the definition, and its parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import pareto_front
from abstain.fronts import dynamic_program
from abstain.fronts.dynamic_program import (
    COST_TYPES,
    DynamicProgram,
    Steps,
    Table,
    add_steps,
    unreached,
)
from abstain.fronts.exact import exact_front
from abstain.fronts.staircases import build_staircases
from tests.fronts.strategies import synthetic

costs = st.none() | st.integers(0, 1000)


def as_table(entries, dtype, offset):
    filled = [unreached(dtype) if cost is None else cost for cost in entries]
    return Table(offset, np.array(filled, dtype=dtype))


# T'(m) = min over the steps of T(m − e) + l, unreached where no step leads to m; short tables and
# long ones, for the shorter operand is the one that is gathered.
@given(
    st.lists(costs, min_size=1, max_size=12),
    st.dictionaries(st.integers(0, 15), st.integers(0, 1000), min_size=1, max_size=12),
    st.sampled_from(COST_TYPES),
    st.integers(0, 5),
    st.integers(-3, 12),
    st.integers(0, 12),
)
def test_add_steps_is_the_definition(entries, steps, dtype, offset, low, width):
    table = as_table(entries, dtype, offset)
    ascending = sorted(steps.items())
    result = add_steps(
        table,
        Steps(np.array([e for e, _ in ascending]), np.array([c for _, c in ascending], dtype)),
        low,
        low + width,
    )
    assert result.offset == low
    assert result.end == low + width
    for m, cost in enumerate(result.costs.tolist(), start=low):
        totals = [
            entries[m - e - offset] + c
            for e, c in ascending
            if 0 <= m - e - offset < len(entries) and entries[m - e - offset] is not None
        ]
        assert cost == min(totals, default=unreached(dtype))


# Large tables are gathered in several chunks.
@pytest.mark.parametrize("dtype", COST_TYPES)
def test_add_steps_in_chunks(dtype):
    rng = np.random.default_rng(0)
    table = Table(3, rng.integers(0, 1000, 20_000).astype(dtype))
    steps = Steps(np.flatnonzero(rng.random(400) < 0.3), rng.integers(0, 1000, 400).astype(dtype))
    steps = Steps(steps.true_rejects, steps.costs[: len(steps.true_rejects)])
    result = add_steps(table, steps, 1000, 19_000)
    expected = [
        (table.costs[1000 - e - 3 : 19_001 - e - 3] + c)
        for e, c in zip(steps.true_rejects, steps.costs, strict=True)
    ]
    assert result.costs.tolist() == np.min(expected, axis=0).tolist()


# The cost that stands for "cannot be had" leaves room for one real cost above it.
@pytest.mark.parametrize("dtype", COST_TYPES)
def test_adding_a_cost_to_unreached_does_not_overflow(dtype):
    largest = np.array(unreached(dtype) - 1, dtype=dtype)
    assert largest + np.array(unreached(dtype), dtype=dtype) == np.iinfo(dtype).max


# Tables and backtraces are computed in parts, whose size only affects speed.
@pytest.mark.parametrize("size", [1, 1000])
def test_the_size_of_parts_changes_nothing(monkeypatch, size):
    data = synthetic(2000, 5)
    expected = pareto_front(*data)
    monkeypatch.setattr(dynamic_program, "GATHERED_BYTES", size)
    monkeypatch.setattr(dynamic_program, "BACKTRACE_ENTRIES", size)
    front = pareto_front(*data)
    assert front.false_rejects.tolist() == expected.false_rejects.tolist()
    assert np.array_equal(front.thresholds, expected.thresholds)


# Cells that rise alike need no cost at all, however steep they are.
@pytest.mark.parametrize("n_steps", [2, 3, 50])
def test_tilting_removes_a_common_slope(n_steps):
    e = np.tile(np.arange(n_steps), 3)
    program = DynamicProgram.from_steps(e, 10**5 * e, n_steps * np.arange(4))
    assert (program.slope, program.base) == (10**5, 0)
    assert program.costs.dtype == np.int16
    assert not program.costs.any()


# What pruning may cost is decided by this number.
@pytest.mark.parametrize(("low", "high"), [(0, 50), (30, 200)])
def test_the_number_of_sums_is_known_in_advance(monkeypatch, low, high):
    staircases = build_staircases(*synthetic(2000, 5))
    program = DynamicProgram.from_steps(
        staircases.true_rejects, staircases.false_rejects, staircases.starts
    )
    sums = count_sums(monkeypatch)
    program.fewest_false_rejects(low, high, staircases.n_samples + 1)
    assert program.n_sums(low, high) == sum(sums)


# Where pruning removes next to nothing, it costs as much again as the whole convolution at most.
def test_pruning_at_most_doubles_the_work(monkeypatch):
    rng = np.random.default_rng(0)
    certainty = rng.random(3000)
    correct, cells = rng.random(3000) > certainty**2, rng.integers(0, 4, 3000)
    staircases = build_staircases(certainty, correct, cells)
    program = DynamicProgram.from_steps(
        staircases.true_rejects, staircases.false_rejects, staircases.starts
    )
    sums = count_sums(monkeypatch)
    exact_front(staircases)
    assert sum(sums) <= 2 * program.n_sums(0, staircases.n_errors)


def count_sums(monkeypatch):
    """Return a list that grows by the number of sums of each convolution."""
    sums = []

    def spy(table, steps, low, high):
        sums.append(len(steps.true_rejects) * (high - low + 1))
        return add_steps(table, steps, low, high)

    monkeypatch.setattr(dynamic_program, "add_steps", spy)
    return sums
