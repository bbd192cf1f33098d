"""How is a study run in parallel, and resumed where it was stopped?

A folder belongs to one configuration: the plan, the code and the versions of the packages that the
records depend on. A folder with anything else in it is refused and left as it is.

A task is one classifier on one split. As soon as it is done, its records are written to a file of
its own, with a digest of the records, the task and the configuration; a file that is damaged, or
that belongs to another task or configuration, is ignored and its task is run again. So a run that
is stopped loses only the tasks that were running. Each task uses one thread, so that its numbers do
not depend on how many tasks run at once.
"""

from __future__ import annotations  # signatures then show the names of types

import json
import os
import platform
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import active_children, current_process
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn import config_context
from threadpoolctl import threadpool_limits

from abstain._core.errors import Argument, InputError, import_optional
from abstain._core.files import atomic_files, check_can_write, check_regular_file
from abstain._core.signals import cleanup_on_signal
from abstain.study.curves import Curves
from abstain.study.figures import draw_figures
from abstain.study.measuring import Record
from abstain.study.plan import Plan, Task
from abstain.study.results import write_tables

CONFIGURATION, RUN, PARTS = "configuration.json", "run.json", "parts"
# File names that start so are of files that are not complete yet.
DRAFT = ".abstain-"
# Packages that the records depend on, and others whose versions are noted.
NUMERICAL_PACKAGES = ["numpy", "scipy", "scikit-learn", "libsvm-official"]
OTHER_PACKAGES = ["joblib", "polars", "matplotlib"]
# Code that the records do not depend on.
UNRELATED_PACKAGES = {"__main__", "_scale", "cli", "plotting", "report", "saving", "tables"}
UNRELATED_MODULES = {"study/claims", "study/curves", "study/figures", "study/results"}
# Seconds between updates of run.json, and between looks of a worker at its parent process.
UPDATE_INTERVAL, PARENT_CHECK_INTERVAL = 1.0, 0.5

# Called with the number of steps that are done, and of all.
Watch = Callable[[int, int], None]

# The threads of a process share the number of BLAS threads and the filters of warnings.
_task_lock = threading.Lock()
# Data and parameters are known to be valid: checking them takes a fifth of the time of a small fit.
_unchecked = partial(config_context, assume_finite=True, skip_parameter_validation=True)


@dataclass(frozen=True)
class Study:
    """The results of a study; ``seconds`` is the time of all calls that it took."""

    folder: Path
    files: list[Path]
    seconds: float
    n_tasks: int

    def as_dict(self) -> dict[str, Any]:
        """Return the results for scripts."""
        return {
            "folder": str(self.folder),
            "files": [file.name for file in self.files],
            "seconds": self.seconds,
            "n_tasks": self.n_tasks,
        }


def run_study(plan: Plan, folder: Path, n_jobs: int, watch: Watch, our_version: str) -> Study:
    """Run the tasks of a plan that are not done yet, and write its tables and figures.

    Parameters
    ----------
    plan : Plan
        What to run.
    folder : Path
        Folder of the results; created if it does not exist.
    n_jobs : int
        Number of tasks that run at once.
    watch : callable
        Called with the number of tasks done and of all; tables and figures follow.
    our_version : str
        The version of abstain that runs it.

    Returns
    -------
    study : Study
        The files, and how long it took.
    """
    import_optional("matplotlib", "the figures of a study need", "'.[study]'")
    plan.check()
    own = {"abstain": our_version}
    versions, digest = numerical_versions(), code_digest()
    _prepare_folder(folder, {"plan": plan.as_dict(), "versions": own | versions, "sources": digest})
    about = {
        "jobs": effective_n_jobs(n_jobs),
        "python": platform.python_version(),
        "versions": own | versions | _versions(OTHER_PACKAGES),
    }
    log = _RunLog(folder, about, watch)
    curves = Curves(run_tasks(plan, folder / PARTS, n_jobs, log))
    files = write_tables(curves, folder)
    files += draw_figures(curves, folder)
    n_tasks = len(plan.tasks())
    return Study(folder, files, log.write(n_tasks, n_tasks), n_tasks)


class _RunLog:
    """Reports progress, and writes it to run.json now and then."""

    def __init__(self, folder: Path, about: dict[str, Any], watch: Watch) -> None:
        self.file, self.about, self.watch = folder / RUN, about, watch
        # Of all calls.
        self.start = time.monotonic() - self._earlier("seconds")
        self.processor_seconds = self._earlier("processor_seconds")
        self.last_write = -UPDATE_INTERVAL

    def _earlier(self, name: str) -> float:
        run = _read_json(self.file)
        seconds = run.get(name) if isinstance(run, dict) else None
        return float(seconds) if isinstance(seconds, int | float) else 0.0

    def update(self, n_done: int, n_tasks: int, processor_seconds: float = 0.0) -> None:
        """Report the tasks that are done, and add the processor time of the last one."""
        self.processor_seconds += processor_seconds
        self.watch(n_done, n_tasks)
        if time.monotonic() - self.last_write >= UPDATE_INTERVAL:
            self.last_write = time.monotonic()
            self.write(n_done, n_tasks)

    def write(self, n_done: int, n_tasks: int) -> float:
        """Write how far the run is, and return the seconds it took."""
        seconds = round(time.monotonic() - self.start, 1)
        progress = {
            "date": datetime.now(UTC).date().isoformat(),
            "tasks": f"{n_done} of {n_tasks}",
            "seconds": seconds,
            "processor_seconds": round(self.processor_seconds, 1),
        }
        _write_json(self.file, progress | self.about)
        return seconds


# --- the configuration --------------------------------------------------------------------------


def code_digest() -> str:
    """Return a digest of the code that the records depend on."""
    package = Path(__file__).parents[1]
    digest = sha256()
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package).with_suffix("").as_posix()
        if name.split("/")[0] not in UNRELATED_PACKAGES and name not in UNRELATED_MODULES:
            digest.update(f"{name}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def numerical_versions() -> dict[str, str]:
    """Return the versions of the packages that the records depend on."""
    return _versions(NUMERICAL_PACKAGES)


def _versions(packages: list[str]) -> dict[str, str]:
    versions = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def _prepare_folder(folder: Path, configuration: dict[str, Any]) -> None:
    """Create the folder of this configuration, or refuse one that has other contents."""
    configuration = json.loads(json.dumps(configuration))  # tuples become lists, as in the file
    file = folder / CONFIGURATION
    try:
        # A run that was stopped before it had a configuration has left a draft of that at most.
        entries = [path for path in _entries(folder) if not path.name.startswith(DRAFT)]
        if entries and file not in entries:
            raise InputError(
                Argument("folder"),
                f" {folder} holds other files than a study; choose a new or empty folder",
            )
        if entries and (existing := _read_json(file)) != configuration:
            raise InputError(
                Argument("folder"),
                f" {folder} holds a study of another configuration: "
                f"{_difference(existing, configuration)}; choose another folder, or delete it",
            )
        folder.mkdir(parents=True, exist_ok=True)
        if not entries:
            _write_json(file, configuration)
        (folder / PARTS).mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot create the folder {folder}: {error.strerror}; choose another ",
            Argument("folder"),
        ) from error
    for place in (folder / RUN, folder / PARTS / RUN):
        check_can_write(place)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


def _difference(existing: Any, wanted: dict[str, Any]) -> str:
    """Return the first difference of two configurations."""
    for section, kind in (("plan", ""), ("versions", "the version of ")):
        there = existing.get(section) if isinstance(existing, dict) else None
        if not isinstance(there, dict):
            return "a file that cannot be read"
        for name in wanted[section] | there:
            if there.get(name) != wanted[section].get(name):
                return f"{kind}{name} is {there.get(name)} there, {wanted[section].get(name)} here"
    return "abstain had other code there"


def _read_json(file: Path) -> Any:
    """Return what a JSON file holds; None if it cannot be read."""
    try:
        check_regular_file(file)
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def _write_json(file: Path, content: Any) -> None:
    with atomic_files(file) as (draft,):
        draft.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


# --- the tasks ----------------------------------------------------------------------------------


def run_tasks(plan: Plan, folder: Path, n_jobs: int, log: _RunLog) -> list[Record]:
    """Return the records of all tasks, in the order of sets, repeats, splits and classifiers."""
    tasks = plan.tasks()
    study = _digest([plan.as_dict(), numerical_versions(), code_digest()])
    missing = [task for task in tasks if _read_records(folder, study, task) is None]
    n_done = len(tasks) - len(missing)
    log.update(n_done, len(tasks))
    if missing:
        parallel = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
        calls = (delayed(_run_task)(plan, task, os.getpid()) for task in missing)
        with (
            cleanup_on_signal(_kill_workers),
            _worker_errors(n_jobs),
            _closing(parallel(calls)) as results,
        ):
            for task, records, seconds in results:
                with atomic_files(_file(folder, task)) as (draft,):
                    draft.write_text(json.dumps(_file_content(study, task, records)))
                n_done += 1
                log.update(n_done, len(tasks), seconds)
    records = [record for task in tasks for record in _read_records(folder, study, task) or []]
    return sorted(records, key=plan.sort_key)


def _kill_workers() -> None:
    for process in active_children():
        if process.name.startswith("LokyProcess") and process.pid is not None:
            with suppress(OSError):
                os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


@contextmanager
def _closing(results: Any) -> Iterator[Any]:
    """Cancel the tasks that still run at the end, without joblib's warning about it."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()


@contextmanager
def _worker_errors(n_jobs: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _kill_workers()  # some may have been started
        raise InputError(
            "the processes of ",
            Argument("n_jobs", n_jobs),
            f" cannot be started: {error.strerror or error}; reduce ",
            Argument("n_jobs"),
        ) from None
    except TerminatedWorkerError:
        raise InputError(
            "a process of ",
            Argument("n_jobs", n_jobs),
            " was killed, perhaps for lack of memory; the same command resumes the study, and with "
            "fewer jobs it needs less memory",
        ) from None


def _run_task(plan: Plan, task: Task, parent: int) -> tuple[Task, list[Record], float]:
    """Return a task, its records and the processor time that it took."""
    is_main_thread = threading.current_thread() is threading.main_thread()
    if is_main_thread and current_process().name != "MainProcess":
        # The parent process handles Ctrl-C, and ends its workers.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _exit_with(parent)
    with _task_lock, threadpool_limits(1), _unchecked(), parallel_config("sequential"):
        start = time.thread_time()
        return task, plan.run(task), time.thread_time() - start


@cache
def _exit_with(parent: int) -> None:
    """Exit when the parent process is gone, which may be killed before it ends its workers."""

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_INTERVAL)
        os._exit(1)

    threading.Thread(target=watch_parent, daemon=True).start()


def _file(folder: Path, task: Task) -> Path:
    return folder / f"{task.title}.json"


def _file_content(study: str, task: Task, records: list[Record]) -> dict[str, Any]:
    content = {"study": study, "task": list(task), "records": records}
    return {"digest": _digest(content), **content}


def _digest(content: Any) -> str:
    return sha256(json.dumps(content).encode()).hexdigest()[:16]


def _read_records(folder: Path, study: str, task: Task) -> list[Record] | None:
    """Return the records of a task; None if it has no valid file."""
    content = _read_json(_file(folder, task))
    if isinstance(content, dict):
        records: list[Record] = content.get("records") or []
        with suppress(ValueError, RecursionError):
            return records if content == _file_content(study, task, records) else None
    return None
