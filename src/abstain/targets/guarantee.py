"""Which row of a front reaches an accuracy on new data, with a stated confidence?

**Learn, then test.** The front comes from one part of the data. Its rows are put in an order that
depends on that part alone, and are tested in this order on the other part. A row that accepts n of
its samples, k of them wrong, would be as good as this by chance, were its accuracy below a, with
probability at most

    p = P(Bin(n, 1 − a) ≤ k),

the exact binomial tail. Testing goes on while p ≤ δ and stops at the first row that fails. Since
each row is tested only if all before it have passed, a row of too low an accuracy is certified with
probability at most δ, however many rows there are; so the one with the fewest rejects may be picked
among those certified.

**The order.** It begins at the row that seems easiest to certify, that of the smallest p on the
first part, and goes on to ever fewer rejects. Rows that reject more than the first one are never
wanted.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._checks import InputError
from abstain.fronts import ParetoFront
from abstain.fronts.held_out import HeldOut, HeldOutCounts

__all__ = ["Guarantee", "accuracy_bound", "certify", "needed_answers"]


@dataclass(frozen=True)
class Guarantee:
    """What has been certified, and by which samples.

    Parameters
    ----------
    accuracy, confidence : float
        With this confidence, the accuracy on new samples that are accepted is at least this high.
    n_samples : int
        Samples that were held out for the test.
    accepted, errors : int
        How many of them are accepted, and how many of these are wrong.
    bound : float
        The accuracy that these counts alone would bear out with the same confidence: the exact
        lower bound of Clopper and Pearson. It is never below ``accuracy``.
    n_tested : int
        Rows of the front that were tested.

    Examples
    --------
    >>> from abstain import Accuracy, operating_point, pareto_front
    >>> certainty, correct = [0.1, 0.2, 0.8, 0.9] * 25, [False, True, True, True] * 25
    >>> point = operating_point(
    ...     pareto_front(certainty, correct),
    ...     Accuracy(0.9, confidence=0.95),
    ...     held_out=(certainty, correct),
    ... )
    >>> point.guarantee.accepted, point.guarantee.errors, round(point.guarantee.bound, 3)
    (75, 0, 0.961)
    """

    accuracy: float
    confidence: float
    n_samples: int
    accepted: int
    errors: int
    bound: float
    n_tested: int


def certify(
    front: ParetoFront, held_out: HeldOut, accuracy: float, confidence: float
) -> tuple[int, Guarantee]:
    """Return the row with the fewest rejects that reaches the accuracy with confidence."""
    level = 1 - confidence
    order = _order(front, accuracy)
    counts = HeldOutCounts(front, held_out)
    certified: tuple[int, int, int, int] | None = None
    n_tested = 0
    for row, accepted, errors in counts.of(order):
        n_tested += 1
        if not _tail(accepted, errors, accuracy) <= level:
            break
        rejected = int(front.true_rejects[row] + front.false_rejects[row])
        if certified is None or rejected <= certified[0]:
            certified = rejected, row, accepted, errors
    if certified is None:
        found = _uncertain(accuracy, confidence, held_out.n_samples, accepted, errors)
        lower = _highest_below(front, counts, accuracy, level)
        remedy = _remedy(accuracy, confidence, held_out.n_samples, accepted, errors)
        raise InputError(f"{found}; {_instead(lower)}{remedy}")
    _, row, accepted, errors = certified
    bound = accuracy_bound(accepted, errors, level)
    n_samples = held_out.n_samples
    return row, Guarantee(accuracy, confidence, n_samples, accepted, errors, bound, n_tested)


def needed_answers(accuracy: float, confidence: float) -> int:
    """Return the fewest accepted samples, none of them wrong, that bear out an accuracy."""
    n = max(1, ceil(log(1 - confidence) / log(accuracy)) - 1)
    while accuracy**n > 1 - confidence:
        n += 1
    return n


def _order(front: ParetoFront, accuracy: float) -> NDArray[np.int64]:
    """Return the rows in the order in which they are tested."""
    rejects = front.true_rejects + front.false_rejects
    first = _first(front, rejects, np.argsort(rejects, kind="stable"), accuracy)
    rows = np.flatnonzero(rejects <= rejects[first])
    rows = rows[rows != first]
    return np.concatenate([[first], rows[np.argsort(-rejects[rows], kind="stable")]])


def _first(
    front: ParetoFront,
    rejects: NDArray[np.int64],
    fewest_first: NDArray[np.int64],
    accuracy: float,
) -> int:
    """Return the row that seems easiest to certify, of equal ones that with the fewest rejects."""
    chance = _tail(front.n_samples - rejects, front.n_errors - front.true_rejects, accuracy)
    return int(fewest_first[chance[fewest_first].argmin()])


def _highest_below(
    front: ParetoFront, counts: HeldOutCounts, accuracy: float, level: float
) -> float | None:
    """Return the highest accuracy in thousandths, below this one, that is certified, if any is.

    Another accuracy begins at another row, so one that is certified may lie above one that is not:
    all are tried, the highest first. An accuracy is certified as soon as its first row passes.
    """
    rejects = front.true_rejects + front.false_rejects
    fewest_first = np.argsort(rejects, kind="stable")
    for thousandths in range(ceil(1000 * accuracy), 0, -1):
        lower = thousandths / 1000
        if lower < accuracy:
            first = _first(front, rejects, fewest_first, lower)
            ((_, accepted, errors),) = counts.of(np.array([first]))
            if _tail(accepted, errors, lower) <= level:
                return lower
    return None


def _tail(accepted: Any, errors: Any, accuracy: float) -> Any:
    """Return P(Bin(accepted, 1 − accuracy) ≤ errors)."""
    from scipy.special import bdtr

    return bdtr(errors, accepted, 1 - accuracy)


def accuracy_bound(accepted: int, errors: int, level: float) -> float:
    """Return the accuracy at which so few errors have just the probability ``level``."""
    from scipy.special import betaincinv

    if accepted == errors:  # nothing right, or nothing at all
        return 0.0
    return float(betaincinv(accepted - errors, errors + 1, level))


def _uncertain(
    accuracy: float, confidence: float, n_samples: int, accepted: int, errors: int
) -> str:
    """Return what stood in the way."""
    return (
        f"accuracy={accuracy} with confidence={confidence} cannot be certified: of {n_samples} "
        f"held-out samples {accepted} {'is' if accepted == 1 else 'are'} accepted by the surest "
        f"thresholds, {errors} of them wrong"
    )


def _instead(lower: float | None) -> str:
    """Return which accuracy could be had; who asks for it now has looked at the samples before."""
    if lower is None:
        return "they certify no accuracy at all: ask for less confidence"
    return f"they certify {lower:g} at most: ask for no more, best on samples not yet looked at"


def _remedy(accuracy: float, confidence: float, n_samples: int, accepted: int, errors: int) -> str:
    """Return what else would help."""
    enough = _enough(accepted, errors, accuracy, 1 - confidence)
    if enough is None:
        return ", or use a surer classifier"
    least = needed_answers(accuracy, confidence)
    wanted = ceil(enough * n_samples / accepted)
    # Few errors tell little of their share: what would take so many is not to be had by waiting.
    more = f"about {wanted:,} samples" if wanted <= 20 * n_samples else "far more samples"
    return (
        f", or hold out {more} (it takes {least:,} accepted ones without an error; "
        "test_size is the share that is held out)"
    )


def _enough(accepted: int, errors: int, accuracy: float, level: float) -> int | None:
    """Return how many accepted samples would do, were the share of errors the same; None if none.

    Seen errors tell little when there are few, so one more is reckoned with.
    """
    if not accepted:
        return None
    rate = (errors + 1) / (accepted + 1) if errors else 0.0
    if rate >= 1 - accuracy:
        return None
    n = 1
    while _tail(n, int(rate * n), accuracy) > level:
        n += max(1, n // 50)
    return n
