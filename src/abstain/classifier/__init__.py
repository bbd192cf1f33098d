"""Any classifier, made one that may decline to answer."""

from abstain.classifier.calibrate import Calibration
from abstain.classifier.estimator import RejectOptionClassifier
from abstain.classifier.evaluate import Decisions
from abstain.classifier.offline_online import OfflineOnlineClassifier
from abstain.classifier.scoring import (
    CoverageScorer,
    ExpectedCostScorer,
    RejectCostScorer,
    augrc_scorer,
    aurc_scorer,
    front_augrc_scorer,
)
from abstain.classifier.thresholds import read_thresholds

__all__ = [
    "Calibration",
    "CoverageScorer",
    "Decisions",
    "ExpectedCostScorer",
    "OfflineOnlineClassifier",
    "RejectCostScorer",
    "RejectOptionClassifier",
    "augrc_scorer",
    "aurc_scorer",
    "front_augrc_scorer",
    "read_thresholds",
]
