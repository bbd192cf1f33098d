"""Chunks, however samples are cut into them, make the staircases of all samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain import InputError
from abstain.fronts.chunked import (
    count_correct,
    gather_errors,
    join_counts,
    merge_correct,
    merge_errors,
)
from abstain.fronts.staircases import build_staircases
from tests.examples import many_examples
from tests.fronts.strategies import half_tied, synthetic

FIELDS = ("cells", "starts", "true_rejects", "false_rejects", "thresholds")
LABELS = {
    "integers": np.arange(4),
    "small integers": np.array([3, -7, 0, 100], dtype=np.int8),
    "far apart": np.array([2**62, -5, 0, 9]),
    "whole floats": np.array([2.0, -1.0, 0.0, 1e30]),
    "text": np.array(["b", "a", "long label", "ä"]),
    "objects": np.array(["b", "a", "long label", "ä"], dtype=object),
    "booleans": np.array([True, False, True, False]),
}


def assert_same(front, expected):
    for field in FIELDS:
        ours, theirs = getattr(front, field), getattr(expected, field)
        assert ours.dtype == theirs.dtype, field
        assert ours.tolist() == theirs.tolist(), field
    assert front.thresholds.tobytes() == expected.thresholds.tobytes()
    assert (front.n_samples, front.n_errors) == (expected.n_samples, expected.n_errors)


def pairwise_tree(merge, parts):
    while len(parts) > 1:
        parts = [merge(parts[start : start + 2]) for start in range(0, len(parts), 2)]
    return parts[0]


def in_chunks(chunks):
    errors = pairwise_tree(merge_errors, [gather_errors(*chunk) for chunk in chunks])
    counts = pairwise_tree(merge_correct, [count_correct(errors, *chunk) for chunk in chunks])
    return join_counts(errors, counts)


@many_examples
@given(half_tied(max_size=20), st.sampled_from(sorted(LABELS)), st.data())
def test_any_cut_gives_the_same(data, labels, draw):
    cells = LABELS[labels][data.cells]
    size = len(cells)
    cuts = sorted(draw.draw(st.lists(st.integers(0, size), max_size=5)))
    chunks = list(
        zip(*(np.split(part, cuts) for part in (data.certainty, data.correct, cells)), strict=True)
    )
    assert_same(in_chunks(chunks), build_staircases(data.certainty, data.correct, cells))


@given(half_tied(max_size=20))
def test_one_cell_for_all(data):
    chunks = [(data.certainty[part], data.correct[part], None) for part in (slice(3), slice(3, 99))]
    assert_same(in_chunks(chunks), build_staircases(data.certainty, data.correct))


# What travels grows with the errors: here they are the same in ten times as many samples.
def test_what_leaves_a_chunk_grows_with_the_errors_alone():
    sizes = []
    for n_right in (1_000, 10_000):
        certainty = np.concatenate([np.linspace(0, 1, 50), np.linspace(0, 1, n_right)])
        correct = np.arange(len(certainty)) >= 50
        errors = gather_errors(certainty, correct)
        right = count_correct(errors, certainty, correct)
        sizes.append([part.nbytes for part in (*errors[:-1], right.counts, right.smallest)])
        assert right.intervals is None
    assert sizes[0] == sizes[1]


# Nor with the errors of other chunks, where these are many more than the samples of one.
def test_what_leaves_a_small_chunk_grows_with_its_samples():
    data = synthetic(20_000, 30)
    errors = gather_errors(*data)
    few = [part[:50] for part in data]
    right = count_correct(errors, *few)
    assert errors.counts.sum() > 10 * 50
    assert len(right.intervals) <= np.count_nonzero(few[1])
    assert right.counts.sum() == np.count_nonzero(few[1])
    twice = merge_correct([right, right])
    assert twice.intervals.tolist() == sorted(right.intervals)
    assert twice.counts.sum() == 2 * right.counts.sum()


def test_larger_samples():
    data = synthetic(20_000, 30, decimals=3)
    chunks = list(zip(*(np.array_split(part, 7) for part in data), strict=True))
    assert_same(in_chunks(chunks), build_staircases(*data))


def test_no_samples_at_all():
    nothing = np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0, dtype=int)
    with pytest.raises(InputError, match="at least one sample, got 0"):
        in_chunks([nothing, nothing])


# As on one machine, where a list of both is refused: NumPy would make text of 1.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array(["a"], dtype=object), np.array([1], dtype=object)),
        (np.array(["1"]), np.array([1])),
        (np.array([1.0]), np.array(["a"], dtype=object)),
        (np.array([True]), np.array(["True"])),
        (np.array([b"a"]), np.array(["a"])),
    ],
)
def test_labels_of_two_kinds(one, other):
    chunks = [([0.5], [True], cells) for cells in (one, other)]
    with pytest.raises(InputError, match="cells must hold labels of one kind") as caught:
        in_chunks(chunks)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="cells must be labels of one kind"):
        build_staircases([0.5, 0.5], [True, True], [*one.tolist(), *other.tolist()])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([1], dtype=np.int8), np.array([2.0])),
        (np.array([2**63], dtype=np.uint64), np.array([1e30])),
        (np.array([False]), np.array([2])),
        (np.array(["a"]), np.array(["a longer one"])),
        (np.array(["a"]), np.array(["b"], dtype=object)),
    ],
)
def test_labels_of_one_kind_in_several_types(one, other):
    chunks = [([0.5], [True], cells) for cells in (one, other)]
    assert in_chunks(chunks).cells.tolist() == [*one.tolist(), *other.tolist()]
