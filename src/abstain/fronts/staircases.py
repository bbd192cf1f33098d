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

from collections.abc import Iterator
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

# True rejects, false rejects and thresholds of the steps of a cell.
Steps = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]

# Samples that are looked at before the others.
PART = 1 << 16


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
    def of_cells(
        cls,
        cells: NDArray[Any],
        steps: list[Steps],
        n_samples: int,
        n_errors: int,
        unit: float = 1,
    ) -> Self:
        """Concatenate the steps of each cell."""
        starts = np.cumsum([0, *(len(true_rejects) for true_rejects, _, _ in steps)])
        true_rejects, false_rejects, thresholds = map(np.concatenate, zip(*steps, strict=True))
        counts = true_rejects, false_rejects, thresholds, n_samples, n_errors
        return cls(cells, starts, *counts, unit)

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
        contents = [
            (self.true_rejects[own].tobytes(), self.false_rejects[own].tobytes())
            for own in self.cell_slices()
        ]
        ranks = {content: rank for rank, content in enumerate(sorted(set(contents)))}
        return np.array([ranks[content] for content in contents])


def build_staircases(
    certainty: ArrayLike, correct: ArrayLike, cells: ArrayLike | None = None
) -> Staircases:
    """Check the three aligned arrays and return one staircase per cell."""
    certainty = check_real_vector("certainty", certainty)
    correct = check_boolean_vector("correct", correct)
    check_same_length(certainty=certainty, correct=correct)
    labels, codes = encode_cells(cells, n_samples=len(certainty))
    steps = [
        _cell_steps(wrong, right)
        for wrong, right in sorted_by_cell(certainty, correct, codes, len(labels))
    ]
    n_errors = len(correct) - int(np.count_nonzero(correct))
    return Staircases.of_cells(labels, steps, len(certainty), n_errors)


def build_weighted_staircases(samples: WeightedSamples) -> Staircases:
    """Return the staircases of samples that are repeated as often as their weights say."""
    labels, codes = encode_cells(samples.cells, n_samples=len(samples.certainty))
    steps = []
    for code in range(len(labels)):
        own = np.flatnonzero(codes == code)
        own = own[np.argsort(samples.certainty[own], kind="stable")]
        wrong = np.where(samples.correct[own], 0, samples.counts[own])
        steps.append(_weighted_steps(samples.certainty[own], wrong, samples.counts[own] - wrong))
    n_errors = int(samples.counts[~samples.correct].sum())
    return Staircases.of_cells(labels, steps, int(samples.counts.sum()), n_errors, samples.unit)


def _weighted_steps(
    certainty: NDArray[np.float64], wrong: NDArray[np.int64], right: NDArray[np.int64]
) -> Steps:
    """Return the steps of one cell, given its sorted certainties and their weights."""
    is_last = np.append(certainty[1:] != certainty[:-1], True)
    ends = np.flatnonzero(is_last & (certainty < np.inf))  # which no threshold rejects
    true_rejects = np.cumsum(wrong)[ends]
    is_step = np.diff(true_rejects, prepend=0) > 0
    following = np.append(certainty, np.inf)[ends + 1]
    return (
        np.append(0, true_rejects[is_step]),
        np.append(0, np.cumsum(right)[ends][is_step]),
        np.append(-np.inf, following[is_step]) + 0.0,  # −0 becomes 0
    )


def sorted_by_cell(
    certainty: NDArray[np.float64],
    correct: NDArray[np.bool_],
    codes: NDArray[np.unsignedinteger[Any]],
    n_cells: int,
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the sorted certainties of the wrong and of the right samples of each cell.

    A stable sort of small integer keys followed by a sort within each part takes about as long as
    one `argsort` of the certainties: NumPy uses radix sort for 16-bit integers and vector
    instructions to sort values without their indices.
    """
    keys = codes_with_correctness(codes, correct, n_cells)
    values = certainty[np.argsort(keys, kind="stable")]
    ends = np.cumsum(np.bincount(keys, minlength=2 * n_cells))
    parts = np.split(values, ends[:-1])
    for wrong, right in zip(parts[::2], parts[1::2], strict=True):
        wrong.sort()
        right.sort()
        yield wrong, right


def codes_with_correctness(
    codes: NDArray[np.unsignedinteger[Any]], correct: NDArray[np.bool_], n_cells: int
) -> NDArray[np.unsignedinteger[Any]]:
    """Return 2 · code + correct for each sample, in the smallest type that holds it."""
    keys = codes.astype(_smallest_unsigned(2 * n_cells))
    keys *= 2
    keys += correct
    return keys


def _cell_steps(wrong: NDArray[np.float64], right: NDArray[np.float64]) -> Steps:
    """Return the steps of one cell, given its sorted wrong and right certainties."""
    group_ends = np.flatnonzero(np.append(wrong[1:] != wrong[:-1], True)[: len(wrong)]) + 1
    values = wrong[group_ends - 1]
    next_wrong = np.append(values[1:], np.inf)[: len(values)]
    if len(values) and values[-1] == np.inf:  # below no threshold
        values, next_wrong, group_ends = values[:-1], next_wrong[:-1], group_ends[:-1]
    false_rejects = np.searchsorted(right, values, side="right")
    next_right = np.append(right, np.inf)[false_rejects]
    return (
        np.append(0, group_ends),
        np.append(0, false_rejects),
        np.append(-np.inf, np.minimum(next_wrong, next_right)) + 0.0,  # −0 becomes 0
    )


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
