"""Which thresholds keep shares of good answers high, with the fewest rejects?

A target of this module sets a least value for one or more *shares*. For each share, an answer
is good, bad or neither, and of the accepted answers

    good / (good + bad) ≥ level.

- *Accuracy*: right answers are good, wrong ones bad; in a group, those of the group.
- *Recall of a class* (sensitivity): of samples of this class, those that are answered by it are
  good, the others bad. A rejected sample goes to a person, so it is neither.
- *Precision of a class*: of answers that name this class, the right ones are good, the others bad.

**The path.** With p_m(c, j) the probability that an answer of certainty c in cell j is bad for
share m, and n_m the number of answers that are good or bad for it, thresholds reject first where

    Σ_m λ_m p_m(c, j) / n_m

is largest. The p_m are the curves of the pooled front. Each curve falls with the certainty, so the
rows are nested. Of a fixed set of prices λ, that with the fewest rejects is chosen: as the set does
not depend on the levels, a stricter target never rejects less.

**Certificates.** Rows are tested as in `guarantee`, from that most likely to pass by the learning
samples to ever fewer rejects. A row passes if each of its shares passes its own exact binomial
test. Call a row false if one of its shares is below its level: it passes only if the test of this
share passes, which has probability at most δ. So all shares hold together with confidence 1 − δ;
nothing is divided among them. Shares without confidence are reached on the learning samples.

**Other class proportions.** Weights of the learning samples replace their numbers. Shares are
tested on samples that were drawn in the new proportions, except the recall of a class, which is the
same for all proportions: every sample of the class tests it.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import Argument, InputError
from abstain.fronts.bins import BinCounts, count_in_bins
from abstain.fronts.curves import fit_curves
from abstain.fronts.held_out import CountsToTest, HeldOut
from abstain.fronts.pooled import PooledFront, front_of_scores, log_weight_ratios
from abstain.targets.guarantee import (
    N_STEPS,
    Counts,
    accuracy_bound,
    binomial_tail,
    enough_answers,
    first_failure,
    issue,
    needed_answers,
    rows_covering,
    words_for_tested,
)
from abstain.targets.outcomes import Choice, Outcomes

# Factors by which the price of each share is raised and lowered.
FACTORS = (2.0, 4.0, 8.0, 16.0, 64.0)
# Of sums of probabilities.
ROUNDING = 1e-9
# A probability of 0 has a rank below all others.
LEAST = 1e-300


class Share(NamedTuple):
    """Which answers are good or bad, and which share of them shall be good."""

    name: str
    counted: str  # what `good` and `bad` answers are together
    good: NDArray[np.bool_]
    bad: NDArray[np.bool_]
    # Answers that can be bad: a threshold on others does not raise the share.
    may_be_bad: NDArray[np.bool_]
    level: float
    confidence: float | None
    # The share of good answers among samples of one class is the same for all class proportions.
    depends_on_prior: bool = True

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Whether an answer is good or bad."""
        return self.good | self.bad


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
    paths = list(_paths(learn, shares))
    if test is None:
        path, row = _fewest_rejects(paths, shares, least)
        return Choice(path.front, row)
    scales = [_scale(share, learn, test) for share in shares]
    path, order = _most_promising(paths, shares, scales)
    return _certify(path.front, order, test, target._shares(test))


# --- the path -----------------------------------------------------------------------------------


class _Scale(NamedTuple):
    """How many times the counts of the learning samples are tested; what a bad one counts."""

    ratio: float
    weight: float


@dataclass(frozen=True, eq=False)
class _Path:
    """Nested rows for one choice of prices, and what each row has on the calibration data.

    ``accepted`` and ``bad`` have a row per share and a column per row of the path.
    """

    front: PooledFront
    rejects: NDArray[np.int64]
    accepted: NDArray[np.int64]
    bad: NDArray[np.int64]
    expected_bad: NDArray[np.float64]

    def most_bad(self) -> NDArray[np.float64]:
        """Return the bad answers of each row: those seen, or the mean with those expected.

        Of many rows, some have few by chance. A single criterion, so that a stricter target never
        rejects less.
        """
        return np.maximum(self.bad, (self.bad + self.expected_bad) / 2)

    def reaches(self, shares: list[Share]) -> NDArray[np.bool_]:
        """Return whether each row reaches all levels."""
        levels = np.array([share.level for share in shares]).reshape(-1, 1)
        reached = self.most_bad() <= (1 - levels) * self.accepted + ROUNDING
        return np.asarray(reached.all(axis=0))

    def chances(self, shares: list[Share], scales: list[_Scale]) -> NDArray[np.float64]:
        """Return the largest p of each row over the shares, in units of their δ.

        Bad answers are counted with their standard error: of many rows, those with few by chance
        look best.
        """
        largest = np.zeros(len(self.rejects))
        for share, (ratio, weight), accepted, bad in zip(
            shares, scales, self.accepted, self.most_bad(), strict=True
        ):
            if share.confidence is not None:
                n_accepted = (accepted * ratio).astype(np.int64)
                error = np.sqrt(weight * bad + weight**2)
                probable = np.ceil((bad + error) * ratio).astype(np.int64)
                n_bad = np.minimum(probable, n_accepted)
                p = binomial_tail(n_accepted, n_bad, share.level) / (1 - share.confidence)
                largest = np.maximum(largest, p)
        return largest

    def part(self, chosen: list[int]) -> _Path:
        """Return the path with some of its shares."""
        return replace(
            self,
            accepted=self.accepted[chosen],
            bad=self.bad[chosen],
            expected_bad=self.expected_bad[chosen],
        )


def _paths(learn: Outcomes, shares: list[Share]) -> Iterator[_Path]:
    """Yield the path of each choice of prices."""
    units = learn.units
    counts = count_in_bins(learn.certainty, learn.correct, learn.cells, units)
    of_errors = fit_curves(counts)
    curves = [_probability_bad(learn, share, counts) for share in shares]
    columns = np.searchsorted(counts.cells, learn.cells)
    place = columns * len(counts.edges) + counts.bins(learn.certainty)

    def table(members: NDArray[np.bool_]) -> NDArray[np.int64]:
        weights = None if units is None else units[members]
        sums = np.bincount(place[members], weights, minlength=counts.right.size)
        return sums.astype(np.int64).reshape(counts.right.shape)

    counted, bad = ([table(each) for each in of] for of in _good_and_bad(shares))
    for prices in _prices(len(shares)):
        scores = sum(
            price * curve / max(1, int(of.sum()))
            for price, curve, of in zip(prices, curves, counted, strict=True)
        )
        scores = np.log(np.maximum(scores, LEAST))
        front = front_of_scores(of_errors, scores)
        yield _Path(
            front,
            front.true_rejects + front.false_rejects,
            np.array([front.sums_accepted(each) for each in counted]),
            np.array([front.sums_accepted(each) for each in bad]),
            np.array(
                [front.sums_accepted(np.add(*counts.weights) * curve[:-1]) for curve in curves]
            ),
        )


def _good_and_bad(
    shares: list[Share],
) -> tuple[list[NDArray[np.bool_]], list[NDArray[np.bool_]]]:
    return [share.counts for share in shares], [share.bad for share in shares]


def _prices(n_shares: int) -> Iterator[NDArray[np.float64]]:
    """Yield the prices that are tried: equal ones, and those with one share raised or lowered."""
    yield np.ones(n_shares)
    if n_shares > 1:
        for share in range(n_shares):
            for factor in FACTORS:
                for power in (1, -1) if n_shares > 2 else (1,):
                    prices = np.ones(n_shares)
                    prices[share] = factor**power
                    yield prices


def _probability_bad(learn: Outcomes, share: Share, counts: BinCounts) -> NDArray[np.float64]:
    """Return P(bad) in each bin of each cell, and last of a cell that has not been seen.

    Cells in which no answer can be bad have probability 0.
    """
    probability = np.zeros((len(counts.cells) + 1, len(counts.edges)))
    has_bad = np.isin(learn.cells, np.unique(learn.cells[share.may_be_bad]))
    if has_bad.any():
        own = count_in_bins(
            learn.certainty[has_bad],
            ~share.bad[has_bad],
            learn.cells[has_bad],
            None if learn.units is None else learn.units[has_bad],
        )
        curves = fit_curves(own)
        rows = np.append(np.searchsorted(counts.cells, own.cells), len(counts.cells))
        wrong = 1 / (1 + np.exp(-curves.log_odds - log_weight_ratios(own)))
        probability[rows] = wrong[:, own.bins(counts.edges)]
    return probability


def n_rejected(choice: Choice, learn: Outcomes) -> int:
    """Return how many of the samples thresholds reject, in units of their weights."""
    thresholds = np.full(int(learn.cells.max()) + 1, -np.inf)
    thresholds[choice.front.cells] = choice.front.thresholds_at(choice.row)
    rejected = learn.certainty < thresholds[learn.cells]
    return int(rejected.sum() if learn.units is None else learn.units[rejected].sum())


def _fewest_rejects(paths: list[_Path], shares: list[Share], least: int) -> tuple[_Path, int]:
    """Return the path and its row that reach all levels with the fewest rejects, from least on."""
    best: tuple[int, _Path, int] | None = None
    for path in paths:
        # Rejecting everything reaches nothing.
        is_enough = path.reaches(shares) & (path.rejects >= least)
        rows = np.flatnonzero(is_enough & (path.accepted > 0).any(axis=0))
        if len(rows) and (best is None or path.rejects[rows[0]] < best[0]):
            best = int(path.rejects[rows[0]]), path, int(rows[0])
    if best is None:
        raise _unreachable(paths, shares)
    return best[1:]


def _unreachable(paths: list[_Path], shares: list[Share]) -> InputError:
    """Return an error about the share that falls shortest, or about shares that exclude others."""
    for m, share in enumerate(shares):
        most = 0.0
        for path in paths:
            some = path.accepted[m] > 0
            shares_of_rows = 1 - path.most_bad()[m][some] / path.accepted[m][some]
            most = float(np.max(shares_of_rows, initial=most))
        if most < share.level:
            return InputError(
                f"{share.name} cannot reach {share.level:g} on these samples: the most is "
                f"{most:.4g}, by what was seen and what can be expected; ask for less, give more "
                "samples or use a surer classifier"
            )
    names = " and ".join(f"{share.name} of {share.level:g}" for share in shares)
    return InputError(
        f"{names} cannot be reached together on these samples, though each can alone; ask for less "
        "of one of them"
    )


# --- certificates -------------------------------------------------------------------------------


def _scale(share: Share, learn: Outcomes, test: Outcomes) -> _Scale:
    """Return how counts of the learning samples compare with those of the tested ones."""
    units = np.ones(len(learn), dtype=np.int64) if learn.units is None else learn.units
    weight = float(units[share.bad].mean()) if share.bad.any() else float(units.mean())
    if share.depends_on_prior:
        return _Scale(_n_test(share, test) / int(units.sum()), weight)
    n_counted, total = int(share.counts.sum()), int(units[share.counts].sum())
    return _Scale(len(test) / len(learn) * (n_counted / max(1, total)), weight)


def _n_test(share: Share, test: Outcomes) -> int:
    """Return how many samples there are to test a share, whether they count for it or not."""
    return len(test) if test.drawn is None or not share.depends_on_prior else len(test.drawn)


def _most_promising(
    paths: list[_Path], shares: list[Share], scales: list[_Scale]
) -> tuple[_Path, NDArray[np.int64]]:
    """Return a path and its rows in the order of their tests; no label of a test sample is used.

    The counts of the learning samples, in their ``scales``, are those that can be expected of the
    test samples. Of the rows that would then pass, that with the fewest rejects tells the path.
    Shares without confidence are not tested, so rows that do not reach them are left out.
    """
    plain = [m for m, share in enumerate(shares) if share.confidence is None]
    best: tuple[tuple[float, float], _Path, NDArray[np.float64]] | None = None
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
        raise _unreachable([each.part(plain) for each in paths], [shares[m] for m in plain])
    return path, _order(path.front, chances)


def _certify(
    front: PooledFront, order: NDArray[np.int64], test: Outcomes, shares: list[Share]
) -> Choice:
    """Test rows from few accepted samples to all, each share by its own test."""
    tested = [share for share in shares if share.confidence is not None]
    held_out = [test.held_out(share.good, front).take(_tested(share, test)) for share in tested]
    counts = [CountsToTest(front, samples).of(order) for samples in held_out]
    certified: tuple[int, list[Counts]] | None = None
    n_tested = 0
    for row, *counted in zip(order.tolist(), *counts, strict=True):
        n_tested += 1
        results = [each for _, each in counted]
        for share, samples, result in zip(tested, held_out, results, strict=True):
            assert share.confidence is not None
            failure = first_failure(result, share.level, share.confidence)
            if failure is not None:
                if certified is None:
                    raise _not_certified(share, _n_test(share, test), samples, *failure)
                break
        else:
            certified = row, results
            continue
        break
    assert certified is not None
    row, results = certified
    return Choice(
        front,
        row,
        tuple(
            issue(samples, share.level, share.confidence, result, n_tested, share.name)
            for share, samples, result in zip(tested, held_out, results, strict=True)
            if share.confidence is not None
        ),
    )


def _tested(share: Share, test: Outcomes) -> NDArray[np.int64]:
    """Return the positions of the samples that test a share; -1 is one that was lacking."""
    if test.drawn is None or not share.depends_on_prior:
        return np.flatnonzero(share.counts)
    return np.asarray(test.drawn[(test.drawn < 0) | share.counts[test.drawn]])


def _order(front: PooledFront, chances: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows in the order of their tests: the most promising, then ever fewer rejects."""
    first = int(chances.argmin())
    steps = np.linspace(0, front.coverages[0], N_STEPS + 1)
    steps = steps[steps > front.coverages[first]]
    rows = np.concatenate([[first], rows_covering(front, steps), [0]])
    rows = rows[(rows <= first) & (chances[rows] < np.inf)]
    return np.asarray(rows[np.sort(np.unique(rows, return_index=True)[1])])


def _not_certified(
    share: Share, n_samples: int, tested: HeldOut, accepted: int, bad: int
) -> InputError:
    """Return an error that says what fails, what could be had, and how many samples would do."""
    assert share.confidence is not None
    n_counted = tested.n_samples
    if tested.repeats is not None and accepted > n_counted:  # the test of all repeats has failed
        n_counted = int(tested.repeats.sum())
    level = 1 - share.confidence
    possible = int(1000 * accuracy_bound(accepted, bad, level)) / 1000
    instead = f"at most {possible:g} could be" if possible > 0 else "nothing could be certified"
    least = needed_answers(share.level, share.confidence)
    enough = enough_answers(accepted, bad, share.level, level)
    more = (
        "use a surer classifier"
        if enough is None
        else f"hold out about {-(-enough * n_counted // max(accepted, 1)):,} {share.counted}"
    )
    return InputError(
        f"{share.name} of {share.level:g} with ",
        Argument("confidence", share.confidence),
        f" cannot be certified: of {n_samples:,} {words_for_tested(tested.counted)} {n_counted:,} "
        f"are {share.counted}, {accepted:,} of them are accepted by the first thresholds that are "
        f"tested, and {bad:,} are wrong; {instead}, or {more} (it takes {least:,} accepted ones "
        "without an error)",
    )
