"""With which thresholds does a fitted reject option run?

Those of the row of its front that the target chooses, or thresholds from outside. They are set for
a target: if the parameter changes afterwards, nothing is answered until `retarget` or `fit`.
"""

from __future__ import annotations  # signatures then show the names of types

import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from abstain._core.errors import Argument, InputError, Message, shown, with_remedy
from abstain.classifier.calibrate import Calibration
from abstain.classifier.contradiction import ErrorRate
from abstain.classifier.contradiction import contradiction as contradiction_error
from abstain.classifier.documentation import documented
from abstain.classifier.evaluate import AnswerCosts, Rules
from abstain.classifier.expected import expectation_of
from abstain.classifier.holding_out import TestedGroups
from abstain.classifier.other_answers import keeps_answers
from abstain.classifier.overlap import OVERCONFIDENT
from abstain.classifier.own_cells import OwnCells
from abstain.classifier.proportions import Proportions
from abstain.classifier.thresholds import are_thresholds, given_point
from abstain.fronts import ParetoFront
from abstain.fronts.held_out import HeldOut
from abstain.targets import ExpectedCost, Guarantee, OperatingPoint, RejectRate, Target
from abstain.targets.base import certifies, check_target
from abstain.targets.expectation import Expectation
from abstain.targets.operating import SampleCounts, choose_point, everything_rejected
from abstain.targets.outcomes import needs_outcomes
from abstain.targets.shares import with_group_labels

DEFAULT_TARGET = RejectRate(0.1)
# Letters by which targets are told apart.
LONGEST_TARGET = 400


def _are_equal(target: Any, other: Any) -> bool:
    """Tell whether two targets are the same; fields may be arrays, such as costs."""
    if target is other:
        return True
    try:
        return bool(target == other)
    except (TypeError, ValueError):  # the truth value of an array or of a series
        pass
    if isinstance(target, tuple) and isinstance(other, tuple):
        return len(target) == len(other) and all(map(_are_equal, target, other))
    # An array has a method `choose` too.
    if hasattr(target, "choose") and not np.ndim(target) and type(target) is type(other):
        mine, others = vars(target), vars(other)
        return mine.keys() == others.keys() and all(
            _are_equal(mine[name], others[name]) for name in mine
        )
    return np.array_equal(np.asarray(target), np.asarray(other))


def answer_costs(
    target: Target, estimator: Any, classes: NDArray[Any], proportions: Proportions | None
) -> AnswerCosts | None:
    """Return the costs by which answers are chosen; None if they are what is predicted.

    With posteriors p of the calibration data, those of new data are proportional to w_k p_k, so
    that the costs of class k are multiplied by its weight w_k.
    """
    if not isinstance(target, ExpectedCost):
        return None
    costs, _ = target.table(classes)
    if target.answers == "predicted" or not hasattr(estimator, "predict_proba"):
        return None
    if proportions is not None:
        costs = costs * proportions.weights_of(classes)[:, np.newaxis]
    return AnswerCosts(classes, costs)


def warn_if_rejects_cost_most(target: Target, classes: NDArray[Any]) -> None:
    """Warn if a reject costs so much that nothing is rejected."""
    if not isinstance(target, ExpectedCost):
        return
    costs, reject = target.table(classes)
    if not (costs > reject[:, np.newaxis]).any():
        warnings.warn(
            UserWarning(
                Message(
                    Argument("reject", target.reject),
                    " costs at least as much as every answer, so nothing is rejected; lower it, or "
                    "raise the costs",
                )
            ),
            stacklevel=3,
        )


def _are_equal_costs(some: AnswerCosts | None, others: AnswerCosts | None) -> bool:
    if some is None or others is None:
        return some is others
    return all(np.array_equal(mine, other) for mine, other in zip(some, others, strict=True))


def tested_with(
    before: tuple[tuple[str, float], ...], target: Any
) -> tuple[tuple[str, float], ...]:
    """Return which targets samples have tested, with another one; the same one counts once."""
    confidences = [
        getattr(each, "confidence", None) for each in getattr(target, "targets", [target])
    ]
    confidence = min((each for each in confidences if each is not None), default=0.0)
    entry = shown(target, LONGEST_TARGET), float(confidence)
    return before if entry in before else (*before, entry)


def warn_of_several_targets(target: Target, point: OperatingPoint) -> None:
    """Warn if the samples have tested other targets before: not all hold with this confidence."""
    guarantees = [point.guarantee, *point.guarantees] if certifies(target) else []
    for guarantee in guarantees:
        if guarantee is not None and guarantee.joint_confidence is not None:
            warnings.warn(
                UserWarning(
                    f"{guarantee.n_targets} targets have been tested on the same samples: this "
                    f"certificate holds with confidence {guarantee.confidence:g} by itself, all "
                    f"together with confidence {guarantee.joint_confidence:g}"
                ),
                stacklevel=3,
            )
            return


def refuse_outcomes(target: Target) -> None:
    """Refuse a target about classes for Dask collections, of which only counts are kept."""
    if needs_outcomes(target):
        raise InputError(
            argument="target",
            value=target,
            requirement="must be RejectRate, RejectCost or Accuracy for Dask collections",
            remedy="calibrate on a sample that fits into memory",
        )


class OperatingMixin:
    """The front of `RejectOptionClassifier`, and the point of it that it runs at."""

    estimator: Any
    cv: Any
    target: Target | None
    thresholds_: NDArray[np.float64]
    operating_point_: OperatingPoint
    calibration_: Calibration
    _front: ParetoFront | Callable[[], ParetoFront]
    _own_cells: OwnCells
    method: str
    classes_: NDArray[Any]
    estimator_: Any
    _rules: Rules
    _find_front: Callable[[Calibration, bool], None]
    _as_held_out: Callable[[Calibration], HeldOut]
    _held_out: HeldOut | None
    # Files of earlier versions do not have it.
    _test_calibration: Calibration | None = None
    # None without a class prior.
    _proportions: Proportions | None = None
    # None if no samples belong together.
    _tested_groups: TestedGroups | None = None
    # What the held-out samples have tested so far: each target, with its confidence.
    _targets_tested: tuple[tuple[str, float], ...] = ()
    # Outliers among calibration samples that are not kept.
    _outlier_counts: SampleCounts | None = None
    # Samples given to fit; files of earlier versions do not have it.
    _n_given: int | None = None
    # Whether samples other than those of the fit have set the thresholds.
    _is_recalibrated = False
    _target_in_use: Target
    # The target with the labels of its groups, which files do not hold.
    _labelled_target: Target | None = None
    # What is expected of an operating point, once it was asked for.
    _expected: tuple[OperatingPoint, Expectation | None] | None = None

    @property
    def front_(self) -> ParetoFront:
        """All trade-offs between true and false rejects; after loading, computed on first use."""
        front = self._front  # which another thread may replace
        if callable(front):
            front = self._front = front()
        return front

    @property
    def expected_(self) -> Expectation | None:
        """Accuracy and reject rate that the thresholds are expected to have on new data.

        Computed on first use. None if nothing is answered, if thresholds were set on the training
        samples (``cv="training"``) or given by hand, and if a classifier was calibrated on Dask
        collections or on fewer than 10 samples.
        """
        point = self.operating_point_
        if self._expected is None or self._expected[0] is not point:
            self._expected = point, expectation_of(self)
        return self._expected[1]

    @property
    def cells_(self) -> NDArray[Any]:
        """The cell of each threshold; None, last, stands for all other cells."""
        return self._own_cells.names

    def _target(self) -> Target:
        return DEFAULT_TARGET if self.target is None else self.target

    def _use_target(self) -> None:
        """Remember the target that the thresholds are set for, as it is now."""
        target = self._target()
        is_comparable = type(target).__eq__ is not object.__eq__
        self._target_in_use = deepcopy(target) if is_comparable else target

    def _check_fitted(self) -> None:
        """Refuse to answer before fit, and with thresholds of another target than that given."""
        # The function of scikit-learn asks for all tags first, which takes as long as an answer.
        if "thresholds_" not in vars(self):
            check_is_fitted(self, "thresholds_")
        target, in_use = self._target(), self._target_in_use
        if not _are_equal(target, in_use):
            raise InputError(
                f"target must be the one that thresholds_ were set for, {shown(in_use)}, got "
                f"{shown(target)}; call retarget({shown(target)}), or fit again"
            )

    def _sets_on_training(self) -> bool:
        """Return whether thresholds are set on the samples that the classifier is fitted on."""
        is_given = isinstance(self.estimator, FrozenEstimator) or self._is_recalibrated
        return isinstance(self.cv, str) and not is_given

    def _run_first(
        self, target: Target, contradiction: tuple[ErrorRate, ErrorRate] | None = None
    ) -> None:
        """Go to the target of the fit; if that cannot be met, reject everything and say so."""
        self._use_target()
        front = self.front_
        try:
            if contradiction is not None:
                raise contradiction_error(*contradiction)
            self._run_for(target)
        except InputError as error:
            self._run_at(everything_rejected(front))
            remedies: list[str | Argument] = []
            known = self._test_calibration
            if known is not None and known.drawn is not None:
                drawn = f"{len(known.drawn):,} of {len(known.correct):,} held-out samples"
                remedies += [f"; {drawn} test it, in the proportions of ", Argument("class_prior")]
            if contradiction is not None:
                self._held_out = self._test_calibration = None  # they certify nothing
            if self._held_out is not None and self._sets_on_training():
                remedies += ["; or set ", Argument("cv"), f": {OVERCONFIDENT}"]
            if self._held_out is not None and front.n_cells > 1 and not front.is_nested:
                noise = f" may help: one threshold fits less noise than {front.n_cells}"
                remedies += ["; ", Argument("cells", "global"), noise]
            error = with_remedy(error, *remedies)
            error.add_note(
                "The classifier is fitted and rejects everything; retarget takes another target."
            )
            raise error from None

    def _run_for(self, target: Target) -> None:
        """Run at the point that serves a target best."""
        self._labelled_target = target
        is_tested = certifies(target)
        if is_tested and self._held_out is not None:
            self._targets_tested = tested_with(self._targets_tested, target)
        if not needs_outcomes(target):
            if hasattr(target, "among_inliers"):
                target = target.among_inliers(self._share_of_outliers())
            point = choose_point(self.front_, target, self._tested())
            self._run_at(replace(point, guarantee=self._in_full(point.guarantee)))
            return
        learn = self.calibration_.outcomes(self._own_cells, self.classes_)
        known = self._test_calibration if is_tested else None
        test = None
        if known is not None:
            test = self._with_groups(known.outcomes(self._own_cells, self.classes_), known)
        front, row, guarantees = target._solve(learn, self.method, test)
        (thresholds,) = self._own_cells.thresholds(front, np.array([row]))
        point = given_point(thresholds, self.front_, self.calibration_, self._own_cells)
        guarantees = tuple(map(self._in_full, guarantees))
        own = [each for each in guarantees if each.name == Guarantee.name]
        self._run_with(replace(point, guarantee=own[0] if own else None, guarantees=guarantees))

    def _tested(self) -> HeldOut | None:
        """Return the held-out samples that test: all, or those drawn in new proportions."""
        known = self._test_calibration
        if self._held_out is None or known is None or known.drawn is None:
            return self._held_out
        drawn = known.inliers.drawn
        assert drawn is not None
        return self._held_out.take(drawn)

    def _share_of_outliers(self) -> float:
        """Return the share of the calibration samples that are rejected as outliers."""
        known, counts = vars(self).get("calibration_"), self._outlier_counts
        if known is not None:
            return float(known.share_of_outliers)
        return (
            0.0 if counts is None else counts.n_samples / (self.front_.n_samples + counts.n_samples)
        )

    def _with_groups(self, samples: Any, known: Calibration | None) -> Any:
        """Return held-out samples or outcomes that know what one of them stands for.

        They are those of ``known`` without outliers.
        """
        tested = self._tested_groups
        if tested is None:
            return samples
        repeats = tested.repeats
        if repeats is not None and known is not None and known.outlier is not None:
            repeats = repeats[~known.outlier]
        fields = {"repeats": repeats, "counted": tested.counted}
        is_tuple = isinstance(samples, HeldOut)
        return samples._replace(**fields) if is_tuple else replace(samples, **fields)

    def _in_full(self, guarantee: Any) -> Any:
        """Return a guarantee with what is known of its samples, and of other targets on them."""
        if guarantee is None:
            return None
        n_targets, tested = len(self._targets_tested), self._tested_groups
        lacking = sum(1 - confidence for _, confidence in self._targets_tested)
        known = self._test_calibration
        outlier = None if known is None else known.outlier
        return replace(
            guarantee,
            n_left_out=0 if tested is None else tested.n_left_out,
            n_targets=max(1, n_targets),
            joint_confidence=round(max(0.0, 1 - lacking), 12) if n_targets > 1 else None,
            n_outliers=0 if outlier is None else int(outlier.sum()),
        )

    def _answer_for(self, target: Target) -> None:
        """Let the costs of a target decide the answers to the calibration samples."""
        costs = answer_costs(target, self.estimator_, self.classes_, self._proportions)
        if _are_equal_costs(costs, self._rules.costs):
            return
        rules = self._rules._replace(costs=costs)
        known, tested = self.calibration_, self._test_calibration
        if any(each is not None and each.predicted is None for each in (known, tested)):
            raise self._answers_not_kept(target)
        # Where the same samples set the threshold and test it, all cells share it.
        has_one_threshold = tested is not None and _are_equal(known.rows, tested.rows)
        self._rules = rules
        vars(self).pop("_probabilities", None)
        self._find_front(known.answered_by(self.classes_, rules), has_one_threshold)
        if tested is not None:
            self._test_calibration = tested.answered_by(self.classes_, rules)
            self._held_out = self._as_held_out(self._test_calibration)

    def _answers_not_kept(self, target: Target) -> InputError:
        """Return the error about a target that changes the answers."""
        n_samples, n_classes = self._n_fitted(target), len(self.classes_)
        lacking = "files of earlier versions do not hold"
        if not keeps_answers(self._rules.costs, n_samples, n_classes):
            of_how_many = f"{n_samples:,} samples of {n_classes:,} classes"
            lacking = f"a fit without costs does not keep for {of_how_many}"
        remedy = "fit it with this target"
        if isinstance(target, ExpectedCost):
            remedy += ", or with answers='predicted'"
        return InputError(
            argument="target",
            value=target,
            requirement=f"changes the answers, and {lacking} what they are chosen by",
            remedy=remedy,
        )

    def _n_fitted(self, target: Target) -> int:
        """Return how many samples were given to fit; refuse a target if their classes are lost."""
        if "calibration_" not in vars(self):
            refuse_outcomes(target)
        rows = [known and known.rows for known in (self.calibration_, self._test_calibration)]
        if rows[0] is None or (certifies(target) and rows[1] is None):
            raise InputError(
                argument="target",
                value=target,
                requirement="needs the classes of the calibration samples, which files of earlier "
                "versions do not hold",
                remedy="fit it again",
            )
        if self._n_given is not None:
            return self._n_given
        return 1 + max(int(each.max()) for each in rows if each is not None)

    def _run_at(self, point: OperatingPoint) -> None:
        """Decide as at a point of the front: with a threshold for each cell, and one for others."""
        if point.row is None:
            thresholds = np.full(self._own_cells.shared + 1, np.inf)
        else:
            (thresholds,) = self._own_cells.thresholds(self.front_, np.array([point.row]))
        known = getattr(self, "calibration_", None)
        # The front counts no outliers, and by weights if there are some.
        if known is not None and (known.weights is not None or known.outlier is not None):
            counted = given_point(thresholds, self.front_, known, self._own_cells)
            point = replace(counted, row=point.row, guarantee=point.guarantee)
        if self._outlier_counts is not None:
            counts = self._outlier_counts._asdict().items()
            point = replace(point, **{name: getattr(point, name) + more for name, more in counts})
        self._run_with(replace(point, cells=self.cells_, thresholds=thresholds))

    def _run_with(self, point: OperatingPoint) -> None:
        self.thresholds_, self.operating_point_ = point.thresholds, point

    @documented()
    def retarget(self, target: Target) -> Self:
        """Move to another point of the front, without fitting or asking the classifier again.

        Parameters
        ----------
        target : Target
            Such as :class:`RejectRate`, :class:`Accuracy` or :class:`RejectCost`. One with
            ``confidence`` needs samples held out by a fit with such a target. From the second one
            on, a warning and `Guarantee.joint_confidence` say how probably all certificates hold
            together; each by itself has its own confidence. An :class:`ExpectedCost` may change
            the answers too; a fit without costs keeps what this takes for up to a million pairs of
            sample and class.

        Returns
        -------
        self : object
            The classifier itself, at the new point.

        Examples
        --------
        >>> from abstain import RejectCost
        >>> clf.retarget(RejectCost(0.2)).target
        RejectCost(cost=0.2)
        """
        check_is_fitted(self, "thresholds_")
        if are_thresholds(target):
            raise InputError(
                f"target must be a target, such as Accuracy(0.99), got {shown(target)}; give "
                "thresholds to set_thresholds"
            )
        check_target(target)
        if certifies(target) and self._held_out is None:
            raise InputError(
                f"target={target} needs samples that only test it, and this classifier was fitted "
                "without: fit it with such a target first"
            )
        n_samples = self._n_fitted(target) if needs_outcomes(target) else 0
        target_in_use = with_group_labels(target, None, n_samples)
        before = dict(vars(self))
        try:
            self._answer_for(target)
            self._run_for(target_in_use)
        except InputError:
            # What a target was tested on is known of it, whether it passed or not.
            before["_targets_tested"] = self._targets_tested
            vars(self).clear()
            vars(self).update(before)
            raise
        warn_if_rejects_cost_most(target, self.classes_)
        self.target = target
        self._use_target()
        warn_of_several_targets(target, self.operating_point_)
        return self

    @documented()
    def set_thresholds(self, thresholds: Mapping[str, Any] | ArrayLike) -> Self:
        """Decide with thresholds that come from elsewhere, such as a report.

        The parameter ``target`` stays what it was, for thresholds belong to this fit alone. The
        ``row`` of the operating point is None unless a row of the front has these thresholds.

        Parameters
        ----------
        thresholds : dict or array-like of shape (n_thresholds,)
            In the order of ``thresholds_`` and ``cells_``; "-inf" rejects none, "inf" all. Or a
            dict, as `read_thresholds` returns it: ``cells``, ``row`` and counts are then checked.

        Returns
        -------
        self : object
            The classifier itself, with the new thresholds.

        Examples
        --------
        >>> clf.set_thresholds([0.1, 0.2, "-inf", "-inf"]).thresholds_.tolist()
        [0.1, 0.2, -inf, -inf]
        """
        check_is_fitted(self, "thresholds_")
        if not are_thresholds(thresholds):
            raise InputError(
                f"thresholds must be a list, an array or a dict, got {shown(thresholds)}; give a "
                "target to retarget"
            )
        known = getattr(self, "calibration_", None)
        self._run_with(
            given_point(thresholds, self.front_, known, self._own_cells, self._outlier_counts)
        )
        self._use_target()
        return self
