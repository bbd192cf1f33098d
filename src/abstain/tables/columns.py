"""Which columns of a table are features, of which kind, and which one names the classes?

Numbers are features, and so is text with few values. What cannot help on new rows is left out, with
a word about it: a column with one value only, an identifier, a date.
"""

from __future__ import annotations  # signatures then show the names of types

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from abstain._checks import InputError, shown
from abstain.tables.digests import Kept, keep_digests, share_known
from abstain.tables.notations import Notation, find_notation, is_ambiguous
from abstain.tables.strangers import known_values
from abstain.tables.values import MISSING, as_categories, as_numbers, without_missing

__all__ = [
    "BadValueError",
    "Features",
    "TableColumns",
    "check_needed",
    "choose_features",
    "find_column",
    "for_shell",
    "lost_labels",
    "read_labels",
]

# Text in which more than this share of the values differ, and of so many, names rows, not kinds.
ID_SHARE, ID_VALUES = 0.5, 20
# A column of numbers but for so few values holds mistakes; with more, it is text.
MOSTLY_NUMBERS = 0.9
# A column of text with so many numbers in it may have been meant as one of numbers.
HALF_NUMBERS = 0.5
# More different numbers than this in a label are measurements, unless each occurs many times.
MANY_CLASSES, ROWS_A_CLASS = 20, 10
COLUMNS_TO_LIST = 8
# Why a column is left out.
AS_ASKED, EMPTY = "as asked", "is empty"
_DATE = (
    r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))"
    r"([ T]\d{1,2}:\d{2}.*)?$"
)
# English, German, French, Spanish and Italian.
_MONTH = (
    r"(jan(uary|uar|v|vier)?|ene(ro)?|gen(naio)?|feb(ruary|ruar|rero|braio)?|f[eé]vr?(ier)?"
    r"|mar(ch|s|zo)?|märz?|mrz|apr(il|ile)?|a[bv]r(il)?|may|mayo|mai|mag(gio)?"
    r"|jun[ei]?|junio|juin|giu(gno)?|jul[iy]?|julio|juil(let)?|lug(lio)?|aug(ust)?|ago(sto)?|ao[uû]t"
    r"|sept?(ember|embre|iembre|tembre)?|set(tembre)?|o[ck]t(ober|obre|ubre)?|ott(obre)?"
    r"|nov(ember|embre|iembre)?|de[cz](ember)?|d[eé]c(embre)?|dic(embre|iembre)?)\.?"
)
_TIME = r"([ T,]+\d{1,2}:\d{2}.*)?$"
# 3 May 2024, 3.-Mai-24; May 3rd, 2024; May 2024; 2024-May-3
_DATE_WITH_MONTH = (
    r"(?i)^([^\W\d]{2,10}\.?,? +)?("
    rf"\d{{1,2}}(st|nd|rd|th|\.)?[ ./-]*(de |of )?{_MONTH}[ .,/-]*(de )?(\d{{4}}|'?\d{{2}})"
    rf"|{_MONTH}[ .-]*\d{{1,2}}(st|nd|rd|th)?,?[ ,/-]+(\d{{4}}|'?\d{{2}})"
    rf"|{_MONTH}[ .,/-]*(\d{{4}}|'\d{{2}})"
    rf"|\d{{4}}[ ./-]*{_MONTH}([ ./-]*\d{{1,2}})?"
    rf"){_TIME}"
)
_ID = re.compile(r"(^|[\W_])(id|nr|no|number|nummer|key|index|row|uid|uuid)$|^unnamed \d+$", re.I)

_LIMIT = re.compile(r"[<>≤≥]=? *\d[\d.,]*")
_WITH_REMARK = re.compile(r"[~≈]? *\d[\d.,]* *[+*]?")

_CODES = ", as its digits begin with 0; if they count something, write them without it"
_DATES = "holds dates or times; make numbers of them, such as days"


class BadValueError(InputError):
    """A value that is no number, in a column of numbers; ``like`` is one as it should be."""

    def __init__(
        self, column: str, row: int, value: Any, place: str = "", *, like: str = ""
    ) -> None:
        written = f" written like {like!r}" if like else ""
        remedy = (
            "the header seems to be repeated there: remove that line"
            if value == column
            else _to_mend(value)
        )
        super().__init__(
            f"column {shown(column)} must hold numbers{written}, got {shown(value)} in data row "
            f"{row + 1}{place}; {remedy}"
        )
        self.column, self.row, self.value, self.like = column, row, value, like


def _to_mend(value: Any) -> str:
    """Return what to do about a value that is no number: of some it is known in part."""
    instead = "mend the file"
    if _LIMIT.fullmatch(str(value)):
        instead = "write a number for such a limit, half of it for instance"
    elif _WITH_REMARK.fullmatch(str(value)):
        instead = "write the number alone"
    return f"{instead}, or say that it means missing: --missing {for_shell(value)}"


def for_shell(value: Any) -> str:
    """Return a value as it is typed after an option."""
    return "'" + str(value).replace("'", "'\\''") + "'"


@dataclass(frozen=True)
class Features:
    """The columns that a model looks at.

    Attributes
    ----------
    numeric, categorical : list of str
        Columns of numbers, and of names of kinds.
    left_out : dict of str to str
        For each column that is not looked at, why.
    written : dict of str to Notation
        How numbers are written, for columns in which they carry a sign, a unit or the like.
    notes : list of str
        What may have been meant otherwise than it was taken.
    """

    numeric: list[str]
    categorical: list[str]
    left_out: dict[str, str] = field(default_factory=dict)
    written: dict[str, Notation] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


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
                    f"{_listed(name, frame.columns)}"
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
        numbers, strange = column, column.is_infinite()
    else:
        if notation is not None and column.dtype == pl.String:
            numbers = notation.numbers(column, missing)
        else:
            numbers = as_numbers(column, also=missing)
        present = without_missing(column, missing)
        if present.dtype.is_float():
            present = present.fill_nan(None)
        strange = (numbers.is_null() & present.is_not_null()) | numbers.is_infinite()
    if strange.any():
        row = strange.fill_null(False).arg_max()
        assert row is not None
        like = "" if notation is None else notation.example
        raise BadValueError(column.name, row, column[row], like=like)
    return numbers


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
    abstain._checks.InputError: --label: there is no column 'diagnose' in patients.csv; ...
    """
    if column not in names:
        raise InputError(
            f"{role}: there is no column {shown(column)} in {where}; {_listed(column, names)}"
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
    abstain._checks.InputError: new.csv lacks columns that the model needs: 'age', 'sex'; ...
    """
    lacking = [name for name in needed if name not in names]
    if not lacking:
        return
    more = f" and {len(lacking) - COLUMNS_TO_LIST} more" if len(lacking) > COLUMNS_TO_LIST else ""
    told = ", ".join(map(shown, lacking[:COLUMNS_TO_LIST]))
    raise InputError(
        f"{where} lacks columns that the model needs: {told}{more}; add them, empty where nothing "
        f"is known ({_listed(lacking[0], names)})"
    )


def _listed(column: str, names: Sequence[str]) -> str:
    """Return the columns that are there; of many, those spelled most alike."""
    if len(names) <= COLUMNS_TO_LIST:
        return f"its columns are {', '.join(map(shown, names))}"
    alike = difflib.get_close_matches(column, names, n=COLUMNS_TO_LIST, cutoff=0.0)
    return f"the most alike of its {len(names)} columns are {', '.join(map(shown, alike))}"


def read_labels(column: pl.Series, decimal: str = ".", missing: Iterable[str] = ()) -> pl.Series:
    """Return the class that each row is of, null where it is missing.

    Parameters
    ----------
    column : polars.Series
        The label column.
    decimal : {".", ","}, default="."
        What stands before the fraction of a number in text.
    missing : iterable of str, default=()
        Texts that stand for a missing value, beside the usual ones.

    Returns
    -------
    labels : polars.Series
        Names of classes as text.

    Raises
    ------
    InputError
        If the column names rows or holds measurements instead of classes.

    Examples
    --------
    >>> read_labels(pl.Series("ill", [1, 0, None, 1])).to_list()
    ['1', '0', None, '1']
    """
    _check_kind(column, "give as --label a column of text, numbers or truth values")
    labels = as_categories(column, missing)
    present = labels.drop_nulls()
    n_classes = present.n_unique()
    if len(present) > 2 and n_classes == len(present):
        raise InputError(
            f"label column {column.name!r} has another value in each of {len(present):,} rows "
            f"({shown(present[0])}, {shown(present[1])}, …), as an identifier has; give as --label "
            "the column that names the class"
        )
    if n_classes < 2:
        got = f"only {shown(present[0])}" if n_classes else "no value at all"
        lost = lost_labels(column, missing)
        remedy = lost[0] if lost else "give rows of another class, or another --label"
        raise InputError(
            f"label column {column.name!r} must name at least two classes, got {got}; {remedy}"
        )
    many = n_classes > MANY_CLASSES and len(present) < ROWS_A_CLASS * n_classes
    numbers = as_numbers(present, decimal)
    if many and numbers.null_count() == 0:
        raise InputError(
            f"label column {column.name!r} holds {n_classes:,} different numbers in "
            f"{len(present):,} rows, as a measurement does; put them into classes first, such as "
            "low and high, or give another --label"
        )
    if many and n_classes > ID_SHARE * len(present):
        raise InputError(
            f"label column {column.name!r} has {n_classes:,} different values in {len(present):,} "
            "rows, as an identifier has; give as --label the column that names the class"
        )
    return labels


def lost_labels(column: pl.Series, missing: Iterable[str] = (), least: float = 0.0) -> list[str]:
    """Return which texts for a missing value may be meant as classes, in a line each.

    Parameters
    ----------
    column : polars.Series
        The label column.
    missing : iterable of str, default=()
        Texts that were named as standing for a missing value: these are meant so.
    least : float, default=0
        The share of the rows that a text must have.

    Returns
    -------
    lines : list of str
        The most frequent first.

    Examples
    --------
    >>> lost_labels(pl.Series(["+", "-", "-", None]))
    ["label '-' is taken as missing in 2 of 4 rows; write another text if it names a class"]
    """
    if column.dtype != pl.String:
        return []
    texts = column.str.strip_chars().alias("text")
    surprising = texts.is_in([*set(MISSING) - set(missing)]).fill_null(False)
    counts = texts.filter(surprising).value_counts().sort(["count", "text"], descending=True)
    return [
        f"label {text!r} is taken as missing in {count:,} of {len(column):,} rows; write another "
        "text if it names a class"
        for text, count in counts.rows()
        if count >= least * len(column)
    ]


def choose_features(
    frame: pl.DataFrame,
    *,
    decimal: str = ".",
    missing: Sequence[str] = (),
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    categorical: Iterable[str] = (),
) -> Features:
    """Tell which columns can help to tell classes apart on new rows, and of which kind they are.

    Parameters
    ----------
    frame : polars.DataFrame
        All columns but the label.
    decimal : {".", ","}, default="."
        What stands before the fraction of a number in text.
    missing : sequence of str, default=()
        Texts that stand for a missing value, beside the usual ones.
    drop, keep : iterable of str, default=()
        Columns to leave out, and to take though they seem of no use.
    categorical : iterable of str, default=()
        Columns whose numbers are names of kinds.

    Returns
    -------
    features : Features
        The columns of each kind, and why the others are left out.

    Raises
    ------
    InputError
        If a column of numbers holds a few other values, or no column is left.

    Examples
    --------
    >>> frame = pl.DataFrame({"id": range(60), "age": [30.5, 41, 52] * 20, "sex": ["f", "m"] * 30})
    >>> found = choose_features(frame.with_columns(price=pl.Series(["$1,200", "$900"] * 30)))
    >>> found.numeric, found.categorical, found.left_out
    (['age', 'price'], ['sex'], {'id': 'numbers the rows'})
    >>> found.written["price"].example
    '$1,200'
    """
    found = Features([], [])
    drop, keep, categorical = set(drop), set(keep), set(categorical)
    for column in frame:
        if column.name in drop:
            found.left_out[column.name] = AS_ASKED
            continue
        try:
            verdict = _judge(column, decimal, missing, column.name in categorical)
        except InputError:
            _check_no_units(frame.drop(drop, strict=False), decimal, missing)
            raise
        if verdict.why and (column.name not in keep or verdict.why == EMPTY):
            found.left_out[column.name] = verdict.why + verdict.doubt
            continue
        (found.numeric if verdict.kind == "numeric" else found.categorical).append(column.name)
        if verdict.notation is not None:
            found.written[column.name] = verdict.notation
        if verdict.doubt:
            n_kinds = without_missing(column, missing).drop_nulls().n_unique()
            found.notes.append(f"{shown(column.name)} is taken as {n_kinds:,} kinds{verdict.doubt}")
    if not found.numeric and not found.categorical:
        raise InputError(f"no column is left to learn from{_why_none(found.left_out)}")
    return found


def _why_none(left_out: dict[str, str]) -> str:
    """Return why each column is left out, and what helps: what was asked for can be unasked."""
    if not left_out:
        return "; give more columns"
    told = "; ".join(f"{shown(name)} {why}" for name, why in list(left_out.items())[:5])
    reasons = set(left_out.values())
    remedies = ["name fewer in --drop"] if AS_ASKED in reasons else []
    if reasons - {AS_ASKED, EMPTY}:
        remedies.append("take one all the same by --keep")
    return f": {told}; {', or '.join(remedies) or 'give more columns'}"


class _Verdict(NamedTuple):
    """Of which kind a column is, why it should be left out, and how its numbers are written.

    The doubt is what speaks against taking it as text.
    """

    kind: str
    why: str = ""
    notation: Notation | None = None
    doubt: str = ""


def _judge(column: pl.Series, decimal: str, missing: Sequence[str], is_category: bool) -> _Verdict:
    present = without_missing(column, missing).drop_nulls()
    if present.dtype.is_float():
        present = present.drop_nans()
    if not len(present):
        return _Verdict("categorical", EMPTY)
    if present.n_unique() == 1:
        kind = "categorical" if as_numbers(present, decimal).null_count() else "numeric"
        value = shown(present[0])
        if _is_strange(present.dtype):  # whose values take lines
            value = f"the same {type(present.dtype).__name__.lower()}"
        return _Verdict(kind, f"is {value} throughout")
    if column.dtype.is_temporal():
        return _Verdict("categorical", _DATES)
    _check_kind(column, f"leave it out: --drop {for_shell(column.name)}")
    if is_category:
        return _Verdict("categorical")
    if _are_codes(present):
        return _Verdict("categorical", _doubts_about_text(present), doubt=_CODES)
    numbers = as_numbers(present, decimal)
    if not numbers.null_count():
        return _Verdict("numeric", _doubts_about_numbers(column.name, numbers))
    notation = find_notation(present, decimal)
    # In a table with decimal commas, no point stands before a fraction.
    if notation is not None and decimal == "." and is_ambiguous(notation, present):
        if _share(numbers.is_not_null()) < MOSTLY_NUMBERS:
            return _Verdict("categorical", _two_readings(notation))
        notation = None
    if notation is not None:
        read = notation.numbers(present)
        # One that makes no more of them numbers says nothing about those that are.
        better = read.null_count() < numbers.null_count()
        numbers, notation = (read, notation) if better else (numbers, None)
    if not numbers.null_count():
        return _Verdict("numeric", _doubts_about_numbers(column.name, numbers), notation)
    if _share(numbers.is_not_null()) >= MOSTLY_NUMBERS:
        _complain(column, decimal, missing, notation)
    return _Verdict("categorical", _doubts_about_text(present), doubt=_in_numbers(present, numbers))


def _check_no_units(frame: pl.DataFrame, decimal: str, missing: Sequence[str]) -> None:
    """Refuse a first row of text above columns of numbers; one such column proves nothing."""
    units = {}
    for column in frame:
        present = without_missing(column, missing)
        is_number = as_numbers(present, decimal).is_not_null()
        n_below = len(present[1:].drop_nulls())
        if not n_below or is_number[1:].sum() < MOSTLY_NUMBERS * n_below:
            continue
        if is_number[0] or present[0] == column.name:  # a header that comes again
            return
        if present[0] is not None:
            units[column.name] = present[0]
    if len(units) > 1:
        told = [f"{shown(unit)} of {shown(name)}" for name, unit in units.items()]
        raise InputError(
            f"data row 1 seems to hold units ({', '.join(told[:2])}); remove that line"
        )


def _check_kind(column: pl.Series, remedy: str) -> None:
    """Refuse values that are neither numbers nor text nor anything that can be written so."""
    if _is_strange(column.dtype):
        raise InputError(
            f"column {shown(column.name)} must hold numbers or text, got values of type "
            f"{column.dtype}; {remedy}"
        )


def _is_strange(kind: pl.DataType) -> bool:
    return kind.is_nested() or kind in (pl.Binary, pl.Object) or kind == pl.Duration


def _numbers_rows(name: str, numbers: pl.Series) -> bool:
    """Tell whether numbers only tell rows apart.

    They are whole, and all different and in order; or most are different and they are so named.
    """
    if len(numbers) < ID_VALUES or not (numbers == numbers.floor()).all():
        return False
    if _ID.search(name) is not None:
        return numbers.n_unique() > ID_SHARE * len(numbers)
    return bool((numbers.diff().drop_nulls() == 1).all())


def _two_readings(notation: Notation) -> str:
    return (
        f"holds numbers such as {shown(notation.example)}, whose point may stand before thousands "
        "or a fraction; write all of them without points, or with points before fractions only"
    )


def _doubts_about_numbers(name: str, numbers: pl.Series) -> str:
    return "numbers the rows" if _numbers_rows(name, numbers) else ""


def _doubts_about_text(present: pl.Series) -> str:
    if present.dtype == pl.String and _share(_are_dates(present)) > MOSTLY_NUMBERS:
        return _DATES
    n_values = present.n_unique()
    if n_values > ID_VALUES and n_values > ID_SHARE * len(present):
        return f"is text with {n_values:,} different values in {len(present):,} rows"
    return ""


def _are_codes(present: pl.Series) -> bool:
    """Tell whether digits are those of codes: of one length, which some begin with 0 to reach."""
    if present.dtype != pl.String or not present.str.contains(r"^\d{2,}$").all():
        return False
    is_filled = present.str.starts_with("0")
    return present.str.len_chars().n_unique() == 1 and present.filter(is_filled).n_unique() > 1


def _in_numbers(present: pl.Series, numbers: pl.Series) -> str:
    """Return what speaks for numbers in a column of text; nothing if few are."""
    share = _share(numbers.is_not_null())
    if share < HALF_NUMBERS:
        return ""
    other = present.filter(numbers.is_null()).mode().sort()[0]
    return (
        f", though {share:.0%} of its values are numbers; others are like {shown(other)}: "
        f"{_to_mend(other)}"
    )


def _are_dates(text: pl.Series) -> pl.Series:
    return text.str.contains(_DATE) | text.str.contains(_DATE_WITH_MONTH)


def _share(mask: pl.Series) -> float:
    return int(mask.sum()) / len(mask)


def _complain(
    column: pl.Series, decimal: str, missing: Sequence[str], notation: Notation | None
) -> None:
    """Raise an error about the first value that is no number."""
    present = without_missing(column, missing)
    if notation is None:
        numbers, like = as_numbers(column, decimal, missing), ""
    else:
        numbers, like = notation.numbers(column, missing), notation.example
    strange = present.is_not_null() & numbers.is_null()
    row = strange.arg_max()
    assert row is not None
    error = BadValueError(column.name, row, column[row], like=like)
    if error.value == column.name:
        raise error
    name = for_shell(column.name)
    raise InputError(
        f"{error}; or that the column names kinds: --categorical {name}; or leave it out: "
        f"--drop {name}"
    )
