"""What does a classifier make of the samples given, before anything is rejected?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from abstain._core.checks import InputError
from abstain._core.estimators import n_samples_of, names_of_features, unwrap
from abstain._core.sklearn_private import take_rows
from abstain.classifier import RejectOptionClassifier

__all__ = [
    "MAX_DETAILS",
    "Samples",
    "details",
    "feature_names_of",
    "look_at",
    "names_of_samples",
    "places_of_details",
]

Array = NDArray[Any]

# Of so many samples a report tells the reason and what lies behind it.
MAX_DETAILS = 20_000
# Features that are named as telling two classes apart.
N_FEATURES = 3


class Samples(NamedTuple):
    """Certainty, cell (its position in ``thresholds_``) and both classes of each sample.

    Classes are numbers of ``classes``: those of the classifier, then those that only y has.
    """

    certainty: NDArray[np.float64]
    position: NDArray[np.int64]
    truth: NDArray[np.int64]
    answer: NDArray[np.int64]
    classes: list[Any]

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Whether each sample is given another class than its own."""
        return np.asarray(self.truth != self.answer)


def look_at(clf: RejectOptionClassifier, X: Any, y: Any) -> Samples:
    """Ask a fitted classifier about samples whose classes are known."""
    labels = np.asarray(column_or_1d(y))
    if not len(labels) or len(labels) != n_samples_of(X):
        raise InputError(
            f"y must name the class of each of {n_samples_of(X)} samples, got {len(labels)} "
            "labels; give at least one sample"
        )
    known = clf.classes_.tolist()
    found = dict.fromkeys(labels.tolist())
    if not set(known) & set(found):
        raise InputError(
            f"y must hold classes of the classifier ({known[:5]}), got none of them but "
            f"{list(found)[:5]}"
        )
    strange = [label for label in found if label not in set(known)]
    classes = [*known, *sorted(strange, key=str)]
    code = {label: index for index, label in enumerate(classes)}
    answers = np.asarray(clf.estimator_.predict(X)).tolist()
    return Samples(
        clf.certainties(X),
        clf.apply(X),
        np.array([code[label] for label in labels.tolist()], dtype=np.int64),
        np.array([code[label] for label in answers], dtype=np.int64),
        classes,
    )


def names_of_samples(X: Any, given: Sequence[Any] | None) -> list[str] | None:
    """Return what the samples are called; None if only their number tells them apart."""
    if given is not None:
        names = [str(name) for name in given]
        if len(names) != n_samples_of(X):
            raise InputError(
                f"sample_names must name each of {n_samples_of(X)} samples, got {len(names)} names"
            )
        return names
    index = getattr(X, "index", None)  # of a frame of pandas
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    return [str(name) for name in index]


def feature_names_of(clf: RejectOptionClassifier, given: Sequence[Any] | None) -> list[str] | None:
    """Return what the features are called that reach the model; None if it does not say."""
    steps, model = unwrap(clf.estimator_)
    try:
        known = [str(name) for name in names_of_features(steps, model)]
    except AttributeError:  # a model that does not count its features
        known = None
    if given is None:
        return known
    names = [str(name) for name in given]
    if known is not None and len(names) != len(known):
        raise InputError(
            f"feature_names must name each of the {len(known)} features that reach the model, got "
            f"{len(names)} names"
        )
    return names


def places_of_details(samples: Samples, limit: int = MAX_DETAILS) -> NDArray[np.int64]:
    """Return which samples are told about in detail: of too many, the least sure of each cell."""
    n_samples = len(samples.certainty)
    if n_samples <= limit:
        return np.arange(n_samples)
    order = np.lexsort((samples.certainty, samples.position))
    sizes = np.bincount(samples.position)
    starts = np.cumsum(sizes) - sizes
    ranks = np.empty(n_samples)
    ranks[order] = np.arange(n_samples) - starts[samples.position[order]]
    shares = ranks / sizes[samples.position]
    return np.sort(np.argsort(shares, kind="stable")[:limit])


def details(
    clf: RejectOptionClassifier, X: Any, places: NDArray[np.int64], samples: Samples
) -> dict[str, Any]:
    """Return what lies behind the answers to some samples, were they rejected.

    Rival, reason, the estimated probability of being right where something estimates it, and the
    deciding features: numbers, in the order in which they reach the model.
    """
    everything = copy(clf)
    everything.thresholds_ = np.full(len(clf.thresholds_), np.inf)
    rows = X if len(places) == len(samples.certainty) else take_rows(X, places)
    table = everything.explain(rows, n_features=N_FEATURES)
    code = {label: index for index, label in enumerate(samples.classes)}
    found: dict[str, Any] = {
        "rival": [code.get(label, -1) for label in table["rival"].to_list()],
        "far": [int(reason == "far") for reason in table["reason"].to_list()],
        "correct_proba": None,
        "features": None,
        "shares": None,
    }
    if not table["correct_proba"].is_nan().any():
        found["correct_proba"] = table["correct_proba"].round(6).to_list()
    features = table["features"].to_list()
    if features and features[0] is not None:
        steps, model = unwrap(clf.estimator_)
        number = {name: index for index, name in enumerate(names_of_features(steps, model))}
        found["features"] = [[number[name] for name in names] for names in features]
        shares = table["contributions"].to_list()
        found["shares"] = [[round(share, 4) for share in some] for some in shares]
    return found
