"""What does a classifier answer to rows in memory, and what is written about each?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.errors import Argument
from abstain.classifier import Decisions
from abstain.tables.columns import TableColumns, columns_of_model, find_empty_rows
from abstain.tables.reading import lacking_columns
from abstain.tables.reasons import (
    REJECT_MARK,
    AnswerTexts,
    RejectReasons,
    answer_texts,
    reject_reasons,
)
from abstain.tables.unseen_values import UnseenValues, describe_rows, find_unseen
from abstain.tables.values import read_numbers


def answer_frame(clf: Any, frame: pl.DataFrame, *, reject_mark: str = REJECT_MARK) -> pl.DataFrame:
    """Answer or reject every row of a frame in memory.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    frame : polars.DataFrame
        The rows; it may have columns that the classifier does not need.
    reject_mark : str, default="rejected"
        The answer of a rejected row.

    Returns
    -------
    answers : polars.DataFrame
        The columns ``answer``; ``withheld``, the class that a rejected row would have been
        answered with; ``certainty`` and the ``threshold`` that decides; ``correct_proba``, the
        estimated probability that the answer is right (all three null where a row is empty, and
        the last in outliers); ``reason``, of rejected rows; and ``warning``.

    Examples
    --------
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> from abstain.tables import answer_frame
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2).fit(frame, ["a", "a", "b", "b"] * 5)
    >>> answer_frame(clf, pl.DataFrame({"a": [0.5, None]}))["reason"].to_list()
    ['', 'all columns that the model needs are empty']
    """
    columns = columns_of_model(clf)
    frame = features_in_memory(columns, frame)
    return answers_of(clf, columns, answer_texts(clf, reject_mark), frame).rows


def features_in_memory(columns: TableColumns, frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with numbers where the model needs them, or say which columns it lacks."""
    if error := lacking_columns(columns.needed, frame.columns, Argument("frame")):
        raise error
    return read_numbers(
        frame, columns.numeric, missing=columns.missing, notations=columns.notations
    )


class Answers(NamedTuple):
    """The new columns, and what they are made of."""

    rows: pl.DataFrame
    decisions: Decisions
    rejects: RejectReasons
    unseen: UnseenValues


def answers_of(clf: Any, columns: TableColumns, texts: AnswerTexts, frame: pl.DataFrame) -> Answers:
    """Decide on rows, whose columns have the types that the model expects."""
    unseen = find_unseen(getattr(columns, "known_values_", {}), frame, columns.missing)
    has_own_columns = columns is getattr(clf.estimator_, "steps", [(None, None)])[0][1]
    samples = frame if has_own_columns else columns.transform(frame)
    is_empty = find_empty_rows(frame, columns)
    n_empty = int(is_empty.sum())
    if n_empty or not frame.height:
        decisions = _decide_on_filled(clf, samples, np.asarray(is_empty.to_numpy()))
    else:
        decisions = clf.decide(samples)
    rejects = reject_reasons(clf, samples, decisions, texts)
    reasons = pl.repeat("", frame.height, dtype=pl.String, eager=True)
    if len(rejects.rows):
        own = pl.Series(rejects.reasons, dtype=pl.String)
        reasons = reasons.scatter(rejects.rows, texts.quoted(own))
    is_filled = decisions.positions >= 0
    numbers = {
        "certainty": decisions.certainty,
        "threshold": np.where(is_filled, clf.thresholds_[decisions.positions], np.nan),
        "correct_proba": decisions.correct_proba,
    }
    rows = pl.DataFrame(
        [
            texts.answers(decisions),
            texts.withheld(decisions),
            *(pl.Series(name, values, nan_to_null=True) for name, values in numbers.items()),
            reasons.alias("reason"),
            texts.quoted(describe_rows(unseen, frame.height)).alias("warning"),
        ]
    )
    return Answers(rows, decisions, rejects, unseen)


def _decide_on_filled(clf: Any, samples: pl.DataFrame, is_empty: NDArray[np.bool_]) -> Decisions:
    """Return decisions on all rows; empty rows are rejected without asking the classifier."""
    rows = np.flatnonzero(~is_empty)
    size = len(is_empty)
    decisions = Decisions(
        np.zeros(size, np.int64),
        np.full(size, np.nan),
        np.full(size, -1),
        is_empty.copy(),
        np.full(size, np.nan),
        np.zeros(size, np.bool_),
    )
    if len(rows):
        for values, own in zip(decisions, clf.decide(samples[rows]), strict=True):
            values[rows] = own
    return decisions
