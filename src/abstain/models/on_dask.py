"""How is a model fitted to samples that only Dask can hold?

Three passes over the blocks (see `chunked`) check the samples, find their scaling and make labelled
blocks of them, which stay in the memory of the workers; whoever makes the blocks at some cost, and
has the memory for them twice, persists them before. From then on only parameters go out, and sums
come back.

Neighbouring blocks form at most `SEGMENTS` segments, each in one place. For an evaluation, each
thread of each worker gets one task for all of its segments, whose sums are added in a tree (see
`_kept`). So an evaluation needs about as many tasks as there are threads, whatever the number of
blocks, and its result depends on the blocks alone, to the last bit: not on the number of workers,
nor on what became of them.

Adam visits the segments in random order, one after the other: batches are small, and each starts
from where the one before has ended. Blocks should therefore be alike; rows that are sorted by class
are best shuffled before.

On Linux, workers do their arithmetic up to twice as fast if ``MALLOC_MMAP_THRESHOLD_`` is
16777216 in their environment: Dask has memory given back to the system whenever an array has done
its duty.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import InputError
from abstain._scale.blocks import (
    aligned_blocks,
    block_by_block,
    gathered,
    in_block,
    kept,
    later,
    merged,
)
from abstain._scale.persisted import Kept
from abstain.models.chunked import (
    TO_START_FROM,
    Coding,
    Drawn,
    Summary,
    batched,
    deviations,
    draw,
    labelled,
    merge_drawn,
    merge_summaries,
    n_batches,
    summarise,
)
from abstain.models.costs import Blocks, Cost, LabelledBlock, Sums
from abstain.models.data import Data, Rows
from abstain.models.scaling import Deviations, Scaling, merge_deviations
from abstain.models.solvers import AdamState, Batches, batch_rows
from abstain.models.validation import check_columns_present, class_factors

__all__ = ["read_blocks", "without_rows"]

Array = NDArray[Any]
Segment = list[list[LabelledBlock]]

# Sums that an evaluation adds up, at most: enough to keep hundreds of threads busy.
SEGMENTS = 256
# Of a class with many prototypes, so many samples for each of them are drawn to start from.
FOR_EACH = 20


def without_rows(X: Any) -> Any:
    """Return an array or a frame with the features of a Dask collection and no samples."""
    if X.ndim != 2:
        raise InputError(f"X must be two-dimensional, got {X.ndim} dimension(s)")
    if hasattr(X, "columns"):
        return X._meta
    return np.empty((0, X.shape[1]))


def read_blocks(X: Any, y: Any, sample_weight: Any, class_weight: Any) -> Data:
    """Check samples block by block, and return what can be fitted to."""
    if y is None:
        raise InputError("y must hold the class of each sample, got None")
    blocks = aligned_blocks(X=X, y=y, sample_weight=sample_weight)
    n_features = int(X.shape[1])
    found = kept(block_by_block(summarise, blocks, n_features))
    # Even one summary is merged: that copies what is not ours to change.
    summary: Summary = merge_summaries([gathered(merged(merge_summaries, found))])
    if not len(summary.labels):
        raise InputError("X must hold at least one sample, got 0")
    if len(summary.labels) < 2:
        raise InputError(f"y must hold at least two classes, got one class: {summary.labels[0]}")
    check_columns_present(summary.has_value)
    factors = class_factors(class_weight, summary.labels, summary.weights)
    return DaskData(blocks, summary, Coding(summary.labels, factors, summary.dtype))


class DaskData:
    """Samples in blocks that Dask keeps, or makes when they are asked for."""

    def __init__(self, blocks: list[tuple[Any, ...]], summary: Summary, coding: Coding) -> None:
        self._blocks, self._summary, self._coding = blocks, summary, coding
        self.classes, self.dtype = coding.classes, coding.dtype
        self.n_features = int(summary.sums.shape[1])

    def class_sizes(self) -> list[int]:
        """Return how many samples each class has."""
        found: list[int] = self._summary.sizes.tolist()
        return found

    def class_sums(self) -> tuple[Array, Array]:
        """Return the weighted sum of each feature in each class, and the weight of all present."""
        factors = self._coding.factors[:, np.newaxis]
        return self._summary.sums * factors, self._summary.present * factors

    def ranges(self) -> tuple[Array, Array]:
        """Return the lowest and the highest value of each feature."""
        return self._summary.ranges

    def deviations(self, origin: Array) -> Deviations:
        """Return by how much the samples deviate from an origin."""
        found = self._of_each(lambda number: partial(deviations, self._coding, origin))
        return merge_deviations([gathered(merged(merge_deviations, found))])

    def _of_each(self, function_of: Callable[[int], Callable[..., Any]]) -> list[Any]:
        return [
            in_block(number, function_of(number), *block)
            for number, block in enumerate(self._blocks)
        ]

    def initialization_rows(self, counts: list[int], init: Any, random_state: Any) -> Rows:
        """Return samples of the classes that do not start from their means.

        What there are more of than can be taken is drawn at random; else nothing is.
        """
        limits = {
            label: max(TO_START_FROM, FOR_EACH * count)
            for label, count in enumerate(counts)
            if isinstance(init, str) and (count > 1 or init != "kmeans")
        }
        if not limits:
            return Rows(
                np.zeros((0, self.n_features), self.dtype),
                np.zeros(0, dtype=np.int64),
                np.zeros(0, self.dtype),
            )
        sizes = self.class_sizes()
        draws = any(sizes[label] > limit for label, limit in limits.items())
        seed = int(random_state.randint(2**31 - 1)) if draws else 0
        found = self._of_each(lambda number: partial(draw, self._coding, limits, [seed, number]))
        drawn: Drawn = gathered(merged(partial(merge_drawn, limits), found))
        return drawn.rows

    def blocks(self, scaling: Scaling) -> Blocks:
        """Have all samples kept, scaled, where they are."""
        return Segments(self._of_each(lambda number: partial(labelled, self._coding, scaling)))

    def batches(self, scaling: Scaling, random_state: np.random.RandomState) -> Batches:
        """Have all samples kept, in mini-batches that are drawn block by block."""
        sizes = self._summary.chunk_sizes
        rows = batch_rows(sum(sizes))
        weights = self._summary.weights * self._coding.factors
        mean_weight = float(weights.sum() / sum(sizes))
        seeds = random_state.randint(2**31 - 1, size=len(sizes)).tolist()
        made = self._of_each(
            lambda number: partial(batched, self._coding, scaling, mean_weight, rows, seeds[number])
        )
        return DaskBatches(Segments(made), [n_batches(size, rows) for size in sizes], sum(sizes))


class Segments:
    """Labelled blocks in the memory of workers, neighbours together."""

    def __init__(self, blocks: list[Any]) -> None:
        cuts = np.linspace(0, len(blocks), min(len(blocks), SEGMENTS) + 1).astype(int)
        self.cuts = list(pairwise(cuts.tolist()))
        self.kept = Kept([later(_joined, blocks[start:stop]) for start, stop in self.cuts])

    def total(self, sums: Callable[[Iterable[LabelledBlock]], Sums]) -> Sums:
        """Return what a function sums up over all blocks, segment by segment."""
        found: Sums = self.kept.total(partial(_sums_of, sums), _added)
        return found


def _joined(blocks: list[Segment]) -> Segment:
    return list(chain.from_iterable(blocks))


def _sums_of(sums: Callable[[Iterable[LabelledBlock]], Sums], segment: Segment) -> Sums:
    return sums(chain.from_iterable(segment))


def _added(some: Sums, others: Sums) -> Sums:
    return [one + other for one, other in zip(some, others, strict=True)]


class DaskBatches:
    """Mini-batches in the memory of workers."""

    def __init__(self, segments: Segments, sizes: list[int], n_samples: int) -> None:
        self._segments = segments
        self._sizes = [sum(sizes[start:stop]) for start, stop in segments.cuts]
        self._mean_weight = n_samples / len(self)

    def blocks(self) -> Blocks:
        """Return the blocks of all batches."""
        return self._segments

    def compared_blocks(self) -> Blocks:
        """Return all blocks: unlike a pass, workers evaluate a cost all at once."""
        return self._segments

    def __len__(self) -> int:
        return sum(self._sizes)

    def run_epoch(
        self,
        state: AdamState,
        cost: Cost,
        shares: Sequence[float],
        random_state: np.random.RandomState,
    ) -> AdamState:
        """Run Adam from segment to segment, in random order."""
        order = random_state.permutation(len(self._sizes))
        seeds = random_state.randint(2**31 - 1, size=len(order)).tolist()
        ends = [0, *accumulate(self._sizes[index] for index in order)]
        moving: Any = state
        for index, (start, stop) in zip(order, pairwise(ends), strict=True):
            steps = partial(_steps, cost, shares[start:stop], self._mean_weight, seeds[index])
            moving = later(steps, moving, self._segments.kept.parts[index])
        arrived: AdamState = gathered(moving)
        return arrived


def _steps(
    cost: Cost,
    shares: Sequence[float],
    mean_weight: float,
    seed: int,
    state: AdamState,
    segment: Segment,
) -> AdamState:
    """Run Adam through a segment, on a copy: the task may run again if a worker dies."""
    order = np.random.default_rng(seed).permutation(len(segment))
    state = deepcopy(state)
    for index, share in zip(order, shares, strict=True):
        state.step(cost, segment[index], share, mean_weight)
    return state
