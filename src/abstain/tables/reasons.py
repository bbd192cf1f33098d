"""Why was a row rejected, in plain words, and which text is written for each answer?

Most rows are answered, so that reasons are made for rejected rows only. In a text table, texts are
quoted if they hold the separator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain._core.estimators import unwrap
from abstain._core.text import first_of, printable, without_formula
from abstain.certainty.cells import auto_rule
from abstain.tables.text_format import needs_quotes, quote_field
from abstain.tables.writing import numbers_as_text

REJECT_MARK = "rejected"
_DIGITS = 4
_EMPTY = "all columns that the model needs are empty"
# Maximum number of cells that are named of those that share a threshold.
_OTHERS_TO_NAME = 3


@dataclass(frozen=True, eq=False)
class AnswerTexts:
    """The texts for the answers to rows, and for the reasons of rejects."""

    # The classes, and last the mark of a rejected row.
    answers: pl.Series
    thresholds: NDArray[np.float64]
    # For each threshold the end of a reason, and last the reason of an empty row.
    endings: pl.Series
    # The whole reason where a threshold rejects every row, else null.
    always: pl.Series
    quote: str = ""
    decimal: str = "."
    is_text_table: bool = False

    def quoted(self, texts: pl.Series) -> pl.Series:
        """Return texts as fields of the table; in a text table, in quotes unless empty."""
        if not self.is_text_table or not (texts != "").any():
            return texts
        fields = '"' + texts.str.replace_all('"', '""', literal=True) + '"'
        return fields.set(texts == "", "")

    def reasons(
        self,
        certainty: NDArray[np.float64],
        positions: NDArray[np.int64],
        is_rejected: NDArray[np.bool_],
    ) -> pl.Series:
        """Return why each row was rejected, and "" for others; an empty row has position -1."""
        rows = np.flatnonzero(is_rejected)
        if not len(rows):
            return pl.repeat("", len(certainty), dtype=pl.String, eager=True).alias("reason")
        at = positions[rows]
        reasons = pl.DataFrame(
            {
                "certainty": certainty[rows],
                "threshold": self.thresholds[at],
                "ending": self.endings.gather(np.where(at < 0, len(self.endings) - 1, at)),
                "is_empty": at < 0,
                "always": self.always.gather(np.where(at < 0, len(self.always) - 1, at)),
            }
        ).select(_sentence(self.quote, self.decimal).alias("reason"))
        # The last entry is that of all rows that are answered.
        reasons = pl.concat([reasons, pl.DataFrame({"reason": [""]})])
        index = np.full(len(certainty), len(rows), dtype=np.int64)
        index[rows] = np.arange(len(rows))
        return reasons["reason"].gather(index)


def _sentence(quote: str, decimal: str) -> pl.Expr:
    certainty, threshold = (
        numbers_as_text(pl.col(name), _DIGITS, decimal) for name in ("certainty", "threshold")
    )
    # Rounded, the two may look the same.
    below = pl.when(certainty == threshold).then(pl.lit("just below")).otherwise(pl.lit("below"))
    sentence = pl.concat_str(
        pl.lit(f"{quote}certainty "),
        certainty,
        pl.lit(" is "),
        below,
        pl.lit(" the threshold "),
        threshold,
        pl.col("ending"),
    )
    reason = pl.coalesce("always", sentence)
    return pl.when("is_empty").then(pl.col("ending")).otherwise(reason)


def answer_texts(
    clf: Any, reject_mark: str = REJECT_MARK, separator: str | None = None, decimal: str = "."
) -> AnswerTexts:
    """Return the texts for a classifier; ``separator`` is that of a text table, if it is one."""
    classes = [str(label) for label in clf.classes_.tolist()]
    if reject_mark in classes or not reject_mark.strip():
        raise InputError(
            argument="reject_mark",
            value=reject_mark,
            requirement="is a class" if reject_mark in classes else "is blank",
            remedy="give another mark",
        )
    thresholds = np.asarray(clf.thresholds_, dtype=np.float64)
    endings = [f" of {name}" for name in cell_names(clf)]
    always = [
        f"no row{ending} is answered" if threshold == np.inf else None
        for ending, threshold in zip(endings, thresholds.tolist(), strict=True)
    ]
    answers, quote = [*classes, reject_mark], ""
    if separator is not None:
        names = [*map(without_formula, classes), reject_mark]
        answers = [quote_field(text, separator) for text in names]
        if any(needs_quotes(text, separator) for text in endings):
            quote = '"'
            endings = [text.replace('"', '""') + quote for text in endings]
        always = [text and quote_field(text, separator) for text in always]
    return AnswerTexts(
        pl.Series("answer", answers, dtype=pl.String),
        thresholds,
        pl.Series("ending", [*endings, _EMPTY], dtype=pl.String),
        pl.Series("always", [*always, None], dtype=pl.String),
        quote,
        decimal,
        separator is not None,
    )


def outlier_reasons(clf: Any, samples: pl.DataFrame, warnings: pl.Series) -> pl.Series:
    """Return why rows are unlike those of the fit: by values that are not in it, or together."""
    unusual = clf.explain(samples)["unusual"].to_list()
    return pl.Series(
        [
            f"outlier: {warning}" if warning else f"outlier: unusual {_together(features or [])}"
            for warning, features in zip(warnings.to_list(), unusual, strict=True)
        ],
        dtype=pl.String,
    )


def _together(features: list[str]) -> str:
    """Return the names of features that make a row unusual."""
    names = ", ".join(map(printable, features))
    return f"combination of {names}" if len(features) > 1 else names


def cell_names(clf: Any, everything: str = "all rows") -> list[str]:
    """Return the name of the cell of each threshold; the last is that of all other cells.

    ``everything`` names the only cell.

    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> cell_names(RejectOptionClassifier(GLVQ(), cv=2).fit(X, y))
    ['class a', 'class b', 'unseen cells']
    """
    rule = clf.cells
    if isinstance(rule, str) and rule == "auto":
        rule = auto_rule(clf.estimator_).name
    cells = clf.cells_.tolist()[:-1]  # the last is that of all others
    if rule == "global" or not cells:
        return [everything] * (len(cells) + 1)
    name_of, known = _naming(clf, rule)
    own = set(cells)
    others = [name_of(cell) for cell in known if cell not in own]
    # The pooled front has a threshold for every cell of the calibration data.
    what = "unseen cells" if clf.method == "pooled" else "rare cells"
    listed = f" ({first_of(others, _OTHERS_TO_NAME)})" if others else ""
    return [*map(name_of, cells), what + listed]


def _naming(clf: Any, rule: Any) -> tuple[Callable[[Any], str], list[Any]]:
    """Return what names a cell, and the cells that are known, including rare ones."""
    if rule == "class":
        return "class {}".format, clf.classes_.tolist()
    if rule == "prototype":
        labels = unwrap(clf.estimator_)[1].prototype_labels_.tolist()
        is_one_per_class = len(set(labels)) == len(labels)
        return (
            lambda cell: (
                ("" if is_one_per_class else f"prototype {cell} of ") + f"class {labels[cell]}"
            ),
            list(range(len(labels))),
        )
    seen = clf.calibration_.cells.tolist() if hasattr(clf, "calibration_") else []
    return ("leaf {}" if rule == "leaf" else "cell {}").format, list(dict.fromkeys(seen))
