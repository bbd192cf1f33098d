"""Where do the files of the real data sets lie?"""

from __future__ import annotations  # signatures then show the names of types

import os
from pathlib import Path

from abstain._checks import InputError

__all__ = ["VARIABLE", "Folder", "data_folder"]

Folder = str | os.PathLike[str] | None

VARIABLE = "ABSTAIN_DATA_HOME"


def data_folder(data_home: Folder = None) -> Path:
    """Return the folder that is asked for, else that of the environment, else the user's cache.

    It need not exist. What is asked for wins, so that one call can read elsewhere.
    """
    if data_home is None:
        # Set but empty is how a shell unsets a variable for one command.
        data_home = os.environ.get(VARIABLE) or _cache()
    try:
        folder = Path(data_home).expanduser()
    except (TypeError, RuntimeError) as error:
        raise InputError(
            f"data_home must be the path of a folder or None, got {data_home!r} ({error})"
        ) from None
    if folder.exists() and not folder.is_dir():
        raise InputError(
            f"data_home must be a folder, got the file {folder}; "
            f"it comes from the argument or from the variable {VARIABLE}"
        )
    return folder


def _cache() -> str:
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache"), "abstain")
