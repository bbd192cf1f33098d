"""Classifiers that know when not to answer.

Given how sure a classifier was, whether it was right, and which cell each sample fell in,
`abstain` sets thresholds below which it declines to answer: by the probability of being right, for
new data; or with the best trade-off that there is on the calibration data.
"""

from __future__ import annotations  # signatures then show the names of types

from importlib import import_module

TYPE_CHECKING = False  # as in typing, whose import would be half of this one
if TYPE_CHECKING:
    from typing import Any

    # Under their own names, so that type checkers know that they are public.
    from abstain import cells as cells
    from abstain import certainty as certainty
    from abstain import datasets as datasets
    from abstain import metrics as metrics
    from abstain import models as models
    from abstain import plotting as plotting
    from abstain import report as report
    from abstain._core.errors import InputError
    from abstain.certainty import TrustScore
    from abstain.classifier import (
        CoverageScorer,
        ExpectedCostScorer,
        RejectCostScorer,
        RejectOptionClassifier,
        augrc_scorer,
        aurc_scorer,
        front_augrc_scorer,
        read_thresholds,
    )
    from abstain.fronts import ParetoFront, PooledFront, pareto_front
    from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ, RSLVQ
    from abstain.monitor import DriftMonitor, RiskMonitor
    from abstain.online import OnlineRejectOption
    from abstain.saving import load as load
    from abstain.saving import save as save
    from abstain.targets import (
        Accuracy,
        AllOf,
        Expectation,
        ExpectedCost,
        Guarantee,
        OperatingPoint,
        Precision,
        Recall,
        RejectCost,
        RejectRate,
        Target,
        operating_point,
    )

__version__ = "0.2.0"

# What ``import *`` brings: no modules, and no names as common as ``load`` and ``save``.
__all__ = [
    "GLVQ",
    "GMLVQ",
    "GRLVQ",
    "LGMLVQ",
    "LMRSLVQ",
    "MRSLVQ",
    "RSLVQ",
    "Accuracy",
    "AllOf",
    "CoverageScorer",
    "DriftMonitor",
    "Expectation",
    "ExpectedCost",
    "ExpectedCostScorer",
    "Guarantee",
    "InputError",
    "OnlineRejectOption",
    "OperatingPoint",
    "ParetoFront",
    "PooledFront",
    "Precision",
    "Recall",
    "RejectCost",
    "RejectCostScorer",
    "RejectOptionClassifier",
    "RejectRate",
    "RiskMonitor",
    "Target",
    "TrustScore",
    "augrc_scorer",
    "aurc_scorer",
    "front_augrc_scorer",
    "operating_point",
    "pareto_front",
    "read_thresholds",
]

_MODULES = ("cells", "certainty", "datasets", "metrics", "models", "plotting", "report")
_HOME = {
    "_core.errors": "InputError",
    "certainty": "TrustScore",
    "classifier": "CoverageScorer ExpectedCostScorer RejectCostScorer RejectOptionClassifier "
    "augrc_scorer aurc_scorer front_augrc_scorer read_thresholds",
    "fronts": "ParetoFront PooledFront pareto_front",
    "models": "GLVQ GMLVQ GRLVQ LGMLVQ LMRSLVQ MRSLVQ RSLVQ",
    "monitor": "DriftMonitor RiskMonitor",
    "online": "OnlineRejectOption",
    "saving": "load save",
    "targets": "Accuracy AllOf Expectation ExpectedCost Guarantee OperatingPoint Precision Recall "
    "RejectCost RejectRate Target operating_point",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used, so that a command starts before NumPy is imported."""
    if name in _MODULES:
        return import_module(f"abstain.{name}")
    for module, names in _HOME.items():
        if name in names.split():
            return getattr(import_module(f"abstain.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, "__version__", "load", "save"})
