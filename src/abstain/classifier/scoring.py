"""How good are a classifier's answers and its certainty together, for scikit-learn's tools?

Each scorer is a function of (estimator, X, y), higher is better, for ``cross_validate`` and
searches. Samples are ranked by certainty alone, so that cells, targets and thresholds of a reject
option make no difference. A classifier without one is scored by the certainty that suits it best.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._checks import check_fraction
from abstain._estimators import pass_through, unwrap
from abstain.classifier.evaluate import Rules, evaluate
from abstain.classifier.reject_option import RejectOptionClassifier
from abstain.metrics import accuracy_reject_curve, augrc_score, aurc_score

__all__ = ["CoverageScorer", "augrc_scorer", "aurc_scorer"]


def aurc_scorer(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return minus the area under the risk-coverage curve.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier, with a reject option or without.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Their classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample.

    Returns
    -------
    score : float
        At most 0.

    Examples
    --------
    >>> from abstain import GMLVQ, aurc_scorer
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(cross_val_score(GMLVQ(), X, y, scoring=aurc_scorer).mean() > -0.02)
    True
    """
    return -float(aurc_score(*_answers(estimator, X, y), sample_weight=sample_weight))


def augrc_scorer(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return minus the area under the generalised risk-coverage curve.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier, with a reject option or without.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Their classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample.

    Returns
    -------
    score : float
        At most 0.

    Examples
    --------
    >>> from abstain import GMLVQ, augrc_scorer
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(cross_val_score(GMLVQ(), X, y, scoring=augrc_scorer).mean() > -0.02)
    True
    """
    return -float(augrc_score(*_answers(estimator, X, y), sample_weight=sample_weight))


@dataclass(frozen=True)
class CoverageScorer:
    """The share of samples that can be answered at a given accuracy.

    Samples are accepted in the order of their certainty; of all coverages at which the accepted
    ones reach the accuracy, the largest counts.

    Parameters
    ----------
    accuracy : float
        The least share of correct samples among those accepted, in (0, 1].

    Examples
    --------
    >>> from abstain import GMLVQ, CoverageScorer
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(cross_val_score(GMLVQ(), X, y, scoring=CoverageScorer(0.95)).mean() > 0.9)
    True
    """

    accuracy: float

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the largest coverage at which the accuracy is reached; 0 if there is none."""
        least = check_fraction("accuracy", self.accuracy, high_open=False)
        accuracies, reject_rates, _ = accuracy_reject_curve(
            *_answers(estimator, X, y), sample_weight=sample_weight
        )
        reached = np.nan_to_num(accuracies, nan=-1.0) >= least
        return float((1 - reject_rates[reached]).max(initial=0.0))


def _answers(
    estimator: Any, X: Any, y: ArrayLike
) -> tuple[ArrayLike, NDArray[Any], NDArray[np.float64]]:
    steps, inner = unwrap(estimator, until=RejectOptionClassifier)
    if isinstance(inner, RejectOptionClassifier):
        seen = pass_through(steps, X)
        found = evaluate(inner.estimator_, seen, inner._rules)
    else:
        found = evaluate(estimator, X, Rules("auto", "global").named(estimator))
    return y, found.labels, found.certainty
