"""The GLVQ family: generalised learning vector quantisation and its metric-learning variants.

With d⁺ the distance to the closest prototype of the own class, d⁻ to the closest one of another,
μ = (d⁺ − d⁻)/(d⁺ + d⁻) is negative iff the sample is classified correctly. The loss is Φ(μ), the
identity or the logistic function of βμ:

    ∂Φ/∂d⁺ = Φ'(μ) · 2d⁻/(d⁺ + d⁻)²,      ∂Φ/∂d⁻ = −Φ'(μ) · 2d⁺/(d⁺ + d⁻)².
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain.models.base import PrototypeClassifier
from abstain.models.costs import Loss, Own
from abstain.models.distances import (
    AdaptiveDistance,
    Diagonal,
    Euclidean,
    GlobalMatrix,
    LocalMatrices,
)
from abstain.models.documentation import DIAGONAL, GLOBAL_MATRIX, LOCAL_MATRICES, documented_model
from abstain.models.projection import ProjectionMixin
from abstain.models.solvers import Problem

Array = NDArray[Any]


def relative_distance(
    distances: Array, own: Own, n_present: Array, *, beta: float | None = None
) -> tuple[Array, Array]:
    """Return the GLVQ loss of each sample and its gradient by the distances.

    Both distances leave out the same features, so their ratio needs no ``n_present``.
    """
    nearest_own, others = np.empty(distances.shape[1], dtype=np.int64), distances.copy()
    for members, part in own:
        nearest_own[part] = members[0]
        if len(members) > 1:
            nearest_own[part] = members[distances[members, part].argmin(axis=0)]
        others[members, part] = np.inf
    columns = np.arange(distances.shape[1])
    at_own, at_other = (nearest_own, columns), (others.argmin(axis=0), columns)
    plus, minus = distances[at_own], distances[at_other]
    total = plus + minus
    # A sample on two prototypes of different classes has μ = 0 and no gradient.
    total[total == 0] = np.inf
    loss, slope = _transfer((plus - minus) / total, beta)
    gradient = np.zeros_like(distances)
    gradient[at_own] = slope * 2 * (minus / total) / total
    gradient[at_other] = -slope * 2 * (plus / total) / total
    return loss, gradient


def _transfer(mu: Array, beta: float | None) -> tuple[Array, Array]:
    """Return Φ(μ) and Φ'(μ)."""
    if beta is None:
        return mu, np.ones_like(mu)
    logistic = 1 / (1 + np.exp(-beta * mu))
    return logistic, beta * logistic * (1 - logistic)


@dataclass(eq=False, repr=False, kw_only=True)
class RelativeDistanceClassifier(PrototypeClassifier):
    """Base class of the GLVQ family."""

    # It spares a quarter of the iterations here, and none in the RSLVQ family.
    _by_covariance = True

    beta: float | None = 10.0

    def _loss(self, problem: Problem) -> Loss:
        return partial(relative_distance, beta=self.beta)

    def _doubts(self, losses: Array) -> Array:
        return (1 + losses) / 2 if self.beta is None else losses

    def _scaled_metric(self, metric: Array) -> Array:
        # From an identity matrix instead of one of unit norm, the steps of prototypes and metric
        # are of similar size, and L-BFGS needs half as many. Several matrices have that norm in
        # all: if each had it, L-BFGS would need a tenth more.
        n_matrices = len(metric) if metric.ndim == 3 else 1
        return np.asarray(metric * (metric.shape[-1] / n_matrices) ** 0.5)


@documented_model()
@dataclass(eq=False, repr=False, kw_only=True)
class GLVQ(RelativeDistanceClassifier):
    """Generalised learning vector quantisation: Euclidean distance, relative distance loss."""

    def _distance(self) -> AdaptiveDistance:
        return Euclidean()


@documented_model(DIAGONAL)
@dataclass(eq=False, repr=False, kw_only=True)
class GRLVQ(ProjectionMixin, RelativeDistanceClassifier):
    """Generalised relevance LVQ: a weight for each feature, relative distance loss."""

    _metric_name = "scales_"

    regularization: float = 0.01

    def _distance(self) -> AdaptiveDistance:
        return Diagonal()


@dataclass(eq=False, repr=False, kw_only=True)
class MatrixGLVQ(ProjectionMixin, RelativeDistanceClassifier):
    """The parameters of GMLVQ and LGMLVQ."""

    beta: float | None = 5.0
    n_components: int | None = None
    regularization: float = 0.01


@documented_model(GLOBAL_MATRIX)
class GMLVQ(MatrixGLVQ):
    """Generalised matrix LVQ: one matrix Ω for all prototypes, relative distance loss."""

    _metric_name = "omega_"

    def _distance(self) -> AdaptiveDistance:
        return GlobalMatrix(self.n_components)


@documented_model(LOCAL_MATRICES)
class LGMLVQ(MatrixGLVQ):
    """Localised GMLVQ: a matrix Ω for each prototype, relative distance loss."""

    _metric_name = "omegas_"

    def _distance(self) -> AdaptiveDistance:
        return LocalMatrices(self.n_components)
