"""Values at ranks are those of all samples, for any division into blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain._scale import quantiles
from abstain._scale.quantiles import (
    choose_pivots,
    collect,
    count_at,
    gaps_with_ranks,
    merge_sketches,
    pick,
    sketch,
)

VALUES = st.one_of(
    st.floats(allow_nan=False), st.integers(0, 5).map(float), st.just(np.inf), st.just(-np.inf)
)


def values_at_ranks(blocks, most, ranks):
    """Return the values, and how many values were collected."""
    pivots = choose_pivots(merge_sketches([sketch(block, most) for block in blocks]))
    counts = np.sum([count_at(pivots, block) for block in blocks], axis=0)
    pivot, is_inside = gaps_with_ranks(counts, ranks)
    gaps = np.unique(pivot[is_inside])
    parts = [collect(pivots, gaps, block) for block in blocks] if len(gaps) else [np.zeros(0)]
    collected = np.sort(np.concatenate(parts))
    return pick(collected, pivots, counts, ranks), len(collected)


@given(
    st.lists(st.lists(VALUES, max_size=60), min_size=1, max_size=8).filter(any),
    st.integers(1, 20),
    st.data(),
)
def test_values_are_those_of_one_sort(lists, most, data):
    blocks = [np.sort(np.array(block, dtype=float)) for block in lists]
    everything = np.sort(np.concatenate(blocks))
    ranks = np.unique(data.draw(st.lists(st.integers(0, len(everything) - 1), min_size=1)))
    values, _ = values_at_ranks(blocks, most, ranks)
    assert values.tolist() == everything[ranks].tolist()


# What is collected is a small share of all samples, also of many blocks of different sizes, and
# nothing of tied samples.
@pytest.mark.parametrize("n_blocks", [1, 20, 2000])
def test_few_values_are_collected(n_blocks, monkeypatch):
    monkeypatch.setattr(quantiles, "MAX_PIVOTS", 4096)
    rng = np.random.default_rng(0)
    ends = np.sort(rng.integers(400_000, size=n_blocks - 1))
    samples = np.where(rng.random(400_000) < 0.5, 0.25, rng.random(400_000))
    blocks = [np.sort(block) for block in np.split(samples, ends)]
    ranks = np.linspace(0, 399_999, 300).astype(int)
    values, n_collected = values_at_ranks(blocks, 8192 // n_blocks + 1, ranks)
    assert values.tolist() == np.sort(samples)[ranks].tolist()
    assert n_collected < 0.15 * 400_000
