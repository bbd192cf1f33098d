"""Why was a row rejected, in plain words, and what is written for an answer?

Most rows are answered, so that reasons are made of the others alone. Where what is written goes
into a text table, it is quoted if any of its parts could be taken for a separator.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from abstain._core.checks import InputError, shown
from abstain._core.text import without_formula
from abstain.tables.formats import is_special, quoted
from abstain.tables.needs import cell_names

__all__ = ["REJECT_MARK", "Words", "as_text", "words_for"]

REJECT_MARK = "rejected"
DIGITS = 4
EMPTY = "all columns that the model needs are empty"


@dataclass(frozen=True, eq=False)
class Words:
    """What can be written of a row.

    Attributes
    ----------
    answers : polars.Series
        The classes, and last the mark of a rejected row.
    thresholds : ndarray of shape (n_cells + 1,)
        The thresholds.
    endings : polars.Series
        How the reason ends, for each threshold; and last what is said of an empty row.
    always : polars.Series
        The whole reason where a threshold rejects every row, else null.
    """

    answers: pl.Series
    thresholds: NDArray[np.float64]
    endings: pl.Series
    always: pl.Series
    quote: str = ""
    decimal: str = "."

    def reasons(
        self,
        certainty: NDArray[np.float64],
        positions: NDArray[np.int64],
        is_rejected: NDArray[np.bool_],
    ) -> pl.Series:
        """Return why each row was rejected; nothing for the others.

        The position of an empty row is -1.
        """
        rows = np.flatnonzero(is_rejected)
        if not len(rows):
            return pl.repeat("", len(certainty), dtype=pl.String, eager=True).alias("reason")
        at = positions[rows]
        told = pl.DataFrame(
            {
                "certainty": certainty[rows],
                "threshold": self.thresholds[at],
                "ending": self.endings.gather(np.where(at < 0, len(self.endings) - 1, at)),
                "is_empty": at < 0,
                "always": self.always.gather(np.where(at < 0, len(self.always) - 1, at)),
            }
        ).select(_sentence(self.quote, self.decimal).alias("reason"))
        # The last entry is that of all rows that are answered.
        told = pl.concat([told, pl.DataFrame({"reason": [""]})])
        where = np.full(len(certainty), len(rows), dtype=np.int64)
        where[rows] = np.arange(len(rows))
        return told["reason"].gather(where)


def as_text(numbers: pl.Expr, digits: int, decimal: str) -> pl.Expr:
    """Return numbers as they are written in a table, to so many digits."""
    text = numbers.round_sig_figs(digits).cast(pl.String)
    return text if decimal == "." else text.str.replace(".", decimal, literal=True)


def _sentence(quote: str, decimal: str) -> pl.Expr:
    certainty, threshold = (
        as_text(pl.col(name), DIGITS, decimal) for name in ("certainty", "threshold")
    )
    # Digits that are left out can make the two look the same.
    beneath = pl.when(certainty == threshold).then(pl.lit("just below")).otherwise(pl.lit("below"))
    sentence = pl.concat_str(
        pl.lit(f"{quote}certainty "),
        certainty,
        pl.lit(" is "),
        beneath,
        pl.lit(" the threshold "),
        threshold,
        pl.col("ending"),
    )
    told = pl.coalesce("always", sentence)
    return pl.when("is_empty").then(pl.col("ending")).otherwise(told)


def words_for(
    clf: Any, mark: str = REJECT_MARK, separator: str | None = None, decimal: str = "."
) -> Words:
    """Return what can be written of the rows that a classifier answers or rejects.

    Parameters
    ----------
    clf : RejectOptionClassifier
        Fitted.
    mark : str, default="rejected"
        What stands where no answer is given.
    separator : str, default=None
        The separator of the text table that it is written to; None is no text table.
    decimal : {".", ","}, default="."
        What stands before the fraction of a number there.

    Returns
    -------
    words : Words
        Answers and reasons.

    Raises
    ------
    InputError
        If a class has the name of the mark.

    Examples
    --------
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> words = words_for(RejectOptionClassifier(GLVQ(), cv=2).fit(X, y))
    >>> words.answers.to_list()
    ['a', 'b', 'rejected']
    """
    classes = [str(label) for label in clf.classes_.tolist()]
    if mark in classes or not mark.strip():
        got = "is a class" if mark in classes else "is blank"
        raise InputError(f"--reject-mark {shown(mark)} {got}; give another mark")
    thresholds = np.asarray(clf.thresholds_, dtype=np.float64)
    endings = [f" of {name}" for name in cell_names(clf)]
    always = [
        f"no row{ending} is answered" if threshold == np.inf else None
        for ending, threshold in zip(endings, thresholds.tolist(), strict=True)
    ]
    quote = ""
    if separator is not None:
        names = [*map(without_formula, classes), mark]
        answers = [quoted(text, separator) for text in names]
        if any(is_special(text, separator) for text in endings):
            quote = '"'
            endings = [text.replace('"', '""') + quote for text in endings]
        always = [text and quoted(text, separator) for text in always]
    else:
        answers = [*classes, mark]
    return Words(
        pl.Series("answer", answers, dtype=pl.String),
        thresholds,
        pl.Series("ending", [*endings, EMPTY], dtype=pl.String),
        pl.Series("always", [*always, None], dtype=pl.String),
        quote,
        decimal,
    )
