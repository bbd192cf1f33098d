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
    Guarantee,
    OperatingPoint,
    RejectCost,
    RejectRate,
    Target,
    operating_point,
)

if TYPE_CHECKING:
    from abstain import cells, certainty, datasets, models, report
    from abstain.classifier import (
        CoverageScorer,
        RejectOptionClassifier,
        augrc_scorer,
        aurc_scorer,
        read_thresholds,
    )
    from abstain.models import GLVQ, GMLVQ, GRLVQ, LGMLVQ, LMRSLVQ, MRSLVQ, RSLVQ
    from abstain.plotting import (
        AccuracyRejectCurveDisplay,
        CertaintyContourDisplay,
        PrototypeDisplay,
        RejectConfusionDisplay,
        RejectOutcomesDisplay,
        RejectRegionDisplay,
        RelevanceDisplay,
        RelevanceMatrixDisplay,
    )
    from abstain.saving import load, save

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
    "AccuracyRejectCurveDisplay",
    "CertaintyContourDisplay",
    "CoverageScorer",
    "Guarantee",
    "InputError",
    "OperatingPoint",
    "ParetoFront",
    "PrototypeDisplay",
    "RejectConfusionDisplay",
    "RejectCost",
    "RejectOptionClassifier",
    "RejectOutcomesDisplay",
    "RejectRate",
    "RejectRegionDisplay",
    "RelevanceDisplay",
    "RelevanceMatrixDisplay",
    "Target",
    "__version__",
    "augrc_scorer",
    "aurc_scorer",
    "cells",
    "certainty",
    "datasets",
    "load",
    "metrics",
    "models",
    "operating_point",
    "pareto_front",
    "plotting",
    "read_thresholds",
    "report",
    "save",
]

_OF_CLASSIFIER = (
    "CoverageScorer",
    "RejectOptionClassifier",
    "augrc_scorer",
    "aurc_scorer",
    "read_thresholds",
)


def __getattr__(name: str) -> Any:
    """Import what needs scikit-learn when it is asked for: fronts and the command do not."""
    if name in ("cells", "certainty", "datasets", "models", "report"):
        return import_module(f"abstain.{name}")
    if name in _OF_CLASSIFIER:
        return getattr(import_module("abstain.classifier"), name)
    if name in plotting.__all__:
        return getattr(plotting, name)
    if name in ("load", "save"):
        return getattr(import_module("abstain.saving"), name)
    if name in __all__:
        return getattr(import_module("abstain.models"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
