"""How are several tables answered, each into its own file, here or on a cluster?

If a table cannot be answered, the others still are, and the error is raised at the end.

On a cluster, each table is one task: a worker reads the file, block by block, and writes the
answers, on a file system that all machines share. Workers write to a temporary folder beside the
outputs, and the caller moves the files to their places: an output is complete or absent, even if a
worker dies.
"""

from __future__ import annotations

import os
import pickle
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from abstain._core.errors import InputError, Message, reworded
from abstain._core.files import atomic_files, name_file_if, temporary_folder
from abstain._core.signals import cleanup_at_end
from abstain._scale.computing import completed
from abstain.tables.answering import AnswerCounts, answer_table, answer_to_draft, text_form
from abstain.tables.reading import TableFile, TextOptions
from abstain.tables.text_format import PARQUET, TEXT, WORKBOOKS
from abstain.tables.worklist import Worklist, WorklistOptions
from abstain.tables.writing import check_output

_NEED_A_FOLDER = "several tables, and tables on a cluster, need a folder for their answers"


@dataclass(frozen=True, eq=False)
class Job:
    """A table to answer, and the file for its answers, if any."""

    table: TableFile
    out: Path | None


@dataclass(frozen=True, eq=False)
class BatchCounts:
    """The counts of several tables, in the order of the tables."""

    tables: list[Path]
    outs: list[Path | None]
    each: list[AnswerCounts]

    @property
    def total(self) -> AnswerCounts:
        """The sums over all tables, and the warnings of each."""
        return replace(AnswerCounts.sum(self.each), warnings=self.warnings)

    @property
    def warnings(self) -> list[str]:
        """The warnings of each table, with its name."""
        return [
            f"{table.name}: {warning}"
            for table, counts in zip(self.tables, self.each, strict=True)
            for warning in counts.warnings
        ]

    def as_dict(self, out: Path | None) -> dict[str, Any]:
        """Return the sums, and the counts of each table, for a JSON document."""
        each = zip(self.tables, self.outs, self.each, strict=True)
        tables = [{"table": str(table), **counts.as_dict(own)} for table, own, counts in each]
        return {**self.total.as_dict(out), "tables": tables}


# --- jobs and their outputs ---------------------------------------------------------------------


def plan_jobs(paths: Sequence[Path], out: Path | None, options: TextOptions) -> list[Job]:
    """Open tables, and name their outputs in the folder ``out`` like the tables, without .gz."""
    tables = []
    for path in paths:
        with name_file_if(len(paths) > 1, path):
            tables.append(options.open(path))
    outs = [None] * len(paths) if out is None else _outputs(paths, out)
    return [Job(table, own) for table, own in zip(tables, outs, strict=True)]


def _outputs(paths: Sequence[Path], out: Path) -> list[Path | None]:
    suffixes = TEXT + PARQUET + WORKBOOKS
    suffix = next((each for each in suffixes if out.name.lower().endswith(each)), None)
    if suffix is not None and not os.path.exists(out):
        folder = out.with_name(out.name[: -len(suffix)] or "answers")
        raise _no_folder(out, f"{suffix} is a suffix of files", f", such as {folder}")
    table_of: dict[str, Path] = {}
    for path in paths:
        name = path.name[:-3] if path.name.lower().endswith(".gz") else path.name
        if name in table_of:
            raise InputError(
                f"the answers of {table_of[name]} and of {path} would both be {out / name}; give "
                "one of them another name, or answer them into two folders"
            )
        table_of[name] = path
    return [out / name for name in table_of]


def _no_folder(out: Path, why: str, example: str = "") -> InputError:
    return InputError(
        argument="out",
        value=str(out),
        requirement=f"cannot be written to: {why}",
        remedy=_NEED_A_FOLDER + example,
    )


@contextmanager
def output_folder(jobs: Sequence[Job]) -> Iterator[None]:
    """Create the folder of the outputs, and check them; if it stays empty, it is removed."""
    if jobs[0].out is None:
        yield
        return
    folder = jobs[0].out.parent
    is_new = not os.path.exists(folder)
    with cleanup_at_end(partial(_remove_if_empty, folder)) if is_new else nullcontext():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = "it is a file" if os.path.isfile(folder) else error.strerror or str(error)
            raise _no_folder(folder, why) from None
        for job in jobs:
            assert job.out is not None
            check_output(job.out, job.table)
        yield


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


# --- answering ----------------------------------------------------------------------------------


def answer_tables(
    clf: Any,
    jobs: Sequence[Job],
    *,
    reject_mark: str,
    worklist: WorklistOptions | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> BatchCounts:
    """Answer tables one after the other; ``watch`` is called with blocks done and of all.

    A worklist lists the rows of all tables; it appears when all are answered.
    """
    rows = None
    if worklist is not None:
        rows = Worklist(clf, worklist, reject_mark, are_several=True)
    n_done, n_blocks = 0, sum(job.table.n_blocks for job in jobs)

    def watch_all(done: int, total: int) -> None:
        watch(n_done + done, max(n_blocks, n_done + done))

    results: list[AnswerCounts | InputError] = []
    for number, job in enumerate(jobs):
        try:
            own = None if rows is None else rows.begin(job.table, number)
            with atomic_files(*([] if job.out is None else [job.out])) as drafts:
                draft = None if job.out is None else drafts[0]
                counts = answer_to_draft(
                    clf, job.table, job.out, draft, reject_mark, own, watch_all
                )
            results.append(counts)
        except InputError as error:
            results.append(error)
        n_done += job.table.n_blocks
    counts_of_all = _counts_or_error(jobs, results)
    if rows is not None:
        with atomic_files(rows.options.out) as (draft,):
            rows.write(draft, *text_form(rows.options.out, jobs[0].table))
    return counts_of_all


def _counts_or_error(
    jobs: Sequence[Job], results: Sequence[AnswerCounts | InputError]
) -> BatchCounts:
    """Return the counts of all tables, or raise the error of the first that has none."""
    pairs = zip(jobs, results, strict=True)
    errors = [(job, each) for job, each in pairs if isinstance(each, InputError)]
    if errors and len(jobs) == 1:
        raise errors[0][1] from None
    if errors:
        n_whole, out = len(jobs) - len(errors), jobs[0].out
        whole = "the other is" if n_whole == 1 else f"the other {n_whole} are"
        rest = f"; {whole} answered, in {out.parent}" if out and n_whole else ""
        what = f"{len(errors)} of {len(jobs)} tables could not be answered{rest}: "
        job, error = errors[0]
        name = "" if str(job.table.path) in str(error) else f"{job.table.path}: "
        raise reworded(error, what, name, error.message) from None
    each = [counts for counts in results if isinstance(counts, AnswerCounts)]
    return BatchCounts([job.table.path for job in jobs], [job.out for job in jobs], each)


# --- on a cluster -------------------------------------------------------------------------------


@contextmanager
def scratch_folder(jobs: Sequence[Job]) -> Iterator[Path | None]:
    """Yield a temporary folder for the workers, beside the outputs; None if nothing is written.

    To be left after the cluster, when no worker writes there any more.
    """
    if jobs[0].out is None:
        yield None
        return
    with temporary_folder(jobs[0].out.absolute()) as folder:
        yield folder


def answer_on_cluster(
    client: Any,
    clf: Any,
    jobs: Sequence[Job],
    scratch: Path | None,
    options: TextOptions,
    *,
    reject_mark: str,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> BatchCounts:
    """Answer tables on the workers of a cluster, which see the files under the same names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dask warns of large models
        # As a task, it can be computed again if all workers that hold it are lost.
        model = client.submit(pickle.loads, pickle.dumps(clf), pure=False)
    futures = [
        client.submit(
            _answer_on_worker, model, *_worker_paths(job, scratch), options, reject_mark, pure=False
        )
        for job in jobs
    ]
    results: list[Any] = [None] * len(jobs)
    try:
        for done, index in enumerate(completed(futures), start=1):
            results[index] = _result(futures[index], jobs[index], scratch)
            watch(done, len(jobs))
    finally:
        client.cancel(futures)
    return _counts_or_error(jobs, results)


def _worker_paths(job: Job, scratch: Path | None) -> tuple[Path, Path | None]:
    """Return the file that a worker reads, and the one that it writes."""
    draft = None if scratch is None or job.out is None else scratch / job.out.name
    return job.table.path.absolute(), draft


def _answer_on_worker(
    clf: Any, path: Path, out: Path | None, options: TextOptions, reject_mark: str
) -> AnswerCounts:
    return answer_table(clf, options.open(path), out, reject_mark=reject_mark)


def _result(future: Any, job: Job, scratch: Path | None) -> AnswerCounts | InputError:
    """Return the counts of a table, and move its output into place; or return the error."""
    from distributed.scheduler import KilledWorker

    if future.status == "finished":
        counts: AnswerCounts = future.result()
        try:
            _move(job, scratch)
        except InputError as error:
            return error
        return counts
    if future.status == "cancelled":
        future.result()  # raises
    name, failure = job.table.path, future.exception()
    if isinstance(failure, KilledWorker):
        return InputError(
            f"{name} has killed each worker that read it, perhaps out of memory; give "
            "workers more memory, or split the table"
        )
    if not isinstance(failure, InputError):
        reason = " ".join(str(failure).split())
        return InputError(f"{name} cannot be answered: {type(failure).__name__}: {reason}")
    return reworded(failure, _with_own_names(failure.message, job, scratch))


def _with_own_names(message: Message, job: Job, scratch: Path | None) -> Message:
    """Return the message of a worker, with files named as the user has named them."""
    path = job.table.path
    if scratch is not None and job.out is not None:
        message = message.substitute(str(scratch / job.out.name), str(job.out))
        message = message.substitute(str(scratch), str(job.out.parent))
    message = message.substitute(str(path.absolute()), str(path))
    is_unseen = "does not exist" in str(message) or "there is no folder" in str(message)
    remedy = ": the workers must see it too, on a file system that all share"
    return Message(message, remedy) if is_unseen else message


def _move(job: Job, scratch: Path | None) -> None:
    """Move the output of a worker into place, if there is one."""
    _, written = _worker_paths(job, scratch)
    if written is None or job.out is None:
        return
    with atomic_files(job.out) as (draft,):
        mode = draft.stat().st_mode
        shutil.move(written, draft)
        with suppress(PermissionError):  # the worker runs as another user
            draft.chmod(mode)
