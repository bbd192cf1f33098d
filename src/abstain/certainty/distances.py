"""How sure is a classifier of its answer, by distances to its prototypes or its class borders?

RelSim and the distance need prototypes; the distance to the border has three cases.

**Prototypes, one metric for all.** Where the distances to the winner w⁺ and to a prototype w of
another class are equal, there is a hyperplane. In the metric of the model, |v|² = vᵀΛv, a sample is

    (d − d⁺) / (2 |w⁺ − w|)

away from it, and the border is the closest of these hyperplanes. (With several prototypes per
class, parts of them may lie within the class, and the border is at least that far.)

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

from abstain._core.estimators import has_prototypes
from abstain.certainty.outputs import as_numbers, as_outputs
from abstain.certainty.registry import PROTOTYPE_MODEL, documented_rule

Array = NDArray[Any]


@documented_rule(PROTOTYPE_MODEL, "In [0, 1].")
def relative_similarity(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return RelSim, (d⁻ − d⁺)/(d⁻ + d⁺), of a prototype model.

    d⁺ is the squared distance to the closest prototype, d⁻ that to the closest one of another
    class. It is 0 on a class border and 1 on a prototype. The GLVQ family is trained to make it
    large; it needs no model of the density.

    Examples
    --------
    >>> from abstain import GLVQ
    >>> from abstain.certainty import relative_similarity
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
    >>> model = GLVQ().fit(X, y)
    >>> relative_similarity(model, model.prototypes_).tolist()
    [1.0, 1.0]
    >>> relative_similarity(model, [[2.0, 0.5]]).round(3).tolist()
    [0.0]
    """
    _, closest, second = as_outputs(estimator, X).closest_two
    total = second + closest
    if np.count_nonzero(total) < len(total):  # both distances are 0 on two prototypes at once
        total[total == 0] = 1
    if len(total) and np.isinf(total[0]):  # one class only
        return np.ones(len(total))
    return np.asarray((second - closest) / total, dtype=np.float64)


@documented_rule(PROTOTYPE_MODEL, "At most 0.")
def prototype_distance(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return −d⁺, minus the squared distance to the closest prototype.

    It does not show which class is near, only whether any class is: outliers have low values.

    Examples
    --------
    >>> from abstain import GLVQ
    >>> from abstain.certainty import prototype_distance
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
    >>> near, far = prototype_distance(GLVQ().fit(X, y), [[0.0, 0.5], [99.0, 0.5]])
    >>> bool(near > far)
    True
    """
    return np.asarray(-as_outputs(estimator, X).distances.min(axis=1), dtype=np.float64)


@documented_rule(
    "A fitted prototype model or linear classifier, or a pipeline or search that holds one.",
    "At least 0.",
)
def distance_to_boundary(estimator: Any, X: ArrayLike) -> NDArray[np.float64]:
    """Return the distance to the class border, in the metric of the model.

    Examples
    --------
    >>> from abstain import GLVQ
    >>> from abstain.certainty import distance_to_boundary
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"]
    >>> distance_to_boundary(GLVQ().fit(X, y), [[0.0, 0.5], [2.0, 9.0]]).round(2).tolist()
    [2.0, 0.0]
    """
    outputs = as_outputs(estimator, X)
    model, samples = outputs.model, outputs.seen
    if has_prototypes(model):
        to_border = _to_quadrics(model, samples, outputs.distances)
    elif model is outputs.classifier:
        to_border = _to_planes(model, outputs.scores)
    else:
        to_border = _to_planes(model, np.asarray(model.decision_function(samples)))
    return np.asarray(to_border, dtype=np.float64)


def is_linear(model: Any) -> bool:
    """Return whether each score of a model is a linear function of its own coefficients."""
    if not (hasattr(model, "coef_") and hasattr(model, "decision_function")):
        return False
    n_classes = len(model.classes_)
    if n_classes > 2 and hasattr(model, "support_vectors_"):
        return False  # a linear SVC has coefficients for each pair of classes
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
    to_borders = _ratio(excess, slopes)
    to_borders[labels == labels[winner][:, np.newaxis]] = np.inf
    return np.asarray(to_borders.min(axis=1))


def _between(prototypes: Array, root: Array, samples: Array, winner: NDArray[np.int64]) -> Array:
    """Return |w⁺ − w| for each sample and prototype, over the features that the sample has."""
    from_winner = np.empty((len(samples), len(prototypes)))
    for pattern, rows in _patterns(~np.isnan(samples)):
        projected = (prototypes * pattern) @ root.T
        lengths = np.linalg.norm(projected[:, np.newaxis] - projected, axis=2)
        from_winner[rows] = lengths[winner[rows]]
    return from_winner


def _slopes(prototypes: Array, omegas: Array, samples: Array, winner: NDArray[np.int64]) -> Array:
    """Return √(gᵀ Λ⁺⁻¹ g) for each sample and prototype, over the features that it has."""
    # In single precision, the inverse of a low-rank matrix would be that of its rounding errors.
    omegas = omegas.astype(np.float64)
    slopes = np.empty((len(samples), len(prototypes)))
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
            slopes[rows[won]] = np.sqrt(np.maximum(squared, 0))
    return slopes


def _patterns(present: NDArray[np.bool_]) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Return each pattern of present features, and the rows that have it."""
    if present.all():
        return [(present[0], np.arange(len(present)))]
    patterns, which = np.unique(present, axis=0, return_inverse=True)
    return [
        (pattern, np.flatnonzero(which.ravel() == index)) for index, pattern in enumerate(patterns)
    ]


def _ratio(excess: Array, slope: Any) -> Array:
    """Return excess / slope; where the slope is 0, infinity, or 0 on the border itself."""
    slope = np.broadcast_to(slope, excess.shape)
    ratio = np.where(excess > 0, np.inf, 0.0)
    np.divide(excess, slope, out=ratio, where=slope > 0)
    return ratio
