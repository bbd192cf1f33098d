"""Do the trees and thresholds of a loaded classifier stay within what they hold?

scikit-learn follows the indices in trees without looking where they lead, so that a forged file
could make it read any memory, or go round in circles, once it predicts. In a sound tree both
children of a node come after it, and splits are on features that there are.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._checks import InputError
from abstain.saving.parts import name_of, parts

__all__ = ["check_sound"]

LEAF = -1


def check_sound(classifier: Any) -> None:
    """Refuse a classifier with indices that lead out of the arrays which they are for."""
    for part in parts(classifier):
        check = _CHECKS.get(name_of(type(part)))
        if check is not None:
            _require(check(part), part)
        held = getattr(part, "__dict__", {})
        if "tree_" in held:
            is_tree = name_of(type(part.tree_)) == _TREE
            _require(is_tree and part.tree_.n_features == part.n_features_in_, part)
        if "_predictors" in held:
            _require(_boosting_is_sound(part), part)
        if type(part).__module__ in _ENSEMBLES:
            trees = np.ravel(np.asarray(held.get("estimators_", []), dtype=object))
            _require([tree.n_features_in_ == part.n_features_in_ for tree in trees], part)


def _require(is_sound: Any, part: Any) -> None:
    if not np.all(is_sound):
        raise InputError(f"a {type(part).__name__} in it points outside of what it holds")


def _children_come_later(left: NDArray[Any], right: NDArray[Any], inner: NDArray[Any]) -> bool:
    index, size = np.arange(len(left)), len(left)
    first, last = np.minimum(left, right), np.maximum(left, right)
    return bool(size and np.all(((index < first) & (last < size))[inner]))


def _tree_is_sound(tree: Any) -> bool:
    inner = tree.children_left != LEAF
    feature = tree.feature[inner]
    return _children_come_later(tree.children_left, tree.children_right, inner) and bool(
        np.all((feature >= 0) & (feature < tree.n_features))
    )


def _predictor_is_sound(predictor: Any) -> bool:
    nodes = predictor.nodes
    inner = nodes["is_leaf"] == 0
    by_category = nodes[inner & (nodes["is_categorical"] != 0)]
    left, right = nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)
    return _children_come_later(left, right, inner) and bool(
        np.all(by_category["bitset_idx"] < len(predictor.raw_left_cat_bitsets))
    )


def _boosting_is_sound(boosting: Any) -> bool:
    split_on = [
        predictor.nodes["feature_idx"][predictor.nodes["is_leaf"] == 0]
        for predictors in boosting._predictors
        for predictor in predictors
    ]
    return all(
        np.all((features >= 0) & (features < boosting.n_features_in_)) for features in split_on
    )


def _search_tree_is_sound(tree: Any) -> bool:
    data, order, nodes, bounds, _, _, n_nodes, *_, distance, _ = tree.__getstate__()
    size, n_features = data.shape
    begin, end, inner = nodes["idx_start"], nodes["idx_end"], nodes["is_leaf"] == 0
    last_child = 2 * np.arange(len(nodes)) + 2
    return bool(
        len(order) == size
        and np.all((order >= 0) & (order < size))
        and n_nodes == len(nodes) == bounds.shape[1]
        and bounds.shape[2] == n_features
        and np.all((begin >= 0) & (begin <= end) & (end <= size))
        and np.all(last_child[inner] < len(nodes))
        and _has_weights_for(distance, n_features)
    )


def _has_weights_for(distance: Any, n_features: int) -> bool:
    """Tell whether a distance has a weight for each feature, or needs none."""
    is_weighted = type(distance).__name__.startswith("Minkowski")
    return not is_weighted or len(distance.__getstate__()[1]) in (0, n_features)


def _matrix_is_sound(matrix: Any) -> bool:
    try:
        matrix.check_format(full_check=True)
    except ValueError:
        return False
    return True


def _thresholds_are_sound(clf: Any) -> bool:
    if not hasattr(clf, "thresholds_"):  # what a search has cloned its candidates from
        return True
    thresholds = np.asarray(clf.thresholds_, dtype=np.float64)
    return thresholds.shape == (len(clf.cells_) + 1,) and not np.isnan(thresholds).any()


_TREE = "sklearn.tree._tree.Tree"
# These check samples once and hand them on to trees that do not.
_ENSEMBLES = {"sklearn.ensemble._forest", "sklearn.ensemble._gb"}
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "abstain.classifier.reject_option.RejectOptionClassifier": _thresholds_are_sound,
    "scipy.sparse._csr.csr_array": _matrix_is_sound,
    "scipy.sparse._csr.csr_matrix": _matrix_is_sound,
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": _predictor_is_sound,
    "sklearn.neighbors._ball_tree.BallTree": _search_tree_is_sound,
    "sklearn.neighbors._kd_tree.KDTree": _search_tree_is_sound,
    _TREE: _tree_is_sound,
}
