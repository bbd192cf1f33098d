"""How far does one threshold get that is written by hand, with NumPy?

The lowest threshold that reaches the accuracy on the calibration data. To certify it, thresholds
of one half of the data are tested on the other half, from the one that looked surest to ever lower
ones, until the exact binomial test fails.
"""

from typing import Any

from rejectors.methods import Method

PACKAGES = ["numpy", "scipy", "scikit-learn"]


def on_calibration_data(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    import numpy as np

    posteriors = classifier.predict_proba(X)
    certainty = posteriors.max(axis=1)
    correct = classifier.classes_[posteriors.argmax(axis=1)] == y
    order = np.argsort(-certainty)
    accuracy = np.cumsum(correct[order]) / np.arange(1, len(y) + 1)
    ends_a_tie = np.append(np.diff(certainty[order]) < 0, True)
    good = np.flatnonzero((accuracy >= target) & ends_a_tie)
    threshold = certainty[order][good[-1]] if len(good) else np.inf
    # until here
    return classifier, threshold


def out_of_fold(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    import numpy as np
    from sklearn.model_selection import cross_val_predict

    posteriors = cross_val_predict(classifier, X, y, cv=5, method="predict_proba")
    classifier.fit(X, y)
    certainty = posteriors.max(axis=1)
    correct = classifier.classes_[posteriors.argmax(axis=1)] == y
    order = np.argsort(-certainty)
    accuracy = np.cumsum(correct[order]) / np.arange(1, len(y) + 1)
    ends_a_tie = np.append(np.diff(certainty[order]) < 0, True)
    good = np.flatnonzero((accuracy >= target) & ends_a_tie)
    threshold = certainty[order][good[-1]] if len(good) else np.inf
    # until here
    return classifier, threshold


def certified(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    import numpy as np
    from scipy.stats import binom

    posteriors = classifier.predict_proba(X)
    certainty = posteriors.max(axis=1)
    wrong = classifier.classes_[posteriors.argmax(axis=1)] != y
    half = np.random.default_rng(0).permutation(len(y)) < len(y) // 2
    thresholds = np.unique(certainty[half])[::-1]

    def chance(part: Any) -> Any:
        accepted = certainty[part] >= thresholds[:, np.newaxis]
        errors = (accepted & wrong[part]).sum(axis=1)
        return binom.cdf(errors, accepted.sum(axis=1), 1 - target)

    first = chance(half).argmin()
    passes = np.append(chance(~half)[first:] <= 1 - confidence, False)
    n_passed = passes.argmin()
    threshold = thresholds[first + n_passed - 1] if n_passed else np.inf
    # until here
    return classifier, threshold


def answer(chosen: Any, X: Any) -> tuple[Any, Any]:
    classifier, threshold = chosen
    # user code
    posteriors = classifier.predict_proba(X)
    labels = classifier.classes_[posteriors.argmax(axis=1)]
    accepted = posteriors.max(axis=1) >= threshold
    # until here
    return labels, accepted


METHODS = {
    "one threshold": Method(on_calibration_data, answer),
    "one threshold, out of fold": Method(out_of_fold, answer, out_of_fold=True),
    "one threshold, tested": Method(certified, answer, certifies="accuracy of the answers"),
}
