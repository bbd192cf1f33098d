"""Which columns does a model need, how are they taken from a table, and which rows are known?

Of every row of the fit, the model keeps a hash of 64 bits; of many rows, those with the smallest
hashes, which are a random sample of the rows. The smallest hashes of a table then show how many of
its rows were in the fit. Rows with few features may be equal by chance: rows count as known only if
clearly more of them are than repeat each other in the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from abstain._core.checks import list_columns
from abstain._core.errors import InputError, shown
from abstain.classifier import RejectOptionClassifier
from abstain.tables.unseen_values import values_of_fit
from abstain.tables.values import (
    LARGEST,
    BadValueError,
    Notation,
    as_categories,
    as_numbers,
    is_within,
    without_missing,
)

Hashes = NDArray[np.uint64]

MOST_HASHES = 4096
# A tenth of all rows, and twice as many as repeat others: that is more than chance.
_LEAST_SHARE, _TIMES_REPEATED = 0.1, 2.0
_MISSING = np.uint64(0x9E3779B97F4A7C15)


class TableColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Select the columns that a model needs from a table.

    Parameters
    ----------
    numeric, categorical : list of str
        Columns of numbers and of categories.
    label : str, default=None
        The column that names the classes. It is not a feature.
    missing : list of str, default=()
        Texts that mean a missing value, beside the usual ones.
    written : dict of str to list, default=None
        The notation of columns whose numbers are written with a sign, a unit or the like: prefix,
        suffix, mark between thousands, decimal mark and an example.

    Attributes
    ----------
    feature_names_in_ : ndarray of shape (n_features,)
        The numeric columns, then the categorical ones.
    n_features_in_ : int
        Their number.
    known_rows_ : ndarray of uint64
        Hashes of rows of the fit, by which they can be recognized.
    share_repeated_ : float
        The share of rows of the fit that repeat others.
    known_values_ : dict of str to list
        For each column the categories, or the lowest and the highest number.

    Examples
    --------
    >>> import polars as pl
    >>> from abstain.tables import TableColumns
    >>> table = pl.DataFrame({"name": ["x", "y"], "age": ["41", "?"], "sex": ["f", "m"]})
    >>> TableColumns(["age"], ["sex"]).fit_transform(table).to_dict(as_series=False)
    {'age': [41.0, None], 'sex': ['f', 'm']}
    """

    # Older saved models have none.
    written: dict[str, list[str]] | None = None

    def __init__(
        self,
        numeric: Sequence[str] = (),
        categorical: Sequence[str] = (),
        *,
        label: str | None = None,
        missing: Sequence[str] = (),
        written: dict[str, list[str]] | None = None,
    ) -> None:
        self.numeric = numeric
        self.categorical = categorical
        self.label = label
        self.missing = missing
        self.written = written

    @property
    def needed(self) -> list[str]:
        """All columns that a table must have."""
        return [*self.numeric, *self.categorical]

    @property
    def notations(self) -> dict[str, Notation]:
        """The notation of columns whose numbers are not plain."""
        return {name: Notation(*parts) for name, parts in (self.written or {}).items()}

    def fit(self, X: Any, y: Any = None) -> Self:
        """Store the names and the values of the columns.

        Parameters
        ----------
        X : frame
            A table with all columns.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The transformer itself.

        Examples
        --------
        >>> import polars as pl
        >>> from abstain.tables import TableColumns
        >>> TableColumns(["age"]).fit(pl.DataFrame({"age": [41]})).n_features_in_
        1
        """
        self.feature_names_in_ = np.array(self.needed, dtype=object)
        self.n_features_in_ = len(self.needed)
        columns = self.transform(X)
        self.known_rows_, self.share_repeated_ = rows_of_fit(columns)
        self.known_values_ = values_of_fit(columns)
        return self

    def share_known(self, X: Any) -> float:
        """Return the share of rows that were in the fit.

        Parameters
        ----------
        X : frame
            A table with all columns.

        Returns
        -------
        share : float
            An estimate if the fit had thousands of rows; 0 if rows may be equal by chance.

        Examples
        --------
        >>> import polars as pl
        >>> from abstain.tables import TableColumns
        >>> picker = TableColumns(["age"]).fit(pl.DataFrame({"age": [41, 42]}))
        >>> picker.share_known(pl.DataFrame({"age": [42, 43]}))
        0.5
        """
        return share_known(RowsOfFit(self.known_rows_, self.share_repeated_), self.transform(X))

    def transform(self, X: Any) -> pl.DataFrame:
        """Return the columns in their order and in their types.

        Parameters
        ----------
        X : frame
            A polars or pandas frame with all columns, in any order, or an array of these columns
            in their order.

        Returns
        -------
        columns : polars.DataFrame
            Float64 for numbers, text for categories; null is missing.

        Examples
        --------
        >>> import polars as pl
        >>> from abstain.tables import TableColumns
        >>> picker = TableColumns(["age"]).fit(pl.DataFrame({"age": [41]}))
        >>> picker.transform(pl.DataFrame({"id": [7], "age": [42]})).columns
        ['age']
        """
        check_is_fitted(self, "feature_names_in_")
        frame = _as_polars(X, self.needed)
        for name in self.needed:
            if name not in frame.columns:
                raise InputError(
                    f"the model needs column {shown(name)}, which is not there; "
                    f"{list_columns(name, frame.columns)}"
                )
        notations = self.notations
        return pl.DataFrame(
            [_numbers(frame[name], self.missing, notations.get(name)) for name in self.numeric]
            + [as_categories(frame[name], self.missing) for name in self.categorical]
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of shape (n_features,)
            The numeric columns, then the categorical ones.

        Examples
        --------
        >>> import polars as pl
        >>> from abstain.tables import TableColumns
        >>> TableColumns(["age"]).fit(pl.DataFrame({"age": [41]})).get_feature_names_out().tolist()
        ['age']
        """
        check_is_fitted(self, "feature_names_in_")
        return self.feature_names_in_


def _as_polars(X: Any, names: list[str]) -> pl.DataFrame:
    if isinstance(X, pl.DataFrame):
        return X
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):  # pandas
        return pl.DataFrame(
            {str(name): pl.Series(X[name].tolist(), strict=False) for name in X.columns}
        )
    values = np.asarray(X, dtype=object)
    if values.ndim != 2 or values.shape[1] != len(names):
        raise InputError(
            f"X must be a frame with the columns of the model, or an array of {len(names)} "
            f"columns, got shape {values.shape}"
        )
    return pl.DataFrame(
        {name: pl.Series(values[:, at].tolist(), strict=False) for at, name in enumerate(names)}
    )


def _numbers(
    column: pl.Series, missing: Sequence[str], notation: Notation | None = None
) -> pl.Series:
    """Return a column of numbers, or say which value is none."""
    if column.dtype == pl.Float64 and not missing:
        if is_within(column, -LARGEST, LARGEST):  # as nearly always
            return column
        numbers, strange = column, _are_too_large(column)
    else:
        if notation is not None and column.dtype == pl.String:
            numbers = notation.numbers(column, missing)
        else:
            numbers = as_numbers(column, also=missing)
        present = without_missing(column, missing)
        if present.dtype.is_float():
            present = present.fill_nan(None)
        strange = (numbers.is_null() & present.is_not_null()) | _are_too_large(numbers)
    if strange.any():
        row = strange.fill_null(False).arg_max()
        assert row is not None
        like = "" if notation is None else notation.example
        raise BadValueError(column.name, row, column[row], like=like)
    return numbers


def _are_too_large(numbers: pl.Series) -> pl.Series:
    return (numbers.abs() > LARGEST) & numbers.is_not_nan()  # NaN is missing, and above all numbers


def find_empty_rows(frame: pl.DataFrame, columns: TableColumns) -> pl.Series:
    """Return which rows lack everything that the model needs."""
    is_empty = pl.repeat(True, frame.height, dtype=pl.Boolean, eager=True)
    for name in columns.needed:
        if name in columns.categorical:
            is_empty &= as_categories(frame[name], columns.missing).is_null()
        else:
            is_empty &= as_numbers(frame[name], also=columns.missing).is_null()
        if not is_empty.any():
            break
    return is_empty


def columns_of_model(clf: Any) -> TableColumns:
    """Return the columns that a saved classifier needs.

    It is a RejectOptionClassifier from `fit_table`, or one that was fitted with a frame of numbers.
    """
    if not isinstance(clf, RejectOptionClassifier):
        raise InputError(
            f"the model must be a classifier with a reject option, got a {type(clf).__name__}; "
            "make one by abstain fit, or save a RejectOptionClassifier"
        )
    estimator = clf.estimator_
    if isinstance(estimator, Pipeline) and isinstance(estimator.steps[0][1], TableColumns):
        columns: TableColumns = estimator.steps[0][1]
        return columns
    if not hasattr(clf, "feature_names_in_"):
        raise InputError(
            "the model was fitted without names of columns; make it by abstain fit, or fit it with "
            "a frame"
        )
    names = [str(name) for name in clf.feature_names_in_]
    return TableColumns(names).fit(pl.DataFrame(schema=dict.fromkeys(names, pl.Float64)))


# --- rows of the fit ------------------------------------------------------------------------------


class RowsOfFit(NamedTuple):
    """The smallest hashes of the rows of a fit, ascending, and the share that repeats others."""

    hashes: Hashes
    share_repeated: float


def rows_of_fit(frame: pl.DataFrame) -> RowsOfFit:
    """Return what a model keeps of the rows that it is fitted to."""
    distinct = np.unique(hash_rows(frame))
    return RowsOfFit(distinct[:MOST_HASHES], 1 - len(distinct) / max(frame.height, 1))


def share_known(of_fit: RowsOfFit, frame: pl.DataFrame) -> float:
    """Return the share of rows that were in the fit, or 0 if they may be equal by chance.

    Exact if the fit had at most ``MOST_HASHES`` rows, else estimated from the smallest hashes.
    """
    hashes = hash_rows(frame)
    if len(of_fit.hashes) == MOST_HASHES:
        hashes = hashes[hashes <= of_fit.hashes[-1]]
    share = float(np.isin(hashes, of_fit.hashes).mean()) if len(hashes) else 0.0
    return share if share > _LEAST_SHARE + _TIMES_REPEATED * of_fit.share_repeated else 0.0


def hash_rows(frame: pl.DataFrame) -> Hashes:
    """Return a hash of each row."""
    hashes = np.zeros(frame.height, dtype=np.uint64)
    for column in frame:
        hashes = _mix(hashes ^ _hash_values(column))
    return hashes


def _hash_values(column: pl.Series) -> Hashes:
    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64).to_numpy() + 0.0  # −0 is 0
        words = np.ascontiguousarray(numbers).view(np.uint64)
        return np.where(np.isnan(numbers), _MISSING, words)
    hash_of = {value: _hash_value(value) for value in column.unique().to_list()}
    return np.array([hash_of[value] for value in column.to_list()], dtype=np.uint64)


def _hash_value(value: object) -> int:
    if value is None:
        return int(_MISSING)
    return int.from_bytes(blake2b(str(value).encode(), digest_size=8).digest(), "little")


def _mix(words: Hashes) -> Hashes:
    """Return words in which every bit depends on all bits, one to one (SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
