"""How do samples that lie in chunks, wherever they are, become staircases?

Only wrong samples make steps. A first pass gathers of each chunk the certainties of its wrong
samples, cell by cell; merged, they are the values v₁ < … < v_k at which a cell can step. A second
pass hands them to every chunk, which counts its right samples in each of the intervals

    (−∞, v₁], (v₁, v₂], …, (v_k, ∞)

and keeps the smallest of each. Counts add up, and the smallest of all is the smallest of the
smallest, so that chunks are merged in any order. With c_i right samples in interval i and s_i the
smallest of them, the step at v_i loses c₁ + … + c_i of them at the threshold min(v_{i+1}, s_{i+1}).

What leaves a chunk grows with the errors, not with the samples; and where the errors of all chunks
are more than its samples, with these, for it then names the intervals that it has samples in.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import (
    InputError,
    check_boolean_vector,
    check_real_vector,
    check_same_length,
    merge_labels,
)
from abstain.fronts.staircases import Staircases, encode_cells, sorted_by_cell

__all__ = [
    "Errors",
    "RightOnes",
    "checked_chunk",
    "count_right",
    "gather_errors",
    "join",
    "merge_errors",
    "merge_right",
]

Array = NDArray[Any]


class Errors(NamedTuple):
    """The wrong samples of some chunks.

    The distinct certainties of cell ``j`` are those from ``starts[j]`` up to ``starts[j + 1]``, and
    ascend; so many wrong samples have each. Cells without any are there too.
    """

    labels: Array
    starts: NDArray[np.int64]
    certainties: NDArray[np.float64]
    counts: NDArray[np.int64]
    n_samples: int

    @property
    def n_errors(self) -> int:
        """Number of wrong samples."""
        return int(self.counts.sum())


class RightOnes(NamedTuple):
    """The right samples of some chunks: how many are in each interval, and the smallest there.

    Cell ``j`` with k certainties of wrong samples has k + 1 intervals, from ``starts[j] + j`` on.
    Of ``n_intervals`` in all, those that have samples are named where they are few, in any order;
    None stands for all.
    """

    n_intervals: int
    named: NDArray[np.int64] | None
    counts: NDArray[np.int64]
    smallest: NDArray[np.float64]


# Naming an interval takes half as much again as what is told of it.
FEW = 0.5


class _Chunk(NamedTuple):
    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    labels: Array
    codes: Array


def checked_chunk(certainty: Any, correct: Any, cells: Any) -> _Chunk | None:
    """Return a chunk as arrays; None of one without samples."""
    check_same_length(certainty=certainty, correct=correct, cells=cells)
    if not len(certainty):
        return None
    certainty = check_real_vector("certainty", certainty)
    correct = check_boolean_vector("correct", correct)
    return _Chunk(certainty, correct, *encode_cells(cells, n_samples=len(certainty)))


def gather_errors(certainty: Any, correct: Any, cells: Any = None) -> Errors:
    """Return the wrong samples of a chunk."""
    chunk = checked_chunk(certainty, correct, cells)
    if chunk is None:
        nothing = np.zeros(0, dtype=np.int64)
        return Errors(nothing, np.zeros(1, dtype=np.int64), np.zeros(0), nothing, 0)
    wrong = ~chunk.correct
    found = _grouped(chunk.codes[wrong], chunk.certainty[wrong], None, len(chunk.labels))
    return Errors(chunk.labels, *found, len(chunk.certainty))


def _grouped(
    codes: Array, values: NDArray[np.float64], counts: Array | None, n_cells: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Sort values within cells, and make one of those that are equal."""
    order = np.lexsort((values, codes))
    codes, values = codes[order], values[order]
    is_first = np.ones(len(values), dtype=bool)
    is_first[1:] = (values[1:] != values[:-1]) | (codes[1:] != codes[:-1])
    firsts = np.flatnonzero(is_first)
    if counts is None:
        sizes = np.diff(np.append(firsts, len(values)))
    else:
        sizes = np.add.reduceat(counts[order], firsts) if len(firsts) else counts[:0]
    of_cells = np.bincount(codes[firsts], minlength=n_cells)
    return np.append(0, np.cumsum(of_cells)), values[firsts], sizes.astype(np.int64)


def merge_errors(parts: Sequence[Errors]) -> Errors:
    """Return the wrong samples of all chunks."""
    # One without samples does not tell what kind of labels there are.
    parts = [part for part in parts if part.n_samples] or parts[:1]
    labels = merge_labels("cells", [part.labels for part in parts])
    codes = [
        np.repeat(np.searchsorted(labels, part.labels), np.diff(part.starts)) for part in parts
    ]
    found = _grouped(
        np.concatenate(codes),
        np.concatenate([part.certainties for part in parts]),
        np.concatenate([part.counts for part in parts]),
        len(labels),
    )
    return Errors(labels, *found, sum(part.n_samples for part in parts))


def count_right(errors: Errors, certainty: Any, correct: Any, cells: Any = None) -> RightOnes:
    """Return the right samples of a chunk between the wrong ones of all chunks."""
    chunk = checked_chunk(certainty, correct, cells)
    n_intervals = len(errors.certainties) + len(errors.labels)
    if chunk is None:
        nothing = np.zeros(0, dtype=np.int64)
        return RightOnes(n_intervals, nothing, nothing, np.zeros(0))
    of_chunk = np.searchsorted(errors.labels, chunk.labels)
    sorted_ones = sorted_by_cell(chunk.certainty, chunk.correct, chunk.codes, len(chunk.labels))
    found = [
        _of_cell(errors, cell, right)
        for cell, (_, right) in zip(of_chunk.tolist(), sorted_ones, strict=True)
    ]
    named, counts, smallest = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return _compact(RightOnes(n_intervals, named, counts, smallest))


def _of_cell(
    errors: Errors, cell: int, right: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the intervals of a cell that have right samples, how many, and the smallest.

    The shorter of two ascending lists is looked up in the longer.
    """
    start, stop = int(errors.starts[cell]), int(errors.starts[cell + 1])
    wrong = errors.certainties[start:stop]
    if len(right) < len(wrong):
        intervals = np.searchsorted(wrong, right, side="left")
        firsts = np.flatnonzero(np.diff(intervals, prepend=-1))
        counts = np.diff(firsts, append=len(right))
        return intervals[firsts] + start + cell, counts, right[firsts]
    ends = np.searchsorted(right, wrong, side="right")
    begins, ends = np.append(0, ends), np.append(ends, len(right))
    is_there = ends > begins
    begins, ends = begins[is_there], ends[is_there]
    return np.flatnonzero(is_there) + start + cell, ends - begins, right[begins]


def _compact(right: RightOnes) -> RightOnes:
    """Name no intervals where nearly all have samples."""
    if right.named is None or len(right.named) < FEW * right.n_intervals:
        return right
    return _spread([right])


def _spread(parts: Sequence[RightOnes]) -> RightOnes:
    """Return the right samples of all chunks, for all intervals."""
    counts = np.zeros(parts[0].n_intervals, dtype=np.int64)
    smallest = np.full(parts[0].n_intervals, np.inf)
    for part in parts:
        there = slice(None) if part.named is None else part.named
        counts[there] += part.counts
        smallest[there] = np.minimum(smallest[there], part.smallest)
    return RightOnes(parts[0].n_intervals, None, counts, smallest)


def merge_right(parts: Sequence[RightOnes]) -> RightOnes:
    """Return the right samples of all chunks."""
    named = [part.named for part in parts if part.named is not None]
    n_named = sum(map(len, named))
    if len(named) < len(parts) or n_named >= FEW * parts[0].n_intervals:
        return _spread(parts)
    every = np.concatenate(named)
    order = np.argsort(every, kind="stable")
    every = every[order]
    firsts = np.flatnonzero(np.diff(every, prepend=-1))
    if not len(firsts):
        return parts[0]
    counts = np.concatenate([part.counts for part in parts])[order]
    smallest = np.concatenate([part.smallest for part in parts])[order]
    return RightOnes(
        parts[0].n_intervals,
        every[firsts],
        np.add.reduceat(counts, firsts),
        np.minimum.reduceat(smallest, firsts),
    )


def join(errors: Errors, right: RightOnes) -> Staircases:
    """Return the staircases of all cells."""
    if not errors.n_samples:
        raise InputError("certainty must hold at least one sample, got 0")
    right = _spread([right])
    steps = []
    for cell in range(len(errors.labels)):
        start, stop = int(errors.starts[cell]), int(errors.starts[cell + 1])
        values = errors.certainties[start:stop]
        own = slice(start + cell, stop + cell + 1)
        lost, smallest = np.cumsum(right.counts[own])[:-1], right.smallest[own][1:]
        caught = np.cumsum(errors.counts[start:stop])
        thresholds = np.minimum(np.append(values[1:], np.inf)[: len(values)], smallest)
        n_steps = len(values) - int(len(values) > 0 and values[-1] == np.inf)  # below no threshold
        steps.append(
            (
                np.append(0, caught[:n_steps]),
                np.append(0, lost[:n_steps]),
                np.append(-np.inf, thresholds[:n_steps]) + 0.0,  # −0 is 0
            )
        )
    true_rejects, false_rejects, thresholds = (
        np.concatenate(part) for part in zip(*steps, strict=True)
    )
    return Staircases(
        cells=errors.labels,
        starts=np.cumsum([0, *(len(step[0]) for step in steps)]),
        true_rejects=true_rejects,
        false_rejects=false_rejects,
        thresholds=thresholds,
        n_samples=errors.n_samples,
        n_errors=errors.n_errors,
    )
