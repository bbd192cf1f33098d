"""Classifiers that know when not to answer.

Given how sure a classifier was, whether it was right, and which region each sample fell in,
`abstain` finds the reject thresholds with the best possible trade-off between wrong answers
caught and right answers lost.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from abstain import datasets, models
    from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ, RSLVQ

__version__ = "0.1.0"

__all__ = [
    "GLVQ",
    "GMLVQ",
    "GRLVQ",
    "LGMLVQ",
    "LMRSLVQ",
    "MRSLVQ",
    "RSLVQ",
    "Accuracy",
    "InputError",
    "OperatingPoint",
    "ParetoFront",
    "RejectCost",
    "RejectRate",
    "Target",
    "__version__",
    "datasets",
    "metrics",
    "models",
    "operating_point",
    "pareto_front",
    "plotting",
]


def __getattr__(name: str) -> Any:
    """Import what needs scikit-learn when it is asked for: fronts and the command do not."""
    if name in ("datasets", "models"):
        return import_module(f"abstain.{name}")
    if name in __all__:
        return getattr(import_module("abstain.models"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
