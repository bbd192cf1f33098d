"""Are rows of a table so unlike those of the fit that somebody should look at them?

A column in another unit makes most rows outliers: they are rejected, no answer is wrong, and no
monitor of wrong answers raises an alarm. A count is named if rows with the shares below would have
as many with a probability under `SURE`: a job of every night is silent while little changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abstain._core.errors import shown
from abstain.classifier.overlap import SURE
from abstain.targets.expectation import share_interval

if TYPE_CHECKING:
    from abstain.tables.answering import AnswerCounts

# Rows like those of the fit may have so many outliers, of the share that was asked for.
TIMES_OUTLIERS = 2
# The share of rejects may be so much above that of the rows that set the thresholds.
MORE_REJECTS = 0.05
# A share of unseen values below this is to be expected in new rows.
MANY_UNSEEN = 0.05


def answer_warnings(clf: Any, counts: AnswerCounts) -> list[str]:
    """Return a line for each count of a table that is clearly higher than usual."""
    n_rows, lines = counts.n_rows, []
    outliers = TIMES_OUTLIERS * (clf.outliers or 0)
    if is_clearly_more(counts.n_outliers, n_rows, outliers):
        lines.append(
            f"{counts.n_outliers:,} of {n_rows:,} rows are rejected as outliers, unlike those of "
            "the fit: look for a faulty column, such as one in another unit"
        )
    usual, share = clf.operating_point_.reject_rate, counts.n_rejected / n_rows
    _, most = share_interval(usual, clf.operating_point_.n_samples)
    if is_clearly_more(counts.n_rejected, n_rows, most + MORE_REJECTS):
        lines.append(
            f"{share:.1%} of the rows are rejected, and {usual:.1%} of those that set the "
            "thresholds were: the rows have changed, or are harder"
        )
    for name in most_unseen(counts):
        if is_clearly_more(counts.unseen_values[name], n_rows, MANY_UNSEEN):
            lines.append(unseen_value(counts, name))
    return lines


def is_clearly_more(count: int, n_rows: int, share: float) -> bool:
    """Return whether so many rows are no coincidence where this share is usual."""
    if share >= 1 or count <= share * n_rows:
        return False
    from scipy.special import bdtrc

    return bool(bdtrc(count - 1, n_rows, share) < SURE)


def most_unseen(counts: AnswerCounts) -> list[str]:
    """Return the columns with values that are not in the fit, those with most of them first."""
    return sorted(counts.unseen_values, key=lambda name: -counts.unseen_values[name])


def unseen_value(counts: AnswerCounts, name: str) -> str:
    """Return which values of a column are not in the fit, and in how many rows."""
    example, count = counts.examples.get(name), counts.unseen_values[name]
    if isinstance(example, str):
        what = f"a category that the model has not seen, such as {shown(example)}"
    elif example is not None:
        what = f"a number outside the range of the fit, such as {example:g}"
    else:
        what = "values that the model has not seen"
    return f"in {count:,} row{'s' * (count != 1)} column {shown(name)} holds {what}"
