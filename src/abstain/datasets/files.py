"""Where are the files of the real data sets, how are they written, and are they the known ones?

A CSV file has a header and a label in its last column, and an empty cell is a missing value. An
NPZ file has arrays. Either is known by its SHA-256: of all bytes of a CSV file, but of the arrays
in an NPZ file, whose bytes depend on the compressor.
"""

from __future__ import annotations  # signatures then show the names of types

import csv
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import InputError

Arrays = dict[str, NDArray[Any]]
Folder = str | os.PathLike[str] | None

VARIABLE = "ABSTAIN_DATA_HOME"


def data_folder(data_home: Folder = None) -> Path:
    """Return the given folder, else that of the environment, else the user's cache.

    It need not exist.
    """
    if data_home is None:
        # Set but empty is how a shell unsets a variable for one command.
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache")
        data_home = os.environ.get(VARIABLE) or os.path.join(cache, "abstain")
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


@dataclass(frozen=True)
class TidyFile:
    """What is known of a file before it is read."""

    name: str
    shape: tuple[int, ...]  # numbers of samples and features, or of images and their pixels
    sha256: str  # digest of the bytes or, of an NPZ file, of its arrays


def write_csv(names: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the bytes of a CSV file; no cell holds a comma or a quote."""
    return "".join(f"{','.join(row)}\n" for row in [names, *rows]).encode()


def write_npz(**arrays: NDArray[Any]) -> bytes:
    """Return the bytes of a compressed NPZ file."""
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]  # its flag is not an array
    return buffer.getvalue()


def read_tidy(file: TidyFile, content: bytes) -> Arrays:
    """Return the arrays of a file: ``names``, ``values`` and ``labels``, or those of an NPZ file.

    If it is not the known file, the error says the first difference; the caller adds where it comes
    from and what to do.
    """
    is_npz = file.name.endswith(".npz")
    try:
        arrays = _npz_arrays(content) if is_npz else _csv_arrays(content)
    except Exception as error:  # arbitrary bytes can fail in any way
        lines = str(error).splitlines() or [""]
        reason = lines[0] or type(error).__name__
        raise InputError(f"it is no {file.name} ({reason})") from error
    shape = arrays["images" if is_npz else "values"].shape
    if shape != file.shape:
        raise InputError(f"its shape is {shape} instead of {file.shape}")
    data = b"".join(array.tobytes() for array in arrays.values()) if is_npz else content
    digest = sha256(data).hexdigest()
    if digest != file.sha256:
        raise InputError(f"its SHA-256 is {digest} instead of {file.sha256}")
    return arrays


def _csv_arrays(content: bytes) -> Arrays:
    names, *rows = csv.reader(StringIO(content.decode()), strict=True)
    return {
        "names": np.array(names[:-1]),
        "values": np.array([[float(cell or "nan") for cell in row[:-1]] for row in rows]),
        "labels": np.array([row[-1] for row in rows]),
    }


def _npz_arrays(content: bytes) -> Arrays:
    with np.load(BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in ("images", "target", "pose")}


def import_optional(package: str, purpose: str, install: str) -> Any:
    """Import a package, or say in one line what needs it and how to install it."""
    try:
        return import_module(package)
    except ImportError:
        raise InputError(
            f"{purpose} needs {package}, which is not installed: pip install {install}"
        ) from None
