"""How soon does a report open, how fast does its slider answer, and how large is the file?

Reports are opened from disk in a headless Chromium: one of breast tumours, as many people would
make it, and one of a front of 50,000 rows with 50 cells. Loading is timed from the start of the
navigation until all pictures are drawn; a browser is started for each round, so that nothing is
kept from the last one. The slider is timed from its event until the screen shows what it changed,
at 50 places, with the curve in sight and with the plane of samples in sight. Beside each stands
what the main thread computed, which does not depend on what else the machine does.
``python benchmarks/report.py`` prints the table and writes ``docs/benchmarks/report.json``;
``--quick`` makes one round and writes nothing.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from measuring import show  # noqa: E402

from abstain import RejectOptionClassifier  # noqa: E402
from abstain.report import write_report  # noqa: E402
from tests.report.browsing import CHROMIUM, WHY_NOT, Page, open_browser  # noqa: E402
from tests.report.problems import breast_tumours  # noqa: E402

RESULTS = ROOT / "docs" / "benchmarks" / "report.json"
N_ROWS = 50_000
N_CELLS = 50
N_PLACES = 50

# Runs before the page does: notes when its numbers are there, and when all is drawn.
WATCH = """
    window.seen = {};
    new MutationObserver(() => {
        const main = document.querySelector("main");
        if (main && !main.hidden) window.seen.numbers ??= performance.now();
        if (document.body && document.body.dataset.ready) window.seen.all ??= performance.now();
    }).observe(document, { attributes: true, childList: true, subtree: true });
"""

# The task after the next frame comes when that frame has been drawn.
MOVE = """
    const [place, done] = arguments;
    const slider = document.getElementById("slider");
    slider.value = place;
    const start = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0));
"""


def in_stripes(estimator: Any, X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return which of the cells each sample lies in."""
    return np.digitize(X[:, 1], np.linspace(-2, 2, N_CELLS - 1))


def large_problem() -> tuple[Any, NDArray[np.float64], NDArray[np.int64]]:
    """Return a classifier whose front has more rows than asked for, and its samples."""
    rng = np.random.default_rng(0)
    n_samples = 5 * N_ROWS
    y = rng.integers(0, 2, n_samples)
    X = rng.normal(size=(n_samples, 4))
    X[:, 0] += 1.6 * y
    clf = RejectOptionClassifier(GaussianNB(), cells=in_stripes).fit(X, y)
    return clf, X, y


def load(file: Path) -> dict[str, float]:
    """Return when a page shows its numbers and its pictures, and what its main thread computed."""
    with open_browser() as driver:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        page = Page(driver, file)
        seen = page.run("return window.seen")
        return {
            "numbers_after_seconds": seen["numbers"] / 1000,
            "all_after_seconds": seen["all"] / 1000,
            "main_thread_seconds": _computed(driver),
        }


def _computed(driver: Any) -> float:
    """Return how long the main thread of the page has computed so far, in seconds."""
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float({metric["name"]: metric["value"] for metric in metrics}["TaskDuration"])


def move(file: Path, seen: str) -> dict[str, float]:
    """Return how long the slider takes to answer while a picture is in sight, in milliseconds."""
    with open_browser() as driver:
        driver.set_script_timeout(100)
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        page = Page(driver, file)
        page.run(f"document.getElementById('{seen}').scrollIntoView({{block: 'center'}})")
        last = int(page.run("return document.getElementById('slider').max"))
        driver.execute_async_script(MOVE, last)
        # Back and forth, so that each step changes much.
        places = np.linspace(0, last, N_PLACES).round().astype(int).tolist()
        before, took = _computed(driver), []
        for place in [*places[::2], *places[1::2][::-1]]:
            took.append(float(driver.execute_async_script(MOVE, place)))
        computed = 1000 * (_computed(driver) - before) / len(took)
    return {
        f"{seen}_median_ms": statistics.median(took),
        f"{seen}_worst_ms": max(took),
        f"{seen}_main_thread_ms": computed,
    }


def measure(name: str, problem: tuple[Any, Any, Any], rounds: int, folder: Path) -> dict[str, Any]:
    clf, X, y = problem
    file = folder / "report.html"
    start = time.perf_counter()
    write_report(clf, X, y, file, title=name)
    writing = time.perf_counter() - start
    found = [load(file) | move(file, "curve") | move(file, "view") for _ in range(rounds)]
    return {
        "report": name,
        "samples": len(y),
        "rows_of_front": len(clf.front_),
        "cells": clf.front_.n_cells,
        "megabytes": file.stat().st_size / 1e6,
        "write_seconds": writing,
        # The machine is shared: the best round tells what the page takes.
        **{key: min(each[key] for each in found) for key in found[0]},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, write nothing")
    arguments = parser.parse_args()
    if WHY_NOT or CHROMIUM is None:
        sys.exit(str(WHY_NOT))
    rounds = 1 if arguments.quick else 3
    with TemporaryDirectory() as folder:
        rows = [
            measure("breast tumours", breast_tumours(), rounds, Path(folder)),
            measure("a front of 50,000 rows", large_problem(), rounds, Path(folder)),
        ]
    show("Reports in a browser", rows)
    if not arguments.quick:
        version = subprocess.run(
            [CHROMIUM, "--version"], capture_output=True, text=True, check=True
        )
        results = {
            "date": datetime.now(UTC).date().isoformat(),
            "python": platform.python_version(),
            "browser": version.stdout.strip(),
            "reports": rows,
        }
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
        print(f"\nwritten to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
