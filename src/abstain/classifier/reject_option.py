"""How does any classifier become one that may decline to answer?

The classifier is fitted, its answers to the calibration data become three arrays (certainty,
correctness, cell), their front holds the trade-offs, and the target picks a point.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import (
    Bunch,
    Tags,
    assert_all_finite,
    check_random_state,
    get_tags,
    indexable,
)
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from abstain._core.checks import InputError, check_fraction, shown
from abstain._core.estimators import has_prototypes, n_samples_of, unwrap
from abstain._core.sklearn_private import (
    BaseSearchCV,
    check_sample_weight,
    take_rows,
    take_rows_of_params,
)
from abstain._scale.blocks import check_samples, is_dask, refuse_dask
from abstain._scale.lazy import lazy_on_dask
from abstain.certainty.cells import RULES, cells_of, fitted_rule
from abstain.certainty.measures import MEASURES, certainty_of
from abstain.certainty.outputs import Outputs
from abstain.classifier.calibration import Calibration, calibrate, calibrate_out_of_fold
from abstain.classifier.evaluate import (
    Decisions,
    Evaluation,
    Rules,
    evaluate,
    evaluate_outputs,
    positions_of,
)
from abstain.classifier.explaining import farthest_usual_distance, no_reasons, reasons
from abstain.classifier.given_thresholds import are_thresholds, given_point
from abstain.classifier.holding_out import (
    Shares,
    automatic_test_size,
    certifies,
)
from abstain.classifier.on_dask import calibrate_on_dask, check_for_dask
from abstain.classifier.overlap import BY_HEART, overlap_warnings
from abstain.classifier.regions import Regions, find_regions
from abstain.classifier.rejected_labels import check_reject_label, with_rejects
from abstain.fronts import METHODS, ParetoFront, PooledFront, pareto_front
from abstain.fronts.held_out import HeldOut
from abstain.models.validation import check_labels
from abstain.targets import Accuracy, OperatingPoint, RejectRate, Target
from abstain.targets.operating import check_target, choose_point, everything_rejected

if TYPE_CHECKING:
    import polars

__all__ = ["RejectOptionClassifier"]

Array = NDArray[Any]
DEFAULT_TARGET = RejectRate(0.1)
DEFAULT_FOLDS = 5


def _is_frozen(estimator: Any) -> bool:
    return isinstance(estimator, FrozenEstimator)


def _takes_weights(estimator: Any) -> bool:
    """Tell whether weights reach a fit; a search hands them on to its estimator."""
    if isinstance(estimator, BaseSearchCV):
        return _takes_weights(estimator.estimator)
    return bool(has_fit_parameter(estimator, "sample_weight"))


def _inner_has(name: str) -> Callable[[Any], bool]:
    def check(self: Any) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), name)

    return check


# What answers look like, before they are there: Dask must know.


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


_answers_in_blocks = partial(lazy_on_dask, "thresholds_")


class RejectOptionClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Give any classifier a reject option: below a threshold, it declines to answer.

    A sample is rejected iff the certainty of the classifier is below the threshold of the cell
    that the sample falls in. The thresholds are set on answers to samples that the classifier was
    not fitted on, by the probability of being right that these answers show for each certainty and
    cell; `predict_correct_proba` returns it for new samples.

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
        :class:`RejectCost`; None is ``RejectRate(0.1)``. ``Accuracy(a, confidence=c)`` certifies
        the accuracy on samples that do not fit the classifier, and whose classes have no part in
        the thresholds; it counts on samples that are independent of each other. A target that
        cannot be met is an error which says what could be; the classifier is fitted then, rejects
        everything, and can be moved to another target by `retarget`.
    cv : int, splitter, iterable or "training", default=5
        Thresholds are set on answers to samples that a classifier, fitted on the other folds, had
        not seen. "training" sets them on the samples that the classifier was fitted on, as the
        paper does: cheaper, and too sure wherever a classifier fits its training data closely.
        An int is lowered to the size of the largest class, and None is 5. A ``FrozenEstimator`` is
        not fitted, and needs no folds.
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
    n_jobs : int, default=None
        Folds that are fitted at once.
    random_state : int, RandomState instance or None, default=None
        Chooses which samples are held out to certify an accuracy, and seeds the classifier where
        its own ``random_state`` is None.

    Attributes
    ----------
    estimator_ : estimator
        The fitted classifier.
    classes_ : ndarray of shape (n_classes,)
        Its classes.
    cells_ : ndarray of shape (n_cells,)
        Labels of the cells with a threshold of their own.
    thresholds_ : ndarray of shape (n_cells + 1,)
        Their thresholds, and last the one that all other cells share.
    operating_point_ : OperatingPoint
        Reject rate, accuracy and counts on the calibration data; its ``guarantee`` states what is
        certified.
    front_ : ParetoFront
        All trade-offs between true and false rejects.
    calibration_ : Calibration
        Certainty, correctness and cell of each calibration sample. A classifier that was
        calibrated on Dask collections does not have it, for they may be too many for one machine:
        `retarget` then takes those thresholds alone that ``front_`` has, and a report compares
        with one threshold for all on the samples that it is given.
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
    >>> (clf.reject(X) == (clf.certainties(X) < clf.thresholds_[clf.apply(X)])).all()
    np.True_
    """

    estimator_: Any
    classes_: Array
    cells_: Array
    thresholds_: NDArray[np.float64]
    operating_point_: OperatingPoint
    calibration_: Calibration
    _front: ParetoFront | Callable[[], ParetoFront]

    # Weights in `fit` are the classifier's to ask for; only `score` uses them itself.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        *,
        certainty: Any = "auto",
        cells: Any = "auto",
        method: str = "pooled",
        target: Target | None = None,
        cv: Any = 5,
        reject_label: Any = None,
        min_cell_size: int = 10,
        test_size: float | str = "auto",
        reject_cost: float = 0.5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.certainty = certainty
        self.cells = cells
        self.method = method
        self.target = target
        self.cv = cv
        self.reject_label = reject_label
        self.min_cell_size = min_cell_size
        self.test_size = test_size
        self.reject_cost = reject_cost
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> Self:
        """Fit the classifier, and set the thresholds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, in any form that the classifier takes. A Dask array or frame calibrates a
            ``FrozenEstimator`` where its blocks are, with the front and the thresholds of one
            machine (to rounding: the last digits of a matrix product may depend on its size).
            What the classifier answers stays there too, three entries per sample, until
            the thresholds are set. For a target with ``confidence``, samples are held out of each
            block by ``random_state`` and the number of the block, whatever their values: as many
            as on one machine, and others. They too stay where they are: what is collected is how
            many of them are right and wrong at each step of the front.
        y : array-like of shape (n_samples,)
            Their classes; of Dask samples, a Dask array or series that is cut at the same rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Passed to the fit of the classifier. Thresholds count every sample once.
        **fit_params : dict
            Passed to the fit of the classifier, or, with metadata routing, to whatever has asked
            for it.

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
        self._forget()
        self._check_settings()
        if is_dask(X, y):
            return self._fit_on_dask(X, y, {"sample_weight": sample_weight} | fit_params)
        X, y = indexable(X, y)
        y, is_frozen = self._checked_labels(y), _is_frozen(self.estimator)
        routed = self._routed(sample_weight, fit_params)
        params, split_params = routed.estimator.fit, routed.splitter.split
        shares = self._shares(y, split_params)
        X_fit, y_fit = X, y
        if shares.learn is not None:
            X_fit, y_fit = take_rows(X, shares.learn), y[shares.learn]
            params = take_rows_of_params(X, params, indices=shares.learn)
        rules = Rules(MEASURES.name_of(self.certainty), fitted_rule(self.cells, X_fit, y_fit))
        template = self._seeded()
        self.estimator_ = clone(template).fit(X_fit, y_fit, **params)
        self._keep_what_the_estimator_tells()
        check_reject_label(self.reject_label, self.classes_)
        known = np.unique(y).tolist()
        if is_frozen and not set(known) & set(self.classes_.tolist()):
            raise InputError(
                f"y must hold classes of the estimator ({self.classes_.tolist()[:5]}), got none of "
                f"them but {known[:5]}"
            )
        self._rules = rules.fitted(self.estimator_, X_fit, y_fit).named(self.estimator_)
        if is_frozen or self._sets_on_training():
            found = calibrate(self.estimator_, X_fit, y_fit, self._rules)
        else:
            found = calibrate_out_of_fold(
                template,
                self.estimator_,
                X_fit,
                y_fit,
                rules,
                self._folds(X_fit, y_fit, split_params),
                self.n_jobs,
                params,
            )
        self.calibration_ = found
        self._usual_distance = farthest_usual_distance(self.estimator_, X_fit)
        regions = self._find_regions(found.cells, shares.is_one_threshold)
        self.cells_ = regions.labels
        self._front = pareto_front(
            found.certainty, found.correct, regions.positions(found.cells), method=self.method
        )
        self._held_out = self._test_samples(shares, X, y, found)
        for warning in overlap_warnings(
            self.estimator, X_fit, found.correct, self._sets_on_training()
        ):
            warnings.warn(warning, UserWarning, stacklevel=2)
        self._run_first()
        return self

    def _test_samples(self, shares: Shares, X: Any, y: Array, found: Calibration) -> HeldOut | None:
        """Return the answers that test what is certified; with one threshold, those found."""
        if shares.test is None:
            return None
        if shares.learn is not None:
            X_test, y_test = take_rows(X, shares.test), y[shares.test]
            found = calibrate(self.estimator_, X_test, y_test, self._rules)
        columns = self._regions.columns(found.cells, self.front_)
        return HeldOut(found.certainty, found.correct, columns)

    def _sets_on_training(self) -> bool:
        """Tell whether thresholds are set on the samples that the classifier is fitted on."""
        return isinstance(self.cv, str) and not _is_frozen(self.estimator)

    def _folds(self, X: Any, y: Array, split_params: Any) -> list[tuple[Array, Array]]:
        """Return the folds out of which the classifier is asked."""
        cv = DEFAULT_FOLDS if self.cv is None else self.cv
        if isinstance(cv, int | np.integer):
            # No class needs to be in every fold, but scikit-learn wants one that is.
            cv = max(2, min(int(cv), int(np.unique(y, return_counts=True)[1].max())))
        splitter = check_cv(cv, y, classifier=True)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            return list(splitter.split(X, y, **split_params))

    def _find_regions(self, cells: Array, is_one_threshold: bool) -> Regions:
        if is_one_threshold:
            return Regions(np.unique(cells)[:0])
        return find_regions(cells, 1 if self.method == "pooled" else self.min_cell_size)

    def _fit_on_dask(self, X: Any, y: Any, given: Mapping[str, Any]) -> Self:
        rules = Rules(MEASURES.name_of(self.certainty), RULES.name_of(self.cells))
        check_for_dask(self.estimator, rules, y, given)
        self.estimator_ = clone(self.estimator).fit(X, y)  # which is frozen, and stays as it is
        self._keep_what_the_estimator_tells()
        check_reject_label(self.reject_label, self.classes_)
        check_samples(self, X)
        # Told here, what is wrong with these is not blamed on a block.
        self._rules = rules.named(self.estimator_)
        found = calibrate_on_dask(
            self.estimator_,
            X,
            y,
            self._rules,
            min_cell_size=1 if self.method == "pooled" else self.min_cell_size,
            method=self.method,
            target=self._target(),
            test_size=self._test_size,
            random_state=self.random_state,
        )
        self.cells_, self._front = found.regions.labels, found.front
        self._held_out, self._usual_distance = found.held_out, found.usual_distance
        self._run_first()
        return self

    def _checked_labels(self, y: Any) -> Array:
        """Return the labels as an array; a frozen classifier may be calibrated on one class."""
        check_labels(y)
        labels = np.asarray(column_or_1d(y, warn=True))
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        known = np.unique(labels)
        is_frozen = _is_frozen(self.estimator)
        if len(known) < 2 and not (len(known) and is_frozen):
            raise InputError(
                f"y must hold at least two classes, got {len(known)} class {known.tolist()} in "
                f"{len(labels)} samples"
            )
        if not is_frozen:
            check_reject_label(self.reject_label, known)
        return labels

    def _check_settings(self) -> None:
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise InputError(
                f"estimator must be a classifier, such as GMLVQ(), got {shown(self.estimator)}"
            )
        if not is_classifier(self.estimator):
            raise InputError(
                f"estimator must be a classifier, got a {type(self.estimator).__name__}"
            )
        if self.method not in METHODS:
            known = ", ".join(map(repr, METHODS))
            raise InputError(f"method must be one of {known}, got {shown(self.method)}")
        is_number = isinstance(self.cv, int | float | np.number)
        is_folds = is_number and isinstance(self.cv, int | np.integer) and self.cv >= 2
        is_name = isinstance(self.cv, str)
        if (is_number and not is_folds) or (is_name and self.cv != "training"):
            raise InputError(
                "cv must be a number of folds from 2 on, a splitter or 'training', got "
                f"{shown(self.cv)}"
            )
        share: Any = self.test_size
        is_share = isinstance(share, float | np.floating) and 0 < share < 1
        if not is_share and not (isinstance(share, str) and share == "auto"):
            raise InputError(f"test_size must be 'auto' or a number in (0, 1), got {shown(share)}")
        size = self.min_cell_size
        if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 1:
            raise InputError(f"min_cell_size must be a positive integer, got {size!r}")
        check_fraction("reject_cost", self.reject_cost, low_open=False, high_open=False)
        MEASURES.check(self.certainty)
        RULES.check(self.cells)
        check_target(self._target())

    def _forget(self) -> None:
        """Drop what an earlier fit has left: if this one fails, nothing of it may answer."""
        own = ("_front", "_held_out", "_probabilities", "_rules", "_usual_distance")
        for name in [name for name in vars(self) if name.endswith("_") or name in own]:
            delattr(self, name)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the estimator and of the target too.

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

    def _target(self) -> Target:
        return DEFAULT_TARGET if self.target is None else self.target

    def _routed(self, sample_weight: ArrayLike | None, fit_params: dict[str, Any]) -> Any:
        """Return the parameters of the classifier's fit and of the splitter."""
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        given |= fit_params
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", **given)
        if "groups" in fit_params:
            raise InputError(
                "groups are for the splitter and need metadata routing: call "
                "sklearn.set_config(enable_metadata_routing=True)"
            )
        if sample_weight is not None and not _takes_weights(self.estimator):
            raise InputError(
                f"sample_weight must be None: {type(self.estimator).__name__} takes no weights "
                "in fit (in a pipeline, enable metadata routing)"
            )
        return Bunch(estimator=Bunch(fit=given), splitter=Bunch(split={}))

    def _shares(self, y: Array, split_params: Any) -> Shares:
        """Return the samples that fit and calibrate, and those that test what is certified."""
        target, n_samples = self._target(), len(y)
        if not certifies(target):
            return Shares(None, None)
        if split_params:
            raise InputError(
                f"{next(iter(split_params))} says that samples belong together, but "
                f"confidence={target.confidence} counts on independent ones: calibrate a "
                "FrozenEstimator on samples of other groups, one of each"
            )
        if get_tags(self.estimator).input_tags.pairwise and not _is_frozen(self.estimator):
            raise InputError(
                f"confidence={target.confidence} holds samples out, which a matrix of kernels or "
                "distances cannot spare: calibrate a FrozenEstimator on other samples"
            )
        if not hasattr(self.cv, "split") and np.iterable(self.cv) and not isinstance(self.cv, str):
            raise InputError(
                f"cv must be a number of folds or a splitter where confidence={target.confidence} "
                f"holds samples out, got a {type(self.cv).__name__} of folds"
            )
        test_size = self._test_size(target, n_samples)
        n_test = round(test_size * n_samples)
        if test_size == 1:
            return Shares(None, np.arange(n_samples), is_one_threshold=True)
        # Drawn at random, not by class: what tests must be like new data.
        order = check_random_state(self.random_state).permutation(n_samples)
        learn, test = np.sort(order[n_test:]), np.sort(order[:n_test])
        n_classes = len(np.unique(y[learn]))
        if not len(learn) or (n_classes < 2 and not _is_frozen(self.estimator)):
            raise InputError(
                f"test_size={test_size:g} leaves {len(learn)} samples of {n_classes} class to "
                f"fit the classifier with, of {n_samples:,}: hold out fewer, or give more samples"
            )
        return Shares(learn, test)

    def _test_size(self, target: Accuracy, n_samples: int) -> float:
        if not isinstance(self.test_size, str):
            return self.test_size
        is_frozen = _is_frozen(self.estimator)
        return automatic_test_size(target, n_samples, is_frozen, self.method, self.cells)

    def _seeded(self) -> Any:
        """Return the classifier to fit; where it draws at random, as ``random_state`` has it."""
        template = clone(self.estimator)
        if self.random_state is None or not hasattr(template, "get_params"):
            return template
        random_state = check_random_state(self.random_state)
        for name, value in sorted(template.get_params(deep=True).items()):
            if (name == "random_state" or name.endswith("__random_state")) and value is None:
                template.set_params(**{name: random_state.randint(np.iinfo(np.int32).max)})
        return template

    def _keep_what_the_estimator_tells(self) -> None:
        self.classes_ = np.asarray(self.estimator_.classes_)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
            elif hasattr(self, name):
                delattr(self, name)  # of an earlier fit

    def _light(self) -> Self:
        """Return a copy with all that answers need, and no more: it travels to the data."""
        light = copy(self)
        for name in ("calibration_", "_held_out", "_probabilities", "_front"):
            light.__dict__.pop(name, None)
        pooled = vars(self).get("_probabilities", self.front_)
        if isinstance(pooled, PooledFront):  # which is small, and gives probabilities
            light._front = pooled
        return light

    @property
    def front_(self) -> ParetoFront:
        """All trade-offs between true and false rejects; after loading, computed on first use."""
        front = self._front  # which another thread may replace
        if callable(front):
            front = self._front = front()
        return front

    @property
    def _regions(self) -> Regions:
        return Regions(self.cells_)

    def _run_at(self, target: Target) -> None:
        point = choose_point(self.front_, target, self._held_out)
        assert point.row is not None
        (thresholds,) = self._regions.thresholds(self.front_, np.array([point.row]))
        self._run_with(thresholds, point)

    def _run_first(self) -> None:
        """Go to the target of the fit; if that cannot be met, reject everything and say so."""
        try:
            self._run_at(self._target())
        except InputError as error:
            self._run_with(np.full(len(self.cells_) + 1, np.inf), everything_rejected(self.front_))
            remedies = ""
            if self._held_out is not None and self._sets_on_training():
                remedies += f"; or set cv: {BY_HEART}"
            if self._held_out is not None and self.front_.n_cells > 1 and not self.front_.is_nested:
                remedies += (
                    f"; cells='global' may help: one threshold fits less noise than "
                    f"{self.front_.n_cells}"
                )
            raise InputError(
                f"{error}{remedies}; the classifier is fitted, rejects everything, and takes "
                "another target by retarget"
            ) from None

    def _run_with(self, thresholds: NDArray[np.float64], point: OperatingPoint) -> None:
        self.thresholds_ = thresholds
        names = np.empty(len(self.cells_) + 1, dtype=object)
        names[:-1] = self.cells_.tolist()
        self.operating_point_ = replace(point, cells=names[self.front_.cells])

    def retarget(self, target: Target | Mapping[str, Any] | ArrayLike) -> Self:
        """Move to another point of the front, without fitting or asking the classifier again.

        Parameters
        ----------
        target : Target, dict or array-like of shape (n_cells + 1,)
            Such as :class:`RejectRate`, :class:`Accuracy` or :class:`RejectCost`. One with
            ``confidence`` needs samples held out by a fit with such a target; each certificate
            then holds for itself, not all of several at once. Or thresholds in the order of
            ``thresholds_``, alone or in a dict as `read_thresholds` returns it: ``row`` and
            ``cells`` are then checked. The parameter ``target`` stays what it was with these, for
            they belong to this fit alone; the ``row`` of the operating point is None unless a row
            of the front has them.

        Returns
        -------
        self : object
            The classifier itself, at the new point.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectCost, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(X, y)
        >>> clf.retarget(RejectCost(0.2)).target
        RejectCost(cost=0.2)
        >>> clf.retarget([0.1, 0.2, "-inf", "-inf"]).thresholds_.tolist()
        [0.1, 0.2, -inf, -inf]
        """
        check_is_fitted(self, "thresholds_")
        if are_thresholds(target):
            thresholds, point = given_point(
                target, self.front_, getattr(self, "calibration_", None), self._regions
            )
            self._run_with(thresholds, point)
            return self
        target = cast(Target, target)
        if certifies(target) and self._held_out is None:
            raise InputError(
                f"target={target} needs samples that only test it, and this classifier was fitted "
                "without: fit it with such a target first"
            )
        self._run_at(target)
        self.target = target
        return self

    @_answers_in_blocks(lambda clf: np.float64)
    def certainties(self, X: Any) -> NDArray[np.float64]:
        """Return how sure the classifier is of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        certainty : ndarray of shape (n_samples,)
            Higher is surer.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> RejectOptionClassifier(GMLVQ()).fit(X, y).certainties(X).shape
        (150,)
        """
        self._check_fitted()
        return certainty_of(Outputs(self.estimator_, X), self._rules.certainty)

    def predict_correct_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the estimated probability that the answer to each sample is right.

        It is estimated from the calibration data for each certainty and cell, and comparable across
        classes, prototypes and leaves, whatever the scale of the certainty.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        probability : ndarray of shape (n_samples,)
            Of the plain answer, also where it is rejected. In each cell it never falls as the
            certainty rises.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(X, y)
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

    @_answers_in_blocks(lambda clf: np.float64)
    def _estimate_correct_proba(self, X: Any) -> NDArray[np.float64]:
        found = self._evaluate(X)
        return self._correct_proba(found.certainty, positions_of(found.named_cells, self._regions))

    def _correct_proba(
        self, certainty: NDArray[np.float64], positions: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the probabilities of being right; NaN where nothing estimates them."""
        front = self._pooled_front
        if front is None:
            return np.full(len(certainty), np.nan)
        return front.probability_correct(certainty, self._regions.columns_of(positions, front))

    @property
    def _pooled_front(self) -> PooledFront | None:
        """The front that estimates probabilities: ``front_``, or one made when first asked for."""
        front = self.front_
        if isinstance(front, PooledFront):
            return front
        if not hasattr(self, "_probabilities"):
            if not hasattr(self, "calibration_"):
                return None
            known = self.calibration_
            positions = self._regions.positions(known.cells)
            found = pareto_front(known.certainty, known.correct, positions, method="pooled")
            self._probabilities = cast(PooledFront, found)
        return self._probabilities

    @_answers_in_blocks(lambda clf: np.int64)
    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return which threshold decides about each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        positions : ndarray of shape (n_samples,)
            Position in ``thresholds_``; the last is shared by small cells and those never seen.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> RejectOptionClassifier(GMLVQ()).fit(X, y).apply(X[[0, 149]]).tolist()
        [0, 2]
        """
        self._check_fitted()
        cells = cells_of(Outputs(self.estimator_, X), self._rules.cells)
        return positions_of(cells, self._regions)

    @_answers_in_blocks(lambda clf: np.bool_)
    def reject(self, X: Any) -> NDArray[np.bool_]:
        """Tell which samples are rejected.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        rejected : ndarray of bool of shape (n_samples,)
            Whether the certainty is below the threshold of the cell.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier, RejectRate
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GMLVQ(), target=RejectRate(0.1)).fit(X, y)
        >>> bool(clf.reject(X).mean() <= 0.1)
        True
        """
        self._check_fitted()
        return self._rejected(self._evaluate(X))

    def _check_fitted(self) -> None:
        # The function of scikit-learn asks for all tags first, which takes as long as an answer.
        if "thresholds_" not in vars(self):
            check_is_fitted(self, "thresholds_")

    def _evaluate(self, X: Any) -> Evaluation:
        """Return what the classifier answers, from one look at the samples."""
        return evaluate(self.estimator_, X, self._rules)

    def _rejected(self, found: Evaluation) -> NDArray[np.bool_]:
        positions = positions_of(found.named_cells, self._regions)
        return np.asarray(found.certainty < self.thresholds_[positions])

    def decide(self, X: Any) -> Decisions:
        """Return answers, certainty, rejects and all that decides, from one look at X.

        Equal to `predict`, `certainties`, `apply`, `reject` and `predict_correct_proba` one after
        the other, and faster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        decisions : Decisions
            Five arrays: ``answers``, positions in ``classes_``, of rejected samples too;
            ``certainty``; ``positions`` in ``thresholds_``; ``rejected``; ``correct_proba``.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(X, y)
        >>> found = clf.decide(X)
        >>> bool((found.rejected == clf.reject(X)).all())
        True
        >>> bool((clf.classes_[found.answers] == clf.predict(X)).all())
        True
        """
        refuse_dask("decide", "call predict, certainties, apply and reject, which take some", X)
        self._check_fitted()
        found = self._evaluate(X)
        positions = positions_of(found.named_cells, self._regions)
        rejected = found.certainty < self.thresholds_[positions]
        probability = self._correct_proba(found.certainty, positions)
        return Decisions(found.outputs.codes, found.certainty, positions, rejected, probability)

    @_answers_in_blocks(_label_type)
    def predict(self, X: Any) -> Array:
        """Return the class of each sample, or ``reject_label`` where one was given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels; without a ``reject_label``, rejected samples keep theirs, and `reject` tells
            which they are.

        Examples
        --------
        >>> from abstain import RejectOptionClassifier, RejectRate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = [[0.0], [1.0], [3.0], [2.0], [4.0], [5.0]], ["a", "a", "a", "b", "b", "b"]
        >>> clf = RejectOptionClassifier(
        ...     GaussianNB(),
        ...     target=RejectRate(0.4),
        ...     cells="global",
        ...     cv="training",
        ...     reject_label="ask",
        ... )
        >>> clf.fit(X, y).predict(X).tolist()
        ['a', 'a', 'ask', 'ask', 'b', 'b']
        """
        self._check_fitted()
        if self.reject_label is None:
            return np.asarray(self.estimator_.predict(X))
        found = self._evaluate(X)
        return with_rejects(found.labels, self._rejected(found), self.reject_label)

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    @_answers_in_blocks(lambda clf: np.float64, lambda clf: len(clf.classes_))
    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of the classes, as the classifier gives them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        posteriors : ndarray of shape (n_samples, n_classes)
            Rejected samples have theirs too.

        Examples
        --------
        >>> from abstain import RSLVQ, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> RejectOptionClassifier(RSLVQ()).fit(X, y).predict_proba(X).shape
        (150, 3)
        """
        self._check_fitted()
        return np.asarray(self.estimator_.predict_proba(X))

    @available_if(_inner_has("decision_function"))  # type: ignore[untyped-decorator]
    @_answers_in_blocks(lambda clf: np.float64, _n_scores)
    def decision_function(self, X: Any) -> Array:
        """Return the scores of the classes, as the classifier gives them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. A Dask array or frame gives a lazy Dask array.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Rejected samples have theirs too.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> RejectOptionClassifier(GMLVQ()).fit(X, y).decision_function(X).shape
        (150, 3)
        """
        self._check_fitted()
        return np.asarray(self.estimator_.decision_function(X))

    def score(self, X: Any, y: ArrayLike, sample_weight: Any = None) -> float:
        """Return 1 minus the mean cost, where an error costs 1 and a reject ``reject_cost``.

        The accuracy of accepted samples alone would reward rejecting everything.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the mean.

        Returns
        -------
        score : float
            1 if all answers are right and none is withheld.

        Examples
        --------
        >>> from abstain import RejectOptionClassifier, RejectRate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = [[0.0], [1.0], [3.0], [2.0], [4.0], [5.0]], ["a", "a", "a", "b", "b", "b"]
        >>> clf = RejectOptionClassifier(
        ...     GaussianNB(), target=RejectRate(0.4), cells="global", cv="training"
        ... )
        >>> round(clf.fit(X, y).score(X, y), 3)
        0.833
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
        found = self._evaluate(X)
        costs = np.where(self._rejected(found), self.reject_cost, found.labels != labels)
        return float(1 - np.average(costs, weights=weights))

    def explain(self, X: Any, n_features: int = 3) -> polars.DataFrame:
        """Return what lies behind each decision, one row per sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        n_features : int, default=3
            How many features to name.

        Returns
        -------
        table : polars.DataFrame
            ``label`` and ``rival`` are the two classes between which the classifier decides;
            ``rejected``; ``reason`` is "ambiguous" where a rejected sample lies between the two,
            "far" where it is farther from every prototype than 99 % of the samples that the
            classifier was fitted or calibrated on, and null where it is accepted; ``certainty``
            and ``threshold``; ``correct_proba``, the estimated probability that the label is
            right, NaN where nothing estimates it (see `Decisions`); ``cell``, null where the
            threshold is the one that small and unseen cells share. For prototype models,
            ``features`` tells the two classes apart most, and ``contributions`` are their shares:
            positive ones speak for the label, negative ones for the rival.

        Examples
        --------
        >>> from abstain import GMLVQ, RejectOptionClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = RejectOptionClassifier(GMLVQ()).fit(X, y)
        >>> table = clf.explain(X[clf.reject(X)], n_features=1)
        >>> sorted(table["reason"].unique())
        ['ambiguous', 'far']
        >>> len(table["features"].to_list()[0])
        1
        """
        import polars

        refuse_dask(
            "explain",
            "compute those rows first, such as X[clf.reject(X)].compute(), or "
            "X.loc[clf.reject(X)].compute() of a frame",
            X,
        )
        is_number = isinstance(n_features, int | np.integer) and not isinstance(n_features, bool)
        if not is_number or n_features < 1:
            raise InputError(f"n_features must be a positive integer, got {n_features!r}")
        self._check_fitted()
        if not n_samples_of(X):  # nothing was rejected, say
            return no_reasons(self.classes_, self.cells_)
        outputs = Outputs(self.estimator_, X)
        if has_prototypes(outputs.model):
            _ = outputs.distances  # the certainty is then computed from them as well
        known = evaluate_outputs(outputs, self._rules)
        position = positions_of(known.named_cells, self._regions)
        rejected = known.certainty < self.thresholds_[position]
        certainty = self._rules.certainty
        found = reasons(known.outputs, certainty, self._usual_distance, n_features)
        is_far = found.is_far | (isinstance(certainty, str) and certainty == "distance")
        why = np.where(is_far, "far", "ambiguous").tolist()
        names = [*self.cells_.tolist(), None]
        return polars.DataFrame(
            {
                "label": known.labels.tolist(),
                "rival": found.rival,
                "rejected": rejected,
                "reason": [w if r else None for w, r in zip(why, rejected, strict=True)],
                "certainty": known.certainty,
                "threshold": self.thresholds_[position],
                "correct_proba": self._correct_proba(known.certainty, position),
                "cell": [names[at] for at in position],
                "features": found.features,
                "contributions": found.contributions,
            },
            schema_overrides={"reason": polars.String},
            strict=False,
        )

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
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
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
