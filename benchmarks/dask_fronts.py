"""What does the exact front of more samples than a machine can hold take, on a cluster?

A hundred million samples, one in a hundred wrong, in 50 cells, are drawn block by block where they
are needed: two worker processes of 4 GB each hold no more than the blocks that they work on. The
time of the exact front is compared with that of sorting every block once, by ``argsort`` of
certainties drawn in the same way; both times include drawing. The front needs the samples twice.
What travels between processes, and the largest resident set of each, are measured too.

The exact front takes longer with more errors, here one in five, and far longer where errors get
more frequent with certainty, so that nothing can be pruned: then it is stopped after two minutes.
Along the hull a front takes nearly linear time in the errors in any case, and its gap bounds what
it may miss.

``python benchmarks/dask_fronts.py`` prints the table and writes
``docs/benchmarks/dask_fronts.json``.
"""

import argparse
import multiprocessing
import os
import resource
import time
from typing import Any

import dask
import dask.array as da
import distributed
import numpy as np
from measuring import write_record
from rich.console import Console
from rich.table import Table

from abstain import pareto_front
from abstain.fronts.chunked import build_staircases_on_dask
from abstain.fronts.pareto import FROM_STAIRCASES

N_SAMPLES, BLOCK, N_CELLS, FEW_WRONG, MANY_WRONG = 100_000_000, 1_000_000, 50, 0.01, 0.2
WORKERS, MEMORY = 2, "4GB"
TIMEOUT_SECONDS = 120.0

Row = dict[str, Any]


def draw(block: int, size: int, share_wrong: float, misleads: bool) -> tuple[Any, Any, Any]:
    """Return certainty, correct and cells of a block: errors get rarer with certainty, or not."""
    rng = np.random.default_rng([0, block])
    certainty = rng.random(size)
    cells = rng.integers(0, N_CELLS, size, dtype=np.uint8)
    chance = 3 * share_wrong * (certainty if misleads else 1 - certainty) ** 2
    return certainty, rng.random(size) >= chance, cells


def lazy_samples(n_samples: int, share_wrong: float, *, misleads: bool = False) -> list[Any]:
    sizes = [min(BLOCK, n_samples - start) for start in range(0, n_samples, BLOCK)]
    drawn = dask.delayed(draw, pure=False, nout=3)
    blocks = [drawn(at, size, share_wrong, misleads) for at, size in enumerate(sizes)]
    kinds = [(0, np.float64), (1, np.bool_), (2, np.uint8)]
    return [
        da.concatenate(
            [
                da.from_delayed(block[part], (size,), dtype=kind)
                for block, size in zip(blocks, sizes, strict=True)
            ]
        )
        for part, kind in kinds
    ]


def sorted_length(block: int, size: int) -> int:
    """Draw a block and sort it once."""
    return len(np.argsort(draw(block, size, FEW_WRONG, False)[0]))


def sort_blocks(n_samples: int) -> None:
    sizes = [min(BLOCK, n_samples - start) for start in range(0, n_samples, BLOCK)]
    dask.compute([dask.delayed(sorted_length)(at, size) for at, size in enumerate(sizes)])


def peak() -> float:
    """Return the largest resident set of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def bytes_between_workers(client: Any) -> int:
    totals = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return int(sum(totals.values()))


def timed(call: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def exact_in_time(staircases: Any) -> Row:
    """Return what the exact front takes in a process of its own, if it does not take too long."""
    os.environ.pop("MALLOC_TRIM_THRESHOLD_", None)  # which Dask sets for its workers
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=send_exact, args=(staircases, theirs))
    process.start()
    row = ours.recv() if ours.poll(TIMEOUT_SECONDS) else {"exact_seconds_at_least": TIMEOUT_SECONDS}
    process.kill()
    process.join()
    return row


def send_exact(staircases: Any, connection: Any) -> None:
    seconds, front = timed(lambda: FROM_STAIRCASES["exact"](staircases))
    row_seconds, _ = timed(lambda: front.thresholds_at(len(front) // 2))
    row = {"exact_seconds": seconds, "one_row_seconds": row_seconds, "exact_megabytes": peak()}
    connection.send(row)


def measure(n_samples: int, share_wrong: float, *, misleads: bool = False) -> Row:
    before = peak()
    with (
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            memory_limit=MEMORY,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        sorting, _ = timed(lambda: sort_blocks(n_samples))
        samples = lazy_samples(n_samples, share_wrong, misleads=misleads)
        moved = bytes_between_workers(client)
        steps_seconds, staircases = timed(lambda: build_staircases_on_dask(*samples))
        moved = bytes_between_workers(client) - moved
        workers = list(client.run(peak).values())
    hull_seconds, hull = timed(lambda: FROM_STAIRCASES["hull"](staircases))
    exact = exact_in_time(staircases)
    if "exact_seconds" in exact:
        exact["times_sort_exact"] = (steps_seconds + exact["exact_seconds"]) / sorting
    returned = sum(
        getattr(staircases, name).nbytes
        for name in ("starts", "true_rejects", "false_rejects", "thresholds")
    )
    return {
        "samples": n_samples,
        "errors": staircases.n_errors,
        "cells": staircases.n_cells,
        "sort_seconds": sorting,
        "staircases_seconds": steps_seconds,
        **exact,
        "hull_seconds": hull_seconds,
        "times_sort_hull": (steps_seconds + hull_seconds) / sorting,
        "largest_gap_of_hull": int(hull.gap.max()),
        "megabytes_of_samples": n_samples * 10 / 1e6,
        "megabytes_between_workers": moved / 1e6,
        "megabytes_to_client": returned / 1e6,
        "client_megabytes": peak(),
        "client_megabytes_before": before,
        "worker_megabytes": max(workers),
    }


def check(n_samples: int = 200_000) -> None:
    """Compare with one machine, before anything is measured."""
    samples = lazy_samples(n_samples, FEW_WRONG)
    expected = pareto_front(*dask.compute(*samples))
    front = pareto_front(*samples)
    assert np.array_equal(front.false_rejects, expected.false_rejects)
    assert np.array_equal(front.thresholds_at(-1), expected.thresholds_at(-1))


def show(rows: list[Row]) -> None:
    table = Table("", *(f"{row['errors']:,} errors" for row in rows))
    for name in dict.fromkeys(name for row in rows for name in row):
        texts = [f"{row[name]:,.4g}" if name in row else "" for row in rows]
        table.add_row(name.replace("_", " "), *texts)
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--samples", type=int, default=N_SAMPLES, help="with fewer, nothing is written"
    )
    arguments = parser.parse_args()
    check()
    few = measure(arguments.samples, FEW_WRONG)
    misled = measure(arguments.samples, FEW_WRONG, misleads=True)
    many = measure(arguments.samples, MANY_WRONG)  # last: what is born after it counts its memory
    show([few, many, misled])
    if arguments.samples < N_SAMPLES:
        return
    write_record(
        "dask_fronts.json",
        ["dask", "numpy"],
        workers=WORKERS,
        memory_of_a_worker=MEMORY,
        fronts=few,
        many_errors=many,
        likelier_with_certainty=misled,
    )


if __name__ == "__main__":
    main()
