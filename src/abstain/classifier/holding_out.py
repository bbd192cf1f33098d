"""Which samples test what a target certifies?

Those that neither fit the classifier nor teach its thresholds.

- *The classifier is fitted here*: a share is held out of the fit, and the answers out of fold to
  the rest teach the path of thresholds. All that is held out tests.
- *It is given, and there are few samples*: one threshold for all cells needs no teaching. Its path
  is the order of the certainties, whatever the labels, and all samples test. The thresholds are
  those of the test samples themselves; this assumes that surer answers are not wrong more often.
- *It is given, and there are many*: a share of the samples learns thresholds of each cell, and the
  rest tests. As with every explicit share, nothing is assumed of the risk.

Which of these it is depends on the settings, the target and the number of samples, and on no label.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from abstain.targets import Accuracy
from abstain.targets.guarantee import needed_answers

__all__ = ["Shares", "automatic_test_size", "certifies"]


class Shares(NamedTuple):
    """Positions of the samples that fit and calibrate, and of those that test; None is all, none.

    ``is_one_threshold`` tells whether all cells share a threshold, so that all samples do both.
    """

    learn: NDArray[np.int64] | None
    test: NDArray[np.int64] | None
    is_one_threshold: bool = False


def certifies(target: Any) -> TypeGuard[Accuracy]:
    """Tell whether a target is to be tested on samples of its own."""
    return isinstance(target, Accuracy) and target.confidence is not None


# Of samples that also fit the classifier.
HELD_OUT = 0.5
# Of samples of a classifier that is given, where they are enough for a share to learn thresholds
# of each cell: at least so many, and so many times those that must be accepted without an error.
TESTED = 0.8
ENOUGH_TO_LEARN, TIMES_NEEDED = 1500, 10


def automatic_test_size(
    target: Accuracy, n_samples: int, is_frozen: bool, method: str, cells: Any
) -> float:
    """Return the share of the samples that test; 1 is all, with one threshold for all cells.

    It depends on no label: what is tested must not have chosen how.
    """
    if not is_frozen or method != "pooled":
        return HELD_OUT
    needed = needed_answers(target.accuracy, target.confidence or 0.0)
    is_enough = n_samples >= max(ENOUGH_TO_LEARN, TIMES_NEEDED * needed)
    is_global = isinstance(cells, str) and cells == "global"
    return TESTED if is_enough and not is_global else 1.0
