"""What would have been answered to calibration samples, and how surely, at other costs?

The answer is the class of least expected cost by the posteriors, or what is predicted. A measure of
certainty may depend on the answer, so its value for each class is kept too. With both, `retarget`
finds the answers, the certainty and the cells that a fit with other costs would have found, without
asking the classifier again.

**Leaves.** Out of fold, a sample is answered by the tree that was fitted without it, but has the
certainty of its leaf in the tree that decides, of the answer that *this* tree would give. So
predictions and posteriors of both are kept.

**Memory.** This is up to 2 k + 1 numbers per sample for k classes, or 3 k + 2 with leaves, so
unless costs decide at the fit it is kept for no more than `MOST_KEPT` pairs of sample and class.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain.certainty.measures import certainty_of, depends_on_answer
from abstain.classifier.evaluate import AnswerCosts, Evaluation, Rules, posteriors_of

Array = NDArray[Any]

# Pairs of sample and class: 8 MB for each array of them.
MOST_KEPT = 1_000_000


def keeps_answers(costs: AnswerCosts | None, n_samples: int, n_classes: int) -> bool:
    """Return whether a fit keeps what other costs would choose the answers by."""
    return costs is not None or n_samples * n_classes <= MOST_KEPT


class KeptAnswers(NamedTuple):
    """What a classifier predicts, its posteriors, and its certainty if it answered each class.

    Columns are classes. A class that the classifier does not know has NaN. ``certainties`` is None
    if the certainty is the posterior of the answer, or does not depend on the answer.
    """

    predicted: Array | None = None
    posteriors: NDArray[np.float64] | None = None
    certainties: NDArray[np.float64] | None = None


def kept_answers(evaluation: Evaluation, rules: Rules, classes: Array) -> KeptAnswers:
    """Return what other costs would choose the answers by; nothing if there are no posteriors."""
    outputs = evaluation.outputs
    if not rules.keeps_answers or not hasattr(outputs.estimator, "predict_proba"):
        return KeptAnswers()
    posteriors = posteriors_of(outputs, classes)
    plain = outputs if rules.costs is None else outputs.as_predicted()
    kept = KeptAnswers(plain.labels, posteriors)
    if not _has_own_column(rules.certainty):
        return kept
    certainties = np.full(posteriors.shape, np.nan)
    answered = outputs.as_predicted()
    for code, column in enumerate(np.searchsorted(classes, outputs.classes)):
        answered.answer(np.full(len(posteriors), code))
        certainties[:, column] = certainty_of(answered, rules.certainty)
    return kept._replace(certainties=certainties)


def _has_own_column(certainty: Any) -> bool:
    """Return whether the certainty of each answer is something else than its posterior."""
    return certainty != "conf" and depends_on_answer(certainty)


def answer_codes(
    predicted: Array, posteriors: NDArray[np.float64], classes: Array, costs: AnswerCosts | None
) -> NDArray[np.int64]:
    """Return the position of the answer to each sample among the classes."""
    if costs is None:
        return np.asarray(np.searchsorted(classes, predicted))
    return costs.cheapest(posteriors)


def certainty_of_answers(
    certainty: NDArray[np.float64],
    measure: Any,
    columns: NDArray[np.float64],
    codes: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the certainty of answers, given that of each answer in columns."""
    if not depends_on_answer(measure):
        return certainty
    return np.asarray(columns[np.arange(len(codes)), codes])
