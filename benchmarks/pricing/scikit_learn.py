"""How low a cost do scikit-learn's thresholds reach? They reject nothing.

``FixedThresholdClassifier`` answers 1 where the posterior says that it costs less;
``TunedThresholdClassifierCV`` tries 100 thresholds in five folds.
"""

# ruff: noqa: RET504

from typing import Any

from rejectors.methods import Method

from pricing.problems import Prices

PACKAGES = ["scikit-learn"]


def fixed(classifier: Any, X: Any, y: Any, prices: Prices) -> Any:
    missed, false_alarm, _ = prices
    # user code
    from sklearn.model_selection import FixedThresholdClassifier

    threshold = false_alarm / (missed + false_alarm)
    clf = FixedThresholdClassifier(classifier, threshold=threshold).fit(X, y)
    # until here
    return clf


def tuned(classifier: Any, X: Any, y: Any, prices: Prices) -> Any:
    missed, false_alarm, _ = prices
    # user code
    from sklearn.metrics import confusion_matrix, make_scorer
    from sklearn.model_selection import TunedThresholdClassifierCV

    def saved(y_true: Any, y_pred: Any) -> Any:
        (_, n_false_alarms), (n_missed, _) = confusion_matrix(y_true, y_pred, labels=[0, 1])
        return -(missed * n_missed + false_alarm * n_false_alarms) / len(y_true)

    clf = TunedThresholdClassifierCV(classifier, scoring=make_scorer(saved), cv=5).fit(X, y)
    # until here
    return clf


def answer(clf: Any, X: Any) -> tuple[Any, Any]:
    import numpy as np

    # user code
    labels = clf.predict(X)
    # until here
    return labels, np.ones(len(X), dtype=bool)


METHODS = {
    "TunedThresholdClassifierCV": Method(tuned, answer, out_of_fold=True),
    "FixedThresholdClassifier": Method(fixed, answer),
}
