"""How probable is the most probable class?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["max_posterior"]


def max_posterior(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return Conf, the largest posterior max_c P(c|x).

    For the true posteriors, rejecting where it is low is the best rule there is (Chow).

    Parameters
    ----------
    estimator : estimator
        Any fitted classifier with ``predict_proba``.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        In [1 / number of classes, 1].

    Examples
    --------
    >>> from abstain.certainty import max_posterior
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> max_posterior(model, [[0.5], [2.5]]).round(2).tolist()
    [1.0, 0.5]
    """
    return np.asarray(estimator.predict_proba(X).max(axis=1), dtype=np.float64)
