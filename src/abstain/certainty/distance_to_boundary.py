"""How far is a sample from the border of the class that it is given?

**Prototypes, one metric for all.** Where the distances to the winner w⁺ and to a prototype w of
another class are equal, there is a hyperplane. In the metric of the model, |v|² = vᵀΛv, a sample is

    (d − d⁺) / (2 |w⁺ − w|)

away from it, and the border is the closest of these hyperplanes. (With several prototypes a class,
parts of them may lie within the class, and the border is at least that far.)

**Prototypes, each with its own metric.** Equal distances now are a quadric. Its tangent in first
order, with g = ∇(d − d⁺) = 2Λ(x − w) − 2Λ⁺(x − w⁺), is (d − d⁺) / √(gᵀ Λ⁺⁻¹ g) away in the metric
Λ⁺ of the winner; if that is not of full rank, in the subspace that it measures. For equal metrics
this is the distance above.

**Linear models.** With f_c = v_cᵀx + b_c and c the class of the highest score,
min_k (f_c − f_k) / ‖v_c − v_k‖, in the Euclidean metric of the features.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain.certainty._prototypes import as_numbers, has_prototypes
from abstain.certainty.outputs import Outputs

__all__ = ["boundary_of_model", "distance_to_boundary", "is_linear"]

Array = NDArray[Any]


def distance_to_boundary(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the distance to the class border, in the metric of the model.

    Parameters
    ----------
    estimator : estimator
        A fitted prototype model or linear classifier, or a pipeline or search that holds one.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    certainty : ndarray of shape (n_samples,)
        At least 0.

    Examples
    --------
    >>> from abstain import GLVQ
    >>> from abstain.certainty import distance_to_boundary
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
    >>> distance_to_boundary(GLVQ().fit(X, y), [[0.0, 0.5], [2.0, 9.0]]).round(2).tolist()
    [2.0, 0.0]
    """
    return boundary_of_model(Outputs(estimator, X))


def boundary_of_model(outputs: Outputs) -> NDArray[np.float64]:
    """Return the distance to the class border of the model inside a classifier."""
    model, samples = outputs.model, outputs.seen
    if has_prototypes(model):
        found = _to_quadrics(model, samples, outputs.distances)
    elif model is outputs.classifier:
        found = _to_planes(model, outputs.scores)
    else:
        found = _to_planes(model, np.asarray(model.decision_function(samples)))
    return np.asarray(found, dtype=np.float64)


def is_linear(model: Any) -> bool:
    """Tell whether each score of a model is a linear function of its own coefficients."""
    if not (hasattr(model, "coef_") and hasattr(model, "decision_function")):
        return False
    n_classes = len(model.classes_)
    if n_classes > 2 and hasattr(model, "support_vectors_"):
        return False  # a linear SVC has coefficients for each two classes
    return len(_normals(model)) == (1 if n_classes == 2 else n_classes)


def _normals(model: Any) -> Array:
    """Return the coefficients, one row for each score."""
    coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    return np.atleast_2d(coefficients)


def _to_planes(model: Any, scores: Array) -> Array:
    normals = _normals(model)
    if scores.ndim == 1:
        return _ratio(np.abs(scores), np.linalg.norm(normals[0]))
    winner = scores.argmax(axis=1)
    leads = scores.max(axis=1, keepdims=True) - scores
    lengths = np.linalg.norm(normals[:, np.newaxis] - normals, axis=2)[winner]
    leads[np.arange(len(scores)), winner] = np.inf
    return np.asarray(_ratio(leads, lengths).min(axis=1))


def _to_quadrics(model: Any, samples: Any, distances: Array) -> Array:
    labels = model.prototype_labels_
    winner = distances.argmin(axis=1)
    excess = distances - distances.min(axis=1, keepdims=True)
    values, roots = as_numbers(samples), model.metric_roots()
    if len(roots) > 1:
        slopes = _slopes(model.prototypes_, roots, values, winner)
    else:
        slopes = 2 * _between(model.prototypes_, roots[0], values, winner)
    found = _ratio(excess, slopes)
    found[labels == labels[winner][:, np.newaxis]] = np.inf
    return np.asarray(found.min(axis=1))


def _between(prototypes: Array, root: Array, samples: Array, winner: NDArray[np.int64]) -> Array:
    """Return |w⁺ − w| for each sample and prototype, over the features that the sample has."""
    found = np.empty((len(samples), len(prototypes)))
    present = ~np.isnan(samples)
    for pattern, rows in _patterns(present):
        placed = (prototypes * pattern) @ root.T
        lengths = np.linalg.norm(placed[:, np.newaxis] - placed, axis=2)
        found[rows] = lengths[winner[rows]]
    return found


def _slopes(prototypes: Array, omegas: Array, samples: Array, winner: NDArray[np.int64]) -> Array:
    """Return √(gᵀ Λ⁺⁻¹ g) for each sample and prototype, over the features that it has."""
    # In single precision, the inverse of a low rank would be one of its rounding.
    omegas = omegas.astype(np.float64)
    found = np.empty((len(samples), len(prototypes)))
    for pattern, rows in _patterns(~np.isnan(samples)):
        roots = omegas * pattern
        metrics = roots.transpose(0, 2, 1) @ roots
        inverses = np.linalg.pinv(metrics, hermitian=True)
        away = np.where(pattern, samples[rows, np.newaxis] - prototypes, 0)
        pulls = 2 * np.einsum("njm,jmk->njk", away, metrics)
        own = pulls[np.arange(len(rows)), winner[rows]]
        normals = pulls - own[:, np.newaxis]
        for index in range(len(prototypes)):
            won = np.flatnonzero(winner[rows] == index)
            g = normals[won]
            squared = np.einsum("njm,mk,njk->nj", g, inverses[index], g, optimize=True)
            found[rows[won]] = np.sqrt(np.maximum(squared, 0))
    return found


def _patterns(present: NDArray[np.bool_]) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Return each pattern of present features, and the rows that have it."""
    if present.all():
        return [(present[0], np.arange(len(present)))]
    patterns, which = np.unique(present, axis=0, return_inverse=True)
    return [
        (pattern, np.flatnonzero(which.ravel() == index)) for index, pattern in enumerate(patterns)
    ]


def _ratio(excess: Array, slope: Any) -> Array:
    """Return excess / slope; a border that does not move away is nowhere, or, at 0, right here."""
    slope = np.broadcast_to(slope, excess.shape)
    found = np.where(excess > 0, np.inf, 0.0)
    np.divide(excess, slope, out=found, where=slope > 0)
    return found
