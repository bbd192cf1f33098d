"""How evenly are the posteriors spread over the classes?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty.outputs import Outputs

__all__ = ["negative_entropy", "posterior_entropy"]


def posterior_entropy(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return minus the entropy of the posteriors, −H / log K with H = −Σ_c P(c|x) log P(c|x).

    Of K classes, H is at most log K. It counts all classes, while `max_posterior` counts one and
    `posterior_margin` two; with two classes all three rank samples alike.

    Parameters
    ----------
    estimator : estimator
        Any fitted classifier with ``predict_proba``.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        In [-1, 0]: -1 where all classes are equally probable, 0 where one class is certain.

    Examples
    --------
    >>> from abstain.certainty import posterior_entropy
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> posterior_entropy(model, [[2.5], [2.4]]).round(2).tolist()
    [-1.0, -0.65]
    """
    return negative_entropy(Outputs(estimator, X))


def negative_entropy(outputs: Outputs) -> NDArray[np.float64]:
    """Return minus the entropy of the posteriors, as a share of the largest."""
    posteriors = np.asarray(outputs.posteriors, dtype=np.float64)
    n_classes = posteriors.shape[1]
    if n_classes == 1:
        return np.zeros(len(posteriors))
    logs = np.zeros_like(posteriors)
    np.log(posteriors, out=logs, where=posteriors > 0)
    total = np.einsum("nc,nc->n", posteriors, logs) / np.log(n_classes)
    # Rounding may leave the range by a digit.
    return np.asarray(np.clip(total, -1.0, 0.0))
