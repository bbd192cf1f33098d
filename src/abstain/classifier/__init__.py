"""Any classifier, made one that may decline to answer."""

from abstain.classifier.calibration import Calibration
from abstain.classifier.evaluate import Decisions
from abstain.classifier.given_thresholds import read_thresholds
from abstain.classifier.reject_option import RejectOptionClassifier
from abstain.classifier.scoring import (
    CoverageScorer,
    RejectCostScorer,
    augrc_scorer,
    aurc_scorer,
    front_augrc_scorer,
)

__all__ = [
    "Calibration",
    "CoverageScorer",
    "Decisions",
    "RejectCostScorer",
    "RejectOptionClassifier",
    "augrc_scorer",
    "aurc_scorer",
    "front_augrc_scorer",
    "read_thresholds",
]
