"""How does any classifier become one that may decline to answer?

The classifier is fitted, its answers to the calibration data become three arrays (certainty,
correctness, cell), their front holds the trade-offs, and the target picks a point.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from abstain._core.sklearn_private import take_rows, take_rows_of_params
from abstain._scale.blocks import check_samples, is_dask
from abstain.certainty.cells import RULES, fitted_rule
from abstain.certainty.measures import MEASURES
from abstain.certainty.outliers import (
    DEFAULT_RATE,
    OutlierDetector,
    can_tell_outliers,
    fit_outlier_detector,
)
from abstain.certainty.outputs import Outputs
from abstain.classifier.calibrate import (
    Calibration,
    calibrate,
    calibrate_out_of_fold,
    seeded,
)
from abstain.classifier.contradiction import ErrorRate, contradicts, growth
from abstain.classifier.dependence import (
    Groups,
    dependence_warnings,
    given_groups,
    groups_to_split,
    params_with_groups,
    split_folds,
)
from abstain.classifier.evaluate import Rules
from abstain.classifier.fit_checks import (
    check_known_classes,
    check_parameters,
    check_reject_label,
    checked_labels,
    routed_params,
)
from abstain.classifier.holding_out import Split, hold_out, tested_share
from abstain.classifier.missing_codes import missing_code_warnings
from abstain.classifier.on_dask import calibrate_on_dask, check_for_dask
from abstain.classifier.operating import (
    DEFAULT_TARGET,
    answer_costs,
    refuse_outcomes,
    warn_if_rejects_cost_most,
)
from abstain.classifier.other_answers import keeps_answers
from abstain.classifier.overlap import (
    overlap_warnings,
    refuse_samples_of_fit,
    undetected_warnings,
    unlike_warnings,
)
from abstain.classifier.own_cells import OwnCells, find_own_cells
from abstain.classifier.predictions import PredictionMixin
from abstain.classifier.proportions import new_proportions, refused_weights, threshold_weights
from abstain.classifier.subjects import notes_on_subjects
from abstain.fronts import PooledFront
from abstain.fronts.held_out import HeldOut
from abstain.targets import Target
from abstain.targets.base import certifies
from abstain.targets.shares import with_group_labels

Array = NDArray[Any]


class RejectOptionClassifier(PredictionMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Give any classifier a reject option: below a threshold, it declines to answer.

    A sample is rejected iff the certainty of the classifier is below the threshold of the cell
    that the sample falls in, or it is an outlier. The thresholds are set on answers to samples that
    the classifier was not fitted on, by the probability of being right that these answers show for
    each certainty and cell; `predict_correct_proba` returns it for new samples.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn classifier, or a pipeline or search that ends in one. It is cloned and
        fitted; a ``FrozenEstimator`` is taken as it is, and all data serve calibration: they must
        be others than it was fitted on, or what is certified holds for those alone. Dask
        collections calibrate a ``FrozenEstimator`` only.
    certainty : str or callable, default="auto"
        How sure the classifier is of its answer: "relsim", "conf", "logit", "margin", "entropy",
        "boundary", "distance", "pairwise", "decision", "votes", "trust" or a :class:`TrustScore`, a
        function of (estimator, X) that returns one number per sample, the higher the surer, or
        "auto" for what suits the classifier best.
    cells : str, callable or clusterer, default="auto"
        Which samples share a threshold: "global" (all), "class" (those given the same class),
        "prototype", "leaf", a function of (estimator, X) that returns one label per sample, a
        clusterer such as ``KMeans`` or anything with ``predict``, or "auto": prototypes and leaves
        where there are some, else classes. With ``cv``, a function is asked about the classifier
        that will decide. A clusterer that is fitted already is taken as it is; ``clone``, and with
        it every search, makes one that is not, and that one is fitted with the samples.
    method : {"pooled", "exact", "hull", "greedy"}, default="pooled"
        How the front is found. "pooled" is made for new data: it rejects first what is most
        probably wrong, by probabilities that cells borrow from each other as far as they are
        alike. "exact" is the best on the calibration data, by a theorem; "hull" and "greedy"
        approximate it.
    target : Target, default=None
        Which point of the front to run at: :class:`RejectRate`, :class:`Accuracy` or
        :class:`RejectCost`; None is ``RejectRate(0.1)``. :class:`ExpectedCost` prices errors by
        class, :class:`Recall` and :class:`Precision` are about one class, :class:`AllOf` reaches
        several targets at once. ``Accuracy(a, confidence=c)`` certifies
        the accuracy on samples that do not fit the classifier, and whose classes have no part in
        the thresholds; it counts on samples that are independent of each other, or on groups that
        are, if `fit` is given ``groups``. A target that
        cannot be met is an error which says what could be; the classifier is fitted then, rejects
        everything, and can be moved to another target by `retarget`.
    cv : int, splitter, iterable or "training", default=5
        Thresholds are set on answers to samples that a classifier, fitted on the other folds, had
        not seen. "training" sets them on the samples that the classifier was fitted on, as the
        paper does: cheaper, and too sure wherever a classifier fits its training data closely.
        An int is lowered to the size of the largest class, and None is 5. A ``FrozenEstimator`` is
        not fitted, and needs no folds. With ``groups`` in `fit`, a group stays in one fold.
    outliers : float, default=0.01
        The share of samples like the known ones that may be rejected because they seem to be
        unlike them, whatever the certainty: with a value far outside the range of the known
        samples, or that does not fit the other values, in the features as the classifier sees
        them. None rejects no outliers. Known are the samples that are given to fit but not held
        out; of them the features must be numbers, in an array, in columns of a frame, or in a
        sparse matrix of at most 512 columns. To certify a ``FrozenEstimator`` with one threshold, a
        fifth of the samples are taken for this, or none if the others are too few to certify much.
        Of more than 20,000 samples, so many are known.
    reject_label : object, default=None
        What `predict` returns for rejected samples; None leaves the plain labels, and `reject`
        tells which to trust. It must be of the type of the classes: ensembles such as
        ``VotingClassifier`` number these, and then take a number.
    min_cell_size : int, default=10
        Cells with fewer calibration samples share one threshold, with methods other than
        "pooled".
    test_size : float or "auto", default="auto"
        The share of the samples that only test what a target with ``confidence`` certifies, in
        (0, 1); see the guide to guarantees for what "auto" does.
    reject_cost : float, default=0.5
        What a reject costs in `score`, where an error costs 1. It does not follow the target, so
        that scores of different targets can be compared.
    class_prior : dict, default=None
        The share of classes in new data, by label, such as ``{"ill": 0.02}``, if it differs from
        that in the calibration data, as in a case-control study; within a class, new samples are
        taken to be like those of the calibration data. Classes that are not named share the rest in
        the proportions that they have there. Thresholds, accuracies, probabilities of being
        right and certificates then hold for these proportions, and so do the answers of an
        :class:`ExpectedCost`, where the posteriors are taken to be for those of the calibration
        data. `score` prices the samples that it is given as they are. With ``method="exact"``,
        the weights of the classes are rounded by up to 1%.
    weight_thresholds : bool, default=False
        Whether the ``sample_weight`` given to fit also weights the calibration samples: thresholds
        and accuracies are then those of data in which each sample occurs as often as its weight
        says. Nothing can be certified for them. Without ``sample_weight`` it changes nothing.
    independent_rows : bool, default=False
        Whether all samples given to `fit` are independent of each other, equal ones too. If False,
        equal samples stay together where something is certified, for they may be copies: each
        certificate must pass with equal samples counted once, and with all of them. True counts
        all samples, as is right for few discrete features, whose values repeat by nature.
    n_jobs : int, default=None
        Folds that are fitted at once.
    random_state : int, RandomState instance or None, default=None
        Chooses which samples are held out to certify an accuracy and, with ``class_prior``, which
        of them test; seeds the classifier where its own ``random_state`` is None.

    Attributes
    ----------
    estimator_ : estimator
        The fitted classifier.
    classes_ : ndarray of shape (n_classes,)
        Its classes.
    detects_outliers_ : bool
        Whether outliers are rejected. They are not if ``outliers`` is None, or if the known samples
        are too few or not numbers.
    thresholds_ : ndarray of shape (n_thresholds,)
        The thresholds; the last is shared by all cells without a threshold of their own.
    cells_ : ndarray of shape (n_thresholds,)
        The cell of each threshold; None for the last.
    operating_point_ : OperatingPoint
        Reject rate, accuracy and counts on the calibration data, with the same cells and
        thresholds; its ``guarantee`` states what is certified. With weights, rates and accuracy
        follow them, and counts are of samples.
    expected_ : Expectation or None
        Accuracy and reject rate to expect on new data, with intervals: those of
        ``operating_point_`` are too good, for it was chosen on the same samples. Computed on first
        use; see `Expectation`.
    front_ : ParetoFront
        All trade-offs between true and false rejects, of the calibration samples that are no
        outliers, counted by weights if there are some.
    calibration_ : Calibration
        Certainty, correctness and cell of each calibration sample, its answer, its true class,
        its position among the samples given to fit, its weight and whether it is an outlier. A
        classifier that was calibrated on Dask collections does not have it, for they may be too
        many for one machine:
        `set_thresholds` then takes only thresholds that ``front_`` has, and a report compares with
        one threshold for all on the samples that it is given.
    n_features_in_ : int
        Number of features, where the classifier tells.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where the classifier knows them.

    Examples
    --------
    >>> from abstain import GMLVQ, Accuracy, RejectOptionClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RejectOptionClassifier(GMLVQ(), target=Accuracy(0.99)).fit(X, y)
    >>> clf.operating_point_.accuracy >= 0.99
    True
    >>> is_unsure = clf.certainties(X) < clf.thresholds_[clf.apply(X)]
    >>> bool((clf.reject(X) == (is_unsure | (clf.outlier_p_values(X) <= 0.01))).all())
    True
    """

    # Weights in `fit` are the classifier's to ask for, and this one's by `weight_thresholds`.
    __metadata_request__fit = {"sample_weight": UNUSED, "groups": True}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        *,
        certainty: Any = "auto",
        cells: Any = "auto",
        method: str = "pooled",
        target: Target | None = None,
        cv: Any = 5,
        outliers: float | None = DEFAULT_RATE,
        reject_label: Any = None,
        min_cell_size: int = 10,
        test_size: float | str = "auto",
        reject_cost: float = 0.5,
        class_prior: Mapping[Any, float] | None = None,
        weight_thresholds: bool = False,
        independent_rows: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.certainty = certainty
        self.cells = cells
        self.method = method
        self.target = target
        self.cv = cv
        self.outliers = outliers
        self.reject_label = reject_label
        self.min_cell_size = min_cell_size
        self.test_size = test_size
        self.reject_cost = reject_cost
        self.class_prior = class_prior
        self.weight_thresholds = weight_thresholds
        self.independent_rows = independent_rows
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the classifier, and set the thresholds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, in any form that the classifier takes. A Dask array or frame calibrates a
            ``FrozenEstimator`` where its blocks are, with the front and the thresholds of one
            machine, to rounding. For a target with ``confidence``, as many samples are held out as
            on one machine, but others: from each block, by ``random_state`` and its number. So are
            those that tell outliers, if there are more than 20,000.
        y : array-like of shape (n_samples,)
            Their classes; of Dask samples, a Dask array or series that is cut at the same rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Passed to the fit of the classifier, if it takes weights. Thresholds count every sample
            once, unless ``weight_thresholds`` is True.
        groups : array-like of shape (n_samples,), default=None
            Which samples belong together, such as those of one patient: one label per sample. A
            group stays in one fold and on one side of every split. One sample of each held-out
            group tests what is certified, which then holds for a sample, drawn at random, of a new
            group; so does the rate of ``outliers``.
        **fit_params : dict
            Passed to the fit of the classifier, or, with metadata routing, to what has
            requested it.

        Returns
        -------
        self : object
            Fitted classifier.

        Examples
        --------
        >>> from abstain import RejectOptionClassifier, RejectRate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = [[0.0], [1.0], [3.0], [2.0], [4.0], [5.0]], ["a", "a", "a", "b", "b", "b"]
        >>> clf = RejectOptionClassifier(
        ...     GaussianNB(), target=RejectRate(0.4), cells="global", cv="training"
        ... )
        >>> clf.fit(X, y).reject(X).tolist()
        [False, False, True, True, False, False]
        """
        return self._fit(X, y, sample_weight, groups, fit_params)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        fit_params: dict[str, Any],
        detector: OutlierDetector | None = None,
    ) -> Self:
        """Fit; a detector of outliers that is given is used if all samples must test."""
        self._forget()
        check_parameters(self)
        if is_dask(X, y):
            given = {"sample_weight": sample_weight, "groups": groups} | fit_params
            return self._fit_on_dask(X, y, given, detector)
        X, y = indexable(X, y)
        y = checked_labels(self, y)
        routed = routed_params(self, sample_weight, groups, fit_params)
        params, split_params = routed.estimator.fit, routed.splitter.split
        target = with_group_labels(self._target(), X, len(y))
        is_frozen = isinstance(self.estimator, FrozenEstimator)
        classes = np.unique(y)
        if is_frozen:  # one that is not fitted is refused below
            classes = np.asarray(getattr(self.estimator, "classes_", classes))
        weights = threshold_weights(self, sample_weight, y)
        if weights is not None and certifies(target):
            raise refused_weights(target)
        about_subjects = [] if groups is not None else notes_on_subjects(self, target, X)
        proportions = new_proportions(self.class_prior, classes, y, weights)
        together = groups_to_split(self, target, X, y, given_groups(groups, len(y)))
        tells_outliers = is_frozen and self._can_tell_outliers(X)
        split = hold_out(
            self, target, y, split_params, proportions, together, tells_outliers=tells_outliers
        )
        self._n_given, self._tested_groups = len(y), split.tested
        X_fit, y_fit, all_groups = X, y, together
        if together is not None and together.are_given:
            params = params_with_groups(self.estimator, params, together)
        if split.learn is not None:
            together = None if together is None else together.take(split.learn)
            X_fit, y_fit = take_rows(X, split.learn), y[split.learn]
            params = take_rows_of_params(X, params, indices=split.learn)
        if proportions is not None:
            self._proportions = proportions.calibrated(y_fit, weights, self.method)
        warn_if_rejects_cost_most(target, classes)
        costs = answer_costs(target, self.estimator, classes, self._proportions)
        rules = Rules(
            MEASURES.name_of(self.certainty),
            fitted_rule(self.cells, X_fit, y_fit),
            costs,
            keeps_answers(costs, len(y), len(classes)),
        )
        template = seeded(self.estimator, self.random_state)
        self._keep(clone(template).fit(X_fit, y_fit, **params))
        if is_frozen:
            check_known_classes(y, self.classes_)
        self._rules = rules.fitted(self.estimator_, X_fit, y_fit).named(self.estimator_)
        if is_frozen or self._sets_on_training():
            known = calibrate(self.estimator_, X_fit, y_fit, self._rules)
        else:
            folds = split_folds(self.cv, X_fit, y_fit, split_params, together)
            known = calibrate_out_of_fold(
                template, self.estimator_, X_fit, y_fit, rules, folds, self.n_jobs, params
            )
        if together is not None:
            known = known._replace(groups=together.codes[known.rows])
        outlier = None
        if split.known is not None:
            own = None if all_groups is None else all_groups.take(split.known)
            recent, _ = self._fit_outlier_detector(take_rows(X, split.known), own)
            detector = recent or detector
        elif not split.is_one_threshold:  # else all samples test, and none may fit a detector
            recent, outlier = self._fit_outlier_detector(X_fit, together)
            detector = recent or detector
        self._outlier_detector = detector
        if is_frozen or self._sets_on_training():  # else known out of fold, as the answers are
            outlier = self._find_outliers(X_fit)
        calibration = self._weighted(known.with_outliers(outlier), weights)
        if split.learn is not None:
            calibration = calibration._replace(rows=split.learn[calibration.rows])
        self._find_front(calibration, split.is_one_threshold)
        self._held_out = self._test_samples(split, X, y)
        contradiction = None
        if self._held_out is not None and not (is_frozen or self._sets_on_training()):
            contradiction = self._contradiction(known, growth(folds, len(y_fit)))
        is_on_training = self._sets_on_training()
        for warning in [
            *about_subjects,
            *missing_code_warnings(self.estimator, X),
            *overlap_warnings(self.estimator, X_fit, known.correct, is_on_training),
            *dependence_warnings(self, target, X, y, groups),
            *undetected_warnings(self.outliers, detector is not None, target),
        ]:
            warnings.warn(UserWarning(warning), stacklevel=2)
        self._run_first(target, contradiction)
        return self

    def recalibrate(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        on_fit_samples: bool = False,
    ) -> Self:
        """Set the thresholds again on recent samples, without fitting the classifier again.

        The result is that of a fit with a ``FrozenEstimator`` and the same target: certificates
        are tested on these samples. If the target cannot be met, everything stays as it was.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples that the classifier was not fitted on, in any form that `fit` takes.
        y : array-like of shape (n_samples,)
            Their classes. An answer to a sample of a class that the classifier does not know is
            wrong.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, if ``weight_thresholds`` is True; not used otherwise.
        groups : array-like of shape (n_samples,), default=None
            Which samples belong together, as in `fit`.
        on_fit_samples : bool, default=False
            Use the samples though the classifier was fitted on them. It is surer of these than of
            new ones, so that they are refused otherwise, if a step of the classifier shows it.

        Returns
        -------
        self : object
            The classifier itself, with new thresholds.

        Examples
        --------
        >>> from abstain import RejectOptionClassifier, RejectRate
        >>> from sklearn.datasets import load_digits
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_digits(return_X_y=True)
        >>> clf = RejectOptionClassifier(GaussianNB(), target=RejectRate(0.2)).fit(X[:900], y[:900])
        >>> float(clf.recalibrate(X[900:], y[900:]).reject(X[900:]).mean().round(2))
        0.2
        """
        check_is_fitted(self, "thresholds_")
        if not (on_fit_samples or is_dask(X, y)):
            refuse_samples_of_fit(self, X)
        own, fitted = self.get_params(deep=False), self.estimator_
        frozen = copy(self)
        frozen.estimator = (
            fitted if isinstance(fitted, FrozenEstimator) else FrozenEstimator(fitted)
        )
        frozen.certainty, frozen.cells = self._rules.certainty, self._rules.cells
        outlier = None if is_dask(X) else self._find_outliers(X)
        for warning in unlike_warnings(outlier, self.outliers):
            warnings.warn(UserWarning(warning), stacklevel=2)
        # If samples are too few, or all must test, none fit a detector of outliers: it stays.
        detector = None if self.outliers is None else self._outlier_detector
        frozen._fit(X, y, sample_weight, groups, {}, detector)
        self.__dict__ = vars(frozen) | own | {"estimator_": fitted, "_is_recalibrated": True}
        return self

    def _fit_on_dask(
        self, X: Any, y: Any, given: Mapping[str, Any], detector: OutlierDetector | None
    ) -> Self:
        rules = Rules(MEASURES.name_of(self.certainty), RULES.name_of(self.cells))
        check_for_dask(self.estimator, rules, y, given, self.class_prior)
        refuse_outcomes(self._target())
        self._keep(clone(self.estimator).fit(X, y))  # which is frozen, and stays as it is
        check_samples(self, X)
        # Resolved here, so that a wrong name is not reported as the fault of a block.
        self._rules = rules.named(self.estimator_)
        known = calibrate_on_dask(
            self.estimator_,
            X,
            y,
            self._rules,
            min_cell_size=self._min_cell_size(),
            method=self.method,
            target=self._target(),
            test_size=partial(tested_share, self),
            outliers=None if get_tags(self.estimator).input_tags.pairwise else self.outliers,
            detector=detector,
            random_state=self.random_state,
        )
        self._own_cells, self._front = known.own_cells, known.front
        self._held_out = known.held_out
        self._outlier_detector, self._outlier_counts = known.detector, known.outliers
        detects = known.detector is not None
        for warning in undetected_warnings(self.outliers, detects, self._target()):
            warnings.warn(UserWarning(warning), stacklevel=3)
        self._run_first(self._target())
        return self

    def _forget(self) -> None:
        """Delete the attributes of an earlier fit, so that nothing answers if this one fails."""
        own = (
            "_front _held_out _outlier_counts _outlier_detector _probabilities _own_cells _rules "
            "_target_in_use _test_calibration _proportions _n_given _tested_groups _targets_tested "
            "_labelled_target _expected _is_recalibrated"
        )
        for name in [name for name in vars(self) if name.endswith("_") or name in own.split()]:
            delattr(self, name)

    def _keep(self, fitted: Any) -> None:
        """Keep the fitted classifier, and what it knows of classes and features."""
        self.estimator_ = fitted
        self.classes_ = np.asarray(fitted.classes_)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        check_reject_label(self.reject_label, self.classes_)

    def _weighted(self, known: Calibration, weights: Array | None) -> Calibration:
        """Return calibration samples with their own weights times those of their classes."""
        if weights is None and self._proportions is None:
            return known
        of_samples = np.ones(len(known.correct)) if weights is None else weights[known.rows]
        if self._proportions is not None:
            assert known.truth is not None
            of_samples = of_samples * self._proportions.weights_of(known.truth)
        return known.weighted(of_samples)

    def _min_cell_size(self) -> int:
        return 1 if self.method == "pooled" else self.min_cell_size

    def _find_front(self, known: Calibration, is_one_threshold: bool) -> None:
        self.calibration_ = known
        if is_one_threshold:
            self._own_cells = OwnCells(np.unique(known.cells)[:0])
        else:
            self._own_cells = find_own_cells(known.inliers.cells, self._min_cell_size())
        self._front = known.front(self._own_cells, self.method)

    def _test_samples(self, split: Split, X: Any, y: Array) -> HeldOut | None:
        """Return the answers that test; with one threshold, those that set it."""
        if split.test is None:
            return None
        known = self.calibration_
        if not split.is_one_threshold:
            assert split.learn is not None
            X_test, y_test = take_rows(X, split.test), y[split.test]
            known = calibrate(self.estimator_, X_test, y_test, self._rules)
            known = known.with_outliers(self._find_outliers(X_test))
            known = known._replace(rows=split.test, drawn=split.drawn)
        self._test_calibration = known
        return self._as_held_out(known)

    def _can_tell_outliers(self, X: Any) -> bool:
        """Return whether outliers are to be rejected, and features can be compared."""
        if self.outliers is None or get_tags(self.estimator).input_tags.pairwise:
            return False
        fitted = vars(self).get("estimator_", self.estimator)
        return can_tell_outliers(Outputs(fitted, take_rows(X, [0])).samples)

    def _fit_outlier_detector(
        self, X: Any, groups: Groups | None
    ) -> tuple[OutlierDetector | None, NDArray[np.bool_] | None]:
        """Return a detector of samples unlike X, and which of X are outliers."""
        if self.outliers is None or not self._can_tell_outliers(X):
            return None, None
        codes = groups.codes if groups is not None and groups.are_given else None
        return fit_outlier_detector(
            Outputs(self.estimator_, X).samples, float(self.outliers), codes
        )

    def _find_outliers(self, X: Any) -> NDArray[np.bool_] | None:
        """Return which samples are outliers; None if none are detected."""
        if self._outlier_detector is None:
            return None
        return self._outlier_detector.are_outliers(Outputs(self.estimator_, X).samples)

    def _as_held_out(self, known: Calibration) -> HeldOut:
        certainty, correct, cells = known.inliers[:3]
        columns = self._own_cells.columns(cells, self.front_)
        held_out: HeldOut = self._with_groups(HeldOut(certainty, correct, columns), known)
        return held_out

    def _contradiction(
        self, known: Calibration, times: float
    ) -> tuple[ErrorRate, ErrorRate] | None:
        """Return the error rates out of fold and on held-out samples if they contradict."""
        assert self._test_calibration is not None
        tested = ErrorRate.of(self._test_calibration.correct)
        rates = ErrorRate.of(known.correct, known.groups), tested
        return rates if contradicts(*rates, times) else None

    def _light(self) -> Self:
        """Return a copy with only what answers need, to send to the workers."""
        self._check_fitted()
        light = copy(self)
        samples = "calibration_ _test_calibration _held_out _labelled_target"
        for name in [*samples.split(), "_probabilities", "_front"]:
            light.__dict__.pop(name, None)
        pooled = vars(self).get("_probabilities", self.front_)
        if isinstance(pooled, PooledFront):  # which is small, and gives probabilities
            light._front = pooled
        return light

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the estimator and of the target too.

        They take effect at the next fit. A fitted classifier with another target does not answer
        until it is fitted again or moved by `retarget`.

        Parameters
        ----------
        **params : dict
            Such as ``estimator__C=1.0`` or ``target__rate=0.2``.

        Returns
        -------
        self : object
            The classifier itself.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> RejectOptionClassifier(GMLVQ()).set_params(target__rate=0.2).target
        RejectRate(rate=0.2)
        """
        is_nested = any(name.startswith("target__") for name in params)
        if is_nested and params.get("target", self.target) is None:
            params["target"] = replace(DEFAULT_TARGET)
        super().set_params(**params)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata goes where.

        Returns
        -------
        routing : MetadataRouter
            Of the classifier's fit, of the splitter, and of `score`.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> type(RejectOptionClassifier(GMLVQ()).get_metadata_routing()).__name__
        'MetadataRouter'
        """
        own = self._get_metadata_request()
        if self.weight_thresholds:
            own.fit.add_request(param="sample_weight", alias=True)
        return (
            MetadataRouter(owner=self)
            .add_self_request(own)
            .add(
                estimator=self.estimator,
                method_mapping=MethodMapping().add(caller="fit", callee="fit"),
            )
            .add(
                splitter=self.cv,
                method_mapping=MethodMapping().add(caller="fit", callee="split"),
            )
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = replace(inner.classifier_tags, multi_label=False)
        tags.non_deterministic = inner.non_deterministic
        return tags
