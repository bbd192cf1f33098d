"""How are the samples of Dask arrays counted: at the steps of staircases, or in bins?

All passes run where the blocks are, and their results are merged in trees. Each pass needs the
blocks again: persist them before, if they are expensive to compute and fit into memory.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import merge_labels
from abstain._core.errors import InputError
from abstain._scale.blocks import aligned_blocks
from abstain._scale.computing import compute, reduce_blocks, reduce_on_workers
from abstain._scale.graphs import delayed_call, map_blocks
from abstain.fronts.bins import (
    BinCounts,
    add_counts,
    count_parts,
    distinct_values,
    edge_ranks,
    number_of_bins,
)
from abstain.fronts.chunked import (
    checked_chunk,
    count_correct,
    gather_errors,
    join_counts,
    merge_correct,
    merge_errors,
)
from abstain.fronts.quantiles import (
    Sketch,
    choose_pivots,
    collect,
    count_at,
    gaps_with_ranks,
    merge_sketches,
    pick,
    sketch,
)
from abstain.fronts.staircases import Staircases

# Values in the sketches of all blocks together.
MAX_SKETCHES = 1 << 20


def build_staircases_on_dask(certainty: Any, correct: Any, cells: Any = None) -> Staircases:
    """Return the staircases of Dask arrays with the same chunks."""
    blocks = aligned_blocks(certainty=certainty, correct=correct, cells=cells)
    # Both stay on the cluster, and are computed again there if they are lost.
    errors = reduce_on_workers(merge_errors, map_blocks(gather_errors, blocks))
    counts = reduce_on_workers(merge_correct, map_blocks(count_correct, blocks, errors))
    staircases: Staircases = compute(delayed_call(join_counts, errors, counts))
    return staircases


class _Contents(NamedTuple):
    """The cells of some blocks, a sketch of their certainties, and the distinct ones if few."""

    labels: NDArray[Any]
    sketch: Sketch
    distinct: NDArray[np.float64]


def count_in_bins_on_dask(certainty: Any, correct: Any, cells: Any = None) -> BinCounts:
    """Return the counts of Dask arrays with the same chunks: those of one machine."""
    blocks = aligned_blocks(certainty=certainty, correct=correct, cells=cells)
    sketch_size = max(1, MAX_SKETCHES // len(blocks))
    contents: _Contents = reduce_blocks(_merge_contents, map_blocks(_contents, blocks, sketch_size))
    if not len(contents.sketch.values):
        raise InputError("certainty must hold at least one sample, got 0")
    n_bins = number_of_bins(len(contents.labels))
    is_lossless = len(contents.distinct) <= n_bins
    edges = contents.distinct if is_lossless else _quantiles(blocks, contents.sketch, n_bins)
    counts: BinCounts = reduce_blocks(
        partial(_merge_counts, contents.labels), map_blocks(_count, blocks, edges, is_lossless)
    )
    return counts


def _quantiles(blocks: Any, known: Sketch, n_bins: int) -> NDArray[np.float64]:
    """Return the certainties at which bins begin."""
    pivots, certainties = choose_pivots(known), [block[:1] for block in blocks]
    counts = reduce_blocks(_sum, map_blocks(_count_at, certainties, pivots))
    ranks = edge_ranks(int(counts[1, -1]), n_bins)
    pivot, is_inside = gaps_with_ranks(counts, ranks)
    gaps, collected = np.unique(pivot[is_inside]), np.zeros(0)
    if len(gaps):
        collected = reduce_blocks(_union, map_blocks(_collect, certainties, pivots, gaps))
    return np.unique(pick(collected, pivots, counts, ranks)) + 0.0  # −0 becomes 0


def _contents(sketch_size: int, certainty: Any, correct: Any, cells: Any = None) -> _Contents:
    chunk = checked_chunk(certainty, correct, cells)
    values = np.sort(chunk.certainty) + 0.0
    return _Contents(chunk.labels, sketch(values, sketch_size), distinct_values(values))


def _merge_contents(parts: Sequence[_Contents]) -> _Contents:
    return _Contents(
        merge_labels("cells", [part.labels for part in parts]),
        merge_sketches([part.sketch for part in parts]),
        distinct_values(np.sort(np.concatenate([part.distinct for part in parts]))),
    )


def _count_at(pivots: NDArray[np.float64], certainty: Any) -> NDArray[np.int64]:
    return count_at(np.sort(np.asarray(certainty, dtype=np.float64)), pivots)


def _collect(
    pivots: NDArray[np.float64], gaps: NDArray[np.int64], certainty: Any
) -> NDArray[np.float64]:
    return collect(np.sort(np.asarray(certainty, dtype=np.float64)), pivots, gaps)


def _sum(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.asarray(np.sum(parts, axis=0))


def _union(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.sort(np.concatenate(parts))


def _count(
    edges: NDArray[np.float64], is_lossless: bool, certainty: Any, correct: Any, cells: Any = None
) -> BinCounts:
    chunk = checked_chunk(certainty, correct, cells)
    return BinCounts(chunk.labels, edges, *count_parts(chunk.by_cell(), edges), is_lossless)


def _merge_counts(labels: NDArray[Any], parts: Sequence[BinCounts]) -> BinCounts:
    return add_counts(parts, labels)
