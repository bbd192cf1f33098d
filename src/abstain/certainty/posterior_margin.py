"""By how much is the predicted class more probable than the next?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty._leads import lead
from abstain.certainty.outputs import Outputs

__all__ = ["margin_of_posteriors", "posterior_margin"]


def posterior_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return P(c|x) − max_k P(k|x), the lead of the predicted class c over all other classes k.

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
        In [0, 1] where the most probable class is predicted, else negative.

    Examples
    --------
    >>> from abstain.certainty import posterior_margin
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> posterior_margin(model, [[0.5], [2.5]]).round(2).tolist()
    [1.0, 0.0]
    """
    return margin_of_posteriors(Outputs(estimator, X))


def margin_of_posteriors(outputs: Outputs) -> NDArray[np.float64]:
    """Return the lead of the predicted class over the others."""
    posteriors = outputs.posteriors
    return lead(posteriors, outputs.codes)
