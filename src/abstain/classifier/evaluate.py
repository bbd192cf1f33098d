"""What does a classifier answer, how surely, and in which cell, from one look at the samples?

`predict`, `reject`, `certainties`, `explain`, `score`, scorers, calibration and the blocks of Dask
all call `evaluate`, so that they agree and ask the classifier once.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.certainty.cells import RULES, Cells, cells_of
from abstain.certainty.measures import MEASURES, certainty_of, fitted_measure
from abstain.certainty.outputs import Outputs
from abstain.classifier.own_cells import OwnCells

Array = NDArray[Any]
# Relative error of an expected cost: sums in another order differ by less.
ROUNDING = 1e-12


class AnswerCosts(NamedTuple):
    """What each answer costs: a row per true class, a column per answer."""

    classes: Array
    costs: NDArray[np.float64]

    def cheapest(self, posteriors: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the position of the class of least expected cost, the first of equal ones.

        Costs that differ by rounding are equal. A posterior of NaN is that of a class which cannot
        be answered.
        """
        is_known = ~np.isnan(posteriors)
        expected = np.where(is_known, posteriors, 0) @ self.costs
        expected[~is_known] = np.inf
        least = expected.min(axis=1, keepdims=True)
        return np.asarray((expected <= least * (1 + ROUNDING)).argmax(axis=1))


def posteriors_of(outputs: Outputs, classes: Array) -> NDArray[np.float64]:
    """Return the posteriors of these classes; one that the classifier does not know has NaN."""
    posteriors = np.full((len(outputs.posteriors), len(classes)), np.nan)
    posteriors[:, np.searchsorted(classes, outputs.classes)] = np.maximum(outputs.posteriors, 0)
    return posteriors


class Rules(NamedTuple):
    """How certainty is measured and which cells there are, in a form that can be asked.

    With ``costs``, the answer is the class of least expected cost, not what is predicted.
    ``keeps_answers`` says whether calibration keeps what other costs would choose an answer by.
    """

    certainty: Any
    cells: Any
    costs: AnswerCosts | None = None
    keeps_answers: bool = False

    def named(self, estimator: Any) -> Rules:
        """Return the rules that a fitted classifier is asked by: what "auto" stands for."""
        return self._replace(
            certainty=MEASURES.resolve(estimator, self.certainty),
            cells=RULES.resolve(estimator, self.cells),
        )

    def fitted(self, estimator: Any, X: Any, y: Array) -> Rules:
        """Return the rules with a trust score fitted to what the classifier was fitted to."""
        return self._replace(certainty=fitted_measure(self.certainty, estimator, X, y))


class Decisions(NamedTuple):
    """The decision about each sample, and what it rests on.

    Attributes
    ----------
    class_indices : ndarray of shape (n_samples,)
        Index of the predicted class in ``classes_``, of rejected samples too.
    certainty : ndarray of shape (n_samples,)
        How sure the classifier is.
    positions : ndarray of shape (n_samples,)
        Position in ``thresholds_`` of the threshold that decides.
    rejected : ndarray of bool of shape (n_samples,)
        Whether the certainty is below it, or the sample is an outlier.
    correct_proba : ndarray of shape (n_samples,)
        Estimated probability that the answer is right, of rejected samples too. NaN where nothing
        estimates it: of outliers, and in a classifier that was calibrated on Dask collections with
        another method than "pooled".
    outlier : ndarray of bool of shape (n_samples,)
        Whether the sample is rejected because it is unlike the known ones, whatever the certainty.
    """

    class_indices: NDArray[np.int64]
    certainty: NDArray[np.float64]
    positions: NDArray[np.int64]
    rejected: NDArray[np.bool_]
    correct_proba: NDArray[np.float64]
    outlier: NDArray[np.bool_]


class Evaluation(NamedTuple):
    """The answers of a classifier to samples, its certainty, and their cells."""

    outputs: Outputs
    certainty: NDArray[np.float64]
    named_cells: Cells

    @property
    def labels(self) -> Array:
        """The predicted class of each sample."""
        return self.outputs.labels

    @property
    def cells(self) -> Array:
        """The label of each sample's cell."""
        return self.named_cells.labels


def positions_of(cells: Cells, own_cells: OwnCells) -> NDArray[np.int64]:
    """Return the position of the threshold that decides about each sample."""
    positions = own_cells.positions(cells.names)
    return positions if cells.codes is None else np.asarray(positions[cells.codes])


def evaluate(estimator: Any, X: Any, rules: Rules) -> Evaluation:
    """Ask a fitted classifier about samples, once, by rules that `Rules.named` has returned."""
    return evaluate_outputs(Outputs(estimator, X), rules)


def evaluate_outputs(outputs: Outputs, rules: Rules) -> Evaluation:
    """Return the same, of outputs that are also used for something else."""
    if rules.costs is not None:
        classes = rules.costs.classes
        cheapest = rules.costs.cheapest(posteriors_of(outputs, classes))
        outputs.answer(np.searchsorted(outputs.classes, classes[cheapest]))
    # In this order: predictions are derived from what the certainty was computed from.
    certainty = certainty_of(outputs, rules.certainty)
    return Evaluation(outputs, certainty, cells_of(outputs, rules.cells))
