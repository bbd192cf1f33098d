"""How is the whole study run, and where do its results lie?

A folder belongs to one plan. What a call finds there of the same plan it takes up; of anything
else it says so and touches nothing.
"""

from __future__ import annotations  # signatures then show the names of types

import json
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from abstain._core.checks import InputError
from abstain._core.files import check_can_write, check_regular_file, whole_files
from abstain.study.curves import Curves
from abstain.study.figures import check_matplotlib, draw_figures
from abstain.study.plan import Plan
from abstain.study.results import write_tables
from abstain.study.running import Watch, collect
from abstain.study.sources import DECIDING, digest, versions

__all__ = ["Study", "run_study"]

# What has a part in the run, beside what the numbers depend on.
PACKAGES = [*DECIDING, "joblib", "polars", "matplotlib"]
CONFIGURATION, RUN, PARTS = "configuration.json", "run.json", "parts"
# Seconds between notes of how long a study has been running.
NOTED_EVERY = 1.0
# How the names of files begin that are not whole yet.
DRAFT = ".abstain-"


@dataclass(frozen=True)
class Study:
    """What a study has left behind; ``seconds`` are those of all calls that had a part in it."""

    folder: Path
    files: list[Path]
    seconds: float
    n_tasks: int

    def as_dict(self) -> dict[str, Any]:
        """Return what it has left behind, for scripts."""
        return {
            "folder": str(self.folder),
            "files": [file.name for file in self.files],
            "seconds": self.seconds,
            "n_tasks": self.n_tasks,
        }


def run_study(plan: Plan, folder: Path, n_jobs: int, watch: Watch, our_version: str) -> Study:
    """Run what is left of a plan, and write its tables and figures.

    Parameters
    ----------
    plan : Plan
        What to run.
    folder : Path
        Where the results shall lie; made if it is not there.
    n_jobs : int
        Tasks that run at once.
    watch : callable
        Told how many steps are done, and of how many: the tasks, then tables and figures.
    our_version : str
        The version of abstain that runs it.

    Returns
    -------
    study : Study
        The files, and how long it took.
    """
    check_matplotlib()
    plan.check()
    known = {"abstain": our_version} | versions(PACKAGES)
    deciding = {name: known[name] for name in ("abstain", *DECIDING) if name in known}
    _claim(folder, {"plan": plan.as_dict(), "versions": deciding, "sources": digest()})
    about = {"jobs": n_jobs, "python": platform.python_version(), "versions": known}
    note = _notes(folder, about)
    curves = Curves(collect(plan, folder / PARTS, n_jobs, _now_and_then(note, watch)))
    files = write_tables(curves, folder)
    files += draw_figures(curves, folder)
    n_tasks = len(plan.tasks())
    watch(n_tasks + 1, n_tasks + 1)
    return Study(folder, files, note(n_tasks, n_tasks), n_tasks)


def _notes(folder: Path, about: dict[str, Any]) -> Callable[[int, int], float]:
    """Return what notes how far a run is, and returns the seconds it took."""
    start = time.monotonic() - _seconds_before(folder)

    def note(n_done: int, n_tasks: int) -> float:
        seconds = round(time.monotonic() - start, 1)
        progress = {
            "date": datetime.now(UTC).date().isoformat(),
            "tasks": f"{n_done} of {n_tasks}",
            "seconds": seconds,
        }
        _write_json(folder / RUN, progress | about)
        return seconds

    return note


def _now_and_then(note: Callable[[int, int], float], watch: Watch) -> Watch:
    """Return what tells of every task, and notes some of them."""
    noted = -NOTED_EVERY

    def noting(n_done: int, n_tasks: int) -> None:
        nonlocal noted
        watch(n_done, n_tasks + 1)
        if time.monotonic() - noted >= NOTED_EVERY:
            noted = time.monotonic()
            note(n_done, n_tasks)

    return noting


def _seconds_before(folder: Path) -> float:
    """Return how long earlier calls have worked on a study, up to the last task that was done."""
    about = _read_json(folder / RUN)
    seconds = about.get("seconds") if isinstance(about, dict) else None
    return float(seconds) if isinstance(seconds, int | float) else 0.0


def _claim(folder: Path, configuration: dict[str, Any]) -> None:
    """Make the folder that of this configuration, or refuse one that is another's."""
    known = json.loads(json.dumps(configuration))  # tuples become lists, as in the file
    file = folder / CONFIGURATION
    try:
        # What was stopped before it had a configuration has left no more than a draft of that.
        others = [path for path in _entries(folder) if not path.name.startswith(DRAFT)]
        if others and file not in others:
            raise InputError(
                f"--out {folder} holds other things than a study; choose a folder that is new or "
                "empty"
            )
        if others and (found := _read_json(file)) != known:
            raise InputError(
                f"--out {folder} holds a study of another configuration: "
                f"{_difference(found, known)}; choose another folder, or delete that one"
            )
        folder.mkdir(parents=True, exist_ok=True)
        if not others:
            _write_json(file, known)
        (folder / PARTS).mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot make the folder {folder}: {error.strerror}; choose another --out"
        ) from error
    for place in (folder / RUN, folder / PARTS / RUN):
        check_can_write(place)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


def _difference(found: Any, wanted: dict[str, Any]) -> str:
    """Return the first thing in which two configurations differ."""
    if not isinstance(found, dict):
        return "a file that cannot be read"
    for part, kind in (("plan", ""), ("versions", "the version of ")):
        there = found.get(part)
        if not isinstance(there, dict):
            return "a file that cannot be read"
        for name in wanted[part] | there:
            if there.get(name) != wanted[part].get(name):
                return f"{kind}{name} is {there.get(name)} there, {wanted[part].get(name)} here"
    return "abstain had other code there"


def _read_json(file: Path) -> Any:
    try:
        check_regular_file(file)
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def _write_json(file: Path, content: Any) -> None:
    with whole_files(file) as (draft,):
        draft.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
