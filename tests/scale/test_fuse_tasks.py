"""Do fused tasks compute the same as the tasks that they are made of?"""

from operator import add

import dask
import dask.array as da
import numpy as np
from dask.core import get_dependencies
from hypothesis import given
from hypothesis import strategies as st

from abstain._scale.graphs import fuse_tasks

NODES = 12


@st.composite
def graphs(draw):
    """Draw for each of some nodes two that come before it, if any; and some that are asked for."""
    before = [
        draw(st.lists(st.integers(0, number - 1), max_size=2)) if number else []
        for number in range(draw(st.integers(1, NODES)))
    ]
    asked = draw(st.lists(st.integers(0, len(before) - 1), min_size=1, max_size=5, unique=True))
    return before, asked


def made_of(before):
    nodes = []
    for number, needed in enumerate(before):
        node = dask.delayed(number, pure=False)
        for each in needed:
            node = dask.delayed(add, pure=False)(node, nodes[each])
        nodes.append(node)
    return nodes


def tasks_of(parts):
    return dict(parts[0].__dask_graph__())


@given(graphs())
def test_parts_are_the_same(drawn):
    before, asked = drawn
    parts = [made_of(before)[number] for number in asked]
    with dask.config.set(scheduler="synchronous"):
        assert dask.compute(*fuse_tasks(parts)) == dask.compute(*parts)
        assert dask.compute(*fuse_tasks(fuse_tasks(parts))) == dask.compute(*parts)


def all_needed(tasks, key):
    direct = get_dependencies(tasks, key)
    return direct.union(*(all_needed(tasks, each) for each in direct))


@given(graphs())
def test_no_task_is_done_for_one_part_alone(drawn):
    before, asked = drawn
    nodes = made_of(before)
    parts = fuse_tasks([nodes[number] for number in asked])
    needed = [all_needed(tasks_of(parts), part.key) for part in parts]
    others = set(tasks_of(parts)) - {part.key for part in parts}
    assert all(sum(key in some for some in needed) > 1 for key in others)


def test_each_block_of_an_array_is_one_task():
    x = da.random.default_rng(0).random(100, chunks=10)
    y = (x + 1) * x.sum()
    parts = fuse_tasks(list(y.to_delayed(optimize_graph=False)))
    sums = [key for key in tasks_of(parts) if "sum" in str(key)]
    assert len(tasks_of(parts)) == 10 + 10 + len(sums)  # draws, for both; blocks; and sums of all
    with dask.config.set(scheduler="synchronous"):
        assert np.array_equal(np.concatenate(dask.compute(*parts)), y.compute())


def test_what_a_cluster_has_already_is_taken_from_there(client):
    x = da.random.default_rng(0).random(100, chunks=10).persist()
    parts = fuse_tasks(list((x + 1).to_delayed(optimize_graph=False)))
    assert len(tasks_of(parts)) == 20
    assert np.array_equal(np.concatenate(dask.compute(*parts)), x.compute() + 1)
