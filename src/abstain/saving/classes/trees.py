"""What do files hold of trees, forests and boosting?

scikit-learn follows the indices in a tree without checking them: a forged tree could make it read
any memory, or loop forever. In a valid tree both children of a node come after it, and splits are
on existing features. The depth is computed, not read from the file.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError
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
from abstain.saving.known import KnownClass

Array = NDArray[Any]
LEAF, UNDEFINED = -1, -2
# Following a sample through a tree takes memory per level.
MAX_TREE_DEPTH = 10_000


def tree_state(tree: Any) -> dict[str, Any]:
    """Return the arrays of a decision tree."""
    state = tree.__getstate__()
    if tree.max_depth > MAX_TREE_DEPTH:
        raise _too_deep()
    return {
        "n_features": int(tree.n_features),
        "n_classes": np.asarray(tree.n_classes, dtype=np.int64),
        "nodes": _columns(state["nodes"]),
        "values": state["values"],
    }


def tree_from(state: Any) -> Any:
    """Return the tree of a state, after checking it."""
    from sklearn.tree._tree import NODE_DTYPE, Tree

    _require_names(state, {"n_features", "n_classes", "nodes", "values"})
    n_features, n_classes, values = state["n_features"], state["n_classes"], state["values"]
    nodes = _records(state["nodes"], NODE_DTYPE)
    _require(type(n_features) is int and 0 < n_features < 2**31)
    _require(
        isinstance(n_classes, np.ndarray)
        and n_classes.dtype == np.int64
        and n_classes.shape == (1,)
        and n_classes[0] > 0
    )
    shape = (len(nodes), 1, int(n_classes[0]))
    _require(isinstance(values, np.ndarray) and values.dtype == np.float64)
    _require(values.shape == shape and bool(np.isfinite(values).all()))
    left, right, feature = nodes["left_child"], nodes["right_child"], nodes["feature"]
    inner = left != LEAF
    _require(bool((right[~inner] == LEAF).all()))
    _require(bool(((feature[inner] >= 0) & (feature[inner] < n_features)).all()))
    _require(bool((feature[~inner] == UNDEFINED).all()))
    _require(bool((nodes["missing_go_to_left"] <= 1).all()))
    depth = _depth(left, right, inner)
    tree = Tree(n_features, n_classes.astype(np.intp), 1)
    tree.__setstate__(
        {
            "max_depth": depth,
            "node_count": len(nodes),
            "nodes": nodes,
            "values": np.ascontiguousarray(values),
        }
    )
    return tree


def boosting_tree_state(predictor: Any) -> dict[str, Any]:
    """Return the arrays of a tree of histogram boosting; splits by category are refused."""
    if predictor.nodes["is_categorical"].any():
        raise InputError(
            "splits by category cannot be saved; encode categories before, such as by OneHotEncoder"
        )
    return {"nodes": _columns(predictor.nodes)}


def boosting_tree_from(state: Any) -> Any:
    """Return the tree of a state, after checking all but its features: it has no number of them."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

    _require_names(state, {"nodes"})
    nodes = _records(state["nodes"], PREDICTOR_RECORD_DTYPE)
    _require(bool((nodes["is_leaf"] <= 1).all() and (nodes["is_categorical"] == 0).all()))
    _require(bool((nodes["missing_go_to_left"] <= 1).all() and np.isfinite(nodes["value"]).all()))
    inner = nodes["is_leaf"] == 0
    _depth(nodes["left"].astype(np.int64), nodes["right"].astype(np.int64), inner)
    nothing = np.zeros((0, 8), dtype=np.uint32)
    return TreePredictor(nodes, nothing, nothing.copy())


def _columns(records: Array) -> dict[str, Any]:
    """Return records as one matrix per type of column, and the names of the columns."""
    groups = _by_type(records.dtype)
    stacked = {kind: np.stack([records[name] for name in names]) for kind, names in groups.items()}
    return {"names": list(records.dtype.names or ()), **stacked}


def _by_type(dtype: np.dtype[Any]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in dtype.names or ():
        groups.setdefault(dtype[name].str, []).append(name)
    return groups


def _records(columns: Any, dtype: np.dtype[Any]) -> Array:
    """Return columns as records of the type that this version of scikit-learn has."""
    groups = _by_type(dtype)
    _require_names(columns, {"names", *groups})
    if columns["names"] != list(dtype.names or ()):
        raise _other_parts()
    matrices = [columns[kind] for kind in groups]
    _require(all(isinstance(each, np.ndarray) and each.ndim == 2 for each in matrices))
    n_nodes = matrices[0].shape[1]
    _require(0 < n_nodes < 2**31)
    records = np.zeros(n_nodes, dtype=dtype)
    for (kind, names), matrix in zip(groups.items(), matrices, strict=True):
        _require(matrix.dtype.str == kind and matrix.shape == (len(names), n_nodes))
        for name, column in zip(names, matrix, strict=True):
            records[name] = column
    return records


def _depth(left: Array, right: Array, inner: Array) -> int:
    """Return the depth of a tree; each node but the first must be the child of an earlier one."""
    index = np.flatnonzero(inner)
    children = np.concatenate([left[index], right[index]]).astype(np.int64)
    parents = np.concatenate([index, index])
    _require(bool(((parents < children) & (children < len(left))).all()))
    _require(len(np.unique(children)) == len(children) == len(left) - 1)
    level = np.zeros(1, dtype=np.int64)
    for depth in range(MAX_TREE_DEPTH):
        level = level[inner[level]]
        if not len(level):
            return depth
        level = np.concatenate([left[level], right[level]]).astype(np.int64)
    raise _too_deep()


def _too_deep() -> InputError:
    return InputError(f"a tree in it is deeper than {MAX_TREE_DEPTH:,} levels; set max_depth")


def _require_names(state: Any, names: set[str]) -> None:
    if not isinstance(state, dict) or set(state) != names:
        raise _other_parts()


def _other_parts() -> InputError:
    return InputError("a tree in it has other parts than trees of this scikit-learn have")


def _require(is_sound: bool) -> None:
    if not is_sound:
        raise InputError("a tree in it is not sound: it points outside of what it holds")


# --- classes ------------------------------------------------------------------------------------


def _tree_problem(obj: Any, sizes: Sizes) -> str:
    tree, is_classifier = obj.tree_, "k" in sizes
    if tree.n_features != sizes["d"] or tree.n_classes[0] != sizes.get("k", 1):
        return "its tree is not of its size"
    are_shares = tree.value.min() >= 0 and np.allclose(tree.value.sum(axis=2), 1)
    if is_classifier and not are_shares:
        return "its leaves hold no shares of classes"
    return ""


def _forest_problem(obj: Any, sizes: Sizes) -> str:
    fits = all(
        hasattr(tree, "tree_")
        and tree.n_features_in_ == sizes["d"]
        and tree.tree_.n_classes[0] == sizes["k"]
        for tree in obj.estimators_
    )
    return "" if fits and obj.estimators_ else "its trees are not of its size"


def _finish_forest(obj: Any) -> None:
    obj.estimator_, obj._sample_weight = obj.estimator, None


TREE = FEATURES | {
    "n_outputs_": one,
    "classes_": labels("k"),
    "n_classes_": size("k"),
    "max_features_": size(low=1),
    "tree_": instance("Tree"),
}


def _forest(name: str, tree: str) -> KnownClass:
    return KnownClass(
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


def _finish_boosting(obj: Any) -> None:
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
    from sklearn.preprocessing import LabelEncoder

    obj._label_encoder = LabelEncoder().fit(obj.classes_)
    obj._loss = obj._get_loss(sample_weight=None)
    mapper = obj._bin_mapper = _BinMapper()
    mapper.is_categorical_ = np.zeros(obj.n_features_in_, dtype=np.uint8)
    mapper.bin_thresholds_ = []
    obj._n_features = obj.n_features_in_
    obj._preprocessor = obj.is_categorical_ = obj._is_categorical_remapped = None
    obj._feature_subsample_rng = np.random.default_rng(obj._random_seed)


def _boosting_problem(obj: Any, sizes: Sizes) -> str:
    n_trees = 1 if sizes["k"] == 2 else sizes["k"]
    features = [
        tree.nodes["feature_idx"][tree.nodes["is_leaf"] == 0]
        for trees in obj._predictors
        for tree in trees
    ]
    is_sound = sizes["t"] == n_trees and all(
        bool(((each >= 0) & (each < sizes["d"])).all()) for each in features
    )
    return "" if is_sound else "its trees do not fit its classes and features"


def _stages_problem(obj: Any, sizes: Sizes) -> str:
    """Check that each stage has a tree per score: scikit-learn adds them unchecked."""
    n_trees = 1 if sizes["k"] == 2 else sizes["k"]
    fits = all(
        type(tree).__name__ == "DecisionTreeRegressor"
        and hasattr(tree, "tree_")
        and tree.n_features_in_ == sizes["d"]
        for tree in obj.estimators_.ravel().tolist()
    )
    is_sound = (
        fits
        and obj.estimators_.shape == (obj.n_estimators_, n_trees)
        and sizes["t"] == n_trees
        and obj.n_estimators_ > 0
        and obj.init_.class_prior_.shape == (sizes["k"],)
    )
    return "" if is_sound else "its trees do not fit its classes and features"


def _finish_stages(obj: Any) -> None:
    obj._loss = obj._get_loss(sample_weight=None)
    obj._rng = np.random.RandomState()


stages = Kind(
    "rows of trees",
    lambda value, sizes: (
        isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 2
    ),
)


TREES = (
    KnownClass("sklearn.tree.DecisionTreeClassifier", TREE, problem=_tree_problem),
    KnownClass("sklearn.tree.ExtraTreeClassifier", TREE, problem=_tree_problem),
    KnownClass(
        "sklearn.tree.DecisionTreeRegressor",
        FEATURES | {"n_outputs_": one, "max_features_": size(low=1), "tree_": instance("Tree")},
        problem=_tree_problem,
    ),
    _forest("RandomForestClassifier", "DecisionTreeClassifier"),
    _forest("ExtraTreesClassifier", "ExtraTreeClassifier"),
    KnownClass(
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
    KnownClass(
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
