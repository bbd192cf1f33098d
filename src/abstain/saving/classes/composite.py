"""What do files hold of estimators that consist of others, and of splitters?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from typing import Any

import numpy as np

from abstain.saving.kinds import (
    CLASSES,
    FEATURES,
    Kind,
    Sizes,
    anything_plain,
    either,
    estimator,
    flag,
    function,
    instance,
    listed,
    nothing,
    number,
    optional,
    real,
    size,
    splitter,
    strings,
    word,
)
from abstain.saving.known import KnownClass


def _is_step(value: Any, sizes: Sizes) -> bool:
    return (
        type(value) in (tuple, list)
        and len(value) == 2
        and type(value[0]) is str
        and (value[1] in (None, "passthrough") or estimator.fits(value[1], sizes))
    )


def _is_column_step(value: Any, sizes: Sizes) -> bool:
    return (
        type(value) in (tuple, list)
        and len(value) == 3
        and type(value[0]) is str
        and (value[1] in ("drop", "passthrough") or estimator.fits(value[1], sizes))
        and anything_plain.fits(value[2], sizes)
    )


step = Kind("a name and an estimator", _is_step)
column_step = Kind("a name, an estimator and columns", _is_column_step)


# --- calibrated classifiers ---------------------------------------------------------------------


class _Calibrated(KnownClass):
    """A calibrated classifier is saved as an estimator and a curve per score."""

    def state(self, obj: Any) -> dict[str, Any]:
        """Return the parts of each calibrated classifier."""
        state = super().state(obj)
        if "calibrated_classifiers_" in state:
            state["calibrated_classifiers_"] = [
                {"estimator": one.estimator, "calibrators": one.calibrators}
                for one in obj.calibrated_classifiers_
            ]
        return state

    def restore(self, obj: Any, state: Mapping[str, Any]) -> None:
        """Create the calibrated classifiers from their parts."""
        from sklearn.calibration import _CalibratedClassifier

        super().restore(obj, state)
        if "calibrated_classifiers_" in state:
            obj.calibrated_classifiers_ = [
                _CalibratedClassifier(**parts, classes=obj.classes_, method=obj.method)
                for parts in state["calibrated_classifiers_"]
            ]


def _calibrated_problem(obj: Any, sizes: Sizes) -> str:
    curve = {
        "sigmoid": "_SigmoidCalibration",
        "isotonic": "IsotonicRegression",
        "temperature": "_TemperatureScaling",
    }[obj.method]
    k, method = sizes["k"], obj.method
    wanted = 1 if k == 2 or method == "temperature" else k
    is_sound = all(
        parts.keys() == {"estimator", "calibrators"}
        and estimator.fits(parts["estimator"], {})
        and np.asarray(getattr(parts["estimator"], "classes_", [])).tolist()
        in (obj.classes_.tolist(), list(range(k)))
        and type(parts["calibrators"]) is list
        and [type(each).__name__ for each in parts["calibrators"]] == [curve] * wanted
        for parts in obj.calibrated_classifiers_
    )
    return "" if is_sound else "its calibrated classifiers do not fit its classes"


def _isotonic_problem(obj: Any, sizes: Sizes) -> str:
    x, y = obj.X_thresholds_, obj.y_thresholds_
    rises = np.diff(y) if obj.increasing_ else -np.diff(y)
    is_sound = len(x) and (np.diff(x) > 0).all() and (rises >= 0).all() and x.dtype == y.dtype
    return "" if is_sound else "its steps do not rise"


class _Columns(KnownClass):
    """In scikit-learn 1.6, the columns that remain are in a list that warns when it is read."""

    def state(self, obj: Any) -> dict[str, Any]:
        """Return the attributes of a fit, with plain lists of columns."""
        state = super().state(obj)
        for name in ("transformers_", "_remainder"):
            if name in state:
                state[name] = _with_plain_lists(state[name])
        return state


def _with_plain_lists(value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(map(_with_plain_lists, value))
    return value.data if type(value).__name__ == "_RemainderColsList" else value


def _columns_problem(obj: Any, sizes: Sizes) -> str:
    names = [name for name, _, _ in obj.transformers_]
    indices = obj._transformer_to_input_indices
    is_sound = (
        len(set(names)) == len(names)
        and set(names) <= indices.keys()
        and all(
            type(each) in (list, np.ndarray) and all(0 <= at < sizes["d"] for at in each)
            for each in indices.values()
        )
    )
    return "" if is_sound else "its transformers and columns do not belong together"


by_name = Kind(
    "a dict by name",
    lambda value, sizes: (
        type(value) is dict
        and all(type(name) is str for name in value)
        and anything_plain.fits(list(value.values()), sizes)
    ),
)

COMPOSITE = (
    KnownClass(
        "sklearn.pipeline.Pipeline",
        params={"steps": listed(step), "memory": nothing},
    ),
    KnownClass("sklearn.frozen.FrozenEstimator", params={"estimator": estimator}),
    _Columns(
        "sklearn.compose.ColumnTransformer",
        FEATURES
        | {
            "transformers_": listed(column_step),
            "_columns": anything_plain,
            "_transformer_to_input_indices": by_name,
            "_remainder": column_step,
            "sparse_output_": flag,
            "output_indices_": by_name,
            "_name_to_fitted_passthrough": optional(by_name),
            "_n_features": optional(size("d")),
        },
        params={
            "transformers": listed(column_step),
            "remainder": either(word("drop", "passthrough"), estimator),
        },
        problem=_columns_problem,
    ),
    KnownClass(
        "sklearn.preprocessing.FunctionTransformer",
        {"n_features_in_": optional(size("d")), "feature_names_in_": optional(strings("d"))},
        # A file that names a function must not choose what it is called with.
        params={
            "func": optional(function),
            "inverse_func": optional(function),
            "kw_args": nothing,
            "inv_kw_args": nothing,
        },
    ),
    _Calibrated(
        "sklearn.calibration.CalibratedClassifierCV",
        CLASSES
        | {
            "n_features_in_": optional(size("d", low=1)),
            "feature_names_in_": optional(strings("d")),
            "calibrated_classifiers_": listed(instance(dict), "c"),
        },
        params={"estimator": optional(estimator), "cv": splitter},
        problem=_calibrated_problem,
    ),
    KnownClass("sklearn.calibration._SigmoidCalibration", {"a_": number(), "b_": number()}),
    KnownClass("sklearn.calibration._TemperatureScaling", {"beta_": number()}),
    KnownClass(
        "sklearn.isotonic.IsotonicRegression",
        {
            "increasing_": flag,
            "X_min_": number(),
            "X_max_": number(),
            "X_thresholds_": real("n"),
            "y_thresholds_": real("n"),
        },
        dropped=frozenset({"f_"}),
        finish=lambda obj: obj._build_f(obj.X_thresholds_, obj.y_thresholds_),
        problem=_isotonic_problem,
    ),
    *(
        KnownClass(f"sklearn.model_selection.{name}")
        for name in (
            "GroupKFold",
            "KFold",
            "LeaveOneGroupOut",
            "LeaveOneOut",
            "ShuffleSplit",
            "StratifiedGroupKFold",
            "StratifiedKFold",
            "StratifiedShuffleSplit",
            "TimeSeriesSplit",
        )
    ),
)
