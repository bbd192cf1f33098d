"""How do values that JSON can express become an object again, with every part checked?

`encoding` documents the format. The names of all classes and functions are collected, and all
limits are checked, before any object is created.
"""

from __future__ import annotations  # signatures then show the names of types

import math
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError, shown
from abstain.saving.classes import KNOWN
from abstain.saving.classes.trees import boosting_tree_from, tree_from
from abstain.saving.encoding import DTYPE, MAX_DEPTH, TYPES, check_nesting

Array = NDArray[Any]


def find_names(description: Any) -> tuple[set[str], set[str]]:
    """Return the names of the classes and of the functions in a description.

    Text that is not valid and values that are nested too deeply are refused. Nested objects have a
    lower limit: scikit-learn inspects a pipeline several times at each level.
    """
    classes, functions = set(), set()
    level = [(description, 0)]
    for _ in range(3 * MAX_DEPTH):
        for node, n_objects in level:
            if isinstance(node, dict) and isinstance(node.get("class"), str):
                classes.add(node["class"])
                check_nesting(n_objects + 1)
            if isinstance(node, dict) and isinstance(node.get("function"), str):
                functions.add(node["function"])
            for text in [node] if isinstance(node, str) else node if isinstance(node, dict) else []:
                _check_text(text)
        level = [
            (held, n_objects + (isinstance(node, dict) and "class" in node))
            for node, n_objects in level
            for held in _children(node)
        ]
        if not level:
            return classes, functions
    raise InputError("its description is nested too deeply")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("text in it holds something else than characters") from None


def _children(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        yield from node.values()
    elif isinstance(node, list):
        yield from node


class Decoder:
    """Turns plain values into an object again, and checks every part of it.

    ``classes`` are those that the user trusts; ``functions`` are the user's, by name.
    """

    def __init__(
        self, arrays: list[Array], classes: Mapping[str, type], functions: Mapping[str, Any]
    ) -> None:
        self.arrays: list[Array | None] = list(arrays)
        self.classes = classes
        self.functions = functions

    def decode(self, node: Any) -> Any:
        """Return the value that a part of the description encodes."""
        if node is None or isinstance(node, bool | int | float | str):
            return node
        if isinstance(node, list):
            return [self.decode(each) for each in node]
        if isinstance(node, dict) and node.keys() == {"class", "params", "state"}:
            return self._object(node)
        if isinstance(node, dict) and node.keys() == {"objects", "shape"}:
            return self._objects(node)
        if isinstance(node, dict) and node.keys() == {"names", "codes"}:
            return self._names(node)
        if not isinstance(node, dict) or len(node) != 1:
            raise _invalid(node)
        ((tag, held),) = node.items()
        if tag not in _DECODERS:
            raise _invalid(node)
        return _DECODERS[tag](self, held)

    def check_all_used(self) -> None:
        """Refuse a file with arrays that nothing refers to."""
        if any(array is not None for array in self.arrays):
            raise InputError("it holds arrays that nothing refers to")

    def array(self, index: Any) -> Array:
        """Return an array; each can be used once."""
        if type(index) is not int or not 0 <= index < len(self.arrays):
            raise InputError(f"it refers to array {shown(index)}, which it does not hold")
        array, self.arrays[index] = self.arrays[index], None
        if array is None:
            raise InputError(f"it refers to array {index} twice")
        return array

    def decode_list(self, node: Any, length: int | None = None) -> list[Any]:
        """Return the values of a list, perhaps of a required length."""
        if not isinstance(node, list) or length not in (None, len(node)):
            raise _invalid(node)
        return [self.decode(each) for each in node]

    def _objects(self, node: dict[str, Any]) -> Array:
        held, shape = self.decode_list(node["objects"]), node["shape"]
        is_shape = isinstance(shape, list) and all(type(each) is int for each in shape)
        if not is_shape or min(shape, default=0) < 0 or math.prod(shape) != len(held):
            raise _invalid(node)
        array = np.empty(len(held), dtype=object)
        array[:] = held
        return array.reshape(shape)

    def _names(self, node: dict[str, Any]) -> Array:
        names, codes = node["names"], self.decode(node["codes"])
        is_sound = (
            isinstance(names, list)
            and all(type(name) is str for name in names)
            and isinstance(codes, np.ndarray)
            and codes.dtype == np.int64
            and bool(((codes >= 0) & (codes < len(names))).all())
        )
        if not is_sound:
            raise _invalid(node)
        distinct = np.empty(len(names), dtype=object)
        distinct[:] = names
        return np.asarray(distinct[codes])

    def _object(self, node: dict[str, Any]) -> Any:
        name, params, state = node["class"], node["params"], node["state"]
        if not isinstance(name, str) or not isinstance(params, dict) or not isinstance(state, dict):
            raise _invalid(node)
        known = KNOWN.get(name)
        kind = self.classes[name] if known is None else known.load()
        arguments = {key: self.decode(held) for key, held in params.items()}
        if type(n_jobs := arguments.get("n_jobs")) is int and abs(n_jobs) > (os.cpu_count() or 1):
            arguments["n_jobs"] = -1  # all cores, which may be fewer than where it was fitted
        try:
            obj = kind(**arguments)
        except TypeError as error:
            raise InputError(
                f"a {kind.__name__} in it has other parameters than this version ({error})"
            ) from None
        attributes = {key: self.decode(held) for key, held in state.items()}
        if known is None:
            _set_unchecked(obj, attributes)
        else:
            known.check(obj, attributes)
            known.restore(obj, attributes)
        return obj


def _set_unchecked(obj: Any, attributes: Mapping[str, Any]) -> None:
    """Set the attributes of an object of a trusted class, but no methods."""
    for name, value in attributes.items():
        if name.startswith("__") or callable(getattr(type(obj), name, None)):
            raise InputError(f"{type(obj).__name__}.{name} is no attribute that a fit sets")
        setattr(obj, name, value)


def _invalid(node: Any) -> InputError:
    return InputError(f"its description is not valid at {shown(node)}")


def _float(decoder: Decoder, held: Any) -> float:
    if held not in ("nan", "inf", "-inf"):
        raise _invalid(held)
    return float(held)


def _scalar(decoder: Decoder, held: Any) -> Any:
    array = decoder.array(held)
    if array.shape != ():
        raise InputError(f"array {shown(held)} in it must hold one number, got {array.shape}")
    return array[()]


def _dict(decoder: Decoder, held: Any) -> dict[Any, Any]:
    if not isinstance(held, list):
        raise _invalid(held)
    pairs = [decoder.decode_list(pair, 2) for pair in held]
    # Any number of tuples with equal hashes can be constructed, and a dict of them takes forever.
    if not all(isinstance(key, bool | int | float | str | np.generic | None) for key, _ in pairs):
        raise InputError("a dictionary in it has keys that are neither numbers nor text")
    decoded = dict(pairs)
    if len(decoded) < len(pairs):
        raise InputError("a dictionary in it has the same key twice")
    return decoded


def _slice(decoder: Decoder, held: Any) -> slice:
    ends = decoder.decode_list(held, 3)
    if not all(end is None or type(end) in (int, str) for end in ends):
        raise _invalid(held)
    return slice(*ends)


def _dtype(decoder: Decoder, held: Any) -> np.dtype[Any]:
    if not isinstance(held, str) or not DTYPE.fullmatch(held):
        raise _invalid(held)
    return np.dtype(held)


def _type(decoder: Decoder, held: Any) -> Any:
    if not isinstance(held, str) or held not in TYPES:
        raise _invalid(held)
    return TYPES[held]


def _random_state(decoder: Decoder, held: Any) -> np.random.RandomState:
    key, position, has_gauss, gauss = decoder.decode_list(held, 4)
    is_key = isinstance(key, np.ndarray) and key.dtype == np.uint32 and key.shape == (624,)
    if not is_key or type(position) is not int or not 0 <= position <= 624:
        raise InputError("a random state in it is not valid")
    if has_gauss not in (0, 1) or type(gauss) is not float:
        raise InputError("a random state in it is not valid")
    state = np.random.RandomState(0)
    state.set_state(("MT19937", key, position, int(has_gauss), gauss))
    return state


def _requests(decoder: Decoder, held: Any) -> Any:
    from sklearn.utils.metadata_routing import MetadataRequest

    requests, request = decoder.decode(held), MetadataRequest(owner="an estimator")
    try:
        for method, params in requests.items():
            for param, alias in params.items():
                getattr(request, method).add_request(param=param, alias=alias)
    except (AttributeError, TypeError, ValueError):
        raise InputError("requests for metadata in it are not valid") from None
    return request


def _function(decoder: Decoder, held: Any) -> Any:
    if not isinstance(held, str):
        raise _invalid(held)
    return decoder.functions[held]  # all names were checked before


_DECODERS: dict[str, Callable[[Decoder, Any], Any]] = {
    "array": Decoder.array,
    "scalar": _scalar,
    "tuple": lambda decoder, held: tuple(decoder.decode_list(held)),
    "dict": _dict,
    "slice": _slice,
    "float": _float,
    "dtype": _dtype,
    "type": _type,
    "random_state": _random_state,
    "requests": _requests,
    "tree": lambda decoder, held: tree_from(decoder.decode(held)),
    "boosting_tree": lambda decoder, held: boosting_tree_from(decoder.decode(held)),
    "function": _function,
}
