"""Which row of the front of score files meets a target, and in which files is it written?

The samples may be on a cluster: each file is then read by a worker, as one block, and stays there.
Only the names of its cells and counts leave it.

Three files are written side by side: ``front.csv`` has all rows, ``front.thresholds.csv`` the cells
of the chosen row, ``front.json`` the chosen row as one document. JSON has no infinite numbers: a
threshold that rejects none of a cell is "-inf", one that rejects all "inf"; an accuracy that is
undefined because all samples are rejected is null.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from abstain._core.errors import InputError, reworded, with_remedy
from abstain._core.files import atomic_files, check_can_write, check_keeps_inputs, name_file_if
from abstain._scale.blocks import aligned_blocks, is_dask
from abstain._scale.computing import completed, compute, reduce_blocks, reduce_on_workers
from abstain._scale.graphs import delayed_call, map_blocks, map_blocks_to_array
from abstain.fronts import ParetoFront, PooledFront
from abstain.tables.reading import TextOptions
from abstain.tables.scores import FileScores, ScoreColumns, Scores, merge_cells, read_file
from abstain.tables.writing import check_suffix, json_number, point_as_dict, write_frame
from abstain.targets import OperatingPoint, Target, operating_point
from abstain.targets.base import check_target

LOOKS_REVERSED = "wrong answers are surer than right ones: if this is an uncertainty, negate it"


@dataclass(frozen=True, eq=False)
class Choice:
    """The row of a front that meets a target, and its cells."""

    front: ParetoFront
    target: Target
    point: OperatingPoint
    # For each cell: cell, threshold, correct_proba (at the threshold; of a pooled front), samples,
    # errors, true_rejects, false_rejects.
    cells: pl.DataFrame
    # Whether wrong answers are surer than right ones more often than not.
    looks_reversed: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the chosen row for a JSON document."""
        point, expected = self.point, {}
        if isinstance(self.front, PooledFront):
            accuracy = float(self.front.expected_accuracies[point.row])
            expected = {"expected_accuracy": json_number(accuracy)}
        return {
            "method": self.front.method,
            "target": _target_as_dict(self.target),
            "row": point.row,
            **point_as_dict(point),
            **expected,
            "errors_left": point.errors_left,
            "gap": point.gap,
            "cells": [
                cell | {"threshold": json_number(cell["threshold"])}
                for cell in self.cells.to_dicts()
            ],
        }


def choose(scores: Scores, front: ParetoFront, target: Target) -> Choice:
    """Return the row of a front that meets a target best; the samples may be in Dask arrays."""
    check_target(target)
    is_reversed = _looks_reversed(scores, front)
    try:
        point = operating_point(front, target)
    except InputError as error:  # it cannot be reached
        raise (with_remedy(error, f"; {LOOKS_REVERSED}") if is_reversed else error) from None
    counts = _sum_over_blocks(_count_by_cell, scores.arrays, point.thresholds)
    names = ("samples", "errors", "true_rejects", "false_rejects")
    cells = pl.DataFrame(
        {
            "cell": scores.labels,
            "threshold": point.thresholds,
            **_correct_proba(front, point.thresholds),
            **dict(zip(names, counts, strict=True)),
        }
    )
    return Choice(front, target, point, cells, is_reversed)


def _correct_proba(front: ParetoFront, thresholds: NDArray[np.float64]) -> dict[str, pl.Series]:
    """Return the estimated probability at the threshold of each cell, if there are estimates."""
    if not isinstance(front, PooledFront):
        return {}
    probability = front.probability_correct(thresholds, np.arange(front.n_cells))
    known = np.where(np.isfinite(thresholds), probability, np.nan)
    return {"correct_proba": pl.Series(known, nan_to_null=True)}


def _count_by_cell(
    thresholds: NDArray[np.float64],
    certainty: NDArray[np.float64],
    correct: NDArray[np.bool_],
    cells: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the samples, errors, true rejects and false rejects of every cell."""
    rejected = certainty < thresholds[cells]

    def count(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(cells[mask], minlength=len(thresholds))

    samples = np.bincount(cells, minlength=len(thresholds))
    return np.stack(
        [samples, count(~correct), count(rejected & ~correct), count(rejected & correct)]
    )


def _sum_over_blocks(count: Callable[..., Any], arrays: dict[str, Any], shared: Any) -> Any:
    """Return the sum of counts over all blocks of the samples; NumPy arrays are one block."""
    if not is_dask(*arrays.values()):
        return count(shared, *arrays.values())
    return reduce_blocks(sum, map_blocks(count, aligned_blocks(**arrays), shared))


def _wrong_certainties(
    certainty: NDArray[np.float64], correct: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the certainties of wrong samples, ascending."""
    return np.sort(certainty[~correct])


def _merge_sorted(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.sort(np.concatenate(parts))


def _count_wins(
    wrong: NDArray[np.float64], certainty: NDArray[np.float64], correct: NDArray[np.bool_]
) -> int:
    """Return twice the number of pairs of a right and a wrong sample in which the right is surer.

    A tie counts once, so that sums over any parts of the right samples are exact.
    """
    right = np.sort(certainty[correct])  # for locality of the search
    below, not_above = (np.searchsorted(wrong, right, side) for side in ("left", "right"))
    return int(below.sum()) + int(not_above.sum())


def _looks_reversed(scores: Scores, front: ParetoFront) -> bool:
    """Return whether wrong answers are significantly surer than right ones.

    The AUROC, the share of pairs won, of a random certainty is 1/2, with a variance of at most
    (n + 1) / (12 · right · wrong).
    """
    n_right, n_wrong = front.n_samples - front.n_errors, front.n_errors
    if not n_right or not n_wrong:
        return False
    arrays = {"certainty": scores.certainty, "correct": scores.correct}
    if is_dask(*arrays.values()):
        parts = map_blocks(_wrong_certainties, aligned_blocks(**arrays))
        wrong = reduce_on_workers(_merge_sorted, parts)
    else:
        wrong = _wrong_certainties(*arrays.values())
    n_wins = _sum_over_blocks(_count_wins, arrays, wrong)
    error = math.sqrt((n_right + n_wrong + 1) / (12 * n_right * n_wrong))
    return bool(n_wins / (2 * n_right * n_wrong) < 0.5 - 3 * error)


# --- on a cluster -------------------------------------------------------------------------------


def read_on_cluster(
    client: Any,
    paths: Sequence[Path],
    columns: ScoreColumns,
    options: TextOptions,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Scores:
    """Read score files on the workers of a cluster, which see them under the same names.

    The samples are in Dask arrays, with one block per file.
    """
    import dask

    are_several = len(paths) > 1
    files = dask.persist(
        *(
            delayed_call(_read_on_worker, path.absolute(), path, columns, options, are_several)
            for path in paths
        )
    )
    futures = client.compute([delayed_call(attrgetter("summary"), file) for file in files])
    for done, index in enumerate(completed(futures), start=1):
        if futures[index].status != "finished":
            futures[index].result()  # raises its error
        watch(done, len(paths))
    summaries = client.gather(futures)

    def first_row(index: int, code: int) -> int:
        return int(compute(delayed_call(FileScores.first_row, files[index], code)))

    labels, positions = merge_cells(paths, columns, summaries, first_row)
    chunks, blocks = tuple(summary.n_rows for summary in summaries), [(file,) for file in files]
    located = list(zip(files, positions, strict=True))
    return Scores(
        certainty=map_blocks_to_array(
            attrgetter("certainty"), blocks, chunks=chunks, dtype=np.float64
        ),
        correct=map_blocks_to_array(attrgetter("correct"), blocks, chunks=chunks, dtype=np.bool_),
        cells=map_blocks_to_array(_cells_of, located, chunks=chunks, dtype=np.int64),
        labels=labels,
    )


def _read_on_worker(
    path: Path, name: Path, columns: ScoreColumns, options: TextOptions, are_several: bool
) -> FileScores:
    """Read a file, and report errors under the name that the user has given it."""
    try:
        with name_file_if(are_several, path):
            return read_file(path, columns, options)
    except InputError as error:
        message = error.message.substitute(str(path), str(name))
        unseen = ": the workers must see it too, on a file system that all share"
        raise reworded(error, message, "" if path.exists() else unseen) from None


def _cells_of(file: FileScores, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(positions[file.codes])


# --- output -------------------------------------------------------------------------------------


def output_files(out: Path, *scores: Path) -> tuple[Path, Path, Path]:
    """Return the files for the front, the thresholds and the document, after checking them."""
    check_suffix(out, (".csv", ".tsv", ".xlsx", ".parquet", ".pq"))
    files = (out, out.with_suffix(f".thresholds{out.suffix}"), out.with_suffix(".json"))
    check_keeps_inputs(files, dict.fromkeys(scores, "the score file"))
    for file in files:
        check_can_write(file)
    return files


def write_choice(choice: Choice, files: tuple[Path, Path, Path], version: str) -> None:
    """Write the front, the thresholds of the chosen row and the JSON document: all or none."""
    with atomic_files(*files) as (front, thresholds, document):
        write_frame(_front_table(choice.front), front)
        write_frame(choice.cells, thresholds)
        content = {"abstain": version, **choice.as_dict()}
        text = json.dumps(content, indent=2, allow_nan=False)
        document.write_text(text + "\n", encoding="utf-8")


def _front_table(front: ParetoFront) -> pl.DataFrame:
    expected = {}
    if isinstance(front, PooledFront):
        expected = {"expected_accuracy": front.expected_accuracies}
    return pl.DataFrame(
        {
            "true_rejects": front.true_rejects,
            "false_rejects": front.false_rejects,
            "reject_rate": front.reject_rates,
            "coverage": front.coverages,
            "accuracy": front.accuracies,
            **expected,
            "gap": front.gap,
            "is_pareto": front.is_pareto,
        }
    ).with_columns(cs.ends_with("accuracy").fill_nan(None))


def _target_as_dict(target: Target) -> dict[str, Any]:
    """Return the name of a target, such as "reject_rate", and its parameters, or its only one."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(target).__name__).lower()
    params = {param: value for param, value in vars(target).items() if value is not None}
    return {name: next(iter(params.values())) if len(params) == 1 else params}
