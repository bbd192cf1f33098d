"""How many samples are held out to certify an accuracy?"""

from __future__ import annotations  # signatures then show the names of types

import numpy as np

from abstain._checks import InputError
from abstain.targets import Accuracy, Target
from abstain.targets.guarantee import needed_answers

__all__ = ["n_to_hold_out"]


def n_to_hold_out(target: Target, n_samples: int) -> int | None:
    """Return how many of some samples a target needs held out; None if it certifies nothing."""
    if not isinstance(target, Accuracy) or target.confidence is None:
        return None
    n_held = round(target.test_size * n_samples)
    least = needed_answers(target.accuracy, target.confidence)
    if n_held < least:
        raise InputError(
            f"accuracy={target.accuracy} with confidence={target.confidence} takes at least "
            f"{least:,} held-out samples, none of them wrong; test_size={target.test_size} of "
            f"{n_samples:,} is {n_held:,}: give at least "
            f"{int(np.ceil(least / target.test_size)):,} samples, or ask for less"
        )
    return n_held
