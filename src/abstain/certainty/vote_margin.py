"""How clear is the majority behind an answer that several classifiers vote on?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty._leads import best_other, lead, of_predicted
from abstain.certainty.outputs import Outputs

__all__ = ["has_codes", "has_votes", "margin_of_votes", "vote_margin"]


def vote_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the margin of the predicted class in a vote.

    Of a ``VotingClassifier`` with hard voting, the share of the votes (their weights, where it has
    some) for the predicted class minus the share for the next. Of an ``OutputCodeClassifier``,
    (d⁻ − d⁺)/(d⁻ + d⁺) with the squared distances of the binary classifiers' scores to the code of
    the predicted class and to the closest code of another.

    Parameters
    ----------
    estimator : estimator
        A fitted ``VotingClassifier`` with hard voting or ``OutputCodeClassifier``, or a pipeline or
        search that holds one.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        In [0, 1], 0 where two classes have the same support.

    Examples
    --------
    >>> from abstain.certainty import vote_margin
    >>> from sklearn.ensemble import VotingClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> voters = [GaussianNB(), KNeighborsClassifier(1), DecisionTreeClassifier()]
    >>> model = VotingClassifier([(type(voter).__name__, voter) for voter in voters])
    >>> model = model.fit([[0.0], [1.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> vote_margin(model, [[0.5], [2.3]]).round(2).tolist()
    [1.0, 0.33]
    """
    return margin_of_votes(Outputs(estimator, X))


def has_votes(classifier: Any) -> bool:
    """Tell whether a classifier takes the majority of votes."""
    from sklearn.ensemble import VotingClassifier

    return isinstance(classifier, VotingClassifier) and classifier.voting == "hard"


def has_codes(classifier: Any) -> bool:
    """Tell whether a classifier decodes the scores of binary ones."""
    from sklearn.multiclass import OutputCodeClassifier

    return isinstance(classifier, OutputCodeClassifier)


def margin_of_votes(outputs: Outputs) -> NDArray[np.float64]:
    """Return the margin of the predicted class in a vote."""
    if has_votes(outputs.classifier):
        votes = outputs.votes
        return np.asarray(lead(votes, outputs.codes) / votes[:1].sum())
    distances, codes = _code_distances(outputs), outputs.codes
    own, other = of_predicted(distances, codes), -best_other(-distances, codes)[0]
    total = own + other
    # Rounding may put the code that the classifier finds closest a digit behind.
    return np.asarray(np.maximum((other - own) / np.where(total > 0, total, 1.0), 0.0))


def _code_distances(outputs: Outputs) -> NDArray[np.float64]:
    """Return the squared distances of the binary scores to the code of each class."""
    from sklearn.metrics.pairwise import euclidean_distances

    scores = [_binary_scores(each, outputs.samples) for each in outputs.classifier.estimators_]
    found = euclidean_distances(np.stack(scores, 1), outputs.classifier.code_book_, squared=True)
    return np.asarray(found, dtype=np.float64)


def _binary_scores(estimator: Any, samples: Any) -> NDArray[np.float64]:
    """Return what scikit-learn compares with a code: a score, a posterior, or a regression."""
    from sklearn.base import is_regressor

    if is_regressor(estimator):
        return np.asarray(estimator.predict(samples), dtype=np.float64)
    if hasattr(estimator, "decision_function"):
        return np.ravel(estimator.decision_function(samples)).astype(np.float64)
    return np.asarray(estimator.predict_proba(samples)[:, 1], dtype=np.float64)
