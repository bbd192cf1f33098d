"""How does a classifier do on rows whose class is known?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np

from abstain.tables.fitting import LabelledSamples

__all__ = ["Judged", "judge"]


class Judged(NamedTuple):
    """What came of rows whose class is known.

    Attributes
    ----------
    n_right, n_wrong, n_rejected : int
        Rows that were answered rightly, that were answered wrongly, and that were not answered.

    Examples
    --------
    >>> Judged(n_right=9, n_wrong=1, n_rejected=5).accuracy
    0.9
    """

    n_right: int
    n_wrong: int
    n_rejected: int

    @property
    def n_answered(self) -> int:
        """Rows that were answered."""
        return self.n_right + self.n_wrong

    @property
    def accuracy(self) -> float | None:
        """Share of right answers; None if there are no answers."""
        return self.n_right / self.n_answered if self.n_answered else None


def judge(clf: Any, samples: LabelledSamples) -> Judged:
    """Count what a classifier answers rightly and wrongly, and what not at all.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    samples : LabelledSamples
        From `labelled_samples`.

    Returns
    -------
    judged : Judged
        The counts. An answer to a row of a class that the classifier does not know is wrong.

    Examples
    --------
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> from abstain.tables import LabelledSamples
    >>> X, y = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5}), np.array(["a", "a", "b", "b"] * 5)
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2).fit(X, y)
    >>> judge(clf, LabelledSamples(X, y, [], 1.0, 0))
    Judged(n_right=20, n_wrong=0, n_rejected=0)
    """
    found = clf.decide(samples.X)
    is_right = (clf.classes_[found.class_indices] == samples.y) & ~found.rejected
    n_right, n_rejected = (int(np.count_nonzero(each)) for each in (is_right, found.rejected))
    return Judged(n_right, len(samples.y) - n_right - n_rejected, n_rejected)
