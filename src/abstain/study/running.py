"""How does a study run for long, in parallel, and go on where it was stopped?

Every task leaves a file of its records, written whole by the caller's process as soon as the task
is done, whoever computed it. A task is one classifier on one split: a run that is stopped, by
whatever, loses the fits in flight. All tasks run on one thread each, so that their numbers do not
depend on how many run at once.
"""

from __future__ import annotations  # signatures then show the names of types

import json
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import current_process
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn import config_context
from threadpoolctl import threadpool_limits

from abstain._checks import InputError
from abstain._files import whole_files
from abstain.study.measuring import Record
from abstain.study.plan import Plan, Task

__all__ = ["collect"]

# Told how many tasks are done, and of how many.
Watch = Callable[[int, int], None]


def collect(plan: Plan, folder: Path, n_jobs: int, watch: Watch) -> list[Record]:
    """Return the records of all tasks, in the order of sets, repeats, splits and classifiers."""
    tasks = plan.tasks()
    missing = [task for task in tasks if _read(_file(folder, task)) is None]
    n_done = len(tasks) - len(missing)
    watch(n_done, len(tasks))
    if missing:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        calls = parallel(delayed(_run)(plan, task) for task in missing)
        with _quietly_closed(calls) as found, _told_of_dead_workers(n_jobs):
            for task, records in found:
                with whole_files(_file(folder, task)) as (draft,):
                    draft.write_text(json.dumps(records))
                n_done += 1
                watch(n_done, len(tasks))
    records = [record for task in tasks for record in _read(_file(folder, task)) or []]
    return sorted(records, key=plan.place)


@contextmanager
def _quietly_closed(results: Any) -> Iterator[Any]:
    """Give up what is in flight when something goes wrong, without joblib's word on it."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()


@contextmanager
def _told_of_dead_workers(n_jobs: int) -> Iterator[None]:
    try:
        yield
    except TerminatedWorkerError:
        raise InputError(
            f"a process of --jobs {n_jobs} was ended from outside, perhaps for want of memory; the "
            "same command goes on from here, and with fewer --jobs needs less"
        ) from None


def _run(plan: Plan, task: Task) -> tuple[Task, list[Record]]:
    if _is_worker():
        # Ctrl-C is for the caller, who ends the workers: they need not complain as well.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Samples and parameters are the study's own: to check them takes a fifth of a small fit.
    with threadpool_limits(1), config_context(assume_finite=True, skip_parameter_validation=True):
        return task, plan.run(task)


def _is_worker() -> bool:
    """Tell whether this is a process that was started to run tasks."""
    is_main_thread = threading.current_thread() is threading.main_thread()
    return is_main_thread and current_process().name != "MainProcess"


def _file(folder: Path, task: Task) -> Path:
    return folder / f"{task.title}.json"


def _read(file: Path) -> list[Record] | None:
    """Return the records of a task; None of one that is yet to be run, or whose file is broken."""
    try:
        records = json.loads(file.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return records if isinstance(records, list) and records else None
