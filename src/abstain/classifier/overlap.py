"""Was the classifier fitted on the samples that its thresholds are set on?

On these it is surer, and more often right, than on new data. Four traces of a fit show it:

- neighbours and support vectors are samples of the fit;
- the mean that a scaler, a PCA or Gaussian naive Bayes has learned is that of these samples;
- each leaf of a tree holds at least as many of these samples as it held in the fit;
- the classifier is right on all of them.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.frozen import FrozenEstimator

from abstain._core.errors import Argument, InputError, Message
from abstain._core.estimators import n_samples_of, unwrap
from abstain._core.sklearn_private import take_rows
from abstain.certainty.outliers import DEFAULT_RATE, MAX_DENSE, MIN_KNOWN
from abstain.targets import Target
from abstain.targets.base import certifies

# Attributes in which scikit-learn keeps samples of the fit, as the model saw them.
KEPT_SAMPLES = ("_fit_X", "support_vectors_", "X_train_")
# A few samples may be equal by chance.
MANY = 0.1
# Other samples leave some of so many leaves with fewer samples than the fit.
MIN_LEAVES = 20
# Sparse samples are compared as long as they have at most so many entries.
MAX_ENTRIES = 1 << 25
# As many right answers in a row are no news of a classifier that errs in 3% of the cases.
N_WITHOUT_ERROR = 100
# What chance does so rarely is none.
SURE = 1e-4
UNDETECTED = "no outliers are detected"
OVERCONFIDENT = "a classifier is surer of samples that it was fitted on than of others"


def overlap_warnings(
    estimator: Any, X: Any, correct: NDArray[np.bool_], is_on_training: bool
) -> Iterator[str]:
    """Yield the signs that the thresholds are set on samples that the classifier was fitted on."""
    if is_on_training:
        if correct.all():
            yield Message(
                *(Argument("cv", "training"), " finds no error to learn thresholds from; set "),
                *(Argument("cv"), f" to a number of folds: {OVERCONFIDENT}"),
            )
        return
    if not isinstance(estimator, FrozenEstimator):
        return
    n_known = _count_known(estimator, X)
    if n_known > MANY * len(correct):
        yield (
            f"the classifier was fitted on at least {n_known:,} of these {len(correct):,} "
            f"samples: {OVERCONFIDENT}; calibrate it on samples that it has not seen"
        )
    elif correct.all() and len(correct) >= N_WITHOUT_ERROR:
        yield (
            f"the classifier is right on all {len(correct):,} calibration samples: if it was "
            f"fitted on them, calibrate it on others, for {OVERCONFIDENT}"
        )


def refuse_samples_of_fit(clf: Any, X: Any) -> None:
    """Refuse samples that a fitted classifier is known to be fitted on.

    Those that tested a certificate were not; they are left out if all samples of the fit are given.
    """
    calibration = getattr(clf, "calibration_", None)
    samples = X
    if calibration is not None and n_samples_of(X) == clf._n_given:
        samples = take_rows(X, np.unique(calibration.rows))
    first = getattr(clf.estimator_, "steps", [(None, None)])[0][1]
    if hasattr(first, "known_rows_"):
        n_known = round(first.share_known(samples) * n_samples_of(samples))
    else:
        n_known = _count_known(clf.estimator_, samples)
    if n_known > MANY * n_samples_of(X):
        raise InputError(
            *("the classifier was fitted on at least ", f"{n_known:,} of these "),
            f"{n_samples_of(X):,} samples: {OVERCONFIDENT}; give samples that came later, or set ",
            *(Argument("on_fit_samples", True), " to use them nevertheless"),
        )


def _count_known(estimator: Any, X: Any) -> int:
    """Return how many samples at least were in the fit, as far as it has left traces."""
    steps, model = unwrap(estimator)
    for step in steps:
        if _has_mean_of(step, X):
            return len(X)
        X = step.transform(X)
    if _has_mean_of(model, X) or _has_leaves_of(model, X):
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    return _count_kept(model, X)


def _has_mean_of(step: Any, X: Any) -> bool:
    """Tell whether what a step has learned is the mean of these samples, and of as many."""
    if hasattr(step, "theta_") and hasattr(step, "class_count_"):  # Gaussian naive Bayes
        n_samples = step.class_count_.sum()
        mean = step.class_count_ @ step.theta_ / n_samples
    else:
        n_samples = getattr(step, "n_samples_seen_", getattr(step, "n_samples_", None))
        mean = getattr(step, "mean_", None)
    samples = _as_numbers(X)
    if samples is None or mean is None or np.ndim(n_samples) or n_samples != len(samples):
        return False
    if np.shape(mean) != samples.shape[1:] or not np.isfinite(samples).all():
        return False
    # Other samples differ by about the standard deviation over √n, in each feature that varies.
    slack = 1e-6 * samples.std(axis=0) / np.sqrt(len(samples)) + 1e-9 * np.abs(mean)
    return bool((np.abs(samples.mean(axis=0) - mean) <= slack).all())


def _has_leaves_of(model: Any, X: Any) -> bool:
    """Tell whether no leaf has fewer of these samples than of the fit, which drew some of them."""
    trees = np.ravel(getattr(model, "estimators_", [model])).tolist()
    if not all(hasattr(tree, "tree_") for tree in trees) or not hasattr(model, "apply"):
        return False
    leaves = np.asarray(model.apply(X)).reshape(-1, len(trees))
    n_leaves = 0
    for tree, chosen in zip(trees, leaves.T, strict=True):
        is_leaf = tree.tree_.children_left < 0
        n_here = np.bincount(chosen.astype(np.int64), minlength=len(is_leaf))
        if (n_here < tree.tree_.n_node_samples)[is_leaf].any():
            return False
        n_leaves += int(is_leaf.sum())
    return n_leaves >= MIN_LEAVES


def _count_kept(model: Any, X: Any) -> int:
    """Return how many samples the model keeps from its fit; a support vector machine keeps some."""
    kept = next((getattr(model, name) for name in KEPT_SAMPLES if hasattr(model, name)), None)
    known, samples = _as_numbers(kept), _as_numbers(X)
    if known is None or samples is None or samples.shape[1] != known.shape[1]:
        return 0
    rows = set(map(bytes, _rows(known, known.dtype)))
    return sum(bytes(row) in rows for row in _rows(samples, known.dtype))


def _as_numbers(X: Any) -> NDArray[Any] | None:
    """Return samples as a matrix of numbers; None if they are none, or too many to compare."""
    is_sparse = bool(issparse(X))
    if is_sparse and np.prod(X.shape) > MAX_ENTRIES:
        return None
    samples = np.asarray(X.toarray() if is_sparse else X)
    is_numbers = samples.ndim == 2 and samples.dtype.kind in "biuf" and len(samples) > 0
    return samples if is_numbers else None


def _rows(samples: NDArray[Any], dtype: Any) -> NDArray[Any]:
    # As precise as the model has kept them; −0 becomes 0.
    return np.ascontiguousarray(samples, dtype=dtype) + np.zeros(1, dtype)


def undetected_warnings(
    rate: float | None, detects_outliers: bool, target: Target
) -> Iterator[Message]:
    """Yield a warning if no outliers are detected where they were asked for.

    By default, they are where something is certified.
    """
    if rate is not None and not detects_outliers and (rate != DEFAULT_RATE or certifies(target)):
        yield undetected_outliers(rate)


def undetected_outliers(rate: float) -> Message:
    """Return why no outliers are detected."""
    return Message(
        f"{UNDETECTED}: ",
        Argument("outliers", rate),
        f" takes at least {MIN_KNOWN} samples that do not test what is certified, of different "
        f"values, and features that are numbers, in a sparse matrix of at most {MAX_DENSE} columns",
    )


def unlike_warnings(outlier: NDArray[np.bool_] | None, rate: float | None) -> Iterator[str]:
    """Yield a warning if clearly more samples are outliers than samples like the known ones are."""
    from scipy.special import bdtrc

    if outlier is None or rate is None or not outlier.any():
        return
    n_outliers = int(outlier.sum())
    if bdtrc(n_outliers - 1, len(outlier), rate) < SURE:
        yield (
            f"{n_outliers:,} of these {len(outlier):,} samples are outliers, unlike those that the "
            "classifier knows; the new thresholds take them as usual: mend them if they are "
            "faulty, such as a column in another unit"
        )
