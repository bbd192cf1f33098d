"""Which outputs of a classifier determine what it predicts?

``predict`` of most classifiers is the class of the largest posterior or of the highest score.
Where that is known, one call gives the predictions and the certainty. It is known for the methods
of scikit-learn and of this package that are listed here, by the class that defines them, so that a
subclass with its own method is not mistaken for its parent. The tests compare with `predict`
in scikit-learn 1.6 to 1.9. Nothing is assumed of other classifiers.
"""

from __future__ import annotations  # signatures then show the names of types

from functools import lru_cache
from typing import Any, NamedTuple

# Classes whose `predict` takes the largest of what their `predict_proba` returns.
LARGEST_POSTERIOR = frozenset(
    {
        "BaggingClassifier",
        "BaseLabelPropagation",
        "CalibratedClassifierCV",
        "ForestClassifier",
        "VotingClassifier",
    }
)
# Pairs of classes that define `predict` and `predict_proba`: both are computed from the same
# scores, in the same order. Posteriors may round to equal values where the scores differ.
SAME_ORDER = frozenset(
    {
        ("AdaBoostClassifier", "AdaBoostClassifier"),
        ("BaseDecisionTree", "DecisionTreeClassifier"),
        ("DiscriminantAnalysisPredictionMixin", "DiscriminantAnalysisPredictionMixin"),
        ("GradientBoostingClassifier", "GradientBoostingClassifier"),
        ("HistGradientBoostingClassifier", "HistGradientBoostingClassifier"),
        ("LikelihoodRatioClassifier", "LikelihoodRatioClassifier"),
        ("LinearClassifierMixin", "LinearDiscriminantAnalysis"),
        ("LinearClassifierMixin", "LogisticRegression"),
        ("LinearClassifierMixin", "SGDClassifier"),
        ("MLPClassifier", "MLPClassifier"),
        ("QuadraticDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
        ("_BaseNB", "_BaseNB"),
    }
)
# Pairs of classes that define `predict`, which takes the highest score, and `decision_function`;
# None stands for any class, where `predict` calls `decision_function`.
HIGHEST_SCORE = frozenset(
    {
        ("AdaBoostClassifier", "AdaBoostClassifier"),
        ("DiscriminantAnalysisPredictionMixin", "QuadraticDiscriminantAnalysis"),
        ("GradientBoostingClassifier", "GradientBoostingClassifier"),
        ("HistGradientBoostingClassifier", "HistGradientBoostingClassifier"),
        ("LikelihoodRatioClassifier", "LikelihoodRatioClassifier"),
        ("LinearClassifierMixin", None),
        ("PrototypeClassifier", "PrototypeClassifier"),
        ("QuadraticDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
        ("_RidgeClassifierMixin", None),
    }
)
# Classes whose `predict_proba` is the softmax (for two classes, the sigmoid) of the scores.
LOG_SCORES = frozenset(
    {
        "DiscriminantAnalysisPredictionMixin",
        "GradientBoostingClassifier",
        "HistGradientBoostingClassifier",
        "LikelihoodRatioClassifier",
        "LinearDiscriminantAnalysis",
        "LogisticRegression",
        "QuadraticDiscriminantAnalysis",
    }
)


class PredictRule(NamedTuple):
    """What is known of the methods of a class."""

    from_posteriors: bool  # `predict` takes the largest posterior
    posteriors_may_tie: bool  # posteriors may round to equal values where `predict` sees none
    from_scores: bool  # `predict` takes the highest score; of equal scores, any
    from_log_posteriors: bool  # `predict` and `predict_proba` are computed by `predict_log_proba`
    softmax_of_scores: bool  # posteriors are the softmax of the scores, see `has_log_scores`
    closest_prototype: bool  # `predict` takes the class of the closest prototype, `apply` its index
    most_pairs: bool  # `predict` takes the class that wins most pairs, unless ``break_ties`` is set
    majority: bool  # `predict` takes the majority of votes, where ``voting`` is "hard"


def predict_rule(classifier: Any) -> PredictRule:
    """Return what is known of the methods of a classifier."""
    kind: Any = type(classifier)
    return _rule_of(kind)


@lru_cache(maxsize=256)
def _rule_of(kind: type) -> PredictRule:
    predict, proba, log_proba, scores, apply = (
        _definer(kind, name)
        for name in ("predict", "predict_proba", "predict_log_proba", "decision_function", "apply")
    )
    calls_proba = predict in LARGEST_POSTERIOR
    from_scores = not HIGHEST_SCORE.isdisjoint({(predict, scores), (predict, None)})
    return PredictRule(
        from_posteriors=calls_proba or (predict, proba) in SAME_ORDER,
        posteriors_may_tie=not calls_proba and predict != "BaseDecisionTree",
        from_scores=from_scores,
        from_log_posteriors=predict == proba == log_proba == "_BaseNB",
        softmax_of_scores=from_scores and proba in LOG_SCORES,
        closest_prototype=predict == apply == "PrototypeClassifier",
        most_pairs=predict == scores == "BaseSVC",
        majority=predict == "VotingClassifier",
    )


def has_log_scores(model: Any) -> bool:
    """Tell whether the scores of a fitted model are log-posteriors, up to a constant per sample."""
    if not predict_rule(model).softmax_of_scores:
        return False
    if getattr(model, "loss", "log_loss") != "log_loss":  # boosting with the exponential loss
        return False
    # Before scikit-learn 1.8, one against the rest, or a softmax of -score and score.
    multi_class = getattr(model, "multi_class", "deprecated")
    if len(getattr(model, "classes_", ())) == 2:
        return bool(multi_class != "multinomial")
    return bool(multi_class != "ovr" and getattr(model, "solver", None) != "liblinear")


def has_log_posteriors(model: Any) -> bool:
    """Tell whether a fitted model computes its posteriors from a log scale that it returns."""
    return predict_rule(model).from_log_posteriors or has_log_scores(model)


def _definer(kind: type, method: str) -> str | None:
    """Return the name of the class that defines a method, if it is of a package known here."""
    for base in kind.__mro__:
        if method in vars(base):
            package = base.__module__.partition(".")[0]
            return base.__qualname__ if package in ("sklearn", "abstain") else None
    return None
