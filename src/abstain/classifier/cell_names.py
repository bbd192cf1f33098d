"""What are the cells of a classifier called?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abstain._core.estimators import unwrap
from abstain._core.text import first_of
from abstain.certainty.cells import auto_rule

# Maximum number of cells that are named of those that share a threshold.
_OTHERS_TO_NAME = 3


def cell_names(clf: Any, everything: str = "all rows") -> list[str]:
    """Return the name of the cell of each threshold; the last is that of all other cells.

    ``everything`` names the only cell.

    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> cell_names(RejectOptionClassifier(GLVQ(), cv=2).fit(X, y))
    ['class a', 'class b', 'unseen cells']
    """
    rule = clf.cells
    if isinstance(rule, str) and rule == "auto":
        rule = auto_rule(clf.estimator_).name
    cells = clf.cells_.tolist()[:-1]  # the last is that of all others
    if rule == "global" or not cells:
        return [everything] * (len(cells) + 1)
    name_of, known = _naming(clf, rule)
    own = set(cells)
    others = [name_of(cell) for cell in known if cell not in own]
    # The pooled front has a threshold for every cell of the calibration data.
    what = "unseen cells" if clf.method == "pooled" else "rare cells"
    listed = f" ({first_of(others, _OTHERS_TO_NAME)})" if others else ""
    return [*map(name_of, cells), what + listed]


def _naming(clf: Any, rule: Any) -> tuple[Callable[[Any], str], list[Any]]:
    """Return what names a cell, and the cells that are known, including rare ones."""
    if rule == "class":
        return "class {}".format, clf.classes_.tolist()
    if rule == "prototype":
        labels = unwrap(clf.estimator_)[1].prototype_labels_.tolist()
        is_one_per_class = len(set(labels)) == len(labels)
        return (
            lambda cell: (
                ("" if is_one_per_class else f"prototype {cell} of ") + f"class {labels[cell]}"
            ),
            list(range(len(labels))),
        )
    seen = clf.calibration_.cells.tolist() if hasattr(clf, "calibration_") else []
    return ("leaf {}" if rule == "leaf" else "cell {}").format, list(dict.fromkeys(seen))
