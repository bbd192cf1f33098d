"""What does a report show of samples: predictions, reasons and values?

All of it is known before any sample is rejected.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from abstain._core.checks import check_names
from abstain._core.errors import InputError
from abstain._core.estimators import (
    n_samples_of,
    names_of_features,
    unwrap,
)
from abstain._core.sklearn_private import take_rows
from abstain.classifier import RejectOptionClassifier
from abstain.classifier.explain import explanation_table
from abstain.tables.writing import json_number

Array = NDArray[Any]

# Number of samples that are explained: the reason for their rejection and what it is based on.
MAX_DETAILS = 20_000
# Number of values that are shown of these samples, and of features whatever their number.
MAX_VALUES = 300_000
FEWEST_VALUES = 5
# Number of features that are named as separating two classes.
N_FEATURES = 3


def json_numbers(values: NDArray[np.float64]) -> list[Any]:
    """Return an array as JSON can hold it: infinities become text."""
    if values.ndim > 1:
        return [json_numbers(row) for row in values]
    return list(map(json_number, values.tolist()))


class Samples(NamedTuple):
    """Certainty, cell (its position in ``thresholds_``), true and predicted class of each sample.

    An ``outlier`` is rejected by all thresholds, and ``rejected`` are those that the classifier's
    own thresholds reject. Classes are positions in ``classes``: those of the
    classifier, then those that only y has.
    """

    certainty: NDArray[np.float64]
    position: NDArray[np.int64]
    truth: NDArray[np.int64]
    answer: NDArray[np.int64]
    outlier: NDArray[np.bool_]
    rejected: NDArray[np.bool_]
    classes: list[Any]

    @property
    def rank(self) -> NDArray[np.float64]:
        """The order in which the samples of a cell are rejected: outliers first."""
        return np.where(self.outlier, -np.inf, self.certainty)

    def take(self, members: NDArray[np.bool_]) -> Samples:
        """Return some of the samples."""
        arrays = {name: getattr(self, name)[members] for name in self._fields[:-1]}
        return self._replace(**arrays)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Whether the predicted class of each sample is wrong."""
        return np.asarray(self.truth != self.answer)


def evaluate_samples(clf: RejectOptionClassifier, X: Any, y: Any) -> Samples:
    """Evaluate a fitted classifier on samples whose classes are known."""
    labels = np.asarray(column_or_1d(y))
    if len(labels) != n_samples_of(X):
        raise InputError(
            f"y must name the class of each of the {n_samples_of(X)} samples of X, got "
            f"{len(labels)} labels; give one label per sample"
        )
    if not len(labels):
        raise InputError("X must hold at least one sample, got 0")
    known = clf.classes_.tolist()
    present = dict.fromkeys(labels.tolist())
    if not set(known) & set(present):
        raise InputError(
            f"y must hold classes of the classifier ({known[:5]}), got none of them but "
            f"{list(present)[:5]}"
        )
    unknown = [label for label in present if label not in set(known)]
    classes = [*known, *sorted(unknown, key=str)]
    code = {label: index for index, label in enumerate(classes)}
    decisions = clf.decide(X)
    return Samples(
        decisions.certainty,
        decisions.positions,
        np.array([code[label] for label in labels.tolist()], dtype=np.int64),
        decisions.class_indices,
        decisions.outlier,
        decisions.rejected,
        classes,
    )


def names_of_samples(X: Any, given: Sequence[Any] | None) -> list[str] | None:
    """Return the names of the samples; None if they are only numbered."""
    if given is not None:
        names = [str(name) for name in given]
        check_names("sample_names", names, n_samples_of(X), "samples")
        return names
    index = getattr(X, "index", None)  # of a frame of pandas
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    return [str(name) for name in index]


def rows_of_samples(X: Any, given: Any, places: NDArray[np.int64]) -> list[int] | None:
    """Return where some samples stand in their file; None if that is not known."""
    if given is None:
        return None
    rows = np.asarray(given)
    if rows.shape != (n_samples_of(X),) or rows.dtype.kind not in "iu":
        raise InputError(
            argument="sample_rows",
            requirement=f"must hold one whole number for each of the {n_samples_of(X)} samples",
            got=f"an array of shape {rows.shape} and type {rows.dtype}",
        )
    chosen: list[int] = rows[places].tolist()
    return chosen


def feature_names_of(clf: RejectOptionClassifier, given: Sequence[Any] | None) -> list[str] | None:
    """Return the names of the features that reach the model; None if they are unknown."""
    steps, model = unwrap(clf.estimator_)
    try:
        known = [str(name) for name in names_of_features(steps, model)]
    except AttributeError:  # a model that does not count its features
        known = None
    if given is None:
        return known
    names = [str(name) for name in given]
    if known is not None:
        check_names("feature_names", names, len(known), "features that reach the model")
    return names


def choose_explained(samples: Samples, limit: int = MAX_DETAILS) -> NDArray[np.int64]:
    """Return the indices of samples to explain: of too many, wrong answers and the least certain.

    First come the wrong answers at the classifier's own thresholds, the most certain first, up to
    half of the limit; the others are the least certain samples of each cell.
    """
    n_samples = len(samples.certainty)
    if n_samples <= limit:
        return np.arange(n_samples)
    wrong = np.flatnonzero(samples.wrong & ~samples.rejected)
    chosen = np.zeros(n_samples, dtype=bool)
    most_certain = np.argsort(-samples.certainty[wrong], kind="stable")
    chosen[wrong[most_certain[: limit // 2]]] = True
    order = np.lexsort((samples.rank, samples.position))
    sizes = np.bincount(samples.position)
    starts = np.cumsum(sizes) - sizes
    ranks = np.empty(n_samples)
    ranks[order] = np.arange(n_samples) - starts[samples.position[order]]
    shares = np.where(chosen, np.inf, ranks / sizes[samples.position])
    chosen[np.argsort(shares, kind="stable")[: limit - np.count_nonzero(chosen)]] = True
    return np.flatnonzero(chosen)


def explain_samples(
    clf: RejectOptionClassifier, X: Any, places: NDArray[np.int64], samples: Samples
) -> dict[str, Any]:
    """Explain the predictions for some samples: why each is rejected, or would be.

    Rival, reason in a sentence, the estimated probability of being right, where there is an
    estimate, and the deciding features, as numbers in the order in which they reach the model.
    """
    rows = X if len(places) == len(samples.certainty) else take_rows(X, places)
    table = explanation_table(clf, rows, N_FEATURES, at_any_threshold=True)
    code = {label: index for index, label in enumerate(samples.classes)}
    details: dict[str, Any] = {
        "rival": [code.get(label, -1) for label in table["rival"].to_list()],
        "reason": table["reason"].to_list(),
        "unusual": table["unusual"].to_list() if samples.outlier[places].any() else None,
        "correct_proba": None,
        "features": None,
        "shares": None,
    }
    if not table["correct_proba"].is_nan().all():
        details["correct_proba"] = table["correct_proba"].fill_nan(None).round(6).to_list()
    features = table["features"].to_list()
    if features and features[0] is not None:
        steps, model = unwrap(clf.estimator_)
        number = {name: index for index, name in enumerate(names_of_features(steps, model))}
        details["features"] = [[number[name] for name in names] for names in features]
        shares = table["contributions"].to_list()
        details["shares"] = [[round(share, 4) for share in some] for some in shares]
    return details


def values_of_samples(
    X: Any, places: NDArray[np.int64], features: list[str] | None, order: Sequence[int] | None
) -> dict[str, Any] | None:
    """Return the values of some samples as they were given, by feature; None if X is no table.

    Of too many features, the first ones of ``order`` are returned, if it ranks those of X.
    """
    rows = take_rows(X, places)
    if hasattr(rows, "columns"):
        names = [str(name) for name in rows.columns]
        columns = [np.asarray(rows[name]) for name in rows.columns]
    else:
        table = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)
        if table.ndim != 2:
            return None
        is_named = features is not None and len(features) == table.shape[1]
        names = [f"feature {number}" for number in range(table.shape[1])]
        names = list(features) if is_named and features is not None else names
        columns = list(table.T)
    ranked = order if order is not None and len(order) == len(names) else range(len(names))
    shown = list(ranked)[: max(FEWEST_VALUES, MAX_VALUES // max(len(places), 1))]
    return {
        "names": [names[number] for number in shown],
        "columns": [list(map(_value, columns[number].tolist())) for number in shown],
        "n_features": len(names),
    }


def _value(value: Any) -> Any:
    """Return a value as JSON can hold it: a number with few digits, text, or None if missing."""
    if value is None or value != value:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return json_number(float(f"{value:.6g}")) if isinstance(value, float) else value


def evenly_spaced(places: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return some of the places."""
    return places[np.linspace(0, len(places) - 1, min(size, len(places))).round().astype(np.int64)]
