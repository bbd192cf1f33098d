"""What do files hold of a reject option on a stream?

The histograms, and those that its front was computed from: the front is computed again on first
use, so that the thresholds go on as if nothing had been saved.
"""

from dataclasses import fields
from typing import Any

import numpy as np

from abstain.certainty.cells import RULES as CELL_RULES
from abstain.certainty.measures import MEASURES
from abstain.classifier.evaluate import Rules
from abstain.classifier.fit_checks import check_reject_label
from abstain.saving.kinds import (
    CLASSIFIER,
    FEATURES,
    Kind,
    Sizes,
    anything_plain,
    estimator,
    flag,
    labels,
    number,
    optional,
    parts,
    real,
    rises,
    size,
    splitter,
    word,
)
from abstain.saving.known import KnownClass, State, params_of
from abstain.saving.reject_option import RULES, rule
from abstain.saving.targets import target

MOST_WEIGHT = float(1 << 53)


def _histograms(cells: str, bins: str, values: str) -> Kind:
    weights = real(f"{cells} {bins}", low=0, high=MOST_WEIGHT)
    kinds = {
        "edges": real(bins, infinite=True).where("ascending", rises),
        "seen": weights,
        "right": weights,
        "wrong": weights,
        "recent": real(values, infinite=True),
        "n_values": size(low=1),
        "is_lossless": flag,
    }
    return parts("OnlineRejectOption.histograms", kinds)


TRACKER = {
    "cells": labels("c").where("all different", lambda v: len(set(v.tolist())) == len(v)),
    "histograms": _histograms("c", "b", "r"),
    "fitted": optional(_histograms("f", "e", "s")),
    "thresholds": real("t", infinite=True),
    "drift": real("2 2 c+1 5", infinite=True),
    "n_new": number(low=0),
    "shift": number(),
    "n_drifts": size(),
}


class _OnlineRejectOption(KnownClass):
    """The classifier, and what its thresholds follow from."""

    def check_params(self, obj: Any) -> None:
        """Refuse parameters that a fit would refuse."""
        from abstain.online.checks import check_parameters

        super().check_params(obj)
        check_parameters(obj)

    def settings(self, obj: Any) -> State:
        """Return the parameters, with registered functions replaced by their names."""
        named = {
            "certainty": MEASURES.name_of(obj.certainty),
            "cells": CELL_RULES.name_of(obj.cells),
        }
        return params_of(obj) | named

    def state(self, obj: Any) -> State:
        """Return the attributes of a fit."""
        names = ("estimator_", "classes_", *FEATURES, "_metadata_request")
        state = {name: vars(obj)[name] for name in names if name in vars(obj)}
        if "estimator_" not in state:
            return state
        tracker = obj._tracker
        state["rules"] = {name: getattr(obj._rules, name) for name in RULES}
        state["monitor"] = None if obj.monitor_ is None else obj.monitor_.to_dict()
        state["tracker"] = None
        if tracker.cells:
            state["tracker"] = {name: getattr(tracker, name) for name in TRACKER} | {
                "cells": _array_of(tracker.cells),
                "histograms": _fields(tracker.histograms),
                "fitted": _fields(tracker.fitted),
            }
        return state

    def restore(self, obj: Any, state: State) -> None:
        """Set what a fit leaves; the front waits until it is asked for."""
        # Other files are read without these packages.
        from abstain.monitor import RiskMonitor
        from abstain.online.histograms import Histograms

        for name in ("estimator_", "classes_", *FEATURES, "_metadata_request"):
            if state.get(name) is not None:
                setattr(obj, name, state[name])
        if "estimator_" not in state:
            return
        obj._rules = Rules(**state["rules"]).named(obj.estimator_)
        monitor = state.get("monitor")
        obj.monitor_ = None if monitor is None else RiskMonitor.from_dict(monitor)
        obj._tracker = tracker = obj._new_tracker()
        known = state.get("tracker")
        if known is not None:
            fitted = known.get("fitted")
            made = {
                "cells": known["cells"].tolist(),
                "histograms": Histograms(**known["histograms"]),
                "fitted": None if fitted is None else Histograms(**fitted),
            }
            for name, value in (known | made).items():
                setattr(tracker, name, value)
            tracker.index_cells()


def _array_of(cells: list[Any]) -> Any:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _fields(histograms: Any) -> Any:
    if histograms is None:
        return None
    return {each.name: getattr(histograms, each.name) for each in fields(histograms)}


def _has_classes_of_estimator(obj: Any, sizes: Sizes) -> bool:
    check_reject_label(obj.reject_label, obj.classes_)
    own = np.asarray(getattr(obj.estimator_, "classes_", []))
    return bool(obj.classes_.tolist() == own.tolist())


def _has_thresholds_of_cells(obj: Any, sizes: Sizes) -> bool:
    known = getattr(obj, "tracker", None)
    if known is None:
        return True
    n_cells, fitted = len(known["cells"]), known.get("fitted")
    return len(known["thresholds"]) <= n_cells + 1 and (
        fitted is None or len(fitted["seen"]) <= n_cells
    )


ONLINE = _OnlineRejectOption(
    "abstain.OnlineRejectOption",
    CLASSIFIER | {"n_features_in_": optional(FEATURES["n_features_in_"])},
    estimator_=estimator,
    tracker=optional(parts("OnlineRejectOption.tracker", TRACKER)),
    monitor=optional(anything_plain),
    rules=parts("OnlineRejectOption.rules", RULES),
    params={
        "estimator": estimator,
        "certainty": rule,
        "cells": rule,
        "cv": splitter | word("training"),
        "target": optional(target),
        "half_life": number(low=0, high=np.inf),
    },
    relations={
        "its classes are not those of its estimator": _has_classes_of_estimator,
        "its thresholds are not of its cells": _has_thresholds_of_cells,
    },
)
