"""How sure is a classifier of each of its answers?

Each measure is a function of a fitted estimator and of samples. Pipelines, searches and frozen
estimators are unwrapped. `MEASURES` lists the properties of each measure.
"""

from abstain.certainty.distances import (
    distance_to_boundary,
    prototype_distance,
    relative_similarity,
)
from abstain.certainty.measures import MEASURES, Measure, auto_measure, measure_certainty
from abstain.certainty.scores import (
    decision_margin,
    log_odds,
    max_posterior,
    pairwise_margin,
    posterior_entropy,
    posterior_margin,
    vote_margin,
)
from abstain.certainty.trust_score import TrustScore

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
