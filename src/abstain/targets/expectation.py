"""What can be expected of an operating point on new data?

The accuracy on the samples that chose a point is too high: of many points, one was chosen because
it does well there. Samples that had no part in the choice tell what new data will do.

**Cross-fitting.** Where all samples set the thresholds, they are divided into folds. For each fold,
the others learn a front and choose from it, and their thresholds decide about the fold. Two rows of
each front are tried: the one that the target chooses, and the one with the reject rate of the
point. Over all folds, let the first accept n samples with k errors, and the second a share of e
errors. Then

    expected error = (k + m e) / (n + m),    m = `WEIGHT_AT_RATE`.

The first says what comes of choosing. Where folds choose to answer little, it is a ratio of few
counts, which is drawn towards the second: that one leaves out how the reject rate was chosen, but
varies little. The reject rate is that of the second.

**Intervals** are those of Clopper and Pearson for a count of that share, of as many answers as the
second row accepts. Samples that belong together, or have weights w, count as

    n = (Σ_i w_i)² / Σ_g (Σ_{i in group g} w_i)²

of them. They leave out that thresholds vary with the samples that set them; ``docs/expected.md``
measures how often they hold all the same.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]

# Answers that the accuracy at the reject rate of the point counts as.
WEIGHT_AT_RATE = 30
LEVEL = 0.95
# Folds are tried three times up to the first number of samples or groups of them, and are two from
# the second on.
FEW_UNITS, MANY_UNITS = 300, 20_000


@dataclass(frozen=True)
class Expectation:
    """What an operating point is expected to do on new data of the same kind.

    Parameters
    ----------
    accuracy : float
        Share of right answers among those that are given.
    accuracy_interval : tuple of float
        Its 95% interval.
    reject_rate : float
        Share of new samples that are rejected.
    reject_rate_interval : tuple of float
        Its 95% interval.
    n_samples : int
        Samples that it is estimated on: all of them, equal ones as often as they occur, where a
        certificate counts distinct ones; of groups that were held out, one sample each.
    basis : {"cross-fit", "held out"}
        "cross-fit": on the calibration samples, each with thresholds that others chose. "held
        out": on samples that had no part in the thresholds. With a certificate, they have tested
        up to which row it holds.

    Examples
    --------
    >>> from abstain import Accuracy, RejectOptionClassifier
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = RejectOptionClassifier(GaussianNB(), target=Accuracy(0.95)).fit(X[:300], y[:300])
    >>> f"{clf.operating_point_.accuracy:.1%}"  # on the samples that chose the thresholds
    '100.0%'
    >>> print(clf.expected_)
    93.4% right (95% interval 78.4% to 99.2%), 10.3% answered (7.1% to 14.3%)
    >>> accepted = ~clf.reject(X[300:])
    >>> f"{(clf.predict(X[300:]) == y[300:])[accepted].mean():.1%}"  # on new samples
    '91.2%'
    """

    accuracy: float
    accuracy_interval: tuple[float, float]
    reject_rate: float
    reject_rate_interval: tuple[float, float]
    n_samples: int
    basis: str

    @property
    def coverage(self) -> float:
        """Share of new samples that are answered."""
        return 1 - self.reject_rate

    @property
    def coverage_interval(self) -> tuple[float, float]:
        """Its 95% interval."""
        low, high = self.reject_rate_interval
        return 1 - high, 1 - low

    def __str__(self) -> str:
        (low, high), (least, most) = self.accuracy_interval, self.coverage_interval
        return (
            f"{self.accuracy:.1%} right (95% interval {low:.1%} to {high:.1%}), "
            f"{self.coverage:.1%} answered ({least:.1%} to {most:.1%})"
        )


class Tried(NamedTuple):
    """Which samples thresholds accept that other samples chose.

    One row per repeat: by the ``target``, and at the reject rate of the point (``at_rate``).
    """

    by_target: Mask
    at_rate: Mask


def expect(
    tried: Tried,
    correct: Mask,
    basis: str,
    weights: NDArray[np.float64] | None = None,
    groups: NDArray[np.int64] | None = None,
) -> Expectation | None:
    """Return what is expected; None if no sample is accepted."""
    weights = np.ones(len(correct)) if weights is None else weights / weights.mean()
    size = np.mean([effective_size(weights * each, groups) for each in tried.at_rate])
    accepted, wrong = (
        [float((each @ members).mean()) for each in tried]
        for members in (weights, weights * ~correct)
    )
    if not accepted[1]:
        return None
    at_rate = wrong[1] / accepted[1]
    error = (wrong[0] + WEIGHT_AT_RATE * at_rate) / (accepted[0] + WEIGHT_AT_RATE)
    low, high = share_interval(error, float(size))
    rejected = 1 - accepted[1] / float(weights.sum())
    return Expectation(
        accuracy=1 - error,
        accuracy_interval=(1 - high, 1 - low),
        reject_rate=rejected,
        reject_rate_interval=share_interval(rejected, effective_size(weights, groups)),
        n_samples=len(correct),
        basis=basis,
    )


def effective_size(weights: NDArray[Any], groups: NDArray[np.int64] | None) -> float:
    """Return how many independent samples tell as much as these."""
    total = float(weights.sum())
    sums = weights
    if groups is not None:
        sums = np.bincount(np.unique(groups, return_inverse=True)[1], weights)
    return total**2 / float(sums @ sums) if total else 0.0


def share_interval(share: float, size: float) -> tuple[float, float]:
    """Return the limits of Clopper and Pearson for a share of so many samples."""
    from scipy.special import betaincinv

    count, tail = share * size, (1 - LEVEL) / 2
    low = betaincinv(count, size - count + 1, tail) if count > 0 else 0.0
    high = betaincinv(count + 1, size - count, 1 - tail) if count < size else 1.0
    return float(low), float(high)


def folds_of(
    n_samples: int, groups: NDArray[np.int64] | None, seed: int, is_slow: bool = False
) -> list[list[Mask]]:
    """Return the members of each fold of each repeat; a group is in one fold.

    Many folds where a fold changes the thresholds most. A target that takes long is tried once.
    """
    units = np.arange(n_samples) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units = int(units.max()) + 1
    n_folds = min(10, n_units) if n_units <= MANY_UNITS else 2
    n_repeats = 3 if n_units <= FEW_UNITS and not is_slow else 1
    generator = np.random.default_rng(seed)
    repeats = []
    for _ in range(n_repeats):
        fold_of_unit = generator.permutation(n_units) % n_folds
        repeats.append([fold_of_unit[units] == fold for fold in range(n_folds)])
    return repeats
