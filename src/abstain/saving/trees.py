"""How are decision trees stored, and checked when they are read?

scikit-learn follows the indices in a tree without checking them: a forged tree could make it read
any memory, or loop forever. In a valid tree both children of a node come after it, and splits are
on existing features. The depth is computed, not read from the file.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.errors import InputError
from abstain.saving.kinds import FEATURES, Kind, Sizes, array, check_attributes, parts, real, whole

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


@cache
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
