"""Which row of a front reaches an accuracy on new data, with a stated confidence?

**Fixed-sequence testing.** The rows of a front are put in an order that depends on no label of the
samples that test, and are tested in this order. A row that accepts N of these samples, E of them
wrong, passes if

    P(Bin(N, 1 − a) ≤ E) ≤ δ,

the exact binomial tail. Testing stops at the first row that fails. Call a row false if its accuracy
on new samples is below a. Given N, the errors of a false row are binomial with a risk above 1 − a,
so it passes with probability at most δ. A false row is certified only if the first false row in
the order passes; so that happens with probability at most δ, however many rows there are, and the
one with the fewest rejects may be picked among those that passed.

This needs the first false row to be fixed before the samples test. It is so where rows and order
come from other samples, whatever the risk looks like. Rows that are the order of the certainties
of the test samples themselves (one threshold for all) need that surer answers are not wrong more
often; ``docs/guarantee.md`` has the argument.

**The order of nested rows** goes from few accepted samples to all, in `N_STEPS` steps: fewer tests
fail less often by chance. The first row must accept enough samples to pass, and few enough to be
sure of them. Of n samples, m must be accepted without an error to certify anything
(`needed_answers`); the order begins where the front's own samples let expect √(m n) of them, half
way between m and n as ratios go.

**The order of other rows** begins at the row that seems easiest to certify, that of the smallest p
on the front's own samples, which then must not test; it goes on to ever fewer rejects. Rows that
reject more than the first one are never wanted.

**Repeats.** Equal samples may be copies, or repeat by nature. If they are copies, distinct samples
are independent; if by nature, all samples are. A row passes if it passes the test of both counts:
whichever is right, a false row passes with probability at most δ.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from math import ceil, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError, Message
from abstain.fronts import ParetoFront
from abstain.fronts.held_out import CountsToTest, HeldOut

# Accepted samples and errors; with repeats, first of each distinct sample, then of all.
Counts = list[tuple[int, int]]
# Of nested rows, from accepting nothing to accepting everything.
N_STEPS = 100


@dataclass(frozen=True)
class Guarantee:
    """What has been certified, and by which samples.

    Parameters
    ----------
    accuracy, confidence : float
        With this confidence, the accuracy on new samples that are accepted is at least this high.
    n_samples : int
        Samples that tested it, outliers not among them; with a ``class_prior``, those drawn in its
        proportions.
    accepted, errors : int
        How many of them are accepted, and how many of these are wrong.
    bound : float
        The accuracy that these counts alone support with the same confidence: the exact
        lower bound of Clopper and Pearson. It is never below ``accuracy``.
    n_tested : int
        Rows of the front that were tested.
    name : str, default="the accuracy"
        What is at least ``accuracy``: "the recall of 'ill'", for example, of which ``n_samples``
        are the samples of this class.
    counted : str, default="samples"
        What ``n_samples``, ``accepted`` and ``errors`` count: "samples"; "groups", if one sample of
        each held-out group tests, drawn at random: what is certified then holds for one sample,
        drawn at random, of a new group; or "distinct samples", if equal samples are counted once.
    n_left_out : int, default=0
        Held-out samples that are not counted: others of a group, or equal to one that is counted.
    n_targets : int, default=1
        Targets that the same samples have tested so far, with this one.
    joint_confidence : float, default=None
        With this confidence, all certificates for these targets hold together: 1 minus the sum of
        what each lacks to 1. None if it is the only one.
    n_outliers : int, default=0
        Held-out samples that are outliers: rejected, and not among ``n_samples``.

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
    >>> print(point.guarantee.what_was_tested)
    of 100 held-out samples, 75 were answered, 0 of them wrong
    """

    accuracy: float
    confidence: float
    n_samples: int
    accepted: int
    errors: int
    bound: float
    n_tested: int
    name: str = "the accuracy"
    counted: str = "samples"
    n_left_out: int = 0
    n_targets: int = 1
    joint_confidence: float | None = None
    n_outliers: int = 0

    @property
    def holds_for(self) -> str:
        """What new data the certificate is about, in words."""
        return "one sample of each new group" if self.counted == "groups" else "new samples"

    @property
    def left_out_as_equal(self) -> str:
        """How many held-out samples are not counted since others are equal to them, in words."""
        # They are known of all samples, not of those of a class.
        if self.counted != "distinct samples" or self.name != Guarantee.name:
            return ""
        return f" ({self.n_left_out:,} more are equal to others)" if self.n_left_out else ""

    @property
    def what_was_tested(self) -> str:
        """The counts in words, with equal samples and outliers that are not among them."""
        outliers = ""
        if self.n_outliers:
            outliers = f", without {self.n_outliers:,} outlier{'s' if self.n_outliers > 1 else ''}"
        return (
            f"of {self.n_samples:,} held-out {self.counted}{self.left_out_as_equal}{outliers}, "
            f"{self.accepted:,} were "
            f"answered, {self.errors:,} of them wrong"
        )


def certify(
    front: ParetoFront, held_out: HeldOut, accuracy: float, confidence: float
) -> tuple[int, Guarantee]:
    """Return the row with the fewest rejects that reaches the accuracy with confidence."""
    n_samples, least = held_out.n_samples, needed_answers(accuracy, confidence)
    tests = run_tests(front, held_out, accuracy, confidence) if n_samples >= least else None
    if tests is None or tests.certified is None:
        lower = _highest_below(front, held_out, accuracy, confidence) if n_samples else None
        if tests is None:
            raise InputError(
                argument="accuracy",
                value=accuracy,
                requirement=Message(
                    *("with ", Argument("confidence", confidence), f" takes at least {least:,} "),
                    f"{held_out.counted} that test it, none of them wrong, got {n_samples:,}",
                ),
                remedy=f"{_instead(lower)}, or give more {held_out.counted}",
            )
        accepted, errors = tests.last
        remedy = _remedy(accuracy, confidence, held_out, accepted, errors)
        raise InputError(
            argument="accuracy",
            value=accuracy,
            requirement=Message(
                *("with ", Argument("confidence", confidence), " cannot be certified: of "),
                f"{_number_of(held_out, accepted)} {accepted} {'is' if accepted == 1 else 'are'} "
                f"accepted by the first thresholds that are tested, {errors} of them wrong",
            ),
            remedy=Message(_instead(lower), remedy),
        )
    row, counts = tests.certified
    return row, issue(held_out, accuracy, confidence, counts, tests.n_tested)


def issue(
    held_out: HeldOut,
    level: float,
    confidence: float,
    counts: Counts,
    n_tested: int,
    name: str = Guarantee.name,
) -> Guarantee:
    """Return what a row that has passed certifies."""
    return Guarantee(
        level,
        confidence,
        held_out.n_samples,
        *counts[0],
        bound=min(accuracy_bound(*count, 1 - confidence) for count in counts),
        n_tested=n_tested,
        name=name,
        counted=held_out.counted,
    )


def first_failure(counts: Counts, level: float, confidence: float) -> tuple[int, int] | None:
    """Return the accepted samples and the errors that fail the test of a level, if any do."""
    for accepted, errors in counts:
        if not binomial_tail(accepted, errors, level) <= 1 - confidence:
            return accepted, errors
    return None


class TestedRows(NamedTuple):
    """What testing rows in their order has given.

    ``certified`` is the last row that passed, with its accepted samples and errors, or None;
    ``last`` are accepted samples and errors that failed, or of the last row.
    """

    certified: tuple[int, Counts] | None
    last: tuple[int, int]
    n_tested: int


def run_tests(
    front: ParetoFront, held_out: HeldOut, accuracy: float, confidence: float
) -> TestedRows:
    """Test the rows of a front, in an order of ever fewer rejects, up to the first that fails."""
    order = _order(front, held_out.n_samples, accuracy, confidence)
    certified: tuple[int, Counts] | None = None
    n_tested, last = 0, (0, 0)
    for row, counts in CountsToTest(front, held_out).of(order):
        n_tested += 1
        failure = first_failure(counts, accuracy, confidence)
        last = failure or counts[0]
        if failure is not None:
            break
        certified = row, counts
    return TestedRows(certified, last, n_tested)


def needed_answers(accuracy: float, confidence: float) -> int:
    """Return the fewest accepted samples, none of them wrong, that certify an accuracy."""
    n = max(1, ceil(log(1 - confidence) / log(accuracy)) - 1)
    while accuracy**n > 1 - confidence:
        n += 1
    return n


def likely_answers(accuracy: float, confidence: float) -> int:
    """Return how many accepted samples certify an accuracy with half of the errors it allows.

    >>> needed_answers(0.97, 0.9), likely_answers(0.97, 0.9)
    (76, 309)
    """
    n = needed_answers(accuracy, confidence)
    while binomial_tail(n, ceil((1 - accuracy) / 2 * n), accuracy) > 1 - confidence:
        n += max(1, n // 50)
    return n


def _order(
    front: ParetoFront, n_samples: int, accuracy: float, confidence: float
) -> NDArray[np.int64]:
    """Return the rows in the order in which they are tested: none rejects more than the last."""
    first = _first(front, n_samples, accuracy, confidence)
    if front.is_nested:
        steps = np.linspace(0, front.coverages[0], N_STEPS + 1)
        steps = steps[steps > front.coverages[first]]
        rows = np.concatenate([[first], rows_covering(front, steps), [0]])
        return rows[np.sort(np.unique(rows, return_index=True)[1])]
    rejects = front.true_rejects + front.false_rejects
    rows = np.flatnonzero(rejects <= rejects[first])
    rows = rows[rows != first]
    return np.concatenate([[first], rows[np.argsort(-rejects[rows], kind="stable")]])


def _first(front: ParetoFront, n_samples: int, accuracy: float, confidence: float) -> int:
    """Return the row that is tested first."""
    if front.is_nested:
        share = np.sqrt(needed_answers(accuracy, confidence) / n_samples)
        return int(rows_covering(front, np.array([min(share, 1.0)]))[0])
    rejects = front.true_rejects + front.false_rejects
    accepted, errors = front.n_samples - rejects, front.n_errors - front.true_rejects
    if front.unit != 1:  # counts of a unit of weight: tails need those of samples
        accepted, errors = (
            np.rint(count * front.unit).astype(np.int64) for count in (accepted, errors)
        )
    chance = binomial_tail(accepted, errors, accuracy)
    fewest_first = np.argsort(rejects, kind="stable")
    # Probabilities that differ by rounding are equal.
    is_least = chance[fewest_first] <= chance.min() * (1 + 1e-9)
    return int(fewest_first[is_least.argmax()])


def rows_covering(front: ParetoFront, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, of nested rows, the one with the most rejects that still accepts each share."""
    # Shares of counts differ by rounding.
    rows = np.searchsorted(-front.coverages, 1e-9 - shares, side="right") - 1
    return np.maximum(rows, 0)


def _highest_below(
    front: ParetoFront, held_out: HeldOut, accuracy: float, confidence: float
) -> float | None:
    """Return the highest accuracy in thousandths, below this one, that is certified, if any is.

    Another accuracy begins at another row, so one that is certified may lie above one that is not:
    all are tried, the highest first. An accuracy is certified as soon as its first row passes.
    """
    accepted, n_samples = CountsToTest(front, held_out), held_out.n_samples
    for thousandths in range(ceil(1000 * accuracy), 0, -1):
        lower = thousandths / 1000
        if lower < accuracy and needed_answers(lower, confidence) <= n_samples:
            first = _first(front, n_samples, lower, confidence)
            ((_, counts),) = accepted.of(np.array([first]))
            if first_failure(counts, lower, confidence) is None:
                return lower
    return None


def binomial_tail(accepted: Any, errors: Any, accuracy: float) -> Any:
    """Return P(Bin(accepted, 1 − accuracy) ≤ errors)."""
    from scipy.special import bdtr

    return bdtr(errors, accepted, 1 - accuracy)


def accuracy_bound(accepted: int, errors: int, level: float) -> float:
    """Return the accuracy at which so few errors have just the probability ``level``."""
    from scipy.special import betaincinv

    if accepted == errors:  # nothing right, or nothing at all
        return 0.0
    return float(betaincinv(accepted - errors, errors + 1, level))


def _instead(lower: float | None) -> str:
    """Return which accuracy is certified instead; it is then chosen with a look at the samples."""
    if lower is None:
        return "they certify no accuracy at all: ask for less confidence"
    return f"they certify {lower:g} at most: request no more, ideally on fresh data"


def _number_of(held_out: HeldOut, accepted: int) -> str:
    """Return how many there are of what is counted, with their repeats if these are accepted."""
    if held_out.repeats is not None and accepted > held_out.n_samples:
        return f"{held_out.repeats.sum()} test samples"
    return f"{held_out.n_samples} {words_for_tested(held_out.counted)}"


def words_for_tested(counted: str) -> str:
    """Return what tests in words: "groups" are "test groups"."""
    *adjectives, noun = counted.split()
    return " ".join([*adjectives, "test", noun])


def _remedy(
    accuracy: float, confidence: float, held_out: HeldOut, accepted: int, errors: int
) -> Message:
    """Return what else would help."""
    n_samples, counted = held_out.n_samples, held_out.counted
    enough = enough_answers(accepted, errors, accuracy, 1 - confidence)
    if enough is None:
        return Message(", or use a surer classifier")
    least = needed_answers(accuracy, confidence)
    wanted = ceil(enough * n_samples / accepted)
    # Few errors tell little of their share: a number far beyond the samples would be a guess.
    more = f"about {wanted:,} {counted}" if wanted <= 20 * n_samples else f"far more {counted}"
    return Message(
        f", or hold out {more} (it takes {least:,} accepted ones without an error; ",
        *(Argument("test_size"), " is the share that tests)"),
        *_count_all(counted),
    )


def _count_all(counted: str) -> list[str | Argument]:
    """Return what helps if equal samples are counted once."""
    if counted != "distinct samples":
        return []
    return [", or give ", Argument("independent_rows"), " if equal ones are so by chance"]


def enough_answers(accepted: int, errors: int, accuracy: float, level: float) -> int | None:
    """Return how many accepted samples would do, were the share of errors the same; None if none.

    Seen errors tell little when there are few, so one more is assumed.
    """
    if not accepted:
        return None
    rate = (errors + 1) / (accepted + 1) if errors else 0.0
    # At the rate that is allowed, or next to it, no number of samples is enough.
    if rate > (1 - accuracy) * (1 - 1e-6):
        return None
    n = accepted  # which were not enough
    while binomial_tail(n, int(rate * n), accuracy) > level:
        n += max(1, n // 50)
    return n
