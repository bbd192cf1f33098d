"""By how much is the most probable class ahead of the next?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty._leads import lead

__all__ = ["posterior_margin"]


def posterior_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return P(c₁|x) − P(c₂|x), the lead of the most probable class over the next.

    With two classes it ranks samples as `max_posterior` does; with more it also tells a close race
    of two from a clear winner among many.

    Parameters
    ----------
    estimator : estimator
        Any fitted classifier with ``predict_proba``.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        In [0, 1].

    Examples
    --------
    >>> from abstain.certainty import posterior_margin
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> posterior_margin(model, [[0.5], [2.5]]).round(2).tolist()
    [1.0, 0.0]
    """
    return lead(estimator.predict_proba(X))
