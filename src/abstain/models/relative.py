"""What do models with the relative distance loss (the GLVQ family) have in common?"""

from __future__ import annotations  # signatures then show the names of types

from functools import partial

from abstain.models.base import Problem, PrototypeClassifier
from abstain.models.costs import Loss
from abstain.models.losses import relative_distance

__all__ = ["RelativeDistanceClassifier"]


class RelativeDistanceClassifier(PrototypeClassifier):
    """A prototype model that minimises Φ((d⁺ − d⁻)/(d⁺ + d⁻))."""

    beta: float | None

    def _loss(self, problem: Problem) -> Loss:
        return partial(relative_distance, beta=self.beta)
