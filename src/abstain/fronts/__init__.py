"""From three aligned arrays (certainty, correct, cells) to the best trade-offs of rejects."""

from abstain.fronts.front import ParetoFront
from abstain.fronts.pareto import METHODS, pareto_front
from abstain.fronts.pooled import PooledFront

__all__ = ["METHODS", "ParetoFront", "PooledFront", "pareto_front"]
