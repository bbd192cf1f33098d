"""Generalised learning vector quantisation."""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

from abstain.models.geometry import Euclidean, Geometry
from abstain.models.relative import RelativeDistanceClassifier

__all__ = ["GLVQ"]


class GLVQ(RelativeDistanceClassifier):
    """Generalised learning vector quantisation: Euclidean distance, relative distance loss.

    Parameters
    ----------
    n_prototypes_per_class : int or dict of label to int, default=1
        How many prototypes each class has; classes that a dict does not name have one.
    beta : float or None, default=5.0
        Steepness of the logistic Φ; None is the identity.
    max_iter : int, default=200
        At most so many iterations of L-BFGS.
    tol : float, default=1e-5
        Stop when an iteration lowers the cost by no more than this share of it.
    class_weight : "balanced" or dict of label to float, default=None
        Weights of the classes.
    random_state : int, RandomState or None, default=None
        What several prototypes a class, and a metric of low rank, start from.

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_prototypes, n_features)
        The prototypes.
    prototype_labels_ : ndarray of shape (n_prototypes,)
        The class of each.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    loss_ : float
        The cost at the end.
    n_iter_ : int
        Number of iterations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from abstain.models import GLVQ
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GLVQ().fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_prototypes_per_class: int | dict[Any, int] = 1,
        *,
        beta: float | None = 5.0,
        max_iter: int = 200,
        tol: float = 1e-5,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_prototypes_per_class = n_prototypes_per_class
        self.beta = beta
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.random_state = random_state

    regularization = 0.0

    def _geometry(self) -> Geometry:
        return Euclidean()
