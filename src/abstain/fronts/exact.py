"""What are the fewest false rejects for every number of true rejects, exactly?

Choosing one step (e_j, l_j) of each cell's staircase, the front is the (min,+) convolution

    D(m) = min { Σ_j l_j : Σ_j e_j = m }.

Indexed by true rejects, its cost depends on the errors alone. Even so, convolving the whole
staircases takes |E|²/2 operations; nearly all of them combine steps that no optimal row contains.

**Pruning.** At a price λ ≥ 0 per true reject, let s_j(e; λ) = l_j(e) − λe − min_e' (l_j(e') − λe')
be the *slack* of a step: it is never negative. A choice with m true rejects in all has

    false rejects = (λm + Σ_j min_e (l_j(e) − λe)) + Σ_j s_j(e_j; λ),

and the bracket never exceeds the envelope Ĥ(m) (see `hull`). For a *reach* ρ, the candidates of
each cell are the steps with s_j(e; λ) ≤ ρ(λ + 1) for some λ. Suppose the candidates alone give a
row with U false rejects and m true rejects, and

    U − 1 ≤ Ĥ(m + ρ) + ρ.                                                      (certificate)

Then U = D(m): with λ the slope of Ĥ at m + ρ, the right side is the bracket plus ρ(λ + 1); the
slacks of a better choice, of at most U − 1 false rejects, sum to at most ρ(λ + 1), so each of its
steps was a candidate, and the candidates would have given at most U − 1. With U in place of U − 1,
the candidates include all optimal choices: thresholds are found at that reach.

Steps whose slack is at most ρ(λ + 1) for some λ in [λ₁, λ₂] are those with
l_j(e) ≤ Â_j(e + ρ) + ρ, where Â_j is the minorant of the cell, extended by lines of slope λ₁ and
λ₂ beyond its vertices of these slopes. The front is computed in blocks of consecutive m, for which
the λ of the certificate are close together and the candidates few. The rows of a block that the
certificate leaves open are solved again at the reach that they require, or at twice the last reach
if that is less.

**Data that cannot be pruned.** If errors become *more* frequent with certainty, the minorants lie
far below the staircases and nearly every step is a candidate. Once pruning has cost as much as the
whole convolution would, the remaining rows are solved by that: the work at most doubles.

**Many small cells** are joined first (see `joining`), which changes no row and no envelope; the
thresholds of a row are found in the cells themselves.

The amount of work is known only while it is done. Once it will take long, a warning says so, and by
how much the front along the hull, which takes seconds, would be worse.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.candidates import Bounds, Candidates
from abstain.fronts.dynamic_program import DynamicProgram
from abstain.fronts.front import ParetoFront
from abstain.fronts.hull import build_envelope, hull_front
from abstain.fronts.joining import join_small_cells
from abstain.fronts.staircases import Staircases

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# These only affect speed; docs/exact-front.md has the measurements. The width of a block, in
# multiples of √(errors × cells), balances its candidates against its rows. The first block begins
# with a reach that falls with the number of cells, and each other one with the reach that the block
# before it required.
BLOCK_WIDTH = 6.0
FIRST_REACH = 20.0
LEAST_REACH = 0.05

# Sums that take about half a minute on one core.
MANY_SUMS = 30_000_000_000


def exact_front(staircases: Staircases) -> ParetoFront:
    """Return the optimal front."""
    joined = join_small_cells(staircases)
    bounds = Bounds(joined, build_envelope(joined))
    attainable = attainable_totals(joined)
    rows = np.flatnonzero(attainable)
    false_rejects = _solve(staircases, bounds, attainable)[rows]
    return ParetoFront(
        true_rejects=rows,
        false_rejects=false_rejects,
        gap=np.zeros(len(rows), dtype=np.int64),
        method="exact",
        staircases=staircases,
        backtrace=ExactBacktrace(staircases, rows, bounds.required_reach(rows, false_rejects)),
    )


def attainable_totals(staircases: Staircases) -> NDArray[np.bool_]:
    """Return whether some choice of steps has m true rejects, for each m from 0 to the maximum.

    Not every m is attainable, since tied wrong samples are rejected together. A set of totals is
    the bits of a Python integer, and adding a step to all of them is a shift.
    """
    totals = 1
    for own in staircases.cell_slices():
        totals = _add_cell(totals, staircases.true_rejects[own])
    n_totals = int(staircases.true_rejects[staircases.last_steps].sum()) + 1
    packed = np.frombuffer(totals.to_bytes(n_totals // 8 + 1, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=n_totals, bitorder="little").astype(bool)


def _add_cell(totals: int, steps: Ints) -> int:
    """Return the union of ``totals`` shifted by each step, a run of consecutive steps at a time."""
    union = 0
    for run in np.split(steps, np.flatnonzero(np.diff(steps) != 1) + 1):
        shifted, length = totals, 1
        while length < len(run):
            shift = min(length, len(run) - length)
            shifted |= shifted << shift
            length += shift
        union |= shifted << int(run[0])
    return union


def _block_width(staircases: Staircases) -> int:
    """Return how many rows to solve together."""
    return int(BLOCK_WIDTH * np.sqrt(staircases.n_errors * staircases.n_cells)) + 1


@dataclass
class Budget:
    """The number of sums that pruning may cost: as many as it is meant to save."""

    left: int
    spent: int = 0

    def spend(self, amount: int) -> bool:
        """Take an amount and return True; if too little is left, take nothing and return False."""
        affordable = amount <= self.left
        self.left -= amount * affordable
        self.spent += amount * affordable
        return affordable


def _solve(staircases: Staircases, bounds: Bounds, attainable: NDArray[np.bool_]) -> Ints:
    """Return the fewest false rejects of all rows; ``bounds`` are of the joined staircases."""
    joined = bounds.staircases
    n_rows, width = len(attainable), _block_width(joined)
    unpruned = DynamicProgram.from_steps(joined.true_rejects, joined.false_rejects, joined.starts)
    budget = Budget(unpruned.n_sums(0, n_rows - 1))
    unknown = staircases.n_samples + 1
    fewest = np.full(n_rows, unknown)
    reaches = np.where(attainable, np.inf, 0.0)
    reach, has_warned = max(FIRST_REACH / joined.n_cells, LEAST_REACH), False
    for low in range(0, n_rows, width):
        block = slice(low, low + width)
        is_solved = _solve_block(bounds, low, fewest[block], reaches[block], reach, budget)
        n_left = (
            budget.spent * (n_rows / (low + width) - 1)
            if is_solved
            else unpruned.n_sums(low, n_rows - 1)
        )
        if not has_warned and budget.spent + n_left > MANY_SUMS:
            has_warned = True
            _warn_that_it_takes_long(staircases)
        if not is_solved:
            fewest[low:] = unpruned.fewest_false_rejects(low, n_rows - 1, unknown)
            break
        reach = max(float(reaches[block].max()), LEAST_REACH)
    return fewest


def _warn_that_it_takes_long(staircases: Staircases) -> None:
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
    fewest: Ints,
    required: Floats,
    reach: float,
    budget: Budget,
) -> bool:
    """Solve a block of rows in place; return False if the budget is too small.

    A row is open while its certificate requires more than the reach at which it was solved.
    """
    attainable = required > 0
    unknown = bounds.staircases.n_samples + 1
    solved_at = 0.0
    while (is_open := required > solved_at).any():
        first, last = np.flatnonzero(is_open)[[0, -1]]
        window = slice(first, last + 1)
        rows = np.arange(low + first, low + last + 1)
        program = _program(bounds, bounds.candidates(rows[0], rows[-1], reach))
        if not budget.spend(program.n_sums(rows[0], rows[-1])):
            return False
        solved = program.fewest_false_rejects(rows[0], rows[-1], unknown)
        np.minimum(fewest[window], solved, out=fewest[window])
        needed = bounds.required_reach(rows, fewest[window] - 1)
        required[window] = np.where(attainable[window], needed, 0.0)
        solved_at = reach
        reach = min(float(required.max()), 2 * reach)
    return True


def _program(bounds: Bounds, candidates: Candidates) -> DynamicProgram:
    return DynamicProgram.from_steps(
        bounds.staircases.true_rejects[candidates.steps],
        bounds.staircases.false_rejects[candidates.steps],
        candidates.starts,
    )


@dataclass(frozen=True, eq=False)
class ExactBacktrace:
    """The reach that each row requires: enough to solve it again, alone or with its block."""

    staircases: Staircases
    true_rejects: Ints
    reaches: Floats

    @cached_property
    def _bounds(self) -> Bounds:
        return Bounds(self.staircases, build_envelope(self.staircases))

    def steps_at(self, rows: Ints) -> Ints:
        """Return the step of every cell (columns) for each of the rows.

        The reach that a row requires includes all its optimal choices. Which of them is taken must
        not depend on the other requested rows, so that the thresholds in use are the tested ones.
        """
        staircases, bounds = self.staircases, self._bounds
        sizes = np.diff(staircases.starts)
        totals = self.true_rejects[rows]
        # Rows that require a large reach share most candidates: solve more of them at once.
        width = max(_block_width(staircases), int(staircases.n_cells * self.reaches[rows].max()))
        blocks = totals // width
        order = np.argsort(blocks, kind="stable")
        steps = np.empty((len(rows), staircases.n_cells), dtype=np.int64)
        for group in np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1):
            own = totals[group]
            reach = float(self.reaches[rows[group]].max())
            candidates = bounds.candidates(int(own.min()), int(own.max()), reach)
            chosen = _program(bounds, candidates).chosen_steps(own, sizes)
            steps[group] = candidates.steps[chosen]
        return steps
