"""How good are the accepted predictions as more and more uncertain ones are rejected?

For a threshold θ the sample i is rejected iff its certainty r_i < θ. A curve has one row for every
set of samples that some threshold accepts, from all of them to the most certain group alone. The
curves of repeated runs are averaged where enough of them have a value.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import as_vector, check_fraction, check_same_length, refuse_elements
from abstain._core.errors import InputError, shown
from abstain._core.text import first_of
from abstain.metrics._samples import (
    RankedSamples,
    check_shares,
    documented_metric,
    rank_samples,
    sorted_labels,
)

# A grid point and a reject rate closer than this are the same number up to rounding:
# np.linspace(0, 1, 11)[3] is not 3 / 10.
_SAME_RATE = 1e-12

_Curve = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


@documented_metric
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


@documented_metric
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


@documented_metric
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
        raise InputError(argument="pos_label", value=pos_label, requirement="must be one label")
    positive = np.asarray(ranked.y_true == pos_label, dtype=np.bool_)
    predicted = np.asarray(ranked.y_pred == pos_label, dtype=np.bool_)
    if not (positive.any() or predicted.any()):
        labels = sorted_labels({*ranked.y_true.tolist(), *ranked.y_pred.tolist()})
        raise InputError(
            argument="pos_label",
            value=pos_label,
            requirement="must be a label that occurs in y_true or y_pred",
            remedy=f"the labels are {first_of([shown(label) for label in labels], 10)}",
        )
    return positive, predicted


class AveragedCurve(NamedTuple):
    """The mean curve of repeated runs, as `average_curves` returns it.

    Parameters
    ----------
    grid : ndarray of shape (n_points,)
        The reject rates.
    mean : ndarray of shape (n_points,)
        Mean over the runs that have a value there; NaN where too few of them have one.
    std : ndarray of shape (n_points,)
        Standard deviation over the same runs (divided by their number); NaN where the mean is.
    share : ndarray of shape (n_points,)
        Share of the runs that have a value there.

    Examples
    --------
    >>> from abstain.metrics import average_curves
    >>> average_curves([([0.5, 1.0], [0.0, 0.5])], grid=[0.1])._fields
    ('grid', 'mean', 'std', 'share')
    """

    grid: NDArray[np.float64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    share: NDArray[np.float64]


def average_curves(
    curves: Iterable[Sequence[ArrayLike]], grid: ArrayLike, min_share: float = 0.8
) -> AveragedCurve:
    """Average the reject curves of repeated runs at the given reject rates.

    A run has a value at a grid point within its own range of reject rates: the straight line
    between its two neighbouring points there. It is extended neither beyond its ends nor across a
    point whose value is NaN. Where fewer than ``min_share`` of the runs have a value, the mean is
    NaN: it would be a mean of other runs than elsewhere.

    Parameters
    ----------
    curves : sequence of (values, reject_rates, ...)
        One tuple per run, as the curve functions return it; what follows the first two arrays is
        ignored. The reject rates lie in [0, 1] and ascend strictly.
    grid : array-like of shape (n_points,)
        The reject rates at which to average, in [0, 1].
    min_share : float, default=0.8
        The share of the runs, in (0, 1], that must have a value. The default is the rule of [1]_:
        80 of 100 runs.

    Returns
    -------
    AveragedCurve
        Named tuple of the arrays ``grid``, ``mean``, ``std`` and ``share``.

    References
    ----------
    .. [1] L. Fischer, B. Hammer, H. Wersing: Optimum reject options for prototype-based
       classification. arXiv:1503.06549 (2015).

    Examples
    --------
    The second run ends at a reject rate of 0.5, the first at 0.8.

    >>> from abstain.metrics import average_curves
    >>> runs = [([0.8, 1.0], [0.0, 0.8]), ([0.6, 0.8], [0.0, 0.5])]
    >>> averaged = average_curves(runs, grid=[0.0, 0.4, 0.8])
    >>> averaged.mean.round(3).tolist()
    [0.7, 0.83, nan]
    >>> averaged.std.round(3).tolist()
    [0.1, 0.07, nan]
    >>> averaged.share.tolist()
    [1.0, 1.0, 0.5]
    """
    min_share = check_fraction("min_share", min_share, high_open=False)
    grid = check_shares("grid", grid)
    runs = [values_at(grid, *_check_curve(k, curve)) for k, curve in enumerate(curves)]
    if not runs:
        raise InputError(argument="curves", requirement="must hold at least one run", got="0")
    values = np.stack(runs)

    known = ~np.isnan(values)
    counts = np.count_nonzero(known, axis=0)
    # Compare quotients: 80 / 100 is exactly the float 0.8, while 0.8 times a number of runs may be
    # just above a whole number.
    share = counts / len(values)
    enough = share >= min_share
    mean = _divide(np.sum(values, axis=0, where=known), counts, where=enough)
    variance = _divide(np.sum((values - mean) ** 2, axis=0, where=known), counts, where=enough)
    return AveragedCurve(grid=grid, mean=mean, std=np.sqrt(variance), share=share)


def values_at(
    grid: NDArray[np.float64], values: NDArray[np.float64], reject_rates: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Interpolate one run at the grid points; NaN where it has no value."""
    next_row = np.searchsorted(reject_rates, grid - _SAME_RATE)
    nearby = reject_rates[np.minimum(next_row, len(reject_rates) - 1)]
    points = np.where(np.abs(nearby - grid) <= _SAME_RATE, nearby, grid)
    return np.interp(points, reject_rates, values, left=np.nan, right=np.nan)


def _divide(
    sums: NDArray[np.float64], counts: NDArray[Any], where: NDArray[np.bool_]
) -> NDArray[np.float64]:
    quotients = np.full(len(sums), np.nan)
    np.divide(sums, counts, out=quotients, where=where)
    return quotients


def _check_curve(
    position: int, curve: Sequence[ArrayLike]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    name = f"curves[{position}]"
    if not hasattr(curve, "__len__") or len(curve) < 2:
        raise InputError(
            argument=name, value=curve, requirement="must be (values, reject_rates, ...)"
        )
    values = _check_values(f"values of {name}", curve[0])
    reject_rates = check_shares(f"reject_rates of {name}", curve[1])
    check_same_length(**{f"values of {name}": values, f"reject_rates of {name}": reject_rates})
    steps = np.diff(reject_rates)
    if (steps <= 0).any():
        where = int(np.argmax(steps <= 0))
        first, second = reject_rates[where : where + 2].tolist()
        raise InputError(
            argument=f"reject_rates of {name}",
            value=second,
            requirement="must ascend strictly",
            got=f"{first} before {second} at index {where}",
        )
    return values, reject_rates


def _check_values(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = as_vector(name, values)
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            argument=name, value=array.tolist(), requirement="must be numbers or NaN"
        ) from None
    refuse_elements(name, numbers, np.isinf(numbers), "must be finite or NaN")
    return numbers
