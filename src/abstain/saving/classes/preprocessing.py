"""What must hold for estimators that prepare samples?"""

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
from abstain.saving.known import Known

__all__ = ["PREPROCESSING"]


def _encoder_problem(made: Any, sizes: Sizes) -> str:
    """Return whether the lists of an encoder speak of the categories that it has."""
    counts = [len(each) for each in made.categories_]

    def below(indices: Any, ends: list[int]) -> bool:
        return indices is None or all(
            each is None or 0 <= each < end for each, end in zip(indices, ends, strict=True)
        )

    mappings = getattr(made, "_default_to_infrequent_mappings", None) or [None] * len(counts)
    rare = getattr(made, "_infrequent_indices", None) or [None] * len(counts)
    is_sound = (
        below(getattr(made, "drop_idx_", None), counts)
        and below(getattr(made, "_drop_idx_after_grouping", None), counts)
        and all(
            mapping is None or (len(mapping) == count and mapping.max(initial=0) < count)
            for mapping, count in zip(mappings, counts, strict=True)
        )
        and all(
            each is None or each.max(initial=0) < count
            for each, count in zip(rare, counts, strict=True)
        )
    )
    return "" if is_sound else "its categories do not belong together"


def _finish_clusters(made: Any) -> None:
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    made._n_threads = _openmp_effective_n_threads()


category_values = Kind(
    "an array of categories",
    lambda value, sizes: (
        isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biufUO"
    ),
)
MEAN_AND_SCALE = optional(real("d", nan=True))

PREPROCESSING = (
    Known(
        "sklearn.preprocessing.StandardScaler",
        FEATURES
        | {
            "mean_": MEAN_AND_SCALE,
            "var_": MEAN_AND_SCALE,
            "scale_": MEAN_AND_SCALE,
            "n_samples_seen_": either(number(low=0), whole("d"), real("d", low=0)),
        },
    ),
    Known(
        "sklearn.preprocessing.MinMaxScaler",
        FEATURES
        | dict.fromkeys(
            ("scale_", "min_", "data_min_", "data_max_", "data_range_"), real("d", nan=True)
        )
        | {"n_samples_seen_": number(low=0)},
    ),
    Known(
        "sklearn.preprocessing.RobustScaler",
        FEATURES | {"center_": MEAN_AND_SCALE, "scale_": MEAN_AND_SCALE},
    ),
    Known(
        "sklearn.preprocessing.OneHotEncoder",
        FEATURES
        | {
            "categories_": listed(category_values, "d"),
            "_infrequent_enabled": flag,
            "_infrequent_indices": optional(listed(optional(whole("*")))),
            "_default_to_infrequent_mappings": optional(listed(optional(whole("*")))),
            "drop_idx_": optional(anything_plain),
            "_drop_idx_after_grouping": optional(anything_plain),
            "_n_features_outs": listed(size(), "d"),
        },
        problem=_encoder_problem,
    ),
    Known(
        "sklearn.preprocessing.LabelBinarizer",
        CLASSES | {"y_type_": word("binary", "multiclass"), "sparse_input_": flag},
    ),
    Known(
        "sklearn.impute.SimpleImputer",
        FEATURES
        | {
            "statistics_": either(real("d", nan=True), category_values),
            "indicator_": nothing,
            "_fit_dtype": instance(*{type(np.dtype(name)) for name in ("f4", "f8", "O", "i8")}),
            "_fill_dtype": optional(anything_plain),
        },
    ),
    Known(
        "sklearn.decomposition.PCA",
        FEATURES
        | {
            "components_": real("c d"),
            "mean_": real("d"),
            "explained_variance_": real("c"),
            "explained_variance_ratio_": real("c", nan=True),
            "singular_values_": real("c"),
            "noise_variance_": number(),
            "n_samples_": size(),
            "n_components_": size("c"),
            "_fit_svd_solver": text,
            "_n_features_out": optional(size()),
        },
    ),
    Known(
        "sklearn.cluster.KMeans",
        FEATURES
        | {
            "cluster_centers_": real("c d"),
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
        problem=lambda made, sizes: (
            "" if made.n_clusters == sizes["c"] else "it has other clusters than centres"
        ),
    ),
)
