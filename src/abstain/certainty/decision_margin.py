"""By how much does the decision function favour the first class over the second?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty._leads import lead

__all__ = ["decision_margin"]


def decision_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the lead of the highest score of the decision function over the next.

    With two classes the decision function is one score, whose sign is the class: then its size.

    Parameters
    ----------
    estimator : estimator
        Any fitted classifier with ``decision_function``.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        At least 0.

    Examples
    --------
    >>> from abstain.certainty import decision_margin
    >>> from sklearn.linear_model import RidgeClassifier
    >>> model = RidgeClassifier().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> sure, unsure = decision_margin(model, [[5.0], [2.5]])
    >>> bool(sure > unsure)
    True
    """
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
    return np.abs(scores) if scores.ndim == 1 else lead(scores)
