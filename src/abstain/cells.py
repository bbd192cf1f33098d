"""Which region decides about a sample?

Each cell has a threshold of its own. A rule is a function of a fitted estimator and of samples
that returns the label of one cell a sample. Rules are known by name; any function of that kind is
one, and so is any fitted clusterer, whose clusters are the cells.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abstain._checks import InputError, as_labels, is_missing, shown
from abstain._estimators import n_samples_of, unwrap
from abstain.certainty.outputs import Outputs

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


class Cells(NamedTuple):
    """The cell of each sample: a position among the distinct names, or a name itself.

    Attributes
    ----------
    names : ndarray of shape (n_names,) or (n_samples,)
        Labels of cells.
    codes : ndarray of shape (n_samples,) or None
        The position of each sample's cell in ``names``; None if these are one per sample.
    """

    names: NDArray[Any]
    codes: NDArray[np.int64] | None

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each sample's cell."""
        return self.names if self.codes is None else np.asarray(self.names[self.codes])


@dataclass(frozen=True)
class CellRule:
    """A rule that assigns samples to cells, and what it promises.

    Parameters
    ----------
    name : str
        What it is called by.
    function : callable
        Of a fitted estimator and samples; returns one label per sample.
    of_outputs : callable
        The same, of `Outputs` that may be shared with others who ask about the same samples.
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
    of_outputs: Callable[[Outputs], Cells]
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
    return _global(Outputs(estimator, X)).labels


def _global(outputs: Outputs) -> Cells:
    n_samples = n_samples_of(outputs.X)
    return Cells(np.zeros(1, dtype=np.int64), np.zeros(n_samples, dtype=np.int64))


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
    return _class(Outputs(estimator, X)).labels


def _class(outputs: Outputs) -> Cells:
    if "labels" in vars(outputs) and "codes" not in vars(outputs):  # they need no codes
        return Cells(outputs.labels, None)
    codes = outputs.codes
    return Cells(outputs.classes, codes)


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
    return _prototype(Outputs(estimator, X)).labels


def _prototype(outputs: Outputs) -> Cells:
    if not outputs.rule.closest_prototype:
        return _applied(outputs)
    winners, n_prototypes = outputs.winners, len(outputs.model.prototypes_)
    if len(winners) <= n_prototypes:
        return Cells(winners, None)
    return Cells(np.arange(n_prototypes), winners)


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
    return _applied(Outputs(estimator, X)).labels


def _applied(outputs: Outputs) -> Cells:
    return Cells(np.asarray(outputs.model.apply(outputs.seen)), None)


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
        CellRule("global", global_cell, _global, _always, "any classifier"),
        CellRule("class", predicted_class, _class, _always, "any classifier"),
        CellRule("prototype", prototype_cell, _prototype, _has_prototypes, "a prototype model"),
        CellRule(
            "leaf", leaf, _applied, _is_tree, "a decision tree", frozenset({"shift", "scale"})
        ),
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
    outputs = Outputs(estimator, X)
    if predicted is not None:
        vars(outputs)["labels"] = predicted
    return cells_of(outputs, named_rule(estimator, cells)).labels


def cells_of(outputs: Outputs, cells: Any) -> Cells:
    """Return the cell of each sample, by a rule that `named_rule` has returned."""
    if isinstance(cells, str):
        return RULES[cells].of_outputs(outputs)
    if _is_clusterer(cells):
        values = cells.predict(outputs.X)
    else:
        values = cells(outputs.estimator, outputs.X)
    labels = as_labels("cells", values)
    if labels.dtype.kind in "Of":
        for index, label in enumerate(labels.tolist()):
            if is_missing(label):
                raise InputError(f"cells must hold no missing value, got {label} at index {index}")
    n_samples = n_samples_of(outputs.X)
    if len(labels) != n_samples:
        raise InputError(
            f"cells must return one label for each of {n_samples} samples, got {len(labels)}"
        )
    return Cells(labels, None)


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
    named_rule(estimator, cells)


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


def named_rule(estimator: Any, cells: Any) -> Any:
    """Return a rule of a fitted estimator by its name, if it has one; "auto" is looked up."""
    if not isinstance(cells, str):
        check_cells(cells)
        return cells
    if cells == "auto":
        return auto_rule(estimator).name
    if cells not in RULES:
        raise InputError(_unknown(cells))
    if not RULES[cells].serves(estimator):
        raise InputError(
            f"cells={cells!r} needs {RULES[cells].needs}, got {type(estimator).__name__}; "
            "use 'class'"
        )
    return cells


def _unknown(cells: Any) -> str:
    known = ", ".join(map(repr, ["auto", *RULES]))
    return f"cells must be one of {known}, a clusterer or a callable, got {shown(cells)}"
