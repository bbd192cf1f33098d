"""How good are a classifier's answers and its certainty together, for scikit-learn's tools?

Each scorer is a function of (estimator, X, y), higher is better, for ``cross_validate`` and
searches. Of `aurc_scorer`, `augrc_scorer` and `CoverageScorer`, samples are ranked by certainty
alone, so that cells, targets and thresholds of a reject option make no difference; a classifier
without one is scored by the certainty that suits it best. `front_augrc_scorer`,
`RejectCostScorer` and `ExpectedCostScorer` apply thresholds: by the first a search can choose
cells, certainty and method, whatever the target, by the others the target too.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import check_fraction
from abstain._core.errors import InputError
from abstain._core.estimators import pass_through, unwrap
from abstain.classifier.documentation import IRIS, LABELLED_SAMPLES, WEIGHTS, documented
from abstain.classifier.estimator import RejectOptionClassifier
from abstain.classifier.evaluate import Rules, evaluate
from abstain.fronts.held_out import HeldOut, HeldOutCounts
from abstain.metrics import accuracy_reject_curve, augrc_score, aurc_score
from abstain.targets import ExpectedCost

ESTIMATOR = """\
estimator : estimator
    A fitted classifier, with a reject option or without."""
REJECT_OPTION = """\
estimator : estimator
    A fitted `RejectOptionClassifier`, or a pipeline or search that holds one."""


@documented(ESTIMATOR, LABELLED_SAMPLES, WEIGHTS, setup=IRIS)
def aurc_scorer(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return minus the area under the risk-coverage curve.

    Returns
    -------
    score : float
        At most 0.

    Examples
    --------
    >>> from abstain import aurc_scorer
    >>> from sklearn.model_selection import cross_val_score
    >>> bool(cross_val_score(GMLVQ(), X, y, scoring=aurc_scorer).mean() > -0.02)
    True
    """
    return -float(aurc_score(*_answers(estimator, X, y), sample_weight=sample_weight))


@documented(ESTIMATOR, LABELLED_SAMPLES, WEIGHTS, setup=IRIS)
def augrc_scorer(
    estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return minus the area under the generalised risk-coverage curve.

    Returns
    -------
    score : float
        At most 0.

    Examples
    --------
    >>> from abstain import augrc_scorer
    >>> from sklearn.model_selection import cross_val_score
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


@dataclass(frozen=True)
class RejectCostScorer:
    """Minus the mean cost of the decisions of a reject option, at its thresholds.

    A wrong answer costs 1, a reject what it is given, a right answer nothing.

    Parameters
    ----------
    cost : float
        What a reject costs, in [0, 1].

    Examples
    --------
    >>> from abstain import GMLVQ, RejectCost, RejectCostScorer, RejectOptionClassifier
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RejectOptionClassifier(GMLVQ(), target=RejectCost(0.2), cv=3)
    >>> bool(cross_val_score(clf, X, y, scoring=RejectCostScorer(0.2)).mean() > -0.05)
    True
    """

    cost: float

    def __call__(self, estimator: Any, X: Any, y: ArrayLike, sample_weight: Any = None) -> float:
        """Return minus the mean cost."""
        cost = check_fraction("cost", self.cost, low_open=False, high_open=False)
        clf, seen = _reject_option(estimator, X, "RejectCostScorer")
        evaluation = clf._evaluate(seen)
        wrong = evaluation.labels != np.asarray(y)
        costs = np.where(clf._rejected(evaluation), cost, wrong)
        return -float(np.average(costs, weights=sample_weight))


@dataclass(frozen=True)
class ExpectedCostScorer:
    """Minus the mean cost of the decisions of a reject option, when errors cost different amounts.

    Parameters
    ----------
    costs : array-like of shape (n_classes, n_classes) or dict
        Cost of each answer: a row per true class, a column per answer, in the order of
        ``classes_``; or a dict of (true, answered) pairs.
    reject : float, array-like of shape (n_classes,) or dict
        Price of a reject: one number, or one per true class.

    Examples
    --------
    >>> from abstain import ExpectedCostScorer, RejectOptionClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = ExpectedCostScorer({(0, 1): 10, (1, 0): 1}, reject=0.5)
    >>> bool(cross_val_score(RejectOptionClassifier(GaussianNB()), X, y, scoring=scorer).mean() < 0)
    True
    """

    costs: Any
    reject: Any

    def __call__(self, estimator: Any, X: Any, y: ArrayLike, sample_weight: Any = None) -> float:
        """Return minus the mean cost."""
        clf, seen = _reject_option(estimator, X, "ExpectedCostScorer")
        evaluation = clf._evaluate(seen)
        prices = ExpectedCost(self.costs, self.reject)
        rejected = clf._rejected(evaluation)
        costs = prices.costs_of(y, evaluation.labels, rejected, clf.classes_)
        return -float(np.average(costs, weights=sample_weight))


@documented(REJECT_OPTION, LABELLED_SAMPLES, setup=IRIS)
def front_augrc_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Return minus the area under the generalised risk of all rows of a reject option's front.

    The thresholds of each row of ``front_`` are applied to the samples. They give a coverage, the
    share of accepted samples, and a generalised risk, the share that are accepted and wrong. The
    area is that under the line through these points, from all samples accepted to none; straight
    lines in between are rows mixed at random. So the score counts how thresholds hold on new
    samples, and ``GridSearchCV`` can choose ``cells``, ``certainty`` and ``method`` by it,
    whatever the target.

    Returns
    -------
    score : float
        Between -0.5 and 0.

    Examples
    --------
    >>> from abstain import GLVQ, front_augrc_scorer
    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(
    ...     RejectOptionClassifier(GLVQ(), cv=3),
    ...     {"cells": ["global", "prototype"], "certainty": ["relsim", "distance"]},
    ...     scoring=front_augrc_scorer,
    ... )
    >>> search.fit(X, y).best_params_["certainty"]
    'relsim'
    """
    clf, seen = _reject_option(estimator, X, "front_augrc_scorer")
    evaluation, front = clf._evaluate(seen), clf.front_
    correct = evaluation.labels == np.asarray(y)
    columns = clf._own_cells.columns(evaluation.cells, front)
    rows = np.arange(len(front)) if front.is_nested else np.flatnonzero(front.is_pareto)
    counts = HeldOutCounts(front, HeldOut(evaluation.certainty, correct, columns)).of(rows)
    _, accepted, errors = np.array(list(counts), dtype=float).T / len(correct)
    coverage = np.concatenate([[1.0], accepted, [0.0]])
    risk = np.concatenate([[np.mean(~correct)], errors, [0.0]])
    # Along the rows: on new samples, a row may accept more than the one before it.
    return float(np.sum(np.diff(coverage) * (risk[1:] + risk[:-1])) / 2)


def _reject_option(estimator: Any, X: Any, scorer: str) -> tuple[RejectOptionClassifier, Any]:
    """Return the reject option inside an estimator, and the samples as it sees them."""
    steps, clf = unwrap(estimator, until=RejectOptionClassifier)
    if not isinstance(clf, RejectOptionClassifier):
        raise InputError(
            f"{scorer} needs a RejectOptionClassifier, got a {type(estimator).__name__}; use "
            "augrc_scorer"
        )
    return clf, pass_through(steps, X)


def _answers(
    estimator: Any, X: Any, y: ArrayLike
) -> tuple[ArrayLike, NDArray[Any], NDArray[np.float64]]:
    steps, inner = unwrap(estimator, until=RejectOptionClassifier)
    if isinstance(inner, RejectOptionClassifier):
        seen = pass_through(steps, X)
        evaluation = evaluate(inner.estimator_, seen, inner._rules)
    else:
        evaluation = evaluate(estimator, X, Rules("auto", "global").named(estimator))
    return y, evaluation.labels, evaluation.certainty
