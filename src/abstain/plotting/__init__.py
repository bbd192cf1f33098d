"""Displays of classification with rejects: they hold arrays, and draw them with matplotlib."""

from abstain.plotting.accuracy_reject_curve import AccuracyRejectCurveDisplay
from abstain.plotting.certainty_contour import CertaintyContourDisplay
from abstain.plotting.iterated_relevances import IteratedRelevancesDisplay
from abstain.plotting.prototypes import PrototypeDisplay
from abstain.plotting.reject_confusion import RejectConfusionDisplay
from abstain.plotting.reject_outcomes import RejectOutcomesDisplay
from abstain.plotting.reject_region import RejectRegionDisplay
from abstain.plotting.relevance import RelevanceDisplay
from abstain.plotting.relevance_matrix import RelevanceMatrixDisplay
from abstain.plotting.relevance_stability import RelevanceStabilityDisplay
from abstain.plotting.reliability import ReliabilityDisplay
from abstain.plotting.risk_monitor import RiskMonitorDisplay

__all__ = [
    "AccuracyRejectCurveDisplay",
    "CertaintyContourDisplay",
    "IteratedRelevancesDisplay",
    "PrototypeDisplay",
    "RejectConfusionDisplay",
    "RejectOutcomesDisplay",
    "RejectRegionDisplay",
    "RelevanceDisplay",
    "RelevanceMatrixDisplay",
    "RelevanceStabilityDisplay",
    "ReliabilityDisplay",
    "RiskMonitorDisplay",
]
