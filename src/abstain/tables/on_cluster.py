"""How does a cluster answer many tables?

Each table is one task: the worker that takes it reads the file, block by block, and writes the
answers, on a file system that all machines share. They are written in a folder of this call's own,
beside their place, and moved there by the caller: whatever becomes of a worker, an output is whole
or not there, and what the worker has left goes with the folder.
"""

from __future__ import annotations  # signatures then show the names of types

import pickle
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from abstain._core.checks import InputError
from abstain._core.files import passing_folder, whole_files
from abstain._scale.computing import completed
from abstain.tables.ahead import ReadAhead
from abstain.tables.answering import Answered, answer_table
from abstain.tables.several import AnsweredTables, Job, Reading, all_answered

__all__ = ["answer_on_cluster", "scratch_beside"]


@contextmanager
def scratch_beside(jobs: Sequence[Job]) -> Iterator[Path | None]:
    """Hand out a folder in which workers write, in that of the outputs, and remove it at the end.

    To be left after the cluster, if that ends with the call: nobody then writes there any more.

    Parameters
    ----------
    jobs : sequence of Job
        From `plan_jobs`.

    Yields
    ------
    folder : Path or None
        None if nothing is written.
    """
    if jobs[0].out is None:
        yield None
        return
    with passing_folder(jobs[0].out.absolute()) as folder:
        yield folder


def answer_on_cluster(
    client: Any,
    clf: Any,
    jobs: Sequence[Job],
    scratch: Path | None,
    reading: Reading,
    *,
    mark: str,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> AnsweredTables:
    """Have the workers of a cluster answer tables.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    jobs : sequence of Job
        From `plan_jobs`. The workers see the files under the same names.
    scratch : Path or None
        From `scratch_beside`.
    reading : Reading
        How the tables are written.
    mark : str
        What stands where no answer is given.
    watch : callable, default=nothing
        Told how many tables are done, and of how many.

    Returns
    -------
    answered : AnsweredTables
        What came of them.

    Raises
    ------
    InputError
        If a table cannot be answered; then all others are.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dask finds large models large
        # As a task, it can be made again where all workers that had it are lost.
        model = client.submit(pickle.loads, pickle.dumps(clf), pure=False)
    futures = [
        client.submit(_answer_there, model, *_places(job, scratch), reading, mark, pure=False)
        for job in jobs
    ]
    found: list[Any] = [None] * len(jobs)
    try:
        for done, place in enumerate(completed(futures), start=1):
            found[place] = _outcome(futures[place], jobs[place], scratch)
            watch(done, len(jobs))
    finally:
        client.cancel(futures)
    return all_answered(jobs, found)


def _places(job: Job, scratch: Path | None) -> tuple[Path, Path | None]:
    """Return from where a worker reads, and to where it writes."""
    draft = None if scratch is None or job.out is None else scratch / job.out.name
    return job.table.path.absolute(), draft


def _answer_there(clf: Any, path: Path, out: Path | None, reading: Reading, mark: str) -> Answered:
    with ReadAhead(reading.open(path)) as ahead:
        return answer_table(clf, ahead, out, mark=mark)


def _outcome(future: Any, job: Job, scratch: Path | None) -> Answered | InputError:
    """Return what came of a table, and have its output where it shall lie."""
    from distributed.scheduler import KilledWorker

    if future.status == "finished":
        answered: Answered = future.result()
        try:
            _move(job, scratch)
        except InputError as error:
            return error
        return answered
    if future.status == "cancelled":
        future.result()  # raises
    name, wrong = job.table.path, future.exception()
    if isinstance(wrong, KilledWorker):
        return InputError(
            f"{name} has ended its worker again and again, perhaps for want of memory; give "
            "workers more memory, or cut the table"
        )
    if not isinstance(wrong, InputError):
        said = " ".join(str(wrong).split())
        return InputError(f"{name} cannot be answered: {type(wrong).__name__}: {said}")
    return InputError(_as_typed(str(wrong), job, scratch))


def _as_typed(said: str, job: Job, scratch: Path | None) -> str:
    """Return what a worker has said, with files called as the user has called them."""
    path = job.table.path
    if scratch is not None and job.out is not None:
        said = said.replace(str(scratch / job.out.name), str(job.out))
        said = said.replace(str(scratch), str(job.out.parent))
    said = said.replace(str(path.absolute()), str(path))
    is_unseen = "does not exist" in said or "there is no folder" in said
    remedy = ": the workers must see it too, on a file system that all share"
    return said + remedy if is_unseen else said


def _move(job: Job, scratch: Path | None) -> None:
    """Move what a worker has written to where it shall lie, if it has written anything."""
    _, made = _places(job, scratch)
    if made is None or job.out is None:
        return
    with whole_files(job.out) as (draft,):
        mode = draft.stat().st_mode
        shutil.move(made, draft)
        with suppress(PermissionError):  # whoever has made it as another user
            draft.chmod(mode)
