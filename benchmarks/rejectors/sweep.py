"""How far does one threshold get that is written by hand, with NumPy?

The lowest threshold that reaches the accuracy on the calibration data. To certify one, thresholds
are tested from high to low until the exact binomial test fails: either those of one half of the
data on the other half, from the one that looked surest, or 100 quantiles of all data, from the one
that accepts twice as many samples as it takes to certify anything.
"""

# ruff: noqa: RET504

from typing import Any

from rejectors.methods import Method

PACKAGES = ["numpy", "scipy", "scikit-learn"]
CERTIFIES = "accuracy of the answers"


def lowest_threshold(posteriors: Any, classes: Any, y: Any, target: float) -> Any:
    # user code
    import numpy as np

    certainty = posteriors.max(axis=1)
    correct = classes[posteriors.argmax(axis=1)] == y
    order = np.argsort(-certainty)
    accuracy = np.cumsum(correct[order]) / np.arange(1, len(y) + 1)
    ends_a_tie = np.append(np.diff(certainty[order]) < 0, True)
    good = np.flatnonzero((accuracy >= target) & ends_a_tie)
    threshold = certainty[order][good[-1]] if len(good) else np.inf
    # until here
    return threshold


def on_calibration_data(classifier: Any, X: Any, y: Any, target: float, confidence: None) -> Any:
    # user code
    posteriors = classifier.predict_proba(X)
    threshold = lowest_threshold(posteriors, classifier.classes_, y, target)
    # until here
    return classifier, threshold


def out_of_fold(classifier: Any, X: Any, y: Any, target: float, confidence: None) -> Any:
    # user code
    from sklearn.model_selection import cross_val_predict

    posteriors = cross_val_predict(classifier, X, y, cv=5, method="predict_proba")
    classifier.fit(X, y)
    threshold = lowest_threshold(posteriors, classifier.classes_, y, target)
    # until here
    return classifier, threshold


def tested_on_half(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
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


def tested_on_all(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    import numpy as np
    from scipy.stats import binom

    posteriors = classifier.predict_proba(X)
    certainty = posteriors.max(axis=1)
    wrong = classifier.classes_[posteriors.argmax(axis=1)] != y
    needed = np.log(1 - confidence) / np.log(target)
    shares = np.linspace(min(2 * needed / len(y), 1), 1, 100)
    thresholds = np.quantile(certainty, 1 - shares)
    accepted = certainty >= thresholds[:, np.newaxis]
    errors = (accepted & wrong).sum(axis=1)
    passes = binom.cdf(errors, accepted.sum(axis=1), 1 - target) <= 1 - confidence
    n_passed = np.append(passes, False).argmin()
    threshold = thresholds[n_passed - 1] if n_passed else np.inf
    # until here
    return classifier, threshold


def fitted_and_tested(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    from sklearn.model_selection import train_test_split

    X_fit, X_test, y_fit, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    classifier.fit(X_fit, y_fit)
    chosen = tested_on_all(classifier, X_test, y_test, target, confidence)
    # until here
    return chosen


def answer(chosen: Any, X: Any) -> tuple[Any, Any]:
    classifier, threshold = chosen
    # user code
    posteriors = classifier.predict_proba(X)
    labels = classifier.classes_[posteriors.argmax(axis=1)]
    accepted = posteriors.max(axis=1) >= threshold
    # until here
    return labels, accepted


METHODS = {
    "one threshold": Method(on_calibration_data, answer, helpers=(lowest_threshold,)),
    "fixed sequence, half tests": Method(tested_on_half, answer, certifies=CERTIFIES),
    "fixed sequence, all test": Method(tested_on_all, answer, certifies=CERTIFIES),
    "one threshold, cv=5": Method(
        out_of_fold, answer, out_of_fold=True, helpers=(lowest_threshold,)
    ),
    "fixed sequence, half held out": Method(
        fitted_and_tested, answer, out_of_fold=True, certifies=CERTIFIES, helpers=(tested_on_all,)
    ),
}
