"""How clearly do the posteriors, scores or votes of a classifier favour its answer?

The log-odds of the predicted class c,

    log P(c|x) / (1 − P(c|x)) = l_c − log Σ_{k≠c} exp(l_k),

are computed from log-posteriors l, which may be known up to a constant per sample. A posterior that
rounds to 1 leaves nothing of 1 − P; the sum over the other classes keeps it.
"""

from __future__ import annotations  # signatures then show the names of types

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty.outputs import Outputs, as_outputs, best_other, lead, of_predicted
from abstain.certainty.registry import documented_rule

# Infinite log-odds would be below no threshold, so that these samples could never be rejected.
MAX_LOG_ODDS = 1e9


@documented_rule(
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


@documented_rule(
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
            odds = lead(logs, codes)
        else:
            odds = of_predicted(logs, codes) - _log_sum_of_others(logs, codes)
    return np.asarray(np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS))


def _log_sum_of_others(logs: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log Σ exp over the classes that are not predicted."""
    others = logs.copy()
    others[np.arange(len(logs)), codes] = -np.inf
    highest = others.max(axis=1, keepdims=True)
    shift = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(others - shift).sum(axis=1)) + shift[:, 0])


@documented_rule(
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


@documented_rule(
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


@documented_rule(
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


@documented_rule(
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


@documented_rule(
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
