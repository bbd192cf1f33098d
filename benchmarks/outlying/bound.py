"""How many changes of unit could any score find?

A test that knows which column may be wrong, and by what factor, is easier than one that does not.
For each column, a classifier learns to tell known samples from the same ones with the other unit;
1% of its out-of-fold scores of known samples are false alarms, as for every other score.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from abstain.certainty.outlier_scores import Known, fit_known
from outlying.detection import RATE, draw
from outlying.faults import CHANGES, faults
from outlying.scores import OURS, decide
from outlying.sets import load

__all__ = ["FAULT", "bound"]

FAULT = "unit × 0.45"
N_FOLDS = 3
# What lies farther away is found, and splits of trees are of numbers up to so many.
FAR = 1e6

Floats = NDArray[np.float64]


def bound(name: str, data: Path) -> dict[str, Any]:
    """Return how many values that leave their range are found, in columns that vary.

    By the tests that know the column, by the score of abstain, and of how many, in one draw.
    """
    X, y = load(name, data)
    known, new, labels, _ = draw(X, y, 0)
    fault = next(
        each for each in faults(known, new, np.random.default_rng(0)) if each.name == FAULT
    )
    rows = np.flatnonzero(fault.is_visible & np.isfinite(fault.beyond))
    columns = (fault.samples != new)[rows].argmax(axis=1)
    described, found = fit_known(known), np.zeros(len(rows), dtype=bool)
    for column in np.unique(columns):
        own = columns == column
        is_wrong = test_of_column(described, known, column)
        found[own] = is_wrong(fault.samples[rows[own]])
    is_outlier = decide(OURS, known, labels, RATE)(fault.samples[rows])
    return {"bound": int(found.sum()), "found": int(is_outlier.sum()), "samples": len(rows)}


def test_of_column(described: Known, known: Floats, column: int) -> Any:
    """Return a function that tells samples in which a column has the other unit."""

    def features(samples: Floats) -> Floats:
        own = [each(samples)[:, column] for each in (described.excess, described.residuals)]
        return np.clip(np.column_stack([samples, *own]), -FAR, FAR)

    def fit(rows: NDArray[np.bool_]) -> HistGradientBoostingClassifier:
        right, wrong = known[rows], known[rows].copy()
        wrong[:, column] = CHANGES[FAULT](wrong[:, column])
        both = np.vstack([features(right), features(wrong)])
        model = HistGradientBoostingClassifier(max_iter=60, random_state=0)
        return model.fit(both, np.repeat([0, 1], len(right)))

    folds = np.random.default_rng(0).permutation(len(known)) % N_FOLDS
    scores = np.empty(len(known))
    for fold in range(N_FOLDS):
        own = folds == fold
        scores[own] = fit(~own).decision_function(features(known[own]))
    scores.sort()
    limit = scores[len(known) - max(int(RATE * (len(known) + 1)), 1)]
    model = fit(np.ones(len(known), dtype=bool))
    return lambda samples: model.decision_function(features(samples)) > limit
