"""How does scikit-fallback choose a threshold?

It takes no accuracy to be reached. ``ThresholdFallbackClassifier`` is given its threshold and takes
a fitted classifier as it is, so that a loop over thresholds finds the lowest that reaches the
accuracy. ``ThresholdFallbackClassifierCV`` tries thresholds out of fold, by default ten up to 0.95,
and keeps that of the best score: by default the share of right answers kept and wrong ones
rejected, or a score of one's own, here the coverage where the accuracy is reached. It fits the
classifier anew for every threshold and fold.
"""

# ruff: noqa: RET504
# mypy: disable-error-code="import-not-found"

from typing import Any

from rejectors.methods import Method

PACKAGES = ["scikit-fallback", "scikit-learn", "scipy", "numpy"]


def looped(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    import numpy as np
    from skfb.estimators import ThresholdFallbackClassifier

    for threshold in np.linspace(1 / len(classifier.classes_), 1, 50):
        clf = ThresholdFallbackClassifier(classifier, threshold=threshold)
        predicted = clf.predict(X)
        accepted = predicted.get_dense_neg_fallback_mask()
        if accepted.any() and np.mean(predicted[accepted] == y[accepted]) >= target:
            break
    # until here
    return clf


def default_score(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    from skfb.estimators import ThresholdFallbackClassifierCV

    clf = ThresholdFallbackClassifierCV(classifier, cv=5).fit(X, y)
    # until here
    return clf


def own_score(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    import numpy as np
    from skfb.estimators import ThresholdFallbackClassifierCV

    def coverage_at_target(y_true: Any, predicted: Any) -> Any:
        accepted = predicted.get_dense_neg_fallback_mask()
        is_right = predicted[accepted] == y_true[accepted]
        return accepted.mean() if accepted.any() and is_right.mean() >= target else 0.0

    thresholds = np.linspace(1 / len(np.unique(y)), 1, 50)
    clf = ThresholdFallbackClassifierCV(
        classifier, thresholds=thresholds, scoring=coverage_at_target, cv=5
    )
    clf.fit(X, y)
    # until here
    return clf


def answer(clf: Any, X: Any) -> tuple[Any, Any]:
    # user code
    labels = clf.predict(X)
    accepted = labels.get_dense_neg_fallback_mask()
    # until here
    return labels, accepted


METHODS = {
    "loop over 50 thresholds": Method(looped, answer),
    "CV, 10 thresholds, its own score": Method(
        default_score, answer, out_of_fold=True, takes_target=False
    ),
    "CV, 50 thresholds, coverage as score": Method(own_score, answer, out_of_fold=True),
}
