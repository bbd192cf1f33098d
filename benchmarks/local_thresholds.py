"""Which thresholds are best on new data: one for all, or one for each cell, and by which method?

A classifier is fitted once and asked about samples that it has not seen. Some of its answers set
thresholds, the others test these. ``local/`` says which sets (`sets`), which answers (`answers`),
which methods (`methods`, `logistic`) and how they are tried (`trials`).

``python benchmarks/local_thresholds.py`` writes ``docs/benchmarks/local_thresholds.json``, from
which ``make numbers`` takes the tables of ``docs/local-thresholds.md``, and draws
``docs/images/local-*.png``, in about twenty minutes on one thread. What is done is kept in
``build/``: a run that was stopped goes on where it was. ``--quick`` takes three sets and two draws,
prints the record and writes nothing.
"""

import argparse
import json
import os
import platform
import sys
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

from environments import python_with
from joblib import Parallel, delayed
from keeping import KeptRows
from local.answers import CLASSIFIERS, MAX_FIT, answers_of
from local.drawing import draw
from local.methods import COVERAGES
from local.sets import CHOSEN_ON, CONFIRMING, FILES, REQUIREMENTS, load
from local.summary import Record, summarize
from local.trials import ERRORS_REMOVED, MAX_TEST, PRICES, SIZES, is_large_enough, try_methods
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from abstain._core.files import atomic_files

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "local_thresholds.json"
IMAGES = ROOT / "docs" / "images"
DATA = Path(os.environ.get("ABSTAIN_DATA_HOME", ROOT.parent / "shared" / "data"))
CACHE = ROOT / "build" / "benchmarks" / "local_thresholds"
N_DRAWS, N_QUICK_DRAWS = 20, 2
QUICK_SETS = ["digits", "pearl necklace", "gaussian clusters"]


def measured_code() -> Iterator[Path]:
    """Yield the files that the figures depend on."""
    package, local = ROOT / "src" / "abstain", ROOT / "benchmarks" / "local"
    yield package / "cells.py"
    for folder in ["certainty", "datasets", "fronts", "models", "targets"]:
        yield from (package / folder).glob("*.py")
    for name in ["sets", "answers", "logistic", "methods", "trials"]:
        yield local / f"{name}.py"


def measure_set(name: str, data: Path, n_draws: int, kept: KeptRows) -> list[Record]:
    """Return what all classifiers come to on a set."""
    warnings.filterwarnings("ignore", category=ConvergenceWarning)

    def measure(classifier: str) -> Record:
        table = load(name, data)
        answers = answers_of(classifier, table)
        sizes = [size for size in SIZES if is_large_enough(answers, size)]
        return {
            "set": name,
            "classifier": classifier,
            "features": table.X.shape[1],
            "classes": len(set(table.y.tolist())),
            "cells": len(set(answers.cells.tolist())),
            "rest": len(answers.correct),
            "accuracy": float(answers.correct.mean()),
            "sizes": [try_methods(answers, size, n_draws) for size in sizes],
        }

    with threadpool_limits(1):
        return [
            kept.row(f"{name}, {classifier}", str(n_draws), partial(measure, classifier))
            for classifier in CLASSIFIERS
        ]


def written(results: Record) -> str:
    """Return the results as JSON, a record per line."""
    lines = []
    for name, value in results.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in value)
            lines.append(f"  {json.dumps(name)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="three sets, write nothing")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of segment.csv and others")
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="calibration samples per pair")
    parser.add_argument("--jobs", type=int, default=1, help="sets that are measured at once")
    arguments = parser.parse_args()
    for name in [] if arguments.quick else FILES:
        if not list(arguments.data.glob(f"{name}.*")):
            parser.error(f"no {name}.csv or .npz in {arguments.data}: name its folder with --data")
    sets = QUICK_SETS if arguments.quick else [*CHOSEN_ON, *CONFIRMING]
    n_draws = N_QUICK_DRAWS if arguments.quick else arguments.draws
    kept = KeptRows(CACHE, measured_code)
    if not arguments.quick:
        python_with(REQUIREMENTS)  # once, not by several jobs at the same time
    try:
        rows_of_sets = Parallel(n_jobs=arguments.jobs)(
            delayed(measure_set)(name, arguments.data, n_draws, kept) for name in sets
        )
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    packages = ["numpy", "scipy", "scikit-learn"]
    results = {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"python": platform.python_version()} | {at: version(at) for at in packages},
        "settings": {
            "draws": n_draws,
            "max_fit": MAX_FIT,
            "max_test": MAX_TEST,
            "coverages": [float(COVERAGES[0]), float(COVERAGES[-1])],
            "errors_removed": ERRORS_REMOVED,
            "prices": PRICES,
        },
        **summarize([row for rows in rows_of_sets for row in rows]),
    }
    if arguments.quick:
        print(written(results))
    else:
        with atomic_files(RESULTS) as (draft,):
            draft.write_text(written(results), encoding="utf-8")
        draw(results, IMAGES)
        print(f"\nwritten to {RESULTS.relative_to(ROOT)}, drawn in {IMAGES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
