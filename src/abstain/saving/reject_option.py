"""What do files hold of a reject option?

Not the front, but the data that it is computed from: the calibration samples or, if they were Dask
arrays, the steps of each cell or their counts in bins. The front is computed again on first use, so
that no file can hold a front that contradicts its samples.
"""

from collections.abc import Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from abstain.certainty.cells import RULES as CELL_RULES
from abstain.certainty.cells import is_to_be_fitted
from abstain.certainty.measures import MEASURES, is_trust_to_be_fitted
from abstain.certainty.outlier_scores import Known
from abstain.certainty.outliers import OutlierDetector
from abstain.classifier import fit_checks
from abstain.classifier.calibrate import Calibration
from abstain.classifier.evaluate import Rules
from abstain.classifier.holding_out import TestedGroups
from abstain.classifier.operating import answer_costs, tested_with
from abstain.classifier.own_cells import OwnCells
from abstain.classifier.proportions import Proportions
from abstain.classifier.thresholds import with_weights
from abstain.fronts import METHODS, PooledFront
from abstain.fronts.bins import BinCounts
from abstain.fronts.held_out import HeldOut
from abstain.fronts.pareto import FROM_STAIRCASES
from abstain.fronts.pooled import pooled_front
from abstain.fronts.staircases import Staircases
from abstain.saving.kinds import (
    CLASSIFIER,
    FEATURES,
    POSITIVE,
    Kind,
    Sizes,
    are_classes,
    array,
    estimator,
    flag,
    function,
    is_label,
    labels,
    listed,
    number,
    optional,
    parts,
    real,
    rises,
    size,
    splitter,
    text,
    whole,
    word,
)
from abstain.saving.known import KnownClass, State, params_of
from abstain.saving.targets import target
from abstain.targets.guarantee import Guarantee
from abstain.targets.operating import OperatingPoint, SampleCounts


def _part(name: str, kinds: Mapping[str, Kind]) -> Kind:
    return parts(f"RejectOptionClassifier.{name}", kinds)


# The time and memory of a front grow with its errors.
MAX_ERRORS, MAX_SAMPLES = 100_000_000, 1 << 53
rule = text | estimator | function
truth_values = partial(array, types="b", words="truth values")
# Positions of cells among the thresholds.
cells = whole("j", below="t", dtype="int64").where("ascending", rises)


CALIBRATION = {
    "certainty": real("n", infinite=True),
    "correct": truth_values("n"),
    "cells": labels("n"),
    # Files of earlier versions have nothing of these.
    "answers": optional(labels("n")),
    "truth": optional(labels("n")),
    "rows": optional(whole("n")),
    "posteriors": optional(real("n k", low=0, nan=True)),
    "weights": optional(real("n", low=0)),
    "outlier": optional(truth_values("n").where("not all true", lambda v: not v.all())),
    "predicted": optional(labels("n")),
    "certainties": optional(real("n k", nan=True, infinite=True)),
    "deciding_predicted": optional(labels("n")),
    "deciding_posteriors": optional(real("n k", low=0)),
    "groups": optional(whole("n")),
}
STAIRCASES = {
    "cells": cells,
    "starts": whole("j+1", dtype="int64").where(
        "ascending from 0", lambda v: v[0] == 0 and rises(v)
    ),
    "true_rejects": whole("s", below=MAX_ERRORS, dtype="int64"),
    "false_rejects": whole("s", dtype="int64"),
    "thresholds": real("s", infinite=True),
    "n_samples": size(low=1),
    "n_errors": size(),
}
BINS = {
    "cells": cells,
    "edges": real("b", infinite=True).where("ascending", rises),
    "right": whole("j b", below=MAX_SAMPLES, dtype="int64"),
    "wrong": whole("j b", below=MAX_ERRORS, dtype="int64"),
    "is_lossless": flag,
}
HELD_OUT = {
    "certainty": real("h", infinite=True),
    "correct": truth_values("h"),
    "columns": whole("h", low=-1, below="t"),
    "counts": optional(whole("h", low=1)),
}
# What else is known of held-out samples, if they were no Dask collections.
TEST = {
    "cells": labels("v"),
    "answers": labels("v"),
    "truth": labels("v"),
    "rows": whole("v"),
    "posteriors": optional(real("v k", low=0)),
    "predicted": optional(labels("v")),
    "certainties": optional(real("v k", infinite=True)),
    # Positions of samples in the class proportions of new data; -1 is one that was lacking.
    "drawn": optional(whole("g", low=-1, below="v")),
    # Those of the held-out samples, unless some are outliers, which test nothing.
    "certainty": optional(real("v", infinite=True)),
    "correct": optional(truth_values("v")),
    "outlier": optional(truth_values("v")),
}
OUTLIERS = {
    "rate": number(low=POSITIVE, high=1),
    "columns": optional(labels("f")),
    "center": real("f"),
    "below": real("f", low=0),
    "above": real("f", low=0),
    "mean": real("f"),
    "scale": real("f", low=POSITIVE),
    "weights": real("f u"),
    "usual": real("2", low=POSITIVE),
    "known_scores": real("w", low=0).where("ascending", lambda v: (np.diff(v) >= 0).all()),
}
# What each held-out sample stands for, if samples belong together.
GROUPS = {
    "counted": word("groups", "distinct samples"),
    "n_left_out": size(),
    "repeats": optional(whole("v", low=1)),
}
TARGET_TESTED = {"target": text, "confidence": number(low=0, high=1)}
PROPORTIONS = {
    "classes": labels("c").where("different and in ascending order", are_classes),
    "shares": real("c", low=0, high=1),
    "weights": real("c", low=0),
}
GUARANTEE = {
    "accuracy": number(low=0, high=1),
    "confidence": number(low=0, high=1),
    "n_samples": size(low=1),
    "accepted": size(),
    "errors": size(),
    "bound": number(low=0, high=1),
    "n_tested": size(),
    # Files of earlier versions do not have it.
    "name": replace(text.where("without control characters", str.isprintable), is_optional=True),
    "counted": replace(word("samples", "groups", "distinct samples"), is_optional=True),
    "n_left_out": replace(size(), is_optional=True),
    "n_targets": replace(size(low=1), is_optional=True),
    "joint_confidence": optional(number(low=0, high=1)),
    "n_outliers": replace(size(), is_optional=True),
}
guarantee = _part("guarantee", GUARANTEE).where(
    "of samples", lambda v: v["errors"] <= v["accepted"] <= v["n_samples"]
)
POINT = {
    "row": optional(size()),
    "n_samples": size("n", low=1),
    "n_errors": size("e"),
    "true_rejects": size(),
    "false_rejects": size(),
    "gap": size(),
    # None is the cell that small cells share.
    "cells": array("m", "O", "names of cells").where(
        "or None", lambda value: all(each is None or is_label(each) for each in value.tolist())
    ),
    "thresholds": real("m", infinite=True),
    "guarantee": optional(guarantee),
    "guarantees": optional(listed(guarantee)),
}
# Outliers, all of which are rejected, among calibration samples that are not kept.
OUTLIER_COUNTS = {"n_samples": size(low=1), "n_errors": size()}
RULES = {"certainty": text | function, "cells": rule}


class _RejectOption(KnownClass):
    """The estimator, thresholds and operating point, and what the front follows from."""

    def check_params(self, obj: Any) -> None:
        """Refuse parameters that a fit would refuse."""
        super().check_params(obj)
        fit_checks.check_parameters(obj)

    def settings(self, obj: Any) -> dict[str, Any]:
        """Return the parameters, with registered functions replaced by their names."""
        named = {
            "certainty": MEASURES.name_of(obj.certainty),
            "cells": CELL_RULES.name_of(obj.cells),
        }
        return params_of(obj) | named

    def state(self, obj: Any) -> State:
        """Return the attributes of a fit."""
        state = {name: vars(obj)[name] for name in _AS_THEY_ARE if name in vars(obj)}
        if "thresholds_" not in state:
            return state
        obj._check_fitted()
        point = obj.operating_point_
        state |= {
            "cells_": obj._own_cells.labels,
            "point": _fields(point, POINT)
            | {
                "guarantee": _fields(point.guarantee, GUARANTEE),
                "guarantees": [_fields(each, GUARANTEE) for each in point.guarantees],
            },
            "held_out": _fields(obj._held_out, HELD_OUT),
            "test": _fields_of_test(vars(obj).get("_test_calibration")),
            "tested_groups": _fields(obj._tested_groups, GROUPS),
            "targets_tested": [
                dict(zip(TARGET_TESTED, each, strict=True)) for each in obj._targets_tested
            ],
            "n_given": obj._n_given,
            "is_recalibrated": obj._is_recalibrated,
            "rules": _fields(obj._rules, RULES),
            "proportions": _fields(obj._proportions, PROPORTIONS),
            "outliers": _fields_of_detector(obj._outlier_detector),
            "outlier_counts": _fields(obj._outlier_counts, OUTLIER_COUNTS),
            "front_method": obj.front_.method,
        }
        if "calibration_" in vars(obj):
            state["calibration"] = _fields(obj.calibration_, CALIBRATION)
        elif isinstance(obj.front_, PooledFront):
            state["bins"] = _fields(obj.front_.curves.counts, BINS)
        else:
            state["staircases"] = _fields(obj.front_.staircases, STAIRCASES)
        return state

    def restore(self, obj: Any, state: State) -> None:
        """Set what a fit leaves; the front waits until it is asked for."""
        for name in _AS_THEY_ARE:
            if state.get(name) is not None:
                setattr(obj, name, state[name])
        if "point" not in state:
            return
        if state.get("proportions") is not None:
            obj._proportions = Proportions(**state["proportions"])
        costs = answer_costs(obj._target(), obj.estimator_, obj.classes_, obj._proportions)
        obj._rules = _named_rules(Rules(**state["rules"], costs=costs), obj.estimator_)
        obj._outlier_detector = _made_detector(state.get("outliers"))
        obj._outlier_counts = _made_counts(state.get("outlier_counts"))
        obj._own_cells = OwnCells(state["cells_"])
        obj._use_target()
        obj._n_given = state.get("n_given")
        obj._is_recalibrated = state.get("is_recalibrated") is True
        obj._tested_groups = _made(TestedGroups, state.get("tested_groups"))
        obj._targets_tested = _targets_tested(obj, state)
        if state.get("test") is not None:
            obj._test_calibration = Calibration(**state["test"] | _of_test(state))
        held_out = _made(HeldOut, state["held_out"])
        obj._held_out = held_out and obj._with_groups(held_out, obj._test_calibration)
        point = state["point"]
        obj.operating_point_ = OperatingPoint(
            **point
            | {
                "cells": obj.cells_,
                "thresholds": obj.thresholds_,
                "guarantee": _made(Guarantee, point["guarantee"]),
                "guarantees": tuple(Guarantee(**each) for each in point.get("guarantees") or ()),
            }
        )
        method = state["front_method"]
        if state.get("calibration") is not None:
            known = obj.calibration_ = Calibration(**state["calibration"])
            obj.operating_point_ = with_weights(obj.operating_point_, known, obj._own_cells)
            obj._front = partial(known.front, obj._own_cells, method)
        elif state.get("bins") is not None:
            obj._front = partial(pooled_front, BinCounts(**state["bins"]))
        else:
            obj._front = partial(FROM_STAIRCASES[method], Staircases(**state["staircases"]))


def _targets_tested(obj: Any, state: State) -> tuple[tuple[str, float], ...]:
    """Return which targets the held-out samples have tested; earlier files name the last one."""
    tested = state.get("targets_tested")
    if tested is not None:
        return tuple((each["target"], each["confidence"]) for each in tested)
    point = state["point"]
    has_certificate = point["guarantee"] is not None or point.get("guarantees")
    return tested_with((), obj.target) if has_certificate else ()


_AS_THEY_ARE = ("estimator_", "classes_", "thresholds_", *FEATURES, "_metadata_request")


def _fields(held: Any, kinds: Mapping[str, Kind]) -> Any:
    return None if held is None else {name: getattr(held, name) for name in kinds}


def _fields_of_test(known: Calibration | None) -> Any:
    fields = _fields(known, TEST)
    if known is not None and known.outlier is None:  # certainties are those of ``held_out``
        fields |= {"certainty": None, "correct": None}
    return fields


def _of_test(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return certainty and correctness of the held-out samples, outliers included."""
    test, names = state["test"], ("certainty", "correct")
    source = state["held_out"] if test.get("correct") is None else test
    return {name: source[name] for name in names}


def _fields_of_detector(detector: OutlierDetector | None) -> Any:
    if detector is None:
        return None
    fields = vars(detector) | vars(detector.known)
    columns = None if detector.columns is None else np.array(detector.columns, dtype=object)
    return {name: fields[name] for name in OUTLIERS} | {"columns": columns}


def _made_detector(fields: Any) -> OutlierDetector | None:
    if fields is None:
        return None
    known = Known(**{each.name: fields[each.name] for each in dataclass_fields(Known)})
    columns = None if fields["columns"] is None else fields["columns"].tolist()
    return OutlierDetector(known, fields["rate"], columns, fields["usual"], fields["known_scores"])


def _made_counts(fields: Any) -> SampleCounts | None:
    if fields is None:
        return None
    n_samples, n_errors = fields["n_samples"], fields["n_errors"]
    return SampleCounts(n_samples, n_errors, n_errors, n_samples - n_errors)


def _made(kind: Any, fields: Any) -> Any:
    return None if fields is None else kind(**fields)


def _named_rules(rules: Rules, estimator: Any) -> Rules:
    """Return the rules by name. Files of earlier builds say "auto", which was never "logit"."""
    named = rules.named(estimator)
    was_auto = isinstance(rules.certainty, str) and rules.certainty == "auto"
    return named._replace(certainty="conf") if was_auto and named.certainty == "logit" else named


def _has_classes_of_estimator(obj: Any, sizes: Sizes) -> bool:
    fit_checks.check_reject_label(obj.reject_label, obj.classes_)
    return bool(
        obj.classes_.tolist() == np.asarray(getattr(obj.estimator_, "classes_", [])).tolist()
    )


def _are_fitted_rules(obj: Any, sizes: Sizes) -> bool:
    certainty, cells = obj.rules["certainty"], obj.rules["cells"]
    MEASURES.check(certainty)
    CELL_RULES.check(cells)
    return not is_to_be_fitted(cells) and not is_trust_to_be_fitted(certainty)


def _are_sound(known: Mapping[str, Any], classes: Any) -> bool:
    """Return whether the answers to samples are classes, and right where they are said to be."""
    answers, truth, rows = map(known.get, ("answers", "truth", "rows"))
    if answers is None or truth is None or rows is None:  # as in files of earlier versions
        return answers is truth is rows
    said = [known.get(name) for name in ("predicted", "deciding_predicted")]
    named = {label for each in (answers, *said) if each is not None for label in each.tolist()}
    is_of_classes = named <= set(classes.tolist())
    return is_of_classes and np.array_equal(answers == truth, known["correct"])


def _has_sound_answers(obj: Any, sizes: Sizes) -> bool:
    known, test = getattr(obj, "calibration", None), getattr(obj, "test", None)
    if test is not None:
        test = test | _of_test(vars(obj))
    return all(_are_sound(each, obj.classes_) for each in (known, test) if each is not None)


def _has_its_test_samples(obj: Any, sizes: Sizes) -> bool:
    test, held_out = getattr(obj, "test", None), getattr(obj, "held_out", None)
    if test is None:
        return True
    if held_out is None:
        return False
    n_outliers = 0 if test.get("outlier") is None else int(test["outlier"].sum())
    is_whole = (test.get("correct") is None) == (test.get("certainty") is None)
    n_test = len(test["answers"])
    return (
        is_whole
        and len(held_out["correct"]) == n_test - n_outliers
        and (test.get("correct") is not None or not n_outliers)
    )


def _has_its_proportions(obj: Any, sizes: Sizes) -> bool:
    known = getattr(obj, "proportions", None)
    return known is None or set(obj.classes_.tolist()) <= set(known["classes"].tolist())


def _has_one_source(obj: Any, sizes: Sizes) -> bool:
    sources = [getattr(obj, name, None) for name in ("calibration", "staircases", "bins")]
    return sum(source is not None for source in sources) == 1


def _is_sound_point(obj: Any, sizes: Sizes) -> bool:
    """Return whether an operating point is of its thresholds and samples."""
    point = obj.point
    certified = [point["guarantee"], *(point.get("guarantees") or ())]
    threshold_of = dict(zip([*obj.cells_.tolist(), None], obj.thresholds_.tolist(), strict=True))
    limits = [threshold_of.get(cell) for cell in point["cells"].tolist()]
    n_samples, n_errors = sizes["n"], sizes["e"]
    if known := getattr(obj, "staircases", None):
        n_samples, n_errors = known["n_samples"], known["n_errors"]
    # A row for each sum of weights may be more than one for each sample.
    has_weights = (getattr(obj, "calibration", None) or {}).get("weights") is not None
    if known := getattr(obj, "calibration", None):
        n_errors = int((~known["correct"]).sum())
    if known := getattr(obj, "bins", None):
        n_errors = int(known["wrong"].sum())
        n_samples = n_errors + int(known["right"].sum())
    if outliers := getattr(obj, "outlier_counts", None):
        is_possible = outliers["n_errors"] <= outliers["n_samples"]
        if not is_possible or getattr(obj, "calibration", None) is not None:
            return False
        n_samples, n_errors = n_samples + outliers["n_samples"], n_errors + outliers["n_errors"]
    return (
        limits == point["thresholds"].tolist()
        and (point["n_samples"], point["n_errors"]) == (n_samples, n_errors)
        and point["true_rejects"] <= n_errors
        and point["false_rejects"] <= n_samples - n_errors
        and (point["row"] is None or has_weights or point["row"] <= n_samples)
        and (not any(certified) or obj.held_out is not None)
    )


def are_steps(steps: Mapping[str, Any]) -> bool:
    """Return whether the steps of each cell rise from none, to no more than the samples."""
    starts, true, false = steps["starts"], steps["true_rejects"], steps["false_rejects"]
    limits = steps["thresholds"]
    if starts[-1] != len(true):
        return False
    first, last = starts[:-1], starts[1:] - 1
    later = np.setdiff1d(np.arange(len(true)), first)
    return bool(
        (true[first] == 0).all()
        and (false[first] == 0).all()
        and (limits[first] == -np.inf).all()
        and (true[later] > true[later - 1]).all()
        and (false[later] >= false[later - 1]).all()
        and (limits[later] > limits[later - 1]).all()
        and true[last].sum() <= steps["n_errors"] <= steps["n_samples"]
        and false[last].sum() <= steps["n_samples"] - steps["n_errors"]
    )


def are_bins(bins: Mapping[str, Any]) -> bool:
    """Return whether no bin is empty, and the samples can be counted."""
    total = (bins["wrong"].astype(float) + bins["right"]).sum(axis=0)
    return bool((total > 0).all() and total.sum() < MAX_SAMPLES)


REJECT_OPTION = _RejectOption(
    "abstain.RejectOptionClassifier",
    CLASSIFIER | {"n_features_in_": optional(FEATURES["n_features_in_"])},
    estimator_=estimator,
    thresholds_=real("t", infinite=True),
    cells_=labels("t-1").where("all different", lambda v: len(set(v.tolist())) == len(v)),
    calibration=optional(_part("calibration_", CALIBRATION)),
    staircases=optional(_part("staircases", STAIRCASES).where("which rise", are_steps)),
    bins=optional(_part("bins", BINS).where("none of them empty", are_bins)),
    point=_part("operating_point_", POINT),
    rules=_part("rules", RULES),
    held_out=optional(_part("held_out", HELD_OUT)),
    test=optional(_part("test_samples", TEST)),
    tested_groups=optional(_part("tested_groups", GROUPS)),
    is_recalibrated=optional(flag),
    targets_tested=optional(listed(_part("targets_tested", TARGET_TESTED))),
    n_given=optional(size(low=1)),
    proportions=optional(_part("proportions", PROPORTIONS)),
    outliers=optional(_part("outliers", OUTLIERS)),
    outlier_counts=optional(_part("outlier_counts", OUTLIER_COUNTS)),
    # Only files of earlier versions have it, which know no outliers.
    usual_distance=optional(number(low=0, high=np.inf)),
    front_method=word(*METHODS),
    params={
        "estimator": estimator,
        "certainty": rule,
        "cells": rule,
        "target": optional(target),
        "cv": splitter | word("training"),
    },
    relations={
        "its classes are not those of its estimator": _has_classes_of_estimator,
        "the rules of its certainty and cells are not fitted": _are_fitted_rules,
        "it must have calibration samples, steps or bins, and only one of them": _has_one_source,
        "its answers are not of its classes, or not right where they should be": _has_sound_answers,
        "its proportions are not of its classes": _has_its_proportions,
        "its held-out samples are not those that test it": _has_its_test_samples,
        "its operating point is not of its thresholds and samples": _is_sound_point,
    },
)
