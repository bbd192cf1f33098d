"""Which columns does a model need, and how do they reach it?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from abstain._core.checks import COLUMNS_TO_LIST, InputError, list_columns, quoted, shown
from abstain.tables.digests import Kept, keep_digests, share_known
from abstain.tables.mistakes import LARGEST, BadValueError
from abstain.tables.notations import Notation
from abstain.tables.strangers import known_values
from abstain.tables.values import as_categories, as_numbers, without_missing

__all__ = [
    "TableColumns",
    "check_needed",
    "find_column",
]


class TableColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Pick the columns that a model looks at out of a table, whatever else is in it.

    Parameters
    ----------
    numeric, categorical : list of str
        Columns of numbers, and of names of kinds.
    label : str, default=None
        The column that names the classes; it is no feature, and is kept for those who compare.
    missing : list of str, default=()
        Texts that stand for a missing value, beside the usual ones.
    written : dict of str to list, default=None
        How numbers are written, for columns in which they carry a sign, a unit or the like: what
        stands before them, behind them, between thousands and before the fraction, and an example.

    Attributes
    ----------
    feature_names_in_ : ndarray of shape (n_features,)
        The numeric columns, then the categorical ones.
    n_features_in_ : int
        How many these are.
    known_rows_ : ndarray of uint64
        Digests of the rows that it was fitted to, by which they can be recognised; of many rows,
        of some.
    share_repeated_ : float
        The share of them that repeat others.
    known_values_ : dict of str to list
        For each column the kinds, or the lowest and the highest number.

    Examples
    --------
    >>> import polars as pl
    >>> from abstain.tables import TableColumns
    >>> table = pl.DataFrame({"name": ["x", "y"], "age": ["41", "?"], "sex": ["f", "m"]})
    >>> TableColumns(["age"], ["sex"]).fit_transform(table).to_dict(as_series=False)
    {'age': [41.0, None], 'sex': ['f', 'm']}
    """

    # Models that were saved before there was such a thing have none.
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
        """How numbers are written, where they carry more than digits."""
        return {name: Notation(*parts) for name, parts in (self.written or {}).items()}

    def fit(self, X: Any, y: Any = None) -> Self:
        """Note the names of the columns.

        Parameters
        ----------
        X : frame
            A table with all columns.
        y : None
            Not looked at.

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
        self.known_rows_, self.share_repeated_ = keep_digests(columns)
        self.known_values_ = known_values(columns)
        return self

    def share_known(self, X: Any) -> float:
        """Return the share of rows that are among those that it was fitted to.

        Parameters
        ----------
        X : frame
            A table with all columns.

        Returns
        -------
        share : float
            Of a fit to thousands of rows, an estimate; 0 if rows may be alike by chance.

        Examples
        --------
        >>> import polars as pl
        >>> from abstain.tables import TableColumns
        >>> picker = TableColumns(["age"]).fit(pl.DataFrame({"age": [41, 42]}))
        >>> picker.share_known(pl.DataFrame({"age": [42, 43]}))
        0.5
        """
        return share_known(Kept(self.known_rows_, self.share_repeated_), self.transform(X))

    def transform(self, X: Any) -> pl.DataFrame:
        """Return the columns in their order and in their types.

        Parameters
        ----------
        X : frame
            A table of polars or pandas with all columns, in any order; or an array with just
            them, in their order.

        Returns
        -------
        columns : polars.DataFrame
            Float64 for numbers, text for kinds; null is missing.

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
            Not looked at.

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


def find_column(role: str, column: str, names: Sequence[str], where: Any) -> None:
    """Refuse a column that a table does not have, and name those that are spelled alike.

    Parameters
    ----------
    role : str
        What it is wanted for, as an error names it.
    column : str
        The column.
    names : sequence of str
        Those that are there.
    where : object
        The file.

    Raises
    ------
    InputError
        If the column is not there.

    Examples
    --------
    >>> find_column("--label", "diagnose", ["age", "diagnosis"], "patients.csv")
    Traceback (most recent call last):
        ...
    abstain.InputError: --label: there is no column 'diagnose' in patients.csv; ...
    """
    if column not in names:
        raise InputError(
            f"{role}: there is no column {shown(column)} in {where}; {list_columns(column, names)}"
        )


def check_needed(needed: Sequence[str], names: Sequence[str], where: Any) -> None:
    """Refuse a table without the columns that a model needs, and name all of them.

    Parameters
    ----------
    needed, names : sequence of str
        The columns that the model needs, and those that are there.
    where : object
        The file.

    Raises
    ------
    InputError
        If any is not there.

    Examples
    --------
    >>> check_needed(["age", "sex"], ["id", "Age"], "new.csv")
    Traceback (most recent call last):
        ...
    abstain.InputError: new.csv lacks columns that the model needs: 'age', 'sex'; ...
    """
    lacking = [name for name in needed if name not in names]
    if not lacking:
        return
    more = f" and {len(lacking) - COLUMNS_TO_LIST} more" if len(lacking) > COLUMNS_TO_LIST else ""
    told = quoted(lacking[:COLUMNS_TO_LIST])
    raise InputError(
        f"{where} lacks columns that the model needs: {told}{more}; add them, empty where nothing "
        f"is known ({list_columns(lacking[0], names)})"
    )
