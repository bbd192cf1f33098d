"""Which samples are scored, with which weights, and in which order are they accepted?

The samples are ranked once, in descending order of certainty. The k-th group is the k-th largest
distinct certainty; accepting it means accepting all groups before it as well. Curves and scores use
cumulative weights at the end of each group, never within one, so that they do not depend on the
order of tied rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import (
    as_labels,
    check_none_missing,
    check_real_vector,
    check_same_length,
    check_weights,
    refuse_elements,
)
from abstain._core.documentation import documented
from abstain._core.errors import InputError, shown

_KINDS_OF_LABELS = {
    **dict.fromkeys("biufc", "numbers"),
    **dict.fromkeys("UT", "text"),
    "S": "bytes",
    "M": "dates",
}

# Documents the parameters that metrics share.
documented_metric = documented("""
y_true : array-like of shape (n_samples,)
    The true labels, of any kind.
y_pred : array-like of shape (n_samples,)
    The predicted labels, also those of rejected samples.
certainty : array-like of shape (n_samples,)
    Certainty of each prediction, whichever label it is; higher is more certain. Samples of equal
    certainty are rejected together.
rejected : array-like of bool of shape (n_samples,)
    Which samples are rejected.
pos_label : label
    The label that counts as positive; all others together are negative.
sample_weight : array-like of shape (n_samples,)
    Finite weights, none negative. A weight of 2 counts as two equal rows, 0 as none.
confidence : float
    Confidence of each interval for itself, in (0, 1).
""")


def check_samples(
    y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None, **aligned: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return labels, predictions and weights; ``aligned`` arrays must have the same length."""
    labels, predictions = _check_labels("y_true", y_true), _check_labels("y_pred", y_pred)
    weights = None if sample_weight is None else _check_weights(sample_weight)
    check_same_length(y_true=labels, y_pred=predictions, **aligned, sample_weight=weights)
    _check_comparable(labels, predictions)
    return labels, predictions, np.ones(len(labels)) if weights is None else weights


@dataclass(frozen=True, eq=False)
class RankedSamples:
    """The samples of positive weight in descending order of certainty, and where groups end.

    ``y_true``, ``y_pred`` and ``weights`` have one entry per sample; ``ends`` (one past the
    position of a group's last sample) and ``certainties`` (descending) one per group.
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any]
    weights: NDArray[np.float64]
    ends: NDArray[np.intp]
    certainties: NDArray[np.float64]

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each sample's prediction equals its label."""
        return np.asarray(self.y_true == self.y_pred, dtype=np.bool_)

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Number of samples in each group."""
        return np.diff(self.ends, prepend=0)

    def accepted_weight(self, marked: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return the weight of the (marked) samples accepted with each group."""
        weights = self.weights if marked is None else self.weights * marked
        return np.asarray(np.cumsum(weights)[self.ends - 1], dtype=np.float64)


def rank_samples(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    certainty: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> RankedSamples:
    """Check the aligned arrays and rank the samples by descending certainty."""
    certainty = check_real_vector("certainty", certainty)
    labels, predictions, weights = check_samples(y_true, y_pred, sample_weight, certainty=certainty)
    # A sample of weight zero must not form a group, and a row, of its own.
    counted = np.flatnonzero(weights)
    order = counted[np.argsort(-certainty[counted])]
    ranked = certainty[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]) + 1, len(ranked))
    return RankedSamples(
        y_true=labels[order],
        y_pred=predictions[order],
        weights=weights[order],
        ends=ends,
        certainties=ranked[ends - 1],
    )


def check_shares(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return numbers that must lie in [0, 1]."""
    shares = check_real_vector(name, values)
    refuse_elements(name, shares, ~((shares >= 0) & (shares <= 1)), "must lie in [0, 1]")
    return shares


def _check_labels(name: str, values: ArrayLike) -> NDArray[Any]:
    labels = as_labels(name, values)
    check_none_missing(name, labels)
    return labels


def sorted_labels(labels: set[Any]) -> list[Any]:
    """Return labels in ascending order, or by their type if those of mixed types have no order."""
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def _check_comparable(labels: NDArray[Any], predictions: NDArray[Any]) -> None:
    """Refuse labels of two kinds: they are never equal, so all predictions would count as wrong."""
    kinds = [_KINDS_OF_LABELS.get(array.dtype.kind) for array in (labels, predictions)]
    if None not in kinds and kinds[0] != kinds[1]:
        label, prediction = labels[:1].tolist()[0], predictions[:1].tolist()[0]
        raise InputError(
            argument="y_pred",
            value=prediction,
            requirement=f"must hold {kinds[0]} as y_true does ({shown(label)})",
            got=f"{kinds[1]} ({shown(prediction)})",
        )


def _check_weights(sample_weight: ArrayLike) -> NDArray[np.float64]:
    weights = check_weights("sample_weight", sample_weight)
    largest = weights.max()
    if largest == 0:
        raise InputError(
            argument="sample_weight",
            value=0.0,
            requirement="must hold at least one positive weight",
            got="only zeros",
        )
    # Only ratios of weights matter. Division by a power of two is exact, and keeps sums of large
    # weights finite and products of small ones above zero.
    return np.asarray(np.ldexp(weights, -np.frexp(largest)[1]), dtype=np.float64)
