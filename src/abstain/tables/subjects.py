"""Which columns of a table name subjects, of which it has several rows each?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from abstain._core.errors import Argument, InputError, shown
from abstain._core.text import row_number
from abstain.classifier.subjects import n_subjects
from abstain.tables.values import as_categories, without_missing


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
        if n := n_subjects(column.name, without_missing(column, missing).drop_nulls()):
            subjects[column.name] = n
    return subjects


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
