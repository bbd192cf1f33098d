"""How good is a classifier that may reject samples?

*Curves* show the quality of the accepted samples against the share that is rejected, *scores*
summarize a whole curve in one number, *qualities* score one fixed choice of rejects, a confusion
matrix counts them by class, `class_report` and `group_report` give the shares of right answers in
classes and groups, `average_curves` averages the curves of repeated runs, and `reliability_curve`
compares probabilities of being right with accuracies.

Everything is computed from aligned arrays. Samples of equal certainty are accepted or rejected
together, so no result depends on the order of the rows.
"""

from abstain.metrics.classes import ClassReport, GroupReport, class_report, group_report
from abstain.metrics.confusion import confusion_matrix_with_rejects
from abstain.metrics.curves import (
    AveragedCurve,
    accuracy_reject_curve,
    average_curves,
    precision_reject_curve,
    recall_reject_curve,
)
from abstain.metrics.reliability import ReliabilityCurve, reliability_curve
from abstain.metrics.scores import (
    augrc_score,
    aurc_score,
    classification_quality,
    eaurc_score,
    rejection_quality,
)

__all__ = [
    "AveragedCurve",
    "ClassReport",
    "GroupReport",
    "ReliabilityCurve",
    "accuracy_reject_curve",
    "augrc_score",
    "aurc_score",
    "average_curves",
    "class_report",
    "classification_quality",
    "confusion_matrix_with_rejects",
    "eaurc_score",
    "group_report",
    "precision_reject_curve",
    "recall_reject_curve",
    "rejection_quality",
    "reliability_curve",
]
