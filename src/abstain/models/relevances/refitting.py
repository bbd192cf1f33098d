"""How is a model fitted again to some of the samples?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from abstain._core.checks import as_labels, check_none_missing, check_same_length
from abstain._core.errors import InputError
from abstain._core.estimators import n_samples_of, parts_to_fit
from abstain._scale.blocks import is_dask
from abstain.models.projection import ProjectionMixin

Array = NDArray[Any]
Ints = NDArray[np.int64]

MATRIX_MODELS = "GMLVQ, LGMLVQ, MRSLVQ or LMRSLVQ"
# What a function of this room takes.
PARAMETERS = """
estimator : estimator
    A model that learns a metric, or a ``Pipeline`` that ends in one, fitted or not; its parameters
    are used, never its fit. Give the whole pipeline: a scaler is then fitted with the model.
X : array-like of shape (n_samples, n_features)
    Samples, as the estimator takes them.
y : array-like of shape (n_samples,)
    Their classes.
groups : array-like of shape (n_samples,), default=None
    What each sample belongs to, such as a patient; a group is never divided.
random_state : int, RandomState instance or None, default=None
    Draws the samples, and seeds every part of the estimator whose own ``random_state`` is None.
n_jobs : int, default=None
    Number of fits at the same time, as joblib counts; the result does not depend on it.
verbose : int, default=0
    Whether to print the progress; more for higher values.
"""


def parts_of(estimator: Any, models: str, *, needs_matrix: bool) -> tuple[Any, Any]:
    """Return the transformers as a pipeline and the model, both unfitted.

    The pipeline ends in a step that does nothing, so that it is one without transformers too.
    """
    steps, model = parts_to_fit(estimator)
    learns_metric = isinstance(model, ProjectionMixin)
    if not learns_metric or (needs_matrix and not hasattr(model, "n_components")):
        raise InputError(
            argument="estimator",
            requirement=f"must be {models}, or a pipeline that ends in one",
            got=f"a {type(model).__name__}",
        )
    names = FunctionTransformer(feature_names_out="one-to-one")
    return make_pipeline(*map(clone, steps), names), clone(model)


def seed(estimator: Any, random_state: RandomState) -> Any:
    """Return the estimator, with an integer wherever a ``random_state`` is None."""
    seeds = {
        name: int(random_state.randint(np.iinfo(np.int32).max))
        for name, value in sorted(estimator.get_params(deep=True).items())
        if value is None and name.rpartition("__")[2] == "random_state"
    }
    return estimator.set_params(**seeds)


def checked_labels(X: Any, y: ArrayLike) -> tuple[Array, Ints]:
    """Return the sorted classes and the class of each sample as a number."""
    if is_dask(X) or is_dask(y):
        raise InputError(
            argument="X",
            requirement="must fit into memory",
            got="a Dask collection",
            remedy="draw some of the rows and compute() them",
        )
    labels = as_labels("y", y)
    check_same_length(X=range(n_samples_of(X)), y=labels)
    check_none_missing("y", labels, "must hold no missing label", "drop the row")
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InputError(argument="y", requirement="must hold at least two classes", got="one")
    return classes, codes.ravel()


def group_numbers(groups: ArrayLike | None, n_samples: int) -> Ints:
    """Return the number of each sample's group; without groups, each sample is one."""
    if groups is None:
        return np.arange(n_samples)
    labels = as_labels("groups", groups)
    check_same_length(y=range(n_samples), groups=labels)
    check_none_missing("groups", labels, "must name a group for each sample")
    names, numbers = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        raise InputError(argument="groups", requirement="must name at least two groups", got="one")
    return np.asarray(numbers).ravel()
