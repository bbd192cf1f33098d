"""How wrong is a model about samples of one class, given their distances to the prototypes?

A loss is a function of the distances (one row per prototype) of samples of one class, of a mask of
the prototypes of that class, and of the number of features present in each sample. It returns one
loss per sample and the gradient of each by its distances.

**GLVQ.** With d⁺ the distance to the closest prototype of the own class, d⁻ to the closest one of
another, μ = (d⁺ − d⁻)/(d⁺ + d⁻) is negative iff the sample is classified correctly. The loss is
Φ(μ), the identity or the logistic function of βμ:

    ∂Φ/∂d⁺ = Φ'(μ) · 2d⁻/(d⁺ + d⁻)²,      ∂Φ/∂d⁻ = −Φ'(μ) · 2d⁺/(d⁺ + d⁻)².

**RSLVQ.** With P(j|x) ∝ exp(−d_j / 2σ_j² − (M/2) log σ_j²) over all prototypes, M the number of
features present, and P_y(j|x) the same over those of the own class, the loss is
−log Σ_{j of class y} P(j|x):

    ∂/∂d_j = (P_y(j|x) − P(j|x)) / 2σ_j².
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def relative_distance(
    distances: Array, is_own: NDArray[np.bool_], n_present: Array, *, beta: float | None = None
) -> tuple[Array, Array]:
    """Return the GLVQ loss of each sample and its gradient by the distances.

    Both distances leave out the same features, so their ratio needs no ``n_present``.
    """
    plus, nearest_own = _nearest(distances, np.flatnonzero(is_own))
    minus, nearest_other = _nearest(distances, np.flatnonzero(~is_own))
    total = plus + minus
    # A sample on two prototypes of different classes has μ = 0 and no gradient.
    total = np.where(total > 0, total, np.inf)
    mu = (plus - minus) / total
    loss, slope = _transfer(mu, beta)
    gradient = np.zeros_like(distances)
    gradient[nearest_own] = slope * 2 * (minus / total) / total
    gradient[nearest_other] = -slope * 2 * (plus / total) / total
    return loss, gradient


def _nearest(distances: Array, rows: NDArray[np.int64]) -> tuple[Array, Any]:
    """Return the least distance of each sample among some rows, and the index of that entry."""
    if len(rows) == 1:  # a view, without a search
        return distances[rows[0]], rows[0]
    nearest = rows[distances[rows].argmin(axis=0)], np.arange(distances.shape[1])
    return distances[nearest], nearest


def _transfer(mu: Array, beta: float | None) -> tuple[Array, Array]:
    """Return Φ(μ) and Φ'(μ)."""
    if beta is None:
        return mu, np.ones_like(mu)
    logistic = 1 / (1 + np.exp(-beta * mu))
    return logistic, beta * logistic * (1 - logistic)


def likelihood_ratio(
    distances: Array, is_own: NDArray[np.bool_], n_present: Array, *, sigma2: Array
) -> tuple[Array, Array]:
    """Return the RSLVQ loss of each sample and its gradient by the distances.

    ``sigma2`` holds the bandwidth of each prototype.
    """
    sigma2 = sigma2.astype(distances.dtype)
    log_density = log_densities(distances, sigma2, n_present)
    own, among_own = _log_sum_exp(log_density[is_own])
    everything, among_all = _log_sum_exp(log_density)
    gradient = -among_all
    gradient[is_own] += among_own
    gradient /= 2 * sigma2[:, np.newaxis]
    return everything - own, gradient


def log_densities(distances: Array, sigma2: Array, n_present: Array) -> Array:
    """Return −d/2σ² − (M/2) log σ² for each prototype (rows), up to a common constant."""
    width = sigma2[:, np.newaxis]
    volume = (np.log(width) / 2).astype(distances.dtype, copy=False)
    with np.errstate(over="ignore"):
        density = -distances / (2 * width) - volume * n_present.astype(distances.dtype)
    # Differences of densities must be finite even where all of them overflow.
    return np.asarray(np.maximum(density, np.finfo(density.dtype).min / 4))


def _log_sum_exp(values: Array) -> tuple[Array, Array]:
    """Return log Σ exp over the rows, and the share of each row in the sum."""
    highest = values.max(axis=0)
    shares = np.exp(values - highest)
    total = shares.sum(axis=0)
    return highest + np.log(total), shares / total
