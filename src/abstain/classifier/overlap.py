"""Was the classifier fitted on the samples that its thresholds are set on?

Then it is surer of them, and more often right, than on new data. Some classifiers keep samples that
they were fitted on: neighbours, support vectors. Others are right on all samples that they know.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

from abstain._core.errors import Argument, Message
from abstain._core.estimators import pass_through, unwrap

__all__ = ["overlap_warnings"]

# Attributes in which scikit-learn keeps samples of the fit, as the model saw them.
KEPT_SAMPLES = ("_fit_X", "support_vectors_", "X_train_")
# A few samples may be equal by chance.
MANY = 0.1
# As many right answers in a row are no news of a classifier that errs in 3 % of the cases.
N_WITHOUT_ERROR = 100
BY_HEART = "a classifier is surer of samples that it was fitted on than of others"


def overlap_warnings(
    estimator: Any, X: Any, correct: NDArray[np.bool_], is_on_training: bool
) -> Iterator[str]:
    """Yield what speaks for samples of the fit among those that set the thresholds."""
    if is_on_training:
        if correct.all():
            yield Message(
                *(Argument("cv", "training"), " finds no error to learn thresholds from; set "),
                *(Argument("cv"), f" to a number of folds: {BY_HEART}"),
            )
        return
    if not isinstance(estimator, FrozenEstimator):
        return
    n_known = _count_known(estimator, X)
    if n_known > MANY * len(correct):
        yield (
            f"the FrozenEstimator was fitted on at least {n_known:,} of these {len(correct):,} "
            f"samples: {BY_HEART}; calibrate it on samples that it has not seen"
        )
    elif correct.all() and len(correct) >= N_WITHOUT_ERROR:
        yield (
            f"the FrozenEstimator is right on all {len(correct):,} calibration samples: if it was "
            f"fitted on them, calibrate it on others, for {BY_HEART}"
        )


def _count_known(estimator: Any, X: Any) -> int:
    """Return how many samples the model keeps from its fit; a support vector machine keeps some."""
    steps, model = unwrap(estimator)
    kept = next((getattr(model, name) for name in KEPT_SAMPLES if hasattr(model, name)), None)
    if not isinstance(kept, np.ndarray) or kept.ndim != 2 or not len(kept):
        return 0
    seen = np.asarray(pass_through(steps, X))
    if seen.ndim != 2 or seen.shape[1] != kept.shape[1] or seen.dtype.kind not in "biuf":
        return 0
    known = set(map(bytes, _rows(kept)))
    return sum(bytes(row) in known for row in _rows(seen))


def _rows(samples: Any) -> NDArray[np.float64]:
    return np.ascontiguousarray(samples, dtype=np.float64) + 0.0  # −0 is 0
