"""Which tables does a study write?

The records as Parquet (``curves``, ``fits`` and ``targets``), the claims of the paper
(``claims.csv``), a summary of accuracies and areas with paired tests (``summary.csv``,
``tests.csv``), and what the study adds to the paper: thresholds set on out-of-fold predictions, by
the pooled front, or shared by small cells (``beyond.csv``), and the accuracy of new samples when an
accuracy is requested, with and without a guarantee (``guarantees.csv``). The same plan gives the
same bytes, however often it was stopped.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import polars as pl

from abstain._core.files import atomic_files
from abstain.study.claims import ClaimResult, check_claims
from abstain.study.curves import (
    GRID,
    Curves,
    RunKey,
    Runs,
    Setting,
    has_independent_repeats,
    interval,
    mean_per_run,
    p_value,
)
from abstain.study.measuring import MIN_CELL_SIZES, Record

SCORES = ("aurc", "augrc")
SUMMARY_RATES = (0.0, 0.05, 0.1, 0.2)
# Reject rates that users ask for, at which curves are compared.
COMPARED_RATES = np.round(np.arange(0.01, 0.205, 0.01), 2)

# The columns of each kind of record; a table without rows has them as well.
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
        "curves.parquet": _records_table(records, "curve"),
        "fits.parquet": _records_table(records, "fit"),
        "targets.parquet": _records_table(records, "target"),
        "claims.csv": as_table(ClaimResult, check_claims(curves), 5, nan_to_null=False),
        "summary.csv": summary_table(curves),
        "tests.csv": as_table(PairedTest, paired_tests(records), 7),
        "beyond.csv": as_table(Change, compare_options(curves)),
        "guarantees.csv": as_table(TargetCounts, count_targets(records)),
    }
    files = [folder / name for name in tables]
    with atomic_files(*files) as drafts:
        for table, draft in zip(tables.values(), drafts, strict=True):
            _write(table, draft)
    return files


def _write(table: pl.DataFrame, file: Path) -> None:
    if file.suffix == ".csv":
        table.write_csv(file)
        return
    try:
        table.write_parquet(file)
    except pl.exceptions.PolarsError as error:  # how polars reports a full disk for Parquet
        raise OSError(str(error)) from error


def _records_table(records: list[Record], kind: str) -> pl.DataFrame:
    columns = COLUMNS[kind]
    rows = [[record[name] for name in columns] for record in records if record["kind"] == kind]
    return pl.DataFrame(rows, schema=columns, orient="row")


def as_table(
    row_type: type[Any], rows: Iterable[Any], n_digits: int = 6, *, nan_to_null: bool = True
) -> pl.DataFrame:
    """Return named tuples as a table with a column per field and rounded numbers."""
    types = {int: pl.Int64(), float: pl.Float64()}
    hints = get_type_hints(row_type)
    schema = {name: types.get(hints[name], pl.String()) for name in row_type._fields}
    table = pl.DataFrame([row._asdict() for row in rows], schema=schema)
    table = table.with_columns(pl.col(pl.Float64).round(n_digits))
    return table.with_columns(pl.col(pl.Float64).fill_nan(None)) if nan_to_null else table


# --- accuracies and areas -----------------------------------------------------------------------


def summary_table(curves: Curves) -> pl.DataFrame:
    """Return the mean accuracy of every setting at some reject rates, and the areas.

    An area belongs to the certainty with one threshold: other settings have none.
    """
    areas = _areas(curves.records)
    rows: list[dict[str, Any]] = []
    for setting in curves.settings:
        if setting.part != "test":
            continue
        mean, runs = curves.averaged(setting).mean, curves.runs(setting)
        row = {**setting._asdict(), "runs": len(runs)}
        row |= {f"at_{rate:g}": float(mean[rate == GRID].item()) for rate in SUMMARY_RATES}
        for score in SCORES:
            row[score] = np.nan
            if setting == Setting(setting.set, setting.model):
                values = areas[setting.set, setting.model, score]
                row[score] = float(np.mean([values[run] for run in runs]))
        rows.append(row)
    table = pl.DataFrame(rows, infer_schema_length=None).drop("part")
    return table.with_columns(pl.col(pl.Float64).round(6).fill_nan(None))


class PairedTest(NamedTuple):
    """Two classifiers compared by the areas under their curves, run by run."""

    set: str
    score: str
    first: str
    second: str
    runs: int
    difference: float
    low: float
    high: float
    p_value: float


def paired_tests(records: list[Record]) -> Iterator[PairedTest]:
    """Yield the comparison of every pair of classifiers on every data set."""
    areas = _areas(records)
    pairs = set(combinations(dict.fromkeys(model for _, model, _ in areas), 2))
    for (name, first, score), values in areas.items():
        for other, second, same in areas:
            if (other, same) == (name, score) and (first, second) in pairs:
                others = areas[name, second, score]
                runs = {key: values[key] - others[key] for key in values if key in others}
                independent = has_independent_repeats(name)
                difference = interval(runs, independent_repeats=independent)
                p = p_value(runs, independent_repeats=independent)
                yield PairedTest(name, score, first, second, len(runs), *difference, p)


def _areas(records: list[Record]) -> dict[tuple[str, str, str], Runs]:
    """Return the scores of each run, by set, classifier and score."""
    areas: dict[tuple[str, str, str], Runs] = {}
    for record in records:
        if record["kind"] == "fit":
            for score in SCORES:
                key = record["set"], record["model"], score
                areas.setdefault(key, {})[record["repeat"], record["split"]] = record[score]
    return areas


# --- thresholds that the paper does not have ----------------------------------------------------


class Change(NamedTuple):
    """What a different reject option changes.

    ``difference`` is the mean difference of accuracies at 1 to 20% rejects, as far as at least
    80% of the runs have both curves; NaN if there is no such rate. ``end_before`` and ``end`` are
    the mean reject rates at which the curves end: thresholds that are set on few errors reject few
    samples.
    """

    set: str
    model: str
    change: str
    runs: int
    end_before: float
    end: float
    difference: float
    low: float
    high: float


def compare_options(curves: Curves) -> Iterator[Change]:
    """Yield what each different reject option changes, run by run."""
    for setting in curves.settings:
        for change, other in _compared_with(setting):
            if setting.part == "test" and setting.method == "exact" and curves.has(other):
                yield _change(curves, setting, other, change)


def _change(curves: Curves, setting: Setting, other: Setting, change: str) -> Change:
    before, after = (curves.values(each, COMPARED_RATES) for each in (setting, other))
    differences = {key: after[key] - before[key] for key in after if key in before}
    runs, _ = mean_per_run(differences)
    end_before, end = (
        float(np.mean([curves.ends(each)[key] for key in differences])) for each in (setting, other)
    )
    mean, low, high = interval(runs, independent_repeats=has_independent_repeats(setting.set))
    if np.isnan(mean):
        low = high = np.nan
    name, model, n_runs = setting.set, setting.model, len(runs)
    return Change(name, model, change, n_runs, end_before, end, mean, low, high)


def _compared_with(setting: Setting) -> Iterator[tuple[str, Setting]]:
    source = setting.source
    if setting.min_cell_size > 1:
        return
    if source == "training":
        yield f"out of fold, {setting.cells}", setting._replace(source="out of fold")
    if setting.cells == "global":
        yield f"local, {source}", setting._replace(cells="local")
        yield f"pooled, {source}", setting._replace(cells="local", method="pooled")
    else:
        for size in MIN_CELL_SIZES:
            yield f"min_cell_size={size}, {source}", setting._replace(min_cell_size=size)


class TargetCounts(NamedTuple):
    """How often a requested accuracy was refused, and what new samples had otherwise.

    Counted over the runs that all sources of thresholds have. ``coverage`` is the share of test
    samples that are accepted (none in a run whose target was refused), ``answers`` their number,
    and ``reached`` their accuracy.
    """

    set: str
    source: str
    accuracy: float
    runs: int
    refused: int
    coverage: float
    answers: int
    reached: float


def count_targets(records: list[Record]) -> Iterator[TargetCounts]:
    """Yield the counts over the runs of each data set and source of thresholds."""
    targets: dict[tuple[str, str, float], dict[RunKey, Record]] = {}
    for record in records:
        if record["kind"] == "target":
            target = record["set"], record["source"], record["accuracy"]
            targets.setdefault(target, {})[record["repeat"], record["split"]] = record
    for target, runs in targets.items():
        others = [known for other, known in targets.items() if other[0] == target[0]]
        shared = [record for run, record in runs.items() if all(run in known for known in others)]
        n, accepted, errors = (
            sum(record[name] for record in shared) for name in ("n", "accepted", "errors")
        )
        yield TargetCounts(
            *target,
            runs=len(shared),
            refused=sum(record["is_refused"] for record in shared),
            coverage=accepted / n if n else np.nan,
            answers=accepted,
            reached=1 - errors / accepted if accepted else np.nan,
        )
