"""How are times and memory measured, and shown?"""

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from abstain._core.files import atomic_files

RECORDS = Path(__file__).resolve().parent.parent / "docs" / "benchmarks"

__all__ = ["best_times", "growth_of_process", "show", "write_record"]


def best_times(
    rounds: int,
    *functions: Callable[[], object],
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Return the best time of each function; the rounds take turns, so that noise hits all."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for index, function in enumerate(functions):
            start = clock()
            function()
            best[index] = min(best[index], clock() - start)
    return best


def growth_of_process(function: Callable[[], object]) -> int:
    """Return by how much this process grows at its peak, in bytes, as Linux counts its pages."""
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far
    function()
    return _status("VmHWM") - before


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {field} in /proc/self/status: measure on Linux")


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows of figures under their names."""
    print(f"\n{title}")
    names = list(rows[0])
    print("  ".join(names))
    for row in rows:
        cells = (_written(row[name]) for name in names)
        print("  ".join(cell.rjust(len(name)) for cell, name in zip(cells, names, strict=True)))
    sys.stdout.flush()


def _written(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def write_record(name: str, packages: list[str], **figures: Any) -> None:
    """Keep figures in docs/benchmarks, with the day, the versions and the cores they come from."""
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
        "cores": os.cpu_count(),
    }
    with atomic_files(RECORDS / name) as (draft,):
        draft.write_text(json.dumps(about | figures, indent=2) + "\n")
    print(f"\nwritten to docs/benchmarks/{name}")
