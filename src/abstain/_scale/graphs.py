"""How are the tasks of a Dask graph built?

Code and values of the caller are held as bytes, and are unpickled when the task runs. Dask itself
unpickles a task when it reads the message: a worker that cannot import a function of the caller's
would end, and so would each worker that gets the task next. Inside of the task it is an error like
any other.
"""

from __future__ import annotations  # signatures then show the names of types

import pickle
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

from abstain._core.errors import InputError, reworded
from abstain._scale.blocks import is_dask
from abstain._scale.workers import KILLED_WORKERS, ClusterError

Blocks = Sequence[tuple[Any, ...]]


def delayed_call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return ``function(*arguments)`` as a Dask delayed object.

    Arguments, or entries of lists, may be delayed objects or futures. `dask.delayed` would replace
    a future by its key, and the result might be released before it is used.
    """
    inputs: list[Any] = []

    def replace(argument: Any) -> Any:
        if isinstance(argument, list):
            return [replace(each) for each in argument]
        if not (_is_future(argument) or is_dask(argument)):
            return argument
        inputs.append(argument)
        return _Input(len(inputs) - 1)

    call = _Call((function, [replace(argument) for argument in arguments]))
    key = f"{_name(function)}-{uuid4().hex}"
    tasks: dict[Any, Any] = {each.key: each for each in inputs if _is_future(each)}
    tasks[key] = (call, *(each.key for each in inputs))
    return _delayed(key, _graph(key, tasks, [each for each in inputs if not _is_future(each)]), key)


def map_blocks(function: Callable[..., Any], blocks: Blocks, *shared: Any) -> list[Any]:
    """Return ``function(*shared, *block)`` for each block, delayed.

    What is shared is one node of the graph and goes to each worker once. A block may hold small
    values of its own, such as a number. An error names the block.
    """
    keys, graph, layer = _layer(function, blocks, shared)
    return [_delayed(key, graph, layer) for key in keys]


def map_blocks_to_array(
    function: Callable[..., Any],
    blocks: Blocks,
    *shared: Any,
    chunks: tuple[float, ...],
    dtype: Any,
    n_columns: int | None = None,
) -> Any:
    """Return the same as a Dask array, of one dimension if there are no columns."""
    import dask.array

    tail, columns = ((), ()) if n_columns is None else ((0,), ((n_columns,),))
    _, graph, layer = _layer(function, blocks, shared, tail)
    return dask.array.Array(graph, layer, chunks=(chunks, *columns), dtype=dtype)


def _layer(
    function: Callable[..., Any], blocks: Blocks, shared: tuple[Any, ...], tail: Any = ()
) -> tuple[list[Any], Any, str]:
    """Return the keys, the graph and the name of a layer with one task per block.

    Dask takes longer for one layer per task, and a dozen times as long for an array that is put
    together from delayed blocks.
    """
    common = delayed_call(_identity, list(shared))
    layer = f"{_name(function)}-{uuid4().hex}"
    keys = [(layer, number, *tail) for number in range(len(blocks))]
    tasks: dict[Any, Any] = {
        key: (
            _call_in_block,
            number,
            function,
            common.key,
            *(each.key if is_dask(each) else each for each in block),
        )
        for number, (key, block) in enumerate(zip(keys, blocks, strict=True))
    }
    inputs = [each for block in blocks for each in block if is_dask(each)]
    return keys, _graph(layer, tasks, [common, *inputs]), layer


def _call_in_block(
    number: int, function: Callable[..., Any], shared: list[Any], *block: Any
) -> Any:
    try:
        return function(*shared, *block)
    except Exception as error:
        raise error_in_block(error, number) from error


def error_in_block(error: BaseException, number: int) -> InputError:
    """Return an error of one line that names the block."""
    if type(error).__name__ == "KilledWorker":
        return ClusterError(f"{KILLED_WORKERS} (in block {number})")
    text, kind = " ".join(str(error).split()), type(error).__name__
    # The text alone may say too little: that of a KeyError is the key.
    said = text if text and isinstance(error, ValueError) else f"{kind}: {text}".removesuffix(": ")
    return reworded(error, f"{said} (in block {number})")


def fuse_tasks(parts: list[Any], *, are_blocks: bool = True) -> list[Any]:
    """Return the same delayed objects, each with all that it alone needs fused into one task.

    A scheduler spends about a millisecond per task, and may run the next task of a block on another
    worker, to which the samples then travel. With blocks of 20,000 samples the two passes of a
    front take 3.5 times as long without fusing, calibration with blocks of 4,000 samples 1.5 times,
    and blocks of a million samples as long as with it (`benchmarks/dask_fusing.py`). What several
    of the objects need, and what is computed already, stays a task of its own. If there is one
    object per block, an error names the block, also one of the code that makes the blocks.
    """
    from dask.core import get_dependencies

    tasks = _all_tasks(parts)
    needs = {
        key: [] if _is_future(task) else list(get_dependencies(tasks, key))
        for key, task in tasks.items()
    }
    own: list[dict[Any, Any]] = [{} for _ in parts]
    fused: dict[Any, Any] = {}
    for key, user in _users([part.key for part in parts], needs).items():
        (fused if user == _SEVERAL or _is_future(tasks[key]) else own[user])[key] = tasks[key]
    for number, (part, steps) in enumerate(zip(parts, own, strict=True)):
        if len(steps) == 1 and _names_block(*steps.values()):
            fused |= steps
        elif steps:
            inputs = list({key: 0 for step in steps for key in needs[step] if key not in steps})
            content = number if are_blocks else None, part.key, steps, inputs
            fused[part.key] = (_Steps(content), *inputs)
    layer = f"fused-{uuid4().hex}"
    graph = _graph(layer, fused, [])
    return [_delayed(part.key, graph, layer) for part in parts]


def _names_block(task: Any) -> bool:
    return isinstance(task, tuple) and task[0] is _call_in_block


_SEVERAL = -1


def _users(keys: list[Any], needs: dict[Any, list[Any]]) -> dict[Any, int]:
    """Return for each task the position of the one key that needs it, or _SEVERAL."""
    users: dict[Any, int] = {}
    for position, key in enumerate(keys):
        pending = [key]
        while pending:
            task = pending.pop()
            user = users.get(task)
            if user in (position, _SEVERAL):
                continue
            users[task] = position if user is None else _SEVERAL
            pending += needs[task]
    return users


def _all_tasks(parts: list[Any]) -> dict[Any, Any]:
    """Return the tasks of all delayed objects, which have most layers in common."""
    layers: dict[Any, Any] = {}
    for part in parts:
        graph = part.__dask_graph__()
        layers |= getattr(graph, "layers", {id(graph): graph})
    return {key: task for layer in layers.values() for key, task in dict(layer).items()}


# --- what tasks call ------------------------------------------------------------------------------


class _Pickled:
    """Content that travels as bytes; Dask does not look for tasks in it either."""

    def __init__(self, content: Any, pickled: bytes = b"") -> None:
        self._content, self._pickled = content, pickled

    def __reduce__(self) -> Any:
        if self._pickled:
            return type(self), (None, self._pickled)
        import cloudpickle  # type: ignore[import-untyped]

        return type(self), (None, cloudpickle.dumps(self._content))

    def load(self) -> Any:
        if not self._pickled:
            return self._content
        try:
            return pickle.loads(self._pickled)
        except Exception as error:
            said = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise ClusterError(
                f"a worker cannot load what it is to run ({said}); install the module on all "
                "workers, or send it by client.upload_file"
            ) from error


class _Input(NamedTuple):
    """Stands for an argument that is the result of another task."""

    position: int


class _Call(_Pickled):
    """A function and its arguments."""

    def __call__(self, *inputs: Any) -> Any:
        def replace(argument: Any) -> Any:
            if isinstance(argument, list):
                return [replace(each) for each in argument]
            return inputs[argument.position] if isinstance(argument, _Input) else argument

        function, arguments = self.load()
        return function(*map(replace, arguments))


class _Steps(_Pickled):
    """Several tasks in one: the number of their block, the last key, the tasks, their inputs."""

    def __call__(self, *inputs: Any) -> Any:
        from dask import get

        number, key, tasks, input_keys = self.load()
        # As calls, for Dask would look for tasks in the values, too.
        values = zip(input_keys, inputs, strict=True)
        tasks = tasks | {each: (partial(_identity, value),) for each, value in values}
        try:
            return get(tasks, key)
        except InputError:  # one of ours, which names the block
            raise
        except Exception as error:
            if number is None:
                raise
            raise error_in_block(error, number) from error


def _identity(value: Any) -> Any:
    return value


def _is_future(task: Any) -> bool:
    kind = type(task)
    return kind.__name__ == "Future" and kind.__module__.startswith("distributed")


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "call").strip("_")


def _graph(layer: str, tasks: dict[Any, Any], inputs: list[Any]) -> Any:
    from dask.highlevelgraph import HighLevelGraph

    return HighLevelGraph.from_collections(layer, tasks, inputs)


def _delayed(key: Any, graph: Any, layer: str) -> Any:
    from dask.delayed import Delayed

    make: Any = Delayed  # has no types
    return make(key, graph, layer=layer)
