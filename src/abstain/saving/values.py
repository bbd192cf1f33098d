"""How does an object become values that JSON can express, and an object again?

Numbers, text, truth values and None stand for themselves, and so do lists. Everything else is an
object with one key that says what it is:

    {"array": 3}                      the third array of the file, in NumPy's type
    {"scalar": 3}                     its only element
    {"objects": […], "shape": […]}    an array of Python objects
    {"names": […], "codes": {…}}      one of names, by their places in the list
    {"tuple": […]}  {"dict": [[key, value], …]}  {"slice": […]}  {"float": "nan"}
    {"dtype": "<f8"}  {"type": "float64"}  {"random_state": …}  {"requests": …}
    {"tree": …}  {"boosting_tree": …}
    {"function": "name"}              given to `load` by its name
    {"class": …, "params": …, "state": …}

Each array is referred to once, so that nothing is built twice of the same bytes.
"""

from __future__ import annotations  # signatures then show the names of types

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._checks import InputError, shown
from abstain.saving.classes import KNOWN
from abstain.saving.kinds import describe, is_object
from abstain.saving.known import Known, public_name
from abstain.saving.tree_records import (
    boosting_tree_from,
    boosting_tree_state,
    tree_from,
    tree_state,
)

__all__ = ["Decoder", "Encoder", "survey"]

Array = NDArray[Any]
MAX_DEPTH = 100
# Estimators in estimators: a reject option around a frozen, calibrated pipeline of columns has 7.
MAX_OBJECTS = 9
_DTYPE = re.compile(r"\|b1|[|<][iu][1248]|<f[248]|\|O")

# Types that are the value of a parameter, such as ``dtype=np.float64``.
_TYPES = {
    name: getattr(np, name)
    for name in [
        "bool_",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "str_",
        "object_",
    ]
}
_TYPES |= {"bool": bool, "int": int, "float": float, "str": str, "object": object}


class Encoder:
    """Turns an object into plain values; the arrays and functions in it are kept aside."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self.functions: dict[str, Any] = {}
        self._n_objects = 0

    def encode(self, value: Any, at: str = "", depth: int = 0) -> Any:
        """Return what stands for a value in a file; ``at`` says where it was found."""
        if depth > MAX_DEPTH:
            raise InputError(f"{at} refers back to itself, or is nested too deeply")
        # NumPy's numbers are first: some are Python's as well.
        if isinstance(value, np.generic):
            return {"scalar": self._kept(np.asarray(value), at)}
        if isinstance(value, np.ndarray):
            return self._array(value, at, depth)
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int and -(2**63) <= value < 2**64:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}

        def inside(parts: Any) -> list[Any]:
            return [self.encode(part, at, depth + 1) for part in parts]

        kind = type(value).__name__
        if type(value) is list:
            return inside(value)
        if type(value) is tuple:
            return {"tuple": inside(value)}
        if type(value) is dict:
            return {"dict": [inside(pair) for pair in value.items()]}
        if type(value) is slice:
            return {"slice": inside([value.start, value.stop, value.step])}
        if isinstance(value, np.dtype) and _DTYPE.fullmatch(value.str):
            return {"dtype": value.str}
        if isinstance(value, type) and (names := [n for n, t in _TYPES.items() if t is value]):
            return {"type": names[0]}
        if type(value) is np.random.RandomState:
            return {"random_state": inside(tuple(value.get_state(legacy=True))[1:])}
        if kind == "MetadataRequest":
            return {"requests": self.encode(value._serialize(), at, depth + 1)}
        if kind == "Tree":
            return {"tree": self.encode(tree_state(value), at, depth + 1)}
        if kind == "TreePredictor":
            return {"boosting_tree": self.encode(boosting_tree_state(value), at, depth + 1)}
        if is_object(value):
            return self._object(value, at, depth)
        if callable(value) and not isinstance(value, type):
            return {"function": self._named(value)}
        raise InputError(f"{at} is {describe(value)}, which a file cannot hold")

    def _kept(self, array: Array, at: str) -> int:
        if array.dtype.kind not in "biufUS":
            raise InputError(
                f"{at} is an array of {array.dtype}, which a file cannot hold; give numbers or text"
            )
        self.arrays.append(array)
        return len(self.arrays) - 1

    def _array(self, value: Array, at: str, depth: int) -> Any:
        if type(value) is not np.ndarray:
            raise InputError(f"{at} is a {type(value).__name__}; make it a plain NumPy array")
        if value.dtype.kind != "O":
            return {"array": self._kept(value, at)}
        held = value.ravel().tolist()
        if all(isinstance(part, str) for part in held):  # as labels of samples are, many of them
            names, codes = np.unique(value, return_inverse=True)
            places = codes.reshape(value.shape).astype(np.int64)
            return {"names": list(map(str, names)), "codes": {"array": self._kept(places, at)}}
        encoded = [self.encode(part, at, depth + 1) for part in held]
        return {"objects": encoded, "shape": list(value.shape)}

    def _object(self, value: Any, at: str, depth: int) -> Any:
        name, owner = public_name(type(value)), type(value).__name__
        if hasattr(value, "best_estimator_"):
            raise InputError(f"a {owner} cannot be saved; save its best_estimator_")
        known = KNOWN.get(name, Known(name))
        params, state = known.settings(value), known.state(value)
        if name in KNOWN:
            known.check(value, state)
        self._n_objects += 1
        _check_nesting(self._n_objects)

        def inside(held: Mapping[str, Any]) -> dict[str, Any]:
            return {
                key: self.encode(part, f"{owner}.{key}", depth + 1) for key, part in held.items()
            }

        encoded = {"class": name, "params": inside(params), "state": inside(state)}
        self._n_objects -= 1
        return encoded

    def _named(self, function: Any) -> str:
        name = str(getattr(function, "__name__", type(function).__name__))
        if self.functions.setdefault(name, function) is not function:
            raise InputError(
                f"two functions in it are called {name!r}; load takes functions by their name: "
                "rename one"
            )
        return name


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
                _check_nesting(n_objects + 1)
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


def _check_nesting(n_objects: int) -> None:
    if n_objects > MAX_OBJECTS:
        raise InputError(
            f"estimators in it are nested more than {MAX_OBJECTS} levels deep, which is too deep"
        )


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
    if not isinstance(held, str) or not _DTYPE.fullmatch(held):
        raise _nonsense(held)
    return np.dtype(held)


def _type(decoder: Decoder, held: Any) -> Any:
    if not isinstance(held, str) or held not in _TYPES:
        raise _nonsense(held)
    return _TYPES[held]


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
