"""In which files does a front leave the program?

Three lie side by side: ``front.csv``, all rows; ``front.thresholds.csv``, the cells of the chosen
row; ``front.json``, the chosen row as one document. JSON knows no infinite numbers: a threshold of
-inf (reject none) is written "-inf", one of +inf (reject all) "inf", and an accuracy that is
undefined because all samples are rejected is null.
"""

import json
import math
import os
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from abstain._core.checks import InputError
from abstain._core.files import check_can_write, check_keeps_inputs, whole_files
from abstain._core.text import without_formula
from abstain._score_files.choosing import Choice
from abstain.fronts import ParetoFront, PooledFront

__all__ = ["choice_as_json", "output_files", "write_choice"]

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_SUFFIXES = (*_SEPARATORS, ".parquet", ".pq")


def output_files(out: Path, *scores: Path) -> tuple[Path, Path, Path]:
    """Return where the three files will lie, having made sure that they can be written.

    Parameters
    ----------
    out : Path
        Where the front shall lie. Its suffix says in which format.
    *scores : Path
        The score files, none of which they may replace.

    Returns
    -------
    front, thresholds, document : Path
        The front, the thresholds in the same format and the JSON document.

    Raises
    ------
    InputError
        If one of them cannot be written.
    """
    if os.path.isdir(out):
        raise InputError(f"cannot write {out}: it is a folder; name a file in it")
    if out.suffix.lower() not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise InputError(f"cannot write {out}: its name must end with one of {known}")
    files = (out, out.with_suffix(f".thresholds{out.suffix}"), out.with_suffix(".json"))
    check_keeps_inputs(files, dict.fromkeys(scores, "the score file"))
    for file in files:
        check_can_write(file)
    return files


def write_choice(choice: Choice, files: tuple[Path, Path, Path], version: str) -> None:
    """Write the front, the thresholds of the chosen row and the JSON document: all or none.

    Parameters
    ----------
    choice : Choice
        The chosen row and its front.
    files : tuple of Path
        Where they shall lie, from :func:`output_files`.
    version : str
        The version of abstain that made them.
    """
    with whole_files(*files) as (front, thresholds, document):
        _write_table(_front_table(choice.front), front)
        _write_table(choice.cells, thresholds)
        document.write_text(choice_as_json(choice, version) + "\n", encoding="utf-8")


def _front_table(front: ParetoFront) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "true_rejects": front.true_rejects,
            "false_rejects": front.false_rejects,
            "reject_rate": front.reject_rates,
            "coverage": front.coverages,
            "accuracy": front.accuracies,
            **({"expected_accuracy": front.expected_accuracies} if _is_pooled(front) else {}),
            "gap": front.gap,
            "is_pareto": front.is_pareto,
        }
    ).with_columns(cs.ends_with("accuracy").fill_nan(None))


def _is_pooled(front: ParetoFront) -> bool:
    return isinstance(front, PooledFront)


def _write_table(table: pl.DataFrame, path: Path) -> None:
    separator = _SEPARATORS.get(path.suffix.lower())
    if separator is not None:
        if "cell" in table.columns:
            names = [without_formula(name) for name in table["cell"].cast(pl.String).to_list()]
            table = table.with_columns(pl.Series("cell", names))
        table.write_csv(path, separator=separator)
        return
    try:
        table.write_parquet(path)
    except pl.exceptions.PolarsError as error:  # so polars reports a full disk, of Parquet alone
        raise OSError(str(error)) from error


def choice_as_json(choice: Choice, version: str) -> str:
    """Return the chosen row as a strict JSON document.

    Parameters
    ----------
    choice : Choice
        The chosen row and its front.
    version : str
        The version of abstain that made it.

    Returns
    -------
    document : str
        A JSON object in several lines of ASCII; infinite thresholds are the strings "-inf" and
        "inf", an undefined accuracy is null.
    """
    point = choice.point
    document = {
        "abstain": version,
        "method": choice.front.method,
        "target": {choice.target: choice.value},
        "row": point.row,
        "n_samples": point.n_samples,
        "n_errors": point.n_errors,
        "true_rejects": point.true_rejects,
        "false_rejects": point.false_rejects,
        "reject_rate": point.reject_rate,
        "coverage": point.coverage,
        "accuracy": _or_null(point.accuracy),
        **_expected(choice),
        "errors_left": point.errors_left,
        "gap": point.gap,
        "cells": [_cell_in_json(cell) for cell in choice.cells.to_dicts()],
    }
    return json.dumps(document, indent=2, allow_nan=False)


def _or_null(accuracy: float) -> float | None:
    return None if math.isnan(accuracy) else accuracy


def _expected(choice: Choice) -> dict[str, float | None]:
    if not _is_pooled(choice.front):
        return {}
    expected = float(choice.front.expected_accuracies[choice.point.row])
    return {"expected_accuracy": _or_null(expected)}


def _cell_in_json(cell: dict[str, Any]) -> dict[str, Any]:
    threshold = cell["threshold"]
    return cell if math.isfinite(threshold) else {**cell, "threshold": str(threshold)}
