"""How soon does a report open, how fast does its slider answer, and how large is the file?

Reports are opened from disk in a headless Chromium: one of breast tumours, as many people would
make it, and one of a front of 50,000 rows with 50 cells. Loading is timed from the start of the
navigation until all pictures are drawn; a browser is started for each round, so that nothing is
kept from the last one. The slider is timed from its event until the screen shows what it changed,
at 50 places. ``python benchmarks/report.py`` prints the table and writes
``docs/benchmarks/report.json``; ``--quick`` makes one round and writes nothing.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from measuring import show  # noqa: E402

from abstain import GMLVQ, RejectOptionClassifier  # noqa: E402
from abstain.report import write_report  # noqa: E402
from tests.report.browsing import CHROMIUM, WHY_NOT, Page, open_browser  # noqa: E402

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


def small_problem() -> tuple[Any, Any, NDArray[Any]]:
    """Return a classifier of breast tumours, and samples that it has not seen."""
    data = load_breast_cancer(as_frame=True)
    labels = data.target_names[data.target]
    X, X_new, y, y_new = train_test_split(data.data, labels, test_size=0.5, random_state=0)
    model = make_pipeline(StandardScaler(), GMLVQ(random_state=0))
    return RejectOptionClassifier(model, cv=5).fit(X, y), X_new, y_new


def load(file: Path) -> dict[str, float]:
    """Return when a page shows its numbers and its pictures, and what its main thread computed."""
    with open_browser() as driver:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        page = Page(driver, file)
        seen = page.run("return window.seen")
        metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        busy = {metric["name"]: metric["value"] for metric in metrics}["TaskDuration"]
    return {"numbers": seen["numbers"] / 1000, "all": seen["all"] / 1000, "busy": busy}


def answers(file: Path) -> Iterator[float]:
    """Yield how long the slider takes to answer, in milliseconds."""
    with open_browser() as driver:
        driver.set_script_timeout(60)
        page = Page(driver, file)
        last = int(page.run("return document.getElementById('slider').max"))
        places = np.linspace(0, last, N_PLACES).round().astype(int)
        # Back and forth, so that each step changes much.
        order = [*places[::2], *places[1::2][::-1]]
        for place in [last, *order]:
            yield float(driver.execute_async_script(MOVE, int(place)))
            time.sleep(0.05)


def measure(name: str, problem: tuple[Any, Any, Any], rounds: int, folder: Path) -> dict[str, Any]:
    clf, X, y = problem
    file = folder / "report.html"
    start = time.perf_counter()
    write_report(clf, X, y, file, title=name)
    writing = time.perf_counter() - start
    loads = [load(file) for _ in range(rounds)]
    took = [milliseconds for _ in range(rounds) for milliseconds in list(answers(file))[1:]]
    return {
        "report": name,
        "samples": len(y),
        "rows_of_front": len(clf.front_),
        "cells": clf.front_.n_cells,
        "megabytes": file.stat().st_size / 1e6,
        "write_seconds": writing,
        "numbers_after_seconds": min(each["numbers"] for each in loads),
        "all_after_seconds": min(each["all"] for each in loads),
        "main_thread_seconds": min(each["busy"] for each in loads),
        "slider_median_ms": statistics.median(took),
        "slider_worst_ms": max(took),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, write nothing")
    arguments = parser.parse_args()
    if WHY_NOT or CHROMIUM is None:
        sys.exit(str(WHY_NOT))
    rounds = 1 if arguments.quick else 5
    with TemporaryDirectory() as folder:
        rows = [
            measure("breast tumours", small_problem(), rounds, Path(folder)),
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
