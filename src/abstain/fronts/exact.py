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
that the certificate leaves open are solved again at twice the reach. In the end every step is a
candidate, which needs no certificate.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.attainable import attainable_totals
from abstain.fronts.candidates import Bounds, Candidates
from abstain.fronts.convolution import Steps, Table, add_steps, unreached
from abstain.fronts.envelope import build_envelope
from abstain.fronts.front import ParetoFront
from abstain.fronts.staircases import Staircases

__all__ = ["ExactBacktrace", "exact_front"]

# These only affect speed; docs/exact-front.md has the measurements. The width of a block, in
# numbers of √(errors × cells), balances its candidates against its rows. Each block begins with a
# share of the reach that the one before it required: a cheap pass that shows how much is needed.
BLOCK_WIDTH = 4.0
FIRST_REACH = 1.0
LEAST_REACH = 0.25
SHARE = 0.7

# Entries of the matrix that a backtrace looks through at once.
MATRIX = 1 << 20


def exact_front(staircases: Staircases) -> ParetoFront:
    """Return the optimal front."""
    programme = Programme(Bounds(staircases, build_envelope(staircases)))
    attainable = attainable_totals(staircases)
    false_rejects = np.zeros(len(attainable), dtype=np.int64)
    reaches = np.zeros(len(attainable))
    reach = FIRST_REACH
    for low in range(0, len(attainable), programme.block_width):
        block = slice(low, low + programme.block_width)
        false_rejects[block], reaches[block] = _solve_block(
            programme, low, attainable[block], reach
        )
        reach = max(SHARE * float(reaches[block].max()), LEAST_REACH)
    rows = np.flatnonzero(attainable)
    return ParetoFront(
        true_rejects=rows,
        false_rejects=false_rejects[rows],
        gap=np.zeros(len(rows), dtype=np.int64),
        method="exact",
        staircases=staircases,
        backtrace=ExactBacktrace(programme, rows, reaches[rows]),
    )


def _solve_block(
    programme: "Programme", low: int, attainable: NDArray[np.bool_], reach: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the fewest false rejects of a block of rows, and the reach that certifies each.

    Rows that cannot be had are left at reach 0.
    """
    unknown = np.iinfo(np.int32).max
    fewest = np.full(len(attainable), unknown, dtype=np.int64)
    required = np.where(attainable, np.inf, 0.0)
    solved_at = 0.0
    while (is_open := required > solved_at).any():
        first, last = np.flatnonzero(is_open)[[0, -1]]
        window = slice(first, last + 1)
        rows = np.arange(low + first, low + last + 1)
        solved, is_exhaustive = programme.solve(rows[0], rows[-1], reach)
        fewest[window] = np.minimum(fewest[window], solved)
        needed = programme.bounds.required_reach(rows, fewest[window])
        required[window] = np.where(attainable[window], needed, 0.0)
        solved_at = np.inf if is_exhaustive else reach
        reach = min(float(required.max()), 2 * reach)
    return fewest, required


class Stage(NamedTuple):
    """The table once a cell has been added."""

    cell: int
    table: Table


@dataclass(frozen=True, eq=False)
class Programme:
    """The dynamic programme over the cells, restricted to candidates."""

    bounds: Bounds

    @property
    def block_width(self) -> int:
        """Number of rows to solve together."""
        n_errors = int(self.bounds.envelope.true_rejects[-1])
        return int(BLOCK_WIDTH * np.sqrt(n_errors * self.bounds.staircases.n_cells)) + 1

    def solve(self, low: int, high: int, reach: float) -> tuple[NDArray[np.int64], bool]:
        """Return false rejects of the rows low to high, and whether all steps were candidates."""
        candidates = self.bounds.candidates(low, high, reach)
        (last,) = deque(self.stages(candidates, low, high), maxlen=1)
        fewest = last.table.window(low, high).astype(np.int64)
        return fewest, len(candidates.steps) == len(self.bounds.staircases.true_rejects)

    def stages(self, candidates: Candidates, low: int, high: int) -> Iterator[Stage]:
        """Yield the tables of the programme, kept to what rows low to high can still use.

        Cells with a single candidate come first, as one entry; the others follow by their number
        of candidates, and before the last of them the tables are short.
        """
        true_rejects, false_rejects = self._counts(candidates)
        starts, ends = candidates.starts[:-1], candidates.starts[1:] - 1
        single = starts == ends
        least, most = true_rejects[starts], true_rejects[ends]
        begin = int(least[single].sum())
        table = Table(
            begin, false_rejects[starts[single]].sum(keepdims=True, dtype=false_rejects.dtype)
        )
        yield Stage(-1, table)

        choices = np.flatnonzero(~single)
        choices = choices[np.argsort((ends - starts)[choices], kind="stable")]
        least_left = int(least[choices].sum())
        most_left = int(most[choices].sum())
        for cell in choices.tolist():
            least_left -= int(least[cell])
            most_left -= int(most[cell])
            own = slice(starts[cell], ends[cell] + 1)
            lowest = max(table.offset + int(least[cell]), low - most_left)
            highest = min(table.end + int(most[cell]), high - least_left)
            # Candidates too few to meet the rows at all leave an entry that is not reached.
            highest = max(lowest, highest)
            table = add_steps(table, Steps(true_rejects[own], false_rejects[own]), lowest, highest)
            yield Stage(cell, table)

    def choices(self, rows: NDArray[np.int64], reach: float) -> NDArray[np.int64]:
        """Return the step of every cell (columns) for each number of true rejects in ``rows``."""
        low, high = int(rows.min()), int(rows.max())
        candidates = self.bounds.candidates(low, high, reach)
        true_rejects, false_rejects = self._counts(candidates)
        stages = list(self.stages(candidates, low, high))
        steps = np.tile(candidates.steps[candidates.starts[:-1]], (len(rows), 1))
        remaining = rows.copy()
        for stage, before in zip(stages[:0:-1], stages[-2::-1], strict=True):
            own = slice(*candidates.starts[stage.cell : stage.cell + 2])
            cell_steps = Steps(true_rejects[own], false_rejects[own])
            chosen = _last_choice(before.table, cell_steps, remaining)
            steps[:, stage.cell] = candidates.steps[own][chosen]
            remaining -= cell_steps.true_rejects[chosen]
        return steps

    def _counts(
        self, candidates: Candidates
    ) -> tuple[NDArray[np.int64], NDArray[np.int32] | NDArray[np.int64]]:
        """Return the counts of the candidates, false rejects in 32 bits where these suffice."""
        staircases = self.bounds.staircases
        narrow = staircases.n_samples < unreached(np.dtype(np.int32))
        false_rejects = staircases.false_rejects[candidates.steps]
        return (
            staircases.true_rejects[candidates.steps],
            false_rejects.astype(np.int32) if narrow else false_rejects,
        )


def _last_choice(before: Table, steps: Steps, totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each total, the step that made it from the table before."""
    low = int(totals.min() - steps.true_rejects[-1])
    source = before.window(low, int(totals.max() - steps.true_rejects[0]))
    chosen = np.empty(len(totals), dtype=np.int64)
    at_once = max(MATRIX // len(steps.true_rejects), 1)
    for start in range(0, len(totals), at_once):
        part = slice(start, start + at_once)
        sources = source[totals[part, np.newaxis] - steps.true_rejects - low]
        chosen[part] = (sources + steps.false_rejects).argmin(axis=1)
    return chosen


@dataclass(frozen=True, eq=False)
class ExactBacktrace:
    """The reach that each row requires: enough to solve it again, alone or with its block."""

    programme: Programme
    true_rejects: NDArray[np.int64]
    reaches: NDArray[np.float64]

    def steps_at(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the step of every cell (columns) for each of the rows."""
        totals = self.true_rejects[rows]
        blocks = totals // self.programme.block_width
        order = np.argsort(blocks, kind="stable")
        steps = np.empty((len(rows), self.programme.bounds.staircases.n_cells), dtype=np.int64)
        for group in np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1):
            reach = float(self.reaches[rows[group]].max())
            steps[group] = self.programme.choices(totals[group], reach)
        return steps
