"""How fast are the fronts, against one sort of the same certainties?

Every time is the best of some rounds, in seconds of the processor, of which one core is used, and
every figure a ratio of two times of the same run: these machines are shared.
``python benchmarks/fronts.py`` prints the table and writes ``docs/benchmarks/fronts.json``;
``--quick`` leaves out the ten million points and writes nothing.
"""

import argparse
import json
import platform
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import measuring  # noqa: E402
from measuring import growth_of_process, show  # noqa: E402

from abstain import pareto_front  # noqa: E402
from abstain.fronts.staircases import build_staircases  # noqa: E402
from tests.reference.fronts import paper_dynamic_program, true_rejects_by_budget  # noqa: E402

RESULTS = ROOT / "docs" / "benchmarks" / "fronts.json"
ERROR_RATE = 0.065
OTHER_CELLS = (1, 2, 100, 1000, 100_000)

best_times = partial(measuring.best_times, clock=process_time)


class Data(NamedTuple):
    """The three aligned arrays that a front is made of."""

    certainty: NDArray[np.float64]
    correct: NDArray[np.bool_]
    cells: NDArray[np.int64]


def make_data(n_samples: int, n_cells: int, decimals: int | None = None, seed: int = 0) -> Data:
    """Draw certainties with errors that get rarer with certainty, in each cell at another rate.

    Rounded to a number of decimals, they are tied.
    """
    rng = np.random.default_rng(seed)
    certainty = rng.random(n_samples)
    cells = rng.integers(0, n_cells, n_samples)
    steepness = rng.uniform(1.0, 6.0, n_cells)[cells]
    odds = np.exp(-steepness * certainty)
    correct = rng.random(n_samples) > odds * (ERROR_RATE / odds.mean())
    return Data(certainty if decimals is None else certainty.round(decimals), correct, cells)


def peak_bytes(data: Data, method: str) -> int:
    """Return by how much a fresh process that holds the data grows while it computes a front."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "data.npz"
        np.savez(file, **data._asdict())
        command = [sys.executable, __file__, "--peak", str(file), "--method", method]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def print_peak(file: Path, method: str) -> None:
    """Print the growth at its peak, as Linux counts the pages of this process."""
    pareto_front(*make_data(1000, 2))  # what a process allocates once is not counted
    with np.load(file) as arrays:
        data = Data(**arrays)
    print(growth_of_process(lambda: pareto_front(*data, method=method)))


def measure(
    n_samples: int, n_cells: int, rounds: int, decimals: int | None = None
) -> dict[str, Any]:
    """Return the ratios of one size."""
    data = make_data(n_samples, n_cells, decimals)
    sort, stairs, exact, hull = best_times(
        rounds,
        lambda: np.argsort(data.certainty),
        lambda: build_staircases(*data),
        lambda: pareto_front(*data),
        lambda: pareto_front(*data, method="hull"),
    )
    front = pareto_front(*data)
    one_row, *_ = best_times(rounds, lambda: front.thresholds_at(len(front) // 2))
    gap = pareto_front(*data, method="hull").gap
    return {
        "samples": n_samples,
        "cells": n_cells,
        "decimals": decimals or 16,
        "errors": front.n_errors,
        "argsort_seconds": sort,
        "exact_seconds": exact,
        "staircases_over_argsort": stairs / sort,
        "exact_over_argsort": exact / sort,
        "hull_over_argsort": hull / sort,
        "one_row_over_exact": one_row / exact,
        "exact_bytes_per_sample": peak_bytes(data, "exact") / n_samples,
        "hull_bytes_per_sample": peak_bytes(data, "hull") / n_samples,
        "hull_mean_gap": float(gap.mean()),
    }


def compare_algorithms(n_samples: int, n_cells: int) -> dict[str, Any]:
    """Return how much longer the paper's Algorithm 1, as printed, and greedy take than exact."""
    data = make_data(n_samples, n_cells)
    budgets = [
        true_rejects_by_budget(
            data.certainty[data.cells == cell].tolist(), data.correct[data.cells == cell].tolist()
        )
        for cell in range(n_cells)
    ]
    exact, greedy = best_times(
        3, lambda: pareto_front(*data), lambda: pareto_front(*data, method="greedy")
    )
    (literal,) = best_times(1, lambda: paper_dynamic_program(budgets))
    return {
        "samples": n_samples,
        "cells": n_cells,
        "algorithm_1_over_exact": literal / exact,
        "greedy_over_exact": greedy / exact,
    }


def growth(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return by how much the exact front and argsort take longer at ten times the samples."""
    return [
        {
            "from": small["samples"],
            "to": large["samples"],
            "exact": large["exact_seconds"] / small["exact_seconds"],
            "argsort": large["argsort_seconds"] / small["argsort_seconds"],
        }
        for small, large in pairwise(rows)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no ten million points, write nothing")
    parser.add_argument("--peak", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--method", default="exact", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peak:
        print_peak(arguments.peak, arguments.method)
        return
    quick = arguments.quick
    sizes = [10**5, 10**6] if quick else [10**5, 10**6, 10**7]
    ten_cells = [measure(n, 10, rounds=3 if n > 10**6 else 15) for n in sizes]
    other_cells = [measure(10**6, n_cells, rounds=15) for n_cells in OTHER_CELLS]
    other_cells += [measure(10**6, 10, rounds=15, decimals=decimals) for decimals in (2, 4)]
    algorithms = [compare_algorithms(n, 5) for n in (500, 2000)]
    show("Against one np.argsort of the certainties", ten_cells + other_cells)
    show("Ten times the samples take so many times as long (10 cells)", growth(ten_cells))
    show("The paper's algorithms against the exact front", algorithms)
    if not quick:
        results = {
            "date": datetime.now(UTC).date().isoformat(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "fronts": ten_cells + other_cells,
            "growth": growth(ten_cells),
            "algorithms": algorithms,
        }
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
        print(f"\nwritten to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
