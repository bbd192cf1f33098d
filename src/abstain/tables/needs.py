"""Which columns does a saved classifier need, and what are its cells called?"""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

from sklearn.pipeline import Pipeline

from abstain._checks import InputError
from abstain._estimators import unwrap
from abstain.cells import auto_rule
from abstain.classifier import RejectOptionClassifier
from abstain.tables.columns import TableColumns

__all__ = ["cell_names", "needs_of"]


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
        One for each of ``thresholds_``; the last is that of all other cells.

    Examples
    --------
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> cell_names(RejectOptionClassifier(GLVQ(), cv=2).fit(X, y))
    ['class a', 'class b', 'rare cells']
    """
    rule = clf.cells
    if isinstance(rule, str) and rule == "auto":
        rule = auto_rule(clf.estimator_).name
    cells = clf.cells_.tolist()
    if rule == "global":
        return ["all rows", "all rows"][: len(cells) + 1]
    if rule == "class":
        names = [f"class {cell}" for cell in cells]
    elif rule == "prototype":
        labels = unwrap(clf.estimator_)[1].prototype_labels_.tolist()
        is_alone = len(set(labels)) == len(labels)
        names = [
            f"class {labels[cell]}" if is_alone else f"prototype {cell} of class {labels[cell]}"
            for cell in cells
        ]
    elif rule == "leaf":
        names = [f"leaf {cell}" for cell in cells]
    else:
        names = [f"cell {cell}" for cell in cells]
    return [*names, "rare cells"]
