"""How good are the accepted predictions as more and more uncertain ones are rejected?

For a threshold θ the sample i is rejected iff its certainty r_i < θ. A curve has one row for every
set of samples that some threshold accepts, from all of them to the most certain group alone.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError, shown
from abstain.metrics._samples import RankedSamples, documented, rank_samples

_Curve = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


@documented
def accuracy_reject_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    certainty: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> _Curve:
    r"""Compute the accuracy of the accepted samples for every possible reject rate.

    With weights w_i (1 if none are given), row k rejects all samples below θ_k:

    .. math::
        \mathrm{accuracy}_k = \frac{\sum_{r_i \ge \theta_k} w_i [\hat y_i = y_i]}
                                   {\sum_{r_i \ge \theta_k} w_i}, \qquad
        \mathrm{reject\ rate}_k = \frac{\sum_{r_i < \theta_k} w_i}{\sum_i w_i}.

    Rejecting everything leaves no accuracy (0/0) and is not a row.

    Returns
    -------
    accuracies : ndarray of shape (n_rows,)
        Accuracy of the accepted samples.
    reject_rates : ndarray of shape (n_rows,)
        Share of the samples that is rejected; ascends from 0.
    thresholds : ndarray of shape (n_rows,)
        Row k rejects the samples with ``certainty < thresholds[k]``. The first is -inf (reject
        nothing), then follows every distinct certainty but the smallest, ascending.

    See Also
    --------
    aurc_score : The area under one minus this curve, in one number.
    average_curves : Average the curves of repeated runs.

    References
    ----------
    M. S. A. Nadeem, J.-D. Zucker, B. Hanczar: Accuracy-rejection curves (ARCs) for comparing
    classification methods with a reject option. JMLR W&CP 8 (2010), 65-81.

    Examples
    --------
    Five predictions, the third and the fifth of them wrong; two are equally certain.

    >>> from abstain.metrics import accuracy_reject_curve
    >>> accuracies, reject_rates, thresholds = accuracy_reject_curve(
    ...     y_true=["cat", "dog", "cat", "cat", "dog"],
    ...     y_pred=["cat", "dog", "dog", "cat", "cat"],
    ...     certainty=[0.9, 0.8, 0.8, 0.5, 0.3],
    ... )
    >>> accuracies.round(3).tolist()
    [0.6, 0.75, 0.667, 1.0]
    >>> reject_rates.tolist()
    [0.0, 0.2, 0.4, 0.8]
    >>> thresholds.tolist()
    [-inf, 0.5, 0.8, 0.9]
    """
    ranked = rank_samples(y_true, y_pred, certainty, sample_weight)
    return _reject_curve(ranked, among=np.ones(len(ranked.weights), dtype=np.bool_))


@documented
def precision_reject_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    certainty: ArrayLike,
    *,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> _Curve:
    r"""Compute the precision among the accepted samples for every possible reject rate.

    Of the accepted samples predicted positive, precision is the share that is positive:

    .. math::
        \mathrm{precision}_k = \frac{\sum_{r_i \ge \theta_k} w_i [\hat y_i = y_i = +]}
                                    {\sum_{r_i \ge \theta_k} w_i [\hat y_i = +]}.

    Returns
    -------
    precisions : ndarray of shape (n_rows,)
        Precision among the accepted samples; NaN where none of them is predicted positive.
    reject_rates, thresholds : ndarray of shape (n_rows,)
        Share of rejected samples and threshold, as in `accuracy_reject_curve`.

    References
    ----------
    L. Fischer, P. Wollstadt: Precision and recall reject curves for classification.
    arXiv:2308.08381 (2023).

    Examples
    --------
    >>> from abstain.metrics import precision_reject_curve
    >>> precisions, reject_rates, _ = precision_reject_curve(
    ...     y_true=["ill", "well", "ill", "well", "ill"],
    ...     y_pred=["well", "ill", "ill", "well", "ill"],
    ...     certainty=[0.3, 0.4, 0.6, 0.9, 0.8],
    ...     pos_label="ill",
    ... )
    >>> precisions.round(3).tolist()  # the most certain prediction is a negative one
    [0.667, 0.667, 1.0, 1.0, nan]
    >>> reject_rates.tolist()
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    ranked = rank_samples(y_true, y_pred, certainty, sample_weight)
    return _reject_curve(ranked, among=_positives(ranked, pos_label)[1])


@documented
def recall_reject_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    certainty: ArrayLike,
    *,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> _Curve:
    r"""Compute the recall among the accepted samples for every possible reject rate.

    Of the accepted samples that are positive, recall is the share predicted so:

    .. math::
        \mathrm{recall}_k = \frac{\sum_{r_i \ge \theta_k} w_i [\hat y_i = y_i = +]}
                                 {\sum_{r_i \ge \theta_k} w_i [y_i = +]}.

    A rejected positive sample is not missed: it counts in neither sum.

    Returns
    -------
    recalls : ndarray of shape (n_rows,)
        Recall among the accepted samples; NaN where none of them is positive.
    reject_rates, thresholds : ndarray of shape (n_rows,)
        Share of rejected samples and threshold, as in `accuracy_reject_curve`.

    References
    ----------
    L. Fischer, P. Wollstadt: Precision and recall reject curves for classification.
    arXiv:2308.08381 (2023).

    Examples
    --------
    >>> from abstain.metrics import recall_reject_curve
    >>> recalls, reject_rates, _ = recall_reject_curve(
    ...     y_true=["ill", "well", "ill", "well", "ill"],
    ...     y_pred=["well", "ill", "ill", "well", "ill"],
    ...     certainty=[0.3, 0.4, 0.6, 0.9, 0.8],
    ...     pos_label="ill",
    ... )
    >>> recalls.round(3).tolist()  # the most certain sample is a negative one
    [0.667, 1.0, 1.0, 1.0, nan]
    >>> reject_rates.tolist()
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    ranked = rank_samples(y_true, y_pred, certainty, sample_weight)
    return _reject_curve(ranked, among=_positives(ranked, pos_label)[0])


def _reject_curve(ranked: RankedSamples, among: NDArray[np.bool_]) -> _Curve:
    """Return the share of correct predictions ``among`` the accepted samples, row by row."""
    hits = ranked.accepted_weight(among & ranked.correct)
    candidates = ranked.accepted_weight(among)
    values = np.full(len(hits), np.nan)
    np.divide(hits, candidates, out=values, where=candidates > 0)

    accepted = ranked.accepted_weight()
    # Subtracting before dividing gives exactly the float k/n.
    reject_rates = (accepted[-1] - accepted) / accepted[-1]
    # Groups are in descending order of certainty, rows in ascending order of rejects.
    thresholds = ranked.certainties[::-1].copy()
    thresholds[0] = -np.inf
    return values[::-1].copy(), reject_rates[::-1].copy(), thresholds


def _positives(
    ranked: RankedSamples, pos_label: Any
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which samples are positive and which are predicted positive."""
    if np.ndim(pos_label) != 0:
        raise InputError(f"pos_label must be one label, got {shown(pos_label)}")
    positive = np.asarray(ranked.y_true == pos_label, dtype=np.bool_)
    predicted = np.asarray(ranked.y_pred == pos_label, dtype=np.bool_)
    if not (positive.any() or predicted.any()):
        raise InputError(
            "pos_label must be a label that occurs in y_true or y_pred, "
            f"got {shown(pos_label)}; the labels are {_enumerate_labels(ranked)}"
        )
    return positive, predicted


def _enumerate_labels(ranked: RankedSamples, at_most: int = 10) -> str:
    labels = {*ranked.y_true.tolist(), *ranked.y_pred.tolist()}
    try:
        ordered = sorted(labels)
    except TypeError:  # labels of mixed types have no order
        ordered = sorted(labels, key=repr)
    more = f" and {len(ordered) - at_most} more" if len(ordered) > at_most else ""
    return ", ".join(map(repr, ordered[:at_most])) + more
