"""Which region decides about a sample?

Each cell has a threshold of its own. A rule is a function of a fitted estimator and of samples
that returns the label of one cell a sample. Rules are known by name; any function of that kind is
one, and so is any fitted clusterer, whose clusters are the cells.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._checks import InputError, as_labels, is_missing, shown
from abstain._estimators import n_samples_of, pass_through, unwrap

__all__ = [
    "RULES",
    "CellFunction",
    "CellRule",
    "are_leaves",
    "auto_rule",
    "check_cells",
    "check_rule_serves",
    "find_cells",
    "fitted_rule",
    "global_cell",
    "is_to_be_fitted",
    "known_rule",
    "leaf",
    "means_the_same",
    "predicted_class",
    "prototype_cell",
]

CellFunction = Callable[[Any, Any], ArrayLike]


@dataclass(frozen=True)
class CellRule:
    """A rule that assigns samples to cells, and what it promises.

    Parameters
    ----------
    name : str
        What it is called by.
    function : callable
        Of a fitted estimator and samples; returns one label a sample.
    serves : callable
        Tells whether the rule can be had of a fitted estimator.
    needs : str
        What an estimator must be or have, in words.
    survives : frozenset of str
        Changes of the data, made before the fit and to new samples alike, that leave the cells as
        they are: "shift", "scale", "rotation" (of a model that does not mind them itself). No rule
        depends on the order of the samples or on which others are given with them.

    Examples
    --------
    >>> from abstain.cells import RULES
    >>> RULES["leaf"].needs
    'a decision tree'
    """

    name: str
    function: Callable[[Any, Any], NDArray[Any]]
    serves: Callable[[Any], bool]
    needs: str
    survives: frozenset[str] = frozenset({"shift", "scale", "rotation"})


def global_cell(estimator: Any, X: Any) -> NDArray[Any]:
    """Return the one cell that all samples share.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    cells : ndarray of shape (n_samples,)
        Zeros.

    Examples
    --------
    >>> from abstain.cells import global_cell
    >>> global_cell(None, [[1.0], [2.0]]).tolist()
    [0, 0]
    """
    return np.zeros(n_samples_of(X), dtype=np.int64)


def predicted_class(estimator: Any, X: Any) -> NDArray[Any]:
    """Return the class that each sample is given.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    cells : ndarray of shape (n_samples,)
        Predicted classes.

    Examples
    --------
    >>> from abstain.cells import predicted_class
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> predicted_class(model, [[0.5], [4.5]]).tolist()
    ['a', 'b']
    """
    return np.asarray(estimator.predict(X))


def prototype_cell(estimator: Any, X: Any) -> NDArray[Any]:
    """Return the prototype that wins each sample: its Voronoi cell.

    Parameters
    ----------
    estimator : estimator
        A fitted prototype model, or a pipeline or search that holds one.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    cells : ndarray of shape (n_samples,)
        Index of a prototype.

    Examples
    --------
    >>> from abstain import GLVQ
    >>> from abstain.cells import prototype_cell
    >>> model = GLVQ().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> prototype_cell(model, [[0.5], [4.5]]).tolist()
    [0, 1]
    """
    return _applied(estimator, X)


def leaf(estimator: Any, X: Any) -> NDArray[Any]:
    """Return the leaf of a decision tree that each sample falls in.

    Parameters
    ----------
    estimator : estimator
        A fitted decision tree, or a pipeline or search that holds one.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    cells : ndarray of shape (n_samples,)
        Index of a node.

    Examples
    --------
    >>> from abstain.cells import leaf
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> leaf(model, [[0.5], [4.5]]).tolist()
    [1, 2]
    """
    return _applied(estimator, X)


def _applied(estimator: Any, X: Any) -> NDArray[Any]:
    steps, model = unwrap(estimator)
    return np.asarray(model.apply(pass_through(steps, X)))


def _has_prototypes(estimator: Any) -> bool:
    model = unwrap(estimator)[1]
    return hasattr(model, "apply") and hasattr(model, "prototype_labels_")


def _is_tree(estimator: Any) -> bool:
    from sklearn.tree import DecisionTreeClassifier

    return isinstance(unwrap(estimator)[1], DecisionTreeClassifier)


def _always(estimator: Any) -> bool:
    return True


RULES = {
    rule.name: rule
    for rule in (
        CellRule("global", global_cell, _always, "any classifier"),
        CellRule("class", predicted_class, _always, "any classifier"),
        CellRule("prototype", prototype_cell, _has_prototypes, "a prototype model"),
        CellRule("leaf", leaf, _is_tree, "a decision tree", frozenset({"shift", "scale"})),
    )
}


def auto_rule(estimator: Any) -> CellRule:
    """Return the rule that suits a fitted estimator best.

    The prototype or the leaf where the estimator has one for each sample, else the predicted
    class.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier.

    Returns
    -------
    rule : CellRule
        One of `RULES`.

    Examples
    --------
    >>> from abstain.cells import auto_rule
    >>> from sklearn.naive_bayes import GaussianNB
    >>> auto_rule(GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])).name
    'class'
    """
    names = [name for name in ("prototype", "leaf") if RULES[name].serves(estimator)]
    return RULES[names[0] if names else "class"]


def find_cells(
    estimator: Any, X: Any, cells: Any = "auto", predicted: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return the cell that each sample falls in.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier.
    X : array-like of shape (n_samples, n_features)
        Samples.
    cells : str, callable or fitted clusterer, default="auto"
        Name of a rule, one of `RULES` or "auto"; a function of (estimator, X); or anything
        fitted with ``predict``, such as ``KMeans``, whose clusters are the cells.
    predicted : ndarray of shape (n_samples,), default=None
        The classes that the estimator gives, if they are known: it is not asked again.

    Returns
    -------
    cells : ndarray of shape (n_samples,)
        One label a sample.

    Examples
    --------
    >>> from abstain.cells import find_cells
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> find_cells(model, [[0.5], [4.5]]).tolist()
    ['a', 'b']
    >>> find_cells(model, [[0.5], [4.5]], cells=lambda model, X: ["odd", "even"]).tolist()
    ['odd', 'even']
    """
    function = _function(estimator, cells)
    if function is predicted_class and predicted is not None:
        return predicted
    found = as_labels("cells", function(estimator, X))
    if found.dtype.kind in "Of":
        for index, label in enumerate(found.tolist()):
            if is_missing(label):
                raise InputError(f"cells must hold no missing value, got {label} at index {index}")
    if len(found) != n_samples_of(X):
        raise InputError(
            f"cells must return one label for each of {n_samples_of(X)} samples, got {len(found)}"
        )
    return found


def means_the_same(cells: Any, estimator: Any, other: Any) -> bool:
    """Tell whether two estimators, fitted on parts of the same data, label the cells alike.

    A predicted class is the same thing to both, and so is a cluster. The number of a leaf is not,
    nor is that of a prototype, unless each class has one prototype. What a function makes of an
    estimator nobody knows.
    """
    if are_leaves(cells, estimator) or _is_function(cells):
        return False
    if _name(cells, estimator) == "prototype":
        labels, others = (unwrap(each)[1].prototype_labels_ for each in (estimator, other))
        return np.array_equal(labels, others) and len(set(labels.tolist())) == len(labels)
    return True


def are_leaves(cells: Any, estimator: Any) -> bool:
    """Tell whether the cells of a fitted estimator are the leaves of a tree."""
    return _name(cells, estimator) == "leaf"


def _name(cells: Any, estimator: Any) -> str | None:
    if not isinstance(cells, str):
        return None
    return auto_rule(estimator).name if cells == "auto" else cells


def check_cells(cells: Any) -> None:
    """Refuse what names no rule and is no clusterer or function, before anything is fitted."""
    is_rule = isinstance(cells, str) and (cells == "auto" or cells in RULES)
    if not (is_rule or _is_clusterer(cells) or _is_function(cells)):
        raise InputError(_unknown(cells))


def check_rule_serves(estimator: Any, cells: Any) -> None:
    """Refuse a rule that a fitted estimator has no cells for, before it is asked."""
    _function(estimator, cells)


def known_rule(cells: Any) -> Any:
    """Return the name of a rule that is given as its function; anything else as it is."""
    names = [name for name, rule in RULES.items() if rule.function is cells]
    return names[0] if names else cells


def fitted_rule(cells: Any, X: Any, y: Any) -> Any:
    """Return a rule that can be asked: a clusterer that is not fitted yet is fitted now."""
    from sklearn.base import clone

    return clone(cells).fit(X, y) if is_to_be_fitted(cells) else known_rule(cells)


def is_to_be_fitted(cells: Any) -> bool:
    """Tell a clusterer that is not fitted yet from all other rules."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if _is_clusterer(cells) and hasattr(cells, "fit"):
        try:
            check_is_fitted(cells)
        except NotFittedError:
            return True
    return False


def _is_clusterer(cells: Any) -> bool:
    return hasattr(cells, "predict") and not isinstance(cells, type)


def _is_function(cells: Any) -> bool:
    return callable(cells) and not isinstance(cells, type) and not _is_clusterer(cells)


def _function(estimator: Any, cells: Any) -> CellFunction:
    if isinstance(cells, str):
        return _named(estimator, cells)
    if _is_clusterer(cells):
        return lambda estimator, X: cells.predict(X)
    if _is_function(cells):
        return cells  # type: ignore[no-any-return]
    raise InputError(_unknown(cells))


def _named(estimator: Any, name: str) -> CellFunction:
    if name == "auto":
        return auto_rule(estimator).function
    if name not in RULES:
        raise InputError(_unknown(name))
    if not RULES[name].serves(estimator):
        raise InputError(
            f"cells={name!r} needs {RULES[name].needs}, got {type(estimator).__name__}; use 'class'"
        )
    return RULES[name].function


def _unknown(cells: Any) -> str:
    known = ", ".join(map(repr, ["auto", *RULES]))
    return f"cells must be one of {known}, a clusterer or a callable, got {shown(cells)}"
