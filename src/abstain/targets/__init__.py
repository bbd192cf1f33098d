"""Which point of a front to run at."""

from abstain.targets.choosing import Accuracy, RejectCost, RejectRate, Target
from abstain.targets.guarantee import Guarantee
from abstain.targets.operating import OperatingPoint, operating_point

__all__ = [
    "Accuracy",
    "Guarantee",
    "OperatingPoint",
    "RejectCost",
    "RejectRate",
    "Target",
    "operating_point",
]
