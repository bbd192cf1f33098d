"""How does this package choose thresholds?

By default by the pooled front, with a threshold for each predicted class here; "exact" is the front
that is best on the calibration data, "one threshold" is the same for all classes.
"""

# ruff: noqa: RET504

from functools import partial
from typing import Any

from rejectors.methods import Method

PACKAGES = ["abstain", "scikit-learn", "scipy", "numpy"]
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "exact": {"method": "exact"},
    "one threshold": {"cells": "global"},
}


def frozen(classifier: Any, X: Any, y: Any, target: float, confidence: Any, **options: Any) -> Any:
    options = {"outliers": None} | options  # thresholds are compared
    # user code
    from sklearn.frozen import FrozenEstimator

    from abstain import Accuracy, RejectOptionClassifier

    accuracy = Accuracy(target, confidence=confidence)
    clf = RejectOptionClassifier(FrozenEstimator(classifier), target=accuracy, **options).fit(X, y)
    # until here
    return clf


def fitted(classifier: Any, X: Any, y: Any, target: float, confidence: Any, **options: Any) -> Any:
    options = {"outliers": None} | options
    # user code
    from abstain import Accuracy, RejectOptionClassifier

    accuracy = Accuracy(target, confidence=confidence)
    clf = RejectOptionClassifier(classifier, target=accuracy, **options).fit(X, y)
    # until here
    return clf


def answer(clf: Any, X: Any) -> tuple[Any, Any]:
    # user code
    labels = clf.predict(X)
    accepted = ~clf.reject(X)
    # until here
    return labels, accepted


METHODS = {
    f"{name}{', confidence' if certifies else ''}{', cv=5' if out_of_fold else ''}": Method(
        partial(fitted if out_of_fold else frozen, random_state=0, **options),
        answer,
        out_of_fold=out_of_fold,
        certifies=certifies,
    )
    for out_of_fold in (False, True)
    for certifies in (None, "accuracy of the answers")
    for name, options in OPTIONS.items()
}
