"""How clearly do the scores or votes of a classifier favour its answer?"""

from __future__ import annotations  # signatures then show the names of types

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty.outputs import Outputs, as_outputs, best_other, lead, of_predicted
from abstain.certainty.registry import documented


@documented(
    "Any fitted classifier with ``decision_function``.",
    "At least 0 where the class of the highest score is predicted.",
)
def decision_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the lead of the predicted class over all others in the decision function.

    With two classes the decision function is one score, positive for the second class: then its
    absolute value, negative where the classifier does not predict the class of its sign.

    Examples
    --------
    >>> from abstain.certainty import decision_margin
    >>> from sklearn.linear_model import RidgeClassifier
    >>> model = RidgeClassifier().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> sure, unsure = decision_margin(model, [[5.0], [2.5]])
    >>> bool(sure > unsure)
    True
    """
    outputs = as_outputs(estimator, X)
    scores = np.asarray(outputs.scores, dtype=np.float64)
    codes = outputs.codes
    return np.where(codes == 1, scores, -scores) if scores.ndim == 1 else lead(scores, codes)


@documented(
    "A fitted ``SVC`` or ``NuSVC``, or a pipeline or search that holds one.", "Any real number."
)
def pairwise_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the smallest one-against-one margin of the predicted class.

    A support vector classifier decides between each pair of classes by a separate machine and
    predicts the class that wins most pairs. Its certainty is the smallest margin of the winner,
    min_k f_ck(x), which is negative if the winner loses to some class.

    Examples
    --------
    >>> from abstain.certainty import pairwise_margin
    >>> from sklearn.svm import SVC
    >>> model = SVC(kernel="linear").fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> pairwise_margin(model, [[5.0], [2.5]]).round(2).tolist()
    [1.67, 0.0]
    """
    return least_margin(as_outputs(estimator, X))[0]


def least_margin(outputs: Outputs) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the smallest margin of the predicted class, and the class it is closest to."""
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


@documented(
    "A fitted ``VotingClassifier`` with hard voting or ``OutputCodeClassifier``, or a pipeline or "
    "search that holds one.",
    "In [0, 1], 0 where two classes have the same support.",
)
def vote_margin(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the margin of the predicted class in a vote.

    For a ``VotingClassifier`` with hard voting, the share of the votes (weighted, if it has
    weights) for the predicted class minus the share for the next class. For an
    ``OutputCodeClassifier``, (d⁻ − d⁺)/(d⁻ + d⁺) with the squared distances of the scores of the
    binary classifiers to the code of the predicted class and to the closest other code.

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
    outputs = as_outputs(estimator, X)
    if has_votes(outputs.classifier):
        votes = outputs.votes
        return np.asarray(lead(votes, outputs.codes) / votes[:1].sum())
    distances, codes = _code_distances(outputs), outputs.codes
    own, other = of_predicted(distances, codes), -best_other(-distances, codes)[0]
    total = own + other
    # Rounding may make the margin slightly negative.
    return np.asarray(np.maximum((other - own) / np.where(total > 0, total, 1.0), 0.0))


def has_votes(classifier: Any) -> bool:
    """Return whether a classifier takes the majority of votes."""
    from sklearn.ensemble import VotingClassifier

    return isinstance(classifier, VotingClassifier) and classifier.voting == "hard"


def has_codes(classifier: Any) -> bool:
    """Return whether a classifier decodes the scores of binary ones."""
    from sklearn.multiclass import OutputCodeClassifier

    return isinstance(classifier, OutputCodeClassifier)


def _code_distances(outputs: Outputs) -> NDArray[np.float64]:
    """Return the squared distances of the binary scores to the code of each class."""
    from sklearn.metrics.pairwise import euclidean_distances

    scores = [_binary_scores(each, outputs.samples) for each in outputs.classifier.estimators_]
    codes = outputs.classifier.code_book_
    distances = euclidean_distances(np.stack(scores, 1), codes, squared=True)
    return np.asarray(distances, dtype=np.float64)


def _binary_scores(estimator: Any, samples: Any) -> NDArray[np.float64]:
    """Return what scikit-learn compares with a code: a score, a posterior, or a regression."""
    from sklearn.base import is_regressor

    if is_regressor(estimator):
        return np.asarray(estimator.predict(samples), dtype=np.float64)
    if hasattr(estimator, "decision_function"):
        return np.ravel(estimator.decision_function(samples)).astype(np.float64)
    return np.asarray(estimator.predict_proba(samples)[:, 1], dtype=np.float64)
