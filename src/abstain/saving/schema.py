"""What must hold for the description of a classifier that skops keeps as JSON?

Every object is a node that names a loader, a module and a class. Keys of dictionaries become text;
on loading, their types make keys of them again.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from typing import Any

from abstain._checks import InputError
from abstain.saving.trusted import FUNCTIONS

__all__ = ["check_calls", "mend_keys", "named_types"]

_BOOLEANS = {"builtins.bool", "numpy.bool", "numpy.bool_"}


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    to_do = [schema]
    while to_do:
        node = to_do.pop()
        if isinstance(node, dict):
            if "__loader__" in node:
                yield node
            to_do.extend(node.values())
        elif isinstance(node, list):
            to_do.extend(node)


def _name(node: dict[str, Any]) -> str:
    return f"{node['__module__']}.{node['__class__']}"


def named_types(schema: dict[str, Any]) -> set[str]:
    """Return the full names of all types in a schema."""
    return {_name(node) for node in _nodes(schema)}


def mend_keys(schema: dict[str, Any]) -> None:
    """Make the keys of dictionaries in a schema come back as they were, or say which do not.

    bool("false") is True; bool("") is not.
    """
    for node in _nodes(schema):
        if node["__loader__"] == "DictNode":
            types, content = node["key_types"]["content"], node["content"]
            if len(types) != len(content):
                raise InputError(
                    "a dictionary in it has keys that read alike, such as 1 and '1'; use keys of "
                    f"one type instead of {', '.join(map(repr, content))}"
                )
            node["content"] = {
                "" if _name(kind) in _BOOLEANS and key == "false" else key: value
                for kind, (key, value) in zip(types, content.items(), strict=True)
            }


def check_calls(schema: dict[str, Any]) -> None:
    """Refuse a schema that would have a function called where a type belongs."""
    for node in _nodes(schema):
        kinds = node["key_types"]["content"] if node["__loader__"] == "DictNode" else []
        called = [_name(kind) for kind in kinds if kind["__loader__"] != "TypeNode"]
        if node["__loader__"] != "FunctionNode" and _name(node) in FUNCTIONS:
            called.append(_name(node))
        if called:
            raise InputError(f"it would call {called[0]}, which abstain.save never writes")
