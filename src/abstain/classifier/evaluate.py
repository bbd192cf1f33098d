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


class AnswerCosts(NamedTuple):
    """What each answer costs: a row per true class, a column per answer."""

    classes: Array
    costs: NDArray[np.float64]

    def cheapest(self, outputs: Outputs) -> NDArray[np.int64]:
        """Return the position of the answer of least expected cost, among the classes known."""
        known = np.searchsorted(self.classes, outputs.classes)
        expected = outputs.posteriors @ self.costs[np.ix_(known, known)]
        return np.asarray(expected.argmin(axis=1))

    def posteriors(self, outputs: Outputs) -> NDArray[np.float64]:
        """Return the posteriors of all classes; one that the classifier does not know has 0."""
        posteriors = np.zeros((len(outputs.posteriors), len(self.classes)))
        posteriors[:, np.searchsorted(self.classes, outputs.classes)] = outputs.posteriors
        return posteriors


class Rules(NamedTuple):
    """How certainty is measured and which cells there are, in a form that can be asked.

    With ``costs``, the answer is the class of least expected cost, not what is predicted.
    """

    certainty: Any
    cells: Any
    costs: AnswerCosts | None = None

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
        outputs.answer(rules.costs.cheapest(outputs))
    # In this order: predictions are derived from what the certainty was computed from.
    certainty = certainty_of(outputs, rules.certainty)
    return Evaluation(outputs, certainty, cells_of(outputs, rules.cells))


# Measures and cells that posteriors determine.
OF_POSTERIORS = {"conf", "logit", "margin", "entropy"}
OF_ANSWERS = {"class", "global"}


def depends_on_posteriors_alone(rules: Rules) -> bool:
    """Return whether the certainty follows from the posteriors that are kept, and from answers.

    That of a leaf is the one of the tree that decides, and posteriors are out of fold.
    """
    names = [rule if isinstance(rule, str) else "" for rule in rules[:2]]
    return names[0] in OF_POSTERIORS and names[1] != "leaf"


def has_cells_of_answers(rules: Rules) -> bool:
    """Return whether other answers have other cells; prototypes are of samples."""
    return isinstance(rules.cells, str) and rules.cells in OF_ANSWERS


def evaluate_posteriors(
    estimator: Any, posteriors: NDArray[np.float64], rules: Rules
) -> Evaluation:
    """Return what a classifier with these posteriors answers, without asking it again."""
    outputs = Outputs(estimator, None)
    known = np.searchsorted(rules.costs.classes, outputs.classes) if rules.costs else ...
    outputs.__dict__["posteriors"] = posteriors[:, known]
    with np.errstate(divide="ignore"):
        outputs.__dict__["log_posteriors"] = np.log(outputs.posteriors)
    if rules.costs is None:
        outputs.answer(outputs.posteriors.argmax(axis=1))
    return evaluate_outputs(outputs, rules)
