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

from abstain._checks import InputError, merge_labels
from abstain._dask import (
    aligned_blocks,
    block_by_block,
    gathered,
    later,
    merged,
    merged_where_made,
)
from abstain.fronts.bins import BinCounts, add_counts, count_block, find_edges, sample_positions
from abstain.fronts.chunked import (
    checked_chunk,
    count_right,
    gather_errors,
    join,
    merge_errors,
    merge_right,
)
from abstain.fronts.staircases import Staircases

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


class _Contents(NamedTuple):
    """How many samples each of some blocks has, and the cells of all of them."""

    sizes: list[int]
    labels: NDArray[Any]


def count_in_bins_on_dask(certainty: Any, correct: Any, cells: Any = None) -> BinCounts:
    """Return the counts of Dask arrays that are chunked alike: those of one machine."""
    blocks = aligned_blocks(certainty=certainty, correct=correct, cells=cells)
    sizes, labels = gathered(merged(_merge_contents, block_by_block(_contents, blocks)))
    if not sum(sizes):
        raise InputError("certainty must hold at least one sample, got 0")
    positions = sample_positions(sum(sizes))
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    placed = [(block[0], start) for block, start in zip(blocks, starts, strict=True)]
    sample = gathered(merged(np.concatenate, block_by_block(_sample, placed, positions)))
    edges, is_lossless = find_edges(sample, len(labels))
    found = block_by_block(_count, blocks, edges, is_lossless and len(positions) == sum(sizes))
    counts: BinCounts = gathered(merged(partial(_merge_counts, labels), found))
    return counts


def _contents(certainty: Any, correct: Any, cells: Any = None) -> _Contents:
    chunk = checked_chunk(certainty, correct, cells)
    if chunk is None:
        return _Contents([0], np.zeros(0, dtype=np.int64))
    return _Contents([len(chunk.certainty)], chunk.labels)


def _merge_contents(parts: Sequence[_Contents]) -> _Contents:
    # One without samples does not tell what kind of labels there are.
    labels = [part.labels for part in parts if len(part.labels)] or [parts[0].labels]
    return _Contents([size for part in parts for size in part.sizes], merge_labels("cells", labels))


def _sample(positions: NDArray[np.int64], certainty: Any, start: int) -> NDArray[np.float64]:
    """Return the certainties of a block at some positions among all samples."""
    values = np.asarray(certainty, dtype=np.float64)
    own = positions[slice(*np.searchsorted(positions, [start, start + len(values)]))]
    return np.asarray(values[own - start])


def _count(
    edges: NDArray[np.float64], is_lossless: bool, certainty: Any, correct: Any, cells: Any = None
) -> BinCounts:
    chunk = checked_chunk(certainty, correct, cells)
    if chunk is None:
        nothing = np.zeros((0, len(edges)), dtype=np.int64)
        return BinCounts(nothing[:, 0], edges, nothing, nothing, is_lossless)
    counts = count_block(chunk.certainty, chunk.correct, chunk.codes, len(chunk.labels), edges)
    return BinCounts(chunk.labels, edges, *counts, is_lossless)


def _merge_counts(labels: NDArray[Any], parts: Sequence[BinCounts]) -> BinCounts:
    return add_counts(parts, labels)
