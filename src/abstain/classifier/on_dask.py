"""How are thresholds set on the samples of Dask collections?

A fitted classifier answers block by block, where the blocks are. Its answers stay there, three
arrays as on one machine; what comes to the client are sums: how many samples each cell has, and the
staircases of the front.

Samples that certify an accuracy are drawn by a seed and the number of their block, not by their
values. As many are held out as on one machine, and the same share of every block: with h of n in
all, ⌊h b / n⌋ − ⌊h a / n⌋ of a block whose rows go from a up to b. Of these samples the client
counts how many are right and wrong at each step of the front (see `held_out`), which certifies what
the samples themselves would.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state

from abstain._core.checks import check_same_length, merge_labels
from abstain._core.errors import InputError, shown
from abstain._scale.blocks import aligned_blocks
from abstain._scale.computing import persist, reduce_blocks
from abstain._scale.graphs import map_blocks, map_blocks_to_array
from abstain.certainty.cells import is_to_be_fitted
from abstain.certainty.measures import TRUST_OF_FROZEN, is_trust_to_be_fitted
from abstain.classifier.calibrate import Calibration
from abstain.classifier.evaluate import Rules, evaluate
from abstain.classifier.fit_checks import valid_labels
from abstain.classifier.own_cells import OwnCells
from abstain.fronts import ParetoFront, pareto_front
from abstain.fronts.held_out import (
    HeldOut,
    StepCounts,
    StepThresholds,
    count_by_step,
    merge_step_counts,
)
from abstain.fronts.staircases import encode_cells
from abstain.targets import Target
from abstain.targets.base import CertifyingTarget, certifies

Array = NDArray[Any]

# Classes that an error lists.
MAX_CLASSES = 5


class DaskCalibration(NamedTuple):
    """All that comes to the client."""

    own_cells: OwnCells
    front: ParetoFront
    held_out: HeldOut | None


class Answers(NamedTuple):
    """The answers of a classifier to the samples of a block; they stay where the block is."""

    calibration: Calibration
    n_known: int  # samples of a class that the classifier knows
    classes: list[Any]

    def take(self, rows: NDArray[np.int64]) -> Answers:
        """Return the answers to some of the samples."""
        certainty, correct, cells = self.calibration[:3]
        return self._replace(calibration=Calibration(certainty[rows], correct[rows], cells[rows]))


def check_for_dask(
    estimator: Any, rules: Rules, y: Any, given: Mapping[str, Any], class_prior: Any = None
) -> None:
    """Reject what would have to be fitted to the samples."""
    certainty, cells = rules.certainty, rules.cells
    if not isinstance(estimator, FrozenEstimator):
        raise InputError(
            f"estimator must be a FrozenEstimator to be calibrated on Dask collections, got a "
            f"{type(estimator).__name__}; fit it first, and wrap it in "
            "sklearn.frozen.FrozenEstimator"
        )
    if is_trust_to_be_fitted(certainty):
        raise InputError(TRUST_OF_FROZEN)
    if is_to_be_fitted(cells):
        raise InputError(
            f"cells must be a clusterer that is fitted already for Dask collections, got "
            f"{shown(cells)}; fit it to some of the samples first"
        )
    for name, value in given.items():
        if value is not None and name == "groups":
            raise InputError(
                "groups must not be given with Dask collections, of which only counts are kept; "
                "calibrate on a sample that fits into memory"
            )
        if value is not None:
            raise InputError(
                f"{name} must not be given with Dask collections: a FrozenEstimator is not fitted"
            )
    if class_prior is not None:
        raise InputError(
            argument="class_prior",
            value=class_prior,
            requirement="must be None for Dask collections, of which only counts are kept",
            remedy="calibrate on a sample that fits into memory",
        )
    if y is None:
        raise InputError("y must be a Dask array or series of classes, got None")


def calibrate_on_dask(
    estimator: Any,
    X: Any,
    y: Any,
    rules: Rules,
    *,
    min_cell_size: int,
    method: str,
    target: Target,
    test_size: Callable[[CertifyingTarget, int], float],
    random_state: Any,
) -> DaskCalibration:
    """Compute the front of a fitted classifier's answers to samples in blocks."""
    # The answers take little memory and long to compute.
    blocks = persist(map_blocks(_answer, aligned_blocks(X=X, y=y), estimator, rules))
    sizes = _sizes(blocks, np.asarray(estimator.classes_))
    n_samples, n_held, is_one_threshold = sum(sizes), None, False
    if certifies(target):
        share = test_size(target, n_samples)
        n_held, is_one_threshold = round(share * n_samples), share == 1
    if n_held == n_samples and not is_one_threshold:
        raise InputError(f"{target} leaves none of {n_held:,} samples to set thresholds on")
    held: list[Any] = list(blocks) if is_one_threshold else []
    if n_held is not None and not is_one_threshold:
        blocks, held = _shares(blocks, sizes, n_held, random_state)
        sizes = [size - n_out for size, n_out in zip(sizes, _counts(sizes, n_held), strict=True)]
    ones = [(block,) for block in blocks]
    certainty, correct = attrgetter("calibration.certainty"), attrgetter("calibration.correct")
    labels, counts = reduce_blocks(_add_cells, map_blocks(_count_cells, ones))
    own_cells = OwnCells(labels[:0] if is_one_threshold else labels[counts >= min_cell_size])
    chunks = tuple(sizes)
    front = pareto_front(
        map_blocks_to_array(certainty, ones, chunks=chunks, dtype=np.float64),
        map_blocks_to_array(correct, ones, chunks=chunks, dtype=np.bool_),
        map_blocks_to_array(_positions, ones, own_cells, chunks=chunks, dtype=np.int64),
        method=method,
    )
    held_out = None if n_held is None else _counted(held, own_cells, front)
    return DaskCalibration(own_cells, front, held_out)


def _answer(estimator: Any, rules: Rules, X: Any, y: Any) -> Answers:
    check_same_length(X=range(X.shape[0]), y=y)  # a sparse matrix has no length
    if not len(y):
        empty = Calibration(np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.int64))
        return Answers(empty, 0, [])
    labels = valid_labels(y)
    known = set(np.asarray(estimator.classes_).tolist())
    distinct, counts = np.unique(labels, return_counts=True)
    n_known = sum(
        count
        for label, count in zip(distinct.tolist(), counts.tolist(), strict=True)
        if label in known
    )
    evaluation = evaluate(estimator, X, rules)
    return Answers(
        Calibration(evaluation.certainty, evaluation.labels == labels, evaluation.cells),
        n_known,
        distinct[:MAX_CLASSES].tolist(),
    )


class _Summary(NamedTuple):
    sizes: list[int]
    n_known: int
    classes: list[Any]


def _sizes(blocks: list[Any], classes: Array) -> list[int]:
    """Return how many samples each block has, after a check that there are usable ones."""
    parts = map_blocks(_summarise, [(block,) for block in blocks])
    summary: _Summary = reduce_blocks(_merge_summaries, parts)
    if not sum(summary.sizes):
        raise InputError("X must hold at least one sample, got 0")
    if not summary.n_known:
        raise InputError(
            f"y must hold classes of the estimator ({classes.tolist()[:MAX_CLASSES]}), got none of "
            f"them but {summary.classes}"
        )
    return summary.sizes


def _summarise(answers: Answers) -> _Summary:
    return _Summary([len(answers.calibration.correct)], answers.n_known, answers.classes)


def _merge_summaries(parts: Sequence[_Summary]) -> _Summary:
    classes = {label for part in parts for label in part.classes}
    return _Summary(
        [size for part in parts for size in part.sizes],
        sum(part.n_known for part in parts),
        sorted(classes, key=lambda label: (type(label).__name__, label))[:MAX_CLASSES],
    )


def _positions(own_cells: OwnCells, answers: Answers) -> NDArray[np.int64]:
    return own_cells.positions(answers.calibration.cells)


# --- cells --------------------------------------------------------------------------------------


def _count_cells(answers: Answers) -> tuple[Array, NDArray[np.int64]]:
    cells = answers.calibration.cells
    if not len(cells):
        return cells, np.zeros(0, np.int64)
    labels, codes = encode_cells(cells, len(cells))
    return labels, np.bincount(codes)


def _add_cells(parts: Sequence[tuple[Array, NDArray[np.int64]]]) -> tuple[Array, Array]:
    labels = merge_labels("cells", [labels for labels, _ in parts])
    total = np.zeros(len(labels), np.int64)
    for own, counts in parts:
        if len(own):
            total[np.searchsorted(labels, own)] += counts
    return labels, total


# --- held-out samples ---------------------------------------------------------------------------


def _counts(sizes: Sequence[int], n_held: int) -> list[int]:
    """Return how many samples of each block are held out: n_held in all, spread evenly."""
    total = sum(sizes)
    # In integers: sums of a share lose digits.
    ends = [n_held * end // total for end in np.cumsum([0, *sizes]).tolist()]
    return [end - begin for begin, end in pairwise(ends)]


def _shares(
    blocks: list[Any], sizes: Sequence[int], n_held: int, random_state: Any
) -> tuple[list[Any], list[Any]]:
    """Return the answers that the front is computed from, and those held out."""
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    drawn = [
        (block, number, n_out)
        for number, (block, n_out) in enumerate(zip(blocks, _counts(sizes, n_held), strict=True))
    ]
    return map_blocks(_share, drawn, seed, False), map_blocks(_share, drawn, seed, True)


def _share(seed: int, is_held_out: bool, answers: Answers, number: int, n_out: int) -> Answers:
    order = np.random.default_rng([seed, number]).permutation(len(answers.calibration.correct))
    return answers.take(np.sort(order[:n_out] if is_held_out else order[n_out:]))


def _counted(held: list[Any], own_cells: OwnCells, front: ParetoFront) -> HeldOut:
    """Count held-out samples at the steps of a front."""
    column_of = own_cells.columns_of(np.arange(own_cells.shared + 1), front)
    steps, ones = StepThresholds.of(front), [(block,) for block in held]
    counted = map_blocks(_count_by_step, ones, own_cells, column_of, steps)
    with warnings.catch_warnings():
        # There may be millions of steps, which go to each worker once.
        warnings.filterwarnings("ignore", message="Sending large graph")
        step_counts: StepCounts = reduce_blocks(merge_step_counts, counted)
    return step_counts.held_out(steps)


def _count_by_step(
    own_cells: OwnCells, column_of: NDArray[np.int64], steps: StepThresholds, answers: Answers
) -> StepCounts:
    certainty, correct = answers.calibration[:2]
    columns = column_of[_positions(own_cells, answers)]
    return count_by_step(steps, HeldOut(certainty, correct, columns))
