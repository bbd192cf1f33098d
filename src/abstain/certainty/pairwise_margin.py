"""How clearly does a support vector classifier prefer its answer to each other class?"""

from __future__ import annotations  # signatures then show the names of types

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty.outputs import Outputs

__all__ = ["least_margin", "margin_of_pairs", "pairwise_margin"]


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
    return least_margin(Outputs(estimator, X))[0]


def margin_of_pairs(outputs: Outputs) -> NDArray[np.float64]:
    """Return the smallest one-against-one margin of the predicted class."""
    return least_margin(outputs)[0]


def least_margin(outputs: Outputs) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the smallest margin of the predicted class, and the class against which it is."""
    model = outputs.model
    margins, winners = outputs.pairwise, outputs.pairwise_winners
    least, rival = np.full(len(margins), np.inf), np.zeros(len(margins), dtype=np.int64)
    for column, (first, second) in zip(
        margins.T, combinations(range(len(model.classes_)), 2), strict=True
    ):
        for own, other, margin in ((first, second, column), (second, first, -column)):
            closer = (winners == own) & (margin < least)
            least[closer], rival[closer] = margin[closer], other
    return least, model.classes_[rival]
