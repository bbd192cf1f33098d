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
    """Standardized features, with the mean in place of missing values."""
    z = np.zeros(samples.shape)
    for i in range(samples.shape[1]):
        values = known[~np.isnan(known[:, i]), i]
        mean, deviation = values.mean(), values.std()
        if values.min() == values.max():  # not as rounded
            mean, deviation = values[0], 0.0
        for row, value in enumerate(samples[:, i]):
            if not math.isnan(value):
                z[row, i] = (value - mean) / (deviation if deviation > 0 else 1.0)
    return z


def covariance(z, n_components, least_variance):
    """The covariance of a probabilistic principal component analysis, as a full matrix.

    The largest eigenvalues stay; all other directions have their mean variance, at least the given
    share of the mean of all.
    """
    eigenvalues, directions = np.linalg.eigh(np.atleast_2d(np.cov(z, rowvar=False, ddof=0)))
    eigenvalues, directions = eigenvalues[::-1], directions[:, ::-1]
    n_features = len(eigenvalues)
    n_components = min(n_components, n_features, max(1, len(z) // 5))
    rest = eigenvalues[n_components:] if n_components < n_features else eigenvalues[-1:]
    if eigenvalues.sum() < 1e-12:  # nothing varies
        return np.eye(n_features)
    noise = max(rest.mean(), least_variance * eigenvalues.mean())
    spectrum = np.full(n_features, noise)
    spectrum[:n_components] = np.maximum(eigenvalues[:n_components], noise)
    return directions @ np.diag(spectrum) @ directions.T


def distance_score(x, known, n_components=16, least_variance=0.05):
    """The Mahalanobis distance, by the inverse of the covariance."""
    z = standardize(np.array([x]), known)[0]
    own = covariance(standardize(known, known), n_components, least_variance)
    return math.sqrt(z @ np.linalg.inv(own) @ z)


def p_value(score, known_scores):
    """The conformal p-value; beyond the largest known score, it falls with the square."""
    n = len(known_scores)
    n_as_large = sum(each >= score for each in known_scores)
    if n_as_large:
        return (1 + n_as_large) / (n + 1)
    return (max(known_scores) / score) ** 2 / (n + 1)
