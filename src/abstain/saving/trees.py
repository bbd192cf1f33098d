"""What do files hold of trees, forests and boosting?

scikit-learn follows the indices in a tree without checking them: a forged tree could make it read
any memory, or loop forever. In a valid tree both children of a node come after it, and splits are
on existing features. The depth is computed, not read from the file.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain.saving.kinds import (
    CLASSIFIER,
    FEATURES,
    Kind,
    Sizes,
    array,
    check_attributes,
    flag,
    instance,
    listed,
    nothing,
    number,
    optional,
    parts,
    real,
    size,
    whole,
    word,
)
from abstain.saving.known import KnownClass

Array = NDArray[Any]
LEAF, UNDEFINED = -1, -2
# Following a sample through a tree takes memory per level.
MAX_TREE_DEPTH = 10_000

# --- nodes --------------------------------------------------------------------------------------


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

    kinds = {
        "n_features": FEATURES["n_features_in_"],
        "n_classes": whole("1", low=1, dtype="int64"),
        "nodes": _columns_of(NODE_DTYPE),
        "values": real("m 1 c", dtype="float64"),
    }
    sizes: Sizes = {}
    check_attributes("Tree", state, kinds, sizes)
    nodes = _records(state["nodes"], NODE_DTYPE)
    left, right, feature = nodes["left_child"], nodes["right_child"], nodes["feature"]
    inner = left != LEAF
    _require(
        sizes["c"] == state["n_classes"][0]
        and (right[~inner] == LEAF).all()
        and ((feature[inner] >= 0) & (feature[inner] < sizes["d"])).all()
        and (feature[~inner] == UNDEFINED).all()
        and (nodes["missing_go_to_left"] <= 1).all()
    )
    tree = Tree(sizes["d"], state["n_classes"].astype(np.intp), 1)
    tree.__setstate__(
        {
            "max_depth": _depth(left, right, inner),
            "node_count": len(nodes),
            "nodes": nodes,
            "values": np.ascontiguousarray(state["values"]),
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

    check_attributes("TreePredictor", state, {"nodes": _columns_of(PREDICTOR_RECORD_DTYPE)}, {})
    nodes = _records(state["nodes"], PREDICTOR_RECORD_DTYPE)
    _require(
        (nodes["is_leaf"] <= 1).all()
        and (nodes["is_categorical"] == 0).all()
        and (nodes["missing_go_to_left"] <= 1).all()
        and np.isfinite(nodes["value"]).all()
    )
    _depth(nodes["left"].astype(np.int64), nodes["right"].astype(np.int64), nodes["is_leaf"] == 0)
    no_categories = np.zeros((0, 8), dtype=np.uint32)
    return TreePredictor(nodes, no_categories, no_categories.copy())


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


def _columns_of(dtype: np.dtype[Any]) -> Kind:
    """Return the kind of the columns of records, which versions of scikit-learn may change."""
    names = list(dtype.names or ())
    matrices = {
        kind: array(f"{len(names)} m", "iuf", "columns", dtype=kind)
        for kind, names in _by_type(dtype).items()
    }
    is_same = Kind(
        "those of this scikit-learn", lambda value, sizes: type(value) is list and value == names
    )
    return parts("Tree.nodes", {"names": is_same, **matrices})


def _records(columns: Mapping[str, Any], dtype: np.dtype[Any]) -> Array:
    groups = _by_type(dtype)
    records = np.zeros(columns[next(iter(groups))].shape[1], dtype=dtype)
    for kind, names in groups.items():
        for name, column in zip(names, columns[kind], strict=True):
            records[name] = column
    return records


def _depth(left: Array, right: Array, inner: Array) -> int:
    """Return the depth of a tree; each node but the first must be the child of an earlier one."""
    index = np.flatnonzero(inner)
    children = np.concatenate([left[index], right[index]]).astype(np.int64)
    parents = np.concatenate([index, index])
    _require(
        ((parents < children) & (children < len(left))).all()
        and len(np.unique(children)) == len(children) == len(left) - 1
    )
    level = np.zeros(1, dtype=np.int64)
    for depth in range(MAX_TREE_DEPTH):
        level = level[inner[level]]
        if not len(level):
            return depth
        level = np.concatenate([left[level], right[level]]).astype(np.int64)
    raise _too_deep()


def _too_deep() -> InputError:
    return InputError(f"a tree in it is deeper than {MAX_TREE_DEPTH:,} levels; set max_depth")


def _require(is_sound: Any) -> None:
    if not is_sound:
        raise InputError("a tree in it is not sound: it points outside of what it holds")


# --- classes ------------------------------------------------------------------------------------


def _is_tree_of_size(obj: Any, sizes: Sizes) -> Any:
    return obj.tree_.n_features == sizes["d"] and obj.tree_.n_classes[0] == sizes.get("k", 1)


def _are_shares(obj: Any, sizes: Sizes) -> Any:
    return obj.tree_.value.min() >= 0 and np.allclose(obj.tree_.value.sum(axis=2), 1)


def _are_of_forest(obj: Any, sizes: Sizes) -> bool:
    return bool(obj.estimators_) and all(
        hasattr(tree, "tree_")
        and tree.n_features_in_ == sizes["d"]
        and tree.tree_.n_classes[0] == sizes["k"]
        for tree in obj.estimators_
    )


def _are_stages(obj: Any, sizes: Sizes) -> bool:
    """Return whether stages consist of regression trees: scikit-learn adds them unchecked."""
    return obj.init_.class_prior_.shape == (sizes["k"],) and all(
        type(tree).__name__ == "DecisionTreeRegressor"
        and hasattr(tree, "tree_")
        and tree.n_features_in_ == sizes["d"]
        for tree in obj.estimators_.ravel().tolist()
    )


def _split_features(obj: Any, sizes: Sizes) -> bool:
    features = [
        tree.nodes["feature_idx"][tree.nodes["is_leaf"] == 0]
        for trees in obj._predictors
        for tree in trees
    ]
    return all(((each >= 0) & (each < sizes["d"])).all() for each in features)


def _finish_forest(obj: Any) -> None:
    obj.estimator_, obj._sample_weight = obj.estimator, None


def _finish_stages(obj: Any) -> None:
    obj._loss = obj._get_loss(sample_weight=None)
    obj._rng = np.random.RandomState()


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


TREE = {"n_outputs_": size("1"), "max_features_": size(low=1), "tree_": instance("Tree")}
OF_SIZE = {"its tree is not of its size": _is_tree_of_size}
TREES = (
    KnownClass("sklearn.tree.DecisionTreeRegressor", FEATURES | TREE, relations=OF_SIZE),
    *(
        KnownClass(
            f"sklearn.tree.{tree}",
            CLASSIFIER | TREE,
            n_classes_=size("k"),
            relations=OF_SIZE | {"its leaves hold no shares of classes": _are_shares},
        )
        for tree in ("DecisionTreeClassifier", "ExtraTreeClassifier")
    ),
    *(
        KnownClass(
            f"sklearn.ensemble.{forest}",
            CLASSIFIER,
            n_classes_=size("k"),
            n_outputs_=size("1"),
            estimators_=listed(instance(tree)),
            _n_samples=optional(size()),
            _n_samples_bootstrap=optional(size()),
            oob_score_=optional(number()),
            oob_decision_function_=optional(real("* k", nan=True)),
            dropped="estimator_ _sample_weight",
            finish=_finish_forest,
            relations={"its trees are not of its size": _are_of_forest},
        )
        for forest, tree in (
            ("RandomForestClassifier", "DecisionTreeClassifier"),
            ("ExtraTreesClassifier", "ExtraTreeClassifier"),
        )
    ),
    KnownClass(
        "sklearn.ensemble.HistGradientBoostingClassifier",
        CLASSIFIER,
        n_trees_per_iteration_=size("scores"),
        _baseline_prediction=real("1 scores"),
        _predictors=listed(listed(instance("TreePredictor"), "scores")),
        _random_seed=optional(size()),
        do_early_stopping_=flag,
        _use_validation_data=flag,
        train_score_=real("*"),
        validation_score_=real("*"),
        _preprocessor=nothing,
        params={"loss": word("log_loss")},
        dropped="_label_encoder _loss _bin_mapper _n_features _scorer _raw_predict is_categorical_ "
        "_is_categorical_remapped _feature_subsample_rng",
        finish=_finish_boosting,
        relations={"its trees split on other features": _split_features},
    ),
    KnownClass(
        "sklearn.ensemble.GradientBoostingClassifier",
        CLASSIFIER,
        n_classes_=size("k"),
        n_trees_per_iteration_=size("scores"),
        max_features_=size(low=1),
        init_=instance("DummyClassifier"),
        n_estimators_=size("s", low=1),
        estimators_=array("s scores", "O", "trees"),
        train_score_=real("*"),
        oob_improvement_=optional(real("*")),
        oob_scores_=optional(real("*")),
        oob_score_=optional(number()),
        params={"init": nothing, "loss": word("log_loss", "exponential")},
        dropped="_loss _rng",
        finish=_finish_stages,
        relations={"its trees do not fit its classes and features": _are_stages},
    ),
)
