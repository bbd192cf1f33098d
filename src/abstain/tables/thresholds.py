"""How do thresholds that were chosen elsewhere take the place of a model's own?"""

from __future__ import annotations  # signatures then show the names of types

import json
import math
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._checks import InputError, shown

__all__ = ["read_thresholds", "with_thresholds"]

_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def read_thresholds(path: Path) -> dict[str, Any]:
    """Return what a file of thresholds says.

    Parameters
    ----------
    path : Path
        JSON: an object with a list "thresholds" of numbers, "inf" (reject all) and "-inf" (reject
        none), and perhaps a list "cells" of the cells that they belong to.

    Returns
    -------
    document : dict
        The object, its thresholds as floats.

    Raises
    ------
    InputError
        If the file cannot be read, or holds something else.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.json").write_text('{"thresholds": [0.5, "-inf"]}')
    ...     read_thresholds(Path(folder, "t.json"))["thresholds"].tolist()
    [0.5, -inf]
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"--thresholds: {path} does not exist; check the path") from None
    except OSError as error:
        raise InputError(f"--thresholds: {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise InputError(
            f"--thresholds: {path} is not JSON ({error}); export the thresholds again"
        ) from None
    if not isinstance(document, dict) or not isinstance(document.get("thresholds"), list):
        raise InputError(
            f'--thresholds: {path} must hold an object with a list "thresholds", got '
            f"{shown(document)}"
        )
    return document | {"thresholds": np.array([_number(value) for value in document["thresholds"]])}


def _number(value: Any) -> float:
    number: Any = _INFINITE.get(value) if isinstance(value, str) else value
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    if not is_number or math.isnan(number):
        raise InputError(
            f'--thresholds: each must be a number, "inf" or "-inf", got {shown(value)}'
        )
    return float(number)


def with_thresholds(clf: Any, document: dict[str, Any]) -> Any:
    """Return a classifier that decides by other thresholds.

    Parameters
    ----------
    clf : RejectOptionClassifier
        Fitted; it stays as it is.
    document : dict
        From `read_thresholds`: a threshold for each of the classifier's cells, and perhaps a last
        one for all others; without that, these are trusted no more than the least trusted cell.

    Returns
    -------
    clf : RejectOptionClassifier
        The same but for its thresholds.

    Raises
    ------
    InputError
        If there are more or fewer than cells, or they belong to other cells.

    Examples
    --------
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2).fit(X, y)
    >>> with_thresholds(clf, {"thresholds": [0.5, 0.25]}).thresholds_.tolist()
    [0.5, 0.25, 0.5]
    """
    thresholds: NDArray[np.float64] = np.asarray(document["thresholds"], dtype=np.float64)
    n_cells = len(clf.cells_)
    if len(thresholds) not in (n_cells, n_cells + 1):
        raise InputError(
            f"--thresholds must hold {n_cells} thresholds, one for each cell of the model, or "
            f"{n_cells + 1}, with one for all other cells, got {len(thresholds)}; were they made "
            "for another model?"
        )
    cells = document.get("cells")
    if cells is not None:
        _check_cells(cells, clf)
    if len(thresholds) == n_cells:
        thresholds = np.append(thresholds, thresholds.max())
    changed = copy(clf)
    changed.thresholds_ = thresholds
    return changed


def _check_cells(cells: Any, clf: Any) -> None:
    own = [str(cell) for cell in clf.cells_.tolist()]
    named = [str(cell) for cell in cells][: len(own)] if isinstance(cells, list) else None
    if named != own:
        raise InputError(
            f"--thresholds are for the cells {shown(cells)}, and the model has {shown(own)}; were "
            "they made for another model?"
        )
