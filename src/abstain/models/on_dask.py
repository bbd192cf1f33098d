"""How is a model fitted to the samples of Dask collections?

Three passes over the blocks (see `chunked`) check the samples, find their scaling and compute
labelled blocks, which stay in the memory of the workers. If the blocks are expensive to compute and
fit into memory twice, persist them before. From then on only parameters and sums travel.

Neighbouring blocks form at most `SEGMENTS` segments, each on one worker. An evaluation takes one
task per thread, whatever the number of blocks, and adds the sums of the segments in a tree (see
`_scale.tree_sums`). So its result depends on the blocks alone, to the last bit: not on the number
of workers, nor on whether some of them died.

Adam steps through the segments in random order, one after the other: batches are small, and each
starts from the parameters that the one before has reached. Blocks should therefore be alike;
shuffle rows that are sorted by class.

On Linux, workers compute up to twice as fast with ``MALLOC_MMAP_THRESHOLD_=16777216`` in their
environment: by default Dask has memory returned to the system as soon as an array is released.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain._scale.blocks import aligned_blocks
from abstain._scale.computing import compute, persist, reduce_blocks
from abstain._scale.graphs import delayed_call, map_blocks
from abstain._scale.tree_sums import PersistedBlocks
from abstain.models.chunked import (
    MAX_START_SAMPLES,
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
from abstain.models.data import Rows
from abstain.models.scaling import Deviations, Scaling, merge_deviations
from abstain.models.solvers import AdamState, Batches, batch_rows
from abstain.models.validation import check_columns_present, class_factors

Array = NDArray[Any]
Segment = list[list[LabelledBlock]]

# At most this many sums are added in an evaluation: enough to keep hundreds of threads busy.
SEGMENTS = 256
# Samples per prototype that are drawn for initialization, in a class with many prototypes.
START_SAMPLES_PER_PROTOTYPE = 20


def without_rows(X: Any) -> Any:
    """Return an array or a frame with the features of a Dask collection and no rows."""
    if X.ndim != 2:
        raise InputError(f"X must be two-dimensional, got {X.ndim} dimension(s)")
    if hasattr(X, "columns"):
        return X._meta
    return np.empty((0, X.shape[1]))


def read_blocks(X: Any, y: Any, sample_weight: Any, class_weight: Any) -> DaskData:
    """Check samples block by block, and return what can be fitted to."""
    if y is None:
        raise InputError("y must hold the class of each sample, got None")
    blocks = aligned_blocks(X=X, y=y, sample_weight=sample_weight)
    summaries = persist(map_blocks(summarise, blocks, int(X.shape[1])))
    # Merging copies what is not ours to change, even if there is one block only.
    summary = merge_summaries([reduce_blocks(merge_summaries, summaries)])
    if not len(summary.labels):
        raise InputError("X must hold at least one sample, got 0")
    if len(summary.labels) < 2:
        raise InputError(f"y must hold at least two classes, got one class: {summary.labels[0]}")
    check_columns_present(summary.has_value)
    factors = class_factors(class_weight, summary.labels, summary.weights)
    return DaskData(blocks, summary, Coding(summary.labels, factors, summary.dtype))


class DaskData:
    """Samples in the blocks of Dask collections."""

    def __init__(self, blocks: list[tuple[Any, ...]], summary: Summary, coding: Coding) -> None:
        self._blocks, self._summary, self._coding = blocks, summary, coding
        self.classes, self.dtype = coding.classes, coding.dtype
        self.n_features = int(summary.sums.shape[1])

    def class_sizes(self) -> list[int]:
        """Return the number of samples of each class."""
        sizes: list[int] = self._summary.sizes.tolist()
        return sizes

    def class_sums(self) -> tuple[Array, Array]:
        """Return the weighted sum of each feature in each class, and the weight of its values."""
        factors = self._coding.factors[:, np.newaxis]
        return self._summary.sums * factors, self._summary.present * factors

    def ranges(self) -> tuple[Array, Array]:
        """Return the minimum and the maximum of each feature."""
        return self._summary.ranges

    def deviations(self, origin: Array) -> Deviations:
        """Return how far the samples deviate from an origin."""
        parts = map_blocks(deviations, self._blocks, self._coding, origin)
        return merge_deviations([reduce_blocks(merge_deviations, parts)])

    def initialization_rows(self, counts: list[int], init: Any, random_state: Any) -> Rows:
        """Return samples of the classes that are not initialized by their means.

        Where a class has more samples than its limit, some are drawn at random.
        """
        limits = {
            label: max(MAX_START_SAMPLES, START_SAMPLES_PER_PROTOTYPE * count)
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
        blocks = [(seed, number, *block) for number, block in enumerate(self._blocks)]
        parts = map_blocks(draw, blocks, self._coding, limits)
        drawn: Drawn = reduce_blocks(partial(merge_drawn, limits), parts)
        return drawn.rows

    def blocks(self, scaling: Scaling) -> Blocks:
        """Persist all samples, scaled."""
        return Segments(map_blocks(labelled, self._blocks, self._coding, scaling))

    def batches(self, scaling: Scaling, random_state: np.random.RandomState) -> Batches:
        """Persist all samples in mini-batches, which are drawn from one block each."""
        sizes = self._summary.chunk_sizes
        rows = batch_rows(sum(sizes))
        weights = self._summary.weights * self._coding.factors
        mean_weight = float(weights.sum() / sum(sizes))
        seeds = random_state.randint(2**31 - 1, size=len(sizes)).tolist()
        blocks = [(seed, *block) for seed, block in zip(seeds, self._blocks, strict=True)]
        parts = map_blocks(batched, blocks, self._coding, scaling, mean_weight, rows)
        return DaskBatches(Segments(parts), [n_batches(size, rows) for size in sizes], sum(sizes))


class Segments:
    """Labelled blocks in the memory of workers, in segments of neighbours."""

    def __init__(self, blocks: list[Any]) -> None:
        cuts = np.linspace(0, len(blocks), min(len(blocks), SEGMENTS) + 1).astype(int)
        self.cuts = list(pairwise(cuts.tolist()))
        self.persisted = PersistedBlocks(
            [delayed_call(_join, blocks[start:stop]) for start, stop in self.cuts]
        )

    def total(self, sums: Callable[[Iterable[LabelledBlock]], Sums]) -> Sums:
        """Return the sums that a function computes over all blocks."""
        total: Sums = self.persisted.sum(partial(_sum_segment, sums), _add)
        return total


def _join(blocks: list[Segment]) -> Segment:
    return list(chain.from_iterable(blocks))


def _sum_segment(sums: Callable[[Iterable[LabelledBlock]], Sums], segment: Segment) -> Sums:
    return sums(chain.from_iterable(segment))


def _add(some: Sums, others: Sums) -> Sums:
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
        """Return all blocks: unlike an epoch, an evaluation uses all workers at once."""
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
        delayed: Any = state
        for index, (start, stop) in zip(order, pairwise(ends), strict=True):
            steps = partial(_steps, cost, shares[start:stop], self._mean_weight, seeds[index])
            delayed = delayed_call(steps, delayed, self._segments.persisted.blocks[index])
        last: AdamState = compute(delayed)
        return last


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
