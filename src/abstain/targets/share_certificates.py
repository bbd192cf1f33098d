"""Which shares of good answers are certified, and what could be certified instead?

`share_paths` makes the rows that are tested.

**Certificates.** Rows are tested as in `guarantee`, from that most likely to pass by the learning
samples to ever fewer rejects. A row passes if each of its shares passes its own exact binomial
test. Call a row false if one of its shares is below its level: it passes only if the test of this
share passes, which has probability at most δ. So all shares hold together with confidence 1 − δ;
nothing is divided among them. Shares without confidence are reached on the learning samples.

**Other class proportions.** Weights of the learning samples replace their numbers. Shares are
tested on samples that were drawn in the new proportions, except the recall of a class, which is the
same for all proportions: every sample of the class tests it.

**What could be had.** If the first row fails, the part that fails is tried at lower levels, with
all other parts as they are. Another level may begin at another row, of another path; so each is
tried as if it had been asked for, and the one that is named can be had.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError
from abstain.fronts.held_out import CountsToTest, HeldOut
from abstain.fronts.pooled import PooledFront
from abstain.targets.guarantee import (
    N_STEPS,
    Counts,
    binomial_tail,
    issue,
    needed_answers,
    rows_covering,
    words_for_tested,
)
from abstain.targets.outcomes import Choice, Outcomes
from abstain.targets.share_paths import Path, Scale, Share, fewest_rejects, paths_of, unreachable


def solve_shares(
    target: Any, learn: Outcomes, method: str, test: Outcomes | None = None, least: int = 0
) -> Choice:
    """Return the thresholds with the fewest rejects at which all shares of a target are reached.

    Without ``test``, they reject at least so many samples, in units of their weights.
    """
    if method != "pooled":
        raise InputError(
            argument="method", value=method, requirement=f"must be 'pooled' for {target}"
        )
    shares = target._shares(learn)
    paths = list(paths_of(learn, shares))
    if test is None:
        path, row = fewest_rejects(paths, shares, least)
        return Choice(path.front, row)
    tests = _Tests(test, target._shares(test))
    return _certify(paths, shares, [_scale(share, learn, tests) for share in shares], tests)


def _scale(share: Share, learn: Outcomes, tests: _Tests) -> Scale:
    """Return how counts of the learning samples compare with those of the tested ones."""
    units = np.ones(len(learn), dtype=np.int64) if learn.units is None else learn.units
    weight = float(units[share.bad].mean()) if share.bad.any() else float(units.mean())
    if share.depends_on_prior:
        return Scale(tests.n_samples(share) / int(units.sum()), weight)
    n_counted, total = int(share.counts.sum()), int(units[share.counts].sum())
    return Scale(tests.n_samples(share) / len(learn) * (n_counted / max(1, total)), weight)


def _most_promising(
    paths: list[Path], shares: list[Share], scales: list[Scale]
) -> tuple[Path, NDArray[np.int64]]:
    """Return a path and its rows in the order of their tests; no label of a test sample is used.

    The counts of the learning samples, in their ``scales``, are those that can be expected of the
    test samples. Of the rows that would then pass, that with the fewest rejects tells the path.
    Shares without confidence are not tested, so rows that do not reach them are left out.
    """
    plain = [m for m, share in enumerate(shares) if share.confidence is None]
    best: tuple[tuple[float, float], Path, NDArray[np.float64]] | None = None
    for path in paths:
        chances = path.chances(shares, scales)
        chances[~path.part(plain).reaches([shares[m] for m in plain])] = np.inf
        passing = np.flatnonzero(chances <= 1)
        rejects = path.rejects[passing[0]] if len(passing) else np.inf
        rank = float(rejects), float(chances.min())
        if best is None or rank < best[0]:
            best = rank, path, chances
    assert best is not None
    (_, chance), path, chances = best
    if chance == np.inf and plain:
        raise unreachable([each.part(plain) for each in paths], [shares[m] for m in plain])
    return path, _order(path.front, chances)


def _order(front: PooledFront, chances: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows in the order of their tests: the most promising, then ever fewer rejects."""
    first = int(chances.argmin())
    steps = np.linspace(0, front.coverages[0], N_STEPS + 1)
    steps = steps[steps > front.coverages[first]]
    rows = np.concatenate([[first], rows_covering(front, steps), [0]])
    rows = rows[(rows <= first) & (chances[rows] < np.inf)]
    return np.asarray(rows[np.sort(np.unique(rows, return_index=True)[1])])


class _Test(NamedTuple):
    """How many of the samples that count for a share a row accepts, and how many are bad.

    If samples repeat, in both ways of counting.
    """

    share: Share
    samples: HeldOut
    counts: Counts

    @property
    def allowed(self) -> float:
        """The probability up to which the test passes."""
        assert self.share.confidence is not None
        return 1 - self.share.confidence

    @property
    def probability(self) -> float:
        """The exact probability of no more bad ones, if the share were at its level."""
        accepted, bad = self.worst
        return float(binomial_tail(accepted, bad, self.share.level))

    @property
    def worst(self) -> tuple[int, int]:
        """Accepted and bad samples of the way that supports the share least."""
        level = self.share.level
        return max(self.counts, key=lambda count: float(binomial_tail(count[0], count[1], level)))

    @property
    def n_counted(self) -> int:
        """How many samples there are in this way."""
        repeats = self.samples.repeats
        is_of_all = repeats is not None and self.worst != self.counts[0]
        return int(repeats.sum()) if is_of_all and repeats is not None else self.samples.n_samples

    @property
    def passes(self) -> bool:
        """Whether the share is certified in this row."""
        return self.probability <= self.allowed


class _Tests(NamedTuple):
    """The samples that test, and the shares of their answers."""

    samples: Outcomes
    shares: list[Share]

    def n_samples(self, share: Share) -> int:
        """Return how many samples there are to test a share, whether they count for it or not."""
        drawn = self.samples.drawn
        return len(self.samples) if drawn is None or not share.depends_on_prior else len(drawn)

    def counted(self, share: Share) -> NDArray[np.int64]:
        """Return the positions of the samples that count; -1 is one that was lacking."""
        drawn = self.samples.drawn
        if drawn is None or not share.depends_on_prior:
            return np.flatnonzero(share.counts)
        return np.asarray(drawn[(drawn < 0) | share.counts[drawn]])

    def of(self, front: PooledFront, rows: NDArray[np.int64]) -> Iterator[list[_Test]]:
        """Yield, for each row, the tests of the shares that are to be certified."""
        tested = [share for share in self.shares if share.confidence is not None]
        held_out = [
            self.samples.held_out(share.good, front).take(self.counted(share)) for share in tested
        ]
        counts = [CountsToTest(front, samples).of(rows) for samples in held_out]
        for of_row in zip(*counts, strict=True):
            yield [
                _Test(share, samples, each)
                for share, samples, (_, each) in zip(tested, held_out, of_row, strict=True)
            ]


def _certify(paths: list[Path], shares: list[Share], scales: list[Scale], tests: _Tests) -> Choice:
    """Test rows from few accepted samples to all, each share by its own test."""
    path, order = _most_promising(paths, shares, scales)
    certified: tuple[int, list[_Test]] | None = None
    n_tested = 0
    for row, results in zip(order.tolist(), tests.of(path.front, order), strict=True):
        n_tested += 1
        if not all(result.passes for result in results):
            break
        certified = row, results
    if certified is None:
        failed = [result for result in results if not result.passes]
        raise _not_certified(failed, paths, shares, scales, tests)
    row, results = certified
    guarantees = tuple(
        issue(samples, share.level, share.confidence, counts, n_tested, share.name)
        for share, samples, counts in results
        if share.confidence is not None
    )
    return Choice(path.front, row, guarantees)


# --- what could be certified instead ------------------------------------------------------------


def _not_certified(
    failed: list[_Test],
    paths: list[Path],
    shares: list[Share],
    scales: list[Scale],
    tests: _Tests,
) -> InputError:
    """Return an error that says what fails, what could be had, and how many samples would do.

    Of several parts that fail, it is the one that falls shortest, or another if only a lower level
    of this one makes all pass.
    """
    failed = sorted(failed, key=lambda test: -test.probability / test.allowed)
    for test in failed:
        lower = _highest_below(test.share, paths, shares, scales, tests)
        if lower is not None:
            break
    else:
        test = failed[0]
    share, (accepted, bad) = test.share, test.worst
    others = [each.share.name for each in failed if each is not test]
    return InputError(
        f"{share.name} of {share.level:g} with ",
        Argument("confidence", share.confidence),
        f" cannot be certified{_nor(others)}: of {tests.n_samples(share):,} "
        f"{words_for_tested(test.samples.counted)} {test.n_counted:,} are {share.counted}, "
        f"{accepted:,} of them are accepted by the first thresholds that are tested, and {bad:,} "
        f"are wrong; {_instead(share, shares, lower)}, or {_more_samples(test)}",
    )


def _highest_below(
    share: Share,
    paths: list[Path],
    shares: list[Share],
    scales: list[Scale],
    tests: _Tests,
) -> float | None:
    """Return the highest level of a part that is certified with all others as they are, if any is.

    Each level is tried as if it had been asked for: it may begin at another row. In steps of
    tenths, then of hundredths and thousandths, so a higher one that lies alone may be missed.
    """

    def at(level: float, of: list[Share]) -> list[Share]:
        return [each._replace(level=level) if each.part == share.part else each for each in of]

    def is_certified(level: float) -> bool:
        path, order = _most_promising(paths, at(level, shares), scales)
        (results,) = tests._replace(shares=at(level, tests.shares)).of(path.front, order[:1])
        return all(result.passes for result in results)

    above, best = ceil(1000 * share.level), 0
    for step in (100, 10, 1):
        for thousandths in range(above - step, best, -step):
            if is_certified(thousandths / 1000):
                best = thousandths
                break
            above = thousandths
    return best / 1000 if best else None


def _nor(names: list[str]) -> str:
    """Return which other shares cannot be certified."""
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f", nor can {' and '.join(names[:2])}{more}" if names else ""


def _instead(share: Share, shares: list[Share], lower: float | None) -> str:
    """Return which level is certified instead; it is then chosen with a look at the samples."""
    where = " in every group" if sum(each.part == share.part for each in shares) > 1 else ""
    beside = " beside the other targets" if any(each.part != share.part for each in shares) else ""
    if lower is None:
        return f"they certify no level{where} at all{beside}: ask for less confidence"
    return f"they certify {lower:g}{where}{beside}: request no more, ideally on fresh data"


def _more_samples(test: _Test) -> str:
    """Return how many samples that count for a share would do."""
    share, (accepted, _), n_counted = test.share, test.worst, test.n_counted
    assert share.confidence is not None
    least = needed_answers(share.level, share.confidence)
    enough = _probably_enough(test)
    if not accepted:
        more = f"hold out more than {max(least, n_counted):,} {share.counted}"
    elif enough is None:
        more = "use a surer classifier"
    else:
        wanted = ceil(enough * n_counted / accepted)
        # Few errors tell little of their share: a number far beyond the samples would be a guess.
        number = f"about {wanted:,}" if wanted <= 20 * n_counted else "far more"
        more = f"hold out {number} {share.counted}"
    return f"{more} (it takes {least:,} accepted ones without an error)"


def _probably_enough(test: _Test) -> int | None:
    """Return how many accepted samples would probably do, were bad ones as frequent; None if none.

    So many that the test also passes with half a standard error more bad ones than expected. Bad
    ones that were seen tell little when there are few, so half a one more is assumed.
    """
    share, (accepted, bad) = test.share, test.worst
    rate = (bad + 0.5) / (accepted + 1)
    if not bad:
        rate = min(rate, (1 - share.level) / 2)
    # At the rate that is allowed, or next to it, no number of samples is enough.
    if rate > (1 - share.level) * (1 - 1e-3):
        return None
    n = accepted  # which were not enough
    while binomial_tail(n, ceil(rate * n + sqrt(rate * n) / 2), share.level) > test.allowed:
        n += max(1, n // 50)
    return n
