"""What fronts cost, measured by benchmarks/fronts.py and benchmarks/pooled.py."""

from tools.numbers.writing import find, record, table

RECORD = record("fronts")
ROWS = RECORD["fronts"]
SMALL, LARGE = RECORD["growth"]
SLOWEST = RECORD["algorithms"][-1]
# Cells of 1,000 samples or more, and cells of ten.
USUAL = [row for row in ROWS if row["cells"] <= 1000]
TINY_CELLS = find(ROWS, samples=10**6, cells=100_000)


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


def ends(name: str, values: list[float], digits: int = 1) -> dict[str, str]:
    """Return the least and the largest of some values."""
    least, most = (f"{end(values):.{digits}f}" for end in (min, max))
    return {f"least_{name}": least, f"most_{name}": most}


VALUES = {
    "times": times(),
    **ends("staircases", [row["staircases_over_argsort"] for row in USUAL]),
    **ends("exact", [row["exact_over_argsort"] for row in USUAL]),
    **ends("hull", [row["hull_over_argsort"] for row in USUAL]),
    **ends("of_one_row", [100 * row["one_row_over_exact"] for row in USUAL]),
    **ends("bytes", [row["exact_bytes_per_sample"] for row in USUAL], 0),
    "tiny_of_one_row": f"{TINY_CELLS['one_row_over_exact']:.1f}",
    "tiny_bytes": f"{TINY_CELLS['exact_bytes_per_sample']:.0f}",
    "tiny_cells": f"{TINY_CELLS['exact_over_argsort']:.1f}",
    "tiny_hull": f"{TINY_CELLS['hull_over_argsort']:.1f}",
    "growth_small": f"{SMALL['exact']:.1f}",
    "growth_large": f"{LARGE['exact']:.1f}",
    "sort_growth_small": f"{SMALL['argsort']:.1f}",
    "sort_growth_large": f"{LARGE['argsort']:.1f}",
    "greedy": f"{SLOWEST['greedy_over_exact']:.1f}",
    "algorithm_1": f"{SLOWEST['algorithm_1_over_exact']:.0f}",
}
