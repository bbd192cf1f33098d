"""How sure is a classifier of its answer, by its posteriors?

The log-odds of the predicted class c,

    log P(c|x) / (1 − P(c|x)) = l_c − log Σ_{k≠c} exp(l_k),

are computed from log-posteriors l, which may be known up to a constant per sample. A posterior that
rounds to 1 leaves nothing of 1 − P; the sum over the other classes keeps it.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty.outputs import as_outputs, lead, of_predicted
from abstain.certainty.registry import documented

# Infinite log-odds would be below no threshold, so that these samples could never be rejected.
MAX_LOG_ODDS = 1e9


@documented(
    "Any fitted classifier with ``predict_proba``.",
    "In [0, 1]; at least 1 / number of classes where the most probable class is predicted.",
)
def max_posterior(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return Conf, the posterior P(c|x) of the class c that the classifier predicts.

    Where the most probable class is predicted, it is the largest posterior: for the true
    posteriors, rejecting where it is low is the best rule there is (Chow). A classifier with
    another threshold, such as scikit-learn's ``FixedThresholdClassifier``, may predict a less
    probable class.

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
    outputs = as_outputs(estimator, X)
    return np.asarray(of_predicted(outputs.posteriors, outputs.codes), dtype=np.float64)


@documented(
    "Any fitted classifier with ``predict_proba``.",
    "In [-1e9, 1e9], 1e9 where all other classes have posterior 0; 0 is a posterior of 0.5.",
)
def log_odds(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the log-odds log P(c|x) / (1 − P(c|x)) of the class c that the classifier predicts.

    They rank samples as `max_posterior` does, and still differ where posteriors round to 1: for
    naive Bayes, discriminant analysis, logistic regression, boosting and the RSLVQ family they are
    computed from log-posteriors or scores, for other classifiers from the posteriors.

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
    outputs = as_outputs(estimator, X)
    logs = outputs.log_posteriors
    codes = outputs.codes
    if logs.shape[1] == 1:  # one class only
        return np.full(len(logs), MAX_LOG_ODDS)
    with np.errstate(invalid="ignore"):  # infinity minus infinity is NaN, which the caller refuses
        if logs.shape[1] == 2:
            return _capped(lead(logs, codes))
        own = of_predicted(logs, codes)
        others = logs.copy()
        others[np.arange(len(logs)), codes] = -np.inf
        highest = others.max(axis=1, keepdims=True)
        shift = np.where(np.isfinite(highest), highest, 0.0)
        with np.errstate(divide="ignore"):
            rest = np.log(np.exp(others - shift).sum(axis=1)) + shift[:, 0]
        return _capped(own - rest)


def _capped(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS))


@documented(
    "Any fitted classifier with ``predict_proba``.",
    "In [0, 1] where the most probable class is predicted, else negative.",
)
def posterior_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return P(c|x) − max_k P(k|x), the lead of the predicted class c over all other classes k.

    With two classes it ranks samples as `max_posterior` does; with more classes it also depends on
    the second most probable class.

    Examples
    --------
    >>> from abstain.certainty import posterior_margin
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> posterior_margin(model, [[0.5], [2.5]]).round(2).tolist()
    [1.0, 0.0]
    """
    outputs = as_outputs(estimator, X)
    return lead(outputs.posteriors, outputs.codes)


@documented(
    "Any fitted classifier with ``predict_proba``.",
    "In [-1, 0]: -1 where all classes are equally probable, 0 where one class is certain.",
)
def posterior_entropy(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return minus the entropy of the posteriors, −H / log K with H = −Σ_c P(c|x) log P(c|x).

    With K classes, H is at most log K. It depends on all classes, `max_posterior` on one and
    `posterior_margin` on two; with two classes all three rank samples in the same order.

    Examples
    --------
    >>> from abstain.certainty import posterior_entropy
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> posterior_entropy(model, [[2.5], [2.4]]).round(2).tolist()
    [-1.0, -0.65]
    """
    posteriors = np.asarray(as_outputs(estimator, X).posteriors, dtype=np.float64)
    n_classes = posteriors.shape[1]
    if n_classes == 1:
        return np.zeros(len(posteriors))
    logs = np.zeros_like(posteriors)
    np.log(posteriors, out=logs, where=posteriors > 0)
    total = np.einsum("nc,nc->n", posteriors, logs) / np.log(n_classes)
    # Rounding may leave the range by a digit.
    return np.asarray(np.clip(total, -1.0, 0.0))
