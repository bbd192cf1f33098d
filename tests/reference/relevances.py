"""Relevances of resamples and of iterated fits, written straight from their definitions."""

import math

import numpy as np
from scipy.linalg import null_space


def share_among_first(fits, feature, n_first):
    """In how many of the fits do fewer than n_first features have a larger relevance?"""
    among = [sum(other > fit[feature] for other in fit) < n_first for fit in fits]
    return sum(among) / len(fits)


def independence_p_value(y, answers, groups):
    """P(Z > z) for z = Σψ / √(2 Σ_group (Σψ)²), one sample at a time."""
    n = len(y)
    chance = sum(a == b for a in y for b in answers) / n**2
    psi = [
        (true == answer)
        - sum(other == answer for other in y) / n
        - sum(other == true for other in answers) / n
        + chance
        for true, answer in zip(y, answers, strict=True)
    ]
    sums = dict.fromkeys(groups, 0.0)
    for value, group in zip(psi, groups, strict=True):
        sums[group] += value
    size = math.sqrt(2 * sum(value**2 for value in sums.values()))
    return 0.5 * math.erfc(sum(psi) / size / math.sqrt(2)) if size > 1e-9 else 1.0


def iterated(make_model, X, y, folds, n_directions, n_iterations):
    """Directions and accuracies of some iterations; each fit is made from the samples anew."""
    n_features = X.shape[1]
    splits = [*folds, (np.arange(len(y)), np.arange(0))]
    removed = [np.empty((0, n_features)) for _ in splits]
    accuracies = []
    for _ in range(n_iterations):
        n_right = 0
        for part, (train, test) in enumerate(splits):
            basis = null_space(removed[part]) if len(removed[part]) else np.eye(n_features)
            model = make_model().fit(X[train] @ basis, y[train])
            if len(test):
                n_right += (model.predict(X[test] @ basis) == y[test]).sum()
            _, vectors = np.linalg.eigh(model.omega_.T @ model.omega_)
            found = (basis @ vectors[:, ::-1][:, :n_directions]).T
            removed[part] = np.concatenate([removed[part], found])
        accuracies.append(n_right / len(y))
    return removed[-1], accuracies
