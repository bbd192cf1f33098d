"""Which steps of each cell can an optimal row near the envelope contain?

The rule and its proof are in `exact`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.hull import Envelope
from abstain.fronts.staircases import Staircases

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Candidates are kept slightly beyond their bound because of rounding: of heights, which are sums of
# counts, and of positions along the minorants, which a steep slope magnifies. That can only keep
# more candidates than needed.
TOLERANCE = 1e-6
SPACINGS = 8


class Candidates(NamedTuple):
    """Positions of the kept steps, those of cell j from starts[j] to starts[j + 1]."""

    steps: Ints
    starts: Ints


class Lines(NamedTuple):
    """The lines that extend the minorants, and the reach above them.

    In each cell, a line of slope ``flat`` leads to its step ``left`` and one of slope ``steep``
    continues from its step ``right``.
    """

    left: Ints
    right: Ints
    flat: float
    steep: float
    reach: float


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds on rows and steps within a given reach of the envelope."""

    staircases: Staircases
    envelope: Envelope

    def required_reach(self, true_rejects: Ints, false_rejects: Ints) -> Floats:
        """Return the reach ρ of rows with l false rejects: Ĥ(m + ρ) + ρ = l.

        Ĥ is extended by its last slope.
        """
        # Ĥ(x) + x increases along the breakpoints, so interpolation inverts it.
        breakpoints = self.envelope.true_rejects
        heights = breakpoints + self.envelope.false_rejects
        sought = true_rejects + false_rejects
        ahead = np.interp(sought, heights, breakpoints)
        beyond = np.maximum(sought - heights[-1], 0) / (1 + self.envelope.slopes[-1:].sum())
        reach: Floats = ahead + beyond - true_rejects
        return reach

    def candidates(self, low: int, high: int, reach: float) -> Candidates:
        """Return the steps of each cell that rows low to high within reach can contain."""
        if not len(self.envelope.slopes):
            return Candidates(self.staircases.first_steps, np.arange(self.staircases.n_cells + 1))
        reach += SPACINGS * float(np.spacing(self._vertex_axis[-1].astype(np.float64)))
        ends = self.envelope.segment_at(np.array([low, high]) + reach)
        left = self.envelope.steps_before(ends[:1])[0]
        right = self.envelope.steps_before(ends[1:] + 1)[0]
        flat, steep = self.envelope.slopes[ends].tolist()
        lines = Lines(left, right, flat, steep, reach)
        first, last = self._narrow(*self._window(lines), low, high)

        lengths = last - first + 1
        cell = np.repeat(np.arange(len(lengths)), lengths)
        steps = np.arange(len(cell)) + (first - np.cumsum(lengths) + lengths)[cell]
        is_kept = self.staircases.false_rejects[steps] <= (
            self._ceiling(lines, steps, cell) + TOLERANCE
        )
        # Every cell must have a step, even if it leads to no row.
        is_kept |= (np.bincount(cell[is_kept], minlength=len(lengths)) == 0)[cell]
        counts = np.bincount(cell[is_kept], minlength=len(lengths))
        return Candidates(steps[is_kept], np.append(0, np.cumsum(counts)))

    def _narrow(self, first: Ints, last: Ints, low: int, high: int) -> tuple[Ints, Ints]:
        """Narrow the windows to steps that the other cells can complete to the rows low to high.

        All steps on a straight part of a minorant are equally good; of a long part, this keeps what
        the rows can use. A window that would become empty is not changed.
        """
        least, most = self.staircases.true_rejects[first], self.staircases.true_rejects[last]
        lowest = np.clip(low - (most.sum() - most), least, most) + self._cell_offsets
        highest = np.clip(high - (least.sum() - least), least, most) + self._cell_offsets
        narrow_first = np.searchsorted(self._step_axis, lowest)
        narrow_last = np.searchsorted(self._step_axis, highest, side="right") - 1
        has_steps = narrow_first <= narrow_last
        return np.where(has_steps, narrow_first, first), np.where(has_steps, narrow_last, last)

    def _window(self, lines: Lines) -> tuple[Ints, Ints]:
        """Return the first and the last step of each cell to consider.

        Beyond the lines, a minorant only moves away from them, so the vertices out of reach are
        the outermost ones; the window begins and ends with the innermost of these.
        """
        vertices, starts = self.envelope.vertices, self.envelope.vertex_starts
        cell = self._vertex_cells
        before, after = self._offsets(lines, vertices, cell)
        heights = self.staircases.false_rejects[vertices] - lines.reach - TOLERANCE
        too_far_left = (before < 0) & (heights > self._left_line(lines, before, cell))
        too_far_right = (after > 0) & (heights > self._right_line(lines, after, cell))
        n_left = np.bincount(cell[too_far_left], minlength=len(starts) - 1)
        n_right = np.bincount(cell[too_far_right], minlength=len(starts) - 1)
        return (
            vertices[starts[:-1] + np.maximum(n_left - 1, 0)],
            vertices[starts[1:] - 1 - np.maximum(n_right - 1, 0)],
        )

    def _ceiling(self, lines: Lines, steps: Ints, cell: Ints) -> Floats:
        """Return Â_j(e + reach) + reach, with Â_j extended by the lines."""
        before, after = self._offsets(lines, steps, cell)
        ahead = self.staircases.true_rejects[steps] + lines.reach + self._cell_offsets[cell]
        heights = self.staircases.false_rejects[self.envelope.vertices]
        inside = np.interp(ahead, self._vertex_axis, heights)
        height = np.where(
            before <= 0,
            self._left_line(lines, before, cell),
            np.where(after >= 0, self._right_line(lines, after, cell), inside),
        )
        return height + lines.reach

    def _offsets(self, lines: Lines, steps: Ints, cell: Ints) -> tuple[Floats, Floats]:
        """Return by how much e + reach exceeds the left and the right vertex of the cell."""
        true_rejects = self.staircases.true_rejects
        ahead = true_rejects[steps] + np.float64(lines.reach)
        return ahead - true_rejects[lines.left][cell], ahead - true_rejects[lines.right][cell]

    def _left_line(self, lines: Lines, before: Floats, cell: Ints) -> Floats:
        return self.staircases.false_rejects[lines.left][cell] + lines.flat * before

    def _right_line(self, lines: Lines, after: Floats, cell: Ints) -> Floats:
        return self.staircases.false_rejects[lines.right][cell] + lines.steep * after

    # The minorants of all cells are concatenated on one axis, so that one call interpolates all.

    @cached_property
    def _cell_offsets(self) -> Ints:
        n_cells = self.staircases.n_cells
        return np.arange(n_cells) * (int(self.envelope.true_rejects[-1]) + 1)

    @cached_property
    def _step_axis(self) -> Ints:
        sizes = np.diff(self.staircases.starts)
        return self.staircases.true_rejects + np.repeat(self._cell_offsets, sizes)

    @cached_property
    def _vertex_cells(self) -> Ints:
        return np.repeat(np.arange(self.staircases.n_cells), np.diff(self.envelope.vertex_starts))

    @cached_property
    def _vertex_axis(self) -> Ints:
        own = self.staircases.true_rejects[self.envelope.vertices]
        return own + self._cell_offsets[self._vertex_cells]
