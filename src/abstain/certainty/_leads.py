"""By how much is the first of several scores ahead of the second?"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["lead"]


def lead(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return the difference between the two largest values of each row."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape[1] == 1:  # one class only: nothing to be ahead of
        return np.zeros(len(scores))
    second, first = np.partition(scores, -2, axis=1)[:, -2:].T
    return np.asarray(first - second)
