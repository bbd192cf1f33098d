"""How is a model fitted to the samples of Dask collections?

Three passes over the blocks:

1. Check and summarise the samples: classes, their sizes, weights and sums, and the range of each
   feature. The merged summaries give the classes of all blocks and the mean of the samples.
2. Measure how far the samples deviate from the mean, which gives their scaling.
3. Compute labelled blocks, scaled, which stay in the memory of the workers. If the blocks are
   expensive to compute and fit into memory twice, persist them before.

From then on only parameters and sums travel. Neighbouring blocks form at most `SEGMENTS` segments,
each on one worker. An evaluation takes one task per thread, whatever the number of blocks, and adds
the sums of the segments in a tree (see `_scale.computing`). So its result depends on the blocks
alone, to the last bit: not on the number of workers, nor on whether some of them died.

Several prototypes per class, and prototypes that are drawn, are initialized from samples: from all
samples of a class with at most `MAX_START_SAMPLES`, as on one machine, and from that many of a
larger one, drawn without replacement. For that each sample gets a random key, and those with the
smallest keys are kept, first of each block and then of all blocks.

Adam steps through the segments in random order, one after the other: batches are small, and each
starts from the parameters that the one before has reached. Blocks should therefore be alike;
shuffle rows that are sorted by class.

On Linux, workers compute up to twice as fast with ``MALLOC_MMAP_THRESHOLD_=16777216`` in their
environment: by default Dask has memory returned to the system as soon as an array is released.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets

from abstain._core.checks import check_same_length, check_weights, merge_labels
from abstain._core.errors import InputError
from abstain._scale.blocks import aligned_blocks
from abstain._scale.computing import PersistedBlocks, compute, persist, reduce_blocks
from abstain._scale.graphs import delayed_call, map_blocks
from abstain.models.costs import Blocks, Cost, LabelledBlock, Sums
from abstain.models.data import ArrayData, Rows
from abstain.models.scaling import Deviations, Scaling, merge_deviations, merge_ranges
from abstain.models.solvers import AdamState, Batches, batch_rows
from abstain.models.validation import (
    check_columns_present,
    check_labels,
    check_magnitude,
    class_factors,
    one_class,
    present_columns,
)

Array = NDArray[Any]
Segment = list[list[LabelledBlock]]

# At most this many sums are added in an evaluation: enough to keep hundreds of threads busy.
SEGMENTS = 256
# Samples of a class from which its prototypes are initialized, and samples per prototype if that is
# more: k-means centres of more samples hardly differ.
MAX_START_SAMPLES, START_SAMPLES_PER_PROTOTYPE = 20_000, 20


class Summary(NamedTuple):
    """The samples of some blocks, summed by class and by feature.

    Samples of weight zero count in ``labels`` and ``has_value`` only.
    """

    labels: Array
    sizes: NDArray[np.int64]
    weights: NDArray[np.float64]
    sums: Array
    present: Array
    has_value: NDArray[np.bool_]
    ranges: tuple[Array, Array]
    block_sizes: list[int]
    dtype: Any


def read_blocks(X: Any, y: Any, sample_weight: Any, class_weight: Any) -> DaskData:
    """Check samples block by block, and return what can be fitted to."""
    if y is None:
        raise InputError(argument="y", value=y, requirement="must hold the class of each sample")
    blocks = aligned_blocks(X=X, y=y, sample_weight=sample_weight)
    summaries = persist(map_blocks(summarise, blocks, int(X.shape[1])))
    # Merging copies what is not ours to change, even if there is one block only.
    summary = merge_summaries([reduce_blocks(merge_summaries, summaries)])
    if not len(summary.labels):
        raise InputError(argument="X", requirement="must hold at least one sample", got="0")
    if len(summary.labels) < 2:
        raise one_class(summary.labels[0])
    check_columns_present(summary.has_value)
    factors = class_factors(class_weight, summary.labels, summary.weights)
    data = map_blocks(read_block, blocks, summary.labels, factors, summary.dtype)
    return DaskData(data, summary, factors)


class DaskData:
    """Samples in blocks, each of which is an `ArrayData`, delayed."""

    def __init__(self, blocks: list[Any], summary: Summary, factors: Array) -> None:
        # The factors of the weights of each class.
        self._blocks, self._summary, self._factors = blocks, summary, factors
        self.classes, self.dtype = summary.labels, summary.dtype
        self.n_features = int(summary.sums.shape[1])

    def class_sizes(self) -> list[int]:
        """Return the number of samples of each class."""
        sizes: list[int] = self._summary.sizes.tolist()
        return sizes

    def class_sums(self) -> tuple[Array, Array]:
        """Return the weighted sum of each feature in each class, and the weight of its values."""
        factors = self._factors[:, np.newaxis]
        return self._summary.sums * factors, self._summary.present * factors

    def ranges(self) -> tuple[Array, Array]:
        """Return the minimum and the maximum of each feature."""
        return self._summary.ranges

    def deviations(self, origin: Array) -> Deviations:
        """Return how far the samples deviate from an origin."""
        parts = map_blocks(_deviations, [(block,) for block in self._blocks], origin)
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
            return Rows.empty(self.n_features, self.dtype)
        return self.some_rows(limits, random_state)

    def some_rows(self, limits: dict[int, int], random_state: Any) -> Rows:
        """Return at most so many samples of each class, drawn at random."""
        sizes = self.class_sizes()
        draws = any(sizes[label] > limit for label, limit in limits.items())
        seed = int(random_state.randint(2**31 - 1)) if draws else 0
        blocks = [(block, number) for number, block in enumerate(self._blocks)]
        parts = map_blocks(draw, blocks, limits, seed)
        drawn: Drawn = reduce_blocks(partial(merge_drawn, limits), parts)
        return drawn.rows

    def blocks(self, scaling: Scaling) -> Blocks:
        """Persist all samples, scaled."""
        return Segments(map_blocks(_labelled, [(block,) for block in self._blocks], scaling))

    def batches(self, scaling: Scaling, random_state: RandomState) -> Batches:
        """Persist all samples in mini-batches, which are drawn from one block each."""
        sizes = self._summary.block_sizes
        rows = batch_rows(sum(sizes))
        weights = self._summary.weights * self._factors
        mean_weight = float(weights.sum() / sum(sizes))
        seeds = random_state.randint(2**31 - 1, size=len(sizes)).tolist()
        counts = [-(-size // rows) for size in sizes]
        blocks = list(zip(self._blocks, seeds, counts, strict=True))
        batches = Segments(map_blocks(_batched, blocks, scaling, mean_weight))
        return DaskBatches(batches, counts, sum(sizes))


# --- blocks and their merging ---------------------------------------------------------------------


def summarise(n_features: int, X: Any, y: Any, sample_weight: Any = None) -> Summary:
    """Check a block, and summarise it."""
    check_same_length(X=X, y=y, sample_weight=sample_weight)
    if not len(X):
        empty, sums, missing = np.zeros(0), np.zeros((0, n_features)), np.full(n_features, np.nan)
        sizes, has_value = np.zeros(0, dtype=np.int64), np.zeros(n_features, dtype=bool)
        ranges = missing, missing
        return Summary(empty, sizes, empty, sums, sums, has_value, ranges, [0], None)
    samples = _samples(X)
    labels, codes = np.unique(_checked_targets(y), return_inverse=True)
    has_value = present_columns(samples)
    weights = _weights(sample_weight, samples)
    totals: Array = np.bincount(codes, weights, len(labels))
    data = ArrayData(labels, Rows(samples, codes, weights).with_weight())
    ranges = data.ranges()
    check_magnitude(ranges, data.dtype, getattr(X, "columns", None))
    sizes = np.array(data.class_sizes(), dtype=np.int64)
    sums, present = data.class_sums()
    block_sizes = [len(data.rows.labels)]
    return Summary(labels, sizes, totals, sums, present, has_value, ranges, block_sizes, data.dtype)


def _samples(X: Any) -> Array:
    return np.asarray(
        check_array(
            X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", input_name="X"
        )
    )


def _targets(y: Any) -> Array:
    targets = np.asarray(y)
    return targets.ravel() if targets.ndim == 2 and targets.shape[1] == 1 else targets


def _checked_targets(y: Any) -> Array:
    check_labels(y)
    targets = _targets(y)
    if targets.ndim != 1:
        raise InputError(
            argument="y", requirement="must be one-dimensional", got=f"shape {targets.shape}"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # many classes for one block may be few for all
        check_classification_targets(targets)
    return targets


def _weights(sample_weight: Any, samples: Array) -> Array:
    if sample_weight is None:
        return np.ones(len(samples), dtype=samples.dtype)
    return check_weights("sample_weight", sample_weight).astype(samples.dtype)


def merge_summaries(parts: Sequence[Summary]) -> Summary:
    """Return the summary of the samples of all blocks."""
    block_sizes = [size for part in parts for size in part.block_sizes]
    parts = [part for part in parts if len(part.labels)] or parts[:1]
    labels = merge_labels("y", [part.labels for part in parts])
    shape = len(labels), parts[0].sums.shape[1]
    total = Summary(
        labels,
        np.zeros(len(labels), dtype=np.int64),
        np.zeros(len(labels)),
        np.zeros(shape),
        np.zeros(shape),
        np.logical_or.reduce([part.has_value for part in parts]),
        merge_ranges([part.ranges for part in parts]),
        block_sizes,
        None if parts[0].dtype is None else np.result_type(*(part.dtype for part in parts)),
    )
    for part in parts:
        own = np.searchsorted(labels, part.labels)
        total.sizes[own] += part.sizes
        total.weights[own] += part.weights
        total.sums[own] += part.sums
        total.present[own] += part.present
    return total


def read_block(
    classes: Array, factors: Array, dtype: Any, X: Any, y: Any, sample_weight: Any = None
) -> ArrayData:
    """Return the samples of a block that has been checked before."""
    if not len(X):
        return ArrayData(classes, Rows.empty(X.shape[1], dtype))
    samples = _samples(X).astype(dtype, copy=False)
    labels = np.searchsorted(classes, _targets(y))
    weights = _weights(sample_weight, samples) * factors[labels]
    return ArrayData(classes, Rows(samples, labels, weights.astype(dtype)).with_weight())


def _deviations(origin: Array, block: ArrayData) -> Deviations:
    return block.deviations(origin)


def _labelled(scaling: Scaling, block: ArrayData) -> Segment:
    """Return the samples of a block as one batch."""
    return [block.blocks(scaling)]


def _batched(
    scaling: Scaling, mean_weight: float, block: ArrayData, seed: int, n_batches: int
) -> Segment:
    """Return the samples of a block in batches of equal size, drawn from the block alone."""
    order = np.random.default_rng(seed).permutation(len(block.rows.labels))
    parts = np.array_split(order, n_batches) if n_batches else []
    return block.split(parts, scaling, mean_weight)


class Drawn(NamedTuple):
    """Samples with their random keys."""

    rows: Rows
    keys: NDArray[np.float64]


def draw(limits: dict[int, int], seed: int, block: ArrayData, number: int) -> Drawn:
    """Draw samples of some classes from a block, up to the limit of each class."""
    keys = np.random.default_rng([seed, number]).random(len(block.rows.labels))
    return _smallest_keys(limits, Drawn(block.rows, keys))


def merge_drawn(limits: dict[int, int], parts: Sequence[Drawn]) -> Drawn:
    """Return the samples that would have been drawn from all blocks at once."""
    each = zip(*(part.rows for part in parts), strict=True)
    rows = Rows(*(np.concatenate(column) for column in each))
    return _smallest_keys(limits, Drawn(rows, np.concatenate([part.keys for part in parts])))


def _smallest_keys(limits: dict[int, int], drawn: Drawn) -> Drawn:
    rows, keys = drawn
    chosen = []
    for label, limit in limits.items():
        own = np.flatnonzero(rows.labels == label)
        if len(own) > limit:
            own = np.sort(own[np.argpartition(keys[own], limit)[:limit]])
        chosen.append(own)
    index = np.concatenate(chosen)
    return Drawn(Rows(*(part[index] for part in rows)), keys[index])


# --- labelled blocks in the memory of workers -----------------------------------------------------


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
        self, state: AdamState, cost: Cost, shares: Sequence[float], random_state: RandomState
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
