"""How far is every sample from every prototype, in which metric, and which are closest?

A distance is a function of a block of samples and of its parameters. It returns the values, one row
for each prototype, and a *pullback* that turns the gradient of some loss by these values into its
gradient by the parameters. With δ = x − w, missing features left out (set to 0 in δ), the squared
distances are

    Euclidean   d = |δ|²                ∂d/∂w = −2 δ
    diagonal    d = |s ⊙ δ|²            ∂d/∂w = −2 s² ⊙ δ         ∂d/∂s = 2 s ⊙ δ²
    matrix      d = |Ω δ|²              ∂d/∂w = −2 m ⊙ ΩᵀΩ δ      ∂d/∂Ω = 2 Ω δ δᵀ

where m marks the features that are present: without the mask, the cross terms of ΩᵀΩ would leak
into missing ones. Samples without missing values take products of whole matrices instead of one δ
for each pair; for one matrix Ω, an evaluation needs only two products of N × M × M.

The closest prototype and the closest one of another class are found while a block of distances is
in the cache: writing a matrix of all distances would take longer than computing it.

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
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from abstain.models.scaling import has_missing

# For this many distances or fewer, a loop is faster than a call of NumPy.
FEW = 64

Array = NDArray[Any]
Pullback = Callable[[Array], tuple[Array, ...]]
# One array, or none if there is no metric to learn.
Metric = tuple[Array, ...]


class SampleBlock(NamedTuple):
    """Values of samples, 0 where missing, and a mask of those present (None: all)."""

    values: Array
    present: Array | None


def make_block(samples: Array) -> SampleBlock:
    """Return samples, in which NaN is a missing value, as a block."""
    if not has_missing(samples):
        return SampleBlock(samples, None)
    missing = np.isnan(samples)
    return SampleBlock(np.where(missing, 0, samples), (~missing).astype(samples.dtype))


def squared_euclidean(block: SampleBlock, prototypes: Array) -> tuple[Array, Pullback]:
    """Return |x − w|² and its pullback to (prototypes,)."""
    values, present = block
    distances = (-2 * prototypes) @ values.T
    distances += np.einsum("ij,ij->i", values, values)
    if present is None:
        distances += np.einsum("ij,ij->i", prototypes, prototypes)[:, np.newaxis]
    else:
        distances += prototypes**2 @ present.T
    # Rounding may leave a sample on a prototype at a distance just below 0.
    np.maximum(distances, 0, out=distances)

    def pullback(gradient: Array) -> tuple[Array]:
        seen = gradient.sum(axis=1, keepdims=True) if present is None else gradient @ present
        return (2 * (seen * prototypes - gradient @ values),)

    return distances, pullback


def diagonal_metric(block: SampleBlock, prototypes: Array, scales: Array) -> tuple[Array, Pullback]:
    """Return |s ⊙ (x − w)|² and its pullback to (prototypes, scales)."""
    values, present = block
    weights = scales**2
    weighted = prototypes * weights
    own = (values**2) @ weights
    between = weighted @ values.T
    if present is None:
        offset = (weighted * prototypes).sum(axis=1)[:, np.newaxis]
    else:
        offset = (weighted * prototypes) @ present.T
    # Rounding may leave a sample on a prototype at a distance just below 0.
    distances = np.maximum(own - 2 * between + offset, 0)

    def pullback(gradient: Array) -> tuple[Array, Array]:
        pulled = gradient @ values
        seen = gradient.sum(axis=1, keepdims=True) if present is None else gradient @ present
        deviations = pulled - seen * prototypes
        squares = gradient.sum(axis=0) @ values**2
        squares = squares - ((2 * pulled - seen * prototypes) * prototypes).sum(axis=0)
        return -2 * weights * deviations, 2 * scales * squares

    return distances, pullback


def global_metric(block: SampleBlock, prototypes: Array, omega: Array) -> tuple[Array, Pullback]:
    """Return |Ω(x − w)|² and its pullback to (prototypes, omega)."""
    if block.present is not None:
        same = np.broadcast_to(omega, (len(prototypes), *omega.shape))
        distances, pull = local_metrics(block, prototypes, same)

        def sum_pullback(gradient: Array) -> tuple[Array, Array]:
            by_prototype, by_omega = pull(gradient)
            return by_prototype, by_omega.sum(axis=0)

        return distances, sum_pullback
    values, rank, centres = block.values, len(omega), prototypes @ omega.T
    # One product yields both Ωx and −2 xᵀΛw.
    products = values @ np.concatenate([omega, -2 * centres @ omega]).T
    projected = products[:, :rank]
    offset = np.einsum("ij,ij->i", centres, centres)[:, np.newaxis]
    distances = np.add(products[:, rank:].T, offset, order="C")  # a row for each prototype
    distances += np.einsum("ij,ij->i", projected, projected)
    # Rounding may leave a sample on a prototype at a distance just below 0.
    np.maximum(distances, 0, out=distances)

    def pullback(gradient: Array) -> tuple[Array, Array]:
        pulled = gradient @ values
        deviations = pulled - gradient.sum(axis=1, keepdims=True) * prototypes
        # Σ g (Ωx − Ωw)(x − w)ᵀ, term by term, so that nothing of samples × prototypes is stored.
        moment = (projected * gradient.sum(axis=0)[:, np.newaxis]).T @ values
        moment -= omega @ pulled.T @ prototypes
        moment -= centres.T @ deviations
        return -2 * (deviations @ omega.T) @ omega, 2 * moment

    return distances, pullback


def local_metrics(block: SampleBlock, prototypes: Array, omegas: Array) -> tuple[Array, Pullback]:
    """Return |Ω_j(x − w_j)|², each prototype with its own Ω, and its pullback."""
    if block.present is None:
        distances = _distances_of_complete(block.values, prototypes, omegas)
    else:
        every, pairs = np.arange(len(block.values)), zip(prototypes, omegas, strict=True)
        distances = np.stack([_squares(_deviations(block, w, every) @ o.T) for w, o in pairs])

    def pullback(gradient: Array) -> tuple[Array, Array]:
        by_prototype, by_omega = np.empty_like(prototypes), np.empty_like(omegas)
        for index, (prototype, omega) in enumerate(zip(prototypes, omegas, strict=True)):
            # The loss of GLVQ looks at two prototypes of each sample only.
            rows = np.flatnonzero(gradient[index])
            deviations = _deviations(block, prototype, rows)
            weights = 2 * gradient[index].take(rows)
            scaled = deviations * weights[:, np.newaxis]
            by_omega[index] = np.linalg.multi_dot([omega, scaled.T, deviations])
            if block.present is None:
                by_prototype[index] = -(omega @ (weights @ deviations)) @ omega
            else:
                pulled = scaled @ omega.T @ omega
                by_prototype[index] = -np.einsum("ij,ij->j", block.present.take(rows, 0), pulled)
        return by_prototype, by_omega

    return distances, pullback


def _distances_of_complete(values: Array, prototypes: Array, omegas: Array) -> Array:
    n_prototypes, rank, n_features = omegas.shape
    # All matrices below each other: one product serves all prototypes.
    projections = values @ omegas.reshape(-1, n_features).T
    projections -= np.einsum("jkm,jm->jk", omegas, prototypes).ravel()
    projections = projections.reshape(len(values), n_prototypes, rank)
    return np.ascontiguousarray(np.einsum("ijk,ijk->ij", projections, projections).T)


def _deviations(block: SampleBlock, prototype: Array, rows: NDArray[np.int64]) -> Array:
    """Return x − w of some samples, 0 where a value is missing."""
    deviations = block.values.take(rows, axis=0)
    deviations -= prototype
    if block.present is not None:
        deviations *= block.present.take(rows, axis=0)
    return deviations


def _squares(rows: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


class AdaptiveDistance:
    """A distance and the metric that it learns; without other methods, no metric."""

    def initial_metric(self, shape: tuple[int, int], random_state: RandomState) -> Metric:
        """Return the metric of unit norm for prototypes of the given shape."""
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

    def initial_metric(self, shape: tuple[int, int], random_state: RandomState) -> Metric:
        """Return equal weights."""
        return (np.full(shape[1], shape[1] ** -0.5),)

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

    def initial_metric(self, shape: tuple[int, int], random_state: RandomState) -> Metric:
        """Return orthogonal rows."""
        return (_orthogonal_rows(self.n_components, shape[1], random_state),)

    measure = staticmethod(global_metric)

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return −(1/R) log det ΩΩᵀ and its gradient."""
        value, gradient = _log_det_penalty(metric)
        return float(value), gradient


@dataclass(frozen=True)
class LocalMatrices(AdaptiveDistance):
    """|Ω_j(x − w_j)|²: a matrix for each prototype, of at most ``n_components`` rows."""

    n_components: int | None = None

    def initial_metric(self, shape: tuple[int, int], random_state: RandomState) -> Metric:
        """Return the same orthogonal rows for all prototypes."""
        rows = _orthogonal_rows(self.n_components, shape[1], random_state)
        return (np.repeat(rows[np.newaxis], shape[0], axis=0),)

    measure = staticmethod(local_metrics)

    def penalty(self, metric: Array) -> tuple[float, Array]:
        """Return the mean of the penalties and its gradient."""
        values, gradients = _log_det_penalty(metric)
        return float(values.mean()), gradients / len(metric)


def normalise(metric: Array) -> tuple[Array, Pullback]:
    """Return a metric of unit norm (several matrices: on average), and the pullback."""
    n_matrices = len(metric) if metric.ndim == 3 else 1
    norm = np.sqrt((metric**2).sum() / n_matrices)
    unit = metric / norm

    def pullback(gradient: Array) -> tuple[Array]:
        along = (gradient * unit).sum() / n_matrices
        return ((gradient - along * unit) / norm,)

    return unit, pullback


def _orthogonal_rows(n_components: int | None, n_features: int, random_state: RandomState) -> Array:
    """Return the features themselves, or fewer random directions."""
    rank = n_features if n_components is None else min(n_components, n_features)
    if rank == n_features:
        return np.asarray(np.eye(n_features) / np.sqrt(rank))
    directions, _ = np.linalg.qr(random_state.normal(size=(n_features, rank)))
    return np.asarray(directions.T / np.sqrt(rank))


def _log_det_penalty(omega: Array) -> tuple[Array, Array]:
    """Return −(1/R) log det ΩΩᵀ and its gradient, for one matrix or for each of several."""
    rank, is_square = omega.shape[-2], omega.shape[-2] == omega.shape[-1]
    # A square Ω is inverted itself: ΩΩᵀ takes twice as long and has the square of its condition.
    matrix = omega if is_square else omega @ omega.swapaxes(-1, -2)
    signs, log_dets = np.linalg.slogdet(matrix)
    if is_square:
        signs, log_dets = signs**2, 2 * log_dets
    # A line search may try a matrix without full rank: its penalty is large, but no error.
    if (signs <= 0).any() or log_dets.min() < rank * np.log(np.finfo(omega.dtype).tiny):
        return _rank_deficient_penalty(omega)
    inverse = np.linalg.inv(matrix).swapaxes(-1, -2)
    return -log_dets / rank, -2 / rank * (inverse if is_square else inverse @ omega)


def _rank_deficient_penalty(omega: Array) -> tuple[Array, Array]:
    left, sizes, right = np.linalg.svd(omega, full_matrices=False)
    sizes = np.maximum(sizes, np.sqrt(np.finfo(sizes.dtype).tiny))
    gradient = -2 / omega.shape[-2] * (left / sizes[..., np.newaxis, :]) @ right
    return -2 * np.log(sizes).mean(axis=-1), gradient


class ClosestTwo(NamedTuple):
    """For each sample, the closest prototype and the distances that decide its class.

    ``winner`` is the index of the closest prototype (the first of several), ``closest`` its
    distance, and ``second`` the distance of the closest prototype of another class.
    """

    winner: NDArray[np.int64]
    closest: Array
    second: Array

    @classmethod
    def empty(cls, n_samples: int, dtype: Any) -> "ClosestTwo":
        """Return arrays to be filled."""
        return cls(np.empty(n_samples, np.int64), *np.empty((2, n_samples), dtype))


def closest_two(distances: Array, labels: list[Any], out: ClosestTwo | None = None) -> ClosestTwo:
    """Find the closest prototypes, given distances (prototypes, samples) and prototype labels."""
    if out is None:
        out = ClosestTwo.empty(distances.shape[1], distances.dtype)
    winner, closest, second = out
    if distances.size <= FEW:
        for row, distances_of_row in enumerate(distances.T.tolist()):
            winner[row], closest[row], second[row] = _closest_two_of_one(distances_of_row, labels)
        return out
    members: dict[Any, list[int]] = {}
    for index, label in enumerate(labels):
        members.setdefault(label, []).append(index)
    (own, own_winner), *others = (_closest_of(distances, rows) for rows in members.values())
    winner[:], closest[:], second[:] = own_winner, own, np.inf
    for own, own_winner in others:
        np.copyto(winner, own_winner, where=own < closest)
        np.minimum(second, np.maximum(closest, own), out=second)
        np.minimum(closest, own, out=closest)
    return out


def _closest_of(distances: Array, indices: list[int]) -> tuple[Array, NDArray[np.int64]]:
    """Return the distance to the closest of some prototypes, and its index."""
    if len(indices) == 1:
        return distances[indices[0]], np.array(indices[0])
    own = distances[indices]
    return own.min(axis=0), np.array(indices)[own.argmin(axis=0)]


def _closest_two_of_one(distances: list[float], labels: list[Any]) -> tuple[int, float, float]:
    closest = min(distances)
    winner = distances.index(closest)
    others = [far for far, label in zip(distances, labels, strict=True) if label != labels[winner]]
    return winner, closest, min(others, default=np.inf)
