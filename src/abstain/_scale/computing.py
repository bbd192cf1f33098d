"""How are delayed blocks computed, persisted and reduced?

All functions here wait, and every wait is watched (see `workers`). On a cluster the blocks and what
is persisted stay on the workers.
"""

from __future__ import annotations  # signatures then show the names of types

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

from abstain._core.errors import InputError
from abstain._scale.graphs import delayed_call, error_in_block, fuse_tasks
from abstain._scale.workers import current_client, watch_workers

Merge = Callable[[Sequence[Any]], Any]

# Results that are merged at once: a tree over 10,000 blocks has five levels.
FAN_IN = 8


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
    """Add futures to those on the same worker; one that was lost is computed again somewhere."""
    workers = client.who_has(futures)
    for future in futures:
        worker = next(iter(workers.get(future.key) or [""]))
        by_worker.setdefault(worker, []).append(future)


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
