"""What does a study leave behind?

Three tables of rows (``curves``, ``fits`` and ``targets``, as Parquet), what they say of the paper
(``claims.csv``), a summary of accuracies and areas with paired tests (``summary.csv``,
``tests.csv``), what the study adds to the paper (``beyond.csv``, ``guarantees.csv``), and figures.
The same plan gives the same bytes, however often it was stopped.
"""

from __future__ import annotations  # signatures then show the names of types

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from abstain._core.files import whole_files
from abstain.study.beyond import compare_options, count_guarantees
from abstain.study.claims import Judged, judge_claims
from abstain.study.curves import GRID, Curves, Way
from abstain.study.intervals import interval, p_value
from abstain.study.measuring import Record
from abstain.study.problems import PROBLEMS

__all__ = [
    "SCORES",
    "beyond_table",
    "claims_table",
    "guarantees_table",
    "summary_table",
    "tests_table",
    "write_tables",
]

SCORES = ("aurc", "augrc")
RATES = (0.0, 0.05, 0.1, 0.2)

# The columns of each kind of row: they are there without rows as well.
_RUN = {"set": pl.String(), "repeat": pl.Int64(), "split": pl.Int64(), "model": pl.String()}
COLUMNS: dict[str, dict[str, pl.DataType]] = {
    "curve": {
        **_RUN,
        **dict.fromkeys(("part", "source", "cells", "method"), pl.String()),
        "min_cell_size": pl.Int64(),
        "n": pl.Int64(),
        **dict.fromkeys(("accepted", "errors"), pl.List(pl.Int64())),
    },
    "fit": {
        **_RUN,
        **dict.fromkeys(("n_train", "n_test", "training_errors", "test_errors"), pl.Int64()),
        **dict.fromkeys(SCORES, pl.Float64()),
        "n_parts": pl.Int64(),
    },
    "target": {
        **_RUN,
        "source": pl.String(),
        "accuracy": pl.Float64(),
        **dict.fromkeys(("n", "accepted", "errors"), pl.Int64()),
        "is_refused": pl.Boolean(),
    },
}


def write_tables(curves: Curves, folder: Path) -> list[Path]:
    """Write all tables, and return their files."""
    records = curves.records
    tables: dict[str, pl.DataFrame] = {
        "curves.parquet": _rows(records, "curve"),
        "fits.parquet": _rows(records, "fit"),
        "targets.parquet": _rows(records, "target"),
        "claims.csv": claims_table(curves),
        "summary.csv": summary_table(curves),
        "tests.csv": tests_table(records),
        "beyond.csv": beyond_table(curves),
        "guarantees.csv": guarantees_table(records),
    }
    files = [folder / name for name in tables]
    with whole_files(*files) as drafts:
        for table, draft in zip(tables.values(), drafts, strict=True):
            _write(table, draft)
    return files


def _write(table: pl.DataFrame, file: Path) -> None:
    if file.suffix == ".csv":
        table.write_csv(file)
        return
    try:
        table.write_parquet(file)
    except pl.exceptions.PolarsError as error:  # so polars reports a full disk, of Parquet alone
        raise OSError(str(error)) from error


def _rows(records: list[Record], kind: str) -> pl.DataFrame:
    columns = COLUMNS[kind]
    rows = [[record[name] for name in columns] for record in records if record["kind"] == kind]
    return pl.DataFrame(rows, schema=columns, orient="row")


def claims_table(curves: Curves) -> pl.DataFrame:
    """Return the claims of the paper with their verdicts."""
    judged = [claim._asdict() for claim in judge_claims(curves)]
    schema = dict.fromkeys(Judged._fields, pl.String()) | dict.fromkeys(
        ("value", "low", "high"), pl.Float64()
    )
    table = pl.DataFrame(judged, schema=schema)
    return table.with_columns(pl.col("value", "low", "high").round(5))


def summary_table(curves: Curves) -> pl.DataFrame:
    """Return the mean accuracy at some reject rates for every way to reject, and the areas.

    An area is that of the classifier's certainty, by one threshold: it stands in that row alone.
    """
    areas = _areas(curves.records)
    rows: list[dict[str, Any]] = []
    for way in curves.ways:
        if way.part == "test":
            mean = curves.averaged(way).mean
            at_rates = {f"at_{rate:g}": float(mean[rate == GRID].item()) for rate in RATES}
            rows.append(
                {
                    **way._asdict(),
                    "runs": len(curves.runs(way)),
                    **at_rates,
                    **{score: _area(curves, way, areas, score) for score in SCORES},
                }
            )
    table = pl.DataFrame(rows, infer_schema_length=None).drop("part")
    return table.with_columns(pl.col(pl.Float64).round(6).fill_nan(None))


def _area(curves: Curves, way: Way, areas: dict[Any, Any], score: str) -> float:
    if way != Way(way.set, way.model):
        return np.nan
    values = areas[way.set, way.model, score]
    return float(np.mean([values[run] for run in curves.runs(way)]))


def tests_table(records: list[Record]) -> pl.DataFrame:
    """Return paired comparisons of the classifiers by the areas under their curves."""
    areas = _areas(records)
    rows = []
    for (name, first, score), ours in areas.items():
        for other, second, same in areas:
            if (other, same) == (name, score) and _comes_first(first, second, areas):
                theirs = areas[name, second, score]
                pairs = {key: ours[key] - theirs[key] for key in ours if key in theirs}
                drawn_anew = PROBLEMS[name].kind == "artificial"
                found = interval(pairs, drawn_anew=drawn_anew)
                rows.append(
                    {
                        "set": name,
                        "score": score,
                        "first": first,
                        "second": second,
                        "runs": len(pairs),
                        "difference": found.value,
                        "low": found.low,
                        "high": found.high,
                        "p_value": p_value(pairs, drawn_anew=drawn_anew),
                    }
                )
    names = dict.fromkeys(("set", "score", "first", "second"), pl.String())
    numbers = dict.fromkeys(("difference", "low", "high", "p_value"), pl.Float64())
    table = pl.DataFrame(rows, schema={**names, "runs": pl.Int64(), **numbers})
    return table.with_columns(pl.col(pl.Float64).round(7).fill_nan(None))


def beyond_table(curves: Curves) -> pl.DataFrame:
    """Return what other ways to set thresholds change of the accuracy on the test part."""
    rows = [row._asdict() for row in compare_options(curves)]
    names = dict.fromkeys(("set", "model", "change"), pl.String())
    columns = ("end_before", "end", "difference", "low", "high")
    numbers = dict.fromkeys(columns, pl.Float64())
    table = pl.DataFrame(rows, schema={**names, "runs": pl.Int64(), **numbers})
    table = table.with_columns(pl.col(pl.Float64).round(6).fill_nan(None))
    unknown = pl.col("difference").is_null()
    return table.with_columns(pl.when(~unknown).then(pl.col("low", "high")))


def guarantees_table(records: list[Record]) -> pl.DataFrame:
    """Return what became of an accuracy that was asked for, with and without a guarantee."""
    rows = [row._asdict() for row in count_guarantees(records)]
    names = dict.fromkeys(("set", "source"), pl.String())
    columns = {
        "accuracy": pl.Float64(),
        **dict.fromkeys(("runs", "refused"), pl.Int64()),
        "coverage": pl.Float64(),
        "answers": pl.Int64(),
        "reached": pl.Float64(),
    }
    table = pl.DataFrame(rows, schema={**names, **columns})
    return table.with_columns(pl.col(pl.Float64).round(6).fill_nan(None))


def _comes_first(first: str, second: str, areas: Any) -> bool:
    """Tell which of two classifiers is named first: each pair is compared once."""
    order = list(dict.fromkeys(model for _, model, _ in areas))
    return (first, second) in combinations(order, 2)


def _areas(records: list[Record]) -> dict[tuple[str, str, str], dict[tuple[int, int], float]]:
    """Return the scores of each run, by set, classifier and score."""
    found: dict[tuple[str, str, str], dict[tuple[int, int], float]] = {}
    for record in records:
        if record["kind"] == "fit":
            for score in SCORES:
                key = record["set"], record["model"], score
                found.setdefault(key, {})[record["repeat"], record["split"]] = record[score]
    return found
