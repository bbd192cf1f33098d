"""Which texts are written for the answers to rows, and why was a row rejected?

Most rows are answered, so that reasons are made for rejected rows only. In a text table, texts are
quoted if they hold the separator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from abstain._core.errors import InputError
from abstain._core.text import without_formula
from abstain.classifier import Decisions
from abstain.classifier.cell_names import cell_names
from abstain.classifier.explain import ExplainedRejects, Sentences
from abstain.classifier.reasons import never_answered_reason
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


def complete_reasons(
    explained: ExplainedRejects | None, decisions: Decisions, texts: AnswerTexts
) -> ExplainedRejects:
    """Return why rows were rejected, the empty ones, which have position -1, among them.

    ``explained`` are those with a value, if any.
    """
    rows = np.flatnonzero(decisions.rejected)
    positions, is_outlier = decisions.positions[rows], decisions.outlier[rows]
    sentences, codes = [EMPTY], np.zeros(len(rows), dtype=np.int64)
    rivals, p_values = np.full(len(rows), -1), np.full(len(rows), np.nan)
    if explained is not None:
        filled = positions >= 0
        codes[filled] = explained.sentences.codes + 1
        sentences += explained.sentences.texts
        rivals[filled], p_values[filled] = explained.rivals, explained.p_values
    for position, sentence in texts.never_answered.items():
        codes[(positions == position) & ~is_outlier] = len(sentences)
        sentences.append(sentence)
    return ExplainedRejects(rows, Sentences(sentences, codes), rivals, p_values)
