"""How are thresholds set on the samples of Dask collections?

A fitted classifier answers block by block, where the blocks are. Its answers stay there, three
arrays as on one machine; what comes to the client are sums: how many samples each cell has, and the
staircases of the front. Outliers are found there, too; see `dask_outliers`.

Samples that certify an accuracy are drawn by a seed and the number of their block, not by their
values; see `dask_splits`. Of these samples the client counts how many are right and wrong at each
step of the front (see `held_out`), which certifies what the samples themselves would.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from abstain._core.checks import check_same_length, merge_labels
from abstain._core.errors import InputError, shown
from abstain._scale.blocks import aligned_blocks
from abstain._scale.computing import persist, reduce_blocks
from abstain._scale.graphs import map_blocks, map_blocks_to_array
from abstain.certainty.cells import is_to_be_fitted
from abstain.certainty.measures import TRUST_OF_FROZEN, is_trust_to_be_fitted
from abstain.certainty.outliers import OutlierDetector
from abstain.classifier.calibrate import Calibration, only_outliers
from abstain.classifier.dask_outliers import OutlierCounts, fit_detector_on_dask
from abstain.classifier.dask_splits import (
    BlockSplit,
    Drawn,
    block_sizes,
    computed_sizes,
    split_blocks,
)
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
from abstain.targets.operating import SampleCounts

Array = NDArray[Any]

# Classes that an error lists.
MAX_CLASSES = 5


class DaskCalibration(NamedTuple):
    """All that comes to the client."""

    own_cells: OwnCells
    front: ParetoFront
    held_out: HeldOut | None
    detector: OutlierDetector | None
    outliers: SampleCounts | None


class Answers(NamedTuple):
    """The answers of a classifier to the samples of a block; they stay where the block is."""

    calibration: Calibration
    n_known: int  # samples of a class that the classifier knows
    classes: list[Any]

    def take(self, rows: NDArray[np.int64]) -> Answers:
        """Return the answers to some of the samples."""
        return self._replace(calibration=self.calibration.take(rows))


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
    outliers: float | None,
    detector: OutlierDetector | None,
    random_state: Any,
) -> DaskCalibration:
    """Compute the front of a fitted classifier's answers to samples in blocks.

    A detector of outliers that is given is used if all samples must test.
    """
    blocks = aligned_blocks(X=X, y=y)
    split_of = partial(split_blocks, target, test_size, outliers is not None, random_state)
    # The answers take little memory and long to compute.
    if outliers is None:
        detector, answers = None, persist(map_blocks(_answer, blocks, estimator, rules, None))
        split = split_of(computed_sizes(map_blocks(_size, [(block,) for block in answers])))
    else:
        split = split_of(block_sizes(X, blocks))
        if split.has_known or not split.is_one_threshold:
            detector = fit_detector_on_dask(estimator, blocks, split.drawn, outliers)
        answers = persist(map_blocks(_answer, blocks, estimator, rules, detector))
    _check_classes(answers, np.asarray(estimator.classes_))
    learn, test = _parts(split, answers)
    counts: OutlierCounts = reduce_blocks(
        OutlierCounts.merge, map_blocks(_count_outliers, [(block,) for block in learn])
    )
    if not sum(counts.inliers):
        raise only_outliers(counts.n_outliers)
    ones = [(block,) for block in map_blocks(_without_outliers, [(block,) for block in learn])]
    certainty, correct = attrgetter("calibration.certainty"), attrgetter("calibration.correct")
    labels, cell_sizes = reduce_blocks(_add_cells, map_blocks(_count_cells, ones))
    own_cells = OwnCells(
        labels[:0] if split.is_one_threshold else labels[cell_sizes >= min_cell_size]
    )
    chunks = tuple(counts.inliers)
    front = pareto_front(
        map_blocks_to_array(certainty, ones, chunks=chunks, dtype=np.float64),
        map_blocks_to_array(correct, ones, chunks=chunks, dtype=np.bool_),
        map_blocks_to_array(_positions, ones, own_cells, chunks=chunks, dtype=np.int64),
        method=method,
    )
    held_out = None
    if certifies(target):
        held_out = _counted(
            map_blocks(_without_outliers, [(block,) for block in test]), own_cells, front
        )
    return DaskCalibration(own_cells, front, held_out, detector, counts.rejected)


def _parts(split: BlockSplit, answers: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the answers that the front is computed from, and those that test."""
    drawn = split.drawn
    if split.is_one_threshold:
        drawn = [each._replace(n_held=each.n_known) for each in drawn]
    if not any(each.n_held for each in drawn):
        return answers, answers
    pairs = [(block, *each) for block, each in zip(answers, drawn, strict=True)]
    learn = map_blocks(_others, pairs)
    return learn, learn if split.is_one_threshold else map_blocks(_held, pairs)


def _others(answers: Answers, *drawn: int) -> Answers:
    return answers.take(Drawn(*drawn).others(len(answers.calibration.correct)))


def _held(answers: Answers, *drawn: int) -> Answers:
    return answers.take(Drawn(*drawn).held(len(answers.calibration.correct)))


def _count_outliers(answers: Answers) -> OutlierCounts:
    return OutlierCounts.of(answers.calibration)


def _without_outliers(answers: Answers) -> Answers:
    return answers._replace(calibration=answers.calibration.inliers)


def _answer(
    estimator: Any, rules: Rules, detector: OutlierDetector | None, X: Any, y: Any
) -> Answers:
    check_same_length(X=range(X.shape[0]), y=y)  # a sparse matrix has no length
    if not len(y):
        nothing = np.zeros(0, np.bool_)
        empty = Calibration(np.zeros(0), nothing, np.zeros(0, np.int64), outlier=nothing)
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
    outlier = None if detector is None else detector.are_outliers(evaluation.outputs.samples)
    is_correct = evaluation.labels == labels
    return Answers(
        Calibration(evaluation.certainty, is_correct, evaluation.cells, outlier=outlier),
        n_known,
        distinct[:MAX_CLASSES].tolist(),
    )


def _size(answers: Answers) -> list[int]:
    return [len(answers.calibration.correct)]


class _Summary(NamedTuple):
    n_known: int
    classes: list[Any]


def _check_classes(blocks: list[Any], classes: Array) -> None:
    """Refuse samples none of which is of a class that the classifier knows."""
    parts = map_blocks(_summarise, [(block,) for block in blocks])
    summary: _Summary = reduce_blocks(_merge_summaries, parts)
    if not summary.n_known:
        raise InputError(
            f"y must hold classes of the estimator ({classes.tolist()[:MAX_CLASSES]}), got none of "
            f"them but {summary.classes}"
        )


def _summarise(answers: Answers) -> _Summary:
    return _Summary(answers.n_known, answers.classes)


def _merge_summaries(parts: Sequence[_Summary]) -> _Summary:
    classes = {label for part in parts for label in part.classes}
    return _Summary(
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
