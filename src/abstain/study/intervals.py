"""How sure is a mean over the runs of a study?

Runs that share training samples are not independent. For folds and random splits the variance is
corrected after Nadeau and Bengio (2003): (1/k + test/train) in place of 1/k. Artificial samples are
drawn anew for each repeat, so that the means of the repeats are independent; of one repeat alone,
the folds have to do.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "Runs", "interval", "p_value"]

# Values by repeat and split.
Runs = dict[tuple[int, int], float]

CONFIDENCE = 0.95
# A tenth of the samples is tested, nine tenths train.
TEST_OVER_TRAIN = 1 / 9


class Interval(NamedTuple):
    """A mean, and where it lies with 95 % confidence."""

    value: float
    low: float
    high: float


def interval(runs: Runs, *, drawn_anew: bool) -> Interval:
    """Return the mean over runs; those without a value are left out."""
    from scipy.stats import t

    mean, error, n = _mean_and_error(runs, drawn_anew)
    if n < 2:
        return Interval(mean, -np.inf, np.inf)
    reach = float(t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    return Interval(mean, mean - reach, mean + reach)


def p_value(runs: Runs, *, drawn_anew: bool) -> float:
    """Return how likely a mean so far from 0 would be, were it 0."""
    from scipy.stats import t

    mean, error, n = _mean_and_error(runs, drawn_anew)
    if n < 2 or error == 0:
        return 1.0 if mean == 0 else np.nan if n < 2 else 0.0
    return float(2 * t.sf(abs(mean) / error, n - 1))


def _mean_and_error(runs: Runs, drawn_anew: bool) -> tuple[float, float, int]:
    """Return the mean, its standard error, and the number of values behind it."""
    known = {key: value for key, value in runs.items() if not np.isnan(value)}
    if not known:
        return np.nan, np.nan, 0
    values: NDArray[np.float64] = np.array(list(known.values()))
    extra = TEST_OVER_TRAIN
    repeats = np.array([repeat for repeat, _ in known])
    if drawn_anew and len(np.unique(repeats)) > 1:
        values = np.array([values[repeats == repeat].mean() for repeat in np.unique(repeats)])
        extra = 0.0
    n = len(values)
    error = np.sqrt((1 / n + extra) * values.var(ddof=1)) if n > 1 else np.inf
    return float(values.mean()), float(error), n
