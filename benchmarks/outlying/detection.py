"""How many outliers does each score find on a set?"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outlying.faults import UNITS, faults
from outlying.scores import OURS, decide
from outlying.sets import load

__all__ = ["DISTANCES", "N_KNOWN", "RATE", "UNSEEN", "detection", "draw"]

RATE, N_KNOWN, N_NEW = 0.01, 1_500, 1_000
UNSEEN = "a class never seen"
# Ends of intervals of distances from the range, in widths of the range.
DISTANCES = (0.0, 0.02, 0.05, 0.1, 0.25, 1.0, np.inf)

Floats = NDArray[np.float64]
Counts = dict[str, Any]


def draw(X: Floats, y: NDArray[Any], seed: int) -> tuple[Floats, Floats, NDArray[Any], Any]:
    """Return known and new samples, and their classes."""
    order = np.random.default_rng(seed).permutation(len(X))
    n_known = min(N_KNOWN, 2 * len(X) // 3)
    known, new = order[:n_known], order[n_known : n_known + N_NEW]
    return X[known], X[new], y[known], y[new]


def detection(name: str, data: Path, scores: list[str], n_draws: int) -> Counts:
    """Return, by score and fault, how many outliers of a set are found, and among how many.

    New samples without a fault are "false alarms". The outliers that the detector finds are also
    counted by how far their values leave the range.
    """
    X, y = load(name, data)
    counts: dict[str, dict[str, list[int]]] = {score: {} for score in scores}
    by_distance = {fault: np.zeros((len(DISTANCES), 2), dtype=int) for fault in UNITS}
    for seed in range(n_draws):
        known, new, labels, new_labels = draw(X, y, seed)
        classes, sizes = np.unique(labels, return_counts=True)
        unseen = classes[np.argsort(sizes)[len(sizes) // 2]] if len(classes) > 2 else None
        made = list(faults(known, new, np.random.default_rng(seed)))
        for score, own in counts.items():
            is_outlier = decide(score, known, labels, RATE)
            hits = {"false alarms": is_outlier(new)}
            hits |= {fault.name: is_outlier(fault.samples)[fault.is_visible] for fault in made}
            if score == OURS:
                for fault in made:
                    if fault.name in UNITS:
                        bins = np.digitize(fault.beyond, DISTANCES[1:])[fault.is_visible]
                        np.add.at(by_distance[fault.name], bins, [0, 1])
                        np.add.at(by_distance[fault.name], bins[hits[fault.name]], [1, 0])
            if unseen is not None:
                is_seen = labels != unseen
                is_outlier = decide(score, known[is_seen], labels[is_seen], RATE)
                hits[UNSEEN] = is_outlier(new[new_labels == unseen])
            for fault_name, each in hits.items():
                n_found, n_all = own.get(fault_name, (0, 0))
                own[fault_name] = [n_found + int(each.sum()), n_all + len(each)]
    distances = {fault: each.tolist() for fault, each in by_distance.items()}
    return {**counts, "by distance": distances}
