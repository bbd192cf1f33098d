"""Which metric does a model learn, where does it start, and what keeps it from collapsing?

An adaptive distance has a metric as a parameter, beside the prototypes. The loss of GLVQ does not
change with the scale of Ω, so every metric is used at unit Frobenius norm, Ω̂ = Ω/‖Ω‖, and the
gradient of the loss goes back through that. The penalty of a matrix of rank R,

    −(1/R) log det(Ω̂ Ω̂ᵀ) ≥ log R,

keeps it from losing directions; at unit norm it is bounded from below, and minimal where all R
directions weigh the same.

With one Ω for each of ξ prototypes, only a common scale changes nothing: a class with a wide spread
needs a smaller Ω than its neighbours. So the matrices share one norm, Σ_j ‖Ω̂_j‖² = ξ. Their mean
penalty has the same bound, by Jensen's inequality.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from abstain.models.distances import (
    Pullback,
    SampleBlock,
    diagonal_metric,
    global_metric,
    local_metrics,
    squared_euclidean,
)

Array = NDArray[Any]


class AdaptiveDistance:
    """A distance and the metric that it learns; without other methods, no metric."""

    def initial_metric(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return one array of unit norm, or () if there is no metric to learn."""
        return ()

    # Returns the distances (prototypes, samples) of a block of samples, prototypes and metric, and
    # their pullback.
    measure: ClassVar[Callable[..., tuple[Array, Pullback]]]

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return the penalty of a normalised metric and its gradient."""
        return 0.0, np.zeros_like(metric)


@dataclass(frozen=True)
class Euclidean(AdaptiveDistance):
    """|x − w|²: no metric to learn."""

    measure = staticmethod(squared_euclidean)


@dataclass(frozen=True)
class Diagonal(AdaptiveDistance):
    """|s ⊙ (x − w)|²: one weight for each feature."""

    def initial_metric(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return equal weights."""
        return (np.full(n_features, n_features**-0.5),)

    measure = staticmethod(diagonal_metric)

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return −(1/M) Σ log s² and its gradient."""
        sizes = np.maximum(np.abs(metric), np.sqrt(np.finfo(metric.dtype).tiny))
        gradient = -2 / len(sizes) * np.copysign(1 / sizes, metric)
        return -2 * float(np.log(sizes).mean()), gradient


@dataclass(frozen=True)
class GlobalMatrix(AdaptiveDistance):
    """|Ω(x − w)|²: one matrix for all prototypes, of at most ``n_components`` rows."""

    n_components: int | None = None

    def initial_metric(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return orthogonal rows."""
        return (_orthogonal_rows(self.n_components, n_features, random_state),)

    measure = staticmethod(global_metric)

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return −(1/R) log det ΩΩᵀ and its gradient."""
        value, gradient = _log_det_penalty(metric)
        return float(value), gradient


@dataclass(frozen=True)
class LocalMatrices(AdaptiveDistance):
    """|Ω_j(x − w_j)|²: a matrix for each prototype, of at most ``n_components`` rows."""

    n_components: int | None = None

    def initial_metric(
        self, n_prototypes: int, n_features: int, random_state: np.random.RandomState
    ) -> tuple[Array, ...]:
        """Return the same orthogonal rows for all prototypes."""
        rows = _orthogonal_rows(self.n_components, n_features, random_state)
        return (np.repeat(rows[np.newaxis], n_prototypes, axis=0),)

    measure = staticmethod(local_metrics)

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return the mean of the penalties and its gradient."""
        values, gradients = _log_det_penalty(metric)
        return float(values.mean()), gradients / len(metric)


@dataclass(frozen=True, eq=False)
class FixedMetric(AdaptiveDistance):
    """Another distance with a metric that is not learnt."""

    distance: AdaptiveDistance
    metric: tuple[Array, ...]

    def measure(
        self, block: SampleBlock, prototypes: Array, *metric: Array
    ) -> tuple[Array, Pullback]:
        """Return distances in the fixed metric, and their pullback to the prototypes."""
        distances, pullback = self.distance.measure(block, prototypes, *self.metric)
        return distances, lambda gradient: pullback(gradient)[:1]


def canonical(metric: Array) -> Array:
    """Return the same metric with its directions in order, the heaviest first.

    Ω and QΩ give the same distances if Q is orthogonal. The rows of the returned matrix are
    √λ_i v_iᵀ, with the eigenvalues λ_i of Λ = ΩᵀΩ descending and the signs of its eigenvectors v_i
    chosen so that their largest entry is positive.
    """
    if metric.ndim == 1:
        return np.abs(metric)
    if metric.ndim == 3:
        return np.stack([canonical(omega) for omega in metric])
    _, sizes, axes = np.linalg.svd(metric.astype(np.float64), full_matrices=False)
    # Directions without any gradient keep their equal weights. Every basis of their span is right,
    # but rounding must not choose it.
    for members in _equal_runs(sizes, max(1e-8, 16 * float(np.finfo(metric.dtype).eps))):
        sizes[members] = sizes[members].mean()
        axes[members] = _basis_of_span(axes[members])
    largest = np.abs(axes).argmax(axis=1)
    signs = np.sign(axes[np.arange(len(axes)), largest])
    return np.asarray((sizes * signs)[:, np.newaxis] * axes, dtype=metric.dtype)


def _equal_runs(sizes: Array, tolerance: float) -> list[slice]:
    """Return runs of descending sizes that equal their first up to a relative tolerance."""
    runs, start = [], 0
    for stop in range(1, len(sizes) + 1):
        if stop == len(sizes) or sizes[stop] < (1 - tolerance) * sizes[start]:
            if stop - start > 1:
                runs.append(slice(start, stop))
            start = stop
    return runs


def _basis_of_span(axes: Array) -> Array:
    """Return an orthonormal basis that depends only on the span of the given orthonormal rows.

    A pivoted QR decomposition of the features projected into that space, ordered by the position
    of the largest entry.
    """
    from scipy.linalg import qr

    basis = qr(axes.T @ axes, pivoting=True)[0][:, : len(axes)].T
    return np.asarray(basis[np.argsort(np.abs(basis).argmax(axis=1), kind="stable")])


def relevances(metric: Array, varies: NDArray[np.bool_]) -> Array:
    """Return the weight of each feature: the diagonal of Λ = ΩᵀΩ, with a sum of 1.

    A constant feature separates no classes, so its weight is 0, whatever its initial value.
    """
    squares = metric**2 if metric.ndim == 1 else (metric**2).sum(axis=-2)
    seen = squares * varies if varies.any() else squares
    return np.asarray(seen / seen.sum(axis=-1, keepdims=True))


def normalise(metric: Array) -> tuple[Array, Pullback]:
    """Return a metric of unit norm (several matrices: on average), and the pullback."""
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
    """Return the features themselves, or fewer random directions."""
    rank = n_features if n_components is None else min(n_components, n_features)
    if rank == n_features:
        return np.asarray(np.eye(n_features) / np.sqrt(rank))
    directions, _ = np.linalg.qr(random_state.normal(size=(n_features, rank)))
    return np.asarray(directions.T / np.sqrt(rank))


def _log_det_penalty(omega: Array) -> tuple[Array, Array]:
    """Return −(1/R) log det ΩΩᵀ and its gradient, for one matrix or for each of several."""
    rank = omega.shape[-2]
    gram = omega @ omega.swapaxes(-1, -2)
    signs, log_dets = np.linalg.slogdet(gram)
    # A line search may try a matrix without full rank: its penalty is large, but no error.
    if (signs <= 0).any() or log_dets.min() < rank * np.log(np.finfo(gram.dtype).tiny):
        return _rank_deficient_penalty(omega)
    return -log_dets / rank, -2 / rank * np.linalg.solve(gram, omega)


def _rank_deficient_penalty(omega: Array) -> tuple[Array, Array]:
    left, sizes, right = np.linalg.svd(omega, full_matrices=False)
    sizes = np.maximum(sizes, np.sqrt(np.finfo(sizes.dtype).tiny))
    gradient = -2 / omega.shape[-2] * (left / sizes[..., np.newaxis, :]) @ right
    return -2 * np.log(sizes).mean(axis=-1), gradient
