"""How low a cost do two thresholds on the posterior reach that are written by hand, with NumPy?

Answer 0 below ``low``, 1 from ``high`` on, reject between. Either both are those of least cost on
posteriors out of fold (of all pairs), or they follow from the costs alone (Chow's rule), as if the
posteriors were true.
"""

from typing import Any

from rejectors.methods import Method

from pricing.problems import Prices

PACKAGES = ["numpy", "scikit-learn"]


def best_pair(classifier: Any, X: Any, y: Any, prices: Prices) -> Any:
    missed, false_alarm, reject = prices
    # user code
    import numpy as np
    from sklearn.model_selection import cross_val_predict

    posteriors = cross_val_predict(classifier, X, y, cv=5, method="predict_proba")[:, 1]
    order = np.argsort(posteriors)
    is_one, sorted_posteriors = y[order] == 1, np.append(posteriors[order], np.inf)
    # What it costs, beyond a reject of each, to answer 0 before a cut and 1 from a cut on.
    zeros = np.append(0, np.cumsum(is_one * missed - reject))
    ones = np.append(np.cumsum((~is_one * false_alarm - reject)[::-1])[::-1], 0)
    cuts = np.append(0, np.flatnonzero(np.diff(sorted_posteriors) > 0) + 1)
    least = np.minimum.accumulate(zeros[cuts])
    high = (least + ones[cuts]).argmin()
    low = zeros[cuts][: high + 1].argmin()
    thresholds = sorted_posteriors[cuts[[low, high]]]
    classifier.fit(X, y)
    # until here
    return classifier, thresholds


def chow(classifier: Any, X: Any, y: Any, prices: Prices) -> Any:
    missed, false_alarm, reject = prices
    # user code
    classifier.fit(X, y)
    equal = false_alarm / (missed + false_alarm)
    thresholds = min(reject / missed, equal), max(1 - reject / false_alarm, equal)
    # until here
    return classifier, thresholds


def answer(chosen: Any, X: Any) -> tuple[Any, Any]:
    classifier, (low, high) = chosen
    # user code
    posteriors = classifier.predict_proba(X)[:, 1]
    labels = (posteriors >= high).astype(int)
    accepted = (posteriors < low) | (posteriors >= high)
    # until here
    return labels, accepted


METHODS = {
    "two thresholds, cv=5": Method(best_pair, answer, out_of_fold=True),
    "Chow's rule, raw posteriors": Method(chow, answer),
}
