"""Who answers at a position of a picture, and where do samples and prototypes lie in it?

A picture shows a plane of the space that the classifier sees: behind the transformers of its
pipeline, so that directions and prototypes of a model can be drawn. Certainties and cells that are
functions of the caller's, or clusters, are asked about samples as these enter the pipeline; the
plane is then one of that space, and prototypes behind transformers are not shown.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import InputError, as_labels, check_same_length, shown
from abstain._core.estimators import names_of_features, pass_through, unwrap
from abstain.plotting._plane import Plane, find_plane, plane_of_features

__all__ = ["View", "check_labels", "check_resolution", "fill_missing", "look_at", "make_grid"]

Array = NDArray[Any]

# Values of grid points that are looked at together: 64 MB.
BLOCK = 2**23
# Empty space around what is shown, as a share of its extent.
MARGIN = 0.06


class View(NamedTuple):
    """A classifier and samples, seen in a plane."""

    classifier: Any  # takes points of the space that the plane lies in
    X: Any  # samples of that space
    plane: Plane
    samples: Array  # where they lie in the picture, as the prototypes
    prototypes: Array | None
    prototype_labels: Array | None
    grid: tuple[Array, Array]

    def ask(self, question: Callable[[Any], Array], positions: Array) -> Array:
        """Return the answers to a question about points at positions of the picture."""
        from sklearn.utils import gen_batches

        flat = positions.reshape(-1, 2)
        blocks = gen_batches(len(flat), max(1, BLOCK // self.plane.lift_by.shape[0]))
        found = [question(in_the_form_of(self.X, self.plane.lift(flat[rows]))) for rows in blocks]
        return np.concatenate(found).reshape(positions.shape[:-1])

    def ask_on_grid(self, question: Callable[[Any], Array]) -> Array:
        """Return the answers for all positions of the grid, of shape (n_rows, n_columns)."""
        return self.ask(question, np.stack(np.meshgrid(*self.grid), axis=-1))


def look_at(
    estimator: Any,
    X: Any,
    *,
    is_by_name: bool,
    axes: Any,
    feature_names: Sequence[str] | None,
    grid_resolution: int,
) -> View:
    """Return the view of a fitted estimator; ``is_by_name`` tells that functions are known ones."""
    from abstain.models.base import PrototypeClassifier

    check_resolution(grid_resolution)
    steps, classifier = _behind_transformers(estimator, is_by_name)
    X = pass_through(steps, X)
    inner_steps, model = unwrap(classifier)
    prototypes, labels = None, None
    if not inner_steps and isinstance(model, PrototypeClassifier):
        samples = fill_missing(model, model._samples(X))
        names = list(names_of_features(steps, model, feature_names))
        plane = find_plane(_without_names(model), samples, axes, names)
        prototypes, labels = plane.project(model.prototypes_), model.prototype_labels_
    else:
        samples = _numbers(X)
        names = _names(steps, classifier, feature_names, samples.shape[1])
        plane = plane_of_features(axes, names, samples.mean(axis=0))
    shown = plane.project(samples)
    all_shown = shown if prototypes is None else np.concatenate([shown, prototypes])
    grid = make_grid(all_shown, grid_resolution)
    return View(classifier, X, plane, shown, prototypes, labels, grid)


def _behind_transformers(estimator: Any, is_by_name: bool) -> tuple[list[Any], Any]:
    """Return the transformers that samples pass, and the classifier that takes them then."""
    from sklearn.calibration import CalibratedClassifierCV

    from abstain.classifier import RejectOptionClassifier

    ends = (RejectOptionClassifier, CalibratedClassifierCV)
    steps, inner = unwrap(estimator, until=ends)
    if isinstance(inner, RejectOptionClassifier):
        if is_by_name:
            inner_steps, answering = unwrap(inner.estimator_, until=CalibratedClassifierCV)
            if inner_steps:
                inner = copy(inner)
                inner.estimator_ = answering
            steps = steps + inner_steps
        return steps, inner
    return (steps, inner) if is_by_name else ([], estimator)


def _without_names(model: Any) -> Any:
    """Return a copy of a model that does not mind samples without names."""
    model = copy(model)
    if hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
    return model


def _names(
    steps: list[Any], classifier: Any, given: Sequence[str] | None, n_features: int
) -> list[str]:
    """Return the names of the features, of a classifier that may not even know their number."""
    try:
        names = list(names_of_features(steps, classifier, given))
    except AttributeError:
        names = [f"feature {number}" for number in range(n_features)]
    if len(names) != n_features:
        raise InputError(
            f"feature_names must name each of the {n_features} features, got {len(names)} names"
        )
    return names


def _numbers(X: Any) -> Array:
    """Return samples as numbers; a missing one is the mean of its feature."""
    from sklearn.utils import check_array

    samples = np.asarray(check_array(X, dtype=np.float64, ensure_all_finite="allow-nan"))
    missing = np.isnan(samples)
    if not missing.any():
        return samples
    counts = np.maximum((~missing).sum(axis=0), 1)
    return np.where(missing, np.where(missing, 0.0, samples).sum(axis=0) / counts, samples)


def in_the_form_of(X: Any, points: Array) -> Any:
    """Return points as a frame with the columns of X, if it is one."""
    if not hasattr(X, "columns"):
        return points
    columns = list(X.columns)
    if hasattr(X, "schema"):  # polars
        return type(X)(points, schema=columns)
    return type(X)(points, columns=columns)


def check_resolution(grid_resolution: int) -> None:
    """Refuse what is no number of positions."""
    if isinstance(grid_resolution, bool) or not isinstance(grid_resolution, int):
        raise InputError(f"grid_resolution must be an integer, got {grid_resolution!r}")
    if grid_resolution < 2:
        raise InputError(f"grid_resolution must be at least 2, got {grid_resolution}")


def check_labels(y: ArrayLike, samples: Array, classes: Array) -> Array:
    """Return classes of samples, or say which one the model does not know."""
    labels = as_labels("y", y)
    check_same_length(X=samples, y=labels)
    known = set(classes.tolist())
    for index, label in enumerate(labels.tolist()):
        if label not in known:
            raise InputError(
                f"y must hold classes that the model knows, got {shown(label)} at index "
                f"{index}; drop it"
            )
    return labels


def fill_missing(model: Any, samples: Array) -> Array:
    """Return samples whose missing values are those of the closest prototype."""
    missing = np.isnan(samples)
    if not missing.any():
        return samples
    return np.where(missing, model.prototypes_[_without_names(model).apply(samples)], samples)


def make_grid(shown: Array, resolution: int) -> tuple[Array, Array]:
    """Return positions along both directions that go a little beyond what is shown."""
    low, high = shown.min(axis=0), shown.max(axis=0)
    margin = MARGIN * np.where(high > low, high - low, 1.0)
    columns, rows = np.linspace(low - margin, high + margin, resolution).T
    return columns, rows
