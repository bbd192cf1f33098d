"""How do the trees of scikit-learn become plain arrays, and sound trees again?

scikit-learn follows the indices in a tree without a look at where they lead: a forged one could
make it read any memory, or go round in circles. In a sound tree both children of a node come after
it, and splits are on features that there are. The depth is computed, not believed.
"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import InputError

__all__ = [
    "boosting_tree_from",
    "boosting_tree_state",
    "tree_from",
    "tree_state",
]

Array = NDArray[Any]
LEAF, UNDEFINED = -1, -2
# What a sample passes takes memory for each level.
MAX_TREE_DEPTH = 10_000


def tree_state(tree: Any) -> dict[str, Any]:
    """Return what a tree of a forest or a decision tree is made of."""
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
    """Return the tree of a state, if it is sound."""
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
    _require_features(feature[inner], n_features)
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
    """Return what a tree of histogram boosting is made of; splits by category are refused."""
    if predictor.nodes["is_categorical"].any():
        raise InputError(
            "splits by category cannot be saved; encode categories before, such as by OneHotEncoder"
        )
    return {"nodes": _columns(predictor.nodes)}


def boosting_tree_from(state: Any) -> Any:
    """Return the tree of a state, if it is sound but for the features, which it does not count."""
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
    """Return records as one matrix for each type of column, and the names of the columns."""
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
    """Return the depth of a tree, if each node but the first is the child of one before it."""
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


def _require_features(features: Array, n_features: int) -> None:
    _require(bool(((features >= 0) & (features < n_features)).all()))


def _require_names(state: Any, names: set[str]) -> None:
    if not isinstance(state, dict) or set(state) != names:
        raise _other_parts()


def _other_parts() -> InputError:
    return InputError("a tree in it has other parts than trees of this scikit-learn have")


def _require(is_sound: bool) -> None:
    if not is_sound:
        raise InputError("a tree in it is not sound: it points outside of what it holds")
