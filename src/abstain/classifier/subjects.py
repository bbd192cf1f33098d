"""Which column of a frame names subjects, of which it has several rows each?

Rows of one patient are alike: what is certified on them as if they were independent can be false
for new patients. A column is pointed out if its values repeat, many different ones, clearly fewer
than rows, and

- its name says so: ``patient_id``, ``id``, ``mrn``;
- or its values are numbered (``P001``), or its name ends in ``_id``, or each of its whole numbers
  or texts fills consecutive rows, about as many as the others. With more than `MOST_ROWS_EACH`
  rows for each value, these may be categories.
"""

from __future__ import annotations  # signatures then show the names of types

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError, Message, shown
from abstain._core.estimators import n_samples_of
from abstain.targets import Target
from abstain.targets.base import certifies

# Fewer values are groups rather than subjects; with more per row, hardly any repeat.
LEAST_VALUES, MOST_PER_ROW = 10, 0.8
# Codes of categories look like numbered subjects, such as A40 to A49.
LEAST_NUMBERED, MOST_ROWS_EACH = 20, 50
_SUBJECTS = (
    "patient|subject|person|participant|proband|individual|case|customer|client|user|member|animal|"
    "mouse|rat|dog|cow|horse|donor|twin|family|household|speaker|writer|author|student|pupil|child|"
    "employee|driver|player|account|kunde|teilnehmer|versuchsperson"
)
# Without "id" or the like, these may as well be kinds of things: the site of a tumor.
_PLACES = (
    "site|device|sensor|plate|machine|camera|scanner|hospital|clinic|center|centre|ward|school|"
    "store|shop|station|well|slide|batch|session|recording|experiment|run|farm|cage|litter|plot|"
    "tree|house|car|vehicle|image|study|trial|sample|specimen|record|pt|pat|subj|usubj|hadm|stay|"
    "icustay|encounter|admission|nhs|cust|emp|fall"
)
_ID = "id|ids|uid|uuid|no|nr|num|nummer|number|code|key|index|hash|#"
# Compiled when a fit needs them: that takes as long as many imports.
_SUBJECT = rf"(^|.*[\W_])({_SUBJECTS})(s|n|en)?[\W_]*({_ID})?[\W_]*"
_PLACE_ID = rf"(^|.*[\W_])({_PLACES})s?[\W_]*({_ID})[\W_]*"
_OWN_ID = r"[\W_]*(id|uid|uuid|guid|pid|rid|sid|mrn|ssn|nr|identifier)[\W_]*"
_ENDS_IN_ID = re.compile(r".*[\W_](id|uid|uuid|guid|identifier)[\W_]*", re.I)
# Text before a number that is filled with zeros, or of one letter: P001, pat-17, S3.
_NUMBERED = re.compile(r"[A-Za-z]{1,12}[-_ ]?0\d+|[A-Za-z]{1,12}[-_ ]?\d{2,}|[A-Za-z][-_]?\d+")
# A word that is written in two ways, such as patientId, is taken for two words.
_INNER_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# The start of what is said of them, for filters of warnings.
SAID_OF_SUBJECTS = r"column .* seems to name subjects"


def n_subjects(name: str, present: Any) -> int:
    """Return how many subjects a column names by its different values; 0 if it names none.

    It is a column of pandas or polars, without its missing values.

    >>> import polars as pl
    >>> values = pl.Series(np.arange(100) % 20)
    >>> n_subjects("patient", values), n_subjects("age", values), n_subjects("age", values.sort())
    (20, 0, 20)
    """
    rows = np.asarray(present)
    if rows.dtype.kind not in "iufOUT" or (rows.dtype.kind == "f" and (rows % 1 != 0).any()):
        return 0  # measured, not numbered
    values = np.asarray(present.unique())
    n_values = len(values)
    if not LEAST_VALUES <= n_values <= MOST_PER_ROW * len(rows):
        return 0
    words = _split_words(name)
    if any(re.fullmatch(each, words, re.I) for each in (_SUBJECT, _PLACE_ID, _OWN_ID)):
        return n_values
    if n_values < max(LEAST_NUMBERED, len(rows) / MOST_ROWS_EACH):
        return 0
    is_id = _ENDS_IN_ID.fullmatch(words) or _are_runs(rows, n_values)
    return n_values if is_id or _are_numbered(values.tolist()) else 0


def _split_words(name: str) -> str:
    return _INNER_CAPITAL.sub("_", name.strip())


def _are_runs(rows: NDArray[Any], n_values: int) -> bool:
    """Return whether rows of equal values follow each other, about as many of each value."""
    starts = np.flatnonzero(np.asarray(rows[1:] != rows[:-1], dtype=np.bool_)) + 1
    if len(starts) + 1 != n_values:
        return False
    lengths = np.diff(starts, prepend=0, append=len(rows))
    usual = np.median(lengths)
    return bool(lengths.min() >= max(2, usual / 2) and lengths.max() <= 2 * usual)


def _are_numbered(values: list[Any]) -> bool:
    """Return whether all values are one text before different numbers."""
    if not all(isinstance(each, str) and _NUMBERED.fullmatch(each) for each in values):
        return False
    return len({each.rstrip("0123456789") for each in values}) == 1


def notes_on_subjects(clf: Any, target: Target, X: Any) -> list[Message]:
    """Return a note on each column of a frame that seems to name subjects; refuse to certify."""
    if clf.independent_rows or not hasattr(X, "columns"):
        return []
    return subject_notes(subjects_of_frame(X), n_samples_of(X), target, is_independent=False)


def subjects_of_frame(X: Any) -> dict[str, int]:
    """Return the columns of a pandas or polars frame that seem to name subjects, and how many.

    >>> import polars as pl
    >>> subjects_of_frame(pl.DataFrame({"patient": [row % 20 for row in range(100)]}))
    {'patient': 20}
    """
    subjects = {}
    for name in dict.fromkeys(X.columns):
        column = X[name]
        if len(getattr(column, "shape", ())) != 1:  # several columns of one name
            continue
        present = column.drop_nulls() if hasattr(column, "drop_nulls") else column.dropna()
        if n := n_subjects(str(name), present):
            subjects[str(name)] = n
    return subjects


def subject_notes(
    columns: dict[str, int],
    n_rows: int,
    target: Target,
    *,
    is_independent: bool,
    are_named: bool = False,
) -> list[Message]:
    """Return a note on each column of subjects; refuse to certify what would not hold for them.

    If groups ``are_named``, they are given as the name of a column.
    """
    notes = []
    for name, n_values in columns.items() if not is_independent else ():
        what = (
            f"column {shown(name)} seems to name subjects of several rows each "
            f"({n_values:,} in {n_rows:,} rows)"
        )
        give = Message("give its values as ", Argument("groups", of="fit"))
        if are_named:
            give = Message("give ", Argument("groups", name, of="fit"))
        if certifies(target):
            raise InputError(
                *(what, ", and a certificate counts on independent rows; ", *give.parts),
                *(" to test one row of each, or ", Argument("independent_rows")),
                " if rows do not belong together",
            )
        notes.append(Message(what, "; ", give, " to keep the rows of each in one fold"))
    return notes
