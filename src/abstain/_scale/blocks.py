"""How is work done on blocks that Dask keeps, wherever they are?

Dask is an extra. Whether something is a Dask collection is told by the name of its type, so that
nothing imports Dask before one is there.
"""

from __future__ import annotations  # signatures then show the names of types

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

from abstain._core.checks import InputError, shown
from abstain._scale.cluster import check_versions

__all__ = [
    "aligned_blocks",
    "array_by_block",
    "block_by_block",
    "futures_of",
    "gathered",
    "in_a_tree",
    "in_block",
    "in_one_go",
    "is_array_or_frame",
    "is_dask",
    "kept",
    "later",
    "merged",
    "merged_where_made",
    "persisted",
    "rows_of",
    "while_connected",
]

# Parts that are merged at once: a tree of 10,000 blocks then has five levels.
FAN_IN = 8


def is_dask(*things: Any) -> bool:
    """Tell whether any of these is a Dask collection."""
    return any(
        type(thing).__module__.partition(".")[0] in ("dask", "dask_expr") for thing in things
    )


def _dask() -> Any:
    try:
        import dask
        import dask.array
    except ImportError as error:
        raise InputError(
            f"Dask collections need more than is installed ({error}): pip install 'abstain[scale]'"
        ) from None
    return dask


def aligned_blocks(**collections: Any) -> list[tuple[Any, ...]]:
    """Return the blocks of collections, those of the same rows together; None goes with all.

    Whoever has not given all as Dask collections, cut at the same rows, is told what to do.
    """
    _dask()
    given = {name: each for name, each in collections.items() if each is not None}
    first = next(name for name, each in given.items() if is_dask(each))
    if (client := _client()) is not None:
        check_versions(client)
    for name, each in given.items():
        if not is_dask(each):
            remedy = f"make one by dask.array.from_array({name}, chunks={first}.chunks[0])"
            if _is_frame(given[first]):
                remedy = f"take it from the frame that {first} is of, by its name"
            raise InputError(
                f"{name} must be a Dask collection chunked like {first}, got a "
                f"{type(each).__name__}; {remedy}"
            )
        if not is_array_or_frame(each):
            raise InputError(f"{name} must be a Dask array or frame, got a {type(each).__name__}")
        if each.ndim == 0:
            raise InputError(f"{name} must hold an entry for each sample, got a single one")
    cuts = {name: rows_of(each) for name, each in given.items()}
    for name, cut in cuts.items():
        if len(cut) != len(cuts[first]):
            raise InputError(
                f"{name} must be chunked like {first}, got {len(cut)} blocks beside "
                f"{len(cuts[first])}; rechunk or repartition one of them"
            )
        if cut != cuts[first] and not _may_agree(cut, cuts[first]):
            raise InputError(
                f"{name} must be chunked like {first}, got chunks of {shown(cut)} rows beside "
                f"{shown(cuts[first])}; rechunk one of them"
            )
    parts = {name: _delayed_blocks(_in_whole_rows(each)) for name, each in given.items()}
    n_blocks = len(cuts[first])
    return [
        tuple(None if each is None else parts[name][block] for name, each in collections.items())
        for block in range(n_blocks)
    ]


def is_array_or_frame(collection: Any) -> bool:
    """Tell Dask arrays, frames and series from its other collections."""
    return hasattr(type(collection), "chunks") or _is_frame(collection)


def _is_frame(collection: Any) -> bool:
    return hasattr(type(collection), "divisions")  # a delayed object has any attribute


def rows_of(collection: Any) -> tuple[float, ...]:
    """Return how many rows each block has; NaN where that is not known."""
    if _is_frame(collection):
        return (float("nan"),) * int(collection.npartitions)
    return tuple(collection.chunks[0])


def _may_agree(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Tell whether blocks are as long, as far as that is known."""
    return all(a == b or a != a or b != b for a, b in zip(one, other, strict=True))


def _in_whole_rows(collection: Any) -> Any:
    is_matrix = getattr(collection, "ndim", 1) == 2 and hasattr(collection, "rechunk")
    return collection.rechunk({1: -1}) if is_matrix else collection


def _delayed_blocks(collection: Any) -> list[Any]:
    # Optimised each for itself, what several of them are made of would be made for each.
    blocks = collection.to_delayed(optimize_graph=False)
    return list(blocks.ravel() if hasattr(blocks, "ravel") else blocks)


def later(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function makes of things, some of them yet to come, perhaps in lists.

    Dask's own way to say so forgets what a cluster keeps already, and finds it again by its name.
    """
    from dask.delayed import Delayed
    from dask.highlevelgraph import HighLevelGraph

    name = getattr(function, "__name__", "call").strip("_")
    key, to_come = f"{name}-{uuid4().hex}", []

    def placed(argument: Any) -> Any:
        if isinstance(argument, list):
            return [placed(each) for each in argument]
        if not (_is_future(argument) or is_dask(argument)):
            return argument
        to_come.append(argument)
        return _Place(len(to_come) - 1)

    call = _Call(function, [placed(argument) for argument in arguments])
    tasks: dict[Any, Any] = {each.key: each for each in to_come if _is_future(each)}
    tasks[key] = (call, *(each.key for each in to_come))
    parts = [each for each in to_come if not _is_future(each)]
    make: Any = Delayed  # which has no types
    return make(key, HighLevelGraph.from_collections(key, tasks, parts), layer=key)


class _Place(NamedTuple):
    """Where one of those things goes that are yet to come."""

    number: int


class _Call:
    """A function and what it is given. Dask looks for tasks in containers, and not in here."""

    def __init__(self, function: Callable[..., Any], arguments: list[Any]) -> None:
        self.function, self.arguments = function, arguments

    def __call__(self, *come: Any) -> Any:
        def filled(argument: Any) -> Any:
            if isinstance(argument, list):
                return [filled(each) for each in argument]
            return come[argument.number] if isinstance(argument, _Place) else argument

        return self.function(*map(filled, self.arguments))


def in_block(number: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function makes of a block, later; what goes wrong names the block."""
    return later(_numbered, number, function, *arguments)


def _numbered(number: int, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        raise _named(error, number) from error


def _named(error: BaseException, number: int) -> InputError:
    """Return what went wrong in a block, on one line, which not all libraries keep to."""
    said, kind = " ".join(str(error).split()), type(error).__name__
    # Of other kinds the words alone may tell too little: those of a KeyError are the key.
    told = said if said and isinstance(error, ValueError) else f"{kind}: {said}".removesuffix(": ")
    return InputError(f"{told} (in block {number})")


def block_by_block(
    function: Callable[..., Any], blocks: Sequence[tuple[Any, ...]], *shared: Any
) -> list[Any]:
    """Return what a function makes of each block and of what all share, later.

    What is shared is one node of the graph, and goes to each worker once. A block may have small
    things of its own with it, such as a number.
    """
    from dask.delayed import Delayed

    make: Any = Delayed  # which has no types
    keys, graph, layer = _one_layer(function, blocks, shared, ())
    return [make(key, graph, layer=layer) for key in keys]


def array_by_block(
    function: Callable[..., Any],
    blocks: Sequence[tuple[Any, ...]],
    *shared: Any,
    rows: tuple[float, ...],
    dtype: Any,
    columns: int | None = None,
) -> Any:
    """Return what a function makes of each block as a Dask array, lazily; None is one dimension."""
    tail, others = ((), ()) if columns is None else ((0,), ((columns,),))
    _, graph, layer = _one_layer(function, blocks, shared, tail)
    return _dask().array.Array(graph, layer, chunks=(rows, *others), dtype=dtype)


def _one_layer(
    function: Callable[..., Any],
    blocks: Sequence[tuple[Any, ...]],
    shared: tuple[Any, ...],
    tail: tuple[int, ...],
) -> tuple[list[Any], Any, str]:
    """Return keys, graph and name of one task for each block.

    A layer for each task, as `later` makes it, would do as well, and take Dask longer; arrays made
    of delayed blocks and put together, a dozen times as long.
    """
    from dask.highlevelgraph import HighLevelGraph

    common = [later(_itself, each) for each in shared]
    layer = f"{function.__name__.strip('_')}-{uuid4().hex}"
    given = [each for block in blocks for each in block if is_dask(each)]
    keys = [(layer, number, *tail) for number in range(len(blocks))]
    tasks: dict[Any, Any] = {
        key: (
            _numbered,
            number,
            function,
            *(each.key for each in common),
            *(each.key if is_dask(each) else each for each in block),
        )
        for number, (key, block) in enumerate(zip(keys, blocks, strict=True))
    }
    return keys, HighLevelGraph.from_collections(layer, tasks, [*common, *given]), layer


class _Steps:
    """Tasks that are done in one go; they, too, are not to be looked into."""

    def __init__(self, key: Any, tasks: dict[Any, Any], needed: list[Any]) -> None:
        self.key, self.tasks, self.needed = key, tasks, needed

    def __call__(self, *given: Any) -> Any:
        from dask import get

        # As calls, for Dask would look for tasks in what is given, too.
        values = zip(self.needed, given, strict=True)
        known = {key: (partial(_itself, value),) for key, value in values}
        return get(self.tasks | known, self.key)


def _itself(value: Any) -> Any:
    return value


def in_one_go(parts: list[Any]) -> list[Any]:
    """Return the same parts, made in one task each of all that is made for one of them alone.

    Between two tasks Dask may send what the first has made to another worker, and the samples would
    travel; and a scheduler has a thousandth of a second for a task. What several parts need stays
    a task of its own, and so does what is there already.
    """
    from dask.core import get_dependencies
    from dask.delayed import Delayed
    from dask.highlevelgraph import HighLevelGraph

    tasks = _all_tasks(parts)
    needs = {
        key: [] if _is_future(task) else list(get_dependencies(tasks, key))
        for key, task in tasks.items()
    }
    users = _only_users([part.key for part in parts], needs)
    fused = {key: task for key, task in tasks.items() if users.get(key) == _SEVERAL}
    own: list[dict[Any, Any]] = [{} for _ in parts]
    for key, user in users.items():
        if _is_future(tasks[key]):
            fused[key] = tasks[key]
        elif user != _SEVERAL:
            own[user][key] = tasks[key]
    for part, steps in zip(parts, own, strict=True):
        if len(steps) == 1:
            fused |= steps
        elif steps:
            needed = list({key: 0 for step in steps for key in needs[step] if key not in steps})
            fused[part.key] = (_Steps(part.key, steps, needed), *needed)
    layer = f"in-one-go-{uuid4().hex}"
    graph = HighLevelGraph({layer: fused}, {layer: set()})
    make: Any = Delayed  # which has no types
    return [make(part.key, graph, layer=layer) for part in parts]


_SEVERAL = -1


def _only_users(keys: list[Any], needs: dict[Any, list[Any]]) -> dict[Any, int]:
    """Return for each task that is needed the number of the one key that needs it, or _SEVERAL."""
    users: dict[Any, int] = {}
    for number, key in enumerate(keys):
        waiting = [key]
        while waiting:
            each = waiting.pop()
            known = users.get(each)
            if known in (number, _SEVERAL):
                continue
            users[each] = number if known is None else _SEVERAL
            waiting += needs[each]
    return users


def _all_tasks(parts: list[Any]) -> dict[Any, Any]:
    """Return the tasks of all parts, which have most of them in common."""
    layers: dict[Any, Any] = {}
    for part in parts:
        graph = part.__dask_graph__()
        layers |= getattr(graph, "layers", {id(graph): graph})
    return {key: task for layer in layers.values() for key, task in dict(layer).items()}


def _is_future(task: Any) -> bool:
    kind = type(task)
    return kind.__name__ == "Future" and kind.__module__.startswith("distributed")


def merged(merge: Callable[[Sequence[Any]], Any], parts: list[Any]) -> Any:
    """Return what parts make together, later, merged in their order: some, then the results."""
    return in_a_tree(partial(later, merge), in_one_go(parts))


@contextmanager
def while_connected() -> Iterator[None]:
    """Tell in one line that there is no scheduler any more: whoever waits on would wait forever."""
    try:
        yield
    except Exception as error:
        if isinstance(error, CancelledError) or type(error).__name__ == "CommClosedError":
            raise InputError(
                "the connection to the scheduler of Dask was lost in mid-work; see what became of "
                "it, and start again"
            ) from error
        raise


@while_connected()
def kept(parts: list[Any]) -> list[Any]:
    """Have what is made of each block computed, and keep it where it is, for what comes later.

    What goes wrong names the block, be it in work of ours or in that which makes the block.
    """
    parts = in_one_go(parts)
    with _naming_the_block(parts):
        found = persisted(parts)
    futures = futures_of(found)
    if futures:
        numbers = {future.key: number for number, future in enumerate(futures)}
        for future in sys.modules["distributed"].as_completed(futures):
            _check_done(future, numbers[future.key])
    return found


@contextmanager
def _naming_the_block(parts: list[Any]) -> Iterator[None]:
    """Name the block of an error that does not name it, for work that is done in this process.

    Which task has failed Dask does not tell: blocks are made once more, one by one, up to the one
    that fails.
    """
    try:
        yield
    except InputError:  # one of ours, which names it
        raise
    except Exception:
        for number, part in enumerate(parts):
            try:
                _dask().compute(part)
            except InputError:
                raise
            except Exception as error:
                raise _named(error, number) from error
        raise


def _check_done(future: Any, number: int | None) -> None:
    """Raise what went wrong with a future, if anything, and name its block if it has one."""
    if future.status == "finished":
        return
    if future.status != "error":
        raise CancelledError
    error = future.exception()
    if isinstance(error, InputError) or number is None:
        raise error
    raise _named(error, number) from error


@while_connected()
def merged_where_made(merge: Callable[[Sequence[Any]], Any], parts: list[Any]) -> Any:
    """Have parts computed and merged in any order, and keep the result where it is.

    On a cluster each worker first merges what it has made itself, a few parts as soon as there are
    as many: what travels is one result a worker, however many parts there are.
    """
    client, parts = _client(), in_one_go(parts)
    if client is None:
        with _naming_the_block(parts):
            (found,) = _dask().persist(merged(merge, parts))
        return found
    ours = _merged_by_worker(client, client.compute(parts), merge)
    # In pairs: one of them is there already, and a worker need not hold many from elsewhere.
    return in_a_tree(partial(client.submit, merge, pure=False), ours, at_once=2)


def _client() -> Any:
    """Return the client of the cluster that computes; None if this process does."""
    client = getattr(_dask().base.get_scheduler(), "__self__", None)
    return client if type(client).__module__.partition(".")[0] == "distributed" else None


def in_a_tree(merge: Callable[[list[Any]], Any], parts: list[Any], at_once: int = FAN_IN) -> Any:
    while len(parts) > 1:
        starts = range(0, len(parts), at_once)
        parts = [merge(parts[start : start + at_once]) for start in starts]
    return parts[0]


def _merged_by_worker(
    client: Any, futures: list[Any], merge: Callable[[Sequence[Any]], Any]
) -> list[Any]:
    """Return one result of each worker, made of the parts that it has made."""
    from distributed import as_completed

    # Dask has it done where all of them are. A worker that is named would be waited for if it dies
    # and no other one is left for a moment.
    merge_there = partial(client.submit, merge, pure=False)
    piles: dict[str, list[Any]] = {}
    at_once = FAN_IN * len(client.nthreads())
    done: list[Any] = []
    numbers = {future.key: number for number, future in enumerate(futures)}
    waiting: Any = as_completed(futures)
    del futures  # what is merged need not be kept
    for batch in waiting.batches():
        for future in batch:
            _check_done(future, numbers.get(future.key))
        done += batch
        if len(done) < at_once:  # to ask where each one is would take longer than to make it
            continue
        _pile_up(client, done, piles)
        done = []
        for worker, pile in piles.items():
            if len(pile) >= FAN_IN:
                waiting.add(merge_there(pile))
                piles[worker] = []
    _pile_up(client, done, piles)
    return [in_a_tree(merge_there, pile) for pile in piles.values() if pile]


def _pile_up(client: Any, futures: list[Any], piles: dict[str, list[Any]]) -> None:
    """Put results to those on the same worker; one that was lost since is made again somewhere."""
    holders = client.who_has(futures)
    for future in futures:
        place = next(iter(holders.get(future.key) or [""]))
        piles.setdefault(place, []).append(future)


@while_connected()
def gathered(delayed: Any) -> Any:
    """Have something computed, and return it."""
    (found,) = _dask().compute(delayed)
    return found


def futures_of(parts: list[Any]) -> list[Any]:
    """Return what stands for parts that a cluster keeps; nothing if they are in this process."""
    distributed: Any = sys.modules.get("distributed")
    if distributed is None:
        return []
    return [future for part in parts for future in distributed.futures_of(part)]


def persisted(parts: list[Any]) -> list[Any]:
    """Have parts computed, wherever that is, and keep them there."""
    return list(_dask().persist(*parts))
