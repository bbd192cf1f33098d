"""What is a library asked about its models?"""

from pathlib import Path
from typing import Any, NamedTuple

from environments import PATIENCE_SECONDS, ask, python_with

__all__ = ["Task", "describe", "measure", "python_of"]

HERE = Path(__file__).resolve().parent


class Task(NamedTuple):
    """Folds of one data set to fit with one model of a library."""

    library: str
    model: str
    setting: str
    folds: Path
    n_folds: int
    budget: float = float("inf")


def python_of(library: str) -> Path:
    """Return the interpreter that has the library."""
    return python_with(HERE / "requirements" / f"{library}.txt")


def describe(library: str) -> dict[str, Any]:
    """Return the models, the settings and the versions of a library."""
    (answer,) = ask(python_of(library), ["peers", library], PATIENCE_SECONDS)
    return answer


def measure(task: Task) -> list[dict[str, Any]]:
    """Return what each fold gave; fewer than were asked for when the budget was used up."""
    options = [
        *("--model", task.model, "--setting", task.setting, "--folds", str(task.folds)),
        *("--n-folds", str(task.n_folds), "--budget", str(task.budget)),
    ]
    unlimited = task.budget == float("inf")
    timeout = None if unlimited else task.budget + PATIENCE_SECONDS
    return ask(python_of(task.library), ["peers", task.library, *options], timeout)
