"""Has a cell changed, faster than its histograms forget?

Before each block, the histograms of a cell say how probable it is that an answer is wrong, and that
a certainty lies below the median of the cell. For each of these events and both directions, the
null hypothesis is that its odds are beyond those that are expected by at most a factor, the
*margin*. With L the likelihood ratio of a block (see `monitor.evidence`) and n its samples,

    S ← (S + n) L

is the evidence, with restarts at each block (Shiryaev and Roberts). Under the null hypothesis S − n
is a supermartingale, n the samples of the cell so far, so that false alarms, at S ≥ `MEAN_RUN`, are
at least so many samples apart on average. After an alarm the cell forgets most of what it knows.
"""

from __future__ import annotations  # signatures then show the names of types

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from abstain.monitor.evidence import ODDS_RATIOS, ODDS_WEIGHTS, log_ratios

Array = NDArray[np.float64]
MEAN_RUN = 20_000.0
# The odds of an event may differ by this factor, and by so many standard errors of what is
# expected, before evidence counts.
MARGIN, STANDARD_ERRORS = 1.25, 2.0
# Expected probabilities nearer to 0 or 1, and larger errors of log odds, are known from too few
# samples.
LEAST_PROBABILITY, MOST_ERROR = 1e-3, 5.0


def no_drift(n_cells: int) -> Array:
    """Return log S before the first block, by direction, cell and alternative.

    The first of the cells stands for all of them together.
    """
    return np.full((2, n_cells + 1, len(ODDS_RATIOS)), -np.inf)


def add_block(
    log_sums: Array,
    cells: NDArray[np.int64],
    events: NDArray[np.bool_],
    expected: Array,
    weight: Array,
) -> Array:
    """Return log S after a block, given what was expected of each sample.

    ``weight`` is how many samples of the cell the expectation rests on.
    """
    n_cells = log_sums.shape[1] - 1
    p = np.clip(expected, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    error = np.minimum(STANDARD_ERRORS / np.sqrt(weight * p * (1 - p)), MOST_ERROR)
    margin = np.log(MARGIN) + error
    sizes = np.append(len(cells), np.bincount(cells, minlength=n_cells))[:, np.newaxis]
    with np.errstate(divide="ignore"):
        log_sizes = np.log(sizes)
    after = np.empty_like(log_sums)
    for direction, (occurs, odds) in enumerate(((events, logit(p)), (~events, -logit(p)))):
        without, with_event = log_ratios(expit(odds + margin)[:, np.newaxis])
        ratios = np.where(occurs[:, np.newaxis], with_event, without)
        of_cells = np.stack([np.bincount(cells, each, minlength=n_cells) for each in ratios.T], 1)
        log_ratio = np.vstack([of_cells.sum(axis=0), of_cells])
        after[direction] = np.logaddexp(log_sums[direction], log_sizes) + log_ratio
    return after


def have_drifted(log_sums: Array) -> NDArray[np.bool_]:
    """Return which cells have an alarm; the first is that of all cells together."""
    value = np.logaddexp.reduce(log_sums + np.log(ODDS_WEIGHTS), axis=2)
    return np.asarray((value >= np.log(MEAN_RUN)).any(axis=0))
