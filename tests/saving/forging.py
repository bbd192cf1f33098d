"""Files as somebody would write them who knows the format: any description, a true checksum."""

import json
import math
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from abstain.saving.container import MAGIC, START, array_checksum, description_checksum


def parts_of(path: Path) -> tuple[Any, bytes]:
    """Return the description of a file, parsed, and the bytes of its arrays."""
    content = path.read_bytes()
    length = int.from_bytes(content[START - 8 : START], "little")
    return json.loads(content[START : START + length]), content[START + length :]


def sealed(body: bytes) -> bytes:
    """Return a whole file: the start, a true checksum and what follows."""
    return MAGIC + sha256(body).digest() + body


def with_checksums(description, arrays):
    """Give each array its checksum, as far as the list of arrays is one."""
    start, listed = 0, description.get("arrays")
    for header in listed if isinstance(listed, list) else []:
        try:
            end = start + size_of(header)
            header[3:] = [array_checksum(header[:3], arrays[start:end])]
        except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
            return
        start = end


def file_of(description: Any, arrays: bytes = b"", *, is_forged: bool = True) -> bytes:
    """Return a whole file with a description, parsed or not.

    One that is not forged with care has only the checksum of the whole.
    """
    if not isinstance(description, bytes):
        if is_forged:
            with_checksums(description, arrays)
            description["checksum"] = description_checksum(description)
        description = json.dumps(description).encode()
    return sealed(len(description).to_bytes(8, "little") + description + arrays)


def forge(path, change):
    """Let a function change the description of a file, and write the file again."""
    description, arrays = parts_of(path)
    change(description)
    path.write_bytes(file_of(description, arrays))


def objects(node):
    """Yield all objects in a description, outer ones first."""
    if isinstance(node, dict):
        if "class" in node:
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from objects(each)


def object_of(description, name):
    """Return the first object of a class."""
    return next(node for node in objects(description) if node["class"].endswith(f".{name}"))


def new_array(path, reference, array):
    """Put another array in the place of one that a reference such as {"array": 3} names."""
    description, content = parts_of(path)
    (index,) = reference.values()
    start = sum(map(size_of, description["arrays"][:index]))
    end = start + size_of(description["arrays"][index])
    description["arrays"][index] = [array.dtype.str, list(array.shape), "C"]
    path.write_bytes(file_of(description, content[:start] + array.tobytes() + content[end:]))


def size_of(header: list[Any]) -> int:
    dtype, shape, *_ = header
    return int(np.dtype(dtype).itemsize * math.prod(shape))


def read_array(path, reference):
    """Return the array that a reference names."""
    description, content = parts_of(path)
    (index,) = reference.values()
    start = sum(map(size_of, description["arrays"][:index]))
    dtype, shape, order, _ = description["arrays"][index]
    end = start + size_of(description["arrays"][index])
    return np.frombuffer(content[start:end], dtype).reshape(shape, order=order).copy()


def without_unused_arrays(path):
    """Leave out the arrays that a changed description does not refer to any more."""
    description, content = parts_of(path)
    references = list(array_references(description["model"]))
    used = sorted(index for node in references for index in node.values())
    starts = np.cumsum([0, *map(size_of, description["arrays"])])
    content = b"".join(content[starts[index] : starts[index + 1]] for index in used)
    description["arrays"] = [description["arrays"][index] for index in used]
    for node in references:
        ((kind, index),) = node.items()
        node[kind] = used.index(index)
    path.write_bytes(file_of(description, content))


def array_references(node):
    """Yield all references to arrays in a description."""
    if isinstance(node, dict):
        if node.keys() in ({"array"}, {"scalar"}):
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from array_references(each)
