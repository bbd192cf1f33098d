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

**No overshoot.** Where the evidence V would be above the target 1/δ after an event, a smaller bet
suffices: V is 1/δ after an event and (V − ε/δ)/(1 − ε) without one, which is more than it would be.
This multiplies all capital by a factor, now and later.

Sums are logarithms: they range over thousands of orders of magnitude.
"""

from __future__ import annotations  # signatures then show the names of types

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, xlogy

Floats = NDArray[np.float64]

# Alternatives: the odds of q over those of ε, and their weights. Twice the odds serve a wide range
# of error rates; the others shorten the delay at small and at large excesses.
ODDS_RATIOS = np.array([1.2, 1.45, 2.0, 3.5, 8.0])
ODDS_WEIGHTS = np.array([0.05, 0.07, 0.8, 0.05, 0.03])
# γ, up to restarts after 2^31 outcomes. More weight on restarts would shorten the delay after a
# long past, and lengthen it at the start: a factor in the weight counts by its logarithm.
_K = np.arange(3, 32, 2)
RATES = np.append(0.0, 1 - 2.0**-_K)
RATE_WEIGHTS = np.append(0.85, 0.15 / _K / (1 / _K).sum())
LOG_WEIGHTS: Floats = np.log(np.outer(ODDS_WEIGHTS, RATE_WEIGHTS))
# Those of states of version 1.
EARLIER_LOG_WEIGHTS: Floats = np.log(
    np.outer([0.05, 0.1, 0.65, 0.13, 0.07], np.append(0.6, 0.4 / _K / (1 / _K).sum()))
)
NO_RESTARTS: Floats = np.log(ODDS_WEIGHTS)[:, np.newaxis] + np.where(RATES, -np.inf, 0.0)
# Of no sum at all, −∞, no difference is taken.
_LEAST = float(np.finfo(np.float64).min)
# Sums that are computed at once: fits in the cache.
_BLOCK = 2**16


class Evidence(NamedTuple):
    """What is known after some outcomes, of one sequence or of several of the same length.

    ``log_sums`` holds log S with one row per alternative and one column per rate; axes before them
    are sequences. ``log_factor`` multiplies all capital.
    """

    limit: float
    n: int
    n_events: NDArray[np.int64]
    log_sums: Floats
    log_factor: Floats

    def log_value(self, log_weights: Floats = LOG_WEIGHTS) -> Floats:
        """Return the logarithm of the evidence of each sequence."""
        return self.log_factor + _log_mean(self.log_sums, xlogy(self.n, RATES), log_weights)


def no_evidence(limit: float, n_sequences: tuple[int, ...] = ()) -> Evidence:
    """Return the state before the first outcome."""
    shape = (*n_sequences, len(ODDS_RATIOS), len(RATES))
    counts, factors = np.zeros(n_sequences, np.int64), np.zeros(n_sequences)
    return Evidence(limit, 0, counts, np.full(shape, -np.inf), factors)


def log_ratios(limit: float) -> tuple[Floats, Floats]:
    """Return the logarithm of L of each alternative, without the event and with it."""
    alternatives = expit(logit(limit) + np.log(ODDS_RATIOS))
    return np.log1p(-alternatives) - np.log1p(-limit), np.log(alternatives) - np.log(limit)


def add_outcomes(
    before: Evidence,
    events: NDArray[np.bool_],
    log_weights: Floats = LOG_WEIGHTS,
    log_target: float = np.inf,
) -> tuple[Evidence, Floats]:
    """Return the state after more outcomes (last axis), and the log evidence after each of them.

    Bets are no larger than needed to reach the target; once it is reached, they are as usual.
    """
    path = np.empty(events.shape)
    size = max(1, _BLOCK // before.log_sums.size)
    is_reached = np.zeros(events.shape[:-1], np.bool_)
    for start in range(0, events.shape[-1], size):
        block = (..., slice(start, start + size))
        log_value = before.log_value(log_weights)
        before, path[block] = _add_block(before, events[block], log_weights)
        if log_target < np.inf:
            log_factor, path[block] = avoid_overshoot(
                before.limit, log_value, path[block], events[block], log_target, is_reached
            )
            before = before._replace(log_factor=before.log_factor + log_factor)
            is_reached |= (path[block] >= log_target).any(axis=-1)
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
    path = before.log_factor[..., np.newaxis] + _log_mean(sums, waiting, log_weights)
    n_events = before.n_events + events.sum(axis=-1)
    after = before._replace(
        n=before.n + len(times), n_events=n_events, log_sums=sums[..., -1, :, :]
    )
    return after, path


def _log_mean(log_sums: Floats, log_waiting: Floats, log_weights: Floats) -> Floats:
    """Return the logarithm of the weighted mean of S_t + γ^t."""
    return np.asarray(np.logaddexp(*(_log_sum(x + log_weights) for x in (log_sums, log_waiting))))


def _log_sum(logarithms: Floats) -> Floats:
    """Return the logarithm of the sum over the last two axes; scipy's takes 0.1 ms per call."""
    largest = np.maximum(logarithms.max(axis=(-2, -1), keepdims=True), _LEAST)
    sums = np.exp(logarithms - largest).sum(axis=(-2, -1))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sums) + largest[..., 0, 0])


def avoid_overshoot(
    limit: float,
    before: Floats,
    path: Floats,
    events: NDArray[np.bool_],
    log_target: float,
    is_reached: NDArray[np.bool_],
) -> tuple[Floats, Floats]:
    """Return the logarithm of the factor after all outcomes, and the path with the factors.

    ``before`` and ``path`` are the log evidence before all outcomes and after each; sequences that
    have reached the target stay as they are.
    """
    log_factor = np.zeros(path.shape[:-1])
    values = np.concatenate([before[..., np.newaxis], path], axis=-1) - log_target
    # Below ε times the target, no event leads to it: there is nothing to do.
    is_near = (values >= log(limit)).any(axis=tuple(range(path.ndim - 1)))
    if is_reached.all() or not is_near.any():
        return log_factor, path
    for step in range(int(is_near.argmax()), path.shape[-1]):
        most = (np.exp(np.minimum(values[..., step], 0.0)) - limit) / (1 - limit)
        without = values[..., step + 1] + log_factor
        is_over = ~events[..., step] & ~is_reached & (np.exp(np.minimum(without, 0.0)) < most)
        gain = np.where(is_over, np.log(np.where(is_over, most, 1.0)) - without, 0.0)
        log_factor = log_factor + gain
        values[..., step + 1] = without + gain
        is_reached = is_reached | (values[..., step + 1] >= 0)
    return log_factor, values[..., 1:] + log_target


def concatenate(first: Evidence, second: Evidence) -> Evidence:
    """Return the state as if the outcomes of the second had followed those of the first.

    Bets of the second were as usual: a factor from near the target is that of the first only.
    """
    log_sums = np.logaddexp(
        first.log_sums + log_product(second)[..., np.newaxis],
        second.log_sums + xlogy(first.n, RATES),
    )
    return Evidence(
        first.limit,
        first.n + second.n,
        first.n_events + second.n_events,
        log_sums,
        first.log_factor if first.n else second.log_factor,
    )


def log_product(evidence: Evidence) -> Floats:
    """Return log A of each alternative: the likelihood ratio of all outcomes."""
    without, with_event = log_ratios(evidence.limit)
    n_events = evidence.n_events[..., np.newaxis]
    return np.asarray(n_events * with_event + (evidence.n - n_events) * without)
