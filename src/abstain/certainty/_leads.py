"""By how much is the score of the predicted class ahead of all others?"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_other", "lead", "of_predicted"]


def lead(scores: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the score of the predicted class minus the highest other; at most 0 if not ahead."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape[1] == 1:  # one class only: nothing to be ahead of
        return np.zeros(len(scores))
    if scores.shape[1] == 2:
        first, second = scores.T
        return np.asarray(np.where(codes == 1, second - first, first - second))
    return np.asarray(of_predicted(scores, codes) - best_other(scores, codes)[0])


def of_predicted(scores: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[Any]:
    """Return the score of the predicted class of each row."""
    return np.asarray(scores[np.arange(len(scores)), codes])


def best_other(
    scores: NDArray[Any], codes: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the highest score of another class than the predicted one, and which class it is."""
    rows = np.arange(len(scores))
    others = scores.copy()
    others[rows, codes] = -np.inf
    best = others.argmax(axis=1)
    return others[rows, best], best
