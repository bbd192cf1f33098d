"""What does the page say about what was promised: do the samples contradict it?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np

from abstain.classifier import RejectOptionClassifier
from abstain.monitor import RiskMonitor
from abstain.monitor.certificates import certificate_tests, monitored_rows
from abstain.monitor.risk import risk_path

# Points of the line; and how far above the alarm it goes, in multiples of the alarm.
MAX_POINTS = 600
HIGHEST = 1000.0


def find_promises(
    clf: RejectOptionClassifier, X: Any, y: Any, share_known: float, groups: Any = None
) -> dict[str, Any]:
    """Return the tests of the certificates, and the evidence in the order of the samples."""
    decisions, truth = clf.decide(X), np.asarray(y)
    name = getattr(groups, "name", None)
    tests = certificate_tests(
        *(clf, decisions, truth, None if groups is None else np.asarray(groups)),
        None if name is None else str(name),
        share_known=share_known,
    )
    monitored = monitored_rows(clf, decisions, truth, share_known)
    return {
        "certificates": [
            test.as_dict()
            | {
                "holds_for": test.guarantee.holds_for,
                "what_was_tested": test.guarantee.what_was_tested,
            }
            for test in tests
        ],
        "monitor": None
        if monitored is None or not len(monitored[1])
        else {
            # An accuracy may be asked for without being certified.
            "is_certified": any(test.guarantee.name.startswith("the accuracy") for test in tests),
            **_monitor(*monitored),
        },
    }


def _monitor(monitor: RiskMonitor, correct: Any) -> dict[str, Any]:
    """Return what a monitor says, and the evidence after some of the answers."""
    new = RiskMonitor(monitor.accuracy, confidence=monitor.confidence)
    answers, evidence = risk_path(correct, new)
    alarm = 1 / (1 - monitor.confidence)
    shown = np.linspace(0, len(answers) - 1, min(len(answers), MAX_POINTS)).round().astype(int)
    if monitor.alarm_at is not None:
        shown = np.union1d(shown, answers.searchsorted(monitor.alarm_at))
    heights = np.minimum(evidence[shown], HIGHEST * alarm)
    return {
        "accuracy": monitor.accuracy,
        "confidence": monitor.confidence,
        "message": str(monitor),
        "alarm": round(alarm, 9),
        "alarm_at": monitor.alarm_at,
        "answers": [0, *answers[shown].tolist()],
        "evidence": [1.0, *(float(f"{height:.4g}") for height in heights.tolist())],
    }
