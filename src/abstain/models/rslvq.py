"""The RSLVQ family: robust soft learning vector quantisation and its metric-learning variants.

With P(j|x) ∝ exp(−d_j / 2σ_j² − (M/2) log σ_j²) over all prototypes, M the number of features
present, and P_y(j|x) the same over those of the own class, the loss is
−log Σ_{j of class y} P(j|x):

    ∂/∂d_j = (P_y(j|x) − P(j|x)) / 2σ_j².
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.errors import InputError
from abstain.models.base import PrototypeClassifier, answers_in_blocks, n_scores
from abstain.models.costs import Loss, Own, mean_distances
from abstain.models.distances import AdaptiveDistance, Euclidean, GlobalMatrix, LocalMatrices
from abstain.models.documentation import BANDWIDTHS, GLOBAL_MATRIX, LOCAL_MATRICES, documented_model
from abstain.models.lbfgs import FitResult
from abstain.models.projection import ProjectionMixin
from abstain.models.solvers import Problem

Array = NDArray[Any]

# The bandwidth, relative to the mean distance of samples to their prototypes at the start.
BANDWIDTH = 0.05


@dataclass(frozen=True, eq=False)
class LikelihoodRatio:
    """The loss of samples divided by ``scale``; the bandwidths are in the units of the data."""

    sigma2: Array
    scale: float = 1.0

    def __call__(self, distances: Array, own: Own, n_present: Array) -> tuple[Array, Array]:
        """Return the loss of each sample and its gradient by the distances."""
        sigma2 = (self.sigma2 / self.scale**2).astype(distances.dtype)
        log_density = log_densities(distances, sigma2, n_present)
        loss, gradient = _log_sum_exp(log_density)
        np.negative(gradient, out=gradient)
        for members, part in own:
            if len(members) == 1:
                loss[part] -= log_density[members[0], part]
                gradient[members[0], part] += 1
                continue
            among_own, shares = _log_sum_exp(log_density[members, part])
            loss[part] -= among_own
            gradient[members, part] += shares
        gradient /= 2 * sigma2[:, np.newaxis]
        return loss, gradient


def log_densities(distances: Array, sigma2: Array, n_present: Array) -> Array:
    """Return −d/2σ² − (M/2) log σ² for each prototype (rows), up to a common constant."""
    volumes = (np.log(sigma2 / sigma2[0]) / 2).astype(distances.dtype, copy=False)
    with np.errstate(over="ignore"):
        density = distances / (-2 * sigma2)[:, np.newaxis]
        if volumes.any():
            density -= np.multiply.outer(volumes, n_present.astype(distances.dtype))
    # Differences of densities must be finite even where all of them overflow.
    return np.asarray(np.maximum(density, np.finfo(density.dtype).min / 4, out=density))


def _log_sum_exp(values: Array) -> tuple[Array, Array]:
    """Return log Σ exp over the rows, and the share of each row in the sum."""
    highest = values.max(axis=0)
    shares = values - highest
    np.exp(shares, out=shares)
    total = shares.sum(axis=0)
    shares /= total
    return highest + np.log(total), shares


@dataclass(eq=False, repr=False, kw_only=True)
class LikelihoodRatioClassifier(PrototypeClassifier):
    """Base class of the RSLVQ family."""

    # Adapted from the start, the metric ends where MRSLVQ is half a point less accurate.
    _warm_up = 10

    sigma2: float | str | ArrayLike | None = None

    def _loss(self, problem: Problem) -> Loss:
        return LikelihoodRatio(self._bandwidths(problem), problem.scaling.scale)

    def _is_to_grow(self) -> bool:
        # Bandwidths for each of the prototypes say how many there are.
        return super()._is_to_grow() and (self.sigma2 is None or np.isscalar(self.sigma2))

    def _doubts(self, losses: Array) -> Array:
        return np.asarray(-np.expm1(-losses))

    def _store(self, problem: Problem, loss: Loss, fit: FitResult) -> None:
        super()._store(problem, loss, fit)
        assert isinstance(loss, LikelihoodRatio)
        self.sigma2_, self._estimated_as = loss.sigma2, self._bandwidth_rule

    @property
    def _bandwidth_rule(self) -> str:
        if self.sigma2 is None:
            return "common"
        return self.sigma2 if isinstance(self.sigma2, str) else "given"

    def _bandwidths(self, problem: Problem) -> Array:
        """Return σ² of each prototype, in the units of the data."""
        n_prototypes = len(problem.prototype_classes)
        if self._bandwidth_rule == "given":
            return _checked_bandwidths(self.sigma2, n_prototypes)
        if self._bandwidth_rule not in ("common", "local"):
            raise InputError(
                argument="sigma2",
                value=self.sigma2,
                requirement="must be None, 'local', a positive number or an array of them",
            )
        # A warm start keeps its bandwidths: others would make it minimise another cost.
        if problem.is_warm and self._estimated_as == self._bandwidth_rule:
            return self.sigma2_
        means, weights = mean_distances(
            problem.blocks, problem.prototype_classes, problem.distance, *problem.start
        )
        # If all samples are on their prototypes, any bandwidth is right.
        common = float(np.average(means, weights=weights)) or 1.0
        spread = np.where(means > 0, means, common) if self.sigma2 == "local" else common
        return np.full(n_prototypes, BANDWIDTH * problem.scaling.scale**2) * spread

    @answers_in_blocks(lambda model: model.prototypes_.dtype, lambda model: len(model.classes_))
    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior of each class.

        Returns
        -------
        posteriors : ndarray of shape (n_samples, n_classes)
            They sum to 1.

        Examples
        --------
        >>> from abstain.models import RSLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> RSLVQ().fit(X, y).predict_proba([[2.0, 0.5]]).round(2).tolist()
        [[0.5, 0.5]]
        """
        scores = self._log_scores(self._samples(X, to_measure=True))
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores

    def _log_scores(self, samples: Array) -> Array:
        """Return log Σ exp of the densities of each class, up to a constant per sample."""
        scores = np.empty((len(samples), len(self.classes_)), dtype=samples.dtype)
        members = [np.flatnonzero(self.prototype_labels_ == name) for name in self.classes_]
        for rows, distances in self._measure(samples):
            n_present = np.count_nonzero(~np.isnan(samples[rows]), axis=1)
            density = log_densities(distances, self.sigma2_.astype(distances.dtype), n_present)
            for index, own in enumerate(members):
                if not len(own):  # announced, not met
                    scores[rows, index] = -np.inf
                    continue
                highest = density[own].max(axis=0)
                scores[rows, index] = highest + np.log(np.exp(density[own] - highest).sum(axis=0))
        return scores

    @answers_in_blocks(lambda model: model.prototypes_.dtype, n_scores)
    def decision_function(self, X: ArrayLike) -> Array:
        """Return the logarithm of the posterior of each class.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            At most 0, and largest for the predicted class; for two classes, the log-odds of the
            second.

        Examples
        --------
        >>> from abstain.models import RSLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> (RSLVQ().fit(X, y).decision_function(X) > 0).tolist()
        [False, False, True, True]
        """
        scores = self._log_scores(self._samples(X, to_measure=True))
        if len(self.classes_) == 2:
            return np.asarray(scores[:, 1] - scores[:, 0])
        scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return scores

    @answers_in_blocks(lambda model: model.classes_.dtype)
    def predict(self, X: ArrayLike) -> Array:
        """Return the class of the largest posterior.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted classes.

        Examples
        --------
        >>> from abstain.models import RSLVQ
        >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
        >>> RSLVQ().fit(X, y).predict([[1.0, 0.5], [3.0, float("nan")]]).tolist()
        ['a', 'b']
        """
        return self._answers(self._samples(X, to_measure=True))

    def _answers(self, samples: Array) -> Array:
        return np.asarray(self.classes_[self._log_scores(samples).argmax(axis=1)])


def _checked_bandwidths(sigma2: Any, n_prototypes: int) -> Array:
    """Return bandwidths set by the user, one for each prototype."""
    try:
        widths = np.asarray(sigma2)
    except ValueError:  # lists of unequal lengths
        widths = np.empty(0, dtype=object)
    if widths.dtype.kind not in "iuf" or not (np.isfinite(widths) & (widths > 0)).all():
        raise InputError(
            argument="sigma2",
            value=sigma2,
            requirement="must be positive, or None to estimate it",
        )
    if widths.shape not in ((), (n_prototypes,)):
        raise InputError(
            argument="sigma2",
            requirement=f"must be one number or one for each of the {n_prototypes} prototypes",
            got=f"shape {widths.shape}",
        )
    return np.broadcast_to(widths.astype(np.float64), n_prototypes).copy()


@documented_model(BANDWIDTHS)
@dataclass(eq=False, repr=False, kw_only=True)
class RSLVQ(LikelihoodRatioClassifier):
    """Robust soft LVQ: Euclidean distance, likelihood ratio loss."""

    def _distance(self) -> AdaptiveDistance:
        return Euclidean()


@dataclass(eq=False, repr=False, kw_only=True)
class MatrixRSLVQ(ProjectionMixin, LikelihoodRatioClassifier):
    """The parameters of MRSLVQ and LMRSLVQ."""

    n_components: int | None = None
    regularization: float = 0.01


@documented_model(GLOBAL_MATRIX, BANDWIDTHS)
class MRSLVQ(MatrixRSLVQ):
    """Matrix robust soft LVQ: one matrix Ω for all prototypes, likelihood ratio loss."""

    _metric_name = "omega_"

    def _distance(self) -> AdaptiveDistance:
        return GlobalMatrix(self.n_components)


@documented_model(LOCAL_MATRICES, BANDWIDTHS)
class LMRSLVQ(MatrixRSLVQ):
    """Localised MRSLVQ: a matrix Ω for each prototype, likelihood ratio loss."""

    _metric_name = "omegas_"

    def _distance(self) -> AdaptiveDistance:
        return LocalMatrices(self.n_components)
