"""What does a reject option on a stream say about samples, without learning from them?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from abstain.classifier.documentation import SAMPLES, documented
from abstain.classifier.evaluate import Evaluation, Rules, evaluate
from abstain.classifier.predictions import with_rejects
from abstain.online.tracking import ThresholdTracker

Array = NDArray[Any]
IRIS = """\
>>> import numpy as np
>>> from abstain import OnlineRejectOption
>>> from sklearn.datasets import load_iris
>>> from sklearn.naive_bayes import GaussianNB
>>> X, y = load_iris(return_X_y=True)
>>> order = np.random.default_rng(0).permutation(len(y))
>>> X, y = X[order, :2], y[order]
>>> clf = OnlineRejectOption(GaussianNB()).fit(X[:100], y[:100])
"""


class StreamDecisions(NamedTuple):
    """What was decided about samples, which `OnlineRejectOption.update` needs with their labels.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        The predicted class, of rejected samples too.
    certainty : ndarray of shape (n_samples,)
        How sure the classifier was.
    cells : ndarray of shape (n_samples,)
        The cell of each sample.
    rejected : ndarray of bool of shape (n_samples,)
        Whether the certainty was below the threshold of the cell.
    """

    labels: Array
    certainty: NDArray[np.float64]
    cells: Array
    rejected: NDArray[np.bool_]

    def take(self, members: Any) -> StreamDecisions:
        """Return the decisions about some of the samples.

        Parameters
        ----------
        members : array-like
            A mask, positions or a slice.

        Returns
        -------
        decisions : StreamDecisions
            Those of these samples, in this order.

        Examples
        --------
        >>> import numpy as np
        >>> from abstain.online import StreamDecisions
        >>> labels, certainty = np.array(["a", "b"]), np.array([0.9, 0.2])
        >>> decisions = StreamDecisions(labels, certainty, labels, certainty < 0.5)
        >>> decisions.take(~decisions.rejected).labels.tolist()
        ['a']
        """
        return StreamDecisions(*(each[members] for each in self))


def _inner_has(name: str) -> Any:
    return lambda clf: hasattr(getattr(clf, "estimator_", clf.estimator), name)


class AnswerMixin:
    """The methods of `OnlineRejectOption` that change nothing."""

    estimator_: Any
    reject_label: Any
    _rules: Rules
    _tracker: ThresholdTracker

    def _decisions(self, X: Any) -> StreamDecisions:
        evaluation, positions = self._evaluate(X)
        rejected = self._tracker.rejects(evaluation.certainty, positions)
        return StreamDecisions(
            evaluation.labels, evaluation.certainty, np.asarray(evaluation.cells), rejected
        )

    def _evaluate(self, X: Any) -> tuple[Evaluation, NDArray[np.int64]]:
        check_is_fitted(self, "estimator_")
        evaluation = evaluate(self.estimator_, X, self._rules)
        cells = evaluation.named_cells
        positions = self._tracker.positions(cells.names.tolist())
        return evaluation, positions if cells.codes is None else positions[cells.codes]

    @documented(SAMPLES, setup=IRIS)
    def predict(self, X: Any) -> Array:
        """Return the class of each sample, or ``reject_label`` where one was given.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels; without a ``reject_label``, rejected samples keep theirs.

        Examples
        --------
        >>> float((clf.predict(X) == y).mean().round(2))
        0.78
        """
        check_is_fitted(self, "estimator_")
        if self.reject_label is None:
            return np.asarray(self.estimator_.predict(X))
        decisions = self._decisions(X)
        return with_rejects(decisions.labels, decisions.rejected, self.reject_label)

    @documented(SAMPLES, setup=IRIS)
    def reject(self, X: Any) -> NDArray[np.bool_]:
        """Return which samples are rejected.

        Returns
        -------
        rejected : ndarray of bool of shape (n_samples,)
            Whether the certainty is below the threshold of the cell.

        Examples
        --------
        >>> bool(clf.certainties(X)[clf.reject(X)].max() < clf.thresholds_.max())
        True
        """
        return self._decisions(X).rejected

    @documented(SAMPLES, setup=IRIS)
    def certainties(self, X: Any) -> NDArray[np.float64]:
        """Return how sure the classifier is of each sample.

        Returns
        -------
        certainty : ndarray of shape (n_samples,)
            Higher is surer.

        Examples
        --------
        >>> clf.certainties(X).shape
        (150,)
        """
        return self._evaluate(X)[0].certainty

    @documented(SAMPLES, setup=IRIS)
    def predict_correct_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the estimated probability that the answer to each sample is right.

        Returns
        -------
        probability : ndarray of shape (n_samples,)
            Of the plain answer, also where it is rejected; NaN before the first label. In each
            cell it never falls as the certainty rises.

        Examples
        --------
        >>> bool((clf.predict_correct_proba(X) > 0.3).all())
        True
        """
        evaluation, positions = self._evaluate(X)
        return self._tracker.probability_correct(evaluation.certainty, positions)

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    @documented(SAMPLES, setup=IRIS)
    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of the classes, as the classifier gives them.

        Returns
        -------
        posteriors : ndarray of shape (n_samples, n_classes)
            Rejected samples have theirs too.

        Examples
        --------
        >>> clf.predict_proba(X).shape
        (150, 3)
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict_proba(X))

    @available_if(_inner_has("decision_function"))  # type: ignore[untyped-decorator]
    @documented(SAMPLES)
    def decision_function(self, X: Any) -> Array:
        """Return the scores of the classes, as the classifier gives them.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Rejected samples have theirs too.

        Examples
        --------
        >>> from abstain import OnlineRejectOption
        >>> from sklearn.linear_model import SGDClassifier
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> clf = OnlineRejectOption(SGDClassifier(random_state=0)).fit(X, y)
        >>> clf.decision_function(X).shape
        (4,)
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.decision_function(X))

    @property
    def thresholds_(self) -> NDArray[np.float64]:
        """The threshold of each cell, and last that of cells that have not been seen."""
        check_is_fitted(self, "estimator_")
        tracker = self._tracker
        return np.append(
            tracker.thresholds_of(np.arange(len(tracker.cells))), tracker.thresholds[-1]
        )

    @property
    def cells_(self) -> Array:
        """The cell of each threshold; None, last, stands for cells that have not been seen."""
        check_is_fitted(self, "estimator_")
        cells = np.empty(len(self._tracker.cells) + 1, dtype=object)
        cells[:-1] = self._tracker.cells
        return cells

    @property
    def n_seen_(self) -> int:
        """Number of samples seen."""
        check_is_fitted(self, "estimator_")
        return self._tracker.histograms.n_values

    @property
    def n_drifts_(self) -> int:
        """How often drift was detected."""
        check_is_fitted(self, "estimator_")
        return self._tracker.n_drifts
