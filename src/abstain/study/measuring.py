"""What is measured of a classifier on one split of the data?

Thresholds are set on the training part, on the classifier's own predictions or on out-of-fold
predictions, and applied to the test part. A curve lists, for every row of a front, how many samples
are accepted and how many of those are misclassified.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from abstain._core.errors import InputError
from abstain.classifier import RejectOptionClassifier
from abstain.classifier.calibrate import Calibration, calibrate, calibrate_out_of_fold
from abstain.classifier.evaluate import Rules
from abstain.classifier.own_cells import OwnCells, find_own_cells
from abstain.fronts import ParetoFront, pareto_front
from abstain.fronts.held_out import HeldOut, HeldOutCounts
from abstain.metrics import augrc_score, aurc_score
from abstain.study.experiments import Classifier, Data, Problem, make_estimator
from abstain.targets import Accuracy

Array = NDArray[Any]
Record = dict[str, Any]

N_INNER_FOLDS = 5
# Cells with fewer calibration samples share a threshold; the paper has no such rule.
MIN_CELL_SIZES = (10, 30)
CONFIDENCE = 0.9
# The classifier whose accuracy is guaranteed, as an example for all.
GUARANTEED = "gmlvq"


class Split(NamedTuple):
    """The samples and classes that one run is trained on, and those it is tested on."""

    train: tuple[Array, Array]
    test: tuple[Array, Array]


class RejectOption(NamedTuple):
    """How thresholds are set."""

    cells: str
    method: str = "exact"
    min_cell_size: int = 1


GLOBAL, LOCAL = RejectOption("global"), RejectOption("local")
GREEDY, POOLED = RejectOption("local", "greedy"), RejectOption("local", "pooled")
SHARED = [RejectOption("local", min_cell_size=size) for size in MIN_CELL_SIZES]


class Extras(NamedTuple):
    """What is measured besides exact and pooled thresholds set on the training part."""

    greedy: bool = False
    out_of_fold: bool = False
    guarantee: bool = False


def measure(
    problem: Problem, data: Data, split: Split, classifier: Classifier, seed: int, extras: Extras
) -> list[Record]:
    """Return the records of a classifier on one split."""
    estimator = make_estimator(classifier, problem, data, seed)
    run = _Run(classifier, estimator, split, problem.accuracy, seed)
    records: list[Record] = []
    with warnings.catch_warnings():
        # The study also measures fits that end at max_iter.
        warnings.simplefilter("ignore", ConvergenceWarning)
        records += run.on_training_part(extras)
        if extras.out_of_fold:
            records += run.out_of_fold(extras)
    return [{"model": classifier.name, **record} for record in records]


class _Run:
    """One classifier on one split."""

    def __init__(
        self, classifier: Classifier, estimator: Any, split: Split, accuracy: float, seed: int
    ) -> None:
        self.classifier, self.estimator, self.split = classifier, estimator, split
        self.accuracy, self.seed = accuracy, seed
        self.rules = Rules(classifier.certainty, classifier.cells or "global")

    def _options(self, extras: Extras) -> list[RejectOption]:
        """Return the reject options of both sources of thresholds."""
        if self.classifier.cells is None:
            return [GLOBAL]
        return [GLOBAL, LOCAL, *(SHARED if extras.out_of_fold else []), POOLED]

    def on_training_part(self, extras: Extras) -> Iterator[Record]:
        """Yield the curves of thresholds set on the training part."""
        self.fitted = clone(self.estimator).fit(*self.split.train)
        calibration = calibrate(self.fitted, *self.split.train, self.rules)
        self.test = calibrate(self.fitted, *self.split.test, self.rules)
        yield self._fit_record(calibration)
        greedy = [GREEDY] if extras.greedy and self.classifier.cells is not None else []
        yield from self._curves("training", calibration, [*self._options(extras), *greedy])

    def out_of_fold(self, extras: Extras) -> Iterator[Record]:
        """Yield the curves of thresholds set on out-of-fold predictions."""
        folds = StratifiedKFold(N_INNER_FOLDS, shuffle=True, random_state=self.seed)
        train = self.split.train
        calibration = calibrate_out_of_fold(
            self.estimator, self.fitted, *train, self.rules, folds.split(*train), None, {}
        )
        yield from self._curves("out of fold", calibration, self._options(extras))
        if self.classifier.name == GUARANTEED and extras.guarantee:
            yield self._guaranteed(folds)

    def _curves(
        self, source: str, calibration: Calibration, options: list[RejectOption]
    ) -> Iterator[Record]:
        for option in options:
            front, own_cells = _front(calibration, option)
            yield self._test_curve(source, option, front, own_cells)
            if source == "training" and option.min_cell_size == 1:
                yield _training_curve(option, front)
            if self.classifier.name == GUARANTEED and option == LOCAL:
                yield self._at_accuracy(source, front, own_cells)

    def _fit_record(self, calibration: Calibration) -> Record:
        correct, certainty = self.test.correct, self.test.certainty
        right = np.ones_like(correct)
        return {
            "kind": "fit",
            "n_train": len(calibration.correct),
            "n_test": len(correct),
            "training_errors": int((~calibration.correct).sum()),
            "test_errors": int((~correct).sum()),
            "aurc": float(aurc_score(right, correct, certainty)),
            "augrc": float(augrc_score(right, correct, certainty)),
            "n_parts": _n_prototypes_or_support_vectors(self.fitted),
        }

    def _test_curve(
        self, source: str, option: RejectOption, front: ParetoFront, own_cells: OwnCells
    ) -> Record:
        counts = np.array([row[1:] for row in self._test_counts(option, front, own_cells)])
        return _curve("test", source, option, len(self.test.correct), *counts.T)

    def _test_counts(
        self, option: RejectOption, front: ParetoFront, own_cells: OwnCells, rows: Any = None
    ) -> Iterator[tuple[int, int, int]]:
        """Yield rows of a front with the numbers of accepted and of wrong ones in the test part."""
        columns = own_cells.columns(_cells(self.test, option), front)
        held_out = HeldOut(self.test.certainty, self.test.correct, columns)
        return HeldOutCounts(front, held_out).of(_curve_rows(front) if rows is None else rows)

    def _at_accuracy(self, source: str, front: ParetoFront, own_cells: OwnCells) -> Record:
        """Return what the thresholds that just reach the accuracy do on the test part."""
        try:
            row = Accuracy(self.accuracy).choose(front)
        except InputError:
            return self._target_record(source, None)
        ((_, *counts),) = self._test_counts(LOCAL, front, own_cells, np.array([row]))
        return self._target_record(source, counts)

    def _guaranteed(self, folds: StratifiedKFold) -> Record:
        clf = RejectOptionClassifier(
            self.estimator,
            method="exact",
            target=Accuracy(self.accuracy, confidence=CONFIDENCE),
            cv=folds,
            min_cell_size=1,
            test_size=0.5,
            outliers=None,
            independent_rows=True,  # values of small tables repeat by nature
            random_state=self.seed,
        )
        try:
            clf.fit(*self.split.train)
        except InputError:  # too few samples, or too many errors
            return self._target_record("guaranteed", None)
        X, y = self.split.test
        accepted = ~clf.reject(X)
        errors = accepted & (clf.predict(X) != y)
        return self._target_record("guaranteed", [int(accepted.sum()), int(errors.sum())])

    def _target_record(self, source: str, counts: list[int] | None) -> Record:
        accepted, errors = counts or (0, 0)
        return {
            "kind": "target",
            "source": source,
            "accuracy": self.accuracy,
            "n": len(self.test.correct),
            "accepted": accepted,
            "errors": errors,
            "is_refused": counts is None,
        }


def _n_prototypes_or_support_vectors(fitted: Any) -> int | None:
    final = fitted[-1] if hasattr(fitted, "steps") else fitted
    if hasattr(final, "prototypes_"):
        return len(final.prototypes_)
    return getattr(final, "n_support_vectors_", None)


def _cells(calibration: Calibration, option: RejectOption) -> Array:
    cells = calibration.cells
    return np.zeros(len(cells), dtype=np.int64) if option.cells == "global" else cells


def _front(calibration: Calibration, option: RejectOption) -> tuple[ParetoFront, OwnCells]:
    cells = _cells(calibration, option)
    own_cells = find_own_cells(cells, option.min_cell_size)
    certainty, correct = calibration.certainty, calibration.correct
    front = pareto_front(certainty, correct, own_cells.positions(cells), method=option.method)
    return front, own_cells


def _training_curve(option: RejectOption, front: ParetoFront) -> Record:
    """Return the curve on the samples that the thresholds were set on."""
    rows = _curve_rows(front)
    accepted = front.n_samples - front.true_rejects[rows] - front.false_rejects[rows]
    errors = front.n_errors - front.true_rejects[rows]
    return _curve("training", "training", option, int(front.n_samples), accepted, errors)


def _curve(
    part: str, source: str, option: RejectOption, n: int, accepted: Array, errors: Array
) -> Record:
    key = {"kind": "curve", "part": part, "source": source, **option._asdict()}
    return {**key, "n": n, "accepted": accepted.tolist(), "errors": errors.tolist()}


def _curve_rows(front: ParetoFront) -> NDArray[np.int64]:
    """Return the row without rejects and those of the paper's front; all rows if nested."""
    if front.is_nested:
        return np.arange(len(front))
    on_curve = front.is_pareto.copy()
    on_curve[0] = True
    return np.flatnonzero(on_curve)
