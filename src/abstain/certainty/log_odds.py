"""What are the odds of the predicted class, on a scale that does not saturate?

    log P(c|x) / (1 − P(c|x)) = l_c − log Σ_{k≠c} exp(l_k)

for log-posteriors l, which may be known up to a constant per sample. A posterior that rounds to 1
leaves nothing of 1 − P; the sum over the other classes keeps it.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty._leads import lead, of_predicted
from abstain.certainty.outputs import Outputs

__all__ = ["log_odds", "log_odds_of_prediction"]


def log_odds(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the log-odds log P(c|x) / (1 − P(c|x)) of the class c that the classifier predicts.

    They rank samples as `max_posterior` does, and still differ where posteriors round to 1: naive
    Bayes, discriminant analysis, logistic regression, boosting and the RSLVQ family are asked for
    their log-posteriors or scores. Of other classifiers they follow from the posteriors.

    Parameters
    ----------
    estimator : estimator
        Any fitted classifier with ``predict_proba``.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        Any real number, infinite where all other classes have posterior 0; 0 is a posterior of 0.5.

    Examples
    --------
    >>> from abstain.certainty import log_odds, max_posterior
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> log_odds(model, [[2.5], [-5.0], [-50.0]]).round().tolist()
    [0.0, 120.0, 840.0]
    >>> max_posterior(model, [[2.5], [-5.0], [-50.0]]).round(2).tolist()
    [0.5, 1.0, 1.0]
    """
    return log_odds_of_prediction(Outputs(estimator, X))


def log_odds_of_prediction(outputs: Outputs) -> NDArray[np.float64]:
    """Return the log-odds of the predicted class."""
    logs = outputs.log_posteriors
    codes = outputs.codes
    if logs.shape[1] == 1:  # one class only
        return np.full(len(logs), np.inf)
    with np.errstate(invalid="ignore"):  # infinity minus infinity, of which the caller is told
        if logs.shape[1] == 2:
            return lead(logs, codes)
        own = of_predicted(logs, codes)
        others = logs.copy()
        others[np.arange(len(logs)), codes] = -np.inf
        highest = others.max(axis=1, keepdims=True)
        shift = np.where(np.isfinite(highest), highest, 0.0)
        with np.errstate(divide="ignore"):
            rest = np.log(np.exp(others - shift).sum(axis=1)) + shift[:, 0]
        return np.asarray(own - rest)
