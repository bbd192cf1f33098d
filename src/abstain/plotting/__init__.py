"""Pictures of classification with rejects, one Display a file: arrays first, figure second."""

from abstain.plotting.accuracy_reject_curve import AccuracyRejectCurveDisplay
from abstain.plotting.prototypes import PrototypeDisplay
from abstain.plotting.relevance import RelevanceDisplay

__all__ = ["AccuracyRejectCurveDisplay", "PrototypeDisplay", "RelevanceDisplay"]
