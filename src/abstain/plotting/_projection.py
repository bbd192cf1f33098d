"""Where do samples and prototypes lie in a figure, and what does the classifier answer there?

A figure shows a plane of the space that the classifier sees: behind the transformers of its
pipeline, so that directions and prototypes of a model can be drawn. Measures of certainty and cell
rules that are functions of the caller, trust scores and clusterers are evaluated on samples before
they enter the pipeline; the plane is then one of that space, and prototypes behind transformers are
not shown.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._core.checks import as_labels, check_names, check_same_length
from abstain._core.errors import InputError, shown
from abstain._core.estimators import has_prototypes, names_of_features, pass_through, unwrap
from abstain.models.plane import (
    BLOCK,
    Plane,
    filled_by_means,
    find_plane,
    plane_of_features,
    without_names,
)

Array = NDArray[Any]

# Empty space around what is shown, as a share of its extent.
MARGIN = 0.06
# Samples that lie this many interquartile ranges beyond the quartiles are outliers, if they are no
# more than this share: more are a part of the data.
FAR, FEW = 4.0, 0.02


class Projection(NamedTuple):
    """A classifier, samples and prototypes, projected on a plane."""

    classifier: Any  # takes points of the space that the plane lies in
    X: Any  # samples of that space
    plane: Plane
    samples: Array  # positions in the figure, as those of the prototypes
    prototypes: Array | None
    prototype_labels: Array | None
    grid: tuple[Array, Array]

    def evaluate(self, function: Callable[[Any], Array], positions: Array) -> Array:
        """Return the values of a function of samples at positions of the figure."""
        from sklearn.utils import gen_batches

        flat = positions.reshape(-1, 2)
        blocks = gen_batches(len(flat), max(1, BLOCK // self.plane.lift_by.shape[0]))
        values = np.concatenate(
            [function(_like(self.X, self.plane.lift(flat[rows]))) for rows in blocks]
        )
        return values.reshape(*positions.shape[:-1], *values.shape[1:])

    def evaluate_on_grid(self, function: Callable[[Any], Array]) -> Array:
        """Return the values of a function on the grid, of shape (n_rows, n_columns, ...)."""
        return self.evaluate(function, np.stack(np.meshgrid(*self.grid), axis=-1))

    def shown(self, y: ArrayLike | None) -> dict[str, Any]:
        """Return what all Displays of a plane show, by the names of their parameters."""
        return {
            "grid": self.grid,
            "axis_names": self.plane.names,
            "classes": self.classifier.classes_,
            "samples": self.samples,
            "labels": self._check_labels(y),
            "prototypes": self.prototypes,
            "prototype_labels": self.prototype_labels,
        }

    def _check_labels(self, y: ArrayLike | None) -> Array | None:
        """Return the classes of the samples, if they are given and the classifier knows them."""
        if y is None:
            return None
        labels = as_labels("y", y)
        check_same_length(X=self.samples, y=labels)
        known = set(self.classifier.classes_.tolist())
        for index, label in enumerate(labels.tolist()):
            if label not in known:
                raise InputError(
                    f"y must hold classes that the model knows, got {shown(label)} at index "
                    f"{index}; drop it"
                )
        return labels


def behind_transformers(estimator: Any, is_by_name: bool) -> tuple[list[Any], Any]:
    """Return the transformers of a fitted estimator and the classifier behind them.

    ``is_by_name``: its measure of certainty and its cells are named ones, which can be evaluated
    behind the transformers.
    """
    from sklearn.calibration import CalibratedClassifierCV

    from abstain.classifier import RejectOptionClassifier

    ends = (RejectOptionClassifier, CalibratedClassifierCV)
    steps, inner = unwrap(estimator, until=ends)
    if not isinstance(inner, RejectOptionClassifier):
        return (steps, inner) if is_by_name else ([], estimator)
    if is_by_name:
        inner_steps, classifier = unwrap(inner.estimator_, until=CalibratedClassifierCV)
        if inner_steps:
            inner = copy(inner)
            inner.estimator_ = classifier
        steps = steps + inner_steps
    return steps, inner


def project(
    steps: list[Any],
    classifier: Any,
    X: Any,
    axes: Any,
    feature_names: Sequence[str] | None,
    grid_resolution: int,
) -> Projection:
    """Return the projection of a classifier behind transformers on the plane of the given axes."""
    from sklearn.utils import check_array

    if isinstance(grid_resolution, bool) or not isinstance(grid_resolution, int):
        raise InputError(f"grid_resolution must be an integer, got {grid_resolution!r}")
    if grid_resolution < 2:
        raise InputError(f"grid_resolution must be at least 2, got {grid_resolution}")
    X = pass_through(steps, X)
    inner_steps, model = unwrap(classifier)
    prototypes, labels = None, None
    if not inner_steps and has_prototypes(model):
        samples = _filled_by_prototypes(model, X)
        names = list(names_of_features(steps, model, feature_names))
        plane = find_plane(without_names(model), samples, axes, names)
        prototypes, labels = plane.project(model.prototypes_), model.prototype_labels_
    else:
        numbers = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
        samples = filled_by_means(np.asarray(numbers))
        names = _names(steps, classifier, feature_names, samples.shape[1])
        plane = plane_of_features(axes, names, samples.mean(axis=0))
    positions = plane.project(samples)
    grid = _grid(positions, prototypes, grid_resolution)
    return Projection(classifier, X, plane, positions, prototypes, labels, grid)


def _filled_by_prototypes(model: Any, X: Any) -> Array:
    """Return samples in the precision of the model, missing values from the closest prototype."""
    from sklearn.utils.validation import validate_data

    kinds = [np.float64, np.float32]
    checked = validate_data(model, X, dtype=kinds, ensure_all_finite="allow-nan", reset=False)
    samples = np.asarray(checked.astype(model.prototypes_.dtype, copy=False))
    missing = np.isnan(samples)
    if not missing.any():
        return samples
    return np.where(missing, model.prototypes_[without_names(model).apply(samples)], samples)


def _names(
    steps: list[Any], classifier: Any, given: Sequence[str] | None, n_features: int
) -> list[str]:
    """Return the names of the features of a classifier that may not know their number."""
    try:
        names = list(names_of_features(steps, classifier, given))
    except AttributeError:
        names = [f"feature {number}" for number in range(n_features)]
    check_names("feature_names", names, n_features, "features")
    return names


def _like(X: Any, points: Array) -> Any:
    """Return points as a frame with the columns of X, if X is a frame."""
    if not hasattr(X, "columns"):
        return points
    columns = list(X.columns)
    if hasattr(X, "schema"):  # polars
        return type(X)(points, schema=columns)
    return type(X)(points, columns=columns)


def _grid(positions: Array, prototypes: Array | None, resolution: int) -> tuple[Array, Array]:
    """Return positions along both directions that go a little beyond what is shown.

    That are the prototypes and all samples but outliers, which would squeeze the others together.
    """
    near = ~_far(positions)
    shown = positions[near] if prototypes is None else np.concatenate([positions[near], prototypes])
    low, high = shown.min(axis=0), shown.max(axis=0)
    margin = MARGIN * np.where(high > low, high - low, 1.0)
    columns, rows = np.linspace(low - margin, high + margin, resolution).T
    return columns, rows


def _far(positions: Array) -> NDArray[np.bool_]:
    """Return which samples are few and far from all others."""
    quarter, three_quarters = np.quantile(positions, [0.25, 0.75], axis=0)
    reach = FAR * (three_quarters - quarter)
    is_far = (positions < quarter - reach) | (positions > three_quarters + reach)
    is_far &= is_far.mean(axis=0) <= FEW
    return np.asarray(is_far.any(axis=1))
