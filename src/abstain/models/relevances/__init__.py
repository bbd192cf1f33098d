"""Which relevances can be trusted: those that other samples repeat, and those that others hide."""

from abstain.models.relevances.iterated import IteratedRelevances, iterated_relevances
from abstain.models.relevances.stability import RelevanceStability, relevance_stability

__all__ = [
    "IteratedRelevances",
    "RelevanceStability",
    "iterated_relevances",
    "relevance_stability",
]
