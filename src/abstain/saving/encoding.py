"""How does an object become values that JSON can express?

Numbers, text, truth values, None and lists are encoded as they are. Everything else is an object
with a key that says what it is:

    {"array": 3}                      the third array of the file, in NumPy's type
    {"scalar": 3}                     its only element
    {"objects": […], "shape": […]}    an array of Python objects
    {"names": […], "codes": {…}}      an array of text, by positions in a list
    {"tuple": […]}  {"dict": [[key, value], …]}  {"slice": […]}  {"float": "nan"}
    {"dtype": "<f8"}  {"type": "float64"}  {"random_state": …}  {"requests": …}
    {"tree": …}  {"boosting_tree": …}
    {"function": "name"}              given to `load` by its name
    {"class": …, "params": …, "state": …}

Each array is referred to once, so that no bytes are used twice.
"""

from __future__ import annotations  # signatures then show the names of types

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain.saving.classes import KNOWN
from abstain.saving.classes.trees import boosting_tree_state, tree_state
from abstain.saving.container import can_hold
from abstain.saving.kinds import describe, is_object
from abstain.saving.known import KnownClass, public_name

Array = NDArray[Any]
MAX_DEPTH = 100
# Estimators in estimators: a reject option around a frozen, calibrated pipeline of columns has 7.
MAX_OBJECTS = 9
DTYPE = re.compile(r"\|b1|[|<][iu][1248]|<f[248]|\|O")

# Types that are the value of a parameter, such as ``dtype=np.float64``.
_NUMPY_TYPES = (
    "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 str_ object_"
)
TYPES = {name: getattr(np, name) for name in _NUMPY_TYPES.split()}
TYPES |= {"bool": bool, "int": int, "float": float, "str": str, "object": object}


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
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int and -(2**63) <= value < 2**64:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}

        def inside(values: Any) -> list[Any]:
            return [self.encode(each, at, depth + 1) for each in values]

        kind = type(value).__name__
        if type(value) is list:
            return inside(value)
        if type(value) is tuple:
            return {"tuple": inside(value)}
        if type(value) is dict:
            return {"dict": [inside(pair) for pair in value.items()]}
        if type(value) is slice:
            return {"slice": inside([value.start, value.stop, value.step])}
        if isinstance(value, np.dtype) and DTYPE.fullmatch(value.str):
            return {"dtype": value.str}
        if isinstance(value, type) and (names := [n for n, t in TYPES.items() if t is value]):
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

    def _object(self, value: Any, at: str, depth: int) -> Any:
        name, owner = public_name(type(value)), type(value).__name__
        if hasattr(value, "best_estimator_"):
            raise InputError(f"a {owner} cannot be saved; save its best_estimator_")
        known = KNOWN.get(name, KnownClass(name))
        params, state = known.settings(value), known.state(value)
        if name in KNOWN:
            known.check(value, state)
        self._n_objects += 1
        check_nesting(self._n_objects)

        def inside(values: Mapping[str, Any]) -> dict[str, Any]:
            return {
                key: self.encode(each, f"{owner}.{key}", depth + 1) for key, each in values.items()
            }

        encoded = {"class": name, "params": inside(params), "state": inside(state)}
        self._n_objects -= 1
        return encoded

    def _function_name(self, function: Any) -> str:
        name = str(getattr(function, "__name__", type(function).__name__))
        if self.functions.setdefault(name, function) is not function:
            raise InputError(
                f"two functions in it are called {name!r}; load takes functions by their name: "
                "rename one"
            )
        return name


def check_nesting(n_objects: int) -> None:
    """Refuse estimators that are nested too deeply."""
    if n_objects > MAX_OBJECTS:
        raise InputError(
            f"estimators in it are nested more than {MAX_OBJECTS} levels deep, which is too deep"
        )
