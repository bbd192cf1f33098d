"""What does a fitted reject option say about samples?

Each method asks the classifier once, by `evaluate`, and compares its certainty with the threshold
of the cell.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, column_or_1d

from abstain._core.checks import check_positive_integer
from abstain._core.errors import InputError
from abstain._core.estimators import n_samples_of, unwrap
from abstain._core.sklearn_private import check_sample_weight
from abstain._scale.blocks import refuse_dask
from abstain._scale.lazy import lazy_on_dask
from abstain.certainty.cells import cells_of
from abstain.certainty.measures import certainty_of
from abstain.certainty.outliers import OutlierDetector
from abstain.certainty.outputs import Outputs
from abstain.classifier.documentation import (
    LABELLED_SAMPLES,
    LAZY_SAMPLES,
    SAMPLES,
    WEIGHTS,
    documented,
)
from abstain.classifier.evaluate import (
    Decisions,
    Evaluation,
    Rules,
    evaluate,
    positions_of,
)
from abstain.classifier.explain import empty_table, explanation_table
from abstain.classifier.operating import OperatingMixin
from abstain.fronts import PooledFront
from abstain.targets import ExpectedCost

if TYPE_CHECKING:
    import polars

Array = NDArray[Any]
Method = TypeVar("Method", bound=Callable[..., Any])
N_FEATURES = "n_features : int, default=3\n    How many features to name."


def _answers_in_blocks(
    dtype: Callable[[Any], Any], columns: Callable[[Any], int | None] | None = None
) -> Callable[[Method], Method]:
    """Mark a method that answers for each sample by itself: of Dask collections, lazily."""
    mark, document = lazy_on_dask("thresholds_", dtype, columns), documented(LAZY_SAMPLES)
    return lambda method: mark(document(method))


# What answers look like, before they are computed: Dask must know.


def _label_type(clf: Any) -> Any:
    dtype = clf.classes_.dtype
    if clf.reject_label is None or dtype.kind not in "US":
        return dtype
    return np.result_type(dtype, np.asarray(clf.reject_label).dtype)


def _n_scores(clf: Any) -> int | None:
    n_classes = len(clf.classes_)
    if n_classes == 2:
        return None
    by_pairs = getattr(unwrap(clf)[1], "decision_function_shape", "ovr") == "ovo"
    return n_classes * (n_classes - 1) // 2 if by_pairs else n_classes


def _inner_has(name: str) -> Callable[[Any], bool]:
    return lambda clf: hasattr(getattr(clf, "estimator_", clf.estimator), name)


def with_rejects(labels: Array, rejected: NDArray[np.bool_], reject_label: Any) -> Array:
    """Return labels with those of rejected samples replaced; text grows as long as it must."""
    if labels.dtype.kind in "US":
        labels = labels.astype(np.result_type(labels.dtype, np.asarray(reject_label).dtype))
    else:
        labels = labels.copy()
    labels[rejected] = reject_label
    return labels


class PredictionMixin(OperatingMixin):
    """The methods of `RejectOptionClassifier` that answer for samples."""

    estimator_: Any
    classes_: Array
    reject_label: Any
    reject_cost: float
    _rules: Rules
    _probabilities: PooledFront
    # None if no outliers are detected. Files of earlier versions do not have it.
    _outlier_detector: OutlierDetector | None = None

    def _evaluate(self, X: Any) -> Evaluation:
        """Return what the classifier answers, from one look at the samples."""
        self._check_fitted()
        return evaluate(self.estimator_, X, self._rules)

    def _answers(self, X: Any) -> Array:
        """Return the class that is answered to each sample, of rejected samples too."""
        if self._rules.costs is None:
            return np.asarray(self.estimator_.predict(X))
        return self._evaluate(X).labels

    @property
    def detects_outliers_(self) -> bool:
        """Whether outliers are rejected."""
        self._check_fitted()
        return self._outlier_detector is not None

    def _outliers(self, evaluation: Evaluation) -> NDArray[np.bool_]:
        """Return which samples are unlike those that the detector knows."""
        if self._outlier_detector is None:
            return np.zeros(len(evaluation.certainty), dtype=np.bool_)
        return self._outlier_detector.are_outliers(evaluation.outputs.samples)

    def _rejected(self, evaluation: Evaluation) -> NDArray[np.bool_]:
        positions = positions_of(evaluation.named_cells, self._own_cells)
        rejected = evaluation.certainty < self.thresholds_[positions]
        return np.asarray(rejected | self._outliers(evaluation))

    def _decisions(self, evaluation: Evaluation) -> Decisions:
        positions = positions_of(evaluation.named_cells, self._own_cells)
        outlier = self._outliers(evaluation)
        correct_proba = self._correct_proba(evaluation.certainty, positions)
        return Decisions(
            evaluation.outputs.codes,
            evaluation.certainty,
            positions,
            (evaluation.certainty < self.thresholds_[positions]) | outlier,
            np.where(outlier, np.nan, correct_proba),
            outlier,
        )

    def _correct_proba(
        self, certainty: NDArray[np.float64], positions: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the probabilities of being right; NaN where nothing estimates them."""
        front = self._pooled_front
        if front is None:
            return np.full(len(certainty), np.nan)
        return front.probability_correct(certainty, self._own_cells.columns_of(positions, front))

    @property
    def _pooled_front(self) -> PooledFront | None:
        """The front that estimates probabilities: ``front_``, or one made when first asked for."""
        front = self.front_
        if isinstance(front, PooledFront):
            return front
        if not hasattr(self, "_probabilities"):
            if not hasattr(self, "calibration_"):
                return None
            self._probabilities = cast(
                PooledFront, self.calibration_.front(self._own_cells, "pooled")
            )
        return self._probabilities

    @_answers_in_blocks(lambda clf: np.float64)
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
        self._check_fitted()
        if self._rules.costs is not None:
            return self._evaluate(X).certainty
        return certainty_of(Outputs(self.estimator_, X), self._rules.certainty)

    @documented(LAZY_SAMPLES)
    def predict_correct_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the estimated probability that the answer to each sample is right.

        It is estimated from the calibration data for each certainty and cell, and comparable across
        classes, prototypes and leaves, whatever the scale of the certainty.

        Returns
        -------
        probability : ndarray of shape (n_samples,)
            Of the plain answer, also where it is rejected; NaN for outliers. In each cell it never
            falls as the certainty rises.

        Examples
        --------
        >>> probability = clf.predict_correct_proba(X)
        >>> bool(probability[clf.reject(X)].max() <= probability[~clf.reject(X)].min())
        True
        """
        self._check_fitted()
        if self._pooled_front is None:
            raise InputError(
                "predict_correct_proba needs method='pooled' in a classifier that was calibrated "
                f"on Dask collections, got {self.front_.method!r}: fit it again"
            )
        return self._estimate_correct_proba(X)

    @lazy_on_dask("thresholds_", lambda clf: np.float64)
    def _estimate_correct_proba(self, X: Any) -> NDArray[np.float64]:
        evaluation = self._evaluate(X)
        positions = positions_of(evaluation.named_cells, self._own_cells)
        correct_proba = self._correct_proba(evaluation.certainty, positions)
        return np.where(self._outliers(evaluation), np.nan, correct_proba)

    @_answers_in_blocks(lambda clf: np.int64)
    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return which threshold decides about each sample.

        Returns
        -------
        positions : ndarray of shape (n_samples,)
            Position in ``thresholds_`` and ``cells_``; the last is shared by small cells and those
            never seen.

        Examples
        --------
        >>> clf.apply(X[[0, 149]]).tolist()
        [0, 2]
        """
        self._check_fitted()
        if self._rules.costs is not None:
            return positions_of(self._evaluate(X).named_cells, self._own_cells)
        cells = cells_of(Outputs(self.estimator_, X), self._rules.cells)
        return positions_of(cells, self._own_cells)

    @_answers_in_blocks(lambda clf: np.bool_)
    def reject(self, X: Any) -> NDArray[np.bool_]:
        """Return which samples are rejected.

        Returns
        -------
        rejected : ndarray of bool of shape (n_samples,)
            Whether the certainty is below the threshold of the cell, or the sample is an outlier.

        Examples
        --------
        >>> bool(clf.reject(X).mean() <= 0.1)
        True
        """
        return self._rejected(self._evaluate(X))

    @_answers_in_blocks(lambda clf: np.float64)
    def outlier_p_values(self, X: Any) -> NDArray[np.float64]:
        """Return how probable a sample as unusual as this one is among those like the known ones.

        Samples whose p-value is at most ``outliers`` are rejected. See the guide to outliers.

        Returns
        -------
        p_values : ndarray of shape (n_samples,)
            Conformal p-values in (0, 1]; NaN if no outliers are detected.

        Examples
        --------
        >>> clf.outlier_p_values([[5.8, 3.1, 3.8, 1.2], [5.8, 3.1, 38.0, 1.2]]) > 0.01
        array([ True, False])
        """
        self._check_fitted()
        if self._outlier_detector is None:
            return np.full(n_samples_of(X), np.nan)
        return self._outlier_detector.p_values(Outputs(self.estimator_, X).samples)

    @documented(SAMPLES)
    def decide(self, X: Any) -> Decisions:
        """Return answers, certainty, rejects and all that decides, from one look at X.

        Equal to `predict`, `certainties`, `apply`, `reject` and `predict_correct_proba` one after
        the other, and faster.

        Returns
        -------
        decisions : Decisions
            Six arrays: ``class_indices`` in ``classes_``, of rejected samples too; ``certainty``;
            ``positions`` in ``thresholds_``; ``rejected``; ``correct_proba``; ``outlier``.

        Examples
        --------
        >>> decisions = clf.decide(X)
        >>> bool((decisions.rejected == clf.reject(X)).all())
        True
        >>> bool((clf.classes_[decisions.class_indices] == clf.predict(X)).all())
        True
        """
        refuse_dask("decide", "call predict, certainties, apply and reject, which take some", X)
        return self._decisions(self._evaluate(X))

    @_answers_in_blocks(_label_type)
    def predict(self, X: Any) -> Array:
        """Return the class of each sample, or ``reject_label`` where one was given.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels; without a ``reject_label``, rejected samples keep theirs, and `reject` tells
            which they are.

        Examples
        --------
        >>> sorted(set(clf.set_params(reject_label=-1).predict(X).tolist()))
        [-1, 0, 1, 2]
        """
        if self.reject_label is None:
            self._check_fitted()
            return self._answers(X)
        evaluation = self._evaluate(X)
        return with_rejects(evaluation.labels, self._rejected(evaluation), self.reject_label)

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    @_answers_in_blocks(lambda clf: np.float64, lambda clf: len(clf.classes_))
    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of the classes, as the classifier gives them.

        Returns
        -------
        posteriors : ndarray of shape (n_samples, n_classes)
            Rejected samples have theirs too.

        Examples
        --------
        >>> from abstain import RSLVQ
        >>> RejectOptionClassifier(RSLVQ()).fit(X, y).predict_proba(X).shape
        (150, 3)
        """
        self._check_fitted()
        return np.asarray(self.estimator_.predict_proba(X))

    @available_if(_inner_has("decision_function"))  # type: ignore[untyped-decorator]
    @_answers_in_blocks(lambda clf: np.float64, _n_scores)
    def decision_function(self, X: Any) -> Array:
        """Return the scores of the classes, as the classifier gives them.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Rejected samples have theirs too.

        Examples
        --------
        >>> clf.decision_function(X).shape
        (150, 3)
        """
        self._check_fitted()
        return np.asarray(self.estimator_.decision_function(X))

    @documented(LABELLED_SAMPLES, WEIGHTS)
    def score(self, X: Any, y: ArrayLike, sample_weight: Any = None) -> float:
        """Return 1 minus the mean cost, where an error costs 1 and a reject ``reject_cost``.

        The accuracy of accepted samples alone would reward rejecting everything. If the target is
        an `ExpectedCost`, its costs are used, and minus their mean is returned.

        Returns
        -------
        score : float
            1 if all answers are right and none is withheld; with an `ExpectedCost`, at most 0.

        Examples
        --------
        >>> rejected, wrong = clf.reject(X), clf.predict(X) != y
        >>> bool(clf.score(X, y) == 1 - (0.5 * rejected + (wrong & ~rejected)).mean())
        True
        """
        refuse_dask("score", "compare predict(X) with y, and see reject(X)", X, y)
        self._check_fitted()
        labels = column_or_1d(y)
        check_consistent_length(X, labels)
        is_text, has_text = (each.dtype.kind in "US" for each in (labels, self.classes_))
        if is_text != has_text and "O" not in (labels.dtype.kind, self.classes_.dtype.kind):
            raise InputError(
                f"y must hold labels of the type of the classes ({self.classes_.dtype}), got "
                f"{labels.dtype}"
            )
        weights = check_sample_weight(sample_weight, labels, dtype=float, ensure_non_negative=True)
        if not weights.any():
            raise InputError("sample_weight must weigh some sample, got only zeros")
        evaluation = self._evaluate(X)
        rejected, target = self._rejected(evaluation), self._target()
        if isinstance(target, ExpectedCost):
            costs = target.costs_of(labels, evaluation.labels, rejected, self.classes_)
            return -float(np.average(costs, weights=weights))
        costs = np.where(rejected, self.reject_cost, evaluation.labels != labels)
        return float(1 - np.average(costs, weights=weights))

    @documented(SAMPLES, N_FEATURES)
    def explain(self, X: Any, n_features: int = 3) -> polars.DataFrame:
        """Return what lies behind each decision, one row per sample.

        Returns
        -------
        table : polars.DataFrame
            ``label`` and ``rival`` are the two classes between which the classifier decides;
            ``rejected``; ``kind`` is "ambiguous" where a rejected sample lies between the two,
            "outlier" where it is unlike the known samples, and null where it is accepted;
            ``reason`` says so in a sentence; ``outlier_p_value``, NaN if no outliers are detected,
            and ``unusual``, the features that make an outlier one, the most unusual first, null of
            others; ``certainty`` and ``threshold``;
            ``correct_proba``, the estimated probability that the label is right, NaN where nothing
            estimates it (see `Decisions`); ``cell``, null where the threshold is the one that
            small and unseen cells share. For prototype models, ``features`` tells the two classes
            apart most, and ``contributions`` are their shares: positive ones favour the label,
            negative ones the rival.

        Examples
        --------
        >>> unusual = [5.8, 3.1, 38.0, 1.2]
        >>> table = clf.explain([*X[clf.reject(X)], unusual], n_features=1)
        >>> sorted(table["kind"].unique())
        ['ambiguous', 'outlier']
        >>> table["reason"].to_list()[-1]
        'unlike anything seen: feature 2 38'
        >>> len(table["features"].to_list()[0])
        1
        """
        refuse_dask(
            "explain",
            "compute those rows first, such as X[clf.reject(X)].compute(), or "
            "X.loc[clf.reject(X)].compute() of a frame",
            X,
        )
        check_positive_integer("n_features", n_features)
        self._check_fitted()
        if not n_samples_of(X):  # nothing was rejected, say
            return empty_table(self.classes_, self.cells_)
        return explanation_table(self, X, n_features)
