"""Do the answers out of fold and those to held-out samples contradict each other?

Folds that keep subjects together, or the past before the future, meet samples that held-out ones,
drawn at random, do not stand for: these are then like the samples of the fit, and the held-out
accuracy is that of no new data.

The classifier that answers held-out samples was fitted on n samples, those out of fold on n_k. An
error rate that falls no faster than 1 / n differs by the mean f of n / n_k at most. So with error
rates p out of fold and q held out, all samples drawn alike,

    p ≤ f q     and     q ≤ f p,

and the rates contradict each other if one of these is off by `BEYOND_CHANCE` standard errors. A
group counts as one sample; standard errors are those of as many. ``benchmarks/dependence.py`` has
how often this happens by chance.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError

# In standard errors.
BEYOND_CHANCE = 4.5


class ErrorRate(NamedTuple):
    """The share of wrong answers, with the square of its standard error."""

    rate: float
    variance: float

    @classmethod
    def of(cls, correct: NDArray[np.bool_], groups: NDArray[np.int64] | None = None) -> ErrorRate:
        """Return the error rate of answers, in which each group counts once."""
        wrong = (~correct).astype(np.float64)
        if groups is not None:
            _, codes = np.unique(groups, return_inverse=True)
            wrong = np.bincount(codes, wrong) / np.bincount(codes)
        # No error, or nothing but errors, has a standard error as well.
        rate = (wrong.sum() + 1) / (len(wrong) + 2)
        return cls(float(wrong.mean()), float(max(wrong.var(), rate * (1 - rate)) / len(wrong)))


def growth(folds: Iterable[tuple[NDArray[Any], NDArray[Any]]], n_samples: int) -> float:
    """Return how many times as many samples fit the classifier as fit those of the folds."""
    rows = np.arange(n_samples)
    sizes = [(len(rows[test]), n_samples / len(rows[train])) for train, test in folds]
    n_tested, times = np.array(sizes).T
    return float(n_tested @ times / n_tested.sum())


def contradicts(out_of_fold: ErrorRate, held_out: ErrorRate, times: float) -> bool:
    """Return whether error rates differ by more than chance and a fit on more samples explain."""
    for higher, lower in ((out_of_fold, held_out), (held_out, out_of_fold)):
        error = sqrt(higher.variance + times**2 * lower.variance)
        if higher.rate - times * lower.rate > BEYOND_CHANCE * error:
            return True
    return False


def contradiction(out_of_fold: ErrorRate, held_out: ErrorRate) -> InputError:
    """Return the error about a certificate that has no basis."""
    return InputError(
        f"nothing can be certified: {1 - out_of_fold.rate:.1%} of the answers out of fold are "
        f"right, and {1 - held_out.rate:.1%} of those to held-out samples, which is not by chance: "
        "folds and held-out samples are not drawn alike; name the samples that belong together by ",
        Argument("groups", of="fit"),
        ", or recalibrate on other samples, gathered as new ones will be",
    )
