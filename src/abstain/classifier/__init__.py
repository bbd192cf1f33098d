"""Any classifier, made one that may decline to answer."""

from abstain.classifier.calibration import Calibration
from abstain.classifier.reject_option import RejectOptionClassifier

__all__ = ["Calibration", "RejectOptionClassifier"]
