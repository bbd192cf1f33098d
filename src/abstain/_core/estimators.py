"""Which model is inside an estimator, and what are its features called?"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any


def unwrap(estimator: Any, until: type | tuple[type, ...] | None = None) -> tuple[list[Any], Any]:
    """Return the fitted transformers that samples pass, in order, and the model at their end.

    An estimator of the type ``until`` is not unwrapped.
    """
    from sklearn.frozen import FrozenEstimator
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import check_is_fitted

    steps: list[Any] = []
    while until is None or not isinstance(estimator, until):
        if isinstance(estimator, Pipeline):
            before, estimator = _split_pipeline(estimator)
            steps += before
        elif isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "operating_point_"):  # a classifier with a reject option
            estimator = estimator.estimator_
        elif len(getattr(estimator, "calibrated_classifiers_", [])) == 1:
            # Calibrated on held-out data or out of fold: there is one model, not one per fold.
            estimator = estimator.calibrated_classifiers_[0].estimator
        else:
            check_is_fitted(estimator)
            break
    return steps, estimator


def parts_to_fit(estimator: Any) -> tuple[list[Any], Any]:
    """Return the transformers and the model that a fit of the estimator would fit.

    Unlike `unwrap`, it takes estimators that are not fitted; a search has to be.
    """
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import check_is_fitted

    from abstain._core.sklearn_private import BaseSearchCV

    steps: list[Any] = []
    while True:
        if isinstance(estimator, Pipeline):
            before, estimator = _split_pipeline(estimator)
            steps += before
        elif isinstance(estimator, BaseSearchCV):
            check_is_fitted(estimator, "best_estimator_")
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "estimator"):
            estimator = estimator.estimator
        else:
            return steps, estimator


def unwrap_predict(estimator: Any) -> tuple[list[Any], Any]:
    """Return the transformers and the classifier that ``predict`` of the estimator calls.

    Unlike `unwrap`, it stops at an estimator that may predict differently than the one it holds.
    """
    steps: list[Any] = []
    while (wrapper := _wrapper_kind(_type(estimator))) is not None:
        if wrapper == "pipeline":
            before, estimator = _split_pipeline(estimator)
            steps += before
        elif wrapper == "frozen":
            estimator = estimator.estimator
        elif wrapper == "search" and hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            break
    return steps, estimator


def unwrap_predict_proba(estimator: Any) -> tuple[list[Any], Any]:
    """Return the transformers and the classifier that ``predict_proba`` of the estimator calls.

    A threshold on the posteriors changes predictions, not posteriors.
    """
    steps, classifier = unwrap_predict(estimator)
    while _wrapper_kind(_type(classifier)) == "threshold":
        inner = getattr(classifier, "estimator_", classifier.estimator)
        before, classifier = unwrap_predict(inner)
        steps += before
    return steps, classifier


def has_prototypes(model: Any) -> bool:
    """Return whether a fitted model classifies by prototypes, in a metric that it exposes."""
    return all(hasattr(model, name) for name in ("distances", "metric_roots", "prototype_labels_"))


def pass_through(steps: list[Any], X: Any) -> Any:
    """Return samples after all transformers, as the model gets them."""
    for step in steps:
        X = step.transform(X)
    return X


def n_samples_of(X: Any) -> int:
    """Return the number of samples in an array, a frame, a sparse matrix or a list."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def names_of_features(
    steps: list[Any], model: Any, given: Sequence[str] | None = None
) -> Sequence[str]:
    """Return the names of the model's features: as given, as fitted, or by number."""
    if given is not None:
        return given
    names: Sequence[str] | None = None
    for step in steps:
        names = getattr(step, "feature_names_in_", names)
        try:
            names = step.get_feature_names_out(_numbered(step) if names is None else names)
        except (AttributeError, ValueError):  # a step without names of its outputs
            names = None
    names = getattr(model, "feature_names_in_", names)
    return _numbered(model) if names is None else names


def _numbered(estimator: Any) -> list[str]:
    return [f"feature {number}" for number in range(estimator.n_features_in_)]


def _split_pipeline(pipeline: Any) -> tuple[list[Any], Any]:
    *before, (_, last) = pipeline.steps
    return [step for _, step in before if step is not None and step != "passthrough"], last


def _type(estimator: Any) -> Any:  # mypy does not take a type[Any] for hashable
    return type(estimator)


@lru_cache(maxsize=256)
def _wrapper_kind(kind: type) -> str | None:
    """Return how a class wraps an estimator, if its methods are known."""
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
    from sklearn.pipeline import Pipeline

    from abstain._core.sklearn_private import BaseSearchCV

    known = {
        Pipeline: "pipeline",
        FrozenEstimator: "frozen",
        FixedThresholdClassifier: "threshold",
        TunedThresholdClassifierCV: "threshold",
    }
    definer = next((base for base in kind.__mro__ if "predict" in vars(base)), None)
    return "search" if definer is BaseSearchCV else known.get(kind)
