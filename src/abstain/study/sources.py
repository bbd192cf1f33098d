"""What do the rows of a study depend on, besides its plan?

On the code that makes them and on the packages it calls. A call that adds rows to a study must have
the same.
"""

from __future__ import annotations  # signatures then show the names of types

from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["DECIDING", "digest", "ours", "versions"]

DECIDING = ["numpy", "scipy", "scikit-learn", "libsvm-official"]
# What has no part in the rows of a study: it reads them, has them made or shows what else there is.
READERS = {
    "study": {
        "claims",
        "curves",
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
def ours() -> tuple[dict[str, str], str]:
    """Return what rows made by this process depend on: versions of packages, digest of the code."""
    return versions(DECIDING), digest()
