"""What in a table may have been meant otherwise than it was taken?

Nothing here is wrong for sure, so that it is a note of the fit and no error. Each is one line with
the remedy.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping, Sequence

import polars as pl

from abstain._core.checks import shown
from abstain.tables.features import Features
from abstain.tables.formats import TextFormat
from abstain.tables.mistakes import for_shell
from abstain.tables.values import as_categories, without_missing

__all__ = ["points_in_doubt", "telling_columns", "worse_than_guessing"]

_WHOLE, _GROUPED = r"^[+-]?\d{1,3}$", r"^[+-]?[1-9]\d{0,2}(\.\d{3})+$"


def points_in_doubt(
    frame: pl.DataFrame, features: Features, form: TextFormat | None, missing: Sequence[str] = ()
) -> list[str]:
    """Return notes on columns whose points may stand before thousands.

    Their numbers are whole below a thousand, and have three digits behind the point above it.

    Parameters
    ----------
    frame : polars.DataFrame
        The table as it was read.
    features : Features
        From `choose_features`.
    form : TextFormat or None
        How the text is written; None if it is no text.
    missing : sequence of str, default=()
        Texts that stand for a missing value, beside the usual ones.

    Returns
    -------
    notes : list of str
        One for each such column.

    Examples
    --------
    >>> sales = pl.DataFrame({"sales": ["4.282", "950"]})
    >>> points_in_doubt(sales, Features(["sales"], []), TextFormat(";"))
    ["'sales': '4.282' is taken as a fraction; if it is thousands, give --decimal ,"]
    """
    if form is None or form.decimal != ".":
        return []
    # Where commas stand between fields, none can stand before a fraction.
    remedy = "write it without the point" if form.separator == "," else "give --decimal ,"
    notes = []
    for name in features.numeric:
        if name in features.written or frame[name].dtype != pl.String:
            continue
        present = without_missing(frame[name], missing).drop_nulls()
        grouped = present.str.contains(_GROUPED)
        is_whole = present.str.contains(_WHOLE)
        if grouped.any() and is_whole.any() and (grouped | is_whole).all():
            example = shown(present.filter(grouped)[0])
            notes.append(
                f"{shown(name)}: {example} is taken as a fraction; if it is thousands, {remedy}"
            )
    return notes


def telling_columns(samples: pl.DataFrame, labels: pl.Series) -> list[str]:
    """Return notes on columns that are the label under another name, or other names for it.

    Parameters
    ----------
    samples : polars.DataFrame
        The features of the rows with a label.
    labels : polars.Series
        The class that each row is of.

    Returns
    -------
    notes : list of str
        One for each such column.

    Examples
    --------
    >>> samples = pl.DataFrame({"age": [30, 41, 52], "code": ["i", "w", "i"]})
    >>> telling_columns(samples, pl.Series(["ill", "well", "ill"]))
    ["column 'code' tells the class in every row; if it is not known before ... --drop 'code'"]
    """
    n_classes = labels.n_unique()
    notes = []
    for column in samples:
        if column.n_unique() != n_classes:  # nearly always: pairs need not be looked at
            continue
        pairs = pl.DataFrame([as_categories(column).alias("value"), labels.alias("class")])
        values = pairs["value"]
        if values.null_count() or values.n_unique() != n_classes or pairs.n_unique() != n_classes:
            continue
        notes.append(
            f"column {shown(column.name)} tells the class in every row; if it is not known before "
            f"the answer, --drop {for_shell(column.name)}"
        )
    return notes


def worse_than_guessing(
    n_errors: int, n_samples: int, class_counts: Mapping[str, int]
) -> list[str]:
    """Return a note if a classifier is right less often than one that names the largest class.

    Parameters
    ----------
    n_errors, n_samples : int
        How many rows were answered wrongly, and of how many, before any was rejected.
    class_counts : mapping of str to int
        Rows of each class.

    Returns
    -------
    notes : list of str
        One or none.

    Examples
    --------
    >>> worse_than_guessing(5, 10, {"ill": 4, "well": 6})
    ["the model is right in 50.0% of the rows, and whoever always says 'well' in 60.0%: try ..."]
    """
    largest, count = max(class_counts.items(), key=lambda item: item[1])
    right, share = 1 - n_errors / n_samples, count / sum(class_counts.values())
    if right >= share:
        return []
    return [
        f"the model is right in {right:.1%} of the rows, and whoever always says {shown(largest)} "
        f"in {share:.1%}: try another --model, or columns that tell more about the class"
    ]
