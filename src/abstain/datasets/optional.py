"""What if a package that only some calls need is not installed?"""

from importlib import import_module
from typing import Any

from abstain._checks import InputError

__all__ = ["optional"]


def optional(package: str, purpose: str, install: str) -> Any:
    """Import a package where it is used, or tell in one line what needs it and how to get it."""
    try:
        return import_module(package)
    except ImportError:
        raise InputError(
            f"{purpose} needs {package}, which is not installed: pip install {install}"
        ) from None
