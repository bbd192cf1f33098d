"""How much closer is the winning prototype than the closest one of another class?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty.outputs import Outputs

__all__ = ["relative_similarity", "similarity_of_prototypes"]


def relative_similarity(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return RelSim, (d⁻ − d⁺)/(d⁻ + d⁺), of a prototype model.

    d⁺ is the squared distance to the closest prototype, d⁻ that to the closest one of another
    class. On a class border it is 0; on a prototype, 1. It is what the GLVQ family is trained to
    make large, and needs no model of the density.

    Parameters
    ----------
    estimator : estimator
        A fitted prototype model, or a pipeline or search that holds one.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        In [0, 1].

    Examples
    --------
    >>> from abstain import GLVQ
    >>> from abstain.certainty import relative_similarity
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
    >>> model = GLVQ().fit(X, y)
    >>> relative_similarity(model, model.prototypes_).tolist()
    [1.0, 1.0]
    >>> relative_similarity(model, [[2.0, 0.5]]).round(3).tolist()
    [0.0]
    """
    return similarity_of_prototypes(Outputs(estimator, X))


def similarity_of_prototypes(outputs: Outputs) -> NDArray[np.float64]:
    """Return RelSim of the model inside a classifier."""
    _, closest, second = outputs.closest_two
    total = second + closest
    if not total.all():  # both distances are 0 on two prototypes at once
        total[total == 0] = 1
    return np.asarray((second - closest) / total, dtype=np.float64)
