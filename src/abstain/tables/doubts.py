"""What in a table may have been meant otherwise than it was taken?

Nothing here is wrong for sure, so that it is a note of the fit and no error. Each is one line with
the remedy.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence

import polars as pl

from abstain._checks import shown
from abstain.tables.columns import Features
from abstain.tables.formats import TextFormat
from abstain.tables.values import without_missing

__all__ = ["points_in_doubt"]

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
