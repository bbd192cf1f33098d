"""What do files hold of transformers, clusterers, splitters and estimators around others?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from abstain.saving.kinds import (
    CLASSES,
    FEATURES,
    Kind,
    Sizes,
    anything_plain,
    array,
    by_name,
    estimator,
    flag,
    function,
    in_c_order,
    instance,
    listed,
    nothing,
    number,
    optional,
    parts,
    real,
    rises,
    sequence,
    size,
    splitter,
    text,
    whole,
    word,
)
from abstain.saving.known import KnownClass

# --- encoders and clusterers --------------------------------------------------------------------


def _are_categories(categories: Any) -> bool:
    """Return whether categories are distinct and numbers in order, a missing one last."""
    if categories.dtype.kind in "OU":
        return len({(type(each), each) for each in categories.tolist()}) == len(categories)
    present = categories[~np.isnan(categories)] if categories.dtype.kind == "f" else categories
    return (
        rises(present)
        and np.array_equal(categories[: len(present)], present)
        and len(categories) - len(present) <= 1
    )


def _are_rare_categories(obj: Any, sizes: Sizes) -> bool:
    """Return whether the lists of an encoder refer to its categories.

    scikit-learn turns them into columns of a matrix, and writes wherever they point.
    """
    none = [None] * sizes["d"]
    rare = getattr(obj, "_infrequent_indices", None) or none
    mappings = getattr(obj, "_default_to_infrequent_mappings", None) or none
    return len(rare) == len(mappings) == sizes["d"] and all(
        map(_is_mapping, mappings, rare, map(len, obj.categories_))
    )


def _is_mapping(mapping: Any, indices: Any, n_categories: int) -> bool:
    """Return whether frequent categories are numbered in order, and rare ones after them."""
    if mapping is None or indices is None:
        return mapping is None and indices is None
    if (indices >= n_categories).any():
        return False
    is_rare = np.isin(np.arange(n_categories), indices)
    expected = np.where(is_rare, (~is_rare).sum(), np.cumsum(~is_rare) - 1)
    return bool(np.array_equal(mapping, expected))


def _finish_encoder(obj: Any) -> None:
    obj._set_drop_idx()
    obj._n_features_outs = obj._compute_n_features_outs()


def _finish_clusters(obj: Any) -> None:
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    obj._n_threads = _openmp_effective_n_threads()


# --- estimators around others -------------------------------------------------------------------


def _plain_columns(value: Any) -> Any:
    """Return lists in place of those of scikit-learn 1.6 that warn when they are read."""
    if isinstance(value, dict):
        return {name: _plain_columns(held) for name, held in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_plain_columns, value))
    return value.data if type(value).__name__ == "_RemainderColsList" else value


def _are_columns(obj: Any, sizes: Sizes) -> bool:
    names = [name for name, _, _ in obj.transformers_]
    indices = obj._transformer_to_input_indices
    return (
        len(set(names)) == len(names)
        and set(names) <= indices.keys()
        and all(
            type(each) in (list, np.ndarray) and all(0 <= at < sizes["d"] for at in each)
            for each in indices.values()
        )
    )


def _calibrated_parts(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes with an estimator and its curves for each calibrated classifier."""
    pairs = [
        {"estimator": each.estimator, "calibrators": each.calibrators}
        for each in state.get("calibrated_classifiers_", ())
    ]
    return {**state, **({"calibrated_classifiers_": pairs} if pairs else {})}


def _finish_calibrated(obj: Any) -> None:
    from sklearn.calibration import _CalibratedClassifier

    obj.calibrated_classifiers_ = [
        _CalibratedClassifier(**pair, classes=obj.classes_, method=obj.method)
        for pair in obj.calibrated_classifiers_
    ]


CURVES = {
    "sigmoid": "_SigmoidCalibration",
    "isotonic": "IsotonicRegression",
    "temperature": "_TemperatureScaling",
}


def _are_calibrated(obj: Any, sizes: Sizes) -> bool:
    k = sizes["k"]
    n_curves = 1 if k == 2 or obj.method == "temperature" else k
    return all(
        np.asarray(getattr(pair["estimator"], "classes_", [])).tolist()
        in (obj.classes_.tolist(), list(range(k)))
        and [type(curve).__name__ for curve in pair["calibrators"]]
        == [CURVES[obj.method]] * n_curves
        for pair in obj.calibrated_classifiers_
    )


def _is_monotone(obj: Any, sizes: Sizes) -> bool:
    steps = np.diff(obj.y_thresholds_) if obj.increasing_ else -np.diff(obj.y_thresholds_)
    return bool((steps >= 0).all()) and obj.X_thresholds_.dtype == obj.y_thresholds_.dtype


# --- classes ------------------------------------------------------------------------------------

categories = array("*", "biufUO", "categories")
moments = optional(real("d", nan=True))
divisors = optional(real("d", nan=True).where("none of them 0", np.all))
number_type = Kind(
    "a type of numbers",
    lambda value, sizes: isinstance(value, type | np.dtype) and np.dtype(value).kind in "biuf",
)
step = sequence(text, estimator | word("passthrough") | nothing)
column_step = sequence(text, estimator | word("drop", "passthrough"), anything_plain)
plain_by_name = by_name(anything_plain)
MAYBE_FEATURES = {name: optional(kind) for name, kind in FEATURES.items()}

TRANSFORMERS = (
    KnownClass(
        "sklearn.preprocessing.StandardScaler",
        FEATURES,
        mean_=moments,
        var_=moments,
        scale_=divisors,
        n_samples_seen_=number(low=0) | whole("d") | real("d", low=0),
    ),
    KnownClass(
        "sklearn.preprocessing.MinMaxScaler",
        FEATURES
        | dict.fromkeys(
            ("scale_", "min_", "data_min_", "data_max_", "data_range_"), real("d", nan=True)
        ),
        n_samples_seen_=number(low=0),
    ),
    KnownClass("sklearn.preprocessing.RobustScaler", FEATURES, center_=moments, scale_=divisors),
    KnownClass(
        "sklearn.preprocessing.OneHotEncoder",
        FEATURES,
        categories_=listed(categories.where("distinct and in order", _are_categories), "d"),
        _infrequent_enabled=flag,
        _infrequent_indices=optional(listed(optional(whole("*")))),
        _default_to_infrequent_mappings=optional(listed(optional(whole("*")))),
        params={"dtype": number_type},
        dropped="drop_idx_ _drop_idx_after_grouping _n_features_outs",
        finish=_finish_encoder,
        relations={"its rare categories do not belong to its categories": _are_rare_categories},
    ),
    KnownClass(
        "sklearn.preprocessing.LabelBinarizer",
        CLASSES,
        y_type_=word("binary", "multiclass"),
        sparse_input_=flag,
    ),
    KnownClass(
        "sklearn.preprocessing.FunctionTransformer",
        MAYBE_FEATURES,
        # A file that names a function must not choose what it is called with.
        params={
            "func": optional(function),
            "inverse_func": optional(function),
            "kw_args": nothing,
            "inv_kw_args": nothing,
        },
    ),
    KnownClass(
        "sklearn.impute.SimpleImputer",
        FEATURES,
        statistics_=real("d", nan=True) | array("d", "biufUO", "categories"),
        indicator_=nothing,
        _fit_dtype=instance(*{type(np.dtype(name)) for name in ("f4", "f8", "O", "i8")}),
        _fill_dtype=optional(anything_plain),
    ),
    KnownClass(
        "sklearn.decomposition.PCA",
        FEATURES,
        components_=real("c d"),
        mean_=real("d"),
        explained_variance_=real("c", low=0),
        explained_variance_ratio_=real("c", nan=True),
        singular_values_=real("c"),
        noise_variance_=number(),
        n_samples_=size(),
        n_components_=size("c"),
        _fit_svd_solver=text,
        _n_features_out=optional(size()),
    ),
    KnownClass(
        "sklearn.cluster.KMeans",
        FEATURES,
        cluster_centers_=in_c_order(real("c d")),
        labels_=whole("*", below="c", dtype="int32"),
        inertia_=number(low=0),
        n_iter_=size(),
        _tol=number(low=0),
        _n_init=size(),
        _algorithm=word("lloyd", "elkan"),
        _n_features_out=size("c"),
        dropped="_n_threads",
        finish=_finish_clusters,
        relations={
            "it has other clusters than centres": lambda obj, sizes: obj.n_clusters == sizes["c"]
        },
    ),
    KnownClass("sklearn.pipeline.Pipeline", params={"steps": listed(step), "memory": nothing}),
    KnownClass("sklearn.frozen.FrozenEstimator", params={"estimator": estimator}),
    KnownClass(
        "sklearn.compose.ColumnTransformer",
        FEATURES,
        transformers_=listed(column_step),
        _columns=anything_plain,
        _transformer_to_input_indices=plain_by_name,
        _remainder=column_step,
        sparse_output_=flag,
        output_indices_=plain_by_name,
        _name_to_fitted_passthrough=optional(plain_by_name),
        _n_features=optional(size("d")),
        params={
            "transformers": listed(column_step),
            "remainder": word("drop", "passthrough") | estimator,
        },
        simplify=_plain_columns,
        relations={"its transformers and columns do not belong together": _are_columns},
    ),
    KnownClass(
        "sklearn.calibration.CalibratedClassifierCV",
        CLASSES | MAYBE_FEATURES,
        calibrated_classifiers_=listed(
            parts(
                "CalibratedClassifierCV",
                {"estimator": estimator, "calibrators": instance(list)},
            )
        ),
        params={"estimator": optional(estimator), "cv": splitter},
        simplify=_calibrated_parts,
        finish=_finish_calibrated,
        relations={"its calibrated classifiers do not fit its classes": _are_calibrated},
    ),
    KnownClass("sklearn.calibration._SigmoidCalibration", a_=number(), b_=number()),
    KnownClass("sklearn.calibration._TemperatureScaling", beta_=number()),
    KnownClass(
        "sklearn.isotonic.IsotonicRegression",
        increasing_=flag,
        X_min_=number(),
        X_max_=number(),
        X_thresholds_=real("n").where("ascending", rises),
        y_thresholds_=real("n"),
        dropped="f_",
        finish=lambda obj: obj._build_f(obj.X_thresholds_, obj.y_thresholds_),
        relations={"its steps do not rise": _is_monotone},
    ),
    *(
        KnownClass(f"sklearn.model_selection.{name}")
        for name in (
            *("GroupKFold", "KFold", "LeaveOneGroupOut", "LeaveOneOut", "ShuffleSplit"),
            *("StratifiedGroupKFold", "StratifiedKFold", "StratifiedShuffleSplit"),
            "TimeSeriesSplit",
        )
    ),
)
