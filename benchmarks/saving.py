"""How long does it take to load a model, beside skops?

A forest of 100 trees is saved by ``abstain.save`` and by ``skops.io.dump``, and loaded by either in
turn: skops alone, with the types that it asks about trusted, and abstain with all its checks. The
medians of the same run are compared; files lie in the cache of the system.

``python benchmarks/saving.py`` prints the ratio and writes ``docs/benchmarks/saving.json``.
"""

import json
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import sklearn
import skops
import skops.io
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import abstain
from abstain._core.files import atomic_files

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "saving.json"
N_SAMPLES, N_TREES, ROUNDS, MOST_TIMES = 5_000, 100, 15, 1.5


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(folder: Path) -> dict[str, float]:
    X, y = make_classification(N_SAMPLES, 20, n_informative=10, n_classes=3, random_state=0)
    forest = RandomForestClassifier(N_TREES, random_state=0).fit(X, y)
    ours, theirs = folder / "forest.abstain", folder / "forest.skops"
    abstain.save(forest, ours)
    skops.io.dump(forest, theirs)
    trusted = skops.io.get_untrusted_types(file=theirs)
    pairs = [
        (
            seconds(lambda: abstain.load(ours)),
            seconds(lambda: skops.io.load(theirs, trusted=trusted)),
        )
        for _ in range(ROUNDS)
    ]
    loaded = abstain.load(ours)
    assert np.array_equal(loaded.predict_proba(X), forest.predict_proba(X))
    return {
        "seconds": median(own for own, _ in pairs),
        "skops_seconds": median(other for _, other in pairs),
        "times_skops": median(own / other for own, other in pairs),
        "bytes": ours.stat().st_size,
        "skops_bytes": theirs.stat().st_size,
    }


def main() -> None:
    with TemporaryDirectory() as folder:
        figures = measure(Path(folder))
    print(
        f"load of {N_TREES} trees: {figures['times_skops']:.2f} times skops "
        f"(at most {MOST_TIMES}), {figures['bytes'] / figures['skops_bytes']:.2f} of its bytes"
    )
    record = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "abstain": abstain.__version__,
        "scikit-learn": sklearn.__version__,
        "skops": skops.__version__,
        "n_trees": N_TREES,
        "n_samples": N_SAMPLES,
        **figures,
    }
    with atomic_files(RESULTS) as (draft,):
        draft.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
