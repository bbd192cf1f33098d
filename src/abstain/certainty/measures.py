"""Which measures of certainty are there, which properties do they have, and which does "auto" use?

A measure returns one number per sample; higher is surer. To add a measure, write its function in
the module of the outputs that it is computed from, and enter it in `MEASURES`. CONTRIBUTING.md
lists the other files.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from abstain._core.checks import check_real_vector
from abstain._core.errors import InputError
from abstain._core.estimators import has_prototypes, unwrap, unwrap_predict, unwrap_predict_proba
from abstain.certainty.distances import (
    distance_to_boundary,
    is_linear,
    prototype_distance,
    relative_similarity,
)
from abstain.certainty.outputs import Outputs, as_outputs
from abstain.certainty.predict_rules import keeps_order_on_log_scale
from abstain.certainty.registry import Registry, Rule, check_one_per_sample, is_function
from abstain.certainty.scores import (
    decision_margin,
    has_codes,
    has_votes,
    log_odds,
    max_posterior,
    pairwise_margin,
    posterior_entropy,
    posterior_margin,
    vote_margin,
)
from abstain.certainty.trust_score import TrustScore

TRUST_OF_FROZEN = (
    "certainty='trust' needs the samples that the classifier was fitted to, and a FrozenEstimator "
    "does not have them; pass TrustScore().fit(X, y, estimator) with these as certainty"
)


@dataclass(frozen=True, kw_only=True)
class Measure(Rule):
    """A measure of certainty and its properties; for all measures, higher is surer.

    Parameters
    ----------
    name : str
        Its name.
    function : callable
        Function of a fitted estimator and samples that returns one number per sample.
    serves : callable
        Tells whether the measure can be computed for a fitted estimator.
    needs : str
        What the estimator must be or have, in words.
    survives : frozenset of str
        Changes of the data, made before the fit and to new samples alike, that do not change the
        values for models that are invariant to them: "shift", "scale", "rotation", "relabelling".
        The values of a sample never depend on the other samples or on their order.
    remedy : str
        What to do if it cannot be computed. Empty: use another measure.
    label : str
        Its name in figures.
    low, high : float
        Range of its values.
    is_zero_on_borders : bool
        Whether a sample on the border of two classes has certainty 0, if the scores of the
        classifier are continuous and a prototype model predicts the class of its closest prototype.
    depends_on_answer : bool
        Whether another answer than the predicted one would have another certainty.

    Examples
    --------
    >>> from abstain.certainty import MEASURES
    >>> MEASURES["relsim"].low, MEASURES["relsim"].high, MEASURES["relsim"].needs
    (0.0, 1.0, 'a prototype model')
    """

    label: str = "certainty"
    low: float = -np.inf
    high: float = np.inf
    is_zero_on_borders: bool = False
    depends_on_answer: bool = True
    survives: frozenset[str] = frozenset({"shift", "scale", "rotation", "relabelling"})


def auto_measure(estimator: Any) -> Measure:
    """Return the most suitable measure for a fitted estimator.

    RelSim for the GLVQ family, the smallest pairwise margin for a support vector classifier, the
    margin of the votes for ensembles that take the majority. If there are probabilities, the
    log-odds of the predicted class if they keep the order of posteriors that round to 1: for
    classifiers with log-posteriors or scores, means of such classifiers and neural networks. Else
    the posterior of the predicted class. Margins of the decision function otherwise.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier.

    Returns
    -------
    measure : Measure
        One of `MEASURES`.

    Examples
    --------
    >>> from abstain import GLVQ
    >>> from abstain.certainty import auto_measure
    >>> model = GLVQ().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> auto_measure(model).name
    'relsim'
    """
    model = unwrap(estimator)[1]
    has_posteriors = _has_posteriors(estimator)
    if has_prototypes(model) and not has_posteriors:
        return MEASURES["relsim"]
    # Posteriors that the model itself does not have come from a calibration.
    is_calibrated = has_posteriors and not _has_posteriors(model)
    if _is_svc(estimator) and not is_calibrated:
        return MEASURES["pairwise"]
    if has_posteriors:
        is_log_scale = keeps_order_on_log_scale(unwrap_predict_proba(estimator)[1])
        return MEASURES["logit" if is_log_scale else "conf"]
    if _takes_votes(estimator):
        return MEASURES["votes"]
    if _has_class_scores(estimator):
        return MEASURES["decision"]
    raise InputError(
        argument="certainty",
        value="auto",
        requirement="finds neither predict_proba nor decision_function in "
        f"{type(estimator).__name__}",
        remedy="use 'trust', or pass a function of (estimator, X)",
    )


def _has_posteriors(estimator: Any) -> bool:
    return hasattr(estimator, "predict_proba")


def _has_prototypes(estimator: Any) -> bool:
    return has_prototypes(unwrap(estimator)[1])


def _has_border(estimator: Any) -> bool:
    model = unwrap(estimator)[1]
    return has_prototypes(model) or is_linear(model)


def _is_svc(estimator: Any) -> bool:
    from sklearn.svm import SVC, NuSVC

    return isinstance(unwrap(estimator)[1], SVC | NuSVC)


def _takes_votes(estimator: Any) -> bool:
    classifier = unwrap_predict(estimator)[1]
    check_is_fitted(classifier)
    return has_votes(classifier) or has_codes(classifier)


def _has_class_scores(estimator: Any) -> bool:
    if not hasattr(estimator, "decision_function"):
        return False
    by_pairs = getattr(unwrap(estimator)[1], "decision_function_shape", "ovr") == "ovo"
    return not by_pairs or len(estimator.classes_) == 2


def _trust(estimator: Any, X: Any) -> NDArray[np.float64]:
    """Refuse, since the training samples of an estimator are not known; see `fitted_measure`."""
    return measure_certainty(as_outputs(estimator, X).estimator, X, "trust")


_NOT_ROTATION = frozenset({"shift", "scale", "relabelling"})
_NOT_SCALE = frozenset({"shift", "rotation", "relabelling"})
_POSTERIORS = (_has_posteriors, "a classifier with predict_proba")
_PROTOTYPES = (_has_prototypes, "a prototype model")
_BORDER = (_has_border, "a prototype model or a linear classifier")
_SVC = (_is_svc, "an SVC or NuSVC")
_SCORES = (_has_class_scores, "a classifier whose decision_function has a score for each class")
_VOTES = (_takes_votes, "a VotingClassifier with hard voting or an OutputCodeClassifier")
_TRAINING_SAMPLES = (lambda _: False, "the samples that the classifier was fitted to")

MEASURES = Registry(
    "certainty",
    [
        Measure(
            "relsim",
            relative_similarity,
            *_PROTOTYPES,
            label="relative similarity (RelSim)",
            depends_on_answer=False,
            low=0.0,
            high=1.0,
            is_zero_on_borders=True,
        ),
        Measure(
            "conf",
            max_posterior,
            *_POSTERIORS,
            label="posterior of the answer (Conf)",
            low=0.0,
            high=1.0,
        ),
        Measure("logit", log_odds, *_POSTERIORS, label="log-odds of the answer"),
        Measure(
            "margin",
            posterior_margin,
            *_POSTERIORS,
            label="margin of posteriors",
            low=-1.0,
            high=1.0,
            is_zero_on_borders=True,
        ),
        Measure(
            "entropy",
            posterior_entropy,
            *_POSTERIORS,
            label="minus the entropy of posteriors",
            depends_on_answer=False,
            low=-1.0,
            high=0.0,
        ),
        Measure(
            "boundary",
            distance_to_boundary,
            *_BORDER,
            label="distance to the class border",
            depends_on_answer=False,
            low=0.0,
            is_zero_on_borders=True,
            survives=_NOT_SCALE,
        ),
        Measure(
            "distance",
            prototype_distance,
            *_PROTOTYPES,
            label="minus the distance to the closest prototype",
            depends_on_answer=False,
            high=0.0,
            survives=_NOT_SCALE,
        ),
        Measure(
            "pairwise",
            pairwise_margin,
            *_SVC,
            label="smallest pairwise margin",
            survives=_NOT_SCALE,
        ),
        Measure(
            "decision",
            decision_margin,
            *_SCORES,
            label="margin of the decision function",
            is_zero_on_borders=True,
            survives=_NOT_SCALE,
        ),
        Measure(
            "votes",
            vote_margin,
            *_VOTES,
            label="margin of votes",
            low=0.0,
            high=1.0,
            is_zero_on_borders=True,
        ),
        Measure(
            "trust",
            _trust,
            *_TRAINING_SAMPLES,
            label="trust score",
            low=-1.0,
            high=1.0,
            survives=_NOT_ROTATION,
            remedy="pass TrustScore().fit(X, y, estimator) with these samples",
        ),
    ],
    auto=auto_measure,
    accepts=is_function,
    alternatives=" or a callable",
)


def measure_certainty(estimator: Any, X: Any, certainty: Any = "auto") -> NDArray[np.float64]:
    """Return how sure a fitted classifier is of each sample.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier.
    X : array-like of shape (n_samples, n_features)
        Samples.
    certainty : str or callable, default="auto"
        Name of a measure, one of `MEASURES` or "auto"; or a function of (estimator, X).

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        Higher is surer.

    Examples
    --------
    >>> from abstain.certainty import measure_certainty
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> measure_certainty(model, [[0.5], [2.5]], "conf").round(2).tolist()
    [1.0, 0.5]
    """
    return certainty_of(Outputs(estimator, X), MEASURES.resolve(estimator, certainty))


def certainty_of(outputs: Outputs, certainty: Any) -> NDArray[np.float64]:
    """Return the certainty of each sample, by a measure that `MEASURES.resolve` has returned."""
    if isinstance(certainty, str):
        values = MEASURES[certainty].function(outputs, outputs.X)
        total = np.add.reduce(values)
        if total == total:  # no value is NaN
            return values
    elif isinstance(certainty, TrustScore):
        values = certainty(outputs, outputs.X)
    else:
        values = certainty(outputs.estimator, outputs.X)
    values = check_real_vector("certainty", values)
    check_one_per_sample("certainty", "number", values, outputs.X)
    return values


def depends_on_answer(certainty: Any) -> bool:
    """Return whether another answer would have another certainty, by a resolved measure."""
    if isinstance(certainty, str):
        return MEASURES[certainty].depends_on_answer
    return isinstance(certainty, TrustScore)  # a function sees no answers


def is_trust_to_be_fitted(certainty: Any) -> bool:
    """Return whether a measure is a trust score that is not fitted yet."""
    if isinstance(certainty, TrustScore):
        return not hasattr(certainty, "prototypes_")
    return isinstance(certainty, str) and certainty == "trust"


def fitted_measure(certainty: Any, estimator: Any, X: Any, y: Any) -> Any:
    """Return the measure; a trust score is first fitted to the training samples."""
    if not is_trust_to_be_fitted(certainty):
        return certainty
    if isinstance(estimator, FrozenEstimator):
        raise InputError(TRUST_OF_FROZEN)
    trust = TrustScore() if isinstance(certainty, str) else clone(certainty)
    return trust.fit(X, y, estimator)
