"""`abstain predict`: answers for the rows of one or several tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from abstain import InputError
from abstain._core.errors import reworded, shown
from abstain._core.files import check_keeps_inputs, check_regular_file, expand_patterns
from abstain._core.text import printable
from abstain.cli import terminal
from abstain.cli.common import (
    AsJson,
    Cluster,
    Decimal,
    Encoding,
    Missing,
    Quiet,
    Separator,
    Sheet,
    connect,
    model_errors_in_one_line,
    output_option,
    print_error,
    print_json,
    worklist_option,
)
from abstain.cli.terminal import (
    CLASSES_TO_SHOW,
    NOTES_TO_SHOW,
    counted,
    first_lines,
    label_text,
    percent,
    plain_table,
    title_of,
)

if TYPE_CHECKING:
    from abstain.tables.answering import AnswerCounts
    from abstain.tables.batch import BatchCounts, Job
    from abstain.tables.reading import TableFile, TextOptions
    from abstain.tables.worklist import WorklistOptions

# Tables of fewer blocks take about a second: they show no progress.
_BLOCKS_TO_WATCH = 4
_TABLES_TO_SHOW = 10


def predict(
    model: Annotated[Path, typer.Argument(help="From abstain fit.")],
    table: Annotated[
        list[Path],
        typer.Argument(help="CSV, TSV, Parquet or .xlsx, one row per sample; or several."),
    ],
    out: Annotated[
        Path | None,
        output_option(help="answers.csv, .tsv, .xlsx or .parquet; a folder for several tables."),
    ] = None,
    thresholds: Annotated[
        Path | None, typer.Option(help="JSON with thresholds to use instead of the model's.")
    ] = None,
    cluster: Cluster = None,
    reject_mark: Annotated[str, output_option(help="The mark of a rejected row.")] = "rejected",
    worklist: Annotated[
        Path | None,
        worklist_option(help="worklist.csv, .tsv or .xlsx: the rejected rows, to be worked off."),
    ] = None,
    id: Annotated[  # noqa: A002
        str | None, worklist_option("--id", help="The column that identifies a row on the list.")
    ] = None,
    audit: Annotated[
        float | None,
        worklist_option(help="List this share of the answered rows too, at random, such as 0.05."),
    ] = None,
    audit_seed: Annotated[
        int | None, worklist_option(help="Chooses them; made of the table if not given.", min=0)
    ] = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Answer the rows of a table, or give the reason for a reject.

    The output has all rows and columns of the table, unchanged and in order, and
    eight more columns: the number of the row, as a spreadsheet shows it; the
    answer, which is a class or the mark of a rejected row; for rejected rows, the
    answer that is withheld; the certainty, and the threshold that decides;
    correct_proba, the estimated probability that the answer is right, also where
    it is withheld, but not of outliers, rows unlike those of the fit; for rejected
    rows, the reason; and a warning about values that are not in the fit, of
    answered rows too. The table may be larger than memory.

    Without --out, rows are only counted.

    If clearly more rows than usual are outliers, are rejected, or hold values that
    the fit has not seen, a warning says so; with --quiet, on standard error.

    --worklist lists the rejected rows for a person, the most useful first, with an
    empty column expert_answer; abstain review takes the list back. It is held in
    memory, and appears together with the answers.

    The answers to several tables are written to the folder --out, each to a file of
    the same name and format. If one table cannot be answered, the others still are.

    With --cluster, each table is answered by one worker. All machines must see
    the tables and the folder under the same paths.
    """
    from abstain.tables.reading import TextOptions

    paths = expand_patterns(table)
    listed = _worklist_options(worklist, id, audit, audit_seed, cluster)
    options = TextOptions(separator, decimal, encoding, tuple(missing or []), sheet)
    inputs = dict.fromkeys(paths, "the table") | {model: "the model"}
    if thresholds is not None:
        inputs[thresholds] = "the thresholds file"
        check_regular_file(thresholds)
    check_regular_file(model)
    outs = [] if worklist is None else [worklist]
    counts: AnswerCounts | BatchCounts
    if cluster is None and len(paths) == 1:
        source = options.open(paths[0])
        check_keeps_inputs([*outs, *([] if out is None else [out])], inputs)
        with model_errors_in_one_line(model):
            counts = _answer_one(source, model, thresholds, out, reject_mark, listed, quiet)
        screen = predict_screen(counts, paths[0], out, worklist)
    else:
        from abstain.tables.batch import plan_jobs

        jobs = plan_jobs(paths, out, options)
        check_keeps_inputs([*outs, *(job.out for job in jobs if job.out)], inputs)
        with model_errors_in_one_line(model):
            clf = _load(model, thresholds)
            counts = _answer_many(jobs, clf, cluster, options, reject_mark, listed, quiet)
        screen = predict_many_screen(counts, out, worklist)
    if as_json:
        print_json({**counts.as_dict(out), "worklist": worklist and str(worklist)})
    elif not quiet:
        terminal.show(screen)
    if quiet:  # as in a job of every night, which somebody hears of if something is wrong
        for warning in counts.warnings:
            print_error(f"warning: {warning}")


def _worklist_options(
    out: Path | None, column: str | None, audit: float | None, seed: int | None, cluster: str | None
) -> WorklistOptions | None:
    """Return which rows are listed, and where; None if there is no worklist."""
    if out is None:
        given = {"--id": column, "--audit": audit, "--audit-seed": seed}
        for option, value in given.items():
            if value is not None:
                raise InputError(f"{option} is about a worklist; give --worklist as well")
        return None
    if cluster is not None:
        raise InputError("--worklist is not written by a cluster; leave out --cluster")
    if seed is not None and audit is None:
        raise InputError("--audit-seed chooses the audited rows; give --audit as well")
    from abstain.tables.worklist import WorklistOptions

    options = WorklistOptions(out, column, audit or 0.0, seed)
    options.check()
    return options


def _answer_one(
    table: TableFile,
    model: Path,
    thresholds: Path | None,
    out: Path | None,
    reject_mark: str,
    listed: WorklistOptions | None,
    quiet: bool,
) -> AnswerCounts:
    """Answer a table, which is read while packages are imported and the model is loaded."""
    from abstain.tables.reading import ReadAhead
    from abstain.tables.writing import check_output

    if out is not None:
        check_output(out, table)
    is_short = table.n_blocks < _BLOCKS_TO_WATCH
    with ReadAhead(table) as ahead:
        from abstain.tables import answer_table

        with terminal.progress(f"answering {table.path}", quiet or is_short) as watch:
            clf = _load(model, thresholds)
            return answer_table(
                clf, ahead, out, reject_mark=reject_mark, worklist=listed, watch=watch
            )


def _answer_many(
    jobs: Sequence[Job],
    clf: Any,
    cluster: str | None,
    options: TextOptions,
    reject_mark: str,
    listed: WorklistOptions | None,
    quiet: bool,
) -> BatchCounts:
    """Answer several tables, here or on a cluster."""
    from abstain.tables import batch

    is_short = sum(job.table.n_blocks for job in jobs) < _BLOCKS_TO_WATCH
    task = f"answering {counted(len(jobs), 'table')}" + (" in blocks" if cluster is None else "")
    with batch.output_folder(jobs), terminal.progress(task, quiet or is_short) as watch:
        if cluster is None:
            return batch.answer_tables(
                clf, jobs, reject_mark=reject_mark, worklist=listed, watch=watch
            )
        with batch.scratch_folder(jobs) as scratch, connect(cluster) as client:
            return batch.answer_on_cluster(
                client, clf, jobs, scratch, options, reject_mark=reject_mark, watch=watch
            )


def _load(model: Path, thresholds: Path | None) -> Any:
    """Load a model, with the thresholds of a file in place of its own."""
    from abstain.saving import load

    clf = load(model)
    if thresholds is None:
        return clf
    from abstain.classifier import read_thresholds

    try:
        given = read_thresholds(thresholds)
    except InputError as error:
        raise reworded(error, f"--thresholds: {error}") from None
    try:
        return clf.set_thresholds(given)
    except InputError as error:
        raise reworded(error, f"--thresholds: {thresholds}: {error}") from None


# --- what is printed ----------------------------------------------------------------------------


def predict_screen(
    counts: AnswerCounts, table: Path, out: Path | None, worklist: Path | None = None
) -> RenderableType:
    """Return the summary of the answers to one table."""
    if out is None:
        end = "Nothing was written; --out answers.csv keeps the answers."
    else:
        end = f"Written: {printable(out)}, with {_columns(counts)}"
    return Group(*_answers(counts, table), Text(), Text(end), *_listed(counts, worklist))


def predict_many_screen(
    batch: BatchCounts, out: Path | None, worklist: Path | None = None
) -> RenderableType:
    """Return the summary of the answers to several tables, in all and by table."""
    total, first = batch.total, batch.tables[:_TABLES_TO_SHOW]
    by_table = plain_table("table", ["rows", "rejected"])
    for path, each in zip(first, batch.each, strict=False):
        by_table.add_row(label_text(path.name), f"{each.n_rows:,}", f"{each.n_rejected:,}")
    n_hidden = len(batch.tables) - len(first)
    if n_hidden:
        by_table.add_row(Text(f"… and {n_hidden:,} more; --json names all", "dim"))
    if out is None:
        end = "Nothing was written; --out answers keeps the answers in that folder."
    else:
        n_files = counted(len(batch.tables), "file")
        end = f"Written to {printable(out)}: {n_files}, with {_columns(total)}"
    parts = [*_answers(total, batch.tables), Text(), by_table, Text(), Text(end)]
    return Group(*parts, *_listed(total, worklist))


def _listed(counts: AnswerCounts, worklist: Path | None) -> list[RenderableType]:
    """Return how many rows are on the worklist, if there is one."""
    if worklist is None:
        return []
    audited = f" and {counts.n_audited:,} answered for audit" if counts.n_audited else ""
    rejected = counted(counts.n_rejected, "rejected row")
    return [
        Text(f"Worklist: {printable(worklist)}, with {rejected}{audited}"),
        Text("Next: fill in its column 'expert_answer', and give it to abstain review", "dim"),
    ]


def _columns(counts: AnswerCounts) -> str:
    *some, last = map(shown, counts.columns)
    return f"the columns {', '.join(some)} and {last}"


def _answers(counts: AnswerCounts, table: Path | list[Path]) -> list[RenderableType]:
    """Return how many rows have which answer, and notes on these rows."""
    share = counts.n_rejected / counts.n_rows
    heading = Text.assemble(
        (title_of(table), "bold"),
        f"\n{counted(counts.n_rows, 'row')}, ",
        (f"{percent(1 - share)} answered", "bold green"),
        f", {percent(share)} rejected",
    )
    by_class = plain_table("answer", ["rows"])
    frequent = sorted(counts.class_counts.items(), key=lambda item: -item[1])
    for name, count in frequent[:CLASSES_TO_SHOW]:
        by_class.add_row(label_text(name), f"{count:,}")
    if len(frequent) > CLASSES_TO_SHOW:
        rest = sum(count for _, count in frequent[CLASSES_TO_SHOW:])
        by_class.add_row(Text(f"{len(frequent) - CLASSES_TO_SHOW:,} more", "dim"), f"{rest:,}")
    by_class.add_row(Text("none: rejected", "bold"), Text(f"{counts.n_rejected:,}", "bold"))
    parts: list[RenderableType] = [heading, Text(), by_class]
    if counts.n_outliers:
        outliers = f"{counted(counts.n_outliers, 'row')} rejected as outliers, unlike the fit"
        parts += [Text(), Text(outliers, "yellow")]
    if counts.n_empty:
        empty = f"{counted(counts.n_empty, 'row')} rejected because all needed columns are empty"
        parts += [Text(), Text(empty, "yellow")]
    return [*parts, *_notes(counts)]


def _notes(counts: AnswerCounts) -> list[RenderableType]:
    """Return warnings, and notes on other columns in which many values are new to the model."""
    from abstain.tables.answer_warnings import MANY_UNSEEN, most_unseen, unseen_value

    warned = " ".join(counts.warnings)
    many = [
        name
        for name in most_unseen(counts)
        if counts.unseen_values[name] >= MANY_UNSEEN * counts.n_rows
        and f"column {shown(name)}" not in warned
    ]
    notes = [*counts.warnings, *(unseen_value(counts, name) for name in many)]
    lines = first_lines([f"Note: {note}" for note in notes], NOTES_TO_SHOW, "note")
    return [Text(), *(Text(printable(line), "yellow") for line in lines)] if lines else []
