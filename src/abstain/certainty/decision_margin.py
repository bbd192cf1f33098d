"""By how much does the decision function favour the predicted class over the next?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty._leads import lead
from abstain.certainty.outputs import Outputs

__all__ = ["decision_margin", "margin_of_scores"]


def decision_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the lead of the predicted class over all others in the decision function.

    With two classes the decision function is one score, positive for the second class: then its
    size, negative where the classifier predicts the other class than its sign says.

    Parameters
    ----------
    estimator : estimator
        Any fitted classifier with ``decision_function``.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        At least 0 where the class of the highest score is predicted.

    Examples
    --------
    >>> from abstain.certainty import decision_margin
    >>> from sklearn.linear_model import RidgeClassifier
    >>> model = RidgeClassifier().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> sure, unsure = decision_margin(model, [[5.0], [2.5]])
    >>> bool(sure > unsure)
    True
    """
    return margin_of_scores(Outputs(estimator, X))


def margin_of_scores(outputs: Outputs) -> NDArray[np.float64]:
    """Return the lead of the predicted class over the others."""
    scores = np.asarray(outputs.scores, dtype=np.float64)
    codes = outputs.codes
    return np.where(codes == 1, scores, -scores) if scores.ndim == 1 else lead(scores, codes)
