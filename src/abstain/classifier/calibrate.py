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
from abstain.certainty.cells import are_leaves, cells_of, means_the_same
from abstain.certainty.measures import certainty_of
from abstain.certainty.outputs import Outputs
from abstain.classifier.evaluate import (
    Rules,
    evaluate,
    evaluate_posteriors,
    has_cells_of_answers,
)
from abstain.classifier.own_cells import OwnCells
from abstain.fronts import ParetoFront, pareto_front
from abstain.targets.outcomes import Outcomes

Array = NDArray[Any]


class Calibration(NamedTuple):
    """The arrays, one entry for each sample.

    ``rows`` are positions among the samples that were given to fit. ``posteriors`` are kept if
    costs decide the answer, for other costs decide otherwise. ``weights`` say how many samples of
    new data each sample stands for; None is 1 each. ``drawn`` are positions of held-out samples
    in the class proportions of new data; see `proportions`. Files of earlier versions have only the
    first three.
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

    def weighted(self, weights: NDArray[np.float64]) -> Calibration:
        """Return the samples of positive weight, with weights unless all are equal."""
        has_weight = weights > 0
        arrays: list[Any] = [each if each is None else each[has_weight] for each in self]
        weights = weights[has_weight]
        is_same = np.allclose(weights, weights[0], rtol=1e-9, atol=0)
        return Calibration(*arrays)._replace(weights=None if is_same else weights)

    def answered_by(self, estimator: Any, rules: Rules) -> Calibration:
        """Return the same samples, with the answers that other costs make the cheapest."""
        assert self.posteriors is not None
        own_cells = None if has_cells_of_answers(rules) else self.cells
        if own_cells is not None:
            rules = rules._replace(cells="class")  # not used
        evaluation = evaluate_posteriors(estimator, self.posteriors, rules)
        return self._replace(
            certainty=evaluation.certainty,
            correct=evaluation.labels == self.truth,
            cells=evaluation.cells if own_cells is None else own_cells,
            answers=evaluation.labels,
        )

    def front(self, own_cells: OwnCells, method: str) -> ParetoFront:
        """Return the front of these samples."""
        return pareto_front(
            self.certainty,
            self.correct,
            own_cells.positions(self.cells),
            method=method,
            weights=self.weights,
        )

    def outcomes(self, own_cells: OwnCells, classes: Array) -> Outcomes:
        """Return what a target about classes needs to know."""
        assert self.answers is not None
        assert self.truth is not None
        # A frozen classifier may be calibrated on classes that it does not know.
        known = np.unique(np.concatenate([classes, np.unique(self.truth)]))
        return Outcomes(
            certainty=self.certainty,
            cells=own_cells.positions(self.cells),
            answers=np.searchsorted(known, self.answers),
            truth=np.searchsorted(known, self.truth),
            classes=known,
            rows=self.rows,
            weights=self.weights,
            drawn=self.drawn,
        )


def calibrate(estimator: Any, X: Any, y: Array, rules: Rules) -> Calibration:
    """Ask a fitted classifier about samples whose classes are known."""
    evaluation = evaluate(estimator, X, rules.named(estimator))
    labels = evaluation.labels
    posteriors = None if rules.costs is None else rules.costs.posteriors(evaluation.outputs)
    return Calibration(
        certainty=evaluation.certainty,
        correct=labels == y,
        cells=evaluation.cells,
        answers=labels,
        truth=y,
        rows=np.arange(len(y)),
        posteriors=posteriors,
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
        None if arrays[0] is None else np.concatenate(arrays) for arrays in zip(*parts, strict=True)
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
    rows = np.arange(len(y))[test]
    calibration = calibrate(estimator, held_out, labels, rules)._replace(rows=rows)
    if means_the_same(rules.cells, estimator, fitted):
        return calibration
    own, named = Outputs(fitted, take_rows(X, test)), rules.named(fitted)
    if are_leaves(rules.cells, estimator):
        calibration = calibration._replace(certainty=certainty_of(own, named.certainty))
    return calibration._replace(cells=cells_of(own, named.cells).labels)


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
