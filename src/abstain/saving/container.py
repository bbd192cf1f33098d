"""How does a file tell that abstain wrote it, with which versions, and that it is still whole?

It is the zip archive of skops with a member of our own in front, which holds the number of the
format and the versions, and a comment at the end, which is the SHA-256 of all bytes before it. The
digest finds damage, not forgery: whoever writes a file can compute one.
"""

from __future__ import annotations  # signatures then show the names of types

import json
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy
import sklearn

from abstain._checks import InputError
from abstain.saving.schema import check_calls, mend_keys, named_types

__all__ = ["FORMAT", "differing_versions", "pack", "unpack"]

# What a reader of an earlier format could not read needs a new number.
FORMAT = 1
HEADER, SCHEMA = "abstain.json", "schema.json"
VERSIONS = {"abstain": version("abstain"), "scikit-learn": sklearn.__version__}
# The header's name follows the fixed part of the archive's first record.
NAME_AT = 30
DIGEST = 64


def pack(archive: bytes) -> bytes:
    """Return what to write, from the archive that skops makes."""
    buffer = BytesIO()
    with (
        ZipFile(BytesIO(archive)) as source,
        ZipFile(buffer, "w", ZIP_DEFLATED, compresslevel=1) as target,
    ):
        header = {"format": FORMAT, **VERSIONS, "numpy": numpy.__version__}
        target.writestr(ZipInfo(HEADER), json.dumps(header))
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, _mended(content) if name == SCHEMA else content)
        target.comment = b"sha256:" + b"0" * DIGEST
    written = buffer.getbuffer()[:-DIGEST]
    return bytes(written) + _digest(written)


def _mended(schema: bytes) -> str:
    parsed = json.loads(schema)
    mend_keys(parsed)
    return json.dumps(parsed, separators=(",", ":"))


def _digest(content: Any) -> bytes:
    return sha256(content).hexdigest().encode()


def unpack(data: bytes) -> tuple[dict[str, Any], set[str]]:
    """Return the header of a file that is whole, of this format and would call nothing.

    The second value are the full names of the types that it holds.
    """
    if not data.startswith(b"PK") or data[NAME_AT:][: len(HEADER)] != HEADER.encode():
        raise InputError("it is not a file that abstain.save has written")
    if _digest(memoryview(data)[:-DIGEST]) != data[-DIGEST:]:
        raise InputError(
            "it is truncated or was changed after it was saved; take another copy, or save again"
        )
    with ZipFile(BytesIO(data)) as archive:
        header: dict[str, Any] = json.loads(archive.read(HEADER))
        _check_format(header)
        schema = json.loads(archive.read(SCHEMA))
        check_calls(schema)
    return header, named_types(schema)


def _check_format(header: dict[str, Any]) -> None:
    found, writer = header["format"], header["abstain"]
    if found != FORMAT:
        remedy = "fit and save again" if found < FORMAT else "update abstain"
        raise InputError(
            f"abstain {writer} wrote it in format {found}, and abstain {VERSIONS['abstain']} reads "
            f"format {FORMAT}; {remedy}, or load it with abstain {writer}"
        )


def differing_versions(header: dict[str, Any]) -> str | None:
    """Return which versions differ from those that wrote a file; None if none does."""
    packages = [package for package in VERSIONS if header[package] != VERSIONS[package]]
    if not packages:
        return None
    saved = " and ".join(f"{package} {header[package]}" for package in packages)
    here = " and ".join(f"{package} {VERSIONS[package]}" for package in packages)
    return f"saved with {saved}, and this is {here}"
