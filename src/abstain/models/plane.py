"""Which plane of feature space does a figure show?

A figure has two coordinates, u = A x, and shows a plane of feature space, x = c + B (u − A c),
through the mean c of the prototypes, with A B = 1. For a model whose distances are those of
z = Ω x, with orthogonal rows of Ω, both come from two orthonormal rows P in the space of z:

    A = P Ω,   B = Ω⁺ Pᵀ,

so that squared distances of the model are squared distances in the figure, plus those across the
plane.
"""

from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError

Array = NDArray[Any]
# A, B and the names of the two coordinates.
Coordinates = tuple[Array, Array, tuple[str, str]]

# A direction with a smaller share of Λ than this does not count.
NEGLIGIBLE = 1e-12
# Number of samples, evenly spaced, whose class in the figure is compared with the predicted one;
# directions may agree less often than prototypes by this share.
AGREEING = 1000
SLACK = 0.05
# A figure is thin if the samples spread less than this across it, as a share of the spread along.
THIN = 0.05
# Values of grid points that are processed at once: 64 MB.
BLOCK = 2**23
REMAINING = "remaining direction of widest spread"


class Plane(NamedTuple):
    """A plane of feature space and its two coordinates."""

    project_by: Array  # A, of shape (2, n_features)
    lift_by: Array  # B, of shape (n_features, 2)
    origin: Array  # c − B A c
    names: tuple[str, str]

    def project(self, samples: Array) -> Array:
        """Return the positions of samples in the figure."""
        return np.asarray(samples @ self.project_by.T)

    def lift(self, positions: Array) -> Array:
        """Return the points of the plane at positions of the figure."""
        return np.asarray(positions @ self.lift_by.T + self.origin)


def find_plane(model: Any, samples: Array, axes: Any, names: list[str]) -> Plane:
    """Return the plane of the given axes, or for None the plane that suits the model."""
    if len(names) != model.n_features_in_:
        raise InputError(
            argument="feature_names",
            requirement=f"must name each of the {model.n_features_in_} features",
            got=f"{len(names)} names",
        )
    _check_two_features(names)
    omega = _discriminative_rows(model)
    if axes is not None:
        return _plane(model, samples, axes, names, omega)
    if len(names) == 2:
        return _plane(model, samples, (0, 1), names, omega)
    by_prototypes = _plane(model, samples, "prototypes", names, omega)
    by_prototypes = _widened(model, by_prototypes, samples, omega)
    if omega is None:
        return by_prototypes
    # The directions are preferred, unless the model hardly decides along them.
    by_directions = _plane(model, samples, "directions", names, omega)
    by_directions = _widened(model, by_directions, samples, omega)
    some = samples[:: -(-len(samples) // AGREEING)]
    directions, prototypes = (_agreement(model, p, some) for p in (by_directions, by_prototypes))
    return by_directions if directions >= prototypes - SLACK else by_prototypes


def _widened(model: Any, plane: Plane, samples: Array, omega: Array | None) -> Plane:
    """Return a plane in which the samples do not lie on a line, if the metric allows it.

    Samples need not differ along a heavy direction of Λ: where features are nearly collinear, no
    sample lies across, and nothing makes the model lower its weight. The first direction is kept.
    The second is orthogonal to it in the metric, and is the one along which the samples spread
    most after the part proportional to the first coordinate has been subtracted; without that
    subtraction, the samples would lie on a slanting line.
    """
    along, across = plane.project(samples).std(axis=0).tolist()
    if across >= THIN * along or (omega is not None and len(omega) == 1):
        return plane
    metric = np.eye(samples.shape[1]) if omega is None else omega
    first = plane.project_by[:1] @ _inverse(metric)
    rest = _without_part_along(samples @ metric.T, first[0])
    directions = np.vstack([first, _widest(rest, first)])
    project_by, lift_by = directions @ metric, _inverse(metric) @ directions.T
    coordinates = project_by, lift_by, (plane.names[0], REMAINING)
    return _through(model.prototypes_.mean(axis=0), coordinates)


def _agreement(model: Any, plane: Plane, samples: Array) -> float:
    """Return the share of samples with the same class where they are and where they are drawn."""
    shown = plane.lift(plane.project(samples)).astype(samples.dtype)
    return float(np.mean(model.predict(shown) == model.predict(samples)))


def _plane(model: Any, samples: Array, axes: Any, names: list[str], omega: Array | None) -> Plane:
    """Return the plane of given axes."""
    if isinstance(axes, str) and axes == "directions":
        if omega is None:
            raise InputError(
                argument="axes",
                value=axes,
                requirement="must be 'prototypes' or two features for a "
                f"{type(model).__name__}, which learns no directions",
            )
        coordinates = _along_directions(model, omega, samples, names)
    elif isinstance(axes, str) and axes == "prototypes":
        if omega is not None and len(omega) == 1:  # in this metric, prototypes lie on a line
            coordinates = _along_directions(model, omega, samples, names)
        else:
            coordinates = _along_prototypes(model.prototypes_, omega, samples)
    else:
        coordinates = _along_features(axes, names)
    return _through(model.prototypes_.mean(axis=0), coordinates)


def plane_of_features(axes: Any, names: list[str], centre: Array) -> Plane:
    """Return the plane of two features through a point, of a classifier without prototypes."""
    _check_two_features(names)
    if axes is None and len(names) == 2:
        axes = (0, 1)
    if axes is None or isinstance(axes, str):
        raise InputError(
            argument="axes",
            value=axes,
            requirement=f"must be two of the {len(names)} features by name or number where no "
            "prototypes are drawn",
        )
    return _through(centre, _along_features(axes, names))


def _check_two_features(names: list[str]) -> None:
    if len(names) < 2:
        raise InputError(
            argument="X", requirement="must have at least two features to span a plane", got="1"
        )


def _through(centre: Array, coordinates: Coordinates) -> Plane:
    project_by, lift_by, names = coordinates
    return Plane(project_by, lift_by, centre - lift_by @ (project_by @ centre), names)


def _discriminative_rows(model: Any) -> Array | None:
    """Return the rows of Ω with a weight, orthogonal to each other, the heaviest first."""
    if not hasattr(model, "transform"):
        return None
    # X Ωᵀ of unit vectors is Ωᵀ.
    n_features = model.n_features_in_
    n_rows = max(1, BLOCK // n_features)
    units = (
        np.eye(min(n_rows, n_features - start), n_features, start)
        for start in range(0, n_features, n_rows)
    )
    columns = np.concatenate([model.transform(rows) for rows in units])
    omega = np.ascontiguousarray(columns.T, dtype=np.float64)
    shares = (omega**2).sum(axis=1)
    return np.asarray(omega[shares > NEGLIGIBLE * shares[0]])


def _along_features(axes: Any, names: list[str]) -> Coordinates:
    """Return the coordinates of two features."""
    pair = axes if isinstance(axes, list | tuple) else [axes]
    chosen = [names.index(feature) if feature in names else feature for feature in pair]
    numbers = [
        int(feature)
        for feature in chosen
        if isinstance(feature, int | np.integer) and 0 <= feature < len(names)
    ]
    if len(chosen) != 2 or len(set(numbers)) != 2:
        raise InputError(
            argument="axes",
            value=axes,
            requirement=f"must be 'directions', 'prototypes' or two of the {len(names)} features "
            "by name or number",
        )
    project_by = np.zeros((2, len(names)))
    project_by[[0, 1], numbers] = 1
    return project_by, project_by.T, (names[numbers[0]], names[numbers[1]])


def _along_directions(model: Any, omega: Array, samples: Array, names: list[str]) -> Coordinates:
    """Return the first two columns of ``transform``, or the one and what the metric ignores."""
    shares = (omega**2).sum(axis=1)
    mean = "" if model.relevances_.ndim == 1 else "the mean "
    titles = []
    for number, (row, share) in enumerate(zip(omega[:2], shares, strict=False), start=1):
        # Where a metric weights only features, as that of GRLVQ, a direction is a feature.
        feature = f": {names[row.argmax()]}" if np.count_nonzero(row) == 1 else ""
        weight = f"{100 * share / shares.sum():.0f}% of {mean}Λ"
        titles.append(f"direction {number}{feature} ({weight})")
    project_by = omega[:2]
    if len(omega) == 1:
        across = _widest(samples, omega / np.linalg.norm(omega))
        project_by = np.stack([omega[0], across])
        titles.append(f"{REMAINING} (0% of Λ)")
    return project_by, _inverse(project_by), (titles[0], titles[1])


def _along_prototypes(prototypes: Array, omega: Array | None, samples: Array) -> Coordinates:
    """Return the two directions along which the prototypes lie farthest apart in the metric."""
    if omega is not None:
        prototypes, samples = prototypes @ omega.T, samples @ omega.T
    centred = (prototypes - prototypes.mean(axis=0)).astype(np.float64)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    spreads = sizes**2 / max((sizes**2).sum(), np.finfo(float).tiny)
    directions = _with_signs(axes[:2][spreads[:2] > NEGLIGIBLE])
    titles = [
        f"prototypes, axis {number} ({100 * spread:.0f}% of their spread)"
        for number, spread in enumerate(spreads[: len(directions)], start=1)
    ]
    while len(directions) < 2:
        directions = np.vstack([directions, _widest(samples, directions)])
        titles.append(REMAINING)
    names = titles[0], titles[1]
    if omega is None:
        return directions, directions.T, names
    return directions @ omega, _inverse(omega) @ directions.T, names


def _inverse(omega: Array) -> Array:
    """Return the pseudo-inverse of a matrix with orthogonal rows."""
    return np.asarray((omega / (omega**2).sum(axis=1, keepdims=True)).T)


def _widest(samples: Array, directions: Array) -> Array:
    """Return the unit vector, orthogonal to some others, along which samples spread most."""
    from sklearn.utils.extmath import randomized_svd

    centred = (samples - samples.mean(axis=0)).astype(np.float64)
    rest = centred - (centred @ directions.T) @ directions
    _, (size,), (widest,) = randomized_svd(rest, 1, random_state=0)
    if size <= np.sqrt(NEGLIGIBLE) * np.linalg.norm(centred):
        # No sample lies across: any vector will do, for instance the feature that is used least.
        widest = np.eye(1, samples.shape[1], int((directions**2).sum(axis=0).argmin()))[0]
    widest = widest - (directions @ widest) @ directions
    return np.asarray(_with_signs((widest / np.linalg.norm(widest))[np.newaxis])[0])


def _without_part_along(samples: Array, direction: Array) -> Array:
    """Return samples without the part that is proportional to their position on a direction."""
    centred = (samples - samples.mean(axis=0)).astype(np.float64)
    position = centred @ direction
    size = max(float(position @ position), np.finfo(float).tiny)
    return np.asarray(centred - np.outer(position, position @ centred / size))


def _with_signs(directions: Array) -> Array:
    """Turn directions so that the largest entry of each is positive."""
    largest = np.abs(directions).argmax(axis=1)
    return np.asarray(
        directions * np.sign(directions[np.arange(len(directions)), largest])[:, None]
    )


def without_names(model: Any) -> Any:
    """Return a copy of a model that takes samples without feature names."""
    model = copy(model)
    if hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
    return model


def filled_by_means(samples: Array) -> Array:
    """Return samples whose missing and infinite values are the mean of the feature."""
    missing = ~np.isfinite(samples)
    if not missing.any():
        return samples
    counts = np.maximum((~missing).sum(axis=0), 1)
    return np.where(missing, np.where(missing, 0.0, samples).sum(axis=0) / counts, samples)
