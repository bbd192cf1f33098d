"""What do models with the relative distance loss (the GLVQ family) have in common?"""

from __future__ import annotations  # signatures then show the names of types

from functools import partial

import numpy as np
from numpy.typing import NDArray

from abstain.models.base import PrototypeClassifier
from abstain.models.fitting import Loss
from abstain.models.losses import relative_distance

__all__ = ["RelativeDistanceClassifier"]


class RelativeDistanceClassifier(PrototypeClassifier):
    """A prototype model that minimises Φ((d⁺ − d⁻)/(d⁺ + d⁻))."""

    beta: float | None

    def _loss(self, spread: float, owners: NDArray[np.int64], n_features: int) -> Loss:
        return partial(relative_distance, beta=self.beta)
