"""What is a library asked about the thresholds that it chooses?"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

from environments import PATIENCE_SECONDS, ask, python_with

__all__ = ["Task", "describe", "measure", "python_of", "time_out_of_fold"]

HERE = Path(__file__).resolve().parent
# The budget is the processor's, which others may use too.
WALL_SECONDS = 4.0


class Task(NamedTuple):
    """One classifier on draws of one data set, and the accuracy to reach."""

    classifier: str
    samples: Path
    target: float
    confidence: float
    repeats: int
    budget: float


def python_of(library: str) -> Path:
    """Return the interpreter that has the library."""
    return python_with(HERE / "requirements" / f"{library}.txt")


def describe(library: str) -> dict[str, Any]:
    """Return the methods and the versions of a library."""
    (answer,) = ask(python_of(library), ["rejectors", library], PATIENCE_SECONDS)
    return answer


def measure(library: str, method: str, task: Task) -> list[dict[str, Any]]:
    """Return what each seed gave; fewer than were asked for when the budget was used up."""
    options = [
        *("--method", method, "--confidence", str(task.confidence)),
        *("--n-seeds", str(task.repeats), *_options(task)),
    ]
    return ask(python_of(library), ["rejectors", library, *options], _timeout(task))


def time_out_of_fold(task: Task) -> list[dict[str, Any]]:
    """Return the times of each round of `rejectors.out_of_fold`."""
    options = ["--rounds", str(task.repeats), *_options(task)]
    return ask(Path(sys.executable), ["rejectors.out_of_fold", *options], _timeout(task))


def _timeout(task: Task) -> float:
    return WALL_SECONDS * task.budget + PATIENCE_SECONDS


def _options(task: Task) -> list[str]:
    return [
        *("--classifier", task.classifier, "--samples", str(task.samples)),
        *("--target", str(task.target), "--budget", str(task.budget)),
    ]
