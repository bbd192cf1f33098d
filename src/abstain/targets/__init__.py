"""Which point of a front to run at."""

from abstain.targets.base import Target
from abstain.targets.choosing import Accuracy, RejectCost, RejectRate
from abstain.targets.costs import ExpectedCost
from abstain.targets.expectation import Expectation
from abstain.targets.guarantee import Guarantee
from abstain.targets.operating import OperatingPoint, operating_point
from abstain.targets.shares import AllOf, Precision, Recall

__all__ = [
    "Accuracy",
    "AllOf",
    "Expectation",
    "ExpectedCost",
    "Guarantee",
    "OperatingPoint",
    "Precision",
    "Recall",
    "RejectCost",
    "RejectRate",
    "Target",
    "operating_point",
]
