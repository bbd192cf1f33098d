"""What are the fewest false rejects for every number of true rejects, exactly?

Choosing one step (e_j, l_j) of each cell's staircase, the front is the (min,+) convolution

    D(m) = min { Σ_j l_j : Σ_j e_j = m }.

Indexed by true rejects, its cost depends on the errors alone. Even so, convolving the whole
staircases takes |E|²/2 operations; nearly all of them combine steps that no optimal row contains.

**Pruning.** At a price λ ≥ 0 per true reject, let s_j(e; λ) = l_j(e) − λe − min_e' (l_j(e') − λe')
be the *slack* of a step: it is never negative. A choice with m true rejects in all has

    false rejects = (λm + Σ_j min_e (l_j(e) − λe)) + Σ_j s_j(e_j; λ),

and the bracket never exceeds the envelope Ĥ(m) (see `envelope`). Fix a *reach* ρ and keep in each
cell only the candidates, those steps with s_j(e; λ) ≤ ρ(λ + 1) for some λ. Suppose the candidates
alone yield a row with U false rejects and m true ones, and

    U ≤ Ĥ(m + ρ) + ρ.                                                          (certificate)

Then U = D(m). For with λ the slope of Ĥ at m + ρ, the right side is the bracket plus ρ(λ + 1); the
slacks of an optimal choice sum to at most that, so each one of its steps was a candidate.

Steps whose slack is at most ρ(λ + 1) for some λ in [λ₁, λ₂] are those with
l_j(e) ≤ Â_j(e + ρ) + ρ, where Â_j is the minorant of the cell, continued by lines of slope λ₁ and
λ₂ beyond its vertices of these slopes. So the front is computed in blocks of consecutive m, for
which the λ of the certificate lie close together and the candidates are few; the rows of a block
that the certificate leaves open are solved again at the reach that they turn out to require, or at
twice the last one if that is less.

**Data that defies pruning.** Where errors get *likelier* with certainty, minorants lie far below
the staircases and nearly every step is a candidate. Once pruning has cost as much as the whole
convolution would, all rows left are solved by that: in no case is the work more than doubled.

How much work there is, only the work itself tells. Once it promises to be long, the caller is
warned, and told by how much the front along the hull, which takes seconds, would be worse.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.attainable import attainable_totals
from abstain.fronts.candidates import Bounds, Candidates
from abstain.fronts.envelope import build_envelope
from abstain.fronts.front import ParetoFront
from abstain.fronts.hull import hull_front
from abstain.fronts.programme import (
    Programme,
    chosen_steps,
    fewest_false_rejects,
    make_programme,
    work,
)
from abstain.fronts.staircases import Staircases

__all__ = ["ExactBacktrace", "exact_front"]

# These only affect speed; docs/exact-front.md has the measurements. The width of a block, in
# numbers of √(errors × cells), balances its candidates against its rows. Each block begins with a
# share of the reach that the one before it required: a cheap pass that shows how much is needed.
BLOCK_WIDTH = 5.0
FIRST_REACH = 1.0
LEAST_REACH = 0.25
SHARE = 0.75

# Sums that take some half a minute of one core.
MANY_SUMS = 30_000_000_000


def exact_front(staircases: Staircases) -> ParetoFront:
    """Return the optimal front."""
    bounds = Bounds(staircases, build_envelope(staircases))
    attainable = attainable_totals(staircases)
    false_rejects, reaches = _solve(bounds, attainable)
    rows = np.flatnonzero(attainable)
    return ParetoFront(
        true_rejects=rows,
        false_rejects=false_rejects[rows],
        gap=np.zeros(len(rows), dtype=np.int64),
        method="exact",
        staircases=staircases,
        backtrace=ExactBacktrace(bounds, rows, reaches[rows]),
    )


def block_width(staircases: Staircases) -> int:
    """Return how many rows to solve together."""
    return int(BLOCK_WIDTH * np.sqrt(staircases.n_errors * staircases.n_cells)) + 1


@dataclass
class Budget:
    """The work that pruning may cost: what it is to save."""

    left: int
    spent: int = 0

    def spend(self, amount: int) -> bool:
        """Return whether there is as much, and take it if so."""
        affordable = amount <= self.left
        self.left -= amount * affordable
        self.spent += amount * affordable
        return affordable


def _solve(
    bounds: Bounds, attainable: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the fewest false rejects of all rows, and the reach that each requires.

    Rows that cannot be had are left at reach 0.
    """
    staircases = bounds.staircases
    n_rows, width = len(attainable), block_width(staircases)
    everything = make_programme(
        staircases.true_rejects, staircases.false_rejects, staircases.starts
    )
    budget = Budget(work(everything, 0, n_rows - 1))
    unknown = staircases.n_samples + 1
    fewest = np.full(n_rows, unknown)
    reaches = np.where(attainable, np.inf, 0.0)
    reach, is_told = FIRST_REACH, False
    for low in range(0, n_rows, width):
        block = slice(low, low + width)
        is_pruned = _solve_block(bounds, low, fewest[block], reaches[block], reach, budget)
        left = (
            budget.spent * (n_rows / (low + width) - 1)
            if is_pruned
            else work(everything, low, n_rows - 1)
        )
        if not is_told and budget.spent + left > MANY_SUMS:
            is_told = True
            _point_to_hull(staircases)
        if not is_pruned:
            rest = np.arange(low, n_rows)
            fewest[low:] = fewest_false_rejects(everything, low, n_rows - 1, unknown)
            reaches[low:] = np.where(attainable[low:], bounds.required_reach(rest, fewest[low:]), 0)
            break
        reach = max(SHARE * float(reaches[block].max()), LEAST_REACH)
    return fewest, reaches


def _point_to_hull(staircases: Staircases) -> None:
    """Tell that this will take long, and what the front that takes seconds would miss."""
    gap = int(hull_front(staircases).gap.max())
    warnings.warn(
        f"method='exact' will take half a minute or far more for these {staircases.n_errors:,} "
        f"errors in {staircases.n_cells:,} cells; method='hull' takes seconds, and rejects at most "
        f"{gap:,} right answers more, {gap / staircases.n_samples:.2g} of all samples",
        stacklevel=5,
    )


def _solve_block(
    bounds: Bounds,
    low: int,
    fewest: NDArray[np.int64],
    required: NDArray[np.float64],
    reach: float,
    budget: Budget,
) -> bool:
    """Solve a block of rows in place, and tell whether the budget was enough.

    A row is open while it requires more than the reach at which it was solved.
    """
    attainable = required > 0
    unknown = bounds.staircases.n_samples + 1
    solved_at = 0.0
    while (is_open := required > solved_at).any():
        first, last = np.flatnonzero(is_open)[[0, -1]]
        window = slice(first, last + 1)
        rows = np.arange(low + first, low + last + 1)
        programme = _restrict(bounds, bounds.candidates(rows[0], rows[-1], reach))
        if not budget.spend(work(programme, rows[0], rows[-1])):
            return False
        solved = fewest_false_rejects(programme, rows[0], rows[-1], unknown)
        np.minimum(fewest[window], solved, out=fewest[window])
        needed = bounds.required_reach(rows, fewest[window])
        required[window] = np.where(attainable[window], needed, 0.0)
        solved_at = reach
        reach = min(float(required.max()), 2 * reach)
    return True


def _restrict(bounds: Bounds, candidates: Candidates) -> Programme:
    """Return the dynamic programme over the candidates alone."""
    return make_programme(
        bounds.staircases.true_rejects[candidates.steps],
        bounds.staircases.false_rejects[candidates.steps],
        candidates.starts,
    )


@dataclass(frozen=True, eq=False)
class ExactBacktrace:
    """The reach that each row requires: enough to solve it again, alone or with its block."""

    bounds: Bounds
    true_rejects: NDArray[np.int64]
    reaches: NDArray[np.float64]

    def steps_at(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the step of every cell (columns) for each of the rows.

        Within the reach that a row requires lie all its optimal choices. Which one is taken must
        not depend on the rows that are asked for with it: thresholds that were tested are those
        that will run.
        """
        staircases = self.bounds.staircases
        sizes = np.diff(staircases.starts)
        totals = self.true_rejects[rows]
        # Rows that require a great reach share most candidates: solve more of them at once.
        width = max(block_width(staircases), int(staircases.n_cells * self.reaches[rows].max()))
        blocks = totals // width
        order = np.argsort(blocks, kind="stable")
        steps = np.empty((len(rows), staircases.n_cells), dtype=np.int64)
        for group in np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1):
            own = totals[group]
            reach = float(self.reaches[rows[group]].max())
            candidates = self.bounds.candidates(int(own.min()), int(own.max()), reach)
            chosen = chosen_steps(_restrict(self.bounds, candidates), own, sizes)
            steps[group] = candidates.steps[chosen]
        return steps
