"""Pictures of classification with rejects, one Display a file: arrays first, figure second."""

from abstain.plotting.accuracy_reject_curve import AccuracyRejectCurveDisplay

__all__ = ["AccuracyRejectCurveDisplay"]
