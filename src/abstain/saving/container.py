r"""How are a description and its arrays stored in a file, and read safely?

    "abstain model 2\\n"    16 bytes, the format
    checksum               32 bytes, the SHA-256 of everything after it
    n                       8 bytes, the length of the description
    description             n bytes of JSON
    arrays                  their plain bytes, one after the other

Nothing is compressed, so that the size of a file bounds the memory it takes. The description lists
the type, shape and order of each array, and the CRC-32 of these and its bytes; it ends in a CRC-32
of its own. The arrays must account for every byte. All limits are checked before any array is
created. Checksums detect damage, not forgery: anyone who writes a file can compute them.
"""

import json
import math
import os
import re
import stat
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError

Array = NDArray[Any]

MAGIC = b"abstain model 2\n"
DIGEST_SIZE, LENGTH_SIZE = 32, 8
START = len(MAGIC) + DIGEST_SIZE + LENGTH_SIZE

MAX_FILE_BYTES = 4 * 2**30
MAX_DESCRIPTION_BYTES = 16 * 2**20
MAX_VALUES = 1_000_000
MAX_DIMENSIONS = 4
CHUNK = 2**20

# Types of arrays: truth values, numbers and text of fixed length.
_DTYPE = re.compile(r"\|b1|[|<][iu][1248]|<f[248]|<U[1-9]\d{0,3}|\|S[1-9]\d{0,3}")


def can_hold(array: Array) -> bool:
    """Return whether a file can hold an array: few dimensions, of numbers or of short text."""
    return _is_header([*_header(array), 0])


def write(file: BinaryIO, description: dict[str, Any], arrays: list[Array]) -> None:
    """Write values that JSON can express, and the arrays that they refer to, to an empty file."""
    arrays = [each.astype(each.dtype.newbyteorder("<"), copy=False) for each in arrays]
    headers = [[*_header(array), array_checksum(_header(array), _bytes(array))] for array in arrays]
    described = {**description, "arrays": headers}
    described["checksum"] = description_checksum(described)
    encoded = json.dumps(described, separators=(",", ":"), allow_nan=False).encode()
    if len(encoded) > MAX_DESCRIPTION_BYTES or _n_values(encoded) > MAX_VALUES:
        raise InputError(
            f"it has more than {MAX_VALUES:,} values outside of arrays; hold them in NumPy arrays"
        )
    if sum(array.nbytes for array in arrays) > MAX_FILE_BYTES - START - len(encoded):
        raise InputError(f"it takes more than {MAX_FILE_BYTES:,} bytes; use a smaller model")
    digest = sha256()
    file.write(MAGIC + bytes(DIGEST_SIZE))
    length = len(encoded).to_bytes(LENGTH_SIZE, "little")
    for part in chain((length, encoded), map(_bytes, arrays)):
        digest.update(part)
        file.write(part)
    file.seek(len(MAGIC))
    file.write(digest.digest())


def _bytes(array: Array) -> Any:
    flat = array.T if _order(array) == "F" else array
    return np.ascontiguousarray(flat).reshape(-1).view(np.uint8).data


def _header(array: Array) -> list[Any]:
    return [array.dtype.newbyteorder("<").str, list(array.shape), _order(array)]


def description_checksum(described: dict[str, Any]) -> int:
    """Return the CRC-32 of a description without its checksum, however its text is spaced."""
    others = {name: value for name, value in described.items() if name != "checksum"}
    return crc32(json.dumps(others).encode())


def array_checksum(header: list[Any], content: Any) -> int:
    """Return the CRC-32 of the type, shape and order of an array, and its bytes."""
    return crc32(content, crc32(json.dumps(header).encode()))


def _order(array: Array) -> str:
    """Return the memory order of an array: the last digits of matrix products depend on it."""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def read(path: Path) -> tuple[dict[str, Any], list[Array]]:
    """Return the description in a file of this format, and the arrays that it refers to."""
    # Without O_NONBLOCK, opening a named pipe waits for a writer.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with open(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise InputError("it is not a regular file; write the model to one first")
        if status.st_size > MAX_FILE_BYTES:
            raise InputError(
                f"it has {status.st_size:,} bytes; at most {MAX_FILE_BYTES:,} are read"
            )
        _check_start(file.read(len(MAGIC)))
        _check_digest(file, status.st_size)
        file.seek(START - LENGTH_SIZE)
        length = int.from_bytes(file.read(LENGTH_SIZE), "little")
        if length > min(MAX_DESCRIPTION_BYTES, status.st_size - START):
            raise InputError("its description is longer than a description can be")
        described = _parsed(file.read(length))
        headers = _headers(described.pop("arrays", []), status.st_size - START - length)
        return described, [_read_array(file, *header) for header in headers]


def _check_start(start: bytes) -> None:
    for other, what in _OTHER_FORMATS.items():
        if start.startswith(other):
            raise InputError(f"it is {what}")
    if not start.startswith(MAGIC[:-2]):
        raise InputError(
            "it is not a file that abstain.save has written; name one that it, or abstain fit, has"
        )
    if start != MAGIC:
        raise InputError("a newer abstain wrote it, in another format; update abstain")


_OTHER_FORMATS = {
    b"PK": "a zip archive, as skops and early builds of abstain 0.1 wrote; such files can run code "
    "when they are loaded: fit and save again",
    b"\x80": "a pickle, which can run code when it is loaded; fit again, and write it by "
    "abstain.save",
}


def _check_digest(file: BinaryIO, n_bytes: int) -> None:
    expected, digest = file.read(DIGEST_SIZE), sha256()
    # Read no more than the size at the start, even if the file grows.
    while chunk := file.read(min(CHUNK, max(n_bytes - file.tell(), 0))):
        digest.update(chunk)
    if digest.digest() != expected:
        raise InputError(
            "it is truncated or was changed after it was saved; take another copy, or save again"
        )


def _n_values(description: bytes) -> int:
    """Return an upper bound of the number of values in JSON, without parsing it."""
    return 1 + sum(map(description.count, (b",", b"[", b"{", b":")))


def _parsed(description: bytes) -> dict[str, Any]:
    if (n_values := _n_values(description)) > MAX_VALUES:
        raise InputError(
            f"its description has {n_values:,} values; at most {MAX_VALUES:,} are read"
        )
    try:
        parsed = json.loads(
            description,
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse_constant,
            parse_int=_small_integer,
        )
    except RecursionError:
        raise InputError("its description is nested too deeply") from None
    except ValueError as error:  # not JSON or not UTF-8
        if isinstance(error, InputError):
            raise
        raise InputError(f"its description is not JSON ({error})") from None
    if not isinstance(parsed, dict):
        raise InputError("its description is not a JSON object")
    if parsed.pop("checksum", None) != description_checksum(parsed):
        raise InputError("its description was changed after it was saved; take another copy")
    return parsed


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    parsed = dict(pairs)
    if len(parsed) < len(pairs):
        raise InputError("its description names something twice")
    return parsed


def _refuse_constant(name: str) -> Any:
    raise InputError(f"its description holds {name}, which is not JSON")


def _small_integer(digits: str) -> int:
    if len(digits) > 20:
        raise InputError("its description holds a number of more than 64 bits")
    return int(digits)


def _headers(listed: Any, n_bytes: int) -> list[list[Any]]:
    """Return type, shape, order and checksum of arrays that together take ``n_bytes``."""
    total = 0
    if not isinstance(listed, list) or not all(map(_is_header, listed)):
        raise InputError("its list of arrays is not one")
    for header in listed:
        total += np.dtype(header[0]).itemsize * math.prod(header[1])
    if total != n_bytes:
        raise InputError(f"its arrays take {total:,} bytes, and it has {n_bytes:,}")
    return listed


def _is_header(header: Any) -> bool:
    if not (isinstance(header, list) and len(header) == 4 and isinstance(header[1], list)):
        return False
    dtype, shape, order, _ = header
    return (
        isinstance(dtype, str)
        and _DTYPE.fullmatch(dtype) is not None
        and len(shape) <= MAX_DIMENSIONS
        and all(type(size) is int and 0 <= size < 2**40 for size in shape)
        and order in ("C", "F")
    )


def _read_array(file: BinaryIO, name: str, shape: list[int], order: str, checksum: Any) -> Array:
    dtype = np.dtype(name)
    array = np.empty(shape if order == "C" else shape[::-1], dtype)
    flat = array.reshape(-1).view(np.uint8)
    if file.readinto(flat.data) != array.nbytes:  # type: ignore[attr-defined]
        raise InputError("it ends before its arrays do")
    if array_checksum([name, shape, order], flat.data) != checksum:
        raise InputError("an array in it was changed after it was saved; take another copy")
    # With other bytes than these, NumPy would read or write beyond an array.
    if dtype.kind == "b" and flat.max(initial=0) > 1:
        raise InputError("an array of truth values in it holds something else")
    if dtype.kind == "U" and not _are_characters(flat.view(np.uint32)):
        raise InputError("text in it holds something else than characters")
    return array if order == "C" else array.T


def _are_characters(codes: NDArray[np.uint32]) -> bool:
    """Return whether all numbers are code points of characters, and not surrogates."""
    return not ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000))).any()
