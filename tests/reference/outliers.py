"""The scores of outliers and their p-values, written straight from the formulas.

Samples are rows of numbers, NaN where one is missing.
"""

import math

import numpy as np


def excess(value, known):
    """How far a value lies from the median, relative to the end of the range on its side."""
    known = [each for each in known if not math.isnan(each)]
    if math.isnan(value):
        return 0.0
    median, lowest, highest = np.median(known), min(known), max(known)
    if value == median:
        return 0.0
    if lowest == highest:  # of a constant, the unit is 1
        return min(abs(value - median), 1e9)
    reach = highest - median if value > median else median - lowest
    return 1e9 if reach == 0 else min(abs(value - median) / reach, 1e9)


def range_score(x, known):
    """The largest excess of any feature."""
    return max(excess(x[i], known[:, i]) for i in range(len(x)))


def standardize(samples, known):
    """Standardized features, NaN where a value is missing."""
    z = np.full(samples.shape, np.nan)
    for i in range(samples.shape[1]):
        values = known[~np.isnan(known[:, i]), i]
        mean, deviation = values.mean(), values.std()
        if values.min() == values.max():  # not as rounded
            mean, deviation = values[0], 0.0
        for row, value in enumerate(samples[:, i]):
            z[row, i] = (value - mean) / (deviation if deviation > 0 else 1.0)
    return z


def residual(z, known_z, j):
    """The residual of feature j of one sample, in a ridge regression on the other features.

    It is divided by the variance that the ridge regression leaves.
    """
    n, others = len(known_z), [i for i in range(known_z.shape[1]) if i != j]
    targets, inputs = known_z[:, j], known_z[:, others]
    penalized = inputs.T @ inputs / n + 0.01 * np.eye(len(others))
    slopes = np.linalg.solve(penalized, inputs.T @ targets / n)
    variance = targets @ (targets - inputs @ slopes) / n + 0.01
    return float(z[j] - z[others] @ slopes) / variance


def residual_scores(samples, known):
    """The largest residual of each sample, relative to those of the known samples.

    The residual of a known sample is by the others, with the mean and the number of all. Residuals
    are unknown, NaN, if a value is missing in the sample. Features that are constant, or lacked by
    more than a tenth of the known samples, do not count.
    """
    varies = np.nanmin(known, axis=0) < np.nanmax(known, axis=0)
    columns = np.flatnonzero(varies & (np.isnan(known).mean(axis=0) <= 0.1))
    known, samples = known[:, columns], samples[:, columns]
    known_z, new_z = standardize(known, known), standardize(samples, known)
    filled = np.nan_to_num(known_z)
    complete = [row for row, z in enumerate(known_z) if not np.isnan(z).any()]
    if not complete or not len(columns):
        return np.full(len(samples), math.nan)
    scores = np.where(np.isnan(new_z).any(axis=1), math.nan, 0.0)
    for j in range(len(columns)):
        largest = 0.0
        for row in complete:
            others = filled.copy()
            others[row] = 0.0
            largest = max(largest, abs(residual(filled[row], others, j)))
        own = [min(abs(residual(z, filled, j)) / largest, 1e9) for z in new_z]
        scores = np.maximum(scores, own)
    return scores


def p_value(score, known_scores):
    """The conformal p-value; beyond the largest known score, it falls with the square."""
    n = len(known_scores)
    n_as_large = sum(each >= score for each in known_scores)
    if n_as_large:
        return (1 + n_as_large) / (n + 1)
    return (max(known_scores) / score) ** 2 / (n + 1)
