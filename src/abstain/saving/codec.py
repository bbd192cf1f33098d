"""How does an object become values that JSON can express, and an object again?

Numbers, text, truth values, None and lists are encoded as they are. Everything else is an object
with a key that says what it is:

    {"array": 3}                      the third array of the file, in NumPy's type
    {"scalar": 3}                     its only element
    {"objects": […], "shape": […]}    an array of Python objects
    {"names": […], "codes": {…}}      an array of text, by positions in a list
    {"tuple": […]}  {"dict": [[key, value], …]}  {"slice": […]}  {"float": "nan"}
    {"pairs": [[one, other, value], …]}   a dict of all pairs of labels
    {"dtype": "<f8"}  {"type": "float64"}  {"random_state": …}  {"requests": …}
    {"tree": …}  {"boosting_tree": …}
    {"function": "name"}              given to `load` by its name
    {"class": …, "params": …, "state": …}

Each array is referred to once, so that no bytes are used twice. The names of all classes and
functions are collected, and all limits are checked, before any object is created.
"""

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError, shown
from abstain.saving.classifiers import CLASSIFIERS
from abstain.saving.container import can_hold
from abstain.saving.kinds import (
    Kind,
    describe,
    instance,
    is_object,
    listed,
    names_all_pairs,
    text,
    word,
)
from abstain.saving.known import KnownClass, public_name
from abstain.saving.own import OWN
from abstain.saving.transformers import TRANSFORMERS
from abstain.saving.trees import boosting_tree_from, boosting_tree_state, tree_from, tree_state

Array = NDArray[Any]
# The classes that a file may name. Those of scikit-learn are the classes that the command line, the
# README and the guide use, and similar ones. Other classes are loaded only if the user names them
# as trusted, without checks.
KNOWN: dict[str, KnownClass] = {known.name: known for known in (*OWN, *TRANSFORMERS, *CLASSIFIERS)}
MAX_DEPTH = 100
# Estimators in estimators: a reject option around a frozen, calibrated pipeline of columns has 7.
# scikit-learn inspects a pipeline several times at each level.
MAX_OBJECTS = 9

# --- values with a tag --------------------------------------------------------------------------


class Tagged(NamedTuple):
    """A type whose values are encoded as an object with one key."""

    # Returns whether a value is of the type.
    matches: Callable[[Any], Any]
    # Returns the parts that a value consists of, which are encoded in turn.
    parts: Callable[[Any], Any]
    # What decoded parts must be.
    kind: Kind
    # Returns the value of decoded parts.
    build: Callable[[Any], Any]


DTYPE = re.compile(r"\|b1|[|<][iu][1248]|<f[248]|\|O")
# Types that are the value of a parameter, such as ``dtype=np.float64``.
_NUMPY_TYPES = (
    "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 str_ object_"
)
TYPES = {name: getattr(np, name) for name in _NUMPY_TYPES.split()}
TYPES |= {"bool": bool, "int": int, "float": float, "str": str, "object": object}
NAME_OF_TYPE = {held: name for name, held in TYPES.items()}


def _are_keys(values: Iterable[Any]) -> bool:
    return all(isinstance(each, bool | int | float | str | np.generic | None) for each in values)


def _dict(items: Any) -> dict[Any, Any]:
    # Any number of tuples with equal hashes can be constructed, and a dict of them takes forever.
    if not _are_keys(key for key, _ in items):
        raise InputError("a dictionary in it has keys that are neither numbers nor text")
    return _without_repeats(items)


def _is_by_pair(value: Any) -> bool:
    is_dict = type(value) is dict and len(value) > 0
    return is_dict and all(type(key) is tuple and len(key) == 2 for key in value)


def _by_pair(items: Any) -> dict[Any, Any]:
    # Pairs that share a label have different hashes. If all pairs of the labels are there, few can
    # have the same: at most as many as there are labels.
    pairs = [(one, other) for one, other, _ in items]
    if not _are_keys(chain.from_iterable(pairs)) or not names_all_pairs(pairs):
        raise InputError("a dictionary in it has keys that are not all pairs of numbers or text")
    return _without_repeats([(pair, item[2]) for pair, item in zip(pairs, items, strict=True)])


def _without_repeats(items: list[Any]) -> dict[Any, Any]:
    decoded = dict(items)
    if len(decoded) < len(items):
        raise InputError("a dictionary in it has the same key twice")
    return decoded


def _is_random_state(parts: Any) -> bool:
    key, position, has_gauss, gauss = parts
    is_key = isinstance(key, np.ndarray) and key.dtype == np.uint32 and key.shape == (624,)
    is_position = type(position) is int and 0 <= position <= 624
    return is_key and is_position and has_gauss in (0, 1) and type(gauss) is float


def _random_state(parts: list[Any]) -> np.random.RandomState:
    key, position, has_gauss, gauss = parts
    state = np.random.RandomState(0)
    state.set_state(("MT19937", key, position, int(has_gauss), gauss))
    return state


def _requests(requests: Any) -> Any:
    from sklearn.utils.metadata_routing import MetadataRequest

    request = MetadataRequest(owner="an estimator")
    try:
        for method, params in requests.items():
            for param, alias in params.items():
                getattr(request, method).add_request(param=param, alias=alias)
    except (AttributeError, TypeError, ValueError):
        raise InputError("requests for metadata in it are not valid") from None
    return request


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: type(value) is kind


def _is_named(name: str) -> Callable[[Any], bool]:
    return lambda value: type(value).__name__ == name


_anything = Kind("a value", lambda value, sizes: True)
_end = Kind("an end", lambda value, sizes: value is None or type(value) in (int, str))
TAGGED = {
    "float": Tagged(_is(float), repr, word("nan", "inf", "-inf"), float),
    "tuple": Tagged(_is(tuple), list, instance(list), tuple),
    "pairs": Tagged(
        _is_by_pair,
        lambda v: [[*pair, held] for pair, held in v.items()],
        listed(listed(_anything, "3")),
        _by_pair,
    ),
    "dict": Tagged(
        _is(dict), lambda v: list(map(list, v.items())), listed(listed(_anything, "2")), _dict
    ),
    "slice": Tagged(
        _is(slice), lambda v: [v.start, v.stop, v.step], listed(_end, "3"), lambda v: slice(*v)
    ),
    "dtype": Tagged(
        lambda value: isinstance(value, np.dtype) and DTYPE.fullmatch(value.str),
        lambda value: value.str,
        text.where("a type", DTYPE.fullmatch),
        np.dtype,
    ),
    "type": Tagged(
        lambda value: isinstance(value, type) and value in NAME_OF_TYPE,
        NAME_OF_TYPE.get,
        word(*TYPES),
        TYPES.get,
    ),
    "random_state": Tagged(
        _is(np.random.RandomState),
        lambda value: list(value.get_state(legacy=True))[1:],
        listed(_anything, "4").where("of a random state", _is_random_state),
        _random_state,
    ),
    "requests": Tagged(
        _is_named("MetadataRequest"), lambda v: v._serialize(), instance(dict), _requests
    ),
    "tree": Tagged(_is_named("Tree"), tree_state, instance(dict), tree_from),
    "boosting_tree": Tagged(
        _is_named("TreePredictor"), boosting_tree_state, instance(dict), boosting_tree_from
    ),
}


# --- encoding -----------------------------------------------------------------------------------


class Encoder:
    """Turns an object into plain values, and collects the arrays and functions in it."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self.functions: dict[str, Any] = {}
        self._n_objects = 0

    def encode(self, value: Any, at: str = "", depth: int = 0) -> Any:
        """Return what a file holds for a value; ``at`` names the attribute for messages."""
        if depth > MAX_DEPTH:
            raise InputError(f"{at} refers back to itself, or is nested too deeply")
        # NumPy's numbers are first: some are Python's as well.
        if isinstance(value, np.generic):
            return {"scalar": self._add_array(np.asarray(value), at)}
        if isinstance(value, np.ndarray):
            return self._array(value, at, depth)
        is_integer = type(value) is int and -(2**63) <= value < 2**64
        is_finite = type(value) is float and math.isfinite(value)
        if value is None or type(value) in (bool, str) or is_integer or is_finite:
            return value
        if type(value) is list:
            return [self.encode(each, at, depth + 1) for each in value]
        for tag, kind in TAGGED.items():
            if kind.matches(value):
                return {tag: self.encode(kind.parts(value), at, depth)}
        if is_object(value):
            return self._object(value, depth)
        if callable(value) and not isinstance(value, type):
            return {"function": self._function_name(value)}
        raise InputError(
            f"{at} is {describe(value)}, which a file cannot hold; take a class that "
            "docs/guide/saving.md lists"
        )

    def _add_array(self, array: Array, at: str) -> int:
        if not can_hold(array):
            raise InputError(
                f"{at} is {describe(array)}, which a file cannot hold; give numbers of at most 64 "
                "bits, or text of at most 9,999 characters"
            )
        self.arrays.append(array)
        return len(self.arrays) - 1

    def _array(self, value: Array, at: str, depth: int) -> Any:
        if type(value) is not np.ndarray:
            raise InputError(f"{at} is a {type(value).__name__}; make it a plain NumPy array")
        if value.dtype.kind != "O":
            return {"array": self._add_array(value, at)}
        elements = value.ravel().tolist()
        if all(isinstance(each, str) for each in elements):  # such as the labels of many samples
            names, codes = np.unique(value, return_inverse=True)
            codes = codes.reshape(value.shape).astype(np.int64)
            return {"names": list(map(str, names)), "codes": {"array": self._add_array(codes, at)}}
        encoded = [self.encode(each, at, depth + 1) for each in elements]
        return {"objects": encoded, "shape": list(value.shape)}

    def _object(self, value: Any, depth: int) -> Any:
        name, owner = public_name(type(value)), type(value).__name__
        if hasattr(value, "best_estimator_"):
            raise InputError(f"a {owner} cannot be saved; save its best_estimator_")
        known = KNOWN.get(name, KnownClass(name))
        held = {"params": known.settings(value), "state": known.state(value)}
        if name in KNOWN:
            known.check(value, held["state"])
        self._n_objects += 1
        _check_nesting(self._n_objects)
        encoded = {
            part: {
                key: self.encode(each, f"{owner}.{key}", depth + 1) for key, each in values.items()
            }
            for part, values in held.items()
        }
        self._n_objects -= 1
        return {"class": name, **encoded}

    def _function_name(self, function: Any) -> str:
        name = str(getattr(function, "__name__", type(function).__name__))
        if self.functions.setdefault(name, function) is not function:
            raise InputError(
                f"two functions in it are called {name!r}; load takes functions by their name: "
                "rename one"
            )
        return name


def _check_nesting(n_objects: int) -> None:
    if n_objects > MAX_OBJECTS:
        raise InputError(
            f"estimators in it are nested more than {MAX_OBJECTS} levels deep, which is too deep"
        )


# --- decoding -----------------------------------------------------------------------------------


def find_names(description: Any) -> tuple[set[str], set[str]]:
    """Return the names of the classes and of the functions in a description.

    Text that is not valid and values that are nested too deeply are refused.
    """
    names: dict[str, set[str]] = {"class": set(), "function": set()}
    level = [(description, 0)]
    for _ in range(3 * MAX_DEPTH):
        following = []
        for node, n_objects in level:
            if isinstance(node, str):
                _check_text(node)
            elif isinstance(node, list):
                following += [(each, n_objects) for each in node]
            elif isinstance(node, dict):
                for key in names.keys() & node.keys():
                    if isinstance(node[key], str):
                        names[key].add(node[key])
                _check_text("".join(node))
                n_objects += "class" in node
                _check_nesting(n_objects)
                following += [(each, n_objects) for each in node.values()]
        if not following:
            return names["class"], names["function"]
        level = following
    raise InputError("its description is nested too deeply")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("text in it holds something else than characters") from None


def _require(is_valid: Any, node: Any) -> None:
    if not is_valid:
        raise _invalid(node)


def _invalid(node: Any) -> InputError:
    return InputError(f"its description is not valid at {shown(node)}")


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
        if isinstance(node, dict) and len(node) == 1:
            return self._tagged(*next(iter(node.items())))
        match node:
            case {"class": str(name), "params": dict(params), "state": dict(state), **rest}:
                _require(not rest, node)
                return self._object(name, params, state)
            case {"objects": list(elements), "shape": list(shape), **rest}:
                _require(not rest, node)
                return self._objects(elements, shape)
            case {"names": list(names), "codes": codes, **rest}:
                _require(not rest, node)
                return self._names(names, self.decode(codes))
        raise _invalid(node)

    def _tagged(self, tag: str, held: Any) -> Any:
        if tag == "array":
            return self._array(held)
        if tag == "scalar":
            array = self._array(held)
            _require(array.shape == (), held)
            return array[()]
        if tag == "function":
            _require(isinstance(held, str), held)
            return self.functions[held]  # all names were checked before
        _require(tag in TAGGED, tag)
        parts = self.decode(held)
        _require(TAGGED[tag].kind.fits(parts, {}), held)
        return TAGGED[tag].build(parts)

    def check_all_used(self) -> None:
        """Refuse a file with arrays that nothing refers to."""
        if any(array is not None for array in self.arrays):
            raise InputError("it holds arrays that nothing refers to")

    def _array(self, index: Any) -> Array:
        """Return an array; each can be used once."""
        if type(index) is not int or not 0 <= index < len(self.arrays):
            raise InputError(f"it refers to array {shown(index)}, which it does not hold")
        array, self.arrays[index] = self.arrays[index], None
        if array is None:
            raise InputError(f"it refers to array {index} twice")
        return array

    def _objects(self, elements: list[Any], shape: list[Any]) -> Array:
        is_shape = all(type(length) is int and length >= 0 for length in shape)
        _require(is_shape and math.prod(shape) == len(elements), shape)
        return _object_array([self.decode(each) for each in elements]).reshape(shape)

    def _names(self, names: list[Any], codes: Any) -> Array:
        is_array = isinstance(codes, np.ndarray) and codes.dtype == np.int64
        _require(is_array and ((codes >= 0) & (codes < len(names))).all(), names)
        _require(all(type(name) is str for name in names), names)
        return np.asarray(_object_array(names)[codes])

    def _object(self, name: str, params: dict[str, Any], state: dict[str, Any]) -> Any:
        known = KNOWN.get(name)
        kind = self.classes[name] if known is None else known.type
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


def _object_array(elements: list[Any]) -> Array:
    array = np.empty(len(elements), dtype=object)
    array[:] = elements
    return array


def _set_unchecked(obj: Any, attributes: Mapping[str, Any]) -> None:
    """Set the attributes of an object of a trusted class, but no methods."""
    for name, value in attributes.items():
        if name.startswith("__") or callable(getattr(type(obj), name, None)):
            raise InputError(f"{type(obj).__name__}.{name} is no attribute that a fit sets")
        setattr(obj, name, value)
