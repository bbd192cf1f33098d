"""Where do samples lie in a figure that a person can read?

The plane of a model with prototypes is the one in which it decides. Two features span the plane
themselves, and one feature is drawn against the certainty. For anything else, the plane is that of
the first two principal components of the standardized features that reach the model. Axes are named
by the features that make them. Many classes hide each other in a plane: each of them has a line of
its own, along the probability of being right.

A few samples far away squeeze no others: axes and their ends follow the central samples, and what
lies beyond is drawn at the edge.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.estimators import has_prototypes, pass_through, unwrap
from abstain._core.sklearn_private import take_rows
from abstain.classifier import RejectOptionClassifier
from abstain.models.plane import filled_by_means, find_plane, without_names
from abstain.report.samples import Samples, evenly_spaced, json_numbers

Array = NDArray[Any]

# More dots hide each other, and take too long to draw when the slider moves.
MAX_DOTS = 400
# In a plane, more classes than this hide each other.
MAX_CLASSES = 10
# An axis goes as far beyond the central samples as this part of their range.
CENTRAL, BEYOND = (0.025, 0.975), 0.25
# Features that name an axis; those with a smaller part than this of the first one's do not.
MOST_NAMED, LEAST_PART = 3, 1 / 3


class Positions(NamedTuple):
    """Positions of samples and prototypes, and the names of the axes."""

    samples: Array
    axes: tuple[str, str]
    prototypes: Array = np.empty((0, 2))


def choose_drawn(samples: Samples, limit: int = MAX_DOTS) -> NDArray[np.int64]:
    """Return the indices of samples to draw: of too many, evenly spaced ones of each outcome.

    Outcomes are those at the classifier's own thresholds: answered or rejected, right or wrong, and
    outliers. Each has the same room; what one does not need, the larger ones share.
    """
    if len(samples.certainty) <= limit:
        return np.arange(len(samples.certainty))
    outcome = np.where(samples.outlier, 4, 2 * samples.rejected + samples.wrong)
    groups = [np.flatnonzero(outcome == each) for each in range(5)]
    chosen: list[NDArray[np.int64]] = []
    for left, places in zip(range(5, 0, -1), sorted(groups, key=len), strict=True):
        room = (limit - sum(map(len, chosen))) // left
        chosen.append(evenly_spaced(places, room))
    return np.sort(np.concatenate(chosen))


def scatter_of(
    clf: RejectOptionClassifier,
    X: Any,
    places: NDArray[np.int64],
    names: list[str] | None,
    samples: Samples,
) -> dict[str, Any] | None:
    """Return the positions of some samples and of prototypes; None if samples are not numbers."""
    by_class = len(samples.classes) > MAX_CLASSES
    inlier = ~samples.outlier[places]  # outliers are drawn more often than they are
    usual = inlier if inlier.any() else ~inlier
    if by_class:
        positions: Positions | None = _lines_of_classes(clf, X, places, samples)
    else:
        positions = _in_a_plane(clf, X, places, names, samples.certainty[places], usual)
    if positions is None:
        return None
    labels = unwrap(clf.estimator_)[1].prototype_labels_ if len(positions.prototypes) else []
    ranges = [_range(each) for each in positions.samples[usual].T]
    if len(positions.prototypes):
        ranges = [
            [min(low, own.min()), max(high, own.max())]
            for (low, high), own in zip(ranges, positions.prototypes.T, strict=True)
        ]
    if by_class:
        ranges[1] = [-0.6, len(samples.classes) - 0.4]
    low, high = np.transpose(ranges)
    beyond = ((positions.samples < low) | (positions.samples > high)).any(axis=1)
    return {
        "x": json_numbers(positions.samples[:, 0].round(6)),
        "y": json_numbers(positions.samples[:, 1].round(6)),
        "axes": list(positions.axes),
        "ranges": np.round(ranges, 6).tolist(),
        "n_beyond": int(beyond.sum()),
        "by_class": by_class,
        "centres": [] if by_class else _centres(positions.samples, samples.truth[places]),
        "prototypes": positions.prototypes.round(6).tolist(),
        "prototype_labels": [str(label) for label in np.asarray(labels).tolist()],
    }


def _range(values: Array) -> list[float]:
    """Return the ends of an axis: those of all values, unless some lie far beyond the central."""
    known = values[np.isfinite(values)]
    if not len(known):
        return [0.0, 1.0]
    low, high = np.quantile(known, CENTRAL)
    room = BEYOND * (high - low) or 1.0
    return [max(low - room, known.min()), min(high + room, known.max())]


def _centres(positions: Array, truth: NDArray[np.int64]) -> list[list[Any]]:
    """Return the median position of each class that is there, with its number."""
    return [
        [*np.median(positions[truth == label], axis=0).round(6).tolist(), label]
        for label in np.unique(truth).tolist()
    ]


def _lines_of_classes(
    clf: RejectOptionClassifier, X: Any, places: NDArray[np.int64], samples: Samples
) -> Positions:
    """Return the probability of being right, or the certainty, and lines of the true classes."""
    probability = clf.predict_correct_proba(take_rows(X, places))
    name = "estimated probability that the answer is right"
    if np.isnan(probability).all():
        probability, name = samples.certainty[places], "certainty"
    # Outliers have none: they are farther to the left than any other.
    along = np.where(np.isnan(probability) | samples.outlier[places], -np.inf, probability)
    within = np.random.default_rng(0).uniform(-0.3, 0.3, len(places))
    return Positions(np.column_stack([along, samples.truth[places] + within]), (name, "true class"))


def _in_a_plane(
    clf: RejectOptionClassifier,
    X: Any,
    places: NDArray[np.int64],
    names: list[str] | None,
    certainty: NDArray[np.float64],
    usual: NDArray[np.bool_],
) -> Positions | None:
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
    names = names or [f"feature {number}" for number in range(numbers.shape[1])]
    if numbers.shape[1] == 1:
        return Positions(np.column_stack([numbers[:, 0], certainty]), (names[0], "certainty"))
    central = np.clip(numbers, *np.quantile(numbers[usual], CENTRAL, axis=0))
    if not has_prototypes(model):
        return _components(numbers, central, names)
    plane = find_plane(without_names(model), central, None, names)
    first, second = (
        _named(row * central.std(axis=0), names, name)
        for row, name in zip(plane.project_by, plane.names, strict=True)
    )
    prototypes = plane.project(np.asarray(model.prototypes_, dtype=np.float64))
    return Positions(plane.project(numbers), (first, second), prototypes)


def _components(numbers: Array, central: Array, names: list[str]) -> Positions:
    if numbers.shape[1] == 2:
        return Positions(numbers, (names[0], names[1]))
    from sklearn.decomposition import PCA

    mean, spread = central.mean(axis=0), central.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    scaled = (central - mean) / scale
    if len(numbers) < 2 or not scaled.any():
        return Positions(numbers[:, :2], (names[0], names[1]))
    pca = PCA(n_components=2, random_state=0).fit(scaled)
    first, second = (
        _named(row, names, f"principal component {number} ({100 * share:.0f}% of the spread)")
        for number, (row, share) in enumerate(
            zip(pca.components_, pca.explained_variance_ratio_, strict=True), start=1
        )
    )
    return Positions(np.asarray(pca.transform((numbers - mean) / scale)), (first, second))


def _named(weights: Array, names: list[str], axis: str) -> str:
    """Return the name of an axis, with the features that move a sample along it most.

    >>> _named(np.array([0.1, -0.8, 0.9]), ["age", "size", "shape"], "direction 1")
    'shape − size + …: direction 1'
    """
    sizes = np.abs(weights)
    order = np.argsort(-sizes, kind="stable")
    is_large = sizes[order] >= LEAST_PART * sizes[order[0]]
    chosen = order[: min(MOST_NAMED, np.count_nonzero(is_large))].tolist()
    if axis in names or not sizes.any():  # a feature itself
        return axis
    text = names[chosen[0]] if weights[chosen[0]] > 0 else f"−{names[chosen[0]]}"
    for number in chosen[1:]:
        text += f" {'+' if weights[number] > 0 else '−'} {names[number]}"
    return f"{text}{' + …' if np.count_nonzero(sizes) > len(chosen) else ''}: {axis}"
