"""Which rows have experts labelled, and what may the labels be used for?

All of them may be fitted to. Thresholds and certificates need rows like those to come: of a
worklist only its random sample, the audited cases and the same share of the rejected ones, and only
if all of it is filled in, since cases that an expert leaves out tend to be hard. Two columns say
so, and a file of labels can then collect those of many lists:

- ``abstain_case`` is the same whenever the same case is read, so that it is held once;
- ``abstain_use`` is "thresholds and fit" for the random sample, "fit only" for the others.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from abstain._core.checks import list_columns
from abstain._core.errors import InputError
from abstain._core.text import without_formula
from abstain.tables.columns import TableColumns, columns_of_model
from abstain.tables.reading import lacking_columns, open_table, read_table
from abstain.tables.values import as_categories, read_numbers

if TYPE_CHECKING:
    from abstain.tables.review import Review

CASE, USE = "abstain_case", "abstain_use"
FOR_ALL, FOR_FIT = "thresholds and fit", "fit only"
# Of the numbers that tell cases apart: a spreadsheet may round them.
_DIGITS = 6


def expert_labels(clf: Any, review: Review) -> pl.DataFrame:
    """Return the rows of a worklist that an expert has labelled, as a table to learn from.

    Parameters
    ----------
    clf : RejectOptionClassifier
        The classifier that has answered.
    review : Review
        From `review_worklist`.

    Returns
    -------
    labels : polars.DataFrame
        The columns that the classifier needs, the label column, ``abstain_case``, which tells
        cases apart, and ``abstain_use``: "thresholds and fit" if the row is of a random sample of
        the table, all of which is labelled, else "fit only". `recalibrate_table` takes the former,
        and so does a `fit_table` that certifies something or has a ``class_prior``. Other fits take
        both, and only the former set thresholds.

    Raises
    ------
    InputError
        If nothing is labelled, or the list lacks a column that the classifier needs.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier, RejectRate
    >>> from abstain.tables import expert_labels, open_table, review_worklist, worklist_frame
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2, target=RejectRate(0.5))
    >>> clf = clf.fit(frame, ["a", "a", "b", "b"] * 5)
    >>> worklist = worklist_frame(clf, pl.DataFrame({"a": [0.5, 2.5, 2.6, 4.5]}))
    >>> with TemporaryDirectory() as folder:
    ...     filled = worklist.with_columns(expert_answer=pl.lit("b"))
    ...     filled.write_csv(Path(folder, "worklist.csv"))
    ...     review = review_worklist(clf, open_table(Path(folder, "worklist.csv")))
    >>> expert_labels(clf, review).select("a", "class", "abstain_use").rows()
    [(2.5, 'b', 'fit only'), (2.6, 'b', 'fit only')]
    """
    columns = columns_of_model(clf)
    if error := lacking_columns(columns.needed, review.given.columns, str(review.path)):
        raise error
    is_labelled = review.rows["expert"].is_not_null()
    if not is_labelled.any():
        raise InputError(
            f"{review.path} has no expert_answer yet: there are no labels to collect; fill some in"
        )
    features = _features(columns, review)
    is_free = pl.Series(review.sample) & (review.n_sample_open == 0)
    uses = pl.Series([FOR_FIT, FOR_ALL]).gather(is_free.cast(pl.UInt32))
    known = [
        review.rows["expert"].alias(label_column(columns)),
        pl.Series(CASE, _case_names(review.rows, features), dtype=pl.String),
        uses.alias(USE),
    ]
    return pl.DataFrame([*features, *known]).filter(is_labelled)


def label_column(columns: TableColumns) -> str:
    """Return the name of the label column; a model that was fitted to a frame has none."""
    return columns.label or "class"


def _features(columns: TableColumns, review: Review) -> pl.DataFrame:
    """Return the features as numbers and as the categories that the classifier knows."""
    given = review.given.select(columns.needed)
    # A worklist has plain numbers, however the table writes them.
    features = read_numbers(given, columns.numeric, review.decimal, columns.missing)
    known = getattr(columns, "known_values_", {})
    names = []
    for name in columns.categorical:
        spelled = {without_formula(value): value for value in known.get(name, [])}
        names.append(as_categories(features[name], columns.missing).replace(spelled))
    return features.with_columns(names)


def _case_names(rows: pl.DataFrame, features: pl.DataFrame) -> list[str]:
    rounded = features.with_columns(pl.col(pl.Float64).round_sig_figs(_DIGITS))
    own = rows.select("table", "row", "answer", "withheld").hstack(
        [column.alias(f"feature {at}") for at, column in enumerate(rounded)]
    )
    digests = (blake2b(repr(row).encode(), digest_size=8).hexdigest() for row in own.rows())
    # With a word before it, no spreadsheet takes it for a number.
    return [f"row {row}: {each}" for row, each in zip(rows["row"], digests, strict=True)]


def collect_labels(clf: Any, labels: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Return the labels of a file, if there is one, and new ones; a case of both is the new one.

    All are text, in which numbers have a decimal point; `save_labels` writes them.
    """
    columns = columns_of_model(clf)
    new = _as_text(columns, labels)
    if not path.exists():
        return new
    table = open_table(path)
    earlier = read_table(table)
    if set(earlier.columns) != set(new.columns):
        (other, *_) = sorted(set(earlier.columns) ^ set(new.columns))
        there, absent = (path, "these") if other in earlier.columns else ("these", path)
        raise InputError(
            f"{path} holds other labels than those of this model: column {other!r} is in {there} "
            f"and not in {absent}; name another file, or move it away "
            f"({list_columns(other, earlier.columns)})"
        )
    earlier = read_numbers(earlier, columns.numeric, table.decimal, columns.missing)
    earlier = _as_text(columns, earlier.select(new.columns))
    return pl.concat([earlier.filter(~earlier[CASE].is_in(new[CASE].to_list())), new])


def _as_text(columns: TableColumns, labels: pl.DataFrame) -> pl.DataFrame:
    """Return labels as text; numbers of a notation have its decimal mark."""
    texts = []
    for column in labels:
        text = as_categories(column)
        notation = columns.notations.get(column.name)
        if notation is not None and column.dtype.is_float():
            text = text.str.replace(".", notation.decimal, literal=True)
        texts.append(text)
    return pl.DataFrame(texts)


def save_labels(labels: pl.DataFrame, draft: Path) -> None:
    """Write labels as CSV that a spreadsheet reads as UTF-8."""
    labels.write_csv(draft, include_bom=True)


def may_set_thresholds(frame: pl.DataFrame) -> pl.Series:
    """Return which rows of a table may set thresholds: all but those labelled for a fit only."""
    if USE not in frame.columns:
        return pl.repeat(True, frame.height, dtype=pl.Boolean, eager=True)
    return (as_categories(frame[USE]) != FOR_FIT).fill_null(True)
