"""Is a sum over persisted blocks the same wherever they are?"""

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstain._scale import computing
from abstain._scale.computing import PersistedBlocks, join, sum_group
from abstain._scale.graphs import delayed_call


def tree(names):
    """Add names up as the tree does: the left half has a power of two of them."""
    if len(names) == 1:
        return names[0]
    left = 1 << (len(names) - 1).bit_length() - 1
    return written(tree(names[:left]), tree(names[left:]))


def written(one, other):
    return f"({one}+{other})"


@st.composite
def groups(draw):
    """Share so many numbers out, in any way."""
    size = draw(st.integers(1, 40))
    owners = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    return size, [[n for n in range(size) if owners[n] == owner] for owner in sorted(set(owners))]


@given(groups(), st.randoms())
def test_the_tree_is_that_of_the_numbers(shared_out, random):
    size, groups = shared_out
    sums = [sum_group(str, written, size, group, group) for group in groups]
    random.shuffle(sums)
    first = join(written, size, sums[: len(sums) // 2])
    (total,) = join(written, size, [first, *sums[len(sums) // 2 :]]).values()
    assert total == tree([str(number) for number in range(size)])


@given(st.integers(1, 300), st.integers(1, 8))
def test_neighbours_leave_few_sums(size, n_groups):
    for group in computing.split(range(size), n_groups):
        left = sum_group(str, written, size, group, group)
        assert len(left) <= max(1, 2 * (size.bit_length() - 1))


def block(number):
    return np.random.default_rng(number).normal(size=50) * 10.0 ** (number % 9)


def add(one, other):
    return one + other


def total(parts):
    return PersistedBlocks(parts).sum(np.sin, add)


@pytest.mark.parametrize("most", [0, computing.MAX_SUMS])  # workers add for each other, or not
def test_a_sum_is_the_same_to_the_last_bit(client, monkeypatch, most):
    monkeypatch.setattr(computing, "MAX_SUMS", most)
    parts = [delayed_call(block, number) for number in range(37)]
    with dask.config.set(scheduler="synchronous"):
        here = total(parts)
    there = total(parts)
    # Dask puts these where it likes to, and there they stay.
    persisted = da.concatenate([da.from_delayed(part, (50,), float) for part in parts]).persist()
    apart = total(list(persisted.to_delayed(optimize_graph=False)))
    assert np.array_equal(here, there)
    assert np.array_equal(here, apart)
