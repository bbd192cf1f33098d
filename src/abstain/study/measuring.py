"""What is measured of the classifiers on one split of the data?

Thresholds are set on the training part, on the classifier's own answers or on answers out of fold,
and tried on the test part. A curve is what every row of a front accepts, and how many of those
answers are wrong.
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

from abstain._core.checks import InputError
from abstain.classifier import RejectOptionClassifier
from abstain.classifier.calibrate import Calibration, calibrate, calibrate_out_of_fold
from abstain.classifier.evaluate import Rules
from abstain.classifier.regions import Regions, find_regions
from abstain.fronts import ParetoFront, pareto_front
from abstain.fronts.held_out import HeldOut, HeldOutCounts
from abstain.metrics import augrc_score, aurc_score
from abstain.study.classifiers import Classifier, make_estimator
from abstain.study.problems import Problem, Sample
from abstain.targets import Accuracy

__all__ = ["CONFIDENCE", "SMALL_CELLS", "Extent", "Part", "Record", "Split", "measure"]

Array = NDArray[Any]
Record = dict[str, Any]

N_INNER_FOLDS = 5
# Cells with fewer calibration samples share a threshold; the paper has no such rule.
SMALL_CELLS = (10, 30)
CONFIDENCE = 0.9
# Whose accuracy is guaranteed, as a model for all.
GUARANTEED = "gmlvq"


class Part(NamedTuple):
    """Samples and their classes."""

    X: Array
    y: Array


class Split(NamedTuple):
    """What one run trains on and what it tests on."""

    train: Part
    test: Part


class Option(NamedTuple):
    """How thresholds are set."""

    cells: str
    method: str = "exact"
    min_cell_size: int = 1


GLOBAL, LOCAL = Option("global"), Option("local")
GREEDY, POOLED = Option("local", "greedy"), Option("local", "pooled")
SHARED = [Option("local", min_cell_size=size) for size in SMALL_CELLS]


class Extent(NamedTuple):
    """What is measured of a classifier beside exact thresholds, set on the training part."""

    greedy: bool = False
    out_of_fold: bool = False
    guarantee: bool = False


def measure(
    problem: Problem,
    sample: Sample,
    split: Split,
    classifier: Classifier,
    seed: int,
    extent: Extent,
) -> list[Record]:
    """Return what a classifier gives on one split."""
    estimator = make_estimator(classifier, problem, sample, seed)
    trial = _Trial(classifier, estimator, split, problem.accuracy, seed)
    found: list[Record] = []
    with warnings.catch_warnings():
        # A fit that ends at max_iter is what the study is to measure too.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found += trial.on_training_part(extent)
        if extent.out_of_fold:
            found += trial.out_of_fold(extent)
    return [{"model": classifier.name, **record} for record in found]


class _Trial:
    """One classifier on one split."""

    def __init__(
        self, classifier: Classifier, estimator: Any, split: Split, accuracy: float, seed: int
    ) -> None:
        self.classifier, self.estimator, self.split = classifier, estimator, split
        self.accuracy, self.seed = accuracy, seed
        self.rules = Rules(classifier.certainty, classifier.cells or "global")

    def _options(self, extent: Extent) -> list[Option]:
        """Return how thresholds are set, but for the greedy way."""
        if self.classifier.cells is None:
            return [GLOBAL]
        return [GLOBAL, LOCAL, *(SHARED if extent.out_of_fold else []), POOLED]

    def on_training_part(self, extent: Extent) -> Iterator[Record]:
        """Yield the curves of thresholds set on the training part."""
        self.fitted = clone(self.estimator).fit(*self.split.train)
        known = calibrate(self.fitted, *self.split.train, self.rules)
        self.answers = calibrate(self.fitted, *self.split.test, self.rules)
        yield self._about_fit(known)
        greedy = [GREEDY] if extent.greedy and self.classifier.cells is not None else []
        for option in (*self._options(extent), *greedy):
            front, regions = _front(known, option)
            yield self._curve("training", option, front, regions)
            if option.min_cell_size == 1:
                yield _own_curve(option, front)
            if self.classifier.name == GUARANTEED and option == LOCAL:
                yield self._at_accuracy("training", front, regions)

    def out_of_fold(self, extent: Extent) -> Iterator[Record]:
        """Yield the curves of thresholds set on answers out of fold."""
        folds = StratifiedKFold(N_INNER_FOLDS, shuffle=True, random_state=self.seed)
        train = self.split.train
        known = calibrate_out_of_fold(
            self.estimator, self.fitted, *train, self.rules, folds.split(*train), None, {}
        )
        for option in self._options(extent):
            front, regions = _front(known, option)
            yield self._curve("out of fold", option, front, regions)
            if self.classifier.name == GUARANTEED and option == LOCAL:
                yield self._at_accuracy("out of fold", front, regions)
        if self.classifier.name == GUARANTEED and extent.guarantee:
            yield self._guaranteed(folds)

    def _about_fit(self, known: Calibration) -> Record:
        correct, certainty = self.answers.correct, self.answers.certainty
        right = np.ones_like(correct)
        return {
            "kind": "fit",
            "n_train": len(known.correct),
            "n_test": len(correct),
            "training_errors": int((~known.correct).sum()),
            "test_errors": int((~correct).sum()),
            "aurc": float(aurc_score(right, correct, certainty)),
            "augrc": float(augrc_score(right, correct, certainty)),
            "n_parts": _n_parts(self.fitted),
        }

    def _curve(self, source: str, option: Option, front: ParetoFront, regions: Regions) -> Record:
        counts = np.array([found[1:] for found in self._counts(option, front, regions)])
        return {
            "kind": "curve",
            "part": "test",
            "source": source,
            **option._asdict(),
            "n": len(self.answers.correct),
            "accepted": counts[:, 0].tolist(),
            "errors": counts[:, 1].tolist(),
        }

    def _counts(
        self, option: Option, front: ParetoFront, regions: Regions, rows: Any = None
    ) -> Iterator[tuple[int, int, int]]:
        """Yield what rows of a front do to the test part."""
        columns = regions.columns(_cells(self.answers, option), front)
        held_out = HeldOut(self.answers.certainty, self.answers.correct, columns)
        return HeldOutCounts(front, held_out).of(_rows(front) if rows is None else rows)

    def _at_accuracy(self, source: str, front: ParetoFront, regions: Regions) -> Record:
        """Return what the thresholds that just reach the accuracy do to the test part."""
        try:
            row = Accuracy(self.accuracy).choose(front)
        except InputError:
            return self._target_record(source, None)
        ((_, *counts),) = self._counts(LOCAL, front, regions, np.array([row]))
        return self._target_record(source, counts)

    def _guaranteed(self, folds: Any) -> Record:
        target = Accuracy(self.accuracy, confidence=CONFIDENCE)
        clf = RejectOptionClassifier(
            self.estimator,
            method="exact",
            target=target,
            cv=folds or "training",
            min_cell_size=1,
            test_size=0.5,
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
            "n": len(self.answers.correct),
            "accepted": accepted,
            "errors": errors,
            "is_refused": counts is None,
        }


def _n_parts(fitted: Any) -> int | None:
    """Return the number of prototypes or support vectors."""
    final = fitted[-1] if hasattr(fitted, "steps") else fitted
    if hasattr(final, "prototypes_"):
        return len(final.prototypes_)
    found = getattr(final, "n_support_vectors_", None)
    return None if found is None else int(found)


def _cells(known: Calibration, option: Option) -> Array:
    return np.zeros(len(known.cells), dtype=np.int64) if option.cells == "global" else known.cells


def _front(known: Calibration, option: Option) -> tuple[ParetoFront, Regions]:
    cells = _cells(known, option)
    regions = find_regions(cells, option.min_cell_size)
    positions = regions.positions(cells)
    return pareto_front(known.certainty, known.correct, positions, method=option.method), regions


def _own_curve(option: Option, front: ParetoFront) -> Record:
    """Return the curve on the samples that the thresholds were set on."""
    rows = _rows(front)
    rejects = front.true_rejects[rows] + front.false_rejects[rows]
    return {
        "kind": "curve",
        "part": "training",
        "source": "training",
        **option._asdict(),
        "n": int(front.n_samples),
        "accepted": (front.n_samples - rejects).tolist(),
        "errors": (front.n_errors - front.true_rejects[rows]).tolist(),
    }


def _rows(front: ParetoFront) -> NDArray[np.int64]:
    """Return the row that rejects nothing, then those of the paper's front; all of nested rows."""
    if front.is_nested:
        return np.arange(len(front))
    on_curve = front.is_pareto.copy()
    on_curve[0] = True
    return np.flatnonzero(on_curve)
