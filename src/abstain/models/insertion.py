"""How many prototypes does each class need, and where do they start?

``n_prototypes_per_class="auto"`` grows a model in stages, from one prototype per class. Each stage

1. fits a few iterations from the prototypes and the metric so far;
2. drops, of each class, the prototype that earns least, if the training samples would be no more
   in doubt without it;
3. splits the cells with most doubt, until there are half as many prototypes again: 2-means finds
   two clusters of the samples of a cell, in its metric, and both get the prototype, moved from the
   mean of the cell to that of the cluster, and its metric.

The *doubt* of a sample is 0 if it is certainly classified right and 1 if certainly wrong. In the
*certainty-weighted error* a wrong sample counts once, and once more by the share of samples that
are less certain. So it is the error rate plus the area under its generalised risk curve, and not
moved by a model that is more certain of everything.

It is estimated on samples that were left out. One model is grown without each fold, side by side,
until the error has not fallen for two stages, or until the cap, or until not even a model without
errors would be better by a standard error. The first stage is chosen whose error is at most a
standard error above the least. Then a model is grown up to there on all samples, and its prototypes
and metric are the start of the ordinary fit.

Equal rows are merged first, classes are split into folds alike, and all that is random has the same
seed. So with at most 20,000 samples a weight of 2 is the same as a repeated row, and neither the
order of the rows nor that of the classes matters, up to rounding. Of more samples some are drawn.

After Fischer, Hammer, Wersing, "Certainty-based prototype insertion/deletion for classification
with metric adaptation", ESANN 2015. They also insert and delete by the certainty of samples, but
one prototype at a time.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from abstain.models.costs import Blocks, LabelledBlock, Loss, RemoteBlocks, labelled_blocks
from abstain.models.data import ArrayData, Rows, distinct_rows
from abstain.models.distances import AdaptiveDistance, Array, normalise
from abstain.models.on_dask import DaskData
from abstain.models.scaling import Scaling
from abstain.models.solvers import Problem

# Prototypes per sample, at most.
SHARE = 0.02
# Samples that a model is grown on, at most, and of each class at least, if it has so many.
MOST_SAMPLES, LEAST_OF_CLASS = 20_000, 200
# Prototypes of a stage, as a multiple of those of the stage before.
GROWTH = 1.5
# Stages in a row without a lower error that end growth.
PATIENCE = 2
# A stage may have an error so many standard errors above the least.
N_ERRORS = 1.0
# Iterations of a stage: enough to see where the next prototypes belong.
ITERATIONS = 15
# Folds are left out until so many samples were: all five of few samples, one of many.
N_FOLDS, HELD_OUT = 5, 2000
# Samples of a cell that may be split.
LEAST_OF_CELL = 10
# Steps of 2-means, at most: cells need not be split exactly.
MOST_MOVES = 20

UNSCALED = Scaling(np.zeros(1, dtype=np.float32), 1.0)


class Model(NamedTuple):
    """A model fitted to scaled samples: its parameters, of the scale of a start, and its loss."""

    prototype_classes: NDArray[np.int64]
    parameters: list[Array]
    loss: Loss

    def unit_parameters(self) -> list[Array]:
        """Return the parameters with a metric of unit norm."""
        prototypes, *metric = self.parameters
        return [prototypes, *(normalise(each)[0] for each in metric)]


class Methods(NamedTuple):
    """What growing takes of an estimator: a fit of some iterations, doubts, and where to print."""

    fit: Callable[[Problem, int], Model]
    doubts: Callable[[Array], Array]
    tell: Callable[[str], None]


class Stage(NamedTuple):
    """A number of prototypes that was tried, and the errors of the samples that were left out."""

    n_prototypes: int
    errors: Array
    weights: Array

    def error(self) -> float:
        """Return the certainty-weighted error."""
        return float(np.average(self.errors, weights=self.weights))

    def without_errors(self) -> Stage:
        """Return the stage if it were right about all samples."""
        return self._replace(errors=np.zeros_like(self.errors))

    def is_worse_than(self, other: Stage) -> bool:
        """Tell whether the error is significantly above that of another stage."""
        shares = self.weights / self.weights.sum()
        differences = self.errors - other.errors
        mean = shares @ differences
        return bool(mean > N_ERRORS * np.sqrt(shares**2 @ (differences - mean) ** 2))


def insert_prototypes(
    problem: Problem, data: ArrayData | DaskData, methods: Methods, random_state: RandomState
) -> Problem:
    """Return the problem with the prototypes that samples left out ask for, and their start."""
    rows = distinct_rows(_scaled_rows(problem.scaling, data, random_state))
    cap = int(SHARE * len(rows.labels))
    if cap <= len(problem.prototype_classes):
        methods.tell(f"{len(rows.labels)} distinct samples allow one prototype per class only")
        return problem
    seed = int(random_state.randint(2**31 - 1))
    stages = try_stages(problem, rows, methods, cap, seed)
    best = min(stages, key=Stage.error)
    chosen = next(i for i, stage in enumerate(stages) if not stage.is_worse_than(best))
    grown = _on(problem, rows)
    for stage in stages[1 : chosen + 1]:
        model = methods.fit(grown, ITERATIONS)
        grown = split_cells(grown, model, methods, stage.n_prototypes, seed)
    counts = np.bincount(grown.prototype_classes)
    methods.tell(f"starts with {counts.sum()} prototypes, {_range(counts)} per class")
    return replace(problem, prototype_classes=grown.prototype_classes, start=grown.start)


def _scaled_rows(scaling: Scaling, data: ArrayData | DaskData, random_state: RandomState) -> Rows:
    """Return the samples to grow on: where some are drawn, they weigh as much as all of a class."""
    sizes = np.array(data.class_sizes())
    shares = np.ceil(sizes * (MOST_SAMPLES / sizes.sum())).astype(np.int64)
    limits = np.minimum(sizes, np.maximum(shares, LEAST_OF_CLASS))
    samples, labels, weights = data.some_rows(dict(enumerate(limits.tolist())), random_state)
    weights = (weights * (sizes / limits)[labels]).astype(weights.dtype)
    return Rows(scaling.transform(samples), labels, weights)


def _range(counts: NDArray[np.int64]) -> str:
    least, most = counts.min(), counts.max()
    return f"{least}" if least == most else f"{least} to {most}"


def try_stages(problem: Problem, rows: Rows, methods: Methods, cap: int, seed: int) -> list[Stage]:
    """Grow a model without each fold, and test it on the fold after each stage."""
    trains, tests = zip(*_splits(rows, seed), strict=True)
    blocks = [_blocks(test) for test in tests]
    weights = np.concatenate([block.weights for test in blocks for block in test])
    grown = [_on(problem, train) for train in trains]
    stages: list[Stage] = []
    size, best = len(problem.prototype_classes), 0
    while True:
        models = [methods.fit(each, ITERATIONS) for each in grown]
        tested = [
            _errors(problem.distance, model, test, methods)
            for model, test in zip(models, blocks, strict=True)
        ]
        stages.append(Stage(size, np.concatenate(tested), weights.astype(np.float64)))
        methods.tell(f"{size} prototypes, certainty-weighted error {stages[-1].error():.4f}")
        if stages[-1].error() < stages[best].error():
            best = len(stages) - 1
        is_unbeatable = not stages[best].is_worse_than(stages[best].without_errors())
        if size == cap or len(stages) > best + PATIENCE or is_unbeatable:
            return stages
        size = min(cap, int(np.ceil(GROWTH * size)))
        grown = [
            split_cells(each, model, methods, size, seed)
            for each, model in zip(grown, models, strict=True)
        ]


def _splits(rows: Rows, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield samples to fit to and samples to leave out; each class is split alike."""
    fold = np.empty(len(rows.labels), dtype=np.int64)
    for label in np.unique(rows.labels):
        own = np.flatnonzero(rows.labels == label)
        order = RandomState(seed).permutation(len(own))
        fold[own[order]] = np.arange(len(own)) % N_FOLDS
    n_left_out = 0
    for number in range(N_FOLDS):
        is_left_out = fold == number
        yield rows.where(~is_left_out), rows.where(is_left_out)
        n_left_out += int(np.count_nonzero(is_left_out))
        if n_left_out >= HELD_OUT:
            return


def _blocks(rows: Rows) -> list[LabelledBlock]:
    return labelled_blocks(*rows, UNSCALED)


def _on(problem: Problem, rows: Rows) -> Problem:
    """Return the same problem for samples that are scaled."""
    # A few iterations gain nothing by the covariance, which takes a sixth of the time.
    return replace(problem, blocks=_blocks(rows), batches=None, by_covariance=False)


class Part(NamedTuple):
    """Samples of one class and their distances; ``doubts`` turns such distances into doubts."""

    distances: Array
    weights: Array
    is_own: NDArray[np.bool_]
    doubts: Callable[[Array], Array]


def _parts(
    distance: AdaptiveDistance, model: Model, blocks: Blocks, methods: Methods
) -> Iterator[Part]:
    """Yield the samples of all blocks in their order."""
    assert not isinstance(blocks, RemoteBlocks)
    for block in blocks:
        distances, _ = distance.measure(block.block, *model.unit_parameters())
        for label, part in block.parts:
            is_own = model.prototype_classes == label
            doubts = partial(_doubts, model.loss, methods, is_own, block.n_present[part])
            yield Part(distances[:, part], block.weights[part], is_own, doubts)


def _doubts(
    loss: Loss, methods: Methods, is_own: NDArray[np.bool_], n_present: Array, distances: Array
) -> Array:
    with np.errstate(invalid="ignore"):  # a class without its only prototype is infinitely far
        parts = [(np.flatnonzero(is_own), slice(None))]
        return methods.doubts(loss(distances, parts, n_present)[0])


def _errors(distance: AdaptiveDistance, model: Model, blocks: Blocks, methods: Methods) -> Array:
    """Return, of each sample, the certainty-weighted error; 0 for right answers."""
    parts = list(_parts(distance, model, blocks, methods))
    doubts = np.concatenate([part.doubts(part.distances) for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    return weighted_errors(doubts, weights)


def weighted_errors(doubts: Array, weights: Array) -> Array:
    """Return 0 for right answers, and 1 plus the share of less certain samples for wrong ones."""
    order = np.argsort(np.abs(doubts - 0.5), kind="stable")
    below = np.empty(len(order))
    below[order] = np.cumsum(weights[order], dtype=np.float64) - weights[order]
    return np.where(doubts > 0.5, 1 + below / weights.sum(), 0.0)


class Cells(NamedTuple):
    """The cell of each sample, and what each prototype earns.

    ``own`` is the closest prototype of the class of a sample, ``doubt`` the sum of the doubts in
    each cell, and ``earned`` by how much doubts would rise without a prototype: a sample would take
    the next prototype of its class where it was the closest, and the next of the other classes
    where it was the closest of these.
    """

    own: NDArray[np.int64]
    doubt: Array
    earned: Array


def find_cells(problem: Problem, model: Model, methods: Methods) -> Cells:
    """Return the cells of the samples of a problem, in the order of its blocks."""
    doubt, earned = np.zeros((2, len(model.prototype_classes)))
    every_own = []
    for part in _parts(problem.distance, model, problem.blocks, methods):
        own, other = _closest(part.distances, part.is_own), _closest(part.distances, ~part.is_own)
        now = part.weights * part.doubts(part.distances)
        doubt += np.bincount(own, now, len(doubt))
        for closest in (own, other):
            without = part.weights * part.doubts(_without(part.distances, closest))
            earned += np.bincount(closest, without - now, len(earned))
        every_own.append(own)
    return Cells(np.concatenate(every_own), doubt, earned)


def _closest(distances: Array, of: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the closest of some prototypes to each sample."""
    members = np.flatnonzero(of)
    return np.asarray(members[distances[members].argmin(axis=0)])


def _without(distances: Array, prototypes: NDArray[np.int64]) -> Array:
    """Return the distances if one prototype were infinitely far from each sample."""
    distances = distances.copy()
    distances[prototypes, np.arange(distances.shape[1])] = np.inf
    return distances


def earn_something(classes: NDArray[np.int64], earned: Array) -> NDArray[np.bool_]:
    """Tell which prototypes remain: of each class, all but one that earns nothing.

    Of two that earn nothing, each may do so because of the other.
    """
    remain = np.ones(len(classes), dtype=bool)
    for label in np.unique(classes):
        own = np.flatnonzero(classes == label)
        least = own[earned[own].argmin()]
        remain[least] = len(own) == 1 or earned[least] > 0
    return remain


def split_cells(problem: Problem, model: Model, methods: Methods, size: int, seed: int) -> Problem:
    """Return the problem with up to ``size`` prototypes, where samples are most in doubt."""
    classes, (prototypes, *metric) = model.prototype_classes, model.parameters
    cells = find_cells(problem, model, methods)
    remain = earn_something(classes, cells.earned)
    n_samples = np.bincount(cells.own, minlength=len(classes))
    can_split = remain & (n_samples >= LEAST_OF_CELL) & (cells.doubt > 0)
    n_splits = min(size - np.count_nonzero(remain), np.count_nonzero(can_split))
    by_doubt = np.argsort(np.where(can_split, -cells.doubt, np.inf), kind="stable")
    split = by_doubt[:n_splits]
    # Prototypes remain ordered by class.
    sources = np.sort(np.concatenate([np.flatnonzero(remain), split]))
    samples, weights = _samples_and_weights(problem.blocks)
    unit_metric = model.unit_parameters()[1:]
    moved = prototypes[sources]
    for index in split:
        own = cells.own == index
        filled = np.where(np.isnan(samples[own]), prototypes[index], samples[own])
        centred = filled - np.average(filled, axis=0, weights=weights[own])
        projected = _projected(centred, unit_metric, index)
        moved[sources == index] += cluster_means(centred, projected, weights[own], seed)
    copied = [each[sources] if each.ndim == 3 else each for each in metric]
    return replace(problem, prototype_classes=classes[sources], start=[moved, *copied])


def _samples_and_weights(blocks: Blocks) -> tuple[Array, Array]:
    """Return all samples, NaN where values are missing, and their weights."""
    assert not isinstance(blocks, RemoteBlocks)
    samples = [
        values if present is None else np.where(present > 0, values, np.nan)
        for (values, present), *_ in blocks
    ]
    return np.concatenate(samples), np.concatenate([block.weights for block in blocks])


def _projected(samples: Array, metric: list[Array], index: int) -> Array:
    """Return samples whose Euclidean distances are those in the metric of a prototype."""
    if not metric:
        return samples
    (root,) = metric
    if root.ndim == 1:
        return samples * root
    return np.asarray(samples @ (root[index] if root.ndim == 3 else root).T)


def cluster_means(samples: Array, projected: Array, weights: Array, seed: int) -> Array:
    """Return the means of two clusters of samples, by 2-means in projected coordinates.

    It starts from two samples, the second drawn by its squared distance from the first. So does
    scikit-learn's KMeans, which takes ten times as long for as few samples as a cell has.
    """
    projected = projected / (np.abs(projected).max() or 1.0)  # squares neither vanish nor overflow
    random_state = RandomState(seed)
    first = projected[_draw(weights, random_state)]
    second = projected[_draw(weights * ((projected - first) ** 2).sum(axis=1), random_state)]
    is_second = np.zeros(len(samples), dtype=bool)
    for _ in range(MOST_MOVES):
        is_closer = projected @ (second - first) > (first + second) @ (second - first) / 2
        if np.array_equal(is_closer, is_second):
            break
        is_second = is_closer
        first, second = _two_means(projected, weights, is_second)
    return _two_means(samples, weights, is_second)


def _draw(weights: Array, random_state: RandomState) -> int:
    """Return an index, drawn by weights; 0 if all are 0."""
    sums = np.cumsum(weights, dtype=np.float64)
    index = np.searchsorted(sums, random_state.random_sample() * sums[-1], side="right")
    return int(index) % len(sums)


def _two_means(samples: Array, weights: Array, is_second: NDArray[np.bool_]) -> Array:
    """Return the means of two clusters, zeros for one without samples."""
    shares = np.stack([np.where(is_second, 0, weights), np.where(is_second, weights, 0)])
    totals = shares.sum(axis=1, keepdims=True)
    return np.asarray(shares @ samples / np.where(totals > 0, totals, 1))
