"""How are staircases built from samples in chunks, such as those of Dask arrays?

Only wrong samples make steps. A first pass gathers the certainties of the wrong samples of each
chunk, cell by cell; merged, they are the values v₁ < … < v_k at which a cell can step. In a second
pass every chunk counts its correct samples in each of the intervals

    (−∞, v₁], (v₁, v₂], …, (v_k, ∞)

and keeps the smallest of each. Counts add up, and the smallest of all is the smallest of the
smallest, so chunks are merged in any order. With c_i correct samples in interval i and s_i the
smallest of them, the step at v_i rejects c₁ + … + c_i of them, at the threshold
min(v_{i+1}, s_{i+1}).

The result for a chunk grows with the errors of all chunks, not with its samples; where there are
more errors than samples in the chunk, it lists only the intervals that it has samples in. Both
passes compute the chunks: persist them before, if they are expensive and fit into memory.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import (
    check_boolean_vector,
    check_real_vector,
    check_same_length,
    merge_labels,
)
from abstain._core.errors import InputError
from abstain._scale.blocks import aligned_blocks
from abstain._scale.computing import compute, reduce_on_workers
from abstain._scale.graphs import delayed_call, map_blocks
from abstain.fronts.staircases import Staircases, encode_cells, sort_by_cell, split_by_cell

Array = NDArray[Any]

# A list of the intervals takes half as much memory again as their counts and smallest values.
SPARSE_SHARE = 0.5


def build_staircases_on_dask(certainty: Any, correct: Any, cells: Any = None) -> Staircases:
    """Return the staircases of Dask arrays with the same chunks."""
    blocks = aligned_blocks(certainty=certainty, correct=correct, cells=cells)
    # Both stay on the cluster, and are computed again there if they are lost.
    errors = reduce_on_workers(merge_errors, map_blocks(gather_errors, blocks))
    counts = reduce_on_workers(merge_correct, map_blocks(count_correct, blocks, errors))
    staircases: Staircases = compute(delayed_call(join_counts, errors, counts))
    return staircases


class Errors(NamedTuple):
    """The wrong samples of some chunks.

    The distinct certainties of cell ``j`` are those from ``starts[j]`` up to ``starts[j + 1]``, in
    ascending order, and ``counts`` says how many wrong samples have each. Cells without wrong
    samples are included.
    """

    labels: Array
    starts: NDArray[np.int64]
    certainties: NDArray[np.float64]
    counts: NDArray[np.int64]
    n_samples: int


class CorrectCounts(NamedTuple):
    """The correct samples of some chunks: how many are in each interval, and the smallest there.

    Cell ``j`` with k certainties of wrong samples has k + 1 intervals, from ``starts[j] + j`` on.
    Where only few of all ``n_intervals`` have samples, ``intervals`` lists them, in any order; None
    stands for all.
    """

    n_intervals: int
    intervals: NDArray[np.int64] | None
    counts: NDArray[np.int64]
    smallest: NDArray[np.float64]


class _Chunk(NamedTuple):
    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    labels: Array
    codes: Array

    def by_cell(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return the ascending certainties of the wrong and the correct samples of each cell."""
        if not len(self.labels):
            return []
        columns = self.certainty, self.correct, self.codes
        return split_by_cell(*sort_by_cell(*columns, len(self.labels)))


def checked_chunk(certainty: Any, correct: Any, cells: Any) -> _Chunk:
    """Return a chunk as arrays; one without samples has no cells."""
    check_same_length(certainty=certainty, correct=correct, cells=cells)
    if not len(certainty):
        no_codes = np.zeros(0, dtype=np.uint8)
        return _Chunk(np.zeros(0), no_codes.astype(bool), no_codes.astype(np.int64), no_codes)
    certainty = check_real_vector("certainty", certainty)
    correct = check_boolean_vector("correct", correct)
    return _Chunk(certainty, correct, *encode_cells(cells, n_samples=len(certainty)))


def gather_errors(certainty: Any, correct: Any, cells: Any = None) -> Errors:
    """Return the wrong samples of a chunk."""
    chunk = checked_chunk(certainty, correct, cells)
    wrong = ~chunk.correct
    groups = _group(chunk.codes[wrong], chunk.certainty[wrong], None, len(chunk.labels))
    return Errors(chunk.labels, *groups, len(chunk.certainty))


def _group(
    codes: Array, values: NDArray[np.float64], counts: Array | None, n_cells: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Sort values within cells, and group those that are equal."""
    order = np.lexsort((values, codes))
    codes, values = codes[order], values[order]
    is_first = np.ones(len(values), dtype=bool)
    is_first[1:] = (values[1:] != values[:-1]) | (codes[1:] != codes[:-1])
    firsts = np.flatnonzero(is_first)
    if counts is None:
        sizes = np.diff(np.append(firsts, len(values)))
    else:
        sizes = np.add.reduceat(counts[order], firsts) if len(firsts) else counts[:0]
    n_values = np.bincount(codes[firsts], minlength=n_cells)
    return np.append(0, np.cumsum(n_values)), values[firsts], sizes.astype(np.int64)


def merge_errors(parts: Sequence[Errors]) -> Errors:
    """Return the wrong samples of all chunks."""
    parts = [part for part in parts if part.n_samples] or parts[:1]
    labels = merge_labels("cells", [part.labels for part in parts])
    codes = [
        np.repeat(np.searchsorted(labels, part.labels), np.diff(part.starts)) for part in parts
    ]
    groups = _group(
        np.concatenate(codes),
        np.concatenate([part.certainties for part in parts]),
        np.concatenate([part.counts for part in parts]),
        len(labels),
    )
    return Errors(labels, *groups, sum(part.n_samples for part in parts))


def count_correct(errors: Errors, certainty: Any, correct: Any, cells: Any = None) -> CorrectCounts:
    """Return the correct samples of a chunk between the wrong ones of all chunks."""
    chunk = checked_chunk(certainty, correct, cells)
    cells_of_all = np.searchsorted(errors.labels, chunk.labels).tolist()
    counted = [
        _count_in_cell(errors, cell, values)
        for cell, (_, values) in zip(cells_of_all, chunk.by_cell(), strict=True)
    ]
    nothing = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
    intervals, counts, smallest = map(np.concatenate, zip(nothing, *counted, strict=True))
    n_intervals = len(errors.certainties) + len(errors.labels)
    sparse = CorrectCounts(n_intervals, intervals, counts, smallest)
    return sparse if len(intervals) < SPARSE_SHARE * n_intervals else _dense([sparse])


def _count_in_cell(
    errors: Errors, cell: int, correct: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the intervals of a cell that have correct samples, how many, and the smallest.

    The shorter of two ascending lists is looked up in the longer.
    """
    start, stop = int(errors.starts[cell]), int(errors.starts[cell + 1])
    wrong = errors.certainties[start:stop]
    if len(correct) < len(wrong):
        intervals = np.searchsorted(wrong, correct, side="left")
        firsts = np.flatnonzero(np.diff(intervals, prepend=-1))
        counts = np.diff(firsts, append=len(correct))
        return intervals[firsts] + start + cell, counts, correct[firsts]
    ends = np.searchsorted(correct, wrong, side="right")
    begins, ends = np.append(0, ends), np.append(ends, len(correct))
    has_samples = ends > begins
    begins, ends = begins[has_samples], ends[has_samples]
    return np.flatnonzero(has_samples) + start + cell, ends - begins, correct[begins]


def _dense(parts: Sequence[CorrectCounts]) -> CorrectCounts:
    """Return the correct samples of all chunks, for all intervals."""
    counts = np.zeros(parts[0].n_intervals, dtype=np.int64)
    smallest = np.full(parts[0].n_intervals, np.inf)
    for part in parts:
        own = slice(None) if part.intervals is None else part.intervals
        counts[own] += part.counts
        smallest[own] = np.minimum(smallest[own], part.smallest)
    return CorrectCounts(parts[0].n_intervals, None, counts, smallest)


def merge_correct(parts: Sequence[CorrectCounts]) -> CorrectCounts:
    """Return the correct samples of all chunks."""
    sparse = [part.intervals for part in parts if part.intervals is not None]
    if len(sparse) < len(parts) or sum(map(len, sparse)) >= SPARSE_SHARE * parts[0].n_intervals:
        return _dense(parts)
    intervals = np.concatenate(sparse)
    order = np.argsort(intervals, kind="stable")
    intervals = intervals[order]
    firsts = np.flatnonzero(np.diff(intervals, prepend=-1))
    if not len(firsts):
        return parts[0]
    counts = np.concatenate([part.counts for part in parts])[order]
    smallest = np.concatenate([part.smallest for part in parts])[order]
    return CorrectCounts(
        parts[0].n_intervals,
        intervals[firsts],
        np.add.reduceat(counts, firsts),
        np.minimum.reduceat(smallest, firsts),
    )


def join_counts(errors: Errors, correct: CorrectCounts) -> Staircases:
    """Return the staircases of all cells."""
    if not errors.n_samples:
        raise InputError("certainty must hold at least one sample, got 0")
    correct = _dense([correct])
    values, sizes = errors.certainties, np.diff(errors.starts)
    cell = np.repeat(np.arange(len(sizes)), sizes)
    own = np.arange(len(values)) + cell  # the interval that ends at each value
    true_rejects = np.append(0, np.cumsum(errors.counts))
    false_rejects = np.append(0, np.cumsum(correct.counts))
    is_last = np.append(cell[1:] != cell[:-1], True)[: len(cell)]  # of its cell
    next_wrong = np.where(is_last, np.inf, np.append(values[1:], np.inf)[: len(cell)])
    first = errors.starts[:-1][cell]
    is_step = values < np.inf  # a wrong sample of certainty inf is below no threshold
    return Staircases.of_steps(
        errors.labels,
        cell[is_step],
        (true_rejects[1:] - true_rejects[first])[is_step],
        (false_rejects[own + 1] - false_rejects[first + cell])[is_step],
        np.minimum(next_wrong, correct.smallest[own + 1])[is_step],
        errors.n_samples,
        int(errors.counts.sum()),
    )
