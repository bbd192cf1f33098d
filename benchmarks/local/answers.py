"""What does a classifier answer to samples that it was not fitted on?

A classifier is fitted once, on a third of a set and at most 1,500 rows. From then on it is three
aligned arrays: its certainty (the measure that ``certainty="auto"`` picks), whether it is right,
and the cell (predicted class, or prototype) of every other row.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abstain import GMLVQ
from abstain.cells import find_cells
from abstain.certainty import measure_certainty
from local.sets import Table

__all__ = ["CLASSIFIERS", "Answers", "answers_of"]

CLASSIFIERS: dict[str, Any] = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
    "GMLVQ": make_pipeline(StandardScaler(), GMLVQ(1, random_state=0)),
    "random forest": RandomForestClassifier(60, random_state=0),
    "naive Bayes": GaussianNB(),
}
MAX_FIT = 1500
# Images are reduced to so many principal components.
MANY_FEATURES, N_COMPONENTS = 1000, 30


class Answers(NamedTuple):
    """The answers to some samples: how sure, whether right, and in which cell (0, 1, …)."""

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    cells: NDArray[np.int64]

    def take(self, rows: NDArray[np.int64]) -> "Answers":
        """Return the answers to some of the samples."""
        return Answers(self.certainty[rows], self.correct[rows], self.cells[rows])


def answers_of(classifier: str, table: Table) -> Answers:
    """Fit a classifier on some rows of a set and ask it about all others."""
    model = clone(CLASSIFIERS[classifier])
    if table.X.shape[1] > MANY_FEATURES:
        model = make_pipeline(PCA(N_COMPONENTS, random_state=0), model)
    X, X_rest, y, y_rest = train_test_split(
        *table, train_size=min(MAX_FIT, len(table.y) // 3), stratify=table.y, random_state=0
    )
    model.fit(X, y)
    cells = np.unique(find_cells(model, X_rest), return_inverse=True)[1]
    return Answers(measure_certainty(model, X_rest), model.predict(X_rest) == y_rest, cells)
