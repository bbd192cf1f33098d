"""What does a fitted classifier compute for samples, with each method called at most once?

The samples pass the transformers of a pipeline once. Posteriors, scores and distances are computed
when first needed and cached; predictions are derived from one of them where `predict` is known to
do the same.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Sequence
from copy import copy
from itertools import combinations
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from abstain._core.estimators import (
    names_of_features,
    pass_through,
    unwrap,
    unwrap_predict,
    unwrap_predict_proba,
)
from abstain._core.sklearn_private import take_rows
from abstain.certainty.predict_rules import (
    PredictRule,
    posterior_threshold,
    predict_rule,
    score_scale,
)
from abstain.models.base import PrototypeClassifier
from abstain.models.distances import ClosestTwo, closest_two

Array = NDArray[Any]
Value = TypeVar("Value")
# Cached outputs with a row for each sample.
_OF_EACH = {
    *("samples", "posteriors", "log_posteriors", "scores", "distances", "pairwise"),
    *("pairwise_winners", "votes", "labels", "codes"),
}
# Values that differ by less may have another order before rounding.
TIE = 1e-10


class _CachedProperty(Generic[Value]):
    """A property that is computed when first needed.

    ``functools.cached_property`` takes a lock in Python 3.11: ten of them take a tenth of the time
    of a prediction.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute, self.name = compute, compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        value = instance.__dict__[self.name] = self.compute(instance)
        return value


cached = _CachedProperty


class Outputs:
    """What a fitted classifier, or a pipeline or search that holds one, computes for samples."""

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator, self.X = estimator, X
        self._steps, self.classifier = unwrap_predict(estimator)

    @cached
    def samples(self) -> Any:
        """Return the samples as the classifier sees them."""
        return pass_through(self._steps, self.X)

    @property
    def feature_names(self) -> Sequence[str]:
        """The names of the features of ``samples``."""
        return names_of_features(self._steps, self.classifier)

    @cached
    def rule(self) -> PredictRule:
        """Return what is known of the classifier's methods."""
        return predict_rule(self.classifier)

    @cached
    def classes(self) -> Array:
        """Return the classes, in the order of posteriors and scores."""
        return np.asarray(self.classifier.classes_)

    @cached
    def _model_and_samples(self) -> tuple[Any, Any]:
        if self.rule.closest_prototype:
            return self.classifier, self.samples
        steps, model = unwrap(self.classifier)
        return model, pass_through(steps, self.samples)

    @property
    def model(self) -> Any:
        """The innermost model: the one that is calibrated, where one is."""
        return self._model_and_samples[0]

    @property
    def seen(self) -> Any:
        """The samples as the innermost model sees them."""
        return self._model_and_samples[1]

    @cached
    def posteriors(self) -> Array:
        """Return posteriors of shape (n_samples, n_classes)."""
        return np.asarray(self.classifier.predict_proba(self.samples))

    @cached
    def log_posteriors(self) -> Array:
        """Return log-posteriors of shape (n_samples, n_classes), up to a constant per sample.

        From the log scale of the classifier, or of the one inside that its posteriors come from,
        where it has one: they then differ where posteriors round to the same number.
        """
        steps, classifier = unwrap_predict_proba(self.classifier)
        is_own = classifier is self.classifier
        inner = self if is_own else Outputs(classifier, pass_through(steps, self.samples))
        if inner.rule.from_log_posteriors:
            return np.asarray(classifier.predict_log_proba(inner.samples), dtype=np.float64)
        scale = score_scale(classifier)
        if scale is not None:
            scores = inner.scores.astype(np.float64)
            if scale == "sigmoid":
                return -np.logaddexp(0.0, -scores)
            return scores if scores.ndim == 2 else np.stack([np.zeros(len(scores)), scores], 1)
        with np.errstate(divide="ignore"):
            return np.log(self.posteriors, dtype=np.float64)

    @cached
    def scores(self) -> Array:
        """Return scores of shape (n_samples, n_classes), of two classes (n_samples,)."""
        return np.asarray(self.classifier.decision_function(self.samples))

    @cached
    def distances(self) -> Array:
        """Return squared distances of shape (n_samples, n_prototypes)."""
        return np.asarray(self.model.distances(self.seen))

    @cached
    def closest_two(self) -> ClosestTwo:
        """Return the closest prototype of each sample, its distance and that of its rival."""
        model = self.model
        if "distances" in self.__dict__ or not isinstance(model, PrototypeClassifier):
            return closest_two(self.distances.T, model.prototype_labels_.tolist())
        return model._closest_two(self.seen)

    @property
    def winners(self) -> NDArray[np.int64]:
        """The closest prototype of each sample."""
        return self.closest_two.winner

    @cached
    def pairwise(self) -> Array:
        """Return the one-against-one margins of an SVC, positive for the first class."""
        # A copy with this setting returns the margins of the pairs; the model is not changed.
        by_pairs = copy(self.model)
        by_pairs.decision_function_shape = "ovo"
        decide = type(by_pairs).decision_function
        margins = np.asarray(decide(by_pairs, self.seen), dtype=np.float64)
        # With two classes there is one margin, positive for the second class.
        return -margins[:, np.newaxis] if margins.ndim == 1 else margins

    @cached
    def pairwise_winners(self) -> NDArray[np.int64]:
        """Return the class with most votes of the pairs, as LIBSVM predicts it."""
        model = self.model
        if self.model is self.classifier and "labels" in self.__dict__:
            return self.codes
        if model.break_ties or not predict_rule(model).most_pairs:
            return np.asarray(np.searchsorted(model.classes_, model.predict(self.seen)))
        n_classes = len(model.classes_)
        votes = np.zeros((len(self.pairwise), n_classes), dtype=np.int64)
        for column, (first, second) in zip(
            self.pairwise.T, combinations(range(n_classes), 2), strict=True
        ):
            votes[:, first] += column > 0
            votes[:, second] += ~(column > 0)
        return np.asarray(votes.argmax(axis=1))

    @cached
    def votes(self) -> Array:
        """Return the votes of a majority, of shape (n_samples, n_classes)."""
        ensemble = self.classifier
        weights = ensemble.weights
        if weights is None:
            weights = [1.0] * len(ensemble.estimators)
        pairs = zip(ensemble.estimators, weights, strict=True)
        used = [weight for (_, voter), weight in pairs if voter is not None and voter != "drop"]
        chosen = np.asarray(ensemble.transform(self.samples), dtype=np.int64)
        votes = np.zeros((len(chosen), len(self.classes)))
        rows = np.arange(len(chosen))
        for column, weight in zip(chosen.T, used, strict=True):
            votes[rows, column] += weight
        return votes

    @cached
    def labels(self) -> Array:
        """Return the predicted classes, the same as `predict` of the estimator returns."""
        known = self.__dict__
        if self.rule.closest_prototype and self._knows_winners:
            return np.asarray(self.classifier.prototype_labels_[self.winners])
        codes = known["codes"] if "codes" in known else self._derived_codes()
        if codes is None:
            return np.asarray(self.classifier.predict(self.samples))
        known["codes"] = codes
        return np.asarray(self.classes.take(codes))

    @cached
    def codes(self) -> NDArray[np.int64]:
        """Return the position of each predicted class among the classes, which ascend."""
        codes = self._derived_codes()
        if codes is None:
            labels = self.labels
            return np.asarray(np.searchsorted(self.classes, labels), dtype=np.int64)
        return codes

    def answer(self, codes: NDArray[np.int64]) -> None:
        """Let these classes be the answers, in place of what the classifier predicts."""
        self.__dict__["codes"] = codes
        self.__dict__["labels"] = self.classes.take(codes)
        self.__dict__.pop("pairwise_winners", None)

    def take(self, rows: NDArray[np.int64]) -> Outputs:
        """Return the outputs for some of the samples; what is computed is not computed again."""
        part = Outputs(self.estimator, take_rows(self.X, rows))
        for name in _OF_EACH & vars(self).keys():
            part.__dict__[name] = take_rows(self.__dict__[name], rows)
        return part

    def as_predicted(self) -> Outputs:
        """Return the same outputs with the answers that the classifier predicts."""
        plain = copy(self)
        for name in ("codes", "labels", "pairwise_winners"):
            plain.__dict__.pop(name, None)
        return plain

    @property
    def _knows_winners(self) -> bool:
        return "closest_two" in self.__dict__ or "distances" in self.__dict__

    def _derived_codes(self) -> NDArray[np.int64] | None:
        """Return the predicted classes, if outputs computed so far determine them; else None."""
        known, rule = self.__dict__, self.rule
        if "labels" in known:
            return None
        if rule.closest_prototype:
            if not self._knows_winners:
                return None
            owners = np.searchsorted(self.classes, self.classifier.prototype_labels_)
            return np.asarray(owners[self.winners])
        if rule.has_threshold:
            return self._codes_by_threshold()
        if rule.from_log_posteriors and "log_posteriors" in known:
            return _largest(self.log_posteriors)
        if rule.from_scores and "scores" in known:
            return _highest_score(self.scores)
        if rule.from_posteriors and "posteriors" in known:
            if rule.posteriors_may_tie:
                return _largest(self.posteriors)
            return np.asarray(self.posteriors.argmax(axis=1))
        if rule.most_pairs and "pairwise" in known:
            return self.pairwise_winners
        if rule.majority and "votes" in known:
            return np.asarray(self.votes.argmax(axis=1))
        return None

    def _codes_by_threshold(self) -> NDArray[np.int64] | None:
        """Return the predicted classes of a threshold classifier; None if they are not known."""
        known = self.__dict__
        if "posteriors" not in known and "log_posteriors" not in known:
            return None
        rule = posterior_threshold(self.classifier)
        if rule is None:
            return None
        position, threshold = rule
        if "posteriors" in known:
            is_positive = self.posteriors[:, position] >= threshold
        elif 0 < threshold < 1:
            logs = self.log_posteriors
            odds = logs[:, position] - logs[:, 1 - position]
            excess = odds - np.log(threshold / (1 - threshold))
            # Posteriors are rounded before they are compared.
            if not (np.abs(excess) > TIE + 1e-14 / min(threshold, 1 - threshold)).all():
                return None
            is_positive = excess > 0
        else:
            return None
        return np.where(is_positive, position, 1 - position)


def as_outputs(estimator: Any, X: Any) -> Outputs:
    """Return the outputs of a fitted estimator; outputs given in its place are shared."""
    return estimator if isinstance(estimator, Outputs) else Outputs(estimator, X)


def as_numbers(samples: Any) -> Array:
    """Return samples as floats; a missing value of any kind is NaN."""
    return np.asarray(check_array(samples, dtype=np.float64, ensure_all_finite="allow-nan"))


def lead(scores: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the score of the predicted class minus the highest other; at most 0 if not ahead."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape[1] == 1:  # one class only: nothing to be ahead of
        return np.zeros(len(scores))
    if scores.shape[1] == 2:
        first, second = scores.T
        return np.asarray(np.where(codes == 1, second - first, first - second))
    return np.asarray(of_predicted(scores, codes) - best_other(scores, codes)[0])


def of_predicted(scores: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[Any]:
    """Return the score of the predicted class of each row."""
    return np.asarray(scores[np.arange(len(scores)), codes])


def best_other(
    scores: NDArray[Any], codes: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the highest score of another class than the predicted one, and which class it is."""
    rows = np.arange(len(scores))
    others = scores.copy()
    others[rows, codes] = -np.inf
    best = others.argmax(axis=1)
    return others[rows, best], best


def _highest_score(scores: Array) -> NDArray[np.int64] | None:
    """Return the class of the highest score; of two classes, whether their score is positive."""
    if scores.ndim == 2:
        return _largest(scores)
    # Some classifiers compare posteriors, which may tie where the scores do not.
    return None if (np.abs(scores) <= TIE).any() else (scores > 0).astype(np.int64)


def _largest(values: Array) -> NDArray[np.int64] | None:
    """Return the position of the largest value of each row; None if any row may tie."""
    codes = values.argmax(axis=1)
    if values.shape[1] > 1:
        first, second = of_predicted(values, codes), best_other(values, codes)[0]
        tie = max(TIE, 8 * np.finfo(values.dtype).eps)
        # A comparison with NaN is false, and nothing is derived.
        if not (first - second > tie * np.maximum(np.abs(first), 1)).all():
            return None
    return np.asarray(codes)
