"""How are delayed blocks computed, persisted, reduced and summed?

All functions here wait, and every wait is watched (see `workers`). On a cluster the blocks and what
is persisted stay on the workers.

Sums over `PersistedBlocks` are equal to the last bit however often they are computed. Results are
added in a tree whose shape depends on the positions of the blocks alone,

    ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)),

so a sum does not depend on where the blocks are, how many workers there are and whether some of
them died. Each task returns what it can add up of the tree. Where many sums are left, workers add
for each other, and one sum leaves them.

Tasks are not bound to workers, although neighbours on one worker would leave fewer sums: Dask
forgets a task with a preferred worker if no worker is left for a moment.
"""

from __future__ import annotations  # signatures then show the names of types

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import partial
from itertools import pairwise
from typing import Any

from abstain._core.errors import InputError
from abstain._scale.graphs import delayed_call, error_in_block, fuse_tasks
from abstain._scale.workers import current_client, watch_workers

Merge = Callable[[Sequence[Any]], Any]
Add = Callable[[Any, Any], Any]
# Sums of a tree by level and position.
Sums = dict[tuple[int, int], Any]

# Results that are merged at once: a tree over 10,000 blocks has five levels.
FAN_IN = 8
# Sums that are added here: for more, workers add, which takes one more round.
MAX_SUMS = 32


@watch_workers()
def compute(delayed: Any) -> Any:
    """Compute a delayed object, or a list of them."""
    import dask

    (result,) = dask.compute(delayed)
    return result


@watch_workers()
def persist(parts: list[Any]) -> list[Any]:
    """Compute one delayed object per block, and keep the results where they are.

    An error names the block, also one of the code that makes the blocks.
    """
    import dask

    persisted = list(dask.persist(*fuse_tasks(parts)))
    futures = futures_of(persisted)
    for position in completed(futures):
        _check_finished(futures[position], position)
    return persisted


def reduce_blocks(merge: Merge, parts: list[Any]) -> Any:
    """Compute delayed objects, and merge the results in their order, in a tree."""
    return compute(tree_reduce(partial(delayed_call, merge), fuse_tasks(parts)))


@watch_workers()
def reduce_on_workers(merge: Merge, parts: list[Any]) -> Any:
    """Compute delayed objects, merge the results in any order, and keep the last where it is.

    On a cluster each worker merges its own results first, as soon as there are some: one result per
    worker travels, however many parts there are.
    """
    import dask

    client, parts = current_client(), fuse_tasks(parts)
    if client is None:
        (result,) = dask.persist(tree_reduce(partial(delayed_call, merge), parts))
        return result
    by_worker = _merge_by_worker(client, client.compute(parts), merge)
    # In pairs: a worker has one of the two already, and need not hold many from elsewhere.
    return tree_reduce(partial(client.submit, merge, pure=False), by_worker, fan_in=2)


def tree_reduce(merge: Callable[[list[Any]], Any], parts: list[Any], fan_in: int = FAN_IN) -> Any:
    """Merge neighbours, a few at a time, until one is left."""
    while len(parts) > 1:
        parts = [merge(parts[start : start + fan_in]) for start in range(0, len(parts), fan_in)]
    return parts[0]


def _merge_by_worker(client: Any, futures: list[Any], merge: Merge) -> list[Any]:
    """Return one future for each worker, merged from the results that are on it."""
    from distributed import as_completed

    # Dask runs a task where its inputs are. A task that is bound to a worker would wait forever if
    # that worker dies and no other is left for a moment.
    merge_there = partial(client.submit, merge, pure=False)
    batch_size = FAN_IN * len(client.nthreads())
    positions = {future.key: position for position, future in enumerate(futures)}
    by_worker: dict[str, list[Any]] = {}
    finished: list[Any] = []
    pending: Any = as_completed(futures)
    del futures  # so that merged results can be released
    for batch in pending.batches():
        for future in batch:
            _check_finished(future, positions.get(future.key))
        finished += batch
        if len(finished) < batch_size:  # asking where one is takes longer than computing it
            continue
        _group_by_worker(client, finished, by_worker)
        finished = []
        for worker, own in by_worker.items():
            if len(own) >= FAN_IN:
                pending.add(merge_there(own))
                by_worker[worker] = []
    _group_by_worker(client, finished, by_worker)
    return [tree_reduce(merge_there, own) for own in by_worker.values() if own]


def _group_by_worker(client: Any, futures: list[Any], by_worker: dict[str, list[Any]]) -> None:
    """Add futures to those on the same worker."""
    for future, worker in zip(futures, _workers_of(client, futures), strict=True):
        by_worker.setdefault(worker, []).append(future)


def _workers_of(client: Any, futures: list[Any]) -> list[str]:
    """Return the worker that has each future; of one that failed or was lost, no name."""
    workers = client.who_has(futures)
    return [next(iter(workers.get(future.key) or [""])) for future in futures]


def _check_finished(future: Any, number: int | None) -> None:
    """Raise the error of a future, if it has one, and name its block, if it has one."""
    if future.status == "finished":
        return
    if future.status != "error":
        raise CancelledError
    error = future.exception()
    if isinstance(error, InputError) or number is None:
        raise error
    raise error_in_block(error, number) from error


def futures_of(parts: list[Any]) -> list[Any]:
    """Return the futures of what is persisted on a cluster; none if it is in this process."""
    distributed: Any = sys.modules.get("distributed")
    if distributed is None:
        return []
    return [future for part in parts for future in distributed.futures_of(part)]


def completed(futures: list[Any]) -> Iterator[int]:
    """Yield the positions of futures as they finish or fail."""
    if not futures:
        return
    from distributed import as_completed

    positions = {future.key: position for position, future in enumerate(futures)}
    for future in as_completed(futures):
        yield positions[future.key]


# --- sums -----------------------------------------------------------------------------------------


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
    by_worker: dict[str, list[int]] = {}
    for position, worker in enumerate(_workers_of(client, futures)):
        by_worker.setdefault(worker, []).append(position)
    threads = client.nthreads()
    return [
        group
        for worker, own in by_worker.items()
        for group in split(own, int(threads.get(worker, 1)))
    ]


def split(positions: Sequence[int], n_groups: int) -> list[list[int]]:
    """Return positions in groups of neighbours, none of them empty."""
    cuts = [len(positions) * group // n_groups for group in range(n_groups + 1)]
    return [list(positions[start:stop]) for start, stop in pairwise(cuts) if start < stop]
