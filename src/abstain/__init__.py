"""Classifiers that know when not to answer.

Given how sure a classifier was, whether it was right, and which region each sample fell in,
`abstain` finds the reject thresholds with the best possible trade-off between wrong answers
caught and right answers lost.
"""

from abstain import metrics, plotting
from abstain._checks import InputError
from abstain.fronts import ParetoFront, pareto_front
from abstain.targets import (
    Accuracy,
    OperatingPoint,
    RejectCost,
    RejectRate,
    Target,
    operating_point,
)

__version__ = "0.1.0"

__all__ = [
    "Accuracy",
    "InputError",
    "OperatingPoint",
    "ParetoFront",
    "RejectCost",
    "RejectRate",
    "Target",
    "__version__",
    "metrics",
    "operating_point",
    "pareto_front",
    "plotting",
]
