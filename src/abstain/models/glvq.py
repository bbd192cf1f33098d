"""The GLVQ family: generalised learning vector quantisation and its metric-learning variants.

All minimise Φ((d⁺ − d⁻)/(d⁺ + d⁻)), see `losses.relative_distance`.
"""

from __future__ import annotations  # signatures then show the names of types

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


class RelativeDistanceClassifier(PrototypeClassifier):
    """Base class of the GLVQ family."""

    beta: float | None

    def _loss(self, problem: Problem) -> Loss:
        return partial(relative_distance, beta=self.beta)

    def _scaled_metric(self, metric: Array) -> Array:
        # From an identity matrix instead of one of unit norm, the steps of prototypes and metric
        # are of similar size, and L-BFGS needs half as many.
        return np.asarray(metric * metric.shape[-1] ** 0.5)


@documented()
class GLVQ(RelativeDistanceClassifier):
    """Generalised learning vector quantisation: Euclidean distance, relative distance loss."""

    def __init__(
        self,
        n_prototypes_per_class: int | dict[Any, int] = 1,
        *,
        beta: float | None = 10.0,
        init: str | ArrayLike = "kmeans",
        solver: str = "lbfgs",
        max_iter: int = 500,
        tol: float = 1e-5,
        class_weight: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_prototypes_per_class = n_prototypes_per_class
        self.beta = beta
        self.init = init
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def _distance(self) -> AdaptiveDistance:
        return Euclidean()


@documented(DIAGONAL)
class GRLVQ(ProjectionMixin, RelativeDistanceClassifier):
    """Generalised relevance LVQ: a weight for each feature, relative distance loss."""

    _metric_name = "scales_"

    def __init__(
        self,
        n_prototypes_per_class: int | dict[Any, int] = 1,
        *,
        beta: float | None = 10.0,
        regularization: float = 0.01,
        init: str | ArrayLike = "kmeans",
        solver: str = "lbfgs",
        max_iter: int = 500,
        tol: float = 1e-5,
        class_weight: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_prototypes_per_class = n_prototypes_per_class
        self.beta = beta
        self.regularization = regularization
        self.init = init
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def _distance(self) -> AdaptiveDistance:
        return Diagonal()


class MatrixGLVQ(ProjectionMixin, RelativeDistanceClassifier):
    """The constructor of GMLVQ and LGMLVQ."""

    def __init__(
        self,
        n_prototypes_per_class: int | dict[Any, int] = 1,
        *,
        beta: float | None = 5.0,
        n_components: int | None = None,
        regularization: float = 0.01,
        init: str | ArrayLike = "kmeans",
        solver: str = "lbfgs",
        max_iter: int = 500,
        tol: float = 1e-5,
        class_weight: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_prototypes_per_class = n_prototypes_per_class
        self.beta = beta
        self.n_components = n_components
        self.regularization = regularization
        self.init = init
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state


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
