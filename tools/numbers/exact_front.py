"""What fronts cost, measured by benchmarks/fronts.py and benchmarks/pooled.py."""

from tools.numbers.writing import Row, find, record, table

RECORD = record("fronts")
ROWS = RECORD["fronts"]
SMALL, LARGE = RECORD["growth"]
SLOWEST = RECORD["algorithms"][-1]
# The sizes most often used; the others are named one by one.
USUAL = [row for row in ROWS if row["samples"] >= 10**6 and row["cells"] <= 100]


def times() -> str:
    """Write the time of each part, in sorts."""
    parts = ("staircases", "exact", "hull")
    lines = [
        [
            *(f"{row[name]:,}" for name in ("samples", "cells", "decimals")),
            *(f"{row[f'{part}_over_argsort']:.1f}" for part in parts),
        ]
        for row in ROWS
    ]
    return table(["samples", "cells", "decimals", *parts], lines, 0)


def size(samples: int, cells: int) -> Row:
    """Find the run with this many samples and cells, without ties."""
    return find(ROWS, samples=samples, cells=cells, decimals=16)


def ends(name: str, values: list[float], digits: int = 1) -> dict[str, str]:
    """Return the least and the largest of some values."""
    least, most = (f"{end(values):.{digits}f}" for end in (min, max))
    return {f"least_{name}": least, f"most_{name}": most}


VALUES = {
    "times": times(),
    **ends("staircases", [row["staircases_over_argsort"] for row in ROWS]),
    **ends("exact", [row["exact_over_argsort"] for row in USUAL]),
    **ends("hull", [row["hull_over_argsort"] for row in ROWS]),
    **ends("of_one_row", [100 * row["one_row_over_exact"] for row in ROWS]),
    **ends("bytes", [row["exact_bytes_per_sample"] for row in ROWS], 0),
    "few_samples": f"{size(10**5, 10)['exact_over_argsort']:.1f}",
    "many_cells": f"{size(10**6, 1000)['exact_over_argsort']:.1f}",
    "growth_small": f"{SMALL['exact']:.1f}",
    "growth_large": f"{LARGE['exact']:.1f}",
    "sort_growth_small": f"{SMALL['argsort']:.1f}",
    "sort_growth_large": f"{LARGE['argsort']:.1f}",
    "first_seconds": f"{RECORD['first_front_seconds']:.1f}",
    "greedy": f"{SLOWEST['greedy_over_exact']:.1f}",
    "algorithm_1": f"{SLOWEST['algorithm_1_over_exact']:.0f}",
}
