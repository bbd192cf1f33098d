"""How good is one fixed choice of rejects?

These scores need only the four kinds of samples: correct or wrong, and accepted or rejected. They
use no certainty, so they apply to local thresholds, or to a person's choice, alike.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from abstain._core.checks import check_boolean_vector
from abstain.metrics._samples import check_samples, documented


@documented
def classification_quality(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    rejected: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Compute the share of samples that are correct and accepted, or wrong and rejected.

    With A the accepted and R the rejected samples,

    .. math::
        Q = \frac{\sum_{i \in A} w_i [\hat y_i = y_i] + \sum_{i \in R} w_i [\hat y_i \ne y_i]}
                 {\sum_i w_i}.

    It is the accuracy where nothing is rejected, and the error rate where everything is.

    Returns
    -------
    float
        The share, between 0 and 1; higher is better.

    References
    ----------
    F. Condessa, J. Bioucas-Dias, J. Kovačević: Performance measures for classification systems
    with rejection. Pattern Recognition 63 (2017), 437-450.

    Examples
    --------
    One of two errors is rejected, and one of three correct predictions with it.

    >>> from abstain.metrics import classification_quality
    >>> y_true, y_pred = [1, 0, 1, 1, 0], [1, 0, 0, 1, 1]
    >>> classification_quality(y_true, y_pred, rejected=[False, False, False, True, True])
    0.6
    """
    kinds = _weigh_kinds(y_true, y_pred, rejected, sample_weight)
    return (kinds.correct_accepted + kinds.wrong_rejected) / sum(kinds)


@documented
def rejection_quality(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    rejected: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Compute the ratio of the odds of an error among rejected samples and among all samples.

    The odds of being wrong among the rejected samples R, over the same odds among all samples:

    .. math::
        \varphi = \frac{\sum_{i \in R} w_i [\hat y_i \ne y_i]}
                       {\sum_{i \in R} w_i [\hat y_i = y_i]} \Biggl/
                  \frac{\sum_i w_i [\hat y_i \ne y_i]}{\sum_i w_i [\hat y_i = y_i]}.

    In other words: the share of the errors that is rejected, over the share of the correct
    predictions that is. Rejecting at random gives about 1.

    Returns
    -------
    float
        0 or more, higher is better: inf where errors are rejected and no correct prediction is;
        NaN (0/0) where nothing is rejected, or no prediction is wrong, or none is correct.

    References
    ----------
    F. Condessa, J. Bioucas-Dias, J. Kovačević: Performance measures for classification systems
    with rejection. Pattern Recognition 63 (2017), 437-450.

    Examples
    --------
    One of two errors is rejected, and one of three correct predictions: (1/2) / (1/3).

    >>> from abstain.metrics import rejection_quality
    >>> y_true, y_pred = [1, 0, 1, 1, 0], [1, 0, 0, 1, 1]
    >>> rejection_quality(y_true, y_pred, rejected=[False, False, False, True, True])
    1.5
    """
    kinds = _weigh_kinds(y_true, y_pred, rejected, sample_weight)
    wrong = kinds.wrong_accepted + kinds.wrong_rejected
    correct = kinds.correct_accepted + kinds.correct_rejected
    if wrong == 0 or correct == 0:
        return float("nan")
    if kinds.correct_rejected == 0:
        return float("inf") if kinds.wrong_rejected > 0 else float("nan")
    return (kinds.wrong_rejected / wrong) / (kinds.correct_rejected / correct)


class _Kinds(NamedTuple):
    """The weight of the samples of each kind."""

    correct_accepted: float
    correct_rejected: float
    wrong_accepted: float
    wrong_rejected: float


def _weigh_kinds(
    y_true: ArrayLike, y_pred: ArrayLike, rejected: ArrayLike, sample_weight: ArrayLike | None
) -> _Kinds:
    rejected = check_boolean_vector("rejected", rejected)
    labels, predictions, weights = check_samples(y_true, y_pred, sample_weight, rejected=rejected)
    correct = np.asarray(labels == predictions, dtype=np.bool_)
    masks = (correct & ~rejected, correct & rejected, ~correct & ~rejected, ~correct & rejected)
    return _Kinds(*(float(weights[mask].sum()) for mask in masks))
