"""What is known of a classifier on the data that its thresholds are set on?

Aligned arrays: how sure it was, whether it was right, and which cell each sample fell in; for
targets about classes, what it answered and what is true. They come from one fitted classifier, or
from classifiers that were each fitted without the samples that they are asked about.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from abstain._core.errors import InputError
from abstain._core.sklearn_private import take_rows, take_rows_of_params, take_samples
from abstain.certainty.cells import are_leaves, cells_of, is_of_answers, means_the_same
from abstain.certainty.outputs import Outputs
from abstain.classifier.evaluate import (
    Rules,
    evaluate,
)
from abstain.classifier.other_answers import answer_codes, certainty_of_answers, kept_answers
from abstain.classifier.own_cells import OwnCells
from abstain.fronts import ParetoFront, pareto_front
from abstain.targets.outcomes import Outcomes

Array = NDArray[Any]


class Calibration(NamedTuple):
    """The arrays, one entry for each sample.

    ``rows`` are positions among the samples that were given to fit. ``weights`` say how many
    samples of new data each sample stands for; None is 1 each. ``drawn`` are positions of held-out
    samples in the class proportions of new data; see `proportions`. ``outlier`` tells which samples
    are rejected as outliers, whatever the thresholds; None is none. ``groups`` numbers samples that
    belong together; None is none that do. The others are kept for answers at other costs; see
    `other_answers`. Files of earlier versions have only the first three.
    """

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    cells: NDArray[Any]
    answers: NDArray[Any] | None = None
    truth: NDArray[Any] | None = None
    rows: NDArray[np.int64] | None = None
    posteriors: NDArray[np.float64] | None = None
    weights: NDArray[np.float64] | None = None
    drawn: NDArray[np.int64] | None = None
    outlier: NDArray[np.bool_] | None = None
    predicted: NDArray[Any] | None = None
    certainties: NDArray[np.float64] | None = None
    deciding_predicted: NDArray[Any] | None = None
    deciding_posteriors: NDArray[np.float64] | None = None
    groups: NDArray[np.int64] | None = None

    @property
    def inliers(self) -> Calibration:
        """The samples about which thresholds decide."""
        if self.outlier is None:
            return self
        kept, drawn = ~self.outlier, self.drawn
        if drawn is not None:  # a missing sample stays -1
            drawn = np.where(drawn < 0, -1, (np.cumsum(kept) - 1)[drawn])[(drawn < 0) | kept[drawn]]
        inliers = self._replace(drawn=None, outlier=None).take(kept)
        return inliers._replace(drawn=drawn)

    @property
    def share_of_outliers(self) -> float:
        """The share of the samples that are rejected as outliers."""
        if self.outlier is None:
            return 0.0
        return float(np.average(self.outlier, weights=self.weights))

    def with_outliers(self, outlier: NDArray[np.bool_] | None) -> Calibration:
        """Return the same samples, given which of those that were given to fit are outliers."""
        if outlier is None:
            return self
        own = outlier[self.rows]
        if own.all():
            raise only_outliers(len(own))
        return self._replace(outlier=own if own.any() else None)

    def take(self, members: NDArray[Any]) -> Calibration:
        """Return some of the samples, by a mask or by positions."""
        arrays: list[Any] = [each if each is None else each[members] for each in self]
        return Calibration(*arrays)

    def rejected(self, thresholds: NDArray[np.float64], own_cells: OwnCells) -> NDArray[np.bool_]:
        """Return which samples are rejected by thresholds, or as outliers."""
        rejected = self.certainty < thresholds[own_cells.positions(self.cells)]
        return rejected if self.outlier is None else rejected | self.outlier

    def weighted(self, weights: NDArray[np.float64]) -> Calibration:
        """Return the samples of positive weight, with weights unless all are equal."""
        has_weight = weights > 0
        weights = weights[has_weight]
        is_same = np.allclose(weights, weights[0], rtol=1e-9, atol=0)
        return self.take(has_weight)._replace(weights=None if is_same else weights)

    def answered_by(self, classes: Array, rules: Rules) -> Calibration:
        """Return the same samples, answered as these rules say; classes are those of columns."""
        assert self.predicted is not None
        assert self.posteriors is not None
        codes = answer_codes(self.predicted, self.posteriors, classes, rules.costs)
        deciding, posteriors = codes, self.posteriors
        if self.deciding_predicted is not None and self.deciding_posteriors is not None:
            posteriors = self.deciding_posteriors
            deciding = answer_codes(self.deciding_predicted, posteriors, classes, rules.costs)
        columns = posteriors if self.certainties is None else self.certainties
        answers = classes[codes]
        return self._replace(
            certainty=certainty_of_answers(self.certainty, rules.certainty, columns, deciding),
            correct=answers == self.truth,
            cells=answers if is_of_answers(rules.cells) else self.cells,
            answers=answers,
        )

    def front(self, own_cells: OwnCells, method: str) -> ParetoFront:
        """Return the front of these samples without outliers."""
        certainty, correct, cells = self.inliers[:3]
        positions, weights = own_cells.positions(cells), self.inliers.weights
        return pareto_front(certainty, correct, positions, method=method, weights=weights)

    def outcomes(self, own_cells: OwnCells, classes: Array) -> Outcomes:
        """Return what a target about classes needs to know of all samples but outliers."""
        assert self.truth is not None
        # A frozen classifier may be calibrated on classes that it does not know.
        known = np.unique(np.concatenate([classes, np.unique(self.truth)]))
        samples = self.inliers
        assert samples.answers is not None
        assert samples.truth is not None
        return Outcomes(
            certainty=samples.certainty,
            cells=own_cells.positions(samples.cells),
            answers=np.searchsorted(known, samples.answers),
            truth=np.searchsorted(known, samples.truth),
            classes=known,
            rows=samples.rows,
            weights=samples.weights,
            drawn=samples.drawn,
        )


def only_outliers(n_samples: int) -> InputError:
    """Return the error about samples all of which are outliers."""
    return InputError(
        argument="outliers",
        requirement="must leave some samples to set thresholds on",
        got=f"only samples unlike those of the fit, {n_samples:,} of them",
        remedy="fit the classifier again",
    )


def calibrate(
    estimator: Any, X: Any, y: Array, rules: Rules, classes: Array | None = None
) -> Calibration:
    """Ask a fitted classifier about samples whose classes are known.

    It may know only some of the ``classes``; None is all that it knows.
    """
    rules = rules.named(estimator)
    evaluation = evaluate(estimator, X, rules)
    labels = evaluation.labels
    kept = kept_answers(evaluation, rules, estimator.classes_ if classes is None else classes)
    return Calibration(
        certainty=evaluation.certainty,
        correct=labels == y,
        cells=evaluation.cells,
        answers=labels,
        truth=y,
        rows=np.arange(len(y)),
        **kept._asdict(),
    )


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
    joined: list[Any] = [
        None if any(each is None for each in arrays) else np.concatenate(arrays)
        for arrays in zip(*parts, strict=True)
    ]
    return Calibration(*joined)


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
    # A fold of the user's own may be a mask.
    rows, classes = np.arange(len(y))[test], np.asarray(fitted.classes_)
    calibration = calibrate(estimator, held_out, labels, rules, classes)._replace(rows=rows)
    if means_the_same(rules.cells, estimator, fitted):
        return calibration
    if not are_leaves(rules.cells, estimator):
        own = Outputs(fitted, take_rows(X, test))
        return calibration._replace(cells=cells_of(own, rules.named(fitted).cells).labels)
    deciding = calibrate(fitted, take_rows(X, test), labels, rules)
    return calibration._replace(
        certainty=deciding.certainty,
        cells=deciding.cells,
        certainties=deciding.certainties,
        deciding_predicted=deciding.predicted,
        deciding_posteriors=deciding.posteriors,
    )


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
