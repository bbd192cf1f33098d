"""How long does a long table take through `abstain predict`, and how much memory?

A CSV file of two million rows, with numbers of full precision, passes through a saved GMLVQ with a
reject option: all rows come out again with answer, certainty, the probability that the answer is
right, and reason. The time of the whole command, its start included, is measured beside what
``polars.read_csv`` takes to read the same file in the same run; memory is the largest resident set
of the process. To start a process that uses scikit-learn takes seconds in itself, so that the same
command on a table of ten rows is measured as well. The command is that of an environment with the
package and what it needs, and nothing else, made anew in ``build/plain``.

``python benchmarks/predict.py`` prints the table and writes ``docs/benchmarks/predict.json``.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import sklearn
from rich.console import Console
from rich.table import Table

from abstain._core.files import atomic_files

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "predict.json"
PLAIN = ROOT / "build" / "plain"
PYTHON = PLAIN / "bin" / "python"
N_ROWS, N_TRAIN, N_SOME, ROUNDS = 2_000_000, 20_000, 10, 3
COLUMNS = [10, 30]
CLASSES = ["low", "middle", "high"]
MOST_TIMES, MOST_MEGABYTES = 4, 1000

Row = dict[str, Any]
# The figure of a process that reads a file and does nothing else.
_READ = (
    "import sys, time, polars as pl; start = time.perf_counter(); pl.read_csv(sys.argv[1]); "
    "print(time.perf_counter() - start)"
)


def write_tables(folder: Path, n_rows: int, n_columns: int) -> None:
    """Write a table of three overlapping classes, a labelled part of it, and a few rows."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, len(CLASSES), n_rows)
    values = rng.normal(size=(n_rows, n_columns))
    values += classes[:, np.newaxis] * np.linspace(0, 1.5 * (10 / n_columns) ** 0.5, n_columns)
    frame = pl.DataFrame(values, schema=[f"x{index}" for index in range(n_columns)])
    frame.write_csv(folder / "new.csv")
    frame.head(N_SOME).write_csv(folder / "some.csv")
    labels = pl.Series("class", np.array(CLASSES)[classes])
    frame.with_columns(labels).head(N_TRAIN).write_csv(folder / "train.csv")


def install() -> None:
    """Make an environment as users have it: what lies beside a package may slow its start."""
    print(f"installing into {PLAIN.relative_to(ROOT)}", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", "--clear", PLAIN], check=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(ROOT)], check=True)


def abstain(*arguments: Any) -> tuple[float, float]:
    """Run the command; return its seconds, and its largest resident set in megabytes."""
    start = time.perf_counter()
    command = [str(PYTHON), "-m", "abstain", *map(str, arguments), "--quiet"]
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_maxrss * 1024 / 1e6


def read_by_polars(path: Path) -> tuple[float, float]:
    """Return what polars takes to read a file, and what the process takes that does so."""
    start = time.perf_counter()
    done = subprocess.run([PYTHON, "-c", _READ, path], check=True, capture_output=True, text=True)
    return float(done.stdout), time.perf_counter() - start


def measure(n_rows: int, n_columns: int, rounds: int) -> Row:
    """Return the best of some rounds, in which everything takes its turn."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        # In a process of its own: a child counts what its parent had in memory when it was born.
        sizes = ["--write", str(folder), "--rows", str(n_rows), "--columns", str(n_columns)]
        subprocess.run([sys.executable, __file__, *sizes], check=True)
        model, out = folder / "model.abstain", folder / "answers.csv"
        options = ["--accuracy", 0.95, "--confidence", 0.95, "--out", model]
        abstain("fit", folder / "train.csv", "--label", "class", *options)
        reads, processes, starts, commands, peaks = [], [], [], [], []
        for _ in range(rounds):
            read, process = read_by_polars(folder / "new.csv")
            reads.append(read)
            processes.append(process)
            starts.append(abstain("predict", model, folder / "some.csv", "--out", out)[0])
            seconds, peak = abstain("predict", model, folder / "new.csv", "--out", out)
            commands.append(seconds)
            peaks.append(peak)
        size = (folder / "new.csv").stat().st_size
    return {
        "rows": n_rows,
        "columns": n_columns,
        "file_megabytes": size / 1e6,
        "polars_seconds": min(reads),
        "polars_process_seconds": min(processes),
        "start_seconds": min(starts),
        "predict_seconds": min(commands),
        "times_polars": min(commands) / min(reads),
        "times_polars_process": min(commands) / min(processes),
        "times_polars_after_start": (min(commands) - min(starts)) / min(reads),
        "peak_megabytes": max(peaks),
    }


def show(rows: list[Row]) -> None:
    table = Table("", *(f"{row['columns']} columns" for row in rows))
    for name in rows[0]:
        table.add_row(name.replace("_", " "), *(f"{row[name]:,.3g}" for row in rows))
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=N_ROWS, help="with fewer, nothing is written")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--columns", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write:
        write_tables(arguments.write, arguments.rows, arguments.columns)
        return
    install()
    rows = [measure(arguments.rows, columns, arguments.rounds) for columns in COLUMNS]
    show(rows)
    if arguments.rows < N_ROWS:
        return
    results = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "polars": pl.__version__,
        "scikit-learn": sklearn.__version__,
        "cores": os.cpu_count(),
        "bars": {"times_polars": MOST_TIMES, "peak_megabytes": MOST_MEGABYTES},
        "tables": rows,
    }
    with atomic_files(RESULTS) as (draft,):
        draft.write_text(json.dumps(results, indent=2) + "\n")
    print(f"\nwritten to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
