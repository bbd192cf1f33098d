"""How does this package decide where errors cost different amounts?

By default by the pooled front, and by the answer of least expected cost; "exact" is the front of
least cost on the calibration data, "predicted" keeps the answers of the classifier.
"""

# ruff: noqa: RET504

from functools import partial
from typing import Any

from rejectors.methods import Method

from pricing.problems import Prices

PACKAGES = ["abstain", "scikit-learn", "scipy", "numpy"]


def by_cost(classifier: Any, X: Any, y: Any, prices: Prices, answers: str, method: str) -> Any:
    missed, false_alarm, reject = prices
    # user code
    from abstain import ExpectedCost, RejectOptionClassifier

    costs = {(1, 0): missed, (0, 1): false_alarm}
    target = ExpectedCost(costs, reject=reject, answers=answers)
    clf = RejectOptionClassifier(classifier, target=target, method=method, outliers=None).fit(X, y)
    # until here
    return clf


def answer(clf: Any, X: Any) -> tuple[Any, Any]:
    # user code
    labels = clf.predict(X)
    accepted = ~clf.reject(X)
    # until here
    return labels, accepted


METHODS = {
    name: Method(partial(by_cost, answers=answers, method=method), answer, out_of_fold=True)
    for name, answers, method in [
        ("default", "least_cost", "pooled"),
        ("predicted answers", "predicted", "pooled"),
        ("exact", "least_cost", "exact"),
        ("exact, predicted answers", "predicted", "exact"),
    ]
}
