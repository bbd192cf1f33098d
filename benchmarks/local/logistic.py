"""How probable is a wrong answer, by a logistic model whose one strength is chosen in folds?

With z(r) the normal score of the mid-rank of the certainty r among the calibration samples, and j
the cell,

    P(wrong | r, j) = σ(β₀ + β₁ z + u_j + v_j z),

with a ridge of 1/τ² on every u_j and v_j. τ is the one of a grid with the least deviance in five
folds, and slopes β₁ + v_j are kept below zero. The library's pooled front differs from it: it
averages over τ by the evidence instead of choosing one, and lets the common curve bend.

Newton's method, with the cells eliminated: given the Fisher information I_j of each cell and
D_j = I_j + 1/τ², what is left for β is S = Σ_j (I_j − I_j D_j⁻¹ I_j).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from local.answers import Answers

__all__ = ["log_odds_of_wrong"]

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

STRENGTHS = [0.03, 0.1, 0.3, 0.6, 1.0, 2.0]
N_FOLDS = 5
FLATTEST_SLOPE = -1e-3
# Of Newton's method. The ridge on β only keeps S from being singular.
MAX_STEPS, TOLERANCE, LONGEST_STEP, RIDGE = 25, 1e-6, 3.0, 1e-6


def log_odds_of_wrong(calibration: Answers, certainty: Array, cells: Codes) -> Array:
    """Return the estimated log odds that answers are wrong, from answers that are known."""
    n_cells = int(max(calibration.cells.max(), cells.max())) + 1
    z, wrong = _normal_scores(calibration.certainty, calibration.certainty), ~calibration.correct
    fold = np.random.default_rng(0).permutation(len(z)) % N_FOLDS

    def deviance(strength: float) -> float:
        total = 0.0
        for number in range(N_FOLDS):
            train, test = fold != number, fold == number
            lines = _fit(z[train], wrong[train], calibration.cells[train], n_cells, strength)
            log_odds = _at(lines, z[test], calibration.cells[test])
            total += float((np.logaddexp(0, log_odds) - wrong[test] * log_odds).sum())
        return total

    lines = _fit(z, wrong, calibration.cells, n_cells, min(STRENGTHS, key=deviance))
    lines[:, 1] = np.minimum(lines[:, 1], FLATTEST_SLOPE)
    return _at(lines, _normal_scores(calibration.certainty, certainty), cells)


def _normal_scores(known: Array, values: Array) -> Array:
    """Return Φ⁻¹ of the mid-ranks of values among known ones, interpolated between these."""
    distinct, counts = np.unique(known, return_counts=True)
    scores = ndtri((np.cumsum(counts) - counts / 2) / len(known))
    return np.interp(values, distinct, scores)


def _at(lines: Array, z: Array, cells: Codes) -> Array:
    return np.asarray(lines[cells, 0] + lines[cells, 1] * z)


def _fit(z: Array, wrong: NDArray[np.bool_], cells: Codes, n_cells: int, strength: float) -> Array:
    """Return level and slope of each cell."""
    beta, deviations = np.zeros(2), np.zeros((n_cells, 2))
    ridge = np.eye(2) / strength**2

    def sums(values: Array) -> Array:
        return np.bincount(cells, values, minlength=n_cells).astype(np.float64)

    for _ in range(MAX_STEPS):
        probability = expit(_at(beta + deviations, z, cells))
        weight, rest = np.maximum(probability * (1 - probability), 1e-9), wrong - probability
        slope = np.stack([sums(rest), sums(rest * z)], axis=1)
        cross = sums(weight * z)
        information = np.stack([sums(weight), cross, cross, sums(weight * z * z)], axis=1)
        information = information.reshape(n_cells, 2, 2)
        # D⁻¹ times the information, and times the slope of each cell's own deviations
        own_slope = slope - deviations @ ridge
        right_sides = np.concatenate([information, own_slope[:, :, np.newaxis]], axis=2)
        solved = np.linalg.solve(information + ridge, right_sides)
        left = np.eye(2) * RIDGE + (information - information @ solved[:, :, :2]).sum(axis=0)
        own = (information @ solved[:, :, 2:]).sum(axis=0)[:, 0]
        step = np.linalg.solve(left, slope.sum(axis=0) - RIDGE * beta - own)
        steps = solved[:, :, 2] - solved[:, :, :2] @ step
        longest = max(np.abs(step).max(), np.abs(steps).max())
        scale = min(1.0, LONGEST_STEP / longest) if longest > 0 else 1.0
        beta, deviations = beta + scale * step, deviations + scale * steps
        if longest < TOLERANCE:
            break
    return np.asarray(beta + deviations)
