"""Localised matrix robust soft learning vector quantisation."""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

from numpy.typing import ArrayLike

from abstain.models.geometry import Geometry, LocalMatrices
from abstain.models.likelihood import LikelihoodRatioClassifier
from abstain.models.projection import ProjectionMixin

__all__ = ["LMRSLVQ"]


class LMRSLVQ(ProjectionMixin, LikelihoodRatioClassifier):
    """Localised MRSLVQ: a matrix Ω for each prototype, likelihood ratio loss.

    Distances add up over the features: bring these to one scale first, by ``StandardScaler`` for
    instance.

    Parameters
    ----------
    n_prototypes_per_class : int or dict of label to int, default=1
        How many prototypes each class has; classes that a dict does not name have one.
    sigma2 : None, "local", float or array-like of shape (n_prototypes,), default=None
        Bandwidths σ² of the prototypes, in squared units of the data: one for all estimated from
        the data, one for each estimated from its samples, or these.
    n_components : int or None, default=None
        Rank of Ω; None is that of the features.
    regularization : float, default=0.01
        Weight of the penalty that keeps directions from dying out.
    init : "kmeans", "random" or array-like of shape (n_prototypes, n_features), default="kmeans"
        Where prototypes start: class means, or centres of a k-means within the class where it has
        several; samples drawn at random; or these, in the order of the classes.
    solver : "lbfgs" or "adam", default="lbfgs"
        L-BFGS looks at all samples in every iteration; Adam goes through them in mini-batches, an
        iteration being one pass, for data too large for that.
    max_iter : int, default=500
        At most so many iterations.
    tol : float, default=1e-5
        Stop when two iterations in a row lower the cost by no more than this each, as a share of
        it, or of 1 if that is more. By "adam", when a cycle of passes lowers it by no more than
        100 times this.
    class_weight : "balanced" or dict of label to float, default=None
        Weights of the classes.
    warm_start : bool, default=False
        Go on from the last fit instead of starting anew; an interrupted fit can be resumed.
    verbose : int, default=0
        Print the cost every so many iterations; 0 prints nothing.
    random_state : int, RandomState or None, default=None
        Decides where several prototypes a class and a metric of low rank start, and how samples
        are put into mini-batches.

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_prototypes, n_features)
        The prototypes.
    prototype_labels_ : ndarray of shape (n_prototypes,)
        The class of each.
    omegas_ : ndarray of shape (n_prototypes, n_components, n_features)
        Ω of each prototype; the mean of their squared norms is 1.
    relevances_ : ndarray of shape (n_prototypes, n_features)
        Diagonal of each ΩᵀΩ: the weight of each feature near each prototype; 0 for features that
        do not vary, a sum of 1 for the others.
    sigma2_ : ndarray of shape (n_prototypes,)
        The bandwidth of each.
    eigenvalues_ : ndarray of shape (n_prototypes, n_components)
        Eigenvalues of each Λ, descending.
    eigenvectors_ : ndarray of shape (n_prototypes, n_components, n_features)
        Its eigenvectors as rows: the leading discriminative directions near each prototype.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    loss_ : float
        The cost at the end; by "adam", that of the first 64 batches.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if ``X`` has names that are all text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from abstain.models import LMRSLVQ
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LMRSLVQ().fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_prototypes_per_class: int | dict[Any, int] = 1,
        *,
        sigma2: float | str | ArrayLike | None = None,
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
        self.sigma2 = sigma2
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

    _metric_name = "omegas_"

    def _geometry(self) -> Geometry:
        return LocalMatrices(self.n_components)
