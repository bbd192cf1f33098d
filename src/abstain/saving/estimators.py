"""Which estimators of scikit-learn does a file name, found without importing all of them?

skops trusts every estimator of scikit-learn. To list them it imports all of scikit-learn as soon as
it is imported itself, which takes longer than to load a classifier. A file names a few; these are
looked up one by one, by the rules of the list.
"""

from __future__ import annotations  # signatures then show the names of types

import inspect
import sys
from collections.abc import Iterable
from importlib import import_module

import sklearn.utils
from sklearn.base import BaseEstimator

__all__ = ["estimators_among", "import_skops_without_its_list"]

_NOT_LISTED = {"tests", "externals", "conftest", "experimental"}


def estimators_among(names: Iterable[str]) -> frozenset[str]:
    """Return those of some full names of types that are estimators of scikit-learn."""
    return frozenset(name for name in names if name.startswith("sklearn.") and _is_listed(name))


def _is_listed(name: str) -> bool:
    module, _, kind = name.rpartition(".")
    if kind.startswith("_") or _NOT_LISTED.intersection(module.split(".")):
        return False
    try:
        found = getattr(import_module(module), kind, None)
    except ImportError:
        return False
    is_estimator = isinstance(found, type) and issubclass(found, BaseEstimator)
    return is_estimator and not inspect.isabstract(found) and found is not BaseEstimator


def import_skops_without_its_list() -> None:
    """Import skops without all of scikit-learn, for the rest of the process.

    Whoever else loads files by skops in the same process would miss the list: this is for the
    process of a command.
    """
    if "skops.io" in sys.modules:
        return
    listing = sklearn.utils.all_estimators
    sklearn.utils.all_estimators = list
    try:
        import skops.io  # noqa: F401
    finally:
        sklearn.utils.all_estimators = listing
