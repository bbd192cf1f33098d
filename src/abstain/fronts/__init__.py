"""From three aligned arrays (certainty, correct, cells) to the best trade-offs of rejects."""

from abstain.fronts.front import ParetoFront
from abstain.fronts.pareto import FROM_STAIRCASES, METHODS, pareto_front
from abstain.fronts.pooled import PooledFront

__all__ = ["FROM_STAIRCASES", "METHODS", "ParetoFront", "PooledFront", "pareto_front"]
