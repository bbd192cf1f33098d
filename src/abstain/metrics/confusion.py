"""Which classes are confused with which, and how many samples of each class are rejected?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import as_labels, check_boolean_vector, refuse_elements
from abstain._core.errors import InputError
from abstain.metrics._samples import check_samples, documented_metric, sorted_labels


@documented_metric
def confusion_matrix_with_rejects(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    rejected: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    normalize: str | None = None,
    sample_weight: ArrayLike | None = None,
) -> NDArray[Any]:
    r"""Count the samples of each class by predicted class, or as rejected.

    With classes :math:`c_1, \ldots, c_K`, the entry in row i and column j counts

    .. math::
        C_{ij} = \sum_{y = c_i,\ \hat y = c_j,\ \text{accepted}} w, \qquad
        C_{i, K+1} = \sum_{y = c_i,\ \text{rejected}} w.

    Every sample is counted once: a row sums to the weight of its class. The first K columns are
    the confusion matrix of the accepted samples.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        The predictions; those of rejected samples may be any label, such as a ``reject_label``.
    labels : array-like of shape (n_classes,), optional
        The classes in the order of rows and columns; all that occur, sorted, if not given. Each
        true label and each accepted prediction must be one of them.
    normalize : {None, "true", "all"}, default=None
        None gives counts, "true" shares of each true class, whose rows sum to 1 (or to 0 for a
        class without samples), "all" shares of all samples.

    Returns
    -------
    ndarray of shape (n_classes, n_classes + 1)
        Rows are true classes; columns are predicted classes, and last the rejected samples.
        Integers if there are neither weights nor a normalization.

    See Also
    --------
    abstain.plotting.RejectConfusionDisplay : A plot of it.

    Examples
    --------
    >>> from abstain.metrics import confusion_matrix_with_rejects
    >>> y_true = ["cat", "cat", "cat", "dog", "dog"]
    >>> y_pred = ["cat", "cat", "dog", "dog", "cat"]
    >>> rejected = [False, True, False, False, True]
    >>> confusion_matrix_with_rejects(y_true, y_pred, rejected).tolist()
    [[1, 1, 1], [0, 1, 1]]
    >>> confusion_matrix_with_rejects(y_true, y_pred, rejected, normalize="all").tolist()
    [[0.2, 0.2, 0.2], [0.0, 0.2, 0.2]]
    """
    rejected = check_boolean_vector("rejected", rejected)
    truth, predictions, _ = check_samples(y_true, y_pred, sample_weight, rejected=rejected)
    classes = labels_with_rejects(truth, predictions, rejected, labels)
    position = {label: index for index, label in enumerate(classes.tolist())}
    rows = _positions("y_true", truth, position)
    columns = _positions("y_pred", predictions, position, rejected)
    shape = len(classes), len(classes) + 1
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    flat = np.bincount(rows * shape[1] + columns, weights=weights, minlength=shape[0] * shape[1])
    return normalize_counts(flat.reshape(shape), normalize)


def labels_with_rejects(
    y_true: NDArray[Any],
    y_pred: NDArray[Any],
    rejected: NDArray[np.bool_],
    labels: ArrayLike | None = None,
) -> NDArray[Any]:
    """Return the classes of a confusion matrix: those given, or all that occur, sorted."""
    if labels is None:
        known = {*y_true.tolist(), *y_pred[~rejected].tolist()}
        return as_labels("labels", sorted_labels(known))
    classes = as_labels("labels", labels)
    if len(set(classes.tolist())) < len(classes):
        raise InputError(
            argument="labels", value=classes.tolist(), requirement="must name each class once"
        )
    return classes


def normalize_counts(counts: NDArray[Any], normalize: str | None) -> NDArray[Any]:
    """Return shares of the true classes or of all samples, or the counts themselves."""
    if normalize is None:
        return counts
    if normalize not in ("true", "all"):
        raise InputError(
            argument="normalize", value=normalize, requirement="must be None, 'true' or 'all'"
        )
    totals = counts.sum(axis=1, keepdims=True) if normalize == "true" else counts.sum()
    shares = np.zeros(counts.shape)
    np.divide(counts, totals, out=shares, where=totals > 0)
    return shares


def _positions(
    name: str,
    labels: NDArray[Any],
    position: dict[Any, int],
    rejected: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """Return the position of each label; rejected samples have the last one."""
    positions = np.array([position.get(label, -1) for label in labels.tolist()], dtype=np.int64)
    if rejected is not None:
        positions[rejected] = len(position)
    refuse_elements(
        name, labels, positions < 0, "must hold classes of labels", remedy="add it there"
    )
    return positions
