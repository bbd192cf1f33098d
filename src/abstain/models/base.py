"""How does a prototype model become a scikit-learn classifier?

The shell checks the data, starts the parameters, has the cost minimised and answers questions about
new samples. Final classes say which geometry and which loss they are made of, nothing else.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from abstain._checks import InputError
from abstain._dask import is_dask
from abstain._validation import check_sample_weight
from abstain.models.adam import Batches, fit_adam
from abstain.models.answers import answers_in_blocks, index_type, label_type, n_scores, number_type
from abstain.models.closest import ClosestTwo, closest_two, no_samples_yet
from abstain.models.costs import Blocks, Cost, Loss
from abstain.models.data import Arrays, Data, Rows
from abstain.models.distances import Block, make_block
from abstain.models.fitting import Fit, fit_lbfgs
from abstain.models.geometry import Frozen, Geometry, canonical, normalise, relevances
from abstain.models.on_dask import read_blocks, without_rows
from abstain.models.samples import (
    check_finite,
    check_labels,
    check_magnitude,
    check_present,
    check_rows_present,
    with_class_weights,
)
from abstain.models.settings import check_settings, prototype_counts
from abstain.models.starting import start_prototypes
from abstain.models.units import Units, means_of_present, row_blocks, units_of

__all__ = ["Problem", "PrototypeClassifier"]

Array = NDArray[Any]

# Rows that are measured at once: with what is computed of them, they fit a second-level cache.
ROWS = 2048
# Iterations of L-BFGS in which the prototypes move before the metric does, and their largest share.
WARM_UP, WARM_UP_SHARE = 10, 0.25


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be fitted: samples in blocks, in units of their own, and where to start."""

    blocks: Blocks
    batches: Batches | None
    units: Units
    classes: Array
    owners: NDArray[np.int64]
    geometry: Geometry
    start: list[Array]
    is_warm: bool
    varies: NDArray[np.bool_]


def _refuse_dask_beside(X: Any, **others: Any) -> None:
    """Refuse what Dask holds where samples are in memory: most likely they were not meant to be."""
    for name, each in others.items():
        if is_dask(each):
            raise InputError(
                f"{name} must not be a Dask {type(each).__name__} where X is a "
                f"{type(X).__name__}; give X as a Dask collection chunked like {name}. Steps of a "
                "pipeline collect samples: scale them by Dask, such as (X - X.mean(0)) / X.std(0)"
            )


class PrototypeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The shell of all prototype models."""

    n_prototypes_per_class: int | dict[Any, int]
    init: str | ArrayLike
    solver: str
    max_iter: int
    tol: float
    class_weight: Any
    warm_start: bool
    verbose: int
    random_state: Any
    # Models without a metric have no penalty on it.
    regularization: float = 0.0
    # The public name of the fitted metric; models without one have no relevances either.
    _metric_name: str | None = None

    @abstractmethod
    def _geometry(self) -> Geometry:
        """Return the distance and the metric that is learnt."""

    @abstractmethod
    def _loss(self, problem: Problem) -> Loss:
        """Return the loss of distances in the units of the problem."""

    def _scaled(self, metric: Array) -> Array:
        """Return the same metric at the scale at which L-BFGS does best."""
        return metric

    def _metric(self) -> list[Array]:
        return [] if self._metric_name is None else [getattr(self, self._metric_name)]

    def metric_roots(self) -> Array:
        """Return Ω of the metric Λ = ΩᵀΩ, whichever form the model keeps it in.

        Returns
        -------
        roots : ndarray of shape (1 or n_prototypes, n_rows, n_features)
            One for all prototypes, or one for each.

        Examples
        --------
        >>> from abstain.models import GRLVQ, LGMLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> GRLVQ().fit(X, y).metric_roots().shape, LGMLVQ().fit(X, y).metric_roots().shape
        ((1, 2, 2), (2, 2, 2))
        """
        check_is_fitted(self, "prototypes_")
        metric = self._metric()
        found = metric[0] if metric else np.ones_like(self.prototypes_[0])
        if found.ndim == 1:
            found = np.diag(found)
        return np.asarray(found if found.ndim == 3 else found[np.newaxis])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit prototypes and metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value. Also a Dask array or frame. Values may be at most
            √(largest number / n_features) / 4, so that squared distances do not overflow.
        y : array-like of shape (n_samples,)
            Their classes; with Dask, chunked like ``X``.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; an integer weight equals so many equal rows. By "adam" that is true of the
            cost alone: equal rows fall into different batches. With Dask, chunked like ``X``.

        Returns
        -------
        self : estimator
            Fitted.

        Notes
        -----
        Samples that Dask holds stay where they are, once more and in other units, until the fit
        is done; they are read three times before that, or four if prototypes start from
        samples. By "lbfgs" the model is that of one machine, up to rounding. Where a class with
        several prototypes, or with such that start at random, has more than 20,000 samples, so
        many are drawn to start from. By "adam" batches are drawn within the chunks, which are
        visited one after the other: rows that are sorted by class should be shuffled before.
        ``loss_`` is then the cost of all samples.

        Examples
        --------
        >>> from abstain.models import GLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> GLVQ().fit(X, y, sample_weight=[1, 1, 2, 2]).prototype_labels_.tolist()
        ['a', 'b']
        """
        data = self._data(X, y, sample_weight)
        random_state = check_random_state(self.random_state)
        problem = self._problem(data, random_state)
        loss = self._loss(problem)
        fit = self._minimise(problem, loss, random_state)
        self._keep(problem, loss, fit)
        if not fit.converged:
            warnings.warn(
                f"the cost was still falling after max_iter={self.max_iter} iterations; raise "
                "max_iter, raise tol, or scale the features",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _data(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Data:
        """Return checked samples, without those that weigh nothing."""
        if is_dask(X):
            validate_data(self, without_rows(X), skip_check_array=True)
            check_settings(self.get_params(deep=False), self.n_features_in_)
            return read_blocks(X, y, sample_weight, self.class_weight)
        _refuse_dask_beside(X, y=y, sample_weight=sample_weight)
        check_labels(y)
        samples, targets = validate_data(
            self, X, y, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        check_classification_targets(targets)
        check_settings(self.get_params(deep=False), samples.shape[1])
        classes, labels = np.unique(targets, return_inverse=True)
        if len(classes) < 2:
            raise InputError(f"y must hold at least two classes, got one class: {classes[0]}")
        check_present(samples)
        weights = check_sample_weight(
            sample_weight, samples, dtype=samples.dtype, ensure_non_negative=True
        )
        weights = with_class_weights(self.class_weight, classes, labels, weights)
        if not weights.all():  # what weighs nothing is not there
            samples, labels, weights = (part[weights > 0] for part in (samples, labels, weights))
        data = Arrays(classes, Rows(samples, labels, weights))
        check_magnitude(data.ranges(), data.dtype, getattr(self, "feature_names_in_", None))
        return data

    def _problem(self, data: Data, random_state: np.random.RandomState) -> Problem:
        classes, n_features = data.classes, data.n_features
        counts = prototype_counts(self.n_prototypes_per_class, classes.tolist(), data.class_sizes())
        geometry = self._geometry()
        sums, totals = data.class_sums()
        origin = means_of_present(sums.sum(axis=0), totals.sum(axis=0)).astype(data.dtype)
        units = units_of(origin, data.deviations(origin))
        # Of a feature that a class never shows, the mean of the others is the best guess.
        class_means = np.where(totals > 0, means_of_present(sums, totals), origin)
        is_warm = self.warm_start and hasattr(self, "prototypes_")
        if is_warm:
            owners = np.repeat(np.arange(len(counts)), counts)
            prototypes, metric = self.prototypes_, self._metric()
            anew = geometry.start(len(owners), n_features, np.random.RandomState(0))
            self._check_warm(classes[owners], n_features, anew)
        else:
            among = data.to_start_from(counts, self.init, random_state)
            prototypes, owners = start_prototypes(
                *among, class_means, counts, random_state, self.init
            )
            metric = list(geometry.start(len(prototypes), n_features, random_state))
        batches = data.batches(units, random_state) if self.solver == "adam" else None
        blocks = data.blocks(units) if batches is None else batches.blocks()
        start = [units.apply(prototypes), *map(self._scaled, metric)]
        start = [part.astype(data.dtype) for part in start]
        lowest, highest = data.ranges()
        return Problem(
            blocks, batches, units, classes, owners, geometry, start, is_warm, lowest < highest
        )

    def _check_warm(
        self, prototype_labels: Array, n_features: int, metric: tuple[Array, ...]
    ) -> None:
        before = self.prototypes_.shape
        if before != (len(prototype_labels), n_features) or not np.array_equal(
            prototype_labels, self.prototype_labels_
        ):
            raise InputError(
                f"warm_start must go on with the same prototypes and features, got "
                f"{len(prototype_labels)} prototypes of {n_features} features after a fit with "
                f"{before[0]} of {before[1]}; set warm_start=False"
            )
        for new, fitted in zip(metric, self._metric(), strict=True):
            if new.shape != fitted.shape:
                raise InputError(
                    f"warm_start must go on with the same rank of the metric, got n_components="
                    f"{new.shape[-2]} after a fit with {fitted.shape[-2]}; set warm_start=False"
                )

    def _minimise(self, problem: Problem, loss: Loss, random_state: np.random.RandomState) -> Fit:
        """Have the cost minimised; an interrupted fit keeps what it has reached."""
        reached = Fit(problem.start, np.inf, 0, False)
        shown = 0

        def watch(n_iter: int, cost: float, parameters: list[Array]) -> None:
            nonlocal reached, shown
            held = problem.start[len(parameters) :]
            reached = Fit([*parameters, *held], cost, shown + n_iter, False)
            if self.verbose and reached.n_iter % int(self.verbose) == 0:
                print(f"{type(self).__name__}: iteration {reached.n_iter}, cost {cost:.6f}")

        owners, geometry = problem.owners, problem.geometry
        cost = Cost(owners, geometry, loss, self.regularization)
        try:
            if problem.batches is not None:
                return fit_adam(
                    cost,
                    problem.batches,
                    problem.start,
                    max_iter=self.max_iter,
                    tol=self.tol,
                    random_state=random_state,
                    watch=watch,
                )
            prototypes, *metric = problem.start
            warm_up = min(WARM_UP, int(WARM_UP_SHARE * self.max_iter))
            if metric and warm_up and not problem.is_warm:
                # A metric that adapts to prototypes still in a heap can get stuck for good.
                (prototypes,), _, shown, _ = fit_lbfgs(
                    Cost(owners, Frozen(geometry, tuple(metric)), loss),
                    problem.blocks,
                    [prototypes],
                    max_iter=warm_up,
                    tol=self.tol,
                    watch=watch,
                )
            fit = fit_lbfgs(
                cost,
                problem.blocks,
                [prototypes, *metric],
                max_iter=self.max_iter - shown,
                tol=self.tol,
                watch=watch,
            )
            return fit._replace(n_iter=shown + fit.n_iter)
        except KeyboardInterrupt:
            if self.warm_start:
                self._keep(problem, loss, reached)
            raise

    def _keep(self, problem: Problem, loss: Loss, fit: Fit) -> None:
        """Store what was fitted, in the units of the data."""
        prototypes, *metric = fit.parameters
        self.classes_, self.prototype_labels_ = problem.classes, problem.classes[problem.owners]
        self.prototypes_ = problem.units.undo(prototypes).astype(prototypes.dtype)
        self.loss_, self.n_iter_ = fit.cost, max(fit.n_iter, 1)
        for name, fitted in zip(filter(None, [self._metric_name]), metric, strict=True):
            unit = canonical(normalise(fitted)[0])
            setattr(self, name, unit)
            self.relevances_ = relevances(unit, problem.varies)

    @answers_in_blocks(number_type, lambda model: len(model.prototypes_))
    def distances(self, X: ArrayLike) -> Array:
        """Return the squared distance of every sample to every prototype.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_prototypes)
            In the metric of the model.

        Examples
        --------
        >>> from abstain.models import GLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> GLVQ().fit(X, y).distances(X).shape
        (4, 2)
        """
        return self._distances(self._samples(X, to_measure=True))

    def _samples(self, X: ArrayLike, *, to_measure: bool = False) -> Array:
        """Return checked samples, in the precision of the model.

        Of those that are to be measured, infinite ones are found by their distances: looking for
        them here would take another tenth of the time.
        """
        check_is_fitted(self, "prototypes_")
        samples = validate_data(
            self,
            X,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False if to_measure else "allow-nan",
            reset=False,
        )
        return np.asarray(samples.astype(self.prototypes_.dtype, copy=False))

    def _distances(self, samples: Array) -> Array:
        found = np.empty((len(samples), len(self.prototypes_)), dtype=self.prototypes_.dtype)
        for rows, measured in self._measure(samples):
            found[rows] = measured.T
        return found

    def _measure(self, samples: Array) -> Iterator[tuple[slice, Array]]:
        """Yield the distances (prototypes, rows) of some rows after the other."""
        geometry, metric = self._geometry(), self._metric()
        # Distances are sums of squares: far from the origin they would lose their digits.
        origin = self.prototypes_.mean(axis=0)
        prototypes = self.prototypes_ - origin
        moved = np.empty_like(samples[:ROWS])  # once: new memory for every block costs as much
        for rows in row_blocks(len(samples), ROWS):
            own = moved[: rows.stop - rows.start]
            block = Block(np.subtract(samples[rows], origin, out=own), None)
            with np.errstate(over="ignore", invalid="ignore"):
                measured, _ = geometry.measure(block, prototypes, *metric)
                if not np.isfinite(measured.sum()):  # as any value that is missing makes it
                    assert_all_finite(
                        samples[rows],
                        allow_nan=True,
                        estimator_name=type(self).__name__,
                        input_name="X",
                    )
                    block = make_block(block.values)
                    if block.present is not None:
                        check_rows_present(block.present > 0, rows.start)
                    measured, _ = geometry.measure(block, prototypes, *metric)
                    check_finite(measured, samples[rows], rows.start)
            yield rows, measured

    @answers_in_blocks(index_type)
    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the index of the winning prototype: the cell that each sample falls in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        cells : ndarray of shape (n_samples,)
            Index of the closest prototype.

        Examples
        --------
        >>> from abstain.models import GLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> GLVQ().fit(X, y).apply(X).tolist()
        [0, 0, 1, 1]
        """
        samples = self._samples(X, to_measure=True)
        return np.concatenate([measured.argmin(axis=0) for _, measured in self._measure(samples)])

    def _closest_two(self, X: ArrayLike) -> ClosestTwo:
        """Return the winner of each sample, its distance and that of its closest rival."""
        samples = self._samples(X, to_measure=True)
        labels = self.prototype_labels_.tolist()
        found = no_samples_yet(len(samples), samples.dtype)
        for rows, measured in self._measure(samples):
            is_all = len(samples) <= ROWS
            part = found if is_all else ClosestTwo(*(array[rows] for array in found))
            closest_two(measured, labels, part)
        return found

    @answers_in_blocks(label_type)
    def predict(self, X: ArrayLike) -> Array:
        """Return the class of the closest prototype.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted classes.

        Examples
        --------
        >>> from abstain.models import GLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> GLVQ().fit(X, y).predict([[1.0, 0.5], [3.0, float("nan")]]).tolist()
        ['a', 'b']
        """
        winners = self.apply(X)
        return np.asarray(self.prototype_labels_[winners])

    @answers_in_blocks(number_type, n_scores)
    def decision_function(self, X: ArrayLike) -> Array:
        """Return minus the distance to the closest prototype of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            The largest is that of the predicted class; of two classes, by how much the second
            is closer than the first.

        Examples
        --------
        >>> from abstain.models import GLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> (GLVQ().fit(X, y).decision_function(X) > 0).tolist()
        [False, False, True, True]
        """
        distances = self.distances(X)
        scores = -np.stack(
            [distances[:, self.prototype_labels_ == name].min(axis=1) for name in self.classes_],
            axis=1,
        )
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores
