"""The documentation that the prototype models share.

The models differ in few parameters and attributes. `documented_model` composes the docstring of a
class from its own summary, the texts below in the order of its signature, and the attributes of its
metric and loss.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from abstain._core.documentation import documented

Model = TypeVar("Model", bound=type[Any])

# Defaults are those of the signature.
PARAMETERS = """\
n_prototypes_per_class : int, "auto" or dict of label to int
    Number of prototypes of each class; classes that a dict does not name have one. "auto"
    begins with one and adds prototypes where samples are wrong or in doubt, as long as that
    lowers the certainty-weighted error of samples that are left out. There are at most 2% as
    many as distinct samples, or one per class. Finding them takes about as long as 225
    iterations with the largest number that is tried, from 10,000 samples on as 81, and from
    20,000 on as 81 on 20,000 of them; that is at most 2.25 times the number with the least
    error.
max_prototypes : int
    Most prototypes that ``partial_fit`` keeps with "auto", or one per class if that is more.
beta : float or None
    Steepness of the logistic function Φ; None uses the identity instead.
sigma2 : None, "local", float or array-like of shape (n_prototypes,)
    Bandwidths σ² of the prototypes, in squared units of the data. None estimates one for
    all prototypes, "local" one for each from its own samples. With an array, "auto" keeps one
    prototype per class.
n_components : int or None
    Rank of Ω; None uses the number of features.
regularization : float
    Weight of the penalty that keeps the metric from losing directions.
init : "kmeans", "random" or array-like of shape (n_prototypes, n_features)
    Initial prototypes. "kmeans": the class mean, or the centres of k-means within the
    class if it has several prototypes. "random": random samples of the class. An array holds
    the prototypes themselves, ordered by class; with "auto", one per class and no more.
solver : "lbfgs" or "adam"
    L-BFGS uses all samples in every iteration. Adam uses mini-batches, for larger data;
    one iteration is one pass over the samples.
max_iter : int
    Maximum number of iterations.
tol : float
    Stop when two iterations in a row each lower the cost by no more than this, relative to
    max(cost, 1). For "adam": when a cycle of passes lowers it by no more than 100 times this.
class_weight : "balanced" or dict of label to float
    Weights of the classes.
warm_start : bool
    Continue from the last fit instead of starting anew, for instance after an interrupted
    fit. The prototypes that "auto" found are kept.
verbose : int
    Print the cost every ``verbose`` iterations, and which numbers of prototypes "auto" tries;
    0 prints nothing.
random_state : int, RandomState or None
    Seed of everything random: initial prototypes by k-means or by draw, an initial metric
    of low rank, and mini-batches. With None, "auto" takes a fixed seed to find the number of
    prototypes.
"""

PROTOTYPES = """\
prototypes_ : ndarray of shape (n_prototypes, n_features)
    The prototypes.
prototype_labels_ : ndarray of shape (n_prototypes,)
    The class of each prototype."""

DIAGONAL = """\
scales_ : ndarray of shape (n_features,)
    The scale s of each feature, of unit norm.
relevances_ : ndarray of shape (n_features,)
    Weight s² of each feature: 0 for constant features, the others sum to 1.
eigenvalues_ : ndarray of shape (n_features,)
    The entries of s², descending.
eigenvectors_ : ndarray of shape (n_features, n_features)
    The corresponding axes, as rows."""

GLOBAL_MATRIX = """\
omega_ : ndarray of shape (n_components, n_features)
    Ω, of unit norm. Its rows are orthogonal, in descending order of their norm.
relevances_ : ndarray of shape (n_features,)
    Diagonal of Λ = ΩᵀΩ, the weight of each feature: 0 for constant features, the others sum
    to 1.
eigenvalues_ : ndarray of shape (n_components,)
    Eigenvalues of Λ, descending.
eigenvectors_ : ndarray of shape (n_components, n_features)
    Eigenvectors of Λ as rows: the leading discriminative directions."""

LOCAL_MATRICES = """\
omegas_ : ndarray of shape (n_prototypes, n_components, n_features)
    Ω of each prototype; the mean of their squared norms is 1.
relevances_ : ndarray of shape (n_prototypes, n_features)
    Diagonal of each Λ = ΩᵀΩ, the weight of each feature near a prototype: 0 for constant
    features, the others sum to 1.
eigenvalues_ : ndarray of shape (n_prototypes, n_components)
    Eigenvalues of each Λ, descending.
eigenvectors_ : ndarray of shape (n_prototypes, n_components, n_features)
    Eigenvectors of each Λ as rows: the leading discriminative directions near a prototype."""

BANDWIDTHS = """\
sigma2_ : ndarray of shape (n_prototypes,)
    The bandwidth of each prototype."""

CLASSIFIER = """\
classes_ : ndarray of shape (n_classes,)
    The classes.
loss_ : float
    The final cost; for "adam", that of the first 64 batches.
n_iter_ : int
    Number of iterations.
n_features_in_ : int
    Number of features.
feature_names_in_ : ndarray of shape (n_features,)
    Names of the features, if ``X`` has names that are all strings."""

SCALING = (
    "Distances add up over the features: scale these first, for instance with ``StandardScaler``."
)

EXAMPLE = """\
>>> from sklearn.datasets import load_iris
>>> from abstain.models import {name}
>>> X, y = load_iris(return_X_y=True)
>>> model = {name}().fit(X, y)
>>> model.score(X, y) > 0.9
True
"""


def documented_model(*attributes: str) -> Callable[[Model], Model]:
    """Complete the docstring of a model, given the attributes of its metric and loss."""

    def complete(model: Model) -> Model:
        model.__doc__ = model.__doc__ and f"{model.__doc__}\n\n{SCALING}"
        example = EXAMPLE.format(name=model.__name__)
        every = "\n".join([PROTOTYPES, *attributes, CLASSIFIER])
        return documented(PARAMETERS, attributes=every, setup=example)(model)

    return complete
