"""How are several tables answered, each into a file of its own?

One after the other, as each would be alone. A table that cannot be answered keeps none of the
others from it: what is wrong with it is told at the end.
"""

from __future__ import annotations  # signatures then show the names of types

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from abstain._core.checks import InputError
from abstain._core.files import named_if, said_of
from abstain._core.signals import undone_at_the_end
from abstain.tables.ahead import ReadAhead
from abstain.tables.answering import Answered, answer_table
from abstain.tables.columns import check_needed
from abstain.tables.formats import PARQUET, TEXT
from abstain.tables.needs import needs_of
from abstain.tables.reading import Table, open_table
from abstain.tables.writing import check_output

__all__ = [
    "AnsweredTables",
    "Job",
    "Reading",
    "all_answered",
    "answer_tables",
    "answered_tables_as_json",
    "check_jobs",
    "folder_for",
    "plan_jobs",
]


_NEED_A_FOLDER = "several tables, and tables on a cluster, need a folder for their answers"


@dataclass(frozen=True)
class Reading:
    """How the text of all tables is written, as far as it was said.

    Parameters
    ----------
    separator, decimal, encoding : str, default=None
        As in `open_table`; None is found out, table by table.
    missing : tuple of str, default=()
        Texts that stand for a missing value, beside the usual ones.

    Examples
    --------
    >>> Reading(decimal=",").decimal
    ','
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()

    def open(self, path: Path) -> Table:
        """Open a table."""
        return open_table(path, self.separator, self.decimal, self.encoding, self.missing)


@dataclass(frozen=True, eq=False)
class Job:
    """A table to be answered, and where its answers shall lie, if anywhere."""

    table: Table
    out: Path | None


@dataclass(frozen=True, eq=False)
class AnsweredTables:
    """What came of tables.

    Attributes
    ----------
    tables : list of Path
        The tables, in the order in which they were given.
    outs : list of Path or None
        Where the answers of each lie.
    each : list of Answered
        What came of each.
    """

    tables: list[Path]
    outs: list[Path | None]
    each: list[Answered]

    @property
    def total(self) -> Answered:
        """What came of all of them together; new columns are those of the first."""
        class_counts: Counter[str] = Counter()
        strangers: Counter[str] = Counter()
        for answered in self.each:
            class_counts.update(answered.class_counts)
            strangers.update(answered.strangers)
        return Answered(
            n_rows=sum(answered.n_rows for answered in self.each),
            n_rejected=sum(answered.n_rejected for answered in self.each),
            n_empty=sum(answered.n_empty for answered in self.each),
            class_counts=dict(class_counts),
            columns=self.each[0].columns,
            strangers=dict(strangers),
        )


def plan_jobs(paths: Sequence[Path], out: Path | None, reading: Reading) -> list[Job]:
    r"""Open tables, and find where their answers shall lie.

    Parameters
    ----------
    paths : sequence of Path
        The tables.
    out : Path or None
        The folder for the answers. Each file of answers is called like its table, without .gz. None
        is none.
    reading : Reading
        How the tables are written.

    Returns
    -------
    jobs : list of Job
        In the order of the tables.

    Raises
    ------
    InputError
        If a table cannot be read, the answers of two would be one file, or the folder is called
        like a table and is not there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("a,b\n1,2\n")
    ...     (job,) = plan_jobs([Path(folder, "t.csv")], Path("answers"), Reading())
    >>> job.table.names, job.out.as_posix()
    (['a', 'b'], 'answers/t.csv')
    """
    tables = []
    for path in paths:
        with named_if(len(paths) > 1, path):
            tables.append(reading.open(path))
    outs = [None] * len(paths) if out is None else _outputs(paths, out)
    return [Job(table, own) for table, own in zip(tables, outs, strict=True)]


@contextmanager
def folder_for(jobs: Sequence[Job]) -> Iterator[None]:
    """Make the folder of the outputs, if it is not there, and see that they can be written.

    A folder that was made for nothing is removed again.

    Parameters
    ----------
    jobs : sequence of Job
        From `plan_jobs`.

    Raises
    ------
    InputError
        If an output cannot be written.
    """
    if jobs[0].out is None:
        yield
        return
    folder = jobs[0].out.parent
    is_new = not os.path.exists(folder)
    with undone_at_the_end(partial(_remove_if_empty, folder)) if is_new else nullcontext():
        _make(folder)
        for job in jobs:
            assert job.out is not None
            check_output(job.out, job.table)
        yield


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is a file" if os.path.isfile(folder) else error.strerror or str(error)
        raise InputError(f"cannot write to --out {folder}: {why}; {_NEED_A_FOLDER}") from None


def _check_is_no_table(out: Path) -> None:
    """Refuse a name that promises a file, where a folder would be made of it."""
    ending = next((each for each in TEXT + PARQUET if out.name.lower().endswith(each)), None)
    if ending is not None and not os.path.exists(out):
        folder = out.with_name(out.name[: -len(ending)] or "answers")
        raise InputError(
            f"cannot write to --out {out}: {ending} is the ending of a file; {_NEED_A_FOLDER}, "
            f"such as {folder}"
        )


def _outputs(paths: Sequence[Path], out: Path) -> list[Path | None]:
    _check_is_no_table(out)
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


def check_jobs(clf: Any, jobs: Sequence[Job]) -> None:
    """Refuse tables that lack what a classifier needs, before long work is spent on others.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    jobs : sequence of Job
        The tables.
    """
    needed = needs_of(clf).needed
    for job in jobs:
        check_needed(needed, job.table.names, job.table.path)


def answer_tables(
    clf: Any,
    jobs: Sequence[Job],
    *,
    mark: str,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> AnsweredTables:
    """Answer tables one after the other.

    Parameters
    ----------
    clf : RejectOptionClassifier
        From `fit_table`, or loaded.
    jobs : sequence of Job
        From `plan_jobs`.
    mark : str
        What stands where no answer is given.
    watch : callable, default=nothing
        Told how many blocks are done, and of about how many.

    Returns
    -------
    answered : AnsweredTables
        What came of them.

    Raises
    ------
    InputError
        If a table cannot be answered; then all others are.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from abstain import GLVQ, RejectOptionClassifier
    >>> frame = pl.DataFrame({"a": [0.0, 1.0, 4.0, 5.0] * 5})
    >>> clf = RejectOptionClassifier(GLVQ(), cv=2).fit(frame, ["a", "a", "b", "b"] * 5)
    >>> with TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("1.csv", "2.csv")]
    ...     for path in paths:
    ...         frame.write_csv(path)
    ...     found = answer_tables(clf, plan_jobs(paths, None, Reading()), mark="rejected")
    >>> found.total.n_rows, [each.n_rows for each in found.each]
    (40, [20, 20])
    """
    n_done, n_blocks = 0, sum(job.table.n_blocks for job in jobs)

    def watch_all(done: int, total: int) -> None:
        watch(n_done + done, max(n_blocks, n_done + done))

    found: list[Answered | InputError] = []
    for job in jobs:
        try:
            with ReadAhead(job.table) as ahead:
                found.append(answer_table(clf, ahead, job.out, mark=mark, watch=watch_all))
        except InputError as error:
            found.append(error)
        n_done += job.table.n_blocks
    return all_answered(jobs, found)


def all_answered(jobs: Sequence[Job], found: Sequence[Answered | InputError]) -> AnsweredTables:
    """Return what came of all tables, or tell what is wrong with the first that has no answers."""
    errors = [
        said_of(job.table.path, str(each)) if len(jobs) > 1 else str(each)
        for job, each in zip(jobs, found, strict=True)
        if isinstance(each, InputError)
    ]
    if errors:
        n_whole = len(jobs) - len(errors)
        out = jobs[0].out
        whole = "the other is" if n_whole == 1 else f"the other {n_whole} are"
        rest = f"; {whole} answered, in {out.parent}" if out and n_whole else ""
        what = f"{len(errors)} of {len(jobs)} tables could not be answered{rest}: "
        raise InputError((what if len(jobs) > 1 else "") + errors[0]) from None
    each = [answered for answered in found if isinstance(answered, Answered)]
    return AnsweredTables([job.table.path for job in jobs], [job.out for job in jobs], each)


def answered_tables_as_json(answered: AnsweredTables, out: Path | None, version: str) -> str:
    """Return what came of tables as a JSON document: in all, and table by table.

    Parameters
    ----------
    answered : AnsweredTables
        From `answer_tables`.
    out : Path or None
        The folder in which the answers lie.
    version : str
        The version of abstain that made them.

    Returns
    -------
    document : str
        An object in several lines of ASCII. Beside what it has for one table, "tables" has the same
        for each of them.

    Examples
    --------
    >>> each = [Answered(3, 1, 0, {"a": 2}, []), Answered(2, 0, 0, {"a": 2}, [])]
    >>> found = AnsweredTables([Path("1.csv"), Path("2.csv")], [None, None], each)
    >>> json.loads(answered_tables_as_json(found, None, "1.0"))["class_counts"]
    {'a': 4}
    """
    document = {
        "abstain": version,
        **asdict(answered.total),
        "out": None if out is None else str(out),
        "tables": [
            {"table": str(table), **asdict(each), "out": None if own is None else str(own)}
            for table, own, each in zip(answered.tables, answered.outs, answered.each, strict=True)
        ],
    }
    return json.dumps(document, indent=2, allow_nan=False)
