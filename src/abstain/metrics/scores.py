"""How good are certainties, or one fixed choice of rejects, in one number?

An *area* says how well the certainty separates right predictions from wrong ones: it lies under a
risk against the coverage (the share of samples accepted), and the lower, the better. The *selective
risk* is the share of wrong among the accepted samples; the *generalised risk* the share of accepted
and wrong among all samples.

A *quality* needs only the four kinds of samples: correct or wrong, and accepted or rejected. It
uses no certainty, so it applies to local thresholds, or to a person's choice, alike.
"""

from __future__ import annotations  # signatures then show the names of types

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import check_boolean_vector
from abstain.metrics._samples import RankedSamples, check_samples, documented_metric, rank_samples


@documented_metric
def aurc_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    certainty: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Compute the area under the risk-coverage curve: the mean selective risk over all samples.

    With the threshold at the certainty r_i of each sample in turn,

    .. math::
        \mathrm{AURC} = \frac{\sum_i w_i R(r_i)}{\sum_i w_i}, \qquad
        R(\theta) = \frac{\sum_{r_j \ge \theta} w_j [\hat y_j \ne y_j]}
                         {\sum_{r_j \ge \theta} w_j}.

    Without ties this is the empirical AURC of [1]_; tied samples are accepted together and share
    one risk. A constant certainty scores the error rate.

    Returns
    -------
    float
        The area, between 0 and 1; lower is better.

    See Also
    --------
    eaurc_score : The part of it that is due to the order of the samples.
    augrc_score : An area that weights early and late errors alike.

    References
    ----------
    .. [1] Y. Geifman, G. Uziel, R. El-Yaniv: Bias-reduced uncertainty estimation for deep neural
       classifiers. ICLR (2019).

    Examples
    --------
    The selective risks are 0, 1/3, 1/3, 1/4 and 2/5.

    >>> from abstain.metrics import aurc_score
    >>> y_true, y_pred = [1, 0, 1, 1, 0], [1, 0, 0, 1, 1]
    >>> round(aurc_score(y_true, y_pred, certainty=[0.9, 0.8, 0.8, 0.5, 0.3]), 4)
    0.2633
    """
    ranked = rank_samples(y_true, y_pred, certainty, sample_weight)
    group_weights = np.diff(ranked.accepted_weight(), prepend=0.0)
    return float(np.average(_selective_risks(ranked), weights=group_weights))


@documented_metric
def eaurc_score(y_true: ArrayLike, y_pred: ArrayLike, certainty: ArrayLike) -> float:
    r"""Compute the excess AURC: how far the order of the samples is from the best possible one.

    The best certainty for the same predictions puts all correct samples before all wrong ones,
    without ties. Of n samples, m of them wrong, its AURC is

    .. math::
        \mathrm{AURC}^* = \frac{1}{n} \sum_{k=1}^{m} \frac{k}{n - m + k}, \qquad
        \mathrm{EAURC} = \mathrm{AURC} - \mathrm{AURC}^* \ge 0.

    Returns
    -------
    float
        The excess, 0 for the best possible order; lower is better.

    Notes
    -----
    There is no ``sample_weight``: an order without ties takes a wrong sample of weight 2 in one
    step and two wrong samples of weight 1 in two, which leaves a smaller area. So a weight would
    not count as so many equal rows, and the area would depend on the order of the wrong samples
    among themselves. Repeat the rows instead.

    References
    ----------
    Y. Geifman, G. Uziel, R. El-Yaniv: Bias-reduced uncertainty estimation for deep neural
    classifiers. ICLR (2019).

    Examples
    --------
    The AURC is 0.2633; the best order has the risks 0, 0, 0, 1/4 and 2/5, so an AURC of 0.13.

    >>> from abstain.metrics import eaurc_score
    >>> y_true, y_pred = [1, 0, 1, 1, 0], [1, 0, 0, 1, 1]
    >>> round(eaurc_score(y_true, y_pred, certainty=[0.9, 0.8, 0.8, 0.5, 0.3]), 4)
    0.1333
    """
    ranked = rank_samples(y_true, y_pred, certainty)
    risks = np.repeat(_selective_risks(ranked), ranked.sizes)
    accepted = np.arange(1, len(risks) + 1)
    n_correct = np.count_nonzero(ranked.correct)
    best_risks = np.maximum(accepted - n_correct, 0) / accepted
    # The risk at the end of a group is at least the best one there, and the best one never
    # decreases: no term is negative, so the mean cannot be negative by rounding.
    return float(np.mean(risks - best_risks))


@documented_metric
def augrc_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    certainty: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Compute the area under the generalised risk against the coverage.

    The curve starts at (0, 0) and is straight within a group of tied samples. Its area is the mean
    share of undetected errors, if all coverages are equally likely. With a the accuracy and AUROC
    the area under the ROC curve of the certainty as a score for being correct (ties count half),

    .. math::
        \mathrm{AUGRC} = (1 - \mathrm{AUROC})\, a (1 - a) + \tfrac{1}{2} (1 - a)^2,

    with ties and weights as well. (Where all samples are right, or all wrong, there is no AUROC
    and the first term is 0.)

    Returns
    -------
    float
        The area, between 0 and 1/2; lower is better.

    References
    ----------
    J. Traub, T. J. Bungert, C. T. Lüth, M. Baumgartner, K. H. Maier-Hein, L. Maier-Hein,
    P. F. Jäger: Overcoming common flaws in the evaluation of selective classification systems.
    NeurIPS (2024).

    Examples
    --------
    The accuracy is 0.6 and the AUROC 0.75: 0.25 · 0.6 · 0.4 + 0.4² / 2.

    >>> from abstain.metrics import augrc_score
    >>> y_true, y_pred = [1, 0, 1, 1, 0], [1, 0, 0, 1, 1]
    >>> round(augrc_score(y_true, y_pred, certainty=[0.9, 0.8, 0.8, 0.5, 0.3]), 4)
    0.14
    """
    ranked = rank_samples(y_true, y_pred, certainty, sample_weight)
    accepted = ranked.accepted_weight()
    wrong = ranked.accepted_weight(~ranked.correct)
    # Both axes are divided by the total weight last: sums of whole numbers are then exact.
    area = np.trapezoid(np.append(0.0, wrong), np.append(0.0, accepted))
    return float(area / accepted[-1] ** 2)


def _selective_risks(ranked: RankedSamples) -> NDArray[np.float64]:
    """Return the share of wrong among the samples accepted with each group."""
    wrong = ranked.accepted_weight(~ranked.correct)
    return np.asarray(wrong / ranked.accepted_weight(), dtype=np.float64)


@documented_metric
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
    correct_accepted, _, _, wrong_rejected = kinds
    return (correct_accepted + wrong_rejected) / sum(kinds)


@documented_metric
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
    correct_accepted, correct_rejected, wrong_accepted, wrong_rejected = kinds
    wrong, correct = wrong_accepted + wrong_rejected, correct_accepted + correct_rejected
    if wrong == 0 or correct == 0:
        return float("nan")
    if correct_rejected == 0:
        return float("inf") if wrong_rejected > 0 else float("nan")
    return (wrong_rejected / wrong) / (correct_rejected / correct)


def _weigh_kinds(
    y_true: ArrayLike, y_pred: ArrayLike, rejected: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[float, ...]:
    """Return the weights of correct samples, accepted and rejected, and of wrong ones."""
    rejected = check_boolean_vector("rejected", rejected)
    labels, predictions, weights = check_samples(y_true, y_pred, sample_weight, rejected=rejected)
    correct = np.asarray(labels == predictions, dtype=np.bool_)
    masks = (correct & ~rejected, correct & rejected, ~correct & ~rejected, ~correct & rejected)
    return tuple(float(weights[mask].sum()) for mask in masks)
