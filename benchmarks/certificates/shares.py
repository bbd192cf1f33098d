"""What share shall be held out where the classifier is fitted with the same rows?

What tests is missing to the fit. The target is to halve the errors of the classifier that all rows
fit, so that a share which spoils the classifier pays for it. With each share a classifier is
fitted, its answers out of fold give the path of thresholds, and as many rows as are held out are
drawn from a pool to test them, many times over. The coverage is that on the whole pool.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from abstain import Accuracy, RejectOptionClassifier
from certificates.library import Rows
from certificates.pools import Answers, Array, load, make_classifiers

SHARES, SIZES, LEVEL, N_DRAWS, N_POOL = [0.3, 0.4, 0.5, 0.6], [600, 1500, 5000], 0.1, 40, 8000
# The share is chosen on the first, and has to do on the others.
CHOSEN_ON = ["covtype", "weather", "pearl necklace", "five classes"]
TRIED_ON = ["electricity", "noisy blobs", "gaussian clusters", "nine classes"]
N_SEEDS = 1

Row = dict[str, Any]


def try_shares(name: str, n_samples: int, seed: int, data: Path) -> list[Row]:
    """Return what each share certifies for each classifier, fitted on one draw of a set."""
    X, y = load(name, data)
    order = np.random.default_rng([seed, n_samples]).permutation(len(y))
    known, new = order[:n_samples], order[n_samples : n_samples + N_POOL]
    rows = []
    for label, classifier in make_classifiers().items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            base = clone(classifier).fit(X[known], y[known]).score(X[new], y[new])
            target = Accuracy((1 + base) / 2, confidence=1 - LEVEL)
            for share in SHARES:
                first = known[: n_samples - round(share * n_samples)]
                taught = RejectOptionClassifier(classifier, outliers=None).fit(X[first], y[first])
                frozen = RejectOptionClassifier(FrozenEstimator(taught.estimator_), outliers=None)
                pool = frozen.fit(X[new], y[new]).calibration_
                coverage = _coverage(
                    Answers(*taught.calibration_[:3]),
                    Answers(*pool[:3]),
                    target,
                    n_samples - len(first),
                )
                rows.append(
                    {
                        "set": name,
                        "classifier": label,
                        "samples": n_samples,
                        "seed": seed,
                        "share": share,
                        "coverage": coverage,
                    }
                )
    return rows


def _coverage(taught: Answers, pool: Answers, target: Accuracy, n_test: int) -> float:
    """Return the mean share of the pool that is accepted, over draws of samples that test."""
    cells = np.unique(np.concatenate([taught.cells, pool.cells]))
    taught, pool = _numbered(taught, cells), _numbered(pool, cells)
    rows, covered = Rows.of(taught), []
    for seed in range(N_DRAWS):
        chosen = np.random.default_rng(seed).integers(len(pool.correct), size=n_test)
        thresholds = rows.certified(pool.take(chosen), target, len(cells))
        if thresholds is None:
            covered.append(0.0)
        else:
            covered.append(float(np.mean(pool.certainty >= thresholds[pool.cells])))
    return float(np.mean(covered))


def _numbered(answers: Answers, cells: Array) -> Answers:
    return answers._replace(cells=np.searchsorted(cells, answers.cells))


def summaries(rows: list[Row]) -> list[Row]:
    """Return the mean coverage of each share, and how it differs from that of a half."""
    means = []
    for names, use in ((CHOSEN_ON, "chosen on"), (TRIED_ON, "tried on")):
        of_these = [row for row in rows if row["set"] in names]
        for size in dict.fromkeys(row["samples"] for row in of_these):
            some = [row for row in of_these if row["samples"] == size]
            halves = {_fit(row): row["coverage"] for row in some if row["share"] == 0.5}
            for share in SHARES:
                own = {_fit(row): row["coverage"] for row in some if row["share"] == share}
                gaps = [own[fit] - halves[fit] for fit in own]
                means.append(
                    {
                        "use": use,
                        "samples": size,
                        "share": share,
                        "fits": len(own),
                        "coverage": float(np.mean(list(own.values()))),
                        "difference": float(np.mean(gaps)),
                        "standard_error": float(np.std(gaps) / np.sqrt(max(1, len(gaps) - 1))),
                    }
                )
    return means


def _fit(row: Row) -> tuple[Any, ...]:
    return row["set"], row["classifier"], row["seed"]
