"""Can a reject option follow a stream with these parameters?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from abstain._core.errors import InputError
from abstain._core.sklearn_private import check_sample_weight
from abstain.certainty.cells import RULES
from abstain.certainty.measures import MEASURES
from abstain.classifier.fit_checks import check_cv_parameter
from abstain.fronts import METHODS
from abstain.targets.base import certifies, check_target
from abstain.targets.outcomes import needs_outcomes

Array = NDArray[Any]


def check_parameters(clf: Any) -> None:
    """Refuse invalid parameters before anything is fitted."""
    if isinstance(clf.estimator, type) or not is_classifier(clf.estimator):
        raise InputError(
            argument="estimator",
            value=clf.estimator,
            requirement="must be a classifier, such as GaussianNB()",
        )
    if not isinstance(clf.method, str) or clf.method not in METHODS:
        known = ", ".join(map(repr, METHODS))
        raise InputError(argument="method", value=clf.method, requirement=f"must be one of {known}")
    MEASURES.check(clf.certainty)
    RULES.check(clf.cells)
    check_cv_parameter(clf.cv)
    is_number = isinstance(clf.half_life, int | float | np.number)
    if not is_number or isinstance(clf.half_life, bool) or not clf.half_life > 0:
        raise InputError(
            argument="half_life",
            value=clf.half_life,
            requirement="must be a positive number of samples, or inf",
        )
    if not isinstance(clf.detect_drift, bool | np.bool_):
        raise InputError(
            argument="detect_drift", value=clf.detect_drift, requirement="must be True or False"
        )
    if clf.target is not None:
        _check_target(clf.target)


def _check_target(target: Any) -> None:
    check_target(target)
    if certifies(target) or getattr(target, "confidence", None) is not None:
        raise InputError(
            argument="target",
            value=target,
            requirement="must have no confidence: a stream certifies nothing in advance",
            remedy="leave it out, and see monitor_",
        )
    if needs_outcomes(target):
        raise InputError(
            argument="target",
            value=target,
            requirement="must be an Accuracy without groups, a RejectRate or a RejectCost",
            remedy="fit a RejectOptionClassifier for others, and recalibrate it",
        )


def checked_weights(sample_weight: Any, y: Array) -> NDArray[np.float64] | None:
    """Return one weight per sample; None without weights."""
    if sample_weight is None:
        return None
    return np.asarray(check_sample_weight(sample_weight, y, dtype=float, ensure_non_negative=True))
