"""What does abstain know of a class, so that its objects can be saved and loaded?

An object is created again by its constructor, from its parameters, and its fitted attributes are
set after each is checked. Neither step does more than store values; pickling methods are never
called. The same checks are made when an object is saved.
"""

import inspect
import pkgutil
import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from abstain._core.errors import InputError
from abstain.saving.kinds import Kind, Sizes, anything_plain, check_attributes, describe

State = dict[str, Any]
# Whether something holds between parameters and attributes that are all of their kinds, given the
# sizes of their shapes.
Relation = Callable[[Any, Sizes], Any]


class KnownClass:
    """A class that files may name, by its public name, and what its objects must be like.

    A fitted object has the attributes ``shared`` and ``fitted``, one that is not has none of them.
    ``params`` are the parameters that may or must be something else than plain values. ``dropped``
    names attributes that only further fits need, or that ``finish`` sets again from all others;
    ``simplify`` returns attributes as they are saved. ``relations`` must hold between attributes;
    each is named by what is wrong if it does not.
    """

    def __init__(
        self,
        name: str,
        shared: Mapping[str, Kind] | None = None,
        *,
        params: Mapping[str, Kind] | None = None,
        dropped: str = "",
        simplify: Callable[[State], State] = lambda state: state,
        finish: Callable[[Any], None] = lambda obj: None,
        relations: Mapping[str, Relation] | None = None,
        **fitted: Kind,
    ) -> None:
        self.name = name
        self.fitted, self.params = {**(shared or {}), **fitted}, params or {}
        self.dropped, self.relations = frozenset(dropped.split()), relations or {}
        self.simplify, self.finish = simplify, finish

    @cached_property
    def type(self) -> Any:
        """The class itself."""
        return pkgutil.resolve_name(self.name)

    def settings(self, obj: Any) -> dict[str, Any]:
        """Return the parameters of an object as they are saved."""
        return params_of(obj)

    def state(self, obj: Any) -> State:
        """Return the attributes of an object that are saved besides its parameters."""
        unsaved = self.dropped | vars(type(obj)(**params_of(obj))).keys()
        state = {name: value for name, value in vars(obj).items() if name not in unsaved}
        return self.simplify(state)

    def restore(self, obj: Any, state: State) -> None:
        """Set the attributes that `state` has returned."""
        for name, value in state.items():
            setattr(obj, name, value)
        if state.keys() & self.fitted.keys():
            self.finish(obj)

    def check(self, obj: Any, state: State) -> None:
        """Refuse an object that its class would not have made."""
        owner = type(obj).__name__
        self.check_params(obj)
        is_fitted = bool(state.keys() - _SETTINGS.keys())
        sizes: Sizes = {}
        check_attributes(owner, state, {**_SETTINGS, **(self.fitted if is_fitted else {})}, sizes)
        for problem, holds in self.relations.items() if is_fitted else ():
            if not holds(SimpleNamespace(**{**params_of(obj), **state}), sizes):
                raise InputError(f"a {owner} in it is not sound: {problem}")

    def check_params(self, obj: Any) -> None:
        """Refuse parameters that the class would refuse, or that are not of their kind."""
        owner = type(obj).__name__
        for name, value in self.settings(obj).items():
            kind = self.params.get(name, anything_plain)
            if not kind.fits(value, {}):
                raise InputError(f"{owner}.{name} must be {kind.words}, got {describe(value)}")
        if hasattr(obj, "_parameter_constraints"):
            try:
                obj._validate_params()
            except (TypeError, ValueError) as error:  # in scikit-learn's own words
                raise InputError(str(error)) from None


def _is_output_setting(value: Any, sizes: Sizes) -> bool:
    return value in [{"transform": name} for name in ("default", "pandas", "polars")]


# What every estimator of scikit-learn may hold besides its fitted attributes.
_SETTINGS = {
    "_sklearn_output_config": Kind("what set_output sets", _is_output_setting, is_optional=True),
    "_metadata_request": Kind(
        "requests for metadata",
        lambda value, sizes: type(value).__name__ == "MetadataRequest",
        is_optional=True,
    ),
}


def params_of(obj: Any) -> dict[str, Any]:
    """Return the parameters of an object by name."""
    if hasattr(obj, "get_params"):
        return dict(obj.get_params(deep=False))
    names = inspect.signature(type(obj)).parameters
    return {name: getattr(obj, name) for name in names}


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
