"""Which column of a table names subjects, of which it has several rows each?

Rows of one patient are alike: what is certified on them as if they were independent can be false
for new patients. A column is pointed out if its name says so (``patient_id``) or its values are
numbered (``P001``), and its values repeat: many different ones, clearly fewer than rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from abstain._core.errors import Argument, InputError, Message, shown
from abstain._core.text import row_number
from abstain.tables.values import as_categories, without_missing
from abstain.targets import Target
from abstain.targets.base import certifies

# Fewer values are groups rather than subjects; with more per row, hardly any repeat.
LEAST_VALUES, MOST_PER_ROW = 10, 0.8
# Codes of categories look like numbered subjects, such as A40 to A49.
LEAST_NUMBERED, MOST_ROWS_EACH = 20, 50
_SUBJECTS = (
    "patient|subject|person|participant|proband|individual|case|customer|client|user|member|animal|"
    "mouse|rat|dog|cow|horse|donor|twin|family|household|speaker|writer|author|student|pupil|child|"
    "employee|driver|player|account"
)
# Without "id" or the like, these may as well be kinds of things: the site of a tumor.
_PLACES = (
    "site|device|sensor|plate|machine|camera|scanner|hospital|clinic|center|centre|ward|school|"
    "store|shop|station|well|slide|batch|session|recording|experiment|run|farm|cage|litter|plot|"
    "tree|house|car|vehicle|image|study|trial|sample|specimen|record"
)
_ID = "id|ids|uid|uuid|no|nr|num|nummer|number|code|key|index|hash|#"
_IS_SUBJECT = re.compile(rf"(^|.*[\W_])({_SUBJECTS})s?[\W_]*({_ID})?[\W_]*", re.I)
_IS_PLACE_ID = re.compile(rf"(^|.*[\W_])({_PLACES})s?[\W_]*({_ID})[\W_]*", re.I)
# Text before a number that is filled with zeros, or of one letter: P001, pat-17, S3.
_NUMBERED = r"^(?:[A-Za-z]{1,12}[-_ ]?0\d+|[A-Za-z]{1,12}[-_ ]?\d{2,}|[A-Za-z][-_]?\d+)$"
# A word that is written in two ways, such as patientId, is taken for two words.
_INNER_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def subject_columns(frame: pl.DataFrame, missing: Sequence[str] = ()) -> dict[str, int]:
    """Return the columns that seem to name subjects with several rows, and how many each names.

    >>> frame = pl.DataFrame({"patient": [f"P{row % 20:03}" for row in range(100)]})
    >>> subject_columns(frame.with_columns(age=pl.int_range(100) % 50))
    {'patient': 20}
    """
    subjects = {}
    for column in frame:
        if column.dtype.is_nested() or column.dtype.is_temporal() or column.dtype == pl.Boolean:
            continue
        name = _INNER_CAPITAL.sub("_", column.name.strip())
        is_named = bool(_IS_SUBJECT.fullmatch(name) or _IS_PLACE_ID.fullmatch(name))
        if not is_named and column.dtype != pl.String:
            continue
        present = without_missing(column, missing).drop_nulls()
        n_values = present.n_unique()
        if not LEAST_VALUES <= n_values <= MOST_PER_ROW * len(present):
            continue
        if is_named and present.dtype.is_float() and not (present == present.floor()).all():
            continue  # measured, not numbered
        are_many = max(LEAST_NUMBERED, len(present) / MOST_ROWS_EACH) <= n_values
        if is_named or (are_many and _are_numbered(present.unique())):
            subjects[column.name] = n_values
    return subjects


def _are_numbered(values: pl.Series) -> bool:
    """Return whether all values are one text before different numbers."""
    texts = values.cast(pl.String)
    if not texts.str.contains(_NUMBERED).all():
        return False
    return texts.str.replace(r"\d+$", "").n_unique() == 1


def note_subjects(
    columns: dict[str, int], n_rows: int, target: Target, is_independent: bool
) -> list[Message]:
    """Return a note on each column of subjects; refuse to certify what would not hold for them."""
    if is_independent:
        return []
    notes = []
    for name, n_values in columns.items():
        what = (
            f"column {shown(name)} seems to name subjects of several rows each "
            f"({n_values:,} in {n_rows:,} rows)"
        )
        group = Argument("groups", name, of="fit")
        if certifies(target):
            raise InputError(
                *(what, ", and a certificate counts on independent rows; give "),
                *(group, " to test one row of each, or ", Argument("independent_rows")),
                " if rows do not belong together",
            )
        notes.append(Message(what, "; give ", group, " to keep the rows of each in one fold"))
    return notes


def row_groups(column: pl.Series, missing: Sequence[str] = ()) -> pl.Series:
    """Return the group of each row as text; rows without one could belong to any other."""
    labels = as_categories(column, missing)
    if labels.null_count():
        row = labels.is_null().arg_max()
        assert row is not None
        raise InputError(
            *(f"column {shown(column.name)} must name a group in each row for ",),
            Argument("groups", of="fit"),
            f", got nothing in {labels.null_count():,} of {len(labels):,} rows, first in row "
            f"{row_number(row):,}; fill it in, or leave these rows out",
        )
    return labels
