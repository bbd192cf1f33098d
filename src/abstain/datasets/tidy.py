"""How are samples written to a tidy file, and does a file hold what it should?

A CSV file has a header and a label in its last column, and an empty cell is a missing value. An
NPZ file has arrays. Either is known by its SHA-256: of all bytes of a CSV file, but of the arrays
in an NPZ file, whose bytes depend on the compressor.
"""

from __future__ import annotations  # signatures then show the names of types

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO, StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._checks import InputError

__all__ = ["Arrays", "TidyFile", "read", "write_csv", "write_npz"]

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class TidyFile:
    """What is known of a file before it is read.

    Parameters
    ----------
    name : str
        Name in the data folder.
    shape : tuple of int
        Numbers of samples and features, or of images and their pixels.
    sha256 : str
        Digest of the bytes or, of an NPZ file, of its arrays.
    """

    name: str
    shape: tuple[int, ...]
    sha256: str


def write_csv(names: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the bytes of a CSV file; no cell holds a comma or a quote."""
    return "".join(f"{','.join(row)}\n" for row in [names, *rows]).encode()


def write_npz(**arrays: NDArray[Any]) -> bytes:
    """Return the bytes of a compressed NPZ file."""
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]  # its flag is not an array
    return buffer.getvalue()


def read(file: TidyFile, content: bytes) -> Arrays:
    """Return the arrays of a file: ``names``, ``values`` and ``labels``, or those of an NPZ file.

    Raises
    ------
    InputError
        If it is not the known file, with the first difference and nothing else; the caller knows
        where it comes from and what to do.
    """
    is_npz = file.name.endswith(".npz")
    try:
        arrays = _npz_arrays(content) if is_npz else _csv_arrays(content)
    # Foreign bytes can be wrong in any way; each means the same.
    except Exception as error:
        raise InputError(f"it is no {file.name} ({_first_line(error)})") from error
    shape = arrays["images" if is_npz else "values"].shape
    if shape != file.shape:
        raise InputError(f"its shape is {shape} instead of {file.shape}")
    digest = sha256(b"".join(map(_bytes, arrays.values())) if is_npz else content).hexdigest()
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


def _bytes(array: NDArray[Any]) -> bytes:
    return array.tobytes()


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    return lines[0] or type(error).__name__
