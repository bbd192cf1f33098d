"""Values at ranks are those of all samples sorted, in whatever parts these lie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain.fronts.quantiles import (
    brackets,
    collect_inside,
    merge_inside,
    merge_sketches,
    pick,
    sketch,
    values_at_ranks,
)

VALUES = st.one_of(
    st.floats(allow_nan=False), st.integers(0, 5).map(float), st.just(np.inf), st.just(-np.inf)
)


@given(
    st.lists(st.lists(VALUES, max_size=60), min_size=1, max_size=8).filter(any),
    st.integers(1, 20),
    st.data(),
)
def test_values_are_those_of_one_sort(lists, step, data):
    parts = [np.sort(np.array(part, dtype=float)) for part in lists]
    everything = np.sort(np.concatenate(parts))
    ranks = np.unique(data.draw(st.lists(st.integers(0, len(everything) - 1), min_size=1)))
    known = merge_sketches([sketch(part, step) for part in parts])
    assert known.n_samples == len(everything)
    assert values_at_ranks(parts, known, ranks).tolist() == everything[ranks].tolist()
    # Collected part by part, as blocks elsewhere are.
    width, values = 1e-3, None
    while values is None:
        within = brackets(known, ranks, width)
        collected = merge_inside([collect_inside([part], within) for part in parts])
        values, width = pick(collected, within, ranks), 8 * width
    assert values.tolist() == everything[ranks].tolist()


# What is collected is a small share of all samples.
@pytest.mark.parametrize("n_parts", [1, 20, 200])
def test_brackets_are_narrow(n_parts):
    rng = np.random.default_rng(0)
    parts = [np.sort(part) for part in np.array_split(rng.random(400_000), n_parts)]
    known = merge_sketches([sketch(part, 10) for part in parts])
    ranks = np.linspace(0, 399_999, 300).astype(int)
    within = brackets(known, ranks)
    collected = collect_inside(parts, within)
    assert pick(collected, within, ranks) is not None
    assert len(collected.values) < 0.3 * 400_000
