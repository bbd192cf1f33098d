"""Which features have a number such as -999 that may stand for a missing value?

A classifier takes it for a measurement, and a detector of outliers for a usual value. So it is
pointed out if it is farther from all other values than they are from each other.
"""

from __future__ import annotations  # signatures then show the names of types

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.frozen import FrozenEstimator

from abstain._core.errors import shown
from abstain._core.text import first_of
from abstain.certainty.outliers import numbers_of

_CODES = re.compile(r"-?(9{2,}|8{2,}|7{2,})|-9|-1")
# A shorter code, such as 99, must occur more than once.
_LONG_CODE = 777
_FEATURES_TO_NAME = 5
# The end of what is said of them, for filters of warnings.
SAID_OF_CODES = r".* if that means a missing value, replace it by NaN"


class MissingCode(NamedTuple):
    """A number that may stand for a missing value, and in how many rows it does."""

    code: float
    n_rows: int

    def __str__(self) -> str:
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows:,} rows"
        return f"{self.code:g} in {rows}"


def missing_codes(values: NDArray[Any]) -> list[MissingCode]:
    """Return the lowest and the highest number of a feature if they may mean a missing value.

    >>> missing_codes(np.array([29.0, 41.0, 77.0, -999.0, -999.0]))
    [MissingCode(code=-999.0, n_rows=2)]
    """
    codes = []
    for end in (np.fmin, np.fmax) if len(values) else ():  # which ignore NaN
        code = float(end.reduce(values))
        if not _CODES.fullmatch(f"{code:.10g}"):
            continue
        n_rows, others = int((values == code).sum()), values[np.isfinite(values) & (values != code)]
        if not len(others) or (n_rows == 1 and abs(code) < _LONG_CODE):
            continue
        spread = others.max() - others.min()
        if spread and np.abs(others - code).min() > spread:
            codes.append(MissingCode(code, n_rows))
    return codes


def missing_code_warnings(estimator: Any, X: Any) -> Iterator[str]:
    """Yield a warning if features of numbers have codes that no step of the estimator knows."""
    numbers, columns = (None, None) if issparse(X) else numbers_of(X)
    if numbers is None:
        return
    known = _known_codes(estimator)
    said = [
        f"{f'feature {at}' if columns is None else shown(columns[at])} is {each}"
        for at, values in enumerate(numbers.T)
        for each in missing_codes(values)
        if each.code not in known
    ]
    if said:
        remedy = "if that means a missing value, replace it by NaN"
        yield f"{first_of(said, _FEATURES_TO_NAME)}: {remedy}"


def _known_codes(estimator: Any) -> set[float]:
    """Return the numbers that steps are told to take for missing values."""
    if isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    if not hasattr(estimator, "get_params"):
        return set()
    return {
        float(value)
        for name, value in estimator.get_params().items()
        if name.endswith("missing_values") and isinstance(value, int | float | np.number)
    }
