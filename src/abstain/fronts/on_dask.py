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
    WIDTH,
    Brackets,
    Inside,
    Sketch,
    brackets,
    collect_inside,
    merge_inside,
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
    found = block_by_block(_contents, blocks, most)
    labels, known, distinct = gathered(merged(_merge_contents, found))
    if not known.n_samples:
        raise InputError("certainty must hold at least one sample, got 0")
    n_bins = number_of_bins(len(labels))
    is_lossless = len(distinct) <= n_bins
    edges = distinct if is_lossless else _quantiles(blocks, known, n_bins)
    counted = block_by_block(_count, blocks, edges, is_lossless)
    counts: BinCounts = gathered(merged(partial(_merge_counts, labels), counted))
    return counts


def _quantiles(blocks: Any, known: Sketch, n_bins: int) -> NDArray[np.float64]:
    """Return the certainties at which bins begin."""
    ranks, width = edge_ranks(known.n_samples, n_bins), WIDTH
    certainties = [block[:1] for block in blocks]
    while True:
        within = brackets(known, ranks, width)
        collected = gathered(merged(merge_inside, block_by_block(_inside, certainties, within)))
        edges = pick(collected, within, ranks)
        if edges is not None:
            return np.unique(edges + 0.0)  # −0 is 0
        width *= 4


def _contents(most: int, certainty: Any, correct: Any, cells: Any = None) -> _Contents:
    chunk = checked_chunk(certainty, correct, cells)
    if chunk is None:
        return _Contents(np.zeros(0, np.int64), sketch(np.zeros(0), 1), np.zeros(0))
    values = np.sort(chunk.certainty) + 0.0
    step = max(1, len(values) // most)
    return _Contents(chunk.labels, sketch(values, step), distinct_values(values))


def _merge_contents(parts: Sequence[_Contents]) -> _Contents:
    # One without samples does not tell what kind of labels there are.
    labels = [part.labels for part in parts if len(part.labels)] or [parts[0].labels]
    return _Contents(
        merge_labels("cells", labels),
        merge_sketches([part.sketch for part in parts]),
        distinct_values(np.sort(np.concatenate([part.distinct for part in parts]))),
    )


def _inside(within: Brackets, certainty: Any) -> Inside:
    return collect_inside([np.sort(np.asarray(certainty, dtype=np.float64))], within)


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
