"""How soon does a report open, how fast does its slider answer, and how large is the file?

Reports are opened from disk in a headless Chromium: the one that ``abstain demo`` writes, and one
of a front of 50,000 rows with 50 cells. Loading is timed from the start of the navigation until all
pictures are drawn; a browser is started for each round, so that nothing is kept from the last one.
The slider is timed from its event until the screen shows what it changed, at 50 places, with the
curve in sight and with the plane of samples in sight. Beside each stands what the main thread
computed, which depends less on what else the machine does. Figures are those of the best round, but
for those named after any round, which are the worst of all.
``python benchmarks/report.py`` prints the table and writes ``docs/benchmarks/report.json``;
``--quick`` makes one round and writes nothing.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from measuring import show  # noqa: E402

from abstain import RejectOptionClassifier  # noqa: E402
from abstain import load as load_model  # noqa: E402
from abstain._core.files import atomic_files  # noqa: E402
from abstain.cli.demo import run_demo  # noqa: E402
from abstain.report import write_report  # noqa: E402
from tests.report.browsing import CHROMIUM, WHY_NOT, Page, open_browser  # noqa: E402

RESULTS = ROOT / "docs" / "benchmarks" / "report.json"
N_ROWS = 50_000
N_CELLS = 50
N_PLACES = 50
WORST = "worst_ms_of_best_round"
BARS = {"all_after_seconds": 3, "slider_ms": 100, "megabytes": 6}


class Report(NamedTuple):
    """A page, and what it tells of."""

    name: str
    file: Path
    clf: Any
    n_samples: int


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


def report_of_demo(folder: Path) -> Report:
    """Write what `abstain demo` writes."""
    run_demo(folder)
    lines = (folder / "new-tumours.csv").read_text(encoding="utf-8").splitlines()
    model = load_model(folder / "model.abstain")
    return Report("abstain demo", folder / "report.html", model, len(lines) - 1)


def large_report(folder: Path) -> Report:
    """Write the report of a classifier whose front has more rows than asked for."""
    rng = np.random.default_rng(0)
    n_samples = 5 * N_ROWS
    y = rng.integers(0, 2, n_samples)
    X = rng.normal(size=(n_samples, 4))
    X[:, 0] += 1.6 * y
    clf = RejectOptionClassifier(GaussianNB(), cells=in_stripes, method="exact", outliers=None).fit(
        X, y
    )
    name, file = f"a front of {N_ROWS:,} rows", folder / "large.html"
    write_report(clf, X, y, file, title=name)
    return Report(name, file, clf, n_samples)


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
        last = float(page.run("return document.getElementById('slider').max"))
        driver.execute_async_script(MOVE, last)
        # Back and forth, so that each step changes much.
        places = np.linspace(0, last, N_PLACES).tolist()
        before, took = _computed(driver), []
        for place in [*places[::2], *places[1::2][::-1]]:
            took.append(float(driver.execute_async_script(MOVE, place)))
        computed = 1000 * (_computed(driver) - before) / len(took)
    return {
        f"{seen}_median_ms": statistics.median(took),
        f"{seen}_{WORST}": max(took),
        f"{seen}_main_thread_ms": computed,
    }


def measure(report: Report, rounds: int) -> dict[str, Any]:
    """Return what a report takes; the machine is shared, so that the best round tells most."""
    file = report.file
    timings = [load(file) | move(file, "curve") | move(file, "view") for _ in range(rounds)]
    slowest = max(each[f"{seen}_{WORST}"] for each in timings for seen in ("curve", "view"))
    return {
        "report": report.name,
        "samples": report.n_samples,
        "rows_of_front": len(report.clf.front_),
        "cells": report.clf.front_.n_cells,
        "megabytes": file.stat().st_size / 1e6,
        **{key: min(each[key] for each in timings) for key in timings[0]},
        "all_after_seconds_in_any_round": max(each["all_after_seconds"] for each in timings),
        "slider_worst_ms_in_any_round": slowest,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, write nothing")
    arguments = parser.parse_args()
    if WHY_NOT or CHROMIUM is None:
        sys.exit(str(WHY_NOT))
    rounds = 1 if arguments.quick else 3
    with TemporaryDirectory() as folder:
        rows = [measure(write(Path(folder)), rounds) for write in (report_of_demo, large_report)]
    show("Reports in a browser", rows)
    if not arguments.quick:
        version = subprocess.run(
            [CHROMIUM, "--version"], capture_output=True, text=True, check=True
        )
        results = {
            "date": datetime.now(UTC).date().isoformat(),
            "python": platform.python_version(),
            "browser": version.stdout.strip(),
            "cores": os.cpu_count(),
            "rounds": rounds,
            "bars": BARS,
            "reports": rows,
        }
        with atomic_files(RESULTS) as (draft,):
            draft.write_text(json.dumps(results, indent=2) + "\n")
        print(f"\nwritten to {RESULTS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
