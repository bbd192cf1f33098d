"""Which steps of each cell can an optimal row near the envelope contain?

The rule and its proof are in `exact`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.envelope import Envelope
from abstain.fronts.staircases import Staircases

__all__ = ["Bounds", "Candidates"]

# Candidates are kept a little beyond their bound, for two kinds of rounding: of heights, which are
# sums of counts, and of places along the minorants, which a steep slope magnifies. Both only keep
# more candidates than needed.
TOLERANCE = 1e-6
PLACES = 8


class Candidates(NamedTuple):
    """Positions of the steps that are kept, those of cell j from starts[j] to starts[j + 1]."""

    steps: NDArray[np.int64]
    starts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Bounds:
    """What the envelope says about rows and steps within a given reach of it."""

    staircases: Staircases
    envelope: Envelope

    def required_reach(
        self, true_rejects: NDArray[np.int64], false_rejects: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the reach ρ of rows with l false rejects: Ĥ(m + ρ) + ρ = l.

        Ĥ is continued by its last slope.
        """
        # Ĥ(x) + x ascends along the breakpoints, so it is inverted like a table.
        breakpoints = self.envelope.true_rejects
        heights = breakpoints + self.envelope.false_rejects
        sought = true_rejects + false_rejects
        ahead = np.interp(sought, heights, breakpoints)
        beyond = np.maximum(sought - heights[-1], 0) / (1 + self.envelope.slopes[-1:].sum())
        reach: NDArray[np.float64] = ahead + beyond - true_rejects
        return reach

    def candidates(self, low: int, high: int, reach: float) -> Candidates:
        """Return the steps of each cell that rows low to high within reach can contain."""
        if not len(self.envelope.slopes):
            return Candidates(self.staircases.first_steps, np.arange(self.staircases.n_cells + 1))
        reach += PLACES * float(np.spacing(self._vertex_axis[-1].astype(np.float64)))
        ends = self.envelope.segment_at(np.array([low, high]) + reach)
        left = self.envelope.steps_before(ends[:1])[0]
        right = self.envelope.steps_before(ends[1:] + 1)[0]
        flat, steep = self.envelope.slopes[ends].tolist()
        lines = Lines(left, right, flat, steep, reach)
        first, last = self._fitting(*self._window(lines), low, high)

        lengths = last - first + 1
        cell = np.repeat(np.arange(len(lengths)), lengths)
        steps = np.arange(len(cell)) + (first - np.cumsum(lengths) + lengths)[cell]
        ceiling = self._ceiling(lines, steps, cell)
        kept = self.staircases.false_rejects[steps] <= ceiling + TOLERANCE
        # A cell must have some step, even if no row is found with it.
        kept |= (np.bincount(cell[kept], minlength=len(lengths)) == 0)[cell]
        counts = np.bincount(cell[kept], minlength=len(lengths))
        return Candidates(steps[kept], np.append(0, np.cumsum(counts)))

    def _fitting(
        self, first: NDArray[np.int64], last: NDArray[np.int64], low: int, high: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Narrow the windows to steps that the other cells can complete to the rows low to high.

        Along a straight stretch of a minorant all steps are equally good; of a long one, this
        keeps what the rows can use. A window that nothing would be left of stays as it is.
        """
        least, most = self.staircases.true_rejects[first], self.staircases.true_rejects[last]
        lowest = np.clip(low - (most.sum() - most), least, most) + self._cell_offsets
        highest = np.clip(high - (least.sum() - least), least, most) + self._cell_offsets
        fit_first = np.searchsorted(self._step_axis, lowest)
        fit_last = np.searchsorted(self._step_axis, highest, side="right") - 1
        fits = fit_first <= fit_last
        return np.where(fits, fit_first, first), np.where(fits, fit_last, last)

    def _window(self, lines: "Lines") -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first and the last step of each cell to look at.

        Beyond the lines a minorant only gets further away from them, so that the vertices out of
        reach are the outermost ones; the window begins and ends with the last of these.
        """
        vertices, starts = self.envelope.vertices, self.envelope.vertex_starts
        cell = self._vertex_cells
        before, after = self._beside(lines, vertices, cell)
        heights = self.staircases.false_rejects[vertices] - lines.reach - TOLERANCE
        too_far_left = (before < 0) & (heights > self._left_line(lines, before, cell))
        too_far_right = (after > 0) & (heights > self._right_line(lines, after, cell))
        n_left = np.bincount(cell[too_far_left], minlength=len(starts) - 1)
        n_right = np.bincount(cell[too_far_right], minlength=len(starts) - 1)
        return (
            vertices[starts[:-1] + np.maximum(n_left - 1, 0)],
            vertices[starts[1:] - 1 - np.maximum(n_right - 1, 0)],
        )

    def _ceiling(
        self, lines: "Lines", steps: NDArray[np.int64], cell: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return Â_j(e + reach) + reach, with Â_j continued by the lines."""
        before, after = self._beside(lines, steps, cell)
        ahead = self.staircases.true_rejects[steps] + lines.reach + self._cell_offsets[cell]
        inside = np.interp(ahead, self._vertex_axis, self._vertex_heights)
        height = np.where(
            before <= 0,
            self._left_line(lines, before, cell),
            np.where(after >= 0, self._right_line(lines, after, cell), inside),
        )
        return height + lines.reach

    def _beside(
        self, lines: "Lines", steps: NDArray[np.int64], cell: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how far e + reach lies to the right of the left and of the right vertex."""
        true_rejects = self.staircases.true_rejects
        ahead = true_rejects[steps] + np.float64(lines.reach)
        return ahead - true_rejects[lines.left][cell], ahead - true_rejects[lines.right][cell]

    def _left_line(
        self, lines: "Lines", before: NDArray[np.float64], cell: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return self.staircases.false_rejects[lines.left][cell] + lines.flat * before

    def _right_line(
        self, lines: "Lines", after: NDArray[np.float64], cell: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return self.staircases.false_rejects[lines.right][cell] + lines.steep * after

    # The minorants of all cells side by side on one axis, so that one call interpolates in all.

    @cached_property
    def _vertex_cells(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.staircases.n_cells), np.diff(self.envelope.vertex_starts))

    @cached_property
    def _cell_offsets(self) -> NDArray[np.int64]:
        n_cells = self.staircases.n_cells
        return np.arange(n_cells) * (int(self.envelope.true_rejects[-1]) + 1)

    @cached_property
    def _step_axis(self) -> NDArray[np.int64]:
        sizes = np.diff(self.staircases.starts)
        return self.staircases.true_rejects + np.repeat(self._cell_offsets, sizes)

    @cached_property
    def _vertex_axis(self) -> NDArray[np.int64]:
        own = self.staircases.true_rejects[self.envelope.vertices]
        return own + self._cell_offsets[self._vertex_cells]

    @cached_property
    def _vertex_heights(self) -> NDArray[np.int64]:
        return self.staircases.false_rejects[self.envelope.vertices]


class Lines(NamedTuple):
    """The lines that continue the minorants, and the reach above them.

    In each cell, a line of slope ``flat`` leads to its step ``left`` and one of slope ``steep``
    leads on from its step ``right``.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    flat: float
    steep: float
    reach: float
