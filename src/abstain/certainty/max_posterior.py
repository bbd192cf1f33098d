"""How probable is the predicted class?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty._leads import of_predicted
from abstain.certainty.outputs import Outputs

__all__ = ["max_posterior", "posterior_of_prediction"]


def max_posterior(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return Conf, the posterior P(c|x) of the class c that the classifier predicts.

    Where the most probable class is predicted, it is the largest posterior: for the true
    posteriors, rejecting where it is low is the best rule there is (Chow). A classifier with
    another threshold, such as scikit-learn's ``FixedThresholdClassifier``, may predict a less
    probable class.

    Parameters
    ----------
    estimator : estimator
        Any fitted classifier with ``predict_proba``.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        In [0, 1]; at least 1 / number of classes where the most probable class is predicted.

    Examples
    --------
    >>> from abstain.certainty import max_posterior
    >>> from sklearn.model_selection import FixedThresholdClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> max_posterior(model, [[0.5], [2.5]]).round(2).tolist()
    [1.0, 0.5]
    >>> rare = FixedThresholdClassifier(model, threshold=0.001, pos_label="b")
    >>> rare = rare.fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> rare.predict([[2.2]]).tolist(), max_posterior(rare, [[2.2]]).round(2).tolist()
    (['b'], [0.01])
    """
    return posterior_of_prediction(Outputs(estimator, X))


def posterior_of_prediction(outputs: Outputs) -> NDArray[np.float64]:
    """Return the posterior of the predicted class."""
    posteriors = outputs.posteriors
    return np.asarray(of_predicted(posteriors, outputs.codes), dtype=np.float64)
