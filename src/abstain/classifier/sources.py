"""From which column of the samples does a feature come, and what stands there?

A classifier sees columns scaled, and categories as columns of their own, such as "organ_liver".
A person knows the column, and the value in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from abstain._core.text import printable

_DIGITS, _LONGEST = 6, 80


class Sources:
    """The columns of samples, and their values; ``known`` are the names of those of the fit.

    >>> sources = Sources(np.array([[1.5, 430.0]]))
    >>> sources.column("feature 1"), sources.value("feature 1", 0)
    ('feature 1', '430')
    """

    def __init__(self, X: Any, known: Any = None) -> None:
        if hasattr(X, "columns"):
            self.X, names = X, list(X.columns)
            self._key_of = {str(name): name for name in names}
        else:
            self.X = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
            size = self.X.shape[1] if self.X.ndim == 2 else 0
            names = [f"feature {n}" for n in range(size)] if known is None else list(known)
            self._key_of = {str(name): place for place, name in enumerate(names[:size])}
        self._column_of: dict[str, str] = {}
        self._values_of: dict[str, Any] = {}

    def column(self, feature: str) -> str:
        """Return the column that a feature is, or a category of; of anything else, the feature."""
        if feature in self._key_of:
            return feature
        if feature not in self._column_of:
            longer = [name for name in self._key_of if feature.startswith(f"{name}_")]
            self._column_of[feature] = max(longer, key=len, default=feature)
        return self._column_of[feature]

    def columns(self, features: list[str]) -> tuple[str, ...]:
        """Return the columns of features, each once."""
        return tuple(dict.fromkeys([self.column(feature) for feature in features]))

    def value(self, column: str, row: int) -> str:
        """Return what stands in a column, as text; "" if there is no such column."""
        if column not in self._key_of:
            return ""
        key = self._key_of[column]
        if not hasattr(self.X, "columns"):
            return _shown(self.X[row, key])
        if column not in self._values_of:
            values = self.X[key]
            self._values_of[column] = values.iloc if hasattr(values, "iloc") else values.to_list()
        return _shown(self._values_of[column][row])


def _shown(value: Any) -> str:
    try:
        number = float(value) if not isinstance(value, str | bool) else None
    except (TypeError, ValueError):
        number = None
    if value is None or (number is not None and number != number):
        return "missing"
    return printable(value)[:_LONGEST] if number is None else f"{number:.{_DIGITS}g}"
