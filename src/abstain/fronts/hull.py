"""Which front do the convex envelopes give, in near-linear time, and how far is it from the best?

Walk along the segments of the envelope. Each ends at a breakpoint, which is exactly optimal; on
the way there, the segment's own cell climbs its staircase step by step and gives the rows in
between. The *gap* of a row is its height above the envelope, an upper bound of what it loses.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abstain.fronts.envelope import Envelope, build_envelope
from abstain.fronts.front import ParetoFront
from abstain.fronts.staircases import Staircases

__all__ = ["HullBacktrace", "hull_front"]


@dataclass(frozen=True, eq=False)
class HullBacktrace:
    """The walk along the envelope: which segment and which step made each row but the first."""

    envelope: Envelope
    segments: NDArray[np.int64]
    steps: NDArray[np.int64]

    def steps_at(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the step of every cell (columns) for each of the rows."""
        walked = rows > 0
        segment = np.where(walked, self.segments[rows - 1], 0) if len(self.segments) else rows * 0
        steps = self.envelope.steps_before(segment)
        where = np.flatnonzero(walked)
        steps[where, self.envelope.segment_cells[segment[where]]] = self.steps[rows[where] - 1]
        return steps


def hull_front(staircases: Staircases) -> ParetoFront:
    """Return the front along the envelope of the staircases."""
    envelope = build_envelope(staircases)
    origins, ends = envelope.segment_origins, envelope.segment_ends
    lengths = ends - origins
    segments = np.repeat(np.arange(len(ends)), lengths)
    # The steps origin + 1, …, end of each segment in turn.
    steps = np.arange(len(segments)) + np.repeat(ends + 1 - np.cumsum(lengths), lengths)

    def climb(counts: NDArray[np.int64], breakpoints: NDArray[np.int64]) -> NDArray[np.int64]:
        climbed = counts[steps] - counts[origins[segments]] + breakpoints[segments]
        return np.append(0, climbed)

    true_rejects = climb(staircases.true_rejects, envelope.true_rejects)
    false_rejects = climb(staircases.false_rejects, envelope.false_rejects)
    return ParetoFront(
        true_rejects=true_rejects,
        false_rejects=false_rejects,
        gap=false_rejects - envelope.fewest_false_rejects(true_rejects),
        method="hull",
        staircases=staircases,
        backtrace=HullBacktrace(envelope, segments, steps),
    )
