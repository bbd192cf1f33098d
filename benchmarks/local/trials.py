"""What do the methods gain over one threshold, and how often is an accuracy missed?

Calibration samples are drawn from the answers of one classifier; at most 15,000 others test. All
methods see the same draws, and so do all classifiers on a set. The gain is the test accuracy minus
that of one threshold, in points, the mean over coverages of 50 to 99%.

Three accuracies are asked for without confidence: those that remove a quarter, half and three
quarters of the errors. One is missed where the accuracy on the test samples is lower.

Three prices of a reject are tried, where an error costs 1. The cost on the test samples is divided
by that of the better of answering all and rejecting all.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from abstain import Accuracy, RejectCost
from abstain._core.errors import InputError
from local.answers import Answers
from local.methods import METHODS, REFERENCE, LocalFront, accuracies_at, fit_front

__all__ = [
    "ERRORS_REMOVED",
    "MAX_TEST",
    "PRICED",
    "PRICES",
    "SIZES",
    "WAYS",
    "is_large_enough",
    "try_methods",
]

Record = dict[str, Any]

SIZES, MAX_TEST = [200, 600, 2000], 15_000
# How many samples must be left to test.
MIN_TEST = {200: 500, 600: 500, 2000: 1000}
ERRORS_REMOVED = [0.25, 0.5, 0.75]
PRICES = [0.05, 0.2, 0.4]
# How a row is chosen by price: by the mean of seen and expected errors, or by those seen.
PRICED = ["pooled", "pooled, errors seen", "one threshold"]
# Without cells, the exact front has all single thresholds, and Accuracy picks the one with fewest
# rejects; of the pooled front it asks the probabilities too.
WAYS = {
    "pooled": ("pooled", 1, True),
    "one threshold": ("exact", 1, False),
    "one threshold, pooled": ("pooled", 1, False),
    "exact, cells of 10": ("exact", 10, True),
}


def is_large_enough(answers: Answers, size: int) -> bool:
    """Tell whether enough samples are left to test."""
    return len(answers.correct) >= size + MIN_TEST[size]


def try_methods(answers: Answers, size: int, n_draws: int) -> Record:
    """Return the gains of all methods and what came of all accuracies, for each draw."""
    base = float(answers.correct.mean())
    targets = [base + (1 - base) * share for share in ERRORS_REMOVED]
    gains: dict[str, list[float]] = {name: [] for name in METHODS if name != REFERENCE}
    reached: dict[str, list[list[list[float]]]] = {way: [] for way in WAYS}
    costs: dict[str, list[list[float]]] = {way: [] for way in PRICED}
    for calibration, new in _draws(answers, size, n_draws):
        n = len(new.correct)
        curves = {name: accuracies_at(of(calibration, new), n) for name, of in METHODS.items()}
        for name, of_method in gains.items():
            of_method.append(100 * float((curves[name] - curves[REFERENCE]).mean()))
        for way, (method, min_cell_size, has_cells) in WAYS.items():
            known = calibration if has_cells else _without_cells(calibration)
            local = fit_front(known, method, min_cell_size)
            tried = new if has_cells else _without_cells(new)
            reached[way].append([_reach(local, tried, target) for target in targets])
            if way in ("pooled", "one threshold"):
                costs[way].append([_cost(local, tried, price, base) for price in PRICES])
            if way == "pooled":
                by_seen = [_cost(local, tried, price, base, by_seen=True) for price in PRICES]
                costs["pooled, errors seen"].append(by_seen)
    return {"size": size, "targets": targets, "gains": gains, "reached": reached, "costs": costs}


def _draws(answers: Answers, size: int, n_draws: int) -> Iterator[tuple[Answers, Answers]]:
    for seed in range(n_draws):
        order = np.random.default_rng(seed).permutation(len(answers.correct))
        yield answers.take(order[:size]), answers.take(order[size : size + MAX_TEST])


def _without_cells(answers: Answers) -> Answers:
    return answers._replace(cells=np.zeros_like(answers.cells))


def _reach(local: LocalFront, new: Answers, target: float) -> list[float]:
    """Return the share of new samples answered, and how far their accuracy is above the target."""
    try:
        row = Accuracy(target).choose(local.front)
    except InputError:  # nothing is answered, and so nothing missed
        return [0.0, 0.0]
    ((answered, right),) = local.counts(new, np.array([row])).tolist()
    return [answered / len(new.correct), right / answered - target if answered else 0.0]


def _cost(
    local: LocalFront, new: Answers, price: float, base: float, *, by_seen: bool = False
) -> float:
    """Return the cost of new samples in that of the better of answering all and rejecting all."""
    front = local.front
    row = RejectCost(price).choose(front)
    if by_seen:
        rejects = front.true_rejects + front.false_rejects
        row = int(np.argmin(front.n_errors - front.true_rejects + price * rejects))
    ((answered, right),) = local.counts(new, np.array([row])).tolist()
    n = len(new.correct)
    return float((answered - right + price * (n - answered)) / n / min(price, 1 - base))
