"""Measures of certainty written straight from their formulas, one sample at a time.

A sample is a list of numbers, NaN where one is missing; a model is its prototypes, the class of
each and the matrix Ω of each.
"""

import math

import numpy as np

from tests.reference.models import distance


def parts_of(model):
    """Prototypes, their classes and their Ω, in double precision."""
    prototypes = model.prototypes_.astype(float)
    if hasattr(model, "omegas_"):
        omegas = list(model.omegas_.astype(float))
    elif hasattr(model, "omega_"):
        omegas = [model.omega_.astype(float)] * len(prototypes)
    elif hasattr(model, "scales_"):
        omegas = [np.diag(model.scales_.astype(float))] * len(prototypes)
    else:
        omegas = [np.eye(prototypes.shape[1])] * len(prototypes)
    return prototypes, model.prototype_labels_.tolist(), omegas


def winner_and_rivals(x, prototypes, labels, omegas):
    """Distances to all prototypes, the closest one, and all of other classes than its."""
    distances = [distance(x, w, omega) for w, omega in zip(prototypes, omegas, strict=True)]
    winner = distances.index(min(distances))
    rivals = [j for j, label in enumerate(labels) if label != labels[winner]]
    return distances, winner, rivals


def relative_similarity(x, prototypes, labels, omegas):
    """(d⁻ − d⁺)/(d⁻ + d⁺)."""
    distances, winner, rivals = winner_and_rivals(x, prototypes, labels, omegas)
    plus, minus = distances[winner], min(distances[j] for j in rivals)
    return (minus - plus) / (minus + plus) if minus + plus else 0.0  # undecided


def prototype_distance(x, prototypes, labels, omegas):
    """−d⁺."""
    distances, winner, _ = winner_and_rivals(x, prototypes, labels, omegas)
    return -distances[winner]


def boundary_in_one_metric(x, prototypes, labels, omegas):
    """min over rivals of (d − d⁺) / (2 |w⁺ − w|), over the features that the sample has."""
    distances, winner, rivals = winner_and_rivals(x, prototypes, labels, omegas)
    lengths = []
    for rival in rivals:
        between = np.where(np.isnan(x), 0.0, prototypes[winner] - prototypes[rival])
        length = math.sqrt(float(np.sum((omegas[winner] @ between) ** 2)))
        lengths.append((distances[rival] - distances[winner]) / (2 * length))
    return min(lengths)


def boundary_in_local_metrics(x, prototypes, labels, omegas):
    """min over rivals of (d − d⁺) / √(gᵀ Λ⁺⁻¹ g) with g = 2Λ(x − w) − 2Λ⁺(x − w⁺).

    Features that are missing are struck out of all vectors and matrices.
    """
    distances, winner, rivals = winner_and_rivals(x, prototypes, labels, omegas)
    present = ~np.isnan(x)
    metrics = [omega[:, present].T @ omega[:, present] for omega in omegas]
    pulls = [
        2 * metric @ (x[present] - w[present])
        for metric, w in zip(metrics, prototypes, strict=True)
    ]
    lengths = []
    for rival in rivals:
        g = pulls[rival] - pulls[winner]
        squared = sum(
            float(axis @ g) ** 2 / size for axis, size in measured_directions(metrics[winner])
        )
        lengths.append((distances[rival] - distances[winner]) / math.sqrt(squared))
    return min(lengths)


def measured_directions(metric):
    """Eigenvectors of Λ and their eigenvalues, but those along which it measures nothing."""
    sizes, axes = np.linalg.eigh(metric)
    return [
        (axis, size) for axis, size in zip(axes.T, sizes, strict=True) if size > 1e-9 * sizes.max()
    ]


def boundary_of_linear(x, coefficients, intercepts):
    """min_k (f_c − f_k) / ‖v_c − v_k‖; of two classes, one score: |f| / ‖v‖."""
    scores = [float(np.dot(v, x)) + float(b) for v, b in zip(coefficients, intercepts, strict=True)]
    if len(scores) == 1:
        return abs(scores[0]) / math.dist(coefficients[0], np.zeros(len(x)))
    first = scores.index(max(scores))
    return min(
        (scores[first] - scores[k]) / math.dist(coefficients[first], coefficients[k])
        for k in range(len(scores))
        if k != first
    )


def one_against_one(decisions, n_classes):
    """f[i][k], positive where class i is preferred to class k, of libsvm's list of pairs."""
    margins = [[0.0] * n_classes for _ in range(n_classes)]
    values = iter(decisions)
    for i in range(n_classes):
        for k in range(i + 1, n_classes):
            margins[i][k] = float(next(values))
            margins[k][i] = -margins[i][k]
    return margins


def winner_by_votes(against):
    """The class that is preferred most often, of several the first."""
    votes = [sum(value > 0 for value in row) for row in against]
    return votes.index(max(votes))


def pairwise_margin(against, winner):
    """min_k f_ck of the class that wins."""
    return min(value for k, value in enumerate(against[winner]) if k != winner)


def margin(scores):
    """The highest score minus the next."""
    first, second, *_ = sorted(map(float, scores), reverse=True)
    return first - second


def posterior_of(posteriors, classes, answer):
    """P(c|x) of the class that is answered."""
    return float(posteriors[list(classes).index(answer)])


def log_odds(log_posteriors, classes, answer):
    """log p − log Σ of all others, of log-posteriors up to a constant."""
    logs = [float(value) for value in log_posteriors]
    own = logs.pop(list(classes).index(answer))
    highest = max(logs)
    return own - highest - math.log(sum(math.exp(value - highest) for value in logs))


def negative_entropy(posteriors):
    """Σ p log p / log K."""
    return sum(p * math.log(p) for p in map(float, posteriors) if p > 0) / math.log(len(posteriors))


def vote_margin(votes, weights, answer):
    """The share of the votes for the answer minus that for the next class."""
    share = dict.fromkeys([answer, *votes], 0.0)
    for vote, weight in zip(votes, weights, strict=True):
        share[vote] += weight / sum(weights)
    own = share.pop(answer)
    return own - max(share.values(), default=0.0)


def code_margin(scores, code_book, classes, answer):
    """(d⁻ − d⁺)/(d⁻ + d⁺) of squared distances to the codes of the answer and of the next class."""
    distances = [math.dist(scores, code) ** 2 for code in code_book]
    own = distances.pop(list(classes).index(answer))
    return (min(distances) - own) / (min(distances) + own)


def trust(x, prototypes, labels, answer):
    """(d⁻ − d⁺)/(d⁻ + d⁺) of squared distances to the prototypes of the answer and of others."""
    own = min(math.dist(x, w) ** 2 for w, c in zip(prototypes, labels, strict=True) if c == answer)
    other = min(
        math.dist(x, w) ** 2 for w, c in zip(prototypes, labels, strict=True) if c != answer
    )
    return (other - own) / (other + own)
