"""Are 80% of the predictions right that have a probability of 80% to be right?"""

from __future__ import annotations  # signatures then show the names of types

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import (
    check_boolean_vector,
    check_fraction,
    check_positive_integer,
    check_same_length,
)
from abstain._core.errors import InputError
from abstain.metrics._samples import check_shares


class ReliabilityCurve(NamedTuple):
    """The samples in bins of probability, as `reliability_curve` returns them.

    Parameters
    ----------
    mean_probabilities : ndarray of shape (n_bins,)
        Mean probability of being right, ascending. Bins without samples are left out.
    accuracies : ndarray of shape (n_bins,)
        Share of the samples that are right.
    counts : ndarray of shape (n_bins,)
        Number of samples.
    lower, upper : ndarray of shape (n_bins,)
        Confidence interval of the accuracy, by Wilson's formula.

    Examples
    --------
    >>> from abstain.metrics import reliability_curve
    >>> reliability_curve([True, False], [0.9, 0.4])._fields
    ('mean_probabilities', 'accuracies', 'counts', 'lower', 'upper')
    """

    mean_probabilities: NDArray[np.float64]
    accuracies: NDArray[np.float64]
    counts: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def reliability_curve(
    correct: ArrayLike,
    probability: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: str = "quantile",
    confidence: float = 0.95,
) -> ReliabilityCurve:
    r"""Compare the probability of being right with the share that is right, bin by bin.

    Bins are those of scikit-learn's ``calibration_curve``; samples of equal probability share one.
    With k of n samples of a bin right and z the normal quantile of the confidence, the interval of
    the accuracy is that of Wilson [1]_,

    .. math::
        \frac{k + z^2 / 2}{n + z^2} \pm
        \frac{z}{n + z^2} \sqrt{\frac{k (n - k)}{n} + \frac{z^2}{4}}.

    If the probabilities are right and the samples independent, it contains the mean probability
    of its bin with about the given confidence, or more.

    Parameters
    ----------
    correct : array-like of bool of shape (n_samples,)
        Whether the answer to each sample is right.
    probability : array-like of shape (n_samples,)
        The estimated probability of that, in [0, 1].
    n_bins : int, default=10
        Number of bins. There are fewer in the curve if some hold no sample.
    strategy : {"quantile", "uniform"}, default="quantile"
        Whether the bins hold about as many samples each, or are of equal width.
    confidence : float, default=0.95
        Confidence of the interval of each bin, in (0, 1).

    Returns
    -------
    ReliabilityCurve
        Named tuple of the arrays ``mean_probabilities``, ``accuracies``, ``counts``, ``lower`` and
        ``upper``.

    References
    ----------
    .. [1] L. D. Brown, T. T. Cai, A. DasGupta: Interval estimation for a binomial proportion.
       Statistical Science 16 (2001), 101-133.

    Examples
    --------
    >>> from abstain.metrics import reliability_curve
    >>> correct, probability = [False, True, True, True, True], [0.4, 0.6, 0.8, 0.9, 1.0]
    >>> curve = reliability_curve(correct, probability, n_bins=2, strategy="uniform")
    >>> curve.mean_probabilities.round(3).tolist(), curve.accuracies.tolist()
    ([0.4, 0.825], [0.0, 1.0])
    >>> curve.counts.tolist(), curve.lower.round(2).tolist()
    ([1, 4], [0.0, 0.51])
    """
    right = check_boolean_vector("correct", correct)
    values = check_shares("probability", probability)
    check_same_length(correct=right, probability=values)
    check_positive_integer("n_bins", n_bins)
    if strategy not in ("quantile", "uniform"):
        raise InputError(
            argument="strategy", value=strategy, requirement="must be 'quantile' or 'uniform'"
        )
    confidence = check_fraction("confidence", confidence)

    order = np.argsort(values)  # sums then do not depend on the order of the samples
    values, right = values[order], right[order]
    if strategy == "quantile":
        edges = _quantiles(values, n_bins)
    else:
        edges = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
    bins = np.searchsorted(edges, values)
    sizes = np.bincount(bins, minlength=n_bins)
    is_filled = sizes > 0
    counts = sizes[is_filled].astype(np.int64)
    n_right = np.bincount(bins[right], minlength=n_bins)[is_filled].astype(np.int64)
    sums = np.bincount(bins, weights=values, minlength=n_bins)[is_filled]
    return ReliabilityCurve(
        sums / counts, n_right / counts, counts, *_wilson(n_right, counts, confidence)
    )


def _quantiles(ordered: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Return the quantiles 1/n, …, (n - 1)/n by linear interpolation.

    Their positions are computed with integers: a quantile at a sample is exactly that sample.
    """
    lower, remainder = np.divmod(np.arange(1, n_bins) * (len(ordered) - 1), n_bins)
    upper = np.minimum(lower + 1, len(ordered) - 1)
    step = ordered[upper] - ordered[lower]
    return np.asarray(ordered[lower] + step * (remainder / n_bins), dtype=np.float64)


def _wilson(
    n_right: NDArray[np.int64], counts: NDArray[np.int64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the interval of each share."""
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    centre = (n_right + z**2 / 2) / (counts + z**2)
    reach = z / (counts + z**2) * np.sqrt(n_right * (counts - n_right) / counts + z**2 / 4)
    shares = n_right / counts  # rounding must not put them outside the interval
    return np.clip(centre - reach, 0.0, shares), np.clip(centre + reach, shares, 1.0)
