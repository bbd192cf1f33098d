"""What do thresholds of their own do for prototypes that differ?

The pearl necklace of the paper: clusters of different widths, each with a prototype, under one
metric. How sure the model is means something else near each of them.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import dataclass

import numpy as np

from abstain.classifier import RejectOptionClassifier
from abstain.datasets import make_pearl_necklace
from abstain.models import GMLVQ
from abstain.targets import RejectRate

__all__ = ["Necklace", "string_pearls"]

REJECT_RATE = 0.05
N_KNOWN, N_NEW = 1000, 10_000


@dataclass(frozen=True)
class Answers:
    """Share of new samples that are rejected, and of the others that are right."""

    reject_rate: float
    accuracy: float


@dataclass(frozen=True)
class Necklace:
    """What became of new samples, with one threshold and with one for each prototype."""

    n_new: int
    accuracy: float
    one_threshold: Answers
    per_prototype: Answers


def string_pearls() -> Necklace:
    """Fit a model to some pearls, and try both ways to reject on many others."""
    known = make_pearl_necklace(N_KNOWN, random_state=0)
    X, y = make_pearl_necklace(N_NEW, random_state=1)
    found = []
    for cells in ("global", "prototype"):
        clf = RejectOptionClassifier(
            GMLVQ(random_state=0), cells=cells, target=RejectRate(REJECT_RATE)
        ).fit(*known)
        right, rejected = clf.predict(X) == y, clf.reject(X)
        found.append(Answers(float(rejected.mean()), float(right[~rejected].mean())))
    return Necklace(N_NEW, float(np.mean(right)), *found)
