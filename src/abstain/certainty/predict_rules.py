"""Which outputs of a classifier determine what it predicts?

``predict`` of most classifiers is the class of the largest posterior or of the highest score.
Where that is known, one call gives the predictions and the certainty. It is known for the methods
of scikit-learn and of this package that are listed here, by the class that defines them, so that a
subclass with its own method is not mistaken for its parent. The tests compare with `predict`
in scikit-learn 1.6 to 1.9. Nothing is assumed of other classifiers.

Posteriors near 1 round to the same number. Their order is kept by a log scale, if the classifier
has one: log-posteriors, scores, or the posteriors of the other classes, whose sum does not round.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from abstain._core.estimators import unwrap_predict_proba
from abstain._core.sklearn_private import positive_label_of_tuned

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
# Classes whose `predict_proba` is the softmax of the scores, for two classes the sigmoid; some take
# the sigmoid of each score and divide by their sum.
LOG_SCORES = frozenset(
    {
        "DiscriminantAnalysisPredictionMixin",
        "GradientBoostingClassifier",
        "HistGradientBoostingClassifier",
        "LikelihoodRatioClassifier",
        "LinearDiscriminantAnalysis",
        "LogisticRegression",
        "QuadraticDiscriminantAnalysis",
        "SGDClassifier",
    }
)
# Classes whose `predict_proba` is the mean of the posteriors of the classifiers in them.
MEAN_POSTERIORS = frozenset({"BaggingClassifier", "VotingClassifier"})


class PredictRule(NamedTuple):
    """What is known of the methods of a class."""

    from_posteriors: bool  # `predict` takes the largest posterior
    posteriors_may_tie: bool  # posteriors may round to equal values where `predict` sees none
    from_scores: bool  # `predict` takes the highest score; of equal scores, any
    from_log_posteriors: bool  # `predict` and `predict_proba` are computed by `predict_log_proba`
    posteriors_of_scores: bool  # see `LOG_SCORES` and `score_scale`
    mean_posteriors: bool  # see `MEAN_POSTERIORS`
    has_threshold: bool  # `predict` compares one posterior with a threshold
    settings_decide: bool  # whether `predict` takes the largest posterior: see _FROM_POSTERIORS_IF
    closest_prototype: bool  # `predict` takes the class of the closest prototype, `apply` its index
    most_pairs: bool  # `predict` takes the class that wins most pairs, unless ``break_ties`` is set
    majority: bool  # `predict` takes the majority of votes, where ``voting`` is "hard"


def predict_rule(classifier: Any) -> PredictRule:
    """Return what is known of the methods of a classifier."""
    kind: Any = type(classifier)
    rule = _rule_of(kind)
    if rule.settings_decide:
        is_largest = _FROM_POSTERIORS_IF[_definer(kind, "predict")](classifier)
        return rule._replace(from_posteriors=is_largest)
    return rule


def _final_from_posteriors(stack: Any) -> bool:
    return predict_rule(stack.final_estimator_).from_posteriors


def _each_from_posteriors(one_vs_rest: Any) -> bool:
    """Return whether posteriors have the order of the scores, of which `predict` takes the highest.

    The sigmoid of logistic regression keeps their order; without scores, posteriors are compared.
    """
    first = one_vs_rest.estimators_[0]
    return not hasattr(first, "decision_function") or score_scale(first) is not None


_FROM_POSTERIORS_IF: dict[str | None, Callable[[Any], bool]] = {
    # The mode of the neighbours; of equal counts the first class, as argmax returns it.
    "KNeighborsClassifier": lambda neighbours: neighbours.weights == "uniform",
    "OneVsRestClassifier": _each_from_posteriors,
    "StackingClassifier": _final_from_posteriors,
}


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
        posteriors_may_tie=not calls_proba
        and predict not in ("BaseDecisionTree", "KNeighborsClassifier"),
        from_scores=from_scores,
        from_log_posteriors=predict == proba == log_proba == "_BaseNB",
        posteriors_of_scores=from_scores and proba in LOG_SCORES,
        mean_posteriors=proba in MEAN_POSTERIORS,
        settings_decide=predict in _FROM_POSTERIORS_IF,
        has_threshold=predict in ("FixedThresholdClassifier", "TunedThresholdClassifierCV"),
        closest_prototype=predict == apply == "PrototypeClassifier",
        most_pairs=predict == scores == "BaseSVC",
        majority=predict == "VotingClassifier",
    )


def score_scale(model: Any) -> str | None:
    """Return how a fitted model computes posteriors from scores: "softmax", "sigmoid" or None.

    With "softmax" the scores are log-posteriors, up to a constant per sample. With "sigmoid" the
    logarithms of their sigmoids are.
    """
    if not predict_rule(model).posteriors_of_scores:
        return None
    if getattr(model, "loss", "log_loss") != "log_loss":  # boosting with the exponential loss
        return None
    # Before scikit-learn 1.8, one against the rest, or a softmax of -score and score.
    multi_class = getattr(model, "multi_class", "deprecated")
    if len(getattr(model, "classes_", ())) == 2:
        return None if multi_class == "multinomial" else "softmax"
    is_one_vs_rest = (
        multi_class == "ovr"
        or getattr(model, "solver", None) == "liblinear"
        or _definer(type(model), "predict_proba") == "SGDClassifier"
    )
    return "sigmoid" if is_one_vs_rest else "softmax"


def keeps_order_on_log_scale(model: Any) -> bool:
    """Return whether log-odds still differ where the largest posteriors of a model round to 1."""
    rule = predict_rule(model)
    if rule.mean_posteriors and hasattr(model, "estimators_"):
        inner = (unwrap_predict_proba(each)[1] for each in model.estimators_)
        return any(keeps_order_on_log_scale(each) for each in inner)
    is_network = _definer(type(model), "predict_proba") == "MLPClassifier"
    return rule.from_log_posteriors or score_scale(model) is not None or is_network


def posterior_threshold(classifier: Any) -> tuple[int, float] | None:
    """Return the threshold of a fitted threshold classifier, if it compares posteriors.

    The class at the returned position is predicted if its posterior is at least the threshold.
    """
    inner = getattr(classifier, "estimator_", classifier.estimator)
    if classifier.response_method not in ("auto", "predict_proba"):
        return None
    if not hasattr(inner, "predict_proba"):
        return None
    if hasattr(classifier, "best_threshold_"):
        label, threshold = positive_label_of_tuned(classifier), classifier.best_threshold_
    else:
        label, threshold = classifier.pos_label, classifier.threshold
    classes = list(classifier.classes_)
    position = 1 if label is None else classes.index(label)
    return position, 0.5 if isinstance(threshold, str) else float(threshold)


def _definer(kind: type, method: str) -> str | None:
    """Return the name of the class that defines a method, if it is of a package known here."""
    for base in kind.__mro__:
        if method in vars(base):
            package = base.__module__.partition(".")[0]
            return base.__qualname__ if package in ("sklearn", "abstain") else None
    return None
