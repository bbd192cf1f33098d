"""How far is a sample from everything that the model knows?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty.outputs import Outputs

__all__ = ["negative_distance", "prototype_distance"]


def prototype_distance(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return −d⁺, minus the squared distance to the closest prototype.

    It says nothing about which class is near, only whether any is: low values mark outliers.

    Parameters
    ----------
    estimator : estimator
        A fitted prototype model, or a pipeline or search that holds one.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        At most 0.

    Examples
    --------
    >>> from abstain import GLVQ
    >>> from abstain.certainty import prototype_distance
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
    >>> near, far = prototype_distance(GLVQ().fit(X, y), [[0.0, 0.5], [99.0, 0.5]])
    >>> bool(near > far)
    True
    """
    return negative_distance(Outputs(estimator, X))


def negative_distance(outputs: Outputs) -> NDArray[np.float64]:
    """Return minus the distance to the closest prototype."""
    return np.asarray(-outputs.distances.min(axis=1), dtype=np.float64)
