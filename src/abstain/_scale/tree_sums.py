"""How are sums over blocks computed repeatedly, equal to the last bit?

Results are added in a tree whose shape depends on the positions of the blocks alone,

    ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)),

so a sum does not depend on where the blocks are, how many workers there are and whether some of
them died. Each task returns what it can add up of the tree. Where many sums are left, workers add
for each other, and one sum leaves them.

Tasks are not bound to workers, although neighbours on one worker would leave fewer sums: Dask
forgets a task with a preferred worker if no worker is left for a moment.
"""

from __future__ import annotations  # signatures then show the names of types

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from abstain._scale.computing import compute, futures_of, tree_reduce
from abstain._scale.graphs import delayed_call, fuse_tasks
from abstain._scale.workers import watch_workers

Add = Callable[[Any, Any], Any]
# Sums of a tree by level and position.
Sums = dict[tuple[int, int], Any]

# Sums that are added here: for more, workers add, which takes one more round.
MAX_SUMS = 32


class PersistedBlocks:
    """Blocks that are computed once and stay where they are.

    A sum takes one task for each thread of each worker, over all blocks in the memory of that
    worker: smaller tasks would cost more than their arithmetic.
    """

    @watch_workers()
    def __init__(self, blocks: list[Any]) -> None:
        import dask

        self.blocks = list(dask.persist(*fuse_tasks(blocks, are_blocks=False)))
        self._futures = futures_of(self.blocks)
        self._groups = (
            _group_by_thread(self._futures)
            if self._futures
            else split(range(len(blocks)), os.cpu_count() or 1)
        )
        known = [dict.fromkeys((0, position) for position in group) for group in self._groups]
        self._n_sums = sum(len(add_up(_add_nothing, sums, len(blocks))) for sums in known)
        self._results: list[Any] = []

    @watch_workers()
    def sum(self, function: Callable[[Any], Any], add: Add) -> Any:
        """Return the sum of ``function(block)`` over all blocks."""
        n_blocks = len(self.blocks)
        if self._futures:
            sums = self._submit(function, add)
        else:
            sums = compute(self._call(delayed_call, self.blocks, function, add))
        (total,) = join(add, n_blocks, sums).values()
        return total

    def _submit(self, function: Callable[[Any], Any], add: Add) -> list[Sums]:
        """Submit the tasks without a graph, which would add half of their time."""
        client = self._futures[0].client
        submit = partial(client.submit, pure=False)
        results = self._call(submit, self._futures, function, add)
        if self._n_sums > MAX_SUMS:
            results = [tree_reduce(partial(submit, join, add, len(self.blocks)), results)]
        sums: list[Sums] = client.gather(results)
        self._results = results  # releasing those of the last call only now saves a message
        return sums

    def _call(
        self, call: Callable[..., Any], blocks: list[Any], function: Callable[[Any], Any], add: Add
    ) -> list[Any]:
        """Call `sum_group` for each group of blocks."""
        return [
            call(sum_group, function, add, len(blocks), group, [blocks[each] for each in group])
            for group in self._groups
        ]


def sum_group(
    function: Callable[[Any], Any], add: Add, n_blocks: int, positions: list[int], blocks: list[Any]
) -> Sums:
    """Return the sums of the tree that follow from some of its blocks."""
    sums: Sums = {}
    for position, block in zip(positions, blocks, strict=True):
        sums[0, position] = function(block)
        sums = add_up(add, sums, n_blocks)  # at once, so that few are in memory
    return sums


def join(add: Add, n_blocks: int, groups: Sequence[Sums]) -> Sums:
    """Return the sums of the tree that follow from those of several groups."""
    return add_up(add, {place: one for sums in groups for place, one in sums.items()}, n_blocks)


def add_up(add: Add, sums: Sums, size: int) -> Sums:
    """Replace each pair of neighbours in the tree by its sum.

    The last sum of a level that has no neighbour moves up as it is.
    """
    left, level = dict(sums), 0
    while size > 1:
        for position in sorted(number for at, number in left if at == level and not number % 2):
            above = level + 1, position // 2
            if position + 1 == size:
                left[above] = left.pop((level, position))
            elif (level, position + 1) in left:
                left[above] = add(left.pop((level, position)), left.pop((level, position + 1)))
        size, level = (size + 1) // 2, level + 1
    return left


def _add_nothing(first: Any, second: Any) -> None:
    """Add what is not there yet, to count the sums that will be left."""


def _group_by_thread(futures: list[Any]) -> list[list[int]]:
    """Return groups of positions, one per thread, each with futures on one worker."""
    from distributed import wait

    wait(futures)
    client = futures[0].client
    workers, threads = client.who_has(futures), client.nthreads()
    by_worker: dict[str, list[int]] = {}
    for position, future in enumerate(futures):
        # A failed one is nowhere; its error is raised when it is used.
        worker = next(iter(workers.get(future.key, ())), "")
        by_worker.setdefault(worker, []).append(position)
    return [
        group
        for worker, own in by_worker.items()
        for group in split(own, int(threads.get(worker, 1)))
    ]


def split(positions: Sequence[int], n_groups: int) -> list[list[int]]:
    """Return positions in groups of neighbours, none of them empty."""
    cuts = [len(positions) * group // n_groups for group in range(n_groups + 1)]
    return [list(positions[start:stop]) for start, stop in pairwise(cuts) if start < stop]
