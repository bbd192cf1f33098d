"""The GLVQ family: generalised learning vector quantisation and its metric-learning variants.

All minimise Φ((d⁺ − d⁻)/(d⁺ + d⁻)), see `losses.relative_distance`.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain.models.adaptive_distances import (
    AdaptiveDistance,
    Diagonal,
    Euclidean,
    GlobalMatrix,
    LocalMatrices,
)
from abstain.models.base import PrototypeClassifier
from abstain.models.costs import Loss
from abstain.models.documentation import DIAGONAL, GLOBAL_MATRIX, LOCAL_MATRICES, documented
from abstain.models.fitting import Problem
from abstain.models.losses import relative_distance
from abstain.models.projection import ProjectionMixin

Array = NDArray[Any]


@dataclass(eq=False, repr=False, kw_only=True)
class RelativeDistanceClassifier(PrototypeClassifier):
    """Base class of the GLVQ family."""

    beta: float | None = 10.0

    def _loss(self, problem: Problem) -> Loss:
        return partial(relative_distance, beta=self.beta)

    def _scaled_metric(self, metric: Array) -> Array:
        # From an identity matrix instead of one of unit norm, the steps of prototypes and metric
        # are of similar size, and L-BFGS needs half as many.
        return np.asarray(metric * metric.shape[-1] ** 0.5)


@documented()
@dataclass(eq=False, repr=False, kw_only=True)
class GLVQ(RelativeDistanceClassifier):
    """Generalised learning vector quantisation: Euclidean distance, relative distance loss."""

    def _distance(self) -> AdaptiveDistance:
        return Euclidean()


@documented(DIAGONAL)
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


@documented(GLOBAL_MATRIX)
class GMLVQ(MatrixGLVQ):
    """Generalised matrix LVQ: one matrix Ω for all prototypes, relative distance loss."""

    _metric_name = "omega_"

    def _distance(self) -> AdaptiveDistance:
        return GlobalMatrix(self.n_components)


@documented(LOCAL_MATRICES)
class LGMLVQ(MatrixGLVQ):
    """Localised GMLVQ: a matrix Ω for each prototype, relative distance loss."""

    _metric_name = "omegas_"

    def _distance(self) -> AdaptiveDistance:
        return LocalMatrices(self.n_components)
