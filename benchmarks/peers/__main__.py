"""How accurate is a library's model on the given folds, and how long does each fit take?

``python -m peers LIBRARY`` tells what the library has; with a model, settings and a file of folds,
one line of JSON is printed for each fold and setting as it is done. This runs in the library's
environment, where nothing but numpy is certain to be there beside it.
"""

import argparse
import contextlib
import importlib
import json
import os
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

# A fit is repeated until so many processor seconds are used up, at most so often: the first may
# also load what is imported on first use, and short ones are the noisiest.
SHORT_SECONDS, MOST_FITS = 1.0, 5


def fit_times(estimator: Any, X: Any, y: Any, compiled: bool) -> dict[str, Any]:
    """Return the seconds of the first fit, and those of the best with its processor time.

    The best has the least processor time: others may use the machine too.
    """
    times: list[tuple[float, float]] = []
    while len(times) < (2 if compiled else 1) or (
        len(times) < MOST_FITS and sum(processor for processor, _ in times) < SHORT_SECONDS
    ):
        wall, processor = time.perf_counter(), time.process_time()
        estimator.fit(X, y)
        times.append((time.process_time() - processor, time.perf_counter() - wall))
    processor_seconds, seconds = min(times)
    return {
        "first_fit_seconds": times[0][1],
        "seconds": seconds,
        "processor_seconds": processor_seconds,
    }


def measure_fold(adapter: Any, model: str, setting: str, folds: Any, fold: int) -> dict[str, Any]:
    """Fit on all folds but one, and score on that one."""
    X, y = folds["samples"][fold], folds["labels"]
    held_out = folds["fold_of_sample"] == fold
    estimator = adapter.make(model, setting)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        times = fit_times(estimator, X[~held_out], y[~held_out], adapter.COMPILED)
        predicted = np.asarray(estimator.predict(X[held_out]))
    names = {warning.category.__name__ for warning in caught}
    return {
        "accuracy": float(np.mean(predicted == y[held_out])),
        "converged": "ConvergenceWarning" not in names,
        **times,
    }


def describe(adapter: Any) -> dict[str, Any]:
    suits = getattr(adapter, "suits", lambda model, setting: True)
    return {
        "models": list(adapter.MODELS),
        "settings": {
            model: [setting for setting in adapter.SETTINGS if suits(model, setting)]
            for model in adapter.MODELS
        },
        "versions": {package: version(package) for package in adapter.PACKAGES},
    }


def say(line: dict[str, Any], stream: Any) -> None:
    print(json.dumps(line), file=stream, flush=True)


def run(arguments: argparse.Namespace, stream: Any) -> None:
    adapter = importlib.import_module(f"peers.{arguments.library}")
    if arguments.model is None:
        say(describe(adapter), stream)
        return
    with np.load(arguments.folds) as file:
        folds = dict(file)
    start = time.process_time()
    for fold in range(arguments.n_folds):
        for setting in arguments.setting:
            line = measure_fold(adapter, arguments.model, setting, folds, fold)
            say({"setting": setting, **line}, stream)
        if time.process_time() - start > arguments.budget:
            break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--model")
    parser.add_argument("--setting", action="append", help="may be given several times")
    parser.add_argument("--folds", type=Path, help="file of folds")
    parser.add_argument("--n-folds", type=int)
    parser.add_argument(
        "--budget", type=float, help="processor seconds after which no fold is begun"
    )
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        # Not every library obeys the variables that ask for one thread; the kernel does.
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    # Whatever a library prints must not come between the lines of the answer.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            run(arguments, sys.__stdout__)
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            say({"failure": reason[:200]}, sys.__stdout__)


if __name__ == "__main__":
    main()
