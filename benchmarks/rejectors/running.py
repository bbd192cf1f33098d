"""What is a library asked about the thresholds that it chooses?"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

from environments import PATIENCE_SECONDS, ask, python_with

__all__ = ["Task", "describe", "measure", "python_of", "time_out_of_fold"]

HERE = Path(__file__).resolve().parent


class Task(NamedTuple):
    """A classifier on draws of one data set, and the accuracy to reach."""

    classifier: str
    samples: Path
    target: float

    def options(self) -> list[str]:
        """Return the task as options of a command."""
        samples, target = str(self.samples), str(self.target)
        return ["--classifier", self.classifier, "--samples", samples, "--target", target]


def python_of(library: str) -> Path:
    """Return the interpreter that has the library."""
    return python_with(HERE / "requirements" / f"{library}.txt")


def describe(library: str) -> dict[str, Any]:
    """Return the methods and the versions of a library."""
    (answer,) = ask(python_of(library), ["rejectors", library], PATIENCE_SECONDS)
    return answer


def measure(library: str, task: Task, **limits: Any) -> list[dict[str, Any]]:
    """Return what each method gave for each draw."""
    options = [f"--{name.replace('_', '-')}={value}" for name, value in limits.items()]
    return ask(python_of(library), ["rejectors", library, *task.options(), *options], None)


def time_out_of_fold(task: Task, n_rounds: int) -> list[dict[str, Any]]:
    """Return the times of each round of `rejectors.out_of_fold`."""
    options = [*task.options(), "--rounds", str(n_rounds)]
    return ask(Path(sys.executable), ["rejectors.out_of_fold", *options], None)
