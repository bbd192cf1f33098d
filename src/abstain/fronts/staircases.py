"""How many false and true rejects can each cell have, and at which thresholds?

Within one cell, raising the threshold past the sorted certainties rejects more and more samples.
Only the thresholds just above a wrong sample matter: any other threshold rejects additional correct
samples without rejecting another wrong one. The *staircase* of cell j is the list of steps

    (true rejects e, false rejects l(e), threshold θ(e)),

one for every number e of wrong samples that a threshold can separate, with l(e) the number of
correct samples at or below the e-th smallest wrong certainty and θ(e) the next larger distinct
certainty of the cell (+inf if there is none). Samples with equal certainty are rejected together:
tied wrong samples are one step, which also rejects the correct samples tied with them. The first
step of every cell rejects nothing: (0, 0, -inf).

A sample of certainty +inf is below no threshold and is never rejected.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import (
    as_labels,
    check_boolean_vector,
    check_real_vector,
    check_same_length,
    is_missing,
)
from abstain._core.errors import InputError
from abstain.fronts.weights import WeightedSamples

# Samples that are looked at before the others.
PART = 1 << 16
# Cells with fewer samples than this, on average, are sorted all at once.
SHORT = 100
# Of a hash, whose bits they mix.
_ODD = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Staircases:
    """The staircases of all cells, concatenated.

    The steps of cell ``j`` are those from ``starts[j]`` up to ``starts[j + 1]``; in each cell
    ``true_rejects`` strictly increases and ``false_rejects`` does not decrease. With weights, all
    counts are sums of weights in units of ``unit``.
    """

    cells: NDArray[Any]
    starts: NDArray[np.int64]
    true_rejects: NDArray[np.int64]
    false_rejects: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    n_samples: int
    n_errors: int
    unit: float = 1

    @classmethod
    def of_steps(
        cls,
        cells: NDArray[Any],
        cell_of_step: NDArray[np.integer[Any]],
        true_rejects: NDArray[np.int64],
        false_rejects: NDArray[np.int64],
        thresholds: NDArray[np.float64],
        n_samples: int,
        n_errors: int,
        unit: float = 1,
    ) -> Self:
        """Put the step that rejects nothing before the steps of each cell, given cell by cell."""
        n_steps = np.bincount(cell_of_step, minlength=len(cells)) + 1
        positions = np.arange(len(cell_of_step)) + cell_of_step + 1
        true, false = np.zeros((2, len(cells) + len(cell_of_step)), dtype=np.int64)
        true[positions], false[positions] = true_rejects, false_rejects
        limits = np.full(len(true), -np.inf)
        limits[positions] = thresholds + 0.0  # −0 becomes 0
        starts = np.append(0, np.cumsum(n_steps))
        return cls(cells, starts, true, false, limits, n_samples, n_errors, unit)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.cells)

    @property
    def first_steps(self) -> NDArray[np.int64]:
        """Position of each cell's step that rejects nothing."""
        return self.starts[:-1]

    @property
    def last_steps(self) -> NDArray[np.int64]:
        """Position of each cell's step that rejects every wrong sample it can."""
        return self.starts[1:] - 1

    def cell_slices(self) -> list[slice]:
        """Return the slice of the steps of each cell."""
        return [slice(start, stop) for start, stop in pairwise(self.starts.tolist())]

    @cached_property
    def content_rank(self) -> NDArray[np.int64]:
        """Rank of each cell by its steps, so that ties do not depend on the names of cells."""
        # Equal contents, of which small cells have many, are found by a hash, and compared once.
        words = self.true_rejects.astype(np.uint64) * _ODD[0]
        words ^= self.false_rejects.astype(np.uint64) * _ODD[1]
        words = (words ^ (words >> np.uint64(32))) * _ODD[2]
        hashes = np.add.reduceat(words ^ (words >> np.uint64(29)), self.first_steps)
        _, examples, group = np.unique(hashes, return_index=True, return_inverse=True)
        slices = [slice(*self.starts[cell : cell + 2]) for cell in examples.tolist()]
        contents = [
            (self.true_rejects[own].tobytes(), self.false_rejects[own].tobytes()) for own in slices
        ]
        ranks = np.empty(len(contents), dtype=np.int64)
        ranks[sorted(range(len(contents)), key=contents.__getitem__)] = np.arange(len(contents))
        return ranks[group]


def build_staircases(
    certainty: ArrayLike, correct: ArrayLike, cells: ArrayLike | None = None
) -> Staircases:
    """Check the three aligned arrays and return one staircase per cell."""
    certainty = check_real_vector("certainty", certainty)
    correct = check_boolean_vector("correct", correct)
    check_same_length(certainty=certainty, correct=correct)
    labels, codes = encode_cells(cells, n_samples=len(certainty))
    if len(certainty) < SHORT * len(labels):
        return _staircases_of_samples(certainty, ~correct, correct, labels, codes)
    values, starts = sort_by_cell(certainty, correct, codes, len(labels))
    parts = split_by_cell(values, starts)
    wrong = np.concatenate([wrong for wrong, _ in parts])
    below = np.concatenate([np.searchsorted(right, wrong, side="right") for wrong, right in parts])

    n_wrong = np.diff(starts)[::2]
    cell = np.repeat(np.arange(len(labels)), n_wrong)
    is_last = np.append(cell[1:] != cell[:-1], True)[: len(cell)]  # of its cell
    next_wrong = np.where(is_last, np.inf, np.append(wrong[1:], np.inf)[: len(cell)])
    right = starts[1::2][cell] + below
    has_right = right < starts[2::2][cell]
    next_right = np.where(has_right, values[np.minimum(right, len(values) - 1)], np.inf)
    # Tied wrong samples are one step; one of certainty inf is below no threshold.
    is_step = (is_last | (next_wrong != wrong)) & (wrong < np.inf)
    true_rejects = np.arange(1, len(cell) + 1) - (np.cumsum(n_wrong) - n_wrong)[cell]
    return Staircases.of_steps(
        labels,
        cell[is_step],
        true_rejects[is_step],
        below[is_step],
        np.minimum(next_wrong, next_right)[is_step],
        len(certainty),
        len(wrong),
    )


def build_weighted_staircases(samples: WeightedSamples) -> Staircases:
    """Return the staircases of samples that are repeated as often as their weights say."""
    labels, codes = encode_cells(samples.cells, n_samples=len(samples.certainty))
    wrong = np.where(samples.correct, 0, samples.counts)
    right = samples.counts - wrong
    return _staircases_of_samples(samples.certainty, wrong, right, labels, codes, samples.unit)


def _staircases_of_samples(
    certainty: NDArray[np.float64],
    wrong: NDArray[np.bool_] | NDArray[np.int64],
    right: NDArray[np.bool_] | NDArray[np.int64],
    labels: NDArray[Any],
    codes: NDArray[np.unsignedinteger[Any]],
    unit: float = 1,
) -> Staircases:
    """Return the staircases of samples that count as so many wrong and so many right ones.

    All cells are sorted at once, which is faster than one by one if they have few samples.
    """
    order = np.argsort(certainty)
    order = order[_stable_order(codes[order])]
    certainty, cell = certainty[order], codes[order]
    true_rejects = np.cumsum(wrong[order], dtype=np.int64)
    false_rejects = np.cumsum(right[order], dtype=np.int64)
    is_last = np.append(cell[1:] != cell[:-1], True)  # of its cell
    following = np.where(is_last, np.inf, np.append(certainty[1:], np.inf))
    ends = np.flatnonzero(is_last | (following != certainty))  # of samples of equal certainty
    has_wrong = np.diff(true_rejects[ends], prepend=0) > 0
    steps = ends[has_wrong & (certainty[ends] < np.inf)]  # which no threshold rejects
    true_before, false_before = (  # in the cells before
        np.append(0, counts[is_last][:-1])[cell[steps]] for counts in (true_rejects, false_rejects)
    )
    return Staircases.of_steps(
        labels,
        cell[steps],
        true_rejects[steps] - true_before,
        false_rejects[steps] - false_before,
        following[steps],
        int(true_rejects[-1] + false_rejects[-1]),
        int(true_rejects[-1]),
        unit,
    )


def sort_by_cell(
    certainty: NDArray[np.float64],
    correct: NDArray[np.bool_],
    codes: NDArray[np.unsignedinteger[Any]],
    n_cells: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the certainties of the wrong samples of the first cell, of its right ones, and so on.

    Each of these parts is sorted; the second array says where each of them starts, and its last
    entry where they end. A stable sort of small integer keys followed by a sort within each part
    takes about as long as one `argsort` of the certainties: NumPy uses radix sort for 16-bit
    integers and vector instructions to sort values without their indices.
    """
    keys = codes_with_correctness(codes, correct, n_cells)
    values = certainty[_stable_order(keys)]
    starts = np.append(0, np.cumsum(np.bincount(keys, minlength=2 * n_cells)))
    for start, end in pairwise(starts.tolist()):
        values[start:end].sort()
    return values, starts


def split_by_cell(
    values: NDArray[np.float64], starts: NDArray[np.int64]
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return the certainties of the wrong and of the right samples of each cell."""
    ends = zip(starts[:-1:2].tolist(), starts[1::2].tolist(), starts[2::2].tolist(), strict=True)
    return [(values[start:middle], values[middle:end]) for start, middle, end in ends]


def _stable_order(codes: NDArray[np.unsignedinteger[Any]]) -> NDArray[np.int64]:
    """Return what sorts codes of at most 32 bits, by radix, 16 bits at a time."""
    if codes.itemsize <= 2:
        return np.argsort(codes, kind="stable")
    order = np.argsort(codes.astype(np.uint16), kind="stable")
    return order[np.argsort((codes >> 16).astype(np.uint16)[order], kind="stable")]


def codes_with_correctness(
    codes: NDArray[np.unsignedinteger[Any]], correct: NDArray[np.bool_], n_cells: int
) -> NDArray[np.unsignedinteger[Any]]:
    """Return 2 · code + correct for each sample, in the smallest type that holds it."""
    keys = codes.astype(_smallest_unsigned(2 * n_cells))
    keys *= 2
    keys += correct
    return keys


def encode_cells(
    cells: ArrayLike | None, n_samples: int
) -> tuple[NDArray[Any], NDArray[np.unsignedinteger[Any]]]:
    """Return the sorted distinct labels and the index of each sample's label among them.

    ``None`` is one global cell, labelled 0.
    """
    if cells is None:
        return np.zeros(1, dtype=np.int64), np.zeros(n_samples, dtype=np.uint8)
    labels = as_labels("cells", cells)
    check_same_length(certainty=range(n_samples), cells=labels)
    labels = _check_labels(labels)
    # Counting is faster than sorting for integers within a range no wider than the samples.
    if labels.dtype.kind in "iu":
        low, high = int(labels.min()), int(labels.max())
        if high - low < max(len(labels), 1 << 16):
            return _encode_by_counting(labels, low, high)
    try:
        distinct, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:  # labels of kinds that have no common order
        raise InputError(
            argument="cells", requirement="must be labels of one kind", got=f"a mixture ({error})"
        ) from None
    return distinct, codes.astype(_smallest_unsigned(len(distinct)))


def _check_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Refuse missing and fractional labels; return floats without a fraction as integers."""
    if labels.dtype.kind == "f":
        fractional = ~np.isfinite(labels) | (labels != np.floor(labels))
        if fractional.any():
            index = int(fractional.argmax())
            value = float(labels[index])
            requirement = "hold no missing value" if np.isnan(value) else "be integers or labels"
            raise _invalid_label(value, requirement, index)
        if np.abs(labels).max() < 2.0**63:
            return labels.astype(np.int64)
    elif labels.dtype.kind == "O":
        for index, label in enumerate(labels.tolist()):
            if is_missing(label):
                raise _invalid_label(label, "hold no missing value", index)
            if isinstance(label, float) and not label.is_integer():
                raise _invalid_label(label, "be integers or labels", index)
    elif labels.dtype.kind not in "biuUS":
        raise InputError(
            argument="cells",
            requirement="must be integers or labels",
            got=f"values of type {labels.dtype}",
        )
    return labels


def _invalid_label(label: Any, requirement: str, index: int) -> InputError:
    got = f"{label} at index {index}"
    return InputError(argument="cells", value=label, requirement=f"must {requirement}", got=got)


def _encode_by_counting(
    labels: NDArray[Any], low: int, high: int
) -> tuple[NDArray[Any], NDArray[np.unsignedinteger[Any]]]:
    n_values = high - low + 1
    codes = np.empty(len(labels), dtype=_smallest_unsigned(n_values))
    np.subtract(labels, labels.dtype.type(low), out=codes, casting="unsafe")
    used = _used_codes(codes, n_values)
    if len(used) < n_values:
        rank = np.zeros(n_values, dtype=_smallest_unsigned(len(used)))
        rank[used] = np.arange(len(used))
        codes = rank[codes]
    # Python integers, so that neither int8 nor uint64 labels wrap around.
    return np.array([low + code for code in used.tolist()], dtype=labels.dtype), codes


def _used_codes(codes: NDArray[np.unsignedinteger[Any]], n_values: int) -> NDArray[np.int64]:
    """Return the codes that occur; mostly the first samples have them all."""
    is_used = np.zeros(n_values, dtype=bool)
    size = max(PART, n_values)
    for start in range(0, len(codes), size):
        is_used |= np.bincount(codes[start : start + size], minlength=n_values) > 0
        if is_used.all():
            break
    return np.flatnonzero(is_used)


def _smallest_unsigned(n_values: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type for codes below ``n_values``: NumPy sorts 16 bits by radix."""
    if n_values <= 1 << 8:
        return np.uint8
    return np.uint16 if n_values <= 1 << 16 else np.uint32
