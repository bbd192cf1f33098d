"""What do models with the relative distance loss (the GLVQ family) have in common?"""

from __future__ import annotations  # signatures then show the names of types

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain.models.base import Problem, PrototypeClassifier
from abstain.models.costs import Loss
from abstain.models.losses import relative_distance

__all__ = ["RelativeDistanceClassifier"]

Array = NDArray[Any]


class RelativeDistanceClassifier(PrototypeClassifier):
    """A prototype model that minimises Φ((d⁺ − d⁻)/(d⁺ + d⁻))."""

    beta: float | None

    def _loss(self, problem: Problem) -> Loss:
        return partial(relative_distance, beta=self.beta)

    def _scaled(self, metric: Array) -> Array:
        # An identity matrix, not one of unit norm: the steps of both kinds of parameters are then
        # of one size, and half as many do.
        return np.asarray(metric * metric.shape[-1] ** 0.5)
