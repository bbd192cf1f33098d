"""Where do the samples lie, seen in a plane?

The plane of a model with prototypes is the one in which it decides. Two features span the plane
themselves, and one feature is drawn against the certainty. For anything else, the plane is that of
the first two principal components of the standardized features that reach the model.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.estimators import has_prototypes, pass_through, unwrap
from abstain._core.sklearn_private import take_rows
from abstain.classifier import RejectOptionClassifier
from abstain.plotting._plane import find_plane
from abstain.plotting._projection import filled_by_means, without_names
from abstain.report.samples import Samples

Array = NDArray[Any]

# More dots hide each other, and take too long to draw when the slider moves.
MAX_DOTS = 400


class Scatter(NamedTuple):
    """Positions of samples and prototypes in a plane, and the names of its axes."""

    samples: Array
    axis_names: tuple[str, str]
    prototypes: Array
    prototype_labels: list[str]


def choose_drawn(samples: Samples, limit: int = MAX_DOTS) -> NDArray[np.int64]:
    """Return the indices of samples to draw: of too many, evenly spaced ones, up to half wrong."""
    if len(samples.certainty) <= limit:
        return np.arange(len(samples.certainty))
    wrong, right = np.flatnonzero(samples.wrong), np.flatnonzero(~samples.wrong)
    n_wrong = min(len(wrong), max(limit // 2, limit - len(right)))
    chosen = _evenly_spaced(wrong, n_wrong), _evenly_spaced(right, limit - n_wrong)
    return np.sort(np.concatenate(chosen))


def _evenly_spaced(places: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return places[np.linspace(0, len(places) - 1, min(size, len(places))).round().astype(np.int64)]


def scatter_of(
    clf: RejectOptionClassifier,
    X: Any,
    places: NDArray[np.int64],
    names: list[str] | None,
    certainty: NDArray[np.float64],
) -> Scatter | None:
    """Return some samples in a plane; None if they are not numbers."""
    steps, model = unwrap(clf.estimator_)
    try:
        seen: Any = pass_through(steps, take_rows(X, places))
        dense = seen.toarray() if hasattr(seen, "toarray") else seen
        numbers = np.asarray(dense, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if numbers.ndim != 2 or not numbers.shape[1]:
        return None
    numbers = filled_by_means(numbers)
    n_features = numbers.shape[1]
    names = names or [f"feature {number}" for number in range(n_features)]
    if n_features == 1:
        alone = np.column_stack([numbers[:, 0], certainty])
        return Scatter(alone, (names[0], "certainty"), np.empty((0, 2)), [])
    if not has_prototypes(model):
        return Scatter(*_components(numbers, names), np.empty((0, 2)), [])
    plane = find_plane(without_names(model), numbers, None, names)
    prototypes = plane.project(np.asarray(model.prototypes_, dtype=np.float64))
    labels = [str(label) for label in model.prototype_labels_.tolist()]
    return Scatter(plane.project(numbers), plane.names, prototypes, labels)


def _components(numbers: Array, names: list[str]) -> tuple[Array, tuple[str, str]]:
    if numbers.shape[1] == 2:
        return numbers, (names[0], names[1])
    from sklearn.decomposition import PCA

    spread = numbers.std(axis=0)
    scaled = (numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if len(numbers) < 2 or not scaled.any():
        return numbers[:, :2], (names[0], names[1])
    pca = PCA(n_components=2, random_state=0)
    positions = np.asarray(pca.fit_transform(scaled))
    first, second = (100 * pca.explained_variance_ratio_).tolist()
    return positions, (
        f"principal component 1 ({first:.0f} % of the spread)",
        f"principal component 2 ({second:.0f} % of the spread)",
    )
