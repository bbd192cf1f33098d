"""Which columns does a saved classifier need, and what are its cells called?"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable
from typing import Any

from sklearn.pipeline import Pipeline

from abstain._core.checks import InputError
from abstain._core.estimators import unwrap
from abstain.certainty.cells import auto_rule
from abstain.classifier import RejectOptionClassifier
from abstain.tables.columns import TableColumns

__all__ = ["cell_names", "needs_of"]

# Of the cells that share a threshold, so many are named.
OTHERS_TO_NAME = 3


def needs_of(clf: Any) -> TableColumns:
    """Return the columns that a saved classifier looks at.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `abstain fit`; or any other that was fitted with a frame of numbers, whose columns it
        knows by name.

    Returns
    -------
    needs : TableColumns
        Their names and kinds, and the label column.

    Raises
    ------
    InputError
        If it is no classifier with a reject option, or does not know its columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> X = pd.DataFrame({"age": [1.0, 2.0, 8.0, 9.0], "size": [1.0, 1.0, 2.0, 2.0]})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2).fit(X, [0, 0, 1, 1])
    >>> needs_of(clf).numeric
    ['age', 'size']
    """
    if not isinstance(clf, RejectOptionClassifier):
        raise InputError(
            f"the model must be a classifier with a reject option, got a {type(clf).__name__}; "
            "make one by abstain fit, or save a RejectOptionClassifier"
        )
    estimator = clf.estimator_
    if isinstance(estimator, Pipeline) and isinstance(estimator.steps[0][1], TableColumns):
        found: TableColumns = estimator.steps[0][1]
        return found
    if not hasattr(clf, "feature_names_in_"):
        raise InputError(
            "the model was fitted without names of columns; make it by abstain fit, or fit it with "
            "a frame"
        )
    names = [str(name) for name in clf.feature_names_in_]
    return TableColumns(names).fit(_no_rows(names))


def _no_rows(names: list[str]) -> Any:
    """Return a frame of numbers with these columns and no row."""
    import polars as pl

    return pl.DataFrame(schema=dict.fromkeys(names, pl.Float64))


def cell_names(clf: Any) -> list[str]:
    """Return in words what each threshold belongs to, such as "class ill".

    Parameters
    ----------
    clf : RejectOptionClassifier
        Fitted.

    Returns
    -------
    names : list of str
        One for each of ``thresholds_``; the last is that of all other cells, of which the first
        few are named.

    Examples
    --------
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> cell_names(RejectOptionClassifier(GLVQ(), cv=2).fit(X, y))
    ['class a', 'class b', 'unseen cells']
    """
    rule = clf.cells
    if isinstance(rule, str) and rule == "auto":
        rule = auto_rule(clf.estimator_).name
    cells = clf.cells_.tolist()[:-1]
    if rule == "global" or not cells:
        return ["all rows"] * (len(cells) + 1)
    name, known = _naming(clf, rule)
    own = set(cells)
    others = [name(cell) for cell in known if cell not in own]
    # The pooled front gives every cell that it has seen a threshold of its own.
    what = "unseen cells" if clf.method == "pooled" else "rare cells"
    return [*map(name, cells), what + _in_brackets(others)]


def _naming(clf: Any, rule: Any) -> tuple[Callable[[Any], str], list[Any]]:
    """Return what makes a name of a cell, and the cells that are known, rare ones included."""
    if rule == "class":
        return "class {}".format, clf.classes_.tolist()
    if rule == "prototype":
        labels = unwrap(clf.estimator_)[1].prototype_labels_.tolist()
        is_alone = len(set(labels)) == len(labels)
        return (
            lambda cell: ("" if is_alone else f"prototype {cell} of ") + f"class {labels[cell]}",
            list(range(len(labels))),
        )
    seen = clf.calibration_.cells.tolist() if hasattr(clf, "calibration_") else []
    return ("leaf {}" if rule == "leaf" else "cell {}").format, list(dict.fromkeys(seen))


def _in_brackets(names: list[str]) -> str:
    """Return the first few names in brackets; nothing if there is none."""
    more = f" and {len(names) - OTHERS_TO_NAME} more" if len(names) > OTHERS_TO_NAME else ""
    return f" ({', '.join(names[:OTHERS_TO_NAME])}{more})" if names else ""
