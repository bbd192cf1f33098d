"""Which are the lowest versions that ``pyproject.toml`` declares?

Prints a constraints file for pip that allows these versions alone:
``python -m tools.lowest_versions > constraints.txt``.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
# A name, extras such as [array] that a constraint cannot have, and the lowest version.
REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[\w,-]+\])?>=([\w.]+)")


def lowest_versions(project: dict[str, Any]) -> list[str]:
    """Return ``name==version`` for every requirement of a project, its extras included.

    Parameters
    ----------
    project : dict
        The table ``project`` of a ``pyproject.toml``.

    Returns
    -------
    constraints : list of str
        In alphabetical order.

    Raises
    ------
    ValueError
        If a requirement is no lower bound, or two of them differ on one package.
    """
    lowest: dict[str, str] = {}
    for requirement in _requirements(project):
        match = REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise ValueError(f"requirements must read 'name>=version'; got {requirement!r}")
        name, version = match.groups()
        if lowest.setdefault(name, version) != version:
            raise ValueError(
                f"{name} must have one lowest version; got {lowest[name]} and {version}"
            )
    return [f"{name}=={version}" for name, version in sorted(lowest.items())]


def _requirements(project: dict[str, Any]) -> list[str]:
    """Return all requirements but those on the project's own extras."""
    extras = project["optional-dependencies"].values()
    listed = [*project["dependencies"], *(one for extra in extras for one in extra)]
    return [one for one in listed if not one.startswith(f"{project['name']}[")]


if __name__ == "__main__":
    print("\n".join(lowest_versions(tomllib.loads(PROJECT.read_text())["project"])))
