"""How do values that JSON can express become an object again, each part of it checked?

`encoding` says what stands for what. The names of all classes and functions are looked for, and all
limits are checked, before anything is built.
"""

from __future__ import annotations  # signatures then show the names of types

import math
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import InputError, shown
from abstain.saving.classes import KNOWN
from abstain.saving.encoding import DTYPE, MAX_DEPTH, TYPES, check_nesting
from abstain.saving.tree_records import boosting_tree_from, tree_from

__all__ = ["Decoder", "survey"]

Array = NDArray[Any]


def survey(description: Any) -> tuple[set[str], set[str]]:
    """Return the names of the classes and of the functions in a description.

    What is nested too deeply, or is no text, is refused before anything is built of it. Objects in
    objects have a limit of their own: scikit-learn asks what a pipeline is like at each level, and
    at each of them several times.
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
            for held in _held(node)
        ]
        if not level:
            return classes, functions
    raise InputError("its description is nested too deeply")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("text in it holds something else than characters") from None


def _held(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        yield from node.values()
    elif isinstance(node, list):
        yield from node


class Decoder:
    """Turns plain values into an object again, and checks every part of it.

    Parameters
    ----------
    arrays : list of ndarray
        Those that the values refer to.
    classes : mapping of str to type
        Classes beside the known ones that may be made.
    functions : mapping of str to callable
        What functions are called by.
    """

    def __init__(
        self, arrays: list[Array], classes: Mapping[str, type], functions: Mapping[str, Any]
    ) -> None:
        self.arrays: list[Array | None] = list(arrays)
        self.classes = classes
        self.functions = functions

    def decode(self, node: Any) -> Any:
        """Return the value that plain values stand for."""
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
            raise _nonsense(node)
        ((tag, held),) = node.items()
        if tag not in _DECODERS:
            raise _nonsense(node)
        return _DECODERS[tag](self, held)

    def check_all_used(self) -> None:
        """Refuse arrays that nothing refers to."""
        if any(array is not None for array in self.arrays):
            raise InputError("it holds arrays that nothing refers to")

    def array(self, index: Any) -> Array:
        """Return an array, which can be had once."""
        if type(index) is not int or not 0 <= index < len(self.arrays):
            raise InputError(f"it refers to array {shown(index)}, which it does not hold")
        array, self.arrays[index] = self.arrays[index], None
        if array is None:
            raise InputError(f"it refers to array {index} twice")
        return array

    def decode_list(self, node: Any, length: int | None = None) -> list[Any]:
        """Return the values of a list, which may have to be of some length."""
        if not isinstance(node, list) or length not in (None, len(node)):
            raise _nonsense(node)
        return [self.decode(each) for each in node]

    def _objects(self, node: dict[str, Any]) -> Array:
        held, shape = self.decode_list(node["objects"]), node["shape"]
        is_shape = isinstance(shape, list) and all(type(each) is int for each in shape)
        if not is_shape or min(shape, default=0) < 0 or math.prod(shape) != len(held):
            raise _nonsense(node)
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
            raise _nonsense(node)
        distinct = np.empty(len(names), dtype=object)
        distinct[:] = names
        return np.asarray(distinct[codes])

    def _object(self, node: dict[str, Any]) -> Any:
        name, params, state = node["class"], node["params"], node["state"]
        if not isinstance(name, str) or not isinstance(params, dict) or not isinstance(state, dict):
            raise _nonsense(node)
        known = KNOWN.get(name)
        kind = self.classes[name] if known is None else known.load()
        made_of = {key: self.decode(held) for key, held in params.items()}
        if type(n_jobs := made_of.get("n_jobs")) is int and abs(n_jobs) > (os.cpu_count() or 1):
            made_of["n_jobs"] = -1  # of all cores, which may be fewer than where it was fitted
        try:
            made = kind(**made_of)
        except TypeError as error:
            raise InputError(
                f"a {kind.__name__} in it has other parameters than this version ({error})"
            ) from None
        attributes = {key: self.decode(held) for key, held in state.items()}
        if known is None:
            _set_unchecked(made, attributes)
        else:
            known.check(made, attributes)
            known.restore(made, attributes)
        return made


def _set_unchecked(made: Any, attributes: Mapping[str, Any]) -> None:
    """Set the attributes of an object of a class that the user trusts; methods stay methods."""
    for name, value in attributes.items():
        if name.startswith("__") or callable(getattr(type(made), name, None)):
            raise InputError(f"{type(made).__name__}.{name} is no attribute that a fit sets")
        setattr(made, name, value)


def _nonsense(node: Any) -> InputError:
    return InputError(f"its description makes no sense at {shown(node)}")


def _float(decoder: Decoder, held: Any) -> float:
    if held not in ("nan", "inf", "-inf"):
        raise _nonsense(held)
    return float(held)


def _scalar(decoder: Decoder, held: Any) -> Any:
    array = decoder.array(held)
    if array.shape != ():
        raise InputError(f"array {shown(held)} in it must hold one number, got {array.shape}")
    return array[()]


def _dict(decoder: Decoder, held: Any) -> dict[Any, Any]:
    if not isinstance(held, list):
        raise _nonsense(held)
    pairs = [decoder.decode_list(pair, 2) for pair in held]
    # Of tuples, any number can be found whose hashes are equal, which takes endless time.
    if not all(isinstance(key, bool | int | float | str | np.generic | None) for key, _ in pairs):
        raise InputError("a dictionary in it has keys that are neither numbers nor text")
    made = dict(pairs)
    if len(made) < len(pairs):
        raise InputError("a dictionary in it has the same key twice")
    return made


def _slice(decoder: Decoder, held: Any) -> slice:
    ends = decoder.decode_list(held, 3)
    if not all(end is None or type(end) in (int, str) for end in ends):
        raise _nonsense(held)
    return slice(*ends)


def _dtype(decoder: Decoder, held: Any) -> np.dtype[Any]:
    if not isinstance(held, str) or not DTYPE.fullmatch(held):
        raise _nonsense(held)
    return np.dtype(held)


def _type(decoder: Decoder, held: Any) -> Any:
    if not isinstance(held, str) or held not in TYPES:
        raise _nonsense(held)
    return TYPES[held]


def _random_state(decoder: Decoder, held: Any) -> np.random.RandomState:
    key, position, has_gauss, gauss = decoder.decode_list(held, 4)
    is_key = isinstance(key, np.ndarray) and key.dtype == np.uint32 and key.shape == (624,)
    if not is_key or type(position) is not int or not 0 <= position <= 624:
        raise InputError("a state of random numbers in it is none")
    if has_gauss not in (0, 1) or type(gauss) is not float:
        raise InputError("a state of random numbers in it is none")
    state = np.random.RandomState(0)
    state.set_state(("MT19937", key, position, int(has_gauss), gauss))
    return state


def _requests(decoder: Decoder, held: Any) -> Any:
    from sklearn.utils.metadata_routing import MetadataRequest

    requests, made = decoder.decode(held), MetadataRequest(owner="an estimator")
    try:
        for method, asked in requests.items():
            for param, alias in asked.items():
                getattr(made, method).add_request(param=param, alias=alias)
    except (AttributeError, TypeError, ValueError):
        raise InputError("requests for metadata in it are none") from None
    return made


def _function(decoder: Decoder, held: Any) -> Any:
    if not isinstance(held, str):
        raise _nonsense(held)
    return decoder.functions[held]  # all were looked for before anything was built


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
