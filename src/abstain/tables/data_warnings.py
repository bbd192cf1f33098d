"""What in a table may have been meant otherwise than it was taken?

Nothing here is certainly wrong, so that it is a note of the fit and not an error. Each note is one
line with the remedy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from abstain._core.errors import Argument, Message, shown
from abstain.tables.features import Features
from abstain.tables.text_format import TextFormat
from abstain.tables.values import as_categories, without_missing

_WHOLE, _GROUPED = r"^[+-]?\d{1,3}$", r"^[+-]?[1-9]\d{0,2}(\.\d{3})+$"
_CLASSES_TO_LIST = 5


def ambiguous_points(
    frame: pl.DataFrame, features: Features, form: TextFormat | None, missing: Sequence[str] = ()
) -> list[Message]:
    """Return notes on columns whose points may separate thousands.

    Their numbers are whole below a thousand, and have three digits after the point above it.
    """
    if form is None or form.decimal != ".":
        return []
    remedy = Message("give ", Argument("decimal", ","))
    if form.separator == ",":  # no comma can be a decimal mark
        remedy = Message("write it without the point")
    notes = []
    for name in features.numeric:
        if name in features.written or frame[name].dtype != pl.String:
            continue
        present = without_missing(frame[name], missing).drop_nulls()
        grouped = present.str.contains(_GROUPED)
        is_whole = present.str.contains(_WHOLE)
        if grouped.any() and is_whole.any() and (grouped | is_whole).all():
            example = shown(present.filter(grouped)[0])
            taken = f"{shown(name)}: {example} is taken as a fraction; if it is thousands, "
            notes.append(Message(taken, remedy))
    return notes


def columns_that_tell_the_class(samples: pl.DataFrame, labels: pl.Series) -> list[Message]:
    """Return notes on columns whose values correspond to the classes one to one."""
    n_classes = labels.n_unique()
    notes = []
    for column in samples:
        if column.n_unique() != n_classes:  # nearly always: pairs need not be compared
            continue
        pairs = pl.DataFrame([as_categories(column).alias("value"), labels.alias("class")])
        values = pairs["value"]
        if values.null_count() or values.n_unique() != n_classes or pairs.n_unique() != n_classes:
            continue
        notes.append(
            Message(
                f"column {shown(column.name)} tells the class in every row; if it is not known "
                "before the answer, leave it out: ",
                Argument("drop", [column.name]),
            )
        )
    return notes


def worse_than_constant(
    n_errors: int, n_samples: int, class_counts: Mapping[str, int]
) -> list[Message]:
    """Return a note if always answering the largest class is right more often than the model.

    >>> worse_than_constant(5, 10, {"ill": 4, "well": 6})
    ["the model is right in 50.00% of the rows; always answering 'well' is right in 60.00%: ..."]
    """
    largest, count = max(class_counts.items(), key=lambda item: item[1])
    right, share = 1 - n_errors / n_samples, count / sum(class_counts.values())
    if right >= share:
        return []
    return [
        Message(
            f"the model is right in {right:.2%} of the rows; always answering {shown(largest)} is "
            f"right in {share:.2%}: try another ",
            *(Argument("model"), ", or columns that tell more about the class"),
        )
    ]


def classes_spelled_alike(classes: Sequence[str]) -> list[str]:
    """Return a note if classes differ only in capitals and blanks."""
    spellings: dict[str, list[str]] = {}
    for name in classes:
        spellings.setdefault("".join(name.casefold().split()), []).append(name)
    alike = [names for names in spellings.values() if len(names) > 1]
    if not alike:
        return []
    listed = " and ".join(", ".join(map(repr, names)) for names in alike[:_CLASSES_TO_LIST])
    return [f"classes differ only in capitals or blanks: {listed}; use one spelling per class"]
