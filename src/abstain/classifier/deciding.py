"""What is answered, how surely, and is it enough, with the samples looked at only once?

Each of `predict`, `certainties` and `apply` has samples transformed and measured anew. Here they
pass the transformers of a pipeline once; and where the model answers with its closest prototype,
one matrix of distances tells the answer, the cell and, by RelSim, the certainty.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from abstain._estimators import pass_through
from abstain.cells import auto_rule, find_cells
from abstain.certainty import auto_measure, measure_certainty
from abstain.certainty.relative_similarity import similarity
from abstain.classifier.calibration import Rules
from abstain.classifier.regions import Regions
from abstain.models.base import PrototypeClassifier

__all__ = ["Decisions", "decide"]

Array = NDArray[Any]


class Decisions(NamedTuple):
    """For each sample, what the classifier makes of it.

    Attributes
    ----------
    answers : ndarray of shape (n_samples,)
        Position of the predicted class in ``classes_``, of rejected samples too.
    certainty : ndarray of shape (n_samples,)
        How sure the classifier is.
    positions : ndarray of shape (n_samples,)
        Position in ``thresholds_`` of the threshold that decides.
    rejected : ndarray of bool of shape (n_samples,)
        Whether the certainty is below it.
    """

    answers: NDArray[np.int64]
    certainty: NDArray[np.float64]
    positions: NDArray[np.int64]
    rejected: NDArray[np.bool_]


def decide(
    estimator: Any, X: Any, rules: Rules, cells: Array, thresholds: NDArray[np.float64]
) -> Decisions:
    """Return what a fitted classifier answers, how surely, and what the thresholds say to it."""
    model, seen = _behind_pipelines(estimator, X)
    classes = np.asarray(estimator.classes_)
    measure, rule = _names(estimator, rules)
    distances: Any = None
    winners: Any = None
    owners: Any = None
    if _answers_by_the_closest(model):
        distances = model.distances(seen)
        winners, owners = distances.argmin(axis=1), _codes(model.prototype_labels_, classes)
        answers = owners[winners]
    else:
        answers = _codes(np.asarray(model.predict(seen)), classes)
    if measure == "relsim" and distances is not None:
        certainty = similarity(distances, owners)
    elif isinstance(measure, str):
        certainty = measure_certainty(model, seen, measure)
    else:
        certainty = measure_certainty(estimator, X, measure)
    regions = Regions(cells)
    if rule == "prototype" and winners is not None:
        positions = regions.positions(np.arange(len(model.prototypes_)))[winners]
    elif rule == "class":
        positions = regions.positions(classes)[answers]
    elif rule == "global":
        positions = np.full(len(answers), regions.positions(np.zeros(1, np.int64))[0])
    elif isinstance(rule, str):
        positions = regions.positions(find_cells(model, seen, rule))
    else:
        positions = regions.positions(find_cells(estimator, X, rule))
    return Decisions(answers, certainty, positions, certainty < thresholds[positions])


def _behind_pipelines(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return what stands at the end of pipelines, and the samples as it sees them."""
    while isinstance(estimator, Pipeline | FrozenEstimator):
        if isinstance(estimator, Pipeline):
            *before, (_, last) = estimator.steps
            steps = [step for _, step in before if step is not None and step != "passthrough"]
            X, estimator = pass_through(steps, X), last
        else:
            estimator = estimator.estimator
    return estimator, X


def _names(estimator: Any, rules: Rules) -> tuple[Any, Any]:
    """Return the measure and the rule by name where they have one: what "auto" means is known."""
    measure = auto_measure(estimator).name if _is_auto(rules.certainty) else rules.certainty
    rule = auto_rule(estimator).name if _is_auto(rules.cells) else rules.cells
    return measure, rule


def _is_auto(rule: Any) -> bool:
    return isinstance(rule, str) and rule == "auto"


def _answers_by_the_closest(model: Any) -> bool:
    """Tell whether a model answers with its closest prototype, as most of ours do."""
    kind = type(model)
    return (
        isinstance(model, PrototypeClassifier)
        and kind.predict is PrototypeClassifier.predict
        and kind.apply is PrototypeClassifier.apply
    )


def _codes(labels: Array, classes: Array) -> NDArray[np.int64]:
    """Return the position of each label among the classes, which ascend."""
    return np.asarray(np.searchsorted(classes, labels), dtype=np.int64)
