"""How much evidence is there, at any time, that an event is more frequent than promised?

The null hypothesis: given all that came before, each event has at most the probability ε
(``limit``). For an alternative q > ε, the likelihood ratio of one outcome is

    L = q/ε if the event occurs, (1 − q)/(1 − ε) if not,

with expectation at most 1 under the null hypothesis. So has a bet that starts with any capital at
any time and multiplies it by L at each outcome.

**Restarts.** A bet that starts at the first outcome loses capital in a long good past. So a share
(1 − γ) of the capital that does not bet yet starts to bet at each outcome:

    S_t = (S_{t−1} + (1 − γ) γ^{t−1}) L_t,    and γ^t does not bet yet.

γ = 0 starts everything at the first outcome; that is the bet without restarts. γ = 1 − 2^−k starts
after about 2^k outcomes. The evidence is the weighted mean of S_t + γ^t over the alternatives and
rates below. It is 1 at the start and a supermartingale under the null hypothesis; by Ville's
inequality it ever reaches 1/δ with probability at most δ.

**Concatenation.** A sequence of outcomes maps S to A·S + γ^n·B, where n outcomes came before it, A
is the product of its likelihood ratios and B is S of this sequence alone. So the evidence of two
sequences, one after the other, follows from that of each.

Sums are logarithms: they range over thousands of orders of magnitude.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, logsumexp, xlogy

Floats = NDArray[np.float64]

# Alternatives: the odds of q over those of ε, and their weights. Twice the odds serve a wide range
# of error rates; the others shorten the delay at small and at large excesses.
ODDS_RATIOS = np.array([1.2, 1.45, 2.0, 3.5, 8.0])
ODDS_WEIGHTS = np.array([0.05, 0.1, 0.65, 0.13, 0.07])
# γ, up to restarts after 2^31 outcomes. More weight on restarts would shorten the delay after a
# long past, and lengthen it at the start.
_K = np.arange(3, 32, 2)
RATES = np.append(0.0, 1 - 2.0**-_K)
RATE_WEIGHTS = np.append(0.6, 0.4 / _K / (1 / _K).sum())
LOG_WEIGHTS: Floats = np.log(np.outer(ODDS_WEIGHTS, RATE_WEIGHTS))
NO_RESTARTS: Floats = np.log(ODDS_WEIGHTS)[:, np.newaxis] + np.where(RATES, -np.inf, 0.0)
# Sums that are computed at once: fits in the cache.
_BLOCK = 2**16


class Evidence(NamedTuple):
    """What is known after some outcomes, of one sequence or of several of the same length.

    ``log_sums`` holds log S with one row per alternative and one column per rate; axes before them
    are sequences.
    """

    limit: float
    n: int
    n_events: NDArray[np.int64]
    log_sums: Floats

    def log_value(self, log_weights: Floats = LOG_WEIGHTS) -> Floats:
        """Return the logarithm of the evidence of each sequence."""
        return _log_mean(self.log_sums, xlogy(self.n, RATES), log_weights)


def no_evidence(limit: float, n_sequences: tuple[int, ...] = ()) -> Evidence:
    """Return the state before the first outcome."""
    shape = (*n_sequences, len(ODDS_RATIOS), len(RATES))
    return Evidence(limit, 0, np.zeros(n_sequences, np.int64), np.full(shape, -np.inf))


def log_ratios(limit: float) -> tuple[Floats, Floats]:
    """Return the logarithm of L of each alternative, without the event and with it."""
    alternatives = expit(logit(limit) + np.log(ODDS_RATIOS))
    return np.log1p(-alternatives) - np.log1p(-limit), np.log(alternatives) - np.log(limit)


def add_outcomes(
    before: Evidence, events: NDArray[np.bool_], log_weights: Floats = LOG_WEIGHTS
) -> tuple[Evidence, Floats]:
    """Return the state after more outcomes (last axis), and the log evidence after each of them."""
    path = np.empty(events.shape)
    size = max(1, _BLOCK // before.log_sums.size)
    for start in range(0, events.shape[-1], size):
        block = slice(start, start + size)
        before, path[..., block] = _add_block(before, events[..., block], log_weights)
    return before, path


def _add_block(
    before: Evidence, events: NDArray[np.bool_], log_weights: Floats
) -> tuple[Evidence, Floats]:
    without, with_event = log_ratios(before.limit)
    ratios = np.where(events[..., np.newaxis], with_event, without)
    products = ratios.cumsum(axis=-2)[..., np.newaxis]  # sequence, outcome, alternative, rate
    times = before.n + np.arange(events.shape[-1])
    log_starts = (np.log1p(-RATES) + xlogy(times[:, np.newaxis], RATES))[:, np.newaxis]
    # S_t = A_t (S_0 + Σ starts_s / A_{s−1}) with A_t the product of the first t ratios.
    sums = log_starts - products + ratios[..., np.newaxis]
    sums[..., 0, :, :] = np.logaddexp(sums[..., 0, :, :], before.log_sums)
    sums = np.logaddexp.accumulate(sums, axis=-3) + products
    waiting = xlogy(times[:, np.newaxis] + 1, RATES)[:, np.newaxis]
    path = _log_mean(sums, waiting, log_weights)
    n_events = before.n_events + events.sum(axis=-1)
    after = before._replace(
        n=before.n + len(times), n_events=n_events, log_sums=sums[..., -1, :, :]
    )
    return after, path


def _log_mean(log_sums: Floats, log_waiting: Floats, log_weights: Floats) -> Floats:
    """Return the logarithm of the weighted mean of S_t + γ^t."""
    betting = logsumexp(log_sums + log_weights, axis=(-2, -1))
    return np.asarray(np.logaddexp(betting, logsumexp(log_waiting + log_weights, axis=(-2, -1))))


def concatenate(first: Evidence, second: Evidence) -> Evidence:
    """Return the state as if the outcomes of the second had followed those of the first."""
    log_sums = np.logaddexp(
        first.log_sums + log_product(second)[..., np.newaxis],
        second.log_sums + xlogy(first.n, RATES),
    )
    return Evidence(first.limit, first.n + second.n, first.n_events + second.n_events, log_sums)


def log_product(evidence: Evidence) -> Floats:
    """Return log A of each alternative: the likelihood ratio of all outcomes."""
    without, with_event = log_ratios(evidence.limit)
    n_events = evidence.n_events[..., np.newaxis]
    return np.asarray(n_events * with_event + (evidence.n - n_events) * without)
