"""How does a study run for long, in parallel, and go on where it was stopped?

Every task leaves a file of its records, written whole by the caller's process as soon as the task
is done, in this process or in another one on this machine. The file says of which study and task it
is, with a digest of all: one that is damaged, or that of another task or study, is not used, and
the task is run again. A task is one classifier on one split: a run that is stopped, by whatever,
loses the fits in flight. All tasks run on one thread each, one at a time in a process, so that
their numbers do not depend on how many run at once.
"""

from __future__ import annotations  # signatures then show the names of types

import json
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from multiprocessing import active_children, current_process
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn import config_context
from threadpoolctl import threadpool_limits

from abstain._core.checks import InputError
from abstain._core.files import check_regular_file, whole_files
from abstain._core.signals import undone_if_told_to_stop
from abstain.study.measuring import Record
from abstain.study.plan import Plan, Task
from abstain.study.sources import ours

__all__ = ["collect"]

# Threads of a process share the limit of their number, and the filters of warnings.
_one_at_a_time = threading.Lock()
# Samples and parameters are the study's own: to check them takes a fifth of a small fit.
_unchecked = partial(config_context, assume_finite=True, skip_parameter_validation=True)

# Seconds from one look at the caller of a worker to the next.
_LOOK_EVERY = 0.5

# Told how many tasks are done, and of how many.
Watch = Callable[[int, int], None]


def collect(plan: Plan, folder: Path, n_jobs: int, watch: Watch) -> list[Record]:
    """Return the records of all tasks, in the order of sets, repeats, splits and classifiers."""
    tasks, study = plan.tasks(), _study_digest(plan)
    missing = [task for task in tasks if _read(folder, study, task) is None]
    n_done = len(tasks) - len(missing)
    watch(n_done, len(tasks))
    if missing:
        with (
            undone_if_told_to_stop(_end_workers),
            _told_of_workers(n_jobs),
            _quietly_closed(_calls(plan, missing, n_jobs)) as found,
        ):
            for task, records in found:
                with whole_files(_file(folder, task)) as (draft,):
                    draft.write_text(json.dumps(_part(study, task, records)))
                n_done += 1
                watch(n_done, len(tasks))
    records = [record for task in tasks for record in _read(folder, study, task) or []]
    return sorted(records, key=plan.sort_key)


def _calls(plan: Plan, tasks: list[Task], n_jobs: int) -> Any:
    """Return the results of tasks, each as soon as it is there."""
    parallel, caller = Parallel(n_jobs, return_as="generator_unordered", batch_size=1), os.getpid()
    return parallel(delayed(_run)(plan, task, caller) for task in tasks)


def _end_workers() -> None:
    """End the processes of joblib."""
    for process in active_children():
        if process.name.startswith("LokyProcess") and process.pid is not None:
            with suppress(OSError):
                os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


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
def _told_of_workers(n_jobs: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _end_workers()  # some may have been started
        raise InputError(
            f"the processes of --jobs {n_jobs} cannot be started: {error.strerror or error}; give "
            "fewer --jobs"
        ) from None
    except TerminatedWorkerError:
        raise InputError(
            f"a process of --jobs {n_jobs} was ended from outside, perhaps for want of memory; the "
            "same command goes on from here, and with fewer --jobs needs less"
        ) from None


def _run(plan: Plan, task: Task, caller: int | None = None) -> tuple[Task, list[Record]]:
    if _is_worker():
        # Ctrl-C is for the caller, who ends the workers: they need not complain as well.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if caller is not None:
            _end_with(caller)
    with _one_at_a_time, threadpool_limits(1), _unchecked(), parallel_config("sequential"):
        return task, plan.run(task)


@cache
def _end_with(caller: int) -> None:
    """Have this process end when its caller has, which may be killed before it ends its workers."""

    def look() -> None:
        while os.getppid() == caller:
            time.sleep(_LOOK_EVERY)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()


def _is_worker() -> bool:
    """Tell whether this is a process that was started to run tasks."""
    is_main_thread = threading.current_thread() is threading.main_thread()
    return is_main_thread and current_process().name != "MainProcess"


def _file(folder: Path, task: Task) -> Path:
    return folder / f"{task.title}.json"


def _study_digest(plan: Plan) -> str:
    """Return a digest of what the records of a study depend on."""
    return _digest([plan.as_dict(), *ours()])


def _part(study: str, task: Task, records: list[Record]) -> dict[str, Any]:
    """Return what the file of a task holds."""
    own = {"study": study, "task": list(task), "records": records}
    return {"digest": _digest(own), **own}


def _digest(content: Any) -> str:
    return sha256(json.dumps(content).encode()).hexdigest()[:16]


def _read(folder: Path, study: str, task: Task) -> list[Record] | None:
    """Return the records of a task; None of one that is yet to be run, or whose file is not its."""
    try:
        check_regular_file(_file(folder, task))
        found = json.loads(_file(folder, task).read_text())
        records: list[Record] | None = found.get("records") if isinstance(found, dict) else None
        is_own = found == _part(study, task, records or [])
    except (OSError, ValueError, RecursionError):
        return None
    return records if is_own else None
