"""What does abstain know of a class, so that its objects can be saved and loaded?

An object is made again by its constructor, from its parameters, and its fitted attributes are set,
each after a check. Neither does more than to keep values; methods of pickling are never called.
"""

from __future__ import annotations  # signatures then show the names of types

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from abstain._core.checks import InputError
from abstain.saving.kinds import (
    Kind,
    Sizes,
    anything_plain,
    check_attributes,
    describe,
)

__all__ = ["Known", "params_of", "public_name"]


def _nothing(made: Any) -> None:
    pass


def _no_problem(made: Any, sizes: Sizes) -> str:
    return ""


@dataclass(frozen=True)
class Known:
    """What is known of a class.

    Parameters
    ----------
    name : str
        Its public name, such as "sklearn.svm.SVC"; files hold this name.
    fitted : mapping of str to Kind
        The attributes of a fitted object. One that is not fitted has none of them.
    params : mapping of str to Kind
        Parameters that may be, or must be, something else than plain values.
    dropped : frozenset of str
        Attributes that only further fits need, or that ``finish`` makes again.
    finish : callable
        Sets, on an object with all other attributes, those that follow from them.
    problem : callable
        Returns what is wrong with parameters and attributes that are all of their kinds, given the
        sizes of their shapes; "" if nothing is.
    """

    name: str
    fitted: Mapping[str, Kind] = field(default_factory=dict)
    params: Mapping[str, Kind] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    finish: Callable[[Any], None] = _nothing
    problem: Callable[[Any, Sizes], str] = _no_problem

    def load(self) -> type:
        """Return the class itself."""
        module, _, name = self.name.rpartition(".")
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

    def settings(self, made: Any) -> dict[str, Any]:
        """Return the parameters of an object as they are kept."""
        return params_of(made)

    def state(self, made: Any) -> dict[str, Any]:
        """Return the attributes of an object that must be kept, beside its parameters."""
        held = _attributes(made)
        return {name: value for name, value in held.items() if name not in self.dropped}

    def restore(self, made: Any, state: Mapping[str, Any]) -> None:
        """Set what `state` has returned."""
        for name, value in state.items():
            setattr(made, name, value)
        if state.keys() & self.fitted.keys():
            self.finish(made)

    def check(self, made: Any, state: Mapping[str, Any]) -> None:
        """Refuse an object that is not as its class would make it."""
        owner = type(made).__name__
        self.check_params(made)
        settings = {name: state[name] for name in state if name in _SETTINGS}
        check_attributes(owner, settings, _SETTINGS, {})
        fitted = {name: value for name, value in state.items() if name not in _SETTINGS}
        if fitted:
            sizes: Sizes = {}
            check_attributes(owner, fitted, self.fitted, sizes)
            if problem := self.problem(SimpleNamespace(**params_of(made), **fitted), sizes):
                raise InputError(f"a {owner} in it is not sound: {problem}")

    def check_params(self, made: Any) -> None:
        """Refuse parameters that the class would refuse, and all that are no plain values."""
        owner = type(made).__name__
        for name, value in params_of(made).items():
            kind = self.params.get(name, anything_plain)
            if not kind.fits(value, {}):
                raise InputError(f"{owner}.{name} must be {kind.words}, got {describe(value)}")
        if hasattr(made, "_parameter_constraints"):
            try:
                made._validate_params()
            except (TypeError, ValueError) as error:  # in scikit-learn's own words
                raise InputError(str(error)) from None


def _is_output_setting(value: Any, sizes: Sizes) -> bool:
    return value in [{"transform": name} for name in ("default", "pandas", "polars")]


# What every estimator of scikit-learn may carry beside what it has learnt.
_SETTINGS = {
    "_sklearn_output_config": Kind("what set_output sets", _is_output_setting, is_optional=True),
    "_metadata_request": Kind(
        "requests for metadata",
        lambda value, sizes: type(value).__name__ == "MetadataRequest",
        is_optional=True,
    ),
}


def _attributes(made: Any) -> dict[str, Any]:
    """Return the attributes that an object has beyond those that its constructor sets."""
    fresh = vars(type(made)(**params_of(made)))
    return {name: value for name, value in vars(made).items() if name not in fresh}


def params_of(made: Any) -> dict[str, Any]:
    """Return the parameters of an object by name."""
    if hasattr(made, "get_params"):
        return dict(made.get_params(deep=False))
    names = inspect.signature(type(made)).parameters
    return {name: getattr(made, name) for name in names}


def public_name(kind: type) -> str:
    """Return the shortest name by which a class can be imported.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> SVC.__module__, public_name(SVC)
    ('sklearn.svm._classes', 'sklearn.svm.SVC')
    """
    parts = kind.__module__.split(".")
    for end in range(1, len(parts) + 1):
        module = ".".join(parts[:end])
        if getattr(sys.modules.get(module), kind.__name__, None) is kind:
            return f"{module}.{kind.__name__}"
    raise InputError(
        f"{kind.__module__}.{kind.__qualname__} cannot be found by its name; define it at the top "
        "of a module"
    )
