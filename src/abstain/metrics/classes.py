"""What does each class and each group get: how many are answered, right, wrong and rejected?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import (
    as_labels,
    check_boolean_vector,
    check_fraction,
    check_same_length,
)
from abstain.metrics._samples import check_samples, documented_metric
from abstain.metrics.confusion import confusion_matrix_with_rejects, labels_with_rejects


class ClassReport(NamedTuple):
    """The decisions about each class, as `class_report` returns them.

    Shares without a denominator are NaN: a recall if no sample of the class is answered, a
    precision if no answer names it.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes that occur, sorted.
    samples, answered, right, wrong, rejected : ndarray of shape (n_classes,)
        Numbers of samples of each class: ``samples = answered + rejected`` and ``answered = right +
        wrong``.
    recall, recall_low, recall_high : ndarray of shape (n_classes,)
        Of the answered samples of a class, the share that is answered by it, with limits.
    recall_with_rejects : ndarray of shape (n_classes,)
        Of all samples of a class, the share that is not answered wrongly: rejects are not missed.
    recall_rejects_missed : ndarray of shape (n_classes,)
        Of all samples of a class, the share that is answered by it: rejects are missed.
    precision, precision_low, precision_high : ndarray of shape (n_classes,)
        Of the answers that name a class, the share that is right, with limits.

    Examples
    --------
    The arrays are the columns of a table:

    >>> import polars as pl
    >>> from abstain.metrics import class_report
    >>> report = class_report([1, 1, 2], [1, 2, 2], [False, False, True])
    >>> pl.DataFrame(report._asdict()).select("classes", "samples", "rejected").rows()
    [(1, 2, 0), (2, 1, 1)]
    """

    classes: NDArray[Any]
    samples: NDArray[np.int64]
    answered: NDArray[np.int64]
    right: NDArray[np.int64]
    wrong: NDArray[np.int64]
    rejected: NDArray[np.int64]
    recall: NDArray[np.float64]
    recall_low: NDArray[np.float64]
    recall_high: NDArray[np.float64]
    recall_with_rejects: NDArray[np.float64]
    recall_rejects_missed: NDArray[np.float64]
    precision: NDArray[np.float64]
    precision_low: NDArray[np.float64]
    precision_high: NDArray[np.float64]


@documented_metric
def class_report(
    y_true: ArrayLike, y_pred: ArrayLike, rejected: ArrayLike, *, confidence: float = 0.95
) -> ClassReport:
    r"""Count the decisions about each class, with recall, precision and their exact limits.

    **What a rejected sample means for recall.** A rejected sample goes to a person, so that the
    classifier neither finds nor misses it: ``recall`` is a share of the answered samples, as in
    the target :class:`~abstain.Recall`. Two other readings are shares of all samples of the class:
    a rejected sample is not missed in ``recall_with_rejects`` (the person finds it), and missed in
    ``recall_rejects_missed`` (nobody looks at it):

    .. math::
        \text{recall} = \frac{\text{right}}{\text{answered}}, \quad
        \text{recall with rejects} = 1 - \frac{\text{wrong}}{\text{samples}}, \quad
        \text{recall, rejects missed} = \frac{\text{right}}{\text{samples}}.

    ``recall`` lies between the other two. For the positive class, ``recall`` is the sensitivity
    and ``precision`` the positive predictive value (PPV); for the negative class, they are the
    specificity and the negative predictive value (NPV).

    Limits are those of Clopper and Pearson [1]_: the interval contains the share on new samples
    with at least the given confidence, if the samples had no part in the thresholds.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        The predictions; those of rejected samples may be any label, such as a ``reject_label``.

    Returns
    -------
    ClassReport
        Named tuple of arrays with one entry for each class.

    See Also
    --------
    confusion_matrix_with_rejects : The counts of all pairs of classes.

    References
    ----------
    .. [1] C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits illustrated in the
       case of the binomial. Biometrika 26 (1934), 404-413.

    Examples
    --------
    Of five ill patients, three are found, one is missed and one is rejected:

    >>> from abstain.metrics import class_report
    >>> y_true = ["ill", "ill", "ill", "ill", "ill", "well", "well"]
    >>> y_pred = ["ill", "ill", "ill", "well", "ill", "well", "ill"]
    >>> rejected = [False, False, False, False, True, False, False]
    >>> report = class_report(y_true, y_pred, rejected)
    >>> report.answered.tolist(), report.right.tolist(), report.rejected.tolist()
    ([4, 2], [3, 1], [1, 0])
    >>> report.recall.tolist(), report.recall_with_rejects.tolist()
    ([0.75, 0.5], [0.8, 0.5])
    >>> report.recall_rejects_missed.tolist()
    [0.6, 0.5]
    >>> report.recall_low.round(3).tolist(), report.recall_high.round(3).tolist()
    ([0.194, 0.013], [0.994, 0.987])
    """
    confidence = check_fraction("confidence", confidence)
    is_rejected = check_boolean_vector("rejected", rejected)
    truth, predictions, _ = check_samples(y_true, y_pred, None, rejected=is_rejected)
    classes = labels_with_rejects(truth, predictions, is_rejected)
    counts = confusion_matrix_with_rejects(truth, predictions, is_rejected, labels=classes)
    samples, n_rejected = counts.sum(axis=1), counts[:, -1]
    answered, right, named = samples - n_rejected, counts.diagonal(), counts[:, :-1].sum(axis=0)
    return ClassReport(
        *(classes, samples, answered, right, answered - right, n_rejected),
        *(_share(right, answered), *_limits(right, answered, confidence)),
        *(_share(n_rejected + right, samples), _share(right, samples)),
        *(_share(right, named), *_limits(right, named, confidence)),
    )


class GroupReport(NamedTuple):
    """The decisions about each group, as `group_report` returns them.

    Parameters
    ----------
    groups : ndarray of shape (n_groups,)
        The groups, sorted.
    samples, answered, right, wrong, rejected : ndarray of shape (n_groups,)
        Numbers of samples of each group.
    accuracy, accuracy_low, accuracy_high : ndarray of shape (n_groups,)
        Of the answered samples of a group, the share that is right, with limits; NaN if none is
        answered.
    accuracy_bound : ndarray of shape (n_groups,)
        The accuracy on new samples of a group is at least this, with the given confidence: the
        lower limit alone, which is higher than that of the interval; NaN if none is answered.
    accuracy_without_rejects : ndarray of shape (n_groups,)
        The share that would be right if all samples were answered.

    Examples
    --------
    >>> from abstain.metrics import group_report
    >>> report = group_report([1, 1, 2], [1, 2, 2], [False, True, False], ["a", "a", "b"])
    >>> report.groups.tolist(), report.answered.tolist()
    (['a', 'b'], [1, 1])
    """

    groups: NDArray[Any]
    samples: NDArray[np.int64]
    answered: NDArray[np.int64]
    right: NDArray[np.int64]
    wrong: NDArray[np.int64]
    rejected: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    accuracy_low: NDArray[np.float64]
    accuracy_high: NDArray[np.float64]
    accuracy_bound: NDArray[np.float64]
    accuracy_without_rejects: NDArray[np.float64]


@documented_metric
def group_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    rejected: ArrayLike,
    groups: ArrayLike,
    *,
    confidence: float = 0.95,
) -> GroupReport:
    """Count the decisions about each group, with the accuracy and its exact limits.

    To see what a condition on groups changes, compare the report of its rejects with that of the
    rejects without it. Limits and bounds are those of Clopper and Pearson; they hold for new
    samples if the samples had no part in the thresholds.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        The predictions, of rejected samples too: they count in ``accuracy_without_rejects``.
    groups : array-like of shape (n_samples,)
        The group of each sample, such as a site or an age band.
    confidence : float, default=0.95
        Confidence of each interval and of each bound for itself, in (0, 1).

    Returns
    -------
    GroupReport
        Named tuple of arrays with one entry for each group.

    Examples
    --------
    >>> from abstain.metrics import group_report
    >>> y_true, y_pred = [1, 1, 2, 2, 1, 2], [1, 2, 2, 2, 2, 2]
    >>> rejected, site = [0, 1, 0, 0, 0, 0], ["north"] * 3 + ["south"] * 3
    >>> report = group_report(y_true, y_pred, rejected, site)
    >>> report.groups.tolist(), report.accuracy.round(2).tolist()
    (['north', 'south'], [1.0, 0.67])
    >>> report.accuracy_without_rejects.round(2).tolist()
    [0.67, 0.67]
    >>> report.accuracy_bound.round(2).tolist()
    [0.22, 0.14]
    """
    confidence = check_fraction("confidence", confidence)
    is_rejected, labels = check_boolean_vector("rejected", rejected), as_labels("groups", groups)
    truth, predictions, _ = check_samples(y_true, y_pred, None, rejected=is_rejected)
    check_same_length(y_true=truth, groups=labels)
    names, group = np.unique(labels, return_inverse=True)
    is_right = truth == predictions

    def count(members: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(group[members], minlength=len(names))

    samples, n_rejected = count(np.ones(len(group), dtype=bool)), count(is_rejected)
    answered, right = samples - n_rejected, count(is_right & ~is_rejected)
    return GroupReport(
        *(names, samples, answered, right, answered - right, n_rejected),
        *(_share(right, answered), *_limits(right, answered, confidence)),
        _lower_limit(right, answered, 1 - confidence),
        _share(count(is_right), samples),
    )


def _share(part: NDArray[np.int64], whole: NDArray[np.int64]) -> NDArray[np.float64]:
    shares = np.full(len(whole), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


def _limits(
    part: NDArray[np.int64], whole: NDArray[np.int64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the limits of shares by Clopper and Pearson; NaN where the whole is 0."""
    tail = (1 - confidence) / 2
    return _lower_limit(part, whole, tail), 1 - _lower_limit(whole - part, whole, tail)


def _lower_limit(
    part: NDArray[np.int64], whole: NDArray[np.int64], tail: float
) -> NDArray[np.float64]:
    from scipy.special import betaincinv

    low = np.where(part == 0, 0.0, betaincinv(part, whole - part + 1, tail))
    return np.where(whole > 0, low, np.nan)
