"""How does a cluster find the front of many score files?

Each file is read where a worker is, as one block, and stays there: in memory, or on the disk of the
worker where that is short. What leaves it are the names of its cells, which all files must agree
on, and counts. It is read a second time only if its worker is lost.
"""

from __future__ import annotations  # signatures then show the names of types

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abstain._core.checks import InputError
from abstain._core.files import named_if
from abstain._scale.blocks import aligned_blocks
from abstain._scale.computing import completed, compute, reduce_blocks, reduce_on_workers
from abstain._scale.graphs import delayed_call, map_blocks, map_blocks_to_array
from abstain._score_files.choosing import (
    TARGETS,
    Choice,
    count_by_cell,
    count_wins,
    group_wrong,
    make_choice,
    merge_wrong,
)
from abstain._score_files.reading import Part, ScoreColumns, agree, read_part
from abstain.fronts import ParetoFront
from abstain.targets import operating_point

__all__ = ["ScoresOnCluster", "choose_on_cluster", "read_on_cluster"]


@dataclass(frozen=True, eq=False)
class ScoresOnCluster:
    """What score files say, in three Dask arrays with a block for each file.

    Attributes
    ----------
    certainty, correct, cells : dask.array.Array of shape (n_samples,)
        As in `Scores`.
    labels : list of int or list of str
        The label of each cell, ascending; "all" if there is one cell for all.
    """

    certainty: Any
    correct: Any
    cells: Any
    labels: list[int] | list[str]


def read_on_cluster(
    client: Any,
    paths: Sequence[Path],
    columns: ScoreColumns,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> ScoresOnCluster:
    """Have the workers of a cluster read score files, as if they were one, in their order.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    paths : sequence of Path
        Files that the workers see under the same names.
    columns : ScoreColumns
        Which column is which, in all of them.
    watch : callable, default=nothing
        Told how many files are read, and of how many.

    Returns
    -------
    scores : ScoresOnCluster
        Their samples, which are the workers'.

    Raises
    ------
    InputError
        If a file, a column or a value cannot be used, with its name, its row and the remedy.
    """
    import dask

    is_several = len(paths) > 1
    parts = dask.persist(
        *(delayed_call(_read_there, path.absolute(), path, columns, is_several) for path in paths)
    )
    outlines = client.compute([delayed_call(Part.outline, part) for part in parts])
    for done, place in enumerate(completed(outlines), start=1):
        if outlines[place].status != "finished":
            outlines[place].result()  # raises what went wrong
        watch(done, len(paths))
    found = client.gather(outlines)

    def first_row(file: int, code: int) -> int:
        return int(compute(delayed_call(Part.first_row, parts[file], code)))

    labels, positions = agree(paths, columns, found, first_row)
    chunks, blocks = tuple(outline.n_rows for outline in found), [(part,) for part in parts]
    located = list(zip(parts, positions, strict=True))
    return ScoresOnCluster(
        certainty=map_blocks_to_array(_certainty_of, blocks, chunks=chunks, dtype=np.float64),
        correct=map_blocks_to_array(_correct_of, blocks, chunks=chunks, dtype=np.bool_),
        cells=map_blocks_to_array(_cells_of, located, chunks=chunks, dtype=np.int64),
        labels=labels,
    )


def _read_there(path: Path, name: Path, columns: ScoreColumns, is_several: bool) -> Part:
    """Read a file where it is seen, and tell of it by the name that the user has given it."""
    try:
        with named_if(is_several, path):
            return read_part(path, columns)
    except InputError as error:
        said = str(error).replace(str(path), str(name))
        if not path.exists():
            said = f"{said}: the workers must see it too, on a file system that all share"
        raise InputError(said) from None


def _certainty_of(part: Part) -> NDArray[np.float64]:
    return part.certainty


def _correct_of(part: Part) -> NDArray[np.bool_]:
    return part.correct


def _cells_of(part: Part, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(positions[part.codes])


def choose_on_cluster(
    scores: ScoresOnCluster, front: ParetoFront, target: str, value: float
) -> Choice:
    """Find the row of a front that serves a target best, as `choose` does.

    Parameters
    ----------
    scores : ScoresOnCluster
        The samples that the front was made of.
    front : ParetoFront
        Their front.
    target : {"accuracy", "reject_rate", "reject_cost"}
        What is asked for.
    value : float
        How much of it.

    Returns
    -------
    choice : Choice
        The chosen row, with its thresholds.

    Raises
    ------
    InputError
        If no row serves the target.
    """
    point = operating_point(front, TARGETS[target](value))
    pairs = aligned_blocks(certainty=scores.certainty, correct=scores.correct)
    triples = aligned_blocks(certainty=scores.certainty, correct=scores.correct, cells=scores.cells)
    counts = reduce_blocks(_add, map_blocks(count_by_cell, triples, point.thresholds))
    wrong = reduce_on_workers(merge_wrong, map_blocks(group_wrong, pairs))
    n_wins = reduce_blocks(sum, map_blocks(count_wins, pairs, wrong))
    return make_choice(front, target, value, point, scores.labels, counts, n_wins)


def _add(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.asarray(np.sum(parts, axis=0))
