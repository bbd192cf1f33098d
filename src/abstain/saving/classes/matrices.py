"""What do files hold of classifiers that consist of a few matrices?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Mapping
from typing import Any

import numpy as np

from abstain.saving.kinds import (
    CLASSES,
    FEATURES,
    POSITIVE,
    Kind,
    Sizes,
    anything_plain,
    both,
    either,
    flag,
    float64,
    instance,
    int32,
    labels,
    listed,
    nothing,
    number,
    one,
    optional,
    real,
    shares,
    size,
    strings,
    text,
    whole,
    word,
)
from abstain.saving.known import KnownClass


def _one_row_for_two(obj: Any, sizes: Sizes) -> str:
    """Check that a linear model has one row of weights for two classes, else one per class."""
    wanted = 1 if sizes["k"] == 2 else sizes["k"]
    return "" if sizes["r"] == wanted else f"{sizes['k']} classes need {wanted} rows of weights"


LINEAR = CLASSES | FEATURES | {"coef_": real("r d"), "intercept_": real("r")}


def _layers_fit(obj: Any, sizes: Sizes) -> str:
    widths = [matrix.shape[0] for matrix in obj.coefs_] + [obj.coefs_[-1].shape[1]]
    n_outputs = 1 if sizes["k"] == 2 else sizes["k"]
    is_chain = (
        all(w.shape[1] == width for w, width in zip(obj.coefs_, widths[1:], strict=True))
        and [len(each) for each in obj.intercepts_] == widths[1:]
        and widths[0] == sizes["d"]
        and widths[-1] == obj.n_outputs_ == n_outputs
        and obj.n_layers_ == len(widths)
        and obj.out_activation_ == ("logistic" if n_outputs == 1 else "softmax")
        and obj._label_binarizer.classes_.tolist() == obj.classes_.tolist()
    )
    return "" if is_chain else "its layers do not fit one another"


def _finish_svc(obj: Any) -> None:
    """Set the public coefficients, which have the opposite sign for two classes."""
    sign = -1 if len(obj.classes_) == 2 else 1
    obj.intercept_ = sign * obj._intercept_ if sign < 0 else obj._intercept_.copy()
    obj.dual_coef_ = -obj._dual_coef_ if sign < 0 else obj._dual_coef_


def _svc_problem(obj: Any, sizes: Sizes) -> str:
    k = sizes["k"]
    n_probabilities = {len(obj._probA), len(obj._probB)}
    is_sound = (
        sizes["q"] == k - 1
        and sizes["p"] == k * (k - 1) // 2
        and int(obj._n_support.sum(dtype=np.int64)) == sizes["v"]
        and n_probabilities in ({0}, {sizes["p"]})
        and obj.shape_fit_[1] == sizes["d"]
        and bool((obj.support_ < obj.shape_fit_[0]).all())
        and obj._dual_coef_.flags.c_contiguous
        and obj.support_vectors_.flags.c_contiguous
    )
    return (
        "" if is_sound else "its support vectors, classes and coefficients do not belong together"
    )


METRICS = (
    *("minkowski", "euclidean", "manhattan", "chebyshev", "cosine", "l1", "l2", "cityblock"),
    *("canberra", "braycurtis", "hamming", "nan_euclidean"),
)


class _Neighbours(KnownClass):
    """Nearest neighbours are saved as their samples, and fitted again."""

    def state(self, obj: Any) -> dict[str, Any]:
        """Return the samples, their classes, and the names of the features."""
        names = ("_fit_X", "_y", "classes_", "n_features_in_", "feature_names_in_")
        return {name: vars(obj)[name] for name in names if name in vars(obj)}

    def restore(self, obj: Any, state: Mapping[str, Any]) -> None:
        """Fit the samples again, which builds the same search tree."""
        if "_fit_X" in state:
            obj.fit(state["_fit_X"], state["classes_"][state["_y"]])
        if state.get("feature_names_in_") is not None:
            obj.feature_names_in_ = state["feature_names_in_"]


pair_of_sizes = Kind(
    "two counts",
    lambda value, sizes: (
        type(value) is tuple
        and len(value) == 2
        and all(type(each) is int and each >= 0 for each in value)
    ),
)

MATRICES = (
    KnownClass(
        "sklearn.linear_model.LogisticRegression",
        LINEAR | {"n_iter_": whole("*")},
        problem=_one_row_for_two,
    ),
    KnownClass(
        "sklearn.linear_model.RidgeClassifier",
        FEATURES
        | {
            "_label_binarizer": instance("LabelBinarizer"),
            "classes_": optional(labels("k")),
            "coef_": either(real("r d"), real("d")),
            "intercept_": either(real("r"), number()),
            "n_iter_": optional(anything_plain),
            "solver_": optional(text),
        },
        problem=lambda obj, sizes: _one_row_for_two(
            obj, {"r": 1} | sizes | {"k": len(obj._label_binarizer.classes_)}
        ),
    ),
    KnownClass("sklearn.svm.LinearSVC", LINEAR | {"n_iter_": size()}, problem=_one_row_for_two),
    KnownClass(
        "sklearn.naive_bayes.GaussianNB",
        CLASSES
        | FEATURES
        | {
            "theta_": real("k d"),
            "var_": real("k d", low=POSITIVE),
            "class_count_": real("k", low=0),
            "class_prior_": both(real("k", low=0, high=1), shares),
            "epsilon_": number(low=0),
        },
    ),
    KnownClass(
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
        LINEAR
        | {
            "priors_": real("k", low=0),
            "means_": real("k d"),
            "xbar_": optional(real("d")),
            "scalings_": optional(real("d *")),
            "explained_variance_ratio_": optional(real("*", nan=True)),
            "covariance_": optional(real("d d")),
            "_max_components": size(),
            "_n_features_out": optional(size()),
        },
        problem=_one_row_for_two,
    ),
    KnownClass(
        "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",
        CLASSES
        | FEATURES
        | {
            "priors_": real("k", low=0),
            "means_": real("k d"),
            "scalings_": listed(real("*"), "k"),
            "rotations_": listed(real("d *"), "k"),
            "covariance_": optional(listed(real("d d"), "k")),
        },
        problem=lambda obj, sizes: (
            ""
            if all(
                len(scaling) == rotation.shape[1]
                for scaling, rotation in zip(obj.scalings_, obj.rotations_, strict=True)
            )
            else "its scalings and rotations do not belong together"
        ),
    ),
    KnownClass(
        "sklearn.neural_network.MLPClassifier",
        CLASSES
        | FEATURES
        | {
            "coefs_": listed(real("* *")),
            "intercepts_": listed(real("*")),
            "n_layers_": size(low=2),
            "n_outputs_": size(low=1),
            "out_activation_": word("logistic", "softmax"),
            "_label_binarizer": instance("LabelBinarizer"),
            "n_iter_": size(),
            "t_": number(low=0),
            "loss_": number(),
            "loss_curve_": optional(listed(number())),
            "best_loss_": optional(number(high=np.inf)),
            "validation_scores_": optional(listed(number())),
            "best_validation_score_": optional(number()),
        },
        dropped=frozenset(
            {"_optimizer", "_random_state", "_best_coefs", "_best_intercepts"}
            | {"_no_improvement_count", "_coef_indptr", "_intercept_indptr"}
        ),
        problem=_layers_fit,
    ),
    KnownClass(
        "sklearn.svm.SVC",
        CLASSES
        | FEATURES
        | {
            "_sparse": Kind("False", lambda value, sizes: value is False),
            "class_weight_": real("k"),
            "_effective_probability": optional(flag),
            "_gamma": number(low=0),
            "support_": both(whole("v"), int32),
            "support_vectors_": both(real("v d"), float64),
            "_n_support": both(whole("k"), int32),
            "_dual_coef_": both(real("q v"), float64),
            "_intercept_": both(real("p"), float64),
            "_probA": both(real("*"), float64),
            "_probB": both(real("*"), float64),
            "fit_status_": size(),
            "_num_iter": whole("*"),
            "n_iter_": whole("*"),
            "shape_fit_": pair_of_sizes,
        },
        params={"kernel": word("linear", "poly", "rbf", "sigmoid")},
        dropped=frozenset({"intercept_", "dual_coef_"}),
        finish=_finish_svc,
        problem=_svc_problem,
    ),
    _Neighbours(
        "sklearn.neighbors.KNeighborsClassifier",
        CLASSES | FEATURES | {"_fit_X": real("n d", nan=True), "_y": whole("n", below="k")},
        params={
            "weights": optional(word("uniform", "distance")),
            # Other metrics take parameters, which would have to be checked against the samples.
            "metric": word(*METRICS),
            "metric_params": nothing,
        },
    ),
    KnownClass(
        "sklearn.neighbors.NearestCentroid",
        CLASSES
        | FEATURES
        | {
            "centroids_": real("k d"),
            "class_prior_": optional(real("k", low=0)),
            "true_classes_": optional(labels("k")),
            "deviations_": optional(real("k d")),
            "within_class_std_dev_": optional(real("d", low=0)),
        },
    ),
    KnownClass(
        "sklearn.dummy.DummyClassifier",
        CLASSES
        | {
            "n_features_in_": optional(size()),
            "feature_names_in_": optional(strings("*")),
            "n_classes_": size("k"),
            "n_outputs_": one,
            "class_prior_": both(real("k", low=0, high=1), shares),
            "_strategy": word("prior"),
            "sparse_output_": flag,
        },
        params={"strategy": word("prior"), "constant": nothing},
    ),
)
