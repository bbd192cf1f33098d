"""How does this package choose thresholds?

Its cells are the predicted classes here, as "auto" has it for these classifiers.
"""

# ruff: noqa: RET504

from typing import Any

from rejectors.methods import Method

PACKAGES = ["abstain", "scikit-learn", "scipy", "numpy"]


def local(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    from sklearn.frozen import FrozenEstimator

    from abstain import Accuracy, RejectOptionClassifier

    clf = RejectOptionClassifier(FrozenEstimator(classifier), target=Accuracy(target)).fit(X, y)
    # until here
    return clf


def one_cell(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    from sklearn.frozen import FrozenEstimator

    from abstain import Accuracy, RejectOptionClassifier

    frozen = FrozenEstimator(classifier)
    clf = RejectOptionClassifier(frozen, cells="global", target=Accuracy(target)).fit(X, y)
    # until here
    return clf


def local_out_of_fold(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    from abstain import Accuracy, RejectOptionClassifier

    clf = RejectOptionClassifier(classifier, cv=5, target=Accuracy(target)).fit(X, y)
    # until here
    return clf


def one_cell_out_of_fold(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    from abstain import Accuracy, RejectOptionClassifier

    clf = RejectOptionClassifier(classifier, cv=5, cells="global", target=Accuracy(target))
    clf.fit(X, y)
    # until here
    return clf


def local_certified(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    from sklearn.frozen import FrozenEstimator

    from abstain import Accuracy, RejectOptionClassifier

    accuracy = Accuracy(target, confidence=confidence)
    clf = RejectOptionClassifier(FrozenEstimator(classifier), target=accuracy, random_state=0)
    clf.fit(X, y)
    # until here
    return clf


def one_cell_certified(classifier: Any, X: Any, y: Any, target: float, confidence: float) -> Any:
    # user code
    from sklearn.frozen import FrozenEstimator

    from abstain import Accuracy, RejectOptionClassifier

    frozen, accuracy = FrozenEstimator(classifier), Accuracy(target, confidence=confidence)
    clf = RejectOptionClassifier(frozen, cells="global", target=accuracy, random_state=0)
    clf.fit(X, y)
    # until here
    return clf


def answer(clf: Any, X: Any) -> tuple[Any, Any]:
    # user code
    labels = clf.predict(X)
    accepted = ~clf.reject(X)
    # until here
    return labels, accepted


METHODS = {
    "local": Method(local, answer),
    "global": Method(one_cell, answer),
    "local, cv=5": Method(local_out_of_fold, answer, out_of_fold=True),
    "global, cv=5": Method(one_cell_out_of_fold, answer, out_of_fold=True),
    "local, confidence": Method(local_certified, answer, certifies="accuracy of the answers"),
    "global, confidence": Method(one_cell_certified, answer, certifies="accuracy of the answers"),
}
