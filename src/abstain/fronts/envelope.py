"""Which convex curve bounds the front from below?

The convex minorant Â_j of a cell's staircase is the largest convex curve on or below its steps
(e, l); it touches the staircase at its *vertices*. Under a price λ per true reject, the best step
of cell j is a vertex, and the cells do not interact, so the (min,+) convolution of the minorants,

    Ĥ(m) = min { Σ_j Â_j(e_j) : Σ_j e_j = m },

is their segments laid end to end in order of slope (λ). No choice of one step per cell with m true
rejects has fewer than Ĥ(m) false rejects, and at the ends of the segments, the *breakpoints*,
that many do.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.staircases import Staircases

__all__ = ["Envelope", "build_envelope"]


@dataclass(frozen=True, eq=False)
class Envelope:
    """The minorants of all cells, and their segments merged by slope.

    ``vertices`` are positions of steps, those of cell j from ``vertex_starts[j]`` up to
    ``vertex_starts[j + 1]``. Segment s replaces, in cell ``segment_cells[s]``, the step
    ``segment_origins[s]`` by ``segment_ends[s]``; before it, the front stands at
    (``true_rejects[s]``, ``false_rejects[s]``).
    """

    vertices: NDArray[np.int64]
    vertex_starts: NDArray[np.int64]
    segment_cells: NDArray[np.int64]
    segment_origins: NDArray[np.int64]
    segment_ends: NDArray[np.int64]
    slopes: NDArray[np.float64]
    true_rejects: NDArray[np.int64]
    false_rejects: NDArray[np.int64]

    def segment_at(self, true_rejects: NDArray[np.number]) -> NDArray[np.int64]:
        """Return the segment that leads to each number of true rejects (0: the first)."""
        reached = np.searchsorted(self.true_rejects, true_rejects) - 1
        return np.minimum(np.maximum(reached, 0), max(len(self.slopes) - 1, 0))

    def fewest_false_rejects(self, true_rejects: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return ⌈Ĥ(m)⌉, in integers throughout: no row can have fewer false rejects."""
        if not len(self.slopes):
            return np.zeros_like(true_rejects)
        segment = self.segment_at(true_rejects)
        run = self.true_rejects[segment + 1] - self.true_rejects[segment]
        rise = self.false_rejects[segment + 1] - self.false_rejects[segment]
        along = true_rejects - self.true_rejects[segment]
        fewest: NDArray[np.int64] = self.false_rejects[segment] - (-along * rise) // run
        return fewest

    def steps_before(self, segments: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, for each segment and cell, the step that stands before that segment."""
        n_cells = len(self.vertex_starts) - 1
        if len(segments) == 1:
            done = np.bincount(self.segment_cells[: segments[0]], minlength=n_cells)
            return self.vertices[[self.vertex_starts[:-1] + done]]
        by_cell = np.argsort(self.segment_cells, kind="stable")
        ends = np.cumsum(np.bincount(self.segment_cells, minlength=n_cells))
        columns = [np.searchsorted(own, segments) for own in np.split(by_cell, ends[:-1])]
        return self.vertices[self.vertex_starts[:-1] + np.column_stack(columns)]


def build_envelope(staircases: Staircases) -> Envelope:
    """Return the envelope of the staircases, in time linear in the steps but for one small sort."""
    per_cell = [
        _minorant_vertices(
            staircases.true_rejects[start:stop], staircases.false_rejects[start:stop]
        )
        + start
        for start, stop in zip(staircases.starts[:-1], staircases.starts[1:], strict=True)
    ]
    vertices = np.concatenate(per_cell)
    vertex_starts = np.cumsum([0, *(len(own) for own in per_cell)])
    ends_segment = np.ones(len(vertices), dtype=bool)
    ends_segment[vertex_starts[:-1]] = False
    index = np.flatnonzero(ends_segment)
    origins, ends = vertices[index - 1], vertices[index]
    cells = np.repeat(np.arange(staircases.n_cells), np.diff(vertex_starts))[index]

    runs = staircases.true_rejects[ends] - staircases.true_rejects[origins]
    rises = staircases.false_rejects[ends] - staircases.false_rejects[origins]
    order = np.lexsort((ends, staircases.content_rank[cells], rises / runs))
    return Envelope(
        vertices=vertices,
        vertex_starts=vertex_starts,
        segment_cells=cells[order],
        segment_origins=origins[order],
        segment_ends=ends[order],
        slopes=(rises / runs)[order],
        true_rejects=np.append(0, np.cumsum(runs[order])),
        false_rejects=np.append(0, np.cumsum(rises[order])),
    )


def _minorant_vertices(
    true_rejects: NDArray[np.int64], false_rejects: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the indices of the steps where the convex minorant touches.

    The slopes of the largest convex minorant are the isotonic regression of the staircase's own
    slopes, weighted by their runs; its blocks end at the vertices.
    """
    if len(true_rejects) == 1:
        return np.zeros(1, dtype=np.int64)
    # Imported here: scipy.optimize costs more to import than most fronts to compute.
    from scipy.optimize import isotonic_regression

    runs = np.diff(true_rejects)
    blocks = isotonic_regression(np.diff(false_rejects) / runs, weights=runs).blocks
    return _drop_reflex(blocks.astype(np.int64), true_rejects, false_rejects)


def _drop_reflex(
    vertices: NDArray[np.int64], true_rejects: NDArray[np.int64], false_rejects: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Drop vertices that rounding left where the minorant does not turn upwards.

    Rounded block means can differ where the exact slopes are equal; integers decide.
    """
    while True:
        runs, rises = np.diff(true_rejects[vertices]), np.diff(false_rejects[vertices])
        turns = rises[1:] * runs[:-1] > rises[:-1] * runs[1:]
        if turns.all():
            return vertices
        vertices = vertices[np.concatenate(([True], turns, [True]))]
