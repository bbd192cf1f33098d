"""What is a library asked about its models?"""

from pathlib import Path
from typing import Any, NamedTuple

from environments import PATIENCE_SECONDS, ask, python_with

__all__ = ["Task", "describe", "measure", "measure_settings", "python_of"]

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
    return measure_settings(task, [task.setting])[task.setting]


def measure_settings(task: Task, settings: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Return what each fold gave in each setting, one after the other in one process."""
    options = [
        *("--model", task.model, "--folds", str(task.folds)),
        *("--n-folds", str(task.n_folds), "--budget", str(task.budget)),
        *(option for setting in settings for option in ("--setting", setting)),
    ]
    unlimited = task.budget == float("inf")
    timeout = None if unlimited else task.budget + PATIENCE_SECONDS
    lines = ask(python_of(task.library), ["peers", task.library, *options], timeout)
    return {name: [line for line in lines if line["setting"] == name] for name in settings}
