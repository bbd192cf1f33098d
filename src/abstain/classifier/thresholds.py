"""How are thresholds from outside read, checked and given to a classifier?

The file is JSON: a list in the order of ``thresholds_``, in which text stands for what JSON has no
number for, "-inf" (reject none) and "inf" (reject all). The file also holds the row of the front
that they come from, so that thresholds of another classifier are refused. Every key is known and
checked, or refused: a misspelt one would skip its check.
"""

from __future__ import annotations  # signatures then show the names of types

import difflib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import check_fraction, check_real_vector
from abstain._core.errors import InputError, shown
from abstain._core.files import check_regular_file
from abstain.classifier.calibrate import Calibration
from abstain.classifier.own_cells import OwnCells
from abstain.fronts import ParetoFront
from abstain.fronts.weights import in_units
from abstain.targets import OperatingPoint
from abstain.targets.operating import SampleCounts

FORMAT = "abstain-thresholds-1"
_REMEDY = "export it from a report"
# What thresholds do on the calibration data; of each, thresholds of another classifier differ.
_COUNTS = ("n_samples", "n_errors", "true_rejects", "false_rejects")
_SHARES = ("reject_rate", "coverage", "accuracy")
_CHECKED = ("format", "thresholds", "cells", "row", *_SHARES, *_COUNTS)
# What `abstain fit` prints as JSON as well, and on which thresholds do not depend.
_DESCRIPTIVE = (
    *(
        "abstain",
        "model",
        "label",
        "classes",
        "n_rows",
        "n_unlabelled",
        "n_empty",
        "n_outliers",
        "numeric",
    ),
    *("categorical", "left_out", "written_like", "target", "guarantee", "guarantees", "by_class"),
    *("cost_per_row", "alarms", "notes", "expected", "expected_accuracy", "cell_names"),
    *("by_class_counted_on", "by_group", "by_group_counted_on", "by_group_confidence"),
    *("class_prior", "group", "n_groups"),
)
# Bytes of a file. Lists of JSON take some 20 times as much memory; half a million cells take less.
_LARGEST = 16_000_000
_INFINITE = {"-inf": -np.inf, "inf": np.inf, "+inf": np.inf}


def read_thresholds(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read thresholds from a JSON file, as a report exports them.

    Parameters
    ----------
    path : str or path-like
        The file, of at most 16 MB: an object with ``thresholds``, a list of numbers, "-inf" and
        "inf"; what a report exports beside it, or ``abstain fit`` prints as JSON, is checked if
        it is about thresholds. Other keys are refused.

    Returns
    -------
    given : dict
        What `RejectOptionClassifier.set_thresholds` takes.

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
    check_regular_file(Path(path))
    content = _read(path)
    try:
        given = _parse(content)
        if not isinstance(given, dict):
            raise InputError(f"it must be an object with a list of thresholds, got {shown(given)}")
        given_values(given)
    except InputError as error:
        raise InputError(f"{path}: {error}; {_REMEDY}") from None
    return given


def _read(path: str | os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    if len(content) > _LARGEST:
        raise InputError(
            f"{path} must be a file of thresholds, at most {_LARGEST // 10**6} MB, got more; "
            f"{_REMEDY}"
        )
    return content


def _parse(content: bytes) -> Any:
    """Return what JSON stands for; NaN, infinities and a key given twice are none."""
    try:
        text = content.decode("utf-8")
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_number,
            parse_float=_number,
            parse_constant=_number,
        )
    except UnicodeError:
        raise InputError("it must be JSON with a list of thresholds, got no text") from None
    except json.JSONDecodeError as error:
        where = f" ({error})" if text.strip() else ""
        raise InputError(
            f"it must be JSON with a list of thresholds, got {shown(text.strip())}{where}"
        ) from None
    except RecursionError:
        raise InputError(
            "it must be JSON with a list of thresholds, got lists in lists, too deep to read"
        ) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise InputError(f"each key must be given once, got {shown(key)} twice")
        content[key] = value
    return content


def _number(text: str) -> int | float:
    value = float(text)
    if not math.isfinite(value):
        raise InputError(
            f"numbers must be finite, got {shown(text)}; write '-inf' as text to reject none, "
            "'inf' to reject all"
        )
    return int(text) if text.lstrip("-").isdigit() else value


def are_thresholds(value: Any) -> bool:
    """Return whether a value is thresholds, perhaps with their row and counts, and not a target."""
    # An array has a method `choose` too: what tells them apart is that it has a dimension.
    return isinstance(value, Mapping | list | tuple) or bool(np.ndim(value))


def given_values(given: Any) -> NDArray[np.float64]:
    """Return thresholds as numbers, after checking the keys of a dict."""
    values = given
    if isinstance(given, Mapping):
        _check_keys(given)
        values = given["thresholds"]
        if not np.iterable(values) or isinstance(values, str | bytes | Mapping):
            raise InputError(f"thresholds must be a list, got {shown(values)}")
    if isinstance(values, list | tuple):
        values = [
            _INFINITE.get(value, value) if isinstance(value, str) else value for value in values
        ]
        for value in values:
            if isinstance(value, str | bool | list | tuple | Mapping):
                raise InputError(f"thresholds must be numbers, '-inf' or 'inf', got {shown(value)}")
    return check_real_vector("thresholds", values).copy()


def _check_keys(given: Mapping[Any, Any]) -> None:
    if _is_of_score_file(given):
        raise InputError(
            "thresholds must be those of a classifier, as a report exports them, got what abstain "
            "front writes for a score file"
        )
    for key in given:
        if key not in _CHECKED + _DESCRIPTIVE:
            alike = difflib.get_close_matches(str(key)[:80], _CHECKED, n=1)
            if not alike and "thresholds" not in given:
                raise InputError(
                    f"thresholds must be a list, or a dict exported by a report, got {shown(given)}"
                )
            hint = f"did you mean {alike[0]!r}? " if alike else ""
            raise InputError(f"unknown key {shown(key)}: {hint}known are {', '.join(_CHECKED)}")
    if "thresholds" not in given:
        raise InputError(f"thresholds must be among the keys, got {shown(list(given))}")
    stated = {key: value for key, value in given.items() if value is not None}
    if stated.get("format", FORMAT) != FORMAT:
        raise InputError(f"format must be {FORMAT!r}, got {shown(stated['format'])}")
    cells = stated.get("cells", [])
    if not isinstance(cells, list | tuple) or not all(isinstance(c, str | None) for c in cells):
        raise InputError(f"cells must be a list of names, got {shown(cells)}")
    for key in ("row", *_COUNTS):
        count = stated.get(key, 0)
        if not isinstance(count, int | np.integer) or isinstance(count, bool):
            raise InputError(f"{key} must be an integer, got {shown(count)}")
    for key in _SHARES:
        check_fraction(key, stated.get(key, 0), low_open=False, high_open=False)


def _is_of_score_file(given: Mapping[Any, Any]) -> bool:
    """Return whether it is what `abstain front` writes as JSON: each cell has its threshold."""
    cells = given.get("cells")
    return isinstance(cells, list) and any(
        isinstance(cell, Mapping) and "threshold" in cell for cell in cells
    )


def given_point(
    given: Any,
    front: ParetoFront,
    calibration: Calibration | None,
    own_cells: OwnCells,
    outliers: SampleCounts | None = None,
) -> OperatingPoint:
    """Return what given thresholds do on the calibration data.

    The point has the row of the front that has these thresholds, if any. Without
    calibration data, rejects are counted by the steps of the front, which must have the thresholds;
    ``outliers`` are then counted beside them.
    """
    thresholds = given_values(given)
    stated = dict(given) if isinstance(given, Mapping) else {}
    _check_cells(thresholds, stated.get("cells"), own_cells)
    if calibration is None:
        counts = in_front = SampleCounts(
            front.n_samples, front.n_errors, *_rejects_at_steps(thresholds, front, own_cells)
        )
        if outliers is not None:
            counts = SampleCounts(*map(sum, zip(in_front, outliers, strict=True)))
    else:
        counts = _count_rejects(thresholds, calibration, own_cells)
        inliers = calibration.inliers
        units = None if inliers.weights is None else in_units(inliers.weights)[0]
        in_front = _count_rejects(thresholds, inliers, own_cells, units)
    fewest = np.flatnonzero(front.true_rejects == in_front.true_rejects)
    needless = in_front.false_rejects  # at most: unless a row tells, none might do
    if len(fewest):
        needless -= int(front.false_rejects[fewest[0]] - front.gap[fewest[0]])
    equal = fewest[(own_cells.thresholds(front, fewest) == thresholds).all(axis=1)]
    point = OperatingPoint(
        row=int(equal[0]) if len(equal) else None,
        **counts._asdict(),
        gap=math.ceil(needless * front.unit),
        cells=own_cells.names,
        thresholds=thresholds,
    )
    if calibration is not None:
        point = with_weights(point, calibration, own_cells)
    _check_stated(stated, point)
    return point


def _check_cells(thresholds: NDArray[np.float64], cells: Any, own_cells: OwnCells) -> None:
    """Refuse thresholds that are too few or too many, or of other cells."""
    names = _names(own_cells)
    if len(thresholds) != len(names):
        raise InputError(
            f"thresholds must be {len(names)}, one for each of {own_cells.shared} cells and last "
            f"the one that all others share, got {len(thresholds)}; take those of a report of this "
            "classifier"
        )
    if cells is not None and list(cells) != names:
        raise InputError(
            f"cells must be those of the classifier ({shown(names)}), got "
            f"{shown(cells)}; the thresholds were made for another one"
        )


def _names(own_cells: OwnCells) -> list[str | None]:
    return [*map(str, own_cells.labels.tolist()), None]


def _check_stated(stated: Mapping[str, Any], point: OperatingPoint) -> None:
    """Refuse a row or counts that are not those of the thresholds."""
    if stated.get("row") is not None and stated["row"] != point.row:
        raise InputError(
            f"row={shown(stated['row'])} has other thresholds in this classifier: they were made "
            "for another one, or changed by hand; leave the row out to use them anyway"
        )
    for key in _SHARES + _COUNTS:
        value = getattr(point, key)
        # Somebody may have rounded a share.
        if stated.get(key) is not None and not math.isclose(stated[key], value, abs_tol=1e-6):
            raise InputError(
                f"{key}={shown(stated[key])} is not that of these thresholds in this classifier "
                f"({value:.6g}): they were made for another one, or changed by hand; leave the "
                f"{key} out to use them anyway"
            )


def with_weights(
    point: OperatingPoint, calibration: Calibration, own_cells: OwnCells
) -> OperatingPoint:
    """Return a point with the weights of what its thresholds do, if samples have weights."""
    if calibration.weights is None:
        return point
    weights = calibration.weights
    return replace(
        point, weighted=_count_rejects(point.thresholds, calibration, own_cells, weights)
    )


def _count_rejects(
    thresholds: NDArray[np.float64],
    calibration: Calibration,
    own_cells: OwnCells,
    weights: NDArray[Any] | None = None,
) -> SampleCounts:
    """Return what thresholds do to the calibration samples, or the sums of their weights."""
    rejected, correct = calibration.rejected(thresholds, own_cells), calibration.correct
    weights = np.ones(len(correct), dtype=np.int64) if weights is None else weights
    members = (np.ones_like(correct), ~correct, rejected & ~correct, rejected & correct)
    return SampleCounts(*(weights[each].sum().item() for each in members))


def _rejects_at_steps(
    thresholds: NDArray[np.float64], front: ParetoFront, own_cells: OwnCells
) -> tuple[int, int]:
    """Return what the steps of the cells reject that have these thresholds."""
    names, stairs, chosen = _names(own_cells), front.staircases, []
    for column, (start, stop) in enumerate(pairwise(stairs.starts.tolist())):
        position = int(front.cells[column])
        (steps,) = np.nonzero(stairs.thresholds[start:stop] == thresholds[position])
        if not len(steps):
            raise InputError(
                f"thresholds must be some that front_ has, got {thresholds[position]:g} for cell "
                f"{names[position] or 'of all others'}: this classifier was calibrated on Dask and "
                "keeps no calibration data to count its rejects on"
            )
        chosen.append(start + int(steps[0]))
    return int(stairs.true_rejects[chosen].sum()), int(stairs.false_rejects[chosen].sum())
