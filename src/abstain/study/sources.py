"""What do the rows of a study depend on, besides its plan?

On the code that makes them and on the packages it calls. Whoever adds rows to a study, another call
or a worker elsewhere, must have the same.
"""

from __future__ import annotations  # signatures then show the names of types

from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from abstain._core.checks import InputError

__all__ = ["DECIDING", "Sources", "check_same", "digest", "ours", "versions"]

# Versions of packages, and the digest of the code.
Sources = tuple[dict[str, str], str]

DECIDING = ["numpy", "scipy", "scikit-learn", "libsvm-official"]
# What has no part in the rows of a study: it reads them, has them made or shows what else there is.
READERS = {
    "study": {
        "claims",
        "curves",
        "distributing",
        "figures",
        "results",
        "sources",
        "studying",
    }
}
SHELLS = {
    "__main__",
    "_scale",
    "_score_files",
    "cli",
    "plotting",
    "report",
    "saving",
    "tables",
}


def digest() -> str:
    """Return a digest of the code that the rows of a study depend on."""
    package = Path(__file__).parents[1]
    found = sha256()
    for file in sorted(package.rglob("*.py")):
        layer, *rest = file.relative_to(package).with_suffix("").parts
        if layer not in SHELLS and not READERS.get(layer, set()).intersection(rest):
            found.update(f"{layer}/{'/'.join(rest)}\n".encode() + file.read_bytes())
    return found.hexdigest()[:16]


def versions(packages: list[str]) -> dict[str, str]:
    """Return the versions of packages, as far as they are installed."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


@lru_cache
def ours() -> Sources:
    """Return what rows made by this process depend on."""
    return versions(DECIDING), digest()


def check_same(wanted: Sources) -> None:
    """Refuse to run a task by other code, or with other packages, than those of the caller."""
    (here, code), (there, code_there) = ours(), wanted
    for name in here | there:
        if here.get(name) != there.get(name):
            raise InputError(
                f"it has {name} {here.get(name)}, the caller has {there.get(name)}; install the "
                "same versions everywhere"
            )
    if code != code_there:
        raise InputError("it has other code of abstain than the caller; install the same")
