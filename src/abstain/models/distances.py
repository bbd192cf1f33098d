"""How far is every sample from every prototype, and how does that change with the parameters?

A distance is a function of a block of samples and of its parameters. It returns the values, one row
for each prototype, and a *pullback* that turns the gradient of some loss by these values into its
gradient by the parameters. With δ = x − w, missing features left out (set to 0 in δ), the squared
distances are

    Euclidean   d = |δ|²                ∂d/∂w = −2 δ
    diagonal    d = |s ⊙ δ|²            ∂d/∂w = −2 s² ⊙ δ         ∂d/∂s = 2 s ⊙ δ²
    matrix      d = |Ω δ|²              ∂d/∂w = −2 m ⊙ ΩᵀΩ δ      ∂d/∂Ω = 2 Ω δ δᵀ

where m marks the features that are present: without the mask, the cross terms of ΩᵀΩ would leak
into missing ones. Samples without missing values take products of whole matrices instead of one δ
for each pair; for one matrix Ω, two products of N × M × M are all that an evaluation needs.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.models.units import has_gaps

__all__ = [
    "Block",
    "diagonal_metric",
    "global_metric",
    "local_metrics",
    "make_block",
    "squared_euclidean",
]

# Below so many entries of all matrices, products with zeros cost less than picking rows.
DENSE = 4096

Array = NDArray[Any]
Pullback = Callable[[Array], tuple[Array, ...]]


class Block(NamedTuple):
    """Some samples: their values with 0 for missing ones, and which are present (None: all)."""

    values: Array
    present: Array | None


def make_block(samples: Array) -> Block:
    """Return samples, in which NaN is a missing value, as a block."""
    if not has_gaps(samples):
        return Block(samples, None)
    missing = np.isnan(samples)
    return Block(np.where(missing, 0, samples), (~missing).astype(samples.dtype))


def squared_euclidean(block: Block, prototypes: Array) -> tuple[Array, Pullback]:
    """Return |x − w|² and its pullback to (prototypes,)."""
    distances, pull = diagonal_metric(block, prototypes, np.ones_like(prototypes[0]))
    return distances, lambda gradient: pull(gradient)[:1]


def diagonal_metric(block: Block, prototypes: Array, scales: Array) -> tuple[Array, Pullback]:
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


def global_metric(block: Block, prototypes: Array, omega: Array) -> tuple[Array, Pullback]:
    """Return |Ω(x − w)|² and its pullback to (prototypes, omega)."""
    if block.present is not None:
        return _pair_by_pair(
            block, prototypes, np.broadcast_to(omega, (len(prototypes), *omega.shape)), shared=True
        )
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
        totals = gradient.sum(axis=1, keepdims=True)
        deviations = gradient @ values - totals * prototypes
        # Σ g (Ωx − Ωw)(x − w)ᵀ, term by term, so that nothing of samples × prototypes is stored.
        moment = (projected * gradient.sum(axis=0)[:, np.newaxis]).T @ values
        moment -= (gradient @ projected).T @ prototypes
        moment -= centres.T @ deviations
        return -2 * (deviations @ omega.T) @ omega, 2 * moment

    return distances, pullback


def local_metrics(block: Block, prototypes: Array, omegas: Array) -> tuple[Array, Pullback]:
    """Return |Ω_j(x − w_j)|², each prototype with its own Ω, and its pullback."""
    values, present = block
    if present is not None:
        return _pair_by_pair(block, prototypes, omegas, shared=False)
    n_prototypes, rank, n_features = omegas.shape
    centres = np.einsum("jkm,jm->jk", omegas, prototypes)
    # All matrices below each other: one product serves all prototypes.
    projections = values @ omegas.reshape(-1, n_features).T
    projections -= centres.ravel()
    projections = projections.reshape(len(values), n_prototypes, rank)
    distances = np.ascontiguousarray(np.einsum("ijk,ijk->ij", projections, projections).T)

    def dense_pullback(gradient: Array) -> tuple[Array, Array]:
        scaled = projections * gradient.T[:, :, np.newaxis]
        totals = scaled.sum(axis=0)
        moment = (scaled.reshape(len(values), -1).T @ values).reshape(omegas.shape)
        moment -= totals[:, :, np.newaxis] * prototypes[:, np.newaxis]
        return -2 * np.einsum("jk,jkm->jm", totals, omegas), 2 * moment

    def pullback(gradient: Array) -> tuple[Array, Array]:
        if omegas.size < DENSE or 2 * np.count_nonzero(gradient) > gradient.size:
            return dense_pullback(gradient)
        by_prototype, by_omega = np.zeros_like(prototypes), np.zeros_like(omegas)
        for index, (prototype, omega) in enumerate(zip(prototypes, omegas, strict=True)):
            # The loss of GLVQ looks at two prototypes of each sample only.
            rows = np.flatnonzero(gradient[index])
            scaled = projections[rows, index] * gradient[index, rows, np.newaxis]
            total = scaled.sum(axis=0)
            by_prototype[index] = -2 * total @ omega
            by_omega[index] = 2 * (scaled.T @ values[rows] - np.outer(total, prototype))
        return by_prototype, by_omega

    return distances, pullback


def _pair_by_pair(
    block: Block, prototypes: Array, omegas: Array, *, shared: bool
) -> tuple[Array, Pullback]:
    """Go through the prototypes one by one, looking back only at samples with a gradient."""
    values, present = block
    projections = []
    for prototype, omega in zip(prototypes, omegas, strict=True):
        if present is None:
            projections.append(values @ omega.T - prototype @ omega.T)
        else:
            projections.append((present * (values - prototype)) @ omega.T)
    distances = np.stack([np.einsum("ij,ij->i", own, own) for own in projections])

    def pullback(gradient: Array) -> tuple[Array, Array]:
        by_prototype = np.zeros_like(prototypes)
        by_omega = np.zeros(omegas.shape, dtype=omegas.dtype)
        for index, (prototype, omega) in enumerate(zip(prototypes, omegas, strict=True)):
            rows: Any = np.flatnonzero(gradient[index])
            if len(rows) == len(values):
                rows = slice(None)  # which copies nothing
            scaled = projections[index][rows] * gradient[index, rows, np.newaxis]
            deviations = values[rows] - prototype
            if present is None:
                by_prototype[index] = -2 * scaled.sum(axis=0) @ omega
            else:
                deviations *= present[rows]
                by_prototype[index] = -2 * (present[rows] * (scaled @ omega)).sum(axis=0)
            by_omega[index] = 2 * scaled.T @ deviations
        return by_prototype, by_omega.sum(axis=0) if shared else by_omega

    return distances, pullback
