"""The pooled probability of being right by hand: one model after the other, no structure used.

Every model is maximised by scipy from its log posterior alone, and its evidence takes the Hessian
by finite differences. Bins, groups and shortcuts have no part here, so the data must be small.
"""

import numpy as np
from scipy.optimize import approx_fprime, minimize
from scipy.stats import norm
from sklearn.isotonic import IsotonicRegression

STRENGTHS = (0.03, 0.1, 0.2, 0.4, 0.8, 1.6)
DEVIATIONS = (10.0, 5.0, 1.0, 1.0, 1.0)


def mid_ranks(certainty):
    """The share of samples below each one, with half of those that are equal."""
    return [
        (sum(other < own for other in certainty) + sum(other == own for other in certainty) / 2)
        / len(certainty)
        for own in certainty
    ]


def basis(score):
    return np.array([1.0, score, *(max(score - bend, 0.0) for bend in (-1, 0, 1))])


def log_posterior(values, z, wrong, cells, n_functions, tau):
    n_cells = max(cells) + 1
    beta, own = values[:n_functions], values[n_functions:].reshape(n_cells, n_functions)
    level = np.log((sum(wrong) + 0.5) / (len(wrong) - sum(wrong) + 0.5))
    total = 0.0
    for score, is_wrong, cell in zip(z, wrong, cells, strict=True):
        functions = basis(score)[:n_functions]
        eta = (beta + own[cell]) @ functions
        total += eta * is_wrong - np.logaddexp(0, eta)
    for index in range(n_functions):
        total += norm.logpdf(beta[index], level if index == 0 else 0.0, DEVIATIONS[index])
    return total + norm.logpdf(own, 0.0, tau).sum()


def model(z, wrong, cells, n_functions, tau):
    """The mode, and Laplace's evidence up to a constant that the number of parameters gives."""
    size = n_functions * (max(cells) + 2)

    def negative(values):
        return -log_posterior(values, z, wrong, cells, n_functions, tau)

    def gradient(values):
        return approx_fprime(values, negative, 1e-6)

    mode = minimize(negative, np.zeros(size), method="BFGS", options={"gtol": 1e-4}).x
    hessian = np.array(
        [(gradient(mode + step) - gradient(mode - step)) / 2e-3 for step in 1e-3 * np.eye(size)]
    )
    evidence = -negative(mode) + size / 2 * np.log(2 * np.pi)
    return mode, evidence - np.linalg.slogdet(hessian)[1] / 2


def probability_correct(certainty, correct, cells):
    """P(right) of every sample; probabilities curve is made to rise with the certainty."""
    z = norm.ppf(mid_ranks(certainty))
    wrong = [not right for right in correct]
    probabilities, weights = [], []
    values = np.unique(z)
    functions = np.array([basis(value) for value in values])
    for n_functions in (2, 5):
        for tau in STRENGTHS:
            mode, evidence = model(z, wrong, cells, n_functions, tau)
            beta, own = mode[:n_functions], mode[n_functions:].reshape(-1, n_functions)
            probabilities.append(1 / (1 + np.exp((beta + own) @ functions[:, :n_functions].T)))
            weights.append(evidence)
    weights = np.exp(np.array(weights) - max(weights))
    curves = np.tensordot(weights / weights.sum(), np.array(probabilities), 1)
    for cell, curve in enumerate(curves):
        share = [
            sum((z == value) & (np.array(cells) == cell)) + 1e-6 * sum(z == value)
            for value in values
        ]
        curves[cell] = IsotonicRegression().fit(values, curve, share).predict(values)
    at = np.searchsorted(values, z)
    return np.array([curves[cell][k] for cell, k in zip(cells, at, strict=True)])
