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
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain.fronts.bins import BinCounts, count_in_bins
from abstain.fronts.curves import fit_curves
from abstain.fronts.pooled import PooledFront, front_of_scores, log_weight_ratios
from abstain.targets.guarantee import binomial_tail
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
    # Which of several targets it belongs to.
    part: int = 0

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Whether an answer is good or bad."""
        return self.good | self.bad


class Scale(NamedTuple):
    """How many times the counts of the learning samples are tested; what a bad one counts."""

    ratio: float
    weight: float


@dataclass(frozen=True, eq=False)
class Path:
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

    def chances(self, shares: list[Share], scales: list[Scale]) -> NDArray[np.float64]:
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

    def part(self, chosen: list[int]) -> Path:
        """Return the path with some of its shares."""
        return replace(
            self,
            accepted=self.accepted[chosen],
            bad=self.bad[chosen],
            expected_bad=self.expected_bad[chosen],
        )


def paths_of(learn: Outcomes, shares: list[Share]) -> Iterator[Path]:
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
        yield Path(
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


def fewest_rejects(paths: list[Path], shares: list[Share], least: int) -> tuple[Path, int]:
    """Return the path and its row that reach all levels with the fewest rejects, from least on."""
    best: tuple[int, Path, int] | None = None
    for path in paths:
        # Rejecting everything reaches nothing.
        is_enough = path.reaches(shares) & (path.rejects >= least)
        rows = np.flatnonzero(is_enough & (path.accepted > 0).any(axis=0))
        if len(rows) and (best is None or path.rejects[rows[0]] < best[0]):
            best = int(path.rejects[rows[0]]), path, int(rows[0])
    if best is None:
        raise unreachable(paths, shares)
    return best[1:]


def unreachable(paths: list[Path], shares: list[Share]) -> InputError:
    """Return an error about the share that falls shortest, or about shares that exclude others."""
    for m, share in enumerate(shares):
        most = 0.0
        for path in paths:
            some = path.accepted[m] > 0
            shares_of_rows = 1 - path.most_bad()[m][some] / path.accepted[m][some]
            most = float(np.max(shares_of_rows, initial=most))
        if most < share.level:
            most = floor(most * 10_000) / 10_000  # not more than can be had
            return InputError(
                f"{share.name} cannot reach {share.level:g} on these samples: the most is "
                f"{most:g}, by what was seen and what can be expected; ask for less, give more "
                "samples or use a surer classifier"
            )
    names = " and ".join(f"{share.name} of {share.level:g}" for share in shares)
    return InputError(
        f"{names} cannot be reached together on these samples, though each can alone; ask for less "
        "of one of them"
    )
