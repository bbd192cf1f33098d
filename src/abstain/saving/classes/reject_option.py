"""What do files hold of a classifier with a reject option?

Not the front, but the data that it is computed from: the calibration samples or, if they were Dask
arrays, the steps of each cell or their counts in bins. The front is computed again on first use, so
that no file can hold a front that contradicts its samples.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from abstain.certainty.cells import RULES as CELL_RULES
from abstain.certainty.cells import is_to_be_fitted
from abstain.certainty.measures import MEASURES, is_trust_to_be_fitted
from abstain.classifier.calibrate import Calibration
from abstain.classifier.evaluate import Rules
from abstain.classifier.fit_checks import check_parameters, check_reject_label
from abstain.classifier.own_cells import OwnCells
from abstain.fronts import METHODS, PooledFront, pareto_front
from abstain.fronts.bins import BinCounts
from abstain.fronts.held_out import HeldOut
from abstain.fronts.pareto import FROM_STAIRCASES
from abstain.fronts.pooled import pooled_front
from abstain.fronts.staircases import Staircases
from abstain.saving.kinds import (
    FEATURES,
    MAX_LABEL_LENGTH,
    Kind,
    Sizes,
    both,
    check_attributes,
    either,
    estimator,
    flag,
    function,
    is_label,
    labels,
    number,
    optional,
    size,
    splitter,
    text,
    whole,
    word,
)
from abstain.saving.known import KnownClass, params_of
from abstain.targets.guarantee import Guarantee
from abstain.targets.operating import OperatingPoint

rule = Kind(
    "a name, a clusterer or a function",
    lambda value, sizes: (
        type(value) is str or estimator.fits(value, sizes) or function.fits(value, sizes)
    ),
)
target = Kind(
    "None or a target", lambda value, sizes: value is None or hasattr(type(value), "choose")
)


def _array(kinds: str, letter: str) -> Kind:
    def fits(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in kinds:
            return False
        if value.dtype.kind == "f" and np.isnan(value).any():
            return False
        if value.dtype.kind == "O" and not all(map(is_label, value.tolist())):
            return False
        if value.dtype.kind in "US" and value.dtype.itemsize > 4 * MAX_LABEL_LENGTH:
            return False
        return sizes.setdefault(letter, len(value)) == len(value)

    return Kind(f"{letter} values without missing ones", fits)


def _are_cells(value: Any, sizes: Sizes) -> bool:
    return _array(LABELS, "c").fits(value, sizes) and len(set(value.tolist())) == len(value)


def _cell_names(value: Any, sizes: Sizes) -> bool:
    """Of an operating point: names of cells, or None for the one that small cells share."""
    return (
        isinstance(value, np.ndarray)
        and value.ndim == 1
        and value.dtype == object
        and all(each is None or is_label(each) for each in value.tolist())
        and sizes.setdefault("m", len(value)) == len(value)
    )


def _parts(name: str, kinds: Mapping[str, Kind]) -> Kind:
    """Return the kind of a dict with declared values."""

    def fits(value: Any, sizes: Sizes) -> bool:
        if type(value) is not dict:
            return False
        check_attributes(f"RejectOptionClassifier.{name}", value, kinds, {})
        return True

    return Kind(f"a dict of {', '.join(kinds)}", fits)


LABELS, VALUES, FLAGS = "biufUSO", "f", "b"
CALIBRATION = {
    "certainty": _array(VALUES, "n"),
    "correct": _array(FLAGS, "n"),
    "cells": _array(LABELS, "n"),
}
# The time and memory of a front grow with its errors.
MAX_ERRORS = 100_000_000
int64 = Kind("int64", lambda value, sizes: value.dtype == np.int64)
STAIRCASES = {
    "cells": both(whole("j"), int64),
    "starts": both(whole("*"), int64),
    "true_rejects": both(whole("s", below=MAX_ERRORS), int64),
    "false_rejects": both(whole("s"), int64),
    "thresholds": _array(VALUES, "s"),
    "n_samples": size(low=1),
    "n_errors": size(),
}
MAX_COUNT = 1 << 53
BINS = {
    "cells": both(whole("j"), int64),
    "edges": _array(VALUES, "b"),
    "right": both(whole("j b", below=MAX_COUNT), int64),
    "wrong": both(whole("j b", below=MAX_ERRORS), int64),
    "is_lossless": flag,
}
HELD_OUT = {
    "certainty": _array(VALUES, "n"),
    "correct": _array(FLAGS, "n"),
    "columns": whole("n", low=-1),
    "counts": optional(whole("n", low=1)),
}
GUARANTEE = {
    "accuracy": number(low=0, high=1),
    "confidence": number(low=0, high=1),
    "n_samples": size(low=1),
    "accepted": size(),
    "errors": size(),
    "bound": number(low=0, high=1),
    "n_tested": size(),
}
POINT = {
    "row": optional(size()),
    "n_samples": size(low=1),
    "n_errors": size(),
    "true_rejects": size(),
    "false_rejects": size(),
    "gap": size(),
    "cells": Kind("names of cells", _cell_names),
    "thresholds": _array(VALUES, "m"),
    "guarantee": optional(_parts("guarantee", GUARANTEE)),
}
RULES = {"certainty": either(text, function), "cells": rule}


class _RejectOption(KnownClass):
    """The estimator, thresholds and operating point, and what the front follows from."""

    def check_params(self, obj: Any) -> None:
        """Refuse parameters that a fit would refuse."""
        super().check_params(obj)
        check_parameters(obj)

    def settings(self, obj: Any) -> dict[str, Any]:
        """Return the parameters, with registered functions replaced by their names."""
        named = {
            "certainty": MEASURES.name_of(obj.certainty),
            "cells": CELL_RULES.name_of(obj.cells),
        }
        return params_of(obj) | named

    def state(self, obj: Any) -> dict[str, Any]:
        """Return the attributes of a fit."""
        held = vars(obj)
        state = {
            name: held[name] for name in ("estimator_", "classes_", "thresholds_") if name in held
        }
        state |= {name: held[name] for name in FEATURES if name in held}
        state |= {name: held[name] for name in ("_metadata_request",) if name in held}
        if "thresholds_" not in held:
            return state
        obj._check_fitted()
        point, held_out = obj.operating_point_, obj._held_out
        guarantee = None if point.guarantee is None else asdict(point.guarantee)
        state |= {
            "cells_": obj._own_cells.labels,
            "point": {**_fields(point, POINT), "guarantee": guarantee},
            "held_out": None if held_out is None else held_out._asdict(),
            "rules": obj._rules._asdict(),
            "usual_distance": obj._outlier_distance,
            "front_method": obj.front_.method,
        }
        if "calibration_" in held:
            state["calibration"] = obj.calibration_._asdict()
        elif isinstance(obj.front_, PooledFront):
            state["bins"] = _fields(obj.front_.curves.counts, BINS)
        else:
            state["staircases"] = _fields(obj.front_.staircases, STAIRCASES)
        return state

    def restore(self, obj: Any, state: Mapping[str, Any]) -> None:
        """Set what a fit leaves; the front waits until it is asked for."""
        plain = ("estimator_", "classes_", "thresholds_", *FEATURES, "_metadata_request")
        for name in plain:
            if state.get(name) is not None:
                setattr(obj, name, state[name])
        if "point" not in state:
            return
        obj._rules = _named_rules(Rules(**state["rules"]), obj.estimator_)
        obj._outlier_distance = state["usual_distance"]
        obj._own_cells = OwnCells(state["cells_"])
        obj._use_target()
        obj._held_out = None if state["held_out"] is None else HeldOut(**state["held_out"])
        guarantee = state["point"]["guarantee"]
        obj.operating_point_ = OperatingPoint(
            **state["point"]
            | {
                "cells": obj.cells_,
                "thresholds": obj.thresholds_,
                "guarantee": None if guarantee is None else Guarantee(**guarantee),
            }
        )
        method = state["front_method"]
        if state.get("calibration") is not None:
            known = obj.calibration_ = Calibration(**state["calibration"])
            positions = obj._own_cells.positions(known.cells)
            obj._front = partial(
                pareto_front, known.certainty, known.correct, positions, method=method
            )
        elif state.get("bins") is not None:
            obj._front = partial(pooled_front, BinCounts(**state["bins"]))
        else:
            obj._front = partial(FROM_STAIRCASES[method], Staircases(**state["staircases"]))


def _named_rules(rules: Rules, estimator: Any) -> Rules:
    """Return the rules by name. Files of earlier builds say "auto", which was never "logit"."""
    named = rules.named(estimator)
    was_auto = isinstance(rules.certainty, str) and rules.certainty == "auto"
    return named._replace(certainty="conf") if was_auto and named.certainty == "logit" else named


def _fields(held: Any, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    return {name: getattr(held, name) for name in kinds}


def _reject_option_problem(obj: Any, sizes: Sizes) -> str:
    n_positions = len(obj.cells_) + 1
    if len(obj.thresholds_) != n_positions:
        return f"{len(obj.cells_)} cells need {n_positions} thresholds"
    if obj.classes_.tolist() != np.asarray(getattr(obj.estimator_, "classes_", [])).tolist():
        return "its classes are not those of its estimator"
    MEASURES.check(obj.rules["certainty"])
    CELL_RULES.check(obj.rules["cells"])
    if is_to_be_fitted(obj.rules["cells"]):
        return "the clusterer of its cells is not fitted"
    if is_trust_to_be_fitted(obj.rules["certainty"]):
        return "its trust score is not fitted"
    check_reject_label(obj.reject_label, obj.classes_)
    kinds = ("calibration", "staircases", "bins")
    known = next((getattr(obj, kind) for kind in kinds if getattr(obj, kind, None)), None)
    if known is None:
        return "it has neither calibration samples nor steps"
    if "starts" in known and (problem := _staircase_problem(known, n_positions)):
        return problem
    if "edges" in known and (problem := _bins_problem(known, n_positions)):
        return problem
    held_out = obj.held_out
    if held_out is not None and (held_out["columns"] >= n_positions).any():
        return "its held-out samples are of cells that it does not have"
    return _point_problem(obj, known)


def _point_problem(obj: Any, known: Mapping[str, Any]) -> str:
    """Return what is wrong with an operating point, given its thresholds and samples."""
    point, guarantee = obj.point, obj.point["guarantee"]
    threshold_of = dict(zip([*obj.cells_.tolist(), None], obj.thresholds_.tolist(), strict=True))
    limits = [threshold_of.get(cell) for cell in point["cells"].tolist()]
    if "correct" in known:
        n_samples, n_errors = len(known["correct"]), int((~known["correct"]).sum())
    elif "edges" in known:
        n_errors = int(known["wrong"].sum())
        n_samples = n_errors + int(known["right"].sum())
    else:
        n_samples, n_errors = known["n_samples"], known["n_errors"]
    is_sound = (
        limits == point["thresholds"].tolist()
        and (point["n_samples"], point["n_errors"]) == (n_samples, n_errors)
        and point["true_rejects"] <= n_errors
        and point["false_rejects"] <= n_samples - n_errors
        and (point["row"] is None or point["row"] <= n_samples)
        and (guarantee is None or guarantee["errors"] <= guarantee["accepted"])
        and (guarantee is None or guarantee["accepted"] <= guarantee["n_samples"])
        and (guarantee is None or obj.held_out is not None)
    )
    return "" if is_sound else "its operating point is not of its thresholds and samples"


def _staircase_problem(steps: Mapping[str, Any], n_positions: int) -> str:
    cells, starts, true = steps["cells"], steps["starts"], steps["true_rejects"]
    is_sound = (
        len(cells) > 0
        and bool((np.diff(cells) > 0).all() and cells[-1] < n_positions)
        and len(starts) == len(cells) + 1
        and starts[0] == 0
        and starts[-1] == len(true)
        and bool((np.diff(starts) > 0).all())
    )
    if not is_sound:
        return "its steps are not of its cells"
    first, inner = starts[:-1], np.ones(len(true), dtype=bool)
    inner[first] = False
    rises = (np.flatnonzero(inner) - 1, np.flatnonzero(inner))
    false, limits = steps["false_rejects"], steps["thresholds"]
    last = starts[1:] - 1
    is_sound = bool(
        (true[first] == 0).all()
        and (false[first] == 0).all()
        and (limits[first] == -np.inf).all()
        and (true[rises[1]] > true[rises[0]]).all()
        and (false[rises[1]] >= false[rises[0]]).all()
        and (limits[rises[1]] > limits[rises[0]]).all()
        and true[last].sum() <= steps["n_errors"] <= steps["n_samples"]
        and false[last].sum() <= steps["n_samples"] - steps["n_errors"]
    )
    return "" if is_sound else "its steps do not rise"


def _bins_problem(bins: Mapping[str, Any], n_positions: int) -> str:
    cells, edges = bins["cells"], bins["edges"]
    total = (bins["wrong"].astype(float) + bins["right"]).sum(axis=0)
    is_sound = (
        len(cells) > 0
        and bool((np.diff(cells) > 0).all() and cells[-1] < n_positions)
        and len(edges) > 0
        and bool((edges[1:] > edges[:-1]).all() and (total > 0).all())
        and total.sum() < MAX_COUNT
    )
    return "" if is_sound else "its bins are not of its cells"


REJECT_OPTION = _RejectOption(
    "abstain.RejectOptionClassifier",
    FEATURES
    | {
        "n_features_in_": optional(size("d", low=1)),
        "estimator_": estimator,
        "classes_": labels("k"),
        "cells_": Kind("different labels of cells", _are_cells),
        "thresholds_": _array(VALUES, "t"),
        "point": _parts("operating_point_", POINT),
        "rules": _parts("rules", RULES),
        "held_out": optional(_parts("held_out", HELD_OUT)),
        "usual_distance": number(low=0, high=np.inf),
        "front_method": word(*METHODS),
        "calibration": optional(_parts("calibration_", CALIBRATION)),
        "staircases": optional(_parts("staircases", STAIRCASES)),
        "bins": optional(_parts("bins", BINS)),
    },
    params={
        "estimator": estimator,
        "certainty": rule,
        "cells": rule,
        "target": target,
        "cv": either(splitter, word("training")),
    },
    problem=_reject_option_problem,
)
