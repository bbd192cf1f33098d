"""Which point of a front to run at."""

from abstain.targets.base import Target
from abstain.targets.choosing import Accuracy, RejectCost, RejectRate
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
