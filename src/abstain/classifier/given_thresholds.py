"""How do thresholds that somebody has picked come back into a classifier?

They travel as JSON: a list in the order of ``thresholds_``, in which text stands for what JSON has
no number for, "-inf" (reject none) and "inf" (reject all). The row of the front that they come from
travels with them, so that thresholds of another classifier are found out.
"""

from __future__ import annotations  # signatures then show the names of types

import json
import os
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._checks import InputError, check_real_vector, shown
from abstain.classifier.calibration import Calibration
from abstain.classifier.regions import Regions
from abstain.fronts import ParetoFront
from abstain.targets import OperatingPoint

__all__ = ["FORMAT", "are_thresholds", "given_point", "given_values", "read_thresholds"]

FORMAT = "abstain-thresholds-1"
_REMEDY = "export it from a report"
_INFINITE = {"-inf": -np.inf, "inf": np.inf, "+inf": np.inf}


def read_thresholds(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read thresholds from a JSON file, as a report exports them.

    Parameters
    ----------
    path : str or path-like
        The file: an object with ``thresholds``, a list of numbers, "-inf" and "inf"; ``row``,
        ``cells`` and ``format`` are checked where they are given.

    Returns
    -------
    given : dict
        What `RejectOptionClassifier.retarget` takes.

    Raises
    ------
    InputError
        If the file cannot be read or holds no thresholds.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from abstain import read_thresholds
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "thresholds.json")
    ...     _ = file.write_text('{"thresholds": [0.25, "-inf"]}')
    ...     read_thresholds(file)
    {'thresholds': [0.25, '-inf']}
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        given = json.loads(text)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:
        found = "no text" if isinstance(error, UnicodeError) else shown(text.strip())
        where = f" ({error})" if isinstance(error, json.JSONDecodeError) and text.strip() else ""
        raise InputError(
            f"{path} must be JSON with a list of thresholds, got {found}{where}; {_REMEDY}"
        ) from None
    if not isinstance(given, dict) or not isinstance(given.get("thresholds"), list):
        raise InputError(
            f"{path} must be an object with a list of thresholds, got {shown(given)}; {_REMEDY}"
        )
    try:
        given_values(given)
    except InputError as error:
        raise InputError(f"{path}: {error}; {_REMEDY}") from None
    return given


def are_thresholds(target: Any) -> bool:
    """Tell thresholds, alone or with what goes with them, from a target that chooses some."""
    # An array has a method `choose` too: what tells them apart is that it has a dimension.
    return isinstance(target, Mapping | list | tuple) or bool(np.ndim(target))


def given_values(given: Any) -> NDArray[np.float64]:
    """Return thresholds as numbers."""
    values = given
    if isinstance(given, Mapping):
        if given.get("format", FORMAT) != FORMAT:
            raise InputError(f"format must be {FORMAT!r}, got {shown(given['format'])}")
        if "thresholds" not in given:
            raise InputError(f"thresholds must be among the keys, got {shown(list(given))}")
        values = given["thresholds"]
    if isinstance(values, list | tuple):
        values = [
            _INFINITE.get(value, value) if isinstance(value, str) else value for value in values
        ]
        for value in values:
            if isinstance(value, str | bool):
                raise InputError(f"thresholds must be numbers, '-inf' or 'inf', got {shown(value)}")
    return check_real_vector("thresholds", values)


def given_point(
    given: Any, front: ParetoFront, calibration: Calibration | None, regions: Regions
) -> tuple[NDArray[np.float64], OperatingPoint]:
    """Return the thresholds and what they do on the calibration data.

    The point has the row of the front that has these thresholds, if any. Where the calibration data
    are not kept, the steps of the front tell, so that thresholds must be of these.
    """
    thresholds = given_values(given)
    names = [*map(str, regions.labels.tolist()), None]
    if len(thresholds) != len(names):
        raise InputError(
            f"thresholds must be {len(names)}, one for each of {regions.shared} cells and last the "
            f"one that all others share, got {len(thresholds)}; take those of a report of this "
            "classifier"
        )
    told = dict(given) if isinstance(given, Mapping) else {}
    if told.get("cells") is not None and told["cells"] != names:
        raise InputError(
            f"cells must be those of the classifier ({shown(names)}), got "
            f"{shown(told['cells'])}; the thresholds were made for another one"
        )
    if calibration is None:
        true_rejects, false_rejects = _rejects_at_steps(thresholds, front, names)
    else:
        true_rejects, false_rejects = _rejects(thresholds, calibration, regions)
    fewest = np.flatnonzero(front.true_rejects == true_rejects)
    needless = false_rejects  # at most: unless a row tells, none might do
    if len(fewest):
        needless -= int(front.false_rejects[fewest[0]] - front.gap[fewest[0]])
    row = _row_of(thresholds, front, regions, fewest)
    if told.get("row") is not None and told["row"] != row:
        raise InputError(
            f"row={shown(told['row'])} has other thresholds in this classifier: they were made for "
            "another one, or changed by hand; leave the row out to use them all the same"
        )
    return thresholds, OperatingPoint(
        row=row,
        n_samples=front.n_samples,
        n_errors=front.n_errors,
        true_rejects=true_rejects,
        false_rejects=false_rejects,
        gap=needless,
        cells=front.cells,
        thresholds=thresholds[front.cells],
    )


def _rejects(
    thresholds: NDArray[np.float64], calibration: Calibration, regions: Regions
) -> tuple[int, int]:
    positions = regions.positions(calibration.cells)
    rejected = calibration.certainty < thresholds[positions]
    return (
        int(np.count_nonzero(rejected & ~calibration.correct)),
        int(np.count_nonzero(rejected & calibration.correct)),
    )


def _rejects_at_steps(
    thresholds: NDArray[np.float64], front: ParetoFront, names: list[str | None]
) -> tuple[int, int]:
    """Return what the steps of the cells reject that have these thresholds."""
    stairs, chosen = front.staircases, []
    for column, (start, stop) in enumerate(pairwise(stairs.starts.tolist())):
        position = int(front.cells[column])
        (found,) = np.nonzero(stairs.thresholds[start:stop] == thresholds[position])
        if not len(found):
            raise InputError(
                f"thresholds must be some that front_ has, got {thresholds[position]:g} for cell "
                f"{names[position] or 'of all others'}: this classifier was calibrated on Dask and "
                "keeps no calibration data to count its rejects on"
            )
        chosen.append(start + int(found[0]))
    return int(stairs.true_rejects[chosen].sum()), int(stairs.false_rejects[chosen].sum())


def _row_of(
    thresholds: NDArray[np.float64],
    front: ParetoFront,
    regions: Regions,
    rows: NDArray[np.int64],
) -> int | None:
    for row in rows.tolist():
        found = regions.thresholds(front.cells, front.thresholds_at(row))
        if np.array_equal(found, thresholds):
            return int(row)
    return None
