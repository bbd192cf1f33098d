"""What are the blocks of Dask collections, and do those of several collections belong together?

Dask is an extra: a Dask collection is recognised by the module of its type, so that nothing imports
Dask before a collection is given.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np

from abstain._core.errors import InputError, shown
from abstain._scale.workers import check_versions, current_client, watch_workers


def is_dask(*values: Any) -> bool:
    """Return whether any of the values is a Dask collection."""
    return any(
        type(value).__module__.partition(".")[0] in ("dask", "dask_expr") for value in values
    )


def refuse_dask(what: str, remedy: str, *values: Any) -> None:
    """Reject Dask collections where the result cannot be lazy."""
    if is_dask(*values):
        raise InputError(f"{what} takes no Dask collection; {remedy}")


def check_samples(estimator: Any, X: Any) -> None:
    """Reject a Dask collection that cannot hold samples in rows, by its metadata."""
    if not _is_array_or_frame(X) or X.ndim != 2:
        got = shown(X) if is_dask(X) else f"a {type(X).__name__}"
        raise InputError(
            argument="X", requirement="must be a Dask array or frame with samples in rows", got=got
        )
    n_features = X.shape[1]
    expected = getattr(estimator, "n_features_in_", n_features)
    if n_features == n_features and n_features != expected:  # NaN: not known yet
        raise InputError(
            argument="X",
            requirement=f"must have the {expected} features of the fit",
            got=str(n_features),
        )


def without_rows(X: Any) -> Any:
    """Return an array or a frame with the features of a Dask collection and no rows."""
    if X.ndim != 2:
        raise InputError(
            argument="X", requirement="must be two-dimensional", got=f"{X.ndim} dimension(s)"
        )
    if hasattr(X, "columns"):
        return X._meta
    return np.empty((0, X.shape[1]))


def row_chunks(collection: Any) -> tuple[float, ...]:
    """Return the number of rows of each block; NaN where it is not known."""
    if _is_frame(collection):
        return (float("nan"),) * int(collection.npartitions)
    return tuple(collection.chunks[0])


def aligned_blocks(**collections: Any) -> list[tuple[Any, ...]]:
    """Return tuples of the blocks that hold the same rows, delayed; None stays None.

    All collections must be of Dask and have the same chunks.
    """
    try:
        import dask.array  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"Dask collections need more than is installed ({error}): pip install "
            "'.[scale]', in a copy of the project"
        ) from None
    with watch_workers():
        if (client := current_client()) is not None:
            check_versions(client)
    given = {name: each for name, each in collections.items() if each is not None}
    first = next(name for name, each in given.items() if is_dask(each))
    for name, each in given.items():
        _check_collection(name, each, first, given[first])
    chunks = {name: row_chunks(each) for name, each in given.items()}
    for name, own in chunks.items():
        _check_chunks(name, own, first, chunks[first])
    blocks = {name: _delayed_blocks(each) for name, each in given.items()}
    return [
        tuple(None if each is None else blocks[name][number] for name, each in collections.items())
        for number in range(len(chunks[first]))
    ]


def _check_collection(name: str, collection: Any, first: str, first_collection: Any) -> None:
    if not is_dask(collection):
        remedy = f"make one by dask.array.from_array({name}, chunks={first}.chunks[0])"
        if _is_frame(first_collection):
            remedy = f"take it from the frame that {first} is of, by its name"
        raise InputError(
            argument=name,
            requirement=f"must be a Dask collection chunked like {first}",
            got=f"a {type(collection).__name__}",
            remedy=remedy,
        )
    if not _is_array_or_frame(collection):
        got = f"a {type(collection).__name__}"
        raise InputError(argument=name, requirement="must be a Dask array or frame", got=got)
    if collection.ndim == 0:
        raise InputError(
            argument=name, requirement="must hold an entry for each sample", got="a single one"
        )


def _check_chunks(name: str, chunks: Any, first: str, first_chunks: Any) -> None:
    if len(chunks) != len(first_chunks):
        raise InputError(
            argument=name,
            requirement=f"must be chunked like {first}",
            got=f"{len(chunks)} blocks beside {len(first_chunks)}",
            remedy="rechunk or repartition one of them",
        )
    pairs = zip(chunks, first_chunks, strict=True)
    if any(a != b and a == a and b == b for a, b in pairs):  # NaN: not known yet
        raise InputError(
            argument=name,
            requirement=f"must be chunked like {first}",
            got=f"chunks of {shown(chunks)} rows beside {shown(first_chunks)}",
            remedy="rechunk one of them",
        )


def _is_array_or_frame(collection: Any) -> bool:
    return hasattr(type(collection), "chunks") or _is_frame(collection)


def _is_frame(collection: Any) -> bool:
    return hasattr(type(collection), "divisions")  # a delayed object has any attribute


def _delayed_blocks(collection: Any) -> list[Any]:
    if getattr(collection, "ndim", 1) == 2 and hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})  # whole rows
    # If each block were optimised for itself, tasks that several blocks need would run for each.
    blocks = collection.to_delayed(optimize_graph=False)
    return list(blocks.ravel() if hasattr(blocks, "ravel") else blocks)
