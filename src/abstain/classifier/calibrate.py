"""What is known of a classifier on the data that its thresholds are set on?

Three aligned arrays: how sure it was, whether it was right, and which cell each sample fell in.
They come from one fitted classifier, or from classifiers that were each fitted without the samples
that they are asked about.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from abstain._core.errors import Argument, InputError, Message
from abstain._core.estimators import pass_through, unwrap
from abstain._core.sklearn_private import take_rows, take_rows_of_params, take_samples
from abstain.certainty.cells import are_leaves, cells_of, means_the_same
from abstain.certainty.measures import certainty_of
from abstain.certainty.outputs import Outputs
from abstain.classifier.evaluate import Rules, evaluate

Array = NDArray[Any]

DEFAULT_FOLDS = 5


class Calibration(NamedTuple):
    """The three arrays, one entry for each sample."""

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    cells: NDArray[Any]


def calibrate(estimator: Any, X: Any, y: Array, rules: Rules) -> Calibration:
    """Ask a fitted classifier about samples whose classes are known."""
    evaluation = evaluate(estimator, X, rules.named(estimator))
    return Calibration(evaluation.certainty, evaluation.labels == y, evaluation.cells)


def calibrate_out_of_fold(
    estimator: Any,
    fitted: Any,
    X: Any,
    y: Array,
    rules: Rules,
    folds: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]],
    n_jobs: int | None,
    fit_params: dict[str, Any],
) -> Calibration:
    """Ask, of each fold, a classifier that was fitted without it.

    Where the label of a cell may mean something to one classifier only, such as the number of a
    leaf, the cells are those of ``fitted``, the classifier that will decide. In a leaf all samples
    have the same certainty, so that there that too must be its own: another tree's would be
    compared with a threshold that was not made for it.
    """
    parts = Parallel(n_jobs=n_jobs)(
        delayed(_calibrate_fold)(clone(estimator), fitted, X, y, rules, train, test, fit_params)
        for train, test in folds
    )
    if not parts:
        raise InputError("cv must yield at least one split, got none; give a number of folds")
    return Calibration(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _calibrate_fold(
    estimator: Any,
    fitted: Any,
    X: Any,
    y: Array,
    rules: Rules,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    fit_params: dict[str, Any],
) -> Calibration:
    # Of a matrix of kernels, a fold is rows and columns.
    params = take_rows_of_params(X, fit_params, indices=train)
    known = take_samples(estimator, X, y, train)
    estimator.fit(*known, **params)
    rules = rules.fitted(estimator, *known)
    held_out, labels = take_samples(estimator, X, y, test, train)
    calibration = calibrate(estimator, held_out, labels, rules)
    if means_the_same(rules.cells, estimator, fitted):
        return calibration
    own, named = Outputs(fitted, take_rows(X, test)), rules.named(fitted)
    if are_leaves(rules.cells, estimator):
        calibration = calibration._replace(certainty=certainty_of(own, named.certainty))
    return calibration._replace(cells=cells_of(own, named.cells).labels)


def split_folds(cv: Any, X: Any, y: Array, split_params: Any) -> list[tuple[Array, Array]]:
    """Return training and test samples of each fold."""
    if cv is None:
        cv = DEFAULT_FOLDS
    if isinstance(cv, int | np.integer):
        # No class needs to be in every fold, but scikit-learn wants one that is.
        cv = max(2, min(int(cv), int(np.unique(y, return_counts=True)[1].max())))
    splitter = check_cv(cv, y, classifier=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(splitter.split(X, y, **split_params))


def seeded(estimator: Any, random_state: Any) -> Any:
    """Return a clone; each ``random_state`` of it that is None is drawn from this one."""
    template = clone(estimator)
    if random_state is None or not hasattr(template, "get_params"):
        return template
    random_state = check_random_state(random_state)
    for name, value in sorted(template.get_params(deep=True).items()):
        if (name == "random_state" or name.endswith("__random_state")) and value is None:
            template.set_params(**{name: random_state.randint(np.iinfo(np.int32).max)})
    return template


# --- was the classifier fitted on the samples that its thresholds are set on? ---------------------

# Attributes in which scikit-learn keeps samples of the fit, as the model saw them.
KEPT_SAMPLES = ("_fit_X", "support_vectors_", "X_train_")
# A few samples may be equal by chance.
MANY = 0.1
# As many right answers in a row are no news of a classifier that errs in 3 % of the cases.
N_WITHOUT_ERROR = 100
OVERCONFIDENT = "a classifier is surer of samples that it was fitted on than of others"


def overlap_warnings(
    estimator: Any, X: Any, correct: NDArray[np.bool_], is_on_training: bool
) -> Iterator[str]:
    """Yield the signs that the thresholds are set on samples that the classifier was fitted on.

    On these it is surer, and more often right, than on new data. Some classifiers keep samples that
    they were fitted on: neighbours, support vectors. Others are right on all samples that they
    know.
    """
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
            f"the FrozenEstimator was fitted on at least {n_known:,} of these {len(correct):,} "
            f"samples: {OVERCONFIDENT}; calibrate it on samples that it has not seen"
        )
    elif correct.all() and len(correct) >= N_WITHOUT_ERROR:
        yield (
            f"the FrozenEstimator is right on all {len(correct):,} calibration samples: if it was "
            f"fitted on them, calibrate it on others, for {OVERCONFIDENT}"
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
