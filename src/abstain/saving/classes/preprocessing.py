"""What do files hold of transformers and clusterers?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np

from abstain.saving.kinds import (
    CLASSES,
    FEATURES,
    Kind,
    Sizes,
    anything_plain,
    both,
    either,
    flag,
    in_c_order,
    instance,
    int32,
    listed,
    nothing,
    number,
    optional,
    real,
    size,
    text,
    whole,
    word,
)
from abstain.saving.known import KnownClass


def _encoder_problem(obj: Any, sizes: Sizes) -> str:
    """Check that the lists of an encoder refer to its categories.

    scikit-learn turns them into columns of a matrix, and writes wherever they point.
    """
    rare = getattr(obj, "_infrequent_indices", None) or [None] * sizes["d"]
    mappings = getattr(obj, "_default_to_infrequent_mappings", None) or [None] * sizes["d"]
    if not len(rare) == len(mappings) == sizes["d"]:
        return "it has other columns than lists of rare categories"
    for categories, indices, mapping in zip(obj.categories_, rare, mappings, strict=True):
        if not _are_distinct(categories):
            return "its categories are not distinct and in order"
        if not _is_mapping(mapping, indices, len(categories)):
            return "its rare categories do not belong to its categories"
    return ""


def _are_distinct(categories: Any) -> bool:
    if categories.dtype.kind in "OU":
        return len({(type(each), each) for each in categories.tolist()}) == len(categories)
    present = categories[~np.isnan(categories)] if categories.dtype.kind == "f" else categories
    return bool(
        (present[:-1] < present[1:]).all()
        and np.array_equal(categories[: len(present)], present)  # what is missing is last
        and len(categories) - len(present) <= 1
    )


def _is_mapping(mapping: Any, indices: Any, n_categories: int) -> bool:
    """Return whether frequent categories are numbered in order, and rare ones after them."""
    if mapping is None or indices is None:
        return mapping is None and indices is None
    is_rare = np.zeros(n_categories, dtype=bool)
    if (indices >= n_categories).any():
        return False
    is_rare[indices] = True
    expected = np.where(is_rare, (~is_rare).sum(), np.cumsum(~is_rare) - 1)
    return bool(np.array_equal(mapping, expected))


def _finish_encoder(obj: Any) -> None:
    obj._set_drop_idx()
    obj._n_features_outs = obj._compute_n_features_outs()


def _finish_clusters(obj: Any) -> None:
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    obj._n_threads = _openmp_effective_n_threads()


category_values = Kind(
    "an array of categories",
    lambda value, sizes: (
        isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biufUO"
    ),
)
MEAN_AND_SCALE = optional(real("d", nan=True))
NO_ZEROS = both(
    real("d", nan=True), Kind("none of them 0", lambda value, sizes: bool((value != 0).all()))
)
numbers = Kind(
    "a type of numbers",
    lambda value, sizes: isinstance(value, type | np.dtype) and np.dtype(value).kind in "biuf",
)

PREPROCESSING = (
    KnownClass(
        "sklearn.preprocessing.StandardScaler",
        FEATURES
        | {
            "mean_": MEAN_AND_SCALE,
            "var_": MEAN_AND_SCALE,
            "scale_": optional(NO_ZEROS),
            "n_samples_seen_": either(number(low=0), whole("d"), real("d", low=0)),
        },
    ),
    KnownClass(
        "sklearn.preprocessing.MinMaxScaler",
        FEATURES
        | dict.fromkeys(
            ("scale_", "min_", "data_min_", "data_max_", "data_range_"), real("d", nan=True)
        )
        | {"n_samples_seen_": number(low=0)},
    ),
    KnownClass(
        "sklearn.preprocessing.RobustScaler",
        FEATURES | {"center_": MEAN_AND_SCALE, "scale_": optional(NO_ZEROS)},
    ),
    KnownClass(
        "sklearn.preprocessing.OneHotEncoder",
        FEATURES
        | {
            "categories_": listed(category_values, "d"),
            "_infrequent_enabled": flag,
            "_infrequent_indices": optional(listed(optional(whole("*")))),
            "_default_to_infrequent_mappings": optional(listed(optional(whole("*")))),
        },
        params={"dtype": numbers},
        dropped=frozenset({"drop_idx_", "_drop_idx_after_grouping", "_n_features_outs"}),
        finish=_finish_encoder,
        problem=_encoder_problem,
    ),
    KnownClass(
        "sklearn.preprocessing.LabelBinarizer",
        CLASSES | {"y_type_": word("binary", "multiclass"), "sparse_input_": flag},
    ),
    KnownClass(
        "sklearn.impute.SimpleImputer",
        FEATURES
        | {
            "statistics_": either(
                real("d", nan=True),
                both(
                    category_values,
                    Kind("d of them", lambda value, sizes: len(value) == sizes["d"]),
                ),
            ),
            "indicator_": nothing,
            "_fit_dtype": instance(*{type(np.dtype(name)) for name in ("f4", "f8", "O", "i8")}),
            "_fill_dtype": optional(anything_plain),
        },
    ),
    KnownClass(
        "sklearn.decomposition.PCA",
        FEATURES
        | {
            "components_": real("c d"),
            "mean_": real("d"),
            "explained_variance_": real("c", low=0),
            "explained_variance_ratio_": real("c", nan=True),
            "singular_values_": real("c"),
            "noise_variance_": number(),
            "n_samples_": size(),
            "n_components_": size("c"),
            "_fit_svd_solver": text,
            "_n_features_out": optional(size()),
        },
    ),
    KnownClass(
        "sklearn.cluster.KMeans",
        FEATURES
        | {
            "cluster_centers_": both(real("c d"), in_c_order),
            "labels_": both(whole("*", below="c"), int32),
            "inertia_": number(low=0),
            "n_iter_": size(),
            "_tol": number(low=0),
            "_n_init": size(),
            "_algorithm": word("lloyd", "elkan"),
            "_n_features_out": size("c"),
        },
        dropped=frozenset({"_n_threads"}),
        finish=_finish_clusters,
        problem=lambda obj, sizes: (
            "" if obj.n_clusters == sizes["c"] else "it has other clusters than centres"
        ),
    ),
)
