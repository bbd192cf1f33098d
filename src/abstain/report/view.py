"""Where do the samples lie, seen in a plane?

Models with prototypes are seen in the plane in which they decide; two features are that plane
themselves, and one is drawn against the certainty. Of anything else the two principal components
are shown, of what reaches the model, each feature in units of its spread.
"""

from __future__ import annotations  # signatures then show the names of types

from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.estimators import has_prototypes, pass_through, unwrap
from abstain._core.sklearn_private import take_rows
from abstain.classifier import RejectOptionClassifier
from abstain.plotting._plane import find_plane
from abstain.report.samples import Samples

__all__ = ["MAX_DOTS", "View", "find_view", "places_of_dots"]

Array = NDArray[Any]

# More dots hide each other, and take longer to draw than a slider may take to answer.
MAX_DOTS = 400


class View(NamedTuple):
    """Positions of samples and prototypes in a plane, and what its axes are."""

    samples: Array
    axis_names: tuple[str, str]
    prototypes: Array
    prototype_labels: list[str]


def places_of_dots(samples: Samples, limit: int = MAX_DOTS) -> NDArray[np.int64]:
    """Return which samples are drawn: of too many, evenly taken ones, wrong ones up to a half."""
    if len(samples.certainty) <= limit:
        return np.arange(len(samples.certainty))
    wrong, right = np.flatnonzero(samples.wrong), np.flatnonzero(~samples.wrong)
    n_wrong = min(len(wrong), max(limit // 2, limit - len(right)))
    return np.sort(np.concatenate([_evenly(wrong, n_wrong), _evenly(right, limit - n_wrong)]))


def _evenly(places: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return places[np.linspace(0, len(places) - 1, min(size, len(places))).round().astype(np.int64)]


def find_view(
    clf: RejectOptionClassifier,
    X: Any,
    places: NDArray[np.int64],
    names: list[str] | None,
    certainty: NDArray[np.float64],
) -> View | None:
    """Return the plane in which some samples are seen; None if they are no numbers."""
    steps, model = unwrap(clf.estimator_)
    try:
        seen: Any = pass_through(steps, take_rows(X, places))
        numbers = np.asarray(_dense(seen), dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if numbers.ndim != 2 or not numbers.shape[1]:
        return None
    numbers = _without_gaps(numbers)
    n_features = numbers.shape[1]
    told = names or [f"feature {number}" for number in range(n_features)]
    if n_features == 1:
        alone = np.column_stack([numbers[:, 0], certainty])
        return View(alone, (told[0], "certainty"), np.empty((0, 2)), [])
    if has_prototypes(model):
        model = copy(model)
        if hasattr(model, "feature_names_in_"):
            del model.feature_names_in_  # what it is asked about has no names
        plane = find_plane(model, numbers, None, told)
        labels = [str(label) for label in model.prototype_labels_.tolist()]
        positions = plane.project(np.asarray(model.prototypes_, dtype=np.float64))
        return View(plane.project(numbers), plane.names, positions, labels)
    found, axis_names = _components(numbers, told)
    return View(found, axis_names, np.empty((0, 2)), [])


def _dense(seen: Any) -> Any:
    return seen.toarray() if hasattr(seen, "toarray") else seen


def _without_gaps(numbers: Array) -> Array:
    """Fill missing and infinite values with the mean of the feature, for the picture alone."""
    is_gap = ~np.isfinite(numbers)
    if not is_gap.any():
        return numbers
    counts = np.maximum((~is_gap).sum(axis=0), 1)
    means = np.where(is_gap, 0.0, numbers).sum(axis=0) / counts
    return np.where(is_gap, means, numbers)


def _components(numbers: Array, names: list[str]) -> tuple[Array, tuple[str, str]]:
    if numbers.shape[1] == 2:
        return numbers, (names[0], names[1])
    from sklearn.decomposition import PCA

    spread = numbers.std(axis=0)
    scaled = (numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if len(numbers) < 2 or not scaled.any():
        return numbers[:, :2], (names[0], names[1])
    pca = PCA(n_components=2, random_state=0)
    found = np.asarray(pca.fit_transform(scaled))
    first, second = (100 * pca.explained_variance_ratio_).tolist()
    return found, (
        f"principal component 1 ({first:.0f} % of the spread)",
        f"principal component 2 ({second:.0f} % of the spread)",
    )
