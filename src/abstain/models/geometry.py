"""Which metric does a model learn, where does it start, and what keeps it from collapsing?

A geometry names the parameters of a distance beside the prototypes. The loss of GLVQ does not
change with the scale of Ω, so every metric is used at unit Frobenius norm, Ω̂ = Ω/‖Ω‖, and the
gradient of the loss goes back through that. The penalty of a matrix of rank R,

    −(1/R) log det(Ω̂ Ω̂ᵀ) ≥ log R,

keeps directions from dying out; at unit norm it is bounded from below, reached where all R
directions weigh the same.

Of one Ω for each of ξ prototypes, only the common scale changes nothing: a class that is spread
wide needs a smaller Ω than its neighbours. So they share one norm, Σ_j ‖Ω̂_j‖² = ξ. Their mean
penalty has the same bound, by Jensen's inequality.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abstain.models.distances import (
    Block,
    Pullback,
    diagonal_metric,
    global_metric,
    local_metrics,
    squared_euclidean,
)

__all__ = [
    "Diagonal",
    "Euclidean",
    "Frozen",
    "Geometry",
    "LocalMatrices",
    "OneMatrix",
    "canonical",
    "normalise",
    "relevances",
]

Array = NDArray[Any]


class Geometry(Protocol):
    """A distance and the metric that it learns, an array or nothing."""

    def start(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return the metric to begin with: () or one array, of unit norm."""
        ...

    def measure(self, block: Block, prototypes: Array, *metric: Array) -> tuple[Array, Pullback]:
        """Return distances (prototypes, samples) and their pullback."""
        ...

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return the penalty of a normalised metric and its gradient."""
        ...


@dataclass(frozen=True)
class Euclidean:
    """|x − w|²: nothing to learn."""

    def start(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return no metric."""
        return ()

    def measure(self, block: Block, prototypes: Array, *metric: Array) -> tuple[Array, Pullback]:
        """Return Euclidean distances."""
        return squared_euclidean(block, prototypes)

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return nothing to pay."""
        return 0.0, np.zeros_like(metric)


@dataclass(frozen=True)
class Diagonal:
    """|s ⊙ (x − w)|²: one weight for each feature."""

    def start(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return equal weights."""
        return (np.full(n_features, n_features**-0.5),)

    def measure(self, block: Block, prototypes: Array, *metric: Array) -> tuple[Array, Pullback]:
        """Return weighted distances."""
        return diagonal_metric(block, prototypes, *metric)

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return −(1/M) Σ log s² and its gradient."""
        sizes = np.maximum(np.abs(metric), np.sqrt(np.finfo(metric.dtype).tiny))
        gradient = -2 / len(sizes) * np.copysign(1 / sizes, metric)
        return -2 * float(np.log(sizes).mean()), gradient


@dataclass(frozen=True)
class OneMatrix:
    """|Ω(x − w)|²: one matrix for all prototypes, of at most ``n_components`` rows."""

    n_components: int | None = None

    def start(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return orthogonal rows: the features themselves, or fewer random directions."""
        return (_orthogonal_rows(self.n_components, n_features, random_state),)

    def measure(self, block: Block, prototypes: Array, *metric: Array) -> tuple[Array, Pullback]:
        """Return distances under Ω."""
        return global_metric(block, prototypes, *metric)

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return −(1/R) log det ΩΩᵀ and its gradient."""
        value, gradient = _log_det_penalty(metric)
        return float(value), gradient


@dataclass(frozen=True)
class LocalMatrices:
    """|Ω_j(x − w_j)|²: a matrix for each prototype, of at most ``n_components`` rows."""

    n_components: int | None = None

    def start(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return the same orthogonal rows for all."""
        rows = _orthogonal_rows(self.n_components, n_features, random_state)
        return (np.repeat(rows[np.newaxis], n_prototypes, axis=0),)

    def measure(self, block: Block, prototypes: Array, *metric: Array) -> tuple[Array, Pullback]:
        """Return distances under the matrix of each prototype."""
        return local_metrics(block, prototypes, *metric)

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return the mean of the penalties and its gradient."""
        values, gradients = _log_det_penalty(metric)
        return float(values.mean()), gradients / len(metric)


@dataclass(frozen=True, eq=False)
class Frozen:
    """Another geometry, with a metric that is not learnt."""

    geometry: Geometry
    metric: tuple[Array, ...]

    def start(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return no metric."""
        return ()

    def measure(self, block: Block, prototypes: Array, *metric: Array) -> tuple[Array, Pullback]:
        """Return distances in the given metric, and their pullback to the prototypes alone."""
        distances, pullback = self.geometry.measure(block, prototypes, *self.metric)
        return distances, lambda gradient: pullback(gradient)[:1]

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return nothing to pay."""
        return 0.0, np.zeros_like(metric)


def canonical(metric: Array) -> Array:
    """Return the same metric with its directions in order, the heaviest first.

    Ω and QΩ measure the same distances if Q is orthogonal. Of all these, the rows of the returned
    one are orthogonal to each other: √λ_i v_iᵀ, with the eigenvalues λ_i of Λ = ΩᵀΩ descending
    and its eigenvectors v_i turned so that their largest entry is positive.
    """
    if metric.ndim == 1:
        return np.abs(metric)
    if metric.ndim == 3:
        return np.stack([canonical(omega) for omega in metric])
    _, sizes, axes = np.linalg.svd(metric.astype(np.float64), full_matrices=False)
    # Directions that no sample has moved still weigh the same. Any basis of what they span would
    # do; rounding must not choose it.
    for members in _equal_runs(sizes, max(1e-8, 16 * float(np.finfo(metric.dtype).eps))):
        sizes[members] = sizes[members].mean()
        axes[members] = _basis_of_span(axes[members])
    largest = np.abs(axes).argmax(axis=1)
    signs = np.sign(axes[np.arange(len(axes)), largest])
    return np.asarray((sizes * signs)[:, np.newaxis] * axes, dtype=metric.dtype)


def _equal_runs(sizes: Array, tolerance: float) -> list[slice]:
    """Return where descending sizes are, to a tolerance relative to the first of them, the same."""
    runs, start = [], 0
    for stop in range(1, len(sizes) + 1):
        if stop == len(sizes) or sizes[stop] < (1 - tolerance) * sizes[start]:
            if stop - start > 1:
                runs.append(slice(start, stop))
            start = stop
    return runs


def _basis_of_span(axes: Array) -> Array:
    """Return orthonormal rows that depend on the space that orthonormal rows span, and on no more.

    They come from the features, projected into that space: the longest first, then the longest of
    what the ones before leave of the others; each then stands in the order of its largest entry.
    """
    from scipy.linalg import qr

    basis = qr(axes.T @ axes, pivoting=True)[0][:, : len(axes)].T
    return np.asarray(basis[np.argsort(np.abs(basis).argmax(axis=1), kind="stable")])


def relevances(metric: Array, varies: NDArray[np.bool_]) -> Array:
    """Return how much each feature weighs: the diagonal of Λ = ΩᵀΩ, with a sum of 1.

    A feature that never varies tells nothing apart, whatever Λ started with: it weighs nothing.
    """
    squares = metric**2 if metric.ndim == 1 else (metric**2).sum(axis=-2)
    seen = squares * varies if varies.any() else squares
    return np.asarray(seen / seen.sum(axis=-1, keepdims=True))


def normalise(metric: Array) -> tuple[Array, Pullback]:
    """Return a metric at unit norm, several matrices at that on average, and the pullback of it."""
    n_matrices = len(metric) if metric.ndim == 3 else 1
    norm = np.sqrt((metric**2).sum() / n_matrices)
    unit = metric / norm

    def pullback(gradient: Array) -> tuple[Array]:
        along = (gradient * unit).sum() / n_matrices
        return ((gradient - along * unit) / norm,)

    return unit, pullback


def _orthogonal_rows(
    n_components: int | None, n_features: int, random_state: np.random.RandomState
) -> Array:
    rank = n_features if n_components is None else min(n_components, n_features)
    if rank == n_features:
        return np.asarray(np.eye(n_features) / np.sqrt(rank))
    directions, _ = np.linalg.qr(random_state.normal(size=(n_features, rank)))
    return np.asarray(directions.T / np.sqrt(rank))


def _log_det_penalty(omega: Array) -> tuple[Array, Array]:
    """Return −(1/R) log det ΩΩᵀ and its gradient, of one matrix or of each of several."""
    rank = omega.shape[-2]
    gram = omega @ omega.swapaxes(-1, -2)
    signs, log_dets = np.linalg.slogdet(gram)
    # A step of a line search may end on a matrix without full rank: dear, but not an error.
    if (signs <= 0).any() or log_dets.min() < rank * np.log(np.finfo(gram.dtype).tiny):
        return _rank_deficient_penalty(omega)
    return -log_dets / rank, -2 / rank * np.linalg.solve(gram, omega)


def _rank_deficient_penalty(omega: Array) -> tuple[Array, Array]:
    left, sizes, right = np.linalg.svd(omega, full_matrices=False)
    sizes = np.maximum(sizes, np.sqrt(np.finfo(sizes.dtype).tiny))
    gradient = -2 / omega.shape[-2] * (left / sizes[..., np.newaxis, :]) @ right
    return -2 * np.log(sizes).mean(axis=-1), gradient
