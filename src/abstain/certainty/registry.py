"""Which measures of certainty are there, what do they promise, and which fits an estimator?

A measure is a function of a fitted estimator and of samples that returns one number per sample,
the higher the surer. The registry states what may be relied on, and the tests check each measure
for exactly that.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from abstain._checks import InputError, check_real_vector, shown
from abstain._estimators import answering, n_samples_of, unwrap
from abstain.certainty._prototypes import has_prototypes
from abstain.certainty.decision_margin import decision_margin, margin_of_scores
from abstain.certainty.distance_to_boundary import (
    boundary_of_model,
    distance_to_boundary,
    is_linear,
)
from abstain.certainty.log_odds import log_odds, log_odds_of_prediction
from abstain.certainty.max_posterior import max_posterior, posterior_of_prediction
from abstain.certainty.outputs import Outputs
from abstain.certainty.pairwise_margin import margin_of_pairs, pairwise_margin
from abstain.certainty.posterior_entropy import negative_entropy, posterior_entropy
from abstain.certainty.posterior_margin import margin_of_posteriors, posterior_margin
from abstain.certainty.predict_rules import has_log_scores, predict_rule
from abstain.certainty.prototype_distance import negative_distance, prototype_distance
from abstain.certainty.relative_similarity import relative_similarity, similarity_of_prototypes
from abstain.certainty.trust_score import TrustScore
from abstain.certainty.vote_margin import has_codes, has_votes, margin_of_votes, vote_margin

__all__ = [
    "MEASURES",
    "TRUST_OF_FROZEN",
    "CertaintyFunction",
    "Measure",
    "auto_measure",
    "certainty_of",
    "check_certainty",
    "check_measure_serves",
    "fitted_measure",
    "is_trust_to_be_fitted",
    "known_measure",
    "measure_certainty",
    "named_measure",
]

CertaintyFunction = Callable[[Any, Any], ArrayLike]


@dataclass(frozen=True)
class Measure:
    """A measure of certainty and what it promises; for all of them, higher is surer.

    Parameters
    ----------
    name : str
        What it is called by.
    function : callable
        Of a fitted estimator and samples; returns one number per sample.
    of_outputs : callable
        The same, of `Outputs` that may be shared with others who ask about the same samples.
    serves : callable
        Tells whether the measure can be had of a fitted estimator.
    needs : str
        What an estimator must be or have, in words.
    low, high : float
        Range of its values.
    is_zero_on_borders : bool
        Whether a sample on the border of two classes has certainty 0, where the scores of the
        classifier are continuous and a prototype model answers with its closest prototype.
    survives : frozenset of str
        Changes of the data, made before the fit and to new samples alike, that leave the values as
        they are for models that do not mind the change themselves: "shift", "scale", "rotation",
        "relabelling". No measure depends on the order of the samples or on which others are given
        with them.

    Examples
    --------
    >>> from abstain.certainty import MEASURES
    >>> MEASURES["relsim"].low, MEASURES["relsim"].high, MEASURES["relsim"].needs
    (0.0, 1.0, 'a prototype model')
    """

    name: str
    function: Callable[[Any, Any], NDArray[np.float64]]
    of_outputs: Callable[[Outputs], NDArray[np.float64]]
    serves: Callable[[Any], bool]
    needs: str
    low: float
    high: float
    is_zero_on_borders: bool
    survives: frozenset[str]


def _has_posteriors(estimator: Any) -> bool:
    return hasattr(estimator, "predict_proba")


def _has_votes_inside(estimator: Any) -> bool:
    classifier = answering(estimator)[1]
    check_is_fitted(classifier)
    return has_votes(classifier) or has_codes(classifier)


def _has_no_training_samples(estimator: Any) -> bool:
    return False


def _trust(estimator: Any, X: Any) -> NDArray[np.float64]:
    return measure_certainty(estimator, X, "trust")


def _trust_of_outputs(outputs: Outputs) -> NDArray[np.float64]:
    return _trust(outputs.estimator, outputs.X)


TRUST_OF_FROZEN = (
    "certainty='trust' needs the samples that the classifier was fitted to, and a FrozenEstimator "
    "does not have them; pass TrustScore().fit(X, y, estimator) with these as certainty"
)


def _has_prototypes_inside(estimator: Any) -> bool:
    return has_prototypes(unwrap(estimator)[1])


def _is_linear_inside(estimator: Any) -> bool:
    return is_linear(unwrap(estimator)[1])


def _is_svc_inside(estimator: Any) -> bool:
    from sklearn.svm import SVC, NuSVC

    return isinstance(unwrap(estimator)[1], SVC | NuSVC)


def _has_a_score_for_each_class(estimator: Any) -> bool:
    if not hasattr(estimator, "decision_function"):
        return False
    by_pairs = getattr(unwrap(estimator)[1], "decision_function_shape", "ovr") == "ovo"
    return not by_pairs or len(estimator.classes_) == 2


MEASURES = {
    measure.name: measure
    for measure in (
        Measure(
            "relsim",
            relative_similarity,
            similarity_of_prototypes,
            _has_prototypes_inside,
            "a prototype model",
            low=0.0,
            high=1.0,
            is_zero_on_borders=True,
            survives=frozenset({"shift", "scale", "rotation", "relabelling"}),
        ),
        Measure(
            "conf",
            max_posterior,
            posterior_of_prediction,
            _has_posteriors,
            "a classifier with predict_proba",
            low=0.0,
            high=1.0,
            is_zero_on_borders=False,
            survives=frozenset({"shift", "scale", "rotation", "relabelling"}),
        ),
        Measure(
            "logit",
            log_odds,
            log_odds_of_prediction,
            _has_posteriors,
            "a classifier with predict_proba",
            low=-np.inf,
            high=np.inf,
            is_zero_on_borders=False,
            survives=frozenset({"shift", "scale", "rotation", "relabelling"}),
        ),
        Measure(
            "margin",
            posterior_margin,
            margin_of_posteriors,
            _has_posteriors,
            "a classifier with predict_proba",
            low=-1.0,
            high=1.0,
            is_zero_on_borders=True,
            survives=frozenset({"shift", "scale", "rotation", "relabelling"}),
        ),
        Measure(
            "entropy",
            posterior_entropy,
            negative_entropy,
            _has_posteriors,
            "a classifier with predict_proba",
            low=-1.0,
            high=0.0,
            is_zero_on_borders=False,
            survives=frozenset({"shift", "scale", "rotation", "relabelling"}),
        ),
        Measure(
            "boundary",
            distance_to_boundary,
            boundary_of_model,
            lambda estimator: _has_prototypes_inside(estimator) or _is_linear_inside(estimator),
            "a prototype model or a linear classifier",
            low=0.0,
            high=np.inf,
            is_zero_on_borders=True,
            survives=frozenset({"shift", "rotation", "relabelling"}),
        ),
        Measure(
            "distance",
            prototype_distance,
            negative_distance,
            _has_prototypes_inside,
            "a prototype model",
            low=-np.inf,
            high=0.0,
            is_zero_on_borders=False,
            survives=frozenset({"shift", "rotation", "relabelling"}),
        ),
        Measure(
            "pairwise",
            pairwise_margin,
            margin_of_pairs,
            _is_svc_inside,
            "an SVC or NuSVC",
            low=-np.inf,
            high=np.inf,
            is_zero_on_borders=False,
            survives=frozenset({"shift", "rotation", "relabelling"}),
        ),
        Measure(
            "decision",
            decision_margin,
            margin_of_scores,
            _has_a_score_for_each_class,
            "a classifier whose decision_function has a score for each class",
            low=-np.inf,
            high=np.inf,
            is_zero_on_borders=True,
            survives=frozenset({"shift", "rotation", "relabelling"}),
        ),
        Measure(
            "votes",
            vote_margin,
            margin_of_votes,
            _has_votes_inside,
            "a VotingClassifier with hard voting or an OutputCodeClassifier",
            low=0.0,
            high=1.0,
            is_zero_on_borders=True,
            survives=frozenset({"shift", "scale", "rotation", "relabelling"}),
        ),
        Measure(
            "trust",
            _trust,
            _trust_of_outputs,
            _has_no_training_samples,
            "the samples that the classifier was fitted to",
            low=-1.0,
            high=1.0,
            is_zero_on_borders=False,
            survives=frozenset({"shift", "scale", "relabelling"}),
        ),
    )
}


def auto_measure(estimator: Any) -> Measure:
    """Return the measure that suits a fitted estimator best.

    RelSim for the GLVQ family, the smallest pairwise margin for a support vector classifier, the
    margin of the votes for ensembles that take the majority. Where there are probabilities, the
    log-odds of the answer if the classifier has log-posteriors or scores to compute them from, so
    that answers with posteriors that round to 1 keep their order, else the posterior of the answer.
    Margins of the decision function otherwise.

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
    has_posteriors = hasattr(estimator, "predict_proba")
    if has_prototypes(model) and not has_posteriors:
        return MEASURES["relsim"]
    # Posteriors that an SVC does not have itself are those of a calibration around it.
    if _is_svc_inside(estimator) and not (has_posteriors and not hasattr(model, "predict_proba")):
        return MEASURES["pairwise"]
    if has_posteriors:
        return MEASURES["logit" if _has_log_posteriors(estimator) else "conf"]
    if _has_votes_inside(estimator):
        return MEASURES["votes"]
    if _has_a_score_for_each_class(estimator):
        return MEASURES["decision"]
    raise InputError(
        f"certainty='auto' finds neither predict_proba nor decision_function in "
        f"{type(estimator).__name__}; use 'trust', or pass a function of (estimator, X)"
    )


def _has_log_posteriors(estimator: Any) -> bool:
    """Tell whether a classifier computes its posteriors from a log scale that it tells."""
    classifier = answering(estimator)[1]
    return predict_rule(classifier).from_log_posteriors or has_log_scores(classifier)


def measure_certainty(
    estimator: Any, X: Any, certainty: str | CertaintyFunction = "auto"
) -> NDArray[np.float64]:
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
    return certainty_of(Outputs(estimator, X), named_measure(estimator, certainty))


def certainty_of(outputs: Outputs, certainty: Any) -> NDArray[np.float64]:
    """Return how sure a classifier is, by a measure that `named_measure` has returned."""
    if isinstance(certainty, str):
        values = MEASURES[certainty].of_outputs(outputs)
        total = np.add.reduce(values)
        if total == total:  # a missing value would make it missing
            return values
    elif isinstance(certainty, TrustScore):
        values = certainty.of_outputs(outputs)
    else:
        values = certainty(outputs.estimator, outputs.X)
    values = check_real_vector("certainty", values)
    n_samples = n_samples_of(outputs.X)
    if len(values) != n_samples:
        raise InputError(
            f"certainty must return one number for each of {n_samples} samples, got {len(values)}"
        )
    return values


def check_certainty(certainty: Any) -> None:
    """Refuse what names no measure and is no function, before anything is fitted."""
    if isinstance(certainty, str) and (certainty == "auto" or certainty in MEASURES):
        return
    if not callable(certainty) or isinstance(certainty, type):
        known = ", ".join(map(repr, ["auto", *MEASURES]))
        raise InputError(f"certainty must be one of {known} or a callable, got {shown(certainty)}")


def check_measure_serves(estimator: Any, certainty: str | CertaintyFunction) -> None:
    """Refuse a measure that cannot be had of a fitted estimator, before it is asked."""
    named_measure(estimator, certainty)


def is_trust_to_be_fitted(certainty: Any) -> bool:
    """Tell a trust score that has no training samples yet from all other measures."""
    if isinstance(certainty, TrustScore):
        return not hasattr(certainty, "prototypes_")
    return isinstance(certainty, str) and certainty == "trust"


def fitted_measure(certainty: Any, estimator: Any, X: Any, y: Any) -> Any:
    """Return a measure that can be asked: a trust score is fitted to the training samples now."""
    if not is_trust_to_be_fitted(certainty):
        return certainty
    if isinstance(estimator, FrozenEstimator):
        raise InputError(TRUST_OF_FROZEN)
    trust = TrustScore() if isinstance(certainty, str) else clone(certainty)
    return trust.fit(X, y, estimator)


def known_measure(certainty: Any) -> Any:
    """Return the name of a measure that is given as its function; anything else as it is."""
    names = [name for name, measure in MEASURES.items() if measure.function is certainty]
    return names[0] if names else certainty


def named_measure(estimator: Any, certainty: Any) -> Any:
    """Return a measure of a fitted estimator by its name, if it has one; "auto" is looked up."""
    check_certainty(certainty)
    if not isinstance(certainty, str):
        return certainty
    if certainty == "auto":
        return auto_measure(estimator).name
    measure = MEASURES[certainty]
    if not measure.serves(estimator):
        others = [name for name, other in MEASURES.items() if other.serves(estimator)]
        remedy = f"use {' or '.join(map(repr, others))}" if others else "pass a callable"
        if certainty == "trust":
            remedy = "pass TrustScore().fit(X, y, estimator) with these samples"
        raise InputError(
            f"certainty={certainty!r} needs {measure.needs}, got {type(estimator).__name__}; "
            f"{remedy}"
        )
    return certainty
