"""Which samples share a threshold?

Each cell has its own threshold. A rule returns the label of one cell per sample: one of
`RULES`, any function of a fitted estimator and samples, or a clusterer, whose clusters are the
cells.
"""

from __future__ import annotations  # signatures then show the names of types

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import as_labels, check_none_missing
from abstain._core.estimators import n_samples_of, unwrap
from abstain.certainty.outputs import Outputs
from abstain.certainty.registry import (
    PROTOTYPE_MODEL,
    Registry,
    Rule,
    check_one_per_sample,
    documented_rule,
    is_function,
)


class Cells(NamedTuple):
    """The cell of each sample: a position among the distinct names, or a name itself.

    ``codes`` are positions in ``names``, or None if there is one name per sample.
    """

    names: NDArray[Any]
    codes: NDArray[np.int64] | None

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each sample's cell."""
        return self.names if self.codes is None else np.asarray(self.names[self.codes])


@dataclass(frozen=True, kw_only=True)
class CellRule(Rule):
    """A rule that assigns samples to cells, and its properties.

    Parameters
    ----------
    name : str
        Its name.
    function : callable
        Function of a fitted estimator and samples that returns one label per sample.
    serves : callable
        Tells whether a fitted estimator has such cells.
    needs : str
        What the estimator must be or have, in words.
    survives : frozenset of str
        Changes of the data, made before the fit and to new samples alike, that do not change the
        cells for models that are invariant to them: "shift", "scale", "rotation". The cell of a
        sample never depends on the other samples or on their order.
    remedy : str
        What to do if an estimator has no such cells.
    of_outputs : callable
        The same as ``function``, computed from `Outputs` shared with the certainty.

    Examples
    --------
    >>> from abstain.cells import RULES
    >>> RULES["leaf"].needs
    'a decision tree'
    """

    of_outputs: Callable[[Outputs], Cells]
    survives: frozenset[str] = frozenset({"shift", "scale", "rotation"})
    remedy: str = "use 'class'"


@documented_rule("A fitted classifier.", "Zeros.", result="cells")
def global_cell(estimator: Any, X: Any) -> NDArray[Any]:
    """Return the one cell that all samples share.

    Examples
    --------
    >>> from abstain.cells import global_cell
    >>> global_cell(None, [[1.0], [2.0]]).tolist()
    [0, 0]
    """
    return _global(Outputs(estimator, X)).labels


def _global(outputs: Outputs) -> Cells:
    return Cells(np.zeros(1, np.int64), np.zeros(n_samples_of(outputs.X), np.int64))


@documented_rule("A fitted classifier.", "Predicted classes.", result="cells")
def predicted_class(estimator: Any, X: Any) -> NDArray[Any]:
    """Return the predicted class of each sample.

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
    if "labels" in vars(outputs) and "codes" not in vars(outputs):
        return Cells(outputs.labels, None)
    codes = outputs.codes  # first, since predicting refuses an estimator that is not fitted
    return Cells(outputs.classes, codes)


@documented_rule(PROTOTYPE_MODEL, "Index of a prototype.", result="cells")
def prototype_cell(estimator: Any, X: Any) -> NDArray[Any]:
    """Return the closest prototype of each sample: its Voronoi cell.

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


def _has_prototypes(estimator: Any) -> bool:
    model = unwrap(estimator)[1]
    return hasattr(model, "apply") and hasattr(model, "prototype_labels_")


@documented_rule(
    "A fitted decision tree, or a pipeline or search that holds one.",
    "Index of a node.",
    result="cells",
)
def leaf(estimator: Any, X: Any) -> NDArray[Any]:
    """Return the leaf of a decision tree that each sample falls in.

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


def _is_tree(estimator: Any) -> bool:
    trees = sys.modules.get("sklearn.tree")  # it takes long to import, and a tree has imported it
    return trees is not None and isinstance(unwrap(estimator)[1], trees.DecisionTreeClassifier)


def auto_rule(estimator: Any) -> CellRule:
    """Return the most suitable rule for a fitted estimator.

    The prototype or the leaf if the estimator has one for each sample, else the predicted class.

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


def _is_clusterer(cells: Any) -> bool:
    return hasattr(cells, "predict") and not isinstance(cells, type)


_ANY = (lambda _: True, "any classifier")
_PROTOTYPES = (_has_prototypes, "a prototype model")
_TREE = (_is_tree, "a decision tree")

RULES = Registry(
    "cells",
    [
        CellRule("global", global_cell, *_ANY, of_outputs=_global),
        CellRule("class", predicted_class, *_ANY, of_outputs=_class),
        CellRule("prototype", prototype_cell, *_PROTOTYPES, of_outputs=_prototype),
        CellRule("leaf", leaf, *_TREE, of_outputs=_applied, survives=frozenset({"shift", "scale"})),
    ],
    auto=auto_rule,
    accepts=lambda cells: _is_clusterer(cells) or is_function(cells),
    alternatives=", a clusterer or a callable",
)


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
        The predictions of the estimator if they are known, so that they are not computed again.

    Returns
    -------
    cells : ndarray of shape (n_samples,)
        One label per sample.

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
    return cells_of(outputs, RULES.resolve(estimator, cells)).labels


def cells_of(outputs: Outputs, cells: Any) -> Cells:
    """Return the cell of each sample, by a rule that `RULES.resolve` has returned."""
    if isinstance(cells, str):
        return RULES[cells].of_outputs(outputs)
    if _is_clusterer(cells):
        values = cells.predict(outputs.X)
    else:
        values = cells(outputs.estimator, outputs.X)
    labels = as_labels("cells", values)
    check_none_missing("cells", labels)
    check_one_per_sample("cells", "label", labels, outputs.X)
    return Cells(labels, None)


def means_the_same(cells: Any, estimator: Any, other: Any) -> bool:
    """Return whether cells have the same labels for two estimators fitted on parts of the data.

    Predicted classes and clusters do. Indices of leaves do not, nor do those of prototypes, unless
    each class has one prototype. Nothing is known about a function.
    """
    if not isinstance(cells, str):
        return _is_clusterer(cells)
    name = RULES.resolve(estimator, cells)
    if name == "prototype":
        labels, others = (unwrap(each)[1].prototype_labels_ for each in (estimator, other))
        return np.array_equal(labels, others) and len(set(labels.tolist())) == len(labels)
    return bool(name != "leaf")


def are_leaves(cells: Any, estimator: Any) -> bool:
    """Return whether the cells of a fitted estimator are the leaves of a tree."""
    return isinstance(cells, str) and RULES.resolve(estimator, cells) == "leaf"


def is_of_answers(cells: Any) -> bool:
    """Return whether cells, by a resolved rule, are the answers; others are of samples."""
    return isinstance(cells, str) and cells == "class"


def fitted_rule(cells: Any, X: Any, y: Any) -> Any:
    """Return the rule, by its name if it has one; an unfitted clusterer is fitted first."""
    from sklearn.base import clone

    return clone(cells).fit(X, y) if is_to_be_fitted(cells) else RULES.name_of(cells)


def is_to_be_fitted(cells: Any) -> bool:
    """Return whether a rule is a clusterer that is not fitted yet."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if _is_clusterer(cells) and hasattr(cells, "fit"):
        try:
            check_is_fitted(cells)
        except NotFittedError:
            return True
    return False
