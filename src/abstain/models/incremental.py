"""How does a model learn from a stream of samples?

A stream is learned in batches of 32 samples, wherever calls of ``partial_fit`` cut it, so that the
model does not depend on the cuts. Each batch takes a few steps of Adam on the new samples and on
others drawn from a *window* of the last 1,024. The step size stays, so that the model can follow
changes for ever. A class starts with one prototype at its first sample, which follows the mean of
the class at first. Every 256 samples, `stream_review` drops and inserts prototypes.

If the newest samples have significantly more errors than those before, the window forgets the
older ones, and the prototypes start anew if that is far better. Origin and scale of the data follow
the window too.

What is kept between calls is bounded: the window, the parameters, Adam's running means, and two
numbers per prototype. Nothing is random but the samples that are drawn from the window, by the
number of samples so far. So a stream that is saved and resumed gives the same model to the bit.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from abstain.models.costs import Cost, LabelledBlock, Loss, labelled_blocks
from abstain.models.data import Rows
from abstain.models.distances import AdaptiveDistance, Array, normalise
from abstain.models.lbfgs import FitResult
from abstain.models.scaling import (
    Scaling,
    class_sums,
    deviations_from,
    means_of_present,
    scaling_from,
    value_ranges,
)
from abstain.models.solvers import PRECISION, STEP, AdamState, Problem
from abstain.models.stream_prototypes import WRONG, Prototypes
from abstain.models.stream_review import ERRORS, WINDOW, is_reviewed, restart, review

# New samples of a batch, the samples of the window that are learned along, and steps on both.
BATCH, REPLAYED, STEPS = 32, 96, 2
# Adam's step size, relative to the first one of a fit.
SHARE = 0.2
# Errors of so many newest samples are compared with older ones; so many standard errors more are a
# change, after which older samples are forgotten.
CHANGES, SIGNIFICANT = (32, 64, 128, 256), 4.0
# What is saved of a stream as it is.
STATE = (
    "n_seen",
    "n_steps",
    "mean_cost",
    "n_errors",
    "n_awaited",
    "earned",
    "ages",
    "varies",
    "is_new",
)
# Samples are not learned if they are this many scales away from the origin, nor do those count for
# the scale that are so many times as far away from the median as half of the samples.
FAR = 100.0
# Prototypes are at most this many scales away, whose square is finite in single precision.
FARTHEST = 1e15


class Rules(NamedTuple):
    """What learning from a stream takes of an estimator.

    ``loss`` estimates bandwidths anew unless the problem is warm. ``counts`` are the fixed numbers
    of prototypes per class, None where errors decide, up to ``most`` in all.
    """

    distance: AdaptiveDistance
    loss: Callable[[Problem], Loss]
    doubts: Callable[[Array], Array]
    scaled_metric: Callable[[Array], Array]
    class_factors: Callable[[Array, Array], Array]
    regularization: float
    counts: NDArray[np.int64] | None
    most: int


@dataclass(eq=False)
class Stream:
    """What is kept of a stream between two calls; parameters are those of scaled samples."""

    classes: Array
    prototype_classes: NDArray[np.int64]
    scaling: Scaling
    adam: AdamState
    # The last samples; that number n of the stream is in row n % WINDOW.
    window: Rows
    n_seen: int
    n_kept: int
    n_steps: int
    mean_cost: float
    # Wrong samples since a prototype was inserted.
    n_errors: float
    n_awaited: int
    # The doubt of each sample of the window before it was learned.
    window_doubts: Array
    # Which samples of the window are learned.
    is_near: NDArray[np.bool_]
    # Of each prototype, what it earns and how many samples ago it was inserted.
    earned: Array
    ages: Array
    # Which features have varied.
    varies: NDArray[np.bool_]
    # Bandwidths are estimated anew with the next batch; otherwise the loss can be used again.
    is_new: bool
    current_loss: Loss | None = None

    @classmethod
    def begin(cls, classes: Array, label: int, sample: Array, metric: list[Array]) -> Stream:
        """Return a stream whose only prototype is its first sample, not yet learned."""
        prototype = np.nan_to_num(sample.astype(np.float64))[np.newaxis]
        scaling = Scaling(np.zeros(len(sample)), 1.0)
        return cls._start(
            classes, np.array([label]), scaling, prototype, *metric, dtype=sample.dtype
        )

    @classmethod
    def resume(
        cls,
        classes: Array,
        labels: NDArray[np.int64],
        prototypes: Array,
        metric: list[Array],
        varies: NDArray[np.bool_],
    ) -> Stream:
        """Return a stream that goes on from a fitted model, as if that had seen a window."""
        exact = prototypes.astype(np.float64)
        origin = exact.mean(axis=0)
        scaling = scaling_from(origin, deviations_from(origin, exact, np.ones(len(exact))))
        scaled = scaling.transform(exact)
        stream = cls._start(classes, labels, scaling, scaled, *metric, dtype=prototypes.dtype)
        stream.ages += WINDOW
        stream.n_seen, stream.varies, stream.is_new = WINDOW, varies, False
        return stream

    @classmethod
    def _start(
        cls,
        classes: Array,
        labels: NDArray[np.int64],
        scaling: Scaling,
        *parameters: Array,
        dtype: Any,
    ) -> Stream:
        """Return a stream without samples."""
        n_prototypes, n_features = parameters[0].shape
        rows = Rows.empty(n_features, dtype)
        return cls(
            classes=classes,
            prototype_classes=labels,
            scaling=scaling,
            adam=AdamState([each.astype(np.float64) for each in parameters]),
            window=Rows(*(np.zeros((WINDOW, *part.shape[1:]), part.dtype) for part in rows)),
            n_seen=0,
            n_kept=0,
            n_steps=0,
            mean_cost=0.0,
            n_errors=0.0,
            n_awaited=ERRORS,
            window_doubts=np.full(WINDOW, WRONG),
            is_near=np.ones(WINDOW, dtype=bool),
            earned=np.zeros(n_prototypes),
            ages=np.zeros(n_prototypes),
            varies=np.zeros(n_features, dtype=bool),
            is_new=True,
        )

    # --- saving -------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return numbers, arrays and lists of arrays: what a model has to add to be continued."""
        kept, moments = self.window.where(self._recent(WINDOW)), self.adam.moments
        return {
            **{name: getattr(self, name) for name in STATE},
            "origin": self.scaling.origin,
            "scale": float(self.scaling.scale),
            "parameters": self.adam.parameters,
            "means": [moment.mean for moment in moments],
            "squares": [moment.square for moment in moments],
            "moment_weights": [moment.weights for moment in moments],
            "doubts": self.window_doubts[self._recent(WINDOW)],
            **kept._asdict(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], classes: Array, labels: Array) -> Stream:
        """Return the stream of a model with these classes and labels of prototypes."""
        stream = cls._start(
            classes,
            np.searchsorted(classes, labels),
            Scaling(state["origin"], state["scale"]),
            *state["parameters"],
            dtype=state["samples"].dtype,
        )
        parts = (state[name] for name in ("means", "squares", "moment_weights"))
        for moment, mean, square, weights in zip(stream.adam.moments, *parts, strict=True):
            moment.mean, moment.square, moment.weights = mean.copy(), square.copy(), weights.copy()
        for name in STATE:
            value = state[name]
            setattr(stream, name, value.copy() if isinstance(value, np.ndarray) else value)
        stream.n_kept = len(state["samples"])
        stream.window_doubts[stream._recent(WINDOW)] = state["doubts"]
        for part, kept in zip(stream.window, (state[name] for name in Rows._fields), strict=True):
            part[stream._recent(WINDOW)] = kept
        stream._note_near(stream._recent(WINDOW))
        return stream

    # --- samples ------------------------------------------------------------------------------

    def announce(self, classes: Array) -> None:
        """Take up more classes; all are in ascending order."""
        codes = np.searchsorted(classes, self.classes)
        self.prototype_classes = codes[self.prototype_classes]
        self.window = self.window._replace(labels=codes[self.window.labels])
        self.classes = classes

    def learn(self, rows: Rows, rules: Rules) -> None:
        """Learn from further samples, whose labels are the positions of their classes."""
        start, self.current_loss = 0, None  # parameters of the estimator may have changed
        while start < len(rows.labels):
            stop = min(len(rows.labels), start + batch_end(self.n_seen) - self.n_seen)
            self._append(rows.where(slice(start, stop)), rules)  # type: ignore[arg-type]
            start = stop
            if self.n_seen == batch_start(self.n_seen):
                self._learn_batch(rules)

    def _append(self, rows: Rows, rules: Rules) -> None:
        n_rows = len(rows.labels)
        for kept, new in zip(self.window, rows, strict=True):
            kept[self.n_seen % WINDOW : self.n_seen % WINDOW + n_rows] = new
        self.n_seen += n_rows
        self.n_kept = min(self.n_kept + n_rows, WINDOW)
        self._note_near(self._recent(n_rows))
        known = set(self.prototype_classes.tolist())
        for row, label in enumerate(rows.labels.tolist()):
            if label not in known:
                self.insert(self._filled(rows.samples[row]), label, rules)
                known.add(label)

    def _recent(self, n_rows: int) -> NDArray[np.int64]:
        """Return the rows of the window that hold the last samples, the oldest first."""
        n_rows = min(n_rows, self.n_kept)
        return np.arange(self.n_seen - n_rows, self.n_seen) % WINDOW

    def near(self, n_rows: int = WINDOW) -> NDArray[np.int64]:
        """Return the recent rows that are learned: those not too far from the others."""
        rows = self._recent(n_rows)
        return rows[self.is_near[rows]]

    def _note_near(self, rows: NDArray[np.int64]) -> None:
        """Note which samples are near; before there is a scale, all are."""
        sizes = root_mean_squares(self.window.samples[rows] - self.scaling.origin)
        self.is_near[rows] = (sizes <= FAR * self.scaling.scale) | (self.n_steps == 0)

    def _filled(self, sample: Array) -> Array:
        """Return a sample, scaled; missing values are at the mean of the prototypes."""
        scaled = self.scaling.transform(sample.astype(np.float64))
        filled = np.where(np.isnan(scaled), self.adam.parameters[0].mean(axis=0), scaled)
        return np.clip(filled, -FARTHEST, FARTHEST)

    def blocks(self, rows: NDArray[np.int64], rules: Rules) -> list[LabelledBlock]:
        """Return samples of the window, scaled, whose mean weight is about 1."""
        samples, labels, weights = self.window
        every = self.near()
        factors = rules.class_factors(
            self.classes, np.bincount(labels[every], weights[every], len(self.classes))
        )
        factors = factors / (weights[every] * factors[labels[every]]).mean()
        return labelled_blocks(
            samples[rows],
            labels[rows],
            weights[rows] * factors[labels[rows]],
            self.scaling,
            dtype=PRECISION,
        )

    # --- learning -----------------------------------------------------------------------------

    def _learn_batch(self, rules: Rules) -> None:
        new = self._recent(self.n_seen - batch_start(self.n_seen - 1))
        self.ages += len(new)
        is_power = self.n_kept & (self.n_kept - 1) == 0
        if self.n_seen % WINDOW == 0 or (self.n_kept < WINDOW and is_power):
            self._rescale()
        self._note_near(new)
        self.window_doubts[new] = WRONG
        new = new[self.is_near[new]]
        self.follow_means()
        if len(new) and len(np.unique(self.prototype_classes)) > 1:
            self.current_loss, self.is_new = self.loss(rules), False
            self._test(new, rules)
            for step in range(STEPS):
                self.step(self.drawn(new, step), rules)
            if is_reviewed(self.n_seen):
                review(self, rules)

    def _rescale(self) -> None:
        """Take origin and scale from the window, but for samples far from the median."""
        rows = self._recent(WINDOW)
        samples = self.window.samples[rows].astype(np.float64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any value
            sizes = root_mean_squares(samples - np.nanmedian(samples, axis=0))
        samples, labels, weights = self.window.where(
            rows[sizes <= (FAR * np.median(sizes) or np.inf)]
        )
        lowest, highest = value_ranges(samples)
        self.varies |= lowest < highest
        sums, totals = class_sums(samples, np.zeros_like(labels), weights, 1)
        origin = means_of_present(sums[0], totals[0])
        scaling = scaling_from(origin, deviations_from(origin, samples, weights))
        ratio = scaling.scale / self.scaling.scale
        moved = scaling.transform(self.scaling.inverse_transform(self.adam.parameters[0]))
        self.adam.parameters[0][:] = np.clip(moved, -FARTHEST, FARTHEST)
        self.adam.moments[0].mean *= ratio
        self.adam.moments[0].square *= ratio**2
        self.scaling, self.is_new = scaling, True
        self._note_near(rows)

    def follow_means(self) -> None:
        """Set prototypes of new classes to the means of their samples."""
        counts = np.bincount(self.prototype_classes, minlength=len(self.classes))
        young = (self.ages < 2 * BATCH) & (counts[self.prototype_classes] == 1)
        for index in np.flatnonzero(young).tolist():
            rows = self.window.where(self.near())
            own = rows.where(rows.labels == self.prototype_classes[index])
            sums, totals = class_sums(own.samples, np.zeros_like(own.labels), own.weights, 1)
            mean = self.scaling.transform(means_of_present(sums[0], totals[0]))
            known = totals[0] > 0
            self.adam.parameters[0][index, known] = mean[known]

    def _test(self, new: NDArray[np.int64], rules: Rules) -> None:
        """Note the doubts of new samples; forget older ones if the new have far more errors."""
        prototypes = self.prototypes(rules)
        doubts = [prototypes.block_doubts(block) for block in self.blocks(new, rules)]
        # The order of samples in blocks.
        incomplete = np.isnan(self.window.samples[new].sum(axis=1))
        order = np.lexsort((self.window.labels[new], incomplete))
        self.window_doubts[new[order]] = np.concatenate(doubts)
        wrong = self.window_doubts[self._recent(WINDOW)] > WRONG
        self.n_errors += float(np.count_nonzero(self.window_doubts[new] > WRONG))
        n_kept = newest_since_change(wrong)
        if n_kept < self.n_kept:
            self.n_kept = n_kept
            restart(self, rules)

    def drawn(self, new: NDArray[np.int64], step: int) -> NDArray[np.int64]:
        """Return the new samples and others of the window, drawn by the position alone."""
        near, random = self.near(), np.random.default_rng([self.n_seen, step])
        others = random.integers(len(near), size=min(REPLAYED, len(near) - len(new)))
        return np.concatenate([new, near[others]])

    def step(self, rows: NDArray[np.int64], rules: Rules) -> None:
        """Take a step on samples of the window."""
        adam = self.adam
        adam.sizes = [STEP, *(STEP * float(np.sqrt(np.mean(m**2))) for m in adam.parameters[1:])]
        adam.total_cost = 0.0
        loss = self.loss(rules)
        cost = Cost(self.prototype_classes, rules.distance, loss, rules.regularization)
        adam.step(cost, self.blocks(rows, rules), SHARE, float(len(rows)))
        # The gradient does not change the norm of a metric, so that steps would lengthen it.
        for metric in adam.parameters[1:]:
            metric[:] = rules.scaled_metric(normalise(metric)[0])
        self.n_steps += 1
        self.mean_cost += (adam.total_cost - self.mean_cost) / min(self.n_steps, BATCH)

    def problem(self, rules: Rules) -> Problem:
        """Return the window as the samples of a problem, with the metric of a new fit."""
        shape = self.adam.parameters[0].shape
        metric = rules.distance.initial_metric(shape, RandomState(0))
        return Problem(
            blocks=self.blocks(self.near(), rules),
            batches=None,
            scaling=self.scaling,
            classes=self.classes,
            prototype_classes=self.prototype_classes,
            distance=rules.distance,
            start=[self.adam.parameters[0], *metric],
            is_warm=not self.is_new,
            varies=self.varies,
        )

    def loss(self, rules: Rules) -> Loss:
        """Return the loss; bandwidths are those of the model, or estimated if it has changed."""
        if self.current_loss is not None and not self.is_new:
            return self.current_loss
        return rules.loss(self.problem(rules))

    def result(self) -> FitResult:
        """Return the parameters."""
        dtype = self.window.samples.dtype
        parameters = [each.astype(dtype) for each in self.adam.parameters]
        return FitResult(parameters, self.mean_cost, self.n_steps, True)

    # --- prototypes ---------------------------------------------------------------------------

    def prototypes(self, rules: Rules) -> Prototypes:
        """Return the prototypes and their metric."""
        loss = self.loss(rules)
        parameters = self.adam.parameters
        return Prototypes(self.prototype_classes, parameters, rules.distance, loss, rules.doubts)

    def copy(self) -> Stream:
        """Return a copy that can learn by itself, from the same window."""
        copied = replace(self, earned=self.earned.copy(), ages=self.ages.copy())
        copied.adam = deepcopy(self.adam)
        return copied

    def make_room(self, most: int) -> None:
        """Drop the prototype that earns least if there are as many as allowed."""
        counts = np.bincount(self.prototype_classes)[self.prototype_classes]
        if len(counts) >= most and counts.max() > 1:
            weakest = int(np.where(counts > 1, self.earned, np.inf).argmin())
            self.drop(weakest)

    def insert(self, sample: Array, label: int, rules: Rules) -> None:
        """Insert a prototype after those of its class, with the metric of its closest neighbour."""
        if label not in self.prototype_classes and rules.counts is None:
            self.make_room(rules.most)
        at = int(np.searchsorted(self.prototype_classes, label, side="right"))
        far = ((self.adam.parameters[0] - sample) ** 2).sum(axis=1)
        if label in self.prototype_classes:
            far[self.prototype_classes != label] = np.inf
        self.take(np.insert(np.arange(len(far)), at, far.argmin()))
        self.prototype_classes[at], self.earned[at], self.ages[at] = label, 0.0, 0.0
        self.adam.parameters[0][at] = sample
        for index in self._local:
            self.adam.moments[index].mean[at] = self.adam.moments[index].square[at] = 0.0

    @property
    def _local(self) -> list[int]:
        """Which parameters have a row for each prototype."""
        return [
            index for index, each in enumerate(self.adam.parameters) if index == 0 or each.ndim == 3
        ]

    def drop(self, index: int) -> None:
        """Drop a prototype."""
        self.take(np.delete(np.arange(len(self.ages)), index))

    def take(self, rows: NDArray[np.int64]) -> None:
        """Keep the prototypes in some rows, in this order."""
        self.prototype_classes, self.earned, self.ages = (
            each[rows] for each in (self.prototype_classes, self.earned, self.ages)
        )
        adam = self.adam
        for index in self._local:
            adam.parameters[index] = adam.parameters[index][rows]
            moment = adam.moments[index]
            moment.mean, moment.square = moment.mean[rows], moment.square[rows]
        self.is_new = True


def root_mean_squares(samples: Array) -> Array:
    """Return the root mean square of the values that each sample has."""
    return np.asarray(np.sqrt(np.nanmean(samples**2, axis=1)))


def newest_since_change(wrong: NDArray[np.bool_]) -> int:
    """Return how many of the newest samples have significantly more errors than those before."""
    for n_new in CHANGES:
        n_old = len(wrong) - n_new
        if n_old < n_new:
            break
        old, new, share = wrong[:n_old].mean(), wrong[n_old:].mean(), wrong.mean()
        error = (share * (1 - share) * (1 / n_old + 1 / n_new)) ** 0.5
        if new - old > SIGNIFICANT * error:
            return n_new
    return len(wrong)


def batch_end(n_seen: int) -> int:
    """Return after how many samples the batch of the next one ends: at first after 2, 4, 8, 16."""
    if n_seen < BATCH:
        return max(2, 1 << n_seen.bit_length())
    return (n_seen // BATCH + 1) * BATCH


def batch_start(n_seen: int) -> int:
    """Return after how many samples the last batch ended."""
    if n_seen < BATCH:
        return 1 << (n_seen.bit_length() - 1) if n_seen > 1 else 0
    return n_seen // BATCH * BATCH
