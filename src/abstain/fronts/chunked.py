"""How do samples that lie in chunks, wherever they are, become staircases?

Only wrong samples make steps. A first pass gathers of each chunk the certainties of its wrong
samples, cell by cell; merged, they are the values v₁ < … < v_k at which a cell can step. A second
pass hands them to every chunk, which counts its right samples in each of the intervals

    (−∞, v₁], (v₁, v₂], …, (v_k, ∞)

and keeps the smallest of each. Counts add up, and the smallest of all is the smallest of the
smallest, so that chunks are merged in any order. With c_i right samples in interval i and s_i the
smallest of them, the step at v_i loses c₁ + … + c_i of them at the threshold min(v_{i+1}, s_{i+1}).

What leaves a chunk grows with the errors, not with the samples.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._checks import (
    InputError,
    check_boolean_vector,
    check_real_vector,
    check_same_length,
)
from abstain.fronts.encoding import encode_cells
from abstain.fronts.staircases import Staircases, sorted_by_cell

__all__ = [
    "Errors",
    "RightOnes",
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
    """

    counts: NDArray[np.int64]
    smallest: NDArray[np.float64]


class _Chunk(NamedTuple):
    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    labels: Array
    codes: Array


def _checked(certainty: Any, correct: Any, cells: Any) -> _Chunk | None:
    """Return a chunk as arrays; None of one without samples."""
    check_same_length(certainty=certainty, correct=correct, cells=cells)
    if not len(certainty):
        return None
    certainty = check_real_vector("certainty", certainty)
    correct = check_boolean_vector("correct", correct)
    return _Chunk(certainty, correct, *encode_cells(cells, n_samples=len(certainty)))


def gather_errors(certainty: Any, correct: Any, cells: Any = None) -> Errors:
    """Return the wrong samples of a chunk."""
    chunk = _checked(certainty, correct, cells)
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
    try:
        labels = np.unique(np.concatenate([part.labels for part in parts]))
    except TypeError as error:  # labels of kinds that have no common order
        raise InputError(f"cells must be labels of one kind, got a mixture ({error})") from None
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
    chunk = _checked(certainty, correct, cells)
    n_intervals = len(errors.certainties) + len(errors.labels)
    counts = np.zeros(n_intervals, dtype=np.int64)
    smallest = np.full(n_intervals, np.inf)
    if chunk is None:
        return RightOnes(counts, smallest)
    of_chunk = np.searchsorted(errors.labels, chunk.labels)
    sorted_ones = sorted_by_cell(chunk.certainty, chunk.correct, chunk.codes, len(chunk.labels))
    for cell, (_, right) in zip(of_chunk.tolist(), sorted_ones, strict=True):
        start, stop = int(errors.starts[cell]), int(errors.starts[cell + 1])
        ends = np.searchsorted(right, errors.certainties[start:stop], side="right")
        begins, ends = np.append(0, ends), np.append(ends, len(right))
        own = slice(start + cell, stop + cell + 1)
        counts[own] = ends - begins
        is_there = ends > begins
        smallest[own][is_there] = right[begins[is_there]]
    return RightOnes(counts, smallest)


def merge_right(parts: Sequence[RightOnes]) -> RightOnes:
    """Return the right samples of all chunks."""
    counts, smallest = parts[0].counts.copy(), parts[0].smallest.copy()
    for part in parts[1:]:
        counts += part.counts
        np.minimum(smallest, part.smallest, out=smallest)
    return RightOnes(counts, smallest)


def join(errors: Errors, right: RightOnes) -> Staircases:
    """Return the staircases of all cells."""
    if not errors.n_samples:
        raise InputError("certainty must hold at least one sample, got 0")
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
