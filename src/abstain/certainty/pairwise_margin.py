"""How clearly does a support vector classifier prefer its answer to each other class?"""

from __future__ import annotations  # signatures then show the names of types

import copy
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._estimators import pass_through, unwrap

__all__ = ["pairwise_margin", "pairwise_rival"]


def pairwise_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the smallest one-against-one margin of the predicted class.

    A support vector classifier decides between each two classes by a machine of its own, and
    answers with the class that wins most. Its certainty is the least of the winner's margins,
    min_k f_ck(x): negative if the winner has lost to some class.

    Parameters
    ----------
    estimator : estimator
        A fitted ``SVC`` or ``NuSVC``, or a pipeline or search that holds one.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        Any real number.

    Examples
    --------
    >>> from abstain.certainty import pairwise_margin
    >>> from sklearn.svm import SVC
    >>> model = SVC(kernel="linear").fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> pairwise_margin(model, [[5.0], [2.5]]).round(2).tolist()
    [1.67, 0.0]
    """
    return _least_margin(estimator, X)[0]


def pairwise_rival(estimator: Any, X: ArrayLike) -> NDArray[Any]:
    """Return the class against which the predicted one has its smallest margin."""
    return _least_margin(estimator, X)[1]


def _least_margin(estimator: Any, X: ArrayLike) -> tuple[NDArray[np.float64], NDArray[Any]]:
    steps, model = unwrap(estimator)
    samples = pass_through(steps, X)
    # The margins of the pairs are what a model of this shape returns; the user's stays as it is.
    by_pairs = copy.copy(model)
    by_pairs.decision_function_shape = "ovo"
    margins = np.asarray(by_pairs.decision_function(samples), dtype=np.float64)
    winners = np.searchsorted(model.classes_, model.predict(samples))
    if margins.ndim == 1:  # two classes: one machine, positive for the second
        margins = -margins[:, np.newaxis]
    least, rival = np.full(len(margins), np.inf), np.zeros(len(margins), dtype=np.int64)
    for column, (first, second) in zip(
        margins.T, combinations(range(len(model.classes_)), 2), strict=True
    ):
        for own, other, margin in ((first, second, column), (second, first, -column)):
            closer = (winners == own) & (margin < least)
            least[closer], rival[closer] = margin[closer], other
    return least, model.classes_[rival]
