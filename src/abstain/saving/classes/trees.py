"""What must hold for trees, forests and boosting?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np

from abstain.saving.kinds import (
    CLASSES,
    FEATURES,
    Kind,
    Sizes,
    flag,
    instance,
    labels,
    listed,
    nothing,
    number,
    one,
    optional,
    real,
    size,
    word,
)
from abstain.saving.known import Known

__all__ = ["TREES"]


def _tree_problem(made: Any, sizes: Sizes) -> str:
    tree, is_classifier = made.tree_, "k" in sizes
    if tree.n_features != sizes["d"] or tree.n_classes[0] != sizes.get("k", 1):
        return "its tree is not of its size"
    are_shares = tree.value.min() >= 0 and np.allclose(tree.value.sum(axis=2), 1)
    if is_classifier and not are_shares:
        return "its leaves hold no shares of classes"
    return ""


def _forest_problem(made: Any, sizes: Sizes) -> str:
    fits = all(
        hasattr(tree, "tree_")
        and tree.n_features_in_ == sizes["d"]
        and tree.tree_.n_classes[0] == sizes["k"]
        for tree in made.estimators_
    )
    return "" if fits and made.estimators_ else "its trees are not of its size"


def _finish_forest(made: Any) -> None:
    made.estimator_, made._sample_weight = made.estimator, None


TREE = FEATURES | {
    "n_outputs_": one,
    "classes_": labels("k"),
    "n_classes_": size("k"),
    "max_features_": size(low=1),
    "tree_": instance("Tree"),
}


def _forest(name: str, tree: str) -> Known:
    return Known(
        f"sklearn.ensemble.{name}",
        FEATURES
        | CLASSES
        | {
            "n_classes_": size("k"),
            "n_outputs_": one,
            "estimators_": listed(instance(tree)),
            "_n_samples": optional(size()),
            "_n_samples_bootstrap": optional(size()),
            "oob_score_": optional(number()),
            "oob_decision_function_": optional(real("* k", nan=True)),
        },
        dropped=frozenset({"estimator_", "_sample_weight"}),
        finish=_finish_forest,
        problem=_forest_problem,
    )


def _finish_boosting(made: Any) -> None:
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
    from sklearn.preprocessing import LabelEncoder

    made._label_encoder = LabelEncoder().fit(made.classes_)
    made._loss = made._get_loss(sample_weight=None)
    mapper = made._bin_mapper = _BinMapper()
    mapper.is_categorical_ = np.zeros(made.n_features_in_, dtype=np.uint8)
    mapper.bin_thresholds_ = []
    made._n_features = made.n_features_in_
    made._preprocessor = made.is_categorical_ = made._is_categorical_remapped = None
    made._feature_subsample_rng = np.random.default_rng(made._random_seed)


def _boosting_problem(made: Any, sizes: Sizes) -> str:
    n_trees = 1 if sizes["k"] == 2 else sizes["k"]
    features = [
        tree.nodes["feature_idx"][tree.nodes["is_leaf"] == 0]
        for trees in made._predictors
        for tree in trees
    ]
    is_sound = sizes["t"] == n_trees and all(
        bool(((each >= 0) & (each < sizes["d"])).all()) for each in features
    )
    return "" if is_sound else "its trees do not fit its classes and features"


def _stages_problem(made: Any, sizes: Sizes) -> str:
    """Return whether each stage has a tree for each score: scikit-learn adds them unchecked."""
    n_trees = 1 if sizes["k"] == 2 else sizes["k"]
    fits = all(
        type(tree).__name__ == "DecisionTreeRegressor"
        and hasattr(tree, "tree_")
        and tree.n_features_in_ == sizes["d"]
        for tree in made.estimators_.ravel().tolist()
    )
    is_sound = (
        fits
        and made.estimators_.shape == (made.n_estimators_, n_trees)
        and sizes["t"] == n_trees
        and made.n_estimators_ > 0
        and made.init_.class_prior_.shape == (sizes["k"],)
    )
    return "" if is_sound else "its trees do not fit its classes and features"


def _finish_stages(made: Any) -> None:
    made._loss = made._get_loss(sample_weight=None)
    made._rng = np.random.RandomState()


stages = Kind(
    "rows of trees",
    lambda value, sizes: (
        isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 2
    ),
)


TREES = (
    Known("sklearn.tree.DecisionTreeClassifier", TREE, problem=_tree_problem),
    Known("sklearn.tree.ExtraTreeClassifier", TREE, problem=_tree_problem),
    Known(
        "sklearn.tree.DecisionTreeRegressor",
        FEATURES | {"n_outputs_": one, "max_features_": size(low=1), "tree_": instance("Tree")},
        problem=_tree_problem,
    ),
    _forest("RandomForestClassifier", "DecisionTreeClassifier"),
    _forest("ExtraTreesClassifier", "ExtraTreeClassifier"),
    Known(
        "sklearn.ensemble.HistGradientBoostingClassifier",
        CLASSES
        | FEATURES
        | {
            "n_trees_per_iteration_": size("t"),
            "_baseline_prediction": real("1 t"),
            "_predictors": listed(listed(instance("TreePredictor"), "t")),
            "_random_seed": optional(size()),
            "do_early_stopping_": flag,
            "_use_validation_data": flag,
            "train_score_": real("*"),
            "validation_score_": real("*"),
            "_preprocessor": nothing,
        },
        params={"loss": word("log_loss")},
        dropped=frozenset(
            {"_label_encoder", "_loss", "_bin_mapper", "_n_features", "_scorer", "_raw_predict"}
            | {"is_categorical_", "_is_categorical_remapped", "_feature_subsample_rng"}
        ),
        finish=_finish_boosting,
        problem=_boosting_problem,
    ),
    Known(
        "sklearn.ensemble.GradientBoostingClassifier",
        CLASSES
        | FEATURES
        | {
            "n_classes_": size("k"),
            "n_trees_per_iteration_": size("t"),
            "max_features_": size(low=1),
            "init_": instance("DummyClassifier"),
            "estimators_": stages,
            "n_estimators_": size(low=1),
            "train_score_": real("*"),
            "oob_improvement_": optional(real("*")),
            "oob_scores_": optional(real("*")),
            "oob_score_": optional(number()),
        },
        params={"init": nothing, "loss": word("log_loss", "exponential")},
        dropped=frozenset({"_loss", "_rng"}),
        finish=_finish_stages,
        problem=_stages_problem,
    ),
)
