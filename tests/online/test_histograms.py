"""Histograms of a stream are sums over its samples, in bins that follow the certainties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain.online.histograms import (
    MAX_BINS,
    MAX_RECENT,
    add_labels,
    add_seen,
    labelled_counts,
    merge_histograms,
    no_histograms,
    scaled,
    seen_counts,
    take_cells,
)
from tests.reference.online import decayed_sums

SAMPLES = st.lists(
    st.tuples(
        st.integers(0, 6).map(lambda step: step / 4),
        st.integers(0, 2),
        st.sampled_from([True, False, None]),
    ),
    min_size=1,
    max_size=12,
)


def arrays(block):
    certainty, cells, correct = zip(*block, strict=True)
    return np.array(certainty), np.array(cells), list(correct)


def with_block(histograms, certainty, cells, correct, half_life):
    known = scaled(histograms, 0.5 ** (len(certainty) / half_life))
    known = add_seen(known, certainty, cells)
    rows = np.flatnonzero([each is not None for each in correct])
    right = np.array([correct[row] for row in rows], dtype=np.bool_)
    return add_labels(known, certainty[rows], cells[rows], right)


def histograms_of(blocks, half_life):
    known = no_histograms()
    for block in blocks:
        known = with_block(known, *block, half_life)
    return known


def many(rng, n, low=0.0, high=1.0):
    certainty, cells = rng.uniform(low, high, n), rng.integers(0, 3, n)
    return certainty, cells, rng.random(n) < certainty


def as_histograms(certainty, cells, correct, known=None):
    known = add_seen(no_histograms() if known is None else known, certainty, cells)
    return add_labels(known, certainty, cells, correct)


@given(st.lists(SAMPLES, min_size=1, max_size=5), st.sampled_from([0.5, 3.0, 40.0, np.inf]))
def test_weights_halve_with_each_half_life(blocks, half_life):
    parts = [arrays(block) for block in blocks]
    known = histograms_of(parts, half_life)
    expected = decayed_sums(parts, known.edges, half_life, known.n_cells)
    np.testing.assert_allclose([known.seen, known.right, known.wrong], expected, rtol=1e-9)


@given(SAMPLES, st.randoms())
def test_the_order_within_a_block_changes_nothing(block, random):
    other = list(block)
    random.shuffle(other)
    one, two = (histograms_of([arrays(each)], 10.0) for each in (block, other))
    for name in ("edges", "seen", "right", "wrong"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_memory_is_bounded_and_nothing_is_lost():
    rng, known = np.random.default_rng(0), no_histograms()
    for shift in range(20):
        certainty, cells, _ = many(rng, 1000, shift, shift + 1)
        known = as_histograms(certainty, cells, rng.random(1000) < 0.7, known)
    assert len(known.edges) <= 1.2 * MAX_BINS
    assert len(known.recent) == MAX_RECENT
    assert known.seen.sum() == pytest.approx(20_000)
    assert known.labelled.sum() == pytest.approx(20_000)


def test_bins_follow_certainties_out_of_their_range():
    rng = np.random.default_rng(0)
    known = as_histograms(*many(rng, 4000))
    for _ in range(6):
        known = add_seen(scaled(known, 0.1), rng.uniform(50, 51, 1000), np.zeros(1000, int))
    inside = (known.edges >= 50) & (known.edges <= 51)
    assert inside.sum() > MAX_BINS / 3


def test_a_value_of_many_samples_is_an_edge_of_its_own():
    rng = np.random.default_rng(0)
    values = np.where(rng.random(3000) < 0.5, 1.0, rng.random(3000))
    known = add_seen(no_histograms(), values, np.zeros(3000, int))
    assert 1.0 in known.edges
    again = add_seen(known, values, np.zeros(3000, int))
    assert again.seen[0, -1] == 2 * (values == 1).sum()


@given(st.lists(SAMPLES, min_size=2, max_size=4))
def test_merged_halves_are_the_whole(blocks):
    parts = [arrays(block) for block in blocks]
    n_cells = 1 + max(part[1].max() for part in parts)
    rows = np.arange(n_cells)
    halves = [histograms_of(half, np.inf) for half in (parts[:1], parts[1:])]
    padded = [take_cells(h, np.where(rows < h.n_cells, rows, -1)) for h in halves]
    both, whole = merge_histograms(*padded), histograms_of(parts, np.inf)
    for name in ("edges", "seen", "right", "wrong", "n_values"):
        assert np.array_equal(getattr(both, name), getattr(whole, name))


def test_merging_keeps_the_weights_of_all_cells():
    rng = np.random.default_rng(0)
    one, other = (as_histograms(*many(rng, 3000, low, low + 1)) for low in (0.0, 0.5))
    both = merge_histograms(one, other)
    assert len(both.edges) <= 1.2 * MAX_BINS
    for name in ("seen", "right", "wrong"):
        sums = getattr(one, name).sum(axis=1) + getattr(other, name).sum(axis=1)
        np.testing.assert_allclose(getattr(both, name).sum(axis=1), sums)


def test_whole_counts_keep_sums_to_one_half():
    known = scaled(as_histograms(*many(np.random.default_rng(0), 3000)), 0.0371)
    counts, _ = labelled_counts(known)
    for exact, whole in ((known.right, counts.right), (known.wrong, counts.wrong)):
        assert np.abs(exact.sum(axis=1) - whole.sum(axis=1)).max() <= 0.5
        assert whole.min() >= 0


def test_labels_missing_at_random_given_the_bin_leave_no_bias():
    rng = np.random.default_rng(0)
    wrong_of_all, wrong_of_estimate, wrong_of_labelled = [], [], []
    for _ in range(40):
        certainty, cells, correct = many(rng, 2000)
        known = add_seen(no_histograms(), certainty, cells)
        labelled = rng.random(2000) < np.where(certainty < 0.5, 0.05, 0.5)
        known = add_labels(known, certainty[labelled], cells[labelled], correct[labelled])
        prior = np.repeat(1 - known.edges[np.newaxis], 3, axis=0)
        counts, _ = seen_counts(known, prior)
        wrong_of_all.append(1 - correct.mean())
        wrong_of_estimate.append(counts.wrong.sum() / counts.n_samples)
        wrong_of_labelled.append(1 - correct[labelled].mean())
    error = np.std(wrong_of_estimate) / np.sqrt(40)
    assert abs(np.mean(wrong_of_estimate) - np.mean(wrong_of_all)) < 3 * error
    assert abs(np.mean(wrong_of_labelled) - np.mean(wrong_of_all)) > 30 * error


def test_inverse_probabilities_correct_other_designs():
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(20):
        certainty, cells = np.full(4000, 0.5), np.zeros(4000, int)
        correct = rng.random(4000) < 0.7
        probability = np.where(correct, 0.2, 0.8)  # errors are reported more often
        labelled = rng.random(4000) < probability
        known = add_labels(
            add_seen(no_histograms(), certainty, cells),
            certainty[labelled],
            cells[labelled],
            correct[labelled],
            1 / probability[labelled],
        )
        counts, _ = seen_counts(known, np.full(known.seen.shape, 0.5))
        shares.append(counts.wrong.sum() / counts.n_samples)
    assert np.mean(shares) == pytest.approx(0.3, abs=0.01)
