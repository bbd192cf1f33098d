"""How does a classifier decline to answer on a stream, with thresholds that follow it?

The classifier is asked once per block, and its certainty and cells go to a `ThresholdTracker`. When
labels come, the tracker learns which answers were right, and a classifier with ``partial_fit`` is
trained after it was tested.
"""

from __future__ import annotations  # signatures then show the names of types

from dataclasses import is_dataclass, replace
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from abstain._core.checks import as_labels, check_same_length, is_missing
from abstain._core.errors import InputError
from abstain._core.sklearn_private import take_rows
from abstain.certainty.cells import fitted_rule
from abstain.certainty.measures import MEASURES
from abstain.classifier.calibrate import calibrate, calibrate_out_of_fold
from abstain.classifier.dependence import split_folds
from abstain.classifier.documentation import LABELLED_SAMPLES, SAMPLES, documented
from abstain.classifier.evaluate import Rules
from abstain.classifier.fit_checks import (
    check_reject_label,
    checked_labels,
    valid_labels,
)
from abstain.monitor import RiskMonitor
from abstain.online.answers import IRIS, AnswerMixin, StreamDecisions
from abstain.online.checks import check_parameters, checked_weights
from abstain.online.tracking import ThresholdTracker
from abstain.targets import Accuracy, RejectRate, Target

Array = NDArray[Any]
DEFAULT_TARGET = RejectRate(0.1)
# Samples given to `fit` have the age that they would have in a stream of such blocks.
BLOCK = 1000

WEIGHTS = """\
sample_weight : array-like of shape (n_samples,), default=None
    Passed to the classifier, if it takes weights, and what each label counts for the
    thresholds: inverse to the probability of being labelled, if that is not the same for all
    samples of a cell with the same certainty, and about 1 on average."""


class OnlineRejectOption(AnswerMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Give a classifier a reject option whose thresholds follow a stream.

    A sample is rejected iff the certainty of the classifier is below the threshold of its cell. For
    each cell, bins of certainty count the samples seen, and of those whose label became known the
    right and the wrong ones; older samples count less. The thresholds follow from these counts and
    the target, after each block. Memory does not grow with the stream.

    Parameters
    ----------
    estimator : estimator
        A classifier. It is cloned; one with ``partial_fit`` is trained on each block after it was
        tested on it. A ``FrozenEstimator`` is taken as it is, and only the thresholds follow.
    certainty : str or callable, default="auto"
        How sure the classifier is, as in :class:`RejectOptionClassifier`.
    cells : str, callable or clusterer, default="auto"
        Which samples share a threshold, as in :class:`RejectOptionClassifier`. New cells may
        appear.
    method : {"pooled", "exact", "hull", "greedy"}, default="pooled"
        How the front is found, as in :class:`RejectOptionClassifier`.
    target : Target, default=None
        Which point of the front to run at: :class:`RejectRate`, :class:`Accuracy` or
        :class:`RejectCost`; None is ``RejectRate(0.1)``. A stream certifies nothing in advance:
        ``confidence`` is refused. While an accuracy cannot be reached, everything is rejected.
    half_life : float, default=1000
        After so many samples, a sample counts half; inf forgets nothing.
    detect_drift : bool, default=True
        Whether a cell forgets at once what it has seen when its errors or its certainties are not
        what they were.
    cv : int, splitter, iterable or "training", default=5
        Folds of `fit`, whose answers set the first thresholds, as in
        :class:`RejectOptionClassifier`; not used by `partial_fit`.
    reject_label : object, default=None
        What `predict` returns for rejected samples; None leaves the plain labels, and `reject`
        tells which to trust.

    Attributes
    ----------
    estimator_ : estimator
        The classifier as it is now.
    classes_ : ndarray of shape (n_classes,)
        Its classes.
    thresholds_ : ndarray of shape (n_cells + 1,)
        The threshold of each cell; the last is that of cells that have not been seen.
    cells_ : ndarray of shape (n_cells + 1,)
        The cell of each threshold; None for the last.
    monitor_ : RiskMonitor or None
        Watches whether the answers have the accuracy of an :class:`Accuracy` target; None for
        other targets. Its alarm stays until ``monitor_.reset()``.
    n_seen_ : int
        Number of samples seen.
    n_drifts_ : int
        How often drift was detected.

    See Also
    --------
    RejectOptionClassifier : Thresholds that are set once, and can be certified.

    Examples
    --------
    >>> import numpy as np
    >>> from abstain import Accuracy, OnlineRejectOption
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 10_000)
    >>> noise = np.repeat([0.8, 1.2], 5_000)  # which the classifier is not told
    >>> X = 1.5 * y[:, np.newaxis] + noise[:, np.newaxis] * rng.normal(size=(10_000, 2))
    >>> clf = OnlineRejectOption(GaussianNB(), target=Accuracy(0.95))
    >>> for start in range(0, 10_000, 500):
    ...     block = slice(start, start + 500)
    ...     clf = clf.partial_fit(X[block], y[block], classes=[0, 1])
    >>> accepted = ~clf.reject(X[-2_000:])
    >>> bool((clf.predict(X[-2_000:]) == y[-2_000:])[accepted].mean() > 0.93)
    True
    """

    monitor_: RiskMonitor | None

    def __init__(
        self,
        estimator: Any,
        *,
        certainty: Any = "auto",
        cells: Any = "auto",
        method: str = "pooled",
        target: Target | None = None,
        half_life: float = 1000,
        detect_drift: bool = True,
        cv: Any = 5,
        reject_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.certainty = certainty
        self.cells = cells
        self.method = method
        self.target = target
        self.half_life = half_life
        self.detect_drift = detect_drift
        self.cv = cv
        self.reject_label = reject_label

    # --- learning -------------------------------------------------------------------------------

    @documented(LABELLED_SAMPLES, WEIGHTS, setup=IRIS)
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier and set the first thresholds, before a stream or in place of one.

        The thresholds are set on answers to samples that the classifier had not been fitted on: of
        five folds, or all of a ``FrozenEstimator``.

        Returns
        -------
        self : object
            Fitted classifier; it forgets earlier fits.

        Examples
        --------
        >>> float(clf.reject(X[100:]).mean())
        0.08
        """
        self._start()
        X, y = indexable(X, y)
        y = checked_labels(self, y)
        weights = checked_weights(sample_weight, y)
        params = (
            {} if weights is None or not self._takes_weights("fit") else {"sample_weight": weights}
        )
        self._keep(clone(self.estimator).fit(X, y, **params))
        rules = Rules(MEASURES.name_of(self.certainty), fitted_rule(self.cells, X, y))
        self._rules = rules.fitted(self.estimator_, X, y).named(self.estimator_)
        if self._is_frozen or isinstance(self.cv, str):  # "training"
            known = calibrate(self.estimator_, X, y, self._rules)
        else:
            folds = split_folds(self.cv, X, y, {})
            known = calibrate_out_of_fold(
                self.estimator, self.estimator_, X, y, rules, folds, None, params
            )
        assert known.rows is not None
        order = np.argsort(known.rows, kind="stable")
        known, rows = known.take(order), np.asarray(known.rows)[order]
        for start in range(0, len(known.correct), BLOCK):
            block = slice(start, start + BLOCK)
            certainty, cells = known.certainty[block], known.cells[block].tolist()
            nothing_answered = np.ones(len(cells), np.bool_)
            self._tracker.see(certainty, cells)
            self._tracker.learn(
                certainty,
                cells,
                known.correct[block],
                nothing_answered,
                None if weights is None else weights[rows[block]],
            )
        return self

    @documented(
        LABELLED_SAMPLES,
        "classes : array-like of shape (n_classes,), default=None\n"
        "    All classes, if the classifier needs to know them at the first call; None is those\n"
        "    of this block.",
        WEIGHTS,
        setup=IRIS,
    )
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Decide about a block of samples, learn from their labels, then train the classifier.

        Equal to `decide` and `update` with X and y. At the first call a classifier that was not
        fitted is only trained; one without ``partial_fit`` is fitted as by `fit`, and later blocks
        set thresholds alone.

        Returns
        -------
        self : object
            The classifier, with thresholds for the next block.

        Examples
        --------
        >>> clf.partial_fit(X[100:], y[100:]).n_seen_
        150
        """
        is_first = not hasattr(self, "estimator_")
        if is_first and not (self._is_frozen or hasattr(self.estimator, "partial_fit")):
            return self.fit(X, y, sample_weight)
        if is_first:
            self._start()
        X, y = indexable(X, y)
        y = valid_labels(y)
        weights = checked_weights(sample_weight, y)
        if is_first and self._is_frozen:
            self._keep(clone(self.estimator).fit(X, y))
        elif is_first:
            self._train(X, y, classes, weights)
        if is_first:
            self._name_rules(X, y)
        if is_first and not self._is_frozen:
            return self
        return self._learn(self._decide(X), y, np.ones(len(y), np.bool_), weights, X)

    @documented(SAMPLES, setup=IRIS)
    def decide(self, X: Any) -> StreamDecisions:
        """Decide about new samples of the stream, and count them as seen.

        Unlike `predict` and `reject`, which change nothing.

        Returns
        -------
        decisions : StreamDecisions
            Labels, certainty, cells and rejects; `update` takes them, or some, with the labels.

        Examples
        --------
        >>> decisions = clf.decide(X[100:])
        >>> bool((decisions.rejected == clf.reject(X[100:])).all())
        True
        """
        decisions = self._decide(X)
        self._tracker.set_thresholds()
        return decisions

    def _decide(self, X: Any) -> StreamDecisions:
        check_is_fitted(self, "estimator_")
        self._follow_parameters()
        decisions = self._decisions(X)
        if len(decisions.labels):
            self._tracker.see(decisions.certainty, decisions.cells.tolist(), decisions.rejected)
        return decisions

    @documented(
        "decisions : StreamDecisions\n    What `decide` returned, or some of it: see `take`.",
        "y : array-like of shape (n_samples,)\n    True classes; NaN or None where not known.",
        WEIGHTS,
        "X : array-like of shape (n_samples, n_features), default=None\n"
        "    The samples; with them, the classifier is trained too, if it can be.",
        setup=IRIS,
    )
    def update(
        self,
        decisions: StreamDecisions,
        y: Any,
        sample_weight: ArrayLike | None = None,
        X: Any = None,
    ) -> Self:
        """Learn from labels of samples that were decided about, in any order.

        Labels may be missing, if that depends on certainty and cell alone: labels for a random
        share of the answered samples are enough, better with one for a share of the rejected ones.

        Returns
        -------
        self : object
            The classifier, with thresholds for the next block.

        Examples
        --------
        >>> decisions = clf.decide(X[100:])
        >>> late = np.arange(50)[::-2]  # labels for half of them, in another order
        >>> clf.update(decisions.take(late), y[100:][late]).n_seen_
        150
        """
        check_is_fitted(self, "estimator_")
        truth = as_labels("y", y) if len(y) else np.asarray(y)
        check_same_length(decisions=decisions.labels, y=truth, X=X)
        weights = checked_weights(sample_weight, truth)
        missing = np.fromiter(map(is_missing, truth.tolist()), np.bool_, len(truth))
        return self._learn(decisions, truth, ~missing, weights, X)

    def _learn(
        self,
        decisions: StreamDecisions,
        y: Array,
        is_known: NDArray[np.bool_],
        weights: NDArray[np.float64] | None,
        X: Any,
    ) -> Self:
        self._follow_parameters()
        if not self._tracker.histograms.n_values:
            raise InputError(
                argument="decisions",
                requirement="must be of samples that were counted as seen",
                got="some of another classifier",
                remedy="call decide first",
            )
        if not is_known.any():
            return self
        rows = np.flatnonzero(is_known)
        known, truth = decisions.take(rows), y[rows]
        truth = np.asarray(truth.tolist()) if truth.dtype.kind == "O" else truth
        correct = np.asarray(known.labels == truth)
        own = None if weights is None else weights[rows]
        self._tracker.learn(known.certainty, known.cells.tolist(), correct, known.rejected, own)
        if self.monitor_ is not None:
            self.monitor_.update(correct[~known.rejected])
        if X is not None and hasattr(self.estimator_, "partial_fit") and not self._is_frozen:
            self._train(X if is_known.all() else take_rows(X, rows), truth, None, own)
        return self

    def merge(self, other: Any) -> Self:
        """Add what the thresholds of another worker have learned; the classifier stays.

        Parameters
        ----------
        other : OnlineRejectOption
            One with the same parameters, whose samples are counted nowhere else.

        Returns
        -------
        self : object
            The classifier, with thresholds for both streams together.

        Examples
        --------
        >>> import numpy as np
        >>> from abstain import OnlineRejectOption
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X = np.arange(12.0)[:, np.newaxis]
        >>> y = np.repeat([0, 1], 6)
        >>> model = FrozenEstimator(GaussianNB().fit(X, y))
        >>> one, other = (OnlineRejectOption(model).fit(X[k::2], y[k::2]) for k in range(2))
        >>> one.merge(other).n_seen_
        12
        """
        check_is_fitted(self, "estimator_")
        if not isinstance(other, OnlineRejectOption) or not hasattr(other, "estimator_"):
            raise InputError(
                argument="other",
                requirement="must be a fitted OnlineRejectOption",
                got=f"a {type(other).__name__}",
            )
        for name in ("method", "target", "half_life"):
            own, value = getattr(self, name), getattr(other, name)
            if own != value:
                raise InputError(
                    argument="other", value=value, requirement=f"must have {name}={own!r}"
                )
        self._tracker.merge(other._tracker)
        if self.monitor_ is not None and other.monitor_ is not None:
            self.monitor_.merge(other.monitor_)
        return self

    # --- inside ---------------------------------------------------------------------------------

    @property
    def _is_frozen(self) -> bool:
        return isinstance(self.estimator, FrozenEstimator)

    def _start(self) -> None:
        """Check the parameters, and forget earlier fits."""
        check_parameters(self)
        for name in [name for name in vars(self) if name.endswith("_") or name == "_rules"]:
            delattr(self, name)
        self._tracker = self._new_tracker()
        self.monitor_ = None
        self._follow_parameters()

    def _new_tracker(self) -> ThresholdTracker:
        target: Any = DEFAULT_TARGET if self.target is None else self.target
        if is_dataclass(target):  # a copy, which shows whether the parameter changes
            target = replace(target)  # type: ignore[type-var]
        return ThresholdTracker(target, self.method, float(self.half_life), bool(self.detect_drift))

    def _follow_parameters(self) -> None:
        """Let changed parameters take effect."""
        check_parameters(self)
        own, new = self._tracker, self._new_tracker()
        has_changed = (own.target, own.method) != (new.target, new.method)
        own.half_life, own.detects_drift = new.half_life, new.detects_drift
        if has_changed:
            own.retarget(new.target, new.method)
        accuracy = own.target.accuracy if isinstance(own.target, Accuracy) else 1.0
        if accuracy == 1:
            self.monitor_ = None
        elif self.monitor_ is None or self.monitor_.accuracy != accuracy:
            self.monitor_ = RiskMonitor(accuracy)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def _keep(self, fitted: Any) -> None:
        """Keep the classifier, and what it knows of classes and features."""
        self.estimator_ = fitted
        self.classes_ = np.asarray(fitted.classes_)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        check_reject_label(self.reject_label, self.classes_)

    def _name_rules(self, X: Any, y: Array) -> None:
        rules = Rules(MEASURES.name_of(self.certainty), fitted_rule(self.cells, X, y))
        self._rules = rules.fitted(self.estimator_, X, y).named(self.estimator_)

    def _train(
        self, X: Any, y: Array, classes: ArrayLike | None, weights: NDArray[np.float64] | None
    ) -> None:
        is_first = not hasattr(self, "estimator_")
        estimator = clone(self.estimator) if is_first else self.estimator_
        params: dict[str, Any] = {}
        if is_first and "classes" in signature(estimator.partial_fit).parameters:
            params["classes"] = np.unique(y) if classes is None else np.asarray(classes)
        if weights is not None and self._takes_weights("partial_fit"):
            params["sample_weight"] = weights
        self._keep(estimator.partial_fit(X, y, **params))

    def _takes_weights(self, method: str) -> bool:
        if method == "fit":
            return bool(has_fit_parameter(self.estimator, "sample_weight"))
        return "sample_weight" in signature(getattr(self.estimator, method)).parameters

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the estimator and of the target too.

        Parameters
        ----------
        **params : dict
            Such as ``target__rate=0.2``. Those of the target, the front and the memory take effect
            at the next block, the others at the next fit.

        Returns
        -------
        self : object
            The classifier itself.

        Examples
        --------
        >>> from abstain import GMLVQ, OnlineRejectOption
        >>> OnlineRejectOption(GMLVQ()).set_params(target__rate=0.2).target
        RejectRate(rate=0.2)
        """
        is_nested = any(name.startswith("target__") for name in params)
        if is_nested and params.get("target", self.target) is None:
            params["target"] = replace(DEFAULT_TARGET)
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = replace(inner.classifier_tags, multi_label=False)
        tags.non_deterministic = inner.non_deterministic
        return tags
