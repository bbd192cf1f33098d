"""How are samples counted that only Dask can hold: at the steps of staircases, or in bins?

All passes run where the blocks are, and their results are merged in trees. Each pass asks for the
blocks anew: persist them before, if they are expensive to make and there is memory for them.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import InputError, merge_labels
from abstain._scale.blocks import (
    aligned_blocks,
    block_by_block,
    gathered,
    later,
    merged,
    merged_where_made,
)
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
    count_right,
    gather_errors,
    join,
    merge_errors,
    merge_right,
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
from abstain.fronts.staircases import Staircases, sorted_by_cell

__all__ = ["build_staircases_on_dask", "count_in_bins_on_dask"]


def build_staircases_on_dask(certainty: Any, correct: Any, cells: Any = None) -> Staircases:
    """Return the staircases of Dask arrays that are chunked alike."""
    blocks = aligned_blocks(certainty=certainty, correct=correct, cells=cells)
    found = block_by_block(gather_errors, blocks)
    # Kept on the cluster, and made again there if it is lost.
    errors = merged_where_made(merge_errors, found)
    right = block_by_block(count_right, blocks, errors)
    found_steps: Staircases = gathered(later(join, errors, merged_where_made(merge_right, right)))
    return found_steps


# Values in the sketches of all blocks together.
MAX_SKETCHES = 1 << 20


class _Contents(NamedTuple):
    """The cells of some blocks, a sketch of their certainties, and the distinct ones if few."""

    labels: NDArray[Any]
    sketch: Sketch
    distinct: NDArray[np.float64]


def count_in_bins_on_dask(certainty: Any, correct: Any, cells: Any = None) -> BinCounts:
    """Return the counts of Dask arrays that are chunked alike: those of one machine."""
    blocks = aligned_blocks(certainty=certainty, correct=correct, cells=cells)
    most = max(1, MAX_SKETCHES // len(blocks))
    contents = gathered(merged(_merge_contents, block_by_block(_contents, blocks, most)))
    if not len(contents.sketch.values):
        raise InputError("certainty must hold at least one sample, got 0")
    n_bins = number_of_bins(len(contents.labels))
    is_lossless = len(contents.distinct) <= n_bins
    edges = contents.distinct if is_lossless else _quantiles(blocks, contents.sketch, n_bins)
    counted = block_by_block(_count, blocks, edges, is_lossless)
    counts: BinCounts = gathered(merged(partial(_merge_counts, contents.labels), counted))
    return counts


def _quantiles(blocks: Any, known: Sketch, n_bins: int) -> NDArray[np.float64]:
    """Return the certainties at which bins begin."""
    pivots, certainties = choose_pivots(known), [block[:1] for block in blocks]
    counts = gathered(merged(_sum, block_by_block(_count_at, certainties, pivots)))
    ranks = edge_ranks(int(counts[1, -1]), n_bins)
    pivot, is_inside = gaps_with_ranks(counts, ranks)
    gaps, collected = np.unique(pivot[is_inside]), np.zeros(0)
    if len(gaps):
        collected = gathered(merged(_union, block_by_block(_collect, certainties, pivots, gaps)))
    return np.unique(pick(collected, pivots, counts, ranks)) + 0.0  # −0 becomes 0


def _contents(most: int, certainty: Any, correct: Any, cells: Any = None) -> _Contents:
    chunk = checked_chunk(certainty, correct, cells)
    if chunk is None:
        return _Contents(np.zeros(0, np.int64), sketch(np.zeros(0), 1), np.zeros(0))
    values = np.sort(chunk.certainty) + 0.0
    return _Contents(chunk.labels, sketch(values, most), distinct_values(values))


def _merge_contents(parts: Sequence[_Contents]) -> _Contents:
    # One without samples does not tell what kind of labels there are.
    labels = [part.labels for part in parts if len(part.labels)] or [parts[0].labels]
    return _Contents(
        merge_labels("cells", labels),
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
    if chunk is None:
        nothing = np.zeros((0, len(edges)), dtype=np.int64)
        return BinCounts(nothing[:, 0], edges, nothing, nothing, is_lossless)
    by_cell = list(sorted_by_cell(chunk.certainty, chunk.correct, chunk.codes, len(chunk.labels)))
    return BinCounts(chunk.labels, edges, *count_parts(by_cell, edges), is_lossless)


def _merge_counts(labels: NDArray[Any], parts: Sequence[BinCounts]) -> BinCounts:
    return add_counts(parts, labels)
