"""How sure is a classifier of each of its answers?

Each measure is a function of a fitted estimator and of samples, and sees through pipelines,
searches and frozen estimators; `MEASURES` says what each one promises.
"""

from abstain.certainty.decision_margin import decision_margin
from abstain.certainty.distance_to_boundary import distance_to_boundary
from abstain.certainty.log_odds import log_odds
from abstain.certainty.max_posterior import max_posterior
from abstain.certainty.pairwise_margin import pairwise_margin
from abstain.certainty.posterior_entropy import posterior_entropy
from abstain.certainty.posterior_margin import posterior_margin
from abstain.certainty.prototype_distance import prototype_distance
from abstain.certainty.registry import MEASURES, Measure, auto_measure, measure_certainty
from abstain.certainty.relative_similarity import relative_similarity
from abstain.certainty.trust_score import TrustScore
from abstain.certainty.vote_margin import vote_margin

__all__ = [
    "MEASURES",
    "Measure",
    "TrustScore",
    "auto_measure",
    "decision_margin",
    "distance_to_boundary",
    "log_odds",
    "max_posterior",
    "measure_certainty",
    "pairwise_margin",
    "posterior_entropy",
    "posterior_margin",
    "prototype_distance",
    "relative_similarity",
    "vote_margin",
]
