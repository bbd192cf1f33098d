"""How fast is the pooled front, against one sort of the same certainties?

Every time is the best of a few rounds, and every figure a ratio of two times of the same run:
these machines are shared. ``python benchmarks/pooled.py`` prints the table and writes
``docs/benchmarks/pooled.json``; ``--quick`` leaves out the ten million samples and writes nothing.
"""

import argparse
from typing import Any

import numpy as np
from fronts import make_data
from measuring import best_times, show, write_record

from abstain import pareto_front
from abstain.fronts.bins import count_in_bins
from abstain.fronts.pooled import pooled_front

SIZES = [(10_000, 10), (100_000, 10), (1_000_000, 1), (1_000_000, 10), (1_000_000, 100)]
LARGE = [(10_000_000, 100)]


def measure(n_samples: int, n_cells: int) -> dict[str, Any]:
    """Return the ratios of one size."""
    data = make_data(n_samples, n_cells)
    counts = count_in_bins(*data)
    rounds = 5 if n_samples > 1_000_000 else 25
    sort, counting, estimating, whole = best_times(
        rounds,
        lambda: np.argsort(data.certainty),
        lambda: count_in_bins(*data),
        lambda: pooled_front(counts),
        lambda: pareto_front(*data, method="pooled"),
    )
    return {
        "samples": n_samples,
        "cells": n_cells,
        "argsort_seconds": sort,
        "counting_over_argsort": counting / sort,
        "estimating_over_argsort": estimating / sort,
        "pooled_over_argsort": whole / sort,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    rows = [measure(*size) for size in (SIZES if quick else SIZES + LARGE)]
    show("seconds of one argsort, and times of it", rows)
    if quick:
        return
    write_record("pooled.json", ["numpy", "scipy"], rows=rows)


if __name__ == "__main__":
    main()
