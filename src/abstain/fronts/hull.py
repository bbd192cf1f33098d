"""Which convex curve bounds all fronts from below, and which front follows it most closely?

The convex minorant Â_j of a cell's staircase is the largest convex curve on or below its steps
(e, l); it touches the staircase at its *vertices*. At a price λ per true reject, the best step of
cell j is a vertex, and the cells do not interact, so the (min,+) convolution of the minorants,

    Ĥ(m) = min { Σ_j Â_j(e_j) : Σ_j e_j = m },

consists of their segments, concatenated in order of slope (λ). No choice of one step per cell with
m true rejects has fewer than Ĥ(m) false rejects. At the ends of the segments, the *breakpoints*,
some choice has exactly that many.

The front along this *envelope* takes near-linear time. Its rows at breakpoints are optimal; between
them, the cell of the segment takes one step of its staircase after the other. The *gap* of a row is
its height above the envelope, an upper bound of what it loses.
"""

from dataclasses import dataclass
from itertools import chain, cycle, repeat

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.front import ParetoFront
from abstain.fronts.staircases import Staircases

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Passes that compare each step with its neighbours alone, and how far the later ones look.
NEAR_PASSES, STRIDES = 20, tuple(4**power for power in range(10))


@dataclass(frozen=True, eq=False)
class Envelope:
    """The minorants of all cells, and their segments in order of slope.

    ``vertices`` are positions of steps; cell j has those from ``vertex_starts[j]`` up to
    ``vertex_starts[j + 1]``. Segment s replaces, in cell ``segment_cells[s]``, the step
    ``segment_origins[s]`` by ``segment_ends[s]``; it begins at
    (``true_rejects[s]``, ``false_rejects[s]``).
    """

    vertices: Ints
    vertex_starts: Ints
    segment_cells: Ints
    segment_origins: Ints
    segment_ends: Ints
    slopes: Floats
    true_rejects: Ints
    false_rejects: Ints

    def segment_at(self, true_rejects: NDArray[np.number]) -> Ints:
        """Return the segment that ends at or contains each number of true rejects."""
        reached = np.searchsorted(self.true_rejects, true_rejects) - 1
        return np.minimum(np.maximum(reached, 0), max(len(self.slopes) - 1, 0))

    def fewest_false_rejects(self, true_rejects: Ints) -> Ints:
        """Return ⌈Ĥ(m)⌉ in integer arithmetic: no row can have fewer false rejects."""
        if not len(self.slopes):
            return np.zeros_like(true_rejects)
        segment = self.segment_at(true_rejects)
        run = self.true_rejects[segment + 1] - self.true_rejects[segment]
        rise = self.false_rejects[segment + 1] - self.false_rejects[segment]
        along = true_rejects - self.true_rejects[segment]
        fewest: Ints = self.false_rejects[segment] - (-along * rise) // run
        return fewest

    def steps_before(self, segments: Ints) -> Ints:
        """Return the step of each cell (columns) before each segment (rows)."""
        n_cells = len(self.vertex_starts) - 1
        if len(segments) == 1:
            n_before = np.bincount(self.segment_cells[: segments[0]], minlength=n_cells)
            return self.vertices[[self.vertex_starts[:-1] + n_before]]
        by_cell = np.argsort(self.segment_cells, kind="stable")
        ends = np.cumsum(np.bincount(self.segment_cells, minlength=n_cells))
        columns = [np.searchsorted(own, segments) for own in np.split(by_cell, ends[:-1])]
        return self.vertices[self.vertex_starts[:-1] + np.column_stack(columns)]


def build_envelope(staircases: Staircases) -> Envelope:
    """Return the envelope, in linear time except for a sort of the segments."""
    vertices, vertex_starts = _minorant_vertices(staircases)
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


def _minorant_vertices(staircases: Staircases) -> tuple[Ints, Ints]:
    """Return the steps where the minorants touch the staircases, and where each cell's begin.

    A step on or above the line between two others of its cell, one on either side, is no vertex;
    where every step is below the line between its neighbours, all are. So in each pass all cells
    drop the steps on or above the line between those ``stride`` before and after them. With
    neighbours alone, usual staircases take about ten passes, but some as many as they have steps.
    """
    e, l = staircases.true_rejects, staircases.false_rejects  # noqa: E741
    vertices, starts = np.arange(len(e)), staircases.starts
    for stride in chain(repeat(1, NEAR_PASSES), cycle(STRIDES)):
        sizes, index = np.diff(starts), np.arange(len(vertices))
        before = vertices[np.maximum(index - stride, np.repeat(starts[:-1], sizes))]
        after = vertices[np.minimum(index + stride, np.repeat(starts[1:] - 1, sizes))]
        run, rise = e[vertices] - e[before], l[vertices] - l[before]
        keeps = (l[after] - l[vertices]) * run > rise * (e[after] - e[vertices])
        keeps[starts[:-1]] = keeps[starts[1:] - 1] = True  # the ends of each cell
        if stride == 1 and keeps.all():
            break
        vertices = vertices[keeps]
        starts = np.append(0, np.cumsum(np.add.reduceat(keeps, starts[:-1], dtype=np.int64)))
    return vertices, starts


@dataclass(frozen=True, eq=False)
class HullBacktrace:
    """The segment and the step of each row; both are 0 for the first row, which rejects nothing."""

    envelope: Envelope
    segments: Ints
    steps: Ints

    def steps_at(self, rows: Ints) -> Ints:
        """Return the step of every cell (columns) for each of the rows."""
        segments = self.segments[rows]
        steps = self.envelope.steps_before(segments)
        later = np.flatnonzero(rows > 0)
        steps[later, self.envelope.segment_cells[segments[later]]] = self.steps[rows[later]]
        return steps


def hull_front(staircases: Staircases) -> ParetoFront:
    """Return the front along the envelope of the staircases."""
    envelope = build_envelope(staircases)
    origins, ends = envelope.segment_origins, envelope.segment_ends
    lengths = ends - origins
    segments = np.repeat(np.arange(len(ends)), lengths)
    # The steps origin + 1, …, end of each segment in turn.
    steps = np.arange(len(segments)) + np.repeat(ends + 1 - np.cumsum(lengths), lengths)

    def along(counts: Ints, breakpoints: Ints) -> Ints:
        return np.append(0, counts[steps] - counts[origins[segments]] + breakpoints[segments])

    true_rejects = along(staircases.true_rejects, envelope.true_rejects)
    false_rejects = along(staircases.false_rejects, envelope.false_rejects)
    return ParetoFront(
        true_rejects=true_rejects,
        false_rejects=false_rejects,
        gap=false_rejects - envelope.fewest_false_rejects(true_rejects),
        method="hull",
        staircases=staircases,
        backtrace=HullBacktrace(envelope, np.append(0, segments), np.append(0, steps)),
    )
