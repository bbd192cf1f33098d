"""How does a prototype model become a scikit-learn classifier?

The shell checks the data, starts the parameters, has the cost minimised and answers questions about
new samples. Final classes say which geometry and which loss they are made of, nothing else.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from abstain._checks import InputError
from abstain._validation import check_sample_weight
from abstain.models.distances import make_block
from abstain.models.fitting import (
    ClassBlock,
    Cost,
    Fit,
    Loss,
    class_blocks,
    fit_lbfgs,
    mean_of_present,
    start_prototypes,
)
from abstain.models.geometry import Frozen, Geometry, relevances

__all__ = ["PrototypeClassifier"]

Array = NDArray[Any]

# Rows that are measured at once: what is kept beyond the result stays small.
ROWS = 1 << 14
# Iterations in which the prototypes move before the metric does.
WARM_UP = 10


class PrototypeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The shell of all prototype models."""

    n_prototypes_per_class: int | dict[Any, int]
    max_iter: int
    tol: float
    regularization: float
    class_weight: Any
    random_state: Any

    @abstractmethod
    def _geometry(self) -> Geometry:
        """Return the distance and the metric that is learnt."""

    @abstractmethod
    def _loss(self, spread: float, owners: NDArray[np.int64], n_features: int) -> Loss:
        """Return the loss; ``spread`` is the mean distance to the own class at the start."""

    # The public name of the fitted metric; models without one have no relevances either.
    _metric_name: str | None = None

    def _metric(self) -> list[Array]:
        return [] if self._metric_name is None else [getattr(self, self._metric_name)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit prototypes and metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; an integer weight equals so many equal rows.

        Returns
        -------
        self : estimator
            Fitted.
        """
        samples, targets = validate_data(
            self, X, y, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        check_classification_targets(targets)
        self.classes_, labels = np.unique(targets, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(f"y must hold at least two classes, got one class: {self.classes_[0]}")
        _check_present(samples)
        weights = check_sample_weight(
            sample_weight, samples, dtype=samples.dtype, ensure_non_negative=True
        )
        weights = weights * compute_sample_weight(self.class_weight, targets).astype(samples.dtype)

        # Distances are sums of squares: far from the origin they would lose their digits.
        shift = mean_of_present(samples, weights)
        fit = self._minimise(samples - shift, labels, weights)
        prototypes, *metric = fit.parameters
        self.prototypes_ = prototypes + shift
        self.loss_, self.n_iter_ = fit.cost, max(fit.n_iter, 1)
        for name, fitted in zip(filter(None, [self._metric_name]), metric, strict=True):
            setattr(self, name, fitted)
            self.relevances_ = relevances(fitted)
        if not fit.converged:
            warnings.warn(
                f"the cost was still falling after max_iter={self.max_iter} iterations; raise "
                "max_iter, raise tol, or scale the features",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _minimise(self, samples: Array, labels: NDArray[np.int64], weights: Array) -> Fit:
        random_state = check_random_state(self.random_state)
        geometry = self._geometry()
        prototypes, owners = start_prototypes(
            samples, labels, weights, self._counts(labels), random_state
        )
        metric = [
            part.astype(samples.dtype)
            for part in geometry.start(len(prototypes), samples.shape[1], random_state)
        ]
        self.prototype_labels_ = self.classes_[owners]
        blocks = class_blocks(samples, labels, weights)
        spread = _mean_distance(blocks, owners, geometry, prototypes, *metric)
        loss = self._loss(spread, owners, samples.shape[1])
        if metric:
            # A metric that adapts to prototypes still in a heap can get stuck for good.
            still = Cost(blocks, owners, Frozen(geometry, tuple(metric)), loss)
            (prototypes,), *_ = fit_lbfgs(still, [prototypes], max_iter=WARM_UP, tol=self.tol)
        cost = Cost(blocks, owners, geometry, loss, self.regularization)
        return fit_lbfgs(cost, [prototypes, *metric], max_iter=self.max_iter, tol=self.tol)

    def _counts(self, labels: NDArray[np.int64]) -> list[int]:
        """Return the number of prototypes of each class."""
        asked = self.n_prototypes_per_class
        sizes = np.bincount(labels)
        counts = [
            asked.get(name, 1) if isinstance(asked, dict) else asked
            for name in self.classes_.tolist()
        ]
        for name, count, size in zip(self.classes_.tolist(), counts, sizes, strict=True):
            if not isinstance(count, int | np.integer) or not 1 <= count <= size:
                raise InputError(
                    f"n_prototypes_per_class must be an integer from 1 to the {size} samples of "
                    f"class {name!r}, got {count!r}"
                )
        return [int(count) for count in counts]

    def distances(self, X: ArrayLike) -> Array:
        """Return the squared distance of every sample to every prototype.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_prototypes)
            In the metric of the model.
        """
        check_is_fitted(self)
        samples = validate_data(
            self, X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", reset=False
        )
        _check_present(samples, columns=False)
        geometry, dtype = self._geometry(), self.prototypes_.dtype
        shift = self.prototypes_.mean(axis=0)
        parts = [
            geometry.measure(
                make_block(samples[start : start + ROWS].astype(dtype, copy=False) - shift),
                self.prototypes_ - shift,
                *self._metric(),
            )[0].T
            for start in range(0, len(samples), ROWS)
        ]
        return np.concatenate(parts)

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the index of the winning prototype: the cell that each sample falls in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.

        Returns
        -------
        cells : ndarray of shape (n_samples,)
            Index of the closest prototype.
        """
        winners: NDArray[np.int64] = self.distances(X).argmin(axis=1)
        return winners

    def predict(self, X: ArrayLike) -> Array:
        """Return the class of the closest prototype.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted classes.
        """
        winners = self.apply(X)
        return np.asarray(self.prototype_labels_[winners])

    def decision_function(self, X: ArrayLike) -> Array:
        """Return minus the distance to the closest prototype of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; NaN is a missing value.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            The largest is that of the predicted class; of two classes, by how much the second
            is closer than the first.
        """
        distances = self.distances(X)
        scores = -np.stack(
            [distances[:, self.prototype_labels_ == name].min(axis=1) for name in self.classes_],
            axis=1,
        )
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores


def _mean_distance(
    blocks: list[ClassBlock], owners: NDArray[np.int64], geometry: Geometry, *parameters: Array
) -> float:
    """Return the weighted mean distance of the samples to the closest prototype of their class."""
    total, weight = 0.0, 0.0
    for label, block, weights in blocks:
        distances = geometry.measure(block, *parameters)[0][owners == label].min(axis=0)
        total += float(weights @ distances)
        weight += float(weights.sum())
    return total / weight


def _check_present(X: Array, *, columns: bool = True) -> None:
    """Refuse rows (and columns) of which nothing is known."""
    missing = np.isnan(X)
    for what, empty in [("row", missing.all(axis=1)), ("column", missing.all(axis=0) & columns)]:
        if empty.any():
            raise InputError(
                f"X must hold some value in each {what}, got only NaN in {what} "
                f"{int(empty.argmax())}; drop it"
            )
