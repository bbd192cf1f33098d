"""Which texts are written for the answers to rows, and why was a row rejected?

Most rows are answered, so that reasons are made for rejected rows only. In a text table, texts are
quoted if they hold the separator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain._core.text import without_formula
from abstain.classifier import Decisions
from abstain.classifier.cell_names import cell_names
from abstain.classifier.explain import explain_samples
from abstain.classifier.reasons import MOST_NAMED, never_answered_reason
from abstain.tables.text_format import quote_field

REJECT_MARK = "rejected"
EMPTY = "all columns that the model needs are empty"


@dataclass(frozen=True, eq=False)
class AnswerTexts:
    """The texts for the answers to rows: the classes, the mark of a reject, and nothing."""

    names: pl.Series
    # Of each threshold that rejects every row, by its position.
    never_answered: dict[int, str]
    is_text_table: bool = False

    def answers(self, decisions: Decisions) -> pl.Series:
        """Return the class of each row, or the mark of a rejected one."""
        mark = len(self.names) - 2
        codes = np.where(decisions.rejected, mark, decisions.class_indices)
        return self.names.gather(codes).alias("answer")

    def withheld(self, decisions: Decisions) -> pl.Series:
        """Return the class that a rejected row would have been answered with, "" of others."""
        is_withheld = decisions.rejected & (decisions.positions >= 0)
        codes = np.where(is_withheld, decisions.class_indices, len(self.names) - 1)
        return self.names.gather(codes).alias("withheld")

    def quoted(self, texts: pl.Series) -> pl.Series:
        """Return texts as fields of the table; in a text table, in quotes unless empty."""
        rows = (texts != "").arg_true()
        if not self.is_text_table or not len(rows):
            return texts
        fields = '"' + texts.gather(rows).str.replace_all('"', '""', literal=True) + '"'
        return texts.clone().scatter(rows, fields)


def answer_texts(
    clf: Any, reject_mark: str = REJECT_MARK, separator: str | None = None
) -> AnswerTexts:
    """Return the texts for a classifier; ``separator`` is that of a text table, if it is one."""
    names = [str(label) for label in clf.classes_.tolist()]
    if reject_mark in names or not reject_mark.strip():
        raise InputError(
            argument="reject_mark",
            value=reject_mark,
            requirement="is a class" if reject_mark in names else "is blank",
            remedy="give another mark",
        )
    cells = cell_names(clf)
    never = np.flatnonzero(np.asarray(clf.thresholds_) == np.inf).tolist()
    names = [*names, reject_mark]
    if separator is not None:
        names = [*map(without_formula, names[:-1]), reject_mark]
        names = [quote_field(text, separator) for text in names]
    return AnswerTexts(
        pl.Series("answer", [*names, ""], dtype=pl.String),
        {position: never_answered_reason(cells[position]) for position in never},
        separator is not None,
    )


class RejectReasons(NamedTuple):
    """Which rows were rejected, why, the other class, and how probable rows as unusual are."""

    rows: NDArray[np.int64]
    reasons: list[str]
    rivals: list[Any]
    p_values: NDArray[np.float64]


def reject_reasons(
    clf: Any, samples: pl.DataFrame, decisions: Decisions, texts: AnswerTexts
) -> RejectReasons:
    """Return why rows were rejected; an empty row has position -1, and no rival."""
    rows = np.flatnonzero(decisions.rejected)
    reasons: list[str] = [EMPTY] * len(rows)
    rivals: list[Any] = [None] * len(rows)
    p_values = np.full(len(rows), np.nan)
    positions, outliers = decisions.positions[rows].tolist(), decisions.outlier[rows].tolist()
    filled = np.flatnonzero(decisions.positions[rows] >= 0)
    if len(filled):
        explained = explain_samples(clf, samples[rows[filled]], MOST_NAMED)
        p_values[filled] = explained.p_values
        rivals_of = explained.reasons.rival
        own = zip(filled.tolist(), explained.sentences, rivals_of, strict=True)
        for at, reason, rival in own:
            never = None if outliers[at] else texts.never_answered.get(positions[at])
            reasons[at], rivals[at] = str(never or reason), rival
    return RejectReasons(rows, reasons, rivals, p_values)
