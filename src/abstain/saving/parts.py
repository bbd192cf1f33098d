"""What is a classifier made of, and what in it refers back to where it is held?

skops follows every reference, so that one which leads back would be followed for ever.
scikit-learn leaves two such behind: requests for metadata know the estimator that they belong to,
and boosting that stops early keeps a method of its own as an attribute.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable, Iterator
from copy import deepcopy
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

__all__ = ["name_of", "parts", "without_loops"]


def name_of(thing: Any) -> str:
    """Return the full name of a type or function, as files have it."""
    return f"{thing.__module__}.{thing.__name__}"


def parts(thing: Any) -> Iterator[Any]:
    """Yield a thing and everything that it is made of, each once and before what it holds."""
    seen: dict[int, Any] = {}  # what is kept here keeps its id
    to_do = [thing]
    while to_do:
        part = to_do.pop()
        if id(part) not in seen:
            seen[id(part)] = part
            yield part
            to_do.extend(_held_by(part))


def _held_by(part: Any) -> Iterable[Any]:
    if isinstance(part, type | FunctionType | ModuleType):
        return []
    if isinstance(part, MethodType):
        return [part.__self__]
    if isinstance(part, np.ndarray):
        return part.ravel().tolist() if part.dtype.hasobject else []
    held = list(getattr(part, "__dict__", {}).values())
    if isinstance(part, dict):
        held += part.values()
    if isinstance(part, list | tuple | set | frozenset):
        held += part
    return held


def without_loops(thing: Any) -> Any:
    """Return a thing, or a copy of it that does the same, that nowhere refers back to itself."""
    if not any(list(_back_references(part)) for part in parts(thing)):
        return thing
    copied = deepcopy(thing)
    # A copied request still knows the original; it is cut before what it holds is looked at.
    for part in parts(copied):
        for name, instead in list(_back_references(part)):
            if instead is None:
                delattr(part, name)
            else:
                setattr(part, name, instead)
    return copied


def _back_references(part: Any) -> Iterator[tuple[str, str | None]]:
    """Yield the attributes that lead back, and what can stand there instead, if anything must."""
    if isinstance(part, type | FunctionType | ModuleType):
        return
    is_request = type(part).__module__ == "sklearn.utils._metadata_requests"
    for name, value in getattr(part, "__dict__", {}).items():
        if is_request and name == "owner" and not isinstance(value, str | None):
            yield name, type(value).__name__  # only messages use it
        elif _is_own_method(part, name, value):
            yield name, None


def _is_own_method(part: Any, name: str, value: Any) -> bool:
    """Tell whether an attribute is what would be found without it."""
    if not isinstance(value, MethodType) or value.__self__ is not part:
        return False
    return value.__func__ is getattr(type(part), name, None)
