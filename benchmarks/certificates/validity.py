"""How often does an accuracy that was certified not hold?

An accuracy of 0.9 with confidence 0.9, on populations whose truth is known: those of
`tests.reference.guarantee`, for a classifier that is given, and three overlapping classes for one
that is fitted with the samples.
"""

from functools import cache
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.naive_bayes import GaussianNB

from abstain import Accuracy, InputError, RejectOptionClassifier
from tests.reference.guarantee import accepted_by, fit, population

ACCURACY, LEVEL = 0.9, 0.1
CASES = [
    ("smooth", 1200),
    ("ties", 1200),
    ("many cells", 1200),
    ("flat", 1200),
    ("not rising", 1200),
    ("dips", 1200),
    ("smooth", 200),
]
TEST_SIZES: list[Any] = ["auto", 0.8]
FITTED_HERE, N_FITTED = "three classes", 600

Row = dict[str, Any]
Outcome = tuple[bool, float]
_population = cache(population)


def allowed(n_runs: int) -> float:
    """Return δ and three standard errors."""
    return LEVEL + 3 * float(np.sqrt(LEVEL * (1 - LEVEL) / n_runs))


def _given(kind: str, n_samples: int, test_size: Any, seed: int) -> Outcome:
    """Return whether the accuracy is missed and how much is accepted, for one draw."""
    certainty, correct, cells = _population(kind)
    chosen = np.random.default_rng([seed, n_samples]).integers(len(correct), size=n_samples)
    try:
        drawn = [certainty[chosen], correct[chosen], cells[chosen]]
        clf = fit(drawn, test_size=test_size, outliers=None)
    except InputError:
        return False, 0.0
    return _outcome(accepted_by(clf, certainty, correct, cells), correct)


def _three_classes(n_samples: int, generator: Any) -> Any:
    """Three classes on a line, in two dimensions, the last one wide."""
    y = generator.integers(3, size=n_samples)
    noise = generator.normal(size=(n_samples, 2)) * np.array([0.6, 0.8, 1.6])[y, np.newaxis]
    return np.array([[0.0, 0.0], [1.8, 0.0], [3.6, 0.0]])[y] + noise, y


@cache
def _new_samples() -> Any:
    return _three_classes(50_000, np.random.default_rng(10**6))


def _fitted_here(n_samples: int, seed: int) -> Outcome:
    """Return the same for a classifier that is fitted with the samples; new ones tell the truth."""
    X, y = _three_classes(n_samples, np.random.default_rng(seed))
    target = Accuracy(ACCURACY, confidence=1 - LEVEL)
    clf = RejectOptionClassifier(GaussianNB(), target=target, outliers=None, random_state=seed)
    try:
        clf.fit(X, y)
    except InputError:
        return False, 0.0
    X_new, y_new = _new_samples()
    return _outcome(~clf.reject(X_new), clf.predict(X_new) == y_new)


def _outcome(accepted: Any, correct: Any) -> Outcome:
    if not accepted.any():
        return False, 0.0
    return bool(correct[accepted].mean() < ACCURACY), float(accepted.mean())


def _row(kind: str, n_samples: int, way: str, outcomes: list[Outcome]) -> Row:
    missed, coverage = np.array(outcomes).T
    return {
        "population": kind,
        "samples": n_samples,
        "way": way,
        "runs": len(outcomes),
        "missed": float(missed.mean()),
        "coverage": float(coverage.mean()),
        "refused": float((coverage == 0).mean()),
    }


def simulate(n_runs: int, n_jobs: int) -> list[Row]:
    """Return how often each way misses the accuracy, and how much it accepts."""
    rows = []
    with Parallel(n_jobs, batch_size=25) as parallel:
        for kind, n_samples in CASES:
            for test_size in TEST_SIZES:
                outcomes = parallel(
                    delayed(_given)(kind, n_samples, test_size, seed) for seed in range(n_runs)
                )
                rows.append(_row(kind, n_samples, f"given, test_size={test_size!r}", outcomes))
        outcomes = parallel(delayed(_fitted_here)(N_FITTED, seed) for seed in range(n_runs))
        rows.append(_row(FITTED_HERE, N_FITTED, "fitted here, test_size='auto'", outcomes))
    return rows
