"""Do thresholds of their own for every cell pay on new data, or do they fit noise?

Thresholds, one for each cell (local) or one for all (global), are set on the training data, out of
fold (``cv=5``) or on held-out data, and both are tried on the same test data: twelve sets, five
classifiers, five values of ``min_cell_size``. On the pearl necklace, thirty draws and GMLVQ with
two Φ. ``local/`` says which samples, how thresholds are tried and what counts as a difference.

``python benchmarks/local_thresholds.py`` prints the tables of ``docs/local-thresholds.md``, writes
``docs/benchmarks/local_thresholds.json`` and draws ``docs/images/local-*.png``, in about half an
hour on one thread. What is done is kept in ``build/``: a run that was stopped goes on where it was.
``--quick`` takes three sets and two repeats and writes nothing.
"""

import argparse
import hashlib
import json
import platform
import sys
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from local.comparing import (
    COVERAGE,
    LEAST_DIFFERENCE,
    N_ERRORS,
    NECKLACE_COVERAGE,
    Repeats,
    by_errors,
    by_size,
    necklace_gains,
    pairs,
)
from local.drawing import draw
from local.samples import DRAWN, FILES, N_FOLDS, SETS, Repeat, repeats_of
from local.tables import show
from local.trying import (
    CLASSIFIERS,
    COVERAGES,
    DEFAULT_SIZE,
    NECKLACES,
    RATE,
    SIZES,
    SWEEP,
    Record,
    curves,
)
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from abstain._files import whole_files

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "benchmarks" / "local_thresholds.json"
IMAGES = ROOT / "docs" / "images"
DATA = ROOT.parent / "shared" / "data"
CACHE = ROOT / "build" / "benchmarks" / "local_thresholds"

QUICK_SETS = ["gaussian clusters", "haberman", "pearl necklace"]
N_REPEATS, N_DRAWS, N_NECKLACES = 2, 8, 30


def fingerprint() -> str:
    """Return what changes with the package and with how it is measured."""
    package, local = ROOT / "src" / "abstain", Path(__file__).resolve().parent / "local"
    folders = ["certainty", "classifier", "datasets", "fronts", "models", "targets"]
    files = [package / "cells.py", *(f for at in folders for f in (package / at).glob("*.py"))]
    digest = hashlib.sha256()
    for file in [*sorted(files), local / "samples.py", local / "trying.py"]:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


class Run:
    """The curves of one run, kept in a folder while they are collected."""

    def __init__(self, folder: Path, data: Path, is_quick: bool) -> None:
        self.folder, self.data, self.is_quick = folder, data, is_quick
        self.sets = QUICK_SETS if is_quick else SETS
        self.folder.mkdir(parents=True, exist_ok=True)

    def n_repeats(self, name: str, n_draws: int = N_DRAWS) -> int:
        """Return how often a set is split or drawn."""
        if name in DRAWN:
            return 2 if self.is_quick else n_draws
        return N_FOLDS if self.is_quick else N_FOLDS * N_REPEATS

    def necklaces(self) -> dict[str, Repeats]:
        """Return the curves on many pearl necklaces."""
        n = self.n_repeats("pearl necklace", N_NECKLACES)
        repeats = list(repeats_of("pearl necklace", self.data, n))
        return {
            classifier: self._curves(
                f"pearl necklace-{classifier}, necklaces", estimator, repeats, [DEFAULT_SIZE], []
            )
            for classifier, estimator in NECKLACES.items()
        }

    def comparisons(self) -> tuple[list[Record], dict[tuple[str, str], Repeats]]:
        """Return what the sets are like, and the curves of all classifiers on them."""
        described, found = [], {}
        for name in self.sets:
            repeats = list(repeats_of(name, self.data, self.n_repeats(name)))
            described.append({"name": name, **describe(repeats)})
            sweep = SWEEP if name in DRAWN else []
            for classifier, estimator in CLASSIFIERS.items():
                label = f"{name}-{classifier}"
                found[name, classifier] = self._curves(label, estimator, repeats, SIZES, sweep)
        return described, found

    def _curves(
        self, label: str, estimator: Any, repeats: list[Repeat], sizes: list[int], sweep: list[int]
    ) -> Repeats:
        print(label, file=sys.stderr, flush=True)
        collected = []
        for number, repeat in enumerate(repeats):
            file = self.folder / f"{label}-{number}-of-{len(repeats)}.json"
            if not file.exists():
                found = curves(estimator, repeat, sizes, sweep)
                with whole_files(file) as (draft,):
                    draft.write_text(json.dumps(found))
            collected.append(json.loads(file.read_text()))
        return collected


def describe(repeats: list[Repeat]) -> Record:
    """Return what a set is like."""
    train, held_out, test = repeats[0]
    return {
        "features": train.X.shape[1],
        "classes": len(np.unique(np.concatenate([train.y, test.y]))),
        "train": len(train.y),
        "held_out": None if held_out is None else len(held_out[1].y),
        "test": len(test.y),
        "repeats": len(repeats),
    }


def collect(run: Run) -> Record:
    """Measure everything."""
    necklaces = necklace_gains(run.necklaces())
    described, found = run.comparisons()
    lines = pairs(found)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "fingerprint": run.folder.name,
        "settings": {
            "folds": N_FOLDS,
            "sizes": SIZES,
            "default_size": DEFAULT_SIZE,
            "sweep": SWEEP,
            "coverages": [float(COVERAGES[-1]), 1.0],
            "coverage": COVERAGE,
            "necklace_coverage": NECKLACE_COVERAGE,
            "rate": RATE,
            "standard_errors": N_ERRORS,
            "least_difference": LEAST_DIFFERENCE,
        },
        "sets": described,
        "necklaces": necklaces,
        "by_errors": by_errors(lines),
        "by_size": by_size(lines),
        "pairs": lines,
    }


def written(results: Record) -> str:
    """Return the results as JSON, a record a line."""
    lines = []
    for name, value in results.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            lines.append(f"  {json.dumps(name)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def rounded(value: Any) -> Any:
    """Return the same with numbers that are no longer than they need be."""
    if isinstance(value, dict):
        return {name: rounded(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(entry) for entry in value]
    return round(value, 5) if isinstance(value, float) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="three sets, write nothing")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of segment.csv and others")
    arguments = parser.parse_args()
    for name in FILES:
        if not list(arguments.data.glob(f"{name}.*")):
            parser.error(f"no {name}.csv or .npz in {arguments.data}: name its folder with --data")
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    warnings.filterwarnings("ignore", "cv=None finds no error")
    try:
        with threadpool_limits(1):
            run = Run(CACHE / fingerprint(), arguments.data, arguments.quick)
            results = rounded(collect(run))
    except KeyboardInterrupt:
        sys.exit("stopped: the same command goes on from here")
    show(results)
    if not arguments.quick:
        with whole_files(RESULTS) as (draft,):
            draft.write_text(written(results))
        draw(results, IMAGES)
        print(f"\nwritten to {RESULTS.relative_to(ROOT)}, drawn in {IMAGES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
