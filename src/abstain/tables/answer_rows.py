"""What does a classifier answer to rows in memory, and what is written about each?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from abstain._core.errors import Argument
from abstain.classifier import Decisions
from abstain.classifier.explain import ExplainedRejects, decide_and_explain
from abstain.tables.columns import TableColumns, columns_of_model, find_empty_rows
from abstain.tables.reading import lacking_columns
from abstain.tables.reasons import (
    REJECT_MARK,
    AnswerTexts,
    answer_texts,
    complete_reasons,
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
    rejects: ExplainedRejects
    unseen: UnseenValues


def answers_of(clf: Any, columns: TableColumns, texts: AnswerTexts, frame: pl.DataFrame) -> Answers:
    """Decide on rows, whose columns have the types that the model expects."""
    unseen = find_unseen(getattr(columns, "known_values_", {}), frame, columns.missing)
    has_own_columns = columns is getattr(clf.estimator_, "steps", [(None, None)])[0][1]
    samples = frame if has_own_columns else columns.transform(frame)
    is_empty = find_empty_rows(frame, columns)
    filled = np.flatnonzero(~is_empty.to_numpy())
    decisions, explained = _nothing_decided(frame.height), None
    if len(filled) == frame.height and len(filled):
        decisions, explained = decide_and_explain(clf, samples)
    elif len(filled):
        own, explained = decide_and_explain(clf, samples[filled])
        for values, some in zip(decisions, own, strict=True):
            values[filled] = some
    rejects = complete_reasons(explained, decisions, texts)
    said = texts.quoted(pl.Series("reason", ["", *rejects.sentences.texts], dtype=pl.String))
    codes = np.zeros(frame.height, dtype=np.int64)
    codes[rejects.rows] = rejects.sentences.codes + 1
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
            said.gather(codes),
            texts.quoted(describe_rows(unseen, frame.height)).alias("warning"),
        ]
    )
    return Answers(rows, decisions, rejects, unseen)


def _nothing_decided(n_rows: int) -> Decisions:
    """Return the decisions on empty rows, which are rejected without asking the classifier."""
    return Decisions(
        np.zeros(n_rows, np.int64),
        np.full(n_rows, np.nan),
        np.full(n_rows, -1),
        np.ones(n_rows, np.bool_),
        np.full(n_rows, np.nan),
        np.zeros(n_rows, np.bool_),
    )
