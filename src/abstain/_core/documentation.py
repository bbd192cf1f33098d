"""How are docstrings completed with texts that several functions or classes share?

Shared texts are written as in a docstring, so that one reads like the other.
"""

import inspect
import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

Documented = TypeVar("Documented", bound=Callable[..., Any])

# A heading with its line of dashes; the start of an entry within a section.
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)


def documented(
    parameters: str = "", *, attributes: str = "", returns: str = "", setup: str = ""
) -> Callable[[Documented], Documented]:
    """Complete the docstring of a function or a class.

    ``parameters`` are entries for parameters that the docstring does not describe, in any order;
    a default that an entry does not state is added. An entry of the name ``y=None`` is for a
    parameter ``y`` that is None by default; the last entry of a name counts. ``attributes`` and
    ``returns`` are sections for a docstring without them, ``setup`` the first lines of its example.
    """
    shared = _entries(parameters)

    def complete(function: Documented) -> Documented:
        if function.__doc__ is None:  # Python was started with -OO
            return function
        parts = _SECTION.split(inspect.cleandoc(function.__doc__))
        own = dict(zip(["", *parts[1::2]], parts[::2], strict=True))
        sections = {
            "": own.pop(""),
            "Parameters": _parameters(function, _entries(own.pop("Parameters", "")), shared),
            "Attributes": attributes,
            "Returns": returns,
            **own,
        }
        sections["Examples"] = setup + sections.get("Examples", "")
        function.__doc__ = "\n\n".join(
            f"{title}\n{'-' * len(title)}\n{text}".strip()
            for title, text in sections.items()
            if text
        )
        return function

    return complete


def _entries(section: str) -> dict[str, str]:
    """Return the entries of a section by name; two names may share an entry."""
    entries = {}
    for entry in _ENTRY.split(section):
        names = entry.partition(" : ")[0].split(",")
        entries.update({name.strip("* "): entry.rstrip() for name in names})
    return entries


def _parameters(function: Callable[..., Any], own: dict[str, str], shared: dict[str, str]) -> str:
    """Return the section of the parameters of a function."""
    described = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in own:
            described.append(own[name])
        elif name not in ("self", "cls"):
            default = parameter.default
            entry = shared.get(f"{name}={default}") or shared[name]
            if default is not inspect.Parameter.empty and ", default=" not in entry:
                head, _, description = entry.partition("\n")
                head = head.replace(f"={default} : ", " : ")
                shown = json.dumps(default) if isinstance(default, str) else repr(default)
                entry = f"{head}, default={shown}\n{description}"
            described.append(entry)
    return "\n".join(dict.fromkeys(described))
