"""How does a prototype model become a scikit-learn classifier?

The base class checks the data, initializes the parameters, minimises the cost and predicts. Its
subclasses say which distance and which loss they combine.
"""

from __future__ import annotations  # signatures then show the names of types

import pickle
import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from abstain._core.documentation import documented
from abstain._core.errors import InputError, shown
from abstain._scale.blocks import is_dask, without_rows
from abstain._scale.lazy import Method, lazy_on_dask
from abstain.models.costs import Cost, Loss
from abstain.models.data import ArrayData, initial_prototypes, read_arrays
from abstain.models.distances import (
    AdaptiveDistance,
    ClosestTwo,
    SampleBlock,
    closest_two,
    make_block,
    normalise,
)
from abstain.models.insertion import Methods, Model, insert_prototypes
from abstain.models.lbfgs import FitResult
from abstain.models.on_dask import DaskData, read_blocks
from abstain.models.scaling import means_of_present, row_slices, scaling_from
from abstain.models.solvers import Problem, minimise
from abstain.models.streaming import StreamMixin
from abstain.models.validation import (
    check_finite,
    check_labels,
    check_magnitude,
    check_parameters,
    check_rows_present,
    check_warm_start,
    is_auto,
    prototype_counts,
)

Array = NDArray[Any]
Data = ArrayData | DaskData

# Rows that are measured at once: their values and distances fit a second-level cache.
ROWS = 2048

# Documents the samples that a method of a fitted model takes.
SAMPLES = """\
X : array-like of shape (n_samples, n_features)
    Samples; NaN is a missing value. A Dask array or frame gives a lazy Dask array."""


def answers_in_blocks(
    dtype: Callable[[Any], Any], columns: Callable[[Any], int | None] | None = None
) -> Callable[[Method], Method]:
    """Decorate a method of a fitted model that also takes Dask collections.

    Dask needs the type and the number of columns of the result in advance. The docstring gets the
    section on parameters, before that on the result.
    """

    def decorate(method: Method) -> Method:
        return lazy_on_dask("prototypes_", dtype, columns)(documented(SAMPLES)(method))

    return decorate


def n_scores(model: Any) -> int | None:
    """Return the number of columns of class scores; None for two classes, which have one score."""
    return None if len(model.classes_) == 2 else len(model.classes_)


@dataclass(eq=False, repr=False)
class PrototypeClassifier(StreamMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of all prototype models.

    The parameters are the fields of a dataclass, so that a subclass declares only its own.
    """

    n_prototypes_per_class: int | str | dict[Any, int] = "auto"
    _: KW_ONLY
    max_prototypes: int = 100
    init: str | ArrayLike = "kmeans"
    solver: str = "lbfgs"
    max_iter: int = 500
    tol: float = 1e-5
    class_weight: Any = None
    warm_start: bool = False
    verbose: int = 0
    random_state: Any = None
    # The penalty weight of models without a metric.
    regularization = 0.0
    # The attribute of the fitted metric, if the model learns one.
    _metric_name: ClassVar[str | None] = None
    # Iterations of L-BFGS that move only the prototypes before the metric adapts.
    _warm_up: ClassVar[int] = 0
    # Whether L-BFGS takes the covariance of samples into account: a matter of speed alone.
    _by_covariance: ClassVar[bool] = False

    @abstractmethod
    def _distance(self) -> AdaptiveDistance:
        """Return the distance of the model."""

    @abstractmethod
    def _loss(self, problem: Problem) -> Loss:
        """Return the loss, for distances between scaled samples."""

    @abstractmethod
    def _doubts(self, losses: Array) -> Array:
        """Return the doubt of each loss, from 0 (right) to 1 (wrong)."""

    def _scaled_metric(self, metric: Array) -> Array:
        """Return the same metric at the best scale for L-BFGS."""
        return metric

    def _metric(self) -> list[Array]:
        return [] if self._metric_name is None else [getattr(self, self._metric_name)]

    def metric_roots(self) -> Array:
        """Return Ω of the metric Λ = ΩᵀΩ, for every model.

        Returns
        -------
        roots : ndarray of shape (1 or n_prototypes, n_rows, n_features)
            One for all prototypes, or one per prototype.

        Examples
        --------
        >>> from abstain.models import GRLVQ, LGMLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> GRLVQ().fit(X, y).metric_roots().shape, LGMLVQ().fit(X, y).metric_roots().shape
        ((1, 2, 2), (2, 2, 2))
        """
        check_is_fitted(self, "prototypes_")
        metric = self._metric()
        roots = metric[0] if metric else np.ones_like(self.prototypes_[0])
        if roots.ndim == 1:
            roots = np.diag(roots)
        return np.asarray(roots if roots.ndim == 3 else roots[np.newaxis])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __dask_tokenize__(self) -> tuple[str, bytes]:
        # Dask would identify a dataclass by its fields, and so confuse fits with equal parameters.
        return type(self).__qualname__, pickle.dumps(vars(self))

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit prototypes and metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, also as a Dask array or frame; NaN is a missing value. Values may be at most
            √(largest number / n_features) / 4, so that squared distances do not overflow.
        y : array-like of shape (n_samples,)
            Classes of the samples; with Dask, chunked like ``X``.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; an integer weight is the same as repeating the row. With "adam" that holds
            for the cost only, since equal rows fall into different batches. With Dask, chunked
            like ``X``.

        Returns
        -------
        self : estimator
            The fitted model.

        Warns
        -----
        UserWarning
            If no training sample is predicted as some class. Not with Dask, nor if
            ``class_weight`` is a dict.

        Notes
        -----
        Samples of a Dask collection are read three times, once more if prototypes are initialized
        from samples, and once more for "auto" numbers of prototypes, which some 20,000 random
        samples decide. A scaled copy stays in the memory of the workers until the fit ends.
        With "lbfgs" the model equals that of one machine, up to rounding, except that prototypes
        initialized from samples use at most 20,000 random samples of a class (or 20 per
        prototype, if that is more). With "adam" batches are drawn within the chunks, one chunk
        after the other: shuffle rows that are sorted by class. ``loss_`` is then the cost of
        all samples.

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
        if self._is_to_grow() and not problem.is_warm:
            methods = Methods(self._fit_stage, self._doubts, self._tell)
            # Without a seed, equal data still give equal models, as with one prototype per class.
            state = RandomState(0) if self.random_state is None else random_state
            problem = insert_prototypes(problem, data, methods, state)
        loss = self._loss(problem)
        fit = self._minimise(problem, loss, random_state)
        self._store(problem, loss, fit)
        if not fit.converged:
            warnings.warn(
                f"the cost was still falling after max_iter={self.max_iter} iterations; raise "
                "max_iter, raise tol, or scale the features",
                ConvergenceWarning,
                stacklevel=2,
            )
        # Who weighs classes by hand knows why; samples of Dask are not read once more.
        elif isinstance(data, ArrayData) and not isinstance(self.class_weight, dict):
            self._warn_of_missed_classes(data.rows.samples)
        return self

    def _warn_of_missed_classes(self, samples: Array) -> None:
        """Warn of classes that no sample is predicted as."""
        missed, n_parts = set(self.classes_.tolist()), -(-len(samples) // ROWS)
        for start in range(n_parts):  # parts with samples of all classes, even if these are sorted
            missed -= set(self._answers(samples[start::n_parts]).tolist())
            if not missed:
                return
        names = ", ".join(map(shown, sorted(missed, key=str)))
        remedy = 'set class_weight="balanced"'
        if self.class_weight is not None:
            remedy = "the features may not tell it from other classes"
        warnings.warn(f"no training sample is predicted as {names}; {remedy}", stacklevel=3)

    def _data(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Data:
        """Return checked samples, without those of weight 0."""
        if is_dask(X):
            validate_data(self, without_rows(X), skip_check_array=True)
            check_parameters(self.get_params(deep=False), self.n_features_in_)
            return read_blocks(X, y, sample_weight, self.class_weight)
        for name, array in (("y", y), ("sample_weight", sample_weight)):
            if is_dask(array):
                raise InputError(
                    argument=name,
                    requirement=f"must not be a Dask {type(array).__name__} where X is a "
                    f"{type(X).__name__}",
                    remedy=f"give X as a Dask collection chunked like {name}. Steps of a pipeline "
                    "collect samples: scale them by Dask, such as (X - X.mean(0)) / X.std(0)",
                )
        check_labels(y)
        samples, targets = validate_data(
            self, X, y, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        if targets.dtype.kind not in "iub":  # integers are classes, and the check takes long
            check_classification_targets(targets)
        check_parameters(self.get_params(deep=False), samples.shape[1])
        return read_arrays(samples, targets, sample_weight, self.class_weight)

    def _problem(self, data: Data, random_state: RandomState) -> Problem:
        lowest, highest = data.ranges()
        check_magnitude((lowest, highest), data.dtype, getattr(self, "feature_names_in_", None))
        names, sizes = data.classes.tolist(), data.class_sizes()
        is_warm = self.warm_start and hasattr(self, "prototypes_")
        counts = prototype_counts(self._wanted_prototypes(names, is_warm), names, sizes)
        sums, totals = data.class_sums()
        origin = means_of_present(sums.sum(axis=0), totals.sum(axis=0)).astype(data.dtype)
        scaling = scaling_from(origin, data.deviations(origin))
        # For a feature that is missing throughout a class, use the mean of all classes.
        class_means = np.where(totals > 0, means_of_present(sums, totals), origin)
        if is_warm:
            prototype_classes = np.repeat(np.arange(len(counts)), counts)
            prototypes, metric = self._last_parameters(data.classes[prototype_classes], data)
        else:
            rows = data.initialization_rows(counts, self.init, random_state)
            prototypes, prototype_classes = initial_prototypes(
                *rows, class_means, counts, random_state, self.init
            )
            metric = list(self._distance().initial_metric(prototypes.shape, random_state))
        batches = data.batches(scaling, random_state) if self.solver == "adam" else None
        start = [scaling.transform(prototypes), *map(self._scaled_metric, metric)]
        return Problem(
            blocks=data.blocks(scaling) if batches is None else batches.blocks(),
            batches=batches,
            scaling=scaling,
            classes=data.classes,
            prototype_classes=prototype_classes,
            distance=self._distance(),
            start=[parameter.astype(data.dtype) for parameter in start],
            is_warm=is_warm,
            varies=lowest < highest,
            warm_up=0 if is_warm else self._warm_up,
            by_covariance=self._by_covariance,
        )

    def _is_to_grow(self) -> bool:
        """Tell whether to look for a number of prototypes; an array of them says how many."""
        return is_auto(self.n_prototypes_per_class) and isinstance(self.init, str)

    def _wanted_prototypes(self, names: list[Any], is_warm: bool) -> int | str | dict[Any, int]:
        """Return the number of prototypes to begin with; a warm start keeps what was found."""
        if not is_auto(self.n_prototypes_per_class):
            return self.n_prototypes_per_class
        last = Counter(self.prototype_labels_.tolist()) if is_warm else Counter()
        return {name: last[name] for name in names if name in last}

    def _last_parameters(self, labels: Array, data: Data) -> tuple[Array, list[Array]]:
        """Return the prototypes and the metric of the last fit, if they suit the data."""
        shape = len(labels), data.n_features
        new = [np.empty(shape), *self._distance().initial_metric(shape, RandomState(0))]
        old = [self.prototypes_, *self._metric()]
        check_warm_start(old, self.prototype_labels_, new, labels)
        return self.prototypes_, self._metric()

    def _fit_stage(self, problem: Problem, n_iterations: int) -> Model:
        """Fit a few iterations, without a word."""
        loss = self._loss(problem)
        fit = minimise(
            Cost(problem.prototype_classes, problem.distance, loss, self.regularization),
            problem,
            max_iter=min(self.max_iter, n_iterations),
            tol=self.tol,
            random_state=RandomState(0),
            callback=lambda n_iter, cost, parameters: None,
        )
        prototypes, *metric = fit.parameters
        start = [prototypes, *(self._scaled_metric(normalise(each)[0]) for each in metric)]
        return Model(problem.prototype_classes, start, loss)

    def _tell(self, text: str) -> None:
        if self.verbose:
            print(f"{type(self).__name__}: {text}")

    def _minimise(self, problem: Problem, loss: Loss, random_state: RandomState) -> FitResult:
        """Minimise the cost; an interrupted fit with warm start keeps its last parameters."""
        last = FitResult(problem.start, np.inf, 0, False)

        def after_iteration(n_iter: int, cost: float, parameters: list[Array]) -> None:
            nonlocal last
            last = FitResult(parameters, cost, n_iter, False)
            if self.verbose and n_iter % int(self.verbose) == 0:
                self._tell(f"iteration {n_iter}, cost {cost:.6f}")

        cost = Cost(problem.prototype_classes, problem.distance, loss, self.regularization)
        try:
            return minimise(
                cost,
                problem,
                max_iter=self.max_iter,
                tol=self.tol,
                random_state=random_state,
                callback=after_iteration,
            )
        except KeyboardInterrupt:
            if self.warm_start:
                self._store(problem, loss, last)
            raise

    def _store(self, problem: Problem, loss: Loss, fit: FitResult) -> None:
        """Set the fitted attributes, in the units of the data."""
        prototypes = fit.parameters[0]
        self.__dict__.pop("_stream", None)
        self.classes_ = problem.classes
        self.prototype_labels_ = problem.classes[problem.prototype_classes]
        self.prototypes_ = problem.scaling.inverse_transform(prototypes).astype(prototypes.dtype)
        self.loss_, self.n_iter_ = fit.cost, max(fit.n_iter, 1)

    @answers_in_blocks(lambda model: model.prototypes_.dtype, lambda model: len(model.prototypes_))
    def distances(self, X: ArrayLike) -> Array:
        """Return the squared distance of every sample to every prototype.

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
        samples = self._samples(X, to_measure=True)
        distances = np.empty((len(samples), len(self.prototypes_)), dtype=self.prototypes_.dtype)
        for rows, measured in self._measure(samples):
            distances[rows] = measured.T
        return distances

    def _samples(self, X: ArrayLike, *, to_measure: bool = False) -> Array:
        """Return checked samples, in the precision of the model.

        ``to_measure`` skips the check for infinite values, which `_measure` finds by the distances:
        the check takes a tenth of the time of a prediction.
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

    def _measure(self, samples: Array) -> Iterator[tuple[slice, Array]]:
        """Yield slices of rows and their distances (prototypes, rows)."""
        distance, metric = self._distance(), self._metric()
        # Sums of squares far from the origin would lose digits.
        origin = self.prototypes_.mean(axis=0)
        prototypes = self.prototypes_ - origin
        moved = np.empty_like(samples[:ROWS])  # allocating per block is slow
        for rows in row_slices(len(samples), ROWS):
            own = moved[: rows.stop - rows.start]
            block = SampleBlock(np.subtract(samples[rows], origin, out=own), None)
            with np.errstate(over="ignore", invalid="ignore"):
                measured, _ = distance.measure(block, prototypes, *metric)
                if not np.isfinite(measured.sum()):  # missing values also get here
                    assert_all_finite(
                        samples[rows],
                        allow_nan=True,
                        estimator_name=type(self).__name__,
                        input_name="X",
                    )
                    block = make_block(block.values)
                    if block.present is not None:
                        check_rows_present(block.present > 0, rows.start)
                    measured, _ = distance.measure(block, prototypes, *metric)
                    check_finite(measured, samples[rows], rows.start)
            yield rows, measured

    @answers_in_blocks(lambda model: np.intp)
    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the index of the closest prototype: the cell of each sample.

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
        return self._winners(self._samples(X, to_measure=True))

    def _winners(self, samples: Array) -> NDArray[np.int64]:
        return np.concatenate([measured.argmin(axis=0) for _, measured in self._measure(samples)])

    def _closest_two(self, X: ArrayLike) -> ClosestTwo:
        """Return the closest prototype of each sample and of the closest other class."""
        samples = self._samples(X, to_measure=True)
        labels = self.prototype_labels_.tolist()
        closest = ClosestTwo.empty(len(samples), samples.dtype)
        for rows, measured in self._measure(samples):
            is_all = len(samples) <= ROWS
            part = closest if is_all else ClosestTwo(*(array[rows] for array in closest))
            closest_two(measured, labels, part)
        return closest

    @answers_in_blocks(lambda model: model.classes_.dtype)
    def predict(self, X: ArrayLike) -> Array:
        """Return the class of the closest prototype.

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
        return self._answers(self._samples(X, to_measure=True))

    def _answers(self, samples: Array) -> Array:
        """Return the predicted classes of checked samples."""
        return np.asarray(self.prototype_labels_[self._winners(samples)])

    @answers_in_blocks(lambda model: model.prototypes_.dtype, n_scores)
    def decision_function(self, X: ArrayLike) -> Array:
        """Return minus the distance to the closest prototype of each class.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Largest for the predicted class; for two classes, by how much the second is closer
            than the first.

        Examples
        --------
        >>> from abstain.models import GLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> (GLVQ().fit(X, y).decision_function(X) > 0).tolist()
        [False, False, True, True]
        """
        distances = self.distances(X)
        # A class of a stream that has been announced and not met is infinitely far.
        scores = -np.stack(
            [
                distances[:, self.prototype_labels_ == name].min(axis=1, initial=np.inf)
                for name in self.classes_
            ],
            axis=1,
        )
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores
