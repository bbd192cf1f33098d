"""How many false alarms would it take to find nine in ten values × 0.45 that leave their range?

Whoever rejects each sample with a value outside its range finds them all.
"""

from pathlib import Path
from typing import Any

import numpy as np

from abstain.certainty.outliers import fit_outlier_detector
from outlying.detection import RATE, draw
from outlying.faults import faults
from outlying.sets import load

__all__ = ["FAULT", "FOUND", "price"]

FAULT, FOUND = "unit × 0.45", 0.9


def price(name: str, data: Path, n_draws: int) -> dict[str, Any]:
    """Return which share of right samples is rejected where all values outside are found.

    And where `FOUND` of the values × 0.45 are found that leave their range, in columns that vary,
    by the score of abstain; and how many such values there are.
    """
    X, y = load(name, data)
    right, wrong, outside = [], [], []
    for seed in range(n_draws):
        known, new, *_ = draw(X, y, seed)
        made = faults(known, new, np.random.default_rng(seed))
        fault = next(each for each in made if each.name == FAULT)
        is_seen = fault.is_visible & np.isfinite(fault.beyond)
        detector, _ = fit_outlier_detector(known, RATE)
        assert detector is not None
        right.append(detector.p_values(new))
        wrong.append(detector.p_values(fault.samples[is_seen]))
        outside.append((detector.known.excess(new) > 1).any(axis=1))
    p_values = np.concatenate(wrong)
    limit = np.quantile(p_values, FOUND) if len(p_values) else 0.0
    return {
        "outside": float(np.concatenate(outside).mean()),
        "needed": float((np.concatenate(right) <= limit).mean()),
        "samples": len(p_values),
    }
