"""Which scores may tell outliers? Each is turned into a decision in the same way.

Scores of known samples come from five folds. A new sample is an outlier if its score exceeds the
conformal quantile of these.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.covariance import LedoitWolf
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from abstain import GMLVQ
from abstain.certainty.outlier_scores import fit_known
from abstain.certainty.outliers import fit_outlier_detector

__all__ = ["OURS", "SCORES", "decide"]

Floats = NDArray[np.float64]
Score = Callable[[Floats], Floats]
N_FOLDS = 5


class Fit(Protocol):
    """Fits a score to samples and their classes."""

    def __call__(self, samples: Floats, labels: NDArray[Any]) -> Score: ...


def standardizing(samples: Floats) -> Callable[[Floats], Floats]:
    mean, scale = np.nanmean(samples, axis=0), np.nanstd(samples, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return lambda X: np.nan_to_num((X - mean) / scale)


def range_alone(samples: Floats, labels: NDArray[Any]) -> Score:
    known = fit_known(samples)
    return lambda X: known.scores(X)[0]


def residual_alone(samples: Floats, labels: NDArray[Any]) -> Score:
    known = fit_known(samples)
    return lambda X: np.nan_to_num(known.scores(X)[1])


def mahalanobis_distance(samples: Floats, labels: NDArray[Any]) -> Score:
    z = standardizing(samples)
    covariance = LedoitWolf().fit(z(samples))
    return lambda X: np.asarray(covariance.mahalanobis(z(X)))


def nearest_of(size: int) -> Fit:
    """Distance to the nearest of some samples (Sugiyama and Borgwardt, 2013)."""

    def fit(samples: Floats, labels: NDArray[Any]) -> Score:
        z = standardizing(samples)
        some = z(samples[np.random.default_rng(0).permutation(len(samples))[:size]])
        squares = (some**2).sum(axis=1)
        return lambda X: (z(X) ** 2).sum(axis=1) + (squares - 2 * z(X) @ some.T).min(axis=1)

    return fit


def isolation_forest(samples: Floats, labels: NDArray[Any]) -> Score:
    z = standardizing(samples)
    forest = IsolationForest(random_state=0).fit(z(samples))
    return lambda X: -forest.score_samples(z(X))


def local_outlier_factor(samples: Floats, labels: NDArray[Any]) -> Score:
    z = standardizing(samples)
    factor = LocalOutlierFactor(novelty=True).fit(z(samples))
    return lambda X: -factor.score_samples(z(X))


def prototype_distance(samples: Floats, labels: NDArray[Any]) -> Score:
    z = standardizing(samples)
    model = GMLVQ(1, random_state=0).fit(z(samples), labels)
    return lambda X: np.asarray(model.distances(z(X)).min(axis=1))


OURS = "range and residual"
SCORES: dict[str, Fit | None] = {
    OURS: None,
    "range": range_alone,
    "residual": residual_alone,
    "Mahalanobis distance": mahalanobis_distance,
    "nearest of 20": nearest_of(20),
    "nearest of 500": nearest_of(500),
    "isolation forest": isolation_forest,
    "local outlier factor": local_outlier_factor,
    "prototype distance": prototype_distance,
}


def decide(name: str, samples: Floats, labels: NDArray[Any], rate: float) -> Any:
    """Return a function that tells which new samples are outliers."""
    fit = SCORES[name]
    if fit is None:
        detector, _ = fit_outlier_detector(samples, rate)
        assert detector is not None
        return detector.are_outliers
    folds = np.random.default_rng(1).permutation(len(samples)) % N_FOLDS
    scores = np.empty(len(samples))
    for fold in range(N_FOLDS):
        own = folds == fold
        scores[own] = fit(samples[~own], labels[~own])(samples[own])
    scores.sort()
    score, n_larger = fit(samples, labels), int(rate * (len(samples) + 1))
    limit = scores[len(scores) - n_larger] if n_larger else np.inf
    return lambda X: score(X) > limit
