"""Distances, losses and directions of L-BFGS, written straight from their formulas."""

import math

import numpy as np


def distance(x, w, omega):
    """|Ω(x − w)|², missing features left out."""
    delta = np.where(np.isnan(x), 0.0, np.nan_to_num(x) - w)
    return float(np.sum((omega @ delta) ** 2))


def glvq_loss(distances, labels, label, beta=None):
    plus = min(d for d, c in zip(distances, labels, strict=True) if c == label)
    minus = min(d for d, c in zip(distances, labels, strict=True) if c != label)
    mu = (plus - minus) / (plus + minus) if plus + minus else 0.0  # undecided
    return mu if beta is None else 1 / (1 + math.exp(-beta * mu))


def rslvq_loss(distances, labels, label, sigma2, n_features):
    densities = [
        math.exp(-d / (2 * s)) / s ** (n_features / 2)
        for d, s in zip(distances, sigma2, strict=True)
    ]
    own = sum(p for p, c in zip(densities, labels, strict=True) if c == label)
    return -math.log(own / sum(densities))


def posteriors(distances, labels, sigma2, n_features):
    """P(class | x), classes sorted."""
    densities = [
        math.exp(-d / (2 * s)) / s ** (n_features / 2)
        for d, s in zip(distances, sigma2, strict=True)
    ]
    of_class = [
        sum(p for p, c in zip(densities, labels, strict=True) if c == label)
        for label in sorted(set(labels))
    ]
    return [p / sum(of_class) for p in of_class]


def log_det_penalty(omega):
    """−(1/R) log det ΩΩᵀ of a matrix of a fitted model."""
    return -math.log(np.linalg.det(omega @ omega.T)) / len(omega)


def finite_differences(function, parameters, step=1e-6):
    """Central differences of a scalar function by each entry of an array."""
    gradient = np.zeros_like(parameters)
    for index in np.ndindex(parameters.shape):
        moved = [parameters.copy(), parameters.copy()]
        moved[0][index] += step
        moved[1][index] -= step
        gradient[index] = (function(moved[0]) - function(moved[1])) / (2 * step)
    return gradient


def weighted_error(certainties, is_wrong, weights):
    """1 plus the share of the weight that is less certain for a wrong answer, 0 for a right one."""
    total = sum(weights)
    return [
        float(wrong)
        * (1 + sum(w for c, w in zip(certainties, weights, strict=True) if c < own) / total)
        for own, wrong in zip(certainties, is_wrong, strict=True)
    ]


def two_loop_direction(gradient, steps, changes):
    """Return −H times the gradient by the two loops of L-BFGS (Nocedal 1980)."""
    direction, shares = -gradient, []
    for step, change in zip(steps[::-1], changes[::-1], strict=True):
        shares.append(step @ direction / (step @ change))
        direction = direction - shares[-1] * change
    direction = direction * (steps[-1] @ changes[-1]) / (changes[-1] @ changes[-1])
    for step, change, share in zip(steps, changes, shares[::-1], strict=True):
        direction = direction + (share - change @ direction / (step @ change)) * step
    return direction
